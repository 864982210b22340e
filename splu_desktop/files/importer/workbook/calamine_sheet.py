"""Workbooks opened by calamine, in a reader's process alone: it ends the process when a file asks for too much."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import python_calamine as calamine

from splu_desktop.core.progress import Cancelled, Progress
from splu_desktop.files.disk.background import in_background
from splu_desktop.files.disk.plain_data import in_unicode
from splu_desktop.files.importer.columns.cells import CellColumn, Coding, fill_up, text_of
from splu_desktop.files.importer.recognise import open_file
from splu_desktop.files.importer.workbook.ods_parts import scan_ods
from splu_desktop.files.importer.workbook.plain_sheet import PlainSheet
from splu_desktop.files.importer.workbook.sheet_scan import Padded, SheetScan, scan_xlsx
from splu_desktop.files.isolation.faults import Corrupt, Encrypted, TooSpread

_CHUNK = 500  # rows: their cells are coded while the processor has them
_OWN_ENDINGS = {"xlsx": (".xlsx", ".xlsm"), "xlsb": (".xlsb",), "xls": (".xls",), "ods": (".ods",)}


def open_workbook(path: Path, kind: str) -> calamine.CalamineWorkbook:
    """Open a workbook. Raises Corrupt, Encrypted, TooSpread."""
    try:
        if path.suffix.lower() in _OWN_ENDINGS[kind] and in_unicode(path):  # of bytes alone no password is known
            return calamine.load_workbook(path)
        with open_file(path) as file:  # calamine goes by the name, which may say another format or be no text
            return calamine.load_workbook(io.BytesIO(file.read()))
    except calamine.PasswordError as error:
        raise Encrypted(path) from error
    except BaseException as error:
        if _LIMIT.match(str(error)):
            raise TooSpread(path) from error
        raise corrupt(path, kind.upper(), error) from error


def sheets_of(book: calamine.CalamineWorkbook) -> list[tuple[str, bool]]:
    """Return name of each sheet that can hold a table, and whether it is shown."""
    return [
        (meta.name, meta.visible == calamine.SheetVisibleEnum.Visible)
        for meta in book.sheets_metadata
        if meta.typ == calamine.SheetTypeEnum.WorkSheet
    ]


_LIMIT = re.compile(r"Cell\slimit\b")  # calamine's own, for repeated cells of ODS


def corrupt(path: Path, part: str, error: BaseException) -> BaseException:
    """Return the fault for what calamine raised; a panic in it is a BaseException, not an Exception."""
    if isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError, Cancelled)):
        return error
    return Corrupt(path, part)


def load(path: Path, kind: str, book: calamine.CalamineWorkbook, name: str, progress: Progress) -> PlainSheet:
    """Load a sheet; a refusal becomes a sentence."""
    scans = {"xlsx": scan_xlsx, "ods": scan_ods}
    look_through = scans.get(kind, lambda path, name: (SheetScan(), Padded()))
    progress.report("Opening the workbook", 0.5)
    with in_background(lambda _: look_through(path, name), progress, "Opening the workbook") as looked_through:
        try:
            sheet = book.get_sheet_by_name(name)
            merged = sheet.merged_cell_ranges or []
            rows, columns = _columns(sheet, progress)
        except BaseException as error:  # a length of time that no calendar holds makes calamine panic
            raise corrupt(path, f"“{name}”", error) from error
        scan, padded = looked_through()
    for column in columns.values() if kind == "ods" else ():
        column.cells = [_LASTS.sub(r"\1:\2:\3", cell) if type(cell) is str else cell for cell in column.cells]
    if merged:
        scan.merged_cells = [((int(a), int(b)), (int(c), int(d))) for (a, b), (c, d) in merged]
    for cell in scan.error_cells:  # whose error texts calamine leaves out
        if cell.value and 0 < cell.row <= rows:
            column = columns.setdefault(cell.column, CellColumn(np.zeros(rows, np.int32), [""]))
            column.codes[cell.row - 1] = column.code_for(cell.value)
    for (at, shape), count in padded.items():
        if (padded_column := columns.get(at)) is not None and 2 * count > padded_column.numbers.sum():
            padded_column.cells = [fill_up(value, shape) for value in padded_column.cells]
            scan.number_shapes[at] = shape
    return PlainSheet(name, sheet.height, sheet.width, rows, columns, scan)


def _columns(sheet: calamine.CalamineSheet, progress: Progress) -> tuple[int, dict[int, CellColumn]]:
    """Return the number of the last row, and the columns."""
    # Calamine fills up the rows above the first cell, not the columns beside it.
    _, left = sheet.start or (0, 0)
    out: list[Coding] = []
    rows: Iterator[list[Any]] = iter(sheet.iter_rows())
    at, height = 0, max(sheet.total_height or sheet.height, 1)
    while part := list(itertools.islice(rows, _CHUNK)):
        progress.report("Reading", min(at / height, 1.0))
        out += [Coding() for _ in range(len(part[0]) - len(out))]
        for coding, cells in zip(out, zip(*part, strict=True), strict=True):
            coding.add(map(_plain, cells) if not _ODD.isdisjoint(map(type, cells)) else cells)
        at += len(part)
    columns = {left + i: coding.column() for i, coding in enumerate(out) if any(cell != "" for cell in coding.index)}
    for column in columns.values():
        column.cells = [cell if type(cell) in _KEPT else _plain(cell) for cell in column.cells]
    return at, columns


_LASTS = re.compile(r"\APT(\d+)H(\d\d)M(\d\d)(?:[.,]\d+)?S\Z")  # how calamine gives 24 hours and more of ODS
_ODD, _KEPT = {bool, int}, {str, float}


def _plain(cell: Any) -> str | float:
    """Return a cell as a text or float: TRUE and 1 are equal to Python, and whole numbers of XLS no others."""
    return float(cell) if type(cell) in (int, float) else text_of(cell)
