"""Workbooks opened by calamine, in a reader's process alone: it ends the process when a file asks for too much."""

from __future__ import annotations

import io
import itertools
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import python_calamine as calamine

from splu_desktop.core.progress import Cancelled, Progress
from splu_desktop.core.said import say
from splu_desktop.files.importer import memory
from splu_desktop.files.importer.cells import text_of
from splu_desktop.files.importer.faults import Corrupt, Encrypted, TooLarge
from splu_desktop.files.importer.ods_parts import scan_ods
from splu_desktop.files.importer.plain_sheet import PlainColumn, PlainSheet
from splu_desktop.files.importer.recognise import open_file
from splu_desktop.files.importer.sheet_errors import SheetScan, scan_sheet
from splu_desktop.files.importer.xls_extent import check_extent
from splu_desktop.files.importer.xls_formats import padded_cells
from splu_desktop.files.importer.xlsb_extent import extent

_CHUNK = 20_000
_CELL_BYTES = 32  # of a cell in calamine's table, empty ones included
_OWN_ENDINGS = {"xlsx": (".xlsx", ".xlsm"), "xlsb": (".xlsb",), "xls": (".xls",), "ods": (".ods",)}


def open_workbook(path: Path, kind: str, progress: Progress) -> calamine.CalamineWorkbook:
    """Open a workbook; a refusal becomes a sentence."""
    if kind == "xls":
        check_extent(path, progress)
    try:
        if path.suffix.lower() in _OWN_ENDINGS[kind]:
            return calamine.load_workbook(path)
        with open_file(path) as file:  # calamine goes by the name, which may say another format
            return calamine.load_workbook(io.BytesIO(file.read()))
    except calamine.PasswordError as error:
        raise Encrypted(path) from error
    except BaseException as error:
        if _LIMIT.match(str(error)):
            raise TooLarge(_too_large(path)) from error
        raise corrupt(path, "the workbook can't be opened", error) from error


def _too_large(path: Path) -> str:
    return say(
        "“{path}” has a sheet of more cells than can be read; delete the empty or repeated rows and columns in its own "
        "program, or export the table as CSV and import that file.",
        path=path.name,
    )


_LIMIT = re.compile(r"Cell\slimit\b")  # calamine's own, for repeated cells of ODS


def corrupt(path: Path, what: str, error: BaseException) -> BaseException:
    """Return the fault for what calamine raised; a panic in it is a BaseException, not an Exception."""
    if isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError, Cancelled)):
        return error
    return Corrupt(path, what)


def load(path: Path, kind: str, book: calamine.CalamineWorkbook, name: str, progress: Progress) -> PlainSheet:
    """Load a sheet; a refusal becomes a sentence."""
    scan = scan_sheet(path, name, progress) if kind == "xlsx" else SheetScan([])
    if kind == "xlsb":
        scan.rows, scan.columns = extent(path, name, progress)
    elif kind == "xls":
        scan.padded = padded_cells(path, name)
    spans = scan_ods(path, name, scan) if kind == "ods" else []
    memory.check(path, _CELL_BYTES * scan.rows * scan.columns)
    progress.report("Opening the workbook", 0.5)
    try:
        sheet = book.get_sheet_by_name(name)
        told = [((int(a), int(b)), (int(c), int(d))) for (a, b), (c, d) in sheet.merged_cell_ranges or []]
        numbers, columns = _columns(sheet, progress)
    except BaseException as error:  # a length of time that no calendar holds makes calamine panic
        raise corrupt(path, say("sheet “{name}” can't be read", name=name), error) from error
    found = scan.failed, scan.padded, scan.hidden
    return PlainSheet(name, sheet.height, sheet.width, numbers, columns, told or spans, *found)


def _columns(
    sheet: calamine.CalamineSheet, progress: Progress
) -> tuple[np.ndarray[Any, np.dtype[np.int64]], dict[int, PlainColumn]]:
    """Return the numbers of all rows up to the last one, and the columns."""
    # Calamine fills up the rows above the first cell, not the columns beside it.
    _, left = sheet.start or (0, 0)
    indexes: list[defaultdict[Any, int]] = []
    codes: list[list[np.ndarray[Any, np.dtype[np.int32]]]] = []
    rows: Iterator[list[Any]] = iter(sheet.iter_rows())
    at, height = 0, max(sheet.total_height or sheet.height, 1)
    while part := list(itertools.islice(rows, _CHUNK)):
        progress.report("Reading", min(at / height, 1.0))
        for i, cells in enumerate(zip(*part, strict=True)):
            if i == len(indexes):
                indexes.append(defaultdict())
                indexes[i].default_factory = indexes[i].__len__
                codes.append([])
            if bool in set(map(type, cells)):  # TRUE and 1 are equal to Python, so yes/no cells become texts first
                cells = tuple(text_of(cell) if type(cell) is bool else cell for cell in cells)
            codes[i].append(np.fromiter(map(indexes[i].__getitem__, cells), np.int32, len(cells)))
        at += len(part)
    columns = {
        left + i: column
        for i, (index, parts) in enumerate(zip(indexes, codes, strict=True))
        if (column := _column(list(index), np.concatenate(parts))) is not None
    }
    return np.arange(1, at + 1, dtype=np.int64), columns


def _column(cells: list[Any], codes: np.ndarray[Any, np.dtype[np.int32]]) -> PlainColumn | None:
    """Return a column of codes over distinct cells in the order that `PlainColumn` wants, None for an empty one."""
    numbers = [float(cell) for cell in cells if isinstance(cell, (int, float))]
    others = [cell for cell in cells if not isinstance(cell, (int, float)) and cell != ""]
    if not numbers and not others:
        return None
    places = (iter(range(len(numbers))), iter(range(len(numbers), len(cells))))
    new = np.array(
        [
            len(numbers) + len(others) if cell == "" else next(places[not isinstance(cell, (int, float))])
            for cell in cells
        ],
        np.int32,
    )
    return PlainColumn(new[codes], np.array(numbers, np.float64), others)
