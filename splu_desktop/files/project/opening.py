"""What a path is that the window is given, by the command line, a double click or a drop: release or table."""

from __future__ import annotations

import zipfile
from pathlib import Path, PurePosixPath

RELEASE_SUFFIX = ".splurelease"  # a release's ZIP under a name that a double click opens with this program
_FACTS_NAME = "release.json"  # files.release.facts has it too, and half of the program's libraries with it


def is_release(path: Path) -> bool:
    """Return whether a path is opened as a release. A file that can't be read is a table, whose reader says why."""
    if path.is_dir() or path.name == _FACTS_NAME or path.suffix.lower() == RELEASE_SUFFIX:
        return True
    # Workbooks are ZIP files too; the names in one can be read without its password.
    if path.suffix.lower() != ".zip":
        return False
    try:
        with zipfile.ZipFile(path) as packed:
            return any(PurePosixPath(name).name == _FACTS_NAME for name in packed.namelist())
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return False
