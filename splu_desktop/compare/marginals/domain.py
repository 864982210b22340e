"""The cells over which a distribution is fitted to marginals: ranges of labels, and the sensitive column's values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.marginals.fit import KnownMarginal

_CELLS = 1 << 18  # of the domain that is fitted
_MOST_RANGES = 16  # of a column


def ranges(counts: Ints, most: int, least: int) -> NDArray[np.intp]:
    """Return (m,) the range of each label, rising from 0 without gaps.

    At most `most` ranges, of about equally many records where labels are more, all of `least` records and more.
    """
    middle = (np.cumsum(counts) - counts / 2) / counts.sum()
    found = np.arange(len(counts)) if len(counts) <= most else np.minimum(middle * most, most - 1).astype(np.intp)
    number, inside = 0, 0
    merged = np.zeros(int(found.max()) + 1, np.intp)
    held = np.bincount(found, counts)
    for at, records in enumerate(held):
        merged[at] = number
        inside += records
        if inside >= least and held[at + 1 :].sum() >= least:
            number, inside = number + 1, 0
    return np.asarray(merged[found])


def within_ranges(counts: Ints, of: NDArray[np.intp], least: int) -> Floats:
    """Return (m,) the published share of each label in its range, rare ones sharing theirs evenly.

    The labels with fewer than `least` records count as one, together with the rarest others that bring them to it.
    """
    share = np.empty(len(counts))
    for number in range(int(of.max()) + 1):
        mine = np.flatnonzero(of == number)
        mine = mine[np.argsort(counts[mine], kind="stable")]
        own = counts[mine].astype(np.float64)
        rare = int((own < least).sum())
        if rare:
            rare = max(rare, int(np.searchsorted(np.cumsum(own), least)) + 1)
            own[:rare] = own[:rare].mean()
        share[mine] = own / own.sum()
    return share


class Domain:
    """The cells over which the distribution is fitted.

    Attributes
    ----------
    ranges : for each unchanged column (m_j,) the range of each label.
    shares : for each (m_j,) the published share of each label within its range.
    shape : numbers of ranges, and of values.
    counts : (cells,) true counts.
    """

    def __init__(self, source: TrueTable, k: int) -> None:
        self.source = source
        sizes = [column.m for column in source.columns]
        most = next(
            (
                each
                for each in range(_MOST_RANGES, 1, -1)
                if math.prod(min(size, each) for size in sizes) * source.m <= _CELLS
            ),
            None,
        )
        if most is None:
            raise Impossible(
                "{columns} columns and {values} values have more combinations than a distribution can be fitted "
                "to, even with two ranges per column.",
                columns=len(sizes),
                values=source.m,
            )
        counts = [column.counts() for column in source.columns]
        self.ranges = [ranges(each, most, k) for each in counts]
        self.shares = [within_ranges(each, of, k) for each, of in zip(counts, self.ranges, strict=True)]
        self.shape = (*(int(each.max()) + 1 for each in self.ranges), source.m)
        own = [each[column.codes] for each, column in zip(self.ranges, source.columns, strict=True)]
        self.of_record = np.ravel_multi_index((*own, source.sensitive.codes), self.shape)
        self.counts = np.bincount(self.of_record, minlength=math.prod(self.shape)).astype(np.float64)

    @cached_property
    def _places(self) -> list[NDArray[np.intp]]:
        return list(np.unravel_index(np.arange(math.prod(self.shape)), self.shape))

    def marginal(self, columns: tuple[int, ...], merged: int = 0) -> KnownMarginal:
        """Return the counts by some columns, their ranges merged by 2^merged; the sensitive one's values never are."""
        last = len(self.shape) - 1
        entry, others = np.zeros_like(self._places[0]), np.zeros_like(self._places[0])
        for column in columns:
            shift = 0 if column == last else merged
            size = ((self.shape[column] - 1) >> shift) + 1
            label = self._places[column] >> shift
            entry = entry * size + label
            if column != last:
                others = others * size + label
        number = int(entry.max()) + 1
        of_others = np.zeros(number, np.intp)
        of_others[entry] = others
        return KnownMarginal(columns, entry, np.bincount(entry, self.counts, number).astype(np.float64), of_others)

    def pairs(self, k: int) -> Iterator[KnownMarginal]:
        """Yield each pair of columns with the finest ranges with which it is k-linked."""
        last = len(self.shape) - 1
        for columns in itertools.combinations(range(len(self.shape)), 2):
            finest = max(self.shape[column] for column in columns if column != last)
            for merged in range(finest.bit_length()):
                marginal = self.marginal(columns, merged)
                if marginal.linked(k):
                    yield marginal
                    break
