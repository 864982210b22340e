"""A large table as counts, and its second pass: each row drawn by them alone, wherever it is; no row needs another."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from splu_desktop.core.distinct import Lookup
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.mechanism import ClassCell, LenderPool, Lenders, Randomness
from splu_desktop.core.table import Column

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Drawn = tuple[Ints, Codes]  # (P,) how many rows show each pair, block after block, and (n, k) some of them by chance
CHANGED = "The file changed while it was read; start again."
_MOST = 1 << 23  # distinct texts of a column, or combinations, that are held


class CountedBlock:
    """A block as the draw needs it: pairs of cell and combination, with the rows that have them.

    Parameters
    ----------
    draw : how.
    texts : name -> (P,) which text each pair has in a column of the classes, or in one of the block.
    sizes : how many texts each of these columns has.
    classes : (P,) class of each pair.
    rows : (P,) how many rows each has, and so how often it lends.
    """

    def __init__(
        self, draw: Lenders, texts: Mapping[str, Codes], sizes: Sequence[int], classes: Codes, rows: Ints
    ) -> None:
        check_held(texts, math.prod(sizes), most=(1 << 63) - 1)
        self._draw, self._names, self._sizes = draw, list(texts), tuple(sizes)
        self._places, self.classes, self._pool = Lookup(self._keys_of(texts)), classes, LenderPool(classes, rows)

    def draw(self, texts: Mapping[str, Codes], source: Randomness) -> Codes:
        """Return (N,) the pair that each row shows. Raises BadSetting for a row whose own was not counted."""
        places, others = self._places.of(self._keys_of(texts))
        if len(others):
            raise BadSetting(CHANGED)
        lent = self._pool.pick(self.classes[places], source)
        return np.where(self._draw.draw_kept(len(places), source), places, lent)

    def _keys_of(self, texts: Mapping[str, Codes]) -> NDArray[np.uint64]:
        return np.ravel_multi_index([texts[name] for name in self._names], self._sizes).view(np.uint64)


@dataclass(frozen=True, eq=False)
class CountedTable:
    """A large table after the first pass: all that a worker needs to draw rows. It holds counts and texts, no rows.

    Attributes
    ----------
    rows : how many there are.
    texts : of each published column, Arrow's array of its distinct texts.
    columns : the published columns; an unchanged one as handed out, a row for each text, with its weight; a drawn one
        with a row for each pair of its block.
    unchanged_columns : the columns that are not drawn.
    blocks : in the plan's order.
    cells : what each class is.
    means : as in `Published`.
    """

    rows: int
    texts: Mapping[str, Any]
    columns: Mapping[str, Column]
    unchanged_columns: tuple[str, ...]
    blocks: tuple[CountedBlock, ...]
    cells: tuple[ClassCell, ...]
    means: Mapping[str, Mapping[str, float]]

    def draw(self, columns: Sequence[Any], source: Randomness) -> Codes:
        """Return (N, k) the text of each row in each unchanged column, then of each block the pair that it shows.

        columns : Arrow arrays of the rows' texts, in the order of `texts`. Raises BadSetting.

        Law: the pair is kept with probability 1/gamma, else that of a random row of its class, independently for each
        row: the same draw as in memory, see `LenderPool`. Test: tests/files/test_large.py.
        """
        texts = {name: text_codes(column, self.texts[name]) for name, column in zip(self.texts, columns, strict=True)}
        drawn = [block.draw(texts, source) for block in self.blocks]
        return np.stack([*(texts[name] for name in self.unchanged_columns), *drawn], axis=1)

    def count_pairs(self, rows: Codes) -> Ints:
        """Return (P,) how many of some drawn rows show each pair, block after block."""
        drawn = zip(self.blocks, rows.T[len(self.unchanged_columns) :], strict=True)
        return np.concatenate([np.bincount(pairs, minlength=len(block.classes)) for block, pairs in drawn])


def text_codes(column: Any, known: Any) -> Codes:
    """Return which of the known texts each cell has. Raises BadSetting for one that is not known."""
    places = pc.index_in(column, known)
    if places.null_count:
        raise BadSetting(CHANGED)
    codes: Codes = places.to_numpy(zero_copy_only=False)
    return codes


def check_held(names: Iterable[str], number: int, most: int = _MOST) -> None:
    """Raise BadSetting for columns that have more values, or combinations of them, than are held."""
    if number > most:
        raise BadSetting(
            "{columns} have more than {most} different values; leave one out, or coarsen it in the file.",
            columns=", ".join(f"“{name}”" for name in names), most=_MOST,
        )  # fmt: skip
