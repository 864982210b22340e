"""Randomness of a release: the operating system's cryptographic source, without bias.

A release is always made with `SystemRandomness`; neither window nor command line can name another. Tests and benchmarks
pass a seeded one (`tests/seeded.py`), which this package does not contain.
"""

from __future__ import annotations

import os
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

_INDEX_BITS = 31  # records are indexed by int32 throughout


class Randomness(Protocol):
    """A source of random bits."""

    def bits(self, count: int) -> NDArray[np.uint32]:
        """Return (count,) independent uniform 32-bit numbers."""


class SystemRandomness:
    """The operating system's cryptographic source (getrandom, BCryptGenRandom, getentropy) through os.urandom."""

    def bits(self, count: int) -> NDArray[np.uint32]:
        """Return (count,) independent uniform 32-bit numbers."""
        return np.frombuffer(os.urandom(4 * count), np.uint32)


def below(source: Randomness, bounds: NDArray[Any] | int, count: int) -> NDArray[np.unsignedinteger[Any]]:
    """Return (count,) independent numbers, number i uniform on 0..bounds[i]-1.

    Law: uniform exactly. Proof: numbers left over beside a multiple of the bound are drawn again, so every remainder is
    equally likely. Test: tests/core/test_randomness.py.
    """
    # Small bounds need 16 random bits alone, and the system's source takes half as long.
    most = int(np.max(bounds)) if count else 0
    width: type[np.unsignedinteger[Any]] = np.uint32 if most < 1 << 32 else np.uint64
    if most <= 256:
        width = np.uint16
    limit: NDArray[Any] = np.asarray(bounds).astype(width)
    bound = np.broadcast_to(limit, (count,))
    # 2^width mod bound, within the width; rejecting as many of the lowest numbers leaves a multiple of the bound.
    excess = np.broadcast_to((width(0) - limit) % limit, (count,))

    def draw(some: int) -> NDArray[Any]:
        words = -(-some * np.dtype(width).itemsize // 4)
        return source.bits(words).view(width)[:some]

    drawn = draw(count)
    result: NDArray[Any] = (drawn % bound).astype(np.promote_types(width, np.uint32))
    again = np.flatnonzero(drawn < excess)
    while len(again):
        drawn = draw(len(again))
        result[again] = drawn % bound[again]
        again = again[drawn < excess[again]]
    return result


def happens(source: Randomness, probability: float, count: int) -> NDArray[np.bool_]:
    """Return (count,) independent events of one probability.

    Law: the probability is exact to 2^-64. Proof: 64 uniform bits are compared with it; 32 decide all but the events at
    the edge, which get 32 more. Test: tests/core/test_randomness.py.
    """
    whole = int(probability * 2.0**64)
    high, low = divmod(min(whole, 1 << 64), 1 << 32)
    drawn = source.bits(count)
    flags = drawn < high
    edge = np.flatnonzero(drawn == high)
    flags[edge] = source.bits(len(edge)) < low
    return flags


def permutation(source: Randomness, count: int) -> NDArray[np.int32]:
    """Return (count,) a uniformly drawn permutation of 0..count-1. Raises ValueError where 32 bits can't number them.

    Law: uniform exactly. Proof: indices are sorted by random keys, and those with equal keys get new ones among
    themselves until none are equal. Test: tests/core/test_randomness.py.
    """
    if count > 1 << _INDEX_BITS:
        raise ValueError("more records than 32-bit indices can hold")
    # The key above, the index below: sorting these takes a fifth of the time of an indirect sort.
    both = source.bits(count).astype(np.uint64)
    both <<= np.uint64(32)
    both |= np.arange(count, dtype=np.uint64)
    both.sort()
    order, keys = both.astype(np.uint32).view(np.int32), both >> np.uint64(32)
    same = keys[1:] == keys[:-1]
    while same.any():
        tied = np.zeros(count, bool)
        tied[1:] |= same
        tied[:-1] |= same
        places = np.flatnonzero(tied)
        run = np.cumsum(np.r_[True, ~same[places[1:] - 1] | (np.diff(places) > 1)])
        fresh = source.bits(len(places))
        within = np.lexsort((fresh, run))
        order[places] = order[places[within]]
        same = np.zeros(count - 1, bool)
        same[places[:-1]] = (fresh[within][1:] == fresh[within][:-1]) & (run[1:] == run[:-1]) & (np.diff(places) == 1)
    return order
