"""Uniformity without bias. Every chi-square test fails by chance once in 10,000 seeds; the seeds are fixed."""

from __future__ import annotations

import inspect
import itertools
import os

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from splu_desktop.core import sanitise
from splu_desktop.core.mechanism import randomness
from splu_desktop.core.mechanism.randomness import SystemRandomness, below, happens, permutation
from tests.seeded import Seeded


class FewKeys:
    """A source with only eight different numbers, so that nearly all sorting keys are tied."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def bits(self, count: int) -> NDArray[np.uint32]:
        return self._generator.integers(0, 8, count, dtype=np.uint32)


class Given:
    """A source that hands out prepared numbers."""

    def __init__(self, *numbers: int) -> None:
        self._numbers = list(numbers)

    def bits(self, count: int) -> NDArray[np.uint32]:
        taken, self._numbers = self._numbers[:count], self._numbers[count:]
        return np.array(taken, np.uint32)


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 10, 46, 1000])
def test_below_is_uniform(bound: int) -> None:
    drawn = below(Seeded(bound), bound, 200_000)
    assert drawn.max() < bound
    if bound > 1:
        assert stats.chisquare(np.bincount(drawn, minlength=bound)).pvalue > 1e-4


def test_below_takes_a_bound_for_each_number() -> None:
    bounds = np.tile(np.array([2, 3, 7], np.uint32), 60_000)
    drawn = below(Seeded(1), bounds, len(bounds))
    for at, bound in enumerate((2, 3, 7)):
        assert stats.chisquare(np.bincount(drawn[at::3], minlength=bound)).pvalue > 1e-4


def test_below_rejects_what_would_bias_it() -> None:
    # 2^16 = 3 * 21845 + 1: of the 16-bit numbers exactly one, 0, has to be drawn again.
    assert below(Given(5 << 16, 0, 7), 3, 2).tolist() == [7 % 3, 5 % 3]
    # 2^32 = 1000 * 4294967 + 296: 0 to 295 are drawn again, 296 is not.
    assert below(Given(295, 296, 1999), 1000, 2).tolist() == [999, 296]
    # A power of two needs no rejection.
    assert below(Given(4 << 16), 4, 2).tolist() == [0, 0]


def test_an_event_at_the_edge_is_decided_by_32_bits_more() -> None:
    """It happens once in 2^32 draws, so that no count of draws would notice."""
    high, low = divmod(int(0.3 * 2**64), 1 << 32)
    source = Given(high, high, high - 1, high + 1, low - 1, low)
    assert happens(source, 0.3, 4).tolist() == [True, False, True, False]


@pytest.mark.parametrize("source", [Seeded, FewKeys])
def test_all_permutations_are_equally_likely(source: type[Seeded] | type[FewKeys]) -> None:
    generator = source(7)
    seen = dict.fromkeys(itertools.permutations(range(4)), 0)
    for _ in range(4_800):
        seen[tuple(permutation(generator, 4).tolist())] += 1
    assert stats.chisquare(list(seen.values())).pvalue > 1e-4


@pytest.mark.parametrize("count", [0, 1, 2, 1000, 70_000])
def test_a_permutation_holds_every_index_once(count: int) -> None:
    for source in (SystemRandomness(), FewKeys(1)):
        assert np.array_equal(np.sort(permutation(source, count)), np.arange(count))


def test_a_long_permutation_keeps_no_trace_of_order() -> None:
    order = permutation(Seeded(3), 50_000)
    assert abs(stats.spearmanr(order, np.arange(50_000)).statistic) < 4 / np.sqrt(50_000)
    ascents = int((np.diff(order) > 0).sum())  # mean (n-1)/2, variance (n+1)/12
    assert abs(ascents - 49_999 / 2) < 4 * np.sqrt(50_001 / 12)


@pytest.mark.system_randomness
def test_the_system_source_asks_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def watched(count: int, original: object = os.urandom) -> bytes:
        asked.append(count)
        return original(count)  # type: ignore[operator, no-any-return]

    monkeypatch.setattr(os, "urandom", watched)
    SystemRandomness().bits(10)
    assert asked == [40]


def test_a_release_can_only_use_the_system_source() -> None:
    assert inspect.signature(sanitise.run).parameters["randomness"].default is None
    sources = [
        name
        for name, thing in vars(randomness).items()
        if inspect.isclass(thing) and hasattr(thing, "bits") and not getattr(thing, "_is_protocol", False)
    ]
    assert sources == ["SystemRandomness"]
