"""Numbers as people and programs write them, with either decimal mark, and codes that only look like numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from splu_desktop.files.importer.columns.many_texts import ManyTexts

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


_DIGITS = 15  # that a float keeps exactly


def plain_numbers(texts: Sequence[str], many: ManyTexts) -> NDArray[np.float64]:
    """Return (m,) the numbers of texts of an optional "-", up to 15 digits and at most one point; NaN for others."""
    found = np.full(len(texts), np.nan)
    first, zero = many.first, np.uint8(ord("0"))
    negative = first == ord("-")
    if not (negative | (first == ord(".")) | (first - zero < 10)).any():
        return found
    strange = (many.data - zero >= 10) & (many.data != ord("."))
    strange[many.marks] = False
    strange[many.marks[:-1][negative] + 1] = False
    points = np.add.reduceat((many.data == ord(".")).view(np.uint8), many.marks[:-1])
    digits = many.lengths - points - negative
    odd = np.logical_or.reduceat(strange, many.marks[:-1])
    plain = np.flatnonzero(~odd & (points < 2) & (digits > 0) & (digits <= _DIGITS))
    found[plain] = np.fromiter(map(float, map(texts.__getitem__, plain.tolist())), np.float64, len(plain))
    return found


def parse_numbers(labels: Sequence[str], form: NumberFormat, plain: NDArray[np.float64] | None = None) -> Numbers:
    """Parse each text under one number format. A percentage stands for its hundredth part.

    `plain` : their `plain_numbers`, to spare doing it again.
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
_US_ONLY = re.compile(
    r"\d{1,3}(?:,\d{3})+\.\d*|\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d*)?|\d{1,3}(?:,\d{3}){2,}|\d*\.(?:\d{1,2}|\d{4,})|0\.\d+|\d{4,}\.\d+"
)
_EU_ONLY = re.compile(r"\d{1,3}(?:\.\d{3})+,\d*|\d{1,3}(?:\.\d{3}){2,}|\d*,(?:\d{1,2}|\d{4,})|0,\d+|\d{4,},\d+")
_COMMA_3 = re.compile(r"[1-9]\d{0,2},\d{3}")
_POINT_3 = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_BLANKS = re.compile(rf"\d{{1,3}}(?P<mark>[{_BLANKS_BETWEEN}'’])\d{{3}}(?:[{_BLANKS_BETWEEN}'’]\d{{3}})*(?:[.,]\d+)?")


class MarkEvidence(Counter[str]):
    """How many texts speak for which number format.

    "point", "comma" : only possible with that decimal mark; "points", "commas" : three digits behind it, so either.
    "blank", "quote" : such marks between groups. "small", "large" : whole numbers of up to three digits, and longer
    ones without a mark. "." and "," : they group beyond doubt.
    """

    def add(self, labels: Sequence[str]) -> None:
        """Count the evidence in some texts."""
        for whole in labels:
            decorated = None if whole.isdecimal() or len(whole) > LONGEST else _DECORATED.fullmatch(whole)
            if decorated is None and not whole.isdecimal():
                continue
            label = whole if decorated is None else decorated["core"].strip()
            if label.isdecimal():
                self["large" if len(label) > 3 else "small"] += 1
            elif _COMMA_3.fullmatch(label):
                self["commas"] += 1
            elif _POINT_3.fullmatch(label):
                self["points"] += 1
            elif _US_ONLY.fullmatch(label):
                self.update(("point", ",") if "," in label else ("point",))
            elif _EU_ONLY.fullmatch(label):
                self.update(("comma", ".") if "." in label else ("comma",))
            elif found := _BLANKS.fullmatch(label):
                self["quote" if found["mark"] in "'’" else "blank"] += 1
                self.update(name for name, mark in (("point", "."), ("comma", ",")) if mark in label)

    @property
    def open(self) -> bool:
        """Whether there are marks before three digits, and nothing tells what they are."""
        return not (self["point"] or self["comma"]) and bool(self["points"] or self["commas"])

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
