"""Sensitive columns before and after, one at a time: for the custodian's eyes only."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QComboBox, QWidget

from splu_desktop.gui.base.bars import Bars, BarsView
from splu_desktop.gui.base.widgets import Choice, label, new_grid
from splu_desktop.gui.base.words import t


class Compared(QWidget):
    """The bars of a column before and after; `column`, which stands wherever there is room, chooses it."""

    def __init__(self, before: str, after: str) -> None:
        super().__init__()
        self._columns: Mapping[str, tuple[Bars, Bars]] = {}
        self.column = Choice(t("Sensitive column compared"))
        self.column.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.column.currentTextChanged.connect(self._show)
        self.column.hide()
        grid = new_grid(24, parent=self)
        grid.setContentsMargins(0, 0, 0, 0)
        self.before, self.after = BarsView(before), BarsView(after)
        for at, (words, bars) in enumerate(((before, self.before), (after, self.after))):
            grid.addWidget(label(words, "quiet"), 0, at)
            grid.addWidget(bars, 1, at)
            grid.setColumnStretch(at, 1)
        grid.setRowStretch(1, 1)

    def show_columns(self, columns: Mapping[str, tuple[Bars, Bars]]) -> None:
        """Show what was found; the column that was chosen stays so where it is still there."""
        self._columns, name = columns, self.column.currentText()
        self.column.offer([(each, each) for each in columns], name)
        self.column.setVisible(len(columns) > 1)
        self._show(self.column.currentText())

    def _show(self, name: str) -> None:
        if name in self._columns:
            before, after = self._columns[name]
            top = max((*before.counts, *after.counts), default=0)
            self.before.show_bars(before, "between", top)
            self.after.show_bars(after, "protected", top)
