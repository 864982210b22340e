"""The best buckets of two sizes (inferential privacy paper, Algorithm 1, with both prunings).

All feasible (b_1, b_2) of a pair of sizes form a list along which the loss rises (`pair_list`): the first valid
position is the best of the pair (privacy-based pruning), and only positions below the best loss so far are looked at
(loss-based).
"""

from __future__ import annotations

import numpy as np

from splu_desktop.compare.base.source import Ints
from splu_desktop.compare.buckets.pair_list import Bucket, CapsOf, PairList, first_valid, loss_of
from splu_desktop.core.progress import SILENT, Progress

_ENDLESS = np.iinfo(np.int64).max // 4


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
        if records * (small - 1) ** 2 >= best_loss * small:
            break
        for large in range(small + 1, most + 1):
            pairs = PairList.of(records, small, large)
            if pairs is None:
                continue
            found = first_valid(counts, caps[small], caps[large], pairs, pairs.below(best_loss))
            if found is not None and pairs.loss(found) < best_loss:
                best_loss = pairs.loss(found)
                b_1, b_2 = pairs.at(found)
                best = tuple(b for b in (Bucket(small, b_1), Bucket(large, b_2)) if b.number)
    return best
