"""Files that come with the program, and those of the user's own folder that add to them or take their place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from splu_desktop.core.errors import BadSetting

_PACKAGE = Path(__file__).resolve().parents[1]


def resource_path(name: str) -> Path:
    """Return the file `name` of `resources/`.

    Wheels and bundles carry the folder inside the package; a checkout has it beside the package.

    Raises FileNotFoundError where the installation lacks the file: a fault of the build, not of the user.
    """
    for folder in (_PACKAGE / "resources", _PACKAGE.parent / "resources"):
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"resources/{name} did not come with this installation of SPLU Desktop")


def sample_path() -> Path:
    """Return the sample hospital's spreadsheet: one sheet, a header, 20,000 invented admissions."""
    return resource_path("sample_hospital.xlsx")


def data_folder() -> Path:
    """Return the user's data folder of the program, with the register; the variable SPLU_DATA_DIR names another."""
    import platformdirs  # a twentieth of the start of a count, which asks for no folder

    named = os.environ.get("SPLU_DATA_DIR")
    return Path(named) if named else Path(platformdirs.user_data_dir("SPLU Desktop", appauthor=False))


def own_files(kind: str) -> list[Path]:
    """Return the user's own TOML files of a kind, such as "roles", by name; docs/recipe.md lists the kinds."""
    return sorted((data_folder() / kind).glob("*.toml"))


def read_toml(path: Path) -> dict[str, Any]:
    """Return what a TOML file says. Raises BadSetting."""
    import tomllib  # a count reads none

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # undecodable bytes and wrong TOML are ValueErrors
        raise unreadable(path) from None


def unreadable(path: Path) -> BadSetting:
    """Return the fault of a file that is no TOML, lacks an entry or has one of the wrong kind."""
    return BadSetting("“{path}” can't be read, or lacks what such a file must say; mend or remove it.", path=str(path))
