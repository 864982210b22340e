"""A Parquet file in a reader's process: its columns as codes over distinct values."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import IO, Any

import numpy as np

from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.columns.cells import Coding, shorten, text_of
from splu_desktop.files.isolation.faults import Corrupt, NotInstalled, TooSpread
from splu_desktop.files.isolation.wire import Plain

_ROWS = 100_000  # at a time
_BUFFER = 1 << 20  # bytes of a column that are read at a time
_CELLS, _CELLS_PER_BYTE = 5_000_000, 50  # that a file may have; equal ones take no room in it


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


def columns(path: Path, progress: Progress, *, limit: int | None) -> Plain:
    """Return names and (codes, distinct texts) of each column; `limit` : of so many first records alone."""
    pq, raised = _library(path)
    try:
        with path.open("rb") as source:
            file = _open(pq, source)
            names = [str(name) for name in file.schema_arrow.names]
            numbers = [str(kind).startswith(("double", "float", "decimal")) for kind in file.schema_arrow.types]
            end = file.metadata.num_rows if limit is None else min(limit, file.metadata.num_rows)
            if end * len(names) > _CELLS + _CELLS_PER_BYTE * path.stat().st_size:
                raise TooSpread(path)
            coded = [Coding() for _ in names]
            at = 0
            for batch in file.iter_batches(batch_size=_ROWS):
                progress.report("Reading", min(at / max(end, 1), 1.0))
                batch = batch.slice(0, end - at)
                for column, gatherer in zip(batch.columns, coded, strict=True):
                    gatherer.parts.append(_encode(column, gatherer.index))
                at += len(batch)
                if at >= end:
                    break
            if at < end:
                raise Corrupt(path, "Parquet")  # fewer records than it says
    except (MemoryError, Corrupt, TooSpread):
        raise
    except raised as error:
        raise Corrupt(path, "Parquet") from error
    parts = [gatherer.column() for gatherer in coded]
    return {"names": names, "numbers": numbers, "columns": [[part.codes, part.cells] for part in parts]}


def _open(pq: Any, source: IO[bytes]) -> Any:
    """Return a file whose texts come as codes over their distinct ones where they are stored so.

    A text said a million times is there once then; spelled out, a few of 500 letters would take gigabytes.
    """
    meta = pq.ParquetFile(source).metadata
    texts = []
    for k in range(meta.num_columns):
        kind, parts = meta.schema.column(k), [meta.row_group(i).column(k) for i in range(meta.num_row_groups)]
        added = any("DELTA" in form for part in parts for form in part.encodings)  # which has no codes
        if kind.physical_type == "BYTE_ARRAY" and not (added or kind.max_repetition_level or "." in kind.path):
            texts.append(kind.path)
    return pq.ParquetFile(source, read_dictionary=texts, buffer_size=_BUFFER)


def _encode(column: Any, index: defaultdict[Any, int]) -> Any:
    """Return the codes of a column's cells, whose values join the index."""
    import pyarrow as pa  # `_library` has looked for it

    if pa.types.is_nested(column.type):
        column = pa.array([None if cell is None else str(cell) for cell in column.to_pylist()], pa.string())
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    # By DLPack: `to_numpy` and `fill_null` would load pandas, 0.2 s, wherever that is installed.
    there = np.from_dlpack(encoded.indices.is_valid().cast("int8")).view(bool)
    cells = np.from_dlpack(encoded.indices.drop_null())
    used = np.flatnonzero(np.bincount(cells, minlength=len(encoded.dictionary)))
    distinct = encoded.dictionary
    if len(used) < len(distinct):  # those of other parts of the file
        distinct = distinct.take(pa.array(used))
    kind = np.dtype(distinct.type.to_pandas_dtype()).type if pa.types.is_floating(distinct.type) else np.object_
    values = [*(text_of(shorten(cell, kind)) for cell in distinct.to_pylist()), *([""] if encoded.null_count else [])]
    new = np.fromiter(map(index.__getitem__, values), np.int32, len(values))
    of = np.zeros(len(encoded.dictionary), np.int32)
    of[used] = new[: len(used)]
    each = np.full(len(there), new[-1] if len(new) else 0, np.int32)
    each[there] = of[cells]
    return each
