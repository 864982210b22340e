"""The rows of a file of questions as texts: of a CSV, or of a workbook's first sheet."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path

from splu_desktop.core.errors import FileFault
from splu_desktop.core.progress import Silent
from splu_desktop.files.disk.plain_data import read_bytes
from splu_desktop.files.importer.recognise import recognise
from splu_desktop.files.importer.workbook.reading import open_sheets

_DELIMITERS = ",;\t"
_BINARY = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # first bytes of workbooks, and of other files
_WORKBOOKS = ("xlsx", "xlsb", "xls", "ods", "html", "xml")
_LARGEST = 200 << 20  # bytes
_MOST_CELLS = 20_000_000  # of a sheet, empty ones included
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class BadQuestions(FileFault):
    """A file of questions can't be read, or a cell of it can't be understood."""


def question_rows(path: Path, fit: Callable[[Sequence[str]], int]) -> list[list[str]]:
    """Return the rows of the file, the header first; a blank one has no cells, and none is blank at the end.

    fit : how many names of a header are known, by which the delimiter is chosen.

    Raises FileFault.
    """
    raw = read_bytes(path, _LARGEST, BadQuestions)
    rows = _of_sheet(path) if raw.startswith(_BINARY) else None
    if rows is None:
        rows = _of_text(path, _decode(path, raw), fit)
    while rows and not rows[-1]:
        rows.pop()
    return rows


def _decode(path: Path, raw: bytes) -> str:
    try:
        return raw.decode("utf-16" if raw.startswith(_UTF16) else "utf-8-sig")
    except UnicodeDecodeError:
        raise BadQuestions("“{path}” is not in UTF-8; save it as “CSV UTF-8” and try again.", path=path) from None


def _of_text(path: Path, text: str, fit: Callable[[Sequence[str]], int]) -> list[list[str]]:
    if text.startswith("sep=") and len(text.partition("\n")[0].strip()) == 5:
        delimiters, text = text[4], text.partition("\n")[2]  # Excel's own word for the delimiter
    else:
        delimiters = _DELIMITERS
    # A name may hold a delimiter itself, so the one wins that makes known names of the header; of equals, the first.
    heads = {delimiter: _head(text, delimiter) for delimiter in delimiters}
    best = max(delimiters, key=lambda delimiter: (fit(heads[delimiter]), len(heads[delimiter])))
    reader, rows, line = csv.reader(io.StringIO(text, newline=""), delimiter=best, strict=True), [], 1
    try:
        for row in reader:
            rows.append(row)
            line = reader.line_num + 1
    except csv.Error as fault:
        words = "“{path}” is not a readable CSV file from line {line} on ({fault}); look at the quotation marks there."
        raise BadQuestions(words, path=path, line=line, fault=fault) from None
    return rows


def _head(text: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []


def _of_sheet(path: Path) -> list[list[str]] | None:
    """Return the rows of a workbook's first sheet, None where the file is no workbook."""
    kind = recognise(path)
    if kind not in _WORKBOOKS:
        return None
    sheet = open_sheets(path, kind, [""], Silent())[0][0]
    for cell in sheet.beside.error_cells:  # which would read as empty, and so as no condition
        raise BadQuestions(
            "“{path}”, row {row}: the cell in column {column} shows an error or holds a formula without a result; "
            "mend it in its spreadsheet program and save the file again.",
            path=path,
            row=cell.row,
            column=cell.column + 1,
        )
    if sheet.rows * sheet.width > _MOST_CELLS:
        words = "The first sheet of “{path}” has more cells than questions can have; save it as CSV."
        raise BadQuestions(words, path=path)
    rows = sheet.head(sheet.rows)
    return [row if any(cell.strip() for cell in row) else [] for row in rows]
