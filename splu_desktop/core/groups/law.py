"""What a well mixed class of groups holds: the law of a group's copies of each value, and its moments.

b groups of size S hold K_i records of value i, no group more than k_i of them. Mixing makes every valid arrangement of
the records equally likely, so for many groups one group's copies (c_1, ..., c_m) follow

    Pr[c] proportional to product of lambda_i^c_i / c_i!   over c_i <= k_i with sum S,

with the lambda_i that give E[c_i] = K_i / b. With e_i(z) = sum over c <= k_i of (lambda_i z)^c / c! and P = product of
all e_i, every moment is a coefficient of z^S: E[c_v ...] inserts z e_v' in place of e_v. For values far from their cap
("light") the insertion is a factor, the logarithmic derivative h_v = z e_v' / e_v; for the others ("heavy", at most a
few S of them) that series does not settle in floating point, and products without the value are formed instead.
All series are cut after z^S.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_desktop.frozen import dataclass

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ROUNDS = 60
_CLOSE = 1e-5
_NEWTON = 128  # values up to which Newton steps are worth their covariance matrix
_FULL = 1e-9  # a mean this close to its cap, relative to the cap, is at the cap
_LIGHT = 0.25  # mean over cap up to which a value is light


def _times(left: Floats, right: Floats) -> Floats:
    """Return the product of two series, cut at their length, along the last axis; (S + 1,) or (k, S + 1) each."""
    length = left.shape[-1]
    if left.ndim == 1 and right.ndim == 1:
        return np.asarray(np.convolve(left, right)[:length], np.float64)
    if left.ndim > right.ndim:
        left, right = right, left
    if left.ndim == 1 and not len(right):
        return right
    if left.ndim == 1:
        padded = np.concatenate([np.zeros(length - 1), left])
        step = padded.strides[0]
        shifted = np.lib.stride_tricks.as_strided(
            padded[length - 1 :], (length, length), (-step, step), writeable=False
        )
        return np.asarray(right @ shifted, np.float64)
    result = np.zeros(np.broadcast_shapes(left.shape, right.shape))
    for power in range(length):
        result[:, power:] += left[:, power, None] * right[:, : length - power]
    return result


def _over(top: Floats, bottom: Floats) -> Floats:
    """Return the quotient of series (m, S + 1); `bottom` starts with 1."""
    result = np.zeros_like(top)
    for power in range(top.shape[-1]):
        result[..., power] = top[..., power] - (result[..., :power] * bottom[..., power:0:-1]).sum(axis=-1)
    return result


def _product(series: Floats) -> Floats:
    """Return the product of (m, S + 1) series, halves at a time."""
    length = series.shape[1]
    if not len(series):
        return np.asarray(np.eye(1, length)[0], np.float64)
    while len(series) > 1:
        if len(series) % 2:
            series = np.vstack([series, np.eye(1, length)])
        series = _times(series[0::2], series[1::2])
    return np.asarray(series[0], np.float64)


class NoLaw(ArithmeticError):
    """No group can hold what it is said to: for whoever asked for the law, never for people."""


@dataclass(frozen=True, eq=False)
class _Moments:
    """Series that count arrangements of some values, weighted with nothing, c.g, c.h and (c.g)(c.h) for k functions.

    `right` and `both` are None where only first moments are wanted.
    """

    plain: Floats  # (S + 1,)
    left: Floats  # (k, S + 1)
    right: Floats | None = None
    both: Floats | None = None

    def __mul__(self, other: _Moments) -> _Moments:
        plain = _times(self.plain, other.plain)
        left = _times(self.plain, other.left) + _times(other.plain, self.left)
        if self.right is None or other.right is None or self.both is None or other.both is None:
            return _Moments(plain, left)
        right = _times(self.plain, other.right) + _times(other.plain, self.right)
        both = _times(self.plain, other.both) + _times(other.plain, self.both)
        return _Moments(plain, left, right, both + _times(self.left, other.right) + _times(self.right, other.left))


@dataclass(frozen=True, eq=False)
class GroupLaw:
    """The law of the copies in one group of a class.

    Attributes
    ----------
    size : S.
    weights : (m, S + 1) coefficients of e_i, each scaled so that they sum to 1.
    light : (m,) bool, values whose series may be divided by.
    """

    size: int
    weights: Floats
    light: NDArray[np.bool_]

    @classmethod
    def of(cls, means: Floats, caps: Ints, size: int) -> GroupLaw:
        """Fit the law to mean copies.

        Parameters
        ----------
        means : (m,) E[c_i] >= 0 with sum `size` and means <= caps.
        caps : (m,) most copies in a group.
        """
        full, free, cap, target, room = fixed_values(means, caps, size)
        m = len(means)
        weights = np.zeros((m, size + 1))
        weights[full, np.minimum(caps, size)[full]] = 1.0
        weights[~full, 0] = 1.0
        light = np.zeros(m, bool)
        if target is not None:
            weights[free, : room + 1] = _fit(target, cap, room)
            light[free] = _is_light(target, cap, room)
        elif len(free):
            weights[free] = 0.0
            weights[free, cap] = 1.0
        light |= ~full & (weights[:, 0] == 1.0)
        return cls(size, weights, light)

    @cached_property
    def _derivatives(self) -> tuple[Floats, Floats, Floats]:
        """(m, S + 1) logarithmic derivatives of light e_i, first to third; 0 for heavy values."""
        powers = np.arange(self.size + 1)
        base = np.where(self.light[:, None], self.weights / np.maximum(self.weights[:, :1], 1e-300), 0.0)
        base[~self.light, 0] = 1.0
        first, second, third = (_over(base * powers**k, base) for k in (1, 2, 3))
        square = _times(first, first)
        return first, second - square, third - 3 * _times(second, first) + 2 * _times(square, first)

    def _series(self, left: Floats, right: Floats | None = None) -> tuple[_Moments, list[_Moments]]:
        """Return the moments' series over all values, and over all values but each heavy one in turn."""
        first, second, _ = self._derivatives
        powers = np.arange(self.size + 1)
        plain = _product(self.weights[self.light])
        a = left.T @ first
        whole = _Moments(plain, _times(plain, a))
        if right is not None:
            b = right.T @ first
            both = _times(a, b) + (left * right).T @ second
            whole = _Moments(plain, whole.left, _times(plain, b), _times(plain, both))
        singles = []
        for v in np.flatnonzero(~self.light).tolist():
            w = self.weights[v]
            single = _Moments(w, left[v][:, None] * (w * powers))
            if right is not None:
                both = (left[v] * right[v])[:, None] * (w * powers**2)
                single = _Moments(w, single.left, right[v][:, None] * (w * powers), both)
            singles.append(single)
        nothing = np.zeros((left.shape[1], self.size + 1))
        one = np.eye(1, self.size + 1)[0]
        behind = [_Moments(one, nothing) if right is None else _Moments(one, nothing, nothing, nothing)]
        for single in reversed(singles):
            behind.append(single * behind[-1])
        behind.reverse()
        without = []
        for at, single in enumerate(singles):
            without.append(whole * behind[at + 1])
            whole = whole * single
        return whole, without

    def means(self) -> Floats:
        """Return (m,) E[c_v]."""
        whole, without = self._series(np.zeros((len(self.weights), 0)))
        result = self._derivatives[0] @ whole.plain[::-1]
        powers = np.arange(self.size + 1)
        for v, rest in zip(np.flatnonzero(~self.light).tolist(), without, strict=True):
            result[v] = (self.weights[v] * powers) @ rest.plain[::-1]
        return np.asarray(result / whole.plain[-1], np.float64)

    def pairs(self) -> Floats:
        """Return (m, m) E[c_v c_u]."""
        m = len(self.weights)
        whole, without = self._series(np.eye(m))
        first, second, _ = self._derivatives
        result = first @ whole.left[:, ::-1].T
        result[np.diag_indices(m)] += second @ whole.plain[::-1]
        powers = np.arange(self.size + 1)
        for v, rest in zip(np.flatnonzero(~self.light).tolist(), without, strict=True):
            once = self.weights[v] * powers
            result[v] = rest.left[:, ::-1] @ once
            result[v, v] += (once * powers) @ rest.plain[::-1]
        return np.asarray(result / whole.plain[-1], np.float64)

    def triples(self, left: Floats, right: Floats) -> Floats:
        """Return (m, k) E[c_v (c . left_s) (c . right_s)] for functions of the values, both (m, k)."""
        whole, without = self._series(left, right)
        first, second, third = self._derivatives
        assert whole.right is not None
        assert whole.both is not None
        result = first @ whole.both[:, ::-1].T
        result += left * (second @ whole.right[:, ::-1].T) + right * (second @ whole.left[:, ::-1].T)
        result += left * right * (third @ whole.plain[::-1])[:, None]
        powers = np.arange(self.size + 1)
        for v, rest in zip(np.flatnonzero(~self.light).tolist(), without, strict=True):
            assert rest.right is not None
            assert rest.both is not None
            once = self.weights[v] * powers
            result[v] = rest.both[:, ::-1] @ once
            result[v] += left[v] * (rest.right[:, ::-1] @ (once * powers))
            result[v] += right[v] * (rest.left[:, ::-1] @ (once * powers))
            result[v] += left[v] * right[v] * float((once * powers**2) @ rest.plain[::-1])
        return np.asarray(result / whole.plain[-1], np.float64)


def fixed_values(
    means: Floats, caps: Ints, size: int
) -> tuple[NDArray[np.bool_], NDArray[np.intp], Ints, Floats | None, int]:
    """Return which values of a group are certain, and what is left to chance.

    Returns
    -------
    full : (m,) values whose mean is at their cap, so that every group holds them as often.
    free : (k,) the other values that occur at all.
    caps : (k,) their caps.
    target : (k,) their means, adding up to `room`; None where caps and room leave nothing to chance.
    room : places left beside the full values.

    Raises NoLaw where the caps do not let a group be filled.
    """
    caps = np.minimum(caps, size)
    full = (caps > 0) & (means >= caps * (1 - _FULL))
    free = np.flatnonzero(~full & (means > 0) & (caps > 0))
    room = size - int(caps[full].sum())
    if room <= 0:
        free = free[:0]
    cap = np.minimum(caps[free], max(room, 0))
    if int(cap.sum()) < room or room < 0:
        raise NoLaw
    if len(free) < 2 or int(cap.sum()) == room:
        return full, free, cap, None, room
    return full, free, cap, _fitted(means[free], cap * (1 - _FULL / 2), room), room


def _fitted(means: Floats, top: Floats, total: int) -> Floats:
    """Return means in the same proportions that add up to `total` as far as `top` lets them."""
    target = np.minimum(means, top)
    for _ in range(len(means)):
        below = target < top
        if abs(target.sum() - total) <= 1e-9 * total or not below.any():
            break
        target[below] *= (total - target[~below].sum()) / target[below].sum()
        target = np.minimum(target, top)
    return target


def log_factorials(most: int) -> Floats:
    """Return (most + 1,) the logarithms of 0!, 1!, ..., without SciPy, which takes longer to import than a release."""
    return np.concatenate([np.zeros(1), np.cumsum(np.log(np.arange(1, most + 1)))])


def _is_light(mean: Floats, cap: Ints, size: int) -> NDArray[np.bool_]:
    # Without a cap below the size e_i is the exponential series, whose logarithm is a single term.
    return np.asarray((cap >= size) | (mean <= _LIGHT * cap))


def _fit(target: Floats, cap: Ints, size: int) -> Floats:
    """Return (m, size + 1) weights whose law has the target means.

    The rates maximise sum of target_i log lambda_i - log [z^size] P, which is concave; its gradient is what the means
    miss, its Hessian minus their covariance. Starts from independent truncated Poisson numbers with these means, whose
    sum then is `size` on average, so that no coefficient near z^size is small.
    """
    powers = np.arange(size + 1)
    logs = np.where(powers <= cap[:, None], -log_factorials(size), -np.inf)
    light = _is_light(target, cap, size)

    def weigh(log_rate: Floats) -> tuple[Floats, float]:
        raw = logs + powers * log_rate[:, None]
        top = raw.max(axis=1, keepdims=True)
        raw = np.exp(raw - top)
        whole = raw.sum(axis=1, keepdims=True)
        return raw / whole, float((top + np.log(whole)).sum())

    log_rate = np.log(target)
    for _ in range(_ROUNDS):
        weights, _ = weigh(log_rate)
        mean = weights @ powers
        if np.abs(mean / target - 1).max() < 1e-4:
            break
        log_rate = log_rate + np.clip(np.log(target / mean) + np.log((cap - mean) / (cap - target)), -2.0, 2.0)

    def value(log_rate: Floats) -> tuple[float, Floats]:
        weights, scale = weigh(log_rate)
        last = float(_product(weights)[-1])
        return (float(target @ log_rate) - scale - np.log(last) if last > 0 else -np.inf), weights

    reached, weights = value(log_rate)
    for _ in range(_ROUNDS):
        law = GroupLaw(size, weights, light)
        mean = law.means()
        if np.abs(mean / target - 1).max() < _CLOSE:
            break
        if len(target) <= _NEWTON:
            covariance = law.pairs() - np.outer(mean, mean)
            ridge = 1e-9 * float(np.trace(covariance)) * np.eye(len(target)) + np.ones((len(target),) * 2) / size
            step = np.linalg.solve(covariance + ridge, target - mean)
        else:  # rare values follow their odds
            step = np.log(target / mean) + np.log(np.maximum(cap - mean, 1e-12) / (cap - target))
        step = np.clip(step, -3.0, 3.0)
        for _ in range(12):
            there, weighed = value(log_rate + step)
            if there >= reached - 1e-12 * abs(reached):
                break
            step = step / 2
        else:
            break
        log_rate, reached, weights = log_rate + step, there, weighed
    return weights
