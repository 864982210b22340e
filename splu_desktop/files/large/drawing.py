"""The second pass: each row drawn by counts alone, wherever it is; no row needs another."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from Cryptodome.Cipher import AES
from numpy.typing import NDArray

from splu_desktop.core.distinct import Lookup
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.mechanism import LenderPool, Lenders, Randomness
from splu_desktop.core.table import unique

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
MOST = 1 << 23  # distinct texts of a column, or combinations, that are held
_WORDS = 4  # numbers that a block of AES hides
RANDOM = ("k0", "k1")  # 128 random bits of each drawn row, by which rows are sorted: no two have the same


class Keys:
    """Combinations of values that there are, and where those of rows stand among them.

    Parameters
    ----------
    columns : name -> (m,) the value that each text of the file stands for, and how many values there are.
    texts : (N,) which text each counted combination has in each column.

    Attributes
    ----------
    keys : (P,) each as one number, ascending.
    """

    def __init__(self, columns: Mapping[str, tuple[Codes, int]], texts: Mapping[str, Codes]) -> None:
        self._columns = columns
        self._sizes = tuple(size for _, size in columns.values())
        if math.prod(self._sizes) >= 1 << 63:
            raise say_too_many(columns)
        self.keys = unique(self._keys_of(texts))
        self._places = Lookup(self.keys.view(np.uint64))

    def values(self) -> dict[str, Codes]:
        """Return (P,) the value of each column in each combination."""
        parts = np.unravel_index(self.keys, self._sizes)
        return {name: part.astype(np.int32) for name, part in zip(self._columns, parts, strict=True)}

    def of(self, texts: Mapping[str, Codes]) -> Codes:
        """Return (N,) the place of each row's combination. Raises BadSetting for one that is not there."""
        found, others = self._places.of(self._keys_of(texts).view(np.uint64))
        if len(others):
            raise say_changed()
        return found

    def _keys_of(self, texts: Mapping[str, Codes]) -> Ints:
        return np.ravel_multi_index([codes[texts[name]] for name, (codes, _) in self._columns.items()], self._sizes)


def say_changed() -> BadSetting:
    """Return the fault of a file in whose second pass stands what was not in the first."""
    return BadSetting("The file changed while it was read; start again.")


def say_too_many(names: Iterable[str]) -> BadSetting:
    """Return the fault of columns whose values, or combinations of them, are more than are held."""
    return BadSetting(
        "{columns} have more than {most} different values; leave one out, or coarsen it in the file.",
        columns=", ".join(f"“{name}”" for name in names), most=MOST,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class CountedBlock:
    """A block as the draw needs it: pairs of cell and combination, with the rows that have them.

    Attributes
    ----------
    pairs : from a row's texts to its pair: what it has in the columns of the classes, and in those of the block.
    classes : (P,) class of each pair.
    pool : the pairs that lend, each as often as it has rows.
    draw : how.
    """

    pairs: Keys
    classes: Codes
    pool: LenderPool
    draw: Lenders


@dataclass(frozen=True, eq=False)
class Drawing:
    """All that a worker needs to draw rows; it holds counts and texts of values, no rows.

    Drawn rows lie with the engine, which may lay them on a disk in the order of the file: there they are numbers
    without a meaning, each hidden by AES in counter mode of the row's own random bits, under a key that is in memory
    alone and ends with the run.

    Attributes
    ----------
    texts : of each column that is read, Arrow's array of its distinct texts.
    unchanged_columns : published columns that are not drawn, with (m,) the published code of each text.
    blocks : in the plan's order.
    key : 32 random bytes.
    """

    texts: Mapping[str, Any]
    unchanged_columns: tuple[tuple[str, Codes], ...]
    blocks: tuple[CountedBlock, ...]
    key: bytes = field(repr=False)

    @property
    def names(self) -> list[str]:
        """What the numbers of a drawn row are called."""
        return [f"n{at}" for at in range(len(self.unchanged_columns) + len(self.blocks))]

    def draw_batch(self, batch: Any, source: Randomness) -> Any:
        """Return the drawn rows of an Arrow batch, hidden, each with random bits. Raises BadSetting.

        Law: in the order of these bits rows stand in a uniformly random order. Proof: they are independent of all else,
        and every order is as likely. Test: tests/files/test_large.py.
        """
        bits = [source.bits(2 * batch.num_rows).view(np.int64) for _ in RANDOM]
        drawn: list[NDArray[Any]] = [*self._hide(self.draw(batch.columns, source), bits), *bits]
        return pa.RecordBatch.from_arrays([pa.array(each) for each in drawn], [*self.names, *RANDOM])

    def reveal(self, rows: Any) -> list[Codes]:
        """Return what `draw` gave, from Arrow's columns of what `draw_batch` made of it."""
        columns = [column.to_numpy() for column in rows.columns]
        return self._hide(columns[: -len(RANDOM)], columns[-len(RANDOM) :])

    def tally(self, batches: Iterable[Any]) -> list[Ints]:
        """Return for each block (P,) how many drawn rows show each pair."""
        found = [np.zeros(len(block.classes), np.int64) for block in self.blocks]
        for batch in batches:
            for own, shown in zip(found, self.reveal(batch)[len(self.unchanged_columns) :], strict=True):
                own += np.bincount(shown, minlength=len(own))
        return found

    def _hide(self, codes: Sequence[Codes], bits: Sequence[Ints]) -> list[Codes]:
        """Return codes, each with a word of its own by exclusive or: what was hidden is so shown again."""
        both, found, cipher = np.stack(bits, axis=1), [], AES.new(self.key, AES.MODE_ECB)
        for start in range(0, len(codes), _WORDS):
            words = np.frombuffer(cipher.encrypt(both.tobytes()), np.int32).reshape(-1, _WORDS)
            found += [own ^ words[:, at] for at, own in enumerate(codes[start : start + _WORDS])]
            both[:, 1] += 1  # the counter
        return found

    def draw(self, columns: Sequence[Any], source: Randomness) -> list[Codes]:
        """Return codes of the unchanged columns of some rows, then of each block the pair that each row shows.

        columns : Arrow arrays of the rows' texts, in the order of `texts`. Raises BadSetting.

        Law: the pair is kept with probability 1/gamma, else that of a random row of its class, independently for each
        row: the same draw as in memory, see `LenderPool`. Test: tests/files/test_large.py.
        """
        texts = {name: text_codes(column, self.texts[name]) for name, column in zip(self.texts, columns, strict=True)}
        found = [codes[texts[name]] for name, codes in self.unchanged_columns]
        for block in self.blocks:
            own = block.pairs.of(texts)
            lent = block.pool.pick(block.classes[own], source)
            found.append(np.where(block.draw.draw_kept(len(own), source), own, lent))
        return found


def text_codes(column: Any, known: Any) -> Codes:
    """Return which of the known texts each cell has. Raises BadSetting for one that is not known."""
    found = pc.index_in(column, known)
    if found.null_count:
        raise say_changed()
    codes: Codes = found.to_numpy(zero_copy_only=False)
    return codes
