"""The offer for a table too small for rows: its own tables, protected, in place of a release."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.mechanism.cell_noise import MOST
from splu_desktop.files.language import language
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.widgets import Picture, button, empty, label, make_grid, margins, put, put_in_scroll_area
from splu_desktop.gui.base.words import language_code, number, t
from splu_desktop.gui.proposal.page_height import hold_height
from splu_desktop.report.book.document import PrintedBook, count_cell, line_words, table_words
from splu_desktop.report.book.printed_book import PrintedTable
from splu_desktop.report.document import cell_text

ENDINGS = (".docx", ".xlsx", ".html")
_MOST = 60  # lines of a table that are shown


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
        self.tables = margins(QVBoxLayout(inside), 0, 0, 8, 0, spacing=8)
        self.room = put_in_scroll_area(inside)
        note = t("True counts are seen only here. Lost: other questions. Kept: all tables have the same totals.")
        self.make = button(t("Make these tables…"), self.wanted.emit, look="primary")
        self.make.setEnabled(False)
        put(column, title, label(words, fitting=True), (self.room, 1), label(note, "quiet", fitting=True))
        put(column, (self.make, 0, Qt.AlignmentFlag.AlignLeft))
        self.show_tables(None)

    def show_tables(self, found: PrintedBook | None, fault: str = "") -> None:
        """Show protected tables; None while they are made, or why there are none."""
        empty(self.tables)
        self.make.setEnabled(found is not None)
        if found is None:
            self.tables.addWidget(label(fault or t("Working it out…"), "quiet", wrap=True))
        else:
            for table in found.tables:
                self.tables.addWidget(_grid_of(table, persons=found.persons))
        self.tables.addStretch(1)
        QTimer.singleShot(0, self, lambda: hold_height(self))  # once its parts know their fonts

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        hold_height(self)


def _grid_of(table: PrintedTable, *, persons: bool) -> QWidget:
    """Return a table with the true counts beside what goes out."""
    words = language(language_code())
    made = QWidget()
    column = margins(QVBoxLayout(made), 0, spacing=4)
    column.addWidget(label(table_words(table.table, words), "strong"))
    grid = make_grid(18, 3, filling=0)
    column.addLayout(grid)
    right = Qt.AlignmentFlag.AlignRight
    whole = t("Persons") if persons else t("Rows")
    for at, head in enumerate((t("Group"), t("goes out"), t("true"), whole, t("true"))):
        grid.addWidget(label(head, "quiet"), 0, at, right if at else Qt.AlignmentFlag.AlignLeft)
    places = [(line, at) for line in table.lines for at in range(len(table.labels))][:_MOST]
    for row, (line, at) in enumerate(places, 1):
        group, look = line_words(line, words), "" if line.labels else "strong"
        if len(table.labels) > 1:
            group = words.join((group, words.value(table.labels[at])), ":")
        grid.addWidget(label(group, look), row, 0)
        for place, figure in ((1, line.cells[at][0]), (3, line.rows)):
            grid.addWidget(label(cell_text(count_cell(figure, words)), look or "strong"), row, place, right)
            grid.addWidget(label(number(figure.truth or 0), "quiet"), row, place + 1, right)
    made.setAccessibleName(table_words(table.table, words))
    return made
