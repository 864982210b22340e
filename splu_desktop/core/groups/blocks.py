"""Groups formed block by block (mechanism.md section 11), so that a table of any size is drawn in bounded memory.

A block is a part of the *groups*, not of the records: a column's whole layout is dealt as ever, record number i of a
size's line (value after value, random within each) to group i mod r, and group g belongs to block g mod B. What then
happens to the records of a block, mixing and drawing, happens among them alone. So a table has the same number of
groups of the same sizes with or without blocks, no value stands in a group more often than before, every value is in
every block but for one record as often as its share, a column is eligible in its blocks whenever it is at all, and all
published laws (a = r / N, the count's law, T) are those of the whole (docs/decisions/blocks.md).

Each sensitive column is dealt by itself, in a random order of its own: the order of the published records, and how the
other columns were dealt, say nothing about it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import by_number
from splu_desktop.core.groups.layout import Layout
from splu_desktop.core.randomness import Randomness, permutation
from splu_desktop.core.table import IN_MEMORY, Storage
from splu_desktop.frozen import dataclass

Ints = NDArray[np.int64]
Numbers = NDArray[np.uint16]

MOST = 1 << 16  # blocks, told apart by 16 bits
RECORDS = 1 << 20  # in a block: its arrays take some 75 MB, and mixing is as good as in a whole table
_GROUPS = 16  # in a block at least, of the commonest size


@dataclass(frozen=True, eq=False)
class Dealt:
    """A layout whose groups are dealt to blocks.

    Attributes
    ----------
    layout : of the whole table.
    number : B, blocks.
    first : (m, q) place of each value's first record in the line of each size; values stand there in a random order.

    A record is known by its *slot*: records of smaller codes, and those of its own value that come before it in a
    random order (`Slots`).
    """

    layout: Layout
    number: int
    first: Ints

    @classmethod
    def of(cls, layout: Layout, number: int, source: Randomness) -> Dealt:
        """Deal a layout to `number` blocks, fewer where groups are few; `source` decides in which order values come.

        Fake values are made for a whole table, so that there is one block where there are any.
        """
        number = 1 if layout.fakes else max(1, min(number, int(layout.numbers.max()) // _GROUPS, MOST))
        order = permutation(source, len(layout.records))
        inline = layout.records[order]
        first = np.empty_like(inline)
        first[order] = np.cumsum(inline, axis=0) - inline
        return cls(layout, number, first)

    def blocks(self, slots: Ints, codes: NDArray[Any]) -> Numbers:
        """Return (K,) the blocks of the records with these slots and codes."""
        records = self.layout.records  # value after value, and of each the sizes one after another
        begins = (np.cumsum(records) - records.ravel()).reshape(records.shape)
        sizes = records.shape[1]
        cell = codes.astype(np.int64) * sizes
        for size in range(1, sizes):
            cell += slots >= np.take(begins[:, size], codes)
        place = slots + np.take(self.first - begins, cell)
        group: Ints = place % (self.layout.numbers[cell % sizes] if sizes > 1 else self.layout.numbers)
        return np.asarray(group % self.number, np.uint16)

    def part(self, block: int) -> Layout:
        """Return the layout of a block: its groups, and its records of each value."""

        def mine(groups: Ints) -> Ints:  # how many of that many first groups are the block's
            return np.asarray((groups + self.number - 1 - block) // self.number)

        def before(place: Ints) -> Ints:  # how many of that many first places of a line are
            rounds, rest = np.divmod(place, self.layout.numbers)
            return np.asarray(rounds * mine(self.layout.numbers) + mine(rest))

        records = before(self.first + self.layout.records) - before(self.first)
        numbers = mine(self.layout.numbers)
        some = numbers > 0
        return Layout(numbers[some], records[:, some], self.layout.caps[:, some], self.layout.fakes)


class Slots:
    """Gives each record its slot, some records after others, in the order in which they come.

    Where they come in a uniformly random order, so stand the records of each value in their slots.

    begins : (m,) the first slot of each value; by default that of a whole column with these `counts`. Whoever deals a
        part of the records alone begins each value after what other parts have of it.
    """

    def __init__(self, counts: Ints, begins: Ints | None = None) -> None:
        self._next = np.cumsum(counts) - counts if begins is None else begins.astype(np.int64)

    def of(self, codes: NDArray[Any]) -> Ints:
        """Return (K,) the slots of the next records, with these codes."""
        m = len(self._next)
        narrow = codes.astype(np.uint16) if m <= 1 << 16 else codes  # 16 bits are sorted by radix
        order = np.argsort(narrow, kind="stable")
        held = np.bincount(codes, minlength=m)
        slots = np.empty(len(codes), np.int64)
        slots[order] = np.arange(len(codes)) + np.repeat(self._next - (np.cumsum(held) - held), held)
        self._next = self._next + held
        return slots


def members(
    codes: NDArray[np.int32],
    counts: Ints,
    dealt: Dealt,
    source: Randomness,
    storage: Storage = IN_MEMORY,
    *,
    at_once: int = 1 << 20,
) -> Iterator[NDArray[np.int32]]:
    """Give the records of each block, block after block, in a random order."""
    ids, slots = permutation(source, len(codes), storage), Slots(counts)
    block = storage.array(len(codes), np.uint16)
    for start in range(0, len(codes), at_once):
        part = slice(start, start + at_once)
        own = np.take(codes, ids[part])
        block[part] = dealt.blocks(slots.of(own), own)
    order, begins = by_number(block, dealt.number, storage)
    for begin, end in pairwise(begins.tolist()):
        yield np.take(ids, order[begin:end])
