"""The census cell-key method: bounded zero-mean noise on counts, the same for the same cell, and its averaging attack.

Fraser, Wooton, "A proposed method for confidentialising tabular output to protect against differencing" (ABS 2005);
Marley, Leaver 2011; Giessing, "Computational issues in the design of transition probabilities" (2016), as in R's ptable
and cellKey. Every record has a random key; the keys of a cell's records add up, modulo one, to the cell's key, which
looks the noise up in a published table: for a true count i the noise v in -D..D, i + v >= 0, has mean 0, variance V and
otherwise the largest entropy, p(v) ~ exp(a_i v + b_i v^2); 0 stays 0. Where no such law has variance V (i = 1), it has
the largest.

Unbiased. Answers differ by at most D from the truth, so large counts are all but exact, and differences of answers to
disjoint cells average the noise away.
"""

from __future__ import annotations

import math

import numpy as np

from splu_desktop.compare.base import CountingQuestions, Floats, NoisyAnswers, TrueTable, system
from splu_desktop.core.mechanism.cell_noise import noise_law
from splu_desktop.core.messages import say

_KEY = 1 << 32


@system("cell-key", say("Census cell keys"), first=True, points=(1.0, 3.0, 16.0), span=(0.5, 400.0))
class CellKey(NoisyAnswers):
    """Cell-key noise of variance `variance`, bounded by two and a half standard deviations."""

    variance: float

    @property
    def most(self) -> int:
        """D, beyond which no noise goes."""
        return max(round(2.5 * math.sqrt(self.variance)), 2)

    @property
    def parameters(self) -> dict[str, float]:
        return {"V": self.variance, "D": self.most}

    def count_law(self, source: TrueTable, count: int, others: int) -> tuple[Floats, Floats]:
        law = noise_law(min(count, self.most), self.most, self.variance)
        return count + np.arange(-self.most, self.most + 1).astype(np.float64), law

    def make(self, chance: np.random.Generator) -> None:
        each = range(self.most + 1)  # the last one's law is that of all above
        self.laws = np.stack([noise_law(count, self.most, self.variance) for count in each])
        self._keys = chance.integers(0, _KEY, self.source.n).astype(np.float64)

    def answer(self, questions: CountingQuestions) -> Floats:
        truth, codes, most = questions.truth, self.source.sensitive.codes, self.most
        keys = questions.pick(questions.histogram(codes, self.source.m, self._keys)) % _KEY / _KEY
        ends = np.cumsum(self.laws, axis=1)[np.minimum(truth, most)]
        # Steps of no chance are passed over, the key 0 of an empty cell included.
        place = np.minimum((ends <= keys[:, None]).sum(axis=1), 2 * most)
        return np.asarray(truth + place - float(most))

    def likelihood(self, shown: Floats, counts: Floats) -> Floats:
        noise = np.rint(shown - counts).astype(np.int64) + self.most
        inside = (noise >= 0) & (noise <= 2 * self.most) & (counts >= 0)
        law = np.clip(counts, 0, self.most).astype(np.int64)
        chance = np.where(inside, self.laws[law, np.clip(noise, 0, 2 * self.most)], 0.0)
        return np.log(np.maximum(chance, 1e-300))
