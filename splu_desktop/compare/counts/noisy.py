"""What systems with noisy answers share: an insider takes the others off."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from scipy import sparse

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints
from splu_desktop.compare.base.system import System

_IMPOSSIBLE = -1e3  # logarithm of the chance of what can't be


class NoisyAnswers(System):
    """Answers with noise; estimates are not cut to what is possible."""

    @abstractmethod
    def likelihood(self, shown: Floats, counts: Floats) -> Floats:
        """Return (Q,) logarithms of the chance, or density, of these answers if these were the true counts."""

    def insider(self, records: Ints, questions: CountingQuestions, answers: Answers) -> Floats:
        """Return (K,) beliefs in the true value by all answers at once, all other records being known."""
        own, truth, number = self.source.sensitive.codes[records], questions.truth.astype(float), len(questions.row)
        inside = questions.selected[:, records].tocsr()[questions.row]  # (Q, K)
        has = inside.multiply(questions.value[:, None] == own).tocsr()  # the person is among those counted
        lacks = inside - has
        asked = sparse.csr_array((np.ones(number), questions.value, np.arange(number + 1)), (number, self.source.m))
        one_less, as_is, one_more = (
            np.maximum(self.likelihood(answers.estimate, truth + step), _IMPOSSIBLE) for step in (-1, 0, 1)
        )
        score = (has.T @ (sparse.diags_array(as_is - one_less) @ asked)).toarray()
        score += (lacks.T @ (sparse.diags_array(one_more - as_is) @ asked)).toarray()
        score += (has.T @ one_less + lacks.T @ as_is)[:, None] + np.log(self.source.shares)
        belief = np.exp(score - score.max(axis=1, keepdims=True))
        return np.asarray((belief / belief.sum(axis=1, keepdims=True))[np.arange(len(records)), own])
