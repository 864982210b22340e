"""Numbers as people mean them."""

from __future__ import annotations

from fractions import Fraction


def as_fraction(number: float | str | Fraction) -> Fraction:
    """Return the rational that a person meant by a decimal number: 0.4 is 2/5, not the nearest binary double."""
    return number if isinstance(number, Fraction) else Fraction(str(number))
