"""Buckets of l different values with fake ones beside them, against corruption (inferential privacy paper, section 6).

With one tolerance for all values F'-privacy is l-diversity, l = ceil(1/f'), and buckets hold l or l + 1 different
values; each gets sigma fake ones that differ from all in it. Whoever knows all other records of a bucket is left with
1 + sigma values and a certainty of 1/(1 + sigma). Negative association: a fake that a record's unchanged columns rule
out tells itself, for that record. So each bucket takes the values that the fewest of its records rule out: of which one
of the labels has less than a tenth of what the value's share lets expect, where that is a handful. That is learnt
from the table itself, which is stricter than what a reader could learn from buckets.

Estimate: fakes come by shares, so x = sum over g of n_{P,g} (c_{g,s} - sigma pi'_s) / |g|, pi' the published shares.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from splu_desktop.compare.base import CountingQuestions, Impossible, TrueTable, binomials, system
from splu_desktop.compare.base.source import Flags, Floats, Ints
from splu_desktop.compare.buckets.anatomy import Anatomy
from splu_desktop.core.messages import say

_RULED_OUT = 0.1  # of the count that a label and a value let expect
_LEARNT = 5  # records to expect from which a lack of them tells something
_LAST_RESORT = 1e3  # how much a value's score falls by each record that rules it out


def rules_out(source: TrueTable) -> list[Flags]:
    """Return for each unchanged column (m_j, m) whether a label rules a value out."""
    found = []
    for column in source.columns:
        key = column.codes.astype(np.int64) * source.m + source.sensitive.codes
        counts = np.bincount(key, minlength=column.m * source.m).reshape(column.m, source.m)
        expected = column.counts()[:, None] * source.shares
        found.append((counts < _RULED_OUT * expected) & (expected >= _LEARNT))
    return found


@system("buckets-with-fakes", say("Buckets with fake values"), first=False, points=((2, 1), (3, 2), (5, 4)))
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
        inside, told = questions.incidence @ self.part, self.counts.sum(axis=0)
        by_chance = self.fakes * inside.sum(axis=1)[:, None] * told / told.sum()
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
