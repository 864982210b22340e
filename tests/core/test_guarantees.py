"""T_P, T_f and signal against closed forms on whole numbers, against all counts one by one, and mechanism.md."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.guarantees import exact as g


def outside(gamma: int, centre: int, low: int, high: int) -> Fraction:
    """Pr[S < low or S > high], S ~ Binomial(gamma centre, 1/gamma), by the definition."""
    n = gamma * centre
    inside = sum(math.comb(n, x) * (gamma - 1) ** (n - x) for x in range(max(low, 0), min(high, n) + 1))
    return 1 - Fraction(inside, gamma**n)


def failing(gamma: int, epsilon: Fraction, upto: int, releases: int = 1) -> np.ndarray:
    """Pr[|f' - f| >= epsilon f] for every f in 1..upto, from SciPy's distribution instead of our tails."""
    f = np.arange(1, upto + 1)
    c = np.array([math.ceil(epsilon * releases * int(x)) for x in f])
    law = binom(gamma * releases * f, 1 / gamma)
    return np.asarray(law.cdf(releases * f - c) + law.sf(releases * f + c - 1))


# The table of mechanism.md section 3. The printed T_f is no whole number; its true failure probability is that of the
# least count at or above it.
@pytest.mark.parametrize(
    ("epsilon", "t_e", "printed", "true_failure", "chebyshev", "exact"),
    [
        (0.2, 0.02, 11.2, 0.447, 1125, 126),
        (0.3, 0.05, 4.7, 0.480, 200, 41),
        (0.1, 0.05, 14.1, 0.684, 1800, 351),
        (0.02, 0.02, 111.8, 0.803, 112500, 12201),
    ],
)
def test_large_count_table(
    epsilon: float, t_e: float, printed: float, true_failure: float, chebyshev: int, exact: int
) -> None:
    as_published = g.t_f_as_published(10, epsilon, t_e)
    assert round(as_published, 1) == printed
    assert round(float(g.failure_probability(10, epsilon, math.ceil(as_published))), 3) == true_failure
    assert g.t_f_chebyshev(10, epsilon, t_e) == chebyshev
    assert g.t_f(10, epsilon, t_e) == exact


@pytest.mark.parametrize(("alpha", "figures"), [(3, (0.5, 0.5904, 0.6126)), (5, (0.2891, 0.4019, 0.4291))])
def test_small_count_figures(alpha: int, figures: tuple[float, ...]) -> None:
    assert tuple(round(g.t_p(gamma, 0.3, alpha), 4) for gamma in (2, 5, 10)) == figures


def test_journal_example_1() -> None:
    assert round(1 - float(g.miss_probability(10, 0.3, 5)), 4) == 0.5199


def test_repeated_releases() -> None:
    figures = [g.t_p(10, 0.3, 3, releases) for releases in (1, 2, 5, 10)]
    assert [round(x, 3) for x in figures[:3]] == [0.613, 0.429, 0.219]
    # mechanism.md prints 0.067, which is 0.0665 rounded once more; whole numbers give 0.06648.
    assert [round(x, 4) for x in figures[3:]] == [0.0665]
    assert figures[3] == pytest.approx(float(outside(10, 30, 21, 39)), rel=1e-12)


decimals = st.integers(1, 1000).map(lambda x: Fraction(x, 1000))


@given(gamma=st.integers(2, 60), epsilon=decimals, f=st.integers(1, 60), releases=st.integers(1, 4))
@example(gamma=10, epsilon=Fraction(2, 5), f=45, releases=1)  # (1 - 0.4) * 45 rounds the wrong way in binary
@settings(max_examples=300, deadline=None)
def test_small_count_window_is_the_definition(gamma: int, epsilon: Fraction, f: int, releases: int) -> None:
    total = f * releases
    expected = outside(gamma, total, math.ceil((1 - epsilon) * total), math.floor((1 + epsilon) * total))
    for written in (epsilon, float(epsilon), str(float(epsilon))):
        assert float(g.miss_probability(gamma, written, f, releases)) == pytest.approx(float(expected), rel=1e-11)
    of_curve = float(g.small_count_curve(gamma, epsilon, f, releases)[-1])
    assert of_curve == pytest.approx(float(g.miss_probability(gamma, epsilon, f, releases)), rel=1e-11)


@given(
    gamma=st.integers(2, 60), epsilon=decimals.filter(lambda e: e >= Fraction(1, 10)), f=st.integers(1, 60),
    releases=st.integers(1, 4),
)  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_failure_probability_is_the_definition(gamma: int, epsilon: Fraction, f: int, releases: int) -> None:
    total, c = f * releases, math.ceil(epsilon * f * releases)
    expected = outside(gamma, total, total - c + 1, total + c - 1)
    assert float(g.failure_probability(gamma, epsilon, f, releases)) == pytest.approx(float(expected), rel=1e-11)


@given(gamma=st.integers(2, 50), centre=st.integers(1, 400), half=st.integers(0, 60))
@settings(max_examples=200, deadline=None)
def test_tails_agree_with_whole_numbers(gamma: int, centre: int, half: int) -> None:
    exact = g.exact_miss(gamma, centre, half)
    for way in (g._miss_by_beta, g._miss_on_whole_numbers):
        found = float(way(gamma, np.array([[centre]]), np.array([half]))[0, 0])
        assert found == pytest.approx(float(exact), rel=1e-10, abs=1e-300)


def test_tails_of_large_counts_agree_with_whole_numbers() -> None:
    for gamma, centre, half in ((2, 20_000, 250), (10, 9_000, 400), (50, 1_500, 100), (5, 12_201, 244)):
        exact = float(g.exact_miss(gamma, centre, half))
        assert float(g._miss_by_beta(gamma, np.array([centre]), np.array([half]))[0]) == pytest.approx(exact, rel=1e-10)


@given(
    gamma=st.integers(2, 60),
    epsilon=st.one_of(
        st.integers(100, 1000).map(lambda x: Fraction(x, 1000)),
        st.sampled_from([Fraction(1), Fraction(999, 1000), Fraction(1, 3), Fraction(2, 3), Fraction(1, 2)]),
    ),
    t_e=st.one_of(st.integers(5, 990).map(lambda x: Fraction(x, 1000)), st.just(Fraction(1, 10**6))),
    releases=st.sampled_from([1, 1, 1, 2, 3, 7]),
)
@example(gamma=2, epsilon=Fraction(1), t_e=Fraction(1, 2), releases=1)  # a tie at f = 1: no count fails
@example(gamma=2, epsilon=Fraction(1), t_e=Fraction(499, 1000), releases=1)
@settings(max_examples=120, deadline=None)
def test_t_f_holds_for_every_larger_count_and_for_no_smaller(
    gamma: int, epsilon: Fraction, t_e: Fraction, releases: int
) -> None:
    found = g.t_f(gamma, epsilon, t_e, releases)
    # Chebyshev's bound passes for every count from t_f_chebyshev on, so all counts below it decide. At T_E = 1e-6 that
    # is too many; Hoeffding's bound exp(-2 (eps f)^2 / (gamma f)) on each tail decides there.
    hoeffding = math.ceil(math.log(2 / float(t_e)) * gamma / (2 * float(epsilon) ** 2 * releases))
    end = min(g.t_f_chebyshev(gamma, epsilon, t_e, releases), hoeffding) + 1
    fails = failing(gamma, epsilon, end, releases) > float(t_e) * (1 + 1e-12)
    assert found == (int(np.flatnonzero(fails)[-1]) + 2 if fails.any() else 1)


@given(gamma=st.sampled_from([2, 4, 5, 10]), epsilon=st.sampled_from(["1", "0.75", "0.5", "0.4"]), f=st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_ties_are_kept_promises(gamma: int, epsilon: str, f: int) -> None:
    # T_E set to the exact failure probability of one count (a finite decimal for these gammas) and just below it.
    c = math.ceil(Fraction(epsilon) * f)
    p = g.exact_miss(gamma, f, c - 1)
    end = 200
    exact = [g.exact_miss(gamma, x, math.ceil(Fraction(epsilon) * x) - 1) for x in range(1, min(end, 60) + 1)]
    for t_e in (p, p * (1 - Fraction(1, 10**15))):
        late = failing(gamma, Fraction(epsilon), 4000)[60:] > float(p) * (1 + 1e-9)
        if late.any():
            continue
        last = max((x for x, q in enumerate(exact, 1) if q > t_e), default=0)
        assert g.t_f(gamma, epsilon, t_e) == last + 1
        assert g.t_f_exact(gamma, epsilon, [t_e])[0] == last + 1


def test_a_tooth_fails_most_at_its_last_count() -> None:
    # docs/decisions/large-count-guarantee.md: with c fixed, either tail grows with f. Whole numbers.
    for gamma in (2, 3, 7, 23):
        for c in range(1, 5):
            for tail in (lambda f, c=c: (0, f - c), lambda f, c=c, gamma=gamma: (f + c, gamma * f)):
                previous = Fraction(0)
                for f in range(c, 40):
                    low, high = tail(f)
                    weight = sum(math.comb(gamma * f, x) * (gamma - 1) ** (gamma * f - x) for x in range(low, high + 1))
                    now = Fraction(weight, gamma ** (gamma * f))
                    assert now >= previous, (gamma, c, f)
                    previous = now


def test_inequality_2_of_the_proof() -> None:
    for gamma in range(2, 80):
        pmf = [math.comb(gamma, k) * (gamma - 1) ** (gamma - k) for k in range(gamma + 1)]
        tail = [sum(pmf[k:]) for k in range(gamma + 2)] + [0] * (2 * gamma)
        for c in range(1, gamma + 1):
            left = sum(tail[j + 1] * (2 * j * c - j * (j - 1)) for j in range(1, c + 1))
            right = sum(2 * i * i * tail[c + i + 1] for i in range(1, gamma))
            assert left >= right, (gamma, c)


@pytest.mark.parametrize(("gamma", "epsilon"), [(2, "0.02"), (7, "0.3"), (50, "0.005"), (10, "1"), (3, "0.37")])
def test_curve_equals_single_figures(gamma: int, epsilon: str) -> None:
    exact, chebyshev, published = g.t_f_curve(gamma, epsilon)
    assert (np.diff(exact) <= 0).all()
    assert (exact <= chebyshev).all()
    for i in range(0, len(g.T_E_GRID), 29):
        t_e = float(g.T_E_GRID[i])
        assert exact[i] == g.t_f(gamma, epsilon, t_e)
        assert chebyshev[i] == g.t_f_chebyshev(gamma, epsilon, t_e)
        assert published[i] == pytest.approx(g.t_f_as_published(gamma, epsilon, t_e), rel=1e-14)


def test_chebyshev_curve_is_whole_where_the_quotient_is() -> None:
    assert g.t_f_curve(10, 0.2, [0.02, 0.05])[1].tolist() == [1125, 450]
    assert g.t_f_curve(10, 0.02, np.array([0.02]))[1].tolist() == [112500]


def test_long_decimals_leave_64_bits_and_stay_right() -> None:
    written = "0.30000000000000000000001"
    assert g.t_f(10, written, "0.05") == 40  # c is 13, not 12, at f = 40
    assert int(np.flatnonzero(failing(10, Fraction(written), 200) > 0.05)[-1]) + 2 == 40
    assert g.small_count_curve(10, written, 10)[9] == pytest.approx(float(outside(10, 10, 7, 13)), rel=1e-12)
    below = "0.29999999999999999999999"  # the window of f = 10 loses 7 and 13
    assert g.t_f(10, below, "0.05") == 41
    assert g.small_count_curve(10, below, 10)[9] == pytest.approx(float(outside(10, 10, 8, 12)), rel=1e-12)


def test_wanted_t_p_is_compared_exactly() -> None:
    assert g.t_p_reaches(2, 0.3, 3, 0.5)  # T_P is exactly 1/2
    assert not g.t_p_reaches(2, 0.3, 3, "0.50000000000000000001")
    assert g.t_p_reaches(2, 0.3, 3, "0.49999999999999999999")


@given(gamma=st.integers(2, 40), f=st.integers(1, 60), releases=st.integers(1, 3))
@settings(max_examples=100, deadline=None)
def test_expected_relative_error_is_the_definition(gamma: int, f: int, releases: int) -> None:
    mean = f * releases
    n = gamma * mean
    # E|S - m| = 2 E(m - S)+, whole numbers over gamma^n.
    short = sum((mean - x) * math.comb(n, x) * (gamma - 1) ** (n - x) for x in range(mean))
    expected = Fraction(2 * short, gamma**n) / mean
    assert float(g.expected_relative_error(gamma, f, releases)) == pytest.approx(float(expected), rel=1e-12)


@given(n=st.integers(20, 10**6), gamma=st.integers(2, 10), data=st.data())
def test_signal_is_the_retention_above_the_background(n: int, gamma: int, data: st.DataObject) -> None:
    r = n // gamma
    f = data.draw(st.integers(1, r))
    a = Fraction(r, n)
    b = (1 - a) * f / (n - f)
    assert float(g.signal([f], n, gamma)[0]) == pytest.approx(float((a - b) / a), abs=1e-12)
    assert g.signal([r], n, gamma)[0] == 0.0


@pytest.mark.parametrize(
    "ask",
    [
        lambda: g.t_p(1, 0.3, 3),
        lambda: g.t_p(5, 0, 3),
        lambda: g.t_p(5, 1.001, 3),
        lambda: g.t_p(5, 0.3, 0),
        lambda: g.t_p(5, 0.3, 3, 0),
        lambda: g.t_p(10**9, 0.3, 3),
        lambda: g.t_p(5, 0.3, 10**9),
        lambda: g.t_f(5, 0.3, 0),
        lambda: g.t_f(5, 0.3, 1),
        lambda: g.t_f(5, "1e-30", "0.05"),
        lambda: g.t_f(5, 1e-300, 0.05),
        lambda: g.t_f(5, 1e-7, 0.05),
        lambda: g.t_f_curve(5, 0.3, [0.1, 1.0]),
        lambda: g.t_f_chebyshev(5, 0.3, 2),
        lambda: g.t_f_as_published(5, -0.3, 0.05),
    ],
)
def test_settings_without_meaning_are_refused(ask: object) -> None:
    with pytest.raises(BadSetting, match=r"\.$"):
        ask()  # type: ignore[operator]
