"""Fields of a delimited text found and told apart by whole-array operations on its bytes.

A block of the file is an array of bytes. The positions of delimiters and line ends are found at once; where every line
has the same number of fields they form a matrix. A column's fields are packed into 64-bit words, and equal fields are
found by hashing the words: no field becomes a Python object unless its text is new. A block that is not regular raises
`Irregular`, and the caller reads it field by field.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import Lookup, distinct
from splu_desktop.core.packed.texts import Texts, all_ascii, left_aligned
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.table import unique
from splu_desktop.files.importer.raw import RawColumn
from splu_desktop.files.importer.text.digits import figures
from splu_desktop.frozen import dataclass

Words = NDArray[np.uint64]
LONGEST = 64  # bytes of a field that is packed; longer ones are sliced out as they are
_NEWLINE, _RETURN = 10, 13
_DAMAGED = "\ufffd"
_DECODED_AT_ONCE = 50_000  # texts made per call, so that other threads get their turn
_PACKED_AT_ONCE = 1 << 14
_TIMES = 4  # that a field known from the first records stands in them on average, and others than known ones are fewer
_MANY = 20_000  # different texts from which on they stay packed


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

    def copy(self) -> Packed:
        """Return the same apart from the other columns of its block, which it would keep in memory."""
        return Packed(tuple(word.copy() for word in self.words), self.length.copy(), self.long)

    def take(self, keep: NDArray[Any]) -> Packed:
        """Return the fields of some records, (n,) bool or places."""
        long = None if self.long is None else [self.long[i] for i in np.arange(len(self))[keep].tolist()]
        return Packed(tuple(word[keep] for word in self.words), self.length[keep], long)


@dataclass(frozen=True, eq=False)
class Known:
    """The different fields of a column's first records, by which those of later blocks become codes at once.

    So most fields never leave the processor's own memory: what is kept of them is a tenth of their words.

    Attributes
    ----------
    words, length : as in `Packed`, of (m,) different fields.
    lookup : gives the place of a field among them by its key.
    """

    words: tuple[Words, ...]
    length: NDArray[np.uint8]
    lookup: Lookup

    @classmethod
    def of(cls, parts: Sequence[Packed | PackedCodes]) -> Known | None:
        """Return those of a column's first blocks, None where they are long or a great many."""
        first = [part for part in parts if isinstance(part, Packed) and part.long is None]
        if len(first) < len(parts):
            return None
        length, words = joined(first)
        if len(unique(words[0])) * _TIMES > len(length):
            return None
        _, at = factorise_words(words)
        words = [word[at] for word in words]
        keys = _key(words)
        if len(at) * _TIMES > len(length) or len(unique(keys)) < len(at):
            return None
        return cls(tuple(words), length[at], Lookup(keys, np.min_scalar_type(len(at))))

    def coded(self, column: Packed) -> Packed | PackedCodes:
        """Return a block's column as codes, or as it is where many of its fields are others."""
        fewer = len(self.words) - len(column.words)
        if column.long is not None or fewer < 0:
            return column.copy()
        words = [*column.words, *[np.zeros(len(column), np.uint64)] * fewer]
        codes, others = self.lookup.of(_key(words))
        if len(words) > 1:  # different words may share a key
            others = np.flatnonzero(_any_differs(self.words, codes, words))
        if len(others) * _TIMES > len(codes):
            return column.copy()
        return PackedCodes(self, codes, others, column.take(others))


@dataclass(frozen=True, eq=False)
class PackedCodes:
    """One column of one block whose fields are mostly known.

    Attributes
    ----------
    codes : (n,) place of each field among the known ones.
    at, others : places of those that are others, and these.
    """

    known: Known
    codes: NDArray[Any]
    at: NDArray[np.intp]
    others: Packed

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def words(self) -> tuple[Words, ...]:
        """Those of the known fields."""
        return self.known.words

    def take(self, keep: NDArray[np.bool_]) -> Packed:
        """Return the fields of some records."""
        return self.packed().take(keep)

    def packed(self) -> Packed:
        """Return the fields themselves."""
        length, words = self.known.length[self.codes], [word[self.codes] for word in self.known.words]
        length[self.at] = self.others.length
        for k, word in enumerate(words):
            word[self.at] = self.others.words[k] if k < len(self.others.words) else 0
        return Packed(tuple(words), length)


def count(block: bytes, byte: int, end: int | None = None) -> int:
    """Return how often a byte occurs up to `end`: where it is frequent, a fifth of what `bytes.count` takes."""
    return int(np.count_nonzero(np.frombuffer(block, np.uint8)[:end] == byte))


def split(
    block: bytes, layout: FieldLayout, wanted: Sequence[int] | None = None
) -> tuple[list[Packed], NDArray[np.bool_]]:
    """Split a block (whole lines, the last one ended) into packed columns, and say which lines hold nothing at all.

    `wanted` : places of the columns to be given, None for all.

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
    # By column from here on, (columns, rows): whatever is asked of a column then stands side by side. Of some columns
    # those before them are needed too, behind whose ends they begin; where there are quotes, all, to know their places.
    near: Sequence[int] = range(width)
    if wanted is not None and not quotes:
        near = sorted({0, width - 1, *wanted, *(at - 1 for at in wanted if at)})
    stops: NDArray[np.int64] = marks.reshape(rows, width).T[list(near)]
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
    if wanted is not None:
        places = [near.index(at) for at in wanted]
        starts, stops, width = starts[places], stops[places], len(places)
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


def _keep_last(words: Words, size: NDArray[np.uint8]) -> None:
    """Put zeros for all but the last `size` of eight bytes; NumPy takes a shift by all 64 bits for one to nothing."""
    others = (np.uint8(64) - (size << np.uint8(3))).astype(np.uint64)
    words >>= others
    words <<= others


def joined(parts: Sequence[Packed]) -> tuple[NDArray[np.uint8], list[Words]]:
    """Return lengths and words of the blocks of one column put together, none of which has long fields."""
    words = [
        np.concatenate([p.words[k] if k < len(p.words) else np.zeros(len(p), np.uint64) for p in parts])
        for k in range(max(len(p.words) for p in parts))
    ]
    return np.concatenate([part.length for part in parts]), words


def gather(blocks: Sequence[Packed | PackedCodes], encoding: str, own: Progress = SILENT) -> RawColumn:
    """Join the blocks of one column into codes over its distinct texts; `own` may raise Cancelled."""
    if not blocks:
        return RawColumn(np.zeros(0, np.int32), [])
    known = next((block.known for block in blocks if isinstance(block, PackedCodes)), None)
    parts = [block.others if isinstance(block, PackedCodes) else block for block in blocks]
    if any(part.long is not None for part in parts):
        return _gather_long([block.packed() if isinstance(block, PackedCodes) else block for block in blocks], encoding)
    if known is not None:
        parts.append(Packed(known.words, known.length))
    length, words = joined(parts)
    if known is None and _varied(words[0]) and (told := figures(words, length, own)) is not None:
        labels = _labels([word[told.firsts] for word in words], length[told.firsts], encoding, own)
        return RawColumn(told.codes, labels, told.values, told.zeros, told.ordered)
    own.report("", 0.0)
    codes, firsts = factorise_words(words)
    own.report("", 0.0)
    labels = _labels([word[firsts] for word in words], length[firsts], encoding, own)
    if known is not None:
        codes = _put_together(blocks, codes, codes[-len(known.length) :])
    return RawColumn(codes, labels) if isinstance(labels, Texts) else _distinct(codes, labels)


def _put_together(
    blocks: Sequence[Packed | PackedCodes], loose: NDArray[np.int32], known: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the codes of all records from those of the fields that are not known, block after block, and the known."""
    codes, start, used = np.empty(sum(map(len, blocks)), np.int32), 0, 0
    for block in blocks:
        here = codes[start : start + len(block)]
        start += len(block)
        if isinstance(block, PackedCodes):
            np.take(known, block.codes, out=here, mode="clip")
            here[block.at] = loose[used : used + len(block.at)]
            used += len(block.at)
        else:
            here[:] = loose[used : used + len(block)]
            used += len(block)
    return codes


def _varied(words: Words) -> bool:
    """Whether a column has so many different fields that reading them as numbers is quicker than hashing them."""
    sample = np.sort(words[:: max(1, len(words) // 1000)])
    return bool(np.count_nonzero(sample[1:] != sample[:-1]) + 1 > 0.2 * len(sample))


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


def _labels(words: Sequence[Words], length: NDArray[np.uint8], encoding: str, own: Progress) -> list[str] | Texts:
    """Return distinct fields as texts, packed where they are very many."""
    # All encodings that are read here say ASCII as ASCII.
    if len(length) >= _MANY and all_ascii(words):
        parts = [slice(start, start + _PACKED_AT_ONCE) for start in range(0, len(length), _PACKED_AT_ONCE)]
        return Texts(np.concatenate([left_aligned([w[part] for w in words], length[part]) for part in parts]), length)
    return _texts(words, length, encoding, own)


def _texts(words: Sequence[Words], length: NDArray[np.uint8], encoding: str, own: Progress) -> list[str]:
    """Decode distinct fields."""
    texts: list[str] = []
    breaks = 10 if encoding.startswith("utf") or encoding == "ascii" else -1
    for start in range(0, len(length), _DECODED_AT_ONCE):
        own.report("", 0.0)
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


def plain_bytes(words: Sequence[Words], length: NDArray[np.uint8]) -> list[bytes]:
    """Return packed fields as they stand in the file."""
    raw = np.ascontiguousarray(left_aligned(words, length))
    cells: list[bytes] = raw.view(f"S{raw.shape[1]}").reshape(-1).tolist()
    return cells


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
        fields = part.long
        if fields is None:
            fields = plain_bytes(part.words, part.length)
        codes.append(np.fromiter((index.setdefault(f, len(index)) for f in fields), np.int32, len(fields)))
    return _distinct(np.concatenate(codes), [field.decode(encoding, "replace") for field in index])
