"""A Parquet file in a reader's process: its columns as codes over distinct values."""

from __future__ import annotations

import datetime as dt
import io
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import numpy as np

from splu_desktop.core.progress import Progress
from splu_desktop.files.isolation.faults import Corrupt, NotInstalled
from splu_desktop.files.isolation.wire import Plain

_ROWS = 100_000  # at a time
_BUFFER = 1 << 20  # bytes of a column that are read at a time
# Bytes of memory for a cell, for a distinct value as what it is stored as, and for a byte of what the file unpacks to;
# measured at the peak and rounded up. A cell of a nested column is made a text one by one.
_PER_CELL, _PER_BYTE = 10.0, 12.0
_PER_VALUE = {"BOOLEAN": 0.0, "BYTE_ARRAY": 330.0, "FIXED_LEN_BYTE_ARRAY": 480.0}
_PER_NUMBER, _PER_MOMENT, _PER_NESTED = 260.0, 700.0, 700.0
_PLAIN = {type(None), str, int, float, bool, bytes, dt.date, dt.datetime, dt.time, dt.timedelta}
# Bytes that a distinct value takes at least in the file, where it is not stored as what it adds to the one before.
_USUAL = 60  # bytes of a text of which the file doesn't tell
_BYTES = {"INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 12, "BYTE_ARRAY": 4}


def footer(path: Path, content: bytes | None, *, wanted: list[str] | None = None) -> Plain:
    """Return what a file's metadata say of its size, as far as honest ones can be known by them.

    Returns how many records and columns there are, and of each row group the `rows`, the bytes of memory that reading
    it `takes`, and those that it `unpacks` to.
    """
    pq, raised = _library(path)
    try:
        with path.open("rb") if content is None else io.BytesIO(content) as source:
            file = pq.ParquetFile(source)
        told = file.metadata
        places = [told.schema.column(k) for k in range(told.num_columns)]
        names = [str(name) for name in file.schema_arrow.names]
        rows, takes, unpacks = [], [], []
        for i in range(told.num_row_groups):
            group = told.row_group(i)
            need = unpacked = 0.0
            for k, place in enumerate(places):
                if wanted is None or place.path.split(".")[0] in wanted:
                    part = group.column(k)
                    need += _need(part, place)
                    unpacked += max(part.total_uncompressed_size, 0)
            rows.append(group.num_rows)
            takes.append(need)
            unpacks.append(unpacked)
    except (MemoryError, Corrupt):
        raise
    except raised as error:
        raise _corrupt(path) from error
    figures = {"rows": np.array(rows, np.int64), "takes": np.array(takes), "unpacks": np.array(unpacks)}
    return {"records": told.num_rows, "columns": len(names), **figures}


def _need(part: Any, place: Any) -> Any:
    """Return the bytes of memory that reading a column of a row group takes: it has as many values as it can hold."""
    size, cells = max(part.total_uncompressed_size, 0), max(part.num_values, 0)
    added = any("DELTA" in form for form in part.encodings)
    values = cells if added else min(cells, size // _BYTES.get(part.physical_type, 1))
    each = _PER_VALUE.get(part.physical_type, _PER_NUMBER)
    if str(place.logical_type.type) in ("DATE", "TIME", "TIMESTAMP") or part.physical_type == "INT96":
        each = _PER_MOMENT
    if place.max_repetition_level or "." in place.path:
        each, values = _PER_NESTED, cells
    letters = size
    if "DELTA_BYTE_ARRAY" in part.encodings:  # what a text shares with the one before takes no room in the file
        told = part.statistics if part.is_stats_set and part.statistics.has_min_max else None
        longest = max(len(told.min_raw), len(told.max_raw)) if told is not None else _USUAL
        letters += cells * longest // 2
    return _PER_CELL * cells + each * values + _PER_BYTE * letters


def groups_of(rows: Iterable[int], first: int, limit: int | None) -> tuple[list[int], int]:
    """Return the row groups that hold `limit` records from record `first` on, and the first one's first record."""
    found: list[int] = []
    begins = at = 0
    for i, more in enumerate(rows):
        end = at + more
        if end > first and (limit is None or at < first + limit):
            begins = begins if found else at
            found.append(i)
        at = end
    return found, begins


def _library(path: Path) -> tuple[Any, tuple[type[Exception], ...]]:
    """Return the library, and what it raises where a file is damaged."""
    try:
        import pyarrow as pa  # an optional part, which may be missing
        import pyarrow.parquet as pq
    except ImportError as error:
        raise NotInstalled(
            "“{path}” is a Parquet file, and this installation leaves the library for it out; "
            "install it with “pip install splu-desktop[parquet]”, or export the table as CSV.",
            path=path.name,
        ) from error
    pa.set_cpu_count(1)
    return pq, (pa.ArrowException, OSError, ValueError, TypeError, OverflowError, IndexError)


def _corrupt(path: Path) -> Corrupt:
    return Corrupt(path, "its Parquet content can't be read")


def columns(
    path: Path,
    content: bytes | None,
    progress: Progress,
    *,
    limit: int | None,
    first: int = 0,
    wanted: list[str] | None = None,
) -> Plain:
    """Return names, (codes, distinct values) of each column, and how many records the file has.

    `limit`, `first` : only so many records, from number `first` on. `wanted` : only the columns of these names.
    """
    pq, raised = _library(path)
    try:
        with path.open("rb") if content is None else io.BytesIO(content) as source:
            file = _opened(pq, source)
            told = file.metadata
            groups, at = groups_of((told.row_group(i).num_rows for i in range(told.num_row_groups)), first, limit)
            names = [str(name) for name in file.schema_arrow.names if wanted is None or str(name) in wanted]
            indexes: list[defaultdict[Any, int]] = [defaultdict() for _ in names]
            codes: list[list[Any]] = [[np.zeros(0, np.int32)] for _ in names]
            end = told.num_rows if limit is None else min(first + limit, told.num_rows)
            for batch in file.iter_batches(batch_size=_ROWS, row_groups=groups, columns=names):
                progress.report("Reading", min(at / max(told.num_rows, 1), 1.0))
                rows = len(batch)
                batch = batch.slice(max(first - at, 0), max(end - max(at, first), 0))
                for column, index, parts in zip(batch.columns, indexes, codes, strict=True):
                    index.default_factory = index.__len__
                    parts.append(_coded(column, index))
                at += rows
                if at >= end:
                    break
            if at < end:
                raise _corrupt(path)  # fewer records than it says
    except (MemoryError, Corrupt):
        raise
    except raised as error:
        raise _corrupt(path) from error
    found = [[np.concatenate(parts), list(index)] for parts, index in zip(codes, indexes, strict=True)]
    return {"names": names, "columns": found, "records": told.num_rows}


def _opened(pq: Any, source: IO[bytes]) -> Any:
    """Return a file whose texts come as codes over their distinct ones where they are stored so.

    A text said a million times is there once then; spelled out, a few of 500 letters would take gigabytes.
    """
    told = pq.ParquetFile(source).metadata
    texts = []
    for k in range(told.num_columns):
        kind, parts = told.schema.column(k), [told.row_group(i).column(k) for i in range(told.num_row_groups)]
        added = any("DELTA" in form for part in parts for form in part.encodings)  # which has no codes
        if kind.physical_type == "BYTE_ARRAY" and not (added or kind.max_repetition_level or "." in kind.path):
            texts.append(kind.path)
    return pq.ParquetFile(source, read_dictionary=texts, buffer_size=_BUFFER)


def _coded(column: Any, index: defaultdict[Any, int]) -> Any:
    """Return the codes of a column's cells, whose values join the index."""
    import pyarrow as pa  # `_library` has looked for it

    if pa.types.is_nested(column.type) or pa.types.is_float16(column.type):
        column = pa.array([None if cell is None else str(cell) for cell in column.to_pylist()], pa.string())
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    # By DLPack: `to_numpy` and `fill_null` would load pandas, 0.2 s, wherever that is installed.
    there = np.from_dlpack(encoded.indices.is_valid().cast("int8")).view(bool)
    cells = np.from_dlpack(encoded.indices.drop_null())
    used = np.flatnonzero(np.bincount(cells, minlength=len(encoded.dictionary)))
    distinct = encoded.dictionary
    if len(used) < len(distinct):  # those of other parts of the file
        distinct = distinct.take(pa.array(used))
    values = [*map(_plain, distinct.to_pylist()), *([None] if encoded.null_count else [])]
    new = np.fromiter(map(index.__getitem__, values), np.int32, len(values))
    of = np.zeros(len(encoded.dictionary), np.int32)
    of[used] = new[: len(used)]
    each = np.full(len(there), new[-1] if len(new) else 0, np.int32)
    each[there] = of[cells]
    return each


def _plain(value: Any) -> Any:
    """Return a value as the wire takes it."""
    if type(value) not in _PLAIN and hasattr(value, "to_pydatetime"):
        value = value.to_pydatetime(warn=False)
    return value if type(value) in _PLAIN else str(value)
