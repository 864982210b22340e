"""Differential privacy by noisy margins and a fit: MST (McKenna, Miklau, Sheldon, Winning the NIST contest, 2021).

Epsilon in thirds: every column's counts with Lap(3 (d + 1) / epsilon); a spanning tree of d pairs, Kruskal's way, each
taken by the exponential mechanism with epsilon / (3 d) by the distance |M_ij - M_i M_j / N|_1 from independence
(sensitivity 2); the counts of those pairs with Lap(3 d / epsilon). delta = 0, basic composition (the paper has
Gaussian noise and zCDP). N is known. Labels of few noisy records stand together. Fit: each pair is projected to what
counts can be (none negative, N in all), and the distribution of largest entropy with a tree of pairs is the product of
their conditional shares, so that a count is a sum over the tree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.laws import laplace_quantile, stepped
from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Sanitised
from splu_desktop.compare.counts.laplace import Laplace
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress


def possible_counts(noisy: Floats, total: float) -> Floats:
    """Return the nearest counts that are not negative and add up to `total`: a projection on the simplex."""
    falling = np.sort(noisy, axis=None)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, noisy.size + 1)
    return np.asarray(np.maximum(noisy - excess[falling > excess][-1], 0.0))


def grouped(noisy: Floats, least: float) -> NDArray[np.intp]:
    """Return (m,) the group of each label, in order: neighbours stand together until they have `least` records."""
    group, number, inside = np.empty(len(noisy), np.intp), 0, 0.0
    for at, records in enumerate(noisy):
        group[at], inside = number, inside + records
        if inside >= least and noisy[at + 1 :].sum() >= least:
            number, inside = number + 1, 0.0
    return group


class Fitted(Sanitised):
    """A tree of noisy margins over all columns, the sensitive one last."""

    def __init__(self, source: TrueTable, epsilon: float, chance: np.random.Generator, progress: Progress) -> None:
        self.source = source
        columns = [*source.columns, source.sensitive]
        d = max(len(columns) - 1, 1)
        scale = 3 * len(columns) / epsilon
        counts = [each.counts() + chance.laplace(0.0, scale, each.m) for each in columns]
        self.single = [possible_counts(each, source.n) for each in counts]
        least = 3 * scale
        self.groups = [grouped(each, least) for each in self.single[:-1]] + [np.arange(source.m)]
        codes = [group[each.codes] for group, each in zip(self.groups, columns, strict=True)]
        sizes = [int(each.max()) + 1 for each in self.groups]
        ones = [np.bincount(group, each) for group, each in zip(self.groups, self.single, strict=True)]
        margins, distance = {}, {}
        for one in range(len(columns)):
            progress.report("Comparing", one / len(columns))
            for other in range(one):
                both = np.bincount(codes[one] * sizes[other] + codes[other], minlength=sizes[one] * sizes[other])
                margins[one, other] = both.reshape(sizes[one], sizes[other]).astype(np.float64)
                apart = margins[one, other] - np.outer(ones[one], ones[other]) / source.n
                distance[one, other] = float(np.abs(apart).sum())
        part, self.edges = np.arange(len(columns)), {}
        for _ in range(len(columns) - 1):
            left = [pair for pair in margins if part[pair[0]] != part[pair[1]]]
            # The largest of score + Gumbel is the exponential mechanism's choice.
            noise = chance.gumbel(0.0, 2 * 2 * 3 * d / epsilon, len(left))
            pair = left[int(np.argmax([distance[each] for each in left] + noise))]
            part[part == part[pair[0]]] = part[pair[1]]
            noisy = margins[pair] + chance.laplace(0.0, 3 * d / epsilon, margins[pair].shape)
            self.edges[pair] = possible_counts(noisy, source.n)

    def answer(self, questions: CountingQuestions) -> Answers:
        return Answers.without_intervals(questions.asked(self._beside(len(self.groups) - 1, -1, questions)))

    def _beside(self, column: int, parent: int, questions: CountingQuestions) -> Floats:
        """Return (P, groups of `column`) its records, or shares, that meet the conditions on it and behind it."""
        meets = np.ones((questions.selections, int(self.groups[column].max()) + 1))
        own = self.single[column]
        inside = np.bincount(self.groups[column], own)
        if column < len(questions.flags):
            within = np.divide(own, inside[self.groups[column]], out=np.zeros_like(own), where=own > 0)
            meets = (questions.flags[column] * within) @ np.eye(meets.shape[1])[self.groups[column]]
        for (one, other), counts in self.edges.items():
            if column not in (one, other) or parent in (one, other):
                continue
            behind = other if one == column else one
            forward = counts if one == column else counts.T  # (own, behind)
            total = forward.sum(axis=1, keepdims=True)
            even = np.broadcast_to(counts.sum(axis=0 if one == column else 1) / counts.sum(), forward.shape)
            share = np.divide(forward, total, out=np.array(even), where=total > 0)
            meets = meets * (self._beside(behind, column, questions) @ share.T)
        return meets if parent >= 0 else meets * own

    def insider(self, records: Ints, questions: CountingQuestions) -> Floats:
        # By the definition: the odds of any value grow by e^epsilon at most over those of its share; as a bound.
        odds = np.exp(min(self.bound, 50.0)) * self.source.shares[self.source.sensitive.codes[records]]
        return np.asarray(odds / (odds + 1 - self.source.shares[self.source.sensitive.codes[records]]))

    bound: float = 0.0


@dataclass(frozen=True)
class NoisyMargins(Laplace):
    """Noisy margins of a tree of column pairs, and their fit."""

    name = "noisy-margins"
    title = say("Differential privacy, noisy margins")

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Sanitised:
        fitted = Fitted(source, self.epsilon, chance, progress)
        fitted.bound = self.epsilon
        return fitted

    def count_law(self, source: TrueTable, count: int) -> tuple[Floats, Floats]:
        # Of the column's own noisy counts, before the fit.
        return stepped(laplace_quantile, 3 * (len(source.columns) + 1) / self.epsilon, count)
