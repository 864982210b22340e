"""Laplace answers about random parts, each with noise of its own (Clifton et al. 2020).

Answers about the whole table add up those about its B parts, and so their noise: the sum of B independent Lap(b),
with b as in `compare.counts.laplace`, variance 2 b^2 B, density
f(x) = (|x| / 2b)^(B - 1/2) K_(B - 1/2)(|x| / b) / (b sqrt(pi) Gamma(B)), K the modified Bessel function. The 95 %
interval is its own. Whoever gets one part alone, a random share beta of the records, has by
Theorem 2 epsilon' = ln((e^epsilon beta + 1 - beta) / (1 - beta)), which is above epsilon once beta is not small (ln 4
for ln 3 and half the records). Drawing without replacement has epsilon' = ln(1 + beta (e^epsilon - 1)), always below,
and met with equality (Balle, Barthe, Gaboardi, NeurIPS 2018; tests enumerate both).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import kve

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.base.system import Sanitised
from splu_desktop.compare.counts.laplace import Laplace, LaplaceAnswers
from splu_desktop.core.messages import Figure, say
from splu_desktop.core.progress import Progress

_NEAR = 1e-9  # the density is flat at 0, where its formula is 0 times infinity


def epsilon_of_part(epsilon: float, beta: float) -> float:
    """Return epsilon' of Theorem 2, of who gets a random part alone, the share `beta` of all records, below 1."""
    return math.log((math.exp(epsilon) * beta + 1 - beta) / (1 - beta))


def sharp_epsilon_of_part(epsilon: float, beta: float) -> float:
    """Return the least epsilon' of who gets a random part alone, the share `beta` of all records."""
    return math.log1p(beta * math.expm1(epsilon))


def log_density(x: Floats, parts: int) -> Floats:
    """Return logarithms of the density at x of the sum of `parts` independent Lap(1)."""
    size, order = np.maximum(np.abs(x), _NEAR), parts - 0.5
    scale = math.log(math.pi) / 2 + math.lgamma(parts)
    return np.asarray(order * np.log(size / 2) + np.log(kve(order, size)) - size - scale)


@cache
def half_width(parts: int) -> float:
    """Return w with P(|x| <= w) = 0.95 for the sum x of `parts` independent Lap(1)."""

    nodes, weights = np.polynomial.legendre.leggauss(200)  # the density is smooth on each side of 0

    def short(w: float) -> float:
        x = (nodes + 1) * w / 2
        return float(w * (weights @ np.exp(log_density(x, parts)))) - 0.95

    return float(brentq(short, 0.5, 5 * math.sqrt(2 * parts)))


class PartsAnswers(LaplaceAnswers):
    """Sums of noisy answers about parts.

    parts : B.
    """

    def __init__(self, source: TrueTable, epsilon: float, chance: np.random.Generator, *, parts: int) -> None:
        super().__init__(source, epsilon, chance, together=True)
        self.parts = parts

    def _answered(self, questions: CountingQuestions) -> Answers:
        b = self.scale(questions)
        # The parts' true counts add up to the whole's, however the records were dealt.
        shown = questions.truth + self._chance.laplace(0.0, b, (self.parts, len(questions.truth))).sum(axis=0)
        arm = b * half_width(self.parts)
        low, high = (np.clip(shown + side, 0.0, self.source.n) for side in (-arm, arm))
        return Answers(shown, low, high)

    def likelihood(self, questions: CountingQuestions, shown: Floats, counts: Floats) -> Floats:
        return log_density((shown - counts) / self.scale(questions), self.parts)


@dataclass(frozen=True)
class LaplaceOfParts(Laplace):
    """Laplace noise for all questions together, in each of `parts` random parts."""

    parts: int = 2

    name = "laplace-of-parts"
    title = say("Differential privacy of random parts")
    words = say(
        "The records are dealt at random to parts, and counts of each part get noise of their own: each part may go "
        "to another recipient, who learns less than from the whole; their sum is noisier than one answer about all."
    )
    first = False
    points = ((math.log(3), 2), (math.log(3), 10))
    setting_said = say("epsilon {epsilon}, {parts} parts")
    promise_said = say(
        "No answers become more than {times} times likelier by one person's record; those about one part alone, no "
        "more than {alone} times."
    )

    @property
    def values(self) -> dict[str, object]:
        alone = math.exp(sharp_epsilon_of_part(self.epsilon, 1 / self.parts))
        return {**super().values, "epsilon": Figure(f"{self.epsilon:.3g}"), "alone": Figure(f"{alone:.3g}")}

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Sanitised:
        return PartsAnswers(source, self.epsilon, chance, parts=self.parts)

    def count_law(self, source: TrueTable, count: int) -> tuple[Floats, Floats]:
        grid = np.linspace(-1, 1, 4_001) * 4 * half_width(self.parts)
        chance = np.exp(log_density(grid, self.parts))
        return count + grid * source.meeting / self.epsilon, chance / chance.sum()
