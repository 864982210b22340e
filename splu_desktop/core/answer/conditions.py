"""Conditions of a question: what a person types or points at, resolved to the labels of a published column."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from splu_desktop.core.answer.condition_values import (
    end_of_range,
    holds_spans,
    is_span,
    is_span_text,
    read_number,
    short,
    value_of,
)
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.interval_texts import find_interval, inside, interval_ends, is_interval, respelled_interval
from splu_desktop.core.messages import count_to_name, fold_text, in_words, listed, nearest, no_column, say
from splu_desktop.core.published import Published
from splu_desktop.core.table import Column, Flags

EMPTY = "(empty)"  # how the missing value is written where an empty text would be no condition
_NEXT = "{head}, {tail}"
_NAMED = 12  # values named to who asked for one that is not there
_SIGNS = {"=": "{}", "!=": "{}", ">=": "{}..", "<=": "..{}"}  # between a column and what is asked of it -> as a choice


def _shorten(value: str) -> str:
    return in_words(short(value))


def _span(present: Sequence[object]) -> str:
    return say("; its values run from {first} to {last}", first=present[0], last=present[-1]) if present else ""


class UnknownValue(BadQuestion):
    """A value was named that no record of the release shows; rare ones of an SA may vanish (mechanism.md section 5)."""

    def __init__(self, column: Column, value: str, sensitive: bool) -> None:
        super().__init__()
        self._column, self._value, self._sensitive = column, value, sensitive

    def __str__(self) -> str:
        # Made when it is read: to look for the nearest of many labels takes longer than all else, and who asks a file
        # of questions for values that vanished reads no sentence.
        column, value, rare = self._column, self._value, self._sensitive and ".." not in self._value
        present = column.labels[~column.missing].tolist()
        if takes_range(column):
            hint = _span(present)
        elif ".." in value:
            hint = say("; “..” is a range in columns of numbers or dates alone")
        elif near := nearest(value, present):
            hint = say("; the nearest is “{near}”", near=near)
        else:
            more = ", …" if len(present) > _NAMED else ""
            hint = say("; its values are: {listed}", listed=", ".join(map(short, present[:_NAMED])) + more)
        why = say(" (a rare value can vanish when the column is re-drawn)") if rare else ""
        words = "No published record has {column} = “{value}”{why}{hint}."
        return say(words, column=column.name, value=short(value), why=why, hint=hint)


@dataclass(frozen=True)
class Condition:
    """One column's part of a question: some of its values, or a range of numbers or dates.

    Attributes
    ----------
    column : the column's name.
    values : labels, any of which will do; empty for a range.
    low, high : ends of a range as typed, both included, "" where open.
    complement : whether all other values are meant, no value among them.
    """

    column: str
    values: tuple[str, ...] = ()
    low: str = ""
    high: str = ""
    complement: bool = False

    @property
    def is_range(self) -> bool:
        """Whether this is a range rather than a list of values."""
        return not self.values

    def __str__(self) -> str:
        chosen = f"{self.low}..{self.high}" if self.is_range else "|".join(value or EMPTY for value in self.values)
        return f"{self.column}{'!' if self.complement else ''}={chosen}"

    def words(self) -> str:
        """Return the condition in words, for the sentence of a question."""
        if self.complement and self.is_range:
            return say("not so: {condition}", condition=replace(self, complement=False).words())
        if self.complement:
            others = listed(map(_shorten, self.values), _NEXT, _NEXT)
            return say("{column} is not {value}", column=self.column, value=others)
        if not self.is_range:
            most = count_to_name(len(self.values), 6)
            some = listed(map(_shorten, self.values[:most]), _NEXT, _NEXT)
            if len(self.values) == 1:
                return say("{column} is {value}", column=self.column, value=some)
            if more := len(self.values) - most:
                some = say("{names} and {n} more", names=some, n=more)
            return say("{column} is one of {values}", column=self.column, values=some)
        if self.low and self.low == self.high:  # a month of days
            return say("{column} is {value}", column=self.column, value=self.low)
        if self.low and self.high:
            return say("{column} is from {low} to {high}", column=self.column, low=self.low, high=self.high)
        if self.low:
            return say("{column} is {low} or more", column=self.column, low=self.low)
        return say("{column} is {high} or less", column=self.column, high=self.high)

    def select(self, column: Column, *, sensitive: bool = False) -> Flags:
        """Return (m,) bool, the labels of `column` that meet the condition.

        Raises
        ------
        UnknownValue : a value that no published record has.
        BadQuestion : a range on a column without order, ends that can't be read or are the wrong way round, or a range
            that holds no value of the column.
        """
        if self.complement:
            chosen = ~replace(self, complement=False).select(column, sensitive=sensitive)
            if not chosen.any():
                words = "“{condition}” leaves no value: every published record has one of these."
                raise BadQuestion(words, condition=self)
            return chosen
        if self.is_range:
            return self._within(column)
        for value in self.values:
            if _code(column, value) is None:
                raise UnknownValue(column, value, sensitive)
        return self.select_known(column)

    def select_known(self, column: Column) -> Flags:
        """Return (m,) bool like `select`, leaving out values that no published record has."""
        if self.complement:
            return ~replace(self, complement=False).select_known(column)
        chosen = np.zeros(column.m, bool)
        codes = [_code(column, value) for value in self.values]
        chosen[[code for code in codes if code is not None]] = True
        return chosen

    def _within(self, column: Column) -> Flags:
        if not self.low and not self.high:
            raise _chooses_nothing(column)
        intervals = interval_ends(column) if column.values is None else None
        if holds_spans(column):
            chosen = self._of_spans(column)
        elif intervals is not None:
            chosen = inside(column, intervals, *self._ends(column))
        elif column.values is None:
            raise BadQuestion(
                "“{value}” asks for a range, but “{column}” holds neither numbers nor dates; list its "
                "values with | between them.",
                value=self,
                column=column.name,
            )
        else:
            low, high = self._ends(column)
            chosen = ~column.missing
            if low is not None:
                chosen &= column.values >= low
            if high is not None:
                chosen &= column.values <= high
        if not chosen.any():
            span = _span(column.labels[~column.missing].tolist())
            words = "No published record has {column} in “{low}..{high}”{span}."
            raise BadQuestion(words, column=column.name, low=self.low, high=self.high, span=span)
        return chosen

    def _ends(self, column: Column) -> tuple[Any, Any]:
        """Return the values at which the range begins and ends, None where it is open. Raises BadQuestion."""
        low, high = end_of_range(column, self.low, last=False), end_of_range(column, self.high, last=True)
        if low is not None and high is not None and low > high:
            raise self._backwards()
        return low, high

    def _backwards(self) -> BadQuestion:
        return BadQuestion("The range of “{value}” runs backwards; write the smaller end first.", value=self)

    def _of_spans(self, column: Column) -> Flags:
        """Return (m,) bool, the years, quarters or months of the range; their texts stand in the order of time."""
        label = str(column.labels[~column.missing][0])
        for end in filter(None, (self.low, self.high)):
            # A quarter is no end among months, nor a month among years: what stands between would be told by its text.
            if not is_span_text(end) or (len(end) > 4 and (len(end), "Q" in end) != (len(label), "Q" in label)):
                raise BadQuestion(
                    "“{text}” is no end of a range of “{column}”, whose values are such as “{label}”; write the ends "
                    "so, or as years.",
                    text=short(end),
                    column=column.name,
                    label=label,
                )
        if self.low and self.high and self.low > self.high[: len(self.low)].ljust(len(self.low), "~"):
            raise self._backwards()
        texts = [str(label) for label in column.labels]
        chosen = ~column.missing
        chosen &= [not self.low or text >= self.low for text in texts]
        chosen &= [not self.high or text[: len(self.high)] <= self.high for text in texts]
        return chosen


def takes_range(column: Column) -> bool:
    """Return whether a range may be asked of a column: numbers, dates, or intervals of numbers."""
    return column.kind.has_order or holds_spans(column) or interval_ends(column) is not None


def parse_condition(text: str, published: Published) -> Condition:
    """Read ``Column=Value``, ``Column=A|B`` or ``Column=low..high`` (either end may be left open); ``!=`` is not so.

    ``Column>=low`` and ``Column<=high`` are ranges with an open end. ``Column=`` and the word ``(empty)`` mean the
    records without a value.

    Names and values may hold ``=``, ``|``, ``..`` and blanks: the longest column name that fits wins, and a text that
    is a label as it stands is that label. Raises BadQuestion with one sentence.
    """
    fitting = [
        (name, sign) for name in published.table.names for sign in _SIGNS if _after(name, text, sign) is not None
    ]
    if fitting:
        name, sign = max(fitting, key=lambda each: len(each[0]))
        asked = in_labels(_SIGNS[sign].format(_after(name, text, sign)), name, published)
        condition = parse_choice(asked, published.table[name], sensitive=published.is_sensitive(name))
        return replace(condition, complement=True) if sign == "!=" else condition
    if (together := unicodedata.normalize("NFC", text)) != text:  # as names are
        return parse_condition(together, published)
    head, equals, _ = text.partition("=")
    if not equals:
        raise BadQuestion(
            "“{text}” is not a condition; write Column=Value, Column=A|B, Column=low..high or Column>=low.",
            text=short(text),
        )
    raise BadQuestion(unknown_column(head.strip(), published))


def in_labels(text: str, name: str, published: Published) -> str:
    """Return a choice in which a column's own labels stand for the words that other languages have for them."""
    words = published.words.get(name, {})
    return "|".join(words.get(part.strip(), part) for part in text.split("|")) if words else text


def columns_named(text: str, names: Iterable[str]) -> list[str]:
    """Return which columns a condition as `parse_condition` reads it may be about."""
    return [name for name in names if any(_after(name, text, sign) is not None for sign in _SIGNS)]


def column_named(name: str, published: Published) -> str:
    """Return the column that a typed name means. Raises BadQuestion with the nearest ones."""
    # As it stands first: a column's name may have blanks around it.
    for candidate in (name, name.strip(), unicodedata.normalize("NFC", name.strip())):
        if candidate in published.table:
            return candidate
    raise BadQuestion(unknown_column(name.strip(), published))


def unknown_column(name: str, published: Published) -> str:
    """Return the sentence about a column that the release does not have."""
    return no_column(short(name), published.table.names)


def parse_choice(text: str, column: Column, *, sensitive: bool = False, vanished: bool = False) -> Condition:
    """Read the part after the equals sign, or a cell of a file of questions, for one column.

    With `vanished`, values that no published record has are no fault and stand in the condition as typed. Raises
    UnknownValue or BadQuestion.
    """
    condition = _read_choice(text, column, sensitive, vanished)
    if not vanished or condition.is_range:
        condition.select(column, sensitive=sensitive)
    return condition


def _read_choice(text: str, column: Column, sensitive: bool, vanished: bool) -> Condition:
    labels = _labels(column, text)
    if labels:
        return Condition(column.name, labels)
    if not text.strip():
        raise _chooses_nothing(column)
    values: list[str] = []
    parts = text.split("|")
    bars = max((label.count("|") for label in column.labels.tolist()), default=0)
    at = 0
    while at < len(parts):
        # The longest run of parts that is a label as it stands: a label may itself hold the bar.
        for stop in range(min(len(parts), at + 1 + bars), at, -1):
            piece = "|".join(parts[at:stop])
            labels = _labels(column, piece) if piece.strip() or stop > at + 1 else ()
            if labels:
                values += labels
                at = stop
                break
        else:
            piece = parts[at].strip()
            if not piece:
                raise BadQuestion(
                    "“{column}={text}” has an empty place between its bars; take it out, or write (empty) for "
                    "records without a value.",
                    column=column.name,
                    text=short(text),
                )
            at += 1
            within = _range(column, piece)
            if within is not None:
                if len(parts) == 1:
                    return within
                values += [str(label) for label in column.labels[within.select(column)]]
            elif vanished and _possible(column, piece):
                values.append(piece)
            else:
                raise _unknown(column, piece, sensitive)
    return Condition(column.name, tuple(dict.fromkeys(values)))


def _chooses_nothing(column: Column) -> BadQuestion:
    return BadQuestion(
        "The condition on “{column}” chooses nothing; name a value or leave the column out.", column=column.name
    )


def _possible(column: Column, text: str) -> bool:
    """Return whether a text could be a value that vanished: where all others are numbers, "25 years" is a slip."""
    if column.kind.has_order:
        return value_of(column, text) is not None
    return interval_ends(column) is None or is_interval(text)


def _unknown(column: Column, text: str, sensitive: bool) -> BadQuestion:
    """Return the fault about a value that no published record has."""
    number = None if column.kind.has_order else read_number(text)
    label = None if number is None else find_interval(column, number)
    if label is None:
        return UnknownValue(column, text, sensitive)
    words = "“{column}” was published in intervals, and {number} lies in “{label}”: ask for that."
    return BadQuestion(words, column=column.name, number=text, label=label)


def _range(column: Column, text: str) -> Condition | None:
    """Return the range that a text asks for, None where it is none: low..high, or a month of days."""
    if is_span(column, text):
        return Condition(column.name, (), text, text)
    if ".." not in text or not takes_range(column):
        return None
    low, _, high = text.partition("..")
    return Condition(column.name, (), low.strip(), high.strip())


def _labels(column: Column, text: str) -> tuple[str, ...]:
    """Return the labels that a text names: one, all that stand for “no value”, or all of one value; none for none."""
    stripped, code = text.strip(), _code(column, text)
    if (not stripped or stripped.casefold() == EMPTY) and (code is None or column.missing[code]):
        return tuple(str(label) for label in column.labels[column.missing])  # "no value" may be written in several ways
    codes = _alike(column, stripped) if code is None else [code]  # 1,5 is what “1.5” and “1.50” are
    return tuple(str(label) for label in column.labels[codes])


def _after(name: str, text: str, sign: str) -> str | None:
    """Return what follows ``name=`` (or another sign) in the text, or None where the text does not start with it."""
    for start in (text, text.lstrip()):
        if start.startswith(name):
            rest = start[len(name) :].lstrip()
            if rest.startswith(sign):
                return rest[len(sign) :]
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
    codes = _alike(column, stripped) if column.values is not None else column.fold_index.get(fold_text(stripped), ())
    # Two labels with one value ("30" and "30.0") leave it open which is meant.
    return int(codes[0]) if len(codes) == 1 else None


def _alike(column: Column, text: str) -> list[int]:
    """Return the codes whose number, date or interval is the one that a text is."""
    if column.values is None:
        return respelled_interval(column, text)
    value = value_of(column, text)
    return [] if value is None else np.flatnonzero(column.values == value).tolist()
