"""What a path is that the window is given, by the command line, a double click or a drop: release or table."""

from __future__ import annotations

import zipfile
from enum import Enum
from pathlib import Path, PurePosixPath

RELEASE_SUFFIX = ".splurelease"  # a release's ZIP under a name that a double click opens with this program
_FACTS_NAME = "release.json"  # files.release.facts has it too, and half of the program's libraries with it


class Opens(Enum):
    """What is opened."""

    RELEASE = "release"
    TABLE = "table"


def opens(path: Path) -> Opens:
    """Return what `path` is opened as. A file that can't be read is taken for a table, whose reader says why."""
    suffix = path.suffix.lower()
    if path.is_dir() or path.name == _FACTS_NAME or suffix == RELEASE_SUFFIX or _packs_release(path):
        return Opens.RELEASE
    return Opens.TABLE


def _packs_release(path: Path) -> bool:
    # Workbooks are ZIP files too; the names in one can be read without its password.
    if path.suffix.lower() != ".zip":
        return False
    try:
        with zipfile.ZipFile(path) as packed:
            return any(PurePosixPath(name).name == _FACTS_NAME for name in packed.namelist())
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return False
