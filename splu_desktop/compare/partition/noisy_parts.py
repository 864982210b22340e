"""Laplace answers about random parts, each with noise of its own (Clifton et al. 2020).

Answers about the whole table add up those about its B parts, and so their noise: the sum of B independent Lap(b), b as
in `compare.counts.laplace`, of variance 2 b^2 B, taken as normal for intervals and an insider's belief.
Whoever gets one part alone, a random share beta of the records, has by
Theorem 2 epsilon' = ln((e^epsilon beta + 1 - beta) / (1 - beta)), which is above epsilon once beta is not small (ln 4
for ln 3 and half the records). Drawing without replacement has epsilon' = ln(1 + beta (e^epsilon - 1)), always below,
and met with equality (Balle, Barthe, Gaboardi, NeurIPS 2018; tests enumerate both).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import kve

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.base.system import Sanitised
from splu_desktop.compare.counts.laplace import Laplace, LaplaceAnswers
from splu_desktop.core.messages import Figure, say
from splu_desktop.core.progress import Progress
from splu_desktop.core.thresholds import NORMAL_95


def epsilon_of_part(epsilon: float, beta: float) -> float:
    """Return epsilon' of Theorem 2, of who gets a random part alone, the share `beta` of all records, below 1."""
    return math.log((math.exp(epsilon) * beta + 1 - beta) / (1 - beta))


def sharp_epsilon_of_part(epsilon: float, beta: float) -> float:
    """Return the least epsilon' of who gets a random part alone, the share `beta` of all records."""
    return math.log1p(beta * math.expm1(epsilon))


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
        arm = NORMAL_95 * b * math.sqrt(2 * self.parts)
        low, high = (np.clip(shown + side, 0.0, self.source.n) for side in (-arm, arm))
        return Answers(shown, low, high)

    def likelihood(self, questions: CountingQuestions, shown: Floats, counts: Floats) -> Floats:
        return np.asarray(-(((shown - counts) / self.scale(questions)) ** 2) / (4 * self.parts))


@dataclass(frozen=True)
class LaplaceOfParts(Laplace):
    """Laplace noise for all questions together, in each of `parts` random parts."""

    parts: int = 2

    name = "laplace-of-parts"
    title = say("Differential privacy of random parts")
    first = False
    points = ((math.log(3), 2), (math.log(3), 10))
    setting_said = say("epsilon {epsilon}, {parts} parts")

    @property
    def values(self) -> dict[str, object]:
        return {**super().values, "epsilon": Figure(f"{self.epsilon:.3g}")}

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Sanitised:
        return PartsAnswers(source, self.epsilon, chance, parts=self.parts)

    def count_law(self, source: TrueTable, count: int) -> tuple[Floats, Floats]:
        # The density of the sum at x is |x|^(B - 1/2) K_(B - 1/2)(|x|) up to a factor, K the modified Bessel function.
        x = np.abs(np.linspace(-1.0, 1.0, 8_000)) * (20 + 8 * math.sqrt(2 * self.parts))
        chance = x ** (self.parts - 0.5) * kve(self.parts - 0.5, x) * np.exp(-x)
        answers = count + np.sign(np.arange(len(x)) - len(x) / 2 + 0.5) * x * source.meeting / self.epsilon
        return answers, chance / chance.sum()
