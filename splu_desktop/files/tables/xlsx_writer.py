"""The published table as an Excel workbook.

Written by hand, since no library can be stopped on the way: rustpy-xlsxwriter compresses a million rows in one call of
nine seconds, xlsxwriter takes four times as long and closes its file in one call as well. Each label is turned into XML
once; rows are joined from such pieces and compressed as they come.
"""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Iterator, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import FileFault
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.disk.in_blocks import blocks, let_go, mapped
from splu_desktop.files.tables import xlsx_parts as parts
from splu_desktop.files.tables.spelling import valued

SHEET_ROWS = 1_048_576  # Excel's, header included
_MOST_COLUMNS = 16_384
_LONGEST_TEXT = 32_767
_CELLS_AT_A_TIME = 60_000
_LEVEL = 4  # of compression: half the time of the usual 6, a twentieth more bytes
_STAGE = "Writing XLSX"
_DAY_ZERO = datetime.datetime(1899, 12, 30)


class NotForExcel(FileFault):
    """A table is beyond what an Excel workbook can hold."""


def write_xlsx(
    table: Table,
    path: Path,
    progress: Progress,
    bom: bool = False,
    note: Sequence[str] = (),
    *,
    sheet_rows: int = SHEET_ROWS,
) -> None:
    """Write an Excel workbook: header frozen and bold, widths set, real numbers and dates, text never a formula.

    Parameters
    ----------
    bom : without meaning here; all table writers take it.
    note : name of the first sheet and what stands alone on it, which a hurried reader sees before the table, if any.
    sheet_rows : rows a sheet may have; a longer table goes on in further sheets, each with the header.

    Raises NotForExcel where a text or the number of columns is beyond Excel's limits; Cancelled.
    """
    _check(table, progress)
    strings: dict[str, int] = {}
    header = [_text_cell(name, strings, parts.BOLD) for name in table.names]
    cells = [_cells(column, strings, progress) for column in table.columns]
    widths = [_width(column) for column in table.columns]
    starts = list(range(0, table.n, sheet_rows - 1))
    sheets = {note[0]: "note.xml"} if note else {}
    sheets |= {
        f"{parts.TABLE_SHEET} {number}" if number > 1 else parts.TABLE_SHEET: f"sheet{number}.xml"
        for number in range(1, len(starts) + 1)
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
        for name, text in (
            ("[Content_Types].xml", parts.content_types(sheets)),
            ("_rels/.rels", parts.ROOT_RELATIONS),
            ("xl/workbook.xml", parts.workbook(sheets)),
            ("xl/_rels/workbook.xml.rels", parts.workbook_relations(sheets)),
            ("xl/styles.xml", parts.STYLES),
        ):
            # Opened by name a part bears no time; `writestr` would note when, and in which time zone.
            with archive.open(name, "w") as part:
                part.write(text.encode("utf-8"))
        for number, first in enumerate(starts, 1):
            last = min(first + sheet_rows - 1, table.n)
            with archive.open(f"xl/worksheets/sheet{number}.xml", "w", force_zip64=True) as sheet:
                sheet.write(parts.sheet_start(widths, number == 1 and not note).encode())
                for block in _rows(table, header, cells, first, last, progress):
                    sheet.write(block.encode("utf-8"))
                sheet.write(parts.SHEET_END.encode())
        if note:
            with archive.open("xl/worksheets/note.xml", "w") as sheet:
                sheet.write(parts.note_sheet(strings.setdefault(note[1], len(strings))).encode())
        count = table.n * len(table.columns) + bool(note)
        with archive.open("xl/sharedStrings.xml", "w", force_zip64=True) as shared:
            shared.write(parts.strings_start(count, len(strings)).encode())
            texts = list(strings)
            for at in range(0, len(texts), 20_000):
                progress.report(_STAGE, 1.0)
                shared.write("".join(map(parts.shared_string, texts[at : at + 20_000])).encode("utf-8"))
            shared.write(parts.STRINGS_END.encode())
        let_go(strings, texts, *cells, progress=progress, stage=_STAGE)
    progress.report(_STAGE, 1.0)


def typed_cells(column: Column, progress: Progress, stage: str) -> NDArray[np.object_]:
    """Return (m,) one spreadsheet cell per label: numbers and dates as such, other labels as text, the empty as None.

    Raises Cancelled.
    """
    found = np.empty(column.m, dtype=object)
    known = valued(column)
    at = 0
    for block in blocks(column.labels, progress, stage):
        part = slice(at, at + len(block))
        found[part] = _typed(column, part, [text or None for text in block], (~known[part]).tolist())
        at += len(block)
    return found


def _typed(column: Column, part: slice, labels: list[Any], absent: list[bool]) -> list[Any]:
    if column.values is None:
        return labels
    if column.kind in (Kind.DATE, Kind.DATETIME):
        moments = column.values[part].astype("datetime64[us]").tolist()
        # Excel has no dates before 1900-03-01 that all programs agree on, none after 9999 (here whole numbers),
        # and counts in milliseconds.
        return [
            t if gone or not isinstance(d, datetime.datetime) or d.year < 1901 or d.microsecond % 1000 else d
            for t, d, gone in zip(labels, moments, absent, strict=True)
        ]
    # A spreadsheet number holds 15 digits; longer ones stay text rather than change.
    digits = [sum(map(str.isdigit, text or "")) for text in labels]
    numbers = column.values[part].tolist()
    if column.kind is Kind.INTEGER:
        numbers = [v if gone else int(v) for v, gone in zip(numbers, absent, strict=True)]
    return [t if gone or k > 15 else v for t, v, k, gone in zip(labels, numbers, digits, absent, strict=True)]


def _cells(column: Column, strings: dict[str, int], progress: Progress) -> NDArray[np.object_]:
    """Return (m,) the XML of each label's cell from behind the row number on: `<c r="A` and the number come before."""
    style = {Kind.DATE: parts.DATE, Kind.DATETIME: parts.DATETIME}.get(column.kind, 0)

    def spelled(cell: Any) -> str:
        if cell is None:
            return '"/>'
        if isinstance(cell, str):
            return _text_cell(cell, strings, 0)
        if isinstance(cell, datetime.datetime):
            days = (cell - _DAY_ZERO) / datetime.timedelta(days=1)
            return f'" s="{style}"><v>{days!r}</v></c>'
        return f'"><v>{cell!r}</v></c>'

    typed = typed_cells(column, progress, _STAGE)
    return mapped(typed, lambda block: list(map(spelled, block)), progress, _STAGE)


def _text_cell(text: str, strings: dict[str, int], style: int) -> str:
    number = strings.setdefault(text, len(strings))
    return f'" s="{style}" t="s"><v>{number}</v></c>' if style else f'" t="s"><v>{number}</v></c>'


def _rows(
    table: Table, header: list[str], cells: list[NDArray[np.object_]], first: int, last: int, progress: Progress
) -> Iterator[str]:
    starts = [f'<c r="{parts.column_letters(place)}' for place in range(len(header))]
    row_starts = ['<row r="', '">' + starts[0], *starts[1:]]
    pieces = [piece for start, cell in zip(starts, header, strict=True) for piece in (start, "1", cell)]
    yield '<row r="1">' + "".join(pieces) + "</row>"
    step = max(1, _CELLS_AT_A_TIME // len(header))
    for at in range(first, last, step):
        progress.report(_STAGE, at / table.n)
        part = slice(at, min(at + step, last))
        numbers = list(map(str, range(at - first + 2, part.stop - first + 2)))
        columns: list[Any] = [repeat(row_starts[0]), numbers]
        for start, texts, column in zip(row_starts[1:], cells, table.columns, strict=True):
            columns += [repeat(start), numbers, texts[column.codes[part]].tolist()]
        columns.append(repeat("</row>"))
        yield "".join(map("".join, zip(*columns, strict=False)))


def _width(column: Column) -> float:
    longest = max([len(column.name), *map(len, column.labels[:1000].tolist())])
    return float(min(max(longest + 2, 8), 50))


def _check(table: Table, progress: Progress) -> None:
    if len(table.columns) > _MOST_COLUMNS:
        raise NotForExcel(f"The table has {len(table.columns)} columns, and Excel takes {_MOST_COLUMNS}; choose CSV.")
    for column in table.columns:
        if any(max(map(len, block)) > _LONGEST_TEXT for block in blocks(column.labels, progress, _STAGE)):
            raise NotForExcel(
                f"Column “{column.name}” has a text longer than the {_LONGEST_TEXT} characters that an Excel cell "
                "takes; choose CSV."
            )
