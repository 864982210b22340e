"""Units, drawn at once, a record or a person with all its rows, and classes: those that lend to each other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import cross_codes, stir
from splu_desktop.core.mechanism.randomness import Randomness, below, permutation
from splu_desktop.core.table import Column

CLASS = "lender class"  # name of the published column that holds each row's class, where there are several
LEAST = 50  # units of a class
NUMBER = "person number"  # name of the published column that holds each row's person, where that was chosen

Ints = NDArray[np.int64]


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


class ClassCell(NamedTuple):
    """What one class is; there may be thousands.

    Attributes
    ----------
    labels : for each column of the classes, the labels that are joined in it, in their order.
    rows : rows of each of its persons.
    """

    labels: tuple[tuple[str, ...], ...] = ()
    rows: int = 1


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of all units.

    Attributes
    ----------
    columns : unchanged columns whose values, crossed, make them.
    code : (U,) int32, the class of each unit.
    cells : what each class is.
    """

    columns: tuple[str, ...]
    code: NDArray[np.int32]
    cells: tuple[ClassCell, ...]

    @property
    def number(self) -> int:
        """How many classes there are."""
        return len(self.cells)


def make_classes(columns: Sequence[Column], units: Units, times: Ints | None = None) -> Classes:
    """Return the classes of units by the crossed values of unchanged columns, each of at least `LEAST` units.

    times : (U,) how many records alike each unit stands for; None where each for itself, as persons do.

    Law: a class is a function of unchanged columns and numbers of rows alone, so it tells nothing of a drawn column.
    Proof: nothing else is read. Where a value has fewer than `LEAST` units it joins its smaller neighbour in the order
    of labels; columns are divided one after another, the first is the last to be joined. Persons are divided by their
    number of rows before all else; of a person whose rows lie in several cells the commonest counts.
    Test: tests/core/test_lender_classes.py.
    """
    keys, numbers = cross_codes(units.sizes, int(units.sizes.max(initial=0)) + 1)
    codes = _unit_codes(columns, units)
    bounds = [len(numbers), *(column.m for column in columns)]
    for each, bound in zip(codes, bounds[1:], strict=True):
        keys = keys * np.int64(bound) + each
    inverse, there = cross_codes(keys, math.prod(bounds))
    counts, class_of = np.bincount(inverse, times).astype(np.int64), np.zeros(len(there), np.int64)
    # Of each class so far, what is joined in it of each column so far.
    parts: list[tuple[tuple[Any, ...], ...]] = [()]
    texts = [numbers.tolist(), *(list(map(str, column.labels)) for column in columns)]
    for digits, bound, labels in zip(np.unravel_index(there, bounds), bounds, texts, strict=True):
        inner, crossed = cross_codes(class_of * bound + digits, len(parts) * bound)
        of, values = (each.tolist() for each in np.divmod(crossed, bound))
        ends = np.cumsum(_join_small(np.bincount(inner, counts).astype(np.int64), of))
        begins = [0, *ends.tolist()]
        parts = [(*parts[of[at]], tuple([labels[v] for v in values[at:to]])) for at, to in itertools.pairwise(begins)]
        class_of = np.searchsorted(ends, np.arange(len(of)), side="right")[inner]
    described = tuple([ClassCell(each[1:], each[0][0]) for each in parts])
    return Classes(tuple(c.name for c in columns), class_of.astype(np.int32).take(inverse), described)


def keep_even_rows(owner: NDArray[np.integer], least: int = LEAST) -> NDArray[np.bool_]:
    """Return (N,) which rows of persons (N,), numbered from 0, go out: `least` persons at least have each number left.

    Where fewer than `least` persons have a number of rows, those with the next larger ones give up rows until there are
    enough; where all persons are fewer, all have as many as the one with the fewest.

    Law: all persons of a class have as many rows, so a lent course has the law of a kept one (law 2); else who has the
    most shows rows twice only where nothing was kept. Proof: each number that is left has a class of its own; which
    rows go out follows from their places alone, stirred: no value is read. Test: tests/core/test_promises.py.
    """
    sizes = np.bincount(owner)
    times = np.bincount(sizes)
    if times[times > 0].min(initial=least) >= least:
        return np.ones(len(owner), bool)
    # Up to the first number that few have, or behind which few persons are, all stay as they are.
    behind = len(sizes) - np.cumsum(times)
    first = int(np.argmax((times > 0) & ((times < least) | (behind < least))))
    order = np.flatnonzero(sizes >= first)
    order = order[np.lexsort((stir(order.astype(np.uint64)), sizes[order]))]
    rising, most, start = sizes[order], sizes.copy(), 0
    while start < len(order):
        end = max(int(np.searchsorted(rising, rising[start], side="right")), start + least)
        end = end if len(order) - end >= least else len(order)
        most[order[start:end]] = rising[start]
        start = end
    rows = np.flatnonzero((most < sizes)[owner])
    rows = rows[np.lexsort((stir(rows.astype(np.uint64)), owner[rows]))]
    begins = np.flatnonzero(np.diff(owner[rows], prepend=-1))
    place = np.arange(len(rows)) - np.repeat(begins, np.diff(begins, append=len(rows)))
    kept = np.ones(len(owner), bool)
    kept[rows] = place < most[owner[rows]]
    return kept


def _unit_codes(columns: Sequence[Column], units: Units) -> list[NDArray[np.int32]]:
    """Return (U,) codes of each column for each unit: of a person the combination that most of its rows have."""
    codes = [column.codes for column in columns]
    if not units.person or not codes:
        return codes
    key = np.zeros(len(units.owner), np.int64)
    for column, each in zip(columns, codes, strict=True):
        key = key * column.m + each
    bounds = [column.m for column in columns]
    inverse, there = cross_codes(key, math.prod(bounds))
    number, chosen = len(there), np.zeros(units.number, np.int64)
    chosen[units.owner] = inverse
    several = np.zeros(units.number, bool)  # most persons have one combination, and nothing is to be counted
    several[units.owner[chosen.take(units.owner) != inverse]] = True
    if several.any():
        rows = np.flatnonzero(several.take(units.owner))
        pairs = np.sort(units.owner[rows] * np.int64(number) + inverse[rows])
        begins = np.flatnonzero(np.diff(pairs, prepend=-1))
        who, what = np.divmod(pairs[begins], number)
        # Rows and code as one number, whose largest is the commonest combination of each person. Of equally common
        # ones the first by code: nothing but unchanged columns decides.
        common = np.diff(begins, append=len(pairs)) * number + (number - 1 - what)
        chosen[several] = number - 1 - np.maximum.reduceat(common, np.flatnonzero(np.diff(who, prepend=-1))) % number
    return [each.astype(np.int32) for each in np.unravel_index(there[chosen], bounds)]


def _join_small(counts: Ints, of: Sequence[int]) -> list[int]:
    """Return how many neighbours each group joins, each of at least `LEAST` where all together have as many.

    of : (K,) ascending, what each belongs to: neighbours of different ones are not joined.
    """
    lengths: list[int] = []
    for _, group in itertools.groupby(zip(of, counts.tolist(), strict=True), key=itemgetter(0)):
        sizes = [size for _, size in group]
        joined = [1] * len(sizes)
        while len(sizes) > 1 and min(sizes) < LEAST:
            at = sizes.index(min(sizes))
            beside = [place for place in (at - 1, at + 1) if 0 <= place < len(sizes)]
            low = min(at, min(beside, key=sizes.__getitem__))
            for each in (sizes, joined):
                each[low : low + 2] = [each[low] + each[low + 1]]
        lengths += joined
    return lengths
