"""Units: what is drawn at once, a record or a person with all its rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.mechanism.randomness import Randomness, below, permutation

NUMBER = "person number"  # name of the published column that holds each row's person, where that was chosen


@dataclass(frozen=True, eq=False)
class Units:
    """The units of a table's N rows.

    Attributes
    ----------
    owner : (N,) int32, the unit of each row, 0..number-1.
    sizes : (U,) rows of each unit, all at least 1.
    person : whether units are persons; else each row is one.
    """

    owner: NDArray[np.int32]
    sizes: NDArray[np.int64]
    person: bool

    @classmethod
    def of_records(cls, rows: int) -> Units:
        """Return each of so many rows as a unit."""
        return cls(np.arange(rows, dtype=np.int32), np.ones(rows, np.int64), person=False)

    @classmethod
    def of_persons(cls, owner: NDArray[np.integer]) -> Units:
        """Return the units of persons (N,), numbered from 0 without a gap."""
        return cls(owner.astype(np.int32), np.bincount(owner), person=True)

    @property
    def number(self) -> int:
        """How many units there are."""
        return len(self.sizes)

    def shown_rows(self, lender: NDArray[np.int32], source: Randomness) -> NDArray[np.int32]:
        """Return (N,) the row whose values each row shows, given the unit (U,) that each unit shows; -1 lender: itself.

        Law: rows of a kept unit stay as they are; a unit that is lent to gets the lender's rows in a uniformly random
        order: as many in a class of `make_classes`. Proof: the lender's rows are ranked by a random permutation, row j
        of the borrower (ranked likewise) takes row j mod size. Test: test_mechanism.py.
        """
        kept = lender < 0
        if not self.person:
            return np.where(kept, np.arange(len(lender), dtype=np.int32), lender)
        rows = len(self.owner)
        start = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        shuffled = permutation(source, rows)
        # Rows of each unit side by side, in a random order within it.
        by_unit = shuffled[np.argsort(self.owner[shuffled], kind="stable")]
        rank = np.empty(rows, np.int64)
        rank[by_unit] = np.arange(rows) - np.repeat(start, self.sizes)
        # The lender's order is turned by a random number of rows, so that who lends to itself shows any of its rows.
        turn = below(source, self.sizes[np.where(kept, 0, lender)], self.number).astype(np.int64)
        of = lender[self.owner]
        moved = by_unit[start[of] + (rank + turn[self.owner]) % self.sizes[of]]
        return np.where(kept[self.owner], np.arange(rows, dtype=np.int32), moved)
