"""The book of tables: which ones it holds, how they will be printed, and its file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QHBoxLayout, QTextBrowser, QVBoxLayout

from splu_desktop.core.answer.crosstab import CrossTable
from splu_desktop.files.language import language
from splu_desktop.gui.ask.asking import AskableRelease, Panel
from splu_desktop.gui.base.choices import TickList
from splu_desktop.gui.base.dialogs import asked_file, save_as
from splu_desktop.gui.base.page import Fold
from splu_desktop.gui.base.parts import Card
from splu_desktop.gui.base.widgets import button, label, margins, put, show_whole, turn
from splu_desktop.gui.base.words import language_code, t
from splu_desktop.gui.proposal.offer import ENDINGS
from splu_desktop.report.book.document import PrintedBook, book_document, table_words
from splu_desktop.report.book.make import book_of, print_release, write_book
from splu_desktop.report.book.tables import Book, BookTable
from splu_desktop.report.render.html import as_html

# The letters of a report as Qt knows them: on paper, whatever the window's colours.
_STYLE = """body{color:#1b252f;background:#fff;font-size:13px}h1{font-size:20px}h2{font-size:15px;color:#00629b}
td,th{white-space:nowrap;padding:2px 12px 2px 2px;border-bottom:1px solid #d3dae1;text-align:left}
td.r,th.r{text-align:right}.edition{color:#00629b}footer{color:#52606d;font-size:11px}"""


class BookPanel(Panel):
    """The tables that were asked for, and others."""

    def build(self) -> None:
        self._read_book, self._tables, self._narrow = Book("", ()), list[BookTable](), False
        self.book: PrintedBook | None = None
        self.list = TickList(t("Tables in the book"))
        self.list.itemChanged.connect(lambda item: self._print())
        self.open = button(t("Open a book…"), self._open)
        self.save = button(t("Save the book…"), self._save, picture="download")
        card = Card(t("Tables in the book"), 12, 10, spacing=8)
        hint = t("More come from “A table”, or a file BOOK.toml. Parts add up; a count asked alone may differ.")
        put(card.body, (self.list, 1), label(hint, "quiet", wrap=True), self.open, self.save)
        self.page = QTextBrowser()
        self.page.setAccessibleName(t("Table book"))
        # Qt would show what a link leads to in place of the book.
        self.page.setOpenLinks(False)
        self.page.document().documentLayout().documentSizeChanged.connect(lambda size: self._fit_page())
        self.sides = put(margins(QHBoxLayout(), 0, spacing=12), card, (self.page, 3))
        margins(QVBoxLayout(self), 0).addLayout(self.sides)

    def fold(self, fold: Fold) -> None:
        turn(self.sides, down=fold is Fold.NARROW)
        self._narrow = fold is Fold.NARROW
        self.sides.setStretch(0, 0 if self._narrow else 1)
        show_whole(self.list, 60, whole=self._narrow)
        self._fit_page()

    def _fit_page(self) -> None:
        # A narrow window's page scrolls, and the book does not scroll in it.
        self.page.setMinimumHeight(round(self.page.document().size().height()) + 20 if self._narrow else 120)

    def show_release(self, opened: AskableRelease) -> None:
        super().show_release(opened)
        self._read(None)  # the tables that the release was asked for

    def add(self, table: CrossTable) -> None:
        """Put a table into the book."""
        self._tables.append(BookTable(table.column, by=tuple(table.by)))
        self._show([*self.list.places(), len(self._tables) - 1])
        self.say("done", t("The table is in the book."))

    def _read(self, path: Path | None) -> None:
        def take(book: Book) -> None:
            self._read_book, self._tables = book, list(book.tables)
            self._show(range(len(self._tables)))

        self._start(book_of, path, on_done=take)

    def _start(self, function: Callable[..., object], *args: object, **keywords: Any) -> None:
        release, fail = self.current.release, partial(self.say, "fault")
        self.work.start(function, release, *args, on_exception=fail, channel="book", **keywords)

    def _show(self, ticked: Sequence[int]) -> None:
        words = [table_words(each, language(language_code())) for each in self._tables]
        # Each tick that is set here would print the book, and once at the end is enough.
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

        def take(book: PrintedBook) -> None:
            self.book = book
            self.page.setHtml(as_html(book_document(book, language(language_code())), _STYLE))
            self.save.setEnabled(True)

        self._start(print_release, book, reader=self.current.reader, on_done=take)

    def _open(self) -> None:
        path = asked_file(self, t("Open a book…"), "*.toml")
        if path is not None:
            self._read(path)

    def _save(self) -> None:
        book = self.book
        if book is not None:
            write = partial(write_book, book, code=language_code())
            save_as(self, self.work, t("Save the book…"), f"{book.title}.docx", ENDINGS, write, self.say)
