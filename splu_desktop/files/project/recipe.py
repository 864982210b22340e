"""The recipe: one TOML file with everything that a release depends on besides the source, its version, and chance.

One without a plan says how a file is read, for next month's.

It holds choices and no records; values of the source stand in it only where a choice names them (a group, a mark for
“no value”), so it belongs to the custodian, not to the release.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import tomli_w

from splu_desktop import __version__
from splu_desktop.core.errors import BadSetting, FileFault
from splu_desktop.core.messages import listed, none_of, quoted, say
from splu_desktop.core.plan import Plan
from splu_desktop.core.questions import questions_from
from splu_desktop.core.table import Table
from splu_desktop.files.disk.plain_data import from_toml, read_bytes, understood
from splu_desktop.files.disk.whole_files import whole_file
from splu_desktop.files.importer import ImportChoices, SourceFile
from splu_desktop.files.project.entries import meanings
from splu_desktop.files.project.import_section import import_as_dict, import_from_dict
from splu_desktop.files.project.release_section import RELEASE

RECIPE_VERSION = 3
LARGEST = 50 << 20  # bytes; a hierarchy of 200,000 codes stays below
_LISTED = 8
_SECTIONS = {"recipe", "import", "plan", "release", "report", "made_with"}


class BadRecipe(FileFault):
    """A file is no recipe, is damaged, or is of a version this program can't read."""


class RecipeDoesNotFit(FileFault):
    """The columns of the table are not those that the recipe was made for."""


@dataclass(frozen=True)
class Recipe:
    """How to read a table and what to publish of it.

    Attributes
    ----------
    choices : how the source is read.
    plan : as plain data (`Plan.as_dict`); None for a recipe of reading alone.
    source : the file it was made with, for people; it may be applied to others. None where not known.
    laws : codes of the law packs by which the report is arranged; none where the report's default holds.
    release : what is said of the release's files, the data of the section [release] (`release_section`).
    columns : of a recipe of reading alone, the columns that a file must have.
    """

    choices: ImportChoices
    plan: Mapping[str, Any] | None
    source: SourceFile | None = None
    laws: tuple[str, ...] = ()
    release: Mapping[str, Any] = field(default_factory=dict)
    columns: tuple[str, ...] = ()

    def check(self, table: Table, name: str) -> None:
        """Raise RecipeDoesNotFit where the table's columns are not exactly the recipe's, naming those that differ."""
        _check_columns(self.columns if self.plan is None else self.plan.get("roles", ()), table, name)

    def plan_for(self, table: Table, *, name: str = say("the recipe")) -> Plan:
        """Return the plan with its columns in the table's order. Raises as `check` does; BadSetting."""
        if self.plan is None:
            raise RecipeDoesNotFit("A recipe without [plan] says only how a file is read; propose a plan, and save it.")
        return plan_for(self.plan, table, name)


def plan_for(stored: Mapping[str, Any], table: Table, name: str) -> Plan:
    """Return the plan that plain data say for a table, `name` being what it is called. Raises as `Recipe.plan_for`."""
    _check_columns(stored.get("roles", ()), table, name)
    plan = Plan.from_dict(stored, lambda question: questions_from([question], table)[0], name)
    ordered: dict[str, Any] = {}
    for entry in fields(plan):  # all that is said by column stands in the table's order
        by_column = getattr(plan, entry.name)
        if isinstance(by_column, Mapping):
            ordered[entry.name] = {column: by_column[column] for column in table.names if column in by_column}
    return replace(plan, **ordered)


def _check_columns(known: Collection[str], table: Table, name: str) -> None:
    lacking = [column for column in known if column not in table]
    unknown = [column for column in table.names if column not in known]
    if lacking or unknown:
        differences = []
        if lacking:
            differences.append(say("the table lacks {columns}", columns=_columns(lacking)))
        if unknown:
            differences.append(say("{name} doesn't know {columns}", name=name, columns=_columns(unknown)))
        words = "This table doesn't fit {name}: {differences}; use the file it was made for, or make a new recipe."
        raise RecipeDoesNotFit(words, name=name, differences=listed(differences, "{head}; {tail}"))


def write_recipe(recipe: Recipe, path: Path, *, overwrite: bool = False) -> None:
    """Write a recipe, whole or not at all; only its owner may read it. Raises CannotWrite."""
    text = recipe_text(recipe)
    with whole_file(path, overwrite=overwrite) as partial:
        partial.touch(mode=0o600)
        partial.write_text(text, encoding="utf-8", newline="\n")


def recipe_text(recipe: Recipe) -> str:
    """Return the recipe as TOML."""
    data: dict[str, Any] = {
        "recipe": {"version": RECIPE_VERSION, "software": f"SPLU Desktop {__version__}"},
        "import": import_as_dict(recipe.choices),
        "plan": {name: value for name, value in (recipe.plan or {}).items() if value not in ({}, [], "")},
        "release": dict(recipe.release),
    }
    if recipe.plan is None:
        data["recipe"]["columns"] = list(recipe.columns)
    if recipe.laws:
        data["report"] = {"law": list(recipe.laws)}
    if recipe.source is not None:
        source = recipe.source
        name = source.name.encode("utf-8", "replace").decode("utf-8")  # a path may hold bytes that are no letters
        data["made_with"] = {"file": name, "bytes": source.size, "sha256": source.sha256}
    filled = {name: section for name, section in data.items() if section}
    head = "# How to read a table and publish it with SPLU Desktop: splu publish FILE --recipe THIS --out DIR\n"
    return head + tomli_w.dumps(filled)


def read_recipe(path: Path) -> Recipe:
    """Read a recipe. Raises BadRecipe with a sentence that says what is wrong with it."""
    return recipe_from(read_bytes(path, LARGEST, BadRecipe), path)


def recipe_from(content: bytes, path: Path) -> Recipe:
    """Return what the content of a recipe says, `path` being what it is called. Raises as `read_recipe`."""
    try:
        data = from_toml(content)
    except ValueError as fault:
        where = f" ({fault})" if isinstance(fault, tomllib.TOMLDecodeError) else ""
        raise BadRecipe("“{path}” is no recipe: it is not valid TOML{where}.", path=path, where=where) from None
    head = data.get("recipe")
    with understood(path, BadRecipe):
        if not isinstance(head, dict) or "version" not in head:
            raise KeyError("recipe.version")
        if head["version"] != RECIPE_VERSION:
            words = "The recipe has version {version}; this program reads version {plan_version}."
            raise BadSetting(words, version=head["version"], plan_version=RECIPE_VERSION)
        for section in data:
            if section not in _SECTIONS:
                raise BadSetting(none_of(section, sorted(_SECTIONS)))
        maker, columns = data.get("made_with"), tuple(map(str, head.get("columns", ())))
        plan = None if columns and "plan" not in data else dict(data["plan"])
        for given, known in ((head, {"columns", "software"}), (plan or {}, {each.name for each in fields(Plan)})):
            if unknown := given.keys() - known - {"version"}:
                raise BadSetting(none_of(min(unknown), sorted({*known, "version"})))
        if not isinstance((plan or {}).get("roles", {}), dict):
            raise TypeError("roles")
        source = None if maker is None else SourceFile(str(maker["file"]), int(maker["bytes"]), str(maker["sha256"]))
        laws = tuple(map(str, data.get("report", {}).get("law", ())))
        release = dict(data.get("release", {}))
        meanings(RELEASE, release)
        return Recipe(import_from_dict(data.get("import", {})), plan, source, laws, release, columns)


def _columns(names: Sequence[str]) -> str:
    return say("the {n:column|columns} {names}", n=len(names), names=quoted(names, _LISTED))
