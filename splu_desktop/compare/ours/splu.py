"""SPLU as this program does it: lenders within classes, answered by the program's own figures (mechanism.md).

A record keeps its value with chance a = 1/gamma, else shows that of a random record of its class:
T_c = a I + (1 - a) 1 g_c'. Counts are sums of scores (h - (1 - a) g_c h) / a over the classes, with variance and
interval of `core.answer.counts`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.laws import binomials
from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import GAMMAS, System
from splu_desktop.compare.base.unbiased import Unbiased
from splu_desktop.core.answer.counts import Counted, count_one_block
from splu_desktop.core.mechanism import Lenders, Units, make_classes
from splu_desktop.core.mechanism.law import privacy_ratio
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress


@dataclass(frozen=True)
class Stream:
    """A generator's bits behind the `Randomness` protocol, for draws that are compared and never handed out."""

    chance: np.random.Generator

    def bits(self, count: int) -> NDArray[np.uint32]:
        """Return (count,) uniform 32-bit numbers."""
        return self.chance.integers(0, 1 << 32, count, dtype=np.uint32)


class Lent(Unbiased):
    """A table drawn by lenders, records in the source's order."""

    borne = True

    def __init__(self, source: TrueTable, draw: Lenders, chance: np.random.Generator) -> None:
        self.source, self.a = source, 1 / draw.gamma
        columns = [column for column in source.columns if column.name in source.class_columns]
        self.classes = make_classes(columns, Units.of_records(source.n)).code
        codes, own = source.sensitive.codes, np.arange(source.n)
        lender = draw.choose_lenders(codes, self.classes, np.ones(source.n, np.int64), Stream(chance))
        self.shown = codes[np.where(lender < 0, own, lender)]

    def _by_class(self, codes: NDArray[np.integer]) -> Floats:
        """Return (C, m) records of each class with each value."""
        number = int(self.classes.max()) + 1
        keys = self.classes.astype(np.int64) * self.source.m + codes
        return np.bincount(keys, minlength=number * self.source.m).reshape(number, -1).astype(np.float64)

    @cached_property
    def published_shares(self) -> Floats:
        return np.asarray(np.bincount(self.shown, minlength=self.source.m) / self.source.n)

    def count(self, questions: CountingQuestions) -> Counted:
        m, published = self.source.m, self._by_class(self.shown)
        number, size = len(published), published.sum(axis=1, keepdims=True)
        by_class = questions.histogram(self.classes.astype(np.int64) * m + self.shown, number * m).reshape(
            -1, number, m
        )
        inside, share = by_class.sum(axis=2, keepdims=True), published / size
        expected = inside[..., 0] @ share
        total = np.zeros((3, *expected.shape))
        for each in range(number):  # by class, so that no array of all classes, lines and values is made
            part = inside[:, each]
            figures = count_one_block(self.a, part, size[each], by_class[:, each], share[each])
            weight = np.where(expected > 0, part * share[each] / np.where(expected > 0, expected, 1), 1 / number)
            total += figures.estimate, figures.level, figures.slope * weight
        return Counted(*total)

    def row(self, records: Ints) -> Floats:
        # Of who knows the class as well, which stands in the row: kept, or any value of the class.
        belief = (1 - self.a) * self._class_shares(records)
        belief[np.arange(len(records)), self.shown[records]] += self.a
        return belief

    def evidence(self, records: Ints) -> Floats:
        shown = np.arange(len(records)), self.shown[records]
        chances = np.tile((1 - self.a) * self._class_shares(records)[shown][:, None], (1, self.source.m))
        chances[shown] += self.a
        return chances

    def _class_shares(self, records: Ints) -> Floats:
        by_class = self._by_class(self.source.sensitive.codes)[self.classes[records]]
        return np.asarray(by_class / by_class.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class Splu(System):
    """Lenders within classes, at one gamma (mechanism.md section 2)."""

    gamma: float

    name = "splu"
    title = say("SPLU, lenders")
    first = True
    points = GAMMAS
    span = (1.05, 50.0)
    setting_said = say("gamma {gamma}")

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Lent:
        return Lent(source, Lenders(self.gamma), chance)

    def count_law(self, source: TrueTable, count: int) -> tuple[Floats, Floats]:
        lent = (1 - 1 / self.gamma) * count / source.n  # law 4, in one class
        return binomials([(count, 1 / self.gamma + lent), (source.n - count, lent)])

    def exact_epsilon(self, source: TrueTable) -> float:
        # What who computes it finds for one record, the shares held fixed; it is not the promise (law 7).
        return privacy_ratio(source.n, int(source.counts.min()), self.gamma)
