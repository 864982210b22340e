"""Inputs of two ways that need more room: groups put together by hand, and a hierarchy read from a file."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.generalise import CannotGeneralise, Groups, Hierarchy, Steps
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column
from splu_desktop.files.project.hierarchy import read_hierarchy
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.models import Field, RowsModel, TableView
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.widgets import Choice, asked_file, button, label, line_edit, margins, put, whole_box
from splu_desktop.gui.base.words import number, t
from splu_desktop.gui.classify.group_trial import Make


@dataclass(frozen=True)
class HandRow:
    """One value, its records, and the group it is in ("" for none)."""

    value: str
    count: int
    group: str


class HandInputs(QWidget):
    """Values to select, a name for their group, and a name for all others."""

    changed = Signal()

    def __init__(self, column: Column, steps: Steps, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        first = steps[0] if steps and isinstance(steps[0], Groups) else None
        self._of = {value: name for name, values in (first.members if first else ()) for value in values}
        self._names = [name for name, _ in first.members] if first else []
        outer = margins(QVBoxLayout(self), 0, spacing=6)
        tools = margins(QHBoxLayout(), spacing=8)
        self.search = line_edit(t("Find a value"), t("Find a value"))
        self.name = Choice()
        self.name.setEditable(True)
        self.name.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.name.setAccessibleName(t("Name of the group for the selected values"))
        edit = self.name.lineEdit()
        if edit is not None:
            hint = t("Name of the group")
            edit.setPlaceholderText(hint)
            self.name.setMinimumContentsLength(len(hint))
        self.put = button(t("&Put selected into it"), self.put_selected)
        self.out = button(t("&Take out"), self.take_out)
        outer.addWidget(self.search)
        put(tools, (self.name, 1), self.put, self.out)
        outer.addLayout(tools)
        self.model: RowsModel[HandRow] = RowsModel(
            [
                Field(t("Value"), lambda r: r.value or t("(empty)")),
                Field(t("Records"), lambda r: number(r.count), key=lambda r: r.count, right=True),
                Field(t("Group"), lambda r: r.group or "–", colour=lambda r: "accent" if r.group else "quiet"),
            ]
        )
        self.table = TableView(t("Values and their groups"))
        self.table.setModel(self.model)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        # Sorted and searched here, on plain rows: a proxy model would call back for every comparison.
        header = self.table.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(1, Qt.SortOrder.DescendingOrder)
        header.sortIndicatorChanged.connect(lambda *_: self._show())
        self.search.textChanged.connect(lambda _: self._show())
        self.table.setFixedHeight(168)
        outer.addWidget(self.table)
        rest = QHBoxLayout()
        self.rest = line_edit(t("Group of all other values"), t("stay as they are"))
        self.rest.setText((first.rest or "") if first else "")
        self.rest.textChanged.connect(self.changed)
        put(rest, label(t("All others:")), (self.rest, 1))
        outer.addLayout(rest)
        counts = column.counts()
        self._values = tuple(
            HandRow(str(column.labels[code]), int(counts[code]), "")
            for code in np.flatnonzero(~column.missing & (counts > 0)).tolist()
        )
        self._show()
        self.table.fit_columns(240)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.put_selected()  # not the dialog's own button, which would close it
            return
        super().keyPressEvent(event)

    def _show(self) -> None:
        words = self.search.text().casefold().split()
        rows = [
            HandRow(row.value, row.count, self._of.get(row.value, ""))
            for row in self._values
            if all(word in row.value.casefold() for word in words)
        ]
        header = self.table.horizontalHeader()
        key = (lambda r: r.value.casefold(), lambda r: r.count, lambda r: r.group.casefold())[
            min(max(header.sortIndicatorSection(), 0), 2)
        ]
        rows.sort(key=key, reverse=header.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder)
        if [row.value for row in rows] != [row.value for row in self.model.rows]:
            self.table.clearSelection()
        self.model.show(tuple(rows))
        used = set(self._of.values())
        self._names = [name for name in self._names if name in used]
        said = self.name.currentText()
        self.name.clear()
        self.name.addItems(self._names)
        self.name.setEditText(said)

    def _selected(self) -> list[str]:
        return [row.value for row in self.table.chosen()]

    def put_selected(self) -> None:
        """Put the selected values into the group that is named."""
        name, values = self.name.currentText().strip(), self._selected()
        if not name or not values:
            return
        if name not in self._names:
            self._names.append(name)
        self._of.update(dict.fromkeys(values, name))
        self._show()
        self.changed.emit()

    def take_out(self) -> None:
        """Take the selected values out of their groups."""
        for value in self._selected():
            self._of.pop(value, None)
        self._show()
        self.changed.emit()

    def read(self) -> Make:
        """Return what is chosen. Raises CannotGeneralise."""
        groups: dict[str, list[str]] = {name: [] for name in self._names}
        for value, name in self._of.items():
            groups[name].append(value)
        rest = self.rest.text().strip() or None
        if not groups and rest is None:
            raise CannotGeneralise(t("Select values, name their group, and put them into it."))
        made = Groups.of(groups, rest)
        return lambda _: (made,)


def _read(path: Path, progress: Progress) -> Hierarchy:
    progress.report("Reading", 0.0)
    return read_hierarchy(path)


class HierarchyInputs(QWidget):
    """A file and a level of it. The file is read in a worker."""

    changed = Signal()
    failed = Signal(str)

    def __init__(self, steps: Steps, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._found: Hierarchy | None = steps[0] if steps and isinstance(steps[0], Hierarchy) else None
        outer = margins(QVBoxLayout(self), 0, spacing=6)
        row = margins(QHBoxLayout(), spacing=8)
        self.choose = button(t("Choose a &file…"), self.ask_file, picture="folder-open")
        self.name = label("", "quiet")
        self.level = whole_box(1, 1, t("Level of the hierarchy"))
        self.level.setKeyboardTracking(True)
        self.level.valueChanged.connect(lambda _: self.changed.emit())
        caption = label(t("Level"))
        caption.setBuddy(self.level)
        put(row, self.choose, (self.name, 1), caption, self.level)
        put(
            outer,
            row,
            label(
                t(
                    "A CSV file as ARX writes it: in each row a value, its group on level 1, its group on level 2, and"
                    " so on. Two columns are enough."
                ),
                "quiet",
                wrap=True,
            ),
        )
        self._show(1 if self._found is None else self._found.level)

    def _show(self, level: int) -> None:
        found = self._found
        self.name.setText(
            t("no file chosen yet")
            if found is None
            else t(
                "{name}: {rows} values, {levels} levels",
                name=found.name,
                rows=number(len(found.rows)),
                levels=found.levels,
            )
        )
        self.level.blockSignals(True)
        self.level.setRange(1, 1 if found is None else found.levels)
        self.level.setValue(level)
        self.level.blockSignals(False)
        self.level.setEnabled(found is not None and found.levels > 1)

    def ask_file(self) -> None:
        """Let the user choose a file."""
        path = asked_file(self, t("Choose a hierarchy"), t("Hierarchies (*.csv *.txt *.tsv);;All files (*)"))
        if path is not None:
            self.take_file(path)

    def take_file(self, path: Path) -> None:
        """Read a file, in the worker."""
        job = self._tasks.run("hierarchy", partial(_read, path))
        job.done.connect(self._take)
        job.failed.connect(self.failed)

    def _take(self, found: Hierarchy) -> None:
        self._found = found
        self._show(1)
        self.changed.emit()

    def read(self) -> Make:
        """Return what is chosen. Raises CannotGeneralise."""
        if self._found is None:
            raise CannotGeneralise(t("Choose the file that holds the hierarchy."))
        found, level = self._found, self.level.value()
        return lambda _: (replace(found, level=level),)
