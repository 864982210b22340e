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
_LITERAL = r'"([^"0.,]*)"|\\([^0.,])|([-/ ()])'  # of a number format
WIDEST = 16_384  # columns of a sheet
MOST_FAILED = 100_000

Padded = Counter[tuple[int, str]]  # (column from 0, format such as 00000) -> cells whose numbers it fills up
Span = tuple[tuple[int, int], tuple[int, int]]  # (first row, first column), (last row, last column), from 0


class CellError(NamedTuple):
    """A cell: row from 1, column from 0, and the error it shows ("" for a formula without a stored result)."""

    row: int
    column: int
    value: str


@dataclass
class SheetScan:
    """What a sheet says beside its cells.

    Attributes
    ----------
    merged_cells : ranges of merged cells.
    error_cells : cells with an error or without their formula's result.
    number_shapes : column, from 0 -> how most of its cells fill numbers up with zeros: 00000 of postcodes, P000-0.
    hidden_rows, hidden_columns : how many rows are not shown, and which columns, from 0.
    since_1904 : whether its days are counted from then, as those of old Macs are.
    """

    merged_cells: list[Span] = field(default_factory=list)
    error_cells: list[CellError] = field(default_factory=list)
    number_shapes: dict[int, str] = field(default_factory=dict)
    hidden_rows: int = 0
    hidden_columns: set[int] = field(default_factory=set)
    since_1904: bool = False

    def report_hidden(self, names: Mapping[int, str], sheet: str) -> Iterator[Problem]:
        """Yield a problem for hidden rows, and one for each hidden column that is read."""
        rows_too = [(None, self.hidden_rows)] if self.hidden_rows else []
        for column, rows in [*rows_too, *((names[at], 0) for at in sorted(self.hidden_columns & names.keys()))]:
            what = say("rows: {n}", n=rows) if column is None else say("“{name}”", name=column)
            sentence = say("Hidden in this sheet, but read like the rest: {what}.", what=what)
            yield Problem(ProblemKind.NOTE, sentence, sheet, column=column, rows=rows)


def scan_xlsx(path: Path, sheet: str) -> tuple[SheetScan, Padded]:
    """Look through a sheet of an XLSX workbook."""
    scan, padded = SheetScan(), Padded()
    try:
        with zipfile.ZipFile(path) as archive:
            names = {name.lstrip("/").lower(): name for name in archive.namelist()}
            book = archive.read(names["xl/workbook.xml"])
            xml = archive.read(names[_part_of(book, archive.read(names["xl/_rels/workbook.xml.rels"]), sheet)])
            styles = _padding_styles(archive.read(names["xl/styles.xml"])) if "xl/styles.xml" in names else {}
    except UNREADABLE:
        return scan, padded  # calamine says what is wrong; a part it doesn't need may be odd
    if prefix := re.search(rb"<(\w+:)worksheet\b", xml[:2000]):  # as the libraries of Microsoft write it
        xml = xml.replace(b"<" + prefix[1], b"<").replace(b"</" + prefix[1], b"</")
    scan.since_1904 = re.search(rb'<(?:\w+:)?workbookPr\b[^>]*\bdate1904="(?:1|true)"', book) is not None
    if b"<f" in xml or b'"e"' in xml:
        scan.error_cells.extend(map(_cell, islice(_FAILED.finditer(xml), MOST_FAILED)))
    if b' hidden="' in xml:
        scan.hidden_rows = len(_HIDDEN_ROW.findall(xml))
        for first, last in _HIDDEN_COLUMNS.findall(xml):
            scan.hidden_columns.update(range(int(first) - 1, min(int(last), WIDEST)))
    if styles:
        cell = rb'<c\b(?=[^>]*\bs="(%b)")(?![^>]*\bt="[^n])[^>]*\br="([A-Z]{1,3})\d+"[^>]*(?<!/)>' % b"|".join(styles)
        for (style, letters), count in Counter(re.findall(cell, xml)).items():
            padded[_column_of(letters), styles[style]] += count
    return scan, padded


def _padding_styles(text: bytes) -> dict[bytes, str]:
    """Return the cell styles whose number format is nothing but zeros and letters, with how it shows a number."""
    formats = {
        number: shape
        for tag in re.findall(rb"<(?:\w+:)?numFmt\b[^>]*>", text)
        for number in re.findall(rb'\bnumFmtId="(\d+)"', tag)
        for code in re.findall(rb'\bformatCode="([^"]*)"', tag)
        if (shape := _shape_of(unescape(code.decode("utf-8", "replace"))))
    }
    cells = re.search(rb"<(?:\w+:)?cellXfs\b.*?</(?:\w+:)?cellXfs>", text, re.DOTALL)
    if not formats or cells is None:
        return {}
    styles = re.findall(rb'<(?:\w+:)?xf\b[^>]*?\bnumFmtId="(\d+)"', cells[0])
    return {str(i).encode(): formats[number] for i, number in enumerate(styles) if number in formats}


def _shape_of(code: str) -> str:
    """Return how a number format of zeros and letters shows a number above 0, as P000-0; "" for other formats."""
    part = re.sub(r"\[(?:\$[^]]*|[A-Za-z]+)\]|_.|\*.", "", code.split(";")[0])  # a language, a colour, room
    shape = re.sub(_LITERAL, r"\1\2\3", part)
    return shape if re.fullmatch("00+", re.sub(_LITERAL, "", part)) else ""


def _column_of(letters: bytes) -> int:
    """Return the column, from 0, that letters name."""
    column = 0
    for letter in letters:
        column = column * 26 + letter - 64
    return column - 1


def _cell(match: re.Match[bytes]) -> CellError:
    letters, row, value = match[1] or match[4], match[2] or match[5], match[3] or b""
    return CellError(int(row), _column_of(letters), unescape(value.decode("utf-8", "replace")))


def _part_of(book: bytes, links: bytes, sheet: str) -> str:
    """Return the path of a sheet's XML inside the workbook, in small letters. Raises KeyError."""
    for tag in re.findall(r"<(?:\w+:)?sheet\b[^>]*>", book.decode("utf-8", "replace")):
        name, key = re.search(r'\bname="([^"]*)"', tag), re.search(r'\b\w+:id="([^"]*)"', tag)
        if name and key and unescape(name[1]) == sheet:
            for link in re.findall(r"<(?:\w+:)?Relationship\b[^>]*>", links.decode("utf-8", "replace")):
                if f'Id="{key[1]}"' in link and (target := re.search(r'Target="([^"]*)"', link)):
                    return "xl/" + target[1].lstrip("/").removeprefix("xl/").lower()
    raise KeyError(sheet)
