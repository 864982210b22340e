"""Buckets of different values as Anatomy and the journal make them, of the values that are then most frequent."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.source import Ints


def largest_first(counts: Ints, gamma: int) -> Ints:
    """Return (r, gamma) the values of r = floor(N / gamma) groups, each of the gamma buckets that are largest then.

    Runs of groups with the same values, and rounds of buckets of equal size, are made at once.
    """
    return _largest_first(tuple(counts.tolist()), gamma)


@lru_cache(maxsize=16)  # draws differ in their records alone
def _largest_first(counts: tuple[int, ...], gamma: int) -> Ints:
    left = np.array(counts, np.int64)
    blocks = []
    while np.count_nonzero(left) >= gamma:
        order = np.argsort(-left, kind="stable")
        level = left[order[gamma - 1]]
        above, tied = order[left[order] > level], order[left[order] == level]
        lower = left[left < level].max(initial=0)
        slots = gamma - len(above)
        if slots == len(tied):
            times = int(level - lower)
            block = np.tile(order[:gamma], (times, 1))
        else:
            common = math.gcd(len(tied), slots)
            each, around = slots // common, len(tied) // common
            rounds = int(level - lower) // each
            if len(above):
                rounds = min(rounds, int(left[above].min() - level) // (around - each))
            many = rounds * around or 1  # groups; a single one where no whole round fits
            turns = np.arange(many * slots).reshape(many, slots) % len(tied)
            block = np.concatenate([np.tile(above, (many, 1)), tied[turns]], axis=1)
        blocks.append(block)
        left -= np.bincount(block.ravel(), minlength=len(left))
    return np.concatenate(blocks) if blocks else np.zeros((0, gamma), np.int64)


def dealt(codes: NDArray[np.integer], values: Ints, chance: np.random.Generator) -> Ints:
    """Return (r, gamma) random records of the source that have these (r, gamma) values, none twice."""
    order = chance.permutation(len(codes))
    by_value = order[np.argsort(codes[order], kind="stable")]
    counts = np.bincount(codes)
    first = np.cumsum(counts) - counts
    flat = values.ravel()
    place = np.argsort(flat, kind="stable")
    used = np.bincount(flat, minlength=len(counts))
    within = np.arange(len(flat)) - np.repeat(np.cumsum(used) - used, used)
    members = np.empty(len(flat), np.int64)
    members[place] = by_value[first[flat[place]] + within]
    return members.reshape(values.shape)
