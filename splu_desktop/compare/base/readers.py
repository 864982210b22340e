"""What systems share by the way they publish: rows with drawn values, answers with noise, records in groups."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints
from splu_desktop.compare.base.system import System
from splu_desktop.core.answer.counts import CountFigures, learn_spread, shrink
from splu_desktop.core.table import Column

_IMPOSSIBLE = -1e3  # logarithm of the chance of what can't be


class UnbiasedDraw(System):
    """Rows with a drawn sensitive value, whose chances are known; what differs between systems is the draw alone.

    Read as the program reads its own releases: unbiased counts drawn towards what each condition by itself lets expect
    (mechanism.md section 4), target mu = N_P pi prod(lift of each single condition), the estimate mu + k (x - mu) with
    k = t mu^2 / (t mu^2 + V), cut to the interval of the roots of (x^ - x)^2 = 1.96^2 V(x).

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


class Groups(System):
    """Records in groups, and how many of each group have each value: not which of them.

    group : (N,) of each record, from 0 without gaps.
    sizes : (G,) records of each.
    counts : (G, m) of them with each value.
    """

    def hold(self, group: Ints) -> None:
        """Publish records in these groups."""
        self.group, self.sizes = group, np.bincount(group)
        self.counts = self.count_labels(self.source.sensitive)

    def count_labels(self, column: Column) -> sparse.csr_array:
        """Return (G, m_j) the records of each group with each label."""
        of_label = sparse.coo_array((np.ones(column.n), (self.group, column.codes)), shape=(len(self.sizes), column.m))
        return of_label.tocsr()

    def evidence(self, records: Ints) -> Floats:
        return np.asarray(self.counts[self.group[records]].toarray() / self.source.shares)
