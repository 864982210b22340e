"""What a report rehearses a release by: the same in every run of it, and nothing that a release could be drawn by."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray


class FixedRandomness:
    """Bits that follow from a secret key (SHAKE-256), so that any run of one report prints the same figures.

    Releases can't get at it: what publishes stands below this package and takes no source of randomness.
    """

    def __init__(self, key: bytes) -> None:
        self._key, self._asked = key, 0

    def bits(self, count: int) -> NDArray[np.uint32]:
        """Return (count,) 32-bit numbers, others at each call."""
        self._asked += 1
        digest = hashlib.shake_256(self._key + self._asked.to_bytes(8, "big")).digest(4 * count)
        return np.frombuffer(digest, np.uint32)
