"""Noise of counts that go out without rows: whole, bounded, of mean zero, always the same for the same units."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]

MOST, VARIANCE = 4, 3.0
_HELD = 0.95  # chance with which a range holds the true count
_LEAST = 0.02  # of the largest variance that a small count's law falls short of its bound


@lru_cache(maxsize=256)
def noise_law(count: int, most: int = MOST, variance: float = VARIANCE) -> Floats:
    """Return (2 D + 1,) chances of the noise v = -D..D on a true count of i, D being `most`.

    Law: i + v >= 0, mean 0, this variance and otherwise the largest entropy, p(v) ~ exp(a v + b v^2); 0 stays 0, and
    where no law has this variance (i = 1) it has nearly the largest. Proof: a and b are the minimum of a convex
    function, found by Newton's method. Source: Giessing, "Computational issues in the design of transition
    probabilities" (2016). Test: test_cell_noise.py.
    """
    law = np.zeros(2 * most + 1)
    if count == 0:
        law[most] = 1.0
        return law
    steps = np.arange(max(-most, -count), most + 1).astype(float)
    wanted = min(variance, (1 - _LEAST) * -float(steps[0]) * most)
    features = np.stack([steps, steps**2 - wanted])
    at, value = np.zeros(2), np.inf
    step = np.zeros(2)
    for _ in range(200):
        weight = np.exp((at + step) @ features)
        if np.log(weight.sum()) > value:
            step = step / 2  # too far: the function rose
            continue
        at, value, chance = at + step, float(np.log(weight.sum())), weight / weight.sum()
        slope = features @ chance
        step = -np.linalg.solve((features * chance) @ features.T - np.outer(slope, slope), slope)
    law[most + int(steps[0]) :] = chance
    law.flags.writeable = False
    return law


def small_count_error(epsilon: float, alpha: int) -> float:
    """Return T_P = min over i = 1..alpha of P(|noise| > epsilon i).

    Law: a count of 1 to alpha comes out wrong at least so often, in all tables together, since the same units have the
    same noise; sums over other cells have noise of their own and tell it less well. Proof: the chances of `noise_law`
    are summed. Test: test_cell_noise.py.
    """
    away = np.abs(np.arange(-MOST, MOST + 1))
    return min(float(noise_law(min(i, MOST))[away > epsilon * i].sum()) for i in range(1, alpha + 1))


def count_ranges(shown: Ints) -> tuple[Ints, Ints]:
    """Return the ends, each (K,), of ranges that hold the true counts behind (K,) with a chance of .95 and more.

    Law and proof: all counts i are in it to whose likeliest outcomes, together of that chance, the shown one belongs.
    Test: test_cell_noise.py (test_ranges_hold_every_count_as_often_as_they_say).
    """
    most = int(shown.max(initial=0)) + MOST
    low, high = np.full(most + MOST + 1, most), np.zeros(most + MOST + 1, np.int64)
    for count in range(most + 1):
        law = noise_law(min(count, MOST))
        order = np.argsort(-law, kind="stable")
        likely = count + order[: int(np.searchsorted(np.cumsum(law[order]), _HELD)) + 1] - MOST
        low[likely], high[likely] = np.minimum(low[likely], count), np.maximum(high[likely], count)
    return low[shown], high[shown]


class CellNoise:
    """Noise under a secret key of the operating system's making, which never leaves the custodian's computer.

    Law: the noise of a cell is a function of key and units alone, so the same cell has the same noise in every table
    and every day, and asking again tells nothing; cells of other units have noise of their own. Proof: keys of units
    are a keyed hash's, a cell's key is their sum, hashed again; whoever has not the key sees independent uniform
    numbers. Test: test_cell_noise.py.
    """

    def __init__(self, key: bytes) -> None:
        self._key = hashlib.blake2b(b"counts without rows", key=key, digest_size=32).digest()

    def unit_keys(self, names: Sequence[str]) -> Keys:
        """Return (U,) keys of units, each known by a text of its own."""
        return np.array([self._hash(b"unit" + name.encode("utf-8", "surrogatepass")) for name in names], np.uint64)

    def show(self, counts: Ints, sums: Keys) -> Ints:
        """Return (K,) counts with their noise; sums (K,) of the keys of the units in each cell, modulo 2^64."""
        noisy = counts.copy()
        for at in np.flatnonzero(counts).tolist():
            ends = np.cumsum(noise_law(min(int(counts[at]), MOST)))
            chance = self._hash(b"cell" + int(sums[at]).to_bytes(8, "big")) / 2.0**64
            noisy[at] += min(int(np.searchsorted(ends, chance, side="right")), 2 * MOST) - MOST
        return noisy

    def _hash(self, content: bytes) -> int:
        return int.from_bytes(hashlib.blake2b(content, key=self._key, digest_size=8).digest(), "big")
