"""The values of one published column, to be found by typing and ticked; thousands of them without lag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHeaderView, QWidget

from splu_desktop.core.table import Column
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.models import Index, TableView, shortened
from splu_desktop.gui.base.words import number, plain, t


class ChoicesModel(QAbstractTableModel):
    """The values of a column, each with its published count and a box to tick.

    Finding and sorting work on whole arrays, not row by row: a column may have a hundred thousand values.
    """

    ticked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column: Column | None = None
        self._counts: NDArray[np.int64] | None = None
        self._chosen = np.zeros(0, bool)
        self._rows: NDArray[np.intp] = np.zeros(0, np.intp)  # codes shown, in their order
        self._folded: list[str] | None = None
        self._text = ""
        self._order = (0, Qt.SortOrder.AscendingOrder)

    def show(self, column: Column | None, counts: NDArray[np.int64] | None, chosen: Sequence[str]) -> None:
        """Show another column with some values ticked; `counts` are (m,), or None while they are not known."""
        self.beginResetModel()
        if column is not self._column:
            self._folded = None
        self._column, self._counts = column, counts
        self._chosen = np.zeros(column.m if column is not None else 0, bool)
        if column is not None:
            for text in chosen:
                self._chosen[column.code_of(text)] = True
        self._arrange()
        self.endResetModel()

    def take_counts(self, counts: NDArray[np.int64]) -> None:
        """Show counts that were computed meanwhile."""
        self.beginResetModel()
        self._counts = counts
        self._arrange()
        self.endResetModel()

    def look_for(self, text: str) -> None:
        """Keep the values in which every word of `text` occurs."""
        self._text = text
        self.beginResetModel()
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._order = (column, order)
        self.beginResetModel()
        self._arrange()
        self.endResetModel()

    def _arrange(self) -> None:
        if self._column is None:
            self._rows = np.zeros(0, np.intp)
            return
        rows = np.arange(self._column.m)
        words = self._text.casefold().split()
        if words:
            if self._folded is None:
                self._folded = [text.casefold() for text in self._column.labels.tolist()]
            rows = np.array([at for at, text in enumerate(self._folded) if all(w in text for w in words)], np.intp)
        section, order = self._order
        if section == 1 and self._counts is not None:
            by = self._counts[rows]
            rows = rows[np.argsort(by if order == Qt.SortOrder.AscendingOrder else -by, kind="stable")]
        elif order == Qt.SortOrder.DescendingOrder:
            # The labels stand in the order of their values, so their place sorts numbers as numbers.
            rows = rows[::-1]
        self._rows = rows

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own signature)
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 2

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return (t("Value"), t("Number"))[section]
            if role == Qt.ItemDataRole.ToolTipRole and section == 1:
                return t("Records of the published table that have the value")
            if role == Qt.ItemDataRole.TextAlignmentRole and section == 1:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self._column is None or not index.isValid():
            return None
        code = int(self._rows[index.row()])
        if role == Qt.ItemDataRole.CheckStateRole and index.column() == 0:
            return Qt.CheckState.Checked if self._chosen[code] else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.DisplayRole:
            if index.column() == 0:
                return shortened(str(self._column.labels[code]) or t("(empty)"))
            return "…" if self._counts is None else number(self._counts[code])
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() == 1:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole and bool(self._column.missing[code]):
            return QColor(theme.colours().quiet)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain(str(self._column.labels[code]))
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or self._column is None:
            return False
        self._chosen[self._rows[index.row()]] = Qt.CheckState(value) == Qt.CheckState.Checked
        self.dataChanged.emit(index, index, [Qt.ItemDataRole.CheckStateRole])
        self.ticked.emit()
        return True

    def tick_shown(self, on: bool) -> None:
        """Tick or untick every value that is shown."""
        if len(self._rows):
            self._chosen[self._rows] = on
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, 0))
            self.ticked.emit()

    def chosen(self) -> tuple[str, ...]:
        """Return the ticked values in the order of the column."""
        return tuple(str(text) for text in self._column.labels[self._chosen]) if self._column is not None else ()

    def first_chosen(self) -> QModelIndex:
        """Return the first ticked value that is shown; not valid where there is none."""
        at = np.flatnonzero(self._chosen[self._rows])
        return self.index(int(at[0]), 0) if len(at) else QModelIndex()

    def words(self) -> str:
        """Return how many values are ticked and shown, and how many published records they have."""
        if self._column is None:
            return ""
        ticked = int(self._chosen.sum())
        if not ticked:
            shown = len(self._rows)
            if shown == self._column.m:
                return t("{m} values", m=number(shown))
            if not shown:
                return t("None of the {m} values fits", m=number(self._column.m))
            return t("{shown} of {m} values", shown=number(shown), m=number(self._column.m))
        records = "…" if self._counts is None else number(int(self._counts[self._chosen].sum()))
        return t(
            "{ticked} of {m} values, {records} published records",
            ticked=number(ticked),
            m=number(self._column.m),
            records=records,
        )


class ValuesView(TableView):
    """The list of values; letters typed into it look for a value."""

    typed = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.setShowGrid(False)
        self.setSelectionMode(TableView.SelectionMode.SingleSelection)

    def setModel(self, model: Any) -> None:
        super().setModel(model)
        header = self.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        header.setResizeContentsPrecision(60)
        header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)

    def keyboardSearch(self, search: str) -> None:
        if search.strip():
            self.typed.emit(search)
