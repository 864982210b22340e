"""Very many different texts as the bytes they are: none becomes a Python object before somebody asks for it.

A column of moments or record numbers has a text per record. To make a million Python texts takes 0.15 s, and whatever
is done with each of them as much again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
_AT_ONCE = 50_000  # texts made without a break, which holds up the window
_FEW_AT_ONCE = 1_000  # texts made where the first ones may be all that is wanted
_HIGH_BITS = np.uint64(0x8080808080808080)
_ODD = np.uint64(0x9E3779B97F4A7C15)


class Texts(Sequence[str]):
    """(m,) different texts of ASCII characters other than zero.

    Attributes
    ----------
    raw : (m, 8 K) uint8, each text from its first byte on, zeros behind it.
    length : (m,) bytes of each.
    """

    __slots__ = ("_made", "length", "raw")

    def __init__(self, raw: NDArray[np.uint8], length: NDArray[np.uint8]) -> None:
        self.raw, self.length = raw, length
        self._made: NDArray[np.object_] | None = None

    @property
    def words(self) -> Words:
        """(m, K) 64-bit words of the bytes, the first byte lowest."""
        return self.raw.view("<u8")

    def __len__(self) -> int:
        return len(self.length)

    @overload
    def __getitem__(self, at: int | np.integer[Any]) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    @overload
    def __getitem__(self, at: NDArray[Any]) -> list[str]: ...
    def __getitem__(self, at: int | np.integer[Any] | slice | NDArray[Any]) -> str | list[str]:
        if isinstance(at, (int, np.integer)):
            return self.raw[at, : self.length[at]].tobytes().decode("ascii")
        texts: list[str] = []
        part = np.ascontiguousarray(self.raw[at])
        for start in range(0, len(part), _AT_ONCE):
            width = part.shape[1]
            cells = part[start : start + _AT_ONCE].view(f"S{width}").reshape(-1)
            texts += cells.astype(f"U{width}").tolist()
        return texts

    def __iter__(self) -> Iterator[str]:
        start, count = 0, _FEW_AT_ONCE
        while start < len(self):
            yield from self[start : start + count]
            start, count = start + count, _AT_ONCE

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and len(self.places([text])) > 0

    def index(self, text: str, start: int = 0, stop: int | None = None) -> int:
        """Return the place of a text. Raises ValueError where it is none of these."""
        at = self.places([text])
        if not len(at) or not start <= at[0] < (len(self) if stop is None else stop):
            raise ValueError(text)
        return int(at[0])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if self._made is None:  # for all columns that have these labels, in whatever order their records stand
            found = np.empty(len(self), object)
            for start in range(0, len(self), _AT_ONCE):
                found[start : start + _AT_ONCE] = self[start : start + _AT_ONCE]
            found.flags.writeable = False
            self._made = found
        return self._made if dtype is None else self._made.astype(dtype)

    def take(self, at: slice | NDArray[Any]) -> Texts:
        """Return the texts of a slice, at (K,) places, or where (m,) bool says so."""
        words = self.words[at] if isinstance(at, slice) or at.dtype == bool else self.words.take(at, axis=0)
        return Texts(words.view(np.uint8), self.length[at])

    def places(self, wanted: Iterable[str]) -> NDArray[np.intp]:
        """Return the places of the wanted ones among the texts, ascending."""
        width = self.raw.shape[1]
        known = {text for text in wanted if text.isascii() and len(text) <= width and "\0" not in text}
        if not known:
            return np.zeros(0, np.intp)
        sought = (
            np.array(sorted(text.encode("ascii") for text in known), f"S{width}").view("<u8").reshape(-1, width // 8)
        )
        keys = np.sort(_keys(sought))
        own = _keys(self.words)
        at = np.flatnonzero(keys[np.minimum(np.searchsorted(keys, own), len(keys) - 1)] == own)
        return at[[text in known for text in self[at]]] if len(at) else at

    def has(self, characters: bytes) -> bool:
        """Return whether one of some characters stands in any of the texts."""
        return any(bool((self.raw == each).any()) for each in characters)

    def shapes(self) -> Sequence[str]:
        """Return the texts with a 0 for each digit, each once; all of them where two share a key by somebody's will."""
        shaped = np.where((self.raw >= 48) & (self.raw <= 57), np.uint8(48), self.raw).view("<u8")
        _, first, of_text = np.unique(_keys(shaped), return_index=True, return_inverse=True)
        same = all(np.array_equal(shaped[first, k][of_text], shaped[:, k]) for k in range(shaped.shape[1]))
        return Texts(shaped[first].view(np.uint8), self.length[first]) if same else self

    def order(self) -> NDArray[np.intp]:
        """Return the order of the texts by their characters."""
        if not len(self):
            return np.zeros(0, np.intp)
        index = np.uint64(len(self).bit_length())
        keys, room = self._keys_in_order()
        if len(keys) == 1 and room >= index:  # key and place in one number: to sort those takes half of an argsort
            keys[0] <<= index
            keys[0] |= np.arange(len(self), dtype=np.uint64)
            keys[0].sort()
            return (keys[0] & np.uint64((1 << int(index)) - 1)).astype(np.intp)
        order = np.argsort(keys[0])
        same = np.diff(keys[0][order]) == 0
        tied = np.flatnonzero(np.append(same, False) | np.insert(same, 0, False))
        order[tied] = order[tied][np.lexsort([key[order[tied]] for key in keys[::-1]])]
        return order

    def _keys_in_order(self) -> tuple[list[Words], int]:
        """Return (m,) keys that stand for the texts from their first characters on, and bits free in the last one.

        Of each character no more bits than those between the first and the last one in which texts differ: four of a
        digit among digits.
        """
        keys: list[Words] = [np.zeros(len(self), np.uint64)]
        room = 64
        for word in self.words.byteswap().T:
            differs = int(np.bitwise_or.reduce(word) ^ np.bitwise_and.reduce(word))
            for shift in range(56, -8, -8):
                if of_byte := differs >> shift & 255:
                    low = (of_byte & -of_byte).bit_length() - 1
                    bits = of_byte.bit_length() - low
                    part = (word >> np.uint64(shift + low)) & np.uint64((1 << bits) - 1)
                    if bits > room:
                        keys.append(part)
                        room = 64
                    else:
                        keys[-1] <<= np.uint64(bits)
                        keys[-1] |= part
                    room -= bits
        return keys, room


def picked(texts: Sequence[str], at: NDArray[np.intp]) -> Sequence[str]:
    """Return the texts at (K,) places, packed ones packed."""
    if isinstance(texts, Texts):
        return texts if len(at) == len(texts) else texts.take(at)
    return texts if len(at) == len(texts) else [texts[i] for i in at.tolist()]


def places_of(wanted: Collection[str], texts: Sequence[str] | NDArray[np.object_]) -> NDArray[np.intp]:
    """Return the places of the wanted ones among texts, ascending."""
    if isinstance(texts, Texts):
        return texts.places(wanted)
    return np.array([at for at, text in enumerate(texts) if text in wanted] if wanted else [], np.intp)


def _keys(words: Words) -> Words:
    """Return (m,) keys of (m, K) words, equal for equal ones, and by chance for others."""
    keys = words[:, 0] * _ODD
    for k in range(1, words.shape[1]):
        keys ^= keys >> np.uint64(29)
        keys += words[:, k]
        keys *= _ODD
    return keys


def left_aligned(words: Sequence[Words], length: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the (n, 8 K) bytes of fields from their first one on, zeros behind.

    Parameters
    ----------
    words : K arrays of (n,): the last eight bytes of each field, the eight before them and so on.
    length : (n,) bytes of each, at most 8 K.
    """
    count, n = len(words), len(length)
    empty = 8 * count - length.astype(np.int64)
    shift = ((empty & 7) << 3).astype(np.uint64)
    if count == 1:
        return (words[0] >> shift).reshape(-1, 1).view(np.uint8)
    skipped = empty >> 3  # whole words before the first byte, mostly as many of each
    ahead = list(words[::-1])  # in the order of the file
    if n and skipped.min() == skipped.max():
        ahead = ahead[skipped[0] :]
    else:
        stream = np.stack([*ahead, *[np.zeros(n, np.uint64)] * count], 1).reshape(-1)
        at = np.arange(n, dtype=np.int64) * (2 * count) + skipped
        ahead = [stream[at + k] for k in range(count)]
    ahead += [np.zeros(n, np.uint64)] * (count + 1 - len(ahead))
    found = np.empty((n, count), np.uint64)
    for k, (now, after) in enumerate(pairwise(ahead)):
        # In two steps, since 64 bits at once are no shift: nothing of the next word where this one begins with a text.
        found[:, k] = (now >> shift) | ((after << np.uint64(1)) << (np.uint64(63) - shift))
    return found.view(np.uint8)


def all_ascii(words: Sequence[Words]) -> bool:
    """Whether no byte of any word lies beyond ASCII."""
    return not any((word & _HIGH_BITS).any() for word in words)
