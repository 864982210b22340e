"""Which records meet conditions on columns: bitmaps per condition, kept for the questions that follow."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.table import Codes, Column, Flags, Part, Picked, Table, pieces, tallied

_KEPT_BYTES = 64 << 20  # of bitmaps; at one bit per record that is 500 conditions on a million records


class Selector:
    """Finds the records of a table that meet conditions. Not for use by two threads at once."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._kept: OrderedDict[Picked, NDArray[np.uint8]] = OrderedDict()
        self._room = max(4, _KEPT_BYTES // max(1, table.n // 8))

    def number(self, picked: Sequence[Picked]) -> int:
        """Return how many records meet every condition."""
        if not picked:
            return self._table.n
        joint = self._table.joint(name for name, _ in picked)
        if joint is not None:
            return int(joint.met(picked).sum())
        return int(np.bitwise_count(self._met(picked)).sum())

    def counted(self, picked: Sequence[Picked], column: Column) -> NDArray[np.int64]:
        """Return (m,) how many records that meet every condition have each value of a column."""
        if not picked:
            return column.counts()
        joint = self._table.joint([*(name for name, _ in picked), column.name])
        if joint is not None:
            return joint.summed(joint.codes[column.name], column.m, picked)
        return tallied(column.m, (column.codes[part] for part in self.parts(picked)))

    def parts(self, picked: Sequence[Picked], among: int | None = None) -> Iterator[Part]:
        """Give the records that meet every condition part by part; `among` as for `records`."""
        bits = self._met(picked) if picked else None
        for part in pieces(self._table.n if among is None else min(among, self._table.n)):
            yield part if bits is None else part.start + np.flatnonzero(_unpacked(bits, part))

    def records(self, picked: Sequence[Picked], among: int | None = None) -> NDArray[np.intp] | None:
        """Return the indices of the records that meet every condition; None where there is none, so all do.

        `among` : how many first records are looked at, None for all.
        """
        if not picked:
            return None
        found = [np.zeros(0, np.intp), *(np.asarray(part) for part in self.parts(picked, among))]
        return np.concatenate(found)

    def _met(self, picked: Sequence[Picked]) -> NDArray[np.uint8]:
        bits = self._bits(picked[0])
        for condition in picked[1:]:
            bits = bits & self._bits(condition)
        return bits

    def _bits(self, condition: Picked) -> NDArray[np.uint8]:
        found = self._kept.get(condition)
        if found is None:
            name, chosen = condition
            column, flags = self._table[name], np.frombuffer(chosen, bool)
            parts = [np.packbits(_meets(column.codes[part], flags)) for part in pieces(column.n)]
            found = np.concatenate(parts) if parts else np.zeros(0, np.uint8)
            self._kept[condition] = found
            if len(self._kept) > self._room:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(condition)
        return found


def _unpacked(bits: NDArray[np.uint8], part: slice) -> Flags:
    """Return whether each record of a part that begins with a byte meets what the bits say."""
    return np.unpackbits(bits[part.start // 8 : -(-part.stop // 8)], count=part.stop - part.start).view(bool)


def _meets(codes: Codes, chosen: Flags) -> Flags:
    """Return (K,) bool. Labels stand in the order of their values, so most conditions are a run of codes."""
    run = np.flatnonzero(chosen)
    if len(run) == 0:
        return np.zeros(len(codes), bool)
    first, last = run[0], run[-1]
    meets: Flags
    if first == last:
        meets = codes == first
    elif last - first + 1 == len(run):
        meets = (codes >= first) & (codes <= last)
    else:
        meets = chosen[codes]
    return meets
