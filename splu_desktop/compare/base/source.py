"""The table that every system publishes: its unchanged columns and one sensitive one, as codes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.table import Column, Table

_AT_ONCE = 4_000_000  # figures

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TrueTable:
    """The true table, as its custodian holds it.

    columns : the columns that ours publishes unchanged (NSAs), d of them; those that are generalised by plan are so.
    sensitive : the sensitive column, m values that all occur.
    class_columns : names of the columns whose cells make the classes of lenders of our draw.
    sensitivity : how many of all questions asked one record of the domain can meet: what Laplace noise has to cover.
    """

    columns: tuple[Column, ...]
    sensitive: Column
    class_columns: tuple[str, ...] = ()
    sensitivity: int = 1

    @classmethod
    def of(cls, table: Table, unchanged: Sequence[str], sensitive: str, class_columns: Sequence[str] = ()) -> TrueTable:
        """Return the part of a table that is compared. Raises UnknownColumn."""
        columns = tuple(table[name].without_unused_labels() for name in unchanged)
        return cls(columns, table[sensitive].without_unused_labels(), tuple(class_columns))

    @property
    def n(self) -> int:
        """Number of records, N."""
        return self.sensitive.n

    @property
    def m(self) -> int:
        """Number of values of the sensitive column."""
        return self.sensitive.m

    @property
    def all_columns(self) -> tuple[Column, ...]:
        """All its columns, the sensitive one last."""
        return *self.columns, self.sensitive

    @cached_property
    def counts(self) -> Floats:
        """(m,) true counts f_s."""
        return self.sensitive.counts().astype(np.float64)

    @property
    def shares(self) -> Floats:
        """(m,) true shares pi_s."""
        return self.counts / self.n

    def pick_own(self, beliefs: Floats, records: Ints) -> Floats:
        """Return (K,) what is believed, of (K, m), of the true value of each of K records."""
        return np.asarray(beliefs[np.arange(len(records)), self.sensitive.codes[records]])


def in_parts(number: int, cells: int) -> Iterator[slice]:
    """Give the slices of so many lines, of `cells` figures each, that are worked on at once."""
    step = max(_AT_ONCE // cells, 1)
    return (slice(start, min(start + step, number)) for start in range(0, number, step))


def stand_together(counts: Floats | Ints, most: float = math.inf, least: float = 0) -> Ints:
    """Return (m,) the group of each label, rising from 0 without gaps: neighbours stand together.

    Until they have `least` records and, where labels are more than `most`, so many as make about that many groups.
    """
    wanted = max(least, float(counts.sum()) / most) if len(counts) > most else least
    group, number, inside = np.empty(len(counts), np.int64), 0, 0.0
    for at, after in enumerate(np.cumsum(counts[::-1])[::-1] - counts):
        group[at], inside = number, inside + counts[at]
        if inside >= wanted and after >= wanted and at + 1 < len(counts):
            number, inside = number + 1, 0.0
    return group
