"""Building a question by pointing: a column, then some of its values or a range."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.condition import Condition
from splu_desktop.core.published import Published
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Column
from splu_desktop.gui import theme
from splu_desktop.gui.models import SORT, Field, Index, RowsModel, SortFilter, TableView, shortened
from splu_desktop.gui.roles_view import COLOURS, PICTURES
from splu_desktop.gui.widgets import label, line_edit, margins
from splu_desktop.gui.words import number


class ChoicesModel(QAbstractTableModel):
    """The values of one published column, each with its published count and a box to tick."""

    ticked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column: Column | None = None
        self._counts = np.zeros(0, np.int64)
        self.chosen: set[str] = set()

    def show(self, column: Column | None, chosen: tuple[str, ...]) -> None:
        """Show another column with some values ticked."""
        self.beginResetModel()
        self._column = column
        self._counts = column.counts() if column is not None else np.zeros(0, np.int64)
        self.chosen = set(chosen)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own signature)
        return 0 if parent.isValid() or self._column is None else self._column.m

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 2

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return (self.tr("Value"), self.tr("Published"))[section]
            if role == Qt.ItemDataRole.TextAlignmentRole and section == 1:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self._column is None or not index.isValid():
            return None
        text = str(self._column.labels[index.row()])
        if role == Qt.ItemDataRole.CheckStateRole and index.column() == 0:
            return Qt.CheckState.Checked if text in self.chosen else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.DisplayRole:
            return shortened(text or self.tr("(empty)")) if index.column() == 0 else number(self._counts[index.row()])
        if role == SORT:
            # The labels stand in the order of their values, so their place sorts numbers as numbers.
            return index.row() if index.column() == 0 else int(self._counts[index.row()])
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() == 1:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole and bool(self._column.missing[index.row()]):
            return QColor(theme.colours().quiet)
        if role == Qt.ItemDataRole.ToolTipRole:
            return text
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or self._column is None:
            return False
        text = str(self._column.labels[index.row()])
        on = Qt.CheckState(value) == Qt.CheckState.Checked
        (self.chosen.add if on else self.chosen.discard)(text)
        self.dataChanged.emit(index, index, [Qt.ItemDataRole.CheckStateRole])
        self.ticked.emit()
        return True

    def in_order(self) -> tuple[str, ...]:
        """Return the ticked values in the order of the column."""
        if self._column is None:
            return ()
        return tuple(str(text) for text in self._column.labels if text in self.chosen)


class QuestionBuilder(QWidget):
    """Columns at the left, the values of one of them at the right."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._published: Published | None = None
        self._conditions: dict[str, Condition] = {}
        row = QHBoxLayout(self)
        margins(row, 0, spacing=8)
        self.columns_model: RowsModel[str] = RowsModel(
            [
                Field(
                    self.tr("Column"),
                    lambda name: name,
                    colour=lambda name: COLOURS[self._role(name)],
                    picture=lambda name: PICTURES[self._role(name)],
                ),
                Field(self.tr("Chosen"), self._short, colour=lambda name: "accent"),
            ]
        )
        self.columns = TableView(self.tr("Columns of the release"))
        self.columns.setModel(self.columns_model)
        self.columns.setSelectionMode(TableView.SelectionMode.SingleSelection)
        self.columns.setShowGrid(False)
        self.columns.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.columns.selectionModel().currentRowChanged.connect(lambda now, _: self._column_chosen(now.row()))
        row.addWidget(self.columns, 5)
        right = QVBoxLayout()
        right.setSpacing(8)
        self.search = line_edit(self.tr("Find a value"), self.tr("Find a value"))
        self.search.setClearButtonEnabled(True)
        right.addWidget(self.search)
        self.range = QWidget()
        ends = QHBoxLayout(self.range)
        margins(ends, 0, spacing=8)
        self.low = line_edit(self.tr("Smallest value of the range"))
        self.high = line_edit(self.tr("Largest value of the range"))
        for words, edit in ((self.tr("from"), self.low), (self.tr("to"), self.high)):
            edit.textEdited.connect(lambda _: self._range_changed())
            ends.addWidget(label(words, "quiet"))
            ends.addWidget(edit, 1)
        right.addWidget(self.range)
        self.values_model = ChoicesModel()
        self.values_model.setParent(self)
        self.values_model.ticked.connect(self._ticked)
        self.values = TableView(self.tr("Values of the column"))
        self.ordered = SortFilter()
        self.ordered.setParent(self)
        self.ordered.setSourceModel(self.values_model)
        self.search.textChanged.connect(self.ordered.look_for)
        self.values.setModel(self.ordered)
        self.values.setShowGrid(False)
        self.values.setSortingEnabled(True)
        self.values.horizontalHeader().setStretchLastSection(False)
        self.values.horizontalHeader().setSectionResizeMode(0, self.values.horizontalHeader().ResizeMode.Stretch)
        self.values.horizontalHeader().setSectionResizeMode(
            1, self.values.horizontalHeader().ResizeMode.ResizeToContents
        )
        self.values.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        right.addWidget(self.values, 1)
        row.addLayout(right, 6)

    def show_release(self, published: Published | None) -> None:
        """Offer the columns of another release; begins a new question."""
        self._published = published
        self._conditions.clear()
        names = published.table.names if published is not None else ()
        self.columns_model.show(())
        self.columns_model.show(names)
        self.columns.fit_columns(150)
        if names and published is not None:
            start = names.index(published.sensitive[0]) if published.sensitive else 0
            self.columns.selectRow(start)
        else:
            self._column_chosen(-1)
        self.changed.emit()

    def conditions(self) -> tuple[Condition, ...]:
        """Return the question, in the order of the columns."""
        names = self._published.table.names if self._published is not None else ()
        return tuple(self._conditions[name] for name in names if name in self._conditions)

    def set_conditions(self, conditions: tuple[Condition, ...]) -> None:
        """Take a question that was asked before."""
        self._conditions = {condition.column: condition for condition in conditions}
        if conditions and self._published is not None:
            self.columns.selectRow(self._published.table.names.index(conditions[0].column))
        self._show_current()
        self._announce()

    def clear(self) -> None:
        """Begin a new question."""
        self.set_conditions(())

    def show_column(self, name: str) -> None:
        """Offer the values of a column."""
        if self._published is not None:
            self.columns.selectRow(self._published.table.names.index(name))

    def current(self) -> str | None:
        """Return the column whose values are offered."""
        row = self.columns.currentIndex().row()
        names = self._published.table.names if self._published is not None else ()
        return names[row] if 0 <= row < len(names) else None

    def _role(self, name: str) -> Role:
        return Role.SA if self._published is not None and name in self._published.gammas else Role.NSA

    def _short(self, name: str) -> str:
        condition = self._conditions.get(name)
        return str(condition).partition("=")[2] if condition is not None else ""

    def _column_chosen(self, row: int) -> None:
        self.search.clear()
        self._show_current()

    def _show_current(self) -> None:
        name = self.current()
        column = self._published.table[name] if self._published is not None and name else None
        condition = self._conditions.get(name or "")
        self.values_model.show(column, condition.values if condition is not None else ())
        self.range.setVisible(column is not None and column.kind.ordered)
        for edit, text in (
            (self.low, condition.low if condition else ""),
            (self.high, condition.high if condition else ""),
        ):
            with QSignalBlocker(edit):
                edit.setText(text)
        first = next(iter(self.values_model.in_order()), None)
        if column is not None and first is not None:
            at = self.ordered.mapFromSource(self.values_model.index(column.code_of(first), 0))
            self.values.scrollTo(at, TableView.ScrollHint.PositionAtCenter)
        if column is not None and column.kind.ordered:
            present = column.labels[~column.missing]
            for edit, end in ((self.low, 0), (self.high, -1)):
                edit.setPlaceholderText(str(present[end]) if len(present) else "")

    def _ticked(self) -> None:
        name = self.current()
        if name is None:
            return
        values = self.values_model.in_order()
        for edit in (self.low, self.high):
            with QSignalBlocker(edit):
                edit.clear()
        self._put(name, Condition(name, values) if values else None)

    def _range_changed(self) -> None:
        name = self.current()
        if name is None or self._published is None:
            return
        low, high = self.low.text().strip(), self.high.text().strip()
        self.values_model.show(self._published.table[name], ())
        self._put(name, Condition(name, (), low, high) if low or high else None)

    def _put(self, name: str, condition: Condition | None) -> None:
        if condition is None:
            self._conditions.pop(name, None)
        else:
            self._conditions[name] = condition
        self._announce()

    def _announce(self) -> None:
        if self._published is not None:
            self.columns_model.show(self._published.table.names)
        self.changed.emit()
