"""Multidimensional generalisation: classes are halved for as long as a condition on the halves allows it.

Mondrian, strict partitioning (LeFevre, DeWitt, Ramakrishnan, ICDE 2006): a class is cut in the column in which it is
widest (codes spanned over codes there are), between the two labels that leave halves of most nearly equal size; where a
half would not meet the condition, the next widest column is tried, and where none is left the class stays. Columns
without an order are cut in the order of their labels. Columns that the plan generalises are so before they come here,
so that its hierarchies are what classes are made of.

All classes of a level are halved at once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.base.system import Impossible, System
from splu_desktop.compare.generalise.classes import Generalised
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Flags, unique

Meets = Callable[[Floats], Flags]  # (K, m) counts of values in classes -> (K,) whether each may stand

_CELLS = 4_000_000  # classes times values that are judged at once


class Mondrian(System):
    """A condition on classes, met by multidimensional generalisation."""

    random = False

    @property
    def least(self) -> int:
        """Records that a class must have for the condition to be possible at all."""
        return 1

    @abstractmethod
    def meets(self, counts: Floats, shares: Floats) -> Flags:
        """Return (K,) whether classes may stand, from (K, m) counts of values and the (m,) shares of the table."""

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Generalised:
        shares = source.shares
        if source.n < self.least or not self.meets(source.counts[None], shares)[0]:
            raise Impossible(
                "Not even all records in one class meet this condition, so no classes do: it asks too much here."
            )
        codes = [column.codes for column in source.columns]
        sensitive = source.sensitive.codes
        return Generalised(
            source,
            mondrian(
                codes,
                sensitive,
                source.m,
                self.least,
                lambda counts: self.meets(counts, shares),
                lambda level: progress.report(self.title, 1 - 0.8**level),
            ),
        )


def mondrian(
    columns: Sequence[NDArray[np.integer]],
    sensitive: NDArray[np.integer],
    m: int,
    least: int,
    meets: Meets,
    level_reached: Callable[[int], None] = lambda _: None,
) -> NDArray[np.int64]:
    """Return (N,) the number of each record's class, from 0 without gaps; all records together are known to do.

    Parameters
    ----------
    columns : (N,) codes of each column, in the order of its labels.
    least : records that each class must have.
    meets : the condition; asked of both halves of a class at once.
    """
    n = len(sensitive)
    found = np.zeros(n, np.int64)
    reach = np.array([max(int(codes.max(initial=0)), 1) for codes in columns])
    records, node, done, level = np.arange(n), np.zeros(n, np.int64), 0, 0
    while len(records):
        level_reached(level)
        level += 1
        # Records stand by their classes from here on.
        order = np.argsort(node, kind="stable")
        records, node = records[order], node[order]
        sizes = np.bincount(node)
        starts = np.cumsum(sizes) - sizes
        width = np.zeros((len(columns), len(sizes)))
        for at, codes in enumerate(columns):
            here = codes[records]
            width[at] = (np.maximum.reduceat(here, starts) - np.minimum.reduceat(here, starts)) / reach[at]
        widest = np.argsort(-width, axis=0, kind="stable")
        split, right = np.zeros(len(sizes), bool), np.zeros(len(records), bool)
        for column in widest:
            trying = ~split & (width[column, np.arange(len(sizes))] > 0) & (sizes >= 2 * least)
            if not trying.any():
                break
            own = np.flatnonzero(trying[node])
            which = column[node[own]]
            asked = np.empty(len(own), np.int64)
            for at in unique(which):
                mine = which == at
                asked[mine] = columns[at][records[own[mine]]]
            tried = (np.cumsum(trying) - 1)[node[own]].astype(np.int64)
            above = asked > _cuts(tried, asked)[tried]
            good = _halves_meet(tried, above, sensitive[records[own]], m, least, meets)
            split[np.flatnonzero(trying)[good]] = True
            right[own] |= above & good[tried]
        stays = ~split
        number = np.cumsum(stays) - 1 + done
        over = stays[node]
        found[records[over]] = number[node[over]]
        done += int(stays.sum())
        place = np.cumsum(split) - 1
        node = 2 * place[node[~over]] + right[~over]
        records = records[~over]
    return found


def _cuts(node: NDArray[np.int64], codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return (K,) the last code of the left half of each node, whose records stand together and have two codes."""
    span = int(codes.max()) + 1
    keys, number = np.unique(node * span + codes, return_counts=True)
    of = keys // span
    sizes = np.bincount(node)
    starts = np.searchsorted(of, np.arange(len(sizes)))
    left = np.cumsum(number) - (np.cumsum(sizes) - sizes)[of]
    gap = np.where(left == sizes[of], np.iinfo(np.int64).max, np.abs(2 * left - sizes[of]))
    nearest = gap == np.minimum.reduceat(gap, starts)[of]
    first = np.minimum.reduceat(np.where(nearest, np.arange(len(gap)), len(gap)), starts)
    return np.asarray(keys[first] % span)


def _halves_meet(
    node: NDArray[np.int64], above: Flags, values: NDArray[np.integer], m: int, least: int, meets: Meets
) -> Flags:
    """Return (K,) whether both halves of each node may stand; the records of a node stand together."""
    sizes = np.bincount(2 * node + above, minlength=2 * (int(node.max()) + 1)).reshape(-1, 2)
    good = np.asarray((sizes >= least).all(axis=1))
    asked = np.flatnonzero(good)
    mine = np.flatnonzero(good[node])
    place = (np.cumsum(good) - 1)[node[mine]]
    step = max(_CELLS // (2 * m), 1)
    for start in range(0, len(asked), step):
        part = slice(*np.searchsorted(place, (start, start + step)))
        some, number = mine[part], min(step, len(asked) - start)
        half = 2 * (place[part] - start) + above[some]
        counts = np.bincount(half * m + values[some], minlength=2 * number * m)
        fine = meets(counts.reshape(2 * number, m).astype(np.float64))
        good[asked[start : start + number]] = fine.reshape(number, 2).all(axis=1)
    return good
