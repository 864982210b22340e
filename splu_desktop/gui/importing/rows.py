"""Which rows of a file are read: all, or those of one instrument, event or other value."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from splu_desktop.files.importer import ImportChoices, TableReading
from splu_desktop.gui.base.choices import Choice, TickList
from splu_desktop.gui.base.models import shorten
from splu_desktop.gui.base.widgets import label, margins, put
from splu_desktop.gui.base.words import t

_MOST = 60  # values of a column by which rows are chosen


class RowsForm(QWidget):
    """A column and its values, to be ticked. `chosen` carries column name -> texts, {} for all rows."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.column = Choice(t("Rows are chosen by"))
        self.values = TickList(t("Rows are chosen by"))
        self._known: dict[str, list[str]] = {}  # column -> values seen, those of rows left out now among them
        self._asked: dict[str, tuple[str, ...]] = {}
        hint = t("Only rows with a ticked value are read; values that come later in the file are not listed.")
        self._note = label(hint, "quiet", wrap=True)
        put(margins(QVBoxLayout(self), 0, 8, 8, 0), self.column, (self.values, 1), self._note)
        self.column.activated.connect(lambda _: self._pick())
        self.values.itemChanged.connect(lambda _: self._tick())

    def show_rows(self, imported: TableReading, asked: ImportChoices) -> None:
        """Offer the columns with few values; what was seen of them before rows were chosen stays on offer."""
        self._asked = dict(asked.rows)
        if not asked.rows:
            self._known = {}
        for column in imported.table.columns:
            known = [*self._known.get(column.name, []), *asked.rows.get(column.name, ()), *column.labels.tolist()]
            values = list(dict.fromkeys(known))
            if len(values) <= _MOST:
                self._known[column.name] = values
        now = next(iter(asked.rows), self.column.currentData())
        self.column.offer([(t("All rows"), None), *((shorten(name), name) for name in self._known)], now)
        self._offer()

    def _offer(self) -> None:
        name = self.column.currentData()
        known = self._known.get(name, [])
        ticked = [text or t("(empty)") for text in self._asked.get(name, ())]
        self.values.offer((text or t("(empty)") for text in known), ticked)
        self.values.setEnabled(name is not None)
        self._note.setVisible(name is not None)

    def _pick(self) -> None:
        had, self._asked = self._asked, {}
        self._offer()
        if had:
            self.chosen.emit({})

    def _tick(self) -> None:
        name = self.column.currentData()
        # They are taken by place, since an empty value is shown by words of ours.
        texts = tuple(self._known[name][at] for at in self.values.places())
        self.chosen.emit({name: texts} if texts else {})
