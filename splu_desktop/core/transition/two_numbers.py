"""How the draw carries true values to published ones: the one place that knows a and b_s (mechanism.md section 4).

Estimators ask a `Transition` for its numbers and never recompute them, so that groups of other sizes (section 5) can
put a matrix of their own in their place.

The two numbers a and b_s treat all other values as feeding s alike. They do not quite: no group holds a value twice, so
a frequent value leaves less room in its groups and meets the rare ones more often than its share. Mixing makes every
arrangement of the records equally likely, hence the values of a group are a conditional Poisson sample, whose pair
probabilities are known exactly; `matrix` has them. On adult the rows of the two-number form miss 1 by up to 9 %.
"""

from __future__ import annotations

import math
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from splu_desktop.frozen import dataclass

Floats = NDArray[np.float64]

_LARGEST_WORK = 40_000_000  # m^2 gamma up to which pair probabilities are exact; beyond, quasi-independence
_CLEAR = 3.0  # standard deviations that a - b_s must stand clear of nothing
_TINY = 1e-300
_FULL = 0.9999  # of the groups, that a value is in at most


@dataclass(frozen=True, eq=False)
class Transition:
    """Plain decoy groups of one SA, as the reader of a release knows them.

    Attributes
    ----------
    n : records, N.
    a : probability that a record keeps its value, r / N.
    counts : (m,) published counts f'_s, which stand for the true f_s.
    gamma : the size of a group.
    """

    n: int
    a: float
    counts: Floats
    gamma: int

    @cached_property
    def others(self) -> Floats:
        """(m,) records with another value, N - f_s; at least 1, since no value of an eligible SA fills the table."""
        return np.maximum(self.n - self.counts, 1.0)

    @cached_property
    def b(self) -> Floats:
        """(m,) probability that a record of another value is published as s, (1 - a) f_s / (N - f_s)."""
        return (1.0 - self.a) * self.counts / self.others

    @cached_property
    def slope(self) -> Floats:
        """(m,) derivative of b_s by f_s, (1 - a) N / (N - f_s)^2."""
        return (1.0 - self.a) * self.n / self.others**2

    @cached_property
    def signal(self) -> Floats:
        """(m,) a - b_s, what is left of s to see; 0 for a value at the eligibility limit."""
        return self.a - self.b

    @cached_property
    def sharing(self) -> Floats:
        """(m,) pi, probability that a record of another value shares its group with s, b_s / a."""
        return np.minimum(self.b / self.a, 1.0)

    @cached_property
    def readable(self) -> NDArray[np.bool_]:
        """(m,) whether a - b_s stands clear of its own sampling error (3 standard deviations)."""
        error = self.slope * np.sqrt(np.maximum(self.counts, 1.0) * (1.0 - self.a))
        return self.signal > _CLEAR * error

    @cached_property
    def short(self) -> Floats:
        """(m,) 1 - the sum of phi(u) over all values, by how much they miss that every record has one of them.

        Other values do not feed s alike: a record of a frequent one shares its group with the others more often, and in
        a selection that holds many of them all estimates are too high. What is missed is dealt out by f_s / N, so that
        the values of each selection add up to N_P, and those of the table stay as they are. 0 where a value can't be
        told, whose own records it would be.
        """
        if not self.readable.all():
            return np.zeros(len(self.counts))
        return np.asarray(1 - 1 / self.signal + (self.b / self.signal).sum(), np.float64)

    def weights(self, chosen: NDArray[np.bool_]) -> Floats:
        """Return (m,) phi(u), of several values with their part of what all are `short` of.

        Unreadable values add nothing. Of one value the formula of mechanism.md section 4 stands: it is less off.
        """
        part = float(self.counts[chosen].sum()) / self.n if np.count_nonzero(chosen) > 1 else 0.0
        return self.alone(chosen) + self.short * part

    def alone(self, chosen: NDArray[np.bool_]) -> Floats:
        """Return (m,) phi(u) = sum over chosen s of ([u = s] - b_s) / (a - b_s); unreadable values add nothing."""
        gain = np.where(chosen & self.readable, 1.0 / np.where(self.readable, self.signal, 1.0), 0.0)
        return np.asarray(gain - float(gain @ self.b), np.float64)

    def two_states(self, chosen: NDArray[np.bool_]) -> Floats:
        """Return (2, 2) the transition between having none (0) and one (1) of the chosen values.

        A record of one chosen value may be published as another of them, so a set keeps more than a.
        """
        f, b = self.counts[chosen], self.b[chosen]
        whole = float(f.sum())
        keep = self.a + float(b.sum()) - (float(f @ b) / whole if whole > 0 else float(b.mean()))
        come = whole * (1 - keep) / max(self.n - whole, 1.0)
        return np.array([[1 - come, come], [1 - keep, keep]])

    @cached_property
    def matrix(self) -> Floats | None:
        """(m, m) T[v, u], the chance that a record of value v is published as u; None where m is too large for it."""
        m = len(self.counts)
        if m < 2 or m * m * self.gamma > _LARGEST_WORK:
            return None
        return _conditional_poisson(self.counts, self.n, self.gamma)

    @cached_property
    def _excess(self) -> Floats | None:
        if self.matrix is None:
            return None
        excess = self.matrix - self.b
        np.fill_diagonal(excess, 0.0)
        return excess

    def spill(self, composition: Floats) -> Floats:
        """Return (Q, m) what a, b_s miss: sum over v != s of x_v (T[v, s] - b_s) for compositions x (Q, m)."""
        spilled = self._spilled(composition)
        if self._over:
            spilled = spilled - composition.sum(axis=1, keepdims=True) * self._drift
        return spilled

    def _spilled(self, composition: Floats) -> Floats:
        if self._excess is not None:
            return np.asarray(composition @ self._excess)
        theta = self.affinity
        towards = composition * theta / np.maximum(self.counts, _TINY)
        rest = composition.sum(axis=1, keepdims=True) - composition
        return np.asarray(theta * (towards.sum(axis=1, keepdims=True) - towards) - self.b * rest)

    @cached_property
    def _over(self) -> bool:
        """Whether a value is published as often as groups can hold, or more often, which no groups explain."""
        return float(self.counts.max()) * self.gamma > _FULL * self.n

    @cached_property
    def _drift(self) -> Floats:
        """(m,) what would spill of the whole table, per record. Nothing does, f' being unbiased: it is taken off."""
        return np.asarray(self._spilled(self.counts[None, :])[0] / self.n)

    def leaning(self, chosen: NDArray[np.bool_]) -> Floats:
        """Return (m,) by how much the mean of phi for a set of values misses 1 or 0, per true value v.

        phi(u) = sum over chosen s of ([u = s] - b_s) / (a - b_s) has mean 1 on the set and 0 elsewhere under a, b_s.
        """
        gain = np.where(chosen, 1.0 / np.where(self.readable, self.signal, np.inf), 0.0)
        drift = float(self._drift @ gain) if self._over else 0.0
        if self._excess is not None:
            return np.asarray(self._excess @ gain - drift)
        theta, counts = self.affinity, np.maximum(self.counts, _TINY)
        towards = theta * gain
        return np.asarray(theta / counts * (towards.sum() - towards) - ((self.b * gain).sum() - self.b * gain) - drift)

    @cached_property
    def affinity(self) -> Floats:
        """(m,) theta of quasi-independence: f_v T[v, u] = theta_v theta_u off the diagonal, rows adding up to 1.

        A handful of records may show a value more often than all others, which no theta explains; it ends at N then.
        """
        theta = np.sqrt((1 - self.a) / self.n) * self.counts
        for _ in range(200):
            wanted = (1 - self.a) * self.counts / np.maximum(theta.sum() - theta, 1.0 / self.n)
            moved = np.minimum(np.sqrt(wanted * theta), self.n)
            if np.max(np.abs(moved - theta)) <= 1e-10 * max(float(theta.max()), _TINY):
                break
            theta = moved
        return np.asarray(theta)


def _conditional_poisson(counts: Floats, n: int, gamma: int) -> Floats | None:
    """Return (m, m) T from the pair probabilities of conditional Poisson samples of `gamma` of m values.

    Values with odds w are in the sample with probability f_s gamma / N and u, v together with
    w_u w_v S(gamma - 2; without u, v) / S(gamma), S the elementary symmetric functions (Chen, Dempster and Liu 1994).
    None where rounding spoils them (very large gamma).
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # what comes of it is looked at in the end
        return _pair_probabilities(counts, n, gamma)


def _pair_probabilities(counts: Floats, n: int, gamma: int) -> Floats | None:
    present = np.flatnonzero(counts > 0)
    share = np.minimum(counts[present] * gamma / n, _FULL)
    if len(present) <= gamma:
        return None
    share *= gamma / share.sum()
    share = np.minimum(share, _FULL)
    odds = share / (1 - share)
    odds /= odds.max()
    for _ in range(300):
        whole = _symmetric(odds, gamma)
        reached = odds * _without(odds, whole)[:, gamma - 1] / whole[gamma]
        ratio = share / np.maximum(reached, _TINY)
        odds = odds * ratio
        odds /= odds.max()
        if np.abs(ratio - 1).max() < 1e-8:
            break
    whole = _symmetric(odds, gamma)
    single = _without(odds, whole)
    # S(gamma - 2) without u and v, by the same recursion once more.
    pair = np.ones((len(present), len(present)))
    for k in range(1, gamma - 1):  # in place: at 1,500 values each copy is 18 MB
        pair *= odds
        np.subtract(single[:, None, k], pair, out=pair)
    pair *= odds[:, None] * odds[None, :] / whole[gamma]
    inclusion = odds * single[:, gamma - 1] / whole[gamma]
    part = pair / np.maximum(inclusion, _TINY)[:, None] / gamma
    np.fill_diagonal(part, 1 / gamma)
    if not np.all(np.isfinite(part)) or part.min() < -1e-6 or np.abs(part.sum(axis=1) - 1).max() > 1e-3:
        return None
    result = np.zeros((len(counts), len(counts)))
    result[np.ix_(present, present)] = part
    np.fill_diagonal(result, 1 / gamma)
    return result


def _symmetric(odds: Floats, size: int) -> Floats:
    """Return (size + 1,) elementary symmetric functions of the odds."""
    # Runs of the odds side by side, then the runs together: a step of Python for each odd took four times as long.
    runs = math.isqrt(len(odds)) or 1
    padded = np.zeros(-(-len(odds) // runs) * runs)
    padded[: len(odds)] = odds
    parts = np.zeros((runs, size + 1))
    parts[:, 0] = 1.0
    for step in padded.reshape(-1, runs):
        parts[:, 1:] += step[:, None] * parts[:, :-1]
    return reduce(lambda whole, part: np.convolve(whole, part)[: size + 1], parts)


def _without(odds: Floats, whole: Floats) -> Floats:
    """Return (m, size + 1) the functions with one value left out, for each value."""
    result = np.empty((len(odds), len(whole)))
    result[:, 0] = 1.0
    for k in range(1, len(whole)):
        result[:, k] = whole[k] - odds * result[:, k - 1]
    return result
