"""A seeded source of random bits for tests and benchmarks alone; the package itself contains none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Seeded:
    """PCG64 behind the `Randomness` protocol."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.Generator(np.random.PCG64(seed))

    def bits(self, count: int) -> NDArray[np.uint32]:
        """Return (count,) uniform 32-bit numbers."""
        return self._generator.integers(0, 1 << 32, count, dtype=np.uint32)
