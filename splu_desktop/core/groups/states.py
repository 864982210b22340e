"""The law of `core.groups.law` for few values in small groups: all that a group can hold, listed.

The same law: Pr[c] proportional to the product of lambda_i^c_i / c_i! over c_i <= k_i with sum S, with the lambda_i
that give the wanted means. Some twenty times quicker than series where a few thousand states are all there are.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.groups.law import GroupLaw, fixed_values, log_factorials
from splu_desktop.frozen import dataclass

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST = 3_000  # states beyond which series are quicker
_ROUNDS = 60
_CLOSE = 1e-7


@dataclass(frozen=True, eq=False)
class GroupStates:
    """The law of the copies in one group of a class, state by state.

    Attributes
    ----------
    size : S.
    copies : (K, m) what the group may hold.
    chance : (K,) how likely it is.
    """

    size: int
    copies: Floats
    chance: Floats

    @classmethod
    def of(cls, means: Floats, caps: Ints, size: int) -> GroupStates | None:
        """Fit the law to mean copies, parameters as for `GroupLaw.of`; None where the states are too many."""
        fixed, free, cap, target, room = fixed_values(means, caps, size)
        if target is None or _number(tuple(cap.tolist()), room) > _MOST:
            return None
        states, logs = _states(tuple(cap.tolist()), room)
        copies = np.zeros((len(states), len(means)))
        copies[:, fixed] = np.minimum(caps, size)[fixed]
        copies[:, free] = states
        return cls(size, copies, _fit(states, logs, target))

    def means(self) -> Floats:
        """Return (m,) E[c_v]."""
        return np.asarray(self.chance @ self.copies, np.float64)

    def pairs(self) -> Floats:
        """Return (m, m) E[c_v c_u]."""
        return np.asarray((self.copies * self.chance[:, None]).T @ self.copies, np.float64)

    def triples(self, left: Floats, right: Floats) -> Floats:
        """Return (m, k) E[c_v (c . left_s) (c . right_s)] for functions of the values, both (m, k)."""
        sums = (self.copies @ left) * (self.copies @ right)
        return np.asarray((self.copies * self.chance[:, None]).T @ sums, np.float64)


Law = GroupLaw | GroupStates


def law_of(means: Floats, caps: Ints, size: int) -> Law:
    """Return the law of a group, in the quicker form. Parameters as for `GroupLaw.of`."""
    return GroupStates.of(means, caps, size) or GroupLaw.of(means, caps, size)


@lru_cache(maxsize=512)
def _number(caps: tuple[int, ...], size: int) -> int:
    """Return the number of states."""
    ways = np.zeros(size + 1)
    ways[0] = 1
    for cap in caps:
        ways = np.convolve(ways, np.ones(cap + 1))[: size + 1]
    return int(min(ways[size], 1e18))


@lru_cache(maxsize=64)
def _states(caps: tuple[int, ...], size: int) -> tuple[Floats, Floats]:
    """Return (K, m) all copies within the caps that add up to `size`, and (K,) minus the logarithms of their c!."""
    states = np.zeros((1, 0), np.int64)
    for at, cap in enumerate(caps):
        behind = sum(caps[at + 1 :])
        left = size - states.sum(axis=1)
        longer = np.repeat(states, cap + 1, axis=0)
        added = np.tile(np.arange(cap + 1), len(states))
        after = np.repeat(left, cap + 1) - added
        kept = (after >= 0) & (after <= behind)
        states = np.column_stack([longer[kept], added[kept]])
    found, logs = states.astype(np.float64), -log_factorials(size)[states].sum(axis=1)
    found.flags.writeable = logs.flags.writeable = False
    return found, logs


def _fit(states: Floats, logs: Floats, target: Floats) -> Floats:
    """Return (K,) the chances whose means are `target`: a concave problem, solved by damped Newton steps."""

    def chances(rates: Floats) -> tuple[Floats, float]:
        raw = states @ rates + logs
        top = float(raw.max())
        weight = np.exp(raw - top)
        whole = float(weight.sum())
        return weight / whole, float(target @ rates) - top - float(np.log(whole))

    rates = np.log(target)
    chance, reached = chances(rates)
    for _ in range(_ROUNDS):
        mean = chance @ states
        if np.abs(mean / target - 1).max() < _CLOSE:
            break
        centred = states - mean
        covariance = (centred * chance[:, None]).T @ centred
        # The copies add up to S always, so one direction is free; and a value at its cap hardly varies at all.
        ridge = np.ones_like(covariance) + 1e-10 * float(np.trace(covariance)) * np.eye(len(target))
        step = np.clip(np.linalg.solve(covariance + ridge, target - mean), -4.0, 4.0)
        for _ in range(20):
            there, height = chances(rates + step)
            if height >= reached - 1e-13 * abs(reached):
                break
            step = step / 2
        else:
            break
        rates, chance, reached = rates + step, there, height
    return chance
