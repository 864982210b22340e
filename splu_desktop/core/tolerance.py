"""F'-privacy: how surely someone may be linked to each value of a sensitive column (mechanism.md section 5).

A tolerance f'_i in (0, 1] bounds the confidence of whoever knows a record's group that the record has value i: a group
of size S holds value i at most floor(f'_i S) times. 1 is "not sensitive". Tolerances are exact rationals, since
0.29 * 100 is below 29 in binary floating point.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.rationals import as_fraction
from splu_desktop.core.table import Column

Ints = NDArray[np.int64]
NOT_SENSITIVE = Fraction(1)
_FINEST = 10**12  # of a tolerance's denominator; finer ones are rounded down, which is stricter


class Infeasible(BadSetting):
    """A tolerance lies below its value's share of the records, or no allowed group size can keep it."""


@dataclass(frozen=True)
class Tolerances:
    """A tolerance for each value of one sensitive column.

    Attributes
    ----------
    limits : label -> f'_i, 0 < f'_i <= 1, for every label of the column.
    """

    limits: Mapping[str, Fraction]

    def __post_init__(self) -> None:
        checked = {label: checked_tolerance(label, limit) for label, limit in self.limits.items()}
        object.__setattr__(self, "limits", MappingProxyType(checked))

    def of(self, column: Column) -> tuple[Fraction, ...]:
        """Return f'_i in the order of the column's labels. Raises BadSetting where one has none."""
        missing = [str(label) for label in column.labels if label not in self.limits]
        if missing:
            raise BadSetting(
                f"Column “{column.name}” has no tolerance for its value “{missing[0]}”; give one between 0 and 1, "
                "where 1 means not sensitive."
            )
        return tuple(self.limits[str(label)] for label in column.labels)

    def within(self, labels: object) -> Tolerances:
        """Return the tolerances of these labels alone."""
        kept = {str(label) for label in np.asarray(labels, object)}
        return Tolerances({label: limit for label, limit in self.limits.items() if label in kept})

    def classes(self) -> dict[Fraction, tuple[str, ...]]:
        """Return tolerance -> its labels, the strictest first."""
        found: dict[Fraction, list[str]] = {}
        for label, limit in self.limits.items():
            found.setdefault(limit, []).append(label)
        return {limit: tuple(found[limit]) for limit in sorted(found)}


def checked_tolerance(label: str, limit: float | str | Fraction) -> Fraction:
    """Return the rational that was meant, 0 < f' <= 1. Raises BadSetting."""
    try:
        exact = as_fraction(limit)
    except (ValueError, ZeroDivisionError):
        raise BadSetting(f"The tolerance of “{label}” must be a number such as 0.25, not “{limit}”.") from None
    if not 0 < exact <= 1:
        raise BadSetting(
            f"The tolerance of “{label}” must lie above 0 and at most at 1, not at {float(exact):g}; 1 means not "
            "sensitive."
        )
    return exact if exact.denominator <= _FINEST else Fraction(int(exact * _FINEST), _FINEST)


def caps(limits: tuple[Fraction, ...], size: int) -> Ints:
    """Return (m,) floor(f'_i S), the most copies of each value in a group of `size`."""
    return np.array([limit.numerator * size // limit.denominator for limit in limits], np.int64)


@dataclass(frozen=True)
class Shortfall:
    """A value whose tolerance is below its share of the records."""

    label: str
    limit: Fraction
    share: Fraction


def shortfalls(column: Column, tolerances: Tolerances) -> tuple[Shortfall, ...]:
    """Return the values with f'_i < f_i, the worst first; none iff the tolerances can be met (Lemma 3.7)."""
    limits, counts = tolerances.of(column), column.counts()
    found = [
        Shortfall(str(label), limit, Fraction(int(count), column.n))
        for label, limit, count in zip(column.labels, limits, counts, strict=True)
        if limit * column.n < int(count)
    ]
    return tuple(sorted(found, key=lambda short: short.limit / short.share))


def check_feasible(column: Column, tolerances: Tolerances) -> None:
    """Raise Infeasible, naming the worst value, its share and the least tolerance possible, unless all f'_i >= f_i."""
    short = shortfalls(column, tolerances)
    if short:
        worst = short[0]
        more = f" ({len(short) - 1} more values have the same fault)" if len(short) > 1 else ""
        raise Infeasible(
            f"The tolerance {float(worst.limit):g} of “{worst.label}” in column “{column.name}” can't be kept: the "
            f"value fills {100 * float(worst.share):.1f} % of the records; set it to {decimal_above(worst.share)} or "
            f"more{more}."
        )


def nearest_feasible(column: Column, tolerances: Tolerances) -> Tolerances:
    """Return the tolerances with each f'_i < f_i raised to the next number of two digits that f_i allows."""
    raised = {short.label: Fraction(decimal_above(short.share)) for short in shortfalls(column, tolerances)}
    return Tolerances({**tolerances.limits, **raised})


def decimal_above(share: Fraction) -> str:
    """Return the least decimal of two significant digits that is not below a share, at most 1."""
    scale = 1
    while share * scale < 10 and scale < _FINEST:
        scale *= 10
    up = -((-share.numerator * scale) // share.denominator)
    number = min(Fraction(up, scale), NOT_SENSITIVE)
    return f"{float(number):.12f}".rstrip("0").rstrip(".")
