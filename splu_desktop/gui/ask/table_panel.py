"""A table: counts of every value of a column by one or two others, with how far each cell may be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.answer.answer import EXACT, HIDDEN, READABLE
from splu_desktop.core.answer.crosstab import CrossTable, crosstab
from splu_desktop.files.questions.results import write_cells
from splu_desktop.gui.ask.asking import AskableRelease, Panel
from splu_desktop.gui.base.choices import Choice
from splu_desktop.gui.base.dialogs import save_as
from splu_desktop.gui.base.messages import value_words
from splu_desktop.gui.base.models import Field, TableView
from splu_desktop.gui.base.page import Fold
from splu_desktop.gui.base.parts import Card, Flow, link
from splu_desktop.gui.base.widgets import Picture, button, label, margins, put, show_whole
from splu_desktop.gui.base.words import bare, number, t
from splu_desktop.gui.proposal.ranges import TRUST, range_words, trust_words

_MOST_COLUMNS = 60  # of the table that is shown; all are saved


class TablePanel(Panel):
    """A table. Signal `kept` (CrossTable): it is to stand in the book."""

    kept = Signal(object)

    def build(self) -> None:
        self.found: CrossTable | None = None
        self.column, self.first, self.second = (Choice(name, 14) for name in (t("Count"), t("by"), t("and")))
        for each in (self.column, self.first, self.second):
            each.currentIndexChanged.connect(lambda at: self._change())
        self.save = button(t("Save the table…"), self._save, picture="download", hint=t("Save the table…"))
        self.save.setAccessibleName(t("Save the table…"))
        self.keep = button(t("Into the book"), lambda: self.kept.emit(self.found))
        card, row = Card("", 14, 10, spacing=0), Flow()
        asked = label(t("Count"), "strong"), self.column, label(t("by")), self.first, label(t("and")), self.second
        for part in (*asked, self.keep, self.save):
            row.addWidget(part)
        card.body.addLayout(row)
        self.fault = label("", "fault", fitting=True)
        self.view = TableView(t("A table"))
        self.legend = QWidget()
        legend = margins(QHBoxLayout(self.legend), 4, 0, 4, 0, spacing=6)
        for trust in (READABLE, "rough", HIDDEN):
            picture, colour, _ = TRUST[trust]
            put(legend, Picture(picture, colour, 14), label(trust_words(trust), "quiet"))
            legend.addSpacing(14)
        legend.addWidget(label(t("In 95 of 100 releases the range holds the true count."), "quiet", wrap=True), 1)
        legend.addWidget(link(bare(t("&Copy")), self.view.copy_all, t("A table")))
        put(margins(QVBoxLayout(self), 0, spacing=10), card, self.fault, (self.view, 1), self.legend)
        self.fault.hide()

    def fold(self, fold: Fold) -> None:
        self.save.setText(t("Save the table…") if fold is Fold.WIDE else "")
        show_whole(self.view, 120, whole=fold is Fold.NARROW)

    def show_release(self, opened: AskableRelease) -> None:
        super().show_release(opened)
        self.found = None
        secret = opened.published.sensitive
        plain = [name for name in opened.columns if name not in secret]
        self.column.offer([(name, name) for name in (*secret, *plain)])
        self.first.offer([(name, name) for name in (*plain, *secret)])
        self.second.offer([(t("nothing else"), ""), *((name, name) for name in (*plain, *secret))], "")
        self._change()

    def ask_for(self, column: str, by: Sequence[str]) -> None:
        """Choose a table."""
        for box, name in ((self.column, column), (self.first, by[0] if by else ""), (self.second, (*by, "", "")[1])):
            # Nobody hears it, so that one table is worked out and not one for each box.
            box.choose(name)
        self._change()

    def _change(self) -> None:
        column, first, second = (str(box.currentData() or "") for box in (self.column, self.first, self.second))
        if len({column, first, second} - {""}) < 2 + bool(second):
            self.show_fault(t("A table needs different columns."))
            return
        by = [first, second] if second else [first]
        reader = self.current.reader
        self.work.start(crosstab, reader, by, column, on_done=self.take_table, on_exception=self.show_fault)

    def show_fault(self, sentence: str) -> None:
        """Show why there is no table."""
        self.found = None
        self.fault.tell(sentence)
        self.save.setEnabled(False)
        self.keep.setEnabled(False)

    def take_table(self, table: CrossTable) -> None:
        """Show a table."""
        self.found = table
        self.fault.hide()
        self.save.setEnabled(True)
        # A book has no lines by secret columns; `read_book` refuses them, too.
        secret = any(map(self.current.is_secret, table.by))
        self.keep.setEnabled(not secret)

        def cell(line: int, at: int) -> str:
            trust = table.trust(line, at)
            if trust in (EXACT, READABLE):
                return number(table.estimate[line, at])
            if trust == HIDDEN:
                return trust_words(HIDDEN)
            return f"{number(int(table.low[line, at]))}–{number(-int(-table.high[line, at] // 1))}"

        def field(at: int) -> Field[int]:
            return Field(
                value_words(table.labels[at]),
                lambda line: cell(line, at),
                right=True,
                colour=lambda line: None if table.exact else TRUST[table.trust(line, at)][1],
                picture=lambda line: None if table.exact else TRUST[table.trust(line, at)][0],
                tip=lambda line: range_words(float(table.low[line, at]), float(table.high[line, at])),
            )

        def head(place: int, line: int) -> str:
            return value_words(table.lines[line][place])

        heads: list[Field[int]] = [Field(name, partial(head, place)) for place, name in enumerate(table.by)]
        # Each line by a secret column is of all rows, as nobody knows whose it is.
        rows: Field[int] = Field(t("Rows"), lambda at: "–" if secret else number(table.line_rows[at]), right=True)
        order = sorted(range(len(table.labels)), key=lambda at: -float(table.estimate[:, at].sum()))
        shown = range(len(table.labels)) if len(table.labels) <= 12 else order[:_MOST_COLUMNS]
        self.view.still = len(heads)
        self.view.hold([*heads, rows, *map(field, shown)]).show(range(len(table.lines)))
        self.view.horizontalHeader().setStretchLastSection(False)
        self.view.resizeColumnsToContents()

    def _save(self) -> None:
        if self.found is not None:
            start, write = f"{self.found.column}.xlsx", partial(write_cells, self.found, self.current.release.id)
            save_as(self, self.work, t("Save the table…"), start, (".xlsx", ".csv"), write, self.say)
