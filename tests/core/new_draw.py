"""A draw that the program has not, as its whole cost: a value is kept, or any value of the class comes as likely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.mechanism import Randomness, below, register
from splu_desktop.core.mechanism.draw import Draw, Floats
from splu_desktop.core.mechanism.law import binomial
from splu_desktop.core.mechanism.randomness import happens


@register
@dataclass(frozen=True)
class AnyValue(Draw):
    """Retention over the values of a column (mechanism A of the papers): T = a I + (1 - a) 11'/m, in one class."""

    name: ClassVar[str] = "any value"

    def check(self, counts: NDArray[np.int64], column: str) -> None:
        pass

    def choose_lenders(
        self, values: NDArray[np.int32], classes: NDArray[np.int32], weights: NDArray[np.int64], source: Randomness
    ) -> NDArray[np.int32]:
        order = np.argsort(values, kind="stable").astype(np.int32)
        first = np.flatnonzero(np.r_[True, np.diff(values[order]) > 0])  # a record that shows each value
        lender = order[first[below(source, len(first), len(values))]]
        return np.where(happens(source, self.retention, len(values)), np.int32(-1), lender)

    def transition(self, counts: Floats) -> Floats:
        m = len(counts)
        return np.asarray(self.retention * np.eye(m) + (1 - self.retention) / m)

    def score(self, h: Floats, counts: Floats) -> Floats:
        # By hand, since T^-1 of thousands of values would be solved for in each of many classes.
        a, values = self.retention, np.asarray(h, float)
        return np.asarray((values - (1 - a) * values.mean(axis=-1, keepdims=True)) / a)

    def count_law(self, count: int, units: int | None) -> Floats:
        return binomial(np.arange(count + 1), count, self.retention)

    def certainty(self, share: float) -> float:
        return share + (1 - share) * self.retention
