"""All settings of two bucket sizes, and the first valid one among them, in O(m log N).

Source: inferential privacy paper, Theorem 4.17, Lemmas 5.21 to 5.28, Equations 7 to 16, Theorem 5.30. A setting gives
b_1 buckets of size S_1 and b_2 of size S_2; a value with tolerance f' may stand floor(f' S) times in one of size S.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from splu_desktop.compare.base.source import Ints

CapsOf = Callable[[int], Ints]  # bucket size -> (m,) floor(f'_i S)
_ENDLESS = np.iinfo(np.int64).max // 4


@dataclass(frozen=True)
class Bucket:
    """`number` groups of `size` records."""

    size: int
    number: int

    @property
    def records(self) -> int:
        """Records that fill the groups, s(B)."""
        return self.size * self.number

    @property
    def loss(self) -> int:
        """Sum over the groups of (size - 1)^2 (Definition 3.9)."""
        return self.number * (self.size - 1) ** 2


def loss_of(setting: tuple[Bucket, ...]) -> int:
    """Return the loss of a setting (Definition 3.9, Equation 6)."""
    return sum(bucket.loss for bucket in setting)


def mean_squared_error(setting: tuple[Bucket, ...]) -> float:
    """Return the MSE of a setting, loss / (N - 1) (Definition 3.9, Equation 1)."""
    return loss_of(setting) / max(sum(bucket.records for bucket in setting) - 1, 1)


@dataclass(frozen=True)
class PairList:
    """All feasible (b_1, b_2) with S_1 b_1 + S_2 b_2 = N, in the order of rising loss (Lemma 5.21)."""

    small: int
    large: int
    first: tuple[int, int]
    step: tuple[int, int]
    last: int

    @classmethod
    def of(cls, records: int, small: int, large: int) -> PairList | None:
        """Return the list for sizes S_1 < S_2, None where no numbers of groups add up to N."""
        common = math.gcd(small, large)
        if records % common:
            return None
        step_small, step_large = large // common, small // common
        # The least b_2 with S_2 b_2 = N mod S_1 (Equation 7).
        fewest = (records // common) * pow(large // common, -1, step_large) % step_large if step_large > 1 else 0
        left = records - large * fewest
        if left < 0:
            return None
        most = left // small
        return cls(small, large, (most, fewest), (step_small, step_large), most // step_small)

    def at(self, i: int) -> tuple[int, int]:
        """Return (b_1, b_2) at position i in 0..last."""
        return self.first[0] - i * self.step[0], self.first[1] + i * self.step[1]

    def loss(self, i: int) -> int:
        """Return the loss at position i."""
        b_1, b_2 = self.at(i)
        return b_1 * (self.small - 1) ** 2 + b_2 * (self.large - 1) ** 2

    def below(self, loss: int) -> int:
        """Return the last position whose loss is below `loss`, -1 where none is (Equation 11)."""
        gain = self.loss(1) - self.loss(0)
        return min(self.last, -((self.loss(0) - loss) // gain) - 1) if self.loss(0) < loss else -1

    def __len__(self) -> int:
        return self.last + 1


def first_valid(counts: Ints, small_caps: Ints, large_caps: Ints, pairs: PairList, end: int) -> int | None:
    """Return the first valid position in 0..end, None where there is none (Theorem 5.30), in O(m log N).

    FC(S_1) is monotone, FC(S_2) anti-monotone along the list (Lemma 5.26), each found by bisection. PC(x_i) holds
    before, after and beside at most one gap, since floor(f' S_1) b_1 + floor(f' S_2) b_2 is linear in the position
    (Lemma 5.28); the ends of the gap are quotients. The answer is the first position in no gap.
    """
    (b_1, b_2), (d_1, d_2) = pairs.first, pairs.step

    def fills_small(i: int) -> bool:
        b = b_1 - i * d_1
        return int(np.minimum(small_caps * b, counts).sum()) >= pairs.small * b

    def fills_large(i: int) -> bool:
        b = b_2 + i * d_2
        return int(np.minimum(large_caps * b, counts).sum()) >= pairs.large * b

    if end < 0 or not fills_small(end) or not fills_large(0):
        return None
    start = _bisect(fills_small, 0, end)
    stop = end if fills_large(end) else _bisect(lambda i: not fills_large(i), 0, end) - 1
    if start > stop:
        return None
    # u_1 b_1 >= o up to position `before`; u_2 b_2 >= o from position `after`; between them the sum decides.
    low, high, o = small_caps, large_caps, counts
    before = np.where(low > 0, (b_1 - -(-o // np.maximum(low, 1))) // d_1, np.where(o > 0, -1, _ENDLESS))
    after = np.where(high > 0, -((b_2 - -(-o // np.maximum(high, 1))) // d_2), np.where(o > 0, _ENDLESS, 0))
    base, slope = low * b_1 + high * b_2 - o, high * d_2 - low * d_1
    # base + i slope >= 0
    rises = np.where(slope > 0, -(base // np.maximum(slope, 1)), np.where(base >= 0, 0, _ENDLESS))
    falls = np.where(slope < 0, base // np.maximum(-slope, 1), np.where(base >= 0, _ENDLESS, -1))
    gap_start = np.where(slope >= 0, before + 1, np.maximum(before, falls) + 1)
    gap_end = np.where(slope >= 0, np.minimum(after, rises) - 1, after - 1)
    gap_start = np.where((slope == 0) & (base >= 0), 1, gap_start)
    gap_end = np.where((slope == 0) & (base >= 0), 0, gap_end)
    real = gap_start <= gap_end
    order = np.argsort(gap_start[real], kind="stable")
    position = start
    for gap, past in zip(gap_start[real][order].tolist(), gap_end[real][order].tolist(), strict=True):
        if gap > position:
            break
        position = max(position, past + 1)
    return position if position <= stop else None


def _bisect(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the first position in low..high at which a monotone condition holds; it holds at `high`."""
    return low + bisect_left(range(low, high), True, key=holds)
