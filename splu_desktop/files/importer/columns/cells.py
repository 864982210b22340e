"""Cells of a sheet as distinct texts and numbers, chunk by chunk."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.files.importer.raw import Labels, float_text
from splu_desktop.files.importer.workbook.sheet_errors import Failed


def text_of(cell: Any) -> str:
    """Return the canonical text of a cell: whole numbers without ".0", ISO dates, TRUE and FALSE."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, float):
        return float_text(cell)
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, dt.datetime):
        return cell.isoformat(sep=" ", timespec="microseconds" if cell.microsecond else "seconds")
    if isinstance(cell, (dt.date, dt.time)):
        return cell.isoformat()
    if isinstance(cell, dt.timedelta):
        seconds = round(cell.total_seconds())
        return f"{seconds // 3600:02d}:{seconds % 3600 // 60:02d}:{seconds % 60:02d}"
    return str(cell)


Cells = list[Any] | NDArray[np.float64]
"""Distinct cells of a chunk, or, where they are nothing but numbers, those, NaN for an empty cell."""


def texts_of(cells: Cells) -> Labels:
    """Return `text_of` of each cell; numbers stay numbers until all chunks are joined."""
    if isinstance(cells, np.ndarray) or set(map(type, cells)) == {str}:
        return cells
    return [cell if type(cell) is str else text_of(cell) for cell in cells]


def listed(cells: Cells) -> list[Any]:
    """Return distinct cells as a list, "" for empty ones among numbers."""
    return ["" if cell != cell else cell for cell in cells.tolist()] if isinstance(cells, np.ndarray) else cells


Chunks = list[tuple[list[tuple[NDArray[np.int64], Cells]], NDArray[np.int64]]]
"""Per chunk of rows: codes and distinct cells of each column, and the rows' numbers."""


def serials(chunks: Chunks, i: int) -> bool:
    """Whether a column mixes dates with numbers that are all plausible day counts."""
    dates = numbers = 0
    types = kinds(chunks, i)
    if float not in types or not types & {dt.date, dt.datetime}:
        return False
    for columns, _ in chunks:
        for cell in listed(columns[i][1]):
            if isinstance(cell, dt.date):
                dates += 1
            elif isinstance(cell, float):
                if not 1.0 <= cell <= 80_000.0:
                    return False
                numbers += 1
    return dates > 0 and numbers > 0


def kinds(chunks: Chunks, i: int) -> set[type]:
    """Return the types of a column's cells, of all chunks together."""
    found: set[type] = set()
    for columns, _ in chunks:
        cells = columns[i][1]
        found.update((float,) if isinstance(cells, np.ndarray) else map(type, cells))
    return found


def day_of(cell: Any, epoch: dt.datetime) -> Any:
    """Return the day that a number counts from the epoch; other cells as they are."""
    if not isinstance(cell, float):
        return cell
    moment = epoch + dt.timedelta(seconds=round(cell * 86_400))
    return moment.date() if cell.is_integer() else moment


def filled_up(cell: Any, digits: int) -> Any:
    """Return a whole number as its format shows it, with so many digits; other cells as they are."""
    return f"{int(cell):0{digits}d}" if isinstance(cell, float) and cell.is_integer() and cell >= 0 else cell


def put_back(chunks: Chunks, failed: list[Failed], first: int) -> None:
    """Put the error texts, which calamine leaves empty, into their cells."""
    by_chunk: dict[int, list[Failed]] = {}
    starts = np.array([numbers[0] for _, numbers in chunks] or [1])
    for cell in failed:
        if cell.value and cell.row > first and chunks:
            by_chunk.setdefault(int(np.searchsorted(starts, cell.row, side="right")) - 1, []).append(cell)
    for k, missed in by_chunk.items():
        columns, numbers = chunks[k]
        for cell in missed:
            at = int(np.searchsorted(numbers, cell.row))
            if cell.column >= len(columns) or at == len(numbers) or numbers[at] != cell.row:
                continue
            codes, cells = columns[cell.column]
            labels = listed(cells)
            columns[cell.column] = codes, labels
            if cell.value not in labels:
                labels.append(cell.value)
            codes[at] = labels.index(cell.value)
