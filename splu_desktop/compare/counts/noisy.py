"""What systems with noisy answers share: the same question gets the same answer, and an insider takes others off."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from scipy import sparse

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Sanitised

_IMPOSSIBLE = -1e3  # logarithm of the chance of what can't be


class NoisyAnswers(Sanitised):
    """Answers with noise; what was answered once stays answered."""

    def __init__(self, source: TrueTable) -> None:
        self.source = source
        self._given: dict[int, tuple[CountingQuestions, Answers]] = {}

    def answer(self, questions: CountingQuestions) -> Answers:
        if id(questions) not in self._given:
            self._given[id(questions)] = questions, self._answered(questions)
        return self._given[id(questions)][1]

    @abstractmethod
    def _answered(self, questions: CountingQuestions) -> Answers:
        """Return answers with fresh noise, their estimates not cut to what is possible."""

    @abstractmethod
    def likelihood(self, questions: CountingQuestions, shown: Floats, counts: Floats) -> Floats:
        """Return (Q,) logarithms of the chance, or density, of these answers if these were the true counts."""

    def insider(self, records: Ints, questions: CountingQuestions) -> Floats:
        """Return (K,) beliefs in the true value by all answers at once, all other records being known."""
        shown, truth = self.answer(questions).estimate, questions.truth.astype(np.float64)
        own = self.source.sensitive.codes[records]
        inside = questions.selected[:, records].tocsr()[questions.row]  # (Q, K)
        has = inside.multiply(questions.sets[:, own][questions.which]).tocsr()  # the person is among those counted
        lacks = inside - has
        asked = sparse.csr_array(questions.sets[questions.which], dtype=np.float64)  # few values each
        one_less, as_is, one_more = (
            np.maximum(self.likelihood(questions, shown, truth + step), _IMPOSSIBLE) for step in (-1, 0, 1)
        )
        score = (has.T @ (sparse.diags_array(as_is - one_less) @ asked)).toarray()
        score += (lacks.T @ (sparse.diags_array(one_more - as_is) @ asked)).toarray()
        score += (has.T @ one_less + lacks.T @ as_is)[:, None] + np.log(self.source.shares)
        belief = np.exp(score - score.max(axis=1, keepdims=True))
        belief /= belief.sum(axis=1, keepdims=True)
        return np.asarray(belief[np.arange(len(records)), own])
