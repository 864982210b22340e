"""Where the program keeps what it remembers between runs: register of releases, its key, notes of unfinished work."""

from __future__ import annotations

from pathlib import Path

from splu_desktop.core.resources import data_folder as data_folder


def in_unicode(path: Path) -> bool:
    """Return whether a path can be given to libraries that take it as UTF-8; Linux allows other bytes."""
    return str(path).isascii() or not any("\udc80" <= letter <= "\udcff" for letter in str(path))
