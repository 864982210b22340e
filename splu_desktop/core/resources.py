"""Where the files that come with the program lie: in a checkout, an installed wheel or a frozen bundle."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

_PACKAGE = Path(__file__).resolve().parents[1]


def resource_path(name: str) -> Path:
    """Return the file `name` of `resources/`.

    Wheels and bundles carry the folder inside the package; a checkout has it beside the package.

    Raises
    ------
    FileNotFoundError
        Where the installation lacks the file, which is a fault of the build and not of the user.
    """
    for folder in (_PACKAGE / "resources", _PACKAGE.parent / "resources"):
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"resources/{name} did not come with this installation of SPLU Desktop")


def own_folder(name: str) -> Path:
    """Return the folder `name` of the user's own files, which go before those that came with the program."""
    named = os.environ.get("SPLU_DATA_DIR")
    folder = Path(named) if named else Path(platformdirs.user_config_dir("SPLU Desktop", appauthor=False, roaming=True))
    return folder / name
