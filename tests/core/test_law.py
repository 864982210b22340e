"""The tables of mechanism.md section 3, to the digits that stand there, and the laws by enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from splu_desktop.core.mechanism import DecoyGroups, Draw, Lenders, law
from splu_desktop.core.mechanism.law import binomial, poisson

TABLE = {
    2: ((0.5451, 0.3803, 34, 106), (0.5000, 0.2891, 24, 71)),
    3: ((0.6007, 0.4242, 41, 126), (0.5556, 0.3588, 31, 91)),
    5: ((0.6226, 0.4433, 44, 131), (0.5904, 0.4019, 34, 111)),
    10: ((0.6300, 0.4506, 44, 136), (0.6126, 0.4291, 41, 126)),
}


@pytest.mark.parametrize("gamma", TABLE)
def test_bounds_of_small_and_large_counts_are_those_of_the_page(gamma: int) -> None:
    draws: tuple[Draw, Draw] = (Lenders(float(gamma)), DecoyGroups(float(gamma)))
    for draw, (p3, p5, f3, f2) in zip(draws, TABLE[gamma], strict=True):
        assert law.t_p(draw, 0.3, 3) == pytest.approx(p3, abs=5e-5)
        assert law.t_p(draw, 0.3, 5) == pytest.approx(p5, abs=5e-5)
        assert (law.t_f(draw, 0.3, 0.05), law.t_f(draw, 0.2, 0.02)) == (f3, f2)


def test_bounds_in_small_classes_and_of_several_releases_are_those_of_the_page() -> None:
    draw = Lenders(5.0)
    least = [min(law.error_probability(draw, f, 0.3, units) for f in (1, 2, 3)) for units in (10, 20, 50)]
    assert [round(each, 3) for each in least] == [0.602, 0.612, 0.619]
    assert [round(law.t_p(draw, 0.3, 3, releases=k), 3) for k in (1, 2, 5, 10)] == [0.623, 0.443, 0.234, 0.075]
    strong = Lenders(10.0)
    assert [round(law.t_p(strong, 0.3, 3, releases=k), 3) for k in (1, 2, 5, 10)] == [0.630, 0.451, 0.241, 0.080]


@pytest.mark.parametrize("draw", [Lenders(3.0), DecoyGroups(3.0)])
def test_from_t_f_on_the_error_is_kept_and_just_below_it_is_not(draw: Draw) -> None:
    found = law.t_f(draw, 0.25, 0.05)
    errors = [law.error_probability(draw, f, 0.25, equal=True) for f in range(1, found + 200)]
    assert errors[found - 2] > 0.05
    assert max(errors[found - 1 :]) <= 0.05 + 1e-9


def test_a_published_count_has_the_law_of_its_class() -> None:
    draw, seen = Lenders(4.0), np.zeros(30)
    rng = np.random.default_rng(7)
    for _ in range(20_000):  # the draw itself, in a class of 60 with 5 bearers
        kept = rng.random(60) < 0.25
        shown = np.where(kept, np.arange(60), rng.integers(0, 60, 60)) < 5
        seen[shown.sum()] += 1
    exact = draw.count_law(5, 60)[:30]
    assert np.abs(seen / 20_000 - exact).max() < 0.015  # four deviations of the largest
    assert exact.sum() == pytest.approx(1, abs=1e-6)


def test_the_ratio_of_a_sole_bearer_is_large() -> None:
    assert law.privacy_ratio(20_000, 1, 5.0) == pytest.approx(8.5, abs=0.05)


@pytest.mark.parametrize("p", [0.0, 0.01, 0.5, 1.0])
def test_probabilities_are_those_of_scipy(p: float) -> None:
    k = np.arange(-2, 2_000)
    for n in (0, 1, 255, 256, 1_999, 1_000_000):
        assert binomial(k, n, p) == pytest.approx(stats.binom.pmf(k, n, p), rel=1e-8, abs=1e-14)
        assert poisson(k[2:], n * p) == pytest.approx(stats.poisson.pmf(k[2:], n * p), rel=1e-8, abs=1e-14)


@pytest.mark.parametrize("draw", [Lenders(7.0), DecoyGroups(7.0)])
def test_far_probabilities_are_sums_of_the_law(draw: Draw) -> None:
    found = law._far_probabilities(draw, 0.2, 0.01)
    for f in (1, 2, 30, len(found)):
        assert found[f - 1] == pytest.approx(law.error_probability(draw, f, 0.2, equal=True), abs=1e-12)


def test_an_error_on_the_edge_is_on_it_however_the_share_is_rounded() -> None:
    """0.29 x 100 is a hair below 29 and 0.07 x 100 a hair above 7, as floating numbers multiply."""
    draw = Lenders(5)
    assert law.error_probability(draw, 100, 0.29) == law.error_probability(draw, 100, 0.295)
    assert law.error_probability(draw, 100, 0.07, equal=True) == law.error_probability(draw, 100, 0.065, equal=True)
