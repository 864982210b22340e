"""Coarser values by hand: each value gets the name of a group, or a list of them is read from a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QWidget

from splu_desktop.core.errors import SpluError
from splu_desktop.core.generalise import Groups, Steps, label_map
from splu_desktop.core.table import Column
from splu_desktop.files.project.hierarchy import read_hierarchy
from splu_desktop.gui.base.dialogs import Dialog, asked_file, last_row
from splu_desktop.gui.base.models import Field, RowsModel, TableView
from splu_desktop.gui.base.parts import Banner
from splu_desktop.gui.base.widgets import button, line_edit, margins, put
from splu_desktop.gui.base.words import join, number, t, translate


@dataclass(frozen=True)
class Member:
    """One value, how often it stands there, and the group it goes to; "" keeps it as it is."""

    label: str
    count: int
    group: str = ""


class GroupDialog(Dialog):
    """Values of a column and their groups; `chosen` carries the steps."""

    chosen = Signal(object)

    def __init__(self, column: Column, parent: QWidget | None = None) -> None:
        intro = t("Choose values, type the name of their group, and press Enter. Values without a group stay.")
        super().__init__(join((column.name, t("Coarser values")), ":"), (620, 560), parent, intro)
        self._column = column
        self.banner, self.view = Banner(), TableView(t("Values"))
        self.search = line_edit(t("Find a value"), t("Find a value"))
        self.group = line_edit(t("Name of the group"), t("Name of the group"))
        self.group.returnPressed.connect(lambda: self._put(self.group.text(), self.view.list_chosen()))
        row = margins(QHBoxLayout(), 0, spacing=8)
        put(row, (self.search, 1), (self.group, 1), button(t("From a &list…"), self._ask_list))
        fields: list[Field[Member]] = [
            Field(t("Value"), lambda r: r.label),
            Field(t("Rows"), lambda r: number(r.count), key=lambda r: r.count, right=True),
            Field(t("Group"), lambda r: r.group, colour=lambda r: "accent", editable=True),
        ]
        self.model = RowsModel(fields, self)
        self.model.changed.connect(lambda at, text: self._put(text, [self.model.rows[at]]))
        counts = column.counts()
        order = sorted(range(column.m), key=lambda at: -counts[at])
        self.model.show(
            [Member(str(column.labels[at]), int(counts[at])) for at in order if not column.missing[at] and counts[at]]
        )
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.sorted = self.view.hold_sorted(self.model, 1, Qt.SortOrder.DescendingOrder)
        self.search.textChanged.connect(self.sorted.look_for)
        self.view.fit_columns(220, filling=2)
        put(self.parts, self.banner, row, (self.view, 1))
        self.use = last_row(self, t("&Use these groups"))

    def _put(self, group: str, members: Sequence[Member]) -> None:
        """Let values go to a group."""
        if members:
            rows, chosen = self.model.rows, {*members}
            self.model.show([replace(row, group=group.strip()) if row in chosen else row for row in rows])
            self.group.clear()

    def _ask_list(self) -> None:
        path = asked_file(self, t("From a &list…"), "*.csv")
        if path is not None:
            self._take(lambda: (read_hierarchy(path),))

    def accept(self) -> None:
        """Take the groups, where there are any."""
        members: dict[str, list[str]] = {}
        for row in self.model.rows:
            if row.group:
                members.setdefault(row.group, []).append(row.label)
        self._take(lambda: (Groups.of(members),) if members else ())

    def _take(self, make: Callable[[], Steps]) -> None:
        try:
            steps = make()
            # Only for its fault: a list that doesn't fit the column is told while the dialog is open.
            label_map(self._column, steps)
        except SpluError as fault:
            self.banner.say("fault", translate(str(fault)))
            return
        self.chosen.emit(steps)
        # Not its own `accept`, which would put the groups typed by hand in a list's place.
        super().accept()
