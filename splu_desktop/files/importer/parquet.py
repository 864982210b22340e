"""Parquet files, by pyarrow where it is installed: the installers leave it out, since it would double them."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from splu_desktop.core.progress import Progress
from splu_desktop.core.said import say
from splu_desktop.files.importer import memory
from splu_desktop.files.importer.cells import text_of
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.faults import Corrupt, EmptyFile, NotInstalled, OtherWidth
from splu_desktop.files.importer.grid import Grid
from splu_desktop.files.importer.header import unique_names
from splu_desktop.files.importer.raw import RawTable


def read(
    path: Path, choices: ImportChoices, progress: Progress, *, limit: int | None = None
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Read a Parquet file into raw columns; returns them with the resolved choices and the reasons."""
    try:
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.parquet as pq
    except ImportError as error:
        raise NotInstalled(
            say(
                "“{path}” is a Parquet file, and this installation leaves the library for it out; "
                "install it with “pip install splu-desktop[parquet]”, or export the table as CSV.",
                path=path.name,
            )
        ) from error
    try:
        file = pq.ParquetFile(path)
        schema = file.schema_arrow
        if not len(schema):
            raise EmptyFile(path, "has no columns")
        memory.check(path, 4.0 * sum(file.metadata.row_group(i).total_byte_size for i in range(file.num_row_groups)))
        names, problems = unique_names([str(name) for name in schema.names])
        own: tuple[str, ...] | None = None
        if choices.names is not None:
            if len(choices.names) != len(names):
                raise OtherWidth(len(choices.names), len(names))
            own, names = names, choices.names
        grid = Grid(len(names), choices)
        at = 0
        for batch in file.iter_batches(batch_size=100_000):
            progress.report("Reading", at / max(file.metadata.num_rows, 1))
            if limit is not None:
                batch = batch.slice(0, limit - at)
            columns = []
            for column in batch.columns:
                if pa.types.is_nested(column.type) or pa.types.is_float16(column.type):
                    column = pa.array([None if cell is None else str(cell) for cell in column.to_pylist()], pa.string())
                encoded = column if pa.types.is_dictionary(column.type) else pc.dictionary_encode(column)
                distinct = [_text(value) for value in encoded.dictionary.to_pylist()]
                codes = pc.fill_null(encoded.indices, len(distinct)).to_numpy(zero_copy_only=False).astype(np.int64)
                columns.append((codes, [*distinct, ""]))
            grid.add_columns(columns, np.arange(at + 1, at + 1 + len(batch), dtype=np.int64))
            at += len(batch)
            if limit is not None and at >= limit:
                break
    except (pa.ArrowException, OSError) as error:
        raise Corrupt(path, "its Parquet content can't be read") from error
    raw = grid.table(names, problems, trim=False, last_row=choices.last_row, progress=progress)
    raw = replace(raw, own_names=own)
    return raw, replace(choices, format="parquet", names=names), {}


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if hasattr(value, "to_pydatetime"):
        value = value.to_pydatetime(warn=False)
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    return text_of(value)
