"""What a recipe says: --recipe for all of it, --set for one entry, and how the file is read by both."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.help import add_below, rows_of, several, takes
from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.files.importer import ImportChoices, Imported, read
from splu_desktop.files.project.entries import Entry, stored_from_words
from splu_desktop.files.project.import_section import IMPORT, check_import, import_as_dict, import_from_dict
from splu_desktop.files.project.recipe import Recipe, read_recipe


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
    takes(group, "--recipe RECIPE.toml", "take how to read, what to publish and how to write from it", type=Path)
    takes(group, "--save-recipe RECIPE.toml", "save all that as a recipe", type=Path)
    add_set(parser, group, **sections)
    return group


def set_of(args: argparse.Namespace, section: str) -> Mapping[str, Any]:
    """Return as the data of a recipe's section what --set says of it. Raises BadSetting."""
    every = tuple(entry for entries in args.sections.values() for entry in entries)
    given = stored_from_words(every, args.set, "--set")
    return {entry.name: given[entry.name] for entry in args.sections[section] if entry.name in given}


def choices_from(args: argparse.Namespace, recipe: Recipe | None = None) -> ImportChoices:
    """Return the choices of a recipe with those of --set in their place. Raises BadSetting."""
    return import_from_dict({} if recipe is None else import_as_dict(recipe.choices), set_of(args, "import"))


def imported_from(
    args: argparse.Namespace,
    path: Path,
    recipe: Recipe | None = None,
    progress: Progress = SILENT,
    *,
    allow_empty: bool = False,
    reading: Callable[[Progress], Imported] | None = None,
) -> Imported:
    """Read a file as --set and a recipe say. Raises SpluError; Cancelled.

    reading : reads it where that is not the importer's work alone.
    """
    asked = choices_from(args, recipe)
    imported = read(path, asked, progress, allow_empty=allow_empty) if reading is None else reading(progress)
    if recipe is not None:
        recipe.check(imported.table, recipe_words(args))
    check_import(asked, imported)
    return imported


def recipe_from(args: argparse.Namespace) -> Recipe | None:
    """Return the recipe asked for. Raises BadRecipe."""
    return None if args.recipe is None else read_recipe(args.recipe)


def recipe_words(args: argparse.Namespace) -> str:
    """Return what a fault calls the recipe."""
    return say("the recipe “{name}”", name=args.recipe.name)
