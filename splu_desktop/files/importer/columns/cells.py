"""Cells of a sheet: columns of codes over distinct cells, and what is made of them before they are texts."""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.files.importer.raw import RawColumn, float_text


def text_of(cell: Any) -> str:
    """Return the canonical text of a cell: whole numbers without ".0", ISO dates, TRUE and FALSE, "" for none."""
    if isinstance(cell, str):
        return cell
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, float):
        return float_text(cell)
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace")
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


def shorten(cell: Any, kind: type[np.generic]) -> Any:
    """Return a number as a narrow float tells it: 72.3, for which 32 bits hold 72.30000305175781; else as it is."""
    narrow = type(cell) is float and kind in (np.float16, np.float32) and not cell.is_integer()
    return float(str(kind(cell))) if narrow else cell


class Coding:
    """Codes of a column's cells as they come, over the distinct ones."""

    def __init__(self) -> None:
        self.index: defaultdict[Any, int] = defaultdict()
        self.index.default_factory = self.index.__len__
        self.parts: list[NDArray[np.int32]] = [np.zeros(0, np.int32)]

    def add(self, cells: Iterable[Any]) -> None:
        """Append cells."""
        self.parts.append(np.fromiter(map(self.index.__getitem__, cells), np.int32))

    def column(self) -> CellColumn:
        """Return all of them."""
        return CellColumn(np.concatenate(self.parts), list(self.index))


def encode_cells(cells: Iterable[Any]) -> CellColumn:
    """Return cells as codes over the distinct ones."""
    coding = Coding()
    coding.add(cells)
    return coding.column()


@dataclass(eq=False)
class CellColumn:
    """(r,) int32 codes over distinct cells: texts, dates among them, numbers as floats, "" for an empty one."""

    codes: NDArray[np.int32]
    cells: list[Any]

    def fits(self, rows: int) -> bool:
        """Whether there is a code for each of `rows`, and a cell for each code."""
        codes = self.codes
        return bool(
            codes.dtype == np.int32
            and codes.shape == (rows,)
            and isinstance(self.cells, list)
            and (not rows or (codes.min() >= 0 and codes.max() < len(self.cells)))
        )

    def cut(self, part: slice) -> CellColumn:
        """Return some rows over the distinct cells among them."""
        codes = self.codes[part]
        used = np.bincount(codes, minlength=len(self.cells)) > 0
        new = np.cumsum(used, dtype=np.int32) - 1
        return CellColumn(new[codes], [self.cells[at] for at in np.flatnonzero(used).tolist()])

    def texts(self) -> RawColumn:
        """Return the cells as texts, each text once."""
        column = RawColumn(self.codes, [cell if type(cell) is str else text_of(cell) for cell in self.cells])
        return column if len(set(column.labels)) == len(column.labels) else RawColumn.join([column])

    @property
    def has_cell(self) -> NDArray[np.bool_]:
        """(r,) whether a row has a cell."""
        return np.array([cell != "" for cell in self.cells], bool)[self.codes]

    @property
    def numbers(self) -> NDArray[np.bool_]:
        """(r,) whether a row has a number that is no text."""
        return np.array([type(cell) is float for cell in self.cells], bool)[self.codes]

    def code_for(self, cell: Any) -> int:
        """Return the code of a cell, which joins the distinct ones where it is new."""
        if cell not in self.cells:
            self.cells.append(cell)
        return self.cells.index(cell)

    def mixes_days(self) -> bool:
        """Whether dates stand among numbers that are all plausible day counts."""
        days = any(map(_DAY.match, [cell for cell in self.cells if type(cell) is str]))
        numbers = [cell for cell in self.cells if isinstance(cell, float)] if days else []
        return bool(numbers) and all(1.0 <= number <= 80_000.0 for number in numbers)


_DAY = re.compile(r"\d{4}-\d\d-\d\d(?: |\Z)")


def day_of(cell: Any, epoch: dt.datetime) -> Any:
    """Return the text of the day that a number counts from the epoch; other cells as they are."""
    if not isinstance(cell, float):
        return cell
    moment = epoch + dt.timedelta(seconds=round(cell * 86_400))
    return text_of(moment.date() if cell.is_integer() else moment)


def fill_up(cell: Any, shape: str) -> Any:
    """Return a whole number as its format shows it, such as 00000 or P000-0; other cells as they are."""
    if not isinstance(cell, float) or not cell.is_integer() or cell < 0:
        return cell
    zeros, first = shape.count("0"), shape.index("0")
    more, digits = divmod(int(cell), 10**zeros)
    each = iter(f"{digits:0{zeros}d}")
    text = "".join(next(each) if mark == "0" else mark for mark in shape)
    return text[:first] + (str(more) if more else "") + text[first:]
