"""Randomness for a release: the operating system's cryptographic source, without bias.

A release is always made with `SystemRandomness`, the default of `sanitise.run`; neither the window nor the command
line can name another. `tests/seeded.py` and the benchmarks hold the seeded one, which this package does not contain.
"""

from __future__ import annotations

import os
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import by_number
from splu_desktop.core.table import IN_MEMORY, Storage, pieces

_INDEX_BITS = 31  # records are indexed by int32 throughout
_AT_ONCE = 1 << 17  # indices put in order at once, within the processor's cache
_MOST_PARTS = 1 << 8


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

    Rejection instead of a bare modulo: the numbers left over beside a multiple of the bound are drawn again, so that
    every remainder is equally likely, exactly.
    """
    limit = np.asarray(bounds, np.uint32)
    # Group sizes are small: 16 random bits do for them, and the system's source takes half as long.
    width = np.uint16 if count and int(limit.max()) <= 256 else np.uint32
    limit = limit.astype(width)
    bound = np.broadcast_to(limit, (count,))
    # 2^width mod bound, within the width; rejecting as many of the lowest numbers leaves a multiple of the bound.
    excess = np.broadcast_to((width(0) - limit) % limit, (count,))

    def draw(some: int) -> NDArray[Any]:
        return source.bits(some) if width is np.uint32 else source.bits((some + 1) // 2).view(np.uint16)[:some]

    drawn = draw(count)
    result = (drawn % bound).astype(np.uint32)
    again = np.flatnonzero(drawn < excess)
    while len(again):
        drawn = draw(len(again))
        result[again] = drawn % bound[again]
        again = again[drawn < excess[again]]
    return result


def permutation(source: Randomness, count: int, storage: Storage = IN_MEMORY) -> NDArray[np.int32]:
    """Return a uniformly drawn permutation of 0..count-1, int32; `storage` is where a long one is to lie.

    Every index gets a random 32-bit key and the indices are sorted by key, half a key at a time: NumPy sorts 16 bits by
    radix, as quickly on every processor. Indices with equal keys draw new ones among themselves until none are equal,
    so the result is uniform without a remainder. Of many indices each is dealt at random to one of some parts first,
    and each part is put in order by itself: uniform too, in a tenth of the memory.
    """
    if count > 1 << _INDEX_BITS:
        raise ValueError("more records than 32-bit indices can hold")
    if count <= _AT_ONCE:
        return _ordered(source, count)
    parts = min(1 << (count // _AT_ONCE).bit_length(), _MOST_PARTS)
    drawn = storage.array(count, np.uint8)
    for part in pieces(count):
        some = part.stop - part.start
        np.bitwise_and(source.bits(-(-some // 4)).view(np.uint8)[:some], np.uint8(parts - 1), out=drawn[part])
    order, begins = by_number(drawn, parts, storage)
    for begin, end in pairwise(begins.tolist()):
        order[begin:end] = np.take(order[begin:end], _ordered(source, end - begin))
    return order


def _ordered(source: Randomness, count: int) -> NDArray[np.int32]:
    keys = source.bits(count)
    low, high = keys.view(np.uint16)[::2], keys.view(np.uint16)[1::2]
    order = np.argsort(low, kind="stable").astype(np.int32)
    order = np.take(order, np.argsort(np.take(high, order), kind="stable"))
    keys = np.take(keys, order)
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
