"""What a release needs of the machine; `isolation.memory` says what of it is free."""

from __future__ import annotations

from collections.abc import Sequence

from splu_desktop.core.messages import Figure
from splu_desktop.core.plan import Plan
from splu_desktop.core.table import Column, Table, remembered
from splu_desktop.frozen import dataclass

_LOOKED_AT = 4_000  # labels of a column at most


@dataclass(frozen=True)
class Need:
    """What publishing takes, estimated.

    Attributes
    ----------
    disk, memory : bytes; memory beyond what the opened table holds already.
    seconds : on a machine of 2024.
    """

    disk: int
    memory: int
    seconds: float


def need(table: Table, plan: Plan, formats: Sequence[str], *, packed: bool, most: int | None = None) -> Need:
    """Return what publishing a table (as read) takes; `most` bytes of memory where its storage sees to that.

    The CSV's size is exact but for generalisation and quoting, and where labels are so many that they are sampled.
    """
    kept = [column for column in table.columns if plan.roles[column.name].published]
    n, cells = table.n, table.n * len(kept)
    csv_bytes = sum(_text_bytes(column) for column in kept)
    disk, seconds = csv_bytes, 1e-7 * cells + 1e-6 * n * (1 + len(plan.draws))
    if "xlsx" in formats:
        disk += 12 * cells
        seconds += 1.5e-6 * cells
    if "parquet" in formats:
        disk += 8 * cells
        seconds += 1e-7 * cells
    if packed:
        disk *= 2
        seconds += 3e-8 * disk
    memory = 4 * cells + 80 * n + (64 << 20)
    return Need(disk + (1 << 20), memory if most is None else min(memory, most), seconds)


@remembered  # asked by the gate and before it
def _text_bytes(column: Column) -> int:
    """Return the bytes that a column's cells take as text, with a comma or line end each; sampled from many labels."""
    step = -(-column.m // _LOOKED_AT) if column.m else 1
    counts = column.counts()[::step].tolist()
    lengths = [len(text.encode("utf-8", "surrogatepass")) + 1 for text in map(str, column.texts[::step])]
    seen = sum(counts)
    size = sum(length * count for length, count in zip(lengths, counts, strict=True))
    return int(size * column.n // seen) if seen else size


def size_text(size: int) -> str:
    """Return a number of bytes for people, with two digits or three: nothing that needs it is known better."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return Figure(f"{size / factor:.{int(size < 10 * factor)}f} {unit}")
    return Figure(f"{size} B")
