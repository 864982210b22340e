"""Figures per value, the trade-off and the recommendation, against definitions, exhaustive search and simulation."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from splu_desktop.core import sanitise
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.guarantees import exact as g
from splu_desktop.core.guarantees import public_figures, sentences
from splu_desktop.core.guarantees.planning import (
    SUBGROUP,
    ValueState,
    feasible_gammas,
    largest_epsilon,
    plan_values,
    poisson_limit,
    recommend,
    trade_off,
)
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.table import Table
from tests.core.tables import column, plan_for
from tests.seeded import Seeded

COUNTS = [400, 380, 300, 120, 60, 41, 40, 25, 9, 4, 3, 3, 2, 1, 1]
N = sum(COUNTS)


def test_each_value_has_the_figures_of_the_core() -> None:
    plan = plan_values(COUNTS, N, 3, Thresholds(0.3, 0.05, 3))
    least = g.t_f(3, 0.3, 0.05)
    for i, f in enumerate(COUNTS):
        expected = ValueState.PROTECTED if f <= 3 else ValueState.ANSWERABLE if f >= least else ValueState.BETWEEN
        assert plan.state(i) is expected
        assert plan.error_probability[i] == g.miss_probability(3, 0.3, f)
        assert plan.expected_error[i] == g.expected_relative_error(3, f)
        assert plan.signal[i] == g.signal(f, N, 3)
    assert (plan.t_p, plan.t_f, plan.t_f_chebyshev) == (g.t_p(3, 0.3, 3), least, g.t_f_chebyshev(3, 0.3, 0.05))
    totals = plan.totals
    assert sum(t.values for t in totals.values()) == len(COUNTS)
    assert sum(t.records for t in totals.values()) == N
    assert (totals[ValueState.PROTECTED].values, totals[ValueState.PROTECTED].records) == (5, 10)


def test_plain_data_names_every_value() -> None:
    plan = plan_values([5, 3, 2], 10, 2, Thresholds())
    data = plan.as_dict(["a", "b", "c"])
    assert [row["value"] for row in data["values"]] == ["a", "b", "c"]  # type: ignore[attr-defined]
    assert [row["count"] for row in data["values"]] == [5, 3, 2]  # type: ignore[attr-defined]
    assert data["t_f"] == plan.t_f


def test_a_small_count_that_is_promised_is_not_called_protected() -> None:
    plan = plan_values(COUNTS, N, 2, Thresholds(1.0, 0.3, 3))
    assert plan.t_f == 2
    assert [plan.state(i) for i, f in enumerate(COUNTS) if f in (2, 3)] == [ValueState.ANSWERABLE] * 3
    assert plan.state(len(COUNTS) - 1) is ValueState.PROTECTED


@pytest.mark.parametrize("counts", [[10], [5, 0, 5], [5, 4], []])
def test_counts_that_are_no_column_are_refused(counts: list[int]) -> None:
    for ask in (plan_values, trade_off):
        with pytest.raises(ValueError, match="counts"):
            ask(counts, 10, *((2, Thresholds()) if ask is plan_values else (Thresholds(),)))


def test_trade_off_is_the_definition_at_every_gamma() -> None:
    thresholds = Thresholds(0.3, 0.05, 3)
    found = trade_off(COUNTS, N, thresholds)
    assert found.gammas.tolist() == [2, 3]
    f = np.array(COUNTS, float)
    large = f > 3
    for i, gamma in enumerate(found.gammas.tolist()):
        assert found.t_p[i] == pytest.approx(g.t_p(gamma, 0.3, 3), rel=1e-12)
        error = g.expected_relative_error(gamma, COUNTS)
        assert found.large_error[i] == pytest.approx((error * f)[large].sum() / f[large].sum(), rel=1e-12)
        assert found.signal[i] == pytest.approx((g.signal(COUNTS, N, gamma) * f).sum() / N, rel=1e-12)


def test_trade_off_spans_every_gamma_of_the_slider_and_beyond() -> None:
    assert feasible_gammas(1).size == 0
    assert feasible_gammas(50).tolist() == list(range(2, 51))
    wide = feasible_gammas(5000)
    assert wide[:49].tolist() == list(range(2, 51))
    assert wide[-1] == 5000
    assert (np.diff(wide) > 0).all()
    assert len(wide) < 80
    assert trade_off([9, 1], 10, Thresholds()).gammas.size == 0  # nine of ten records: no gamma at all


def test_trade_off_holds_where_no_count_is_large() -> None:
    found = trade_off([2] * 20, 40, Thresholds(alpha=3))
    assert np.isfinite(found.large_error).all()
    assert found.gammas[-1] == 20


def test_errors_are_what_a_researcher_meets() -> None:
    # 500 releases by the sanitiser itself: 20 values of 500 to 1,100 records, gamma 4, and a subgroup of a tenth of
    # each value. One value's standard deviation is known to 1/sqrt(1000) = 3.2 %, the average over 20 weakly dependent
    # ones to 1 % or so, the mean deviation likewise; 5 % is about 5 sigma: false alarm below 1 in 10,000.
    counts = np.repeat([1100, 900, 800, 700, 500], 4)
    n, gamma = int(counts.sum()), 4
    s = np.repeat(np.arange(20), counts)
    place = np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
    table = Table((column("inside", (place < counts[s] * SUBGROUP).astype(int)), column("s", s)))
    plan, source = plan_for(table, s=gamma), Seeded(20261121)
    totals, inside = np.zeros((500, 20)), np.zeros((500, 20))
    for run in range(500):
        published = sanitise.run(table, plan, randomness=source).table
        chosen = published["inside"].codes == 1
        totals[run] = published["s"].counts()
        inside[run] = np.bincount(published["s"].codes[chosen], minlength=20)
    a, b = 1 / gamma, (1 - 1 / gamma) * counts / (n - counts)
    estimates = (inside - SUBGROUP * n * b) / (a - b)
    weight = counts / n

    found = trade_off(counts, n, Thresholds(alpha=3))
    at = found.gammas.tolist().index(gamma)
    met = (np.sqrt(((estimates - SUBGROUP * counts) ** 2).mean(axis=0)) / (SUBGROUP * counts)) @ weight
    assert met == pytest.approx(found.subgroup_error[at], rel=0.05)
    met = (np.abs(totals - counts).mean(axis=0) / counts) @ weight
    assert met == pytest.approx(found.large_error[at], rel=0.05)


@given(
    gamma=st.integers(2, 200),
    epsilon=st.integers(1, 100).map(lambda x: Fraction(x, 100)),
    alpha=st.integers(1, 25),
    releases=st.integers(1, 3),
)
@settings(max_examples=200, deadline=None)
def test_t_p_rises_with_gamma_up_to_the_poisson_limit(gamma: int, epsilon: Fraction, alpha: int, releases: int) -> None:
    # What lets the recommendation be found by halving.
    now = g.t_p(gamma, epsilon, alpha, releases)
    assert now <= g.t_p(gamma + 1, epsilon, alpha, releases) * (1 + 1e-12)
    assert now <= poisson_limit(epsilon, alpha, releases) * (1 + 1e-12)
    assert g.t_p(100_000, epsilon, alpha, releases) == pytest.approx(
        poisson_limit(epsilon, alpha, releases), rel=1e-2, abs=1e-9
    )


@given(
    counts=st.lists(st.integers(1, 60), min_size=2, max_size=30),
    epsilon=st.sampled_from([0.05, 0.1, 0.3, 0.34, 0.5, 1.0]),
    alpha=st.integers(1, 8),
    wanted=st.one_of(st.integers(0, 100).map(lambda x: x / 100), st.sampled_from([0.5, 0.375, 0.6125795110])),
    releases=st.sampled_from([1, 1, 2]),
)
@settings(max_examples=200, deadline=None)
def test_recommendation_is_the_best_of_an_exhaustive_search(
    counts: list[int], epsilon: float, alpha: int, wanted: float, releases: int
) -> None:
    n = sum(counts)
    found = recommend(counts, n, Thresholds(epsilon, 0.05, alpha, wanted), releases)
    feasible = range(2, n // max(counts) + 1)
    exact = {
        gamma: min(
            g.exact_miss(gamma, f * releases, int(Fraction(str(epsilon)) * f * releases)) for f in range(1, alpha + 1)
        )
        for gamma in feasible
    }
    meet = [gamma for gamma in feasible if exact[gamma] >= Fraction(str(wanted))]
    first = min(meet, default=n // max(counts))
    low, high = public_figures.of_plan(n, first, len(counts)) if first >= 2 else (n, n)
    if low <= alpha and high - low <= Fraction(str(epsilon)) * (high + low):
        assert found.told
        assert (found.gamma, found.t_p) == (None, 0)
        assert "as anyone can work out" in sentences.recommendation(found, Thresholds(epsilon, 0.05, alpha, wanted))
        return
    assert not found.told
    if meet:
        most = max(float((g.signal(counts, n, gamma) * np.array(counts)).sum()) for gamma in meet)
        assert found.gamma in meet
        assert found.shortfall == 0
        assert float((g.signal(counts, n, found.gamma or 0) * np.array(counts)).sum()) == pytest.approx(most)
        return
    assert found.gamma is None
    assert found.largest == n // max(counts)
    if found.largest >= 2:
        assert found.t_p == pytest.approx(float(max(exact.values())), rel=1e-10, abs=1e-300)
        assert found.shortfall == pytest.approx(wanted - found.t_p)
    if found.needed is not None:
        assert found.needed > found.largest
        assert g.t_p_reaches(found.needed, epsilon, alpha, wanted, releases)
        assert not g.t_p_reaches(max(found.needed - 1, 2), epsilon, alpha, wanted, releases) or found.needed == 2
    if found.epsilon is not None:
        assert found.epsilon < epsilon
        assert g.t_p_reaches(found.largest, found.epsilon, alpha, wanted, releases)
    if found.alpha is not None:
        assert found.alpha < alpha
        assert g.t_p_reaches(found.largest, epsilon, found.alpha, wanted, releases)
        assert not g.t_p_reaches(found.largest, epsilon, found.alpha + 1, wanted, releases)


@given(gamma=st.integers(2, 30), alpha=st.integers(1, 12), wanted=st.integers(1, 90), releases=st.sampled_from([1, 2]))
@settings(max_examples=100, deadline=None)
def test_largest_epsilon_is_the_largest_whole_per_cent(gamma: int, alpha: int, wanted: int, releases: int) -> None:
    level = Fraction(wanted, 100)
    reach = [e for e in range(1, 101) if g.t_p_reaches(gamma, Fraction(e, 100), alpha, level, releases)]
    found = largest_epsilon(gamma, alpha, level, releases)
    assume(found is None or found >= 0.01)
    assert found == (max(reach) / 100 if reach else None)


def test_recommendation_needs_a_wish() -> None:
    with pytest.raises(BadSetting, match="T_P"):
        recommend(COUNTS, N, Thresholds())
