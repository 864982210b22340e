"""Noise of counts without rows: its law, its ranges, and that the same units have the same noise for ever."""

from __future__ import annotations

import numpy as np
import pytest

from splu_desktop.core.mechanism.cell_noise import (
    MOST,
    VARIANCE,
    CellNoise,
    count_ranges,
    noise_law,
    small_count_error,
)

STEPS = np.arange(-MOST, MOST + 1)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 9])
def test_noise_is_bounded_zero_on_average_and_never_makes_a_count_negative(count: int) -> None:
    law = noise_law(count)
    assert law.sum() == pytest.approx(1)
    assert law @ STEPS == pytest.approx(0, abs=1e-9)
    assert law @ STEPS**2 == pytest.approx(VARIANCE, abs=1e-6)
    assert law[STEPS + count < 0].sum() == 0


def test_small_counts_are_wrong_as_often_as_the_mathematics_say() -> None:
    """mechanism.md: T_P of 1, 2, 3 = .89, .82, .79."""
    wrong = [1 - noise_law(count)[MOST] for count in (1, 2, 3)]
    assert wrong == pytest.approx([0.89, 0.82, 0.79], abs=0.005)
    assert small_count_error(0.3, 3) == pytest.approx(min(wrong))
    # An error of exactly epsilon is within it: at 1/2, a 2 that comes out as 1 or 3.
    wrong[1] = noise_law(2)[np.abs(STEPS) > 1].sum()
    assert small_count_error(0.5, 2) == pytest.approx(min(wrong[:2]))


def test_ranges_hold_every_count_as_often_as_they_say() -> None:
    for count in range(40):
        shown = count + STEPS[noise_law(count) > 0]
        low, high = count_ranges(shown)
        held = noise_law(count)[noise_law(count) > 0][(low <= count) & (count <= high)].sum()
        assert held >= 0.95
        assert (high - low).max() <= 2 * MOST - 1


def test_the_same_units_have_the_same_noise_and_others_their_own() -> None:
    noise = CellNoise(b"k" * 32)
    keys = noise.unit_keys([f"unit {at}" for at in range(20_000)])
    cells = keys.reshape(-1, 2).sum(axis=1)  # of two units each
    counts = np.full(len(cells), 2)
    shown = noise.show(counts, cells)
    assert (CellNoise(b"k" * 32).show(counts, cells) == shown).all()
    assert (CellNoise(b"l" * 32).show(counts, cells) != shown).mean() > 0.5
    # The law by chi squared: 7 outcomes, 6 degrees of freedom; 32 is passed once in 70,000.
    seen = np.bincount(shown, minlength=7)
    expected = len(cells) * noise_law(2)[MOST - 2 :]
    assert ((seen - expected) ** 2 / expected).sum() < 32


def test_one_unit_more_gives_new_noise() -> None:
    noise = CellNoise(b"k" * 32)
    keys = noise.unit_keys([f"unit {at}" for at in range(12_000)]).reshape(-1, 12)
    fewer = noise.show(np.full(1_000, 11), keys[:, :11].sum(axis=1)) - 11
    more = noise.show(np.full(1_000, 12), keys.sum(axis=1)) - 12
    # Independent: the correlation of 1,000 pairs has a standard deviation of .032.
    assert abs(float(np.corrcoef(fewer, more)[0, 1])) < 0.15
