"""Anonymised marginals with a maximum-entropy fit (Kifer, Gehrke, Injecting utility into anonymized datasets, 2006).

Published: the counts of each column, and those of some pairs of columns, whose labels stand together in ranges of about
equally many records, k at least and as many as the domain allows. Read: the distribution F2 of largest entropy that
agrees with them. No pair tells of labels within ranges, so F2 is the fit over ranges times each column's own shares
within them, those of fewer than k records together, and x the sum over its cells of what meets the question.

- k-link anonymity (Definition 4.1): every combination of unchanged columns' ranges in a marginal has no record or k and
  more. Whether that is k-combinatorial anonymity (Definition 4.2) as well is looked up on the graph of the marginals.
- MaxEnt l-diversity (Definition 4.3): the values of every combination of ranges are (c, l)-diverse under F2, c = 3.
- Choice: the marginal is added next by which F2 comes nearest, at least KL of its true counts over the fitted ones,
  unless it breaks one of the two. KL divergence of the true table from F2,
  (1 / N) sum over records of ln(f(t) / (N F2(t))), is what remains.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base import CountingQuestions, Floats, Impossible, System, in_parts, stand_together, system
from splu_desktop.compare.generalise.conditions import RecursiveDiversity
from splu_desktop.compare.marginals.fit import choose, is_combinatorial, shares_within
from splu_desktop.core.messages import say

Codes = NDArray[np.integer]
_CELLS = 1 << 18  # of the domain that is fitted
_MOST_RANGES = 16  # of a column


@system("marginals", say("Anonymised marginals"), random=False, points=(5, 50), span=(2, 2_000))
class Marginals(System):
    """Marginals that are k-link anonymous, and (c, l)-diverse by the fit.

    ranges, shares : for each unchanged column (m_j,) the range of each label, and its published share there.
    true, cells : records by range of each column and value, as they are and as expected.
    chosen : the marginals published.
    """

    k: int
    l: int = 2  # noqa: E741 - the paper's name
    c: float = 3.0

    def make(self, chance: np.random.Generator) -> None:
        source, k = self.source, self.k
        sizes = [column.m for column in source.columns]
        fits = (m for m in range(_MOST_RANGES, 1, -1) if math.prod(min(s, m) for s in sizes) * source.m <= _CELLS)
        most = next(fits, None)
        if most is None:
            raise Impossible("The columns have more combinations of values than this method can go through.")
        self.ranges = [stand_together(column.counts(), most, k) for column in source.columns]
        both = list(zip(self.ranges, source.columns, strict=True))
        self.shares = [shares_within(column.counts(), of, k) for of, column in both]
        self._of_record: tuple[Codes, ...] = (*(of[column.codes] for of, column in both), source.sensitive.codes)
        self.true = np.zeros((*(int(each.max()) + 1 for each in self.ranges), source.m))
        np.add.at(self.true, self._of_record, 1.0)
        self.chosen, self.cells = choose(self.true, k, RecursiveDiversity(self.l, self.c), self.progress)

    def answer(self, questions: CountingQuestions) -> Floats:
        by_value = np.empty((questions.selections, self.source.m))
        for part in in_parts(questions.selections, self.cells.size):
            left = np.ones((len(by_value[part]), 1)) * self.cells.ravel()
            for flags, of, share in zip(questions.flags, self.ranges, self.shares, strict=True):
                meets = (flags[part] * share) @ np.eye(int(of.max()) + 1)[of]
                left = np.einsum("pg,pgr->pr", meets, left.reshape(*meets.shape, -1))
            by_value[part] = left
        return questions.pick(by_value)

    def metrics(self) -> dict[str, float]:
        combined = is_combinatorial(self.true, self.chosen, self.k)
        decided = math.nan if combined is None else float(combined)  # where pairs make a circle
        codes = np.column_stack([column.codes for column in self.source.all_columns])
        _, which, number = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
        thought = self.cells[self._of_record]
        for column, share in zip(self.source.columns, self.shares, strict=True):
            thought = thought * share[column.codes]
        divergence = float(np.log(number[which.ravel()] / thought).mean())
        pairs = float(len(self.chosen) - self.true.ndim)
        return {"pairs": pairs, "KL divergence": divergence, "k-combinatorial": decided}
