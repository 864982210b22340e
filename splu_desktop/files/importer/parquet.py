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
from splu_desktop.files.importer.parquet_file import groups_of
from splu_desktop.files.importer.raw import RawTable
from splu_desktop.files.isolation import memory
from splu_desktop.files.isolation.faults import Corrupt, TooSpread
from splu_desktop.files.isolation.parent import BrokeOff, isolated
from splu_desktop.frozen import dataclass

_LIBRARY = 60 << 20  # bytes of memory that the library takes, whatever the file
AT_ONCE = 1 << 21  # records of a table that is read part by part
_FEWEST = 1 << 16  # records of a part, however many different values they have
_GLANCE = 10_000  # records, of which a preview asks fewer
_CELLS, _CELLS_PER_BYTE = 5_000_000, 50  # that a file may have; equal ones take no room in it
_SLOW = 1 / 32  # unpacked bytes that a byte of memory counts as where the time is limited: distinct values take long


@dataclass(frozen=True, eq=False)
class Footer:
    """What a Parquet file's own metadata say of its size; a lie makes its reader end early, not take more.

    Attributes
    ----------
    records : how many it has.
    rows, takes, unpacks : (G,) records of each row group, bytes of memory that its reading takes, and bytes unpacked.
    """

    records: int
    rows: NDArray[np.int64]
    takes: NDArray[np.float64]
    unpacks: NDArray[np.float64]

    def need(self, first: int = 0, limit: int | None = None) -> tuple[float, int]:
        """Return the bytes of memory that reading `limit` records from `first` on takes, and the bytes that it unpacks.

        They are estimated as if a row group's values were spread evenly over it.
        """
        groups, _ = groups_of(self.rows.tolist(), first, limit)
        held = max(float(self.rows[groups].sum()), 1.0)
        read = held if limit is None else min(held, float(limit))
        takes = float(self.takes[groups].sum()) * read / held
        return memory.AT_LEAST + _LIBRARY + takes, int(self.unpacks[groups].sum() + _SLOW * takes)

    def part(self, first: int, most: int, room: float) -> int:
        """Return how many records from `first` on make a part that takes no more than `room` bytes, at most `most`."""
        while most > _FEWEST and self.need(first, most)[0] > room:
            most //= 2
        return most


def footer(
    path: Path,
    size: int,
    progress: Progress,
    *,
    content: bytes | None = None,
    wanted: Sequence[str] | None = None,
    limit: int | None = None,
) -> Footer:
    """Return what the metadata say of a file of `size` bytes. Raises TooSpread where that is no honest file's."""
    given = {"wanted": None if wanted is None else list(wanted)}
    told = isolated("footer", path, progress, size=size, need=memory.AT_LEAST, content=content, **given)
    try:
        found = Footer(int(told["records"]), *(told[name] for name in ("rows", "takes", "unpacks")))
        groups = {len(found.rows), len(found.takes), len(found.unpacks)}
        sound = len(groups) == 1 and found.rows.min(initial=0) >= 0 and found.rows.sum() == found.records
        cells = found.records * int(told["columns"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BrokeOff(path) from None
    if not sound:
        raise Corrupt(path, "its Parquet content can't be read")
    if (limit is None or limit > _GLANCE) and cells > _CELLS + _CELLS_PER_BYTE * size:
        raise TooSpread(path)
    return found


def read(
    path: Path,
    choices: ImportChoices,
    progress: Progress,
    *,
    limit: int | None = None,
    storage: Storage = IN_MEMORY,
    told: Footer | None = None,
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Read a Parquet file into raw columns; returns them with the resolved choices and the reasons.

    `storage` : where codes are to lie. `told` : what the file says of its size, where that is known.
    """
    size = path.stat().st_size
    told = told or footer(path, size, progress, limit=limit)
    if storage.records is None:
        memory.check(path, told.need(0, limit)[0])
        parts = iter([coded_columns(_found(path, told, progress, None, limit, 0), path)])
    else:
        parts = _parts(path, told, progress, room=storage.memory, limit=limit)
    texts = ([(name, codes, list(map(cell_text, known))) for name, codes, known in coded] for coded in parts)
    raw, names = gathered(texts, path, choices, progress, storage)
    return raw, replace(choices, format="parquet", names=names), {}


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
    """Give columns as codes over distinct values, part by part, each over those of its own.

    content : the file's bytes where it doesn't lie at `path`.
    limit : only so many first records.
    wanted, width : only these columns of so many; parts have the more records the fewer they are.
    """
    told = footer(path, size, progress, content=content, wanted=wanted, limit=limit)
    at_once = AT_ONCE if wanted is None else AT_ONCE * max(1, width // max(1, len(wanted)))
    return _parts(path, told, progress, content=content, limit=limit, wanted=wanted, at_once=at_once)


def _parts(
    path: Path,
    told: Footer,
    progress: Progress,
    *,
    room: float | None = None,
    content: bytes | None = None,
    limit: int | None = None,
    wanted: Sequence[str] | None = None,
    at_once: int | None = None,
) -> Iterator[Coded]:
    """Give the parts, none of which takes more than `room` bytes of memory, or most of what is free."""
    room = memory.usable() if room is None else room
    end = told.records if limit is None else min(limit, told.records)

    def part(first: int, own: Progress) -> Any:
        most = min(at_once or AT_ONCE, end - first)
        more = most if room is None else told.part(first, most, room)
        return coded_columns(_found(path, told, own, content, more, first, wanted), path), first + more

    found, first = part(0, progress)
    while first < end:
        # The next part is read while this one is worked on.
        with in_background(partial(part, first), progress, "Reading the table") as following:
            yield found
            found, first = following()
    yield found


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
    told: Footer,
    progress: Progress,
    content: bytes | None,
    limit: int | None,
    first: int,
    wanted: Sequence[str] | None = None,
) -> Any:
    need, unpacked = told.need(first, limit)
    given = {"limit": limit, "first": first, "wanted": None if wanted is None else list(wanted)}
    return isolated("parquet", path, progress, size=unpacked, need=need, content=content, **given)


def cell_text(value: Any) -> str:
    """Return the exact text of a Parquet cell."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    return text_of(value)
