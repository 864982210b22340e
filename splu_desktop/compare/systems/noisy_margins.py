"""Differential privacy by noisy margins and a fit: MST (McKenna, Miklau, Sheldon, Winning the NIST contest, 2021).

Epsilon in thirds: every column's counts with Lap(3 (d + 1) / epsilon); a spanning tree of d pairs, Kruskal's way, each
taken by the exponential mechanism with epsilon / (3 d) by the distance |M_ij - M_i M_j / N|_1 from independence, M_i
and M_j the noisy counts (so that a record moves it by 1); the counts of those pairs with Lap(3 d / epsilon). delta = 0,
basic composition (the paper has Gaussian noise and zCDP). N is known, which helps it. Labels of few noisy records stand
together. Fit: each pair is projected to what counts can be (none negative, N in all), and the distribution of largest
entropy with a tree of pairs is the product of their conditional shares, so that a count is a sum over the tree.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.special import softmax

from splu_desktop.compare.base import CountingQuestions, TrueTable, system
from splu_desktop.compare.base.source import Floats, Ints, stand_together
from splu_desktop.compare.systems.laplace import Laplace
from splu_desktop.core.distinct import count_pairs
from splu_desktop.core.messages import say


def possible_counts(noisy: Floats, total: float) -> Floats:
    """Return the nearest counts that are not negative and add up to `total`: a projection on the simplex."""
    falling = np.sort(noisy, axis=None)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, noisy.size + 1)
    return np.asarray(np.maximum(noisy - excess[falling > excess][-1], 0.0))


@system("noisy-margins", say("Differential privacy, noisy margins"), first=True)
class NoisyMargins(Laplace):
    """Noisy margins of a tree of column pairs, all columns in order, the sensitive one last, and their fit."""

    def scale(self, source: TrueTable) -> float:
        # Of the column's own noisy counts, before the fit.
        return 3 * (len(source.columns) + 1) / self.epsilon

    def make(self, chance: np.random.Generator) -> None:
        columns = self.source.all_columns
        d = len(columns) - 1
        scale, of_pairs = self.scale(self.source), 3 * d / self.epsilon
        noise = [chance.laplace(0.0, scale, each.m) for each in columns]
        self.single = [possible_counts(a.counts() + b, self.source.n) for a, b in zip(columns, noise, strict=True)]
        # Of the sensitive column's counts: the line that each record is in, the noise of all lines, its scale.
        self.told = [(np.zeros(self.source.n, np.int64), noise[-1][None], scale)]
        # Noise of three scales would drown what is fewer.
        self.groups = [stand_together(each, least=3 * scale) for each in self.single[:-1]] + [np.arange(self.source.m)]
        shares = [np.bincount(*each) / self.source.n for each in zip(self.groups, self.single, strict=True)]
        codes = [of[each.codes] for of, each in zip(self.groups, columns, strict=True)]
        margins, distance = {}, {}
        for one, other in combinations(range(d + 1), 2):
            self.progress.report("Comparing", one / (d + 1))
            both = margins[one, other] = count_pairs(codes[one], len(shares[one]), codes[other], len(shares[other]))
            distance[one, other] = float(np.abs(both - self.source.n * np.outer(shares[one], shares[other])).sum())
        part, self.edges = np.arange(d + 1), {}
        for _ in range(d):
            left = [pair for pair in margins if part[pair[0]] != part[pair[1]]]
            # The largest of score + Gumbel is the exponential mechanism's choice.
            gumbel = chance.gumbel(0.0, 2 * of_pairs, len(left))
            one, other = left[int(np.argmax([distance[each] for each in left] + gumbel))]
            part[part == part[one]] = part[other]
            of_pair = chance.laplace(0.0, of_pairs, margins[one, other].shape)
            if other == d:
                self.told.append((codes[one], of_pair, of_pairs))
            counts = possible_counts(margins[one, other] + of_pair, self.source.n)
            self.edges[one, other], self.edges[other, one] = counts, counts.T

    def count_law(self, source: TrueTable, count: int, others: int) -> tuple[Floats, Floats]:
        # Before the fit: by the column's noisy count, or by that of its pair with a column, where part of it is asked.
        answers, chance = super().count_law(source, count, others)
        d = len(source.columns)
        return answers if count + others == source.n else count + (answers - count) * d / (d + 1), chance

    def answer(self, questions: CountingQuestions) -> Floats:
        last = len(self.groups) - 1
        return questions.pick(self._beside(last, last, questions) * self.single[last])

    def _beside(self, column: int, parent: int, questions: CountingQuestions) -> Floats:
        """Return (P, groups of `column`) the share of its records that meet the conditions on it and behind it."""
        group, single = self.groups[column], self.single[column]
        meets = np.ones((questions.selections, int(group.max()) + 1))
        if column < len(questions.flags):
            within = single / np.maximum(np.bincount(group, single)[group], 1e-12)
            meets = (questions.flags[column] * within) @ np.eye(meets.shape[1])[group]
        for (one, behind), counts in self.edges.items():
            if one == column and behind != parent:
                total, even = counts.sum(axis=1, keepdims=True), counts.sum(axis=0) / counts.sum()
                share = np.where(total > 0, counts / np.where(total > 0, total, 1.0), even)
                meets = meets * (self._beside(behind, column, questions) @ share.T)
        return meets

    def insider(self, records: Ints, row: Floats, questions: CountingQuestions, answers: Floats) -> Floats:
        # By the noisy counts that a value of the person would be in: the column's own, and those of its pairs.
        codes, score = self.source.sensitive.codes[records], np.log(self.source.shares)
        for line, noise, scale in self.told:  # |y - f| - |y - f - 1| = 2 (y - f) - 1, within -1 and 1
            score = score + np.clip(2 * (noise[line[records]] + np.eye(self.source.m)[codes]) - 1, -1, 1) / scale
        return self.source.pick_own(softmax(score, axis=1), records)
