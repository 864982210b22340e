"""F'-privacy by buckets of two sizes and of many (inferential privacy paper, Definitions 3.6 to 3.10, Algorithms 1, 2).

Two tables as Anatomy's; a value s may stand floor(f'_s S) times in a bucket of S records, so that P(s | a row) <= f'_s.
Tolerances are the paper's f'_s = min(1, theta f_s + 0.02), sizes from M = min ceil(1 / f'_s) to M' = 50; the numbers of
buckets of two sizes are its optimum (Algorithm 1), those of many its heuristic (Algorithm 2), both for the least loss,
the sum over buckets of (S - 1)^2; MSE = loss / (N - 1). Records are assigned round robin: those of one value, in
random order, to as many different buckets as there are (section 4.3).

Estimate: within a bucket, x = sum over g of n_{P,g} c_{g,s} / |g|, with Anatomy's bias towards independence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.source import Ints, TrueTable
from splu_desktop.compare.base.system import Impossible, Points, System
from splu_desktop.compare.buckets.anatomy import Bucketed
from splu_desktop.compare.buckets.many_sizes import Parts, many_sizes, partition
from splu_desktop.compare.buckets.pair_list import Bucket, CapsOf, mean_squared_error
from splu_desktop.compare.buckets.two_sizes import two_sizes
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress

LARGEST = 50  # M'
THETAS: Points = (32, 8, 2)  # the paper's, from weak to strong
OFFSET = Fraction(1, 50)


def tolerances(counts: Ints, theta: int, offset: Fraction = OFFSET) -> tuple[Fraction, ...]:
    """Return f'_s = min(1, theta f_s + c) of each value, exactly: 0.29 * 100 is below 29 in binary floating point."""
    total = int(counts.sum())
    return tuple(min(Fraction(1), theta * Fraction(int(count), total) + offset) for count in counts)


def caps(limits: tuple[Fraction, ...], size: int) -> Ints:
    """Return (m,) floor(f'_s S), the most records of each value in a bucket of `size`."""
    return np.array([limit.numerator * size // limit.denominator for limit in limits], np.int64)


def assigned(codes: NDArray[np.integer], parts: Parts, chance: np.random.Generator) -> Ints:
    """Return (N,) the bucket of each record: each value's records at random to its parts, round robin in each."""
    order = chance.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    held = np.stack([some for _, some in parts], axis=1)  # (m, q)
    of = np.repeat(np.tile(np.arange(len(parts)), len(held)), held.ravel())
    bucket, first = np.empty(len(codes), np.int64), 0
    for at, (kind, _) in enumerate(parts):
        mine = order[of == at]  # by value, so that equal ones go to different buckets in turn
        bucket[mine] = first + np.arange(len(mine)) % kind.number
        first += kind.number
    return bucket


class Tolerated(Bucketed):
    """Buckets of several sizes.

    setting : how many buckets of which size.
    """

    def __init__(self, source: TrueTable, bucket: Ints, setting: tuple[Bucket, ...]) -> None:
        super().__init__(source, bucket)
        self.setting = setting

    def metrics(self) -> dict[str, float]:
        return {"MSE": mean_squared_error(self.setting), "sizes": float(len(self.setting))}


@dataclass(frozen=True)
class TwoSizes(System):
    """Buckets of two sizes for tolerances `theta` times the share, and 0.02."""

    theta: int

    name = "buckets-two-sizes"
    title = say("F'-privacy, buckets of two sizes")
    points = THETAS
    span: ClassVar[tuple[float, float] | None] = (40, 1)
    whole = True
    setting_said = say("theta {theta}")

    def _parts(self, counts: Ints, caps_of: CapsOf, least: int, most: int, progress: Progress) -> Parts | None:
        """Return how many records of each value stand in buckets of which size; None where no buckets do."""
        setting = two_sizes(counts, caps_of, least, most, progress=progress)
        if setting is None:
            return None
        if len(setting) == 1:
            return ((setting[0], counts),)
        both = setting[0], setting[1]
        held = partition(counts, (caps_of(both[0].size), caps_of(both[1].size)), both)
        return tuple(zip(both, held, strict=True))

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Tolerated:
        counts = source.counts.astype(np.int64)
        limits = tolerances(counts, self.theta)
        least = min(math.ceil(1 / limit) for limit in limits)
        parts = None
        if least <= LARGEST:
            parts = self._parts(counts, cache(lambda size: caps(limits, size)), least, LARGEST, progress)
        if parts is None:
            raise Impossible("No buckets of {least} to {most} records keep these limits.", least=least, most=LARGEST)
        bucket = assigned(source.sensitive.codes, parts, chance)
        return Tolerated(source, bucket, tuple(kind for kind, _ in parts))


@dataclass(frozen=True)
class ManySizes(TwoSizes):
    """Buckets of as many sizes as lower the loss."""

    name = "buckets-many-sizes"
    title = say("F'-privacy, buckets of many sizes")
    span = None
    points = (8,)  # the search takes long, and longer the smaller theta is

    def _parts(self, counts: Ints, caps_of: CapsOf, least: int, most: int, progress: Progress) -> Parts | None:
        return many_sizes(counts, caps_of, least, most, progress=progress)
