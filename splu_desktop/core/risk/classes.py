"""Classes of records that agree on some columns, numbered exactly, on whole arrays.

A record's class is one whole number: its codes in the columns, read as digits of a mixed base. Before the numbers leave
64 bits they are renumbered 0, 1, 2, ... without gaps; there are never more classes than records.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.table import Column
from splu_desktop.frozen import dataclass

_STAGE = "Looking for recognisable records"
_BITS = 63


@dataclass(frozen=True, eq=False)
class Classes:
    """N records in classes.

    Attributes
    ----------
    ids : (N,) int32, the class of each record, in 0..count-1.
    count : number of classes, none of them empty; 0 for no records.
    """

    ids: NDArray[np.int32]
    count: int

    @property
    def sizes(self) -> NDArray[np.int64]:
        """(count,) records in each class."""
        return np.bincount(self.ids, minlength=self.count).astype(np.int64, copy=False)

    def split(self, column: Column) -> Classes:
        """Return the classes of records that agree on this column too."""
        return self.joined(column.codes, column.m)

    def joined(self, codes: NDArray[np.int32], m: int) -> Classes:
        """Return the classes of records that agree on `codes` in 0..m-1 too."""
        if self.count == len(self.ids) or m <= 1:
            return self  # every record is alone already, or nothing can be told apart
        return _renumbered(_keys(self.ids, codes, m), self.count * m)

    def split_sizes(self, codes: NDArray[np.int32], m: int) -> NDArray[np.int64]:
        """Return the sizes of `joined(codes, m)`, in less time and any order."""
        if self.count == len(self.ids) or m <= 1:
            return self.sizes
        return sizes_of(_keys(self.ids, codes, m), self.count * m)


def one_class(n: int) -> Classes:
    """Return n records in one class."""
    return Classes(np.zeros(n, np.int32), min(n, 1))


def keys_of(columns: Sequence[Column], n: int, progress: Progress = SILENT) -> tuple[NDArray[np.int64], int]:
    """Return (N,) numbers, equal just where records agree on all columns, and the bound below which they lie."""
    keys, span = np.zeros(n, np.int64), 1
    for done, column in enumerate(columns):
        progress.report(_STAGE, done / len(columns))
        if (span * max(column.m, 1)).bit_length() > _BITS - n.bit_length():
            found = _renumbered(keys, span)
            progress.report(_STAGE, done / len(columns))
            if found.count == n:
                return found.ids.astype(np.int64), n
            keys, span = found.ids.astype(np.int64), found.count
        keys *= max(column.m, 1)
        keys += column.codes
        span *= max(column.m, 1)
    progress.report(_STAGE, 1.0)
    return keys, span


def classes_of(columns: Sequence[Column], n: int, progress: Progress = SILENT) -> Classes:
    """Return the classes of the n records that agree on all columns; one class where there is no column."""
    return _renumbered(*keys_of(columns, n, progress))


def sizes_of(keys: NDArray[np.int64], span: int, progress: Progress = SILENT) -> NDArray[np.int64]:
    """Return the sizes, in records, of the classes with equal keys in 0..span-1, in no particular order."""
    n = len(keys)
    if not n:
        return np.zeros(0, np.int64)
    if span <= 2 * n:
        counts = np.bincount(keys, minlength=1)
        return counts[counts > 0].astype(np.int64, copy=False)
    ordered = np.sort(keys)
    progress.report(_STAGE, 1.0)
    edges = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1], [True])))
    return np.diff(edges)


def _keys(ids: NDArray[np.int32], codes: NDArray[np.int32], m: int) -> NDArray[np.int64]:
    keys = ids.astype(np.int64)
    keys *= m
    keys += codes
    return keys


def _renumbered(keys: NDArray[np.int64], span: int) -> Classes:
    """Return the classes of equal keys in 0..span-1, numbered in the order of the keys."""
    n = len(keys)
    if not n:
        return Classes(np.zeros(0, np.int32), 0)
    if span <= 2 * n:
        used = np.zeros(span, bool)
        used[keys] = True
        rank: NDArray[np.int32] = np.cumsum(used, dtype=np.int32)
        return Classes(rank[keys] - np.int32(1), int(rank[-1]))
    places = n.bit_length()
    if span.bit_length() + places > _BITS:
        distinct, which = np.unique(keys, return_inverse=True)
        return Classes(which.astype(np.int32), len(distinct))
    # Key and place in one number: one plain sort, some times quicker than an indirect one.
    packed = (keys << places) | np.arange(n)
    packed.sort()
    at = packed & ((1 << places) - 1)
    packed >>= places
    new = np.concatenate(([False], packed[1:] != packed[:-1]))
    number = np.cumsum(new, dtype=np.int32)
    ids = np.empty(n, np.int32)
    ids[at] = number
    return Classes(ids, int(number[-1]) + 1)
