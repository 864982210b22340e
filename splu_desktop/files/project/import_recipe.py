"""An import recipe: how one file was read, as TOML, to read next month's file in the same way.

It holds the choices and the names of the columns, no records. A file whose columns differ is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from splu_desktop import __version__
from splu_desktop.core.errors import SpluError
from splu_desktop.core.messages import listed, quoted, say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.files.disk.plain_data import from_toml, read_bytes
from splu_desktop.files.disk.whole import whole_file
from splu_desktop.files.importer import ImportChoices, Imported, read
from splu_desktop.files.isolation.faults import OtherWidth, RecipeMismatch
from splu_desktop.files.project.import_section import import_as_dict, import_from_dict

_VERSION = 1
_LARGEST = 10 << 20


@dataclass(frozen=True)
class ImportRecipe:
    """Choices, and the columns that a file must have for them to fit."""

    choices: ImportChoices
    columns: tuple[str, ...]
    name: str = say("the recipe")

    def read(self, path: Path, progress: Progress = SILENT, *, allow_empty: bool = False) -> Imported:
        """Read a file by the recipe. Raises RecipeMismatch where its columns differ, and every fault of `read`."""
        try:
            imported = read(path, self.choices, progress, allow_empty=allow_empty)
        except OtherWidth as fault:
            raise RecipeMismatch(
                "“{file}” doesn't have the columns that {name} was made for: it has {columns}, not {given}; check "
                "the file, or import it without the recipe and save a new one.",
                file=path.name,
                name=self.name,
                columns=fault.columns,
                given=fault.given,
            ) from fault
        self.check(imported.table.names, path.name)
        return imported

    def check(self, names: tuple[str, ...], file: str) -> None:
        """Raise RecipeMismatch, naming the columns, where `names` aren't the recipe's, in the same order."""
        if names == self.columns:
            return
        lacking = [name for name in self.columns if name not in names]
        added = [name for name in names if name not in self.columns]
        said = [
            *([say("it lacks {columns}", columns=quoted(lacking, 6))] if lacking else []),
            *([say("it has {columns} besides", columns=quoted(added, 6))] if added else []),
        ] or [say("they stand in another order")]
        raise RecipeMismatch(
            "“{file}” doesn't have the columns that {name} was made for: {differences}; check the file, "
            "or import it without the recipe and save a new one.",
            file=file,
            name=self.name,
            differences=listed(said),
        )


def save_import_recipe(imported: Imported, path: Path, *, overwrite: bool = False) -> None:
    """Write how a table was read, whole or not at all. Raises CannotWrite."""
    data: dict[str, Any] = {
        "import_recipe": {
            "version": _VERSION,
            "software": f"SPLU Desktop {__version__}",
            "made_with": imported.source.name,
        },
        "columns": list(imported.table.names),
        "import": import_as_dict(imported.choices),
    }
    data = {"columns": data.pop("columns"), **data}  # plain entries stand above sections in TOML
    text = "# How to read a table with SPLU Desktop: splu inspect FILE --import-recipe THIS\n" + tomli_w.dumps(data)
    with whole_file(path, overwrite=overwrite) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")


def load_import_recipe(path: Path) -> ImportRecipe:
    """Read an import recipe. Raises RecipeMismatch where it is none."""
    try:
        data = from_toml(read_bytes(path, _LARGEST, RecipeMismatch, say("an import recipe")))
        version = data["import_recipe"]["version"]
        columns = data["columns"]
        section = data.get("import", {})
        if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
            raise KeyError("columns")
        if not isinstance(section, dict):
            raise KeyError("import")
    except ValueError as fault:
        raise RecipeMismatch("“{path}” is no import recipe: it is not valid TOML.", path=path) from fault
    except (KeyError, TypeError) as fault:
        raise RecipeMismatch("“{path}” is no import recipe of this program.", path=path) from fault
    if version != _VERSION:
        raise RecipeMismatch(
            "“{path}” has import recipe version {version}, and this program (version {own}) reads version {known}; "
            "open it with the program version that made it or a newer one.",
            path=path,
            version=version,
            own=__version__,
            known=_VERSION,
        )
    try:
        choices = import_from_dict(section)
    except SpluError as fault:
        raise RecipeMismatch("“{path}” can't be used: {fault}", path=path, fault=fault) from fault
    return ImportRecipe(choices, tuple(columns), quoted([path.name]))
