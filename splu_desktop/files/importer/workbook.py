"""XLSX, XLS, XLSB and ODS by calamine: stored values only, no formula and no macro is ever run."""

from __future__ import annotations

import contextlib
import datetime as dt
import io
import itertools
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import python_calamine as calamine

from splu_desktop.core.progress import Cancelled, Progress
from splu_desktop.core.said import say
from splu_desktop.files.importer import memory
from splu_desktop.files.importer.cells import (
    Chunks,
    day_of,
    factorise,
    filled_up,
    kinds,
    listed,
    put_back,
    serials,
    text_of,
    texts_of,
)
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.faults import BadChoice, Corrupt, EmptyFile, Encrypted, UnknownSheet
from splu_desktop.files.importer.grid import Grid
from splu_desktop.files.importer.header import Header, Span, choose_header, joined_names, skipped_above, unique_names
from splu_desktop.files.importer.problems import Problem, ProblemKind
from splu_desktop.files.importer.raw import RawTable
from splu_desktop.files.importer.recognise import open_file
from splu_desktop.files.importer.sheet_errors import Failed, SheetScan, scan_sheet, uses_1904
from splu_desktop.files.importer.spread import aside
from splu_desktop.files.importer.xls_extent import check_extent

HEAD_ROWS = 400
_CHUNK = 20_000
_STEP = 500
_CELL_BYTES = 32  # of a cell in calamine's table, empty ones included
_ZIPPED = ("xlsx", "xlsb", "ods")
_OWN_ENDINGS = {"xlsx": (".xlsx", ".xlsm"), "xlsb": (".xlsb",), "xls": (".xls",), "ods": (".ods",)}
_LARGER = 5  # how many times larger the table's own sheet then is
_SMALL = 100  # cells up to which a sheet may be a cover page before the table's own sheet
_EPOCH = dt.datetime(1899, 12, 30)
_EPOCH_1904 = dt.datetime(1904, 1, 1)


@dataclass(frozen=True)
class SheetFacts:
    """A sheet's name and whether it is shown."""

    name: str
    visible: bool


def open_workbook(path: Path, kind: str, progress: Progress) -> calamine.CalamineWorkbook:
    """Open a workbook; a refusal becomes a sentence."""
    if kind in _ZIPPED:
        memory.check_zip(path)
    elif kind == "xls":
        check_extent(path, progress)
    try:
        with _silenced():
            if path.suffix.lower() in _OWN_ENDINGS[kind]:
                return calamine.load_workbook(path)
            with open_file(path) as file:  # calamine goes by the name, which may say another format
                return calamine.load_workbook(io.BytesIO(file.read()))
    except calamine.PasswordError as error:
        raise Encrypted(path) from error
    except BaseException as error:
        raise _corrupt(path, "the workbook can't be opened", error) from error


_QUIET = threading.Lock()


@contextlib.contextmanager
def _silenced() -> Iterator[None]:
    """Keep what calamine's Rust writes to the process's error output when a damaged file makes it panic.

    It writes past Python, so the file descriptor itself is turned away; one thread at a time.
    """
    with _QUIET:
        try:
            saved = os.dup(2)
        except OSError:  # a windowed program may have no error output at all
            yield
            return
        try:
            with Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), 2)
                yield
        finally:
            os.dup2(saved, 2)
            os.close(saved)


def _corrupt(path: Path, what: str, error: BaseException) -> BaseException:
    """Return the fault for what calamine raised; a panic in it is a BaseException, not an Exception."""
    if isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError, Cancelled)):
        return error
    return Corrupt(path, what)


def sheets(book: calamine.CalamineWorkbook) -> tuple[SheetFacts, ...]:
    """Return the sheets that can hold a table, hidden ones too."""
    return tuple(
        SheetFacts(meta.name, meta.visible == calamine.SheetVisibleEnum.Visible)
        for meta in book.sheets_metadata
        if meta.typ == calamine.SheetTypeEnum.WorkSheet
    )


class _Opened:
    """A workbook whose sheets are looked through before they are loaded."""

    def __init__(self, path: Path, kind: str, book: calamine.CalamineWorkbook, progress: Progress) -> None:
        self.path, self.kind, self.book, self._progress = path, kind, book, progress
        self.scans: dict[str, SheetScan] = {}

    def load(self, name: str) -> calamine.CalamineSheet:
        """Load one sheet; a refusal becomes a sentence. Keeps what was found in it."""
        scan = scan_sheet(self.path, name, self._progress) if self.kind == "xlsx" else SheetScan([])
        self.scans[name] = scan
        memory.check(self.path, _CELL_BYTES * scan.rows * scan.columns)
        try:
            with _silenced():
                return aside(lambda: self.book.get_sheet_by_name(name), self._progress, "Opening the workbook")
        except BaseException as error:
            raise _corrupt(self.path, say("sheet “{name}” can't be read", name=name), error) from error


def choose_sheet(opened: _Opened, wanted: str | None) -> tuple[calamine.CalamineSheet, str]:
    """Return the sheet to read and why: the one chosen, or the first visible one with a table."""
    path, book = opened.path, opened.book
    known = sheets(book)
    if wanted is not None:
        if wanted not in {sheet.name for sheet in known}:
            raise UnknownSheet(path, wanted, tuple(sheet.name for sheet in known))
        sheet = opened.load(wanted)
        if sheet.height == 0:
            raise EmptyFile(path, say("has no cells on sheet “{wanted}”", wanted=wanted))
        return sheet, "chosen"
    fallback = cover = None
    for fact in known:
        if not fact.visible:
            continue
        sheet = opened.load(fact.name)
        if sheet.height > 1 and (sheet.width > 1 or len(known) == 1):
            if cover is not None and _cells(sheet) <= _LARGER * _cells(cover):
                continue
            if cover is None and len(known) > 1 and _cells(sheet) <= _SMALL and sheet.width <= 3:
                cover = sheet  # perhaps notes on the table, which then follows on a sheet of its own
                continue
            if cover is not None:
                return sheet, "the first visible sheet with a table; a sheet of notes before it was passed over"
            return sheet, "the first visible sheet with a table" if len(known) > 1 else "the only sheet"
        if sheet.height > 0 and (fallback is None or sheet.height > fallback.height):
            fallback = sheet
    if cover is not None:
        return cover, "the first visible sheet with a table"
    if fallback is not None:
        return fallback, "the first visible sheet with cells"
    hidden = [sheet.name for sheet in known if not sheet.visible]
    if hidden:
        raise EmptyFile(
            path,
            say(
                "has no visible sheet with cells (hidden: {sheets}; name one to read it)", sheets=", ".join(hidden[:5])
            ),
        )
    raise EmptyFile(path, "has no sheet with cells")


def _cells(sheet: calamine.CalamineSheet) -> int:
    return int(sheet.height * sheet.width)


@dataclass(frozen=True, eq=False)
class SheetLayout:
    """How a sheet is laid out."""

    sheet: calamine.CalamineSheet
    known: tuple[SheetFacts, ...]
    head: list[list[str]]
    header: Header
    merged: list[Span]
    reasons: dict[str, str]
    scan: SheetScan


Chosen = tuple["_Opened", calamine.CalamineSheet, str]
_remembered: dict[tuple[Path, int, int, str | None], Chosen] = {}  # the sheet last previewed, until it is read


def forget() -> None:
    """Let go of the sheet last previewed."""
    _remembered.clear()


def _chosen(path: Path, kind: str, choices: ImportChoices, progress: Progress, *, remember: bool) -> Chosen:
    """Open a workbook and choose its sheet; while its reading is tried out, the sheet is opened once."""
    facts = path.stat()
    key = (path, facts.st_mtime_ns, facts.st_size, choices.sheet)
    if remember and (known := _remembered.get(key)) is not None:
        return known
    forget()
    opened = _Opened(path, kind, open_workbook(path, kind, progress), progress)
    found = (opened, *choose_sheet(opened, choices.sheet))
    if remember:
        _remembered[key] = found
    return found


def layout(path: Path, kind: str, choices: ImportChoices, progress: Progress, *, remember: bool = False) -> SheetLayout:
    """Open a workbook and find sheet and header. `remember` : keep the sheet for the next look at it."""
    progress.report("Opening the workbook", 0.0)
    opened, sheet, why = _chosen(path, kind, choices, progress, remember=remember)
    book = opened.book
    progress.report("Opening the workbook", 1.0)
    head = [[text_of(cell) for cell in row] for row in itertools.islice(_rows(sheet), HEAD_ROWS)]
    merged: list[Span] = [((int(a), int(b)), (int(c), int(d))) for (a, b), (c, d) in sheet.merged_cell_ranges or []]
    header = choose_header(head, choices, merged)
    reasons = {"sheet": why, "header": header.reason}
    return SheetLayout(sheet, sheets(book), head, header, merged, reasons, opened.scans[sheet.name])


def _rows(sheet: calamine.CalamineSheet) -> Iterator[list[Any]]:
    """Iterate over the sheet's rows from its very first one, each from the first column, blank ones too."""
    _, left = sheet.start or (0, 0)  # calamine fills up the rows above the first cell, not the columns beside it
    pad = [""] * left
    return (pad + row for row in sheet.iter_rows()) if left else iter(sheet.iter_rows())


def read(
    path: Path, kind: str, choices: ImportChoices, progress: Progress, *, limit: int | None = None
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Read a sheet into raw columns; returns them with the resolved choices and the reasons."""
    found = layout(path, kind, choices, progress, remember=limit is not None)
    sheet, header, name = found.sheet, found.header, found.sheet.name
    failed = [] if limit is not None else found.scan.failed
    chunks: Chunks = []
    stop = choices.last_row if limit is None else header.last + 1 + limit
    rows = itertools.islice(_rows(sheet), header.last + 1, stop)
    at, height = header.last + 1, max(sheet.total_height or sheet.height, 1)
    while part := _next(rows):
        progress.report("Reading", min(at / height, 1.0))
        columns = [factorise(column) for column in zip(*part, strict=True)]
        chunks.append((columns, np.arange(at + 1, at + 1 + len(part), dtype=np.int64)))
        at += len(part)
    width = len(found.head[0]) if found.head else 0
    failing = {cell.column for cell in failed if cell.row > header.last + 1}
    used = [i for i in range(width) if i in failing or _filled(found, chunks, i)]
    own, problems = _names(found, used, width, choices)
    names = own if choices.names is None else choices.names
    problems = problems if choices.names is None else []
    problems = [*skipped_above(found.head, header, name), *problems]
    put_back(chunks, failed, header.last + 1)
    reasons = dict(found.reasons)
    epoch = _EPOCH_1904 if kind == "xlsx" and uses_1904(path) else _EPOCH
    dated = [i for i in used if serials(chunks, i)]
    for i in dated:
        reasons[f"days of {names[used.index(i)]}"] = (
            "cells without date format among dates: day counts, turned into dates"
        )
        for columns, _ in chunks:
            columns[i] = (columns[i][0], [day_of(cell, epoch) for cell in listed(columns[i][1])])
    digits = {i: found.scan.digits(i, sheet.height - header.last - 1) for i in used} if found.scan.padded else {}
    for i, zeros in digits.items():
        if zeros:
            reasons[f"zeros of {names[used.index(i)]}"] = say(
                "the cells' format fills numbers up to {digits} digits with zeros, which are kept", digits=zeros
            )
            for columns, _ in chunks:
                columns[i] = (columns[i][0], [filled_up(cell, zeros) for cell in listed(columns[i][1])])
    numbered = frozenset(names[k] for k, i in enumerate(used) if float in kinds(chunks, i))
    grid = Grid(len(used), choices, sheet=name)
    chunks.reverse()
    while chunks:  # let go of one by one: freeing a million cells at once would hold up the window
        columns, numbers = chunks.pop()
        progress.report("Joining the columns", 0.0)
        grid.add_columns([(columns[i][0], texts_of(columns[i][1])) for i in used], numbers)
    where = {i: names[k] for k, i in enumerate(used)}
    problems.extend(_failures(failed, where, name, header.last + 1))
    trim = choices.last_row is None and limit is None
    heading = [found.head[header.last][i] for i in used] if header.last >= 0 else None
    table = grid.table(names, problems, trim=trim, last_row=choices.last_row, heading=heading, progress=progress)
    overruled = choices.names is not None and header.last >= 0
    table = replace(table, number_cells=numbered, own_names=own if overruled else None)
    resolved = replace(
        choices,
        format=kind,
        sheet=name,
        header_row=header.last + 1,
        header_rows=header.last - header.first + 1 if header.last >= 0 else 0,
        names=names,
    )
    return table, resolved, reasons


def _next(rows: Iterator[list[Any]]) -> list[list[Any]]:
    """Return the next chunk of rows, taken in steps small enough that the window's thread gets its turn."""
    part: list[list[Any]] = []
    for _ in range(_CHUNK // _STEP):
        part.extend(itertools.islice(rows, _STEP))
    return part


def _filled(found: SheetLayout, chunks: Chunks, i: int) -> bool:
    """Whether a column holds anything: a name or a value; the rest is padding."""
    header = found.header
    named = any(found.head[y][i] != "" for y in range(header.first, header.last + 1)) if header.last >= 0 else False
    return named or any(
        bool(np.isfinite(cells).any()) if isinstance(cells, np.ndarray) else any(cell != "" for cell in cells)
        for cells in (columns[i][1] for columns, _ in chunks)
    )


def _names(
    found: SheetLayout, used: list[int], width: int, choices: ImportChoices
) -> tuple[tuple[str, ...], list[Problem]]:
    header, sheet = found.header, found.sheet.name
    if choices.names is not None and len(choices.names) != len(used):
        raise BadChoice(
            say(
                "{given} column names were given, but the table has {columns} columns.",
                given=len(choices.names),
                columns=len(used),
            )
        )
    if header.last < 0:
        names = tuple(f"Column {i}" for i in range(1, len(used) + 1))
        sentence = "No row names the columns; they are called “Column 1”, “Column 2” and so on."
        return names, [Problem(ProblemKind.NO_HEADER, sentence, sheet)]
    joined = joined_names(found.head, header, width, found.merged)
    return unique_names([joined[i] for i in used], sheet=sheet, row=header.last + 1)


_LISTED = 1000


def _failures(failed: list[Failed], where: dict[int, str], sheet: str, first: int) -> list[Problem]:
    found = []
    for cell in failed:
        if cell.row <= first or cell.column not in where:
            continue
        column = where[cell.column]
        what = (
            say("holds the error {error}", error=cell.value)
            if cell.value
            else say("has a formula without a stored result, read as empty")
        )
        sentence = say("Row {row}, column “{column}” {what}.", row=cell.row, column=column, what=what)
        found.append(Problem(ProblemKind.ERROR_CELL, sentence, sheet, cell.row, column, cell.value))
    if len(found) > _LISTED:
        rest = len(found) - _LISTED
        found = [
            *found[:_LISTED],
            Problem(ProblemKind.ERROR_CELL, say("{rest} further cells hold errors.", rest=rest), sheet, rows=rest),
        ]
    return found
