"""The table of a release as CSV: written with inert formulas, read back to the letter."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.disk.inert import inert, restored
from splu_desktop.files.release.facts import Dialect

_AT_ONCE = 20_000  # rows
_BLOCK = 1 << 20  # characters
_LONGEST = 16 << 20  # characters of a field
_STAGE_OUT, _STAGE_IN = "Writing CSV", "Reading the table"


def write_table(table: Table, path: Path, dialect: Dialect, progress: Progress) -> None:
    """Write a header and a line per row: UTF-8, labels to the letter but for the decimal mark. Raises Cancelled."""
    cells = [_cells(column, dialect) for column in table.columns]
    if len(cells) == 1:  # an empty cell alone on its line would read as no row
        cells[0][cells[0] == ""] = '""'
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(dialect.delimiter.join(_field(inert(name), dialect.delimiter) for name in table.names) + "\n")
        for start in range(0, table.n, _AT_ONCE):
            progress.report(_STAGE_OUT, start / table.n)
            part = slice(start, start + _AT_ONCE)
            columns = [of[column.codes[part]] for of, column in zip(cells, table.columns, strict=True)]
            file.write("\n".join(map(dialect.delimiter.join, zip(*columns, strict=True))) + "\n")


def write_numbers(names: Sequence[str], columns: Sequence[NDArray[Any]], path: Path, dialect: Dialect) -> None:
    """Write columns of numbers, of seven digits at most."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(dialect.delimiter.join(_field(inert(name), dialect.delimiter) for name in names) + "\n")
        texts = []
        for column in columns:
            values, codes = np.unique(column, return_inverse=True)
            spelled = [f"{value:.7g}" for value in values.tolist()]
            texts.append(np.array([text.replace(".", dialect.decimal) for text in spelled], object)[codes])
        for row in zip(*texts, strict=True):
            file.write(dialect.delimiter.join(row) + "\n")


def _cells(column: Column, dialect: Dialect) -> NDArray[np.object_]:
    texts = [inert(str(label)) for label in column.labels]
    if dialect.decimal != "." and column.kind is Kind.DECIMAL:
        texts = [text.replace(".", dialect.decimal) for text in texts]
    found = np.empty(len(texts), object)
    found[:] = [_field(text, dialect.delimiter) for text in texts]
    return found


def _field(text: str, delimiter: str) -> str:
    quoted = not text.isalnum() and any(mark in text for mark in (delimiter, '"', "\n", "\r"))
    return '"' + text.replace('"', '""') + '"' if quoted else text


def read_table(
    file: IO[bytes], dialect: Dialect, rows: int, progress: Progress
) -> Iterator[tuple[str, NDArray[np.int32], list[str]]]:
    """Give name, (N,) codes and distinct texts of each column. Raises ValueError for no such CSV; Cancelled."""
    csv.field_size_limit(_LONGEST)
    blocks = _blocks(io.TextIOWrapper(file, encoding="utf-8-sig", newline=""))
    first = next(blocks, "")
    header, width = _columns(first, dialect.delimiter, None)
    seen: list[dict[str, int]] = [{} for _ in range(width)]
    codes: list[list[NDArray[np.int32]]] = [[] for _ in range(width)]
    names = [restored(column[0]) for column in header]
    done = 0
    for block in chain([first], blocks):
        progress.report(_STAGE_IN, min(1.0, done / max(rows, 1)))
        columns = header if block is first else _columns(block, dialect.delimiter, width)[0]
        for at, cells in enumerate(columns):
            own = cells[1:] if block is first else cells
            index = seen[at]
            for cell in set(own).difference(index):
                index[cell] = len(index)
            codes[at].append(np.fromiter(map(index.__getitem__, own), np.int32, len(own)))
        done += len(columns[0])
        if done > rows + 1:
            raise ValueError("more rows than stated")
    for name, index, parts in zip(names, seen, codes, strict=True):
        yield name, np.concatenate(parts), list(map(restored, index))


def _blocks(text: io.TextIOWrapper) -> Iterator[str]:
    """Give whole records, a megabyte or so at a time. Raises ValueError."""
    rest = ""
    try:
        while chunk := text.read(_BLOCK):
            rest += chunk
            cut = rest.rfind("\n") + 1
            while cut and rest.count('"', 0, cut) % 2:  # a line end inside quotes
                cut = rest.rfind("\n", 0, cut - 1) + 1
            if cut:
                yield rest[:cut]
                rest = rest[cut:]
            elif len(rest) > _LONGEST:
                raise ValueError("a record without an end")
        if rest:
            yield rest + "\n"
    finally:
        text.detach()


def _columns(block: str, delimiter: str, width: int | None) -> tuple[list[Any], int]:
    """Return the cells of some records by column, and how many columns there are. Raises ValueError."""
    if '"' not in block and "\r" not in block:  # nothing is quoted, as in most tables: five times as fast
        lines = block.count("\n")
        cells = block.replace("\n", delimiter).split(delimiter)
        cells.pop()
        found = width or len(block[: block.index("\n")].split(delimiter))
        if len(cells) == found * lines and (found == 1 or _even(block, delimiter, found)):
            return [cells[at::found] for at in range(found)], found
    try:
        rows = list(csv.reader(io.StringIO(block, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as fault:
        raise ValueError(str(fault)) from None
    found = width or len(rows[0])
    if not rows or any(len(row) != found for row in rows):
        raise ValueError("rows differ in length")
    return list(zip(*rows, strict=True)), found


def _even(block: str, delimiter: str, width: int) -> bool:
    """Return whether all lines have so many fields, by their delimiters between line ends."""
    raw = np.frombuffer(block.encode("utf-8"), np.uint8)
    ends = np.cumsum(raw == ord(delimiter))[raw == 10]
    return bool((np.diff(ends, prepend=0) == width - 1).all())
