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
from splu_desktop.files.disk.in_blocks import blocks, let_go, mapped
from splu_desktop.files.disk.inert import all_inert, inert
from splu_desktop.files.tables.spelling import valued
from splu_desktop.files.tables.xlsx_writer import write_xlsx

_ROWS_AT_A_TIME = 20_000
_ROWS_IN_A_GROUP = 100_000  # of Parquet; small enough to be stopped between two
_NEEDS_QUOTES = re.compile('[",\r\n]')


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text


def _csv_cells(texts: list[str]) -> list[str]:
    texts = all_inert(texts)
    return list(map(_quoted, texts)) if _NEEDS_QUOTES.search("\0".join(texts)) else texts


def write_csv(table: Table, path: Path, progress: Progress, bom: bool = False) -> None:
    """Write RFC 4180 CSV in UTF-8, comma-separated, one header line, labels to the letter, formulas inert.

    With `bom` it starts with a byte order mark, without which Excel takes letters beyond ASCII for others.
    """
    cells = [mapped(column.labels, _csv_cells, progress, "Writing CSV") for column in table.columns]
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
    let_go(*cells, progress=progress, stage="Writing CSV")


class NoParquet(FileFault):
    """The Parquet library is not part of this installation."""


def write_parquet(table: Table, path: Path, progress: Progress, bom: bool = False) -> None:
    """Write Parquet: text as dictionary-encoded strings, numbers and dates typed, missing as null in typed columns."""
    try:
        import pyarrow as pa  # an optional part, which may be missing
        import pyarrow.parquet as pq
    except ImportError:
        raise NoParquet(
            "This installation can't write Parquet, which needs the pyarrow library; choose CSV or XLSX, or install "
            "the program with its “parquet” extra."
        ) from None
    texts = [_arrow_labels(column, pa, progress) for column in table.columns]
    schema = pa.schema(
        [
            (column.name, _arrow(column, of, slice(0, 0), pa).type)
            for column, of in zip(table.columns, texts, strict=True)
        ]
    )
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, table.n, _ROWS_IN_A_GROUP):
            part = slice(start, start + _ROWS_IN_A_GROUP)
            arrays = []
            for column, of in zip(table.columns, texts, strict=True):
                progress.report("Writing Parquet", min(1.0, start / table.n))
                arrays.append(_arrow(column, of, part, pa))
            writer.write_table(pa.table(arrays, schema=schema))


def has_values(column: Column) -> bool:
    """Return whether Parquet holds a column as numbers or dates: where every label but "no value" stands for one."""
    return column.values is not None and bool(np.all(valued(column) | column.missing))


def _arrow_labels(column: Column, pa: Any, progress: Progress) -> Any:
    """Return a column's labels as Arrow strings, None where its cells are numbers or dates."""
    if has_values(column):
        return None
    chunks = [pa.array(block, pa.string()) for block in blocks(column.labels, progress, "Writing Parquet")]
    return pa.concat_arrays(chunks) if chunks else pa.array([], pa.string())


def _arrow(column: Column, labels: Any, part: slice, pa: Any) -> Any:
    if labels is not None or column.values is None:
        codes = pa.array(column.codes[part])
        if column.m <= _ROWS_IN_A_GROUP:
            return pa.DictionaryArray.from_arrays(codes, labels)
        # Else every part of the file would hold all labels of the column.
        return labels.take(codes).dictionary_encode()
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
