"""Laplace answers: epsilon-differential privacy of all counts asked.

Each count gets noise Lap(sensitivity / epsilon) (Dwork, McSherry, Nissim, Smith 2006): as records are added or removed
one at a time, the sensitivity of all that is asked, the learner's counts among it, is the most of it that one record of
the domain can meet (`questions.most_met`). delta is 0; basic composition is exact for questions answered at once. The
journal's experiments (section 6) give every question Lap(1/epsilon), whatever their number.

Random pre-partitioning (Clifton, Hanson, Merrill, Merrill, Zahraa, PSD 2020): B random parts are published each by
itself; answers add them up, and so their noise, whose density at x b is |x|^(B-1/2) K_(B-1/2)(|x|) up to a factor, K
the modified Bessel function. Who gets one part alone, the share beta, has epsilon' = ln(1 + beta (e^epsilon - 1)),
sharply (Balle, Barthe, Gaboardi 2018); docs/papers.md has theirs.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy.special import kve

from splu_desktop.compare.base import CountingQuestions, Floats, NoisyAnswers, TrueTable, system
from splu_desktop.core.messages import say

EPSILONS = (math.log(3), 0.1, 0.01)


def log_density(x: Floats, parts: int) -> Floats:
    """Return logarithms of the density of the sum of so many noises Lap(1), up to a constant; of one, -|x|."""
    apart, order = np.maximum(np.abs(x), 1e-9), parts - 0.5
    return np.asarray(order * np.log(apart) + np.log(kve(order, apart)) - apart)


@cache
def noise_law(parts: int) -> tuple[Floats, Floats]:
    """Return (K,) noise in units of b, rising, and (K,) chances."""
    x = np.linspace(-1.0, 1.0, 80_001) * (20 + 8 * math.sqrt(2 * parts))
    chance = np.exp(log_density(x, parts))
    return x, chance / chance.sum()


@system("laplace", say("Differential privacy, noisy answers"), first=True, points=EPSILONS, span=(1e3, 5e-4))
class Laplace(NoisyAnswers):
    """Laplace noise for all questions together."""

    epsilon: float

    parts = 1

    def scale(self, source: TrueTable) -> float:
        """Return b, records."""
        return source.sensitivity / self.epsilon

    def make(self, chance: np.random.Generator) -> None:
        self._chance = chance  # noise is made when it is known what is asked

    def answer(self, questions: CountingQuestions) -> Floats:
        # The parts' true counts add up to the whole's, however the records were dealt.
        noise = self._chance.laplace(0.0, self.scale(self.source), (self.parts, len(questions.row)))
        return np.asarray(questions.truth + noise.sum(axis=0))

    def likelihood(self, shown: Floats, counts: Floats) -> Floats:
        return log_density((shown - counts) / self.scale(self.source), self.parts)

    def count_law(self, source: TrueTable, count: int, others: int) -> tuple[Floats, Floats]:
        x, chance = noise_law(self.parts)
        return count + x * self.scale(source), chance

    def exact_epsilon(self, source: TrueTable) -> float:
        return self.epsilon


@system("laplace-of-parts", say("Differential privacy of random parts"), points=((math.log(3), 2), (math.log(3), 10)))
class LaplaceOfParts(Laplace):
    """Laplace noise for all questions together, in each of `parts` random parts."""

    parts: int = 2
