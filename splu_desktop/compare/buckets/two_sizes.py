"""The best buckets of two sizes (inferential privacy paper, Algorithm 1, with both prunings).

All feasible (b_1, b_2) of a pair of sizes form a list along which the loss rises (`pair_list`): the first valid
position is the best of the pair.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from splu_desktop.compare.base.source import Flags, Ints
from splu_desktop.compare.buckets.pair_list import Bucket, CapsOf, PairList, first_valid, loss_of
from splu_desktop.core.progress import SILENT, Progress

_ENDLESS = np.iinfo(np.int64).max // 4
_AT_ONCE = 1_024  # positions validated at once where the search is not pruned


class Pruning(Enum):
    """How much of Algorithm 1 to use; all three find the same optimum."""

    NONE = "no pruning"  # every feasible pair of every pair of sizes is validated
    LOSS = "loss-based"  # a prefix of the list, walked in order
    FULL = "loss- and privacy-based"  # the same prefix, its first valid position found directly


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
        # Each record costs (S - 1)^2 / S at least, which rises with S.
        if pruning is Pruning.FULL and records * (small - 1) ** 2 >= best_loss * small:
            break
        for large in range(small + 1, most + 1):
            pairs = PairList.of(records, small, large)
            if pairs is None:
                continue
            found = _search(counts, caps[small], caps[large], pairs, best_loss, pruning)
            if found is not None and pairs.loss(found) < best_loss:
                best_loss = pairs.loss(found)
                b_1, b_2 = pairs.at(found)
                best = tuple(b for b in (Bucket(small, b_1), Bucket(large, b_2)) if b.number)
    return best


def _search(
    counts: Ints, small_caps: Ints, large_caps: Ints, pairs: PairList, best_loss: int, pruning: Pruning
) -> int | None:
    if pruning is Pruning.FULL:
        return first_valid(counts, small_caps, large_caps, pairs, pairs.below(best_loss))
    end = pairs.last if pruning is Pruning.NONE else pairs.below(best_loss)
    best = None
    for start in range(0, end + 1, _AT_ONCE):
        at = np.arange(start, min(start + _AT_ONCE, end + 1))
        valid = at[_valid(counts, small_caps, large_caps, pairs, at)]
        if len(valid) and best is None:
            best = int(valid[0])
            if pruning is Pruning.LOSS:
                break
    return best


def _valid(counts: Ints, small_caps: Ints, large_caps: Ints, pairs: PairList, at: Ints) -> Flags:
    """Return whether each position's setting is valid (Theorem 4.17), O(m) each; capacity holds all along the list."""
    b_1, b_2 = pairs.first[0] - at * pairs.step[0], pairs.first[1] + at * pairs.step[1]
    small = np.minimum(small_caps[:, None] * b_1, counts[:, None])
    large = np.minimum(large_caps[:, None] * b_2, counts[:, None])
    filled = (small.sum(axis=0) >= pairs.small * b_1) & (large.sum(axis=0) >= pairs.large * b_2)
    return np.asarray(filled & (small + large >= counts[:, None]).all(axis=0))
