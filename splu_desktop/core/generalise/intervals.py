"""Numbers into intervals, by width or by own cut points.

Whatever way they were found, intervals are kept as their cut points, so that a saved choice always means the same
groups. Cut points found from the data are round numbers, the first and the last interval are open, and each of the two
holds a fair number of records: no boundary tells the least or greatest value of the source.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.generalise.step import KEEP, CannotGeneralise, Generalisation, Grouping, number_text
from splu_desktop.core.messages import say
from splu_desktop.core.table import Column, Kind, unique

MOST_INTERVALS = 1_000
_LONGEST = 40
_HUGE_POWER = re.compile(r"[eE][+-]?\d{4}")
_NO_NUMBERS = "Column “{column}” holds no numbers for intervals; group its values, or make an age of its dates first."
LEAST_AT_END = 10  # records in an open interval found from the data
_LEAST_SHARE = 200  # or one in so many of the records, whichever is more


@dataclass(frozen=True)
class Intervals(Generalisation):
    """Half-open intervals between cut points: below c1, c1 up to but not c2, ..., from the last on.

    Attributes
    ----------
    cuts : rising cut points, at least one.
    width : of the intervals, to be shown and changed again; None for own cut points.
    clinical : measure, unit and source of clinical cut points (`generalise.clinical`), "" for others.
    """

    cuts: tuple[float, ...]
    width: float | None = None
    clinical: str = ""
    how: ClassVar[str] = "intervals"

    def __post_init__(self) -> None:
        given: Any = self.cuts  # of a file
        if isinstance(given, str) or any(isinstance(cut, str | bool) for cut in given):
            raise TypeError(given)
        if not isinstance(self.clinical, str) or len(self.clinical) > 100:
            raise TypeError(self.clinical)
        object.__setattr__(self, "cuts", tuple(float(cut) for cut in self.cuts))
        object.__setattr__(self, "width", None if self.width is None else float(self.width))
        rising = all(map(math.isfinite, self.cuts)) and all(low < high for low, high in pairwise(self.cuts))
        if not rising or not 1 <= len(self.cuts) <= MOST_INTERVALS:
            words = "Cut points must be 1 to {most} numbers, each above the one before, such as 18, 40, 65."
            raise CannotGeneralise(words, most=MOST_INTERVALS)

    def group_labels(self, column: Column) -> Grouping:
        """Return the interval of each label; a text among the numbers stays as it is."""
        values = numbers_of(column)
        cuts = np.array(self.cuts)
        if column.kind is Kind.INTEGER:
            cuts = unique(np.ceil(cuts))
        group = np.where(np.isnan(values), KEEP, np.searchsorted(cuts, values, side="right"))
        return Grouping(group, interval_labels(cuts.tolist(), whole=column.kind is Kind.INTEGER))

    def settings(self) -> dict[str, Any]:
        """Return the choice as plain data, whole cut points as whole numbers."""
        plain = [int(cut) if cut == int(cut) and abs(cut) < 2**53 else cut for cut in self.cuts]
        return {**super().settings(), "cuts": plain}

    @property
    def words(self) -> str:
        """What it does."""
        shown = [number_text(cut) for cut in self.cuts]
        most, first, last = (4, 2, 1) if self.width else (12, 6, 3)  # of equal widths a few tell all
        if len(shown) > most:
            shown = [*shown[:first], "…", *shown[-last:]]
        cuts = ", ".join(shown)
        if self.clinical:
            return say("numbers into clinical groups ({measure}), cut at {cuts}", measure=self.clinical, cuts=cuts)
        if self.width is None:
            return say("numbers into groups, cut at {cuts}", cuts=cuts)
        return say("numbers into groups of width {width}, cut at {cuts}", width=number_text(self.width), cuts=cuts)


def interval_labels(cuts: Sequence[float], *, whole: bool) -> list[str]:
    """Return the labels of the len(cuts) + 1 intervals: "below 18", "18 to 39", "40 and more".

    Spelled with “to”, since spreadsheets read 10-12 as the 12th of October.
    """
    labels = [f"below {number_text(cuts[0])}"]
    for low, high in pairwise(cuts):
        if not whole:
            labels.append(f"{number_text(low)} to below {number_text(high)}")
        elif high - 1 == low:
            labels.append(number_text(low))
        else:
            labels.append(f"{number_text(low)} to {number_text(high - 1)}")
    return [*labels, f"{number_text(cuts[-1])} and more"]


def numbers_of(column: Column) -> NDArray[np.float64]:
    """Return (m,) the numbers behind the labels, NaN where missing or text. Raises CannotGeneralise without any."""
    if not column.kind.is_number or column.values is None:
        raise CannotGeneralise(_NO_NUMBERS, column=column.name)
    numbers = np.where(column.missing, np.nan, column.values)
    if np.isnan(numbers).all() and not column.missing.all():  # other contents than those the way was chosen for
        raise CannotGeneralise(_NO_NUMBERS, column=column.name)
    return numbers


def by_width(column: Column, width: float | str | Fraction) -> Intervals:
    """Return intervals of one width with bounds at its multiples, the ends open and well filled.

    Raises CannotGeneralise where the width is not positive, or leaves one interval or too many.
    """
    exact = _fraction(width, least=0)
    values, counts = numbers_and_counts(column)
    up_to = np.cumsum(counts)
    least = max(LEAST_AT_END, int(up_to[-1]) // _LEAST_SHARE)
    # A cut leaves enough on both sides from above the value that completes the first `least` records to the value that
    # begins the last.
    low = values[min(int(np.searchsorted(up_to, least)), len(values) - 1)]
    high = values[max(int(np.count_nonzero(up_to[-1] - up_to + counts >= least)) - 1, 0)]
    first, last = (math.floor(Fraction(repr(float(v))) / exact) for v in (low, high))
    if last - first > MOST_INTERVALS:
        raise _misfit(column, exact, last - first)
    cuts = [float(i * exact) for i in range(first + 1, last + 1)]
    if not cuts:
        raise _misfit(column, exact, 1)
    return Intervals(tuple(cuts), float(exact))


def _misfit(column: Column, width: Fraction, count: int) -> CannotGeneralise:
    words = "Groups that intervals of width {width} make of column “{column}”: about {count}; choose another width."
    return CannotGeneralise(words, width=f"{float(width):g}", count=count, column=column.name)


def by_magnitude(column: Column) -> Intervals:
    """Return intervals cut at 1, 2, 5, 10, 20 ..., over most of the records. Raises CannotGeneralise where one is left.

    For numbers that reach over magnitudes, such as charges; the cut points are the same in every table.
    """
    values, counts = numbers_and_counts(column)
    low, high = _most_of(values, counts)
    rising = values > 0
    least = _most_of(values[rising], counts[rising])[0] if rising.any() else math.inf
    powers = range(math.floor(math.log10(least)), math.floor(math.log10(high)) + 1) if least <= high else ()
    every = [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]
    begun = max((cut for cut in every if cut <= least), default=math.inf)  # what sets nothing apart from little
    cuts = tuple(cut for cut in every if cut <= high and (cut > low if low > 0 else cut >= begun))
    if not cuts:
        raise _misfit(column, Fraction(1), 1)
    return Intervals(cuts)


def by_cuts(cuts: Sequence[float | str]) -> Intervals:
    """Return intervals with own cut points, in any order. Raises CannotGeneralise."""
    return Intervals(tuple(sorted(float(_fraction(cut)) for cut in cuts)))


def round_width(column: Column, groups: int = 10) -> float:
    """Return a round width (1, 2 or 5 times a power of ten) that gives about `groups` intervals over most records."""
    values, counts = numbers_and_counts(column)
    low, high = _most_of(values, counts)
    width = _round_step(max(float(high / 2 - low / 2), 1e-9) / groups * 2)
    return max(width, 1.0) if column.kind is Kind.INTEGER else width


def _fraction(number: float | str | Fraction, least: float = -math.inf) -> Fraction:
    """Return a number above `least` as people mean it: "0.1" is a tenth. Raises CannotGeneralise."""
    try:
        text = str(number).strip()
        if len(text) > _LONGEST or _HUGE_POWER.search(text):  # "1e999999999" would be worked out digit by digit
            raise ValueError
        exact = number if isinstance(number, Fraction) else Fraction(text)
        if not least < float(exact) < math.inf:
            raise ValueError
    except (ValueError, ZeroDivisionError, OverflowError):
        words = "Widths and cut points are numbers such as 10 or 0.5, widths above 0, not “{number}”."
        raise CannotGeneralise(words, number=str(number)[:40]) from None
    return exact


def numbers_and_counts(column: Column) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return (K,) the distinct numbers that records have, rising, and how many have each. Raises CannotGeneralise."""
    values, counts = numbers_of(column), column.counts()
    used = ~np.isnan(values) & (counts > 0) & np.isfinite(values)
    if not used.any():
        raise CannotGeneralise(_NO_NUMBERS, column=column.name)
    distinct, which = np.unique(values[used], return_inverse=True)
    return distinct, np.bincount(which, weights=counts[used]).astype(np.int64)


def _most_of(values: NDArray[np.float64], counts: NDArray[np.int64]) -> tuple[float, float]:
    """Return between which of the distinct numbers, rising, 96 in 100 records lie."""
    at = np.searchsorted(np.cumsum(counts), np.array([0.02, 0.98]) * counts.sum())
    low, high = values[np.minimum(at, len(values) - 1)]
    return float(low), float(high)


def _round_step(size: float) -> float:
    """Return 1, 2 or 5 times a power of ten, the least from `size` on."""
    power = min(math.floor(math.log10(size)), 306)
    steps = [float(Fraction(d) * Fraction(10) ** (power + e)) for e in (0, 1) for d in (1, 2, 5)]
    return min((step for step in steps if step >= size * (1 - 1e-12)), default=steps[-1])
