"""Numbers as people mean them."""

from __future__ import annotations

import re
from fractions import Fraction

_LONGEST = 40
_HUGE = re.compile(r"[eE][+-]?\d{4}")  # "1e999999999" would be worked out digit by digit


def as_fraction(number: float | str | Fraction) -> Fraction:
    """Return the rational that a person meant by a decimal number: 0.4 is 2/5, not the nearest binary double.

    The one door for numbers in texts of files and of people. Raises ValueError for what is none, or is too long to be
    meant; ZeroDivisionError.
    """
    if isinstance(number, Fraction):
        return number
    text = str(number).strip().replace("_", "x")
    if len(text) > _LONGEST or _HUGE.search(text):
        raise ValueError(text[:_LONGEST])
    return Fraction(text)
