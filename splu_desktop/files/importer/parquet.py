"""Parquet files, by pyarrow where it is installed: the installers leave it out, since it would double them."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from splu_desktop.core.progress import Progress
from splu_desktop.core.table import IN_MEMORY, Storage
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.columns.cells import text_of
from splu_desktop.files.importer.columns.coded_columns import Coded, coded_columns, gathered
from splu_desktop.files.importer.raw import RawTable
from splu_desktop.files.isolation import memory
from splu_desktop.files.isolation.parent import isolated

AT_ONCE = 1 << 21  # records of a table that is read part by part


def read(
    path: Path,
    choices: ImportChoices,
    progress: Progress,
    *,
    limit: int | None = None,
    storage: Storage = IN_MEMORY,
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Read a Parquet file into raw columns; returns them with the resolved choices and the reasons.

    `storage` : where codes are to lie.
    """
    size = path.stat().st_size
    if storage.records is None:
        parts = iter([values(path, size, progress, limit=limit)])
    else:
        parts = in_parts(path, size, progress)
    texts = ([(name, codes, list(map(cell_text, known))) for name, codes, known in coded] for coded in parts)
    raw, names = gathered(texts, path, choices, progress, storage)
    return raw, replace(choices, format="parquet", names=names), {}


def values(
    path: Path, size: int, progress: Progress, *, content: bytes | None = None, limit: int | None = None
) -> Coded:
    """Return the columns of a Parquet file, codes over the distinct values; `content` if it doesn't lie at `path`."""
    return coded_columns(_found(path, size, progress, content, limit, 0), path)


def in_parts(path: Path, size: int, progress: Progress, *, content: bytes | None = None) -> Iterator[Coded]:
    """Give the same part by part, each over the distinct values of its own."""
    first = 0
    while True:
        found = _found(path, size, progress, content, AT_ONCE, first)
        yield coded_columns(found, path)
        first += AT_ONCE
        if first >= int(found["records"]):
            return


def _found(path: Path, size: int, progress: Progress, content: bytes | None, limit: int | None, first: int) -> Any:
    # Its process knows what it will take, and refuses; this is the most that it may.
    need = memory.need("parquet", size)
    return isolated("parquet", path, progress, size=size, need=need, content=content, limit=limit, first=first)


def cell_text(value: Any) -> str:
    """Return the exact text of a Parquet cell."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    return text_of(value)
