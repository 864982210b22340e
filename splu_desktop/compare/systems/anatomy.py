"""Anatomy: l-diverse buckets, published as two tables (Xiao, Tao, VLDB 2006), and fake values in them.

Buckets take one record from each of the l largest sets of equal values; each of the fewer than l records left over
joins a random bucket without its value. Published: the unchanged columns with the bucket's number, and each bucket's
values.

Estimate: within a bucket every record is thought to have each of its values alike,
x = sum over buckets g of n_{P,g} c_{g,s} / |g|. That is biased towards independence: its mean over random buckets is
sum over v of x_v T[v, s] with T[v, s] = (1 / f_v) sum over g of c_{g,v} c_{g,s} / |g|, the transition of decoy groups
(mechanism.md section 8), which it never undoes. Counts of the whole table are exact, small ones too.

With fake values, against corruption (inferential privacy paper, section 6): with one tolerance for all values
F'-privacy is l-diversity, l = ceil(1/f'); each bucket gets sigma values that differ from all in it. Whoever knows all
other records of a bucket is left with 1 + sigma values and a certainty of 1/(1 + sigma). Negative association: a fake
that a record's unchanged columns rule out tells itself, for that record. So each bucket takes the values that the
fewest of its records rule out: of which one of the labels has less than a tenth of what the value's share lets expect,
where that is a handful. That is learnt from the table itself, which is stricter than what a reader could learn from
buckets. Fakes come by shares, so x = sum over g of n_{P,g} (c_{g,s} - sigma pi'_s) / |g|, pi' the published shares.
"""

from __future__ import annotations

from functools import lru_cache
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from splu_desktop.compare.base import GAMMAS, CountingQuestions, Groups, Impossible, TrueTable, binomials, system
from splu_desktop.compare.base.source import Flags, Floats, Ints
from splu_desktop.core.distinct import count_pairs
from splu_desktop.core.messages import Figure, say

_RULED_OUT = 0.1  # of the count that a label and a value let expect
_LEARNT = 5  # records to expect from which a lack of them tells something
_LAST_RESORT = 1e3  # how much a value's score falls by each record that rules it out


@lru_cache(maxsize=16)  # draws differ in their records alone
def largest_first(counts: tuple[int, ...], size: int) -> Ints:
    """Return (r, size) the values of groups, each of the `size` values that most records are left of."""
    left = sorted((-count, value) for value, count in enumerate(counts))  # a heap as it stands
    groups = []
    while len(left) >= size:
        top = [heappop(left) for _ in range(size)]
        groups.append([value for _, value in top])
        for count, value in top:
            if count < -1:
                heappush(left, (count + 1, value))
    return np.array(groups, np.int64).reshape(-1, size)


def deal_groups(source: TrueTable, size: int, chance: np.random.Generator) -> Ints:
    """Return (r, size) random records with the values of `largest_first`, none twice.

    Raises Impossible where a value is too frequent.
    """
    top, codes = int(source.counts.argmax()), source.sensitive.codes
    if source.counts[top] * size > source.n:
        raise Impossible(
            "“{value}” fills {share} of the records, more than 1 in {l}, so there are no buckets of {l} different "
            "values.",
            value=str(source.sensitive.labels[top]),
            share=Figure(f"{100 * source.shares[top]:.1f} %"),
            l=size,
        )
    values = largest_first(tuple(source.counts.astype(np.int64).tolist()), size)
    order, counts = in_random_order(codes, chance), np.bincount(codes)
    rank = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    used = np.bincount(values.ravel(), minlength=len(counts))
    members = np.empty(values.size, np.int64)
    members[np.argsort(values, axis=None, kind="stable")] = order[rank < np.repeat(used, counts)]
    return members.reshape(values.shape)


def in_random_order(codes: NDArray[np.integer], chance: np.random.Generator) -> Ints:
    """Return (N,) all records, by value, those of one value in random order."""
    order = chance.permutation(len(codes))
    return order[np.argsort(codes[order], kind="stable")]


class Buckets(Groups):
    """Two tables: records with their bucket's number, and the values of each bucket."""

    def hold(self, group: Ints) -> None:
        super().hold(group)
        each = np.arange(self.source.n)
        # (N, G) the part of its bucket that a record is.
        self.part = sparse.csr_array((1 / self.sizes[group], (each, group)), shape=(len(each), len(self.sizes)))

    def answer(self, questions: CountingQuestions) -> Floats:
        return questions.pick((questions.incidence @ self.part @ self.counts).toarray())


@system("anatomy", "Anatomy", first=True, points=GAMMAS, span=(2, 50))
class Anatomy(Buckets):
    """Anatomy with buckets of `l` different values."""

    l: int  # noqa: E741 - the paper's name

    def make(self, chance: np.random.Generator) -> None:
        codes, members = self.source.sensitive.codes, deal_groups(self.source, self.l, chance)
        bucket = np.full(len(codes), -1, np.int64)
        bucket[members] = np.arange(len(members))[:, None]
        # Fewer than l, each of another value.
        for record in np.flatnonzero(bucket < 0).tolist():
            without = np.flatnonzero((codes[members] != codes[record]).all(axis=1))
            bucket[record] = chance.choice(without)
        self.hold(bucket)


def rules_out(source: TrueTable) -> list[Flags]:
    """Return for each unchanged column (m_j, m) whether a label rules a value out."""
    flags = []
    for column in source.columns:
        counts = count_pairs(column.codes, column.m, source.sensitive.codes, source.m)
        expected = column.counts()[:, None] * source.shares
        flags.append((counts < _RULED_OUT * expected) & (expected >= _LEARNT))
    return flags


@system("buckets-with-fakes", say("Buckets with fake values"), points=((2, 1), (3, 2), (5, 4)))
class FakeValues(Anatomy):
    """Buckets of `l` different values and more, and `fakes` fake ones in each."""

    fakes: int = 2

    def make(self, chance: np.random.Generator) -> None:
        super().make(chance)
        others, source = self.counts.toarray() == 0, self.source
        if (others.sum(axis=1) < self.fakes).any():
            raise Impossible("This table has too few different values, or too frequent ones, for these buckets.")
        against = np.zeros(others.shape)
        for column, out in zip(source.columns, rules_out(source), strict=True):
            against += self.count_labels(column) @ out.astype(np.float64)
        # The sigma largest of log pi + Gumbel are a draw without replacement by shares, among those least ruled out.
        score = np.log(source.shares) + chance.gumbel(size=others.shape) - _LAST_RESORT * against
        self.added = np.argpartition(-np.where(others, score, -np.inf), self.fakes - 1, axis=1)[:, : self.fakes]
        places = np.repeat(np.arange(len(others)), self.fakes), self.added.ravel()
        self.counts = (self.counts + sparse.coo_array((np.ones(len(places[0])), places), shape=others.shape)).tocsr()

    def answer(self, questions: CountingQuestions) -> Floats:
        inside, totals = questions.incidence @ self.part, self.counts.sum(axis=0)
        by_chance = self.fakes * inside.sum(axis=1)[:, None] * totals / totals.sum()
        return questions.pick(np.maximum((inside @ self.counts).toarray() - by_chance, 0.0))

    def insider(self, records: Ints, row: Floats, questions: CountingQuestions, answers: Floats) -> Floats:
        added = self.added[self.group[records]]
        out = np.zeros(added.shape, bool)
        for column, rare in zip(self.source.columns, rules_out(self.source), strict=True):
            out |= rare[column.codes[records][:, None], added]
        return np.asarray(1 / (1 + self.fakes - out.sum(axis=1)))

    def count_law(self, source: TrueTable, count: int, others: int) -> tuple[Floats, Floats]:
        added = self.fakes * source.n // self.l
        if count + others < source.n:  # whole buckets, each with one of s, beside which no fake is s
            return np.array([max(count - self.fakes * count * count / source.n, 0.0)]), np.ones(1)
        # About sigma N / l fakes come by shares; what is expected of them is taken away.
        shown, chance = binomials([(added, count / source.n)])
        return (count + shown) * source.n / (source.n + added), chance
