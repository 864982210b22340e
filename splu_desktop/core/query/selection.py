"""Which records meet conditions on columns: bitmaps per condition, kept for the questions that follow."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.table import Column, Flags, Picked, Table

_KEPT_BYTES = 64 << 20  # of bitmaps; at one bit per record that is 500 conditions on a million records


class Selector:
    """Finds the records of a table that meet conditions. Not for use by two threads at once."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._kept: OrderedDict[Picked, NDArray[np.uint8]] = OrderedDict()
        self._room = max(4, _KEPT_BYTES // max(1, table.n // 8))

    def records(self, picked: Sequence[Picked]) -> NDArray[np.intp] | None:
        """Return the indices of the records that meet every condition; None where there is none, so all do."""
        if not picked:
            return None
        bits = self._bits(picked[0])
        for condition in picked[1:]:
            bits = bits & self._bits(condition)
        return np.flatnonzero(np.unpackbits(bits, count=self._table.n).view(bool))

    def _bits(self, condition: Picked) -> NDArray[np.uint8]:
        found = self._kept.get(condition)
        if found is None:
            name, chosen = condition
            found = np.packbits(_meets(self._table[name], np.frombuffer(chosen, bool)))
            self._kept[condition] = found
            if len(self._kept) > self._room:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(condition)
        return found


def _meets(column: Column, chosen: Flags) -> Flags:
    """Return (N,) bool. Labels stand in the order of their values, so most conditions are a run of codes."""
    codes = np.flatnonzero(chosen)
    if len(codes) == 0:
        return np.zeros(column.n, bool)
    first, last = codes[0], codes[-1]
    meets: Flags
    if first == last:
        meets = column.codes == first
    elif last - first + 1 == len(codes):
        meets = (column.codes >= first) & (column.codes <= last)
    else:
        meets = chosen[column.codes]
    return meets
