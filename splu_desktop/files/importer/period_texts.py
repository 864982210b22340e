"""Periods as statistics programs store them: whole numbers of months, quarters, weeks or seconds since a first day.

And formats that pyreadstat doesn't know by itself: of days and moments, and of numbers filled up with zeros.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from typing import Any

from splu_desktop.files.importer.columns.cells import fill_up, text_of
from splu_desktop.files.importer.columns.words import pattern

_STATA = {"m": 12, "q": 4, "h": 2, "w": 52, "y": 1}  # periods of a year; Stata's weeks are 52, the last of 8 or 9 days
_DAY = 86_400.0  # seconds
_FIRST = {"spss": dt.date(1582, 10, 14), "sas": dt.date(1960, 1, 1)}
_WEEK = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_WHAT = ("day", "moment", "filled", "period")
_FORMS = {kind: {what: pattern(f"{kind}_{what}") for what in _WHAT} for kind in ("stata", "sas", "spss")}
# By pyreadstat for something else: days of moments, and durations, of which it keeps the time of day alone.
MISTAKEN = {kind: pattern(f"{kind}_mistaken") for kind in _FORMS}


def name_formats(kind: str, forms: Iterable[str | None]) -> tuple[list[str], list[str]]:
    """Return which formats are of days, and which of moments, of those that pyreadstat may not know."""
    some = sorted({form for form in forms if form})
    days, moments = ([form for form in some if _FORMS[kind][what].fullmatch(form)] for what in ("day", "moment"))
    return days, moments


def period_text(kind: str, form: str | None) -> Callable[[Any], str | None] | None:
    """Return what turns a stored value into its text by the format: 2010-05, 2010 Q2, 2010-W21, 2010 H1, 2010, 00123.

    None where the format is none of a period; the function gives None, or raises TypeError, ValueError or
    OverflowError, for what is none.

    kind, form : "stata", "spss" or "sas", and the format that the file gives a column.
    """
    form = (form or "").upper()
    if filled := _FORMS[kind]["filled"].fullmatch(form):
        return lambda value: text_of(fill_up(float(value), "0" * int(filled[1])))
    if form.startswith("WKDAY"):
        return lambda value: _WEEK[int(value) - 1] if value in range(1, 8) else None
    if period := _FORMS[kind]["period"].fullmatch(form):
        unit = period.lastgroup or ""
        if kind == "stata":
            return lambda value: _of_count(value, unit)
        first, per_day = _FIRST[kind], 1.0 if kind == "sas" and not form.startswith("DT") else _DAY
        return lambda value: _of_day(value, unit, first, per_day)
    if MISTAKEN[kind].fullmatch(form):
        return lambda value: text_of(dt.timedelta(0, value)) if 0 <= value < 1e13 else None
    return None


def _of_count(value: float, unit: str) -> str | None:
    if value % 1:
        return None
    year, part = (int(value), 0) if unit == "y" else divmod(int(value), _STATA[unit])
    return _text(year if unit == "y" else 1960 + year, part + 1, unit)


def _of_day(value: Any, unit: str, first: dt.date, per_day: float) -> str:
    day = value if isinstance(value, dt.date) else first + dt.timedelta(days=int(value // per_day))
    parts = {"m": day.month, "q": (day.month + 2) // 3, "w": (day.timetuple().tm_yday - 1) // 7 + 1}
    return day.isoformat() if unit == "d" else _text(day.year, parts.get(unit, 1), unit)


def _text(year: int, part: int, unit: str) -> str:
    forms = {"y": "{:04d}", "m": "{:04d}-{:02d}", "q": "{:04d} Q{}", "h": "{:04d} H{}", "w": "{:04d}-W{:02d}"}
    return forms[unit].format(year, part)
