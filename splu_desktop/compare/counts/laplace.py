"""Laplace answers: epsilon-differential privacy of all counts asked, and what they let one infer all the same.

Each count gets noise Lap(b) with b = sensitivity / epsilon (Dwork, McSherry, Nissim, Smith 2006): the sensitivity of
all counts together is the most of them that one record of the domain can meet (`base.sensitivity`), since records are
added or removed one at a time. All that is asked, the learner's counts among it, shares one epsilon; delta is 0, and
basic composition is exact for one set of questions answered at once. Unbiased, variance 2 b^2, 95 % within b ln 20.
The journal's experiments (section 6) give every question Lap(1/epsilon) whatever their number (`LaplaceEach`).

Differential inference theorem (inferential privacy paper, Theorem 2): of the noisy answers X to Q1 = P and Y to
Q2 = P and s, with noise of scale b and true answers x, y,
E[Y/X] ~ (y/x)(1 + 2 b^2/x^2) and Var[Y/X] ~ (2 b^2/x^2)(1 + (y/x)^2) (second order; b = 1/epsilon there).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from splu_desktop.compare.base.laws import laplace_quantile, stepped
from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.base.system import Sanitised, System
from splu_desktop.compare.counts.noisy import NoisyAnswers
from splu_desktop.core.messages import Figure, say
from splu_desktop.core.progress import Progress

EPSILONS = {"ln 3": math.log(3), "0.1": 0.1, "0.01": 0.01}
_WIDE = math.log(20)  # times b: half width of 95 %
_LEARNT = 0.05  # standard deviation of Y/X up to which a share counts as learnt


def inferred(x: Floats, y: Floats, b: float) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of Y/X by the differential inference theorem, noise of scale b on both."""
    share, small = y / x, 2 * b**2 / x**2
    return share * (1 + small), np.sqrt(small * (1 + share**2))


class LaplaceAnswers(NoisyAnswers):
    """Answers with Laplace noise.

    Parameters
    ----------
    epsilon : of all answers to a set of questions together, or of each by itself.
    together : whether the questions share epsilon.
    """

    def __init__(self, source: TrueTable, epsilon: float, chance: np.random.Generator, *, together: bool) -> None:
        super().__init__(source)
        self.one_budget = together
        self.epsilon, self.together, self._chance = epsilon, together, chance

    def scale(self, questions: CountingQuestions) -> float:
        """Return b, records."""
        return (questions.meeting if self.together else 1) / self.epsilon

    def _answered(self, questions: CountingQuestions) -> Answers:
        b = self.scale(questions)
        shown = questions.truth + self._chance.laplace(0.0, b, len(questions.truth))
        low, high = (np.clip(shown + arm, 0.0, self.source.n) for arm in (-b * _WIDE, b * _WIDE))
        return Answers(shown, low, high)

    def likelihood(self, questions: CountingQuestions, shown: Floats, counts: Floats) -> Floats:
        return np.asarray(-np.abs(shown - counts) / self.scale(questions))

    def metrics(self) -> dict[str, float]:
        """Return b, and how many records a group needs for the theorem to tell shares in it to within 10 %."""
        b = self.scale(next(iter(self._given.values()))[0]) if self._given else 1 / self.epsilon
        return {"noise scale": b, "shares learnt from": b * math.sqrt(2) / _LEARNT}


@dataclass(frozen=True)
class Laplace(System):
    """Laplace noise for all questions together."""

    epsilon: float

    name = "laplace"
    title = say("Differential privacy, noisy answers")
    first = True
    together: ClassVar[bool] = True
    points = tuple(EPSILONS.values())
    span = (1_000.0, 0.0005)
    setting_said = say("epsilon {epsilon}")

    @property
    def values(self) -> dict[str, object]:
        known = {round(value, 9): text for text, value in EPSILONS.items()}
        return {**super().values, "epsilon": Figure(known.get(round(self.epsilon, 9), f"{self.epsilon:.3g}"))}

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Sanitised:
        return LaplaceAnswers(source, self.epsilon, chance, together=self.together)

    def count_law(self, source: TrueTable, count: int) -> tuple[Floats, Floats]:
        return stepped(laplace_quantile, (source.meeting if self.together else 1) / self.epsilon, count)

    def exact_epsilon(self, source: TrueTable) -> float:
        return self.epsilon if self.together else self.epsilon * source.meeting


@dataclass(frozen=True)
class LaplaceEach(Laplace):
    """Laplace noise for each question by itself, as in the journal's experiments."""

    name = "laplace-each"
    title = say("Laplace noise per question")
    first = False
    together: ClassVar[bool] = False
