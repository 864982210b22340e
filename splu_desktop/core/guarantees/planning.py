"""What a gamma does to each value of one sensitive column, and which gamma to choose (mechanism.md sections 3 and 4).

All figures come from the counts of the column's values alone, so they take milliseconds for 1,500 values whatever the
number of records, and follow a slider.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from enum import Enum
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.guarantees import exact as guarantees
from splu_desktop.core.guarantees import public_figures
from splu_desktop.core.guarantees.exact import Floats, Ints, Number
from splu_desktop.core.rationals import as_fraction
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.frozen import dataclass

SUBGROUP = 0.1  # share of the records that the subgroup of `TradeOff.subgroup_error` holds
EVERY_GAMMA = 50  # the trade-off has every gamma up to here (the slider's range),
FURTHER_GAMMAS = 25  # and this many beyond, ever wider apart


class ValueState(Enum):
    """What a value's count means for its release."""

    PROTECTED = "protected"  # from 1 to alpha, and below T_f
    BETWEEN = "in between"
    ANSWERABLE = "answerable"  # from T_f


@dataclass(frozen=True)
class Total:
    """How many values of a column are in a state, and how many records have them."""

    values: int
    records: int


@dataclass(frozen=True, eq=False)
class ValuePlan:
    """One sensitive column at one gamma, a row per value.

    Attributes
    ----------
    gamma, n, releases : group size; records; releases of the same records to be averaged.
    thresholds : what the figures are stated for.
    t_p : least probability of an error above epsilon over all counts 1..alpha (whether a value has them or not).
    t_f : exact T_f for epsilon and T_E.
    t_f_chebyshev : Chebyshev's bound on it.
    counts : (m,) true count f of each value.
    states : (m,) indices into `tuple(State)`.
    error_probability : (m,) Pr[|f' - f| > epsilon f].
    expected_error : (m,) E|f' - f| / f.
    signal : (m,) link to the NSAs that is left, relative to full; 0 at the eligibility limit, below 0 beyond it.
    """

    gamma: int
    n: int
    releases: int
    thresholds: Thresholds
    t_p: float
    t_f: int
    t_f_chebyshev: int
    counts: Ints
    states: NDArray[np.int8]
    error_probability: Floats
    expected_error: Floats
    signal: Floats

    def state(self, value: int) -> ValueState:
        """Return the state of one value by its place in `counts`."""
        return tuple(ValueState)[int(self.states[value])]

    @property
    def totals(self) -> dict[ValueState, Total]:
        """Values and records in each state."""
        values = np.bincount(self.states, minlength=len(ValueState)).tolist()
        records = np.bincount(self.states, weights=self.counts, minlength=len(ValueState)).tolist()
        return {state: Total(v, int(r)) for state, v, r in zip(ValueState, values, records, strict=True)}

    def as_dict(self, labels: Sequence[str] | None = None) -> dict[str, object]:
        """Return all figures as plain data, one entry per value (named where `labels` are given)."""
        rows = zip(
            self.counts.tolist(),
            self.states.tolist(),
            self.error_probability.tolist(),
            self.expected_error.tolist(),
            self.signal.tolist(),
            strict=True,
        )
        names = tuple(state.value for state in ValueState)
        values = [
            {"count": f, "state": names[s], "error_probability": p, "expected_error": e, "signal": left}
            for f, s, p, e, left in rows
        ]
        if labels is not None:
            values = [{"value": str(label), **row} for label, row in zip(labels, values, strict=True)]
        return {
            "gamma": self.gamma,
            "records": self.n,
            "releases": self.releases,
            "epsilon": self.thresholds.epsilon,
            "t_e": self.thresholds.t_e,
            "alpha": self.thresholds.alpha,
            "t_p": self.t_p,
            "t_f": self.t_f,
            "t_f_chebyshev": self.t_f_chebyshev,
            "totals": {s.value: {"values": t.values, "records": t.records} for s, t in self.totals.items()},
            "values": values,
        }


def _checked_counts(counts: ArrayLike, n: int) -> Ints:
    f = np.asarray(counts, np.int64)
    if f.size < 2 or f.min() < 1 or f.sum() != n:
        raise ValueError("the counts of a column's values are at least 1, two or more, and add up to its records")
    return f


def plan_values(counts: ArrayLike, n: int, gamma: int, thresholds: Thresholds, releases: int = 1) -> ValuePlan:
    """Return what `gamma` does to each value of a sensitive column.

    A value from 1 to alpha counts as protected only where T_f lies above it: with a large epsilon T_f can fall into
    the small counts, and a count that is promised to be answered is not protected.

    Parameters
    ----------
    counts : (m,) true counts f_s >= 1 of the column's values, adding up to `n`.
    n : number of records, N.

    Raises
    ------
    BadSetting : a setting is outside its range. ValueError : the counts are not those of a column.
    """
    f = _checked_counts(counts, n)
    epsilon = thresholds.epsilon
    least = guarantees.t_f(gamma, epsilon, thresholds.t_e, releases)
    told = public_figures.tell_small(n, gamma, len(f), guarantees.checked_epsilon(epsilon), thresholds.alpha)
    states = np.full(f.shape, 1, np.int8)
    states[f <= thresholds.alpha] = 0
    states[f >= least] = 2
    distinct, places = np.unique(f, return_inverse=True)  # 1,500 values share some 300 counts
    return ValuePlan(
        gamma=gamma,
        n=n,
        releases=releases,
        thresholds=thresholds,
        t_p=0.0 if told else guarantees.t_p(gamma, epsilon, thresholds.alpha, releases),
        t_f=least,
        t_f_chebyshev=guarantees.t_f_chebyshev(gamma, epsilon, thresholds.t_e, releases),
        counts=f,
        states=states,
        error_probability=guarantees.miss_probability(gamma, epsilon, distinct, releases)[places],
        expected_error=guarantees.expected_relative_error(gamma, distinct, releases)[places],
        signal=guarantees.signal(distinct, n, gamma)[places],
    )


@dataclass(frozen=True, eq=False)
class TradeOff:
    """What each feasible gamma would give, one entry per gamma, ascending.

    Attributes
    ----------
    gammas : (G,) from 2 to the largest feasible one (all of them up to 50, ever wider apart beyond). Empty where no
        gamma is feasible.
    t_p : (G,) T_P at the thresholds; 0 where public figures alone tell small counts.
    large_error : (G,) E|f' - f| / f of the published counts, averaged over the records whose value is shared by more
        than alpha records.
    subgroup_error : (G,) standard error of the unbiased estimate of a value's count within a tenth of the records
        (chosen independently of the value), relative to that count, averaged over the same records; an error above
        100 % tells nothing and counts as 100 %.
    signal : (G,) signal left, averaged over all records.
    """

    gammas: Ints
    t_p: Floats
    large_error: Floats
    subgroup_error: Floats
    signal: Floats


def feasible_gammas(largest: int) -> Ints:
    """Return the gammas to compare, from 2 to `largest`: each up to 50, then spaced geometrically."""
    near = np.arange(2, min(largest, EVERY_GAMMA) + 1, dtype=np.int64)
    if largest <= EVERY_GAMMA:
        return near
    return np.union1d(near, np.rint(np.geomspace(EVERY_GAMMA, largest, FURTHER_GAMMAS + 1)).astype(np.int64))


def trade_off(counts: ArrayLike, n: int, thresholds: Thresholds, releases: int = 1) -> TradeOff:
    """Return T_P, the errors left in large counts and the signal over all feasible gammas.

    Subgroup error: mechanism.md section 4's variance of the unbiased estimate at x = f N_P / N, N_P = N / 10.
    Raises ValueError where the counts are not those of a column.
    """
    f = _checked_counts(counts, n)
    gammas = feasible_gammas(min(n // int(f.max()), guarantees.MOST_GAMMA))
    if not gammas.size:
        none = np.zeros(0)
        return TradeOff(gammas, none, none, none, none)
    distinct, times = np.unique(f, return_counts=True)
    weight = (distinct * times).astype(np.float64)
    large = np.where(distinct > thresholds.alpha, weight, 0.0)
    if not large.any():
        large = weight
    large /= large.sum()
    rows = gammas[:, np.newaxis]
    small = np.arange(1, thresholds.alpha + 1, dtype=np.int64)
    exact = guarantees.checked_epsilon(thresholds.epsilon)
    told = [public_figures.tell_small(n, gamma, len(f), exact, thresholds.alpha) for gamma in gammas.tolist()]
    t_p = guarantees.miss_probability(rows, thresholds.epsilon, small[np.newaxis, :], releases).min(axis=1)
    return TradeOff(
        gammas=gammas,
        t_p=np.where(told, 0.0, t_p),
        large_error=guarantees.expected_relative_error(rows, distinct[np.newaxis, :], releases) @ large,
        subgroup_error=np.minimum(_subgroup_error(distinct, n, rows), 1.0) @ large,
        signal=guarantees.signal(distinct[np.newaxis, :], n, rows) @ (weight / n),
    )


def _subgroup_error(counts: Ints, n: int, gammas: Ints) -> Floats:
    """Return the relative standard error of an unbiased estimate in a tenth of the records, shape (G, m)."""
    f = counts[np.newaxis, :].astype(np.float64)
    a = (n // gammas) / n
    b = (1 - a) * f / (n - f)
    sharing = b / a
    x = SUBGROUP * f
    w = SUBGROUP * n - x
    noise = a * (1 - a) * (x + w * sharing) + a * a * w * sharing * (1 - sharing) * (1 - w / (n - f))
    with np.errstate(divide="ignore"):  # no signal at the eligibility limit: infinite error, cut to 1 above
        return np.asarray(np.sqrt(noise) / (np.maximum(a - b, 0.0) * x), np.float64)


@dataclass(frozen=True)
class Recommendation:
    """The gamma that meets the wanted T_P with the most signal left, or how far from it the column is.

    Attributes
    ----------
    wanted : the T_P asked for.
    gamma : the recommended gamma; None where no feasible gamma meets `wanted`.
    largest : the largest feasible gamma of the column, below 2 where none is.
    t_p : T_P at `gamma`, else at `largest` (the best there is; 0 where none is feasible or
        public figures tell).
    needed : the least gamma that would meet `wanted` were it feasible; None where `gamma` is given or no gamma would.
    t_p_limit : T_P as gamma grows without end (Poisson counts): no gamma reaches more.
    epsilon : an epsilon, two digits, at which the largest feasible gamma meets `wanted`; None where not needed or none.
    alpha : the largest alpha at which the largest feasible gamma meets `wanted`; None where not needed or none.
    told : whether public figures alone tell small counts at the first gamma that would meet `wanted`, or at `largest`:
        at larger ones they tell more.
    """

    wanted: float
    gamma: int | None
    largest: int
    t_p: float
    t_p_limit: float
    needed: int | None = None
    epsilon: float | None = None
    alpha: int | None = None
    told: bool = False

    @property
    def shortfall(self) -> float:
        """By how much the best feasible T_P stays below the wanted one; 0 where it is met."""
        return 0.0 if self.gamma is not None else max(self.wanted - self.t_p, 0.0)


def recommend(counts: ArrayLike, n: int, thresholds: Thresholds, releases: int = 1) -> Recommendation:
    """Return the feasible gamma that meets `thresholds.t_p` with the most signal left, or what would.

    The signal of every value, N (r - f)/(r (N - f)) with r = floor(N/gamma), never rises with gamma, and T_P never
    falls with it; so the answer is the least gamma that meets the threshold, found by halving.

    Raises BadSetting: no T_P was asked for. ValueError : the counts are not those of a column.
    """
    if thresholds.t_p is None:
        raise BadSetting("A gamma can be recommended once a privacy threshold T_P is set; enter the T_P you want.")
    f = _checked_counts(counts, n)
    epsilon, alpha, wanted = thresholds.epsilon, thresholds.alpha, as_fraction(thresholds.t_p)
    limit = poisson_limit(epsilon, alpha, releases)
    largest = min(n // int(f.max()), guarantees.MOST_GAMMA)

    def reaches(gamma: int) -> bool:
        return guarantees.t_p_reaches(gamma, epsilon, alpha, wanted, releases)

    least = _least(reaches, 2, guarantees.MOST_GAMMA)
    first = largest if least is None else min(least, largest)
    if first >= 2 and public_figures.tell_small(n, first, len(f), guarantees.checked_epsilon(epsilon), alpha):
        return Recommendation(float(wanted), None, largest, 0.0, limit, told=True)
    if least is not None and least <= largest:
        at = guarantees.t_p(least, epsilon, alpha, releases)
        return Recommendation(float(wanted), least, largest, at, limit)
    if largest < 2:
        return Recommendation(float(wanted), None, largest, 0.0, limit, least)
    best = guarantees.t_p(largest, epsilon, alpha, releases)
    missed = _least(lambda a: not guarantees.t_p_reaches(largest, epsilon, a, wanted, releases), 1, alpha)
    smaller_alpha = missed - 1 if missed is not None and missed > 1 else None
    smaller_epsilon = largest_epsilon(largest, alpha, wanted, releases)
    return Recommendation(float(wanted), None, largest, best, limit, least, smaller_epsilon, smaller_alpha)


def _least(holds: Callable[[int], bool], low: int, high: int) -> int | None:
    """Return the least whole number in low..high for which `holds`, which once true stays true; None where none is."""
    if not holds(high):
        return None
    return low + bisect_left(range(low, high), True, key=holds)


def poisson_limit(epsilon: Number, alpha: int, releases: int = 1) -> float:
    """Return what T_P tends to as gamma grows: the same minimum with k f' ~ Poisson(kf)."""
    from scipy.special import pdtr, pdtrc  # longer to load than a release takes without it

    f = np.arange(1, alpha + 1, dtype=np.int64)
    mean = (f * releases).astype(np.float64)
    half = guarantees.floor_times(f, guarantees.checked_epsilon(epsilon) * releases)
    below = mean - half - 1
    low = np.where(below < 0, 0.0, pdtr(np.maximum(below, 0), mean))
    return float((low + pdtrc(mean + half, mean)).min())


def largest_epsilon(gamma: int, alpha: int, wanted: Number, releases: int = 1) -> float | None:
    """Return the largest epsilon of two digits at which T_P reaches `wanted`; None where not even a tiny one does.

    Pr[|S - kf| > h] falls with h, so each f has a largest h_f that still reaches it, and floor(epsilon k f) <= h_f for
    all f means epsilon < min over f of (h_f + 1)/(kf).
    """
    centre = np.arange(1, alpha + 1, dtype=np.int64) * releases
    level = float(as_fraction(wanted))
    for threshold in (level * (1 - guarantees.TIE), level * (1 + guarantees.TIE)):  # a tie may go either way
        good, bad = np.full(centre.shape, -1), centre + 1  # the answer lies in good..bad - 1
        while (bad - good > 1).any():
            middle = np.maximum((good + bad) // 2, 0)
            reached = guarantees.miss(gamma, centre, middle) >= threshold
            good = np.where(reached, np.maximum(good, middle), good)
            bad = np.where(reached, bad, np.minimum(bad, middle))
        if (good < 0).any():
            return None
        found = _below(min(Fraction(h + 1, c) for h, c in zip(good.tolist(), centre.tolist(), strict=True)))
        if guarantees.t_p_reaches(gamma, found, alpha, wanted, releases):
            return float(found)
    return None


def _below(bound: Fraction) -> Fraction:
    """Return the largest whole per cent (below 1 %: the largest single digit) under `bound`, at most 1."""
    unit = Fraction(1, 100)
    while bound <= unit:
        unit /= 10
    return min((math.ceil(bound / unit) - 1) * unit, Fraction(1))
