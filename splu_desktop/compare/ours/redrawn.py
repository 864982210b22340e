"""A table as this program draws it, by any of its draws, answered by the program's own figures (mechanism.md).

A record of value v shows u with the chance T_c[v, u] of its class. Counts are sums of scores over the classes, with
the variance and interval of `core.answer.counts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.base.unbiased import UnbiasedTable
from splu_desktop.core.answer.counts import CountFigures, count_groups, count_one_block
from splu_desktop.core.errors import SpluError
from splu_desktop.core.mechanism import DecoyGroups, Draw, Units, make_classes


@dataclass(frozen=True)
class Stream:
    """A generator's bits behind the `Randomness` protocol, for draws that are compared and never handed out."""

    chance: np.random.Generator

    def bits(self, count: int) -> NDArray[np.uint32]:
        """Return (count,) uniform 32-bit numbers."""
        return self.chance.integers(0, 1 << 32, count, dtype=np.uint32)


class RedrawnTable(UnbiasedTable):
    """A table drawn within the classes that some of its columns make. Raises Impossible where it can't be."""

    borne = True

    def __init__(
        self, source: TrueTable, draw: Draw, class_columns: Sequence[str], chance: np.random.Generator
    ) -> None:
        self.source, self.draw = source, draw
        columns = [column for column in source.columns if column.name in class_columns]
        self.classes = make_classes(columns, Units.of_records(source.n)).code
        codes, own = source.sensitive.codes, np.arange(source.n)
        self.true = self._by_class(codes)
        try:
            for counts in self.true:
                draw.check(counts.astype(np.int64), source.sensitive.name)
        except SpluError as fault:
            raise Impossible(str(fault)) from None
        lender = draw.choose_lenders(codes, self.classes, np.ones(source.n, np.int64), Stream(chance))
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
            if self.draw.name == DecoyGroups.name:
                figures = count_groups(self.draw, part, shown, counts, np.eye(m))
            else:
                figures = count_one_block(1 / self.draw.gamma, part[:, None], counts.sum(), shown, share[each])
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
            found[here] = self.draw.transition(counts)[:, self.shown[records[here]]].T
        return found
