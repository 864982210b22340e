"""Unbiased counts drawn towards what each condition by itself lets expect: one reader for all draws with known chances.

As the program's own reader does (mechanism.md section 4): target mu = N_P pi prod(lift of each single condition), the
estimate mu + k (x - mu) with k = t mu^2 / (t mu^2 + V), cut to the interval of the roots of (x^ - x)^2 = 1.96^2 V(x).
What differs between systems is the draw alone.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints
from splu_desktop.compare.base.system import System
from splu_desktop.core.answer.counts import CountFigures, learn_spread, shrink


class UnbiasedDraw(System):
    """Rows with a drawn sensitive value, whose chances are known.

    shown : (N,) drawn values, records in the source's order.
    published_shares : (m,) the share of each value as published, or worked back where the draw moves shares.
    borne : whether a value that is shown has a bearer: who knows that nobody else has it knows the person's.
    spread : t.
    """

    shown: NDArray[np.int32]
    published_shares: Floats
    exact = borne = False
    spread: float

    @abstractmethod
    def count(self, questions: CountingQuestions) -> CountFigures:
        """Return (P, m) unbiased figures of every value in every selection."""

    def count_with_targets(self, questions: CountingQuestions) -> tuple[CountFigures, Floats]:
        """Return (Q,) figures and their targets mu; learns the spread t of single conditions on the way."""
        share, (both, of) = self.published_shares, questions.with_singles
        figures, target = self.count(both), both.sizes[:, None] * share
        variance = figures.variance(np.maximum(figures.estimate, 0))
        alone = list({each for own in of for each in own})
        self.spread = learn_spread(*(each[alone].ravel() for each in (figures.estimate, variance, target)))
        drawn = np.maximum(shrink(figures.estimate, variance, target, self.spread), 0.0)
        lift = np.divide(drawn, target, out=np.ones_like(drawn), where=target > 0)
        mu = np.stack([share * (lift[own].prod(axis=0) if len(own) > 1 else 1.0) for own in of])
        total = mu.sum(axis=1, keepdims=True)
        mu = questions.sizes[:, None] * np.where(total > 0, mu / np.where(total > 0, total, 1), share)
        estimate, level, slope = map(questions.pick, (figures.estimate, figures.level, figures.slope))
        return CountFigures(estimate, level, slope), questions.pick(mu)

    def answer(self, questions: CountingQuestions) -> Answers:
        asked, target = self.count_with_targets(questions)
        low, high = asked.interval(questions.sizes[questions.row])
        drawn = shrink(asked.estimate, asked.variance(np.maximum(asked.estimate, 0)), target, self.spread)
        return Answers(np.clip(drawn, low, high), low, high)

    def insider(self, records: Ints, questions: CountingQuestions, answers: Answers) -> Floats:
        # Records are drawn by themselves: what all others are adds nothing to the row but the shares.
        own = self.source.sensitive.codes[records]
        named = self.borne & (self.source.counts[own] == 1) & np.isin(own, self.shown)
        return np.where(named, 1.0, super().insider(records, questions, answers))
