"""Fields of a delimited text found and told apart by whole-array operations on its bytes.

A block of the file is an array of bytes. The positions of delimiters and line ends are found at once; where every line
has the same number of fields they form a matrix. A column's fields are packed into 64-bit words, and equal fields are
found by hashing the words: no field becomes a Python object unless its text is new. A block that is not regular raises
`Irregular`, and the caller reads it field by field.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import distinct
from splu_desktop.files.importer.raw import RawColumn

Words = NDArray[np.uint64]
LONGEST = 64  # bytes of a field that is packed; longer ones are sliced out as they are
_NEWLINE, _RETURN = 10, 13
_DAMAGED = "\ufffd"
_DECODED_AT_ONCE = 50_000  # texts made per call, so that other threads get their turn


class Irregular(Exception):
    """The block's lines don't all have the same number of plain fields."""


@dataclass(frozen=True)
class FieldLayout:
    """What the fields look like: number of columns, delimiter and quote as bytes (quote -1 for none), line end."""

    width: int
    delimiter: int
    quote: int
    newline: int = _NEWLINE
    carriage: bool = False  # whether every line end is "\r\n"


@dataclass(frozen=True, eq=False)
class Packed:
    """One column of one block.

    Attributes
    ----------
    words : (n,) arrays: the last eight bytes of each field, the eight before them and so on, zeros where it is shorter.
    length : (n,) bytes of each field, at most `LONGEST`.
    long : the fields themselves in place of words, where one is longer.
    """

    words: tuple[Words, ...]
    length: NDArray[np.uint8]
    long: list[bytes] | None = None

    def __len__(self) -> int:
        return len(self.length)

    def take(self, keep: NDArray[Any]) -> Packed:
        """Return the fields of some records, (n,) bool or places."""
        long = None if self.long is None else [self.long[i] for i in np.arange(len(self))[keep].tolist()]
        return Packed(tuple(word[keep] for word in self.words), self.length[keep], long)


def count(block: bytes, byte: int, end: int | None = None) -> int:
    """Return how often a byte occurs up to `end`: where it is frequent, a fifth of what `bytes.count` takes."""
    return int(np.count_nonzero(np.frombuffer(block, np.uint8)[:end] == byte))


def split(block: bytes, layout: FieldLayout) -> tuple[list[Packed], NDArray[np.bool_]]:
    """Split a block (whole lines, the last one ended) into packed columns, and say which lines hold nothing at all.

    Raises Irregular: where lines differ in their number of fields, quotes are doubled, or a zero byte occurs.
    """
    if b"\x00" in block:
        raise Irregular
    width = layout.width
    room = bytes(LONGEST) + block  # so that the bytes before a field's end can always be looked at
    data = np.frombuffer(room, np.uint8)
    found = data == layout.newline
    feeds = int(np.count_nonzero(found))
    if width > 1:
        found |= data == layout.delimiter
    quotes = count(block, layout.quote) if layout.quote >= 0 and layout.quote in block else 0
    if quotes:
        found |= data == layout.quote
    marks = found_at = np.flatnonzero(found)
    if quotes:
        quote = data[marks] == layout.quote
        marks = marks[~(np.bitwise_xor.accumulate(quote) | quote)]
    rows, rest = divmod(len(marks), width)
    if not rows or rest or marks[-1] != len(data) - 1:
        raise Irregular
    # By column from here on, (columns, rows): whatever is asked of a column then stands side by side.
    stops: NDArray[np.int64] = marks.reshape(rows, width).T.copy()
    ends: NDArray[np.int64] = stops[-1]
    # As many line ends as lines, one behind each last field: then all other marks are delimiters.
    if quotes:
        within = len(found_at) - quotes - stops.size  # delimiters and line ends in quotes
        lines = feeds - int(np.count_nonzero(data[stops] == layout.newline))
        if lines and width > 2 and within - lines >= lines * (width - 1):
            raise Irregular  # whole records within quotes: two of them out of place
        feeds -= lines
    if feeds != rows or (data[ends] != layout.newline).any():
        raise Irregular
    if b"\r" in block and layout.newline != _RETURN and block.count(b"\r") != (rows if layout.carriage else 0):
        raise Irregular
    starts = np.empty_like(stops)
    starts[0, 0] = LONGEST
    np.add(ends[:-1], 1, out=starts[0, 1:])
    np.add(stops[:-1], 1, out=starts[1:])
    if layout.carriage:
        ends -= 1
        if (ends < starts[-1]).any() or (data[ends] != _RETURN).any():
            raise Irregular
    blank = ends - starts[0] == width - 1
    if width == 1 and blank.any():
        raise Irregular
    if quotes:
        enclosed = (data[starts] == layout.quote) & (stops - starts >= 2)
        enclosed &= data[stops - 1] == layout.quote
        if quotes != 2 * int(np.count_nonzero(enclosed)):
            raise Irregular
        starts += enclosed
        stops -= enclosed
    view: Words = np.ndarray((len(room) - 7,), "<u8", room, strides=(1,))
    length = np.subtract(stops, starts)
    length = np.minimum(length, LONGEST + 1, out=length).astype(np.uint8)
    words = view[stops - 8]  # `take` would first copy the view, which is eight times the block
    _keep_last(words, np.minimum(length, 8))
    return [pack(room, words[i], length[i], starts[i], stops[i]) for i in range(width)], blank


def pack(
    room: bytes, first: Words, length: NDArray[np.uint8], starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> Packed:
    """Pack the (n,) fields of one column.

    Parameters
    ----------
    room : the bytes they stand in, at least `LONGEST` before the first.
    first : the last eight bytes of each, zeros where it is shorter.
    length : bytes of each, cut at `LONGEST` + 1.
    starts, stops : places of each in `room`.
    """
    longest = int(length.max(initial=0))
    if longest > LONGEST:
        return Packed((), length, [room[a:b] for a, b in zip(starts.tolist(), stops.tolist(), strict=True)])
    words = [first]
    if longest > 8:
        view: Words = np.ndarray((len(room) - 7,), "<u8", room, strides=(1,))
        shortest = int(length.min())
        for k in range(8, longest, 8):
            word = view[stops - (8 + k)]
            if shortest < k + 8:
                _keep_last(word, np.minimum(np.maximum(length, k) - np.uint8(k), 8))
            words.append(word)
    return Packed(tuple(words), length)


def packed(texts: Sequence[bytes]) -> Packed:
    """Pack the fields of one column that were found one by one."""
    size = np.fromiter(map(len, texts), np.int64, len(texts))
    room = bytes(LONGEST) + b"".join(texts)
    stops = np.cumsum(size) + LONGEST
    length = np.minimum(size, LONGEST + 1).astype(np.uint8)
    if b"\x00" in room[LONGEST:]:  # which in words says where a field begins
        return Packed((), length, list(texts))
    view: Words = np.ndarray((len(room) - 7,), "<u8", room, strides=(1,))
    first = view[stops - 8]
    _keep_last(first, np.minimum(length, 8))
    return pack(room, first, length, stops - size, stops)


def _keep_last(words: Words, size: NDArray[np.uint8]) -> None:
    """Put zeros for all but the last `size` of eight bytes; NumPy takes a shift by all 64 bits for one to nothing."""
    others = (np.uint8(64) - (size << np.uint8(3))).astype(np.uint64)
    words >>= others
    words <<= others


def gather(parts: Sequence[Packed], encoding: str) -> RawColumn:
    """Join the blocks of one column into codes over its distinct texts."""
    if not parts:
        return RawColumn(np.zeros(0, np.int32), [])
    if any(part.long is not None for part in parts):
        return _gather_long(parts, encoding)
    length = np.concatenate([part.length for part in parts])
    words = [
        np.concatenate([p.words[k] if k < len(p.words) else np.zeros(len(p), np.uint64) for p in parts])
        for k in range(max(len(p.words) for p in parts))
    ]
    codes, firsts = factorise_words(words)
    return _distinct(codes, _texts([word[firsts] for word in words], length[firsts], encoding))


def factorise_words(words: Sequence[Words]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return (n,) codes over the distinct records of (n,) words each, and the position of a record of each code."""
    codes, firsts = distinct(_key(words), ascending=False)
    # Equal keys of different words are as good as impossible by chance, but a file may be made to have them.
    if len(words) > 1:
        others: Any = slice(None)
        if 2 * len(firsts) > len(codes):  # then few share their text with another record
            others = np.flatnonzero(firsts[codes] != np.arange(len(codes)))
        if _any_differs([w[firsts] for w in words], codes[others], [w[others] for w in words]).any():
            return _factorise_exactly(words)
    return codes, firsts


def _any_differs(known: Sequence[Words], codes: NDArray[Any], words: Sequence[Words]) -> NDArray[np.bool_]:
    """Return (n,) whether a record's words are others than those of its code."""
    differs: NDArray[np.bool_] = np.take(known[0], codes) != words[0]
    for own, word in zip(known[1:], words[1:], strict=True):
        differs |= np.take(own, codes) != word
    return differs


def _key(words: Sequence[Words]) -> Words:
    """Return (n,) keys, equal where all words are; of one word that itself."""
    if len(words) == 1:
        return words[0]
    key = words[0] * np.uint64(0x9E3779B97F4A7C15)
    for word in words[1:]:
        key ^= key >> np.uint64(29)
        key += word
        key *= np.uint64(0xBF58476D1CE4E5B9)
    key ^= key >> np.uint64(32)
    return key


def _factorise_exactly(words: Sequence[Words]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    _, firsts, codes = np.unique(np.stack(words, 1), axis=0, return_index=True, return_inverse=True)
    return codes.reshape(-1).astype(np.int32), firsts


def _texts(words: Sequence[Words], length: NDArray[np.uint8], encoding: str) -> list[str]:
    """Decode distinct fields."""
    texts: list[str] = []
    breaks = 10 if encoding.startswith("utf") or encoding == "ascii" else -1
    for start in range(0, len(length), _DECODED_AT_ONCE):
        part = slice(start, start + _DECODED_AT_ONCE)
        raw = left_aligned([word[part] for word in words], length[part])
        if breaks < 0 or (raw == breaks).any():
            cells = raw.view(f"S{raw.shape[1]}").reshape(-1).tolist()
            texts.extend([text.decode(encoding, "replace") for text in cells])
            continue
        # One decoding and one splitting for all: no field holds a line end.
        lined = np.full((len(raw), raw.shape[1] + 1), breaks, np.uint8)
        lined[:, :-1] = raw
        joined = lined.reshape(-1)
        texts.extend(joined[joined != 0].tobytes().decode(encoding, "replace").split("\n")[:-1])
    return texts


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
    # The words in the order of the file, each row from its first one with a byte of the field.
    stream = np.stack([*words[::-1], *[np.zeros(n, np.uint64)] * (count + 1)], 1).reshape(-1)
    at = np.arange(n, dtype=np.int64) * (2 * count + 1) + (empty >> 3)
    ahead = [stream[at + k] for k in range(count + 1)]
    found = np.empty((n, count), np.uint64)
    for k, (now, after) in enumerate(pairwise(ahead)):
        # In two steps, since 64 bits at once are no shift: nothing of the next word where this one begins with a text.
        found[:, k] = (now >> shift) | ((after << np.uint64(1)) << (np.uint64(63) - shift))
    return found.view(np.uint8)


def _distinct(codes: NDArray[np.int32], texts: list[str]) -> RawColumn:
    """Merge texts that different bytes decode to, as damaged bytes do."""
    if _DAMAGED not in "".join(texts):
        return RawColumn(codes, texts)
    index: dict[str, int] = {}
    new = np.fromiter((index.setdefault(text, len(index)) for text in texts), np.int32, len(texts))
    return RawColumn(new[codes], list(index))


def _gather_long(parts: Sequence[Packed], encoding: str) -> RawColumn:
    index: dict[bytes, int] = {}
    codes: list[NDArray[np.int32]] = []
    for part in parts:
        fields = part.long
        if fields is None:
            raw = np.ascontiguousarray(left_aligned(part.words, part.length))
            fields = raw.view(f"S{raw.shape[1]}").reshape(-1).tolist()
        codes.append(np.fromiter((index.setdefault(f, len(index)) for f in fields), np.int32, len(fields)))
    return _distinct(np.concatenate(codes), [field.decode(encoding, "replace") for field in index])
