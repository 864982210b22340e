"""The alpha-beta algorithm: random deletion and insertion of tuples (Rastogi, Suciu, Hong, VLDB 2007).

Over the domain D of all combinations of labels and values, |D| = M of them: every tuple of the table is published with
chance alpha + beta, every other tuple of D with chance beta. Estimate of a counting question Q:
(n_V - beta n_D) / alpha, n_V published tuples and n_D tuples of D that meet it: unbiased, with variance
(x (alpha + beta)(1 - alpha - beta) + (n_D - x) beta (1 - beta)) / alpha^2.

Theorem 4.3: (d, g)-private, no tuple being believed with more than g that had a prior of at most d, if
beta / (alpha + beta) >= d (1 - g) / (g (1 - d)) and alpha + beta <= 1 - d / g. Both are met with equality, with
d = n / M, the prior of who knows the domain alone. Theorem 3.3: against a prior of the order of n / sqrt(M) nothing is
private and useful; who knows a person's other columns has such a prior, and finds the row. The paper's table is a set:
of equal records the first is published as above, each other with alpha, which keeps the estimate unbiased.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Impossible, Sanitised, System, binomials
from splu_desktop.core.answer.counts import Counted
from splu_desktop.core.messages import Figure, say
from splu_desktop.core.progress import Progress

_MOST = 2_000_000  # inserted tuples
_NUMBERED = 1 << 62  # tuples of a domain


class DeletedAndInserted(Sanitised):
    """Tuples of the table that stayed, and tuples of the domain that came to them, each by its number in D."""

    exact = False

    def __init__(self, source: TrueTable, alpha: float, beta: float, chance: np.random.Generator) -> None:
        self.source, self.alpha, self.beta = source, alpha, beta
        self.shape = tuple(column.m for column in (*source.columns, source.sensitive))
        self.domain = math.prod(self.shape)
        if beta * self.domain > _MOST:
            raise Impossible(
                "About {count} made-up rows would be inserted, more than this comparison holds in memory.",
                count=round(beta * self.domain),
            )
        own = np.ravel_multi_index([column.codes for column in (*source.columns, source.sensitive)], self.shape)
        stays = np.full(source.n, alpha)
        stays[np.unique(own, return_index=True)[1]] = alpha + beta
        kept = chance.random(source.n) < stays
        self.lost = int((~kept).sum())
        # From one inserted tuple to the next it is a geometric number of tuples.
        many = beta * self.domain
        place = np.cumsum(chance.geometric(beta, int(many + 9 * math.sqrt(many) + 20)), dtype=np.float64)
        inserted = place[place <= self.domain].astype(np.int64) - 1
        self.tuples = np.concatenate([own[kept], inserted[~np.isin(inserted, own)]])

    def unbiased(self, questions: CountingQuestions) -> Floats:
        """Return (Q,) estimates as they come, right on average, below 0 at times."""
        *columns, shown = np.unravel_index(self.tuples, self.shape)
        published = questions.asked(questions.histogram(shown, self.source.m, among=columns))
        return np.asarray((published - self.beta * questions.share_of_domain() * self.domain) / self.alpha)

    def answer(self, questions: CountingQuestions) -> Answers:
        stays, other = self.alpha + self.beta, self.beta * (1 - self.beta)
        level = questions.share_of_domain() * self.domain * other
        slope = np.full(len(level), (stays * (1 - stays) - other) / self.alpha**2)
        found = Counted(self.unbiased(questions), level / self.alpha**2, slope)
        low, high = found.interval(np.full(len(level), float(self.source.n)))
        return Answers(np.clip(found.estimate, 0.0, self.source.n), low, high)

    def row(self, records: Ints) -> Floats:
        """Return (K, m) beliefs of who looks for the person's other columns: each value's tuple is there or not."""
        m, others = self.source.m, [column.codes[records][:, None] for column in self.source.columns]
        there = np.isin(np.ravel_multi_index([*others, np.arange(m)[None]], self.shape), self.tuples)
        stays = self.alpha + self.beta
        # A tuple that is the person's is there with alpha + beta, any other with beta.
        odds = np.where(there, stays / self.beta, (1 - stays) / (1 - self.beta))
        belief = self.source.shares * np.maximum(odds, 1e-12)
        return np.asarray(belief / belief.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class AlphaBeta(System):
    """Deletion and insertion such that no tuple unknown before is believed with more than `belief`."""

    belief: float

    name = "alpha-beta"
    title = say("Random deletion and insertion")
    points = (0.5, 0.2, 0.1)
    span = (0.99, 0.001)
    setting_said = say("belief at most {belief}")

    def chances(self, source: TrueTable) -> tuple[float, float]:
        """Return alpha and beta that meet both conditions of Theorem 4.3 with equality. Raises Impossible."""
        domain = math.prod(column.m for column in (*source.columns, source.sensitive))
        if domain > _NUMBERED:
            raise Impossible(
                "{columns} columns and {values} values have more combinations than this method can go through.",
                columns=len(source.columns),
                values=source.m,
            )
        prior = source.n / domain
        if not prior < self.belief < 1:
            raise Impossible(
                "The table fills {share} of all combinations of its labels and values, so a belief of at most {belief} "
                "is exceeded before anything is published.",
                share=Figure(f"{100 * prior:.3g} %"),
                belief=Figure(f"{100 * self.belief:.3g} %"),
            )
        kept = 1 - prior / self.belief
        beta = kept * prior * (1 - self.belief) / (self.belief * (1 - prior))
        return kept - beta, beta

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> DeletedAndInserted:
        return DeletedAndInserted(source, *self.chances(source), chance)

    def count_law(self, source: TrueTable, count: int) -> tuple[Floats, Floats]:
        # All other tuples of the domain with the value can come to those of the table.
        domain = math.prod(column.m for column in source.columns)
        alpha, beta = self.chances(source)
        shown, chance = binomials([(count, alpha + beta), (max(domain - count, 0), beta)])
        return (shown - beta * domain) / alpha, chance

    def exact_epsilon(self, source: TrueTable) -> float:
        alpha, beta = self.chances(source)
        return math.log(max((alpha + beta) / beta, (1 - beta) / (1 - alpha - beta)))
