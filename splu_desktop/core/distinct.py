"""Codes over distinct 64-bit keys, by NumPy alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.table import pieces, unique

_FEW = 1 << 15  # distinct keys that are looked up; the table for them has 16 MB at most
_ENOUGH = 1 << 16  # records
_TABLE = 1 << 24  # places of a table that may be mostly empty
_ODD = 0x9E3779B97F4A7C15
_FACTORS = _ODD, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def distinct(keys: NDArray[np.unsignedinteger]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return (N,) codes over the distinct ones of (N,) keys, and (m,) a record that has each.

    Few keys are looked up in a table at the places that a multiplication gives them; many are sorted, and coded in the
    order in which records first have them, so that neighbours stay together. Both are exact, and NumPy leaves the
    interpreter free meanwhile.
    """
    # Some records from all over the table: they mostly have all there is, in whatever order the records stand.
    known, new = keys[:0], keys[:: max(1, len(keys) // _ENOUGH)]
    codes, some = np.zeros(len(keys), np.int32), np.zeros(0, np.int64)
    while len(new):
        known = unique(np.concatenate([known, unique(new)]))
        if len(known) > _FEW:
            return _many_distinct(keys)
        lookup, some, others = Lookup(known), np.zeros(len(known), np.int64), []
        for part in pieces(len(keys)):  # what is made of each stays where the processor has it
            codes[part], left = lookup.of(keys[part])
            some[codes[part]] = np.arange(part.start, part.stop)
            others.append(keys[part][left])
        new = np.concatenate(others)
    return codes, some


def distinct_rows(columns: Sequence[NDArray[Any]]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return (N,) codes over the distinct rows of columns of whole numbers (N,), and (m,) a record that has each."""
    keys = columns[0].astype(np.uint64, copy=len(columns) > 1)
    for column in columns[1:]:
        keys *= np.uint64(_ODD)
        keys += column.astype(np.uint64, copy=False)
    codes, firsts = distinct(keys)
    if len(columns) > 1 and not all(np.array_equal(each[firsts].take(codes), each) for each in columns):
        _, firsts, inverse = np.unique(np.stack(columns), axis=1, return_index=True, return_inverse=True)
        codes = inverse.astype(np.int32)
    return codes, firsts


def stir(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return (N,) keys through a bijection (splitmix64's), so that sums of few numbers fill all 64 bits."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(keys ^ (keys >> np.uint64(31)))


def pair_keys(one: NDArray[np.integer], size: int, other: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return (N,) one number for each two, the other one below `size`; new arrays would cost more than the sums."""
    keys = one.astype(np.int64)
    keys *= size
    keys += other
    return keys


def count_pairs(one: NDArray[np.integer], number: int, other: NDArray[np.integer], size: int) -> NDArray[np.int64]:
    """Return (number, size) how many of (N,) pairs there are of each two, the one below `number`, the other `size`."""
    return np.bincount(pair_keys(one, size, other), minlength=number * size).reshape(number, size)


def count_keys(keys: NDArray[np.integer], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (m,) the distinct ones of (N,) keys from 0 to `size` - 1, ascending, and how many there are of each."""
    if size <= len(keys):  # a table of all counts is the faster one, until most of it is empty
        counts = np.bincount(keys)
        known = np.flatnonzero(counts)
        return known, counts[known]
    ordered = np.sort(keys)
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(keys)])
    return ordered[first].astype(np.int64), np.diff(np.append(first, len(keys)))


def cross_codes(keys: NDArray[np.integer], size: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return (N,) codes over the distinct ones of (N,) keys from 0 to `size` - 1, and (m,) these keys, ascending.

    Keys of columns that are crossed fill their range, so a table of it takes a tenth of the time of sorting them.
    """
    if size > max(4 * len(keys), min(16 * len(keys), _TABLE), _ENOUGH):
        places, firsts = distinct(keys.astype(np.uint64))
        values = keys[firsts].astype(np.int64)
        order = np.argsort(values)
        codes = np.empty(len(order), np.int32)
        codes[order] = np.arange(len(order), dtype=np.int32)
        return codes.take(places), values[order]
    there = np.zeros(size, bool)
    there[keys] = True
    known, place = np.flatnonzero(there), np.empty(size, np.int32)
    place[known] = np.arange(len(known), dtype=np.int32)  # most of a wide range is not there, and is not looked at
    return place.take(keys), known


def row_classes(codes: Sequence[NDArray[Any]], sizes: Sequence[int], n: int) -> NDArray[np.int64]:
    """Return (N,) numbers from 0 without a gap, equal for rows equal in all columns of codes (each below its size)."""
    keys, most = np.zeros(n, np.int64), 1
    for column, m in zip(codes, sizes, strict=True):
        if most > (1 << 62) // max(m, 1):
            keys = distinct(keys.view(np.uint64))[0].astype(np.int64)
            most = int(keys.max(initial=0)) + 1
            if most == n:  # no two rows are alike already
                return keys
        keys *= max(m, 1)  # in place: a new array of so many costs more than what is done with it
        keys += column
        most *= max(m, 1)
    classes = cross_codes(keys, most) if most <= 4 * n else distinct(keys.view(np.uint64))
    return classes[0].astype(np.int64)


def _many_distinct(keys: NDArray[np.unsignedinteger]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    for factor in _FACTORS:
        order, alike = sort_hashes(keys.astype(np.uint64, copy=False) * np.uint64(factor))
        if not alike.any():  # each record is the only one of its kind
            return np.arange(len(keys), dtype=np.int32), np.arange(len(keys))
        later, earlier = _find_repeats(order, alike)
        if np.array_equal(keys[later], keys[earlier]):  # else different keys have one hash: another factor
            break
    else:
        order = np.argsort(keys, kind="stable")
        later, earlier = _find_repeats(order, keys[order[1:]] == keys[order[:-1]])
    first = np.ones(len(keys), bool)
    first[later] = False
    codes = np.cumsum(first, dtype=np.int32) - np.int32(1)
    codes[later] = codes[earlier]
    return codes, np.flatnonzero(first)


def sort_hashes(hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return (N,) the order of hashes, and of (N - 1,) neighbours in it whether their hashes' upper bits are alike."""
    # A hash above, the record below: to sort these takes a quarter of what an indirect sort takes.
    low = (np.uint64(1) << np.uint64(len(hashes).bit_length())) - np.uint64(1)
    hashes = (hashes & ~low) | np.arange(len(hashes), dtype=np.uint64)
    hashes.sort()
    return (hashes & low).view(np.int64), (hashes[1:] ^ hashes[:-1]) <= low


def _find_repeats(order: NDArray[np.int64], alike: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the records that are like an earlier one, and the first of their like.

    order : (N,) records, those that are alike side by side and ascending; alike : (N - 1,) whether two neighbours are.
    """
    same = np.append(False, alike)
    begins = np.maximum.accumulate(np.where(same, 0, np.arange(len(order))))
    return order[same], order[begins[same]]


class Lookup:
    """Codes of keys among known ones, by tables at the places that multiplications give them.

    Parameters
    ----------
    known : (m,) keys, all of them different.
    """

    def __init__(self, known: NDArray[np.unsignedinteger]) -> None:
        self._known, self._tables = known, list[tuple[np.uint64, NDArray[Any]]]()
        self._shift = np.uint64(64 - (64 * len(known)).bit_length())
        left = np.arange(len(known), dtype=np.int32)
        while len(left):  # where two fall together a table holds one of them; the other comes into the next
            factor = np.uint64(pow(_ODD, len(self._tables) + 1, 1 << 64))  # powers: what one throws together no other
            table = np.zeros(1 << (64 - int(self._shift)), np.int32)
            places = (known[left].astype(np.uint64, copy=False) * factor) >> self._shift
            table[places] = left
            self._tables.append((factor, table))
            left = left[table[places] != left]

    def of(self, keys: NDArray[np.unsignedinteger]) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """Return (N,) the codes of keys, and the places of those that are none of the known ones."""
        codes, others = self._look_up(keys, *self._tables[0])
        for table in self._tables[1:]:
            if len(others):
                some, wrong = self._look_up(keys[others], *table)
                codes[others] = some
                others = others[wrong]
        return codes, others

    def _look_up(
        self, keys: NDArray[np.unsignedinteger], factor: np.uint64, table: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[np.intp]]:
        hashed = (keys.astype(np.uint64, copy=False) * factor) >> self._shift
        places = table.take(hashed.view(np.int64))
        return places, np.flatnonzero(self._known.take(places) != keys)
