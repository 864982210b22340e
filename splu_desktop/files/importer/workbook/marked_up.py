"""Tables in web pages and in Excel's XML of 2003, which many systems call an Excel export: only their text is taken.

The tables of a file are read as the sheets of a workbook, the largest one first. Scripts, styles and comments are
skipped, nothing is fetched, a document type of its own is refused.
"""

from __future__ import annotations

import codecs
import io
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import IO, Any
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
    found = [table for table in _tables(path, path.stat().st_size, progress) if any(map(any, table.rows))]
    found.sort(key=lambda table: -sum(sum(map(bool, row)) for row in table.rows))
    names = Counter(table.name for table in found)
    return [
        _plain(table, table.name if table.name and names[table.name] == 1 else f"{number}")
        for number, table in enumerate(found, 1)
    ]


def _plain(table: _Sheet, name: str) -> PlainSheet:
    """Return a table as the sheet of a workbook."""
    width = max(map(len, table.rows))
    table.room.take(sum(width - len(row) for row in table.rows))
    rows = [[*row, *[""] * (width - len(row))] for row in table.rows]
    columns = dict(enumerate(map(encode_cells, zip(*rows, strict=True))))
    return PlainSheet(name, len(rows), len(columns), len(rows), columns, SheetScan(table.across))


class _Room:
    """How many rows and cells a file may still lay out, lest a small one fills the memory."""

    def __init__(self, path: Path, size: int) -> None:
        self._path, self._left = path, _GIVEN + size

    def take(self, count: int) -> None:
        """Count rows or cells laid out. Raises TooSpread."""
        self._left -= count
        if self._left < 0:
            raise TooSpread(self._path)


class _Sheet:
    """Gathers the cells of one table, those that reach over several rows or columns among them."""

    def __init__(self, room: _Room, name: str = "") -> None:
        self.name = name
        self.rows: list[list[str]] = []
        self.across: list[Span] = []
        self.room = room
        self._row: list[str] | None = None
        self._down: dict[int, tuple[int, str]] = {}  # column -> rows that a cell above still reaches, and its text

    def begin_row(self, at: int | None = None) -> None:
        """Begin a row, at a place from 0 where one is given."""
        self.end_row()
        missing = min(at or 0, _LONGEST) - len(self.rows)
        if missing > 0:
            self.room.take(missing)
            self.rows.extend([] for _ in range(missing))
        self._row = []

    def end_row(self) -> None:
        """End the row, if one was begun."""
        if self._row is not None:
            self._reach()
            self.rows.append(self._row)
            self._row = None

    def cell(self, text: str, across: int = 1, down: int = 1, at: int | None = None) -> None:
        """Add a cell; a text that reaches down belongs to all its rows, as it would in a sheet's merged cells."""
        if self._row is None:
            self._row = []
        while at is not None and len(self._row) < min(at, _WIDEST):
            self._reach()
            if len(self._row) < at:
                self.room.take(1)
                self._row.append("")
        self._reach()
        column = len(self._row)
        across = max(1, min(across, _WIDEST - column))
        self.room.take(across)
        if down > 1:
            self._down.update(dict.fromkeys(range(column + 1, column + across), (down - 1, "")))
            self._down[column] = (down - 1, text)
        if across > 1:
            self.across.append(((len(self.rows), column), (len(self.rows), column + across - 1)))
        self._row += [text, *[""] * (across - 1)]

    def _reach(self) -> None:
        assert self._row is not None
        while (column := len(self._row)) in self._down:
            self.room.take(1)
            left, text = self._down.pop(column)
            if left > 1:
                self._down[column] = (left - 1, text)
            self._row.append(text)


class _Page(HTMLParser):
    """Finds all tables of a page, or sheets of a workbook; what stands in a table within a cell is the inner one's.

    A workbook says the same by other names: Worksheet, Row, Cell, and the place of a row or cell where one is left out.
    """

    def __init__(self, room: _Room, *, web: bool) -> None:
        super().__init__(convert_charrefs=True)
        self._room = room
        self.found: list[_Sheet] = []
        self._open: list[_Sheet] = []
        self._cells: list[_Cell | None] = []  # one begun in each open table
        self._silent = 0
        self._cell: tuple[str, ...]
        self._table, self._row, self._cell = ("table", "tr", ("td", "th")) if web else ("worksheet", "row", ("cell",))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a table, row, cell or value."""
        tag, given = _local(tag), {_local(name): value for name, value in attrs}
        if tag in _SILENT:
            self._silent += 1
        elif tag == self._table:
            self._open.append(_Sheet(self._room, "" if self._table == "table" else given.get("name") or ""))
            self._cells.append(None)
        elif not self._open:
            return
        elif tag == self._row:
            self._end_cell()
            self._open[-1].begin_row(_place(given))
        elif tag in self._cell:
            self._end_cell()
            across, down = (
                _number(given.get(span)) if span in given else _number(given.get(merged, "0")) + 1
                for span, merged in (("colspan", "mergeacross"), ("rowspan", "mergedown"))
            )
            self._cells[-1] = _Cell(across, down, _place(given))
        elif tag == "data" and (cell := self._cells[-1]) is not None and not self._silent:
            cell.kind = given.get("type") or ""
        elif tag in ("br", "p", "div", "li"):
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        """End a table, row or cell."""
        tag = _local(tag)
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif not self._open:
            return
        elif tag in self._cell:
            self._end_cell()
        elif tag == self._row:
            self._end_cell()
            self._open[-1].end_row()
        elif tag == self._table:
            self._end_cell()
            self._cells.pop()
            sheet = self._open.pop()
            sheet.end_row()
            self.found.append(sheet)

    def handle_data(self, data: str) -> None:
        """Take the text of a cell."""
        if self._cells and (cell := self._cells[-1]) is not None and not self._silent:
            cell.texts.append(data)

    def close(self) -> None:
        """End what a file that breaks off left open."""
        super().close()
        while self._open:
            self.handle_endtag(self._table)

    def _end_cell(self) -> None:
        if (cell := self._cells[-1]) is not None:
            self._open[-1].cell(_value("".join(cell.texts), cell.kind), cell.across, cell.down, cell.at)
            self._cells[-1] = None


_SILENT = ("script", "style", "template", "comment", "phonetictext")


@dataclass
class _Cell:
    """A cell begun: columns and rows that it reaches over, its place where that is told, its texts and their type."""

    across: int
    down: int
    at: int | None
    texts: list[str] = field(default_factory=list)
    kind: str = ""


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _number(text: str | None) -> int:
    return min(int(text), _LONGEST) if text is not None and text.strip().isdecimal() and len(text) < 9 else 1


def _place(given: Mapping[str, str | None]) -> int | None:
    return _number(given["index"]) - 1 if "index" in given else None


def _value(text: str, kind: str) -> str:
    if kind == "DateTime":  # 2024-01-05T00:00:00.000; a time of day alone stands on the last day of 1899
        day, _, time = text.strip().partition("T")
        time = time.removesuffix(".000")
        return day if time in ("", "00:00:00") else time if day == "1899-12-31" else f"{day} {time}"
    if kind == "Boolean":
        return {"1": "TRUE", "0": "FALSE"}.get(text.strip(), text)
    return " ".join(text.split())


def _tables(path: Path, size: int, progress: Progress) -> list[_Sheet]:
    """Return all tables of a page or workbook. Raises Corrupt."""
    with path.open("rb") as file:
        head = file.read(4096)
        file.seek(0)
        web = form_of(head) == "html"
        page = _Page(_Room(path, size), web=web)
        source: IO[Any] = io.TextIOWrapper(file, _charset(head, path), "replace") if web else file
        parser = None if web else _xml_parser(path, page)  # ten times as quick as the one for pages
        try:
            done = 0
            while part := source.read(_BLOCK):
                done += len(part)
                progress.report("Reading", min(1.0, done / max(size, 1)))
                page.feed(part) if parser is None else parser.Parse(part, False)
            if parser is not None:
                parser.Parse(b"", True)
        except (expat.ExpatError, ValueError, LookupError) as error:
            raise Corrupt(path, "XML") from error
    page.close()
    return page.found


def _xml_parser(path: Path, page: _Page) -> expat.XMLParserType:
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
    return parser


def _charset(head: bytes, path: Path) -> str:
    """Return the encoding of a page: its mark, what it says, UTF-8 if it is that, else Windows' own."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if not head.startswith(codecs.BOM_UTF8) and (told := _CHARSET.search(head)):
        try:
            return codecs.lookup(told[1].decode("ascii", "replace")).name
        except LookupError:
            pass
    try:
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                decoder.decode(block)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8-sig"
