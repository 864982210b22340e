"""The recipe: one TOML file with everything that a release depends on besides the source, its version, and chance.

Written by the window or `splu plan --save-recipe`, read by `splu plan --recipe` and `splu publish --recipe`. It holds
choices and no records; values of the source stand in it only where a choice names them (a group, a mark for “no
value”), so it belongs to the custodian, not to the release.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import tomli_w

from splu_desktop import __version__
from splu_desktop.core.errors import FileFault
from splu_desktop.core.messages import counted, listed, quoted, say, shown_of
from splu_desktop.core.plan import PLAN_VERSION, Plan
from splu_desktop.core.table import Table
from splu_desktop.files.disk.plain_data import from_toml, read_bytes, understood
from splu_desktop.files.disk.whole import whole_file
from splu_desktop.files.draws import upgraded
from splu_desktop.files.importer import ImportChoices, SourceFile
from splu_desktop.files.project.import_section import composed, import_as_dict, import_from_dict
from splu_desktop.frozen import dataclass

RECIPE_VERSION = 2
LARGEST = 50 << 20  # bytes; a hierarchy of 200,000 codes stays below
_LISTED = 8


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
    plan : roles, group sizes, thresholds and generalisations.
    source : the file it was made with, for people; it may be applied to others. None where not known.
    laws : codes of the law packs by which the report is arranged; none where the report's default holds.
    """

    choices: ImportChoices
    plan: Plan
    source: SourceFile | None = None
    laws: tuple[str, ...] = ()

    def plan_for(self, table: Table, *, name: str = say("the recipe")) -> Plan:
        """Return the plan with its columns in the table's order.

        Raises RecipeDoesNotFit where the table's columns are not exactly the recipe's, naming those that differ.
        """
        lacking = [column for column in self.plan.roles if column not in table]
        unknown = [column for column in table.names if column not in self.plan.roles]
        if lacking or unknown:
            said = []
            if lacking:
                said.append(say("the table lacks {columns}", columns=_listed(lacking)))
            if unknown:
                said.append(say("{name} doesn't know {columns}", name=name, columns=_listed(unknown)))
            raise RecipeDoesNotFit(
                "This table doesn't fit {name}: {differences}; use the file it was made for, or make a new recipe.",
                name=name,
                differences=listed(said, "{head}, and {tail}"),
            )
        ordered: dict[str, Any] = {}
        for entry in fields(self.plan):  # all that is said by column stands in the table's order
            said_by_column = getattr(self.plan, entry.name)
            if isinstance(said_by_column, Mapping):
                ordered[entry.name] = {c: said_by_column[c] for c in table.names if c in said_by_column}
        return replace(self.plan, **ordered)


def write_recipe(recipe: Recipe, path: Path, *, overwrite: bool = False) -> None:
    """Write a recipe, whole or not at all. Raises CannotWrite."""
    text = recipe_text(recipe)
    with whole_file(path, overwrite=overwrite) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")


def recipe_text(recipe: Recipe) -> str:
    """Return the recipe as TOML."""
    plan = recipe.plan.as_dict()
    thresholds = {name: value for name, value in plan["thresholds"].items() if value is not None}
    data: dict[str, Any] = {
        "recipe": {"version": RECIPE_VERSION, "software": f"SPLU Desktop {__version__}"},
        "import": import_as_dict(recipe.choices),
        "columns": plan["roles"],
        "kept_identifiers": plan["kept_identifiers"],
        "generalise": plan["generalisations"],
        "plan": {
            "version": plan["version"],
            "draws": plan["draws"],
            "thresholds": thresholds,
            "persons": plan.get("persons", {}),
            "audience": plan.get("audience", {}),
        },
    }
    if recipe.laws:
        data["report"] = {"law": list(recipe.laws)}
    if recipe.source is not None:
        source = recipe.source
        data["made_with"] = {"file": source.name, "bytes": source.size, "sha256": source.sha256}
    data["plan"] = {name: entry for name, entry in data["plan"].items() if entry != {}}
    filled = {name: section for name, section in data.items() if section}
    return "# How to read a table and publish it with SPLU Desktop: splu publish FILE --recipe THIS --out DIR\n" + (
        tomli_w.dumps(filled)
    )


def read_recipe(path: Path) -> Recipe:
    """Read a recipe. Raises BadRecipe with a sentence that says what is wrong with it."""
    content = read_bytes(path, LARGEST, BadRecipe, say("a recipe"), say("There is no recipe “{path}”."))
    try:
        data = from_toml(content)
    except ValueError as fault:
        where = f" ({fault})" if isinstance(fault, tomllib.TOMLDecodeError) else ""
        raise BadRecipe("“{path}” is no recipe: it is not valid TOML{where}.", path=path, where=where) from None
    return _recipe(data, path)


def _recipe(data: dict[str, Any], path: Path) -> Recipe:
    head = data.get("recipe")
    if not isinstance(head, dict) or "version" not in head:
        raise BadRecipe(
            "“{path}” is no recipe of this program: it lacks the entry “version” under [recipe].", path=path
        )
    if head["version"] not in range(1, RECIPE_VERSION + 1):
        raise BadRecipe(
            "“{path}” has recipe version {version}, and this program (version {own}) reads version "
            "{known}; open it with the program version that made it or a newer one.",
            path=path,
            version=head["version"],
            own=__version__,
            known=RECIPE_VERSION,
        )
    known = {"recipe", "import", "columns", "kept_identifiers", "generalise", "plan", "report", "made_with"}
    for section in data:
        if section not in known:
            raise BadRecipe(
                "“{path}” has a section “{section}” that this program doesn't know; correct its name.",
                path=path,
                section=section,
            )
    with understood(path, BadRecipe):
        data = composed(data)
        plan = data["plan"]
        stored = {
            "version": PLAN_VERSION if head["version"] < RECIPE_VERSION else plan["version"],
            "roles": data["columns"],
            "draws": upgraded({"gammas": {}, **plan})["draws"],
            "thresholds": plan.get("thresholds", {}),
            "generalisations": data.get("generalise", {}),
            "kept_identifiers": data.get("kept_identifiers", {}),
            **{name: plan[name] for name in ("persons", "audience") if name in plan},
        }
        made = data.get("made_with")
        source = None if made is None else SourceFile(str(made["file"]), int(made["bytes"]), str(made["sha256"]))
        laws = tuple(map(str, data.get("report", {}).get("law", ())))
        recipe = Recipe(import_from_dict(data.get("import", {})), Plan.from_dict(stored), source, laws)
    if head["version"] == RECIPE_VERSION:
        for entry in _unheeded(data, tomllib.loads(recipe_text(recipe))):
            raise BadRecipe(
                "“{path}” has an entry “{entry}” that has no effect; correct its name, or leave it out.",
                path=path,
                entry=".".join(entry),
            )
    for name in (*recipe.plan.generalisations, *recipe.plan.kept_identifiers):
        if not recipe.plan.roles[name].published:
            raise BadRecipe(
                "“{path}” says how “{column}” is published, which it leaves out of the release; leave that out, or "
                "give the column another role.",
                path=path,
                column=name,
            )
    return recipe


def _unheeded(given: Any, heeded: Any, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Give the entries that are not written again: nobody has understood them.

    But for those of [import] and of persons, each of which is checked where it is read, and which leaves out what is as
    usual.
    """
    if isinstance(given, list) and isinstance(heeded, list):
        given, heeded = ({str(n): one for n, one in enumerate(each, 1)} for each in (given, heeded))
    if not isinstance(given, dict) or at in (("import",), ("plan", "persons")):
        return
    for name, value in given.items():
        if isinstance(heeded, dict) and name in heeded:
            yield from _unheeded(value, heeded[name], (*at, name))
        elif value not in ({}, []):
            yield *at, name


def _listed(names: Iterable[str]) -> str:
    named = list(names)
    most = shown_of(len(named), _LISTED)
    more = say(" and {n} more", n=len(named) - most) if len(named) > most else ""
    known = quoted(named[:most])
    return counted(len(named), "the column {names}{more}", "the columns {names}{more}", names=known, more=more)
