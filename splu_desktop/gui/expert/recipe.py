"""The recipe as text: everything the plan says, to be read, copied and edited."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit

from splu_desktop.core.errors import SpluError
from splu_desktop.core.plan import Plan
from splu_desktop.files.project.recipe import recipe_from, recipe_text
from splu_desktop.gui.base.page import KEPT
from splu_desktop.gui.base.recipes import recipe_of, take_recipe
from splu_desktop.gui.base.source import Source
from splu_desktop.gui.base.widgets import button, copy_exactly, margins, put
from splu_desktop.gui.base.words import t, translate
from splu_desktop.gui.expert.section import Section


class RecipeSection(Section):
    """The recipe."""

    def build(self) -> None:
        self._shown = ""
        self.text = QPlainTextEdit()
        self.text.textChanged.connect(lambda: self.text.setProperty(KEPT, self.text.toPlainText() != self._shown))
        self.text.setAccessibleName(t("Recipe"))
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        # Qt would type a tab, and by keys nobody would get out of the field.
        self.text.setTabChangesFocus(True)
        self.text.setMinimumHeight(32)
        self.use = button(t("&Use this text"), self._use)
        # To the letter, since it is read again: `copy_text` changes what a spreadsheet would run.
        copy = button(t("&Copy"), lambda: copy_exactly(self.text.toPlainText()), picture="copy")
        self.body.addWidget(self.text, 1)
        self.body.addLayout(put(margins(QHBoxLayout(), 0, spacing=8), self.use, copy, 1))

    def show_plan(self, plan: Plan, source: Source) -> None:
        recipe = recipe_of(self.session)
        text = "" if recipe is None else recipe_text(recipe)
        if text != self._shown:  # else what is being typed stays
            self._shown = text
            self.text.setPlainText(text)

    def _use(self) -> None:
        self.fault.tell("")
        try:
            recipe = recipe_from(self.text.toPlainText().encode(), Path(self.title))
            take_recipe(self.session, recipe, self.title, changed_in_expert=True)
        except SpluError as fault:
            self.fault.tell(translate(str(fault)))
