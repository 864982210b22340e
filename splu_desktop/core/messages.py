"""Sentences that remember what they were made of, so that a window or report can say them in another language.

``say("{count} records", count=20_000)`` is the text "20,000 records" wherever a text is wanted: in an exception, on the
command line, in JSON. It also keeps its template and values, which is all that a translation needs
(`files.language.Language.sentence`). The English template is the key of the translation.
"""

from __future__ import annotations

import numbers
import string
from collections.abc import Iterable, Mapping
from typing import Any


class _English(string.Formatter):
    """str.format, but whole numbers get their thousands marks unless a format says otherwise."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if not format_spec and isinstance(value, numbers.Integral):
            return f"{int(value):,}"
        return str(super().format_field(value, format_spec))


_ENGLISH = _English()


class Said(str):
    """An English text made by `say`.

    Attributes
    ----------
    template : the sentence with named placeholders.
    values : placeholder -> number, text as it stands (a column's name), or another Said.
    """

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, values: Mapping[str, object]) -> Said:
        made = super().__new__(cls, _ENGLISH.vformat(template, (), values) if values else template)
        made.template, made.values = template, values
        return made

    def __str__(self) -> str:
        return self  # not a bare copy: str(fault) keeps what the fault's sentence was made of

    def __reduce__(self) -> tuple[Any, ...]:
        return Said, (self.template, dict(self.values))


class Figure(str):
    """A number written the English way ("99.5 %"), to be written in the reader's way."""

    __slots__ = ()

    def __str__(self) -> str:
        return self


def share_of(part: int, whole: int) -> Figure:
    """Return a share as per cent with one decimal; neither 0 % nor 100 % is said of what is not exactly that."""
    text = f"{100 * part / whole:.1f} %"
    if part > 0 and text == "0.0 %":
        return Figure("< 0.1 %")
    return Figure("> 99.9 %" if part < whole and text == "100.0 %" else text)


def say(template: str, /, **values: object) -> Said:
    """Return a sentence, or a part that stands in one, with its placeholders filled.

    Placeholders are those of str.format, by name; whole numbers get thousands marks. A text among the values is data
    and never translated: a part of speech must be said itself, as in ``say("looks like {what}", what=say("a date"))``.
    An empty text in quotation marks is a missing value and is said to be one: nobody can read “”.
    """
    if isinstance(template, Said) and not values:
        return template
    for name, value in values.items():
        if isinstance(value, str) and not value and f"“{{{name}}}”" in template:
            values = {**values, name: say("(empty)")}
    return Said(template, values)


def counted(number: int, one: str, many: str, /, **values: object) -> Said:
    """Return `one` or `many` by a number, which stands in them as {n}."""
    return say(one if number == 1 else many, n=number, **values)


def listed(parts: Iterable[str], last: str = "{head} and {tail}", others: str = "{head}, {tail}") -> str:
    """Return parts joined by templates that have {head} and {tail}: `last` before the last part, else `others`."""
    every = list(parts)
    if len(every) < 2:
        return every[0] if every else ""
    head = every[0]
    for part in every[1:-1]:
        head = say(others, head=head, tail=part)
    return say(last, head=head, tail=every[-1])
