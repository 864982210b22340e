"""A Parquet file in a reader's process: its columns as codes over distinct values."""

from __future__ import annotations

import datetime as dt
import io
from collections import defaultdict
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from splu_desktop.core.progress import Progress
from splu_desktop.files.isolation import memory
from splu_desktop.files.isolation.faults import Corrupt, NotInstalled, TooSpread
from splu_desktop.files.isolation.wire import Plain

_ROWS = 100_000  # at a time
_GLANCE = 10_000  # records, of which a preview asks fewer
_CELLS, _CELLS_PER_BYTE = 5_000_000, 50  # that a file may have; equal ones take no room in it
_PER_CELL, _PER_VALUE, _PER_BYTE = 8.0, 330.0, 12.0  # bytes of memory, per cell, distinct value and unpacked byte
_PLAIN = {type(None), str, int, float, bool, bytes, dt.date, dt.datetime, dt.time, dt.timedelta}
_NUMBER, _LEAST = 8, 4  # bytes that a distinct value takes at least in the file, and one of an unknown kind


def _need(told: Any, groups: Iterable[int], wanted: Collection[str] | None) -> float:
    """Return the bytes of memory that reading is estimated to take: as many distinct values as the bytes can hold."""
    need = float(memory.AT_LEAST)
    for i in groups:
        group = told.row_group(i)
        for k in range(group.num_columns):
            part = group.column(k)
            if wanted is not None and part.path_in_schema not in wanted:
                continue
            size = max(part.total_uncompressed_size, 0)
            each = _NUMBER if part.physical_type in ("INT64", "DOUBLE") else _LEAST
            values = min(part.num_values, size // each)
            need += _PER_CELL * part.num_values + _PER_VALUE * values + _PER_BYTE * size
    return need


def _groups(told: Any, first: int, limit: int | None) -> tuple[list[int], int]:
    """Return the row groups that hold `limit` records from record `first` on, and the first one's first record."""
    found: list[int] = []
    begins = at = 0
    for i in range(told.num_row_groups):
        end = at + told.row_group(i).num_rows
        if end > first and (limit is None or at < first + limit):
            begins = begins if found else at
            found.append(i)
        at = end
    return found, begins


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
    try:
        import pyarrow as pa  # an optional part, which may be missing
        import pyarrow.parquet as pq
    except ImportError as error:
        raise NotInstalled(
            "“{path}” is a Parquet file, and this installation leaves the library for it out; "
            "install it with “pip install splu-desktop[parquet]”, or export the table as CSV.",
            path=path.name,
        ) from error
    try:
        pa.set_cpu_count(1)
        file = pq.ParquetFile(path.open("rb") if content is None else io.BytesIO(content))
        told = file.metadata
        groups, at = _groups(told, first, limit)
        memory.check(path, _need(told, groups, wanted))
        names = [str(name) for name in file.schema_arrow.names if wanted is None or str(name) in wanted]
        size = path.stat().st_size if content is None else len(content)
        if (limit is None or limit > _GLANCE) and told.num_rows * len(names) > _CELLS + _CELLS_PER_BYTE * size:
            raise TooSpread(path)
        indexes: list[defaultdict[Any, int]] = [defaultdict() for _ in names]
        codes: list[list[Any]] = [[np.zeros(0, np.int32)] for _ in names]
        end = told.num_rows if limit is None else first + limit
        for batch in file.iter_batches(batch_size=_ROWS, row_groups=groups, columns=names):
            progress.report("Reading", min(at / max(told.num_rows, 1), 1.0))
            rows = len(batch)
            batch = batch.slice(max(first - at, 0), max(end - max(at, first), 0))
            for column, index, parts in zip(batch.columns, indexes, codes, strict=True):
                if pa.types.is_nested(column.type) or pa.types.is_float16(column.type):
                    column = pa.array([None if cell is None else str(cell) for cell in column.to_pylist()], pa.string())
                encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
                gaps = [None] if encoded.null_count else []  # else nobody has the empty value
                distinct = [*map(_plain, [*encoded.dictionary.to_pylist(), *gaps])]
                index.default_factory = index.__len__
                new = np.fromiter(map(index.__getitem__, distinct), np.int32, len(distinct))
                # By DLPack: `to_numpy` and `fill_null` would load pandas, 0.2 s, wherever that is installed.
                there = np.from_dlpack(encoded.indices.is_valid().cast("int8")).view(bool)
                each = np.full(len(there), len(distinct) - 1, np.int32)
                each[there] = np.from_dlpack(encoded.indices.drop_null())
                parts.append(new[each])
            at += rows
            if at >= end:
                break
    except (MemoryError, Corrupt):
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, OverflowError, IndexError) as error:
        raise Corrupt(path, "its Parquet content can't be read") from error
    found = [
        [np.concatenate(parts), [value for _, value in index]] for parts, index in zip(codes, indexes, strict=True)
    ]
    return {"names": names, "columns": found, "records": told.num_rows}


def _plain(value: Any) -> tuple[str, Any]:
    """Return a value as the wire takes it; TRUE and 1 are equal to Python, so its kind stands before it."""
    if type(value) not in _PLAIN and hasattr(value, "to_pydatetime"):
        value = value.to_pydatetime(warn=False)
    return type(value).__name__, value if type(value) in _PLAIN else str(value)
