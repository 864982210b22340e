"""The values of one published column, to be found by typing and ticked; thousands of them without lag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from splu_desktop.core.table import Column
from splu_desktop.gui.base.models import Field, TableView, TickedModel
from splu_desktop.gui.base.words import number, t


class ChoicesModel(TickedModel[int]):
    """The values of a column, each with its published count and a box to tick.

    Finding and sorting work on whole arrays, not row by row: a column may have a hundred thousand values.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        fields = [
            Field[int](
                t("Value"), lambda code: self._text_of(code) or t("(empty)"), colour=self._missing, tip=self._text_of
            ),
            Field[int](
                t("Number"),
                lambda code: "…" if self._counts is None else number(self._counts[code]),
                right=True,
                hint=t("Records of the published table that have the value"),
                colour=self._missing,
                tip=self._text_of,
            ),
        ]
        super().__init__(fields, parent)
        self._column: Column | None = None
        self._counts: NDArray[np.int64] | None = None
        self._chosen = np.zeros(0, bool)
        self._rows: NDArray[np.intp] = np.zeros(0, np.intp)  # codes shown, in their order
        self._folded: list[str] | None = None
        self._text = ""
        self._order = (0, Qt.SortOrder.AscendingOrder)

    def show_column(self, column: Column | None, counts: NDArray[np.int64] | None, chosen: Sequence[str]) -> None:
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
            self.rows, self._rows = (), np.zeros(0, np.intp)
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
        self.rows, self._rows = cast("Sequence[int]", rows), rows

    def _missing(self, code: int) -> str | None:
        return "quiet" if self._column is not None and self._column.missing[code] else None

    def _text_of(self, code: int) -> str:
        return "" if self._column is None else str(self._column.labels[code])

    def is_ticked(self, row: int) -> bool:
        return bool(self._chosen[row])

    def tick(self, at: int, on: bool) -> None:
        self._chosen[self._rows[at]] = on

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

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep in sight what was ticked or found there: the answer and the answers so far take room from the values."""
        first, last = self.rowAt(0), self.rowAt(event.oldSize().height() - 1)
        model = self.model()
        places = [self.currentIndex(), model.first_chosen()] if isinstance(model, ChoicesModel) else []
        super().resizeEvent(event)
        for place in places:
            if place.isValid() and first <= place.row() and (last < 0 or place.row() <= last):
                self.scrollTo(place)
                break

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
