"""The alpha-beta algorithm: random deletion and insertion of tuples (Rastogi, Suciu, Hong, VLDB 2007).

Over the domain D of all combinations of labels and values, |D| = M of them: every tuple of the table is published with
chance alpha + beta, every other tuple of D with chance beta. Estimate of a counting question Q:
(n_V - beta n_D) / alpha, n_V published tuples and n_D tuples of D that meet it: unbiased, with variance
(x (alpha + beta)(1 - alpha - beta) + (n_D - x) beta (1 - beta)) / alpha^2.

Theorem 4.3: (d, g)-private, no tuple being believed with more than g that had a prior of at most d, if
beta / (alpha + beta) >= d (1 - g) / (g (1 - d)) and alpha + beta <= 1 - d / g. Both are met with equality, with
d = n / M, the prior of who knows the domain alone (k = 1). Theorem 3.3: against a prior of the order of n / sqrt(M) and
more no algorithm is private and useful; whoever knows a person's other columns has such a prior, and finds the row.

The paper's table is a set. Equal records of a table are tuples of their own here: the first is published as above, each
further one with alpha, which keeps the estimate unbiased.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.laws import binomials
from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Impossible, Sanitised, System
from splu_desktop.core.messages import Figure, say
from splu_desktop.core.progress import Progress
from splu_desktop.core.rowkeys import row_sums, stirred

BELIEFS = (0.5, 0.2, 0.1)
_WHOLE = 1 << 20  # tuples of a domain that is gone through one by one
_MOST = 20_000_000  # inserted tuples


def chances(prior: float, belief: float) -> tuple[float, float]:
    """Return alpha and beta that meet both conditions of Theorem 4.3 with equality. Raises Impossible."""
    if not prior < belief < 1:
        raise Impossible(
            "The table fills {share} of all combinations of its labels and values, so a belief of at most {belief} "
            "is exceeded before anything is published.",
            share=Figure(f"{100 * prior:.3g} %"),
            belief=Figure(f"{100 * belief:.3g} %"),
        )
    kept = 1 - prior / belief
    beta = kept * prior * (1 - belief) / (belief * (1 - prior))
    return kept - beta, beta


class DeletedAndInserted(Sanitised):
    """Tuples of the table that stayed, and tuples of the domain that came to them."""

    def __init__(self, source: TrueTable, alpha: float, beta: float, chance: np.random.Generator) -> None:
        self.source, self.alpha, self.beta = source, alpha, beta
        self._sizes = [*(column.m for column in source.columns), source.m]
        self.domain = math.prod(self._sizes)
        own = [*(column.codes for column in source.columns), source.sensitive.codes]
        bits = [chance.integers(0, 1 << 64, size, dtype=np.uint64) for size in self._sizes]
        self._bits = bits
        keys = stirred(row_sums(own, bits, source.n))
        _, first = np.unique(keys, return_index=True)
        stays = np.full(source.n, alpha)
        stays[first] = alpha + beta
        self.kept = chance.random(source.n) < stays
        self.lost = int((~self.kept).sum())
        if beta * self.domain > _MOST:
            raise Impossible(
                "About {count} made-up rows would be inserted, more than this comparison holds in memory.",
                count=round(beta * self.domain),
            )
        if self.domain <= _WHOLE:
            inserted = list(np.unravel_index(np.flatnonzero(chance.random(self.domain) < beta), self._sizes))
        else:  # beta is tiny there, and a tuple is hardly ever drawn twice
            many = int(chance.poisson(beta * self.domain))
            inserted = [chance.integers(0, size, many) for size in self._sizes]
        theirs = [each.astype(np.int32) for each in inserted]
        fresh = ~np.isin(stirred(row_sums(theirs, bits, len(theirs[0]))), keys)
        self.codes = [np.concatenate([mine[self.kept], each[fresh]]) for mine, each in zip(own, theirs, strict=True)]

    def unbiased(self, questions: CountingQuestions) -> Floats:
        """Return (Q,) estimates as they come, right on average, below 0 at times."""
        *columns, shown = self.codes
        selected = questions.select(columns, len(shown))
        row = np.repeat(np.arange(questions.selections), np.diff(selected.indptr))
        cells = np.bincount(
            row * self.source.m + shown[selected.indices], minlength=questions.selections * self.source.m
        )
        published = questions.asked(cells.reshape(-1, self.source.m).astype(np.float64))
        return np.asarray((published - self.beta * questions.share_of_domain() * self.domain) / self.alpha)

    def answer(self, questions: CountingQuestions) -> Answers:
        whole, x = questions.share_of_domain() * self.domain, self.unbiased(questions)
        stays, inside = self.alpha + self.beta, np.clip(x, 0.0, np.minimum(whole, self.source.n))
        variance = inside * stays * (1 - stays) + np.maximum(whole - inside, 0.0) * self.beta * (1 - self.beta)
        return Answers.around(x, variance / self.alpha**2, np.full(len(x), float(self.source.n)))

    def _keys(self, columns: Sequence[NDArray[np.integer]]) -> NDArray[np.uint64]:
        codes = [column.astype(np.int32) for column in columns]
        return stirred(row_sums(codes, self._bits[: len(codes)], len(codes[0])))

    def row(self, records: Ints) -> Floats:
        """Return (K, m) beliefs of who looks for the person's other columns: each value's tuple is there or not."""
        m, own = self.source.m, [np.repeat(column.codes[records], self.source.m) for column in self.source.columns]
        there = np.isin(self._keys([*own, np.tile(np.arange(m), len(records))]), self._keys(self.codes))
        stays = self.alpha + self.beta
        # A tuple that is the person's is there with alpha + beta, any other with beta.
        odds = np.where(there, stays / self.beta, (1 - stays) / (1 - self.beta)).reshape(-1, m)
        belief = self.source.shares * np.maximum(odds, 1e-12)
        return np.asarray(belief / belief.sum(axis=1, keepdims=True))

    def insider(self, records: Ints, questions: CountingQuestions) -> Floats:
        # Tuples are kept and inserted independently, so all other records say nothing of this one's.
        return np.asarray(self.row(records)[np.arange(len(records)), self.source.sensitive.codes[records]])


@dataclass(frozen=True)
class AlphaBeta(System):
    """Deletion and insertion such that no tuple unknown before is believed with more than `belief`."""

    belief: float

    name = "alpha-beta"
    title = say("Random deletion and insertion")
    points = BELIEFS
    span = (0.99, 0.001)
    setting_said = say("belief at most {belief}")

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> DeletedAndInserted:
        domain = math.prod([*(column.m for column in source.columns), source.m])
        alpha, beta = chances(source.n / domain, self.belief)
        return DeletedAndInserted(source, alpha, beta, chance)

    def count_law(self, source: TrueTable, count: int) -> tuple[Floats, Floats]:
        # All other tuples of the domain with the value can come to those of the table.
        domain = math.prod(column.m for column in source.columns)
        alpha, beta = chances(source.n / (domain * source.m), self.belief)
        shown, chance = binomials([(count, alpha + beta), (max(domain - count, 0), beta)])
        return (shown - beta * domain) / alpha, chance

    def exact_epsilon(self, source: TrueTable) -> float:
        domain = math.prod([*(column.m for column in source.columns), source.m])
        alpha, beta = chances(source.n / domain, self.belief)
        return math.log(max((alpha + beta) / beta, (1 - beta) / (1 - alpha - beta)))
