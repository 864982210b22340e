"""Dates into year, quarter, month or weekday, or into the age in years at a reference date."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.generalise.step import KEEP, CannotGeneralise, Generalisation, Grouping
from splu_desktop.core.messages import say
from splu_desktop.core.table import Column, Kind

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class Part(Enum):
    """Parts of a date."""

    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"
    WEEKDAY = "weekday"


_WORDS = {
    Part.YEAR: say("dates into their year"),
    Part.QUARTER: say("dates into their quarter"),
    Part.MONTH: say("dates into their month"),
    Part.WEEKDAY: say("dates into their weekday"),
}
_NO_DATES = "Column “{column}” holds values that are no dates; choose another way, or its type when importing."


@dataclass(frozen=True)
class DatePart(Generalisation):
    """A date's year ("2016"), quarter ("2016 Q1"), month ("2016-03") or weekday.

    Years are whole numbers, so that intervals can follow. The earliest and the latest year of a column stay
    recognisable; let `Intervals` or `Rare` follow where few records have them.
    """

    part: Part
    how: ClassVar[str] = "date"

    def __post_init__(self) -> None:
        object.__setattr__(self, "part", Part(self.part))

    def group_labels(self, column: Column) -> Grouping:
        """Return the part of each date; a text among the dates stays as it is. Raises CannotGeneralise."""
        days, known = days_of(column)
        if not (known.any() or column.missing.all()):  # other contents than those the way was chosen for
            raise CannotGeneralise(_NO_DATES, column=column.name)
        months = days.astype("datetime64[M]").astype(np.int64)
        if self.part is Part.WEEKDAY:  # 1970-01-01 was a Thursday
            return Grouping(np.where(known, (days.astype(np.int64) + 3) % 7, KEEP), WEEKDAYS)
        size = {Part.YEAR: 12, Part.QUARTER: 3, Part.MONTH: 1}[self.part]
        periods, which = np.unique(months[known] // size, return_inverse=True)
        group = np.full(column.m, KEEP)
        group[known] = which
        names = [self._name(int(number)) for number in periods]
        if self.part is Part.YEAR and bool((known | column.missing).all()):
            return Grouping(group, names, Kind.INTEGER, 1970.0 + periods)
        return Grouping(group, names)

    def _name(self, number: int) -> str:
        if self.part is Part.YEAR:
            return f"{1970 + number:04d}"
        if self.part is Part.QUARTER:
            return f"{1970 + number // 4:04d} Q{number % 4 + 1}"
        return f"{1970 + number // 12:04d}-{number % 12 + 1:02d}"

    @property
    def words(self) -> str:
        """What it does."""
        return _WORDS[self.part]


@dataclass(frozen=True)
class Age(Generalisation):
    """The age in completed years at a reference date, a whole number; `Intervals` make age bands of it."""

    at: date
    how: ClassVar[str] = "age"
    usage: ClassVar[str] = "age=2024-12-31"

    def __post_init__(self) -> None:
        given: Any = self.at  # of a file, a text
        object.__setattr__(self, "at", given if isinstance(given, date) else reference_date(given))

    @classmethod
    def from_text(cls, text: str) -> Age:
        """Return the ages at the date typed."""
        return cls(reference_date(text))

    def group_labels(self, column: Column) -> Grouping:
        """Return the age of each date. Raises CannotGeneralise where a date lies after the reference date."""
        days, known = days_of(column)
        if not bool((known | column.missing).all()):
            raise CannotGeneralise(_NO_DATES, column=column.name)
        ages = ages_at(days[known], self.at)
        if (ages < 0).any():
            words = "Column “{column}” holds dates after the reference date {at}; choose a later one."
            raise CannotGeneralise(words, column=column.name, at=self.at)
        years, which = np.unique(ages, return_inverse=True)
        group = np.full(column.m, KEEP)
        group[known] = which
        return Grouping(group, [str(age) for age in years.tolist()], Kind.INTEGER, years.astype(np.float64))

    @property
    def words(self) -> str:
        """What it does."""
        return say("dates into the age in years on {at}", at=self.at)


def reference_date(text: str) -> date:
    """Return the date that an ISO 8601 text means. Raises CannotGeneralise."""
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        words = "The reference date must be written like 2024-12-31, not “{text}”."
        raise CannotGeneralise(words, text=text.strip()[:40]) from None


def ages_at(days: NDArray[Any], at: date) -> NDArray[np.int64]:
    """Return (m,) the completed years from days (datetime64[D]) to `at`; one born on 29 February waits for 1 March."""
    years = days.astype("datetime64[Y]").astype(np.int64) + 1970
    months = days.astype("datetime64[M]").astype(np.int64) % 12 + 1
    day = (days - days.astype("datetime64[M]").astype("datetime64[D]")).astype(np.int64) + 1
    later = (months > at.month) | ((months == at.month) & (day > at.day))
    return np.asarray(at.year - years - later, np.int64)


def days_of(column: Column) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return (m,) the day of each label and whether it has one. Raises CannotGeneralise for kinds without dates."""
    if not column.kind.is_date or column.values is None:
        raise CannotGeneralise(_NO_DATES, column=column.name)
    known = ~np.isnat(column.values) & ~column.missing
    return np.where(known, column.values, np.datetime64("1970-01-01", "us")).astype("datetime64[D]"), known
