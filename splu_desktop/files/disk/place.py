"""Where the program keeps what it remembers between runs: register of releases, its key, notes of unfinished work."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def in_unicode(path: Path) -> bool:
    """Return whether a path can be given to libraries that take it as UTF-8; Linux allows other bytes."""
    return str(path).isascii() or not any("\udc80" <= letter <= "\udcff" for letter in str(path))


def data_folder() -> Path:
    """Return the user's data folder of the program; the environment variable SPLU_DATA_DIR names another."""
    named = os.environ.get("SPLU_DATA_DIR")
    return Path(named) if named else Path(platformdirs.user_data_dir("SPLU Desktop", appauthor=False))
