"""The optimal setting of two group sizes: validation in O(m), search in O(m log N) per pair of sizes.

Source: papers/inferential_privacy.txt (Theorem 4.17, Lemma 5.21, Equations 7 to 16, Algorithm 1). A setting gives b_1
groups of size S_1 and b_2 of size S_2; a value with tolerance f' may stand floor(f' S) times in a group of size S.
All feasible (b_1, b_2) of a pair of sizes form a list, position i being (b_1^0 - i d_1, b_2^0 + i d_2), along which the
loss rises: the first valid position is the best of the pair.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.frozen import dataclass

Ints = NDArray[np.int64]
CapsOf = Callable[[int], Ints]  # group size -> (m,) floor(f'_i S)

_ENDLESS = np.iinfo(np.int64).max // 4
_CELLS = 500_000  # settings times values that are validated at once where the search is not pruned


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


class Pruning(Enum):
    """How much of Algorithm 1 to use; all three find the same optimum."""

    NONE = "no pruning"  # every feasible pair of every pair of sizes is validated
    LOSS = "loss-based"  # a prefix of the list, walked in order
    FULL = "loss- and privacy-based"  # the same prefix, its first valid position found directly


def loss_of(setting: tuple[Bucket, ...]) -> int:
    """Return the loss of a setting (Definition 3.9, Equation 6)."""
    return sum(bucket.loss for bucket in setting)


def mean_squared_error(setting: tuple[Bucket, ...]) -> float:
    """Return the MSE of a setting, loss / (N - 1) (Definition 3.9, Equation 1)."""
    return loss_of(setting) / max(sum(bucket.records for bucket in setting) - 1, 1)


def is_valid(counts: Ints, caps: tuple[Ints, ...], setting: tuple[Bucket, ...]) -> bool:
    """Return whether records can be assigned to a setting of one or two sizes (Theorem 4.17), in O(m).

    Parameters
    ----------
    counts : (m,) o_i, records of each value.
    caps : for each bucket, (m,) floor(f'_i S).
    """
    if len(setting) > 2:
        raise ValueError("Theorem 4.17 holds for two sizes at most (Example 5.32)")
    return meets_conditions(counts, caps, setting)


def meets_conditions(counts: Ints, caps: tuple[Ints, ...], setting: tuple[Bucket, ...]) -> bool:
    """Return whether capacity, privacy and fill constraints hold; for three sizes or more necessary, not sufficient."""
    if int(counts.sum()) != sum(bucket.records for bucket in setting):
        return False
    room = [np.minimum(cap * bucket.number, counts) for cap, bucket in zip(caps, setting, strict=True)]
    filled = all(int(part.sum()) >= bucket.records for part, bucket in zip(room, setting, strict=True))
    return filled and bool((np.sum(room, axis=0) >= counts).all())


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


def two_sizes(
    counts: Ints,
    caps_of: CapsOf,
    least: int,
    most: int,
    *,
    pruning: Pruning = Pruning.FULL,
    below: int | None = None,
    progress: Progress = SILENT,
) -> tuple[Bucket, ...] | None:
    """Return the valid setting of at most two sizes with the least loss (Algorithm 1), None where there is none.

    Parameters
    ----------
    counts : (m,) o_i with sum N.
    caps_of : group size -> (m,) floor(f'_i S).
    least, most : smallest and largest group size, M and M'.
    below : only settings with a loss below this count.

    Buckets that hold no group are left out; among equal losses the first found, smaller sizes first.
    """
    records = int(counts.sum())
    caps = {size: np.asarray(caps_of(size), np.int64) for size in range(least, most + 1)}
    best_loss = _ENDLESS if below is None else below
    best: tuple[Bucket, ...] | None = None
    if least == most and records % least == 0:
        alone = (Bucket(least, records // least),)
        return alone if loss_of(alone) < best_loss and is_valid(counts, (caps[least],), alone) else None
    for small in range(least, most):
        progress.report("Searching group sizes", (small - least) / max(most - least, 1))
        larger: Sequence[int] = range(small + 1, most + 1)
        if pruning is Pruning.FULL:
            # Each record costs (S - 1)^2 / S at least, which rises with S.
            if records * (small - 1) ** 2 >= best_loss * small:
                break
            larger = _promising(counts, caps, small, larger, best_loss)
        for large in larger:
            pairs = PairList.of(records, small, large)
            if pairs is None:
                continue
            found = _search(counts, caps[small], caps[large], pairs, best_loss, pruning)
            if found is not None and pairs.loss(found) < best_loss:
                best_loss = pairs.loss(found)
                b_1, b_2 = pairs.at(found)
                best = tuple(b for b in (Bucket(small, b_1), Bucket(large, b_2)) if b.number)
    return best


def _promising(counts: Ints, caps: Mapping[int, Ints], small: int, larger: Sequence[int], below: int) -> Sequence[int]:
    """Return the larger sizes whose lists have a loss below `below`, and pass where `first_valid` looks first.

    All at once: where many searches follow each other, nearly every list ends there.
    """
    records, large = int(counts.sum()), np.array(larger, np.int64)
    common = np.gcd(small, large)
    step_small, step_large = large // common, small // common
    # As in `PairList.of`; a list of whole multiples exists only where the sizes' divisor divides the records.
    inverse = [pow(a, -1, b) if b > 1 else 0 for a, b in zip(step_small.tolist(), step_large.tolist(), strict=True)]
    fewest = (records // common % step_large) * np.array(inverse, np.int64) % step_large
    left = records - large * fewest
    there = (records % common == 0) & (left >= 0)
    fullest = np.maximum(left, 0) // small
    loss = fullest * (small - 1) ** 2 + fewest * (large - 1) ** 2
    gain = step_large * (large - 1) ** 2 - step_small * (small - 1) ** 2
    end = np.minimum(fullest // step_small, -((loss - below) // gain) - 1)
    there = np.flatnonzero(there & (loss < below) & (end >= 0))
    good: list[int] = []
    step = max(1, _CELLS // max(len(counts), 1))
    for start in range(0, len(there), step):
        some = there[start : start + step]
        b_1, b_2 = fullest[some] - end[some] * step_small[some], fewest[some]
        here = np.stack([caps[size] for size in large[some].tolist()])
        filled = np.minimum(caps[small] * b_1[:, None], counts).sum(axis=1) >= small * b_1
        filled &= np.minimum(here * b_2[:, None], counts).sum(axis=1) >= large[some] * b_2
        good += large[some][filled].tolist()
    return good


def _search(
    counts: Ints, small_caps: Ints, large_caps: Ints, pairs: PairList, best_loss: int, pruning: Pruning
) -> int | None:
    if pruning is Pruning.FULL:
        return first_valid(counts, small_caps, large_caps, pairs, pairs.below(best_loss))
    end = pairs.last if pruning is Pruning.NONE else pairs.below(best_loss)
    found, at, some = None, 0, 64
    while at <= end:
        to = min(at + some, end + 1)
        valid = np.flatnonzero(_valid(counts, small_caps, large_caps, pairs, np.arange(at, to)))
        if len(valid) and found is None:
            found = at + int(valid[0])
            if pruning is Pruning.LOSS:
                return found
        at, some = to, max(64, min(4 * some, _CELLS // max(len(counts), 1)))
    return found


def _valid(counts: Ints, small_caps: Ints, large_caps: Ints, pairs: PairList, at: Ints) -> NDArray[np.bool_]:
    """Return whether each position's setting is valid (Theorem 4.17), O(m) each; capacity holds all along the list."""
    b_1, b_2 = pairs.first[0] - at * pairs.step[0], pairs.first[1] + at * pairs.step[1]
    small = np.minimum(small_caps[:, None] * b_1, counts[:, None])
    large = np.minimum(large_caps[:, None] * b_2, counts[:, None])
    filled = (small.sum(axis=0) >= pairs.small * b_1) & (large.sum(axis=0) >= pairs.large * b_2)
    return np.asarray(filled & (small + large >= counts[:, None]).all(axis=0))
