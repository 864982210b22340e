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
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Sanitised

_CELLS = 8_000_000  # selections times classes that are worked on at once


@dataclass(frozen=True)
class ClassDisclosure:
    """What classes tell beyond the shares of the whole table: see the module's formulas.

    Attributes
    ----------
    know, accuracy : means over records, in 0..1.
    quotient : largest |ln| of a share over that of the whole table; infinite where a class lacks a value.
    """

    know: float
    accuracy: float
    quotient: float

    @classmethod
    def of(cls, counts: sparse.csr_array) -> ClassDisclosure:
        """Return the disclosure by the (G, m) counts of values in classes."""
        sizes = counts.sum(axis=1)
        whole = counts.sum(axis=0) / sizes.sum()
        at = np.repeat(np.arange(len(sizes)), np.diff(counts.indptr))
        inside = counts.data / sizes[at]
        # Half the sum of |p - q| is the sum of p - q where p is larger, and there p > 0.
        larger = np.bincount(at, np.maximum(inside - whole[counts.indices], 0.0), minlength=len(sizes))
        tops = counts.max(axis=1).toarray().ravel()
        full = counts.nnz == counts.shape[0] * np.count_nonzero(whole)
        return cls(
            float(sizes @ larger / sizes.sum()),
            float(tops.sum() / sizes.sum() - whole.max()),
            float(np.abs(np.log(inside / whole[counts.indices])).max()) if full else math.inf,
        )


class Generalised(Sanitised):
    """Records in classes, each with the box of its class.

    classes : (N,) number of each record's class, from 0 without gaps.
    """

    def __init__(self, source: TrueTable, classes: NDArray[np.int64]) -> None:
        self.source, self.classes = source, classes
        number = int(classes.max()) + 1
        self.sizes = np.bincount(classes, minlength=number)
        ones = np.ones(source.n)
        self.counts = sparse.coo_array((ones, (classes, source.sensitive.codes)), shape=(number, source.m)).tocsr()
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
        return Answers.without_intervals(questions.asked(by_value))

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

    def insider(self, records: Ints, questions: CountingQuestions) -> Floats:
        # Values are true: who knows all others of a class takes theirs away, and one is left.
        return np.ones(len(records))

    def metrics(self) -> dict[str, float]:
        told = ClassDisclosure.of(self.counts)
        tops = float(self.counts.max(axis=1).toarray().sum())
        return {
            "average class": self.source.n / len(self.sizes),
            "discernability": float((self.sizes.astype(np.float64) ** 2).sum()),
            "classification": 1 - tops / self.source.n,
            "A_know": told.know,
            "A_acc": told.accuracy,
            "A_quot": told.quotient,
        }
