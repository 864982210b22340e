"""The table of a release read from its CSV: texts to the letter, nothing guessed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Codes
from splu_desktop.files.importer.raw import RawColumn
from splu_desktop.files.importer.text import fields

_BLOCK = 4 << 20  # bytes
_LONGEST = 16 << 20  # bytes of a record
_STAGE = "Reading the table"


def read_cells(
    raw: bytes, progress: Progress, *, longest_header: int
) -> tuple[list[str], list[tuple[Codes, list[str]]]]:
    """Return the header and, for each column, (N,) codes over distinct texts.

    Parameters
    ----------
    raw : the file's bytes, as `table_writers.write_csv` writes them.
    longest_header : bytes that the header takes at most, by the columns that the table should have.

    Raises ValueError where that is no CSV of equally long rows; Cancelled.
    """
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    start = _record_end(raw, 0)
    if start > longest_header:
        raise ValueError("no header")
    head = list(csv.reader(io.StringIO(raw[:start].decode("utf-8"), newline=""), strict=True))
    if len(head) != 1:
        raise ValueError("no header")
    header = head[0]
    form = fields.FieldLayout(len(header), ord(","), ord('"'))
    packed: list[list[fields.Packed]] = [[] for _ in header]
    odd = [_Column() for _ in header]
    segments: list[tuple[bool, int]] = []  # (regular?, records), in the order of the file

    def divide(block: bytes) -> tuple[bytes, list[fields.Packed] | None]:
        try:
            return block, fields.split(block, form)[0]
        except fields.Irregular:
            return block, None

    done = start
    with ThreadPoolExecutor(2) as pool:
        for block, parts in pool.map(divide, _blocks(raw, start)):
            progress.report(_STAGE, 0.9 * done / max(1, len(raw)))
            done += len(block)
            if parts is not None:
                for column, part in zip(packed, parts, strict=True):
                    column.append(part)
                segments.append((True, len(parts[0])))
            else:
                segments.append((False, _read_oddly(block, odd)))
    columns = []
    for place, (regular, other) in enumerate(zip(packed, odd, strict=True)):
        progress.report(_STAGE, 0.9 + 0.1 * place / len(header))
        columns.append(_joined(fields.gather(regular, "utf-8"), other, segments))
    return header, columns


def _record_end(raw: bytes, start: int) -> int:
    """Return the position behind the first line end from `start` on that stands outside quotes."""
    at, quotes = start, 0
    while (end := raw.find(b"\n", at) + 1) > 0:
        quotes += raw.count(b'"', at, end)
        if quotes % 2 == 0:
            return end
        at = end
    return len(raw)


def _blocks(raw: bytes, start: int) -> Iterator[bytes]:
    """Yield whole records, some megabytes at a time. `start` lies outside quotes."""
    while start < len(raw):
        end = min(start + _BLOCK, len(raw))
        if end < len(raw):
            cut = raw.rfind(b"\n", start, end) + 1
            while cut > start and raw.count(b'"', start, cut) % 2:
                cut = raw.rfind(b"\n", start, cut - 1) + 1
            end = cut if cut > start else _record_end(raw, start)
            if end - start > max(_LONGEST, _BLOCK):
                raise ValueError("a record without an end")
        block = raw[start:end]
        yield block if block.endswith(b"\n") else block + b"\n"
        start = end


class _Column:
    """Texts of irregular blocks, one column."""

    def __init__(self) -> None:
        self.codes: list[Codes] = []
        self.index: dict[str, int] = {}


def _read_oddly(block: bytes, columns: list[_Column]) -> int:
    rows = list(csv.reader(io.StringIO(block.decode("utf-8"), newline=""), strict=True))
    if any(len(row) != len(columns) for row in rows):
        raise ValueError("rows differ in length")
    for place, column in enumerate(columns):
        index = column.index
        column.codes.append(
            np.fromiter((index.setdefault(row[place], len(index)) for row in rows), np.int32, len(rows))
        )
    return len(rows)


def _joined(regular: RawColumn, odd: _Column, segments: list[tuple[bool, int]]) -> tuple[Codes, list[str]]:
    if not odd.codes:
        return regular.codes, list(regular.labels)
    index = {label: code for code, label in enumerate(regular.labels)}
    mapped = np.array([index.setdefault(label, len(index)) for label in odd.index], np.int32)
    others = mapped[np.concatenate(odd.codes)]
    pieces, done = [], {True: 0, False: 0}
    for plain, records in segments:
        source = regular.codes if plain else others
        pieces.append(source[done[plain] : done[plain] + records])
        done[plain] += records
    return np.concatenate(pieces), list(index)
