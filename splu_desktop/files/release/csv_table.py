"""The table of a release read from its CSV: texts to the letter, nothing guessed."""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain
from typing import Protocol, TypeVar

import numpy as np

from splu_desktop.core.packed.texts import Texts
from splu_desktop.core.progress import Progress, Silent
from splu_desktop.core.table import IN_MEMORY, Codes, Storage
from splu_desktop.files.importer.raw import Away, RawColumn
from splu_desktop.files.importer.text import fields
from splu_desktop.files.isolation.faults import TooVaried

_BLOCK = 1 << 20  # bytes, which stay in the cache while they are divided
_LONGEST = 16 << 20  # bytes of a record
_AHEAD = 3  # blocks divided before they are asked for
_STAGE = "Reading the table"
Result = TypeVar("Result")


class Readable(Protocol):
    """What bytes are read from."""

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes, none at the end."""


def read_cells(
    file: Readable,
    size: int,
    progress: Progress,
    *,
    longest_header: int,
    wanted: Sequence[int] | None = None,
    first: int | None = None,
    storage: Storage = IN_MEMORY,
) -> tuple[list[str], list[tuple[Codes, list[str] | Texts]]]:
    """Return the header and, for each column, (N,) codes over distinct texts.

    Parameters
    ----------
    file, size : its bytes, as `table_writers.write_csv` writes them, and how many there are.
    longest_header : bytes that the header takes at most, by the columns that the table should have.
    wanted : places of the columns to be given, None for all.
    first : how many records at least, from the first on; None for all.
    storage : where codes are to lie.

    Raises ValueError where that is no CSV of equally long rows; TooVaried; Cancelled.
    """
    blocks = _blocks(file)
    opening = next(blocks, b"").removeprefix(b"\xef\xbb\xbf")
    start = _record_end(opening, 0)
    if start > longest_header:
        raise ValueError("no header")
    head = list(csv.reader(io.StringIO(opening[:start].decode("utf-8"), newline=""), strict=True))
    if len(head) != 1:
        raise ValueError("no header")
    header = head[0]
    places = range(len(header)) if wanted is None else [at for at in wanted if at < len(header)]
    form = fields.FieldLayout(len(header), ord(","), ord('"'))
    columns = [_Column() for _ in places]
    away = [Away(storage) for _ in places] if storage.records is not None else []
    segments: list[tuple[bool, int]] = []  # (regular?, records), in the order of the file
    done, read = start, 0

    def divide(block: bytes) -> tuple[bytes, list[fields.Packed] | None]:
        try:
            return block, fields.split(block, form, None if wanted is None else places)[0]
        except fields.Irregular:
            return block, None

    def gathered() -> list[RawColumn]:
        found = [_joined(column, segments) for column in columns]
        columns[:], segments[:] = [_Column() for _ in places], []
        return found

    def put_away() -> None:
        for at, (one, part) in enumerate(zip(away, gathered(), strict=True)):
            one.add(part)
            if not storage.room_for_labels(*one.size()):
                raise TooVaried(places[at], one.size()[0], header[places[at]])

    with ThreadPoolExecutor(2) as pool:
        for block, parts in _ahead(pool, divide, chain([opening[start:]] if opening[start:] else [], blocks), first):
            progress.report(_STAGE, min(1.0, 0.9 * done / max(1, size)))
            done += len(block)
            if parts is not None:
                for column, part in zip(columns, parts, strict=True):
                    column.packed.append(part)
                segments.append((True, len(parts[0]) if parts else 0))
            else:
                segments.append((False, _read_oddly(block, columns, places, len(header))))
            read += segments[-1][1]
            if first is not None and read >= first:
                break
            if away and sum(records for _, records in segments) >= (storage.records or 0):
                put_away()
    if away:
        put_away()
        return header, [(one.codes, one.labels) for one in (each.column(Silent()) for each in away)]
    return header, [(one.codes, one.labels) for one in gathered()]


def _ahead(
    pool: ThreadPoolExecutor, work: Callable[[bytes], Result], blocks: Iterable[bytes], first: int | None
) -> Iterator[Result]:
    """Give what `work` makes of each block, a few blocks ahead of whoever takes it.

    `first` : how many records are wanted; nothing is divided ahead of the block that may hold the last of them.
    """
    waiting: deque[Future[Result]] = deque()
    lines = 0
    for block in blocks:
        waiting.append(pool.submit(work, block))
        lines += 0 if first is None else block.count(b"\n")
        while len(waiting) > (_AHEAD if first is None or lines < first else 0):
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _record_end(raw: bytes, start: int) -> int:
    """Return the position behind the first line end from `start` on that stands outside quotes."""
    at, quotes = start, 0
    while (end := raw.find(b"\n", at) + 1) > 0:
        quotes += raw.count(b'"', at, end)
        if quotes % 2 == 0:
            return end
        at = end
    return len(raw)


def _blocks(file: Readable) -> Iterator[bytes]:
    """Yield whole records, some megabytes at a time."""
    rest = b""
    while chunk := file.read(_BLOCK):
        block = rest + chunk
        cut = block.rfind(b"\n") + 1
        # To look for a quote takes a tenth of what counting takes, and most tables have none.
        while cut and b'"' in block and fields.count(block, ord('"'), cut) % 2:
            cut = block.rfind(b"\n", 0, cut - 1) + 1
        rest = block[cut:]
        if len(rest) > max(_LONGEST, _BLOCK):
            raise ValueError("a record without an end")
        if cut:
            yield block[:cut]
    if rest:
        yield rest if rest.endswith(b"\n") else rest + b"\n"


class _Column:
    """What was read of one column: packed fields of regular blocks, and texts of irregular ones."""

    def __init__(self) -> None:
        self.packed: list[fields.Packed] = []
        self.codes: list[Codes] = []
        self.index: dict[str, int] = {}


def _read_oddly(block: bytes, columns: list[_Column], places: Sequence[int], width: int) -> int:
    rows = list(csv.reader(io.StringIO(block.decode("utf-8"), newline=""), strict=True))
    if any(len(row) != width for row in rows):
        raise ValueError("rows differ in length")
    for place, column in zip(places, columns, strict=True):
        index = column.index
        column.codes.append(
            np.fromiter((index.setdefault(row[place], len(index)) for row in rows), np.int32, len(rows))
        )
    return len(rows)


def _joined(column: _Column, segments: list[tuple[bool, int]]) -> RawColumn:
    regular = fields.gather(column.packed, "utf-8")
    if not column.codes:
        return regular
    index = {label: code for code, label in enumerate(regular.labels)}
    mapped = np.array([index.setdefault(label, len(index)) for label in column.index], np.int32)
    others = mapped[np.concatenate(column.codes)]
    pieces, done = [], {True: 0, False: 0}
    for plain, records in segments:
        source = regular.codes if plain else others
        pieces.append(source[done[plain] : done[plain] + records])
        done[plain] += records
    return RawColumn(np.concatenate(pieces), list(index))
