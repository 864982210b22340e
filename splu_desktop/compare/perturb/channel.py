"""What all of them share: a published matrix T[v, u] = P(shown u | true v), each record drawn by itself.

Counts are estimated by the scores phi = T^-1 h of the value asked for, unbiased (mechanism.md section 4): a record of
value v adds one with variance W_v = sum over u of T[v, u] phi_u^2 - h_v, so V(x) = N_P w0 + x (w1 - w0) with W of the
value asked for, w1, and its mean over the others, w0.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.base.unbiased import UnbiasedDraw
from splu_desktop.core.answer.counts import CountFigures
from splu_desktop.core.progress import Progress

_SINGULAR = 1e10  # how much larger a value's error may grow on its way back
_STEPS = 4_001  # equally likely values that stand for a law without steps of its own


def invert(matrix: Floats) -> Floats:
    """Return T^-1. Raises Impossible where nothing leads back."""
    if np.linalg.cond(matrix) > _SINGULAR:
        raise Impossible("With this setting the shown values can't be worked back to counts.")
    return np.asarray(np.linalg.inv(matrix))


class Channel(UnbiasedDraw):
    """A matrix for each table; records stay in the source's order."""

    @abstractmethod
    def matrix(self, source: TrueTable) -> Floats:
        """Return T."""

    def make(self, chance: np.random.Generator, progress: Progress) -> None:
        self.own_matrix, self.shown = self.matrix(self.source), np.empty(self.source.n, np.int32)
        for value, law in enumerate(self.own_matrix):
            own = self.source.sensitive.codes == value
            self.shown[own] = chance.choice(self.source.m, int(own.sum()), p=law)

    @cached_property
    def _back(self) -> Floats:
        return invert(self.own_matrix)

    @cached_property
    def published_shares(self) -> Floats:  # type: ignore[override]
        likely = np.maximum(np.bincount(self.shown, minlength=self.source.m) @ self._back, 0.5)
        return np.asarray(likely / likely.sum())

    def evidence(self, records: Ints) -> Floats:
        return np.asarray(self.own_matrix[:, self.shown[records]].T)

    def count(self, questions: CountingQuestions) -> CountFigures:
        y, share = questions.histogram(self.shown, self.source.m), self.published_shares
        spread = np.maximum(
            self.own_matrix @ self._back**2 - np.eye(self.source.m), 0.0
        )  # W by true value and value asked
        with_it = spread.diagonal()
        without = (share @ spread - share * with_it) / np.maximum(1 - share, 1e-12)
        level = y.sum(axis=1, keepdims=True) * without
        return CountFigures(y @ self._back, level, np.broadcast_to(with_it - without, level.shape))

    def count_law(self, source: TrueTable, count: int) -> tuple[Floats, Floats]:
        # Near a normal one: a sum over all records of the table.
        matrix, at = self.matrix(source), int(np.argmin(np.abs(source.counts - count)))
        each = matrix @ invert(matrix)[:, at] ** 2 - np.eye(source.m)[at]
        others = np.where(np.arange(source.m) == at, 0.0, source.counts)
        variance = count * each[at] + (source.n - count) * float(others @ each) / max(float(others.sum()), 1.0)
        likely = ndtri((np.arange(_STEPS) + 0.5) / _STEPS)
        return count + np.sqrt(max(variance, 0.0)) * likely, np.full(_STEPS, 1 / _STEPS)

    def exact_epsilon(self, source: TrueTable) -> float:
        # The most that two true values differ in the chance of anything shown.
        matrix = self.matrix(source)
        least = matrix.min(axis=0)
        return float(np.log((matrix.max(axis=0) / least).max())) if (least > 0).all() else np.inf
