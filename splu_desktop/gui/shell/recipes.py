"""Recipes: all choices about a table as a text file, saved and taken up again; `say` is told "done" or "fault"."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from splu_desktop.core.errors import SpluError
from splu_desktop.files.project.recipe import read_recipe, write_recipe
from splu_desktop.gui.base.dialogs import asked_file, asked_target
from splu_desktop.gui.base.recipes import recipe_of, take_recipe
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.words import joined, t, told

Say = Callable[[str, str], object]


def save(session: Session, parent: QWidget, say: Say) -> None:
    """Let the user choose where the choices are saved, and save them."""
    source, recipe = session.source, recipe_of(session)
    if source is None or recipe is None:
        say("fault", t("Answer three questions first."))
        return
    start = source.path.with_name(f"{source.path.stem}-recipe.toml")
    path = asked_target(parent, t("Save a re&cipe…"), start, ".toml")
    if path is None:
        return
    try:
        write_recipe(recipe, path, overwrite=True)
    except SpluError as fault:
        say("fault", told(str(fault)))
        return
    say("done", t("Saved: {file}", file=path.name))


def use(session: Session, parent: QWidget, say: Say) -> None:
    """Let the user choose a recipe for the table that is open, and take its choices as one step of undo."""
    if session.source is None:
        say("fault", t("Open a table first."))
        return
    path = asked_file(parent, t("&Use a recipe…"), "*.toml")
    if path is None:
        return
    try:
        take_recipe(session, read_recipe(path), joined((t("Recipe"), path.name), ":"))
    except SpluError as fault:
        say("fault", told(str(fault)))
        return
    say("done", t("The choices of “{name}” were taken over.", name=path.name))
