"""Drawn rows in random order, however many there are: laid on hidden heaps at random, then each shuffled in memory."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from Cryptodome.Cipher import AES

from splu_desktop.core.mechanism import Randomness, SystemRandomness, below, permutation
from splu_desktop.files.large.drawing import Codes, CountedTable

_HEAP = 1 << 26  # bytes that are shuffled at once, as long as there are fewer heaps than
_MOST_HEAPS = 1_000
_NONCE = 8  # bytes by chance in front of what they hide


class Heaps:
    """How many heaps there are for a table, and the key under which AES-256 hides what lies on them: in memory alone.

    Law: where rows are dealt to heaps and these are shuffled, every order is as likely. Proof: a row's heap is
    independent of all else, so given their sizes every division into heaps is as likely; within each every order is.
    Test: tests/files/test_large.py.
    """

    def __init__(self, counted: CountedTable) -> None:
        self._width = len(counted.unchanged_columns) + len(counted.blocks)
        self.number = min(-(-4 * self._width * counted.rows // _HEAP), _MOST_HEAPS)
        self._key = SystemRandomness().bits(8).tobytes()

    def deal(self, rows: Codes, source: Randomness) -> list[bytes]:
        """Return for each heap what (N, k) rows lay on it, hidden."""
        heap = below(source, self.number, len(rows))
        ends = np.cumsum(np.bincount(heap, minlength=self.number))
        parts = np.split(rows[np.argsort(heap, kind="stable")], ends[:-1])
        ciphers = [AES.new(self._key, AES.MODE_CTR) for _ in parts]
        return [cipher.nonce + cipher.encrypt(part.tobytes()) for cipher, part in zip(ciphers, parts, strict=True)]

    def reveal(self, hidden: bytes) -> Codes:
        """Return (n, k) rows that `deal` hid."""
        cipher = AES.new(self._key, AES.MODE_CTR, nonce=hidden[:_NONCE])
        return np.frombuffer(cipher.decrypt(hidden[_NONCE:]), np.int32).reshape(-1, self._width)

    def shuffle(self, heap: Iterable[bytes], source: Randomness) -> Codes:
        """Return (n, k) the rows of a heap, in random order."""
        rows = np.concatenate(list(map(self.reveal, heap)))
        return rows[permutation(source, len(rows))]
