"""Differential privacy by noisy margins and a fit: MST (McKenna, Miklau, Sheldon, Winning the NIST contest, 2021).

Epsilon in thirds: every column's counts with Lap(3 (d + 1) / epsilon); a spanning tree of d pairs, Kruskal's way, each
taken by the exponential mechanism with epsilon / (3 d) by the distance |M_ij - M_i M_j / N|_1 from independence
(sensitivity 2); the counts of those pairs with Lap(3 d / epsilon). delta = 0, basic composition (the paper has
Gaussian noise and zCDP). N is known. Labels of few noisy records stand together. Fit: each pair is projected to what
counts can be (none negative, N in all), and the distribution of largest entropy with a tree of pairs is the product of
their conditional shares, so that a count is a sum over the tree.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable, stand_together
from splu_desktop.compare.base.system import system
from splu_desktop.compare.counts.laplace import Laplace
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress


def possible_counts(noisy: Floats, total: float) -> Floats:
    """Return the nearest counts that are not negative and add up to `total`: a projection on the simplex."""
    falling = np.sort(noisy, axis=None)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, noisy.size + 1)
    return np.asarray(np.maximum(noisy - excess[falling > excess][-1], 0.0))


@system("noisy-margins", say("Differential privacy, noisy margins"))
class NoisyMargins(Laplace):
    """Noisy margins of a tree of column pairs, all columns in order, the sensitive one last, and their fit."""

    def scale(self, source: TrueTable) -> float:
        # Of the column's own noisy counts, before the fit.
        return 3 * (len(source.columns) + 1) / self.epsilon

    def make(self, chance: np.random.Generator, progress: Progress) -> None:
        columns = self.source.all_columns
        d = len(columns) - 1
        scale = self.scale(self.source)
        self.single = [
            possible_counts(each.counts() + chance.laplace(0.0, scale, each.m), self.source.n) for each in columns
        ]
        # Noise of three scales would drown what is fewer.
        self.groups = [stand_together(each, least=3 * scale) for each in self.single[:-1]] + [np.arange(self.source.m)]
        shares = [np.bincount(*each) / self.source.n for each in zip(self.groups, self.single, strict=True)]
        margins, distance = {}, {}
        for one, other in combinations(range(d + 1), 2):
            progress.report("Comparing", one / (d + 1))
            shape = len(shares[one]), len(shares[other])
            cell = self.groups[one][columns[one].codes] * shape[1] + self.groups[other][columns[other].codes]
            both = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
            margins[one, other] = both
            distance[one, other] = float(np.abs(both - self.source.n * np.outer(shares[one], shares[other])).sum())
        part, self.edges = np.arange(d + 1), {}
        for _ in range(d):
            left = [pair for pair in margins if part[pair[0]] != part[pair[1]]]
            # The largest of score + Gumbel is the exponential mechanism's choice.
            noise = chance.gumbel(0.0, 2 * 2 * 3 * d / self.epsilon, len(left))
            one, other = left[int(np.argmax([distance[each] for each in left] + noise))]
            part[part == part[one]] = part[other]
            noisy = margins[one, other] + chance.laplace(0.0, 3 * d / self.epsilon, margins[one, other].shape)
            counts = possible_counts(noisy, self.source.n)
            self.edges[one, other], self.edges[other, one] = counts, counts.T

    def answer(self, questions: CountingQuestions) -> Answers:
        last = len(self.groups) - 1
        return Answers(questions.pick(self._beside(last, last, questions) * self.single[last]))

    def _beside(self, column: int, parent: int, questions: CountingQuestions) -> Floats:
        """Return (P, groups of `column`) the share of its records that meet the conditions on it and behind it."""
        group, own = self.groups[column], self.single[column]
        meets = np.ones((questions.selections, int(group.max()) + 1))
        if column < len(questions.flags):
            within = own / np.maximum(np.bincount(group, own)[group], 1e-12)
            meets = (questions.flags[column] * within) @ np.eye(meets.shape[1])[group]
        for (one, behind), counts in self.edges.items():
            if one == column and behind != parent:
                total, even = counts.sum(axis=1, keepdims=True), counts.sum(axis=0) / counts.sum()
                share = np.where(total > 0, counts / np.where(total > 0, total, 1.0), even)
                meets = meets * (self._beside(behind, column, questions) @ share.T)
        return meets

    def insider(self, records: Ints, questions: CountingQuestions, answers: Answers) -> Floats:
        # By the definition: the odds of any value grow by e^epsilon at most over those of its share; as a bound.
        share = self.source.shares[self.source.sensitive.codes[records]]
        odds = np.exp(min(self.epsilon, 50.0)) * share
        return np.asarray(odds / (odds + 1 - share))
