"""Numbers read from packed fields by whole-array operations, eight digits at a time.

Fields of digits need no hashing: two of them are equal where their numbers are. Eight digits packed into a word become
a number by three multiplications (Lemire, "Quickly parsing eight digits", 2018; a word's bytes are in file order).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import Progress
from splu_desktop.core.table import unique
from splu_desktop.frozen import dataclass

Words = NDArray[np.uint64]
CHUNK = 1 << 16  # fields at a time, so that what is computed stays in the processor's cache
MOST_DIGITS = 15  # a float64 holds every whole number of so many digits
MOST_BYTES = 16
_TABLE = 1 << 22  # numbers up to so far apart are told apart by a table of all between, beyond that by sorting;
_SPREAD = 16  # or up to so many times as far apart as there are numbers
_ZEROS = np.uint64(0x3030303030303030)
_TOO_HIGH = np.uint64(0x7676767676767676)
_HIGH_BITS = np.uint64(0x8080808080808080)
LAST = np.array([0, *(((1 << (8 * k)) - 1) << (64 - 8 * k) for k in range(1, 9))], np.uint64)
"""Masks that keep the last 0 to 8 bytes of a word."""


@dataclass(frozen=True, eq=False)
class DigitFigures:
    """The distinct numbers of a column.

    Attributes
    ----------
    codes : (N,) int32, ascending with the number; an empty field comes last.
    firsts : (m,) a record that has each.
    values : (m,) float64, NaN for the empty field.
    zeros : (m,) bool, whether digits follow a leading zero, as in "007".
    ordered : whether the texts are in the order of their numbers, equal numbers being equal texts.
    """

    codes: NDArray[np.int32]
    firsts: NDArray[np.int64]
    values: NDArray[np.float64]
    zeros: NDArray[np.bool_]
    ordered: bool


def figures(words: Sequence[Words], length: NDArray[np.uint8], own: Progress) -> DigitFigures | None:
    """Return the numbers of a column, None where a field is no plain number or decimals vary.

    Parameters
    ----------
    words : the fields' last eight bytes, the eight before and so on, (N,) each.
    length : (N,) bytes of each field.
    own : may raise Cancelled.
    """
    if len(words) > 2 or not len(length):
        return None
    low = words[1] if len(words) > 1 else None
    decimals = _decimals(words[0], length)
    n = len(length)
    number = np.empty(n, np.int64)
    digits = np.empty(n, np.uint8)
    zero = np.zeros(n, bool)
    for start in range(0, n, CHUNK):
        own.report("", 0.0)
        part = slice(start, start + CHUNK)
        found = chunk_numbers(words[0][part], None if low is None else low[part], length[part], decimals)
        if found is None:
            return None
        number[part], digits[part], zero[part] = found
    filled = length > 0
    full = bool(filled.all())
    # Texts of the same number differ by leading zeros only, that is, by their length.
    differ = bool(zero.any()) and len(unique(digits[filled])) > 1
    if differ:
        if int(np.abs(number).max()) > 1 << 58:
            return None
        number *= 16
        number += np.where(number < 0, -digits.astype(np.int64), digits)
    codes, firsts = _distinct(number, filled, full)
    known = number[firsts]
    if differ:
        known = np.sign(known) * (np.abs(known) // 16)
    values = known / 10.0**decimals
    if not full:
        values[-1] = np.nan
    zeros = zero[firsts] & (decimals == 0)
    return DigitFigures(codes, firsts, values, zeros, not differ)


def _decimals(last: Words, length: NDArray[np.uint8]) -> int:
    """Return how many digits stand behind the point in the first filled field."""
    at = int(np.argmax(length > 0))
    text = int(last[at]).to_bytes(8, "little")
    return 7 - text.rfind(b".") if b"." in text else 0


def chunk_numbers(
    last: Words, before: Words | None, length: NDArray[np.uint8], decimals: int
) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.bool_]] | None:
    """Return numbers without their point, digits of each, and leading zeros; None where one is not of that form."""
    size = length.astype(np.int64)
    longest = int(size.max(initial=0))
    if longest > MOST_BYTES:
        return None
    empty = size == 0
    first = _first_byte(last, before, size)
    negative = first == 45
    signed = bool(negative.any())
    if signed:
        last, before = _without_first(last, before, size, negative)
        size = size - negative
    if decimals:
        point = (last >> np.uint64(8 * (7 - decimals))) & np.uint64(0xFF)
        if not ((point == 46) & (size > decimals + 1) | empty).all():
            return None
        behind = LAST[decimals]
        ahead = ~LAST[decimals + 1]
        carried = (before >> np.uint64(56)) if before is not None else np.uint64(0)
        last = (last & behind) | ((last & ahead) << np.uint64(8)) | carried
        before = before << np.uint64(8) if before is not None else None
        size = size - ~empty
    if signed or decimals:
        first = _first_byte(last, before, size)
    if int(size.max(initial=0)) > MOST_DIGITS or (signed and bool(((size == 0) & ~empty).any())):
        return None
    number = eight(last, np.minimum(size, 8))
    if number is None:
        return None
    if before is not None:
        more = eight(before, np.clip(size - 8, 0, 8))
        if more is None:
            return None
        number += more * 100_000_000
    zero = (first == 48) & (size - decimals > 1)
    if signed:
        if bool((negative & (number == 0)).any()):
            return None  # "-0" is another text than "0", but no other number
        number = np.where(negative, -number, number)
    return number, size.astype(np.uint8), zero


def first_place(words: Words, byte: int) -> NDArray[np.int64]:
    """Return the place of a byte's first occurrence in each word, 8 where there is none."""
    ones = np.uint64(0x0101010101010101)
    differ = words ^ (ones * np.uint64(byte))
    zero = (differ - ones) & ~differ & _HIGH_BITS  # exact up to the first zero byte
    below = (zero & (~zero + np.uint64(1))) - np.uint64(1)
    return np.where(zero == 0, 8, np.bitwise_count(below) >> 3).astype(np.int64)


def _first_byte(last: Words, before: Words | None, size: NDArray[np.int64]) -> Words:
    """Return the first byte of each field, of at most 16."""
    if before is None:
        return (last >> ((8 - np.clip(size, 1, 8)) << 3).astype(np.uint64)) & np.uint64(0xFF)
    long = size > 8
    left = np.where(long, 16 - size, 8 - np.clip(size, 1, 8)).astype(np.uint64) << np.uint64(3)
    first: Words = (np.where(long, before, last) >> left) & np.uint64(0xFF)
    return first


def _without_first(
    last: Words, before: Words | None, size: NDArray[np.int64], where: NDArray[np.bool_]
) -> tuple[Words, Words | None]:
    left = size - where
    if before is not None:
        before = before & LAST[np.clip(left - 8, 0, 8)]
    return last & LAST[np.clip(left, 0, 8)], before


def eight(words: Words, size: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return the numbers that the last `size` bytes of words stand for, None where one of them is no digit."""
    digits = (words ^ _ZEROS) & LAST[size]
    if bool((((digits + _TOO_HIGH) | digits) & _HIGH_BITS).any()):
        return None
    digits *= np.uint64(2561)
    digits >>= np.uint64(8)
    digits &= np.uint64(0x00FF00FF00FF00FF)
    digits *= np.uint64(6553601)
    digits >>= np.uint64(16)
    digits &= np.uint64(0x0000FFFF0000FFFF)
    digits *= np.uint64(42949672960001)
    digits >>= np.uint64(32)
    return digits.view(np.int64)


def _distinct(
    number: NDArray[np.int64], filled: NDArray[np.bool_], full: bool
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return codes in the order of the numbers, empty fields last, and a record of each."""
    known = number if full else number[filled]
    low, high = (int(known.min()), int(known.max())) if len(known) else (0, 0)
    if not full:
        number = np.where(filled, number, high + 1)
        high += 1
    if high - low < max(_TABLE, _SPREAD * len(number)):
        place = number - low
        seen = np.zeros(high - low + 1, bool)
        seen[place] = True
        used = np.flatnonzero(seen)
        table = np.empty(high - low + 1, np.int32)
        table[used] = np.arange(len(used), dtype=np.int32)
        codes = table[place]
        count = len(used)
    else:
        distinct, found = np.unique(number, return_inverse=True)
        codes, count = found.astype(np.int32), len(distinct)
    firsts = np.empty(count, np.int64)
    firsts[codes] = np.arange(len(codes))
    return codes, firsts
