"""Numbers as people and programs write them, with either decimal mark, and codes that only look like numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.table import pieces
from splu_desktop.files.importer.columns.many_texts import ManyTexts, read_digits
from splu_desktop.files.importer.columns.words import DRAWN

_CURRENCY = (
    r"(?:(?:US|A|C|R|HK|NZ)?\$|[€£¥₹₽₺₩₪]|EUR|USD|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|INR"
    r"|Fr\.|kr\.?|zł|Kč|Ft|Rs\.?)"
)
_BLANKS_BETWEEN = " \u00a0\u202f\u2009"  # ordinary, no-break, narrow no-break and thin space
_GROUPS = {"": "", ",": ",", ".": r"\.", " ": f"[{_BLANKS_BETWEEN}]", "'": "['’]"}
LONGEST = 128
"""Characters of a text that can be a number or a date; longer ones are words, and no pattern tries them.

Patterns that allow blanks in several places try each way to share them out: 50,000 blanks took a minute.
"""


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
        rf"\s*(?:{_CURRENCY}\s?(?=\())?(?P<open>\()?\s?(?P<sign>[+\-−]?)\s?(?:{_CURRENCY}\s*)?(?P<inner>[+\-−]?)"
        rf"(?P<body>{whole}(?:{point}(?P<frac>\d*))?|{point}(?P<only>\d+))(?:[.,][-–—]{{1,2}})?"
        rf"(?P<exp>[eE][+-]?\d+)?\s?(?P<percent>%)?(?:{_CURRENCY})?(?P<trail>[-−])?\s?(?P<close>\))?\s*"
    )


# As accountants write 0.
_NOTHING = re.compile(rf"\s*(?:{_CURRENCY})\s*[-–—]{{1,2}}\s*|\s*[-–—]{{1,2}}\s?(?:{_CURRENCY})\s*")


def _sign(parts: re.Match[str]) -> int:
    """Return 1 or -1 for a number's signs, 0 where they contradict; accountants write (5.00) and 5.00- for -5."""
    enclosed = (parts["open"] is not None) + (parts["close"] is not None)
    if enclosed == 1 or (parts["trail"] and not (parts["frac"] or parts["only"])):
        return 0  # "65-" is an open range sooner than a number
    signs = (parts["sign"], parts["inner"], parts["trail"], "-" if enclosed else "")
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


_DIGITS, _WORD = 15, 8  # digits that a float keeps exactly, and those that a word of 64 bits holds
_TENS = 10.0 ** np.arange(_DIGITS + 1)


def plain_numbers(many: ManyTexts) -> NDArray[np.float64]:
    """Return (m,) the numbers of texts of an optional "-", up to 15 digits and at most one point; NaN for others."""
    numbers = [np.zeros(0)]
    for part in pieces(len(many.marks) - 1):  # what is made of each stays where the processor has it
        marks = many.marks[part.start : part.stop + 1]
        numbers.append(_read_plain(ManyTexts(many.data[marks[0] : marks[-1] + 1], marks - marks[0])))
    return np.concatenate(numbers)


def _read_plain(many: ManyTexts) -> NDArray[np.float64]:
    data, marks, first, zero = many.data, many.marks, many.first, np.uint8(ord("0"))
    negative = first == ord("-")
    if not (negative | (first == ord(".")) | (first - zero < 10)).any():
        return np.full(len(first), np.nan)
    pointed = data == ord(".")
    strange = (data - zero >= 10) & ~pointed
    strange[marks] = False
    strange[marks[:-1][negative] + 1] = False
    at = np.flatnonzero(pointed)
    # One each, as prices have, or to be looked for.
    each = len(at) == len(first) and bool(((marks[:-1] < at) & (at < marks[1:])).all())
    of = np.arange(len(at)) if each else np.searchsorted(marks, at) - 1
    points, behind = np.bincount(of, minlength=len(first)), np.zeros(len(first), np.int64)
    behind[of] = marks[of + 1] - at - 1  # digits behind the point
    digits = many.lengths - points - negative
    plain = (points < 2) & (digits > 0) & (digits <= _DIGITS)
    if strange.any():
        plain &= ~np.logical_or.reduceat(strange, marks[:-1])
    # Without their points digits stand side by side. A float holds so many of them, and its quotient by a power of ten,
    # rounded once, is the number that the text says.
    bare = np.concatenate([np.zeros(2 * _WORD, np.uint8), data[~pointed] if len(at) else data])
    ends = 2 * _WORD + marks[1:] - np.cumsum(points)
    whole = _whole_numbers(bare, ends, digits).astype(float)
    long = np.flatnonzero(plain & (digits > _WORD))
    whole[long] += 1e8 * _whole_numbers(bare, ends[long] - _WORD, digits[long] - _WORD)
    whole /= _TENS.take(behind, mode="clip")
    whole[negative] *= -1
    return np.where(plain, whole, np.nan)


def _whole_numbers(data: NDArray[np.uint8], ends: NDArray[np.intp], digits: NDArray[np.intp]) -> NDArray[np.uint64]:
    """Return the numbers of the last digits, at most eight, before places of data."""
    others = (8 * np.clip(_WORD - digits, 0, _WORD)).astype(np.uint64)  # bits, which noughts take the place of
    words = (np.ndarray((len(data) - _WORD + 1,), "<u8", data, strides=(1,))[ends - _WORD] >> others) << others
    return read_digits(words)


def parse_numbers(labels: Sequence[str], form: NumberFormat, plain: NDArray[np.float64] | None = None) -> Numbers:
    """Parse each text under one number format. A percentage stands for its hundredth part.

    `plain` : their `plain_numbers`, to spare doing it again.
    """
    match = _pattern(form).fullmatch
    values = np.full(len(labels), np.nan)
    percent = np.zeros(len(labels), bool)
    # With a decimal comma the point groups thousands, so "1.234" isn't plain then.
    if plain is not None and (form.decimal == "." or "." not in "".join(labels)):
        values = plain.copy()
    for i in np.flatnonzero(np.isnan(values)).tolist():
        if len(labels[i]) > LONGEST:
            continue
        parts = match(labels[i])
        if parts is None and _NOTHING.fullmatch(labels[i]):
            values[i] = 0.0
        if parts is None or not (sign := _sign(parts)):
            continue
        body = parts["body"]
        if form.thousands:
            for mark in _BLANKS_BETWEEN + "'’" if form.thousands in " '" else form.thousands:
                body = body.replace(mark, "")
        if form.decimal != ".":
            body = body.replace(form.decimal, ".")
        number = float(body + (parts["exp"] or ""))
        values[i] = sign * number
        percent[i] = parts["percent"] is not None
    fits = np.isfinite(values)
    values[~fits] = np.nan
    whole = (values == np.floor(values)) & ~percent
    values[percent] /= 100.0
    return Numbers(values, fits, whole)


# What stands around the digits: signs, brackets, currencies and percent signs.
_DECORATED = re.compile(
    rf"\s*(?:[<>≤≥]=?\s?)?(?:{_CURRENCY}\s?(?=\())?\(?\s?[+\-−]?\s?(?:{_CURRENCY}\s*)?[+\-−]?(?P<core>[\d.,'’{_BLANKS_BETWEEN}]*\d[\d.,]*)(?:[eE][+-]?\d+)?"
    rf"\s?%?(?:{_CURRENCY})?[-−]?\s?\)?\s*(?:\s[^\W\d_][\w/.²]{{0,7}})?\s*"
)
_US_ONLY = re.compile(
    r"\d{1,3}(?:,\d{3})+\.\d*|\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d*)?|\d{1,3}(?:,\d{3}){2,}|\d*\.(?:\d{1,2}|\d{4,})|0\.\d+|\d{4,}\.\d+"
)
_EU_ONLY = re.compile(r"\d{1,3}(?:\.\d{3})+,\d*|\d{1,3}(?:\.\d{3}){2,}|\d*,(?:\d{1,2}|\d{4,})|0,\d+|\d{4,},\d+")
_THREE = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_ALIKE = str.maketrans("23456789", "11111111")  # to the patterns, which tell nothing but 0 from the others
_ALIKE |= {code: ord(chr(mark).translate(_ALIKE)) for code, mark in DRAWN.items()}
_BLANKS = re.compile(rf"\d{{1,3}}(?P<mark>[{_BLANKS_BETWEEN}'’])\d{{3}}(?:[{_BLANKS_BETWEEN}'’]\d{{3}})*(?:[.,]\d+)?")


class MarkEvidence(Counter[str]):
    """How many texts speak for which number format.

    "point", "comma" : only possible with that decimal mark; "points", "commas" : three digits behind it, so either.
    "blank", "quote" : such marks between groups. "small", "large" : whole numbers of up to three digits, and longer
    ones without a mark. "." and "," : they group beyond doubt.
    """

    def add(self, labels: Sequence[str]) -> None:
        """Count the evidence in some texts, those that differ in digits alone as one."""
        for whole, times in Counter(label.translate(_ALIKE) for label in labels).items():
            decorated = None if whole.isdecimal() or len(whole) > LONGEST else _DECORATED.fullmatch(whole)
            if decorated is None and not whole.isdecimal():
                continue
            label = whole if decorated is None else decorated["core"].strip()
            if label.isdecimal():
                self["large" if len(label) > 3 else "small"] += times
            elif _THREE.fullmatch(label):
                self["commas" if "," in label else "points"] += times
            elif _US_ONLY.fullmatch(label):
                self.update(dict.fromkeys(("point", ",") if "," in label else ("point",), times))
            elif _EU_ONLY.fullmatch(label):
                self.update(dict.fromkeys(("comma", ".") if "." in label else ("comma",), times))
            elif match := _BLANKS.fullmatch(label):
                self["quote" if match["mark"] in "'’" else "blank"] += times
                self.update({name: times for name, mark in (("point", "."), ("comma", ",")) if mark in label})

    @property
    def open(self) -> bool:
        """Whether there are marks before three digits, and nothing tells what they are."""
        return not (self["point"] or self["comma"]) and bool(self["points"] or self["commas"])

    @property
    def tells_nothing(self) -> bool:
        """Whether all of its numbers have one mark before three digits."""
        return self.open and not (self["small"] or self["large"] or (self["points"] and self["commas"]))

    def format(self, fallback: NumberFormat | None = None, *, proved: str = "") -> NumberFormat:
        """Return the format the evidence speaks for; `fallback` decides where it says nothing.

        `proved` : the mark that groups thousands in another column of the file beyond doubt.
        """
        back = fallback or NumberFormat()
        if self["point"] == self["comma"]:
            decimal = back.decimal
            if not self["point"]:
                # Nothing but groups of three: "1,234" is far more often a thousand than 1.234 with three decimals.
                if self["commas"] and not self["points"]:
                    decimal = back.decimal if fallback else "."
                elif self["points"] and not self["commas"]:
                    # "1.613" beside "379" and never "1613": the point groups thousands in a continental file.
                    likely = proved == "." or (back.decimal == "," and self["small"])
                    decimal = "," if likely and not self["large"] else "."
        else:
            decimal = "." if self["point"] > self["comma"] else ","
        if self["quote"] > self["blank"]:
            return NumberFormat(decimal, "'")
        if self["blank"]:
            return NumberFormat(decimal, " ")
        if any(self[mark] for mark in (("point", "commas") if decimal == "." else ("comma", "points"))):
            return NumberFormat(decimal, "," if decimal == "." else ".")
        return NumberFormat(decimal, back.thousands if back.decimal == decimal else "")
