"""A table: counts of every value of a column by one or two others, with how far each cell may be trusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.answer.answer import EXACT, HIDDEN, READABLE
from splu_desktop.core.answer.crosstab import CrossTable
from splu_desktop.gui.ask.asking import Opened
from splu_desktop.gui.base.models import Field, RowsModel, TableView
from splu_desktop.gui.base.page import Fold
from splu_desktop.gui.base.parts import Card, link
from splu_desktop.gui.base.widgets import Choice, Picture, button, label, margins, put
from splu_desktop.gui.base.words import bare, number, t
from splu_desktop.gui.proposal.ranges import TRUST, range_words, trust_words

_MOST_COLUMNS = 60  # of the table that is shown; all are saved


class TablePanel(QWidget):
    """The panel; `ask` (by, column) starts the work, `save` asks for a place, `keep` puts the table into the book."""

    def __init__(
        self, ask: Callable[[Sequence[str], str], None], save: Callable[[], None], keep: Callable[[], None]
    ) -> None:
        super().__init__()
        self._ask = ask
        self._opened: Opened | None = None
        self.found: CrossTable | None = None
        self.column, self.first, self.second = Choice(t("Count")), Choice(t("by")), Choice(t("and"))
        for each in (self.column, self.first, self.second):
            each.keep_short(14)
            each.currentIndexChanged.connect(lambda at: self._changed())
        self.save = button(t("Save the table…"), save, picture="download")
        row = margins(QHBoxLayout(), 0, spacing=8)
        put(row, label(t("Count"), "strong"), self.column, label(t("by")), self.first, label(t("and")), self.second, 1)
        self.keep = button(t("Into the book"), keep)
        put(row, self.keep, self.save)
        card = Card("", 14, 10, spacing=0)
        card.body.addLayout(row)
        self.fault = label("", "problem", fitting=True)
        self.view = TableView(t("A table"))
        self.legend = QWidget()
        legend = margins(QHBoxLayout(self.legend), 4, 0, 4, 0, spacing=6)
        for trust in (READABLE, "rough", HIDDEN):
            picture, colour, _ = TRUST[trust]
            put(legend, Picture(picture, colour, 14), label(trust_words(trust), "quiet"))
            legend.addSpacing(14)
        legend.addWidget(label(t("In 95 of 100 releases the range holds the true count."), "quiet", wrap=True), 1)
        legend.addWidget(link(bare(t("&Copy")), self._copy, t("A table")))
        outer = margins(QVBoxLayout(self), 0, spacing=10)
        put(outer, card, self.fault, (self.view, 1), self.legend)
        self.fault.hide()

    def fold(self, fold: Fold) -> None:
        """Lay it out for so much room."""
        self.save.setText(t("Save the table…") if fold is Fold.WIDE else "")
        self.view.setMinimumHeight(200 if fold is Fold.NARROW else 120)

    def show_release(self, opened: Opened) -> None:
        """Ask another release."""
        self._opened, self.found = opened, None
        names = opened.columns
        secret = opened.published.sensitive
        plain = [name for name in names if name not in secret]
        self.column.offer([(name, name) for name in (*secret, *plain)])
        self.first.offer([(name, name) for name in (*plain, *secret)])
        self.second.offer([(t("nothing else"), ""), *((name, name) for name in (*plain, *secret))], "")
        self._changed()

    def ask_for(self, column: str, by: Sequence[str]) -> None:
        """Choose a table."""
        for box, name in ((self.column, column), (self.first, by[0] if by else ""), (self.second, (*by, "", "")[1])):
            at = box.findData(name)
            if at >= 0:
                box.blockSignals(True)
                box.setCurrentIndex(at)
                box.blockSignals(False)
        self._changed()

    def _changed(self) -> None:
        column, first, second = (str(box.currentData() or "") for box in (self.column, self.first, self.second))
        if self._opened is None or not column or not first:
            return
        if len({column, first, second} - {""}) < 2 + bool(second):
            self.show_fault(t("A table needs different columns."))
            return
        self._ask([first, second] if second else [first], column)

    def _is_secret(self, name: str) -> bool:
        return self._opened is not None and self._opened.published.is_sensitive(name)

    def show_fault(self, sentence: str) -> None:
        """Show why there is no table."""
        self.found = None
        self.fault.setText(sentence)
        self.fault.show()
        self.save.setEnabled(False)
        self.keep.setEnabled(False)

    def take_table(self, found: CrossTable) -> None:
        """Show a table."""
        self.found = found
        self.fault.hide()
        self.save.setEnabled(True)
        self.keep.setEnabled(not any(map(self._is_secret, found.by)))

        def cell(line: int, at: int) -> str:
            trust = found.trust(line, at)
            if trust == EXACT:
                return number(found.estimate[line, at])
            if trust == HIDDEN:
                return trust_words(HIDDEN)
            if trust == READABLE:
                return number(found.estimate[line, at])
            return f"{number(int(found.low[line, at]))}–{number(-int(-found.high[line, at] // 1))}"

        def field(at: int) -> Field[int]:
            return Field(
                found.labels[at] or t("(empty)"),
                lambda line: cell(line, at),
                lambda line: float(found.estimate[line, at]),
                right=True,
                colour=lambda line: None if found.exact else TRUST[found.trust(line, at)][1],
                picture=lambda line: None if found.exact else TRUST[found.trust(line, at)][0],
                tip=lambda line: range_words(float(found.low[line, at]), float(found.high[line, at])),
            )

        def head(place: int, line: int) -> str:
            return found.lines[line][place] or t("(empty)")

        heads: list[Field[int]] = [Field(name, partial(head, place)) for place, name in enumerate(found.by)]
        selected = found.selected.tolist()
        rows: Field[int] = Field(
            t("Rows"), lambda line: number(selected[line]), lambda line: selected[line], right=True
        )
        order = sorted(range(len(found.labels)), key=lambda at: -float(found.estimate[:, at].sum()))
        shown = range(len(found.labels)) if len(found.labels) <= 12 else order[:_MOST_COLUMNS]
        model: RowsModel[int] = RowsModel([*heads, rows, *map(field, shown)], self)
        old = self.view.model()
        self.view.setModel(model)
        if old is not None:
            old.deleteLater()
        model.show(range(len(found.lines)))
        self.view.horizontalHeader().setStretchLastSection(False)
        self.view.resizeColumnsToContents()
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)

    def _copy(self) -> None:
        self.view.selectAll()
        self.view.copy()
        self.view.clearSelection()
