"""What a person types in a condition, read as a number, a date, or a span of time."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.table import Column, Kind

_DECIMAL_COMMA = r"[+-]?\d+,\d+"
_THOUSANDS = r"[+-]?[1-9]\d{0,2},\d{3}"
# A year, a month, a day or a moment of it, as the table of a release spells them ...
_MOMENT = r"(?a)\d{4}(-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?)?)?)?"
# ... and a day with points, which everybody who writes it means day first. With slashes there are two ways.
_POINTED = r"(?a)(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})"
_LONGEST_SHOWN = 60  # characters of a value or a list of values repeated in a sentence


def short(text: str) -> str:
    """Return a text short enough to be repeated in a sentence."""
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def value_of(column: Column, text: str) -> Any:
    """Return what a typed text stands for in a column of numbers or dates, None where nothing.

    A month or a year is no value of a column of dates, nor a day one of moments: see `is_span`.
    """
    if not column.kind.is_date:
        return read_number(text)
    return None if is_span(column, text) else _moment(text)


def is_span(column: Column, text: str) -> bool:
    """Return whether a text names a span that holds many values: a year of quarters, a month, a day of moments."""
    if not column.kind.is_date:
        return re.fullmatch(r"\d{4}", text, re.ASCII) is not None and holds_spans(column) and text not in column.labels
    moment = _read_date(text)
    return moment is not None and np.datetime_data(moment)[0] in (
        ("Y", "M") if column.kind is Kind.DATE else ("Y", "M", "D")
    )


# A bare number is a year of the centuries that tables are about: postcodes and other numbers have four digits, too.
_SPAN = r"(?a)(18|19|20|21)\d{2}|\d{4}(-(0[1-9]|1[0-2])| Q[1-4])"


def is_span_text(text: str) -> bool:
    """Return whether a text is a year, a quarter or a month as `generalise.dates` writes them."""
    return re.fullmatch(_SPAN, text) is not None


def holds_spans(column: Column) -> bool:
    """Return whether all values of a column of texts are quarters or months, or all are years."""
    if column.values is not None or column.missing.all():
        return False
    texts = [str(label) for label in column.labels[~column.missing]]
    return len({len(text) for text in texts}) == 1 and all(map(is_span_text, texts))


def read_number(text: str) -> float | None:
    """Return the number that a typed text is, also with a decimal comma; None where it is none or could be two.

    “1,500” is fifteen hundred to some and one and a half to others.
    """
    if re.fullmatch(_DECIMAL_COMMA, text) and not re.fullmatch(_THOUSANDS, text):  # 1,5 but not 1,500
        text = text.replace(",", ".")
    try:
        number = float(text)
    except ValueError:
        return None
    return None if np.isnan(number) or "_" in text else number


def end_of_range(column: Column, text: str, *, last: bool) -> Any:
    """Return the value at which a range ends, None where it is open. A day, month or year ends with its last moment.

    Raises BadQuestion where the text is no number or date.
    """
    if not text:
        return None
    if column.values is not None and text in column.labels and not column.missing[column.code_of(text)]:
        return column.values[column.code_of(text)]  # written as the table writes it, whatever its way with dates
    dates = column.kind.is_date
    value = _moment(text) if dates else read_number(text)
    if value is None:
        words = "“{text}” in the condition on “{column}” is not a number."
        if dates:
            words = "“{text}” in the condition on “{column}” is not a date, as in 2024-03-31."
        raise BadQuestion(words, text=short(text), column=column.name)
    moment = _read_date(text) if dates and last else None
    if moment is not None:
        following = moment + 1  # in the unit that was typed: a day, a month, a year
        return following.astype("datetime64[us]") - np.timedelta64(1, "us")
    return value


def _moment(text: str) -> Any:
    """Return the first moment of the date that a text is, None where it is none."""
    moment = _read_date(text)
    return None if moment is None else moment.astype("datetime64[us]")


def _read_date(text: str) -> Any:
    """Return the date that a text is, in the unit it was typed in; None where it is none."""
    pointed = re.fullmatch(_POINTED, text)
    if pointed:
        day, month, year = pointed.groups()
        text = f"{year}-{month:0>2}-{day:0>2}"
    if not re.fullmatch(_MOMENT, text):  # NumPy would take "now" and hours of other time zones, too
        return None
    try:
        return np.datetime64(text)
    except ValueError:  # the 31st of February
        return None
