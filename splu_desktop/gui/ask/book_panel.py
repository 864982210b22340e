"""The book of tables: which ones it holds, how they will be printed, and its file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QBoxLayout, QTextBrowser, QVBoxLayout, QWidget

from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.files.language import language
from splu_desktop.files.release import OpenRelease
from splu_desktop.gui.ask.asking import Opened
from splu_desktop.gui.base.dialogs import asked_file, asked_target
from splu_desktop.gui.base.page import Fold
from splu_desktop.gui.base.parts import Card
from splu_desktop.gui.base.widgets import TickList, button, label, margins, put
from splu_desktop.gui.base.words import spoken, t
from splu_desktop.gui.base.work import Work
from splu_desktop.gui.proposal.offer import ENDINGS
from splu_desktop.report.book.document import PrintedBook, book_document, table_words
from splu_desktop.report.book.make import book_of, print_release, write_book
from splu_desktop.report.book.tables import Book, BookTable
from splu_desktop.report.render.html import as_html

# The letters of a report as Qt knows them: on paper, whatever the window's colours.
_STYLE = """body{color:#1b252f;background:#fff;font-size:13px}h1{font-size:20px}h2{font-size:15px;color:#00629b}
td,th{white-space:nowrap;padding:2px 12px 2px 2px;border-bottom:1px solid #d3dae1;text-align:left}
td.r,th.r{text-align:right}.edition{color:#00629b}footer{color:#52606d;font-size:11px}"""


def read_tables(release: OpenRelease, path: Path | None, progress: Progress = SILENT) -> Book:
    """Return the book in a file, or that of the tables that a release was asked for. Raises BadBook."""
    return book_of(release, path)


def print_tables(release: OpenRelease, opened: Opened, book: Book, progress: Progress = SILENT) -> PrintedBook:
    """Return a book with its numbers. Raises BadQuestion; Cancelled."""
    return print_release(release, book, reader=opened.reader, progress=progress)


class BookPanel(QWidget):
    """The panel; `fail` is told sentences, `saved` the file that was written."""

    def __init__(self, work: Work, fail: Callable[[str], None], saved: Callable[[Path], None]) -> None:
        super().__init__()
        self._work, self._fail, self._saved = work, fail, saved
        self._release: OpenRelease | None = None
        self._opened: Opened | None = None
        self._read_book, self._tables = Book("", ()), list[BookTable]()
        self.book: PrintedBook | None = None
        self.list = TickList(t("Tables in the book"))
        self.list.itemChanged.connect(lambda item: self._print())
        self.open = button(t("Open a book…"), self._open)
        self.save = button(t("Save the book…"), self._save, picture="download")
        card = Card(t("Tables in the book"), 12, 10, spacing=8)
        hint = label(t("More come from “A table”, or from a file BOOK.toml."), "quiet", wrap=True)
        put(card.body, (self.list, 1), hint, self.open, self.save)
        self.page = QTextBrowser()
        self.page.setAccessibleName(t("Table book"))
        self.page.setOpenLinks(False)
        self.sides = margins(QBoxLayout(QBoxLayout.Direction.LeftToRight), 0, spacing=12)
        self.sides.addWidget(card, 1)
        self.sides.addWidget(self.page, 3)
        margins(QVBoxLayout(self), 0).addLayout(self.sides)

    def fold(self, fold: Fold) -> None:
        """Lay it out for so much room."""
        one = fold is Fold.NARROW
        self.sides.setDirection(QBoxLayout.Direction.TopToBottom if one else QBoxLayout.Direction.LeftToRight)
        self.page.setMinimumHeight(200 if one else 120)

    def show_release(self, release: OpenRelease, opened: Opened) -> None:
        """Begin with the tables that a release was asked for."""
        self._release, self._opened = release, opened
        self._read(None)

    def add(self, column: str, by: Sequence[str]) -> None:
        """Put a table into the book."""
        self._tables.append(BookTable(column, by=tuple(by)))
        self._show([*self.list.places(), len(self._tables) - 1])

    def _read(self, path: Path | None) -> None:
        def take(book: Book) -> None:
            self._read_book, self._tables = book, list(book.tables)
            self._show(range(len(self._tables)))

        self._work.start(read_tables, self._release, path, on_done=take, on_exception=self._fail, channel="book")

    def _show(self, ticked: Sequence[int]) -> None:
        words = [table_words(each, language(spoken())) for each in self._tables]
        with QSignalBlocker(self.list):
            self.list.offer(words)
            for at in ticked:
                self.list.item(at).setCheckState(Qt.CheckState.Checked)
        self._print()

    def _print(self) -> None:
        self.book = None
        self.save.setEnabled(False)
        book = replace(self._read_book, tables=tuple(self._tables[at] for at in self.list.places()))
        if not book.tables:
            self.page.setPlainText(t("Tick a table."))
            return

        def take(found: PrintedBook) -> None:
            self.book = found
            self.page.setHtml(as_html(book_document(found, language(spoken())), _STYLE))
            self.save.setEnabled(True)

        self._work.start(
            print_tables, self._release, self._opened, book, on_done=take, on_exception=self._fail, channel="book"
        )

    def _open(self) -> None:
        path = asked_file(self, t("Open a book…"), "*.toml")
        if path is not None:
            self._read(path)

    def _save(self) -> None:
        found = self.book
        target = None if found is None else asked_target(self, t("Save the book…"), f"{found.title}.docx", *ENDINGS)
        if found is not None and target is not None:
            self._work.start(
                write_book,
                found,
                target,
                spoken(),
                on_done=lambda _: self._saved(target),
                on_exception=self._fail,
                channel="save book",
            )
