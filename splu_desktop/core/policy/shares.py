"""How common secret values are in classes: what the search needs of law 2, counted once for all classes and strengths.

`risk.certainty` counts the same for the verdict; tests/core/test_policy.py holds that both agree.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.mechanism import Units
from splu_desktop.core.policy.limits import Limits
from splu_desktop.core.table import Table, unique


@dataclass(frozen=True, eq=False)
class _Bearers:
    """The distinct pairs of a unit and a secret value that it has in some row."""

    unit: NDArray[np.int64]
    value: NDArray[np.int64]
    m: int
    weight: NDArray[np.int64] | None


class ValueShares:
    """Shares of secret values among the units of classes.

    Parameters
    ----------
    table : with its sensitive columns in the form in which they are drawn.
    sensitive : their names.
    public_values : values of them that are not secret.
    units : what is drawn at once.
    """

    def __init__(
        self, table: Table, sensitive: Sequence[str], public_values: Mapping[str, Collection[str]], units: Units
    ) -> None:
        self._bearers: dict[str, _Bearers] = {}
        self._units = units
        for name in sensitive:
            column = table[name]
            secret = ~column.missing & ~np.isin(column.labels, list(public_values.get(name, ())))
            rows = np.flatnonzero(secret[column.codes])
            keys = units.owner[rows].astype(np.int64) * column.m + column.codes[rows]
            pairs = unique(keys) if units.person else keys
            unit, value = np.divmod(pairs, column.m)
            self._bearers[name] = _Bearers(unit, value, column.m, units.sizes[unit] if units.person else None)

    def strengths(self, code: NDArray[np.int32], number: int, limits: Limits) -> dict[str, float]:
        """Return for each column the least whole gamma that keeps the limits in classes; infinite where none does.

        code : (U,) the class of each unit, of so many classes.
        """
        size = np.maximum(np.bincount(code, self._units.sizes, number), 1)
        found = {}
        for name, own in self._bearers.items():
            key = code[own.unit].astype(np.int64) * own.m + own.value
            bearers = np.bincount(key, own.weight, number * own.m).reshape(number, own.m)
            shares = bearers / size[:, None]
            total = bearers.sum()
            average = float((bearers * shares).sum() / total) if total else 0.0
            found[name] = needed_gamma(float(shares.max(initial=0)), average, limits)
        return found


def _needed(share: float, limit: float) -> float:
    return (1 - share) / (limit - share) if share < limit else math.inf


def needed_gamma(riskiest: float, average: float, limits: Limits) -> float:
    """Return the least whole gamma at which certainty keeps its limits, given the shares; infinite for none (law 2)."""
    most = max(_needed(riskiest, limits.riskiest), _needed(average, limits.average))
    return most if math.isinf(most) else float(max(1, math.ceil(most - 1e-9)))
