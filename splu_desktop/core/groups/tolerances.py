"""F'-privacy: how many of the rows that show a value may truly have it, on average (mechanism.md section 5).

A tolerance f'_i in (0, 1] bounds how often a row that shows value i is right, over all rows; for a class of rows
nothing does. A group of size S holds value i at most floor(f'_i S) times. 1 is "not sensitive". Tolerances are exact
rationals, since 0.29 * 100 is below 29 in binary floating point.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import say
from splu_desktop.core.rationals import as_fraction
from splu_desktop.core.table import Column
from splu_desktop.frozen import dataclass

Ints = NDArray[np.int64]
NOT_SENSITIVE = Fraction(1)
_FINEST = 10**12  # of a tolerance's denominator; finer ones are rounded down, which is stricter


class Infeasible(BadSetting):
    """A tolerance lies below its value's share of the records, or no allowed group size can keep it."""


@dataclass(frozen=True)
class Tolerances:
    """A tolerance for each value of one sensitive column.

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
                "Column “{column}” has no tolerance for its value “{missing}”; give one between 0 and 1, "
                "where 1 means not sensitive.",
                column=column.name,
                missing=missing[0],
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
        raise BadSetting(
            "The tolerance of “{label}” must be a number such as 0.25, not “{limit}”.", label=label, limit=limit
        ) from None
    if not 0 < exact <= 1:
        raise BadSetting(
            "The tolerance of “{label}” must lie above 0 and at most at 1, not at {exact:g}; 1 means not sensitive.",
            label=label,
            exact=float(exact),
        )
    return exact if exact.denominator <= _FINEST else Fraction(int(exact * _FINEST), _FINEST)


def caps(limits: tuple[Fraction, ...], size: int, fakes: int = 0) -> Ints:
    """Return (m,) floor(f'_i S), the most copies of each value in a group of `size`.

    With `fakes` fake values in each group, S counts them too, and a sensitive value may stand once at most, real or
    fake: then whoever knows all other records of the group is left with 1 + fakes values that all differ.
    """
    whole = size + fakes
    most = np.array([limit.numerator * whole // limit.denominator for limit in limits], np.int64)
    return np.where([limit < NOT_SENSITIVE for limit in limits], np.minimum(most, 1), most) if fakes else most


@dataclass(frozen=True)
class Shortfall:
    """A value whose tolerance is below its share of the records.

    Attributes
    ----------
    label, limit, share : the value, its tolerance, its share.
    least : the least tolerance that its share allows.
    """

    label: str
    limit: Fraction
    share: Fraction
    least: Fraction


def shortfalls(column: Column, tolerances: Tolerances, fakes: int = 0) -> tuple[Shortfall, ...]:
    """Return the values with f'_i < f_i, the worst first; none iff the tolerances can be met (Lemma 3.7).

    With fake values a sensitive value stands once in a group of S + sigma values of which none holds it more often than
    f' says, so f_i can be 1 / max(1 + sigma, ceil(1 / f'_i)) at most.
    """
    limits, counts = tolerances.of(column), column.counts()
    found = []
    for label, limit, count in zip(column.labels, limits, counts.tolist(), strict=True):
        share = Fraction(count, max(column.n, 1))
        if share and limit < NOT_SENSITIVE and share > most_share(limit, fakes):
            found.append(Shortfall(str(label), limit, share, _least(share, fakes)))
    return tuple(sorted(found, key=lambda short: short.limit / short.share))


def most_share(limit: Fraction, fakes: int) -> Fraction:
    """Return the largest share of the records that a value of this tolerance may have."""
    if not fakes or limit == NOT_SENSITIVE:
        return limit
    return Fraction(1, max(1 + fakes, math.ceil(1 / limit)))


def _least(share: Fraction, fakes: int) -> Fraction:
    if not fakes:
        return Fraction(decimal_above(share))
    room = math.floor(1 / share)
    return NOT_SENSITIVE if room < 1 + fakes else Fraction(1, room)


def check_feasible(column: Column, tolerances: Tolerances, fakes: int = 0) -> None:
    """Raise Infeasible, naming the worst value, its share and the least tolerance possible, unless all f'_i >= f_i."""
    short = shortfalls(column, tolerances, fakes)
    if short and fakes:
        worst = short[0]
        raise Infeasible(
            "With fake values a sensitive value stands once at most in a group, so the tolerance {limit:g} of "
            "“{label}” in column “{column}” can't be kept: the value fills {share:.1f} % of the records; {remedy}, "
            "or take fewer fake values.",
            limit=float(worst.limit),
            label=worst.label,
            column=column.name,
            share=100 * float(worst.share),
            remedy=say("treat it as not sensitive")
            if worst.least == NOT_SENSITIVE
            else say("set it to {least} or more", least=decimal_above(worst.least)),
        )
    if short:
        worst = short[0]
        more = say(" ({n} more values have the same fault)", n=len(short) - 1) if len(short) > 1 else ""
        raise Infeasible(
            "The tolerance {limit:g} of “{label}” in column “{column}” can't be kept: the value "
            "fills {share:.1f} % of the records; set it to {least} or more{more}.",
            limit=float(worst.limit),
            label=worst.label,
            column=column.name,
            share=100 * float(worst.share),
            least=decimal_above(worst.least),
            more=more,
        )


def nearest_feasible(column: Column, tolerances: Tolerances, fakes: int = 0) -> Tolerances:
    """Return the tolerances with each f'_i < f_i raised to the next number of two digits that f_i allows."""
    raised = {short.label: short.least for short in shortfalls(column, tolerances, fakes)}
    return Tolerances({**tolerances.limits, **raised})


def decimal_above(share: Fraction) -> str:
    """Return the least decimal of two significant digits that is not below a share, at most 1."""
    scale = 1
    while share * scale < 10 and scale < _FINEST:
        scale *= 10
    up = -((-share.numerator * scale) // share.denominator)
    number = min(Fraction(up, scale), NOT_SENSITIVE)
    return f"{float(number):.12f}".rstrip("0").rstrip(".")
