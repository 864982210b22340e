"""Classes: the units that lend to each other, cells of the tables that must come out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import cross_codes
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
    rows : the least and the most rows of its persons; the most is None where the largest numbers stand together.
    mean_rows : rows of the person of an average row, sum n^2 / sum n, rounded up to halves.
    """

    labels: tuple[tuple[str, ...], ...] = ()
    rows: tuple[int, int | None] = (1, 1)
    mean_rows: float = 1.0


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
    sizes, row_ranges = _size_classes(units, least)
    codes = _unit_codes(columns, units)
    keys, bounds = sizes, [len(row_ranges), *(column.m for column in columns)]
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
        low = row_ranges[int(groups[0][0])][0]
        described.append(ClassCell(labels, (low, row_ranges[int(groups[0][-1])][1])))
    code = found.take(inverse)
    if units.person:
        rows = np.bincount(code, units.sizes)
        mean = np.ceil(2 * np.bincount(code, units.sizes.astype(float) ** 2) / rows) / 2
        described = [replace(cell, mean_rows=float(each)) for cell, each in zip(described, mean, strict=True)]
    return Classes(tuple(c.name for c in columns), code, tuple(described))


def _size_classes(units: Units, least: int) -> tuple[Ints, list[tuple[int, int | None]]]:
    """Return (U,) a class of the number of rows, and its ends: numbers that few persons have join their neighbours.

    The largest numbers stand together without an upper end, so that no one person's number is named.
    """
    if not units.person:
        return np.zeros(units.number, np.int64), [(1, 1)]
    numbers, inverse = np.unique(units.sizes, return_inverse=True)
    group = _join_small(np.bincount(inverse).astype(np.int64), least)
    ends: list[tuple[int, int | None]] = []
    for each in range(int(group.max(initial=0)) + 1):
        own = numbers[group == each]
        last = each == int(group.max()) and len(own) > 1
        ends.append((int(own[0]), None if last else int(own[-1])))
    return group[inverse].astype(np.int64), ends


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
