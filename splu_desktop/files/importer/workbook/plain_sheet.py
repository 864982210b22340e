"""An XLSX sheet of plain cells, as `workbook` goes through it: columns of codes over their distinct cells."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.columns.cells import Cells, Chunks, text_of
from splu_desktop.files.importer.workbook.hidden_parts import Hidden
from splu_desktop.files.importer.workbook.sheet_errors import Failed
from splu_desktop.files.isolation.wire import Plain

Span = tuple[tuple[int, int], tuple[int, int]]  # (first row, first column), (last row, last column), from 0


@dataclass(frozen=True, eq=False)
class PlainColumn:
    """(r,) int32 codes over the distinct numbers, then all other distinct cells, then "nothing"."""

    codes: NDArray[np.int32]
    numbers: NDArray[np.float64]
    others: list[Any]

    def fits(self, rows: int) -> bool:
        """Whether there is a cell for each of `rows`, and a distinct one for each code."""
        codes = self.codes
        return bool(
            codes.dtype == np.int32
            and codes.shape == (rows,)
            and self.numbers.dtype == np.float64
            and self.numbers.ndim == 1
            and isinstance(self.others, list)
            and (not rows or (codes.min() >= 0 and codes.max() <= len(self.numbers) + len(self.others)))
        )

    def cells(self, part: slice) -> list[Any]:
        """Return some rows' cells, "" for an empty one."""
        codes, distinct = self.codes[part].tolist(), {len(self.numbers) + len(self.others): ""}
        for code in set(codes) - set(distinct):
            number = code < len(self.numbers)
            distinct[code] = self.numbers[code].item() if number else self.others[code - len(self.numbers)]
        return [distinct[code] for code in codes]

    def cut(self, part: slice) -> tuple[NDArray[np.int32], Cells]:
        """Return some rows' codes over the distinct cells among them."""
        codes, count = self.codes[part], len(self.numbers)
        used = np.bincount(codes, minlength=count + len(self.others) + 1) > 0
        new = np.cumsum(used, dtype=np.int32) - 1
        found = self.numbers[used[:count]]
        kept = [cell for cell, is_used in zip(self.others, used[count:-1].tolist(), strict=True) if is_used]
        empty = bool(used[-1])
        if len(found) and all(cell == "" for cell in kept):  # nothing but numbers, errors and empty cells
            nan = np.full(1 if kept or empty else 0, np.nan)
            return np.minimum(new[codes], len(found)), np.concatenate([found, nan])
        return new[codes], [*found.tolist(), *kept, *([""] if empty else [])]


@dataclass(frozen=True, eq=False)
class PlainSheet:
    """A sheet.

    Attributes
    ----------
    name : of the sheet.
    height, width : rows and columns from the first to the last one with a value.
    numbers : (r,) row numbers up to the last row with a value, ascending; rows that the file leaves out are missing.
    columns : column from 0 -> its cells; columns without any are missing.
    merged : ranges of merged cells, ((row, column), (row, column)) from 0.
    failed : cells with an error or without their formula's result.
    padded : (column from 0, digits) -> cells whose format fills numbers up with zeros.
    hidden : rows and columns that are not shown.
    """

    name: str
    height: int
    width: int
    numbers: NDArray[np.int64]
    columns: dict[int, PlainColumn]
    merged: list[Span]
    failed: list[Failed]
    padded: Counter[tuple[int, int]]
    hidden: Hidden = field(default_factory=Hidden)

    def as_plain(self) -> Plain:
        """Return the sheet as plain data, as `from_plain` takes it."""
        columns = {i: [column.codes, column.numbers, column.others] for i, column in self.columns.items()}
        return {
            "name": self.name,
            "size": [self.height, self.width],
            "numbers": self.numbers,
            "columns": columns,
            "merged": np.array(self.merged, np.int64).reshape(-1, 4),
            "failed": np.array([(cell.row, cell.column) for cell in self.failed], np.int64).reshape(-1, 2),
            "errors": [cell.value for cell in self.failed],
            "padded": [[*place, count] for place, count in self.padded.items()],
            "hidden": [self.hidden.rows, sorted(self.hidden.columns)],
        }

    @classmethod
    def from_plain(cls, data: Plain) -> PlainSheet:
        """Return the sheet that another process found. Raises KeyError, TypeError, ValueError where it is none."""
        numbers, (height, width), (rows, hidden) = data["numbers"], data["size"], data["hidden"]
        if numbers.dtype != np.int64 or numbers.ndim != 1 or (np.diff(numbers, prepend=0) < 1).any():
            raise ValueError
        columns = {int(i): PlainColumn(*column) for i, column in data["columns"].items()}
        if not all(column.fits(len(numbers)) for column in columns.values()) or min(columns, default=0) < 0:
            raise ValueError
        return cls(
            str(data["name"]),
            int(height),
            int(width),
            numbers,
            columns,
            [((top, left), (bottom, right)) for top, left, bottom, right in data["merged"].tolist()],
            [
                Failed(row, column, str(value))
                for (row, column), value in zip(data["failed"].tolist(), data["errors"], strict=True)
            ],
            Counter({(int(column), int(digits)): int(count) for column, digits, count in data["padded"]}),
            Hidden(int(rows), {int(column) for column in hidden}),
        )

    @cached_property
    def _right(self) -> int:
        return max(self.columns, default=-1) + 1

    @property
    def total_height(self) -> int:
        """The number of the last row with a value."""
        return int(self.numbers[-1]) if len(self.numbers) else 0

    def head(self, count: int) -> list[list[str]]:
        """Return the texts of the sheet's first rows, blank ones too."""
        head = [[""] * self._right for _ in range(min(count, self.total_height))]
        part = self._part(0, count)
        rows = self.numbers[part].tolist()
        for i, column in self.columns.items():
            for row, cell in zip(rows, column.cells(part), strict=True):
                head[row - 1][i] = text_of(cell)
        return head

    def chunks(self, first: int, stop: int | None, progress: Progress) -> Chunks:
        """Return the rows below row `first` up to row `stop` as one chunk, without those that the file leaves out."""
        part = self._part(first, stop)
        if part.start == part.stop:
            return []
        nothing = np.zeros(part.stop - part.start, np.int32)
        columns: list[tuple[NDArray[Any], Cells]] = []
        for i in range(self._right):
            progress.report("Reading", i / self._right)
            columns.append(self.columns[i].cut(part) if i in self.columns else (nothing, [""]))
        return [(columns, self.numbers[part])]

    def left_out(self, first: int, stop: int | None) -> int:
        """Return how many rows below row `first` up to row `stop` the file leaves out, blank as they are."""
        part = self._part(first, stop)
        last = self.total_height if stop is None else min(stop, self.total_height)
        return int(max(last - first, 0) - (part.stop - part.start))

    def _part(self, first: int, stop: int | None) -> slice:
        start = int(np.searchsorted(self.numbers, first, side="right"))
        end = len(self.numbers) if stop is None else int(np.searchsorted(self.numbers, stop, side="right"))
        return slice(start, max(start, end))
