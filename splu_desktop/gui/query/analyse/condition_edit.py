"""A field for conditions: typed as on the command line, or chosen by pointing."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from splu_desktop.core.analyse.analysis import conditions_of
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.published import Published
from splu_desktop.core.query.condition import Condition
from splu_desktop.gui.base.widgets import Dialog, button, last_row, line_edit, margins, put
from splu_desktop.gui.base.words import t
from splu_desktop.gui.query.builder import QuestionBuilder

Counts = Mapping[str, NDArray[np.int64]]


class ConditionDialog(Dialog):
    """Choose columns and their values by pointing."""

    def __init__(
        self, title: str, published: Published, counts: Counts, conditions: tuple[Condition, ...], parent: QWidget
    ) -> None:
        super().__init__(title, (760, 480), parent)
        self.builder = QuestionBuilder()
        self.builder.show_release(published)
        if counts:
            self.builder.take_counts(counts)
        self.builder.set_conditions(conditions)
        self.parts.addWidget(self.builder, 1)
        last_row(self, self.parts, t("&Take these"))


class ConditionEdit(QWidget):
    """Conditions as a line of text, with a button to choose them."""

    changed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._published: Published | None = None
        self._counts: Counts = {}
        self._picked: tuple[str, tuple[Condition, ...]] = ("", ())
        row = margins(QHBoxLayout(self), 0, spacing=4)
        self.text = line_edit(name, t("any"))
        self.text.textChanged.connect(lambda _: self.changed.emit())
        self.choose = button("", self.ask, look="flat", picture="search", hint=t("Choose columns and values"))
        put(row, (self.text, 1), self.choose)
        self.rename(name)

    def rename(self, name: str) -> None:
        """Say what the conditions are for."""
        self._name = name
        self.text.setAccessibleName(name)
        self.choose.setAccessibleName(t("Choose: {name}", name=name))

    def show_release(self, published: Published | None) -> None:
        """Begin anew with another release."""
        self._published, self._counts = published, {}
        self.text.clear()

    def take_counts(self, counts: Counts) -> None:
        """Show published counts beside the values to choose from."""
        self._counts = counts

    def put(self, conditions: tuple[Condition, ...]) -> None:
        """Take conditions that were chosen."""
        text = "; ".join(map(str, conditions))
        self._picked = (text, conditions)
        self.text.setText(text)
        self.text.setCursorPosition(0)

    def conditions(self) -> tuple[Condition, ...]:
        """Return the conditions, none where nothing is typed. Raises BadQuestion."""
        text = self.text.text().strip()
        if not text or self._published is None:
            return ()
        # Those chosen are kept as they are: their values may hold the marks that typed ones are read by.
        return self._picked[1] if text == self._picked[0] else conditions_of(text, self._published)

    def dialog(self) -> ConditionDialog | None:
        """Return the dialog to choose them in; None without a release."""
        if self._published is None:
            return None
        try:
            now = self.conditions()
        except BadQuestion:
            now = ()
        return ConditionDialog(self._name, self._published, self._counts, now, self)

    def ask(self) -> None:
        """Let the user choose."""
        dialog = self.dialog()
        if dialog is not None:
            dialog.accepted.connect(lambda: self.put(dialog.builder.conditions()))
            dialog.open()
