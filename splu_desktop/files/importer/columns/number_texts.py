"""Numbers as people and programs write them, with either decimal mark, and codes that only look like numbers."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

_IN_CACHE = 1 << 14  # texts
_TENS = 10.0 ** np.arange(19)
_CURRENCY = (
    r"(?:(?:US|A|C|R|HK|NZ)?\$|[€£¥₹₽₺₩₪]|EUR|USD|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|INR"
    r"|Fr\.|kr\.?|zł|Kč|Ft|Rs\.?)"
)
_BLANKS_BETWEEN = " \u00a0\u202f\u2009"  # ordinary, no-break, narrow no-break and thin space
_GROUPS = {"": "", ",": ",", ".": r"\.", " ": f"[{_BLANKS_BETWEEN}]", "'": "['’]"}
# A whole number with a leading zero ("007") is a code: written out as a number it would lose its zeros.
LONGEST = 128
"""Characters of a text that can be a number or a date; longer ones are words, and no pattern tries them.

Patterns that allow blanks in several places try each way to share them out: 50,000 blanks took a minute.
"""
LEADING_ZERO = re.compile(r"[+-]?0\d+")


@dataclass(frozen=True)
class NumberFormat:
    """Decimal mark ("." or ",") and mark between groups of three digits ("" for none, " " for any blank)."""

    decimal: str = "."
    thousands: str = ""


@cache
def _pattern(form: NumberFormat) -> re.Pattern[str]:
    point = re.escape(form.decimal)
    whole = r"\d+"
    if form.thousands:
        mark = _GROUPS.get(form.thousands, re.escape(form.thousands))
        indian = r"[1-9]\d?(?:,\d\d)+,\d{3}|" if form.thousands == "," else ""
        whole = rf"(?:{indian}[1-9]\d{{0,2}}(?:{mark}\d{{3}})+|\d+)"  # "030 123 456" is a telephone number
    return re.compile(
        rf"\s*(?P<open>\()?\s?(?P<sign>[+\-−]?)\s?(?:{_CURRENCY}\s*)?(?P<inner>[+\-−]?)"
        rf"(?P<body>{whole}(?:{point}(?P<frac>\d*))?|{point}(?P<only>\d+))(?:[.,][-–—]{{1,2}})?"
        rf"(?P<exp>[eE][+-]?\d+)?\s?(?P<percent>%)?(?:{_CURRENCY})?(?P<trail>[-−])?\s?(?P<close>\))?\s*"
    )


_NOTHING = re.compile(
    rf"\s*(?:{_CURRENCY})\s*[-–—]{{1,2}}\s*|\s*[-–—]{{1,2}}\s?(?:{_CURRENCY})\s*"
)  # as accountants write 0


def _sign(found: re.Match[str]) -> int:
    """Return 1 or -1 for a number's signs, 0 where they contradict; accountants write (5.00) and 5.00- for -5."""
    enclosed = (found["open"] is not None) + (found["close"] is not None)
    if enclosed == 1 or (found["trail"] and not (found["frac"] or found["only"])):
        return 0  # "65-" is an open range sooner than a number
    signs = (found["sign"], found["inner"], found["trail"], "-" if enclosed else "")
    if sum(map(bool, signs)) > 1:
        return 0
    return -1 if any(sign in ("-", "−") for sign in signs if sign) else 1


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers behind m texts.

    Attributes
    ----------
    values : (m,) float64, NaN where the text is no number.
    fits : (m,) bool, whether the text is a number.
    whole : (m,) bool, whether it is a whole one.
    """

    values: NDArray[np.float64]
    fits: NDArray[np.bool_]
    whole: NDArray[np.bool_]


def characters(texts: Sequence[str], width: int) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Give the first characters of the texts, part by part: (width, n) code points, zeros behind shorter texts."""
    for start in range(0, len(texts), _IN_CACHE):
        part = slice(start, start + _IN_CACHE)
        joined = "\n".join(texts[part]) + "\n"
        if joined.isascii() and joined.count("\n") == len(texts[part]):  # a third of the time
            room = np.frombuffer(joined.encode("ascii") + bytes(width), np.uint8)
            ends = np.flatnonzero(room == 10)
            begins = np.concatenate([[0], ends[:-1] + 1])
            size = ends - begins
            points = np.zeros((width, len(ends)), np.uint8)
            for k in range(min(width, int(size.max()))):
                points[k] = np.where(size > k, room[begins + k], 0)
            yield part, points
        else:
            of_part = np.array(texts[part], f"U{width}")  # cut there
            yield part, np.ascontiguousarray(of_part.view(np.uint32).reshape(len(of_part), width).T)


def parse_plain(points: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Parse the texts that are nothing but an optional "-", up to 15 digits and at most one point, all at once.

    Parameters
    ----------
    points : (18 or more, n) the texts' first characters, zeros behind shorter ones.

    Returns
    -------
    (n,) float64 numbers, NaN where the text is not of that form, and (n,) bool, whether it is a code with leading zeros
    ("007"). The numbers are those of ``float``: the digits make an exact integer, divided by an exact power of ten.
    """
    n = points.shape[1]
    width = min(int((points != 0).any(1).sum()), 18)  # longer texts fail as too long
    number = np.zeros(n, np.int64)
    digits, decimals = np.zeros(n, np.uint8), np.zeros(n, np.uint8)
    pointed, plain = np.zeros(n, bool), np.ones(n, bool)
    negative = points[0] == 45
    for k, char in enumerate(points[:width]):
        digit = char - char.dtype.type(48)  # wraps around below "0", far above 9
        is_digit = digit <= 9
        is_point = (char == 46) & ~pointed
        plain &= is_digit | is_point | (negative if k == 0 else char == 0)
        if not plain.any():
            break  # words or moments: nothing behind makes numbers of them
        number = np.where(is_digit, number * 10 + digit, number)
        digits += is_digit
        decimals += is_digit & pointed
        pointed |= is_point
    plain &= (digits >= 1) & (digits <= 15)
    values = np.where(plain, np.where(negative, -number, number) / _TENS[decimals], np.nan)
    if width < 2:
        return values, np.zeros(n, bool)
    return values, plain & (points[0] == 48) & (points[1] - points.dtype.type(48) <= 9) & ~pointed


def parse_numbers(labels: Sequence[str], form: NumberFormat, plain: NDArray[np.float64] | None = None) -> Numbers:
    """Parse each text under one number format. A percentage stands for its hundredth part.

    `plain` : what `parse_plain` made of the texts, to spare doing it again.
    """
    match = _pattern(form).fullmatch
    values = np.full(len(labels), np.nan)
    percent = np.zeros(len(labels), bool)
    todo: Iterable[int] = range(len(labels))
    # With a decimal comma the point groups thousands, so "1.234" isn't plain then.
    if plain is not None and (form.decimal == "." or _pointless(labels, plain)):
        values = plain.copy()
        todo = np.flatnonzero(np.isnan(plain)).tolist()
    for i in todo:
        if len(labels[i]) > LONGEST:
            continue
        found = match(labels[i])
        if found is None and _NOTHING.fullmatch(labels[i]):
            values[i] = 0.0
        if found is None or not (sign := _sign(found)):
            continue
        body = found["body"]
        if form.thousands:
            for mark in _BLANKS_BETWEEN + "'’" if form.thousands in " '" else form.thousands:
                body = body.replace(mark, "")
        if form.decimal != ".":
            body = body.replace(form.decimal, ".")
        number = float(body + (found["exp"] or ""))
        values[i] = sign * number
        percent[i] = found["percent"] is not None
    fits = np.isfinite(values)
    values[~fits] = np.nan
    whole = np.zeros(len(labels), bool)
    whole[fits] = values[fits] == np.floor(values[fits])
    whole &= ~percent
    values[percent] /= 100.0
    return Numbers(values, fits, whole)


def _pointless(labels: Sequence[str], plain: NDArray[np.float64]) -> bool:
    """Whether no plain number has a point."""
    return bool((plain[~np.isnan(plain)] % 1 == 0).all()) and not any("." in label for label in labels)


# What stands around the digits: signs, brackets, currencies and percent signs.
_DECORATED = re.compile(
    rf"\s*(?:[<>≤≥]=?\s?)?\(?\s?[+\-−]?\s?(?:{_CURRENCY}\s*)?[+\-−]?(?P<core>[\d.,'’{_BLANKS_BETWEEN}]*\d[\d.,]*)(?:[eE][+-]?\d+)?"
    rf"\s?%?(?:{_CURRENCY})?[-−]?\s?\)?\s*(?:\s[^\W\d_][\w/.²]{{0,7}})?\s*"
)
_DIGITS = re.compile(r"\d+")
_US_ONLY = re.compile(
    r"\d{1,3}(?:,\d{3})+\.\d*|\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d*)?|\d{1,3}(?:,\d{3}){2,}|\d*\.(?:\d{1,2}|\d{4,})|0\.\d+|\d{4,}\.\d+"
)
_EU_ONLY = re.compile(r"\d{1,3}(?:\.\d{3})+,\d*|\d{1,3}(?:\.\d{3}){2,}|\d*,(?:\d{1,2}|\d{4,})|0,\d+|\d{4,},\d+")
_COMMA_3 = re.compile(r"[1-9]\d{0,2},\d{3}")
_POINT_3 = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_BLANKS = re.compile(rf"\d{{1,3}}(?P<mark>[{_BLANKS_BETWEEN}'’])\d{{3}}(?:[{_BLANKS_BETWEEN}'’]\d{{3}})*(?:[.,]\d+)?")


@dataclasses.dataclass
class MarkEvidence:
    """How many texts speak for which number format."""

    point: int = 0  # only possible with a decimal point
    comma: int = 0  # only possible with a decimal comma
    comma_three: int = 0  # "1,234": either
    point_three: int = 0  # "1.234": either
    blank: int = 0  # "1 234"
    quote: int = 0  # "1'234"
    small: int = 0  # whole numbers of at most three digits
    large: int = 0  # longer ones, written without a mark
    grouped_points: int = 0  # "1.234,5", "1.234.567": points that group beyond doubt
    grouped_commas: int = 0

    def add(self, labels: Sequence[str]) -> None:
        """Count the evidence in some texts."""
        for whole in labels:
            decorated = _DECORATED.fullmatch(whole) if len(whole) <= LONGEST else None
            if decorated is None:
                continue
            label = decorated["core"].strip()
            if _DIGITS.fullmatch(label):
                if len(label) > 3:
                    self.large += 1
                else:
                    self.small += 1
                continue
            if _COMMA_3.fullmatch(label):
                self.comma_three += 1
            elif _POINT_3.fullmatch(label):
                self.point_three += 1
            elif _US_ONLY.fullmatch(label):
                self.point += 1
                self.grouped_commas += "," in label
            elif _EU_ONLY.fullmatch(label):
                self.comma += 1
                self.grouped_points += "." in label
            elif found := _BLANKS.fullmatch(label):
                self.point += "." in label
                self.comma += "," in label
                if found["mark"] in "'’":
                    self.quote += 1
                else:
                    self.blank += 1

    def format(self, fallback: NumberFormat | None = None, *, proved: str = "") -> NumberFormat:
        """Return the format the evidence speaks for; `fallback` decides where it says nothing.

        `proved` : the mark that groups thousands in another column of the file beyond doubt.
        """
        back = fallback or NumberFormat()
        if self.point == self.comma:
            decimal = back.decimal
            if not self.point:
                # Nothing but groups of three: "1,234" is far more often a thousand than 1.234 with three decimals.
                if self.comma_three and not self.point_three:
                    decimal = back.decimal if fallback else "."
                elif self.point_three and not self.comma_three:
                    # "1.613" beside "379" and never "1613": the point groups thousands in a continental file.
                    likely = proved == "." or (back.decimal == "," and self.small)
                    decimal = "," if likely and not self.large else "."
        else:
            decimal = "." if self.point > self.comma else ","
        groups = self.comma_three if decimal == "." else self.point_three
        wide = self.point if decimal == "." else self.comma
        if self.quote > self.blank and self.quote:
            return NumberFormat(decimal, "'")
        if self.blank:
            return NumberFormat(decimal, " ")
        if groups or wide:
            return NumberFormat(decimal, "," if decimal == "." else ".")
        return NumberFormat(decimal, back.thousands if back.decimal == decimal else "")
