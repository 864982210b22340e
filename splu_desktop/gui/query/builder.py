"""Building a question by pointing: a column, then some of its values or a range."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractItemModel, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QVBoxLayout, QWidget

from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.published import Published
from splu_desktop.core.query.condition import Condition, takes_range
from splu_desktop.core.roles.suggest import Role
from splu_desktop.gui.base.models import Field, RowsModel, TableView
from splu_desktop.gui.base.widgets import button, empties_on_escape, label, line_edit, margins, put, shortcut
from splu_desktop.gui.base.words import beside, t, told
from splu_desktop.gui.classify.roles_view import COLOURS, PICTURES
from splu_desktop.gui.query.values import ChoicesModel, ValuesView

Counts = Mapping[str, NDArray[np.int64]]


class _Columns(TableView):
    """The columns and what is chosen of each: names first, but never all the room."""

    _MOST = 0.6  # of the width that names take

    def setModel(self, model: QAbstractItemModel | None) -> None:
        super().setModel(model)
        header = self.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.share_width(chosen=not self.isColumnHidden(1))

    def share_width(self, *, chosen: bool = False) -> None:
        """Give the names the width they need: all of it where nothing is chosen, and nothing stands beside them."""
        self.setColumnHidden(1, not chosen)
        width = self.viewport().width()
        if chosen:
            wanted = max(self.sizeHintForColumn(0) + 16, self.horizontalHeader().sectionSizeHint(0))
            width = min(wanted, round(width * self._MOST))
        self.horizontalHeader().resizeSection(0, width)
        self.fit_lines()
        self.scrollTo(self.currentIndex())


class QuestionBuilder(QWidget):
    """Columns at the left, the values of one of them at the right."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._published: Published | None = None
        self._counts: Counts = {}
        self._conditions: dict[str, Condition] = {}
        row = margins(QHBoxLayout(self), 0, spacing=8)
        self._build_columns()
        row.addWidget(self.columns, 5)
        right = margins(QVBoxLayout(), spacing=6)
        self.search = line_edit(t("Find a value"), t("Find a value"))
        self.search.setClearButtonEnabled(True)
        empties_on_escape(self.search)
        self.search.returnPressed.connect(self._found)
        put(right, self.search, self._build_range())
        self.problem = label("", "problem", wrap=True, live=True)
        self.problem.hide()
        right.addWidget(self.problem)
        self.values_model = ChoicesModel(self)
        self.values_model.ticked.connect(self._ticked)
        self.values = ValuesView(t("Values of the column"))
        self.values.setModel(self.values_model)
        self.values.typed.connect(self._typed)
        self.search.textChanged.connect(self._look)
        right.addWidget(self.values, 1)
        self.note = label("", "quiet", wrap=True)
        right.addWidget(self.note)
        foot = put(margins(QHBoxLayout(), spacing=4), 1)
        self.tick_all = button(
            t("&Tick these"), lambda: self._tick_shown(True), look="flat", hint=t("Tick every value shown")
        )
        self.tick_none = button(
            t("&None"), lambda: self._tick_shown(False), look="flat", hint=t("Untick every value shown")
        )
        put(foot, self.tick_all, self.tick_none)
        right.addLayout(foot)
        row.addLayout(right, 6)

    def _build_columns(self) -> None:
        self.columns_model: RowsModel[str] = RowsModel(
            [
                Field(
                    t("Column"),
                    lambda name: name,
                    colour=lambda name: COLOURS[self._role(name)],
                    picture=lambda name: PICTURES[self._role(name)],
                    tip=self._tip,
                ),
                Field(t("Chosen"), self._short, colour=lambda name: "accent"),
            ],
            self,
        )
        self.columns = _Columns(t("Columns of the release"))
        self.columns.setModel(self.columns_model)
        self.columns.setSelectionMode(TableView.SelectionMode.SingleSelection)
        self.columns.setShowGrid(False)
        self.columns.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # admission_type_id, admission_source_id
        self.columns.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.columns.selectionModel().currentRowChanged.connect(lambda now, _: self._column_chosen(now.row()))
        self.remove = shortcut(
            self.columns,
            t("Remove this condition"),
            QKeySequence.StandardKey.Delete,
            lambda: self.remove_condition(self.current()),
        )

    def _build_range(self) -> QWidget:
        self.range = QWidget()
        ends = margins(QHBoxLayout(self.range), 0, spacing=8)
        self.low = line_edit(t("Smallest value of the range"))
        self.high = line_edit(t("Largest value of the range"))
        for words, edit in ((t("from"), self.low), (t("to"), self.high)):
            edit.textEdited.connect(lambda _: self._range_changed())
            put(ends, label(words, "quiet"), (edit, 1))
        return self.range

    # -- what others ask -----------------------------------------------------------------------------------------

    def show_release(self, published: Published | None) -> None:
        """Offer the columns of another release; begins a new question."""
        self._published = published
        self._counts = {}
        self._conditions.clear()
        names = published.table.names if published is not None else ()
        self.columns_model.show(())
        self.columns_model.show(names)
        self.columns.share_width()
        if names and published is not None:
            start = names.index(published.sensitive[0]) if published.sensitive else 0
            self.columns.selectRow(start)
        else:
            self._column_chosen(-1)
        self.changed.emit()

    def take_counts(self, counts: Counts) -> None:
        """Show the published counts, which are computed off the window's thread."""
        self._counts = counts
        name = self.current()
        if name is not None:
            self.values_model.take_counts(counts[name])
            self._say()

    def conditions(self) -> tuple[Condition, ...]:
        """Return the question, in the order of the columns."""
        names = self._published.table.names if self._published is not None else ()
        return tuple(self._conditions[name] for name in names if name in self._conditions)

    def fault(self) -> str:
        """Return why the question can't be asked, "" where it can."""
        if self._published is None:
            return ""
        for name, condition in self._conditions.items():
            try:
                condition.select(self._published.table[name])
            except BadQuestion as fault:
                return told(str(fault))
        return ""

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

    def remove_condition(self, name: str | None) -> None:
        """Take one column's condition out of the question."""
        if name is not None and self._conditions.pop(name, None) is not None:
            self._show_current()
            self._announce()

    def show_column(self, name: str) -> None:
        """Offer the values of a column."""
        if self._published is not None:
            self.columns.selectRow(self._published.table.names.index(name))

    def current(self) -> str | None:
        """Return the column whose values are offered."""
        row = self.columns.currentIndex().row()
        names = self._published.table.names if self._published is not None else ()
        return names[row] if 0 <= row < len(names) else None

    # -- inside --------------------------------------------------------------------------------------------------

    def _role(self, name: str) -> Role:
        return Role.SA if self._published is not None and self._published.is_sensitive(name) else Role.NSA

    def _tip(self, name: str) -> str:
        if self._role(name) is Role.SA:
            return t("{name}: sensitive, its counts are estimated", name=name)
        return t("{name}: published unchanged, its counts are exact", name=name)

    def _short(self, name: str) -> str:
        condition = self._conditions.get(name)
        if condition is None:
            return ""
        if condition.is_range:
            return beside((condition.low, condition.high), "..")
        return beside((value or t("(empty)") for value in condition.values), "|")

    def _column_chosen(self, row: int) -> None:
        self.search.clear()
        self._show_current()

    def _show_current(self) -> None:
        name = self.current()
        column = self._published.table[name] if self._published is not None and name else None
        condition = self._conditions.get(name or "")
        self.values_model.show_column(
            column, self._counts.get(name or ""), condition.values if condition is not None else ()
        )
        self.range.setVisible(column is not None and takes_range(column))
        for edit, text in (
            (self.low, condition.low if condition else ""),
            (self.high, condition.high if condition else ""),
        ):
            with QSignalBlocker(edit):
                edit.setText(text)
                edit.setCursorPosition(0)  # the beginning is seen where there is no room for all
        first = self.values_model.first_chosen()
        if first.isValid():
            self.values.scrollTo(first, TableView.ScrollHint.PositionAtCenter)
        present = column.labels[~column.missing] if column is not None and column.kind.ordered else ()
        for edit, end in ((self.low, 0), (self.high, -1)):
            edit.setPlaceholderText(str(present[end]) if len(present) else "")
        self._say()

    def _say(self) -> None:
        self.note.setText(self.values_model.words())
        problem = self.fault()
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))

    def _look(self, text: str) -> None:
        self.values_model.look_for(text)
        self._say()

    def _typed(self, text: str) -> None:
        self.search.setFocus()
        self.search.setText(text)

    def _found(self) -> None:
        """Enter in the search field: take the only value found, or go on to the list."""
        if self.values_model.rowCount() == 1:
            at = self.values_model.index(0, 0)
            on = at.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
            state = Qt.CheckState.Unchecked if on else Qt.CheckState.Checked
            self.values_model.setData(at, state, Qt.ItemDataRole.CheckStateRole)
            self.search.selectAll()
        elif self.values_model.rowCount():
            self.values.setFocus()
            self.values.setCurrentIndex(self.values_model.index(0, 0))

    def _tick_shown(self, on: bool) -> None:
        self.values_model.tick_shown(on)

    def _ticked(self) -> None:
        name = self.current()
        if name is None:
            return
        values = self.values_model.chosen()
        for edit in (self.low, self.high):
            with QSignalBlocker(edit):
                edit.clear()
        self._put(name, Condition(name, values) if values else None)

    def _range_changed(self) -> None:
        name = self.current()
        if name is None or self._published is None:
            return
        low, high = self.low.text().strip(), self.high.text().strip()
        self.values_model.show_column(self._published.table[name], self._counts.get(name), ())
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
            self.columns.share_width(chosen=bool(self._conditions))
        self._say()
        self.changed.emit()
