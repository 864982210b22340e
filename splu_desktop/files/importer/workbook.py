"""XLSX, XLS, XLSB and ODS by calamine: stored values only, no formula and no macro is ever run."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import python_calamine as calamine

from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.faults import BadChoice, Corrupt, EmptyFile, Encrypted, UnknownSheet
from splu_desktop.files.importer.grid import Grid
from splu_desktop.files.importer.header import Span, choose_header, joined_names, unique_names
from splu_desktop.files.importer.problems import Problem, ProblemKind
from splu_desktop.files.importer.raw import RawTable

_CHUNK = 20_000
_HEAD_ROWS = 300


@dataclass(frozen=True)
class SheetFacts:
    """A sheet's name, whether it is shown, and the cells it spans."""

    name: str
    visible: bool
    rows: int
    columns: int


def open_workbook(path: Path) -> calamine.CalamineWorkbook:
    """Open a workbook; a refusal becomes a sentence."""
    try:
        return calamine.load_workbook(path)
    except calamine.PasswordError as error:
        raise Encrypted(path) from error
    except (calamine.CalamineError, OSError, ValueError) as error:
        raise Corrupt(path, "the workbook can't be opened") from error


def sheet_names(book: calamine.CalamineWorkbook) -> list[tuple[str, bool]]:
    """Return (name, visible) of the sheets that hold cells."""
    return [
        (meta.name, meta.visible == calamine.SheetVisibleEnum.Visible)
        for meta in book.sheets_metadata
        if meta.typ == calamine.SheetTypeEnum.WorkSheet
    ]


def text_of(cell: Any) -> str:
    """Return the canonical text of a cell: whole numbers without ".0", ISO dates, TRUE and FALSE."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    if isinstance(cell, dt.datetime):
        return cell.isoformat(sep=" ", timespec="microseconds" if cell.microsecond else "seconds")
    if isinstance(cell, (dt.date, dt.time)):
        return cell.isoformat()
    if isinstance(cell, dt.timedelta):
        seconds = round(cell.total_seconds())
        return f"{seconds // 3600:02d}:{seconds % 3600 // 60:02d}:{seconds % 60:02d}"
    return str(cell)


def _texts(column: Sequence[Any]) -> list[str]:
    known: dict[Any, str] = {}
    out = []
    for cell in column:
        if type(cell) is str:
            out.append(cell)
            continue
        key = (type(cell), cell)
        text = known.get(key)
        if text is None:
            text = known[key] = text_of(cell)
        out.append(text)
    return out


def choose_sheet(path: Path, book: calamine.CalamineWorkbook, wanted: str | None) -> tuple[str, str]:
    """Return the sheet to read and why: the one chosen, or the first visible one with a table."""
    sheets = sheet_names(book)
    names = tuple(name for name, _ in sheets)
    if wanted is not None:
        if wanted not in names:
            raise UnknownSheet(path, wanted, names)
        return wanted, "chosen"
    filled = []
    for name, visible in sheets:
        if visible and (sheet := load_sheet(path, book, name)).height > 0:
            filled.append((name, sheet.height * sheet.width))
            if sheet.height > 1:
                return name, "the first visible sheet with rows" if len(names) > 1 else "the only sheet"
    if filled:
        return filled[0][0], "the first visible sheet with cells"
    raise EmptyFile(path, "has no visible sheet with cells")


def load_sheet(path: Path, book: calamine.CalamineWorkbook, name: str) -> calamine.CalamineSheet:
    """Load one sheet; a refusal becomes a sentence."""
    try:
        return book.get_sheet_by_name(name)
    except calamine.CalamineError as error:
        raise Corrupt(path, f"sheet “{name}” can't be read") from error


def read(
    path: Path, kind: str, choices: ImportChoices, progress: Progress
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Read a sheet into raw columns; returns them with the resolved choices and the reasons."""
    progress.report("Opening", 0.0)
    book = open_workbook(path)
    name, why = choose_sheet(path, book, choices.sheet)
    sheet = load_sheet(path, book, name)
    if sheet.height == 0:
        raise EmptyFile(path, f"has no cells on sheet “{name}”")
    cells = sheet.to_python(skip_empty_area=False)
    if choices.last_row is not None:
        cells = cells[: choices.last_row]
    head = [_texts(row) for row in cells[:_HEAD_ROWS]]
    merged = _spans(sheet)
    header = choose_header(head, choices, merged)
    top = max(header.first, 0)
    used = [i for i, column in enumerate(zip(*cells[top:], strict=True)) if any(cell != "" for cell in column)]
    problems: list[Problem] = []
    if choices.names is not None:
        names: tuple[str, ...] = choices.names
        if len(names) != len(used):
            raise BadChoice(f"{len(names)} column names were given, but the table has {len(used)} columns.")
    elif header.last < 0:
        names = tuple(f"Column {i}" for i in range(1, len(used) + 1))
        problems.append(Problem(ProblemKind.NO_HEADER, "No row names the columns; they are called “Column 1” and so on.", name))
    else:
        joined = joined_names(head, header, sheet.width, merged)
        names, problems = unique_names([joined[i] for i in used], sheet=name, row=header.last + 1)
    grid = Grid(len(used), choices, sheet=name)
    first = header.last + 1
    for start in range(first, len(cells), _CHUNK):
        progress.report("Reading", start / max(len(cells), 1))
        part = cells[start : start + _CHUNK]
        columns = list(zip(*part, strict=True))
        texts = [_texts(columns[i]) for i in used]
        grid.add(list(map(list, zip(*texts, strict=True))), np.arange(start + 1, start + 1 + len(part), dtype=np.int64))
    table = grid.table(names, problems, trim=choices.last_row is None, last_row=choices.last_row)
    resolved = replace(
        choices,
        format=kind,
        sheet=name,
        header_row=header.last + 1,
        header_rows=header.last - header.first + 1 if header.last >= 0 else 0,
        names=names,
    )
    return table, resolved, {"sheet": why, "header": header.reason}


def _spans(sheet: calamine.CalamineSheet) -> list[Span]:
    return [((int(a), int(b)), (int(c), int(d))) for (a, b), (c, d) in sheet.merged_cell_ranges or []]
