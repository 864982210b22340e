"""The published table as CSV, XLSX and Parquet."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from splu_desktop.core.errors import FileFault
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.inert import all_inert, inert

_ROWS_AT_A_TIME = 50_000
_XLSX_ROWS = 1_048_576
_NEEDS_QUOTES = re.compile('[",\r\n]')


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text


def write_csv(table: Table, path: Path, progress: Progress) -> None:
    """Write RFC 4180 CSV in UTF-8, comma-separated, one header line, labels to the letter, formulas inert."""
    cells = [
        np.array([_quoted(t) for t in all_inert(column.labels.tolist())], dtype=object) for column in table.columns
    ]
    if len(cells) == 1:  # an empty cell alone on its line would read as no record
        cells[0][cells[0] == ""] = '""'
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(",".join(_quoted(inert(name)) for name in table.names) + "\n")
        for start in range(0, table.n, _ROWS_AT_A_TIME):
            progress.report("Writing CSV", start / table.n)
            part = slice(start, start + _ROWS_AT_A_TIME)
            columns = [texts[column.codes[part]].tolist() for texts, column in zip(cells, table.columns, strict=True)]
            file.write("\n".join(map(",".join, zip(*columns, strict=True))))
            file.write("\n")


def _typed_cells(column: Column) -> list[Any]:
    """Return one spreadsheet cell per label: numbers and dates as such, all else as text."""
    labels: list[Any] = column.labels.tolist()
    if column.values is None:
        return labels
    absent = column.missing.tolist()
    if column.kind in (Kind.DATE, Kind.DATETIME):
        moments = column.values.astype("datetime64[us]").tolist()
        # Excel has no dates before 1900-03-01 that all programs agree on; those stay text.
        return [t if gone or d.year < 1901 else d for t, d, gone in zip(labels, moments, absent, strict=True)]
    # A spreadsheet number holds 15 digits; longer ones stay text rather than change.
    digits = [sum(map(str.isdigit, text)) for text in labels]
    numbers = column.values.tolist()
    return [t if gone or k > 15 else v for t, v, k, gone in zip(labels, numbers, digits, absent, strict=True)]


def write_xlsx(table: Table, path: Path, progress: Progress) -> None:
    """Write an Excel workbook: header frozen, widths set, real numbers and dates, text never run as a formula.

    Tables beyond Excel's 1,048,576 rows go on in further sheets, each with the header.
    """
    import xlsxwriter

    book = xlsxwriter.Workbook(
        str(path),
        {
            "constant_memory": True,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
            "nan_inf_to_errors": False,
        },
    )
    bold = book.add_format({"bold": True})
    formats: dict[Kind, Any] = {
        Kind.DATE: book.add_format({"num_format": "yyyy-mm-dd"}),
        Kind.DATETIME: book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"}),
    }
    cells = [np.array(_typed_cells(column), dtype=object) for column in table.columns]
    per_sheet = _XLSX_ROWS - 1
    try:
        for number, first in enumerate(range(0, max(table.n, 1), per_sheet), 1):
            sheet = book.add_worksheet("Table" if number == 1 else f"Table {number}")
            sheet.freeze_panes(1, 0)
            for at, column in enumerate(table.columns):
                longest = max([len(column.name), *map(len, column.labels[:1000].tolist())])
                sheet.set_column(at, at, min(max(longest + 2, 8), 50))
                sheet.write_string(0, at, column.name, bold)
            last = min(first + per_sheet, table.n)
            for start in range(first, last, 5_000):
                progress.report("Writing XLSX", start / table.n)
                part = slice(start, min(start + 5_000, last))
                columns = [
                    values[column.codes[part]].tolist() for values, column in zip(cells, table.columns, strict=True)
                ]
                for row, record in enumerate(zip(*columns, strict=True), start - first + 1):
                    for at, cell in enumerate(record):
                        _write_cell(sheet, row, at, cell, formats.get(table.columns[at].kind))
    finally:
        book.close()


def _write_cell(sheet: Any, row: int, at: int, cell: Any, form: Any) -> None:
    if isinstance(cell, str):
        if cell:
            sheet.write_string(row, at, cell)
    elif isinstance(cell, float):
        sheet.write_number(row, at, cell)
    else:
        sheet.write_datetime(row, at, cell, form)


class NoParquet(FileFault):
    """The Parquet library is not part of this installation."""


def write_parquet(table: Table, path: Path, progress: Progress) -> None:
    """Write Parquet: text as dictionary-encoded strings, numbers and dates typed, missing as null in typed columns."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise NoParquet(
            "This installation can't write Parquet, which needs the pyarrow library; choose CSV or XLSX, or install "
            "the program with its “parquet” extra."
        ) from None
    arrays = []
    for done, column in enumerate(table.columns):
        progress.report("Writing Parquet", done / len(table.columns))
        arrays.append(_arrow(column, pa))
    pq.write_table(pa.table(arrays, names=list(table.names)), path)


def _arrow(column: Column, pa: Any) -> Any:
    if column.values is None:
        labels = pa.array(column.labels.tolist(), pa.string())
        return pa.DictionaryArray.from_arrays(pa.array(column.codes), labels)
    values = column.values[column.codes]
    absent = column.missing[column.codes]
    if column.kind is Kind.DATE:
        return pa.array(values.astype("datetime64[D]"), pa.date32(), mask=absent)
    if column.kind is Kind.DATETIME:
        return pa.array(values, pa.timestamp("us"), mask=absent)
    whole = column.kind is Kind.INTEGER and bool(np.all(np.abs(column.values[~column.missing]) < 2**53))
    if whole:
        return pa.array(np.where(absent, 0, values).astype(np.int64), pa.int64(), mask=absent)
    return pa.array(values, pa.float64(), mask=absent)


WRITERS: dict[str, tuple[str, Callable[[Table, Path, Progress], None]]] = {
    "csv": ("table.csv", write_csv),
    "xlsx": ("table.xlsx", write_xlsx),
    "parquet": ("table.parquet", write_parquet),
}
