"""The table that every system publishes: its unchanged columns and one sensitive one, as codes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import EmptyTable
from splu_desktop.core.risk.classes import classes_of
from splu_desktop.core.table import Column, Table
from splu_desktop.frozen import dataclass

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TrueTable:
    """The true table, as its custodian holds it.

    Attributes
    ----------
    columns : the columns that ours publishes unchanged (NSAs), d of them; those that are generalised by plan are so.
    sensitive : the sensitive column, m values that all occur.
    """

    columns: tuple[Column, ...]
    sensitive: Column

    @classmethod
    def of(cls, table: Table, unchanged: Sequence[str], sensitive: str) -> TrueTable:
        """Return the part of a table that is compared. Raises EmptyTable, UnknownColumn."""
        if table.n == 0:
            raise EmptyTable("The table has no records, so there is nothing to compare.")
        return cls(tuple(table[name].compacted() for name in unchanged), table[sensitive].compacted())

    @property
    def n(self) -> int:
        """Number of records, N."""
        return self.sensitive.n

    @property
    def m(self) -> int:
        """Number of values of the sensitive column."""
        return self.sensitive.m

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the unchanged columns."""
        return tuple(column.name for column in self.columns)

    @property
    def table(self) -> Table:
        """All its columns as one table, the sensitive one last."""
        return Table((*self.columns, self.sensitive))

    @cached_property
    def counts(self) -> Floats:
        """(m,) true counts f_s."""
        return self.sensitive.counts().astype(np.float64)

    @property
    def shares(self) -> Floats:
        """(m,) true shares pi_s."""
        return self.counts / self.n

    @cached_property
    def sole_bearers(self) -> Ints:
        """Places of the records whose value no other has."""
        return np.flatnonzero(self.counts[self.sensitive.codes] == 1).astype(np.int64)

    @cached_property
    def classes(self) -> Ints:
        """(N,) number of the class of each record: of those that agree on all unchanged columns."""
        return classes_of(list(self.columns), self.n).ids.astype(np.int64)

    @cached_property
    def uniques(self) -> int:
        """How many records no other agrees with on the unchanged columns."""
        return int((np.bincount(self.classes) == 1).sum())
