"""Tables in web pages and in Excel's XML of 2003, which many systems call an Excel export: only their text is taken.

The tables of a file are read as the sheets of a workbook, the largest one first. Scripts, styles and comments are
skipped, nothing is fetched, a document type of its own is refused.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.parsers import expat

from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.columns.cells import encode_cells
from splu_desktop.files.importer.recognise import form_of
from splu_desktop.files.importer.workbook.plain_sheet import PlainSheet
from splu_desktop.files.importer.workbook.sheet_scan import SheetScan, Span
from splu_desktop.files.isolation.faults import Corrupt, TooSpread

_BLOCK = 1 << 16
_WIDEST, _LONGEST = 16_384, 1_048_576  # columns and rows of a sheet
_GIVEN = 2_000_000  # rows and cells that tables may have by places and spans alone, and one more for each byte
_CHARSET = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)


def sheets(path: Path, progress: Progress) -> list[PlainSheet]:
    """Return the tables of a file, the largest first; in a reader's process. Raises Corrupt, TooSpread."""
    content = path.read_bytes()
    page = _read(path, content, progress)
    tables = [table for table in page.found if table.filled]
    tables.sort(key=lambda table: -table.filled)
    names = Counter(table.name for table in tables)
    sheets = []
    for number, table in enumerate(tables, 1):
        height, width = len(table.rows), max(max(row, default=-1) for row in table.rows) + 1
        page.lay_out(height * width - sum(map(len, table.rows)))
        columns = {at: encode_cells(row.get(at, "") for row in table.rows) for at in range(width)}
        name = table.name if table.name and names[table.name] == 1 else f"{number}"
        sheets.append(PlainSheet(name, height, width, height, columns, SheetScan(table.across)))
    return sheets


class _Table:
    """The cells of one table, row by row and column by column, those that reach over several among them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.rows: list[dict[int, str]] = []
        self.across: list[Span] = []
        self.in_row = False
        self.cell: _Cell | None = None  # begun
        self._next = 0  # column
        self._down: dict[int, tuple[int, str]] = {}  # column -> rows that a cell above still reaches, and its text

    @property
    def filled(self) -> int:
        """How many cells have a text."""
        return sum(sum(map(bool, row.values())) for row in self.rows)

    def begin_row(self, at: int) -> int:
        """Begin a row, at a place from 0 or behind the last one; returns how many rows and cells that lays out."""
        skipped = max(at - len(self.rows), 0)
        self.rows.extend({} for _ in range(skipped))
        self.rows.append({column: text for column, (_, text) in self._down.items()})
        self._down = {column: (left - 1, text) for column, (left, text) in self._down.items() if left > 1}
        self._next, self.in_row = 0, True
        return skipped + len(self.rows[-1])

    def add(self, text: str, across: int, down: int, at: int) -> int:
        """Add a cell; a text that reaches down belongs to all its rows, as it would in a sheet's merged cells."""
        row, column = self.rows[-1], max(self._next, min(at, _WIDEST))
        while column in row:
            column += 1
        across = max(1, min(across, _WIDEST - column))
        self._next = column + across
        cells = dict.fromkeys(range(column, self._next), "") | {column: text}
        row |= cells
        if down > 1:
            self._down |= {place: (down - 1, each) for place, each in cells.items()}
        if across > 1:
            self.across.append(((len(self.rows) - 1, column), (len(self.rows) - 1, self._next - 1)))
        return across


class _Page(HTMLParser):
    """Finds all tables of a page, or sheets of a workbook; what stands in a table within a cell is the inner one's.

    A workbook says the same by other names: Worksheet, Row, Cell, and the place of a row or cell where one is left out.
    """

    def __init__(self, path: Path, size: int, *, web: bool) -> None:
        super().__init__(convert_charrefs=True)
        self._path, self._left = path, _GIVEN + size
        self.found: list[_Table] = []
        self._open: list[_Table] = []
        self._silent = 0
        self._cell: tuple[str, ...]
        self._table, self._row, self._cell = ("table", "tr", ("td", "th")) if web else ("worksheet", "row", ("cell",))

    def lay_out(self, count: int) -> None:
        """Count rows or cells laid out, lest a small file fills the memory. Raises TooSpread."""
        self._left -= count
        if self._left < 0:
            raise TooSpread(self._path)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a table, row, cell or value."""
        tag, given = _local(tag), {_local(name): value for name, value in attrs}
        if tag in _SILENT:
            self._silent += 1
        elif tag == self._table:
            self._open.append(_Table("" if tag == "table" else given.get("name") or ""))
        elif not self._open:
            return
        elif tag == self._row:
            self._end_cell()
            self.lay_out(self._open[-1].begin_row(_number(given, "index") - 1))
        elif tag in self._cell:
            self._end_cell()
            if not self._open[-1].in_row:
                self.lay_out(self._open[-1].begin_row(0))
            across, down = (
                _number(given, span) if span in given else _number(given, merged, 0) + 1
                for span, merged in (("colspan", "mergeacross"), ("rowspan", "mergedown"))
            )
            self._open[-1].cell = _Cell(across, down, _number(given, "index") - 1)
        elif tag == "data" and (cell := self._open[-1].cell) is not None and not self._silent:
            cell.kind = given.get("type") or ""
        elif tag in ("br", "p", "div", "li"):
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        """End a table, row or cell."""
        tag = _local(tag)
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif self._open and tag in (*self._cell, self._row, self._table):
            self._end_cell()
            if tag not in self._cell:
                self._open[-1].in_row = False
            if tag == self._table:
                self.found.append(self._open.pop())

    def handle_data(self, data: str) -> None:
        """Take the text of a cell."""
        if self._open and (cell := self._open[-1].cell) is not None and not self._silent:
            cell.texts.append(data)

    def close(self) -> None:
        """End what a file that breaks off left open."""
        super().close()
        while self._open:
            self.handle_endtag(self._table)

    def _end_cell(self) -> None:
        table = self._open[-1]
        if (cell := table.cell) is not None:
            self.lay_out(table.add(_value("".join(cell.texts), cell.kind), cell.across, cell.down, cell.at))
            table.cell = None


_SILENT = ("script", "style", "template", "comment", "phonetictext")


@dataclass
class _Cell:
    """A cell begun: columns and rows that it reaches over, its place from 0, its texts and their type."""

    across: int
    down: int
    at: int
    texts: list[str] = field(default_factory=list)
    kind: str = ""


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _number(given: Mapping[str, str | None], name: str, usual: int = 1) -> int:
    text = (given.get(name) or "").strip()
    return min(int(text), _LONGEST) if text.isdecimal() and len(text) < 9 else usual


def _value(text: str, kind: str) -> str:
    if kind == "DateTime":  # 2024-01-05T00:00:00.000; a time of day alone stands on the last day of 1899
        day, _, time = text.strip().partition("T")
        time = time.removesuffix(".000")
        if time in ("", "00:00:00"):
            return day
        return time if day == "1899-12-31" else f"{day} {time}"
    if kind == "Boolean":
        return {"1": "TRUE", "0": "FALSE"}.get(text.strip(), text)
    return " ".join(text.split())


def _read(path: Path, content: bytes, progress: Progress) -> _Page:
    """Return a page or workbook with its tables. Raises Corrupt, TooSpread."""
    web = form_of(content[:4096]) == "html"
    page = _Page(path, len(content), web=web)
    source: Any = _decode(content) if web else content
    feed: Callable[[Any], object] = page.feed if web else _xml_feed(path, page)
    try:
        for at in range(0, len(source), _BLOCK):
            progress.report("Reading", at / len(source))
            feed(source[at : at + _BLOCK])
        if not web:
            feed(b"")
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise Corrupt(path, "XML") from error
    page.close()
    return page


def _xml_feed(path: Path, page: _Page) -> Callable[[bytes], object]:
    """Return what takes the parts of a workbook, the last one empty: ten times as quick as the parser of pages."""

    def refuse(*_: object) -> None:
        raise Corrupt(path, "XML DOCTYPE")  # entities of its own could be anything

    def start(name: str, given: dict[str, str]) -> None:
        page.handle_starttag(name.lower(), [(key.lower(), value) for key, value in given.items()])

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda name: page.handle_endtag(name.lower())
    parser.CharacterDataHandler = page.handle_data
    parser.StartDoctypeDeclHandler = refuse
    return lambda part: parser.Parse(part, not part)


def _decode(content: bytes) -> str:
    """Return the text of a page by its mark, by what it says, by UTF-8 if it is that, else by Windows' own letters."""
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    charset = _CHARSET.search(content[:4096])
    marked = content.startswith(codecs.BOM_UTF8)
    named = charset[1].decode("ascii", "replace") if charset and not marked else ""
    for name in ("utf-16" if wide else named, "utf-8-sig"):
        with suppress(LookupError, UnicodeDecodeError):
            return content.decode(name)
    return content.decode("cp1252", "replace")
