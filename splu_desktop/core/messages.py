"""Sentences that remember what they were made of, so that a window or report can say them in another language.

``say("{count} records", count=20_000)`` is the text "20,000 records" wherever a text is wanted: in an exception, on the
command line, in JSON. It also keeps its template and values, which is all that a translation needs
(`files.language.Language.sentence`). The English template is the key of the translation.
"""

from __future__ import annotations

import difflib
import math
import numbers
import re
import string
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_FROM, _TO = "\u2068", "\u2069"  # first strong isolate, pop directional isolate: Unicode Standard Annex 9
STEERS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_QUOTED = re.compile("“[^“”]*”")
_MOST = 200  # characters of a value that people are shown
_WHOLE = re.compile(f"{_FROM}[^\u202a-\u202e\u2066-\u2069]*{_TO}")


def isolated(text: str) -> str:
    """Return a text that turns nothing round in the sentence it is put into.

    One that holds a letter written from right to left, or a character that steers the direction, is set between U+2068
    and U+2069, and loses what steers. One whose every such part is isolated already stays.
    """
    if text.isascii():
        return text
    open_parts = _WHOLE.sub("", text)
    if not STEERS.search(open_parts) and not any(unicodedata.bidirectional(c) in ("R", "AL") for c in open_parts):
        return text
    return f"{_FROM}{STEERS.sub('', text)}{_TO}"


def brief(text: str) -> str:
    """Return a value as people are shown it: a long one by its beginning and its end."""
    if isinstance(text, Phrase) or len(text) <= _MOST:
        return text
    end = _MOST // 4
    return f"{text[: _MOST - end - 1]}…{text[-end:]}"


class Isolating(string.Formatter):
    """str.format that isolates every text it puts in; what is `Phrase` was made so. A format is for numbers alone.

    "{n} {n:row|rows}" has the words by the number, which may be written already; a third form is for none.
    """

    def format_field(self, value: Any, format_spec: str) -> str:
        if "|" in format_spec:
            return format_spec.split("|")[{"1": 0, "0": -1}.get(str(value), 1)]
        if isinstance(value, Phrase | numbers.Number):
            return str(super().format_field(value, format_spec))
        return isolated(str(value))


class _English(Isolating):
    """Whole numbers get their thousands marks, too, unless a format says otherwise."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if not format_spec and isinstance(value, numbers.Integral):
            return f"{int(value):,}"
        return super().format_field(value, format_spec)


_ENGLISH = _English()


class Phrase(str):
    """An English text made by `say`.

    Attributes
    ----------
    template : the sentence with named placeholders.
    values : placeholder -> number, text as it stands (a column's name), or another Phrase.
    """

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, values: Mapping[str, object]) -> Phrase:
        phrase = super().__new__(cls, _ENGLISH.vformat(template, (), values) if values else template)
        phrase.template, phrase.values = template, values
        return phrase

    def __str__(self) -> str:
        return self  # not a bare copy: str(fault) keeps what the fault's sentence was made of

    def __reduce__(self) -> tuple[Any, ...]:
        return Phrase, (self.template, dict(self.values))


class Figure(str):
    """A number written the English way ("99.5 %"), to be written in the reader's way."""

    __slots__ = ()

    def __str__(self) -> str:
        return self


def percent_of(share: float) -> Figure:
    """Return a share as per cent with one decimal; neither 0 % nor 100 % is said of what is not exactly that."""
    if share in (0, 1):
        return Figure(f"{100 * share:.0f} %")
    text = f"{100 * share:.1f} %"
    return Figure({"0.0 %": "< 0.1 %", "100.0 %": "> 99.9 %"}.get(text, text))


def say(template: str, /, **values: object) -> Phrase:
    """Return a sentence, or a part that stands in one, with its placeholders filled.

    Placeholders are those of str.format, by name; whole numbers get thousands marks. A text among the values is data
    and never translated: a part of speech must be said itself, as in ``say("looks like {what}", what=say("a date"))``.
    An empty text in quotation marks is a missing value and is said to be one: nobody can read “”. What is named
    “{value}” there is said `in_words`, and of a long text its beginning and its end (`brief`).
    """
    if isinstance(template, Phrase) and not values:
        return template
    for name, value in values.items():
        if isinstance(value, str) and (not value or name == "value") and f"“{{{name}}}”" in template:
            values = {**values, name: brief(in_words(value))}
        elif isinstance(value, str) and len(value) > _MOST and f"{{{name}}}" in "".join(_QUOTED.findall(template)):
            values = {**values, name: brief(value)}
    return Phrase(template, values)


def plain_of(text: object) -> Any:
    """Return what was said, or a value in it, as plain data that `read_plain` reads again."""
    if isinstance(text, Phrase):
        return {"say": text.template, "values": {name: plain_of(value) for name, value in text.values.items()}}
    if isinstance(text, Figure):
        return {"figure": str.__str__(text)}
    return text if isinstance(text, str | int | float) else f"{text}"


def read_plain(data: Any) -> str:
    """Return the sentence that `plain_of` gave. Raises KeyError, AttributeError."""
    if not isinstance(data, Mapping):
        return str(data)
    if "figure" in data:
        return Figure(data["figure"])
    values = {name: read_plain(each) if isinstance(each, Mapping) else each for name, each in data["values"].items()}
    return Phrase(str(data["say"]), values)


def listed(parts: Iterable[str], last: str = "{head} and {tail}", others: str = "{head}, {tail}") -> str:
    """Return parts joined by templates that have {head} and {tail}: `last` before the last part, else `others`."""
    every = list(parts)
    if len(every) < 2:
        return every[0] if every else ""
    head = every[0]
    for part in every[1:-1]:
        head = say(others, head=head, tail=part)
    return say(last, head=head, tail=every[-1])


def count_to_name(count: int, most: int) -> int:
    """Return how many of `count` to name, `most` or one more: "and 1 more" takes the room of the one it hides."""
    return count if count <= most + 1 else most


def quoted(names: Sequence[str], most: int = 12) -> str:
    """Return names in the quotation marks of whoever reads them, no more than `most`."""
    listing = listed((say("“{name}”", name=name) for name in names[:most]), "{head}, {tail}")
    return say("{head}, …", head=listing) if len(names) > most else listing


def no_column(name: str, columns: Sequence[str]) -> Phrase:
    """Return the sentence about a column that a table or a release does not have."""
    return say("There is no column “{name}”; {advice}", name=name, advice=which_of(name, columns))


def fold_text(text: str) -> str:
    """Return a text without upper case and blanks around it, accents put together with their letters."""
    text = text.strip().casefold()
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def none_of(name: str, known: Iterable[str]) -> Phrase:
    """Return the sentence about a name that is not among those there are: the one meant, or the first of them."""
    every = list(known)
    if near := nearest(name, every):
        return say("There is no “{name}”; {advice}", name=name[:80], advice=say("did you mean “{hint}”?", hint=near))
    shown = every if len(every) <= 12 else [*every[:12], "…"]
    return say("“{name}” is none of {known}; choose one of them.", name=name[:80], known=", ".join(shown))


def superfluous(why: str, options: Sequence[str]) -> Phrase:
    """Return the sentence about what has no effect beside something else."""
    return say("{why}: leave out {options}.", why=why, options=quoted(options))


def nearest(name: str, known: Sequence[str]) -> str:
    """Return which of these names looks most like one that is mistyped, "" where none does."""
    folded = {fold_text(each): each for each in reversed(known)}
    near = difflib.get_close_matches(fold_text(name), folded, n=1, cutoff=0.6)
    return folded[near[0]] if near else ""


def which_of(name: str, columns: Sequence[str]) -> str:
    """Return what to do about a column that is not among these: the end of a sentence that names the one meant."""
    if near := nearest(name, columns):
        return say("did you mean “{hint}”?", hint=near)
    return say("the columns are: {listed}.", listed=quoted(columns))


_NUMBER = r"[-−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_BANDS = tuple(
    (each.template.format(low=f"(?P<low>{_NUMBER})", high=f"(?P<high>{_NUMBER})"), each.template)
    for each in (say("below {high}"), say("{low} to {high}"), say("{low} to below {high}"), say("{low} and more"),
                 say("{low} Q{high}"))
)  # fmt: skip
VALUE = "{value}"  # the template of a value that may be a name of ours, such as "Other" or "Monday"
_LONGEST_NAME = 80


def in_words(label: str) -> str:
    """Return a value of a table as what can be said in other languages: a band or group that we named; none.

    Any other is the same text in all of them.
    """
    for pattern, template in _BANDS:
        if match := re.fullmatch(pattern, label):
            return say(template, **match.groupdict())
    if not label:
        return say("(empty)")
    # Which names are ours is known where languages are, above the core.
    return Phrase(VALUE, {"value": label}) if label.isascii() and len(label) <= _LONGEST_NAME else label


def share_words(share: float) -> Figure:
    """Return a share as people say it: "2 in 3"; with the least denominator that is near, else in per cent."""
    for whole in (2, 3, 4, 5, 10):
        part = round(share * whole)
        if 0 < part < whole and abs(part / whole - share) < 0.005:
            return Figure(f"{part} in {whole}")
    return Figure(f"{100 * share:.0f} in 100")


def cases_of_100(share: float, *, down: bool = False) -> int:
    """Return a share in cases of 100, rounded against the release: up, or down for what is wished for."""
    # 100 * .55 is 55.00000000000001, which is no 56.
    return math.floor(100 * share + 1e-9) if down else min(100, math.ceil(100 * share - 1e-9))


def certainty_words(share: float) -> Figure:
    """Return how often a row is right, in cases of 100."""
    return Figure(f"{cases_of_100(share)} in 100")
