"""Recipes: all choices about a table as a text file, saved and taken up again."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from splu_desktop.core.errors import SpluError
from splu_desktop.files.project.recipe import read_recipe, write_recipe
from splu_desktop.gui.base.dialogs import asked_file, asked_target
from splu_desktop.gui.base.recipes import recipe_of, take_recipe
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.words import joined, t, told


class Recipes(QObject):
    """Saves and takes recipes. `said` carries "done" or "fault", and a sentence."""

    said = Signal(str, str)

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._window = session, window

    def ask_save(self) -> None:
        """Let the user choose where the choices are saved, and save them."""
        source, recipe = self._session.source, recipe_of(self._session)
        if source is None or recipe is None:
            self.said.emit("fault", t("Answer three questions first."))
            return
        start = source.path.with_name(f"{source.path.stem}-recipe.toml")
        path = asked_target(self._window, t("Save a re&cipe…"), start, ".toml")
        if path is None:
            return
        try:
            write_recipe(recipe, path, overwrite=True)
        except SpluError as fault:
            self.said.emit("fault", told(str(fault)))
            return
        self.said.emit("done", t("Saved: {file}", file=path.name))

    def ask_use(self) -> None:
        """Let the user choose a recipe for the table that is open, and take its choices as one step of undo."""
        if self._session.source is None:
            self.said.emit("fault", t("Open a table first."))
            return
        path = asked_file(self._window, t("&Use a recipe…"), "*.toml")
        if path is None:
            return
        try:
            take_recipe(self._session, read_recipe(path), joined((t("Recipe"), path.name), ":"))
        except SpluError as fault:
            self.said.emit("fault", told(str(fault)))
            return
        self.said.emit("done", t("The choices of “{name}” were taken over.", name=path.name))
