"""The published table as an Excel workbook."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from splu_desktop.core.errors import FileFault
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column, Kind, Table

SHEET_ROWS = 1_048_576  # Excel's, header included
_MOST_COLUMNS = 16_384
_LONGEST_TEXT = 32_767
_ROWS_AT_A_TIME = 2_000
_FORMATS = {Kind.DATE: "yyyy-mm-dd", Kind.DATETIME: "yyyy-mm-dd hh:mm:ss"}


class NotForExcel(FileFault):
    """A table is beyond what an Excel workbook can hold."""


def write_xlsx(
    table: Table, path: Path, progress: Progress, bom: bool = False, *, sheet_rows: int = SHEET_ROWS
) -> None:
    """Write an Excel workbook: header frozen and bold, widths set, real numbers and dates, text never a formula.

    Parameters
    ----------
    bom : without meaning here; all table writers take it.
    sheet_rows : rows a sheet may have; a longer table goes on in further sheets, each with the header.

    Raises NotForExcel where a text or the number of columns is beyond Excel's limits; Cancelled.
    """
    from rustpy_xlsxwriter import Format, write_worksheets

    _check(table)
    cells = [np.array(typed_cells(column), dtype=object) for column in table.columns]
    per_sheet = sheet_rows - 1
    sheets: list[tuple[str, Any]] = [
        ("Table" if number == 1 else f"Table {number}", _rows(table, cells, first, per_sheet, progress))
        for number, first in enumerate(range(0, table.n, per_sheet), 1)
    ]
    plain = Format()
    formats = [
        Format().set_num_format(_FORMATS[column.kind]) if column.kind in _FORMATS else plain for column in table.columns
    ]
    widths = {column.name: _width(column) for column in table.columns}
    # Text cells are strings to this library, never formulas or links.
    write_worksheets(
        sheets,
        str(path),
        freeze_panes={"general": {"row": 1, "col": 0}},
        bold_headers=True,
        column_widths={name: widths for name, _ in sheets},
        column_formats={name: formats for name, _ in sheets},
    )
    progress.report("Writing XLSX", 1.0)


def typed_cells(column: Column) -> list[Any]:
    """Return one spreadsheet cell per label: numbers and dates as such, all else as text, the empty label as None."""
    labels: list[Any] = [text or None for text in column.labels.tolist()]
    if column.values is None:
        return labels
    absent = column.missing.tolist()
    if column.kind in (Kind.DATE, Kind.DATETIME):
        moments = column.values.astype("datetime64[us]").tolist()
        # Excel has no dates before 1900-03-01 that all programs agree on, and counts in milliseconds.
        return [
            t if gone or d.year < 1901 or d.microsecond % 1000 else d
            for t, d, gone in zip(labels, moments, absent, strict=True)
        ]
    # A spreadsheet number holds 15 digits; longer ones stay text rather than change.
    digits = [sum(map(str.isdigit, text or "")) for text in labels]
    numbers = column.values.tolist()
    if column.kind is Kind.INTEGER:
        numbers = [v if v != v else int(v) for v in numbers]
    return [t if gone or k > 15 else v for t, v, k, gone in zip(labels, numbers, digits, absent, strict=True)]


def _rows(table: Table, cells: list[Any], first: int, count: int, progress: Progress) -> Iterator[dict[str, Any]]:
    names = table.names
    last = min(first + count, table.n)
    for start in range(first, last, _ROWS_AT_A_TIME):
        progress.report("Writing XLSX", 0.95 * start / table.n)
        part = slice(start, min(start + _ROWS_AT_A_TIME, last))
        columns = [values[column.codes[part]].tolist() for values, column in zip(cells, table.columns, strict=True)]
        for record in zip(*columns, strict=True):
            yield dict(zip(names, record, strict=True))


def _width(column: Column) -> float:
    longest = max([len(column.name), *map(len, column.labels[:1000].tolist())])
    return float(min(max(longest + 2, 8), 50))


def _check(table: Table) -> None:
    if len(table.columns) > _MOST_COLUMNS:
        raise NotForExcel(f"The table has {len(table.columns)} columns, and Excel takes {_MOST_COLUMNS}; choose CSV.")
    for column in table.columns:
        if column.m and max(map(len, column.labels)) > _LONGEST_TEXT:
            raise NotForExcel(
                f"Column “{column.name}” has a text longer than the {_LONGEST_TEXT} characters that an Excel cell "
                "takes; choose CSV."
            )
