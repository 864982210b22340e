"""Number cells read by whole-array operations: packed fields of digits, a point anywhere, into float64."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.text.digits import CHUNK, MOST_BYTES, MOST_DIGITS, chunk_numbers, first_place
from splu_desktop.files.importer.text.fields import Irregular, Words, plain_bytes

_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_POINT = ord(".")
_AT_ONCE = 10_000  # numbers read one by one per step, so that other threads get their turn
_MOST_DECIMALS = 7  # then the point stands among the last eight bytes


def numbers_of(words: Sequence[Words], length: NDArray[np.uint8], own: Progress) -> NDArray[np.float64]:
    """Return the (n,) float64 numbers that packed fields write out, exactly as ``float`` reads them.

    Up to 15 digits make an exact integer, divided by an exact power of ten, which rounds once and rightly; longer ones
    and exponents are read one by one.

    Parameters
    ----------
    words, length : the fields as in `fields.Packed`, none empty.
    own : may raise Cancelled.

    Raises
    ------
    Irregular : where a field is no number.
    """
    values = np.empty(len(length))
    left = [np.zeros(0, np.int64)]
    for start in range(0, len(length), CHUNK):
        own.report("", 0.0)
        part = slice(start, start + CHUNK)
        last, size = words[0][part], length[part]
        before = words[1][part] if len(words) > 1 else None
        decimals = _decimals(last, before, size)
        digits = size.astype(np.int64) - (decimals > 0)
        hard = (size > MOST_BYTES) | (digits > MOST_DIGITS) | (decimals > _MOST_DECIMALS)
        for count in np.flatnonzero(np.bincount(decimals)[: _MOST_DECIMALS + 1]).tolist():
            same = (decimals == count) & ~hard
            found = _plain(last, before, size, same, count)
            if found is None:  # perhaps only for exponents
                same &= (first_place(last, ord("E")) == 8) & (first_place(last, ord("e")) == 8)
                found = _plain(last, before, size, same, count)
            if found is None:
                same[:] = False
            else:
                values[start : start + len(size)][same] = found
            hard |= (decimals == count) & ~same
        left.append(start + np.flatnonzero(hard))
    rest = np.concatenate(left)
    if len(rest):
        values[rest] = _one_by_one([word[rest] for word in words], length[rest], own)
    return values


def _plain(
    last: Words, before: Words | None, size: NDArray[np.uint8], where: NDArray[np.bool_], decimals: int
) -> NDArray[np.float64] | None:
    """Return the numbers of some fields with so many decimals, None where one is written another way."""
    found = chunk_numbers(last[where], None if before is None else before[where], size[where], decimals)
    return None if found is None else found[0] / 10.0**decimals


def _decimals(last: Words, before: Words | None, length: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return how many bytes stand behind the first point of each field, 0 where there is none."""
    place = first_place(last, _POINT)
    decimals = np.where(place < 8, 7 - place, 0)
    if before is not None:
        place = first_place(before, _POINT)
        decimals = np.where(place < 8, 15 - place, decimals)
    return decimals


def _one_by_one(words: Sequence[Words], length: NDArray[np.uint8], own: Progress) -> NDArray[np.float64]:
    values = np.empty(len(length))
    for start in range(0, len(length), _AT_ONCE):
        own.report("", 0.0)
        part = slice(start, start + _AT_ONCE)
        texts = plain_bytes([word[part] for word in words], length[part])
        if not all(map(_NUMBER.fullmatch, texts)):
            raise Irregular
        values[part] = list(map(float, texts))
    return values
