"""Periods as statistics programs store them: whole numbers of months, quarters, weeks or seconds since a first day.

And the formats of days and moments that pyreadstat does not know by itself.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable
from typing import Any

from splu_desktop.files.importer.columns.cells import text_of
from splu_desktop.files.importer.columns.words import pattern

_STATA = {"m": 12, "q": 4, "h": 2, "w": 52, "y": 1}  # periods of a year; Stata's weeks are 52, the last of 8 or 9 days
_DAY = 86_400.0  # seconds
_SPSS_FIRST, _SAS_FIRST = dt.date(1582, 10, 14), dt.date(1960, 1, 1)
_SPSS = {"QYR": "q", "MOYR": "m", "WKYR": "w"}
_SAS = (("DTDATE", "d"), ("YEAR", "y"), ("MONYY", "m"), ("YYMM", "m"), ("MMYY", "m"), ("YYQ", "q"))
_SAS_DAYS = ("YYMMDD", "MMDDYY")  # which begin like months
# By pyreadstat for something else: days of moments, and durations, of which it keeps the time of day alone.
_DURATIONS = ("TIME", "DTIME", "MTIME", "HHMM", "MMSS")
MISTAKEN = {"sas": ("DTDATE", *_DURATIONS), "spss": _DURATIONS}
_WEEK = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_DAYS = {kind: pattern(f"{kind}_day") for kind in ("stata", "sas")}
_MOMENTS = {kind: pattern(f"{kind}_moment") for kind in ("stata", "sas")}


def name_formats(kind: str, forms: Iterable[str | None]) -> tuple[list[str], list[str]]:
    """Return which formats are of days, and which of moments, of those that pyreadstat may not know."""
    some = {form for form in forms if form and kind in _DAYS}
    days = sorted(form for form in some if _DAYS[kind].fullmatch(form))
    return days, sorted(form for form in some if _MOMENTS[kind].fullmatch(form))


def period_text(kind: str, form: str | None) -> Callable[[Any], str | None] | None:
    """Return what turns a stored value into its period's text (2010-05, 2010 Q2, 2010-W21, 2010 H1, 2010).

    None where the format is none of a period; the function gives None for what is no number or day.

    kind, form : "stata", "spss" or "sas", and the format that the file gives a column.
    """
    if not form:
        return None
    if kind == "stata":
        match = re.fullmatch(r"%-?t([mqhwy])\S*", form)
        if match is None:
            return None
        unit = match[1]
        return lambda value: _of_count(value, unit) if isinstance(value, (int, float)) else None
    name = re.sub(r"[\d.]+$", "", form.upper())
    if name.startswith(_DURATIONS):
        return lambda value: text_of(dt.timedelta(0, value)) if isinstance(value, float) and 0 <= value < 1e13 else None
    if kind == "spss":
        if name == "WKDAY":
            return lambda value: _WEEK[int(value) - 1] if value in range(1, 8) else None
        unit = _SPSS.get(name, "")
        first, per_day = _SPSS_FIRST, _DAY
    else:
        first, per_day = _SAS_FIRST, _DAY if name.startswith("DT") else 1.0
        name = name if name.startswith("DTDATE") else name.removeprefix("DT")
        unit = "" if name.startswith(_SAS_DAYS) else next((unit for key, unit in _SAS if name.startswith(key)), "")
    return (lambda value: _of_day(value, unit, first, per_day)) if unit else None


def _of_count(value: float, unit: str) -> str | None:
    if value != value or value % 1:
        return None
    year, part = (int(value), 0) if unit == "y" else divmod(int(value), _STATA[unit])
    return _text(year if unit == "y" else 1960 + year, part + 1, unit)


def _of_day(value: Any, unit: str, first: dt.date, per_day: float) -> str | None:
    if isinstance(value, dt.date):
        day = value
    elif isinstance(value, (int, float)) and value == value:
        try:
            day = first + dt.timedelta(days=int(value // per_day))
        except OverflowError:
            return None
    else:
        return None
    parts = {"m": day.month, "q": (day.month + 2) // 3, "w": (day.timetuple().tm_yday - 1) // 7 + 1}
    return day.isoformat() if unit == "d" else _text(day.year, parts.get(unit, 1), unit)


def _text(year: int, part: int, unit: str) -> str:
    forms = {"y": "{:04d}", "m": "{:04d}-{:02d}", "q": "{:04d} Q{}", "h": "{:04d} H{}", "w": "{:04d}-W{:02d}"}
    return forms[unit].format(year, part)
