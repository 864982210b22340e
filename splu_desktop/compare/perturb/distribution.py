"""Distribution-based redraw (DBR): every value drawn anew from the whole table's distribution (journal section 3).

T[v, u] = pi_u whatever v, so shares of the whole table stay and every link between the sensitive column and the others
is lost. The only estimate left is independence: x = N_P f'_s / N, biased wherever the selection matters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splu_desktop.compare.base.laws import binomials
from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.perturb.channel import Channel, Channelled
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress


class Redistributed(Channelled):
    """A table whose values were drawn from their distribution, whatever they were."""

    def answer(self, questions: CountingQuestions) -> Answers:
        share = np.bincount(self.shown, minlength=self.source.m) / self.source.n
        return Answers.without_intervals(questions.top * share[questions.value])


@dataclass(frozen=True)
class DistributionBased(Channel):
    """Every value drawn from the column's own distribution."""

    name = "dbr"
    title = say("Distribution-based redraw")

    def matrix(self, source: TrueTable) -> Floats:
        return np.tile(source.shares, (source.m, 1))

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Redistributed:
        return Redistributed(source, self.matrix(source), chance)

    def count_law(self, source: TrueTable, count: int) -> tuple[Floats, Floats]:
        return binomials([(source.n, count / source.n)])
