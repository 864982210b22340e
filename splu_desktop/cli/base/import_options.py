"""How the file is read, for every command that reads one: --read, and the recipe."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.help import add_below, rows_of, several, takes
from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.files.importer import ImportChoices, Imported, read
from splu_desktop.files.project.entries import stored_from_words
from splu_desktop.files.project.import_section import IMPORT, check_import, import_as_dict, import_from_dict
from splu_desktop.files.project.recipe import Recipe, read_recipe


def add_import_options(parser: argparse.ArgumentParser, group: Any = None) -> None:
    """Give a command, or a group of its options, what overrules how its source file is read."""
    several(group or parser, "--read NAME=VALUE", "how to read the file, where it is not as detected; names are below")
    add_below(
        parser,
        say("Names for --read, as in [import] of a recipe:"),
        rows_of((entry.spelling, entry.words) for entry in IMPORT),
    )


def add_recipe_options(parser: argparse.ArgumentParser) -> Any:
    """Give a command --recipe, --save-recipe and --read. Returns their group."""
    group = parser.add_argument_group(say("the recipe, which may say all of it"))
    takes(
        group, "--recipe RECIPE.toml", "take how to read, what to publish and how to write it from a recipe", type=Path
    )
    takes(group, "--save-recipe RECIPE.toml", "save all that as a recipe", type=Path)
    add_import_options(parser, group)
    return group


def choices_from(args: argparse.Namespace, recipe: Recipe | None = None) -> ImportChoices:
    """Return the choices of a recipe with those of --read in their place. Raises BadSetting."""
    given = stored_from_words(IMPORT, args.read, "--read")
    return import_from_dict({} if recipe is None else import_as_dict(recipe.choices), given)


def imported_from(
    args: argparse.Namespace,
    path: Path,
    recipe: Recipe | None = None,
    progress: Progress = SILENT,
    *,
    allow_empty: bool = False,
    reading: Callable[[Progress], Imported] | None = None,
) -> Imported:
    """Read a file as --read and a recipe say. Raises SpluError; Cancelled.

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
