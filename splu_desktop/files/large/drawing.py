"""The second pass: each row drawn by counts alone, wherever it is; no row needs another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.mechanism import LenderPool, Lenders, Randomness
from splu_desktop.core.table import unique

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
_DENSE = 1 << 22  # keys up to which each has a place in a list


class Places:
    """Where keys stand among those that there are, all below `bound`."""

    def __init__(self, keys: Ints, bound: int) -> None:
        self.keys = unique(keys)
        self._list: Codes | None = None
        if bound <= _DENSE:
            self._list = np.full(bound, -1, np.int32)
            self._list[self.keys] = np.arange(len(self.keys), dtype=np.int32)

    def of(self, keys: Ints) -> Codes:
        """Return the place of each key. Raises BadSetting for one that is not there."""
        if self._list is not None:
            found = self._list[keys]
        else:
            found = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1).astype(np.int32)
            found = np.where(self.keys[found] == keys, found, np.int32(-1))
        if len(found) and int(found.min()) < 0:
            raise changed()
        return found


def changed() -> BadSetting:
    """Return the fault of a file in whose second pass stands what was not in the first."""
    return BadSetting("The file changed while it was read; start again.")


@dataclass(frozen=True, eq=False)
class Digits:
    """Columns whose values, crossed, make a key.

    Attributes
    ----------
    names : of the columns.
    codes : of each, (m,) the value that each text of the file stands for.
    sizes : how many values each has.
    """

    names: tuple[str, ...]
    codes: tuple[Codes, ...]
    sizes: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many keys there can be."""
        return int(np.prod(self.sizes, dtype=object)) if self.sizes else 1

    def keys(self, texts: Mapping[str, Codes], rows: int) -> Ints:
        """Return (N,) keys of rows, given which text each has in each column."""
        found = np.zeros(rows, np.int64)
        for name, codes, size in zip(self.names, self.codes, self.sizes, strict=True):
            found = found * size + codes[texts[name]]
        return found


@dataclass(frozen=True, eq=False)
class CountedBlock:
    """A block as the draw needs it: pairs of class and combination, with the rows that have them.

    Attributes
    ----------
    digits, places : from a row's texts and class to its pair.
    classes : (P,) class of each pair.
    pool : the pairs that lend, each as often as it has rows.
    draw : how.
    """

    digits: Digits
    places: Places
    classes: Codes
    pool: LenderPool
    draw: Lenders


@dataclass(frozen=True, eq=False)
class Drawing:
    """All that a worker needs to draw rows; it holds counts and texts of values, no rows.

    Attributes
    ----------
    texts : of each column that is read, Arrow's array of its distinct texts.
    unchanged : published columns that are not drawn, with (m,) the published code of each text.
    classes, class_places, class_of : from a row's texts to its cell, and (K,) the class of each cell.
    blocks : in the plan's order.
    """

    texts: Mapping[str, Any]
    unchanged: tuple[tuple[str, Codes], ...]
    classes: Digits
    class_places: Places
    class_of: Codes
    blocks: tuple[CountedBlock, ...]

    def draw(self, columns: Sequence[Any], source: Randomness) -> list[Codes]:
        """Return codes of the unchanged columns of some rows, then of each block the pair that each row shows.

        columns : Arrow arrays of the rows' texts, in the order of `texts`. Raises BadSetting.

        Law: the pair is kept with probability 1/gamma, else that of a random row of its class, independently for each
        row: the same draw as in memory, see `LenderPool`. Test: tests/files/test_large.py.
        """
        rows = len(columns[0])
        texts = {name: text_codes(column, self.texts[name]) for name, column in zip(self.texts, columns, strict=True)}
        found = [codes[texts[name]] for name, codes in self.unchanged]
        own_class = self.class_of[self.class_places.of(self.classes.keys(texts, rows))]
        for block in self.blocks:
            own = block.places.of(own_class.astype(np.int64) * block.digits.size + block.digits.keys(texts, rows))
            lent = block.pool.pick(own_class, source)
            found.append(np.where(block.draw.keeps(rows, source), own, lent))
        return found


def text_codes(column: Any, known: Any) -> Codes:
    """Return which of the known texts each cell has. Raises BadSetting for one that is not known."""
    found = pc.index_in(column, known)
    if found.null_count:
        raise changed()
    codes: Codes = found.to_numpy(zero_copy_only=False)
    return codes
