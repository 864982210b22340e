"""What calamine leaves out of a sheet, looked up in its XML: errors, zeros of formats, what is hidden.

Cells with an error and formulas without a stored result come out of calamine as empty. Formulas are skipped over, never
read or run.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from splu_desktop.core.messages import say
from splu_desktop.files.importer.problems import Problem, ProblemKind
from splu_desktop.files.importer.recognise import UNREADABLE

_FAILED = re.compile(
    rb'<c\b(?=[^>]*\bt="e")[^>]*\br="([A-Z]{1,3})(\d+)"[^>]*>(?:<f\b[^>]*(?:/>|>[^<]*</f>))?<v>([^<]*)</v>'
    rb'|<c\b[^>]*\br="([A-Z]{1,3})(\d+)"[^>]*><f\b[^>]*(?:/>|>[^<]*</f>)(?:<v\s*/>|<v></v>)?</c>'
)
_HIDDEN_ROW = re.compile(rb'<row\b[^>]*\shidden="(?:1|true)"')
_HIDDEN_COLUMNS = re.compile(rb'<col\b(?=[^>]*\shidden="(?:1|true)")(?=[^>]*\bmin="(\d+)")[^>]*\bmax="(\d+)"')
WIDEST = 16_384  # columns of a sheet
MOST_FAILED = 100_000

Span = tuple[tuple[int, int], tuple[int, int]]  # (first row, first column), (last row, last column), from 0


class Failed(NamedTuple):
    """A cell: row from 1, column from 0, and the error it shows ("" for a formula without a stored result)."""

    row: int
    column: int
    value: str


@dataclass
class SheetScan:
    """What a sheet says beside its cells.

    Attributes
    ----------
    merged : ranges of merged cells.
    failed : cells with an error or without their formula's result.
    padded : (column from 0, digits) -> cells whose format fills numbers up with zeros, as postcodes often have it.
    hidden_rows, hidden_columns : how many rows are not shown, and which columns, from 0.
    """

    merged: list[Span] = field(default_factory=list)
    failed: list[Failed] = field(default_factory=list)
    padded: Counter[tuple[int, int]] = field(default_factory=Counter)
    hidden_rows: int = 0
    hidden_columns: set[int] = field(default_factory=set)

    def report_hidden(self, names: Mapping[int, str], sheet: str) -> Iterator[Problem]:
        """Yield a problem for hidden rows, and one for each hidden column that is read."""
        rows_too = [(None, self.hidden_rows)] if self.hidden_rows else []
        for column, rows in [*rows_too, *((names[at], 0) for at in sorted(self.hidden_columns & names.keys()))]:
            what = say("rows: {n}", n=rows) if column is None else say("“{name}”", name=column)
            sentence = say("Hidden in this sheet, but read like the rest: {what}.", what=what)
            yield Problem(ProblemKind.NOTE, sentence, sheet, column=column, rows=rows)


def scan_xlsx(path: Path, sheet: str) -> SheetScan:
    """Look through a sheet of an XLSX workbook."""
    found = SheetScan()
    try:
        with zipfile.ZipFile(path) as archive:
            part = _part_of(archive, sheet)
            if part is None:
                return found
            styles, xml = _padding_styles(archive), archive.read(part)
    except UNREADABLE:
        return found  # calamine says what is wrong; a part it doesn't need may be odd
    if b"<f" in xml or b'"e"' in xml:
        found.failed.extend(map(_cell, islice(_FAILED.finditer(xml), MOST_FAILED)))
    if b' hidden="' in xml:
        found.hidden_rows = len(_HIDDEN_ROW.findall(xml))
        for first, last in _HIDDEN_COLUMNS.findall(xml):
            found.hidden_columns.update(range(int(first) - 1, min(int(last), WIDEST)))
    if styles:
        pattern = rb'<c r="([A-Z]{1,3})\d+" s="(' + b"|".join(styles) + rb')"(?: t="n")?>'
        for (letters, style), count in Counter(re.findall(pattern, xml)).items():
            found.padded[_column_of(letters), styles[style]] += count
    return found


def _padding_styles(archive: zipfile.ZipFile) -> dict[bytes, int]:
    """Return the cell styles whose number format is nothing but zeros, with the number of zeros."""
    try:
        text = archive.read("xl/styles.xml")
    except KeyError:
        return {}
    formats = {
        number: len(code)
        for tag in re.findall(rb"<(?:\w+:)?numFmt\b[^>]*>", text)
        for number in re.findall(rb'\bnumFmtId="(\d+)"', tag)
        for code in re.findall(rb'\bformatCode="(0{2,})"', tag)
    }
    cells = re.search(rb"<(?:\w+:)?cellXfs\b.*?</(?:\w+:)?cellXfs>", text, re.DOTALL)
    if not formats or cells is None:
        return {}
    styles = re.findall(rb'<(?:\w+:)?xf\b[^>]*?\bnumFmtId="(\d+)"', cells[0])
    return {str(i).encode(): formats[number] for i, number in enumerate(styles) if number in formats}


def _column_of(letters: bytes) -> int:
    """Return the column, from 0, that letters name."""
    column = 0
    for letter in letters:
        column = column * 26 + letter - 64
    return column - 1


def _cell(match: re.Match[bytes]) -> Failed:
    letters, row, value = match[1] or match[4], match[2] or match[5], match[3] or b""
    return Failed(int(row), _column_of(letters), unescape(value.decode("utf-8", "replace")))


def uses_1904(path: Path) -> bool:
    """Whether an XLSX workbook counts days from 1904."""
    try:
        with zipfile.ZipFile(path) as archive:
            book = archive.read("xl/workbook.xml")
    except UNREADABLE:
        return False
    return re.search(rb'<workbookPr\b[^>]*\bdate1904="(?:1|true)"', book) is not None


def _part_of(archive: zipfile.ZipFile, sheet: str) -> str | None:
    """Return the path of a sheet's XML inside the workbook."""
    names = {name.lstrip("/").lower(): name for name in archive.namelist()}
    book = archive.read(names["xl/workbook.xml"]).decode("utf-8", "replace")
    links = archive.read(names["xl/_rels/workbook.xml.rels"]).decode("utf-8", "replace")
    for tag in re.findall(r"<(?:\w+:)?sheet\b[^>]*>", book):
        name = re.search(r'\bname="([^"]*)"', tag)
        key = re.search(r'\b\w+:id="([^"]*)"', tag)
        if name and key and unescape(name[1]) == sheet:
            for link in re.findall(r"<(?:\w+:)?Relationship\b[^>]*>", links):
                if f'Id="{key[1]}"' in link and (target := re.search(r'Target="([^"]*)"', link)):
                    return names.get("xl/" + target[1].lstrip("/").removeprefix("xl/").lower())
    return None
