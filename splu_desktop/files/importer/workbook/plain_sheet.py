"""A sheet as plain data, as a reader's process hands it over: columns of codes over their distinct cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.files.importer.columns.cells import CellColumn, text_of
from splu_desktop.files.importer.workbook.sheet_scan import CellError, SheetScan
from splu_desktop.files.isolation.wire import Plain


@dataclass(frozen=True, eq=False)
class PlainSheet:
    """A sheet.

    Attributes
    ----------
    name : of the sheet.
    height, width : rows and columns from the first to the last one with a value.
    rows : number of the last row with a value.
    columns : column from 0 -> its (rows,) cells; columns without any are missing.
    beside : what it says beside its cells.
    """

    name: str
    height: int
    width: int
    rows: int
    columns: dict[int, CellColumn]
    beside: SheetScan

    @property
    def cells(self) -> int:
        """How many cells it spans."""
        return self.height * self.width

    def as_plain(self) -> Plain:
        """Return the sheet as plain data, as `from_plain` takes it."""
        scan = self.beside
        return {
            "name": self.name,
            "size": [self.height, self.width, self.rows],
            "columns": {i: [column.codes, column.cells] for i, column in self.columns.items()},
            "merged": np.array(scan.merged_cells, np.int64).reshape(-1, 4),
            "failed": [list(cell) for cell in scan.error_cells],
            "padded": scan.number_shapes,
            "hidden": [scan.hidden_rows, sorted(scan.hidden_columns), scan.since_1904],
        }

    @classmethod
    def from_plain(cls, data: Plain) -> PlainSheet:
        """Return the sheet that another process found. Raises KeyError, TypeError, ValueError where it is none."""
        (height, width, rows), (hidden, columns_hidden, since_1904) = data["size"], data["hidden"]
        columns = {int(i): CellColumn(*column) for i, column in data["columns"].items()}
        if not all(column.fits(int(rows)) for column in columns.values()) or min(columns, default=0) < 0:
            raise ValueError
        scan = SheetScan(
            [((top, left), (bottom, right)) for top, left, bottom, right in data["merged"].tolist()],
            [CellError(int(row), int(column), str(value)) for row, column, value in data["failed"]],
            {int(column): str(shape) for column, shape in data["padded"].items()},
            int(hidden),
            set(map(int, columns_hidden)),
            bool(since_1904),
        )
        return cls(str(data["name"]), int(height), int(width), int(rows), columns, scan)

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
