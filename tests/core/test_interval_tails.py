"""Intervals that lean towards what was expected: as often right as even ones, whatever the truth."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from splu_desktop.core.reconstruct_interval import Chosen, _quantile, composed, hull, several, tails
from splu_desktop.core.transition import Transition

_TOP = 200.0  # N_P, so far away that no interval is cut there
_AIM = 100.0


def interval(centre: float, aim: float | None) -> tuple[float, float]:
    """Return the interval of an estimate with a standard deviation of 1."""

    def accepted(x: np.ndarray) -> np.ndarray:
        below, above = tails(np.full_like(x, np.inf) if aim is None else x - aim)
        return (centre - x <= _quantile(above)) & (centre - x >= -_quantile(below))

    aims = None if aim is None else np.array([aim])
    low, high = hull(accepted, np.array([centre]), aims, np.ones(1), np.array([_TOP]))
    return float(low[0]), float(high[0])


def test_without_an_expectation_the_interval_is_the_usual_one() -> None:
    low, high = interval(50.0, None)
    assert (low, high) == pytest.approx((50 - 1.96, 50 + 1.96), abs=0.01)


@pytest.mark.parametrize("away", [-8.0, -3.0, -1.5, -0.5, 0.5, 1.0, 2.0, 3.0, 8.0])
def test_the_truth_is_inside_95_times_in_100_wherever_it_lies(away: float) -> None:
    """Integrated over the normal law of the estimate; filling a gap between accepted values can only add to it."""
    truth = _AIM + away
    steps = np.linspace(-4.5, 4.5, 361)
    weights = np.exp(-(steps**2) / 2)
    inside = [low <= truth <= high for low, high in (interval(truth + step, _AIM) for step in steps)]
    assert 0.945 < float(np.average(inside, weights=weights)) < 0.98


@pytest.mark.parametrize("centre", [97.0, 98.5, 100.0, 101.5, 103.0])
@pytest.mark.parametrize("weight", [0.0, 0.1, 0.4, 0.7, 1.0])
def test_estimates_between_the_expected_and_the_seen_need_no_cutting(centre: float, weight: float) -> None:
    low, high = interval(centre, _AIM)
    assert low - 0.05 <= _AIM + weight * (centre - _AIM) <= high + 0.05


def test_clear_evidence_is_not_overruled() -> None:
    assert interval(_AIM + 6, _AIM)[0] > _AIM + 3
    assert interval(_AIM - 6, _AIM)[1] < _AIM - 3


def test_the_tails_add_up_to_5_percent() -> None:
    below, above = tails(np.linspace(-10, 10, 101))
    assert below + above == pytest.approx(0.05)
    assert (np.minimum(below, above) > 0).all()
    assert _quantile(np.array([0.025, 0.05])) == pytest.approx([NormalDist().inv_cdf(0.975), 1.6449], abs=2e-4)


@pytest.mark.parametrize("margins", [[30.0], [30.0, 50.0], [30.0, 50.0, 20.0], [0.0, 40.0], [60.0, 35.0]])
def test_a_composition_keeps_its_margins(margins: list[float]) -> None:
    inside = min(5.0, *margins)
    present = composed(inside, 100.0, margins)
    assert present[-1] == inside
    assert (present >= 0).all()
    bits = np.arange(len(present))
    for bit, margin in enumerate(margins):
        if len(margins) > 1:
            assert present[(bits >> bit) & 1 == 1].sum() == pytest.approx(margin, abs=0.5)
    assert present.sum() == pytest.approx(100.0 if len(margins) > 1 else inside + 70, abs=0.5)


def test_where_nearly_all_meet_each_condition_a_low_estimate_takes_the_variance_of_likely_counts() -> None:
    """140 selected records: 115 meet two conditions, 8 and 7 but one; their draw repeated 2,000 times.

    Of estimates that came out lower than these margins allow, the variance was taken at counts that can't be, and 92 %
    of the intervals held the truth. 0.5 % is the standard error of a share of 95 %; limits four of them away.
    """
    n, present = 30_000, {(True, True): 115, (True, False): 8, (False, True): 7, (False, False): 10}
    throughs = [Transition(n=n, a=1 / 3, counts=np.full(m, n / m), gamma=3) for m in (12, 6)]
    flags = [np.arange(12) < 2, np.arange(6) < 5]
    chance = np.random.default_rng(7)
    centres = np.zeros(2_000)
    for state, count in present.items():
        products = np.ones((len(centres), count))
        for through, chosen, met in zip(throughs, flags, state, strict=True):
            of = np.flatnonzero(chosen == met)
            own = of[chance.integers(0, len(of), products.shape)]
            other = (own + chance.integers(1, len(chosen), products.shape)) % len(chosen)  # alike frequent
            shown = np.where(chance.random(products.shape) < through.a, own, other)
            products = products * through.weights(chosen)[shown]
        centres += products.sum(axis=1)
    sets = [Chosen.of(through, np.flatnonzero(chosen)) for through, chosen in zip(throughs, flags, strict=True)]
    ends = [several(float(centre), 140.0, [123.0, 122.0], sets, 115.0)[:2] for centre in centres]
    covered = np.mean([low <= 115 <= high for low, high in ends])
    assert 0.93 < covered < 0.97
