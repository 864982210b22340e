"""Codes over distinct 64-bit keys, by NumPy alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.table import unique

_FEW = 1 << 15  # distinct keys that are looked up; the table for them has 16 MB at most
_ENOUGH = 1 << 16  # records
_ODD = 0x9E3779B97F4A7C15


def distinct(
    keys: NDArray[np.unsignedinteger], *, ascending: bool = True
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return (N,) codes over the distinct ones of (N,) keys, ascending with the key, and (m,) a record that has each.

    Few keys are looked up in a table at the places that a multiplication gives them; many are sorted. Both are exact,
    and NumPy leaves the interpreter free meanwhile. Codes that need not be `ascending` ascend with the records where
    few of these share a key: what has them then lies side by side.
    """
    # Some records from all over the table: they mostly have all there is, in whatever order the records stand.
    known, new = keys[:0], keys[:: max(1, len(keys) // _ENOUGH)]
    codes = np.zeros(len(keys), np.int32)
    while len(new) and len(known) <= _FEW:
        known = unique(np.concatenate([known, unique(new)]))
        if len(known) <= _FEW:
            codes, others = Lookup(known).of(keys)
            new = keys[others]
    if len(known) > _FEW:
        ordered = np.sort(keys)
        edge = np.ones(len(keys), bool)
        np.not_equal(ordered[1:], ordered[:-1], out=edge[1:])
        if not ascending and 4 * np.count_nonzero(edge) > 3 * len(keys):
            return _nearly_distinct(keys, ordered[~edge])
        order = np.argsort(keys)
        codes = np.empty(len(keys), np.int32)
        codes[order] = np.cumsum(edge, dtype=np.int32) - 1
        return codes, order[edge]
    firsts = np.full(len(known), -1)
    for start in range(0, len(codes), _ENOUGH):
        firsts[codes[start : start + _ENOUGH]] = np.arange(start, min(start + _ENOUGH, len(codes)))
        if firsts.min() >= 0:
            break
    return codes, firsts


def stir(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return keys through a bijection (splitmix64's), so that sums of few numbers fill all 64 bits."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(keys ^ (keys >> np.uint64(31)))


def cross_codes(keys: NDArray[np.integer], size: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return (N,) codes over the distinct ones of (N,) keys from 0 to `size` - 1, and (m,) these keys, ascending.

    Keys of columns that are crossed fill their range, so a table of it takes a tenth of the time of sorting them.
    """
    if size > max(4 * len(keys), _ENOUGH):
        values, codes = np.unique(keys, return_inverse=True)
        return codes.astype(np.int32), values.astype(np.int64)
    there = np.zeros(size, bool)
    there[keys] = True
    place = np.cumsum(there, dtype=np.int32) - np.int32(1)
    return place[keys], np.flatnonzero(there)


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


class Lookup:
    """Codes of keys among known ones, by tables at the places that multiplications give them.

    Parameters
    ----------
    known : (m,) keys, all of them different.
    dtype : of the codes.
    """

    def __init__(self, known: NDArray[np.unsignedinteger], dtype: Any = np.int32) -> None:
        self._known, self._tables = known, list[tuple[np.uint64, NDArray[Any]]]()
        self._shift = np.uint64(64 - (64 * len(known)).bit_length())
        left = np.arange(len(known), dtype=dtype)
        while len(left):  # where two fall together a table holds one of them; the other comes into the next
            factor = np.uint64(pow(_ODD, len(self._tables) + 1, 1 << 64))  # powers: what one throws together no other
            table = np.zeros(1 << (64 - int(self._shift)), dtype)
            places = (known[left].astype(np.uint64, copy=False) * factor) >> self._shift
            table[places] = left
            self._tables.append((factor, table))
            left = left[table[places] != left]

    def of(self, keys: NDArray[np.unsignedinteger]) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """Return (N,) the codes of keys, and the places of those that are none of the known ones."""
        codes, others = self._found(keys, *self._tables[0])
        for table in self._tables[1:]:
            if len(others):
                some, wrong = self._found(keys[others], *table)
                codes[others] = some
                others = others[wrong]
        return codes, others

    def _found(
        self, keys: NDArray[np.unsignedinteger], factor: np.uint64, table: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[np.intp]]:
        found = np.take(table, (keys.astype(np.uint64, copy=False) * factor) >> self._shift)
        return found, np.flatnonzero(np.take(self._known, found) != keys)
