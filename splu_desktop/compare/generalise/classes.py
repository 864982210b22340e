"""A generalised table: each record shows the range of labels of its class in every unchanged column, and its value.

Answers think the records of a class spread evenly over its box, the labels lo..hi of every column (LeFevre, DeWitt,
Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006; Xiao, Tao 2006 ask the same of generalised tables):
x = sum over classes g of c_{g,s} times the product over columns j of |S_j and [lo_gj, hi_gj]| / (hi_gj - lo_gj + 1),
S_j the labels that the question takes. That is biased wherever records are not spread so, by nobody knows how much: so
there is no interval.

Disclosure as Brickell and Shmatikov measure it (The cost of privacy, KDD 2008), p(g, s) the shares in a class, p(s)
those in the whole table, which the trivial sanitisation tells:
A_know = mean over records of 1/2 sum over s of |p(g, s) - p(s)|; A_acc = mean over records of max_s p(g, s), less
max_s p(s); A_quot = largest |ln(p(g, s) / p(s))|, infinite where a value is in no record of a class.

Discernability (Bayardo, Agrawal, ICDE 2005): sum over classes of |g|^2, nothing being suppressed. Classification metric
(Iyengar, KDD 2002): share of the records whose value is not the commonest of their class.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import sparse

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints
from splu_desktop.compare.base.system import System

_CELLS = 8_000_000  # selections times classes that are worked on at once


class Generalisation(System):
    """Records in classes, each with the box of its class."""

    random = False

    def hold(self, classes: Ints) -> None:
        """Publish records in these classes, (N,) from 0 without gaps."""
        source, self.classes, self.sizes = self.source, classes, np.bincount(classes)
        at, shape = (classes, source.sensitive.codes), (len(self.sizes), source.m)
        self.counts = sparse.coo_array((np.ones(source.n), at), shape=shape).tocsr()
        order = np.argsort(classes, kind="stable")
        starts = np.cumsum(self.sizes) - self.sizes
        codes = [column.codes[order] for column in source.columns]
        self.low = [np.minimum.reduceat(each, starts) for each in codes]  # (G,) for each column
        self.high = [np.maximum.reduceat(each, starts) for each in codes]

    def answer(self, questions: CountingQuestions) -> Answers:
        by_value = np.empty((questions.selections, self.source.m))
        step = max(_CELLS // len(self.sizes), 1)
        for start in range(0, questions.selections, step):
            part = slice(start, start + step)
            by_value[part] = np.asarray(self._inside(questions, part) @ self.counts)
        return Answers(questions.pick(by_value))

    def _inside(self, questions: CountingQuestions, part: slice) -> Floats:
        """Return (P', G) the share of each class that is thought to meet each of some selections."""
        share = np.ones((len(range(*part.indices(questions.selections))), len(self.sizes)))
        for flags, low, high in zip(questions.flags, self.low, self.high, strict=True):
            some = np.flatnonzero(~flags[part].all(axis=1))
            if len(some):
                below = np.cumsum(np.pad(flags[part][some], ((0, 0), (1, 0))), axis=1, dtype=np.int32)
                share[some] *= (below[:, high + 1] - below[:, low]) / (high - low + 1)
        return share

    def row(self, records: Ints) -> Floats:
        own = self.classes[records]
        return np.asarray(self.counts[own].toarray() / self.sizes[own, None])

    def metrics(self) -> dict[str, float]:
        counts, sizes, n = self.counts, self.sizes, self.source.n
        whole = self.source.shares
        at = np.repeat(np.arange(len(sizes)), np.diff(counts.indptr))
        inside, expected = counts.data / sizes[at], whole[counts.indices]
        # Half the sum of |p - q| is the sum of p - q where p is larger, and there p > 0.
        know = float(sizes[at] @ np.maximum(inside - expected, 0.0)) / n
        commonest = float(counts.max(axis=1).toarray().sum()) / n
        every = counts.nnz == counts.shape[0] * counts.shape[1]
        return {
            "average class": n / len(sizes),
            "discernability": float((sizes.astype(np.float64) ** 2).sum()),
            "classification": 1 - commonest,
            "A_know": know,
            "A_acc": commonest - float(whole.max()),
            "A_quot": float(np.abs(np.log(inside / expected)).max()) if every else math.inf,
        }
