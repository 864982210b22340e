"""How many records can be recognised, in figures: unique ones, and those that share their values with few others."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from splu_desktop.core.risk.uniqueness import KS, Uniqueness
from splu_desktop.gui.base.widgets import label, new_grid
from splu_desktop.gui.base.words import number, percent, t, tip


class RiskGrid(QWidget):
    """One line of figures per title; a line without figures is empty."""

    def __init__(self, titles: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = new_grid(16, 2, self)
        grid.setContentsMargins(0, 0, 0, 0)
        self._titles = tuple(titles)
        hint = t("Records that agree in every column published as it is with fewer than so many records in all")
        for place, k in enumerate(KS, start=1):
            head = label(t("unique") if k == 2 else t("fewer than {k} alike", k=k), "quiet")
            tip(head, hint)
            grid.addWidget(head, 0, place, Qt.AlignmentFlag.AlignRight)
        self._cells: list[list[QLabel]] = []
        for row, title in enumerate(self._titles, start=1):
            grid.addWidget(label(title), row, 0)
            cells = [label("") for _ in KS]
            for place, cell in enumerate(cells, start=1):
                grid.addWidget(cell, row, place, Qt.AlignmentFlag.AlignRight)
            self._cells.append(cells)
        grid.setColumnStretch(len(KS) + 1, 1)

    def show_risk(self, line: int, found: Uniqueness | None) -> None:
        """Show a line's figures, or none."""
        said = []
        for k, cell in zip(KS, self._cells[line], strict=True):
            text = "" if found is None else f"{number(found.below[k])} ({percent(found.share(k))})"
            cell.setText(text)
            said.append(text)
        if found is not None:
            self._cells[line][0].setAccessibleName(
                t(
                    "{title}: {unique} unique; fewer than 3 alike: {three}; 5: {five}; 10: {ten}",
                    title=self._titles[line],
                    unique=said[0],
                    three=said[1],
                    five=said[2],
                    ten=said[3],
                )
            )
