"""F'-privacy by buckets of two sizes and of many (inferential privacy paper, Definitions 3.6 to 3.10, Algorithms 1, 2).

Two tables as Anatomy's; a value s may stand floor(f'_s S) times in a bucket of S records, so that P(s | a row) <= f'_s.
Tolerances are the paper's f'_s = min(1, theta f_s + 0.02), sizes from M = min ceil(1 / f'_s) to M' = 50; the numbers of
buckets of two sizes are its optimum (Algorithm 1), those of many its heuristic (Algorithm 2), and the best of any
number of sizes are an integer programme's; all for the least loss, the sum over buckets of (S - 1)^2; MSE = loss /
(N - 1). Records are assigned round robin: those of one value, in random order, to as many different buckets as there
are (section 4.3).

Estimate: within a bucket, x = sum over g of n_{P,g} c_{g,s} / |g|, with Anatomy's bias towards independence.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base import Floats, Impossible, Ints, Points, system
from splu_desktop.compare.buckets.anatomy import Buckets, in_random_order
from splu_desktop.compare.buckets.settings import Caps, Parts, many_sizes, two_sizes
from splu_desktop.core.messages import say

LARGEST = 50  # M'
THETAS: Points = (32, 8, 2)  # the paper's, from weak to strong


def tolerances(counts: Floats, theta: int) -> tuple[Fraction, ...]:
    """Return f'_s = min(1, theta f_s + 0.02) of each value, exactly: in floating point 0.29 * 100 is below 29."""
    n = int(counts.sum())
    return tuple(min(Fraction(1), theta * Fraction(int(count), n) + Fraction(1, 50)) for count in counts)


def caps_of(limits: tuple[Fraction, ...], most: int = LARGEST) -> Caps:
    """Return (m,) floor(f'_s S), the most records of each value in a bucket, for each size S there may be."""
    least = min(math.ceil(1 / limit) for limit in limits)
    return {size: np.array([math.floor(limit * size) for limit in limits]) for size in range(least, most + 1)}


def assign_buckets(codes: NDArray[np.integer], parts: Parts, chance: np.random.Generator) -> Ints:
    """Return (N,) the bucket of each record: each value's records at random to its parts, round robin in each."""
    order = in_random_order(codes, chance)
    held = np.stack([part.records for part in parts], axis=1)  # (m, q)
    of = np.repeat(np.tile(np.arange(len(parts)), len(held)), held.ravel())
    bucket, first = np.empty(len(codes), np.int64), 0
    for at, part in enumerate(parts):
        mine = order[of == at]  # by value, so that equal ones go to different buckets in turn
        bucket[mine] = first + np.arange(len(mine)) % part.number
        first += part.number
    return bucket


@system("buckets-two-sizes", say("F'-privacy, buckets of two sizes"), points=THETAS, span=(40, 1))
class TwoSizes(Buckets):
    """Buckets of two sizes for tolerances `theta` times the share, and 0.02."""

    theta: int
    find_parts: ClassVar[Callable[..., Parts | None]] = staticmethod(two_sizes)

    def make(self, chance: np.random.Generator) -> None:
        counts = self.source.counts
        parts = self.find_parts(counts.astype(np.int64), caps_of(tolerances(counts, self.theta)), self.progress)
        if parts is None:
            raise Impossible("This table has too few different values, or too frequent ones, for these buckets.")
        self.hold(assign_buckets(self.source.sensitive.codes, parts, chance))

    def metrics(self) -> dict[str, float]:
        loss = float(((self.sizes - 1) ** 2).sum())
        return {"MSE": loss / (self.source.n - 1)} | super().metrics()


@system("buckets-many-sizes", say("F'-privacy, buckets of many sizes"))
class ManySizes(TwoSizes):
    """Buckets of as many sizes as lower the loss."""

    find_parts = staticmethod(many_sizes)
