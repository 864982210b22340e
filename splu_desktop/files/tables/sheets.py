"""Rows of results as CSV or an Excel workbook, whole or not at all; text is never a formula."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from splu_desktop.core.progress import Progress
from splu_desktop.files.disk.inert_texts import inert
from splu_desktop.files.disk.rust_libraries import guard_writing
from splu_desktop.files.disk.whole_files import CannotWrite, whole_file

Cell = str | int | float | None
_AT_A_TIME = 2_000
_WIDEST = 100.0  # letters of a column
_PAPER = {"landscape": True, "fit_to_pages": (1, 0), "repeat_rows": 0, "footer": "&L&A&R&P / &N"}  # as wide as a page
_MOST_ROWS, _MOST_COLUMNS, _LONGEST = 1_048_576, 16_384, 32_767  # of a sheet, and characters of a cell


@dataclass(frozen=True)
class Sheet:
    """One table of results: its name, its header, and rows as long as the header."""

    name: str
    header: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]


def digits(figure: float | None) -> Cell:
    """Return a figure to nine digits; an empty cell where there is none."""
    return float(f"{figure:.9g}") if figure is not None and math.isfinite(figure) else None


def write_sheets(sheets: Sequence[Sheet], path: Path, progress: Progress, *, fitted: bool = False) -> None:
    """Write the first sheet as CSV, or all of them as XLSX, by the file's ending; replaces a file that is there.

    fitted : whether columns are as wide as what stands in them, for sheets that are read rather than computed with.

    Raises CannotWrite, also for another ending; Cancelled. Nothing is left behind then.
    """
    kind = path.suffix.lower()
    if kind not in (".csv", ".xlsx"):
        raise CannotWrite("“{path}” must end in .csv or .xlsx.", path=path.name)
    if kind == ".xlsx":
        _check_limits(sheets, path)
    with whole_file(path, overwrite=True) as partial:
        if kind == ".csv":
            _write_csv(sheets[0], partial, progress)
        else:
            _write_xlsx(sheets, partial, progress, fitted)
    progress.report("Writing", 1.0)


def _check_limits(sheets: Sequence[Sheet], path: Path) -> None:
    """Raise CannotWrite where a sheet has more rows or columns, or longer texts, than Excel knows."""
    for sheet in sheets:
        longest = max(
            (len(cell) for row in (sheet.header, *sheet.rows) for cell in row if isinstance(cell, str)), default=0
        )
        if len(sheet.rows) >= _MOST_ROWS or len(sheet.header) > _MOST_COLUMNS or longest > _LONGEST:
            words = "“{path}” would be larger than an Excel workbook can be; save as CSV instead."
            raise CannotWrite(words, path=path.name)


def _write_csv(sheet: Sheet, path: Path, progress: Progress) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(map(inert, sheet.header))
        for row in _watch(sheet, progress):
            writer.writerow([inert(cell) if isinstance(cell, str) else cell for cell in row])


def _write_xlsx(sheets: Sequence[Sheet], path: Path, progress: Progress, fitted: bool) -> None:
    from rustpy_xlsxwriter import write_worksheets  # a tenth of a second, for workbooks alone

    # Text cells are strings to this library, never formulas or links. Headers must differ to be keys.
    content: list[tuple[str, Any]] = [(sheet.name[:31], _records(sheet, progress)) for sheet in sheets]
    with guard_writing():
        look: Any = {"freeze_panes": {"general": {"row": 1, "col": 0}}, "page_setup": {"general": _PAPER}}
        widths: Any = {sheet.name[:31]: _widths(sheet) for sheet in sheets} if fitted else None
        write_worksheets(content, str(path), bold_headers=True, column_widths=widths, **look)


def _widths(sheet: Sheet) -> list[float]:
    """Return the width of each column in letters; the library's own guess cuts what a wider font shows."""
    columns = zip(sheet.header, *sheet.rows, strict=True)
    return [min(max(len(str(cell)) for cell in column) + 2.0, _WIDEST) for column in columns]


def _records(sheet: Sheet, progress: Progress) -> Iterator[dict[str, Cell]]:
    names = [name + "\u00a0" * sheet.header[:at].count(name) for at, name in enumerate(sheet.header)]
    for row in _watch(sheet, progress):
        yield dict(zip(names, row, strict=True))


def _watch(sheet: Sheet, progress: Progress) -> Iterator[Sequence[Cell]]:
    for start in range(0, len(sheet.rows), _AT_A_TIME):
        progress.report("Writing", start / len(sheet.rows))
        yield from sheet.rows[start : start + _AT_A_TIME]
