"""The cells of a cross-table one below the other, each with its interval as a bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PySide6.QtGui import QColor

from splu_desktop.core.progress import Progress
from splu_desktop.core.query.crosstab_grid import CrosstabGrid
from splu_desktop.core.query.reader import Answer
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.models import BAR, ROW, Index, one_cell, shortened
from splu_desktop.gui.base.words import number, plain, t
from splu_desktop.gui.query.answer_card import LOOKS, interval, trust
from splu_desktop.gui.query.crosstab.model import LEFT, RIGHT, Copying, SeenTable, short


def texts_of(grid: CrosstabGrid, share: bool, line: int, value: int) -> tuple[str, ...]:
    """Return a cell's texts under `CellsModel.titles`, the true count left out; touches no widget."""
    answer: Answer = grid.answers[line, value]
    empty = t("(empty)")
    return (
        *(part or empty for part in grid.parts[line]),
        grid.values[value] or empty,
        short(answer, False),
        interval(answer),
        trust(answer),
        short(answer, True),
        number(answer.published),
        number(answer.n_p),
    )


class CellsModel(QAbstractTableModel):
    """The cells one below the other, each with its interval as a bar; sorted and filtered by whole arrays."""

    def __init__(self, seen: SeenTable) -> None:
        super().__init__(seen)
        self.seen = seen
        self._cells: NDArray[np.intp] = np.zeros(0, np.intp)  # line * B + value
        self._order = (0, Qt.SortOrder.AscendingOrder)
        self._titles = self._made_titles()  # asked for thousands of times, as when all cells are selected
        self.top = 1.0
        seen.changed.connect(self.arrange)

    def titles(self) -> list[str]:
        """Return the headers."""
        return self._titles

    def _made_titles(self) -> list[str]:
        grid = self.seen.grid
        sides = [side.column for side in grid.wanted.sides] if grid is not None else [""]
        sa = grid.wanted.sa if grid is not None else ""
        return [
            *sides,
            sa,
            t("Answer"),
            t("95 % interval"),
            t("Trust"),
            t("Share"),
            t("Published"),
            t("Selected"),
            t("True (internal)"),
        ]

    @property
    def bar_section(self) -> int:
        """The column with the bars."""
        return len(self.titles()) - 6

    @property
    def secret_section(self) -> int:
        """The column with the true counts, which are for the custodian alone."""
        return len(self.titles()) - 1

    def arrange(self) -> None:
        """Find the cells and their order anew."""
        self.beginResetModel()
        self._titles = self._made_titles()
        self._cells = np.flatnonzero(self.seen.mask.ravel())
        high = self.seen.measure(self.seen.high).ravel()[self._cells] if len(self._cells) else np.zeros(0)
        self.top = float(high.max()) if len(high) and high.max() > 0 else 1.0
        self._sort()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._order = (column, order)
        self.beginResetModel()
        self._sort()
        self.endResetModel()

    def _sort(self) -> None:
        grid = self.seen.grid
        if grid is None or not len(self._cells):
            return
        section, order = self._order
        cells = np.sort(self._cells)
        line, value = np.divmod(cells, len(grid.values))
        sides = len(grid.wanted.sides)
        if section < sides:
            # Values stand in their own order in the grid; the first place of each is its rank.
            rank: dict[str, int] = {}
            places = [rank.setdefault(parts[section], len(rank)) for parts in grid.parts]
            key = np.array(places, float)[line]
        elif section == sides:
            key = value.astype(float)
        else:
            flat = {
                sides + 1: self.seen.estimate,
                sides + 2: self.seen.high - self.seen.low,
                sides + 3: grid.trust.astype(float),
                sides + 4: self.seen.estimate / np.maximum(self.seen.n_p, 1.0)[:, None],
                sides + 5: self.seen.published,
                sides + 6: np.broadcast_to(self.seen.n_p[:, None], self.seen.estimate.shape),
                sides + 7: np.zeros(grid.trust.shape) if self.seen.truth is None else self.seen.truth.astype(float),
            }[section]
            key = flat.ravel()[cells]
        self._cells = cells[np.argsort(key if order == Qt.SortOrder.AscendingOrder else -key, kind="stable")]

    def cells(self) -> NDArray[np.intp]:
        """Return the cells seen, in their order, as line * B + value."""
        return self._cells

    def copying(self, rows: Sequence[int]) -> Copying:
        """Return what gives the text of some rows with their header, true counts left out; for the worker."""
        grid, share, titles = self.seen.grid, self.seen.share, self.titles()[:-1]
        cells = self._cells[list(rows)]

        def text(progress: Progress) -> str:
            assert grid is not None
            lines = ["\t".join(titles)]
            for done, (line, value) in enumerate(zip(*np.divmod(cells, len(grid.values)), strict=True)):
                if done % 500 == 0:
                    progress.report("Copying", done / len(cells))
                lines.append("\t".join(map(one_cell, texts_of(grid, share, int(line), int(value)))))
            return "\n".join(lines)

        return text

    def place(self, index: Index) -> tuple[int, int]:
        """Return (line, value) of a row."""
        assert self.seen.grid is not None
        line, value = divmod(int(self._cells[index.row()]), len(self.seen.grid.values))
        return line, value

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._cells)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._titles)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        titles = self.titles()
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(titles):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return titles[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._side(section)
        return None

    def _side(self, section: int) -> Qt.AlignmentFlag:
        words_to = len(self.titles()) - 7
        return LEFT if section < words_to or section in (words_to + 1, words_to + 2) else RIGHT

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        grid = self.seen.grid
        if not index.isValid() or grid is None:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._side(index.column())
        line, value = self.place(index)
        answer: Answer = grid.answers[line, value]
        sides = len(grid.wanted.sides)
        section = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            if section == self.secret_section:
                return self.seen.true_text(line, value)
            return shortened(texts_of(grid, self.seen.share, line, value)[section])
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain(self.seen.words(line, value))
        if role == Qt.ItemDataRole.AccessibleTextRole and section == self.bar_section:
            return self.seen.words(line, value)
        if role == ROW:
            return answer
        if role == BAR and section == self.bar_section:
            of = float(answer.n_p) if self.seen.share else 1.0
            return tuple(figure / max(of, 1.0) / self.top for figure in (answer.low, answer.estimate, answer.high))
        if role == Qt.ItemDataRole.ForegroundRole and section == sides + 3:
            return QColor(getattr(theme.colours(), LOOKS[answer.badge][1]))
        if role == Qt.ItemDataRole.DecorationRole and section == sides + 3:
            picture, colour = LOOKS[answer.badge]
            return theme.icon(picture, getattr(theme.colours(), colour))
        return None
