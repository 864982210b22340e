"""What systems share by the way they publish: answers with noise, records in groups."""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np
from scipy import sparse
from scipy.special import softmax

from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints
from splu_desktop.compare.base.system import System
from splu_desktop.core.table import Column

_IMPOSSIBLE = -1e3  # logarithm of the chance of what can't be


class NoisyAnswers(System):
    """Answers with noise; estimates are not cut to what is possible."""

    @abstractmethod
    def likelihood(self, shown: Floats, counts: Floats) -> Floats:
        """Return (Q,) logarithms of the chance, or density, of these answers if these were the true counts."""

    def insider(self, records: Ints, row: Floats, questions: CountingQuestions, answers: Floats) -> Floats:
        """Return (K,) beliefs in the true value by all answers at once, all other records being known."""
        own, truth, number = self.source.sensitive.codes[records], questions.truth.astype(float), len(questions.row)
        inside = questions.incidence[:, records].tocsr()[questions.row]  # (Q, K)
        has = inside.multiply(questions.value[:, None] == own).tocsr()  # the person is among those counted
        lacks = inside - has
        asked = sparse.csr_array((np.ones(number), questions.value, np.arange(number + 1)), (number, self.source.m))
        steps = [np.maximum(self.likelihood(answers, truth + step), _IMPOSSIBLE) for step in (-1, 0, 1)]
        score = np.log(self.source.shares)
        for of, likelier in zip((has, lacks), np.diff(steps, axis=0), strict=True):  # with the person than without
            score = score + (of.T @ (sparse.diags_array(likelier) @ asked)).toarray()
        return self.source.pick_own(softmax(score, axis=1), records)


class Groups(System):
    """Records in groups, and how many of each group have each value: not which of them.

    Disclosure as Brickell and Shmatikov measure it (The cost of privacy, KDD 2008), p(g, s) the shares in a group, p(s)
    those in the whole table, which the trivial sanitisation tells:
    A_know = mean over records of 1/2 sum over s of |p(g, s) - p(s)|; A_acc = mean over records of max_s p(g, s), less
    max_s p(s); A_quot = largest |ln(p(g, s) / p(s))|, infinite where a value is in no record of a group.

    Discernability (Bayardo, Agrawal, ICDE 2005): sum over groups of |g|^2, nothing being suppressed. Classification
    metric (Iyengar, KDD 2002): share of the records whose value is not the commonest of their group.

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

    def metrics(self) -> dict[str, float]:
        counts, sizes, n, whole = self.counts, self.sizes, self.source.n, self.source.shares
        published = counts.sum(axis=1)  # values of each group, fakes among them
        at = np.repeat(np.arange(len(sizes)), np.diff(counts.indptr))
        inside, expected = counts.data / published[at], whole[counts.indices]
        # Half the sum of |p - q| is the sum of p - q where p is larger, and there p > 0.
        know = float(sizes[at] @ np.maximum(inside - expected, 0.0)) / n
        commonest = float(sizes @ (counts.max(axis=1).toarray().ravel() / published)) / n
        every = counts.nnz == counts.shape[0] * counts.shape[1]
        return {
            "average class": n / len(sizes),
            "discernability": float((sizes.astype(np.float64) ** 2).sum()),
            "classification": 1 - commonest,
            "A_know": know,
            "A_acc": commonest - float(whole.max()),
            "A_quot": float(np.abs(np.log(inside / expected)).max()) if every else math.inf,
        }
