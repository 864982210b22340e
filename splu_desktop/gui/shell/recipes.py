"""Recipes: all choices about a table as a text file, saved and taken up again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from splu_desktop.core.errors import SpluError
from splu_desktop.files.project.recipe import Recipe, read_recipe, write_recipe
from splu_desktop.gui.base.dialogs import asked_file, asked_target
from splu_desktop.gui.base.memory import choose_laws, laws_chosen
from splu_desktop.gui.base.session import Answers, Session
from splu_desktop.gui.base.words import joined, t, told
from splu_desktop.gui.base.work import Work


class Recipes(QObject):
    """Saves and takes recipes. `said` carries "done" or "fault", and a sentence."""

    said = Signal(str, str)

    def __init__(self, session: Session, work: Work, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._work, self._window = session, work, window

    def ask_save(self) -> None:
        """Let the user choose where the choices are saved."""
        source = self._session.source
        if source is None or self._session.plan is None:
            self.said.emit("fault", t("Answer three questions first."))
            return
        start = source.path.with_name(f"{source.path.stem}-recipe.toml")
        path = asked_target(self._window, t("Save a re&cipe…"), start, ".toml")
        if path is not None:
            self.save(path)

    def save(self, path: Path) -> None:
        """Save the choices as a recipe."""
        source, plan = self._session.source, self._session.plan
        if source is None or plan is None:
            return
        try:
            write_recipe(
                Recipe(source.imported.choices, plan, source.imported.source, laws_chosen()), path, overwrite=True
            )
        except SpluError as fault:
            self.said.emit("fault", told(str(fault)))
            return
        self.said.emit("done", t("Saved: {file}", file=path.name))

    def ask_use(self) -> None:
        """Let the user choose a recipe for the table that is open."""
        if self._session.source is None:
            self.said.emit("fault", t("Open a table first."))
            return
        path = asked_file(self._window, t("&Use a recipe…"), "*.toml")
        if path is not None:
            self.use(path)

    def use(self, path: Path) -> None:
        """Take the choices of a recipe, as one step of undo."""
        source = self._session.source
        if source is None:
            return
        try:
            recipe = read_recipe(path)
            plan = recipe.plan_for(source.table)
        except SpluError as fault:
            self.said.emit("fault", told(str(fault)))
            return
        if recipe.laws:
            choose_laws(recipe.laws)
        answers = Answers.of_plan(plan)
        now = replace(self._session.choices, answers=answers, asked=answers, proposal=None, plan=plan, undone=())
        self._session.do(now, joined((t("Recipe"), path.name), ":"))
        self.said.emit("done", t("The choices of “{name}” were taken over.", name=path.name))
