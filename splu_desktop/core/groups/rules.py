"""Ways to say a tolerance for every value of a column: by rule, by hand, by class of sensitivity.

Tolerances are published with a release, for a reader needs them; a rule such as theta f_i + c would publish the true
share f_i with them. So a rule's tolerance is rounded down to a rung 1/k of a short ladder: stricter than asked, the
same for all values within a rung, and telling no more of a share than the rung (see `revealed`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from enum import Enum
from fractions import Fraction

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.groups.tolerances import NOT_SENSITIVE, Tolerances, checked_tolerance
from splu_desktop.core.messages import say
from splu_desktop.core.rationals import as_fraction
from splu_desktop.core.table import Column

# Each rung is at most three quarters of the one above it from a half on, so that a rung spans many counts.
LADDER = tuple(Fraction(1, k) for k in (1, 2, 3, 4, 6, 8, 12, 16, 25, 33, 50, 75, 100, 150, 200))


class Sensitivity(Enum):
    """Classes of sensitivity and the tolerance each stands for."""

    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    @property
    def tolerance(self) -> Fraction:
        """The tolerance: share of the rows showing the value that may truly have it, on average."""
        return _STANDS_FOR[self]


_STANDS_FOR = {
    Sensitivity.NONE: NOT_SENSITIVE,
    Sensitivity.LOW: Fraction(1, 2),
    Sensitivity.MEDIUM: Fraction(1, 4),
    Sensitivity.HIGH: Fraction(1, 10),
}


def linear(
    column: Column, theta: float | str | Fraction, offset: float | str | Fraction = "0.02", *, block: int = 1
) -> Tolerances:
    """Return f'_i = min(1, theta f_i + c) for every value (papers, section 7.1), exactly; see `on_ladder`.

    With a `block`, counts are first rounded down to whole blocks of records, so that all counts below one block get
    the same tolerance. Raises BadSetting where theta or c is negative or not a number, or some f'_i would be 0.
    """
    try:
        slope, start = as_fraction(theta), as_fraction(offset)
    except (ValueError, ZeroDivisionError):
        raise BadSetting(
            "The rule theta f + c needs two numbers such as 2 and 0.02, not {theta} and {offset}.",
            theta=theta,
            offset=offset,
        ) from None
    if slope < 0 or start < 0:
        raise BadSetting("The rule theta f + c needs theta and c of 0 or more.")
    return Tolerances(
        {
            str(label): min(NOT_SENSITIVE, slope * Fraction(int(count) // block * block, max(column.n, 1)) + start)
            for label, count in zip(column.labels, column.counts(), strict=True)
        }
    )


def on_ladder(column: Column, tolerances: Tolerances) -> Tolerances:
    """Return every tolerance rounded down to a rung, or up to the rung above where its value's share demands it.

    A value whose share lies between two rungs is more frequent than the lower one tolerates, whatever the rule says.
    """
    limits = {}
    for label, limit, count in zip(column.labels, tolerances.of(column), column.counts(), strict=True):
        rung = next((step for step in LADDER if step <= limit), Fraction(1, math.ceil(1 / limit)))
        if rung * column.n < int(count):
            rung = min(step for step in LADDER if step * column.n >= int(count))
        limits[str(label)] = rung
    return Tolerances(limits)


def equal(column: Column, gamma: int) -> Tolerances:
    """Return 1/gamma for every value: plain decoy groups as a special case."""
    return Tolerances({str(label): Fraction(1, gamma) for label in column.labels})


def by_hand(
    column: Column,
    given: Mapping[str, float | str | Fraction],
    rest: float | str | Fraction | Tolerances = NOT_SENSITIVE,
) -> Tolerances:
    """Return the tolerances given for some values, and for the others `rest` (a number, or a rule's tolerances).

    Raises BadSetting where a value is not in the column or a tolerance not in (0, 1].
    """
    known = [str(label) for label in column.labels]
    for label in given:
        if label not in set(known):
            raise unknown_value(column, label)
    base: Mapping[str, Fraction]
    base = rest.limits if isinstance(rest, Tolerances) else dict.fromkeys(known, checked_tolerance("the rest", rest))
    return Tolerances({label: checked_tolerance(label, given.get(label, base[label])) for label in known})


def from_pairs(
    column: Column, pairs: Iterable[tuple[str, str]], rest: float | str | Fraction | Tolerances = NOT_SENSITIVE
) -> Tolerances:
    """Return the tolerances that a list of value and tolerance says, such as the rows of a CSV file.

    A tolerance is a number, or one of the words none, low, medium, high. Raises BadSetting for a value that the column
    lacks, one given twice with different tolerances, or a tolerance that is none.
    """
    given: dict[str, Fraction] = {}
    for label, text in pairs:
        limit = said(label, text)
        if given.setdefault(label, limit) != limit:
            raise BadSetting(
                "The value “{label}” has two tolerances, {given:g} and {limit:g}; give it one.",
                label=label,
                given=float(given[label]),
                limit=float(limit),
            )
    return by_hand(column, given, rest)


def said(label: str, text: str) -> Fraction:
    """Return the tolerance that a text says for a value. Raises BadSetting."""
    word = text.strip().lower()
    for sort in Sensitivity:
        if word == sort.value:
            return sort.tolerance
    if len(word) > 30 or "e" in word:
        raise BadSetting(
            "The tolerance of “{label}” must be a number such as 0.25, not “{word}”.", label=label, word=word[:30]
        )
    return checked_tolerance(label, word)


def unknown_value(column: Column, label: str) -> BadSetting:
    """Return the fault of naming a value that the column lacks."""
    near = [str(known) for known in column.labels if str(known).strip().lower() == label.strip().lower()]
    hint = (
        say("write “{near}” as the column does.", near=near[0])
        if near
        else say("check its spelling, or take it out of the list.")
    )
    return BadSetting("Column “{column}” has no value “{label}”; {hint}", column=column.name, label=label, hint=hint)
