"""SPLU as this program does it, by lenders or in decoy groups, and the draw of the current plan (mechanism.md).

Lenders: a record keeps its value with chance a = 1/gamma, else shows that of a random record of its class:
T_c = a I + (1 - a) 1 g_c'. Decoy groups, SPLU-Gen as the journal has it with the right matrix: r = floor(N/gamma)
groups of records with different values from (random id, value) alone, and a record shows the value of a random member:
T[v, u] = w_v w_u / f_v, T[v, v] = 1/gamma; f' = Bin(gamma f, 1/gamma).

A table is drawn within the classes that some of its columns make, and answered by the program's own figures: counts are
sums of scores over the classes, with the variance and interval of `core.answer.counts`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base import GAMMAS, CountingQuestions, Impossible, TrueTable, UnbiasedDraw, system
from splu_desktop.compare.base.source import Floats, in_parts
from splu_desktop.core.answer.counts import CountFigures, count_groups, count_one_block
from splu_desktop.core.errors import SpluError
from splu_desktop.core.mechanism import DecoyGroups, Draw, Lenders, Units, draw_from, make_classes
from splu_desktop.core.mechanism.law import privacy_ratio, selection_law
from splu_desktop.core.messages import say


class Stream(NamedTuple):
    """A generator's bits behind the `Randomness` protocol, for draws that are compared and never handed out."""

    chance: np.random.Generator

    def bits(self, count: int) -> NDArray[np.uint32]:
        """Return (count,) uniform 32-bit numbers."""
        return self.chance.integers(0, 1 << 32, count, dtype=np.uint32)


class Redraw(UnbiasedDraw):
    """One of the program's draws, by its name and its strength, within the classes that some of its columns make."""

    draw: str
    gamma: float
    in_classes = has_bearer = True

    @property
    def mechanism(self) -> Draw:
        """The program's draw with its strength."""
        return draw_from({"draw": self.draw, "gamma": self.gamma})

    def make(self, chance: np.random.Generator) -> None:
        source, codes, own = self.source, self.source.sensitive.codes, np.arange(self.source.n)
        columns = [each for each in source.columns if self.in_classes and each.name in source.class_columns]
        self.classes = make_classes(columns, Units.of_records(source.n)).code
        try:
            for counts in self.true:
                self.mechanism.check(counts.astype(np.int64), source.sensitive.name)
        except SpluError as fault:
            raise Impossible(str(fault)) from None
        lender = self.mechanism.choose_lenders(codes, self.classes, np.ones(source.n, np.int64), Stream(chance))
        self.drawn_values = codes[np.where(lender < 0, own, lender)]
        self.published_shares = np.bincount(self.drawn_values, minlength=source.m) / source.n

    def transition(self, counts: Floats) -> Floats:
        return self.mechanism.transition(counts)

    def count(self, questions: CountingQuestions) -> CountFigures:
        m, published = self.source.m, self.count_by_class(self.drawn_values)
        number, share = len(published), published / published.sum(axis=1, keepdims=True)
        keys = self.classes.astype(np.int64) * m + self.drawn_values
        by_class = questions.histogram(keys, number * m).reshape(-1, number, m)
        inside, sizes = by_class.sum(axis=2), published.sum(axis=1)
        total = np.zeros((3, len(inside), m))
        if self.draw == DecoyGroups.name:
            for each, counts in enumerate(published):
                figures = count_groups(self.mechanism, inside[:, each], by_class[:, each], counts, np.eye(m))
                total += figures.estimate, figures.level, figures.slope
            return CountFigures(*total)
        for some in in_parts(len(inside), number * m):
            line, at = np.nonzero(inside[some])  # the classes that each selection has records of
            parts = inside[some][line, at][:, None], sizes[at][:, None], by_class[some][line, at], share[at]
            figures = count_one_block(1 / self.gamma, *parts, line, len(inside[some]))
            total[:, some] = figures.estimate, figures.level, figures.slope
        return CountFigures(*total)

    def count_law(self, source: TrueTable, count: int, others: int) -> tuple[Floats, Floats]:
        return selection_law(self.mechanism, count, source.n, others)  # in one class

    def reading(self, source: TrueTable) -> tuple[float, float, float]:
        return self.gamma, (1 - self.gamma) / source.n, 0.0  # of those who show it, all asked about

    def exact_epsilon(self, source: TrueTable) -> float:
        # What who computes it finds for one record, the shares held fixed; it is not the promise (law 7).
        return privacy_ratio(source.n, int(source.counts.min()), self.gamma) if self.draw == Lenders.name else math.inf


@system("splu", say("SPLU, lenders"), first=True, points=GAMMAS, span=(1.05, 50.0))
class Splu(Redraw):
    """Lenders within classes, at one gamma."""

    gamma: float

    draw = Lenders.name


@system("splu-gen", say("SPLU-Gen, decoy groups"), points=(2, 3, 5), span=(2, 30))
class SpluGen(Redraw):
    """Decoy groups of `gamma` records with different values, in the whole table."""

    gamma: int

    draw, in_classes = DecoyGroups.name, False


@system("plan", say("This plan"), points=())
class PlannedDraw(Redraw):
    """The plan's draw: what all others are held to be as strong as."""

    gamma: float
    draw: str = Lenders.name
