"""How a text file is laid out: encoding, dialect, header, names and width, from its first part."""

from __future__ import annotations

import codecs
import csv
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.columns.header import Header, choose_header, joined_names, name_columns
from splu_desktop.files.importer.columns.missing import is_blank
from splu_desktop.files.importer.problems import Problem, ProblemKind
from splu_desktop.files.importer.raw import RawTable
from splu_desktop.files.importer.recognise import open_packed
from splu_desktop.files.importer.text import dialect as dialects
from splu_desktop.files.importer.text import encoding as encodings
from splu_desktop.files.importer.text import fixed_width
from splu_desktop.files.importer.text.dialect import Dialect
from splu_desktop.files.importer.text.encoding import Encoding
from splu_desktop.files.isolation import memory
from splu_desktop.files.isolation.faults import BadChoice, EmptyFile

HEAD = 1 << 18
HEAD_ROWS = 400
_UNPARTED = (
    "All lines have {characters} characters: they may be columns of fixed width. Say where each begins: --set "
    "'delimiter=fixed 0 8 23'."
)
_CHECKED = 64 << 20  # bytes after which the memory that is left is looked at


@dataclass(frozen=True)
class TextLayout:
    """How a text file is laid out, with the reasons.

    Attributes
    ----------
    head : the rows of the file's first part.
    na : whether NA stands for no value, as R writes it.
    lines_before, rows_before : before the first record (a quoted line break makes them differ).
    """

    encoding: Encoding
    dialect: Dialect
    header: Header
    names: tuple[str, ...]
    width: int
    head: list[list[str]]
    lines_before: int
    rows_before: int
    problems: tuple[Problem, ...]
    reasons: dict[str, str]
    na: bool

    @property
    def heading(self) -> list[str] | None:
        """The cells of the header's last row, one per column; None where there is no header."""
        if self.header.last < 0:
            return None
        return [*self.head[self.header.last], *[""] * self.width][: self.width]


def _choose_encoding(head: bytes, more: Iterator[bytes] | None, choices: ImportChoices) -> Encoding:
    """Return the encoding that is chosen, or what a file's first part tells, and `more` of it where that is read."""
    if choices.encoding is not None:
        return Encoding(_look_up(choices.encoding), "chosen")
    if more is not None:
        return encodings.detect(itertools.chain([head], more))
    # A letter of several bytes must not be cut in two.
    return encodings.detect([head if len(head) < HEAD else head[: head.rfind(b"\n") + 1] or head])


def detect(path: Path, packed: bool, choices: ImportChoices, progress: Progress, *, whole: bool = True) -> TextLayout:
    """Detect what `choices` leaves open. `whole`: look for the encoding in the whole file, not its first part only."""
    with open_packed(path, packed) as (file, raw):
        head = file.read(HEAD)
        encoding = _choose_encoding(head, watch(file, raw, path, packed, progress) if whole else None, choices)
    mark = head.startswith(codecs.BOM_UTF8) and encoding.name != "utf-8-sig"
    text = _decode(head[3:] if mark else head, encoding.name)
    if not text.strip("\ufeff\x00 \r\n\t" if len(head) == HEAD else "\ufeff\x00 \r\n\t,;|\"'"):
        raise EmptyFile(path)
    dialect, because = dialects.detect(text, choices)
    lines = list(map(dialects.clean, dialects.split_lines(text)))
    if len(head) == HEAD and len(lines) > 1:
        lines.pop()  # cut off in the middle
    separator_line = bool(lines) and lines[0].strip().strip('"').lower().startswith("sep=") and len(lines[0]) < 12
    head_rows = _head(lines, dialect)
    if separator_line:
        head_rows[0] = []
    header = choose_header(head_rows, choices)
    characters = fixed_width.count_unparted(lines[:HEAD_ROWS]) if max(map(len, head_rows)) == 1 else 0
    if characters and choices.header_row is None:
        header = Header.at_rows(-1, -1)
    _shift_row_names(head_rows, header)
    below = [row for row in head_rows[header.last + 1 :] if not all(map(is_blank, row))]
    above = head_rows[header.first : header.last + 1] if header.last >= 0 else []
    width = _width(above, below)
    memory.check_width(path, width)
    names, problems = name_columns(head_rows, header, range(width))
    if characters:
        problems.append(Problem(ProblemKind.NOTE, say(_UNPARTED, characters=characters)))
    named = len(above[-1]) if above else width
    if dialect.delimiter == "," and named < width and any(len(row) == width and not is_blank(row[-1]) for row in below):
        words = "The header names {named} columns, rows have {width} fields: put numbers with a comma between quotes."
        problems.append(Problem(ProblemKind.NOTE, say(words, named=named, width=width)))
    rows_before = header.last + 1 if header.last >= 0 else int(separator_line)
    within = sum(len(dialects.split_lines(cell + ".")) - 1 for row in head_rows[:rows_before] for cell in row)
    return TextLayout(
        encoding=encoding,
        dialect=dialect,
        header=header,
        names=names,
        width=width,
        head=head_rows,
        lines_before=rows_before + within,
        rows_before=rows_before,
        problems=tuple(problems),
        reasons={"encoding": encoding.reason, "delimiter": because, "header": header.reason},
        na=dialects.writes_na(dialect, lines[:HEAD_ROWS]),
    )


def report_guess(encoding: Encoding) -> list[Problem]:
    """Return a problem where the encoding is a guess."""
    if encoding.plausible >= encodings.UNSURE:
        return []
    words = "The encoding isn't sure: it was read as {name}; choose another if accented letters look wrong."
    return [Problem(ProblemKind.NOTE, say(words, name=encoding.name))]


_NO_ENCODING = "“{name}” is no encoding of this file; leave it out, so that it is found, or choose another, as cp1252."


def _decode(head: bytes, encoding: str) -> str:
    try:
        return codecs.getincrementaldecoder(encoding)(errors="replace").decode(head)
    except UnicodeError as error:  # of UTF-16 without its mark no order of bytes is known
        raise BadChoice(_NO_ENCODING, name=encoding) from error


def _look_up(name: str) -> str:
    try:
        # One that makes no text, such as hex, is none, nor one that knows half a letter, which no file holds.
        if "\ud800".encode(name, "ignore") != "".encode(name):
            raise LookupError
        return codecs.lookup(name).name
    except (LookupError, ValueError) as error:
        raise BadChoice(_NO_ENCODING, name=name) from error


def watch(
    file: IO[bytes], raw: IO[bytes], path: Path, packed: bool, progress: Progress, block: int = 1 << 20
) -> Iterator[bytes]:
    """Yield the rest of a file in blocks, reporting, and refusing compression bombs."""
    size = max(path.stat().st_size, 1)
    done = HEAD
    while part := file.read(block):
        done += len(part)
        progress.report("Reading", min(raw.tell() / size, 1.0))
        if packed and done > 16 << 20:
            memory.refuse_bomb(path, max(raw.tell(), 1), done)
        if done % _CHECKED < len(part):
            memory.check_left(path)
        yield part


def _shift_row_names(rows: list[list[str]], header: Header) -> None:
    """Put an empty name before the others where the header is one field short of all records, as R writes it."""
    below = [row for row in rows[header.last + 1 :] if not all(map(is_blank, row))]
    if header.last < 0 or len(below) < 2:
        return
    width = len(rows[header.last]) + 1
    unique = len({row[0] for row in below}) == len(below)  # as names of rows are, and numbers cut at commas are not
    if unique and width > 2 and all(len(row) == width and not is_blank(row[-1]) for row in below):
        for i in range(header.first, header.last + 1):
            rows[i] = ["", *rows[i]]


def _head(lines: list[str], dialect: Dialect) -> list[list[str]]:
    """Return the first rows."""
    rows: list[list[str]] = []
    with suppress(csv.Error):
        rows.extend(itertools.islice(dialect.read(lines), HEAD_ROWS))
    return rows or [[]]


def _width(header: list[list[str]], below: list[list[str]]) -> int:
    """Fields of the table: those of most rows, at least the header's."""
    head = max((i + 1 for row in header for i, cell in enumerate(row) if not is_blank(cell)), default=0)
    if not below:
        return max(head, 1)
    usual, rows = Counter(map(len, below)).most_common(1)[0]
    if rows >= 0.6 * len(below) and usual >= head:
        return usual  # fields that stay empty in every row are cut off once all rows are known
    filled = sorted(max((i + 1 for i, cell in enumerate(row) if not is_blank(cell)), default=0) for row in below)
    return max(head, filled[int(0.95 * (len(filled) - 1))], 1)  # five rows in a hundred may be broken


def without_padding(table: RawTable, layout: TextLayout, names: Sequence[str] | None) -> RawTable:
    """Cut off the columns that have no name and no value, unless all columns were given `names`."""
    header = layout.header
    named = joined_names(layout.head, header, layout.width) if header.last >= 0 else [""] * layout.width
    keep = [
        bool(name) or not all(map(is_blank, column.labels)) for name, column in zip(named, table.columns, strict=True)
    ]
    if all(keep) or not any(keep) or (names is not None and sum(keep) != len(names) == len(keep)):
        return table
    gone = {name for name, kept in zip(table.names, keep, strict=True) if not kept}
    return replace(
        table,
        names=tuple(name for name in table.names if name not in gone),
        columns=tuple(column for column, kept in zip(table.columns, keep, strict=True) if kept),
        problems=tuple(p for p in table.problems if not (p.kind is ProblemKind.NAME_CHANGED and p.column in gone)),
    )
