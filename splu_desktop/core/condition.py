"""Conditions of a question: what a person types or points at, resolved to the labels of a published column."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.interval_texts import Ends, inside, interval_ends
from splu_desktop.core.published import Published
from splu_desktop.core.said import say
from splu_desktop.core.table import Column, Flags, Kind

_DATES = (Kind.DATE, Kind.DATETIME)
EMPTY = "(empty)"  # how the missing value is written where an empty text would be no condition
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_LONGEST_SHOWN = 60  # characters of a value or a list of values repeated in a sentence


class UnknownValue(BadQuestion):
    """A value was named that no record of the release shows.

    Attributes
    ----------
    column, value : what was asked.
    sensitive : whether the column is an SA, whose rare values may vanish in the draw (mechanism.md section 2, step 5).
    """

    def __init__(self, column: Column, value: str, sensitive: bool) -> None:
        near = difflib.get_close_matches(value, column.labels.tolist(), n=1, cutoff=0.6)
        hint = say("; the nearest is “{near}”", near=near[0]) if near else ""
        why = say(" (a rare value can vanish when the column is re-drawn)") if sensitive else ""
        super().__init__(
            say(
                "No published record has {column} = “{value}”{why}{hint}.",
                column=column.name,
                value=_short(value),
                why=why,
                hint=hint,
            )
        )
        self.column, self.value, self.sensitive = column.name, value, sensitive


@dataclass(frozen=True)
class Condition:
    """One column's part of a question: some of its values, or a range of numbers or dates.

    Attributes
    ----------
    column : the column's name.
    values : labels, any of which will do; empty for a range.
    low, high : ends of a range as typed, both included, "" where open.
    """

    column: str
    values: tuple[str, ...] = ()
    low: str = ""
    high: str = ""

    @property
    def is_range(self) -> bool:
        """Whether this is a range rather than a list of values."""
        return not self.values

    def __str__(self) -> str:
        chosen = f"{self.low}..{self.high}" if self.is_range else "|".join(self.values)
        return f"{self.column}={chosen}"

    def words(self) -> str:
        """Return the condition in words, for the sentence of a question."""
        if not self.is_range:
            listed = ", ".join(_short(value) if value else "(empty)" for value in self.values[:6])
            if len(self.values) == 1:
                return say("{column} is {value}", column=self.column, value=listed)
            if len(self.values) <= 6:
                return say("{column} is one of {values}", column=self.column, values=listed)
            more = len(self.values) - 6
            return say("{column} is one of {values} and {more} more", column=self.column, values=listed, more=more)
        if self.low and self.high:
            return say("{column} is from {low} to {high}", column=self.column, low=self.low, high=self.high)
        return (
            say("{column} is {low} or more", column=self.column, low=self.low)
            if self.low
            else say("{column} is {high} or less", column=self.column, high=self.high)
        )

    def select(self, column: Column, *, sensitive: bool = False) -> Flags:
        """Return (m,) bool, the labels of `column` that meet the condition.

        Raises
        ------
        UnknownValue : a value that no published record has.
        BadQuestion : a range on a column without order, ends that can't be read or are the wrong way round, or a range
            that holds no value of the column.
        """
        if self.is_range:
            return self._within(column)
        chosen = np.zeros(column.m, bool)
        for value in self.values:
            code = _code(column, value)
            if code is None:
                raise UnknownValue(column, value, sensitive)
            chosen[code] = True
        return chosen

    def select_known(self, column: Column) -> Flags:
        """Return (m,) bool like `select`, leaving out values that no published record has."""
        chosen = np.zeros(column.m, bool)
        for value in self.values:
            code = _code(column, value)
            if code is not None:
                chosen[code] = True
        return chosen

    def _within(self, column: Column) -> Flags:
        if not self.low and not self.high:
            raise BadQuestion(
                say(
                    "The condition on “{column}” chooses nothing; name a value or leave the column out.",
                    column=column.name,
                )
            )
        intervals = interval_ends(column) if column.values is None else None
        if intervals is not None:
            return self._of_intervals(column, intervals)
        if column.values is None:
            raise BadQuestion(
                say(
                    "“{value}” asks for a range, but “{column}” holds neither numbers nor dates; list its "
                    "values with | between them.",
                    value=self,
                    column=column.name,
                )
            )
        ends = [_end(column, text, last=last) for text, last in ((self.low, False), (self.high, True))]
        low, high = ends
        if low is not None and high is not None and low > high:
            raise BadQuestion(say("The range of “{value}” runs backwards; write the smaller end first.", value=self))
        chosen = ~column.missing
        if low is not None:
            chosen &= column.values >= low
        if high is not None:
            chosen &= column.values <= high
        if not chosen.any():
            raise self._nothing_in(column)
        return chosen

    def _of_intervals(self, column: Column, intervals: tuple[Ends, Ends]) -> Flags:
        """Return (m,) bool, the intervals that make up the range. Raises BadQuestion where its ends cut through one."""
        low, high = (_number(column, text) for text in (self.low, self.high))
        if low is not None and high is not None and low > high:
            raise BadQuestion(say("The range of “{value}” runs backwards; write the smaller end first.", value=self))
        chosen = inside(column, intervals, low, high)
        if isinstance(chosen, str):
            raise BadQuestion(chosen)
        if not chosen.any():
            raise self._nothing_in(column)
        return chosen

    def _nothing_in(self, column: Column) -> BadQuestion:
        present = column.labels[~column.missing]
        span = (
            say("; its values run from {first} to {last}", first=present[0], last=present[-1]) if len(present) else ""
        )
        return BadQuestion(
            say(
                "No published record has {column} in “{low}..{high}”{span}.",
                column=column.name,
                low=self.low,
                high=self.high,
                span=span,
            )
        )


def takes_range(column: Column) -> bool:
    """Return whether a range may be asked of a column: numbers, dates, or intervals of numbers."""
    return column.kind.ordered or interval_ends(column) is not None


def parse_condition(text: str, published: Published) -> Condition:
    """Read ``Column=Value``, ``Column=A|B`` or ``Column=low..high`` (either end may be left open).

    ``Column=`` and the word ``(empty)`` mean the records without a value.

    Names and values may hold ``=``, ``|``, ``..`` and blanks: the longest column name that fits wins, and a text that
    is a label as it stands is that label. Raises BadQuestion with one sentence.
    """
    fitting = [name for name in published.table.names if _after(name, text) is not None]
    if fitting:
        name = max(fitting, key=len)
        return parse_choice(_after(name, text) or "", published.table[name], sensitive=published.is_sensitive(name))
    head, equals, _ = text.partition("=")
    if not equals:
        raise BadQuestion(
            say("“{text}” is not a condition; write Column=Value, Column=A|B or Column=low..high.", text=_short(text))
        )
    raise BadQuestion(unknown_column(head.strip(), published))


def column_named(name: str, published: Published) -> str:
    """Return the column that a typed name means. Raises BadQuestion with the nearest ones."""
    for candidate in (name, name.strip()):
        if candidate in published.table:
            return candidate
    raise BadQuestion(unknown_column(name.strip(), published))


def unknown_column(name: str, published: Published) -> str:
    """Return the sentence about a column that the release does not have."""
    names = published.table.names
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    folded = [known for known in names if known.casefold() == name.casefold()]
    hint = (folded or near)[:1]
    listed = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    advice = say("did you mean “{hint}”?", hint=hint[0]) if hint else say("its columns are: {listed}.", listed=listed)
    return say("The release has no column “{name}”; {advice}", name=_short(name), advice=advice)


def parse_choice(text: str, column: Column, *, sensitive: bool = False) -> Condition:
    """Read the part after the equals sign, or a cell of a file of questions, for one column.

    Raises UnknownValue or BadQuestion.
    """
    condition = _read_choice(text, column, sensitive)
    condition.select(column, sensitive=sensitive)
    return condition


def _read_choice(text: str, column: Column, sensitive: bool) -> Condition:
    code = _code(column, text)
    if code is not None:
        return Condition(column.name, (str(column.labels[code]),))
    if not text.strip():
        missing = _missing(column)
        if missing:
            return Condition(column.name, missing)
        raise BadQuestion(
            say(
                "The condition on “{column}” chooses nothing, and every published record has a value there; name a "
                "value or leave the column out.",
                column=column.name,
            )
        )
    values: list[str] = []
    parts = text.split("|")
    at = 0
    while at < len(parts):
        # The longest run of parts that is a label as it stands: a label may itself hold the bar.
        for stop in range(len(parts), at, -1):
            piece = "|".join(parts[at:stop])
            code = _code(column, piece)
            if code is not None:
                values.append(str(column.labels[code]))
                at = stop
                break
        else:
            piece = parts[at]
            if not piece.strip():
                raise BadQuestion(
                    say(
                        "“{column}={text}” has an empty place between its bars; take it out, or write (empty) for "
                        "records without a value.",
                        column=column.name,
                        text=_short(text),
                    )
                )
            if piece.strip().casefold() == EMPTY and _missing(column):
                values += _missing(column)
                at += 1
                continue
            if ".." not in piece or not takes_range(column):
                raise UnknownValue(column, piece.strip(), sensitive)
            low, _, high = piece.partition("..")
            within = Condition(column.name, (), low.strip(), high.strip())
            if len(parts) == 1:
                return within
            values += [str(label) for label in column.labels[within.select(column)]]
            at += 1
    return Condition(column.name, tuple(dict.fromkeys(values)))


def _missing(column: Column) -> tuple[str, ...]:
    """Return the labels of a column that stand for “no value”."""
    return tuple(str(label) for label in column.labels[column.missing])


def _after(name: str, text: str) -> str | None:
    """Return what follows ``name=`` in the text, or None where the text does not start with it."""
    for start in (text, text.lstrip()):
        if start.startswith(name):
            rest = start[len(name) :].lstrip()
            if rest.startswith("="):
                return rest[1:]
    return None


def _code(column: Column, text: str) -> int | None:
    """Return the code a text names: the label itself, without blanks around it, by value, or but for upper case."""
    for candidate in (text, text.strip()):
        try:
            return column.code_of(candidate)
        except KeyError:
            continue
    stripped = text.strip()
    if not stripped:
        return None
    found: Sequence[int] | NDArray[Any] = ()
    if column.values is not None:
        value = _value(column, stripped)
        if value is not None:
            found = np.flatnonzero(column.values == value)
    else:
        folded = stripped.casefold()
        found = [code for code, label in enumerate(column.labels.tolist()) if label.strip().casefold() == folded]
    # Two labels with one value ("30" and "30.0") leave it open which is meant.
    return int(found[0]) if len(found) == 1 else None


def _value(column: Column, text: str) -> Any:
    """Return what a typed text stands for in a column of numbers or dates, None where nothing."""
    if column.kind in _DATES:
        try:
            date = np.datetime64(text).astype("datetime64[us]")
        except ValueError:
            return None
        return None if np.isnat(date) else date
    return _read_number(text)


def _read_number(text: str) -> float | None:
    """Return the number that a typed text is, also with a decimal comma; None where it is none or could be two.

    “1,500” is fifteen hundred to some and one and a half to others.
    """
    if _DECIMAL_COMMA.fullmatch(text) and not _THOUSANDS.fullmatch(text):
        text = text.replace(",", ".")
    try:
        number = float(text)
    except ValueError:
        return None
    return None if np.isnan(number) or "_" in text else number


def _number(column: Column, text: str) -> float | None:
    """Return the end of a range of intervals, None where it is open."""
    if not text:
        return None
    number = _read_number(text)
    if number is None:
        raise BadQuestion(
            say("“{text}” in the condition on “{column}” is not a number.", text=_short(text), column=column.name)
        )
    return number


def _end(column: Column, text: str, *, last: bool) -> Any:
    """Return the value at which a range ends, None where it is open. A day, month or year ends with its last moment."""
    if not text:
        return None
    if column.values is not None and text in column.labels and not column.missing[column.code_of(text)]:
        return column.values[column.code_of(text)]  # written as the table writes it, whatever its way with dates
    value = _value(column, text)
    if value is None:
        short = _short(text)
        raise BadQuestion(
            say(
                "“{text}” in the condition on “{column}” is not a date, as in 2024-03-31.",
                text=short,
                column=column.name,
            )
            if column.kind in _DATES
            else say("“{text}” in the condition on “{column}” is not a number.", text=short, column=column.name)
        )
    if last and column.kind in _DATES:
        following = np.datetime64(text) + 1  # in the unit that was typed: a day, a month, a year
        return following.astype("datetime64[us]") - np.timedelta64(1, "us")
    return value


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
