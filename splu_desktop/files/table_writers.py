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
from splu_desktop.files.xlsx_writer import write_xlsx

_ROWS_AT_A_TIME = 20_000
_ROWS_IN_A_GROUP = 100_000  # of Parquet; small enough to be stopped between two
_NEEDS_QUOTES = re.compile('[",\r\n]')


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text


def write_csv(table: Table, path: Path, progress: Progress, bom: bool = False) -> None:
    """Write RFC 4180 CSV in UTF-8, comma-separated, one header line, labels to the letter, formulas inert.

    With `bom` it starts with a byte order mark, without which Excel takes letters beyond ASCII for others.
    """
    cells = [
        np.array([_quoted(t) for t in all_inert(column.labels.tolist())], dtype=object) for column in table.columns
    ]
    if len(cells) == 1:  # an empty cell alone on its line would read as no record
        cells[0][cells[0] == ""] = '""'
    with path.open("w", encoding="utf-8-sig" if bom else "utf-8", newline="") as file:
        file.write(",".join(_quoted(inert(name)) for name in table.names) + "\n")
        for start in range(0, table.n, _ROWS_AT_A_TIME):
            progress.report("Writing CSV", start / table.n)
            part = slice(start, start + _ROWS_AT_A_TIME)
            columns = [texts[column.codes[part]].tolist() for texts, column in zip(cells, table.columns, strict=True)]
            file.write("\n".join(map(",".join, zip(*columns, strict=True))))
            file.write("\n")


class NoParquet(FileFault):
    """The Parquet library is not part of this installation."""


def write_parquet(table: Table, path: Path, progress: Progress, bom: bool = False) -> None:
    """Write Parquet: text as dictionary-encoded strings, numbers and dates typed, missing as null in typed columns."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise NoParquet(
            "This installation can't write Parquet, which needs the pyarrow library; choose CSV or XLSX, or install "
            "the program with its “parquet” extra."
        ) from None
    schema = pa.schema([(column.name, _arrow(column, slice(0, 0), pa).type) for column in table.columns])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, table.n, _ROWS_IN_A_GROUP):
            part = slice(start, start + _ROWS_IN_A_GROUP)
            arrays = []
            for column in table.columns:
                progress.report("Writing Parquet", min(1.0, start / table.n))
                arrays.append(_arrow(column, part, pa))
            writer.write_table(pa.table(arrays, schema=schema))


def _arrow(column: Column, part: slice, pa: Any) -> Any:
    if column.values is None:
        labels = pa.array(column.labels.tolist(), pa.string())
        return pa.DictionaryArray.from_arrays(pa.array(column.codes[part]), labels)
    values = column.values[column.codes[part]]
    absent = column.missing[column.codes[part]]
    if column.kind is Kind.DATE:
        return pa.array(values.astype("datetime64[D]"), pa.date32(), mask=absent)
    if column.kind is Kind.DATETIME:
        return pa.array(values, pa.timestamp("us"), mask=absent)
    whole = column.kind is Kind.INTEGER and bool(np.all(np.abs(column.values[~column.missing]) < 2**53))
    if whole:
        return pa.array(np.where(absent, 0, values).astype(np.int64), pa.int64(), mask=absent)
    return pa.array(values, pa.float64(), mask=absent)


WRITERS: dict[str, tuple[str, Callable[[Table, Path, Progress, bool], None]]] = {
    "csv": ("table.csv", write_csv),
    "xlsx": ("table.xlsx", write_xlsx),
    "parquet": ("table.parquet", write_parquet),
}
