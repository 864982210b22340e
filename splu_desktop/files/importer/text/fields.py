"""Fields of a delimited text found and told apart by whole-array operations on its bytes.

A block of the file is an array of bytes. The positions of delimiters and line ends are found at once; where every line
has the same number of fields they form a matrix. Short fields are 64-bit words, equal ones of which are found as
numbers; longer ones are looked up one by one. A block that is not regular raises `Irregular`, and the caller reads it
field by field.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, compress

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import cross_codes, distinct_rows, sort_hashes
from splu_desktop.core.table import unique
from splu_desktop.files.importer.columns.cells import encode_cells
from splu_desktop.files.importer.columns.many_texts import read_digits
from splu_desktop.files.importer.raw import RawColumn

Words = NDArray[np.uint64]
Fields = Words | list[bytes]
"""Fields of one column of a block: (n, k) words, the first eight bytes and so on; as bytes where one is longer."""
_WORD = 8  # bytes of a word
_WORDS = 8  # of a field at most
FIRST_BYTES = np.array([(1 << 8 * at) - 1 for at in range(_WORD + 1)], np.uint64)  # of a word, so many
_NEWLINE, _RETURN = 10, 13
_LOOK, _MANY, _TABLE = 1 << 12, 1 << 11, 1 << 23  # fields looked at, those that tell of many, numbers for a table
_MARKS, _DIGITS, _LETTERS = (np.uint64(bits * 0x0101010101010101) for bits in (0x20, 0x10, 0xC0))
_SHORTER = np.array([10**size // 9 for size in range(_WORD + 1)], np.uint64)  # numbers of fewer digits


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


def count(block: bytes, byte: int, end: int | None = None) -> int:
    """Return how often a byte occurs up to `end`: where it is frequent, a fifth of what `bytes.count` takes."""
    return int(np.count_nonzero(np.frombuffer(block, np.uint8)[:end] == byte)) if byte in block else 0


def _find_separators(data: NDArray[np.uint8], layout: FieldLayout, quotes: int) -> tuple[NDArray[np.intp], int]:
    """Return the places of delimiters and line ends outside of quotes, and how many of them are line ends."""
    flags = data == layout.newline
    feeds = int(np.count_nonzero(flags))
    if layout.width > 1:
        flags |= data == layout.delimiter
    if not quotes:
        return np.flatnonzero(flags), feeds
    every = np.flatnonzero(flags | (data == layout.quote))
    quote = data[every] == layout.quote
    # Behind an odd number of quotes everything stands within them, up to the next.
    marks = every[~(np.bitwise_xor.accumulate(quote) | quote)]
    lines = feeds - int(np.count_nonzero(data[marks] == layout.newline))
    delimiters = len(every) - quotes - len(marks) - lines
    if lines and layout.width > 2 and delimiters >= lines * (layout.width - 1):
        raise Irregular  # whole records within quotes: two of them out of place
    return marks, feeds - lines


def split(
    block: bytes, layout: FieldLayout, only: Sequence[int] | None = None
) -> tuple[list[Fields], NDArray[np.bool_]]:
    """Split a block (whole lines, the last one ended) into columns, and say which lines hold nothing at all.

    only : the places of the columns wanted; None for all.
    Raises Irregular: where lines differ in their number of fields, quotes are doubled, or a zero byte occurs.
    """
    if b"\x00" in block:
        raise Irregular
    width = layout.width
    data = np.frombuffer(block, np.uint8)
    quotes = count(block, layout.quote) if layout.quote >= 0 else 0
    marks, feeds = _find_separators(data, layout, quotes)
    rows, rest = divmod(len(marks), width)
    if not rows or rest or marks[-1] != len(data) - 1:
        raise Irregular
    sides = marks.reshape(rows, width)
    ends = sides[:, -1].copy()  # side by side, for all that is asked of them
    # As many line ends as lines, one behind each last field: then all other marks are delimiters.
    if feeds != rows or (data[ends] != layout.newline).any():
        raise Irregular
    if b"\r" in block and layout.newline != _RETURN and block.count(b"\r") != (rows if layout.carriage else 0):
        raise Irregular
    begins = np.append(0, ends[:-1] + 1)
    if layout.carriage:
        ends = ends - 1
        if (ends < (sides[:, -2] + 1 if width > 1 else begins)).any() or (data[ends] != _RETURN).any():
            raise Irregular
    blank = ends - begins == width - 1
    if width == 1 and blank.any():
        raise Irregular
    wanted = range(width) if only is None else only
    looked = range(width) if quotes else wanted
    # By column from here on: whatever is asked of a column then stands side by side.
    by_column = np.ascontiguousarray(sides.T) if len(looked) == width else sides.T
    # One at a time, so that the processor still has the places when it looks there.
    sides_of = ((by_column[i - 1] + 1 if i else begins, by_column[i] if i < width - 1 else ends) for i in looked)
    if quotes:
        starts, stops = zip(*sides_of, strict=True)
        enclosed = [
            (data[start] == layout.quote) & (stop - start >= 2) & (data[stop - 1] == layout.quote)
            for start, stop in zip(starts, stops, strict=True)
        ]
        if quotes != 2 * sum(int(np.count_nonzero(each)) for each in enclosed):
            raise Irregular
        sides_of = ((start + each, stop - each) for start, stop, each in zip(starts, stops, enclosed, strict=True))
    words = words_of(block)
    return [_fields(block, words, *at) for i, at in zip(looked, sides_of, strict=True) if i in wanted], blank


def words_of(block: bytes) -> Words:
    """Return the word of eight bytes at each place of a block and up to a field's longest behind it, noughts there."""
    room = block + bytes(_WORDS * _WORD)
    return np.ndarray((len(room) - _WORD + 1,), "<u8", room, strides=(1,))


def _fields(block: bytes, words: Words, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> Fields:
    """Return the (n,) fields of one column, which stand between these places in a block."""
    length = stops - starts
    longest = int(length.max())
    if longest > _WORDS * _WORD:
        return [block[a:b] for a, b in zip(starts.tolist(), stops.tolist(), strict=True)]
    places = range(0, max(longest, 1), _WORD)
    return np.stack([words[starts + at] & FIRST_BYTES.take(length - at, mode="clip") for at in places]).T


def take(fields: Fields, keep: NDArray[np.bool_]) -> Fields:
    """Return the fields of some records."""
    return list(compress(fields, keep.tolist())) if isinstance(fields, list) else fields[keep]


def gather(parts: Sequence[Fields], encoding: str) -> RawColumn:
    """Join the blocks of one column, in an encoding that has ASCII, into codes over its distinct texts."""
    if not parts:
        return RawColumn(np.zeros(0, np.int32), [])
    words = [part for part in parts if not isinstance(part, list)]
    if len(words) == len(parts):
        width = max(part.shape[1] for part in words)
        none = np.zeros(max(map(len, words)), np.uint64)
        columns = [
            np.concatenate([part[:, at] if at < part.shape[1] else none[: len(part)] for part in words])
            for at in range(width)
        ]
        if width == 1 and len(unique(columns[0][:: len(columns[0]) // _LOOK + 1])) > _MANY:
            codes, texts = _code_in_order(columns[0])  # texts made in another order lie all over the memory
            return _decode(codes, texts[:, None], encoding)
        codes, firsts = distinct_rows(columns)
        return _decode(codes, np.stack([column[firsts] for column in columns], axis=1), encoding)
    lists = (part if isinstance(part, list) else _join(part).split(b"\0")[1:-1] for part in parts)
    coded = encode_cells(chain.from_iterable(lists))
    return _decode(coded.codes, coded.cells, encoding)


def _code_in_order(words: Words) -> tuple[NDArray[np.int32], Words]:
    """Return codes over the distinct ones of many fields of one word, and these, in the order of their column."""
    sizes = np.bitwise_count(words & _MARKS).astype(np.uint64)
    if not np.bitwise_or.reduce(words) & _LETTERS:
        whole = bool((np.bitwise_count(words & _DIGITS) == sizes).all())
        keys = read_digits(words << np.uint64(8) * (np.uint64(_WORD) - sizes), 10 if whole else 16)
        keys += _SHORTER[sizes] if whole else sizes << np.uint64(32)
        if (most := int(keys.max()) + 1) <= _TABLE:
            codes = cross_codes(keys.view(np.int64), most)[0]
        else:
            order, alike = sort_hashes(keys << np.uint64(28))
            codes = np.empty(len(words), np.int32)
            codes[order] = np.cumsum(np.append(False, ~alike))
        texts = np.empty(int(codes.max()) + 1, np.uint64)
        texts[codes] = words
        if np.array_equal(texts.take(codes), words):  # as there was nothing but digits, points and signs
            return codes, texts
    texts, place = np.unique(words.byteswap(), return_inverse=True)
    return place.astype(np.int32), texts.byteswap()


def _decode(codes: NDArray[np.int32], fields: Fields, encoding: str) -> RawColumn:
    joined = _join(fields).decode(encoding, "replace")
    texts = joined.split("\0")[1:-1]
    if len(texts) != len(fields):  # what Python's reader of CSV gives may hold noughts
        texts = [field.decode(encoding, "replace") for field in fields]
    column = RawColumn(codes, texts)  # different bytes may be one text, as damaged ones are
    return RawColumn.join([column]) if "\ufffd" in joined else column


def _join(fields: Fields) -> bytes:
    """Return fields as one, a nought before each and behind the last: to make bytes of each takes ten times that."""
    if isinstance(fields, list):
        return b"\0".join([b"", *fields, b""])
    marked = np.zeros((len(fields) + 1, 1 + _WORD * fields.shape[1]), np.uint8)
    marked[:-1, 1:] = fields.astype("<u8", order="C").view(np.uint8)
    kept = marked > 0
    kept[:, 0] = True
    return marked[kept].tobytes()
