"""XLSX, XLS, XLSB and ODS: stored values only, no formula and no macro is ever run."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from splu_desktop.core.messages import Said, say
from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.choices import ImportChoices, SheetFacts, alike
from splu_desktop.files.importer.columns.cells import day_of, filled_up
from splu_desktop.files.importer.columns.grid import Grid
from splu_desktop.files.importer.columns.header import choose_header, name_columns, unique_names
from splu_desktop.files.importer.problems import Decision, Problem, ProblemKind, of_cells
from splu_desktop.files.importer.raw import RawColumn, RawTable
from splu_desktop.files.importer.workbook.plain_sheet import PlainSheet
from splu_desktop.files.importer.workbook.sheet_parts import beside, fill_down, put_back
from splu_desktop.files.importer.workbook.sheet_scan import Failed, uses_1904
from splu_desktop.files.isolation import memory
from splu_desktop.files.isolation.faults import BadChoice
from splu_desktop.files.isolation.parent import BrokeOff, isolate

HEAD_ROWS = 400
_ZIPPED = ("xlsx", "xlsb", "ods")
_UNSEEN = ("xls", "xlsb")
_UNTOLD = "Of {kind} workbooks, errors in cells, hidden rows and zeros of formats are not known; save it as XLSX."
_EPOCH = dt.datetime(1899, 12, 30)
_EPOCH_1904 = dt.datetime(1904, 1, 1)
_SHEET = "Sheet"  # the column that says which sheet a record of a joined table stood on


@dataclass(frozen=True, eq=False)
class _Chosen:
    """The sheets of a workbook that are read, one or several with the same columns, and why."""

    sheets: tuple[PlainSheet, ...]
    known: tuple[SheetFacts, ...]
    why: str


_Key = tuple[Path, int, int, str | None, tuple[str, ...] | None]
_remembered: dict[_Key, _Chosen] = {}  # the sheets last previewed, until they are read


def forget() -> None:
    """Let go of the sheet last previewed."""
    _remembered.clear()


def _chosen(path: Path, kind: str, choices: ImportChoices, progress: Progress, *, remember: bool) -> _Chosen:
    """Open a workbook and choose its sheet; while its reading is tried out and then done, the sheet is opened once."""
    facts = path.stat()
    key = (path, facts.st_mtime_ns, facts.st_size, choices.sheet, choices.sheets)
    known = _remembered.get(key)
    if known is not None and remember:
        return known
    forget()
    if known is not None:
        return known
    found = _opened(path, kind, choices.sheet, progress, several=choices.sheets)
    if remember:
        _remembered[key] = found
    return found


def open_first(path: Path, kind: str, progress: Progress) -> PlainSheet:
    """Open the first sheet of a workbook, hidden or not. Raises FileFault, Cancelled."""
    return _opened(path, kind, None, progress, first=True).sheets[0]


def _opened(
    path: Path,
    kind: str,
    wanted: str | None,
    progress: Progress,
    *,
    several: tuple[str, ...] | None = None,
    first: bool = False,
) -> _Chosen:
    """Open the sheets wanted, or the first visible one with a table. Raises FileFault, Cancelled."""
    size = memory.unpacked_size(path) if kind in _ZIPPED else path.stat().st_size
    names = None if several is None else list(several)
    found = isolate("workbook", path, progress, size=size, kind=kind, wanted=wanted, several=names, first=first)
    try:
        sheets = tuple(PlainSheet.from_plain(sheet) for sheet in found["sheets"])
        read = {sheet.name for sheet in sheets}
        known = tuple(
            SheetFacts(str(name), bool(visible), int(rows), tuple(map(str, names)), name in read)
            for name, visible, rows, names in found["known"]
        )
        return _Chosen((sheets[0], *sheets[1:]), known, found["why"])
    except (KeyError, TypeError, ValueError, IndexError):
        raise BrokeOff(path) from None


def read(
    path: Path, kind: str, choices: ImportChoices, progress: Progress, *, limit: int | None = None
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Read a sheet, or alike sheets as one table, into raw columns; returns them with resolved choices and reasons."""
    progress.report("Opening the workbook", 0.0)
    chosen = _chosen(path, kind, choices, progress, remember=limit is not None)
    progress.report("Opening the workbook", 1.0)
    if choices.sheets is None:
        table, resolved, reasons = _read(path, kind, chosen.sheets[0], choices, progress, limit)
    else:
        table, resolved, reasons = _joined(path, kind, chosen, choices, progress, limit)
    table = replace(table, sheets=chosen.known, problems=(*_passed_over(chosen), *table.problems))
    return table, resolved, {"sheet": chosen.why, **reasons}


def _passed_over(chosen: _Chosen) -> list[Problem]:
    """Return a problem for each sheet with cells that is not read."""
    same = {sheet.name for sheet in alike(chosen.known)}
    return [
        Problem(
            ProblemKind.SKIPPED_SHEET,
            say(_ALIKE if sheet.name in same else _SKIPPED, sheet=sheet.name, rows=sheet.rows),
            sheet.name,
            rows=sheet.rows,
            decision=Decision.DROP,
        )
        for sheet in chosen.known
        if sheet.rows and not sheet.chosen
    ]


_SKIPPED = "Sheet “{sheet}” was not read (rows: {rows})."
_ALIKE = "Sheet “{sheet}” has the same columns and was not read (rows: {rows}); choose to read such sheets as one."


def _joined(
    path: Path, kind: str, chosen: _Chosen, choices: ImportChoices, progress: Progress, limit: int | None
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Read sheets with the same columns one below the other, the sheet's name in a column of its own, the last."""
    reasons: dict[str, str] = {}
    tables = []
    for sheet in chosen.sheets:
        table, _, why = _read(path, kind, sheet, choices, progress, limit)
        tables.append(table)
        reasons = {**why, **reasons}
    first = tables[0]
    for sheet, table in zip(chosen.sheets, tables, strict=True):
        if set(table.names) != set(first.names):
            raise BadChoice(_unlike(chosen.sheets[0].name, first.names, sheet.name, table.names))
    place = [{name: i for i, name in enumerate(table.names)} for table in tables]
    columns = [
        RawColumn.join([table.columns[at[name]] for table, at in zip(tables, place, strict=True)])
        for name in first.names
    ]
    labels = [sheet.name for sheet in chosen.sheets]
    counts = [len(table.rows) for table in tables]
    columns.append(RawColumn(np.repeat(np.arange(len(labels), dtype=np.int32), counts), labels))
    names, _ = unique_names([*first.names, _SHEET])
    joined = RawTable(
        names,
        tuple(columns),
        np.concatenate([table.rows for table in tables]),
        tuple(
            replace(p, sheet=p.sheet or sheet.name)
            for sheet, table in zip(chosen.sheets, tables, strict=True)
            for p in table.problems
        ),
        number_cells=frozenset(name for table in tables for name in table.number_cells),
        first_day=first.first_day,
        head=first.head,
        parts=tuple(zip(labels, counts, strict=True)),
    )
    # Each sheet's header is found by itself again: titles of several lengths may stand above.
    reasons["sheets"] = say("sheets with the same columns, read as one table: {sheets}", sheets=", ".join(labels))
    return joined, replace(choices, sheet=None), reasons


def _unlike(first: str, names: tuple[str, ...], other: str, others: tuple[str, ...]) -> Said:
    odd = next((name for name in (*names, *others) if (name in names) != (name in others)), "")
    has, lacks = (first, other) if odd in names else (other, first)
    return say(
        "Sheets “{has}” and “{lacks}” can't be read as one table: only “{has}” has a column “{column}”; choose sheets "
        "with the same columns.",
        has=has,
        lacks=lacks,
        column=odd,
    )


def _read(
    path: Path, kind: str, sheet: PlainSheet, choices: ImportChoices, progress: Progress, limit: int | None
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    head, name = sheet.head(HEAD_ROWS), sheet.name
    header = choose_header(head, choices, sheet.beside.merged)
    failed = [] if limit is not None else sheet.beside.failed
    stop = choices.last_row if limit is None else header.last + 1 + limit
    columns, numbers = sheet.below(header.last + 1, stop)
    width = len(head[0]) if head else 0
    above = head[header.first : header.last + 1] if header.last >= 0 else []
    failing = {cell.column for cell in failed if cell.row > header.last + 1}
    used = [i for i in range(width) if i in failing or any(row[i] != "" for row in above) or columns[i].filled.any()]
    names, problems = name_columns(head, header, used, merged=sheet.beside.merged, sheet=name)
    put_back(columns, numbers, failed, header.last + 1)
    reasons = {"header": header.reason}
    for i, count in fill_down(columns, numbers, sheet.beside.merged, header.last + 1).items():
        reasons[f"merged cells of {names[used.index(i)]}"] = say(
            "merged cells ({count}): each of their rows has the cell's value", count=count
        )
    if kind in _UNSEEN:
        problems.append(Problem(ProblemKind.NOTE, say(_UNTOLD, kind=kind.upper()), name))
    problems.extend(sheet.beside.report_hidden({i: names[k] for k, i in enumerate(used)}, name))
    problems.extend(beside(columns, numbers, used, names, name))
    epoch = _EPOCH_1904 if kind == "xlsx" and uses_1904(path) else _EPOCH
    for k, i in enumerate(used):
        if columns[i].mixes_days():
            reasons[f"days of {names[k]}"] = "cells without date format among dates: day counts, turned into dates"
            columns[i].cells = [day_of(cell, epoch) for cell in columns[i].cells]
        if sheet.beside.padded and (zeros := _digits(sheet, i, sheet.height - header.last - 1)):
            reasons[f"zeros of {names[k]}"] = say(
                "the cells' format fills numbers up to {digits} digits with zeros, which are kept", digits=zeros
            )
            columns[i].cells = [filled_up(cell, zeros) for cell in columns[i].cells]
    numbered = frozenset(names[k] for k, i in enumerate(used) if float in columns[i].types)
    grid = Grid(len(used), choices, sheet=name)
    grid.add_columns([columns[i].texts() for i in used], numbers)
    where = {i: names[k] for k, i in enumerate(used)}
    problems.extend(_failures(failed, where, name, header.last + 1))
    trim = choices.last_row is None and limit is None
    heading = [head[header.last][i] for i in used] if header.last >= 0 else None
    table = grid.table(names, problems, trim=trim, last_row=choices.last_row, heading=heading, progress=progress)
    table = replace(table, number_cells=numbered, first_day=np.datetime64(epoch, "us"), head=head)
    return table, replace(header.resolve(choices), sheet=name), reasons


def _digits(sheet: PlainSheet, column: int, cells: int) -> int:
    """Return to how many digits a column's numbers are filled up with zeros, 0 where most of `cells` are not."""
    counts = ((digits, n) for (place, digits), n in sheet.beside.padded.items() if place == column)
    width, count = max(counts, key=lambda pair: pair[1], default=(0, 0))
    return width if count > cells / 2 else 0


def _failures(failed: list[Failed], where: dict[int, str], sheet: str, first: int) -> Iterator[Problem]:
    """Yield a problem for each cell below row `first` that shows an error or lacks its formula's result."""
    for what, told in (("value, but an error", True), ("stored result of a formula", False)):
        cells = [
            (cell.row, where[cell.column], cell.value, sheet)
            for cell in failed
            if cell.row > first and cell.column in where and bool(cell.value) is told
        ]
        yield from of_cells(ProblemKind.ERROR_CELL, what, cells, len(cells))
