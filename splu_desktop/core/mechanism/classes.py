"""Classes: the units that lend to each other, cells of the tables that must come out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import cross_codes, stir
from splu_desktop.core.mechanism.units import Units
from splu_desktop.core.table import Column

CLASS = "lender class"  # name of the published column that holds each row's class, where there are several
LEAST = 50  # units of a class

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class ClassCell:
    """What one class is.

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


def make_classes(columns: Sequence[Column], units: Units, least: int = LEAST, times: Ints | None = None) -> Classes:
    """Return the classes of units by the crossed values of unchanged columns, each of at least `least` units.

    times : (U,) how many records alike each unit stands for; None where each for itself, as persons do.

    Law: a class is a function of unchanged columns and numbers of rows alone, so it tells nothing of a drawn column.
    Proof: nothing else is read. Where a value has fewer than `least` units it joins its smaller neighbour in the order
    of labels; columns are divided one after another, the first is the last to be joined. Persons are divided by their
    number of rows before all else; of a person whose rows lie in several cells the commonest counts.
    Test: tests/core/test_lender_classes.py.
    """
    # A record is one row, and sorting as many ones would take a second for each ten million.
    numbers, keys = np.unique(units.sizes, return_inverse=True) if units.person else (np.ones(1), 0 * units.sizes)
    codes = _unit_codes(columns, units)
    bounds = [len(numbers), *(column.m for column in columns)]
    for each, bound in zip(codes, bounds[1:], strict=True):
        keys = keys * bound + each
    inverse, there = cross_codes(keys, math.prod(bounds))
    cells, counts = np.stack(np.unravel_index(there, bounds), axis=1), np.bincount(inverse, times).astype(np.int64)
    found = np.zeros(len(cells), np.int32)
    described: list[ClassCell] = []
    texts = [list(map(str, column.labels)) for column in columns]
    parts: Iterable[tuple[Any, list[list[int]]]]
    if counts.min(initial=least) >= least:  # so has each sum of them: nothing is joined
        parts = ((at, [[code] for code in cell]) for at, cell in enumerate(cells.tolist()))
    else:
        parts = _divide(cells, counts, least, np.arange(len(cells)))
    for members, groups in parts:
        found[members] = len(described)
        labels = tuple([tuple(map(own.__getitem__, group)) for own, group in zip(texts, groups[1:], strict=True)])
        described.append(ClassCell(labels, int(numbers[groups[0][0]])))
    return Classes(tuple(c.name for c in columns), found.take(inverse), tuple(described))


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
    order = np.lexsort((stir(np.arange(len(sizes), dtype=np.uint64)), sizes))
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
    number = len(there)
    pairs = np.sort(units.owner * np.int64(number) + inverse)
    begins = np.flatnonzero(np.diff(pairs, prepend=-1))
    who, what = np.divmod(pairs[begins], number)
    # Rows and code as one number, whose largest is the commonest combination of each person. Of equally common ones
    # the first by code: nothing but unchanged columns decides.
    common = np.diff(begins, append=len(pairs)) * number + (number - 1 - what)
    best = np.maximum.reduceat(common, np.flatnonzero(np.diff(who, prepend=-1)))
    chosen = np.unravel_index(there[number - 1 - best % number], bounds)
    return [each.astype(np.int32) for each in chosen]


def _divide(cells: Ints, counts: Ints, least: int, members: Ints, depth: int = 0) -> list[tuple[Ints, list[list[int]]]]:
    """Return classes as members of the cells and, for each digit, the codes joined."""
    values, inverse = np.unique(cells[members, depth], return_inverse=True)
    group = _join_small(np.bincount(inverse, counts[members]).astype(np.int64), least)
    place = group[inverse]
    inside = np.split(members[np.argsort(place, kind="stable")], np.cumsum(np.bincount(place))[:-1])
    together = np.split(values, np.flatnonzero(np.diff(group)) + 1)
    if depth == cells.shape[1] - 1:
        return [(part, [own.tolist()]) for part, own in zip(inside, together, strict=True)]
    found = []
    for some, own in zip(inside, together, strict=True):
        found += [(part, [own.tolist(), *rest]) for part, rest in _divide(cells, counts, least, some, depth + 1)]
    return found


def _join_small(counts: NDArray[Any], least: int) -> Ints:
    """Return (K,) groups of neighbours, each of at least `least` where all together have as many."""
    sizes, lengths = counts.tolist(), [1] * len(counts)
    while len(sizes) > 1 and min(sizes) < least:
        at = sizes.index(min(sizes))
        beside = [place for place in (at - 1, at + 1) if 0 <= place < len(sizes)]
        to = min(beside, key=lambda place: sizes[place])
        low = min(at, to)
        sizes[low : low + 2] = [sizes[low] + sizes[low + 1]]
        lengths[low : low + 2] = [lengths[low] + lengths[low + 1]]
    return np.repeat(np.arange(len(sizes)), lengths)
