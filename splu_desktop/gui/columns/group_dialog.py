"""Coarser values by hand: each value gets the name of a group, or a list of them is read from a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QWidget

from splu_desktop.core.generalise import Groups, Steps, label_map
from splu_desktop.core.table import Column
from splu_desktop.files.project.hierarchy import read_hierarchy
from splu_desktop.gui.base.dialogs import Dialog, asked_file, last_row
from splu_desktop.gui.base.models import Field, RowsModel, TableView
from splu_desktop.gui.base.parts import Banner
from splu_desktop.gui.base.widgets import button, line_edit, margins, put
from splu_desktop.gui.base.words import join, number, t
from splu_desktop.gui.base.work import Work


class GroupDialog(Dialog):
    """Values of a column and their groups; `chosen` carries the steps.

    A row is no more than a value's place in the column, as there may be a million.
    """

    chosen = Signal(object)

    def __init__(self, column: Column, work: Work, parent: QWidget | None = None) -> None:
        intro = t("Choose values, type the name of their group, and press Enter. Values without a group stay.")
        super().__init__(join((column.name, t("Coarser values")), ":"), (620, 560), parent, intro)
        self._column, self._work, self._counts = column, work, column.counts()
        self._groups: dict[int, str] = {}  # place -> name, "" for none
        self.banner, self.view = Banner(), TableView(t("Values"))
        self.search = line_edit(t("Find a value"), t("Find a value"))
        self.group = line_edit(t("Name of the group"), t("Name of the group"))
        self.group.returnPressed.connect(lambda: self._put(self.group.text(), self.view.rows_chosen()))
        row = margins(QHBoxLayout(), 0, spacing=8)
        put(row, (self.search, 1), (self.group, 1), button(t("From a &list…"), self._ask_list))
        fields: list[Field[int]] = [
            Field(t("Value"), lambda at: str(column.labels[at])),
            Field(t("Rows"), lambda at: number(self._counts[at]), right=True),
            Field(t("Group"), lambda at: self._groups.get(at, ""), colour=lambda at: "accent", editable=True),
        ]
        self.model: RowsModel[int] = self.view.hold(fields)
        self.model.changed.connect(lambda at, text: self._put(text, [at]))
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        header = self.view.horizontalHeader()
        header.setSortIndicatorShown(True)
        header.setSortIndicator(1, Qt.SortOrder.DescendingOrder)
        header.sortIndicatorChanged.connect(lambda *_: self._show())
        self.search.textChanged.connect(lambda *_: self._show())
        self._show()
        self.view.fit_columns(220, filling=2)
        put(self.parts, self.banner, row, (self.view, 1))
        self.use, self.act = last_row(self, t("&Use these groups")), None  # Enter in the field names a group
        self.finished.connect(lambda _: work.drop("groups"))

    def _show(self) -> None:
        """Show the values that hold what is looked for, in the order that the header says."""
        words, header = self.search.text().casefold().split(), self.view.horizontalHeader()
        places = np.flatnonzero((self._counts > 0) & ~self._column.missing)
        if words:
            labels = map(str.casefold, self._column.labels[places].tolist())
            places = places[[all(word in label for word in words) for label in labels]]
        keys = places, self._counts[places], [self._groups.get(at, "") for at in places.tolist()]
        rank = np.unique(np.asarray(keys[header.sortIndicatorSection()]), return_inverse=True)[1]
        falling = header.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder
        self.view.clearSelection()
        self.model.show(places[np.argsort(-rank if falling else rank, kind="stable")].tolist())

    def _put(self, group: str, rows: Sequence[int]) -> None:
        """Let the values in some rows go to a group."""
        if rows:
            self._groups |= {self.model.rows[row]: group.strip() for row in rows}
            self.model.show(self.model.rows)
            self.group.clear()

    def _ask_list(self) -> None:
        path = asked_file(self, t("From a &list…"), "*.csv")
        if path is not None:
            self._take(lambda: (read_hierarchy(path),))

    def accept(self) -> None:
        """Take the groups, where there are any, with the one that is being typed."""
        if self.group.text().strip():
            self._put(self.group.text(), self.view.rows_chosen())
        members: dict[str, list[str]] = {}
        for place, group in self._groups.items():
            if group:
                members.setdefault(group, []).append(str(self._column.labels[place]))
        self._take(lambda: (Groups.of(members),) if members else ())

    def _take(self, make: Callable[[], Steps]) -> None:
        def check() -> Steps:
            steps = make()
            # Only for its fault: a list that doesn't fit the column is told while the dialog is open.
            label_map(self._column, steps)
            return steps

        def end(steps: Steps) -> None:
            self.chosen.emit(steps)
            # Not its own `accept`, which would put the groups typed by hand in a list's place.
            super(GroupDialog, self).accept()

        self._work.start(check, on_done=end, on_exception=partial(self.banner.say, "fault"), channel="groups")
