"""The alpha-beta algorithm: random deletion and insertion of tuples (Rastogi, Suciu, Hong, VLDB 2007).

Of the domain D of all M combinations of labels and values, each tuple of the table is published with alpha + beta,
each other with beta. Estimate of a count: (n_V - beta n_D) / alpha, n_V published tuples and n_D tuples of D that meet
the question; variance (x (alpha + beta)(1 - alpha - beta) + (n_D - x) beta (1 - beta)) / alpha^2.

Theorem 4.3: no tuple with a prior of at most d is believed with more than g if alpha + beta <= 1 - d / g and
beta / (alpha + beta) >= d (1 - g) / (g (1 - d)): here with equality, for d = n / M, the prior of who knows the domain.
Theorem 3.3: against a prior of the order of n / sqrt(M), as who knows a person's other columns has it, nothing is
private and useful. The paper's table is a set: of equal records each but the first is published with alpha.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from splu_desktop.compare.base import CountingQuestions, Impossible, System, TrueTable, binomials, say_briefly, system
from splu_desktop.compare.base.source import Floats, Ints
from splu_desktop.core.messages import Figure, say

_MOST = 2_000_000  # inserted tuples
_NUMBERED = 1 << 62  # tuples of a domain


@system("alpha-beta", say("Random deletion and insertion"), points=(0.5, 0.2, 0.1), span=(0.99, 0.001))
class AlphaBeta(System):
    """Deletion and insertion such that no tuple unknown before is believed with more than `belief`."""

    belief: float

    def chances(self, source: TrueTable) -> tuple[float, float]:
        """Return alpha and beta that meet both conditions of Theorem 4.3 with equality. Raises Impossible."""
        domain = math.prod(column.m for column in source.all_columns)
        if domain > _NUMBERED:
            raise Impossible("The columns have more combinations of values than this method can go through.")
        prior = source.n / domain
        if not prior < self.belief < 1:
            raise Impossible(
                "The table fills {share} of all combinations of its labels and values, so a belief of at most {belief} "
                "is exceeded before anything is published.",
                share=Figure(f"{say_briefly(100 * prior)} %"),
                belief=Figure(f"{say_briefly(100 * self.belief)} %"),
            )
        kept = 1 - prior / self.belief
        beta = kept * prior * (1 - self.belief) / (self.belief * (1 - prior))
        return kept - beta, beta

    def make(self, chance: np.random.Generator) -> None:
        self.alpha, self.beta = self.chances(self.source)
        self.shape = tuple(column.m for column in self.source.all_columns)
        self.domain = math.prod(self.shape)
        many = self.beta * self.domain
        if many > _MOST:
            raise Impossible(
                "About {count} made-up rows would be inserted, more than this comparison holds in memory.",
                count=round(many),
            )
        tuples = np.ravel_multi_index([column.codes for column in self.source.all_columns], self.shape)
        stays = np.full(self.source.n, self.alpha)
        stays[np.unique(tuples, return_index=True)[1]] = self.alpha + self.beta
        kept = chance.random(self.source.n) < stays
        # From one inserted tuple to the next it is a geometric number of tuples.
        place = np.cumsum(chance.geometric(self.beta, int(many + 9 * math.sqrt(many) + 20)), dtype=np.float64)
        inserted = place[place <= self.domain].astype(np.int64) - 1
        self.tuples = np.concatenate([tuples[kept], inserted[~np.isin(inserted, tuples)]])
        codes = zip(self.source.all_columns, np.unravel_index(self.tuples, self.shape), strict=True)
        *others, last = (replace(column, codes=code.astype(np.int32), spellings=None) for column, code in codes)
        self.table = TrueTable(tuple(others), last)

    def answer(self, questions: CountingQuestions) -> Floats:
        published = replace(questions, source=self.table).truth
        meets = np.prod([flags.sum(axis=1, dtype=float) for flags in questions.flags], axis=0)  # of each selection
        return np.asarray((published - self.beta * meets[questions.row]) / self.alpha)

    def evidence(self, records: Ints) -> Floats:
        # Of who looks for the person's other columns: the own tuple is there with alpha + beta, any other with beta.
        m, others = self.source.m, [column.codes[records][:, None] for column in self.source.columns]
        there = np.isin(np.ravel_multi_index([*others, np.arange(m)[None]], self.shape), self.tuples)
        stays = self.alpha + self.beta
        return np.maximum(np.where(there, stays / self.beta, (1 - stays) / (1 - self.beta)), 1e-12)

    def insider(self, records: Ints, row: Floats, questions: CountingQuestions, answers: Floats) -> Floats:
        return self.source.pick_own(row, records)

    def count_law(self, source: TrueTable, count: int, others: int) -> tuple[Floats, Floats]:
        # Not of other records, but of other tuples of the domain with the value, which can come to those of the table.
        alpha, beta = self.chances(source)
        shown, chance = binomials([(count, alpha + beta), (others, beta)])
        return np.clip((shown - beta * (count + others)) / alpha, 0.0, float(count + others)), chance

    def reading(self, source: TrueTable) -> tuple[float, float, float]:
        alpha, beta = self.chances(source)
        return 1 / alpha, 0.0, -beta / alpha

    def all_others(self, source: TrueTable, count: int) -> int:
        return max(math.prod(column.m for column in source.columns) - count, 0)

    def exact_epsilon(self, source: TrueTable) -> float:
        alpha, beta = self.chances(source)
        return math.log(max((alpha + beta) / beta, (1 - beta) / (1 - alpha - beta)))
