"""Buckets of different values as Anatomy and the journal make them, of the values that are then most frequent."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.source import Floats, Ints


def largest_first(counts: Floats, size: int) -> Ints:
    """Return (r, size) the values of groups, each of the `size` values that most records are left of."""
    return _largest_first(tuple(counts.astype(np.int64).tolist()), size)


@lru_cache(maxsize=16)  # draws differ in their records alone
def _largest_first(counts: tuple[int, ...], size: int) -> Ints:
    left = np.array((*counts, 0), np.int64)  # of a last value, behind all others
    groups = [np.zeros((0, size), np.int64)]
    while np.count_nonzero(left) >= size:
        order = np.argsort(-left, kind="stable")
        top = order[:size]
        # The same values stay in front until the last of them is level with the next.
        times = max(int(left[top[-1]] - left[order[size]]), 1)
        left[top] -= times
        groups.append(np.tile(top, (times, 1)))
    return np.concatenate(groups)


def dealt(codes: NDArray[np.integer], values: Ints, chance: np.random.Generator) -> Ints:
    """Return (r, size) random records of the source that have these (r, size) values, none twice."""
    order = chance.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    counts = np.bincount(codes)
    rank = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    used = np.bincount(values.ravel(), minlength=len(counts))
    members = np.empty(values.size, np.int64)
    members[np.argsort(values, axis=None, kind="stable")] = order[rank < np.repeat(used, counts)]
    return members.reshape(values.shape)
