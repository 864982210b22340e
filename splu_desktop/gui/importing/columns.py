"""Names and types of the columns of a file, to be overruled."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QFormLayout, QHBoxLayout, QLineEdit, QWidget

from splu_desktop.core.table import Kind
from splu_desktop.files.importer import ImportChoices, TableReading
from splu_desktop.gui.base.choices import Choice
from splu_desktop.gui.base.models import shorten
from splu_desktop.gui.base.widgets import ScrollArea, line_edit, margins, put
from splu_desktop.gui.base.words import join, t, translate

_AT_ONCE = 20  # rows made before the window does something else


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
        self.names: dict[str, str] = {}  # the file's name -> the name last asked for
        self.types: dict[str, Choice] = {}
        self.apart: dict[str, QCheckBox] = {}
        self._shown: tuple[tuple[str, str], ...] = ()
        self._rows: Iterator[None] = iter(())  # those to come

    def show_columns(self, imported: TableReading, asked: ImportChoices) -> None:
        """Show the columns as they were read, and what was asked of them; of many, some at each turn of the loop."""
        old_names = {new: old for old, new in imported.choices.renames.items()}
        shown = tuple((old_names.get(name, name), name) for name in imported.table.names)
        # Rows made anew would take the focus from the name that is being typed.
        if shown != self._shown:
            self._shown, self.names, self.types, self.apart = shown, dict(shown), {}, {}
            page = QWidget()
            self._form = QFormLayout(page)
            self._form.setContentsMargins(0, 8, 8, 0)
            self.setWidget(page)
        self._rows = self._fill(imported, asked)
        self._go_on()

    def _go_on(self) -> None:
        if len([*islice(self._rows, _AT_ONCE)]) == _AT_ONCE:
            QTimer.singleShot(0, self, self._go_on)

    def _fill(self, imported: TableReading, asked: ImportChoices) -> Iterator[None]:
        for (old, now), column in zip(self._shown, imported.table.columns, strict=True):
            if now not in self.types:
                self._add_row(old, now)
            guess, asked_for = join((t("detected"), translate(column.kind.value)), ":"), now in asked.keep_spellings
            self.apart[now].setChecked(asked_for)
            self._form.setRowVisible(self.apart[now], asked_for or column.spellings is not None)
            kinds = [(guess, None), *((translate(kind.value), kind) for kind in Kind)]
            self.types[now].offer(kinds, asked.types.get(now))
            yield

    def _add_row(self, old: str, now: str) -> None:
        row = QWidget()
        beside = margins(QHBoxLayout(row), 0, spacing=8)
        name = line_edit(join((t("Column"), old), ":"), shorten(old))
        name.setText(now)
        name.editingFinished.connect(lambda: self._edit(old, name))
        kind = Choice(join((t("What it is"), now), ":"))
        # `activated` and `clicked` are of the user alone; `show_columns` changes boxes and ticks, too.
        kind.activated.connect(lambda _: self.typed.emit(now, kind.currentData()))
        kind.setMinimumWidth(190)
        put(beside, (name, 1), kind)
        self.types[now] = kind
        self._form.addRow(shorten(old)[:30], row)
        self.apart[now] = apart = QCheckBox(t("Each way of writing is a value of its own"))
        apart.clicked.connect(lambda on: self.kept_apart.emit(now, on))
        self._form.addRow("", apart)

    def _edit(self, old: str, edit: QLineEdit) -> None:
        new = edit.text().strip() or old
        # Enter is told as an edit even where nothing was typed.
        if new != self.names[old]:
            self.names[old] = new
            self.renamed.emit(old, new)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave Enter to the name being typed: it must not take the whole dialog."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
