"""Drawn rows where Spark lays them on a disk: hidden, with random bits that put them into another order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from Cryptodome.Cipher import AES

from splu_desktop.core.mechanism import Randomness, SystemRandomness
from splu_desktop.files.large.drawing import Codes, CountedTable, Ints

RANDOM = ("k0", "k1")  # 128 random bits of each drawn row, by which rows are sorted: no two have the same
_WORDS = 4  # numbers that a block of AES hides


class HiddenRows:
    """Draws rows as numbers without a meaning, each hidden by AES in counter mode of the row's own random bits.

    The key is in memory alone and ends with the run.
    """

    def __init__(self, counted: CountedTable) -> None:
        self.counted, self._key = counted, SystemRandomness().bits(8).tobytes()
        self.names = [f"n{at}" for at in range(len(counted.unchanged_columns) + len(counted.blocks))]

    def draw(self, batch: Any, source: Randomness) -> Any:
        """Return the drawn rows of an Arrow batch, hidden, each with random bits.

        Law: in the order of these bits rows stand in a uniformly random order. Proof: they are independent of all else,
        and every order is as likely. Test: tests/files/test_large.py.
        """
        bits = source.bits(4 * batch.num_rows).view(np.int64).reshape(-1, 2)
        drawn = [*self._hide(self.counted.draw(batch.columns, source), bits).T, *bits.T]
        return pa.RecordBatch.from_arrays([pa.array(each) for each in drawn], [*self.names, *RANDOM])

    def reveal(self, rows: Any) -> Codes:
        """Return (N, k) what `draw` drew, from Arrow's columns of what it made of it."""
        columns = [column.to_numpy() for column in rows.columns]
        return self._hide(np.stack(columns[: -len(RANDOM)], axis=1), np.stack(columns[-len(RANDOM) :], axis=1))

    def _hide(self, rows: Codes, bits: Ints) -> Codes:
        """Return codes, each with a word of its own by exclusive or: what was hidden is so shown again."""
        found, counter, cipher = rows.copy(), bits.copy(), AES.new(self._key, AES.MODE_ECB)
        for start in range(0, rows.shape[1], _WORDS):
            words = np.frombuffer(cipher.encrypt(counter.tobytes()), np.int32).reshape(-1, _WORDS)
            found[:, start : start + _WORDS] ^= words[:, : rows.shape[1] - start]
            counter[:, 1] += 1
        return found
