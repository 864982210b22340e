"""A sheet as plain data, as a reader's process hands it over: columns of codes over their distinct cells."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from splu_desktop.files.importer.columns.cells import CellColumn, text_of
from splu_desktop.files.importer.workbook.hidden_parts import Hidden
from splu_desktop.files.importer.workbook.sheet_errors import Failed
from splu_desktop.files.isolation.wire import Plain

Span = tuple[tuple[int, int], tuple[int, int]]  # (first row, first column), (last row, last column), from 0


@dataclass(frozen=True, eq=False)
class PlainSheet:
    """A sheet.

    Attributes
    ----------
    name : of the sheet.
    height, width : rows and columns from the first to the last one with a value.
    rows : number of the last row with a value.
    columns : column from 0 -> its (rows,) cells; columns without any are missing.
    merged : ranges of merged cells, ((row, column), (row, column)) from 0.
    failed : cells with an error or without their formula's result.
    padded : (column from 0, digits) -> cells whose format fills numbers up with zeros.
    hidden : rows and columns that are not shown.
    """

    name: str
    height: int
    width: int
    rows: int
    columns: dict[int, CellColumn]
    merged: list[Span]
    failed: list[Failed]
    padded: Counter[tuple[int, int]]
    hidden: Hidden = field(default_factory=Hidden)

    def as_plain(self) -> Plain:
        """Return the sheet as plain data, as `from_plain` takes it."""
        return {
            "name": self.name,
            "size": [self.height, self.width, self.rows],
            "columns": {i: [column.codes, column.cells] for i, column in self.columns.items()},
            "merged": np.array(self.merged, np.int64).reshape(-1, 4),
            "failed": [[cell.row, cell.column, cell.value] for cell in self.failed],
            "padded": [[*place, count] for place, count in self.padded.items()],
            "hidden": [self.hidden.rows, sorted(self.hidden.columns)],
        }

    @classmethod
    def from_plain(cls, data: Plain) -> PlainSheet:
        """Return the sheet that another process found. Raises KeyError, TypeError, ValueError where it is none."""
        (height, width, rows), (hidden, columns_hidden) = data["size"], data["hidden"]
        columns = {int(i): CellColumn(*column) for i, column in data["columns"].items()}
        if not all(column.fits(int(rows)) for column in columns.values()) or min(columns, default=0) < 0:
            raise ValueError
        return cls(
            str(data["name"]),
            int(height),
            int(width),
            int(rows),
            columns,
            [((top, left), (bottom, right)) for top, left, bottom, right in data["merged"].tolist()],
            [Failed(int(row), int(column), str(value)) for row, column, value in data["failed"]],
            Counter({(int(column), int(digits)): int(count) for column, digits, count in data["padded"]}),
            Hidden(int(hidden), {int(column) for column in columns_hidden}),
        )

    @property
    def _right(self) -> int:
        return max(self.columns, default=-1) + 1

    def head(self, count: int) -> list[list[str]]:
        """Return the texts of the sheet's first rows, blank ones too."""
        head = [[""] * self._right for _ in range(min(count, self.rows))]
        for i, column in self.columns.items():
            part = column.cut(slice(0, len(head)))
            texts = list(map(text_of, part.cells))
            for row, code in zip(head, part.codes.tolist(), strict=True):
                row[i] = texts[code]
        return head

    def below(self, first: int, stop: int | None) -> tuple[list[CellColumn], NDArray[np.int64]]:
        """Return all columns' cells in the rows below row `first` up to row `stop`, and the rows' numbers."""
        end = self.rows if stop is None else min(stop, self.rows)
        part = slice(first, max(first, end))
        nothing = np.zeros(part.stop - part.start, np.int32)
        columns = [
            self.columns[i].cut(part) if i in self.columns else CellColumn(nothing.copy(), [""])
            for i in range(self._right)
        ]
        return columns, np.arange(part.start + 1, part.stop + 1, dtype=np.int64)
