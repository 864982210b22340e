"""What a draw promises: laws of published counts, certainty of a row, bounds for small and large counts."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.mechanism.draw import Draw, Floats

_TIE = 1e-9  # a share of the count by which an error on the edge counts as on it
_MOST = 50_000  # counts looked at for T_f
_LARGE = 1_000  # a count by which the spread of a draw that was added is seen
_TABLE = np.cumsum(np.log(np.maximum(np.arange(256), 1)))  # ln n!


def count_law(draw: Draw, count: int, units: int | None = None, releases: int = 1) -> Floats:
    """Return (K,) P(sum of the published counts of k releases = j), j from 0 (laws 4 and 6).

    Proof: releases are drawn by themselves, so their counts add as independent numbers. Test: test_law.py.
    """
    law = one = np.asarray(draw.count_law(count, units))
    for _ in range(releases - 1):
        law = np.convolve(law, one)
    return law


def selection_law(draw: Draw, count: int, units: int, others: int) -> tuple[Floats, Floats]:
    """Return the likeliest counts of a value that `count` units of one class have, asked of them and some others.

    (K,) answers, cut to what so many can hold, and (K,) chances: of the whole class those of `count_law`. Proof: who
    has the value shows it with a + (1-a) f/n, each other one with (1-a) f/n; in decoy groups with a, and (gamma-1) f
    others with a each, whoever they are. An answer is the sum of scores (u - (1-a) g)/a, g the share that the class
    shows. Test: tests/compare/test_laws.py holds it against draws.
    """
    a = draw.retention
    if count + others == units:
        law = count_law(draw, count, units)
        return np.arange(len(law)).astype(np.float64), law
    lent = (1 - a) * count / units
    has, many, each = (a, int(draw.gamma - 1) * count, a) if draw.name == "groups" else (a + lent, units - count, lent)
    kept, most = np.arange(count + 1), min(int(many * each + 9 * np.sqrt(many * each) + 12), many)
    shown = np.arange(most + 1)
    inside = shown  # of those others who show it, so many are asked about
    chance = binomial(kept, count, has)[:, None, None] * binomial(shown, many, each)[:, None]
    chance = chance * binomial(inside, shown[:, None], others / (units - count))
    pull = (1 - a) * (count + others) / units * (kept[:, None, None] + shown[:, None])
    answers = np.clip((kept[:, None, None] + inside - pull) / a, 0.0, float(count + others))
    return answers.ravel(), chance.ravel()


def error_probability(
    draw: Draw, count: int, epsilon: float, units: int | None = None, releases: int = 1, *, equal: bool = False
) -> float:
    """Return P(|mean published count - f| > epsilon f), or >= with `equal`, for a true count f >= 1.

    Proof: the chances of `count_law` outside are summed, as 1 less those inside: the law is cut where it is tiny, and
    what is cut off counts as wrong. Test: test_law.py.
    """
    law = count_law(draw, count, units, releases)
    off = np.abs(np.arange(len(law)) - releases * count) - epsilon * releases * count
    edge = _TIE * releases * count
    inside = float(law[(off < -edge) if equal else (off <= edge)].sum())
    return float(min(max(1 - inside, 0.0), 1.0))


def t_p(draw: Draw, epsilon: float, alpha: int, releases: int = 1) -> float:
    """Return T_P = min over f = 1..alpha of P(|f' - f| > epsilon f), of a value in a class or a union of classes.

    Law: small counts are wrong at least so often. It is not said of cells of other tables, where it fails for readers
    who lean (mechanism.md section 3). Proof: the chances of `count_law` are summed for each f. Source: journal,
    Theorem 4 and Lemma 3, corrected. Test: test_law.py.
    """
    return min(error_probability(draw, f, epsilon, releases=releases) for f in range(1, alpha + 1))


def error_curve(draw: Draw, epsilon: float, counts: ArrayLike) -> Floats:
    """Return (C,) P(|f' - f| > epsilon f) for true counts (C,): the plot of small counts.

    Proof: `error_probability` of each. Test: test_law.py.
    """
    return np.array([error_probability(draw, int(f), epsilon) for f in np.asarray(counts)])


@lru_cache(maxsize=64)
def _far_probabilities(draw: Any, epsilon: float, smallest_t_e: float) -> Floats:
    """Return (C,) P(|f' - f| >= epsilon f) for f = 1..C, C so large that beyond it none exceeds `smallest_t_e`."""
    a = draw.retention
    spread = {"lenders": 1 - a * a, "groups": 1 - a}.get(draw.name) or _mean_square_error(draw)
    # Beyond this count the normal tail is a hundredth of what is asked for; the law's own tail is no hundred times it.
    z = -NormalDist().inv_cdf(smallest_t_e / 200)
    most = int(spread * (z / epsilon) ** 2 + 20 / epsilon + 20)
    if most > _MOST:
        raise BadSetting("So small an error can't be promised of any count below {most}; ask for more.", most=_MOST)
    f = np.arange(1, most + 1)
    if draw.name not in ("lenders", "groups"):  # a draw that was added: its law as it says it, count by count
        return np.array([error_probability(draw, int(count), epsilon, equal=True) for count in f])
    low, high = np.floor(f * (1 - epsilon) + _TIE * f), np.ceil(f * (1 + epsilon) - _TIE * f)
    # Summed in blocks of counts: one by one takes seconds.
    probabilities = np.zeros(most)
    for start in range(0, most, 512):
        part, below, above = (each[start : start + 512, None].astype(float) for each in (f, low, high - 1))
        if draw.name == "groups":
            counts = _counts_around(part)
            chances = binomial(counts, part * int(draw.gamma), a)
            weight, keepers = np.ones_like(part), np.zeros_like(part)
        else:  # those who keep, and those who are lent to
            counts = _counts_around((1 - a) * part)
            chances = poisson(counts, (1 - a) * part)
            half = int(9 * np.sqrt(part.max() * a * (1 - a)) + 10)
            keepers = np.maximum(np.rint(part * a) - half, 0) + np.arange(2 * half + 1)
            weight = binomial(keepers, part, a)
        wrong = _at_most(below - keepers, counts, chances) + 1 - _at_most(above - keepers, counts, chances)
        probabilities[start : start + 512] = (weight * wrong).sum(axis=1)
    return probabilities


def _counts_around(mean: Floats) -> Floats:
    """Return (B, K) counts that numbers with means (B, 1) come to, which vary no more than Poisson's do."""
    half = int(9 * np.sqrt(mean.max()) + 20)
    return np.asarray(np.maximum(np.rint(mean) - half, 0) + np.arange(2 * half + 1))


def _at_most(k: Floats, counts: Floats, chances: Floats) -> Floats:
    """Return (B, J) the chance of a number of at most k (B, J), given those of its counts (B, K)."""
    place = np.minimum(k - counts[:, :1], counts.shape[1] - 1).astype(int)
    sums = np.take_along_axis(np.cumsum(chances, axis=1), np.maximum(place, 0), axis=1)
    return np.asarray(np.where(place < 0, 0.0, sums))


def _mean_square_error(draw: Draw) -> float:
    """Return E[(f' - f)^2]/f at a large count; where counts are right on average it is the variance of each bearer."""
    law = count_law(draw, _LARGE)
    return float(((np.arange(len(law)) - _LARGE) ** 2) @ law) / _LARGE


def t_f_curve(draw: Draw, epsilon: float, t_e: ArrayLike) -> NDArray[np.int64]:
    """Return (K,) T_f = least f0 with P(|f' - f| >= epsilon f) <= T_E for every f >= f0, for tolerances T_E (K,).

    Law: exact, and falls as a saw does. Proof: enumerated up to where the normal tail is far below T_E. Source:
    journal, Theorem 3, whose printed form divides by n twice. Test: test_law.py (mechanism.md section 3).
    """
    wanted = np.asarray(t_e, float)
    if draw.gamma == 1:
        return np.ones(wanted.shape, np.int64)
    draw_key: Any = draw  # frozen, so that it can be a key
    far = _far_probabilities(draw_key, epsilon, float(wanted.min()))
    worst = np.maximum.accumulate(far[::-1])[::-1]  # the largest from each count on; never rises
    return np.asarray(len(worst) - np.searchsorted(worst[::-1], wanted + 1e-15, side="right") + 1, np.int64)


def t_f(draw: Draw, epsilon: float, t_e: float) -> int:
    """Return T_f for one tolerance. Law and proof: see `t_f_curve`. Test: test_law.py."""
    return int(t_f_curve(draw, epsilon, [t_e])[0])


def privacy_ratio(units: int, count: int, gamma: float) -> float:
    """Return ln(1 + n/((gamma - 1) f)), the ratio that a reader of differential privacy computes (law 7).

    It is large for rare values and is not the promise: it compares a table with one in which a bearer has another value
    though all other records are known. Proof: P(shown | own) / P(shown | another) = (a + (1-a) f/n) / ((1-a) f/n).
    Test: test_law.py (test_the_ratio_of_a_sole_bearer_is_large).
    """
    return float(np.inf) if gamma == 1 else float(np.log1p(units / ((gamma - 1) * count)))


def binomial(k: Any, n: Any, p: float) -> Floats:
    """Return P(Bin(n, p) = k), elementwise; 0 outside 0..n. SciPy's functions take a third of a second to load."""
    k, n = np.asarray(k, float), np.asarray(n, float)
    inside = (k >= 0) & (k <= n)
    at = np.where(inside, k, 0.0)
    ways = _log_factorial(n) - _log_factorial(at) - _log_factorial(n - at)
    return np.asarray(np.where(inside, np.exp(ways + _times_log(at, p) + _times_log(n - at, 1 - p)), 0.0))


def poisson(k: Any, mean: Any) -> Floats:
    """Return P(Poisson(mean) = k), elementwise."""
    k = np.asarray(k, float)
    return np.asarray(np.exp(_times_log(k, mean) - mean - _log_factorial(k)))


def _log_factorial(n: Floats) -> Floats:
    """Return ln n!, from 256 on by Stirling's series, whose next term is 1/(1260 n^5)."""
    x = np.maximum(n, len(_TABLE) - 1)
    series = (x + 0.5) * np.log(x) - x + 0.5 * math.log(2 * math.pi) + 1 / (12 * x) - 1 / (360 * x**3)
    return np.asarray(np.where(n < len(_TABLE), _TABLE[np.minimum(n, len(_TABLE) - 1).astype(int)], series))


def _times_log(k: Floats, p: Any) -> Floats:
    """Return k ln p, 0 where k is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(k == 0, 0.0, k * np.log(p)))
