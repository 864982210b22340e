"""Cells of a sheet as distinct texts and numbers, chunk by chunk."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.files.importer.number_texts import float_text
from splu_desktop.files.importer.raw import Labels
from splu_desktop.files.importer.sheet_errors import Failed


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


def factorise(cells: Sequence[Any]) -> tuple[NDArray[np.int64], Cells]:
    """Return codes over the distinct cells. TRUE and 1 are equal to Python, so yes/no cells become texts first."""
    import pandas as pd  # only where a table is read: it takes half a second to import

    kinds = set(map(type, cells))
    if int in kinds:  # whole numbers of XLS
        cells = [float(cell) if type(cell) is int else cell for cell in cells]
        kinds = kinds - {int} | {float}
    if kinds == {float} or (kinds == {float, str} and not any(cell for cell in cells if type(cell) is str)):
        plain = cells if len(kinds) == 1 else [cell if type(cell) is float else np.nan for cell in cells]
        codes, numbers = pd.factorize(np.array(plain, np.float64), use_na_sentinel=False)
        return codes, np.asarray(numbers, np.float64)
    array = np.empty(len(cells), object)
    if bool in kinds:
        array[:] = [text_of(cell) if cell is True or cell is False else cell for cell in cells]
    else:
        array[:] = cells
    codes, distinct = pd.factorize(array)
    return codes, list(distinct)


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
            if cell.column >= len(columns) or cell.row > numbers[-1]:
                continue
            codes, cells = columns[cell.column]
            labels = listed(cells)
            columns[cell.column] = codes, labels
            if cell.value not in labels:
                labels.append(cell.value)
            codes[cell.row - numbers[0]] = labels.index(cell.value)
