"""XLSX, XLS, XLSB and ODS: stored values only, no formula and no macro is ever run."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import python_calamine as calamine

from splu_desktop.core.progress import Progress
from splu_desktop.core.said import say
from splu_desktop.files.importer.calamine_sheet import CalamineSheet, load, open_workbook
from splu_desktop.files.importer.cells import (
    Chunks,
    day_of,
    filled_up,
    kinds,
    listed,
    put_back,
    serials,
    texts_of,
)
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.faults import EmptyFile, OtherWidth, UnknownSheet
from splu_desktop.files.importer.grid import Grid
from splu_desktop.files.importer.header import Header, Span, choose_header, joined_names, skipped_above, unique_names
from splu_desktop.files.importer.plain_reading import read_plain
from splu_desktop.files.importer.plain_sheet import PlainSheet
from splu_desktop.files.importer.problems import Problem, ProblemKind
from splu_desktop.files.importer.raw import RawTable
from splu_desktop.files.importer.sheet_errors import Failed, uses_1904
from splu_desktop.files.importer.sheet_parts import beside, fill_down

HEAD_ROWS = 400
_LARGER = 5  # how many times larger the table's own sheet then is
_SMALL = 100  # cells up to which a sheet may be a cover page before the table's own sheet
_EPOCH = dt.datetime(1899, 12, 30)
_EPOCH_1904 = dt.datetime(1904, 1, 1)


@dataclass(frozen=True)
class SheetFacts:
    """A sheet's name and whether it is shown."""

    name: str
    visible: bool


def sheets(book: calamine.CalamineWorkbook) -> tuple[SheetFacts, ...]:
    """Return the sheets that can hold a table, hidden ones too."""
    return tuple(
        SheetFacts(meta.name, meta.visible == calamine.SheetVisibleEnum.Visible)
        for meta in book.sheets_metadata
        if meta.typ == calamine.SheetTypeEnum.WorkSheet
    )


Sheet = CalamineSheet | PlainSheet


class _Opened:
    """A workbook whose sheets are loaded one by one."""

    def __init__(self, path: Path, kind: str, book: calamine.CalamineWorkbook, progress: Progress) -> None:
        self.path, self.kind, self.book, self._progress = path, kind, book, progress

    def load(self, name: str) -> Sheet:
        """Load one sheet; a refusal becomes a sentence."""
        plain = read_plain(self.path, name, self._progress) if self.kind == "xlsx" else None
        return load(self.path, self.kind, self.book, name, self._progress) if plain is None else plain


def choose_sheet(opened: _Opened, wanted: str | None) -> tuple[Sheet, str]:
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


def _cells(sheet: Sheet) -> int:
    return int(sheet.height * sheet.width)


@dataclass(frozen=True, eq=False)
class SheetLayout:
    """How a sheet is laid out."""

    sheet: Sheet
    known: tuple[SheetFacts, ...]
    head: list[list[str]]
    header: Header
    merged: list[Span]
    reasons: dict[str, str]


Chosen = tuple["_Opened", Sheet, str]
_remembered: dict[tuple[Path, int, int, str | None], Chosen] = {}  # the sheet last previewed, until it is read


def forget() -> None:
    """Let go of the sheet last previewed."""
    _remembered.clear()


def _chosen(path: Path, kind: str, choices: ImportChoices, progress: Progress, *, remember: bool) -> Chosen:
    """Open a workbook and choose its sheet; while its reading is tried out and then done, the sheet is opened once."""
    facts = path.stat()
    key = (path, facts.st_mtime_ns, facts.st_size, choices.sheet)
    known = _remembered.get(key)
    if known is not None and remember:
        return known
    forget()
    if known is not None:
        return known
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
    head, merged = sheet.head(HEAD_ROWS), sheet.merged
    header = choose_header(head, choices, merged)
    reasons = {"sheet": why, "header": header.reason}
    return SheetLayout(sheet, sheets(book), head, header, merged, reasons)


def read(
    path: Path, kind: str, choices: ImportChoices, progress: Progress, *, limit: int | None = None
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Read a sheet into raw columns; returns them with the resolved choices and the reasons."""
    found = layout(path, kind, choices, progress, remember=limit is not None)
    sheet, header, name = found.sheet, found.header, found.sheet.name
    failed = [] if limit is not None else sheet.failed
    stop = choices.last_row if limit is None else header.last + 1 + limit
    chunks = sheet.chunks(header.last + 1, stop, progress)
    width = len(found.head[0]) if found.head else 0
    failing = {cell.column for cell in failed if cell.row > header.last + 1}
    used = [i for i in range(width) if i in failing or _filled(found, chunks, i)]
    own, problems = _names(found, used, width, choices)
    names = own if choices.names is None else choices.names
    problems = problems if choices.names is None else []
    problems = [*skipped_above(found.head, header, name), *problems]
    put_back(chunks, failed, header.last + 1)
    reasons = dict(found.reasons)
    for i, count in fill_down(chunks, found.merged, header.last + 1).items():
        reasons[f"merged cells of {names[used.index(i)]}"] = say(
            "merged cells ({count}): each of their rows has the cell's value", count=count
        )
    problems.extend(sheet.hidden.problems({i: names[k] for k, i in enumerate(used)}, name))
    problems.extend(beside(chunks, used, names, name))
    epoch = _EPOCH_1904 if kind == "xlsx" and uses_1904(path) else _EPOCH
    first_day = np.datetime64(epoch, "us")
    dated = [i for i in used if serials(chunks, i)]
    for i in dated:
        reasons[f"days of {names[used.index(i)]}"] = (
            "cells without date format among dates: day counts, turned into dates"
        )
        for columns, _ in chunks:
            columns[i] = (columns[i][0], [day_of(cell, epoch) for cell in listed(columns[i][1])])
    digits = {i: _digits(sheet, i, sheet.height - header.last - 1) for i in used} if sheet.padded else {}
    for i, zeros in digits.items():
        if zeros:
            reasons[f"zeros of {names[used.index(i)]}"] = say(
                "the cells' format fills numbers up to {digits} digits with zeros, which are kept", digits=zeros
            )
            for columns, _ in chunks:
                columns[i] = (columns[i][0], [filled_up(cell, zeros) for cell in listed(columns[i][1])])
    numbered = frozenset(names[k] for k, i in enumerate(used) if float in kinds(chunks, i))
    grid = Grid(len(used), choices, sheet=name)
    grid.blank_rows += sheet.left_out(header.last + 1, stop)
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
    table = replace(table, number_cells=numbered, own_names=own if overruled else None, first_day=first_day)
    resolved = replace(
        choices,
        format=kind,
        sheet=name,
        header_row=header.last + 1,
        header_rows=header.last - header.first + 1 if header.last >= 0 else 0,
        names=names,
    )
    return table, resolved, reasons


def _digits(sheet: Sheet, column: int, cells: int) -> int:
    """Return to how many digits a column's numbers are filled up with zeros, 0 where most of `cells` are not."""
    counts = ((digits, n) for (place, digits), n in sheet.padded.items() if place == column)
    width, count = max(counts, key=lambda pair: pair[1], default=(0, 0))
    return width if count > cells / 2 else 0


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
        raise OtherWidth(len(choices.names), len(used))
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
