"""Codes over distinct 64-bit keys, and records gathered by small numbers, by NumPy alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.table import IN_MEMORY, Storage

_FEW = 2_000  # distinct keys that are looked up; the table for them has 16 MB
_TRIES = 20
_AT_ONCE = 1 << 20
_ENOUGH = 1 << 16  # records
_ODD = 0x9E3779B97F4A7C15


def distinct(
    keys: NDArray[np.unsignedinteger], *, ascending: bool = True
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return (N,) codes over the distinct ones of (N,) keys, ascending with the key, and (m,) a record that has each.

    Few keys are looked up at the places that a multiplication gives them, where one is found under which no two fall
    together; many are sorted. Both are exact, and NumPy leaves the interpreter free meanwhile. Codes that need not be
    `ascending` ascend with the records where few of these share a key: what has them then lies side by side.
    """
    ordered = np.sort(keys)
    edge = np.ones(len(keys), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=edge[1:])
    known = ordered[edge].astype(np.uint64, copy=False)
    codes = _placed(keys.astype(np.uint64, copy=False), known) if len(known) <= _FEW else None
    if codes is None:
        if not ascending and 4 * len(known) > 3 * len(keys):
            return _nearly_distinct(keys, ordered[~edge])
        order = np.argsort(keys)
        codes = np.empty(len(keys), np.int32)
        codes[order] = np.cumsum(edge, dtype=np.int32) - 1
        return codes, order[edge]
    firsts = np.full(len(known), -1)
    for start in range(0, len(codes), _ENOUGH):  # the first records mostly have all there is
        firsts[codes[start : start + _ENOUGH]] = np.arange(start, min(start + _ENOUGH, len(codes)))
        if firsts.min() >= 0:
            break
    return codes, firsts


def _nearly_distinct(
    keys: NDArray[np.unsignedinteger], repeated: NDArray[np.unsignedinteger]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return codes in the order of the first record that has each; `repeated` are the keys of others, ascending."""
    bits = (8 * len(repeated)).bit_length()

    def places(some: NDArray[np.unsignedinteger]) -> NDArray[np.uint64]:
        return (some.astype(np.uint64, copy=False) * np.uint64(_ODD)) >> np.uint64(64 - bits)

    first = np.ones(len(keys), bool)
    if len(repeated):
        among = np.zeros(1 << bits, bool)
        among[places(repeated)] = True
        shared = np.flatnonzero(among[places(keys)])
        shared = shared[np.isin(keys[shared], repeated)]
        own, which = np.unique(keys[shared], return_inverse=True)
        begins = np.full(len(own), len(keys))
        np.minimum.at(begins, which, shared)
        first[shared] = shared == begins[which]
    codes = np.cumsum(first, dtype=np.int32) - np.int32(1)
    if len(repeated):
        codes[shared] = codes[begins[which]]
    return codes, np.flatnonzero(first)


def _placed(keys: NDArray[np.uint64], known: NDArray[np.uint64]) -> NDArray[np.int32] | None:
    """Return the codes of keys among the `known` ones, None where no factor keeps these apart."""
    # As many places as keys squared, or up to four times that, mostly hold them without two at one place. No more: a
    # wide file has 16,000 columns of a few records each, and memory once given back comes anew for every one of them.
    bits = 2 * len(known).bit_length()
    shift = np.uint64(64 - bits)
    for turn in range(_TRIES):
        factor = np.uint64(_ODD * (2 * turn + 1) & 0xFFFFFFFFFFFFFFFF)
        places = (known * factor) >> shift
        ordered = np.sort(places)
        if (ordered[1:] == ordered[:-1]).any():
            continue
        table = np.zeros(1 << bits, np.int32)
        table[places] = np.arange(len(known), dtype=np.int32)
        codes: NDArray[np.int32] = np.take(table, (keys * factor) >> shift)
        return codes
    return None


def by_number(
    numbers: NDArray[Any], most: int, storage: Storage = IN_MEMORY
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return (N,) indices by the number of each, equal ones in their order, and (most + 1,) where each number begins.

    What `argsort` does in twelve times the memory: `numbers` are (N,) of 8 or 16 bits without sign, below `most`.
    `storage` : where the indices are to lie.
    """
    parts = [slice(start, start + _AT_ONCE) for start in range(0, len(numbers), _AT_ONCE)]
    held = np.zeros(most, np.int64)
    for part in parts:
        held += np.bincount(numbers[part], minlength=most)
    begins = np.concatenate([[0], np.cumsum(held)])
    found, free = storage.array(len(numbers)), begins[:-1].copy()
    for part in parts:
        order = np.argsort(numbers[part], kind="stable")  # by radix
        some = np.bincount(numbers[part], minlength=most)
        found[np.arange(len(order)) + np.repeat(free - (np.cumsum(some) - some), some)] = order + part.start
        free += some
    return found, begins
