"""Laplace answers: epsilon-differential privacy for m questions, and what they let one infer all the same.

Each count gets noise Lap(b) with b = m Delta / epsilon, Delta = 1 (Dwork, McSherry, Nissim, Smith 2006; mechanism.md
section 6), m being how many of the questions one record can meet. The journal's experiments (section 6) give every
question noise Lap(1 / epsilon) by itself, whatever their number; epsilon then grows to m epsilon over all of them.
Unbiased, variance 2 b^2, 95 % interval +- b ln 20.

Differential inference theorem (inferential privacy paper, Theorem 2): of the noisy answers X to Q1 = P and Y to
Q2 = P and s, with noise of scale b and true answers x, y,
E[Y/X] ~ (y/x)(1 + 2 b^2/x^2) and Var[Y/X] ~ (2 b^2/x^2)(1 + (y/x)^2) (second order; b = 1/epsilon there).
So where x is large against b, the share y/x of a group of persons is learnt, of whoever is in it or only could be.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.base.system import System
from splu_desktop.compare.counts.noisy import NoisyAnswers
from splu_desktop.core.messages import Figure, say
from splu_desktop.core.progress import Progress
from splu_desktop.frozen import dataclass

EPSILONS = {"ln 3": math.log(3), "ln 2": math.log(2), "0.1": 0.1, "0.01": 0.01}
_WIDE = math.log(20)  # times b: half width of 95 %
_TOLD = 0.05  # standard deviation of Y/X up to which a share counts as learnt


def inferred(x: Floats, y: Floats, b: float) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of Y/X by the differential inference theorem, noise of scale b on both."""
    ratio, small = y / x, 2 * b**2 / x**2
    return ratio * (1 + small), np.sqrt(small * (1 + ratio**2))


class LaplaceAnswers(NoisyAnswers):
    """Answers with Laplace noise.

    Parameters
    ----------
    epsilon : of all answers to a set of questions together, or of each by itself.
    together : whether the questions share epsilon.
    """

    def __init__(self, source: TrueTable, epsilon: float, chance: np.random.Generator, *, together: bool) -> None:
        super().__init__(source)
        self.epsilon, self.together, self._chance = epsilon, together, chance

    def scale(self, questions: CountingQuestions) -> float:
        """Return b, records."""
        return (questions.overlap if self.together else 1) / self.epsilon

    def _answered(self, questions: CountingQuestions) -> Answers:
        b = self.scale(questions)
        shown = questions.truth + self._chance.laplace(0.0, b, len(questions.truth))
        low, high = (np.clip(shown + arm, 0.0, self.source.n) for arm in (-b * _WIDE, b * _WIDE))
        return Answers(shown, low, high)

    def likelihood(self, questions: CountingQuestions, shown: Floats, counts: Floats) -> Floats:
        return np.asarray(-np.abs(shown - counts) / self.scale(questions))

    def remarks(self, questions: CountingQuestions) -> tuple[str, ...]:
        """Return what the theorem says of these questions: which share is learnt, and of how many."""
        x, y, b = questions.top, questions.truth.astype(np.float64), self.scale(questions)
        asked = np.flatnonzero(x > 0)
        mean, spread = inferred(x[asked], y[asked], b)
        told = spread <= _TOLD
        if not told.any():
            return (
                say(
                    "Noise of ±{noise} records lets no share of any group asked about be inferred from two answers.",
                    noise=Figure(f"{b * _WIDE:,.0f}"),
                ),
            )
        best = asked[told][np.argmax(y[asked][told] / x[asked][told])]
        at = int(np.flatnonzero(asked == best)[0])
        return (
            say(
                "Two noisy answers tell the share of a value in a group to ±{within} in {told} of {all} questions, for "
                "persons in the table or not: {y} of {x} persons are inferred as {mean} ± {spread}.",
                within=Figure(f"{200 * _TOLD:.0f} %"),
                told=int(told.sum()),
                all=len(asked),
                y=int(y[best]),
                x=int(x[best]),
                mean=Figure(f"{100 * mean[at]:.1f} %"),
                spread=Figure(f"{200 * spread[at]:.1f} %"),
            ),
        )


@dataclass(frozen=True)
class Laplace(System):
    """Laplace noise for all questions together."""

    epsilon: float

    name = "laplace"
    title = say("Differential privacy")
    words = say(
        "No table is handed out: the questions are fixed, and each count is answered with noise that grows with their "
        "number. Nobody's presence can be told with confidence, but few questions can be asked before the noise "
        "drowns every answer."
    )
    first = True
    together: ClassVar[bool] = True
    points = tuple(EPSILONS.values())
    setting_said = say("epsilon {epsilon}")
    promise_said = say(
        "No answer, nor all of them together, becomes more than {times} times likelier by one person's record."
    )

    @property
    def told(self) -> dict[str, object]:
        known = {round(value, 9): text for text, value in EPSILONS.items()}
        epsilon = Figure(known.get(round(self.epsilon, 9), f"{self.epsilon:.3g}"))
        return {**super().told, "epsilon": epsilon, "times": Figure(f"{math.exp(self.epsilon):.3g}")}

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> LaplaceAnswers:
        return LaplaceAnswers(source, self.epsilon, chance, together=self.together)


@dataclass(frozen=True)
class LaplaceEach(Laplace):
    """Laplace noise for each question by itself, as in the journal's experiments."""

    name = "laplace-each"
    title = say("Laplace noise per question")
    words = say(
        "As differential privacy, but with noise as if each question were the only one, as the papers compare it. "
        "Counts are sharp, and what is promised is lost as more questions are answered."
    )
    first = False
    together: ClassVar[bool] = False
    promise_said = say(
        "No single answer becomes more than {times} times likelier by one person's record; all of them together may."
    )
