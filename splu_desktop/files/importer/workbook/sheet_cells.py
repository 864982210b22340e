"""Cells of an XLSX sheet's XML found by whole-array operations on its bytes.

A block of whole rows is an array of bytes. All tags are found at once and told apart by their first two letters; a
table of which may follow which is the grammar. Nothing is interpreted here: a cell becomes the bytes of its attributes
behind the reference ("tail") and of its content, from which its distinct forms are found. A block that says anything
else than plain cells raises `Irregular`, and the sheet is left to calamine.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splu_desktop.files.importer.text.digits import LAST, eight, first_place
from splu_desktop.files.importer.text.fields import LONGEST, Irregular, Packed, factorise_words, pack
from splu_desktop.frozen import dataclass

_ROOM = LONGEST  # bytes of zeros around a block, so that the bytes beside a tag can always be looked at
_LT, _GT, _SLASH, _QUOTE = 60, 62, 47, 34
_LONGEST_TAIL = 64
_LONGEST_BLANK = 64
_MOST_COLUMNS = 1000  # with more, a block has so few rows that calamine is quicker

# Kinds of tags; a tag closed in itself ("<v/>") is its kind plus CLOSED.
ROW, ROW_END, CELL, CELL_END, VALUE, VALUE_END, IS, IS_END = range(1, 9)
TEXT, TEXT_SPACED, TEXT_END, FORMULA, FORMULA_END = range(9, 14)
CLOSED = 16


def _kinds() -> NDArray[np.uint8]:
    """(65536,) kind of a tag by its first two bytes, 0 for any other."""
    table = np.zeros(1 << 16, np.uint8)
    for letters, kind in {
        b"ro": ROW, b"/r": ROW_END, b"c ": CELL, b"/c": CELL_END, b"v>": VALUE, b"v/": VALUE, b"/v": VALUE_END,
        b"is": IS, b"/i": IS_END, b"t>": TEXT, b"t/": TEXT, b"t ": TEXT_SPACED, b"/t": TEXT_END,
        b"f>": FORMULA, b"f ": FORMULA, b"f/": FORMULA, b"/f": FORMULA_END,
    }.items():  # fmt: skip
        table[int.from_bytes(letters, "little")] = kind
    return table


def _follows() -> NDArray[np.bool_]:
    """(1024,) whether a tag may follow another, at 32 times the first's kind plus the second's."""
    allowed = np.zeros((32, 32), bool)
    row_ends, cell_ends = (ROW_END, ROW + CLOSED), (CELL_END, CELL + CLOSED)
    inside = (VALUE, VALUE + CLOSED, IS, FORMULA, FORMULA + CLOSED, CELL_END)
    behind_formula = (VALUE, VALUE + CLOSED, CELL_END)
    for firsts, seconds in (
        (row_ends, (ROW, ROW + CLOSED)),
        ((ROW, *cell_ends), (CELL, CELL + CLOSED, ROW_END)),
        ((CELL,), inside),
        ((VALUE,), (VALUE_END,)),
        ((VALUE_END, VALUE + CLOSED, IS_END), (CELL_END,)),
        ((IS,), (TEXT, TEXT_SPACED, TEXT + CLOSED, IS_END)),
        ((TEXT, TEXT_SPACED), (TEXT_END,)),
        ((TEXT_END, TEXT + CLOSED), (IS_END,)),
        ((FORMULA,), (FORMULA_END,)),
        ((FORMULA_END, FORMULA + CLOSED), behind_formula),
    ):
        for first in firsts:
            allowed[first, list(seconds)] = True
    return allowed.reshape(-1)


_KIND = _kinds()
_FOLLOWS = _follows()
_HOLDS = np.zeros(32, bool)
_HOLDS[[VALUE, TEXT, TEXT_SPACED, FORMULA]] = True


@dataclass(frozen=True, eq=False)
class Piece:
    """The filled cells of one column in one block.

    Attributes
    ----------
    rows : (n,) place of each cell's row among the block's rows, ascending.
    tails : (n,) place of each cell's tail among the block's tails.
    content : the n contents, packed.
    """

    rows: NDArray[np.int32]
    tails: NDArray[np.int32]
    content: Packed


@dataclass(frozen=True, eq=False)
class Block:
    """The cells of a block.

    Attributes
    ----------
    numbers : (r,) row numbers, ascending, blank rows included.
    tails : what stands behind a cell's reference, from its closing quote on, and whether the content is a value (b"v"),
        a text (b"t") or a text whose blanks count (b"s").
    columns : column from 0 -> its cells with content.
    hollow : (h, 2) row number and column of the cells with a formula and without a stored result.
    """

    numbers: NDArray[np.int64]
    tails: list[tuple[bytes, bytes]]
    columns: dict[int, Piece]
    hollow: NDArray[np.int64]


def parse(block: bytes) -> Block:
    """Find the cells of a block of whole rows.

    Raises Irregular: where the block holds anything but rows of plain cells, each with its reference, in order.
    """
    if b"\x00" in block:
        raise Irregular
    room = bytes(_ROOM) + block + bytes(16)
    data = np.frombuffer(room, np.uint8)
    opens, ends = np.flatnonzero(data == _LT), np.flatnonzero(data == _GT)
    if not len(opens):
        return Block(np.zeros(0, np.int64), [], {}, np.zeros((0, 2), np.int64))
    if len(opens) != len(ends) or (opens > ends).any() or (ends[:-1] > opens[1:]).any():
        raise Irregular
    two = np.ndarray((len(room) - 1,), "<u2", room, strides=(1,))
    kind = _KIND[two[opens + 1]]
    if not kind.all() or kind[0] & 15 != ROW:
        raise Irregular
    kind += (data[ends - 1] == _SLASH) * np.uint8(CLOSED)
    if not _FOLLOWS[kind[:-1].astype(np.intp) * 32 + kind[1:]].all() or kind[-1] not in (ROW_END, ROW + CLOSED):
        raise Irregular
    between = opens[1:] - ends[:-1] - 1
    told = np.flatnonzero((between > 0) & ~_HOLDS[kind[:-1]])
    if ends[-1] != len(data) - 17 or not _blank(data, ends[told] + 1, between[told]):
        raise Irregular
    word = np.ndarray((len(room) - 7,), "<u8", room, strides=(1,))
    is_row, is_cell = kind & 15 == ROW, kind & 15 == CELL
    at_row = opens[is_row]
    row_digits, row_width = _row_digits(word, at_row)
    numbers = _numbers(row_digits, row_width)
    if (np.diff(numbers) <= 0).any():
        raise Irregular
    at_cell = opens[is_cell]
    row = (np.cumsum(is_row, dtype=np.int32)[is_cell] - 1).astype(np.int32)
    column, letters = _references(word, at_cell)
    width = row_width[row]
    tail_start = at_cell + 6 + letters + width
    same_row = ((word[tail_start - 8] ^ row_digits[row]) & LAST[width]) == 0
    if not (same_row & (data[tail_start] == _QUOTE)).all():
        raise Irregular
    cell = np.cumsum(is_cell, dtype=np.int32) - 1  # of each tag
    cell_kind = kind[is_cell]
    holds = (kind == VALUE) | (kind == TEXT) | (kind == TEXT_SPACED)
    place = np.flatnonzero(holds)
    start, stop = ends[place] + 1, opens[place + 1]
    if (start == stop).any():
        place = place[start < stop]
        start, stop = ends[place] + 1, opens[place + 1]
    form = kind[place]
    owner = cell[place]
    hollow = _hollow(kind, cell, owner, row, column, numbers)
    tail_stop = ends[is_cell] - (cell_kind >= CLOSED)
    tails, known = _tails(word, room, tail_start[owner], tail_stop[owner], form)
    return Block(numbers, known, _by_column(room, word, row[owner], column[owner], tails, start, stop), hollow)


def _blank(data: NDArray[np.uint8], start: NDArray[np.int64], length: NDArray[np.int64]) -> bool:
    """Whether some stretches hold line ends and blanks only, as programs write them between rows."""
    for k in range(int(min(length.max(initial=0), _LONGEST_BLANK + 1))):
        longer = length > k
        if k == _LONGEST_BLANK or (data[start[longer] + k] > ord(" ")).any():
            return False
    return True


def _row_digits(word: NDArray[np.uint64], at: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the digits of rows' numbers, as the last bytes of words, and how many they are."""
    head = int.from_bytes(b'<row r="', "little")
    if (word[at] != head).any():
        raise Irregular
    text = word[at + 8]
    quote = first_place(text, _QUOTE)
    if (quote < 1).any() or (quote > 7).any():
        raise Irregular
    return text << ((8 - quote).astype(np.uint64) << np.uint64(3)), quote


def _numbers(digits: NDArray[np.uint64], width: NDArray[np.int64]) -> NDArray[np.int64]:
    numbers = eight(digits, width)
    if numbers is None:
        raise Irregular
    return numbers


def _references(word: NDArray[np.uint64], at: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the cells' columns from 0, and how many letters name each."""
    head = int.from_bytes(b'c r="', "little")
    if ((word[at + 1] & np.uint64(0xFFFFFFFFFF)) != head).any():
        raise Irregular
    text = word[at + 6]
    column = (text & np.uint64(0xFF)).astype(np.int32) - 64
    letters = np.ones(len(at), np.int64)
    going = np.ones(len(at), bool)
    if (column < 1).any() or (column > 26).any():
        raise Irregular
    for k in (1, 2):
        letter = ((text >> np.uint64(8 * k)) & np.uint64(0xFF)).astype(np.int32) - 64
        going &= (letter >= 1) & (letter <= 26)
        if not going.any():
            break
        column = np.where(going, column * 26 + letter, column)
        letters += going
    return column - 1, letters


def _hollow(
    kind: NDArray[np.uint8],
    cell: NDArray[np.int32],
    filled: NDArray[np.int32],
    row: NDArray[np.int32],
    column: NDArray[np.int32],
    numbers: NDArray[np.int64],
) -> NDArray[np.int64]:
    """(h, 2) row number and column of the cells with a formula and nothing stored."""
    formula = cell[kind & 15 == FORMULA]
    if not len(formula):
        return np.zeros((0, 2), np.int64)
    empty = np.ones(int(cell[-1]) + 1, bool)
    empty[filled] = False
    found = formula[empty[formula]]
    return np.stack([numbers[row[found]], column[found].astype(np.int64)], 1)


def _tails(
    word: NDArray[np.uint64],
    room: bytes,
    start: NDArray[np.int64],
    stop: NDArray[np.int64],
    form: NDArray[np.uint8],
) -> tuple[NDArray[np.int32], list[tuple[bytes, bytes]]]:
    """Return codes over the distinct tails together with forms, and what they are."""
    length = stop - start
    longest = int(length.max(initial=0))
    if longest > _LONGEST_TAIL:
        raise Irregular
    parts = [word[stop - 8 - k] & LAST[np.clip(length - k, 0, 8)] for k in range(0, longest, 8)]
    shape = (length << 8) + form
    codes, firsts = factorise_words([shape.view(np.uint64), *parts])
    names = {VALUE: b"v", TEXT: b"t", TEXT_SPACED: b"s"}
    known = [(room[start[i] : stop[i]], names[int(form[i])]) for i in firsts.tolist()]
    return codes, known


def _by_column(
    room: bytes,
    word: NDArray[np.uint64],
    row: NDArray[np.int32],
    column: NDArray[np.int32],
    tails: NDArray[np.int32],
    start: NDArray[np.int64],
    stop: NDArray[np.int64],
) -> dict[int, Piece]:
    """Put the cells of each column together."""
    if not len(column):
        return {}
    order = np.argsort(column.astype(np.uint16), kind="stable")
    row, tails, start, stop = row[order], tails[order], start[order], stop[order]
    counts = np.bincount(column)
    if np.count_nonzero(counts) > _MOST_COLUMNS:
        raise Irregular
    length = np.minimum(stop - start, LONGEST + 1).astype(np.uint8)
    first = word[stop - 8] & LAST[np.minimum(length, 8)]
    pieces: dict[int, Piece] = {}
    ends = np.cumsum(counts).tolist()
    for i in np.flatnonzero(counts).tolist():
        part = slice(ends[i] - int(counts[i]), ends[i])
        packed = pack(room, first[part], length[part], start[part], stop[part])
        pieces[i] = Piece(row[part], tails[part], packed)
        if (np.diff(pieces[i].rows) <= 0).any():
            raise Irregular  # two cells with the same reference
    return pieces
