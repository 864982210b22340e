"""Where the files that come with the program lie: in a checkout, an installed wheel or a frozen bundle."""

from __future__ import annotations

from pathlib import Path

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
