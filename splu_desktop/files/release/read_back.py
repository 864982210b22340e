"""Written tables read again and compared with what was to be written."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from splu_desktop.core.packed.texts import Texts
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Codes, Column, Kind, Table, unique
from splu_desktop.files.disk.in_blocks import blocks, mapped
from splu_desktop.files.disk.inert import restored
from splu_desktop.files.importer import parquet
from splu_desktop.files.importer.workbook.reading import all_sheets
from splu_desktop.files.isolation.faults import NotInstalled
from splu_desktop.files.tables.table_writers import NoParquet, has_values
from splu_desktop.files.tables.xlsx_check import workbook_differs
from splu_desktop.files.tables.xlsx_parts import TABLE_SHEET
from splu_desktop.files.tables.xlsx_writer import typed_cells

_STAGE = "Reading the files back"
_BLOCK = 1 << 16  # bytes
_BLOCKS = 6


def csv_differs(path: Path, table: Table, progress: Progress) -> str | None:
    """Return the name of a column that reads differently from a CSV file than it was written, None where all agree.

    Short files are read whole, long ones in blocks spread over them; that every byte is on disk as it was written is
    for the file's hash to say.
    """
    with path.open("rb") as file:
        size = path.stat().st_size
        # Names and values may hold line breaks: then only whole reading finds where header and records end.
        if size <= _BLOCK * _BLOCKS or _breaks(table, progress):
            rows = list(csv.reader(io.StringIO(file.read().decode("utf-8-sig"), newline="")))
            if [restored(name) for name in rows[0]] != list(table.names):
                return table.names[0]
            return _rows_differ(rows[1:], table, 0) if len(rows) == table.n + 1 else table.names[0]
        head = file.readline()
        if [restored(name) for name in next(csv.reader([head.decode("utf-8-sig")]), [])] != list(table.names):
            return table.names[0]
        lines = _line_starts(file, len(head), size, progress)
        for start, first in lines:
            progress.report(_STAGE, start / size)
            file.seek(start)
            block = file.read(_BLOCK)
            block = block[: block.rfind(b"\n") + 1]
            odd = _rows_differ(list(csv.reader(io.StringIO(block.decode("utf-8"), newline=""))), table, first)
            if odd is not None:
                return odd
    return None


def _breaks(table: Table, progress: Progress) -> bool:
    if any("\n" in name or "\r" in name for name in table.names):
        return True
    for column in table.columns:
        for block in blocks(column.texts, progress, _STAGE):
            if block.has(b"\n\r") if isinstance(block, Texts) else not {"\n", "\r"}.isdisjoint("".join(block)):
                return True
    return False


def _line_starts(file: Any, begin: int, size: int, progress: Progress) -> list[tuple[int, int]]:
    """Return (offset, record number) of the first line in each of some blocks spread over the file."""
    wanted = np.linspace(begin, max(begin, size - _BLOCK), _BLOCKS).astype(int).tolist()
    found, at, record = [], begin, 0
    file.seek(begin)
    for target in wanted:
        while at < target:
            progress.report(_STAGE, at / size)
            chunk = file.read(min(1 << 22, target - at))
            record += chunk.count(b"\n")
            at += len(chunk)
        # The block starts behind the end of the line that `at` lies in, unless it lies at a line's start already.
        file.seek(at - 1)
        inside = file.read(1) != b"\n"
        rest = len(file.readline()) if inside else 0
        found.append((at + rest, record + (1 if inside else 0)))
        file.seek(at)
    return found


def _rows_differ(rows: Sequence[Sequence[str]], table: Table, first: int) -> str | None:
    part = slice(first, first + len(rows))
    for at, column in enumerate(table.columns):
        wanted = list(column.texts[column.codes[part]])
        got = [row[at] if at < len(row) else None for row in rows]
        if got != wanted and [None if text is None else restored(text) for text in got] != wanted:
            return column.name
    return None


def written_differs(path: Path, form: str, table: Table, progress: Progress) -> str | None:
    """Return the name of a column that a table file just written holds otherwise than `table`, None where all agree.

    form : one of `WRITERS`.

    Workbooks and Parquet files are compared cell by cell, CSV files as `csv_differs` says. Raises Cancelled.
    """
    if form == "csv":
        return csv_differs(path, table, progress)
    return workbook_differs(path, table, progress) if form == "xlsx" else _parquet(path, table, progress)


def differing(raw: bytes | None, path: Path, form: str, table: Table, progress: Progress) -> str | None:
    """Return the name of a column that an XLSX or Parquet file holds otherwise than `table`, None where all agree.

    Parameters
    ----------
    raw : the file's bytes; None for a Parquet file that lies at `path`.
    path : its name.
    form : "xlsx" or "parquet".

    Both are read in a process of their own. Raises NoParquet where the library is not installed; FileFault, Cancelled.
    """
    return _parquet(path, table, progress, raw) if form == "parquet" else _xlsx(raw or b"", path, table, progress)


def _xlsx(raw: bytes, path: Path, table: Table, progress: Progress) -> str | None:
    wanted = [
        mapped(typed_cells(column, progress, _STAGE), lambda block: list(map(_spread, block)))
        for column in table.columns
    ]
    seen = 0
    sheets = all_sheets(raw, path, progress)
    if len(sheets) > 1 and sheets[0].name != TABLE_SHEET:  # what is read first, in the release's language
        sheets = sheets[1:]
    for sheet in sheets:
        progress.report(_STAGE, min(1.0, seen / table.n))
        names = [sheet.columns[i].cells(slice(1))[0] if i in sheet.columns else "" for i in range(len(table.names))]
        rows = len(sheet.numbers) - 1
        in_order = rows >= 0 and int(sheet.numbers[-1]) == rows + 1
        if not in_order or names != list(table.names) or max(sheet.columns) >= len(names) or seen + rows > table.n:
            return table.names[0]
        part = slice(seen, seen + rows)
        for at, column in enumerate(table.columns):
            found = sheet.columns[at]
            distinct = np.empty(len(found.numbers) + len(found.others) + 1, object)
            distinct[:] = [*found.numbers.tolist(), *map(_spread, found.others), ""]
            if not np.array_equal(distinct[found.codes[1:]], wanted[at][column.codes[part]]):
                return column.name
        seen += rows
    return None if seen == table.n else table.names[0]


def _spread(cell: Any) -> Any:
    """Return a cell in the one form that writer and reader share: calamine gives floats, and dates at midnight."""
    if cell is None or cell == "":
        return ""
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date()
    if isinstance(cell, datetime.datetime):
        return cell.replace(microsecond=round(cell.microsecond, -3) % 1_000_000)
    return float(cell) if isinstance(cell, int) else cell


def _parquet(path: Path, table: Table, progress: Progress, content: bytes | None = None) -> str | None:
    size, done = path.stat().st_size if content is None else len(content), 0
    try:
        for coded in parquet.in_parts(path, size, progress, content=content):
            read = len(coded[0][1]) if coded else 0
            if [name for name, _, _ in coded] != list(table.names) or done + read > table.n:
                return table.names[0]
            part = slice(done, done + read)
            for place, (column, (_, codes, distinct)) in enumerate(zip(table.columns, coded, strict=True)):
                progress.report(_STAGE, (done + read * place / len(coded)) / max(table.n, 1))
                if not _same_values(codes, distinct, column, column.codes[part]):
                    return column.name
            done += read
    except NotInstalled:
        raise NoParquet("reading Parquet needs the program's “parquet” extra.") from None
    return None if done == table.n else table.names[0]


def _same_values(codes: Codes, distinct: list[Any], column: Column, ours: Codes) -> bool:
    wanted = column.labels
    if column.values is not None and has_values(column):
        dates = column.kind in (Kind.DATE, Kind.DATETIME)
        typed = column.values.astype("datetime64[us]").astype(object) if dates else column.values.astype(object)
        wanted = typed.copy()
        wanted[column.missing] = None
        distinct = [_moment(value) for value in distinct] if dates else distinct
    # Each pair of a code here and a code there is compared once; mostly one there goes with each here.
    one = np.zeros(len(distinct), ours.dtype)
    one[codes] = ours
    others = np.flatnonzero(one[codes] != ours)
    pairs = unique(codes[others].astype(np.int64) * column.m + ours[others])
    used = np.flatnonzero(np.bincount(codes, minlength=len(distinct)))
    held = np.concatenate([used, pairs // column.m]), np.concatenate([one[used], pairs % column.m])
    return all(
        distinct[here] == wanted[there] and (distinct[here] is None) == (wanted[there] is None)
        for here, there in zip(*(codes.tolist() for codes in held), strict=True)
    )


def _moment(value: Any) -> Any:
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return datetime.datetime.combine(value, datetime.time())
    return value
