"""A table as this program draws it, by any of its draws, answered by the program's own figures (mechanism.md).

A record of value v shows u with the chance T_c[v, u] of its class. Counts are sums of scores over the classes, with
the variance and interval of `core.answer.counts`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.base.unbiased import UnbiasedDraw
from splu_desktop.core.answer.counts import CountFigures, count_groups, count_one_block
from splu_desktop.core.errors import SpluError
from splu_desktop.core.mechanism import DecoyGroups, Draw, Lenders, Units, draw_from, make_classes
from splu_desktop.core.mechanism.law import privacy_ratio
from splu_desktop.core.progress import Progress


@dataclass(frozen=True)
class Stream:
    """A generator's bits behind the `Randomness` protocol, for draws that are compared and never handed out."""

    chance: np.random.Generator

    def bits(self, count: int) -> NDArray[np.uint32]:
        """Return (count,) uniform 32-bit numbers."""
        return self.chance.integers(0, 1 << 32, count, dtype=np.uint32)


class Redraw(UnbiasedDraw):
    """One of the program's draws, by its name and its strength, within the classes that some of its columns make."""

    draw: str
    gamma: float
    in_classes = borne = True

    @property
    def mechanism(self) -> Draw:
        """The program's draw with its strength."""
        return draw_from({"draw": self.draw, "gamma": self.gamma})

    def make(self, chance: np.random.Generator, progress: Progress) -> None:
        source, codes, own = self.source, self.source.sensitive.codes, np.arange(self.source.n)
        columns = [each for each in source.columns if self.in_classes and each.name in source.class_columns]
        self.classes = make_classes(columns, Units.of_records(source.n)).code
        self.true = self._by_class(codes)
        try:
            for counts in self.true:
                self.mechanism.check(counts.astype(np.int64), source.sensitive.name)
        except SpluError as fault:
            raise Impossible(str(fault)) from None
        lender = self.mechanism.choose_lenders(codes, self.classes, np.ones(source.n, np.int64), Stream(chance))
        self.shown = codes[np.where(lender < 0, own, lender)]
        self.published_shares = np.bincount(self.shown, minlength=source.m) / source.n

    def _by_class(self, codes: NDArray[np.integer]) -> Floats:
        """Return (C, m) records of each class with each value."""
        number = int(self.classes.max()) + 1
        keys = self.classes.astype(np.int64) * self.source.m + codes
        return np.bincount(keys, minlength=number * self.source.m).reshape(number, -1).astype(np.float64)

    def count(self, questions: CountingQuestions) -> CountFigures:
        m, published = self.source.m, self._by_class(self.shown)
        number, share = len(published), published / published.sum(axis=1, keepdims=True)
        keys = self.classes.astype(np.int64) * m + self.shown
        by_class = questions.histogram(keys, number * m).reshape(-1, number, m)
        inside = by_class.sum(axis=2)
        expected = inside @ share
        total = np.zeros((3, *expected.shape))
        for each, counts in enumerate(published):  # by class, so that no array of all classes, lines and values is made
            part, shown = inside[:, each], by_class[:, each]
            if self.draw == DecoyGroups.name:
                figures = count_groups(self.mechanism, part, shown, counts, np.eye(m))
            else:
                figures = count_one_block(1 / self.gamma, part[:, None], counts.sum(), shown, share[each])
            likely = part[:, None] * share[each]
            weight = np.where(expected > 0, likely / np.where(expected > 0, expected, 1), 1 / number)
            total += figures.estimate, figures.level, figures.slope * weight
        return CountFigures(*total)

    def prior(self, records: Ints) -> Floats:
        # Of who knows the class as well, which stands in the row.
        by_class = self.true[self.classes[records]]
        return np.asarray(by_class / by_class.sum(axis=1, keepdims=True))

    def evidence(self, records: Ints) -> Floats:
        found = np.empty((len(records), self.source.m))
        for each, counts in enumerate(self.true):
            here = np.flatnonzero(self.classes[records] == each)
            found[here] = self.mechanism.transition(counts)[:, self.shown[records[here]]].T
        return found

    def count_law(self, source: TrueTable, count: int) -> tuple[Floats, Floats]:
        law = self.mechanism.count_law(count, source.n)  # in one class
        return np.arange(len(law)).astype(np.float64), law

    def exact_epsilon(self, source: TrueTable) -> float:
        # What who computes it finds for one record, the shares held fixed; it is not the promise (law 7).
        return privacy_ratio(source.n, int(source.counts.min()), self.gamma) if self.draw == Lenders.name else math.inf
