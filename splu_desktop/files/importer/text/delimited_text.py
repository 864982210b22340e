"""CSV, TSV and every other text with delimited fields, plain or packed by gzip."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import os
import re
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.columns.grid import Grid
from splu_desktop.files.importer.columns.missing import is_blank
from splu_desktop.files.importer.problems import Problem, ProblemKind, list_problems, report_cells
from splu_desktop.files.importer.raw import RawColumn, RawTable
from splu_desktop.files.importer.recognise import open_packed
from splu_desktop.files.importer.text import fields
from splu_desktop.files.importer.text.dialect import Dialect, clean
from splu_desktop.files.importer.text.layout import HEAD, TextLayout, detect, report_guess, watch, without_padding
from splu_desktop.files.isolation.faults import BadChoice

_BLOCK = 1 << 20
_CHUNK = 10_000
_STRAY = "Row {row} has a quote mark out of place; the field was kept as it stands."
_WORKERS = min(4, os.cpu_count() or 1)


def read(
    path: Path, packed: bool, choices: ImportChoices, progress: Progress, *, limit: int | None = None
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Read a text file into raw columns; returns them with the resolved choices and the reasons.

    `limit` : read only so many records of the file's first part, as a preview.
    """
    shape = detect(path, packed, choices, progress, whole=limit is None)
    if limit is not None:
        grid = Grid(shape.width, choices, delimiter=shape.dialect.delimiter)
        rows = shape.head[shape.rows_before : shape.rows_before + limit]
        grid.add(rows, np.arange(shape.rows_before + 1, shape.rows_before + 1 + len(rows), dtype=np.int64))
    else:
        grid = _read_quickly(path, packed, choices, shape, progress) or _read_carefully(
            path, packed, choices, shape, progress
        )
    trim = choices.last_row is None and limit is None
    table = grid.table(
        shape.names, shape.problems, trim=trim, last_row=choices.last_row, heading=shape.heading, progress=progress
    )
    table, marks = _without_marks(without_padding(table, shape, choices.names))
    if shape.na:
        columns = zip(table.names, table.columns, strict=True)
        table = replace(table, declared_missing={name: ("NA",) for name, column in columns if "NA" in column.labels})
    table = replace(table, problems=(*report_guess(shape.encoding), *table.problems), head=shape.head)
    if not shape.encoding.valid or choices.encoding is not None:
        table = replace(table, problems=(*table.problems, *_undecodable(table)))
    resolved = replace(
        shape.header.resolve(choices),
        encoding=shape.encoding.name,
        delimiter=shape.dialect.delimiter,
        quote=shape.dialect.quote,
        escape=shape.dialect.escape,
        null=shape.dialect.null,
    )
    return table, resolved, {**shape.reasons, **marks}


def _without_marks(table: RawTable) -> tuple[RawTable, dict[str, str]]:
    """Take off what programs put around each text of a column: ="…", so that Excel keeps its zeros, and hard blanks.

    Nothing is evaluated. Returns the table and the reasons.
    """
    reasons: dict[str, str] = {}
    columns = list(table.columns)
    for i, (name, column) in enumerate(zip(table.names, columns, strict=True)):
        first = next((label for label in column.labels if not is_blank(label)), "")
        for form, twice, why in _AROUND:
            if first and form.fullmatch(first) and all(form.fullmatch(e) or is_blank(e) for e in column.labels):
                bare = [label if is_blank(label) else form.sub(r"\1", label) for label in column.labels]
                columns[i] = RawColumn.join([RawColumn(column.codes, [text.replace(twice, '"') for text in bare])])
                reasons[f"texts of {name}"] = why
    return replace(table, columns=tuple(columns)) if reasons else table, reasons


_AROUND = (
    (re.compile(r'="((?:[^"]|"")*)"'), '""', 'each value stood as ="…", Excel\'s mark for a text, which was taken off'),
    (
        re.compile("(?=\u00a0|.*\u00a0$)[\u00a0 ]*(.*?)[\u00a0 ]*$", re.DOTALL),
        '"',
        "each value stood between hard blanks, which were taken off",
    ),
)


def _undecodable(table: RawTable) -> Iterator[Problem]:
    """Yield a problem for each field with bytes that the encoding doesn't know."""
    for name, column in zip(table.names, table.columns, strict=True):
        damaged = np.array(["\ufffd" in label for label in column.labels], bool)
        at = np.flatnonzero(damaged[column.codes])
        cells = ((int(table.rows[i]), name, column.labels[column.codes[i]], None) for i in at)
        yield from report_cells(ProblemKind.UNDECODABLE, "text in this encoding", cells, len(at))


_ASCII_LIKE = ("utf-8", "utf-8-sig", "cp125", "iso8859", "latin", "mac", "cp8", "cp437", "koi8", "ascii")


def _read_quickly(
    path: Path, packed: bool, choices: ImportChoices, layout: TextLayout, progress: Progress
) -> Grid | None:
    """Read by whole-array operations; None where the dialect or a quote out of place forbids it."""
    dialect = layout.dialect
    single_bytes = layout.encoding.name.replace("_", "").startswith(_ASCII_LIKE)
    special = dialect != Dialect(dialect.delimiter, dialect.quote) or dialect.delimiter == " "
    single = len(dialect.delimiter) <= 1 and dialect.delimiter.isascii() and dialect.quote.isascii()
    if special or not (single_bytes and single):
        return None
    name = "utf-8" if layout.encoding.name == "utf-8-sig" else layout.encoding.name
    grid = Grid(layout.width, choices, encoding=name, delimiter=layout.dialect.delimiter)
    quote = ord(dialect.quote) if dialect.quote else -1
    row = layout.rows_before
    with open_packed(path, packed) as (file, raw), ThreadPoolExecutor(_WORKERS, "splu-import") as pool:
        head = file.read(HEAD)
        newline, carriage = _line_end(head)
        if newline is None:
            return None
        form = fields.FieldLayout(layout.width, ord(dialect.delimiter or "\x1f"), quote, newline, carriage)
        waiting: deque[tuple[bytes, Future[Any]]] = deque()
        try:
            rest = watch(file, raw, path, packed, progress, _BLOCK)
            for block in _blocks(head, rest, form, layout.lines_before):
                waiting.append((block, pool.submit(fields.split, block, form)))
                if len(waiting) > _WORKERS + 1:
                    row = _take(grid, *waiting.popleft(), name, dialect, row)
            while waiting:
                row = _take(grid, *waiting.popleft(), name, dialect, row)
                progress.report("Reading", 1.0)
        except (fields.Irregular, csv.Error):
            return None
        finally:
            pool.shutdown(cancel_futures=True)
    return grid


def _line_end(head: bytes) -> tuple[int | None, bool]:
    """Return the byte that ends lines and whether a carriage return stands before each; None where they are mixed."""
    feeds, returns, both = head.count(b"\n"), head.count(b"\r"), head.count(b"\r\n")
    if not feeds:
        return (13, False) if returns else (10, False)
    if both == feeds == returns:
        return 10, True
    return (10, False) if not returns else (None, False)


def _blocks(head: bytes, rest: Iterator[bytes], form: fields.FieldLayout, skip: int) -> Iterator[bytes]:
    """Yield blocks of whole records, the lines before the first record skipped. Raises Irregular."""
    end = bytes([form.newline])
    start = 0
    for _ in range(skip):
        start = head.find(end, start) + 1
        if not start:
            if next(rest, b""):
                raise fields.Irregular
            return
    carry = head[start:] if skip or not head.startswith(codecs.BOM_UTF8) else head[3:]
    marks = (codecs.BOM_UTF8, b"\f")  # where files were joined that each began with it, and of a new page
    while True:
        more = next(rest, b"")
        block = carry + more
        for mark in marks:
            if mark[:1] in block and end + mark in block:  # to look for one byte takes a fiftieth of the time
                block = block.replace(end + mark, end)
        if not more:
            if block and not block.endswith(end):
                block += b"\r\n" if form.carriage else end
            if block:
                yield block
            return
        cut = _record_end(block, form)
        carry = block[cut:]
        if cut:
            yield block[:cut]
        elif len(carry) > 64 << 20:
            raise fields.Irregular


def _record_end(block: bytes, form: fields.FieldLayout) -> int:
    """Return the position after the last line end that stands outside quotes, 0 where there is none."""
    at = block.rfind(form.newline) + 1
    if form.quote < 0 or form.quote not in block:
        return at
    odd = fields.count(block, form.quote, at) % 2
    for _ in range(1000):
        if not odd or not at:
            return at
        before = block.rfind(form.newline, 0, at - 1) + 1
        odd = (odd + block.count(form.quote, before, at)) % 2
        at = before
    return 0


def _take(grid: Grid, block: bytes, future: Future[Any], encoding: str, dialect: Dialect, row: int) -> int:
    """Add a block to the grid; one that is not regular field by field. Returns the row number it ends with."""
    try:
        columns, blank = future.result()
        numbers = np.arange(row + 1, row + 1 + len(blank), dtype=np.int64)
        grid.add_packed(columns, blank, numbers)
        return row + len(blank)
    except fields.Irregular:
        text = block.decode(encoding, "replace")
    rows = list(dialect.read(map(clean, io.StringIO(text, newline="")), strict=True))
    if any("\n" in cell and _swallows(cell, dialect.delimiter, len(row) - 1) for row in rows for cell in row):
        raise fields.Irregular
    grid.add(rows, np.arange(row + 1, row + 1 + len(rows), dtype=np.int64))
    return row + len(rows)


def _swallows(cell: str, delimiter: str, usual: int) -> bool:
    """Whether a field in quotes holds whole records: two stray quotes rather than a text of several lines."""
    inner = cell.splitlines()[1:-1]
    return usual > 1 and bool(inner) and all(line.count(delimiter) == usual for line in inner)


def _read_carefully(path: Path, packed: bool, choices: ImportChoices, layout: TextLayout, progress: Progress) -> Grid:
    """Read field by field, as every dialect and every damage allows."""
    grid = Grid(layout.width, choices, delimiter=layout.dialect.delimiter)
    strays: list[int] = []
    size = max(path.stat().st_size, 1)
    with open_packed(path, packed) as (file, raw):
        text = io.TextIOWrapper(file, encoding=layout.encoding.name, errors="replace", newline="")
        try:
            lines = (clean(line) for line in text)
            at = layout.rows_before
            rows = itertools.islice(layout.dialect.read(lines, stray=strays.append), at, choices.last_row)
            while chunk := list(itertools.islice(rows, _CHUNK)):
                progress.report("Reading", min(raw.tell() / size, 1.0))
                grid.add(chunk, np.arange(at + 1, at + 1 + len(chunk), dtype=np.int64))
                at += len(chunk)
            odd = [at + 1 for at in strays if at >= layout.rows_before]
            each = (Problem(ProblemKind.STRAY_QUOTE, say(_STRAY, row=row), row=row) for row in odd)
            grid.note(list(list_problems(each, len(odd))))
        except csv.Error as error:
            raise BadChoice(
                "“{path}” has a field longer than any text; check its delimiter, and whether a quote is never closed.",
                path=path.name,
            ) from error
    return grid
