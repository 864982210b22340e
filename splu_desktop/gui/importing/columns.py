"""Names and types of the columns of a file, to be overruled."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QFormLayout, QHBoxLayout, QLineEdit, QWidget

from splu_desktop.core.table import Kind
from splu_desktop.files.importer import ImportChoices, TableReading
from splu_desktop.gui.base.choices import Choice
from splu_desktop.gui.base.models import shorten
from splu_desktop.gui.base.widgets import ScrollArea, line_edit, margins, put
from splu_desktop.gui.base.words import join, t, translate


class ColumnsForm(ScrollArea):
    """One row for each column: what the file calls it, the name it gets, its type, and whether spellings are values.

    Signals: `renamed` (the file's name, the new name), `typed` (the name now, a Kind or None), `kept_apart` (the name
    now, a bool).
    """

    renamed = Signal(str, str)
    typed = Signal(str, object)
    kept_apart = Signal(str, bool)

    def __init__(self) -> None:
        super().__init__()
        page = QWidget()
        self._form = QFormLayout(page)
        self._form.setContentsMargins(0, 8, 8, 0)
        self.setWidget(page)
        self.names: dict[str, QLineEdit] = {}
        self.types: dict[str, Choice] = {}
        self.apart: dict[str, QCheckBox] = {}
        self._shown: tuple[tuple[str, str], ...] = ()
        self._asked: dict[str, str] = {}  # the file's name -> the name last asked for

    def show_columns(self, imported: TableReading, asked: ImportChoices) -> None:
        """Show the columns as they were read, and what was asked of them."""
        old_names = {new: old for old, new in imported.choices.renames.items()}
        shown = tuple((old_names.get(name, name), name) for name in imported.table.names)
        # Rows made anew would take the focus from the name that is being typed.
        if shown != self._shown:
            self._shown, self._asked = shown, dict(shown)
            self._build()
        for column in imported.table.columns:
            box = self.types[column.name]
            guess = join((t("detected"), translate(column.kind.value)), ":")
            apart, asked_for = self.apart[column.name], column.name in asked.keep_spellings
            apart.setChecked(asked_for)
            self._form.setRowVisible(apart, asked_for or column.spellings is not None)
            box.offer([(guess, None), *((translate(kind.value), kind) for kind in Kind)], asked.types.get(column.name))

    def _build(self) -> None:
        self.names.clear()
        self.types.clear()
        self.apart.clear()
        while self._form.rowCount():
            self._form.removeRow(0)
        for old, now in self._shown:
            row = QWidget()
            beside = margins(QHBoxLayout(row), 0, spacing=8)
            name = line_edit(join((t("Column"), old), ":"), shorten(old))
            name.setText(now)
            name.editingFinished.connect(lambda old=old, edit=name: self._edit(old, edit))
            kind = Choice(join((t("What it is"), now), ":"))
            # `activated` and `clicked` are of the user alone; `show_columns` changes boxes and ticks, too.
            kind.activated.connect(lambda _, now=now, box=kind: self.typed.emit(now, box.currentData()))
            kind.setMinimumWidth(190)
            put(beside, (name, 1), kind)
            self.names[old], self.types[now] = name, kind
            self._form.addRow(shorten(old)[:30], row)
            self.apart[now] = apart = QCheckBox(t("Each way of writing is a value of its own"))
            apart.clicked.connect(lambda on, now=now: self.kept_apart.emit(now, on))
            self._form.addRow("", apart)

    def _edit(self, old: str, edit: QLineEdit) -> None:
        new = edit.text().strip() or old
        # Enter is told as an edit even where nothing was typed.
        if new != self._asked[old]:
            self._asked[old] = new
            self.renamed.emit(old, new)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave Enter to the name being typed: it must not take the whole dialog."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
