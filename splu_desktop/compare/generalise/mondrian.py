"""Multidimensional generalisation: classes are halved for as long as a condition on the halves allows it.

Mondrian, strict partitioning (LeFevre, DeWitt, Ramakrishnan, ICDE 2006): a class is cut in the column in which it is
widest (codes spanned over codes there are), between the two labels that leave halves of most nearly equal size; where a
half would not meet the condition, the next widest column is tried, and where none is left the class stays. Columns
without an order are cut in the order of their labels. Columns that the plan generalises are so before they come here.

All classes of a level are halved at once; records of a class stand together, classes by their numbers.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from splu_desktop.compare.base.source import Flags, Floats, Ints
from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.generalise.classes import Generalisation
from splu_desktop.core.progress import Progress

_CELLS = 4_000_000  # classes times values that are judged at once


class Mondrian(Generalisation):
    """A condition on classes, met by multidimensional generalisation."""

    @abstractmethod
    def meets(self, counts: Floats, shares: Floats) -> Flags:
        """Return (K,) whether classes may stand, from (K, m) counts of values and the (m,) shares of the table."""

    def make(self, chance: np.random.Generator, progress: Progress) -> None:
        source = self.source
        if not self.meets(source.counts[None], source.shares)[0]:
            raise Impossible(
                "Not even all records in one class meet this condition, so no classes do: it asks too much here."
            )
        found, done, level = np.zeros(source.n, np.int64), 0, 0
        records, node = np.arange(source.n), np.zeros(source.n, np.int64)
        while len(records):
            progress.report(self.title, 1 - 0.8**level)
            level += 1
            order = np.argsort(node, kind="stable")
            records, node = records[order], node[order]
            split, right = self._halve(records, node)
            # Classes that stay get their numbers, the halves of the others are the next level's.
            over = ~split[node]
            found[records[over]] = done + (np.cumsum(~split) - 1)[node[over]]
            done += int((~split).sum())
            node = 2 * (np.cumsum(split) - 1)[node[~over]] + right[~over]
            records = records[~over]
        self.hold(found)

    def _halve(self, records: Ints, node: Ints) -> tuple[Flags, Flags]:
        """Return (K,) which of the classes are halved, and (n,) which records go into the right half."""
        source = self.source
        codes = np.stack([column.codes[records] for column in source.columns])
        values, number = source.sensitive.codes[records].astype(np.int64), int(node[-1]) + 1
        starts = np.searchsorted(node, np.arange(number))
        width = np.maximum.reduceat(codes, starts, axis=1) - np.minimum.reduceat(codes, starts, axis=1)
        width = width / np.array([[max(column.m - 1, 1)] for column in source.columns])
        split, right = np.zeros(number, bool), np.zeros(len(records), bool)
        for column in np.argsort(-width, axis=0, kind="stable"):  # each class's widest, its next widest, ...
            trying = ~split & (width[column, np.arange(number)] > 0)
            own = np.flatnonzero(trying[node])
            if not len(own):
                break
            tried = (np.cumsum(trying) - 1)[node[own]]
            asked = codes[column[node[own]], own].astype(np.int64)
            above = asked > _cuts(tried, asked)[tried]
            good = self._halves_meet(tried, above, values[own])
            split[np.flatnonzero(trying)[good]] = True
            right[own] = above & good[tried]
        return split, right

    def _halves_meet(self, node: Ints, above: Flags, values: Ints) -> Flags:
        """Return (K,) whether both halves of each class may stand."""
        number, m, found = int(node[-1]) + 1, self.source.m, []
        step = max(_CELLS // (2 * m), 1)
        for start in range(0, number, step):
            some, many = slice(*np.searchsorted(node, (start, start + step))), min(step, number - start)
            half = 2 * (node[some] - start) + above[some]
            counts = np.bincount(half * m + values[some], minlength=2 * many * m).reshape(2 * many, m)
            found.append(self.meets(counts.astype(np.float64), self.source.shares).reshape(many, 2).all(axis=1))
        return np.concatenate(found)


def _cuts(node: Ints, codes: Ints) -> Ints:
    """Return (K,) the last code of the left half of each class, all of which have two codes at least."""
    span = int(codes.max()) + 1
    keys, number = np.unique(node * span + codes, return_counts=True)
    of = keys // span
    starts = np.searchsorted(of, np.arange(int(node[-1]) + 1))
    sizes = np.add.reduceat(number, starts)
    left = np.cumsum(number) - (np.cumsum(sizes) - sizes)[of]
    gap = np.where(left == sizes[of], np.iinfo(np.int64).max, np.abs(2 * left - sizes[of]))
    nearest = np.lexsort((np.arange(len(gap)), gap, of))[starts]
    return np.asarray(keys[nearest] % span)
