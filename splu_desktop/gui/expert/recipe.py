"""The recipe as text: everything the plan says, to be read, copied and edited."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit

from splu_desktop.core.errors import SpluError
from splu_desktop.core.plan import Plan
from splu_desktop.files.disk.plain_data import from_toml
from splu_desktop.files.project.recipe import Recipe, plan_for, recipe_text
from splu_desktop.gui.base.memory import laws_chosen
from splu_desktop.gui.base.session import Answers
from splu_desktop.gui.base.source import Source
from splu_desktop.gui.base.widgets import button, copy_exactly, margins, put
from splu_desktop.gui.base.words import t, told
from splu_desktop.gui.expert.section import Section


class RecipeSection(Section):
    """The recipe."""

    def build(self) -> None:
        self.text = QPlainTextEdit()
        self.text.setAccessibleName(t("Recipe"))
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setTabChangesFocus(True)
        self.text.setMinimumHeight(120)
        self.use = button(t("&Use this text"), self._use)
        copy = button(t("&Copy"), lambda: copy_exactly(self.text.toPlainText()), picture="copy")
        self.body.addWidget(self.text, 1)
        self.body.addLayout(put(margins(QHBoxLayout(), 0, spacing=8), self.use, copy, 1))

    def show_plan(self, plan: Plan, source: Source) -> None:
        imported = source.imported
        text = recipe_text(Recipe(imported.choices, plan, imported.source, laws_chosen()))
        if text != self.text.toPlainText():
            self.text.setPlainText(text)

    def _use(self) -> None:
        source = self.session.source
        if source is None:
            return
        try:
            plan = plan_for(from_toml(self.text.toPlainText().encode())["plan"], source.table, self.title)
        except SpluError as fault:
            self.say_fault(told(str(fault)))
            return
        except (ValueError, KeyError, AttributeError, TypeError):
            self.say_fault(t("This is no recipe: it is not valid TOML with a part [plan]."))
            return
        self.say_fault("")
        answers, now = Answers.of_plan(plan), self.session.choices
        if plan != now.plan:
            name = self.title
            expert = tuple(dict.fromkeys((*now.expert, name)))
            self.session.do(replace(now, answers=answers, asked=answers, plan=plan, expert=expert), name)
