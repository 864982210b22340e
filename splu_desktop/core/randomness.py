"""Randomness for a release: the operating system's cryptographic source, without bias.

A release is always made with `SystemRandomness`, the default of `sanitise.run`; neither the window nor the command
line can name another. `tests/seeded.py` and the benchmarks hold the seeded one, which this package does not contain.
"""

from __future__ import annotations

import os
from typing import Protocol

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


def below(source: Randomness, bounds: NDArray[np.uint32] | int, count: int) -> NDArray[np.uint32]:
    """Return (count,) independent numbers, number i uniform on 0..bounds[i]-1.

    Rejection instead of a bare modulo: a 32-bit number at or above the largest multiple of the bound is drawn again, so
    that every remainder is equally likely, exactly.
    """
    bound = np.broadcast_to(np.asarray(bounds, np.uint32), (count,))
    # 2^32 mod bound, computed within 32 bits; rejecting that many of the lowest numbers leaves a multiple of the bound.
    excess = np.broadcast_to((np.uint32(0) - np.asarray(bounds, np.uint32)) % np.asarray(bounds, np.uint32), (count,))
    drawn = source.bits(count)
    result = drawn % bound
    again = np.flatnonzero(drawn < excess)
    while len(again):
        drawn = source.bits(len(again))
        result[again] = drawn % bound[again]
        again = again[drawn < excess[again]]
    return result


def permutation(source: Randomness, count: int) -> NDArray[np.int32]:
    """Return a uniformly drawn permutation of 0..count-1, int32.

    Every index gets a random key and the keys are sorted. Key (33 bits or more) and index share one 64-bit word, since
    sorting words is several times quicker than argsort. Equal keys would leave their indices in order, so each run of
    equal keys is permuted anew with keys of its own: the result is uniform without a remainder.
    """
    if count < 2:
        return np.arange(count, dtype=np.int32)
    width = int(count - 1).bit_length()
    if width > _INDEX_BITS:
        raise ValueError("more records than 32-bit indices can hold")
    words = source.bits(2 * count).view(np.uint64).copy()
    mask = np.uint64((1 << width) - 1)
    words &= ~mask
    words |= np.arange(count, dtype=np.uint64)
    words.sort()
    order = (words & mask).astype(np.int32)
    words >>= np.uint64(width)
    tied = np.flatnonzero(words[1:] == words[:-1])
    if len(tied):
        # Runs of equal keys are a handful even at 10 million records; each is permuted by itself.
        breaks = np.flatnonzero(np.diff(tied) > 1) + 1
        for run in np.split(tied, breaks):
            first, last = int(run[0]), int(run[-1]) + 2
            order[first:last] = order[first:last][permutation(source, last - first)]
    return order
