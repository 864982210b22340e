"""CSV, TSV and every other text with delimited fields, plain or packed by gzip."""

from __future__ import annotations

import codecs
import contextlib
import csv
import gzip
import io
import itertools
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from splu_desktop.core.progress import Progress
from splu_desktop.files.importer import dialect as dialects
from splu_desktop.files.importer import encoding as encodings
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.dialect import Dialect
from splu_desktop.files.importer.faults import BadChoice, Corrupt, EmptyFile
from splu_desktop.files.importer.grid import Grid
from splu_desktop.files.importer.header import LOOK_AHEAD, Header, find_header, joined_names, unique_names
from splu_desktop.files.importer.missing import is_blank
from splu_desktop.files.importer.problems import Problem, ProblemKind
from splu_desktop.files.importer.raw import RawTable
from splu_desktop.files.importer.recognise import open_file

HEAD = 1 << 18
_CHUNK = 20_000


@dataclass(frozen=True)
class TextLayout:
    """How a text file is laid out, with the reasons."""

    encoding: str
    dialect: Dialect
    header: Header
    names: tuple[str, ...]
    width: int
    first_record: int  # 0-based position of the first row below the header
    problems: tuple[Problem, ...]
    reasons: dict[str, str]


@contextlib.contextmanager
def _open(path: Path, packed: bool) -> Iterator[io.BufferedIOBase]:
    with open_file(path) as raw:
        if packed:
            with gzip.GzipFile(fileobj=raw) as unpacked:  # closing it would leave `raw` open
                yield unpacked
        else:
            yield raw  # type: ignore[misc]


def layout(path: Path, packed: bool, choices: ImportChoices) -> TextLayout:
    """Detect what `choices` leaves open from the file's first part."""
    try:
        with _open(path, packed) as file:
            head = file.read(HEAD)
            if choices.encoding is None:
                encoding, why = encodings.detect(head, iter(lambda: file.read(1 << 20), b""))
            else:
                encoding, why = choices.encoding, "chosen"
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise Corrupt(path, "its gzip compression breaks off or is wrong") from error
    text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(head)
    if not text.strip("\ufeff\x00 \r\n\t"):
        raise EmptyFile(path, "holds nothing but blanks")
    dialect, because = dialects.detect(text, delimiter=choices.delimiter, quote=choices.quote, escape=choices.escape)
    lines = dialects.split_lines(text)
    if len(head) == HEAD and len(lines) > 1:
        lines.pop()  # cut off in the middle
    rows = list(itertools.islice(csv.reader(lines, **dialect.reader_options()), 4 * LOOK_AHEAD))  # type: ignore[call-overload]
    says_separator = bool(rows) and because.startswith("the first line")
    if says_separator:
        rows[0] = []
    header = _header(rows, choices)
    below = [row for row in rows[header.last + 1 :] if any(not is_blank(cell) for cell in row)]
    width = _width(rows[header.first : header.last + 1] if header.last >= 0 else [], below)
    reasons = {"encoding": why, "delimiter": because, "header": header.reason}
    problems: list[Problem] = []
    if choices.names is not None:
        names: tuple[str, ...] = choices.names
        width = len(names)
    elif header.last < 0:
        names = tuple(f"Column {i}" for i in range(1, width + 1))
        problems.append(
            Problem(
                ProblemKind.NO_HEADER, "No row names the columns; they are called “Column 1”, “Column 2” and so on."
            )
        )
    else:
        joined = joined_names(rows[header.first : header.last + 1], width)
        names, problems = unique_names(joined, row=header.last + 1)
    first = header.last + 1 if header.last >= 0 else (1 if says_separator else 0)
    return TextLayout(encoding, dialect, header, names, width, first, tuple(problems), reasons)


def _header(rows: list[list[str]], choices: ImportChoices) -> Header:
    if choices.header_row is None:
        return find_header(rows)
    if choices.header_row == 0:
        return Header(-1, -1, "chosen: no header")
    last = choices.header_row - 1
    if last >= len(rows):
        raise BadChoice(
            f"The header row was set to {choices.header_row}, but the table has only {len(rows)} rows there."
        )
    return Header(max(0, last - (choices.header_rows or 1) + 1), last, "chosen")


def _width(header: list[list[str]], below: list[list[str]]) -> int:
    """Fields of the table: the header's, or more if most records have more."""
    filled = [max((i + 1 for i, cell in enumerate(row) if not is_blank(cell)), default=0) for row in below]
    head = max((i + 1 for row in header for i, cell in enumerate(row) if not is_blank(cell)), default=0)
    if not filled:
        return max(head, 1)
    filled.sort()
    # Five rows in a hundred may be broken without widening the table.
    usual = filled[int(0.95 * (len(filled) - 1))] if len(filled) >= 20 else filled[len(filled) // 2]
    return max(head, usual if head else filled[-1], 1)


def read(
    path: Path, packed: bool, choices: ImportChoices, progress: Progress
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Read a text file into raw columns; returns them with the resolved choices and the reasons."""
    found = layout(path, packed, choices)
    grid = Grid(found.width, choices)
    size = max(path.stat().st_size, 1)
    try:
        with open_file(path) as raw:
            binary = gzip.GzipFile(fileobj=raw) if packed else raw
            text = io.TextIOWrapper(binary, encoding=found.encoding, errors="replace", newline="")  # type: ignore[arg-type]
            for rows, numbers in _chunks(text, found.dialect, found.first_record, choices.last_row):
                progress.report("Reading", min(raw.tell() / size, 1.0))
                grid.add(rows, numbers)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise Corrupt(path, "its gzip compression breaks off or is wrong") from error
    table = grid.table(found.names, found.problems, trim=choices.last_row is None)
    resolved = replace(
        choices,
        format="csv",
        encoding=found.encoding,
        delimiter=found.dialect.delimiter,
        quote=found.dialect.quote,
        escape=found.dialect.escape,
        header_row=found.header.last + 1,
        header_rows=found.header.last - found.header.first + 1 if found.header.last >= 0 else 0,
        names=found.names,
    )
    return table, resolved, found.reasons


def _chunks(
    text: io.TextIOWrapper, dialect: Dialect, first: int, last: int | None
) -> Iterator[tuple[list[list[str]], np.ndarray]]:
    csv.field_size_limit(1 << 26)
    reader = csv.reader(
        (line.replace("\x00", "") if "\x00" in line else line for line in text), **dialect.reader_options()
    )  # type: ignore[arg-type]
    rows: Iterator[list[str]] = reader
    if last is not None:
        rows = itertools.islice(rows, last)
    at = sum(1 for _ in itertools.islice(rows, first))
    while chunk := list(itertools.islice(rows, _CHUNK)):
        yield chunk, np.arange(at + 1, at + 1 + len(chunk), dtype=np.int64)
        at += len(chunk)
