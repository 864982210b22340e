"""Variances and 95 % intervals: one value, a set of values, several SAs.

All rest on one expansion. An estimate is a sum of phi(u) over the selected records' published values u, its
coefficients computed from the published counts f', which move together with the records themselves. So

    x_hat - x = sum over all records i of h_i(u_i),  h_i(u) = [i selected] (phi(u) - mean) - (D_u - mean),

with D_t = w_t b'_t / (a - b_t) for the chosen values t, the derivative of x_hat by f'_t, w_t the selected records of
other values. Given the groups the u_i are independent, and the groups are drawn without replacement.

Intervals invert the test that the true count is x, with the variance taken *at x* (a score interval), so they are
short below and long above for small counts instead of symmetric.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.table import Flags
from splu_desktop.core.thresholds import NORMAL_95
from splu_desktop.core.transition.two_numbers import Floats, Transition
from splu_desktop.frozen import dataclass

_HALVINGS = 40  # of an interval's end; enough for a thousandth of a record of 10^9
_MOST_SKEWED = 1.0  # skewness beyond which the expansion no longer holds
_FEW = 100  # questions
_FITTING_ROUNDS = 12
_TAIL = 0.025
_REACH = 2.0  # standard deviations over which the tails become even
_NEAREST = 0.98  # of the 5 %, at most so much goes to one side, so that clear evidence is never overruled
_TAILS = np.linspace(0.0004, 0.0501, 500)
_QUANTILES = np.array([-NormalDist().inv_cdf(tail) for tail in _TAILS])
_CUTS, _REFINEMENTS = 49, 4
_FAR = 6.0  # standard deviations beyond which nothing is looked at first
_LEAST = 1e-9  # a variance is not less, records squared

Indices = NDArray[np.intp]


def one_value(
    y: Floats, spilled: Floats, totals: Floats, codes: Indices, through: Transition
) -> tuple[Floats, Floats, Floats]:
    """Return (Q,) lower ends, upper ends and variances of counts of one value each in Q selections.

    Parameters
    ----------
    y : (Q,) published counts of the value in the selection.
    spilled : (Q,) what of them a, b_s do not explain (`Transition.spill`).
    totals : (Q,) N_P.
    codes : (Q,) the value asked.

    With y and f' - y as two observations, the test of x uses the likeliest f_s for that x, so that values published a
    handful of times, even never in the selection, get an honest upper end.
    """
    a, n = through.a, float(through.n)
    f_seen, b, signal = through.counts[codes], through.b[codes], through.signal[codes]
    clear = through.readable[codes]
    centre = np.where(clear, (y - spilled - totals * b) / np.where(clear, signal, 1.0), totals / 2)
    start = np.clip(centre, 0.0, totals)

    def spread(x: Floats) -> Floats:
        """Return Var(y - b(f') (N_P - x)) if the truth is x."""
        w = totals - x
        f = likeliest(x, w, y, f_seen, a, n)
        others = np.maximum(n - f, 1.0)
        pi = np.minimum((1 - a) * f / others / a, 1.0)
        moved = w * (1 - a) * n / others**2
        drawn = a * (1 - a) * (x + w * pi)
        grouped = a * a * pi * (1 - pi) * w * (1 - np.minimum(w / others, 1.0))
        common = moved**2 * f * (1 - a) - 2 * moved * (1 - a) * a * (x + w * pi)
        return np.asarray(np.maximum(drawn + grouped + common, _LEAST), np.float64)

    def rejected(x: Floats) -> Flags:
        gap = (centre - x) * signal
        return np.asarray(gap * gap > NORMAL_95**2 * spread(x))

    least, most = bounds(f_seen, a, totals, n)
    low = np.where(clear, _edge(np.zeros_like(totals), start, rejected), least)
    high = np.where(clear, _edge(totals, start, rejected), most)
    variance = np.where(clear, spread(start) / np.where(clear, signal, 1.0) ** 2, np.inf)
    return low, high, variance


def likeliest(x: Floats, w: Floats, y: Floats, f_seen: Floats, a: Floats | float, n: float) -> Floats:
    """Return the likeliest f_s if the true count is x, of w records of other values; published: y, and f_seen in all.

    y ~ Poisson(a x + c f), f' - y ~ Poisson((1 - c) f - a x), c = (1 - a) w / n: the root of a quadratic in f.
    """
    c, kept = (1 - a) * w / n, a * x
    two = c * (1 - c)
    one = kept * (1 - 2 * c) - two * f_seen
    none = kept * (c * y - (1 - c) * (f_seen - y)) - kept**2
    root = np.sqrt(np.maximum(one**2 - 4 * two * none, 0.0))
    f = np.where(two > 1e-12, (root - one) / (2 * np.where(two > 1e-12, two, 1.0)), f_seen)
    return np.clip(f, np.maximum(x, _LEAST), np.maximum(0.999 * n, x))


def bounds(counts: Floats, a: float, totals: Floats, n: float) -> tuple[Floats, Floats]:
    """Return the ends of a count of which only the values' own counts f' tell: no more than f in P, nor outside P.

    For values at the eligibility limit, about whose place the release says nothing. Covers at least as often as f'.
    """
    arm = NORMAL_95 * np.sqrt(np.maximum(counts, 1.0) * (1 - a))
    return np.maximum(counts - arm - (n - totals), 0.0), np.minimum(counts + arm, totals)


def _edge(outer: Floats, inner: Floats, rejected: Callable[[Floats], Flags]) -> Floats:
    """Return where between `inner` (accepted) and `outer` the test begins to reject, `outer` where it never does.

    Far out, where no count can be, a test may accept again, so that what is nearest counts: of 16 parts, and then of
    16 again for a few questions, since there the number of calls is what costs, of two for many.
    """
    few, parts, left = len(outer) <= _FEW, 16, float(_HALVINGS)
    inside, width, open_end = inner, outer - inner, np.ones(len(outer), bool)
    while left > 0:
        cuts = [inside + cut / parts * width for cut in range(1, parts + 1)]
        out = rejected(np.stack(cuts)) if few else np.stack([rejected(cut) for cut in cuts])
        open_end &= ~out.any(axis=0)
        out[-1] = True  # the last cut is the outer end, rejected by what is known so far
        inside = inside + (np.argmax(out, axis=0) / parts) * width
        width, left = width / parts, left - np.log2(parts)
        parts = 16 if few else 2
    return np.where(open_end, outer, inside)


@dataclass(frozen=True)
class Chosen:
    """A set of values of one SA and the second moments of its phi.

    Attributes
    ----------
    there : the transition, of the set's values only.
    within, without : mean of phi(u)^2 for a record whose value is in the set (weighted by f') and not in it.
    cubes : the means of phi(u)^3 for the two.
    """

    there: Transition
    within: float
    without: float
    cubes: tuple[float, float]

    @classmethod
    def of(cls, through: Transition, codes: Indices) -> Chosen:
        """Return the moments under a, b_s."""
        there = replace(through, counts=through.counts[codes])
        (within, without), cubes = moments(there, 2), moments(there, 3)
        return cls(there, float(within), float(without), (float(cubes[0]), float(cubes[1])))

    def common(self, count: float, selected: float) -> float:
        """Return the part of the variance that records share, if `count` of `selected` have a value of the set."""
        return float(shared(self.there, np.asarray(count), np.asarray(selected)))


def moments(there: Transition, power: int) -> tuple[Floats, Floats]:
    """Return (...) the mean of phi(u)^power for records with a value of a set (weighted by f') and without.

    there : the transition of the set's values only, counts (..., k).
    """
    a, b, f = there.a, there.b, there.counts
    gain = 1.0 / there.signal
    offset, leaving, whole = (gain * b).sum(axis=-1), b.sum(axis=-1), f.sum(axis=-1)
    moment, rest = (gain - offset[..., None]) ** power, (-offset) ** power
    scattered = (b * moment).sum(axis=-1)
    own = (a - b) * moment + (scattered + (1 - a - leaving) * rest)[..., None] + b * rest[..., None]
    weight = np.where(whole[..., None] > 0, f / np.maximum(whole, _LEAST)[..., None], 1 / f.shape[-1])
    return (weight * own).sum(axis=-1), scattered + (1 - leaving) * rest


def shared(there: Transition, count: Floats, selected: Floats) -> Floats:
    """Return (...) the part of a variance that records share: f' for f, and groups drawn without replacement.

    Parameters
    ----------
    there : the transition of the set's values only, counts (..., k).
    count : (...) records of P with a value of the set; they are split over its values like f'.
    selected : (...) N_P.
    """
    a, b, f, pi, gamma = there.a, there.b, there.counts, there.sharing, there.gamma
    gain = 1.0 / there.signal
    x = f * (count / np.maximum(f.sum(axis=-1), 1.0))[..., None]
    w = np.maximum(selected[..., None] - x, 0.0)
    moved = w * there.slope * gain
    # Var of sum D_u over all records: values that share a group keep each other down.
    own = (moved**2 * f).sum(axis=-1) * (1 - a) - _off(moved * f, moved * b)
    # Cov of the selected records' phi with it.
    joint = _off(gain * x, moved * pi) + _off(gain * pi, moved * x)
    apart = selected * _off(gain * pi, moved * pi) - _off(gain * pi * x, moved * pi) - _off(gain * pi, moved * pi * x)
    joint += (gamma - 2) / (gamma - 1) * apart
    with_draws = (1 - a) * ((a * x + b * w) * moved * gain).sum(axis=-1) - a * a * joint
    # Groups are dealt, not drawn: who shares one with the value here can't do so there.
    dealt = -((a * gain * w) ** 2 * pi * (1 - pi) / there.others).sum(axis=-1)
    dealt += a * a / (gamma - 1) * _off(gain * pi * w, gain * pi * w) / there.n
    return np.asarray(own - 2 * with_draws + dealt)


def _off(left: Floats, right: Floats) -> Floats:
    """Return the sum over s != t of left_s right_t."""
    return np.asarray(left.sum(axis=-1) * right.sum(axis=-1) - (left * right).sum(axis=-1))


def composed(inside: float, selected: float, margins: Sequence[float]) -> Floats:
    """Return (2^w,) records of P by which of w conditions they meet, `inside` of them all, bit i for margins[i].

    Fitted to the records that meet each condition by itself: those are far better known than combinations of several.
    """
    w = len(margins)
    shares = [min(max(margin, inside, 0.0), selected) / max(selected, _LEAST) for margin in margins]
    present: Floats = np.full(1, selected)
    for share in shares:
        present = np.kron(np.array([1 - share, share]), present)
    bits = np.arange(len(present))
    rest = np.ones(len(present), bool)
    rest[-1] = False
    for _ in range(_FITTING_ROUNDS if w > 1 else 1):
        for bit, share in enumerate(shares):
            has = (bits >> bit) & 1 == 1
            for side, wanted in ((rest & has, share * selected - inside), (rest & ~has, (1 - share) * selected)):
                present[side] *= max(wanted, 0.0) / max(float(present[side].sum()), _LEAST)
    present[-1] = inside
    return present


def tails(away: Floats, weight: float = 1.0) -> tuple[Floats, Floats]:
    """Return (K,) chances of missing the truth by an interval wholly below it and wholly above it.

    Parameters
    ----------
    away : (K,) how far the possible truth lies above what was expected of it beforehand, in standard deviations.
    weight : how far the tails may differ, 0 not at all, 1 for all of the 5 % on one side (`leaning`).

    They add up to 5 % whatever the truth is, so the interval covers as often; but they need not be even, nor alike for
    every truth. With most of them on the side away from the expected count, the interval reaches there unless the
    release speaks clearly against it, and an estimate drawn towards it stays inside (Pratt 1961; Yu and Hoff 2018).
    """
    near = weight * np.minimum(np.exp(-((away / _REACH) ** 2)), _NEAREST) * np.where(away >= 0, 1.0, -1.0)
    return _TAIL * (1 + near), _TAIL * (1 - near)


def leaning(variance: float, aim: float) -> float:
    """Return how far tails may differ: the more, the wider the estimate scatters against the expected count.

    Where it scatters little, leaning gains nothing, and the little that both have in common would cost coverage.
    """
    return variance / max(variance + aim**2, _LEAST)


def several(
    centre: float, selected: float, margins: Sequence[float], chosen: list[Chosen], aim: float | None = None
) -> tuple[float, float, float, bool]:
    """Return lower end, upper end and variance of a count over sets of values of one or more SAs, and whether in doubt.

    In doubt are ends that rest on an expansion for sums less skewed than this one is.

    Parameters
    ----------
    centre : the unbiased estimate.
    selected : N_P.
    margins : (w,) estimated records of P that meet each of the w conditions by itself; unused for one condition.
    aim : the count expected beforehand (`tails`), None for tails of 2.5 % on either side.
    """
    moments = np.ones(1)
    for one in chosen:
        moments = np.kron(np.array([one.without, one.within]), moments)
    # Where nearly all of P meets each condition, nearly as many meet them all, however low the estimate (Fréchet).
    least = sum(margins) - (len(margins) - 1) * selected if len(chosen) > 1 else 0.0
    inside = min(max(centre, least, 0.0), selected, *(margins if len(chosen) > 1 else ()))
    present = composed(inside, selected, margins if len(chosen) > 1 else [inside])
    variance = float(present @ moments) - inside
    for bit, one in enumerate(chosen):
        others = [state for state in range(len(present)) if state | (1 << bit) == len(present) - 1]
        variance += one.common(inside, float(present[others].sum()))
    variance = max(variance, _LEAST)
    steep = float(np.prod([one.within - one.without for one in chosen])) - 1
    # A sum of products of weights is skewed: its upper quantile lies further out than its lower one (Cornish, Fisher).
    third = np.ones(1)
    for one in chosen:
        third = np.kron(np.array([one.cubes[1], one.cubes[0]]), third)
    cubed = float(present @ third) - inside * (3 * float(moments[-1]) - 2)
    skewness = cubed / variance**1.5
    doubtful = abs(skewness) >= _MOST_SKEWED
    lean = 0.0 if doubtful or len(chosen) == 1 else skewness / 6

    weight = 0.0 if aim is None else leaning(variance, aim)

    def accepted(x: Floats) -> Flags:
        """Return whether the estimate seen is no surprise if the truth is x."""
        spread = np.sqrt(np.maximum(variance + steep * (x - inside), _LEAST))
        below, above = tails(np.full_like(x, np.inf) if aim is None else (x - aim) / spread, weight)
        gap = (centre - x) / spread
        # The quantiles of a skewed sum, to the first order.
        high, low = _quantile(above), _quantile(below)
        return np.asarray((gap <= high + lean * (high**2 - 1)) & (gap >= -low + lean * (low**2 - 1)))

    ends = hull(
        accepted,
        np.array([centre]),
        None if aim is None else np.array([aim]),
        np.array([np.sqrt(variance)]),
        np.array([selected]),
    )
    return float(ends[0][0]), float(ends[1][0]), variance, doubtful


def hull(
    accepted: Callable[[Floats], Flags], centre: Floats, aim: Floats | None, scale: Floats, selected: Floats
) -> tuple[Floats, Floats]:
    """Return (Q,) the least and the largest accepted x in [0, N_P], on a grid that is refined at its ends.

    Parameters
    ----------
    accepted : (Q, K) counts -> whether each is accepted.
    centre, aim, scale, selected : (Q,) where to begin, what to reach at least, a standard deviation, N_P.
    """
    ends = []
    start, rows = np.clip(centre, 0.0, selected), np.arange(len(centre))
    for side in (-1, 1):
        far = np.clip(centre + side * _FAR * scale, 0.0, selected)
        if aim is not None:
            far = side * np.maximum(side * far, side * np.clip(aim, 0.0, selected))
        inner = start
        outer = np.where(accepted(far[:, None])[:, 0], 0.0 if side < 0 else selected, far)
        for _ in range(_REFINEMENTS):
            cuts = np.linspace(inner, outer, _CUTS, axis=1)
            fine = accepted(cuts)
            held = fine.any(axis=1)
            at = np.where(held, _CUTS - 1 - np.argmax(fine[:, ::-1], axis=1), 0)
            inner, outer = cuts[rows, at], cuts[rows, np.minimum(at + 1, _CUTS - 1)]
        ends.append(np.where(held, outer, start))
    return ends[0], ends[1]


def _quantile(tail: Floats) -> Floats:
    """Return the normal quantile that is exceeded with probability `tail`."""
    return np.asarray(np.interp(tail, _TAILS, _QUANTILES), np.float64)
