"""The table of a release as CSV: written with inert formulas, read back to the letter."""

from __future__ import annotations

import codecs
import csv
import io
import os
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import distinct, distinct_rows
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.disk.digests import DigestedFile
from splu_desktop.files.disk.inert_texts import inert, inert_texts, restore_text
from splu_desktop.files.importer.raw import Gatherer
from splu_desktop.files.importer.text import fields
from splu_desktop.files.importer.text.fields import FIRST_BYTES, words_of
from splu_desktop.files.release.facts import MISSING, BadRelease, Dialect

_AT_ONCE = 5_000  # rows whose texts are joined
_BLOCK = 1 << 20  # bytes
_LONGEST = 16 << 20  # bytes of a field
_WIDE = 2_000  # bytes of a row, from which its texts are joined one by one
_FILL = b"\xff"
_COMPARED = 4  # words of eight bytes of a text that are compared in every row; `words_of` has eight
_COMPARED_ROWS = 1 << 15
_RUN = 1 << 28  # bytes of texts that are laid side by side
_WORKERS = 2
_CODED = 1 << 19  # rows that wait to be coded at most: more lie in memory that the system first clears
Numbers = tuple[NDArray[Any], NDArray[np.int32], NDArray[np.int32]]
_STAGE_OUT, _STAGE_IN = "Writing CSV", "Reading the table"


def write_table(table: Table, path: Path, dialect: Dialect, progress: Progress) -> str:
    """Write a header and a line per row: UTF-8, labels to the letter but for the decimal mark; return its SHA-256.

    Raises BadRelease where it does not read as it was written; Cancelled.
    """
    rows = TableWriter(table.columns, dialect)
    with checked_file(path, table.names, dialect, progress) as file:
        rows.write(file, [column.codes for column in table.columns], progress, _STAGE_OUT)
    return file.digest.hexdigest()


@contextmanager
def checked_file(path: Path, names: Sequence[str], dialect: Dialect, progress: Progress) -> Iterator[DigestedFile]:
    """Give a new file with a line of names, to write rows to; then wait until the disk has it, and read it back.

    Raises BadRelease where another lies on disk than was written; Cancelled.
    """
    with path.open("wb") as opened:
        file = DigestedFile(opened)
        file.write(header_line(names, dialect))
        yield file
        opened.flush()
        os.fsync(opened.fileno())
    if not file.reads_back(path, progress):
        raise _mismatch_fault(path.name)


def table_cells(columns: Sequence[Column], dialect: Dialect) -> list[list[str]]:
    """Return the texts of each column between delimiters."""
    cells = [_fields(inert_texts(texts_of(column, dialect)), dialect.delimiter) for column in columns]
    # An empty cell alone on its line would read as no row.
    return cells if len(cells) > 1 else [[text or '""' for text in cells[0]]]


class TableWriter:
    """Writes rows of a table, and compares each with its codes: up to 32 bytes of each text, and how long it is.

    Raises BadRelease where a text of a column does not read as it was written.
    """

    def __init__(self, columns: Sequence[Column], dialect: Dialect) -> None:
        self._names, cells = [column.name for column in columns], table_cells(columns, dialect)
        ends = [*dialect.delimiter * (len(cells) - 1), "\n"]
        lines = [_encode(each, end) for each, end in zip(cells, ends, strict=True)]
        self._rows = RowWriter(lines)
        self._lengths = [np.fromiter(map(len, texts), np.int64, len(texts)) for texts in lines]
        self._words: list[NDArray[np.uint64]] = []  # of each column for each eight bytes: (m,) what they are
        for texts, length in zip(lines, self._lengths, strict=True):
            width = min(-(-int(length.max(initial=1)) // 8), _COMPARED)
            self._words.append(np.array(texts, f"S{8 * width}").view("<u8").reshape(-1, width).T.copy())
        _check_texts(columns, cells, dialect)

    def write(
        self, file: IO[bytes] | DigestedFile, codes: Sequence[NDArray[np.integer]], progress: Progress, stage: str
    ) -> None:
        """Write rows, given (N,) codes of each column. Raises BadRelease, Cancelled."""
        for start in range(0, len(codes[0]), _COMPARED_ROWS):
            progress.report(stage, start / len(codes[0]))
            # As NumPy takes places: else it makes such of them anew for each look.
            some, room = [code[start : start + _COMPARED_ROWS].astype(np.intp) for code in codes], io.BytesIO()
            self._rows.write(room, some, SILENT, stage)
            self._compare(room.getvalue(), some)
            file.write(room.getvalue())

    def _compare(self, block: bytes, codes: Sequence[NDArray[np.integer]]) -> None:
        lengths = [length.take(code) for length, code in zip(self._lengths, codes, strict=True)]
        ends = np.cumsum(reduce(np.add, lengths))
        at = np.append(0, ends[:-1])
        if ends[-1] != len(block):
            raise _mismatch_fault(self._names[0])
        view = words_of(block)
        for name, words, code, length in zip(self._names, self._words, codes, lengths, strict=True):
            for place, word in enumerate(words):
                block_words = view[at + 8 * place if place else at]
                block_words &= FIRST_BYTES.take(length - 8 * place if place else length, mode="clip")
                if not np.array_equal(block_words, word.take(code)):
                    raise _mismatch_fault(name)
            at += length


def _check_texts(columns: Sequence[Column], cells: Sequence[Sequence[str]], dialect: Dialect) -> None:
    """Raise BadRelease unless each text of all columns reads as it is written."""
    for column, written in zip(columns, cells, strict=True):
        # With a column beside it: an empty cell alone on its line would read as no row.
        lines = [header_line([column.name, "x"], dialect), *_encode(written, f"{dialect.delimiter}x\n")]
        try:
            (name, codes, texts), *_ = read_table(io.BytesIO(b"".join(lines)), dialect, column.m, SILENT)
        except ValueError:
            name, codes, texts = "", np.zeros(0, np.int32), []
        same = name == column.name and np.array_equal(column.missing, column.labels == MISSING)
        if not same or np.array(texts, object)[codes].tolist() != texts_of(column, dialect):
            raise _mismatch_fault(column.name)


def _mismatch_fault(name: str) -> BadRelease:
    return BadRelease("The release was withheld: “{name}” does not read as it was written.", name=name)


def write_numbers(
    names: Sequence[str], columns: Sequence[Numbers], path: Path, dialect: Dialect, progress: Progress
) -> str:
    """Write columns of numbers, of seven digits at most: (V,) values, (P,) which each pair has, (N,) pairs of rows.

    Returns the file's SHA-256. Raises BadRelease where it does not read as it was written; Cancelled.
    """
    cells = number_cells(columns, dialect)
    with checked_file(path, names, dialect, progress) as file:
        codes = [of_pair.take(pairs) for _, of_pair, pairs in cells]
        texts: list[NDArray[Any] | list[bytes]] = [laid for laid, _, _ in cells]
        if len(texts) == 1 and 2 * len(texts[0]) < len(codes[0]):  # what fills lines up is taken out once for all rows
            texts = [cells[0][0].tobytes().translate(None, _FILL).splitlines(keepends=True)]
        RowWriter(texts).write(file, codes, progress, _STAGE_OUT)
    return file.digest.hexdigest()


def number_cells(
    columns: Sequence[Numbers], dialect: Dialect
) -> list[tuple[NDArray[Any], NDArray[np.int32], NDArray[np.int32]]]:
    """Return columns of numbers, neighbours that share pairs as one: laid texts, which each pair has, pairs of rows."""
    runs: list[tuple[NDArray[np.int32], list[NDArray[Any]], list[NDArray[np.int32]]]] = []
    for at, (values, which, pairs) in enumerate(columns):
        end = "\n" if at == len(columns) - 1 else dialect.delimiter
        place, first = distinct((values + 0.0).view(np.uint64))  # and no -0
        texts = _lay_numbers(values[first] + 0, end, dialect.decimal)[place]
        if not (runs and runs[-1][0] is pairs and len(which) * sum(each.itemsize for each in runs[-1][1]) < _RUN):
            runs.append((pairs, [], []))
        runs[-1][1].append(texts)
        runs[-1][2].append(which)
    return [(*_lay_together(texts, which), pairs) for pairs, texts, which in runs]


def _lay_together(
    texts: Sequence[NDArray[Any]], which: Sequence[NDArray[np.int32]]
) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return (D,) the different rows of columns side by side, laid, and (P,) which of them each pair has."""
    of_pair, firsts = distinct_rows(which)
    rows = np.empty(len(firsts), [(f"{at}", part.dtype) for at, part in enumerate(texts)])
    for at, (part, each) in enumerate(zip(texts, which, strict=True)):
        rows[f"{at}"] = part.take(each[firsts])
    return rows.view(f"V{rows.itemsize}"), of_pair


def _encode(texts: Sequence[str], end: str) -> list[bytes]:
    """Return texts with the mark behind them, encoded: in one call, parted by a byte that UTF-8 never holds."""
    joined = f"{end}\udcff".join(texts) + end
    return joined.encode("utf-8", "surrogateescape").split(_FILL) if texts else []


def _pad(texts: Sequence[bytes]) -> NDArray[Any]:
    """Return (m,) texts, all filled up to the width of the widest."""
    length = np.fromiter(map(len, texts), np.int32, len(texts))
    width = int(length.max(initial=1))
    laid = np.array(texts, f"S{width}").view(np.uint8).reshape(-1, width)
    laid[np.arange(width) >= length[:, None]] = _FILL[0]
    return laid.view(f"V{width}").reshape(-1)


def _lay_numbers(values: NDArray[Any], end: str, decimal: str) -> NDArray[Any]:
    """Return (m,) texts of numbers with the mark behind them, laid: one call for all, since they are many."""
    form = "%-20d" if values.dtype.kind == "i" else "%-20.7g"
    text = ((form + end) * len(values)) % tuple(values.tolist())
    texts = np.frombuffer(text.replace(".", decimal).encode().replace(b" ", _FILL), np.uint8).reshape(len(values), -1)
    texts = np.ascontiguousarray(texts[:, (texts != _FILL[0]).any(axis=0)])
    return texts.view(f"V{texts.shape[1]}").reshape(-1)


def header_line(names: Sequence[str], dialect: Dialect) -> bytes:
    """Return the line of names."""
    return (dialect.delimiter.join(_fields(map(inert, names), dialect.delimiter)) + "\n").encode()


class RowWriter:
    """Writes rows as codes over the texts of each column.

    The texts of a row are laid side by side, each as wide as the widest of its column; what fills them up, a byte that
    UTF-8 never holds, is then taken out. Where texts are long, or whole lines, they are joined one by one.

    cells : (m,) texts of each column with the mark behind them, or all of one width, laid.
    """

    def __init__(self, cells: Sequence[list[bytes] | NDArray[Any]]) -> None:
        widths = [max(map(len, each), default=1) if isinstance(each, list) else each.itemsize for each in cells]
        self._joined = sum(widths) > _WIDE or (len(cells) == 1 and isinstance(cells[0], list))
        if self._joined:
            laid = (each if isinstance(each, list) else each.tolist() for each in cells)
            self._texts: list[NDArray[Any]] = [
                np.array([text.translate(None, _FILL) for text in each], object) for each in laid
            ]
            return
        self._texts = [_pad(each) if isinstance(each, list) else each for each in cells]
        self._row = np.dtype([(f"{at}", each.dtype) for at, each in enumerate(self._texts)])

    def write(
        self, file: IO[bytes] | DigestedFile, codes: Sequence[NDArray[np.integer]], progress: Progress, stage: str
    ) -> None:
        """Write rows, given (N,) codes of each column. Raises Cancelled."""
        count = len(codes[0])
        at_once = _AT_ONCE if self._joined else max(1, (1 << 20) // self._row.itemsize)
        # One room for all: bytes that are written before they are read need no clearing.
        room = bytearray() if self._joined else bytearray(at_once * self._row.itemsize)
        laid = None if self._joined else np.frombuffer(room, self._row)
        for start in range(0, count, at_once):
            progress.report(stage, start / count)
            some = [code[start : start + at_once] for code in codes]
            if laid is None:
                parts = [of.take(code) for of, code in zip(self._texts, some, strict=True)]
                file.write(b"".join((np.stack(parts, axis=1).ravel() if len(parts) > 1 else parts[0]).tolist()))
                continue
            rows = laid[: len(some[0])]
            for at, code in enumerate(some):
                rows[f"{at}"] = self._texts[at].take(code)
            whole = room if len(rows) == at_once else room[: rows.nbytes]
            file.write(whole.translate(None, _FILL))


def texts_of(column: Column, dialect: Dialect) -> list[str]:
    """Return (m,) the text of each label, with the decimal mark of the dialect."""
    texts: list[str] = column.labels.tolist()
    if dialect.decimal != "." and column.kind is Kind.DECIMAL:
        return [text.replace(".", dialect.decimal) for text in texts]
    return texts


def _fields(texts: Iterable[str], delimiter: str) -> list[str]:
    """Return texts as they stand between delimiters."""
    cells, marks = list(texts), (delimiter, '"', "\n", "\r")
    joined = "".join(cells)
    if not any(mark in joined for mark in marks):
        return cells
    return ['"' + text.replace('"', '""') + '"' if any(mark in text for mark in marks) else text for text in cells]


def read_table(
    file: IO[bytes], dialect: Dialect, rows: int, progress: Progress, wanted: Collection[str] | None = None
) -> Iterator[tuple[str, NDArray[np.int32], list[str]]]:
    """Give name, (N,) codes and distinct texts of each column, or of those wanted.

    Raises ValueError for no such CSV; Cancelled.
    """
    csv.field_size_limit(_LONGEST)
    blocks = _blocks(file)
    first = next(blocks, b"").removeprefix(codecs.BOM_UTF8).decode()
    head = io.StringIO(first, newline="")
    try:
        names = list(map(restore_text, next(csv.reader(head, delimiter=dialect.delimiter, strict=True), [])))
    except csv.Error as fault:
        raise ValueError(str(fault)) from None
    width, only = len(names), [at for at, name in enumerate(names) if wanted is None or name in wanted]
    names = [names[at] for at in only]
    parts: list[list[fields.Fields]] = [[] for _ in names]
    gatherers = [Gatherer() for _ in names]
    done = coded = 0

    def code() -> None:
        gathered = pool.map(lambda each: fields.gather(each, "utf-8"), parts)
        for gatherer, column, part in zip(gatherers, gathered, parts, strict=True):
            gatherer.add(column)
            part.clear()

    with ThreadPoolExecutor(_WORKERS, "splu-read") as pool:
        waiting: deque[Future[list[fields.Fields]]] = deque()
        try:
            for block in chain([first[head.tell() :].encode()], blocks):
                waiting.append(pool.submit(_columns, block, dialect.delimiter, width, only))
                while len(waiting) > _WORKERS or (waiting and waiting[0].done()):
                    done = _add(parts, waiting.popleft().result(), done, rows)
                if done - coded > _CODED:
                    code()
                    coded = done
                progress.report(_STAGE_IN, min(1.0, done / max(rows, 1)))
            while waiting:
                done = _add(parts, waiting.popleft().result(), done, rows)
            code()
            for name, gatherer in zip(names, gatherers, strict=True):
                column = gatherer.column()
                texts = column.labels
                yield name, column.codes, list(map(restore_text, texts)) if "'" in "".join(texts) else texts
        finally:
            pool.shutdown(cancel_futures=True)


def _add(parts: list[list[fields.Fields]], columns: list[fields.Fields], done: int, rows: int) -> int:
    if not columns:
        return done
    for gathered, part in zip(parts, columns, strict=True):
        gathered.append(part)
    done += len(columns[0])
    if done > rows + 1:
        raise ValueError("more rows than stated")
    return done


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    """Give whole records, half a megabyte or so at a time. Raises ValueError."""
    rest = b""
    while chunk := file.read(_BLOCK):
        rest += chunk
        cut = rest.rfind(b"\n") + 1
        while cut and fields.count(rest, ord('"'), cut) % 2:  # a line end inside quotes
            cut = rest.rfind(b"\n", 0, cut - 1) + 1
        if cut:
            yield rest[:cut]
            rest = rest[cut:]
        elif len(rest) > _LONGEST:
            raise ValueError("a record without an end")
    if rest:
        yield rest + b"\n"


def _columns(block: bytes, delimiter: str, width: int, only: Sequence[int]) -> list[fields.Fields]:
    """Return the cells of some records by column, of those at `only`. Raises ValueError."""
    if not block:
        return []
    if not block.isascii():
        block.decode()  # what is no UTF-8 is no such file
    try:
        return fields.split(block, fields.FieldLayout(width, ord(delimiter), ord('"')), only)[0]
    except fields.Irregular:
        pass
    try:
        rows = list(csv.reader(io.StringIO(block.decode(), newline=""), delimiter=delimiter, strict=True))
    except csv.Error as fault:
        raise ValueError(str(fault)) from None
    if any(len(row) != width for row in rows):
        raise ValueError("rows differ in length")
    return [[row[at].encode() for row in rows] for at in only]
