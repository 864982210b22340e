"""Fields of a delimited text found and told apart by whole-array operations on its bytes.

A block of the file is an array of bytes. The positions of delimiters and line ends are found at once; where every line
has the same number of fields they form a matrix. A column's fields are packed into 64-bit words, and equal fields are
found by hashing the words: no field becomes a Python object unless its text is new. A block that is not regular raises
`Irregular`, and the caller reads it field by field.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.files.importer.raw import RawColumn

Words = NDArray[np.uint64]
LONGEST = 64  # bytes of a field that is packed; longer ones are sliced out as they are
_NEWLINE, _RETURN = 10, 13
_NARROW = 1 << 16
_DAMAGED = "\ufffd"
_DECODED_AT_ONCE = 100_000  # texts made per call, so that other threads get their turn


class Irregular(Exception):
    """The block's lines don't all have the same number of plain fields."""


@dataclass(frozen=True)
class Layout:
    """What the fields look like: number of columns, delimiter and quote as bytes (quote -1 for none), line end."""

    width: int
    delimiter: int
    quote: int
    newline: int = _NEWLINE
    carriage: bool = False  # whether every line end is "\r\n"


@dataclass(frozen=True, eq=False)
class Packed:
    """One column of one block: (n, K) words of the fields' bytes, zero-padded, or the fields themselves if long."""

    words: Words | None
    long: list[bytes] | None

    def __len__(self) -> int:
        return len(self.words) if self.words is not None else len(self.long or ())


def split(block: bytes, layout: Layout) -> tuple[list[Packed], NDArray[np.bool_]]:
    """Split a block (whole lines, the last one ended) into packed columns, and say which lines hold nothing at all.

    Raises
    ------
    Irregular : where lines differ in their number of fields, quotes are doubled, or a zero byte occurs.
    """
    if b"\x00" in block:
        raise Irregular
    data = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(data == layout.newline)
    cuts = np.flatnonzero(data == layout.delimiter) if layout.width > 1 else np.zeros(0, np.int64)
    quotes = block.count(layout.quote) if layout.quote >= 0 and layout.quote in block else 0
    if quotes:
        inside = np.bitwise_xor.accumulate(data == layout.quote)
        ends = ends[~inside[ends]]
        cuts = cuts[~inside[cuts]]
    rows, width = len(ends), layout.width
    if not rows or ends[-1] != len(data) - 1 or len(cuts) != rows * (width - 1):
        raise Irregular
    starts = np.empty(rows, np.int64)
    starts[0] = 0
    starts[1:] = ends[:-1] + 1
    stops = ends
    if layout.carriage:
        stops = ends - 1
        if (stops < starts).any() or (data[stops] != _RETURN).any():
            raise Irregular
    if b"\r" in block and layout.newline != _RETURN and block.count(b"\r") != (rows if layout.carriage else 0):
        raise Irregular
    grid = cuts.reshape(rows, width - 1)
    if width > 1 and ((grid[:, 0] < starts).any() or (grid[:, -1] >= stops).any()):
        raise Irregular
    columns: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    enclosed = 0
    for i in range(width):
        first = starts if i == 0 else grid[:, i - 1] + 1
        stop = stops if i == width - 1 else grid[:, i]
        if quotes:
            opened = data[np.minimum(first, len(data) - 1)] == layout.quote
            opened &= stop - first >= 2
            closed = opened & (data[stop - 1] == layout.quote)
            enclosed += int(closed.sum())
            first, stop = first + closed, stop - closed
        columns.append((first, stop))
    if quotes != 2 * enclosed:
        raise Irregular
    blank = stops - starts == width - 1
    if width == 1 and blank.any():
        raise Irregular
    padded = block + bytes(LONGEST)
    return [_pack(block, padded, first, stop) for first, stop in columns], blank


def _pack(block: bytes, padded: bytes, first: NDArray[np.int64], stop: NDArray[np.int64]) -> Packed:
    length = stop - first
    longest = int(length.max())
    if longest > LONGEST:
        return Packed(None, [block[a:b] for a, b in zip(first.tolist(), stop.tolist(), strict=True)])
    view: Words = np.ndarray((len(padded) - 7,), "<u8", padded, strides=(1,))
    count = max(1, -(-longest // 8))
    words = np.empty((len(first), count), np.uint64)
    for k in range(count):
        word = view[first + 8 * k]
        left = np.clip(length - 8 * k, 0, 8).astype(np.uint64)
        # A shift by 64 bits is undefined, so eight bytes are kept by the table's last entry.
        words[:, k] = word & _MASKS[left]
    return Packed(words, None)


_MASKS = np.array([(1 << (8 * k)) - 1 for k in range(9)], np.uint64)


def gather(parts: Sequence[Packed], encoding: str) -> RawColumn:
    """Join the blocks of one column into codes over its distinct texts."""
    if not parts:
        return RawColumn(np.zeros(0, np.int32), [])
    if any(part.long is not None for part in parts):
        return _gather_long(parts, encoding)
    count = max(part.words.shape[1] for part in parts if part.words is not None)
    total = sum(map(len, parts))
    words = np.zeros((total, count), np.uint64)
    at = 0
    for part in parts:
        if part.words is not None:
            words[at : at + len(part), : part.words.shape[1]] = part.words
            at += len(part)
    codes, firsts = _factorise(words)
    return _distinct(codes, _texts(words[firsts], encoding))


def _factorise(words: Words) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return (n,) codes of the rows of words, and the position of each code's first row."""
    import pandas as pd  # only where a table is read: it takes half a second to import

    if words.shape[1] == 1 and int(words.max(initial=0)) < _NARROW:
        return _factorise_narrow(words[:, 0].astype(np.int64))
    key = words[:, 0].copy() if words.shape[1] == 1 else _mix(words)
    found, distinct = pd.factorize(key)
    codes: NDArray[np.int32] = found.astype(np.int32)
    firsts = np.empty(len(distinct), np.int64)
    firsts[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    if words.shape[1] > 1:
        # Equal keys of different words are as good as impossible by chance, but a file may be made to have them.
        for k in range(words.shape[1]):
            word = words[:, k]
            if not np.array_equal(word, word[firsts][codes]):
                return _factorise_exactly(words)
    return codes, firsts


def _factorise_narrow(keys: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Factorise fields of at most two bytes by a table of all of them."""
    first = np.full(_NARROW, -1, np.int64)
    first[keys[::-1]] = np.arange(len(keys) - 1, -1, -1)
    used = np.flatnonzero(first >= 0)
    code = np.empty(_NARROW, np.int32)
    code[used] = np.arange(len(used), dtype=np.int32)
    return code[keys], first[used]


def _mix(words: Words) -> Words:
    key = words[:, 0] * np.uint64(0x9E3779B97F4A7C15)
    for k in range(1, words.shape[1]):
        key ^= key >> np.uint64(29)
        key += words[:, k]
        key *= np.uint64(0xBF58476D1CE4E5B9)
    return key ^ (key >> np.uint64(32))


def _factorise_exactly(words: Words) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    _, firsts, codes = np.unique(words, axis=0, return_index=True, return_inverse=True)
    return codes.reshape(-1).astype(np.int32), firsts


def _texts(words: Words, encoding: str) -> list[str]:
    """Decode the distinct rows of words."""
    texts: list[str] = []
    raw = np.ascontiguousarray(words).view(f"S{8 * words.shape[1]}").reshape(-1)
    for start in range(0, len(raw), _DECODED_AT_ONCE):
        part = raw[start : start + _DECODED_AT_ONCE]
        if part.tobytes().isascii():
            texts.extend(part.astype("U").tolist())
        else:
            texts.extend([text.decode(encoding, "replace") for text in part.tolist()])
    return texts


def _distinct(codes: NDArray[np.int32], texts: list[str]) -> RawColumn:
    """Merge texts that different bytes decode to, as damaged bytes do."""
    damaged = [text for text in texts if _DAMAGED in text]
    if len(set(damaged)) == len(damaged):
        return RawColumn(codes, texts)
    index: dict[str, int] = {}
    new = np.fromiter((index.setdefault(text, len(index)) for text in texts), np.int32, len(texts))
    return RawColumn(new[codes], list(index))


def _gather_long(parts: Sequence[Packed], encoding: str) -> RawColumn:
    index: dict[bytes, int] = {}
    codes: list[NDArray[np.int32]] = []
    for part in parts:
        if part.long is not None:
            fields: list[bytes] = part.long
        elif part.words is not None:
            fields = np.ascontiguousarray(part.words).view(f"S{8 * part.words.shape[1]}").reshape(-1).tolist()
        codes.append(np.fromiter((index.setdefault(f, len(index)) for f in fields), np.int32, len(fields)))
    return _distinct(np.concatenate(codes), [field.decode(encoding, "replace") for field in index])
