"""Unbiased counts drawn towards what each condition by itself lets expect: one reader for all draws with known chances.

As the program's own reader does (mechanism.md section 4): target mu = N_P pi prod(lift of each single condition), the
estimate mu + k (x - mu) with k = t mu^2 / (t mu^2 + V), cut to the interval of the roots of (x^ - x)^2 = 1.96^2 V(x).
What differs between systems is the draw alone.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Flags, Floats
from splu_desktop.compare.base.system import Sanitised
from splu_desktop.core.answer.counts import Counted, learn_spread, shrink


class Unbiased(Sanitised):
    """Rows with a drawn sensitive value, whose chances are known."""

    spread: float = 0.0  # t

    @property
    @abstractmethod
    def published_shares(self) -> Floats:
        """(m,) the share of each value as published, or worked back where the draw moves shares."""

    @abstractmethod
    def count(self, questions: CountingQuestions, sets: Flags) -> Counted:
        """Return (P, U) unbiased figures of sets of values (U, m) in every selection."""

    def answer(self, questions: CountingQuestions) -> Answers:
        figures = self.count(questions, questions.sets)
        at = questions.row, questions.which
        asked = Counted(figures.estimate[at], figures.level[at], figures.slope[at])
        low, high = asked.interval(questions.top)
        target = questions.asked(self._expected(questions))
        drawn = shrink(asked.estimate, asked.variance(np.maximum(asked.estimate, 0)), target, self.spread)
        return Answers(np.clip(drawn, low, high), low, high)

    def _singly(self, lines: CountingQuestions) -> tuple[Floats, Floats, Floats]:
        """Return (P, m) estimates of single values, their variances, and what the whole table lets expect."""
        figures = self.count(lines, np.eye(self.source.m, dtype=bool))
        inside = np.asarray(lines.selected.sum(axis=1)).ravel()
        variance = figures.variance(np.maximum(figures.estimate, 0))
        return figures.estimate, variance, inside[:, None] * self.published_shares

    def _expected(self, questions: CountingQuestions) -> Floats:
        """Return (P, m) the targets mu; learns the spread t on the way."""
        labels, (single, of) = questions.labels, questions.singly
        self.spread = learn_spread(*(each.ravel() for each in self._singly(labels))) if labels.number else 0.0
        share = self.published_shares
        lift = np.ones((1, self.source.m))
        if single.number:
            x, variance, target = self._singly(single)
            drawn = np.maximum(shrink(x, variance, target, self.spread), 0.0)
            lift = np.divide(drawn, target, out=np.ones_like(drawn), where=target > 0)
        mu = np.stack([share * (lift[own].prod(axis=0) if len(own) > 1 else 1.0) for own in of])
        total = mu.sum(axis=1, keepdims=True)
        inside = np.asarray(questions.selected.sum(axis=1)).ravel()[:, None]
        return np.asarray(inside * np.where(total > 0, mu / np.where(total > 0, total, 1), share))
