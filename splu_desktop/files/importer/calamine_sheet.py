"""Workbooks opened by calamine, and a sheet as `workbook` goes through it."""

from __future__ import annotations

import io
import itertools
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import python_calamine as calamine

from splu_desktop.core.progress import Cancelled, Progress
from splu_desktop.core.said import say
from splu_desktop.files.importer import memory
from splu_desktop.files.importer.cells import Chunks, factorise, text_of
from splu_desktop.files.importer.faults import Corrupt, Encrypted, TooLarge
from splu_desktop.files.importer.header import Span
from splu_desktop.files.importer.hidden_parts import Hidden
from splu_desktop.files.importer.ods_parts import scan_ods
from splu_desktop.files.importer.recognise import open_file
from splu_desktop.files.importer.sheet_errors import Failed, SheetScan, scan_sheet
from splu_desktop.files.importer.spread import aside
from splu_desktop.files.importer.xls_extent import check_extent
from splu_desktop.files.importer.xls_formats import padded_cells
from splu_desktop.files.importer.xlsb_extent import extent
from splu_desktop.files.rust_libraries import silenced

_CHUNK = 20_000
_STEP = 500
_CELL_BYTES = 32  # of a cell in calamine's table, empty ones included
_ZIPPED = ("xlsx", "xlsb", "ods")
_OWN_ENDINGS = {"xlsx": (".xlsx", ".xlsm"), "xlsb": (".xlsb",), "xls": (".xls",), "ods": (".ods",)}


def open_workbook(path: Path, kind: str, progress: Progress) -> calamine.CalamineWorkbook:
    """Open a workbook; a refusal becomes a sentence."""
    if kind in _ZIPPED:
        memory.check_zip(path)
    elif kind == "xls":
        check_extent(path, progress)
    try:
        with silenced():
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


@dataclass(frozen=True, eq=False)
class CalamineSheet:
    """A sheet that calamine has loaded, and what was found in its XML before; see `plain_sheet.PlainSheet`."""

    path: Path
    sheet: calamine.CalamineSheet
    scan: SheetScan
    spans: list[Span] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The sheet's name."""
        return self.sheet.name

    @property
    def height(self) -> int:
        """Rows from the first to the last one with a value."""
        return self.sheet.height

    @property
    def width(self) -> int:
        """Columns from the first to the last one with a value."""
        return self.sheet.width

    @property
    def merged(self) -> list[Span]:
        """Ranges of merged cells, from 0."""
        told = [((int(a), int(b)), (int(c), int(d))) for (a, b), (c, d) in self.sheet.merged_cell_ranges or []]
        return told or self.spans

    @property
    def failed(self) -> list[Failed]:
        """Cells with an error or without their formula's result."""
        return self.scan.failed

    @property
    def padded(self) -> Counter[tuple[int, int]]:
        """(column from 0, digits) -> cells whose format fills numbers up with zeros."""
        return self.scan.padded

    @property
    def hidden(self) -> Hidden:
        """Rows and columns that are not shown."""
        return self.scan.hidden

    def head(self, count: int) -> list[list[str]]:
        """Return the texts of the sheet's first rows, blank ones too."""
        return [[text_of(cell) for cell in row] for row in itertools.islice(self._rows(), count)]

    def chunks(self, first: int, stop: int | None, progress: Progress) -> Chunks:
        """Return the rows below row `first` up to row `stop`, chunk by chunk."""
        chunks: Chunks = []
        rows = itertools.islice(self._rows(), first, stop)
        at, height = first, max(self.sheet.total_height or self.sheet.height, 1)
        while part := _next(rows):
            progress.report("Reading", min(at / height, 1.0))
            columns = [factorise(column) for column in zip(*part, strict=True)]
            chunks.append((columns, np.arange(at + 1, at + 1 + len(part), dtype=np.int64)))
            at += len(part)
        return chunks

    def left_out(self, first: int, stop: int | None) -> int:
        """Return how many rows the chunks leave out: none."""
        return 0

    def _rows(self) -> Iterator[list[Any]]:
        """Iterate over the sheet's rows from its very first one, each from the first column, blank ones too."""
        # Calamine fills up the rows above the first cell, not the columns beside it.
        _, left = self.sheet.start or (0, 0)
        pad = [""] * left
        rows = iter(self.sheet.iter_rows())
        while True:
            try:
                with silenced():
                    some = list(itertools.islice(rows, _STEP))
            except BaseException as error:  # a length of time that no calendar holds makes calamine panic
                raise corrupt(self.path, say("sheet “{name}” can't be read", name=self.name), error) from error
            if not some:
                return
            yield from (pad + row for row in some) if left else some


def load(path: Path, kind: str, book: calamine.CalamineWorkbook, name: str, progress: Progress) -> CalamineSheet:
    """Load a sheet; a refusal becomes a sentence."""
    scan = scan_sheet(path, name, progress) if kind == "xlsx" else SheetScan([])
    if kind == "xlsb":
        scan.rows, scan.columns = extent(path, name, progress)
    elif kind == "xls":
        scan.padded = padded_cells(path, name)
    spans = scan_ods(path, name, scan) if kind == "ods" else []
    memory.check(path, _CELL_BYTES * scan.rows * scan.columns)
    try:
        with silenced():
            return CalamineSheet(
                path, aside(lambda: book.get_sheet_by_name(name), progress, "Opening the workbook"), scan, spans
            )
    except BaseException as error:
        raise corrupt(path, say("sheet “{name}” can't be read", name=name), error) from error


def _next(rows: Iterator[list[Any]]) -> list[list[Any]]:
    """Return the next chunk of rows, taken in steps small enough that the window's thread gets its turn."""
    part: list[list[Any]] = []
    for _ in range(_CHUNK // _STEP):
        part.extend(itertools.islice(rows, _STEP))
    return part
