"""A workbook of this program's own writing, read again cell by cell in blocks, which no library does.

Libraries read a sheet in one call: a million rows take seconds in which nothing can be stopped, and a gigabyte.
Here the sheet is unpacked piece by piece (by which ZIP's own sums are checked, too). The first cell with a given label
is decoded and compared with what the label stands for; every other cell with that label must then be spelled alike.
`read_back` compares with a library's reading where a workbook comes from elsewhere.
"""

from __future__ import annotations

import datetime
import re
import zipfile
from collections.abc import Iterator
from html import unescape
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column, Table
from splu_desktop.files.disk.in_blocks import let_go
from splu_desktop.files.tables.xlsx_parts import column_letters
from splu_desktop.files.tables.xlsx_writer import typed_cells

_STAGE = "Reading the files back"
_BLOCK = 1 << 20  # bytes
_STRING = re.compile(r"<si><t(?: xml:space=\"preserve\")?>(.*?)</t></si>", re.DOTALL)
_MARK = re.compile("_x([0-9A-Fa-f]{4})_")
_CELL = re.compile(r'"(?: s="([0-9]+)")?(?: t="(s)")?(?:/>|><v>([^<]*)</v></c>)')
_START = "<sheetData>"
_CELL_START = '<c r="'
_DAY_ZERO = datetime.datetime(1899, 12, 30)
_DATES = ("2", "3")  # styles


def workbook_differs(path: Path, table: Table, progress: Progress) -> str | None:
    """Return the name of a column that a workbook holds otherwise than `table`, None where all agree.

    Raises Cancelled; a broken archive counts as a difference in the first column.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return _differs(archive, table, progress)
    except (zipfile.BadZipFile, KeyError, IndexError, ValueError, EOFError):
        return table.names[0]


def _differs(archive: zipfile.ZipFile, table: Table, progress: Progress) -> str | None:
    strings = _shared_strings(archive, progress)
    columns = [_Cells(place, column, strings, progress) for place, column in enumerate(table.columns)]
    seen, number = 0, 1
    while f"xl/worksheets/sheet{number}.xml" in archive.NameToInfo:
        row = 2  # behind the header
        for block in _row_blocks(archive, f"xl/worksheets/sheet{number}.xml"):
            progress.report(_STAGE, min(1.0, seen / table.n))
            first, *cells = block.split(_CELL_START)
            if first == '<row r="1">':
                odd = _header_differs(cells[: len(columns)], table, strings)
                if odd is not None:
                    return odd
                cells = cells[len(columns) :]
            rows, loose = divmod(len(cells), len(columns))
            if loose or seen + rows > table.n:
                return table.names[0]
            for column in columns:
                if not column.agree(cells[column.place :: len(columns)], seen, row, last=column is columns[-1]):
                    return column.name
            seen, row = seen + rows, row + rows
        number += 1
    learnt = (texts for column in columns for texts in (column.spelled, column.wanted))
    let_go(strings, *learnt, progress=progress, stage=_STAGE)
    return None if seen == table.n else table.names[0]


class _Cells:
    """One column: what each label must look like, learnt from the first cell that has it."""

    def __init__(self, place: int, column: Column, strings: list[str], progress: Progress) -> None:
        self.place, self.name = place, column.name
        self._codes, self._strings = column.codes, strings
        self._letters = column_letters(place)
        self.wanted = typed_cells(column, progress, _STAGE)
        self.spelled = np.full(column.m, None, dtype=object)

    def agree(self, cells: list[str], seen: int, row: int, *, last: bool) -> bool:
        """Return whether cells hold the records from `seen` on; the first stands in the sheet's row `row`."""
        codes = self._codes[seen : seen + len(cells)]
        numbers = list(map(str, range(row, row + len(cells) + 1)))
        ends = [f'</row><row r="{number}">' for number in numbers[1:]] if last else []
        if ends:
            ends[-1] = "</row>"
        unknown = [at for at in np.unique(codes, return_index=True)[1].tolist() if self.spelled[codes[at]] is None]
        for at in unknown:
            cell = cells[at].removesuffix(ends[at]) if last else cells[at]
            spelled = cell.removeprefix(self._letters + numbers[at])
            if not self._means(spelled, self.wanted[codes[at]]):
                return False
            self.spelled[codes[at]] = spelled
        parts: list[Any] = [repeat(self._letters), numbers, self.spelled[codes].tolist()]
        return cells == list(map("".join, zip(*parts, *([ends] if last else []), strict=False)))

    def _means(self, spelled: str, wanted: Any) -> bool:
        found = _CELL.fullmatch(spelled)
        if found is None:
            return False
        style, shared, value = found.groups()
        if value is None:
            return wanted is None
        if shared:
            return bool(style is None and self._strings[int(value)] == wanted)
        if isinstance(wanted, datetime.datetime):
            days = datetime.timedelta(milliseconds=round(float(value) * 86_400_000))
            return style in _DATES and _DAY_ZERO + days == wanted
        return style is None and isinstance(wanted, int | float) and float(value) == float(wanted)


def _header_differs(cells: list[str], table: Table, strings: list[str]) -> str | None:
    for place, (cell, name) in enumerate(zip(cells, table.names, strict=True)):
        end = ("</row>", '</row><row r="2">') if place == len(cells) - 1 else ("",)
        whole = next((cell.removesuffix(known) for known in reversed(end) if cell.endswith(known)), "")
        found = _CELL.fullmatch(whole.removeprefix(f"{column_letters(place)}1"))
        if found is None or not found[2] or strings[int(found[3])] != name:
            return name
    return None


def _shared_strings(archive: zipfile.ZipFile, progress: Progress) -> list[str]:
    found: list[str] = []
    rest = ""
    decoded: list[bytes] = []
    with archive.open("xl/sharedStrings.xml") as file:
        while block := file.read(_BLOCK):
            progress.report(_STAGE, 0.0)
            # Cut behind a whole entry: no character is torn apart there.
            decoded.append(block)
            joined = b"".join(decoded)
            cut = joined.rfind(b"</si>") + 5
            if cut < 5:
                continue
            rest, decoded = joined[:cut].decode("utf-8"), [joined[cut:]]
            found += [_MARK.sub(_character, unescape(text)) for text in _STRING.findall(rest)]
    return found


def _character(found: re.Match[str]) -> str:
    return chr(int(found[1], 16))


def _row_blocks(archive: zipfile.ZipFile, name: str) -> Iterator[str]:
    """Give a sheet's rows in blocks, each from the start of a row to the end of one."""
    with archive.open(name) as file:
        rest, begun = "", False
        while block := file.read(_BLOCK):
            rest += block.decode("ascii")
            if not begun:
                start = rest.find(_START)
                if start < 0:
                    continue
                rest, begun = rest[start + len(_START) :], True
            cut = rest.rfind("</row>") + len("</row>")
            if cut >= len("</row>"):
                yield rest[:cut]
                rest = rest[cut:]
