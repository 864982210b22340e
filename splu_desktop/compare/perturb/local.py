"""Optimal local mechanisms at equal posterior bound: k-ary randomised response and subset selection.

Under epsilon-local differential privacy no two true values differ in the chance of anything shown by more than
e^epsilon, so the odds of a value grow by at most that: P(true = s | shown) <= pi_s e^eps / (pi_s e^eps + 1 - pi_s). The
bound of one slider (mechanism.md section 7), f'_s = pi_s + (1 - pi_s) / gamma for every s, is kept by
e^eps = 1 + 1 / (pi_max (gamma - 1)), set by the most frequent value; rare ones are then protected far more than asked.

k-ary randomised response (Kairouz, Bonawitz, Ramage 2016): T[v, v] = e^eps / (e^eps + m - 1), else 1 / (e^eps + m - 1).

Subset selection (Ye, Barg 2018; Wang et al. 2016): a record shows d = round(m / (e^eps + 1)) values, at least one; its
own is among them with g = d e^eps / (d e^eps + m - d), any other with h = (g (d - 1) + (1 - g) d) / (m - 1). Unbiased:
x = (C_s - N_P h) / (g - h), C_s the selected records that show s.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import sparse

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import ByGamma, Impossible, Sanitised
from splu_desktop.compare.perturb.channel import Channelled, evenly
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress
from splu_desktop.frozen import dataclass

_AT_ONCE = 1 << 22  # cells of one block of random numbers
_MOST = 200_000_000  # values shown by all records


def epsilon_for(shares: Floats, gamma: int) -> float:
    """Return the largest epsilon for which no belief exceeds f'_s = pi_s + (1 - pi_s) / gamma."""
    return math.log1p(1 / (float(shares.max()) * (gamma - 1)))


@dataclass(frozen=True)
class _Bounded(ByGamma):
    """A mechanism of each record by itself, at the posterior bound that gamma gives."""

    setting_said = say("posterior bound of gamma {gamma}")
    promise_said = say(
        "Nobody is surer of a value s by a row alone than pi_s + (1 - pi_s) / {gamma}, pi_s being its share in the "
        "whole table."
    )


@dataclass(frozen=True)
class RandomisedResponse(_Bounded):
    """k-ary randomised response at the posterior bound that gamma gives."""

    name = "randomised-response"
    title = say("k-ary randomised response")
    words = say(
        "Every row answers for itself, truly with a known chance and otherwise at random, so that not even the "
        "custodian need be trusted. Strong for each person; only counts of large groups can be answered."
    )

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Channelled:
        odds = math.exp(epsilon_for(source.shares, self.gamma))
        return Channelled(source, evenly(source.m, odds / (odds + source.m - 1)), chance)


class Subsets(Sanitised):
    """A table in which every record shows a set of d values."""

    def __init__(self, source: TrueTable, epsilon: float, chance: np.random.Generator, progress: Progress) -> None:
        if source.m < 2:
            raise Impossible("“{name}” has one value only, so nothing can be exchanged.", name=source.sensitive.name)
        self.source, self.odds = source, math.exp(epsilon)
        m = source.m
        self.d = min(max(round(m / (self.odds + 1)), 1), m - 1)
        if source.n * self.d > _MOST:
            raise Impossible(
                "Every record would show {d} of {m} values, more than this comparison holds in memory.",
                d=self.d,
                m=m,
            )
        self.own = self.d * self.odds / (self.d * self.odds + m - self.d)
        self.other = (self.own * (self.d - 1) + (1 - self.own) * self.d) / (m - 1)
        parts = []
        block = max(1, _AT_ONCE // m)
        for start in range(0, source.n, block):
            progress.report(SubsetSelection.title, start / source.n)
            codes = source.sensitive.codes[start : start + block]
            keys = chance.random((len(codes), m))
            among = chance.random(len(codes)) < self.own
            # The own value stands first where it is among the shown ones, else last.
            keys[np.arange(len(codes)), codes] = np.where(among, -1.0, 2.0)
            parts.append(np.argpartition(keys, self.d - 1, axis=1)[:, : self.d].astype(np.int32))
        shown = np.concatenate(parts)
        ends = np.arange(0, shown.size + 1, self.d)
        self.shown = sparse.csr_array((np.ones(shown.size, np.float32), shown.ravel(), ends), shape=(source.n, m))

    def unbiased(self, questions: CountingQuestions) -> Floats:
        """Return (Q,) estimates as they come, right on average, below 0 at times."""
        seen = np.zeros((questions.selections, self.source.m))
        # Dense in blocks of records: both sides are full enough for that to take a quarter of the time.
        selected, step = questions.selected.tocsc(), max(1, _AT_ONCE // max(self.source.m, questions.selections, 1))
        for start in range(0, self.source.n, step):
            block = slice(start, start + step)
            seen += selected[:, block].toarray() @ self.shown[block].toarray()
        by_value = (seen - seen.sum(axis=1, keepdims=True) / self.d * self.other) / (self.own - self.other)
        return questions.asked(by_value)

    def answer(self, questions: CountingQuestions) -> Answers:
        x, size = self.unbiased(questions), questions.chosen.sum(axis=1).astype(np.float64)
        inside = np.clip(x, 0.0, questions.top)
        variance = inside * self._spread(size, own=True) + (questions.top - inside) * self._spread(size, own=False)
        return Answers.around(x, variance / (self.own - self.other) ** 2, questions.top)

    def _spread(self, size: Floats, *, own: bool) -> Floats:
        """Return (Q,) variances of how many of `size` chosen values a record shows that has one of them, or none.

        The other m - 1 values are drawn without replacement, d - 1 of them beside its own and d without it.
        """
        others, rest = size - 1 if own else size, self.source.m - 1
        mean, square = np.zeros(len(size)), np.zeros(len(size))
        for weight, more, drawn in ((self.own, float(own), self.d - 1), (1 - self.own, 0.0, self.d)):
            here = more + drawn * others / rest
            scatter = drawn * others / rest * (1 - others / rest) * (rest - drawn) / max(rest - 1, 1)
            mean += weight * here
            square += weight * (scatter + here**2)
        return np.maximum(square - mean**2, 0.0)

    def row(self, records: Ints) -> Floats:
        belief = self.source.shares * np.where(self.shown[records].todense() > 0, self.odds, 1.0)
        return np.asarray(belief / belief.sum(axis=1, keepdims=True))

    def insider(self, records: Ints, questions: CountingQuestions) -> Floats:
        return np.asarray(self.row(records)[np.arange(len(records)), self.source.sensitive.codes[records]])


@dataclass(frozen=True)
class SubsetSelection(_Bounded):
    """Subset selection at the posterior bound that gamma gives."""

    name = "subset-selection"
    title = say("Subset selection")
    words = say(
        "Every row shows several values, its own probably among them; of the ways that randomise each row by itself it "
        "is nearly the sharpest for counts at the same strength. Spreadsheets can't hold such rows well."
    )

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Subsets:
        return Subsets(source, epsilon_for(source.shares, self.gamma), chance, progress)
