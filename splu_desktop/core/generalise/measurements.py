"""Which columns hold measurements, and what to make of them so that they can be sensitive attributes.

The mechanism re-draws labels: it says nothing about how near two numbers are, and a value that only one record has
stands published as itself. So a measurement (length of stay, charges, dates) has to be put into groups first, while
numbers that only name categories (occupation 0 to 45) or a short scale (0 to 10) are labels as they are.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.generalise.clinical import clinical, measure_of, words_for_numbers
from splu_desktop.core.generalise.dates import DatePart, Part
from splu_desktop.core.generalise.intervals import by_magnitude, by_width, round_width
from splu_desktop.core.generalise.step import CannotGeneralise, Generalisation, number_text
from splu_desktop.core.table import Column, Kind, unique
from splu_desktop.core.words import words_of

SHORT_SCALE = 20  # distinct numbers up to which a column is a scale, whatever they measure
LONG_CODE = 2_000  # distinct whole numbers above which only the name makes a column a code
_FILLED = 0.9  # of the whole numbers from least to greatest that a code uses at least
SUGGESTED_GROUPS = 10


class NeedsGroups(BadSetting):
    """A measurement was marked as sensitive before it was generalised."""

    def __init__(self, column: Column) -> None:
        dated = column.kind.is_date
        super().__init__(
            "Column “{column}” holds {distinct} dates or measured numbers, which can't be re-drawn as they stand; put "
            "them into bands first (for example --generalise '{column}:{option}').",
            column=column.name,
            distinct=int(np.count_nonzero(~column.missing)),
            option="quarter" if dated else f"width={number_text(round_width(column))}",
        )
        self.column = column.name


def is_measurement(column: Column) -> bool:
    """Whether a column must be generalised before it can be sensitive.

    Dates always. Numbers with more than SHORT_SCALE distinct values, unless they name categories: whole numbers from
    0 or more of no clinical measure, under a name that says code or type, or up to LONG_CODE of them without gaps and
    under no name that says a quantity.
    """
    if column.values is None or not column.kind.has_order:
        return False
    if column.kind.is_date:
        return True
    values = column.values[~column.missing]
    values = values[~np.isnan(values)]
    distinct = len(unique(values))
    if distinct <= SHORT_SCALE:
        return False
    if column.kind is Kind.DECIMAL or values.min() < 0 or values.max() >= 1e6 or measure_of(column) is not None:
        return True
    words = set(words_of(column.name))
    if words & words_for_numbers("codes"):
        return False
    if distinct > LONG_CODE or words & words_for_numbers("quantities"):
        return True
    return bool(distinct < _FILLED * (values.max() - values.min() + 1))


def suggest(column: Column) -> tuple[Generalisation, ...]:
    """Return a sensible generalisation of a measurement, empty where none is needed or none fits.

    Dates by their year, quarter or month; numbers in clinical intervals where such are known, else in intervals of a
    round width, or by magnitude where most records lay in one. Cut points are round or published ones, never such as
    divide the records (mechanism.md section 5).
    """
    if not is_measurement(column):
        return ()
    if column.kind.is_date:
        return (_date_part(column),)
    ways: tuple[Generalisation, ...] = ()
    with suppress(CannotGeneralise):  # no known measure, or all records lie within one interval
        return (clinical(column),)
    with suppress(CannotGeneralise):
        ways = (by_width(column, round_width(column)),)
        if 2 * ways[0].apply(column).counts().max() <= column.n:
            return ways
    with suppress(CannotGeneralise):
        return (by_magnitude(column),)
    return ways


def _date_part(column: Column) -> Generalisation:
    """Return the coarsest part of dates that still gives several groups."""
    for part in (Part.YEAR, Part.QUARTER):
        if DatePart(part).apply(column).m >= SUGGESTED_GROUPS:
            return DatePart(part)
    return DatePart(Part.MONTH)


def still_measured(column: Column, after: Column) -> bool:
    """Whether a column of the source is a measurement that its generalisation, if any, has left as fine as it was."""
    values, left = (int(np.count_nonzero(~each.missing)) for each in (column, after))
    return left >= values and is_measurement(after)


def check_sensitive(column: Column, after: Column | None = None) -> None:
    """Raise NeedsGroups where a column can't be sensitive as it stands, or as it is after generalisation."""
    if still_measured(column, column if after is None else after):
        raise NeedsGroups(column)
