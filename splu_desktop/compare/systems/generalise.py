"""Multidimensional generalisation: classes are halved for as long as a condition on the halves allows it.

Mondrian, strict partitioning (LeFevre, DeWitt, Ramakrishnan, ICDE 2006): a class is cut in the column in which it is
widest (codes spanned over codes there are), between the two labels that leave halves of most nearly equal size; where a
half would not meet the condition, the next widest column is tried, and where none is left the class stays. Columns
without an order are cut in the order of their labels. Columns that the plan generalises are so before they come here.

All classes of a level are halved at once; records of a class stand together, classes by their numbers.

Each record shows the range of labels of its class in every unchanged column, and its value.

Answers think the records of a class spread evenly over its box, the labels lo..hi of every column (as the same paper,
and Xiao, Tao 2006, do):
x = sum over classes g of c_{g,s} times the product over columns j of |S_j and [lo_gj, hi_gj]| / (hi_gj - lo_gj + 1),
S_j the labels that the question takes. That is biased wherever records are not spread so, by nobody knows how much: so
there is no interval.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from splu_desktop.compare.base import CountingQuestions, Flags, Floats, Groups, Impossible, Ints, in_parts, system
from splu_desktop.core.distinct import count_pairs
from splu_desktop.core.messages import say

_CLOSE = 1e-12
ASKS_TOO_MUCH = say("Not even all records in one class meet this condition, so no classes do: it asks too much here.")


class Mondrian(Groups):
    """A condition on classes, met by multidimensional generalisation."""

    random = False

    @abstractmethod
    def meets(self, counts: Floats, shares: Floats) -> Flags:
        """Return (K,) whether classes may stand, from (K, m) counts of values and the (m,) shares of the table."""

    def make(self, chance: np.random.Generator) -> None:
        source = self.source
        if not self.meets(source.counts[None], source.shares)[0]:
            raise Impossible(ASKS_TOO_MUCH)
        group, records, fresh = np.zeros(source.n, np.int64), np.arange(source.n), 1
        while len(records):
            self.progress.report(self.title, 0.0)
            records = records[np.argsort(group[records], kind="stable")]
            node = np.unique(group[records], return_inverse=True)[1]
            split, right = self._halve(records, node)
            over = split[node]
            records = records[over]
            group[records] = fresh + 2 * node[over] + right[over]
            fresh += 2 * len(split)
        self.hold(np.unique(group, return_inverse=True)[1])

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
            rows = np.flatnonzero(trying[node])
            if not len(rows):
                break
            tried = (np.cumsum(trying) - 1)[node[rows]]
            asked = codes[column[node[rows]], rows].astype(np.int64)
            above = asked > _cuts(tried, asked)[tried]
            good = self._halves_meet(tried, above, values[rows])
            split[np.flatnonzero(trying)[good]] = True
            right[rows] = above & good[tried]
        return split, right

    def _halves_meet(self, node: Ints, above: Flags, values: Ints) -> Flags:
        """Return (K,) whether both halves of each class may stand."""
        number, m, flags = int(node[-1]) + 1, self.source.m, []
        for part in in_parts(number, 2 * m):
            some, many = slice(*np.searchsorted(node, (part.start, part.stop))), part.stop - part.start
            half = 2 * (node[some] - part.start) + above[some]
            counts = count_pairs(half, 2 * many, values[some], m)
            flags.append(self.meets(counts.astype(np.float64), self.source.shares).reshape(many, 2).all(axis=1))
        return np.concatenate(flags)

    def hold(self, group: Ints) -> None:
        super().hold(group)
        order, starts = np.argsort(group, kind="stable"), np.cumsum(self.sizes) - self.sizes
        codes = [column.codes[order] for column in self.source.columns]
        self.low = [np.minimum.reduceat(each, starts) for each in codes]  # (G,) for each column
        self.high = [np.maximum.reduceat(each, starts) for each in codes]

    def answer(self, questions: CountingQuestions) -> Floats:
        by_value = np.empty((questions.selections, self.source.m))
        for part in in_parts(questions.selections, len(self.sizes)):
            inside = np.ones((len(by_value[part]), len(self.sizes)))  # the share of each class thought to meet each
            for flags, low, high in zip(questions.flags, self.low, self.high, strict=True):
                some = np.flatnonzero(~flags[part].all(axis=1))
                below = np.cumsum(np.pad(flags[part][some], ((0, 0), (1, 0))), axis=1, dtype=np.int32)
                inside[some] *= (below[:, high + 1] - below[:, low]) / (high - low + 1)
            by_value[part] = inside @ self.counts
        return questions.pick(by_value)


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


@system("k-anonymity", say("k-anonymity"), first=True, points=(2, 5, 20), span=(2, 5_000))
class KAnonymity(Mondrian):
    """Classes of `k` records and more."""

    k: int

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        return np.asarray(counts.sum(axis=1) >= self.k)


@system("l-diversity", say("l-diversity"), first=True, points=(2, 3, 5), span=(2, 30))
class DistinctDiversity(Mondrian):
    """Classes with `l` different values and more."""

    l: int  # noqa: E741 - the paper's name

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        return np.asarray(np.count_nonzero(counts, axis=1) >= self.l)


@system("c-l-diversity", say("(c, l)-diversity"))
class RecursiveDiversity(DistinctDiversity):
    """Recursive (c, l)-diversity, with c = 3."""

    c: float = 3.0

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        falling = -np.sort(-counts, axis=1)
        return np.asarray(falling[:, 0] <= self.c * falling[:, self.l - 1 :].sum(axis=1))


@system("t-closeness", say("t-closeness"), first=True, points=(0.5, 0.3, 0.15), span=(0.95, 0.01))
class Closeness(Mondrian):
    """Classes at most `t` from the whole table, by the equal distance."""

    t: float

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        apart = np.abs(counts / counts.sum(axis=1, keepdims=True) - shares).sum(axis=1) / 2
        return np.asarray(apart <= self.t + _CLOSE)


@system("delta-disclosure", say("delta-disclosure"), points=(2.0, 1.0, 0.5), span=(5.0, 0.02))
class DeltaDisclosure(Mondrian):
    """Classes in which no value's share is e^`delta` times that of the table, or more, or less than 1/e^`delta`."""

    delta: float

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        with np.errstate(divide="ignore"):  # a value that a class lacks is infinitely far
            apart = np.abs(np.log(counts / counts.sum(axis=1, keepdims=True) / shares))
        return np.asarray((apart < self.delta).all(axis=1))
