"""The table of a release as CSV: written with inert formulas, read back to the letter."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.disk.inert import inert, restored
from splu_desktop.files.release.facts import Dialect

_AT_ONCE = 20_000  # rows
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
    """Write columns of numbers, of ten digits at most."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(dialect.delimiter.join(_field(inert(name), dialect.delimiter) for name in names) + "\n")
        texts = []
        for column in columns:
            values, codes = np.unique(column, return_inverse=True)
            spelled = [f"{value:.10g}" for value in values.tolist()]
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
) -> Iterator[tuple[str, Any, list[str]]]:
    """Give name, (N,) codes and distinct texts of each column. Raises ValueError for no such CSV; Cancelled."""
    csv.field_size_limit(_LONGEST)
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    lines = csv.reader(text, delimiter=dialect.delimiter, strict=True)
    try:
        header = next(lines, [])
        seen: list[dict[str, int]] = [{} for _ in header]
        codes: list[list[NDArray[np.int32]]] = [[] for _ in header]
        done = 0
        while block := list(islice(lines, _AT_ONCE)):
            progress.report(_STAGE_IN, min(1.0, done / max(rows, 1)))
            done += len(block)
            for at, cells in enumerate(zip(*block, strict=True)):  # ValueError where rows differ in length
                index = seen[at]
                for cell in set(cells).difference(index):
                    index[cell] = len(index)
                codes[at].append(np.fromiter(map(index.__getitem__, cells), np.int32, len(cells)))
            if done > rows or len(block[0]) != len(header):
                raise ValueError("more rows or columns than stated")
    except (csv.Error, UnicodeDecodeError) as fault:
        raise ValueError(str(fault)) from None
    finally:
        text.detach()
    for name, index, parts in zip(header, seen, codes, strict=True):
        yield restored(name), np.concatenate(parts) if parts else np.zeros(0, np.int32), list(map(restored, index))
