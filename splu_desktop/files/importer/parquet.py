"""Parquet files, by pyarrow where it is installed: the installers leave it out, since it would double them."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import Progress
from splu_desktop.core.table import IN_MEMORY, Storage
from splu_desktop.files.disk.background import in_background
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.columns.cells import text_of
from splu_desktop.files.importer.columns.coded_columns import Coded, coded_columns, gathered
from splu_desktop.files.importer.parquet_counts import MEMORY
from splu_desktop.files.importer.raw import RawTable
from splu_desktop.files.isolation import memory
from splu_desktop.files.isolation.parent import BrokeOff, isolated

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


def in_parts(
    path: Path,
    size: int,
    progress: Progress,
    *,
    content: bytes | None = None,
    limit: int | None = None,
    wanted: Sequence[str] | None = None,
    width: int = 1,
) -> Iterator[Coded]:
    """Give the same part by part, each over the distinct values of its own.

    limit : only so many first records.
    wanted, width : only these columns of so many; parts have the more records the fewer they are.
    """
    at_once = AT_ONCE if wanted is None else AT_ONCE * max(1, width // max(1, len(wanted)))
    end = at_once if limit is None else limit

    def part(first: int, own: Progress) -> Any:
        return _found(path, size, own, content, min(at_once, end - first), first, wanted)

    found, first = part(0, progress), at_once
    end = int(found["records"]) if limit is None else min(limit, int(found["records"]))
    while first < end:
        # The next part is read while this one is worked on.
        with in_background(partial(part, first), progress, "Reading the table") as following:
            yield coded_columns(found, path)
            found = following()
        first += at_once
    yield coded_columns(found, path)


def counts(
    paths: Sequence[Path], names: Sequence[str], wanted: Sequence[int], progress: Progress
) -> tuple[Coded, NDArray[np.int64]] | None:
    """Return columns over the combinations of values that occur in files with the columns `names`, and their counts.

    `wanted` : the places of some columns.

    Returns None where DuckDB is not installed, or every record is to be read instead.
    """
    if find_spec("duckdb") is None:
        return None
    size = sum(path.stat().st_size for path in paths)
    given: dict[str, Any] = {"paths": [str(path) for path in paths], "names": list(names), "wanted": list(wanted)}
    found = isolated("counts", paths[0], progress, size=size, need=MEMORY, **given)
    if found is None:
        return None
    coded = coded_columns({**found, "names": [names[at] for at in wanted]}, paths[0])
    if any(len(codes) != len(found["counts"]) for _, codes, _ in coded):
        raise BrokeOff(paths[0])
    return coded, found["counts"]


def _found(
    path: Path,
    size: int,
    progress: Progress,
    content: bytes | None,
    limit: int | None,
    first: int,
    wanted: Sequence[str] | None = None,
) -> Any:
    # Its process knows what it will take, and refuses; this is the most that it may.
    need = memory.need("parquet", size)
    given = {"limit": limit, "first": first, "wanted": None if wanted is None else list(wanted)}
    return isolated("parquet", path, progress, size=size, need=need, content=content, **given)


def cell_text(value: Any) -> str:
    """Return the exact text of a Parquet cell."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    return text_of(value)
