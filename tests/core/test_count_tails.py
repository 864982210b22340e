"""The tails by which published counts are judged: the quick way gives the same verdict as the exact one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from splu_desktop.core.guarantees.tails import ALARM, _least_log_probability, at_least, improbable


@pytest.mark.parametrize("size", [2, 3, 11, 101])
@pytest.mark.parametrize("true", [0, 1, 2, 7, 60, 1_000, 200_000])
@pytest.mark.parametrize("off", [0, 2])
def test_the_verdict_is_that_of_the_exact_tails(size: int, true: int, off: int) -> None:
    low, high = size * max(true - off, 0), size * (true + off)
    far = 10 * int(np.sqrt(true) + 3)
    counts = np.arange(max(0, true - far), true + far, dtype=np.int64)
    exact = (binom.cdf(counts, low, 1 / size) < ALARM) | (binom.sf(counts - 1, high, 1 / size) < ALARM)
    same = np.full(len(counts), 1, np.int64)
    found = improbable(counts, low * same, high * same, size)
    assert np.array_equal(found, exact)
    assert not found[counts == true].any()
    if true > 1_000:
        assert found[0]
        assert found[-1]


@pytest.mark.parametrize("size", [2, 11])
@pytest.mark.parametrize("trials", [22, 220, 22_000])
def test_the_bound_lies_below_the_probability_and_not_far(size: int, trials: int) -> None:
    counts = np.arange(trials + 1, dtype=np.int64)
    bound = _least_log_probability(counts, np.full(trials + 1, trials, np.int64), size)
    exact = binom.logpmf(counts, trials, 1 / size)
    assert (bound <= exact + 1e-6 * (1 + np.abs(exact))).all()
    assert (bound >= exact - 0.5 - 1e-6 * np.abs(exact)).all()  # ln sqrt(8 / (2 pi)) = 0.12, Stirling's at small counts


def test_the_upper_tail_counts_its_edge() -> None:
    counts = np.array([0, 1, 5])
    trials = np.array([10, 10, 10])
    assert at_least(counts, trials, 0.25) == pytest.approx([1.0, 1 - 0.75**10, binom.sf(4, 10, 0.25)])
