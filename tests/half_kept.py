"""A draw that the program has not: every value is kept with probability 1/2 and else drawn from the column.

It is all that a new draw takes: this file, and the line that registers it (`registered`); and, for a draw of the
program, its sentences in three languages.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw.draw import Draw
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress
from splu_desktop.core.randomness import Randomness, below
from splu_desktop.core.table import IN_MEMORY, Column, Storage
from splu_desktop.core.transition.matrix import Independent, MatrixTransition
from splu_desktop.frozen import dataclass

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class HalfKept(Draw):
    """T = (I + 1 f / N) / 2."""

    name = "half kept"

    def settings(self) -> dict[str, Any]:
        return {}

    @classmethod
    def from_settings(cls, data: Mapping[str, Any]) -> Self:
        return cls(**data)

    def check(self, column: Column) -> None:
        if 2 * int(column.counts().max(initial=0)) > column.n:
            raise BadSetting(
                "A value of column “{name}” fills more than half of the records; divide it.", name=column.name
            )

    def redraw(self, column: Column, source: Randomness, progress: Progress, storage: Storage = IN_MEMORY) -> Column:
        progress.report("Drawing values", 0.0)
        kept = below(source, 2, column.n) == 0
        return column.with_codes(np.where(kept, column.codes, column.codes[below(source, column.n, column.n)]))

    def transition(self, counts: Floats, labels: NDArray[np.object_]) -> MatrixTransition:
        n = counts.sum()
        return MatrixTransition.of(counts, Independent((np.eye(len(counts)) + counts / n) / 2, follows=0.5 / n))

    def count_law(self, count: int) -> Floats:
        """Binomial(f, 1/2) of its own records, and of others, for a rare value, Poisson(f / 2)."""
        own = np.array([math.comb(count, k) / 2**count for k in range(count + 1)])
        mean = count / 2
        others = [math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) for k in range(6 * count + 30)]
        return np.convolve(own, np.array(others))

    @property
    def confidence(self) -> Fraction:
        return Fraction(3, 4)  # (1 + f / N) / 2 with f at most N / 2

    def words(self) -> str:
        return say("every second value kept")
