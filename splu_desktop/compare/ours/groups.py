"""SPLU-Gen as the journal has it, with the right matrix (mechanism.md section 2): decoy groups of distinct values.

r = floor(N/gamma) groups from (random id, value) alone; a record shows the value of a random member.
T[v, u] = w_v w_u / f_v, T[v, v] = 1/gamma; f' = Bin(gamma f, 1/gamma). Answered by T^-1, with the variance of groups.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splu_desktop.compare.base.laws import binomials
from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.base.system import Impossible, Sanitised, System
from splu_desktop.compare.base.unbiased import Unbiased
from splu_desktop.compare.ours.splu import Stream
from splu_desktop.core.answer.counts import Counted, count_groups
from splu_desktop.core.errors import SpluError
from splu_desktop.core.mechanism import DecoyGroups
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress


class Grouped(Unbiased):
    """A table drawn in decoy groups, records in the source's order."""

    borne = True

    def __init__(self, source: TrueTable, draw: DecoyGroups, chance: np.random.Generator) -> None:
        self.source, self.draw, self.matrix = source, draw, draw.transition(source.counts)
        codes, ones = source.sensitive.codes, np.ones(source.n, np.int64)
        self.shown = codes[draw.choose_lenders(codes, np.zeros(source.n, np.int32), ones, Stream(chance))]

    @property
    def published_shares(self) -> Floats:
        return np.asarray(np.bincount(self.shown, minlength=self.source.m) / self.source.n)

    def count(self, questions: CountingQuestions) -> Counted:
        shown, published = questions.histogram(self.shown, self.source.m), self.published_shares * self.source.n
        return count_groups(self.draw, shown.sum(axis=1), shown, published, np.eye(self.source.m))


@dataclass(frozen=True)
class SpluGen(System):
    """Decoy groups of `gamma` records with different values."""

    gamma: int

    name = "splu-gen"
    title = say("SPLU-Gen, decoy groups")
    points = (2, 3, 5)
    span, whole = (2, 30), True
    setting_said = say("gamma {gamma}")

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Sanitised:
        draw = DecoyGroups(self.gamma)
        try:
            draw.check(source.counts.astype(np.int64), source.sensitive.name)
        except SpluError as fault:
            raise Impossible(str(fault)) from None
        return Grouped(source, draw, chance)

    def count_law(self, source: TrueTable, count: int) -> tuple[Floats, Floats]:
        return binomials([(self.gamma * count, 1 / self.gamma)])
