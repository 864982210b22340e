"""What a recipe says: --recipe for all of it, --set for one entry; and how both and an engine read the file."""

from __future__ import annotations

import argparse
import importlib.util
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.effects import name_option
from splu_desktop.cli.base.help import add_below, rows_of, several, takes
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.files.importer import ImportChoices, TableReading, read
from splu_desktop.files.large import MANY, rows_about
from splu_desktop.files.project.entries import Entry, parse_entries
from splu_desktop.files.project.import_section import IMPORT, check_import, import_as_dict, import_from_dict
from splu_desktop.files.project.recipe import read_recipe

# Name -> what opens a file by it, what that needs, and the extra that brings it.
ENGINES = {
    "duckdb": ("splu_desktop.files.large.duck:DuckDB", ("duckdb", "pyarrow"), "large"),
    "spark": ("splu_desktop.cluster.spark:Spark", ("pyspark", "pyarrow"), "spark"),
}


def add_set(parser: argparse.ArgumentParser, group: Any = None, **sections: Sequence[Entry]) -> None:
    """Give a command, or a group of its options, --set, which says single entries of a recipe's sections."""
    group, sections = group or parser, {"import": IMPORT, **sections}
    several(group, "--set NAME=VALUE", "anything else that a recipe may say; names are below")
    # As older calls spell it.
    group.add_argument("--read", dest="set", action="append", help=argparse.SUPPRESS)
    parser.set_defaults(sections=sections)
    for name, entries in sections.items():
        rows = rows_of((entry.spelling, entry.words) for entry in entries)
        add_below(parser, say("Names for --set, as in [{section}] of a recipe:", section=name), rows)


def add_recipe_options(parser: argparse.ArgumentParser, **sections: Sequence[Entry]) -> Any:
    """Give a command --recipe, --save-recipe and --set. Returns their group."""
    group = parser.add_argument_group(say("the recipe, which may say all of it"))
    whole = say("take how to read, what to publish and how to write from it")
    takes(group, "--recipe RECIPE.toml", whole, type=name_option("--recipe")(lambda path: read_recipe(Path(path))))
    takes(group, "--save-recipe RECIPE.toml", "save all that as a recipe", type=Path)
    add_set(parser, group, **sections)
    return group


@name_option("--set")
def set_of(args: argparse.Namespace, section: str) -> Mapping[str, Any]:
    """Return as the data of a recipe's section what --set says of it. Raises BadSetting."""
    given = parse_entries([entry for each in args.sections.values() for entry in each], args.set, "--set")
    return {entry.name: given[entry.name] for entry in args.sections[section] if entry.name in given}


def choices_from(args: argparse.Namespace) -> ImportChoices:
    """Return the choices of the recipe, where a command takes one, with those of --set. Raises BadSetting."""
    recipe = getattr(args, "recipe", None)
    return import_from_dict({} if recipe is None else import_as_dict(recipe.choices), set_of(args, "import"))


def import_table(
    args: argparse.Namespace,
    path: Path,
    progress: Progress = SILENT,
    *,
    allow_empty: bool = False,
    reading: Callable[[Progress], TableReading] | None = None,
) -> TableReading:
    """Read a file as --set and the recipe say. Raises SpluError; Cancelled.

    reading : reads it where that is not the importer's work alone.
    """
    asked = choices_from(args)
    imported = read(path, asked, progress, allow_empty=allow_empty) if reading is None else reading(progress)
    if getattr(args, "recipe", None) is not None:
        args.recipe.check(imported.table, say("the recipe"))
    name_option("--set" if args.set else "--recipe")(check_import)(asked, imported)
    return imported


def open_engine(args: argparse.Namespace, progress: Progress) -> Any:
    """Return the file as a `LargeTable` of the engine that is asked for; None where memory holds the table.

    Raises SpluError; Cancelled.
    """
    if args.engine in (None, "memory"):
        return None
    name, needed, extra = ENGINES[args.engine]
    if not all(map(importlib.util.find_spec, needed)):
        raise BadSetting(
            "--engine {engine} needs an optional part: pip install 'splu-desktop[{extra}]'.",
            engine=args.engine, extra=extra,
        )  # fmt: skip
    if rows_about(args.file) <= MANY:
        args.engine = None
        return None
    return pkgutil.resolve_name(name)(args.file, choices_from(args), progress)
