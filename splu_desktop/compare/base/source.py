"""The table that every system publishes: its unchanged columns and one sensitive one, as codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import EmptyTable
from splu_desktop.core.table import Column, Table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TrueTable:
    """The true table, as its custodian holds it.

    Attributes
    ----------
    columns : the columns that ours publishes unchanged (NSAs), d of them; those that are generalised by plan are so.
    sensitive : the sensitive column, m values that all occur.
    class_columns : names of the columns whose cells make the classes of lenders of our draw.
    meeting : how many of all questions asked one record of the domain can meet: what Laplace noise has to cover.
    """

    columns: tuple[Column, ...]
    sensitive: Column
    class_columns: tuple[str, ...] = ()
    meeting: int = 1

    @classmethod
    def of(cls, table: Table, unchanged: Sequence[str], sensitive: str, class_columns: Sequence[str] = ()) -> TrueTable:
        """Return the part of a table that is compared. Raises EmptyTable, UnknownColumn."""
        if table.n == 0:
            raise EmptyTable("The table has no records, so there is nothing to compare.")
        columns = tuple(table[name].compacted() for name in unchanged)
        return cls(columns, table[sensitive].compacted(), tuple(class_columns))

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
