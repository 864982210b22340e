"""XLSX, XLS, XLSB and ODS: stored values only, no formula and no macro is ever run."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.choices import ImportChoices, SheetFacts, alike
from splu_desktop.files.importer.columns.cells import day_of
from splu_desktop.files.importer.columns.grid import Grid
from splu_desktop.files.importer.columns.header import choose_header, name_columns, unique_names
from splu_desktop.files.importer.problems import Decision, Problem, ProblemKind, report_cells
from splu_desktop.files.importer.raw import RawColumn, RawTable
from splu_desktop.files.importer.workbook.plain_sheet import PlainSheet
from splu_desktop.files.importer.workbook.sheet_parts import fill_down, find_beside
from splu_desktop.files.importer.workbook.sheet_scan import CellError
from splu_desktop.files.isolation import memory
from splu_desktop.files.isolation.faults import BadChoice
from splu_desktop.files.isolation.parent import BrokeOff, isolate

HEAD_ROWS = 400
_ZIPPED = ("xlsx", "xlsb", "ods")
_UNSEEN = ("xls", "xlsb")
_UNTOLD = "Of {kind} workbooks, errors in cells, hidden rows and zeros of formats are not known; save it as XLSX."
_SHEET = "Sheet"  # the column that says which sheet a record of a joined table stood on
_Opened = tuple[list[PlainSheet], tuple[SheetFacts, ...]]  # the sheets that are read, and what is known of all
_remembered: dict[tuple[Path, int, int, tuple[str, ...] | None], _Opened] = {}  # last previewed, until it is read


def forget() -> None:
    """Let go of the sheet last previewed."""
    _remembered.clear()


def open_sheets(path: Path, kind: str, wanted: Sequence[str] | None, progress: Progress) -> _Opened:
    """Open sheets of a workbook, `wanted` being as `opened_workbook.choose` has it. Raises FileFault, Cancelled."""
    size = memory.unpacked_size(path) if kind in _ZIPPED else path.stat().st_size
    names = None if wanted is None else list(wanted)
    data = isolate("workbook", path, progress, size=size, kind=kind, wanted=names)
    try:
        sheets = [PlainSheet.from_plain(sheet) for sheet in data["sheets"]]
        read = {sheet.name for sheet in sheets}
        known = tuple(
            SheetFacts(str(name), bool(visible), int(rows), tuple(map(str, names)), name in read)
            for name, visible, rows, names in data["known"]
        )
    except (KeyError, TypeError, ValueError):
        raise BrokeOff(path) from None
    if not sheets:
        raise BrokeOff(path)
    return sheets, known


def read(
    path: Path, kind: str, choices: ImportChoices, progress: Progress, *, limit: int | None = None
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Read a sheet, or alike sheets as one table, into raw columns; returns them with resolved choices and reasons."""
    progress.report("Opening the workbook", 0.0)
    facts, wanted = path.stat(), choices.sheets or (None if choices.sheet is None else (choices.sheet,))
    key = (path, facts.st_mtime_ns, facts.st_size, wanted)
    opened = _remembered.pop(key, None)
    forget()
    sheets, known = opened = opened or open_sheets(path, kind, wanted, progress)
    if limit is not None:
        _remembered[key] = opened
    progress.report("Opening the workbook", 1.0)
    parts = [_read(kind, sheet, choices, progress, limit) for sheet in sheets]
    table, resolved, reasons = _join(sheets, parts, choices) if choices.sheets else parts[0]
    table = replace(table, sheets=known, problems=(*_list_skipped(known), *table.problems))
    why = "the first visible sheet with a table" if wanted is None else "chosen"
    return table, resolved, {"sheet": why, **reasons}


def _list_skipped(known: Sequence[SheetFacts]) -> list[Problem]:
    """Return a problem for each sheet with cells that is not read."""
    same = {sheet.name for sheet in alike(known)}
    return [
        Problem(
            ProblemKind.SKIPPED_SHEET,
            say(_ALIKE if sheet.name in same else _SKIPPED, sheet=sheet.name, rows=sheet.rows),
            sheet.name,
            rows=sheet.rows,
            decision=Decision.DROP,
        )
        for sheet in known
        if sheet.rows and not sheet.chosen
    ]


_SKIPPED = "Sheet “{sheet}” was not read (rows: {rows})."
_ALIKE = "Sheet “{sheet}” has the same columns and was not read (rows: {rows}); choose to read such sheets as one."
_Part = tuple[RawTable, ImportChoices, dict[str, str]]


def _join(sheets: Sequence[PlainSheet], parts: Sequence[_Part], choices: ImportChoices) -> _Part:
    """Return sheets with the same columns one below the other, the sheet's name in a column of its own, the last."""
    tables = [table for table, _, _ in parts]
    first = tables[0]
    for sheet, table in zip(sheets, tables, strict=True):
        if odd := [name for name in (*first.names, *table.names) if (name in first.names) != (name in table.names)]:
            has, lacks = (sheets[0], sheet) if odd[0] in first.names else (sheet, sheets[0])
            words = (
                "Sheets “{has}” and “{lacks}” can't be read as one table: only “{has}” has a column “{column}”; choose "
                "sheets with the same columns."
            )
            raise BadChoice(words, has=has.name, lacks=lacks.name, column=odd[0])
    columns = [RawColumn.join([table.columns[table.names.index(name)] for table in tables]) for name in first.names]
    labels = [sheet.name for sheet in sheets]
    counts = [len(table.rows) for table in tables]
    columns.append(RawColumn(np.repeat(np.arange(len(labels), dtype=np.int32), counts), labels))
    names, _ = unique_names([*first.names, _SHEET])
    joined = RawTable(
        names,
        tuple(columns),
        np.concatenate([table.rows for table in tables]),
        tuple(problem for table in tables for problem in table.problems),
        number_cells=frozenset(name for table in tables for name in table.number_cells),
        first_day=first.first_day,
        head=first.head,
        parts=tuple(zip(labels, counts, strict=True)),
    )
    reasons = {name: why for _, _, whys in reversed(parts) for name, why in whys.items()}
    reasons["sheets"] = say("sheets with the same columns, read as one table: {sheets}", sheets=", ".join(labels))
    # Each sheet's header is found by itself again: titles of several lengths may stand above.
    return joined, replace(choices, sheet=None), reasons


def _read(kind: str, sheet: PlainSheet, choices: ImportChoices, progress: Progress, limit: int | None) -> _Part:
    head, name = sheet.head(HEAD_ROWS), sheet.name
    header = choose_header(head, choices, sheet.beside.merged_cells)
    failed = [] if limit is not None else sheet.beside.error_cells
    stop = choices.last_row if limit is None else header.last + 1 + limit
    columns, numbers = sheet.below(header.last + 1, stop)
    width = len(head[0]) if head else 0
    above = head[header.first : header.last + 1] if header.last >= 0 else []
    failing = {cell.column for cell in failed if cell.row > header.last + 1}
    used = [i for i in range(width) if i in failing or any(row[i] != "" for row in above) or columns[i].has_cell.any()]
    names, problems = name_columns(head, header, used, merged=sheet.beside.merged_cells, sheet=name)
    reasons = {"header": header.reason}
    for i, count in fill_down(columns, numbers, sheet.beside.merged_cells, header.last + 1).items():
        reasons[f"merged cells of {names[used.index(i)]}"] = say(
            "merged cells ({count}): each of their rows has the cell's value", count=count
        )
    if kind in _UNSEEN:
        problems.append(Problem(ProblemKind.NOTE, say(_UNTOLD, kind=kind.upper()), name))
    problems.extend(sheet.beside.report_hidden({i: names[k] for k, i in enumerate(used)}, name))
    problems.extend(find_beside(columns, numbers, used, names, name))
    epoch = dt.datetime(1904, 1, 1) if sheet.beside.since_1904 else dt.datetime(1899, 12, 30)
    for k, i in enumerate(used):
        if columns[i].mixes_days():
            reasons[f"days of {names[k]}"] = "cells without date format among dates: day counts, turned into dates"
            columns[i].cells = [day_of(cell, epoch) for cell in columns[i].cells]
        if zeros := sheet.beside.number_shapes.get(i):
            reasons[f"zeros of {names[k]}"] = say(
                "the cells' format fills numbers up to {digits} digits with zeros, which are kept",
                digits=zeros.count("0"),
            )
    numbered = frozenset(names[k] for k, i in enumerate(used) if columns[i].numbers.any())
    grid = Grid(len(used), choices, sheet=name)
    grid.add_columns([columns[i].texts() for i in used], numbers)
    where = {i: names[k] for k, i in enumerate(used)}
    problems.extend(_failures(failed, where, name, header.last + 1))
    trim = choices.last_row is None and limit is None
    heading = [head[header.last][i] for i in used] if header.last >= 0 else None
    table = grid.table(names, problems, trim=trim, last_row=choices.last_row, heading=heading, progress=progress)
    table = replace(table, number_cells=numbered, first_day=np.datetime64(epoch, "us"), head=head)
    return table, replace(header.resolve(choices), sheet=name), reasons


def _failures(failed: list[CellError], where: dict[int, str], sheet: str, first: int) -> Iterator[Problem]:
    """Yield a problem for each cell below row `first` that shows an error or lacks its formula's result."""
    for what, has_value in (("value, but an error", True), ("stored result of a formula", False)):
        cells = [
            (cell.row, where[cell.column], cell.value, sheet)
            for cell in failed
            if cell.row > first and cell.column in where and bool(cell.value) is has_value
        ]
        yield from report_cells(ProblemKind.ERROR_CELL, what, cells, len(cells))
