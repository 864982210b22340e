"""The offer for a table too small for rows: its own tables, protected, in place of a release."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.answer.answer import HIDDEN
from splu_desktop.core.mechanism.cell_noise import MOST
from splu_desktop.files.language import Language, language
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.widgets import Picture, button, empty, label, make_grid, margins, put, put_in_scroll_area
from splu_desktop.gui.base.words import join, language_code, number, t
from splu_desktop.report.book.document import PrintedBook, count_cell, line_words, table_words
from splu_desktop.report.book.printed_book import Figure, PrintedTable
from splu_desktop.report.document import cell_text

ENDINGS = (".docx", ".xlsx", ".html")
_MOST = 100  # lines of a table that are shown
_FOLDED = 3  # hidden figures from which they stand in one line
_Row = tuple[str, str, list[str]]  # a group, its look, its figures


class Offer(QFrame):
    """Protected tables beside the true counts. Signal `wanted`: make them."""

    wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("look", "card-accent")
        outer = margins(QHBoxLayout(self), 14, 12, 14, 12, spacing=12)
        outer.addWidget(Picture("file-spreadsheet", "accent", 20), 0, Qt.AlignmentFlag.AlignTop)
        column = margins(QVBoxLayout(), 0, spacing=8)
        outer.addLayout(column, 1)
        title = label(t("Hand out protected tables instead of rows"), "strong")
        title.setFont(theme.resize_font(title.font(), 1.1))
        words = t(
            "The recipient gets your tables as a document. Every number is off by at most {most}, by chance; the same"
            " group always by the same.",
            most=MOST,
        )
        inside = QWidget()
        self.tables = margins(QVBoxLayout(inside), 6, 4, 8, 4, spacing=8)
        self.room = put_in_scroll_area(inside)
        self.room.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # nothing inside takes keys
        self.room.setAccessibleName(t("Your tables"))
        self.room.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)  # as tables do
        note = t("True counts are seen only here. Lost: other questions. Kept: all tables have the same totals.")
        self.make = button(t("Make these tables…"), self.wanted.emit, look="primary")
        self.make.setEnabled(False)
        put(column, title, label(words, fitting=True), (self.room, 1), label(note, "quiet", fitting=True))
        put(column, (self.make, 0, Qt.AlignmentFlag.AlignLeft))
        self.show_tables(None)

    def show_tables(self, book: PrintedBook | None, fault: str = "") -> None:
        """Show protected tables; None while they are made, or why there are none."""
        empty(self.tables)
        self.make.setEnabled(book is not None)
        if book is None:
            self.tables.addWidget(label(fault or t("Working it out…"), "quiet", wrap=True))
        else:
            for table in book.tables:
                self.tables.addWidget(_grid_of(table, persons=book.persons))
        self.tables.addStretch(1)


def _grid_of(table: PrintedTable, *, persons: bool) -> QWidget:
    """Return a table with the true counts beside what goes out; of several values, each group stands above them."""
    words, several = language(language_code()), len(table.labels) > 1
    rows: list[_Row] = []
    for line in table.lines if several else ():
        rows.append((line_words(line, words), "strong", _say((line.rows,), words)))
        cells = zip(table.labels, line.cells, strict=True)
        rows += _fold([(f"    {words.value(label)}", (cell[0],)) for label, cell in cells], words)
    if not several:
        *groups, whole = [(line_words(line, words), (line.cells[0][0], line.rows)) for line in table.lines]
        rows = [*_fold(groups, words), (whole[0], "strong", _say(whole[1], words))]
    heads = [t("goes out"), t("true"), t("Persons") if persons else t("Rows"), t("true")]
    widget = QWidget()
    column = margins(QVBoxLayout(widget), 0, spacing=4)
    column.addWidget(label(table_words(table.table, words), "strong"))
    grid = make_grid(12, 3, filling=0)
    column.addLayout(grid)
    for row, (group, look, texts) in enumerate([(t("Group"), "quiet", heads[: 2 if several else 4]), *rows[:_MOST]]):
        grid.addWidget(label(group, look), row, 0)
        for at, text in enumerate(texts):
            look = "quiet" if not row or at % 2 else "strong"
            grid.addWidget(label(text, look), row, at + 1, Qt.AlignmentFlag.AlignRight)
    if len(rows) > _MOST:
        more = t("The first {n} of {all} groups; all are counted.", n=_MOST, all=number(len(rows)))
        column.addWidget(label(more, "quiet", wrap=True))
    widget.setAccessibleName(table_words(table.table, words))
    return widget


def _say(figures: Sequence[Figure], words: Language) -> list[str]:
    """Return each figure as it goes out, and as it is."""
    return [text for each in figures for text in (cell_text(count_cell(each, words)), number(each.truth or 0))]


def _fold(cells: Sequence[tuple[str, Sequence[Figure]]], words: Language) -> list[_Row]:
    """Return a row for each group and its figures, and one for all that are hidden, unless they are few."""
    gone = [figures[0].truth or 0 for _, figures in cells if figures[0].trust == HIDDEN]
    few = len(gone) < _FOLDED
    rows = [(group, "", _say(figures, words)) for group, figures in cells if few or figures[0].trust != HIDDEN]
    if not few:
        true = "–".join(dict.fromkeys(map(number, (min(gone), max(gone)))))
        rows.append((f"    {join((t('hidden'), number(len(gone))), ':')}", "protected", ["", true]))
    return rows
