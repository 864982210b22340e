"""Written tables read again and compared with what was to be written."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.in_blocks import blocks, mapped
from splu_desktop.files.inert import restored
from splu_desktop.files.table_writers import NoParquet, has_values
from splu_desktop.files.xlsx_check import workbook_differs
from splu_desktop.files.xlsx_writer import typed_cells

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
        head = file.readline()
        names = next(csv.reader([head.decode("utf-8-sig")], strict=True), [])
        # A name may hold a line break; then the header goes on, and only whole reading finds its end.
        simple = [restored(name) for name in names] == list(table.names)
        if not simple or size <= _BLOCK * _BLOCKS or _breaks(table, progress):
            file.seek(0)
            rows = list(csv.reader(io.StringIO(file.read().decode("utf-8-sig"), newline="")))
            if [restored(name) for name in rows[0]] != list(table.names):
                return table.names[0]
            return _rows_differ(rows[1:], table, 0) if len(rows) == table.n + 1 else table.names[0]
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
    joined = ("".join(block) for column in table.columns for block in blocks(column.labels, progress, _STAGE))
    return any("\n" in text or "\r" in text for text in joined)


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
        wanted = column.labels[column.codes[part]].tolist()
        got = [row[at] if at < len(row) else None for row in rows]
        if got != wanted and [None if text is None else restored(text) for text in got] != wanted:
            return column.name
    return None


def written_differs(path: Path, form: str, table: Table, progress: Progress) -> str | None:
    """Return the name of a column that a table file just written holds otherwise than `table`, None where all agree.

    Parameters
    ----------
    form : one of `WRITERS`.

    Workbooks and Parquet files are compared cell by cell, CSV files as `csv_differs` says. Raises Cancelled.
    """
    if form == "csv":
        return csv_differs(path, table, progress)
    return workbook_differs(path, table, progress) if form == "xlsx" else _parquet(path, table, progress)


def differing(raw: bytes, form: str, table: Table, progress: Progress) -> str | None:
    """Return the name of a column that an XLSX or Parquet file holds otherwise than `table`, None where all agree.

    Parameters
    ----------
    raw : the file's bytes.
    form : "xlsx" or "parquet".

    A workbook is read by a library that takes each sheet in one call, and can't be stopped meanwhile.
    Raises NoParquet where the library is not installed; Cancelled.
    """
    return _parquet(io.BytesIO(raw), table, progress) if form == "parquet" else _xlsx(raw, table, progress)


def _xlsx(raw: bytes, table: Table, progress: Progress) -> str | None:
    import python_calamine

    progress.report(_STAGE, 0.0)
    book = python_calamine.load_workbook(io.BytesIO(raw))
    wanted = [
        mapped(typed_cells(column, progress, _STAGE), lambda block: list(map(_spread, block)))
        for column in table.columns
    ]
    seen = 0
    for name in book.sheet_names:
        progress.report(_STAGE, min(1.0, seen / table.n))
        rows = book.get_sheet_by_name(name).iter_rows()
        if list(next(rows, [])) != list(table.names):
            return table.names[0]
        while block := list(islice(rows, 5_000)):
            progress.report(_STAGE, min(1.0, seen / table.n))
            part = slice(seen, seen + len(block))
            for at, column in enumerate(table.columns):
                if [_spread(row[at]) for row in block] != wanted[at][column.codes[part]].tolist():
                    return column.name
            seen += len(block)
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


def _parquet(file: io.BytesIO | Path, table: Table, progress: Progress) -> str | None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise NoParquet("reading Parquet needs the program's “parquet” extra.") from None
    stored = pq.ParquetFile(file)
    if stored.metadata.num_rows != table.n or stored.schema_arrow.names != list(table.names):
        return table.names[0]
    seen = 0
    for batch in stored.iter_batches(50_000):
        part = slice(seen, seen + batch.num_rows)
        for place, column in enumerate(table.columns):
            progress.report(_STAGE, seen / table.n)
            if not _same_array(batch.column(place), column, part, pa):
                return column.name
        seen = part.stop
    return None


def _same_array(array: Any, column: Column, part: slice, pa: Any) -> bool:
    if column.values is None or not has_values(column):
        encoded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
        labels = np.array(encoded.dictionary.to_pylist(), dtype=object)
        return bool(np.array_equal(labels[encoded.indices.to_numpy()], column.labels[column.codes[part]]))
    absent = column.missing[column.codes[part]]
    if not np.array_equal(array.is_null().to_numpy(zero_copy_only=False), absent):
        return False
    wanted = column.values[column.codes[part]][~absent]
    got = array.drop_null().to_numpy(zero_copy_only=False)
    if column.kind in (Kind.DATE, Kind.DATETIME):
        return bool(np.array_equal(got.astype("datetime64[us]"), wanted))
    return bool(np.array_equal(got.astype(float), wanted))
