"""A book from a release, or from a source that is too small for one, and its files."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from splu_desktop import __version__
from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.errors import SpluError
from splu_desktop.core.mechanism import CLASS, NUMBER
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.questions import AskedTable, parse_question
from splu_desktop.core.sanitise import prepare
from splu_desktop.core.table import Table
from splu_desktop.files.disk.whole_files import CannotWrite, check_name, check_new
from splu_desktop.files.language import language
from splu_desktop.files.register.earlier import source_marks
from splu_desktop.files.register.ledger import TABLES, Entry, Register
from splu_desktop.files.release.reading import OpenRelease
from splu_desktop.report.book.counting import NoisyCounts, ReleaseCounts
from splu_desktop.report.book.document import PrintedBook, book_document
from splu_desktop.report.book.printed_book import count_tables
from splu_desktop.report.book.tables import Book, make_book, read_book
from splu_desktop.report.make import write_bytes
from splu_desktop.report.render.docx import as_docx
from splu_desktop.report.render.html import as_html
from splu_desktop.report.render.workbook import as_xlsx

ENDINGS = (".xlsx", ".docx", ".html")


def book_of(opened: OpenRelease, path: Path | None = None) -> Book:
    """Return the book in a file, or that of the tables that a release was asked for. Raises BadBook."""
    columns = opened.published.table.columns
    table, secret = Table(tuple(e for e in columns if e.name not in (CLASS, NUMBER))), opened.published.sensitive
    return make_book(_list_asked(opened, table), table, secret) if path is None else read_book(path, table, secret)


def _list_asked(opened: OpenRelease, table: Table) -> Iterator[AskedTable]:
    for text in opened.facts.get("questions", ()):
        try:
            yield parse_question(str(text), table)
        except SpluError:  # the draw may have left nothing of a rare value
            continue


def print_release(
    opened: OpenRelease, book: Book, *, reader: Reader | None = None, progress: Progress = SILENT
) -> PrintedBook:
    """Return the book of a release. Raises BadQuestion; Cancelled."""
    counts = ReleaseCounts(reader or Reader(opened.published), book.tables, progress)
    tables = count_tables(book.tables, counts, progress)
    return PrintedBook(book.title or opened.title, tables, opened.id, opened.timestamp)


def print_protected(
    table: Table, plan: Plan, title: str, *, path: Path | None = None, register: Register | None = None
) -> PrintedBook:
    """Return the book of a source in protected counts, with true ones for the custodian's eyes. Raises SpluError.

    path : which tables, in place of those that the plan asks for.
    """
    counts = NoisyCounts(prepare(table, replace(plan, blanking=None)), plan, (register or Register()).key())
    kept = [each for each in plan.questions if each.kind != "mean"]
    known = counts.table, counts.secret
    book = make_book(kept, *known) if path is None else read_book(path, *known)
    counted = [each for each in book.tables if each.show != "mean"]
    return PrintedBook(
        book.title or title,
        count_tables(counted, counts),
        persons=plan.persons is not None,
        noise=plan.thresholds,
        least=counts.least,
        averages=len(counted) < len(book.tables) or len(kept) < len(plan.questions),
    )


def check_book_path(path: Path, *, overwrite: bool) -> None:
    """Raise CannotWrite where a book can't be written there: asked early, so that no work is done in vain."""
    if path.suffix.lower() not in ENDINGS:
        raise CannotWrite("“{path}” must end in .xlsx, .docx or .html.", path=path.name)
    check_name(path)
    check_new(path, overwrite=overwrite)


def write_book(book: PrintedBook, path: Path, code: str = "en", progress: Progress = SILENT) -> None:
    """Write a book in the format of the file's ending, whole or not at all. Raises CannotWrite; Cancelled."""
    check_book_path(path, overwrite=True)
    kind = path.suffix.lower()
    document = book_document(book, language(code), sheets=kind == ".xlsx")
    if kind == ".xlsx":
        data = as_xlsx(document, progress)
    else:
        data = as_docx(document) if kind == ".docx" else as_html(document).encode("utf-8")
    write_bytes(path, data, private=False)


def hand_out_protected(
    book: PrintedBook, table: Table, plan: Plan, path: Path, code: str = "en", register: Register | None = None
) -> Entry:
    """Write a book of protected counts, and note it in the register. Raises CannotWrite, RegisterFault."""
    ledger = register or Register()
    body = {
        "audience": plan.audience.as_dict(),
        "destination": str(path.absolute()),
        "software": __version__,
        "tables": [list(each.table.columns) for each in book.tables],
        "plan": plan.as_dict(),
        "marks": source_marks(ledger, table, plan),
    }
    write_book(book, path, code)
    return ledger.add(secrets.token_hex(16), body, TABLES)
