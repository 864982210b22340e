"""The published table as CSV, XLSX and Parquet."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import FileFault
from splu_desktop.core.packed.texts import Texts
from splu_desktop.core.progress import Progress, Silent
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.disk.in_blocks import blocks, encoded, let_go, mapped
from splu_desktop.files.disk.inert import all_inert, inert, inert_packed
from splu_desktop.files.tables.spelling import valued
from splu_desktop.files.tables.xlsx_writer import write_xlsx

_ROWS_AT_A_TIME = 20_000
_ROWS_IN_A_GROUP = 100_000  # of Parquet; small enough to be stopped between two
_MOST_PADDED = 1 << 28  # bytes of a column's distinct fields, all as long as the longest
_MOST_PADDING = 4  # times what is written
_NEEDS_QUOTES = re.compile('[",\r\n]')


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text


def _csv_cells(texts: list[str]) -> list[str]:
    texts = all_inert(texts)
    return list(map(_quoted, texts)) if _NEEDS_QUOTES.search("\0".join(texts)) else texts


def write_csv(table: Table, path: Path, progress: Progress, bom: bool = False, note: Sequence[str] = ()) -> None:
    """Write RFC 4180 CSV in UTF-8, comma-separated, one header line, labels to the letter, formulas inert.

    With `bom` it starts with a byte order mark, without which Excel takes letters beyond ASCII for others. A `note` has
    no place in a table that programs read; all table writers take one.
    """
    cells: list[Cells] = []
    for column in table.columns:
        packed = _packed_cells(column.texts) if isinstance(column.texts, Texts) and len(table.columns) > 1 else None
        if packed is not None:
            cells.append(packed)
            continue
        made = mapped(column.labels, _csv_cells, progress, "Writing CSV")
        if len(table.columns) == 1:  # an empty cell alone on its line would read as no record
            made[made == ""] = '""'
        cells.append(made)
    with path.open("wb") as file:
        file.write(b"\xef\xbb\xbf" if bom else b"")
        file.write((",".join(_quoted(inert(name)) for name in table.names) + "\n").encode("utf-8"))
        lines = _padded_lines(table, cells, progress) or _lines(table, cells)
        with ThreadPoolExecutor(1, "splu-write") as ahead:  # makes lines while the ones before are being written
            made_next = ahead.submit(lines, slice(0, _ROWS_AT_A_TIME))
            for start in range(0, table.n, _ROWS_AT_A_TIME):
                progress.report("Writing CSV", start / table.n)
                made_lines = made_next.result()
                made_next = ahead.submit(lines, slice(start + _ROWS_AT_A_TIME, start + 2 * _ROWS_AT_A_TIME))
                file.write(made_lines)
    let_go(*(each for each in cells if not isinstance(each, Texts)), progress=progress, stage="Writing CSV")


Lines = Callable[[slice], bytes]
Cells = NDArray[np.object_] | Texts


def _packed_cells(texts: Texts) -> Texts | None:
    """Return the cells of packed texts, those with a comma in quotes; None where they are to be made one by one."""
    if texts.has(b'"') or inert_packed(texts) is None:
        return None
    comma = (texts.raw == 44).any(1)
    if not comma.any():
        return texts
    width = texts.raw.shape[1]
    raw = np.zeros((len(texts), width + 8), np.uint8)
    raw[:, :width] = texts.raw
    raw[comma, 0] = 34
    raw[comma, 1 : width + 1] = texts.raw[comma]
    raw[comma, texts.length[comma].astype(np.intp) + 1] = 34
    return Texts(raw, texts.length + 2 * comma.astype(np.uint8))


def _lines(table: Table, cells: list[Cells]) -> Lines:
    """Return what gives the lines of some records, joined field by field."""

    def lines(part: slice) -> bytes:
        columns = [list(texts[column.codes[part]]) for texts, column in zip(cells, table.columns, strict=True)]
        return ("\n".join(map(",".join, zip(*columns, strict=True))) + "\n").encode("utf-8")

    return lines


def _padded_lines(table: Table, cells: list[Cells], progress: Progress) -> Lines | None:
    """Return what gives the lines of some records three times as quickly, None where that would take much room.

    Each field with the comma or line end behind it is filled up with zeros to the longest of its column, so that NumPy
    puts whole columns in place; then the zeros are taken out. A few long texts would make all others as long.
    """
    padded: list[NDArray[np.bytes_]] = []
    written = 0.0  # bytes
    for column, texts in zip(table.columns, cells, strict=True):
        end = "," if column is not table.columns[-1] else "\n"
        raw: list[bytes] = []
        if isinstance(texts, Texts):
            lengths = texts.length + np.int64(1)
        else:
            for block in blocks(texts, progress, "Writing CSV"):
                if "\0" in "".join(block):
                    return None
                raw += encoded(block, end)
            lengths = np.fromiter(map(len, raw), np.int64, len(raw))
        longest = int(lengths.max(initial=1))
        if longest * max(column.m, _ROWS_AT_A_TIME) > _MOST_PADDED:
            return None
        written += float(np.dot(lengths, column.counts()))
        if isinstance(texts, Texts):
            filled = np.zeros((len(texts), longest), np.uint8)
            filled[:, : texts.raw.shape[1]] = texts.raw[:, :longest]
            filled[np.arange(len(texts)), texts.length] = ord(end)
            padded.append(filled.view(f"S{longest}").reshape(-1))
        else:
            padded.append(np.array(raw, f"S{longest}"))
    record = np.dtype([(str(place), each.dtype) for place, each in enumerate(padded)])
    if record.itemsize * table.n > _MOST_PADDING * written:
        return None

    def lines(part: slice) -> bytes:
        codes = [column.codes[part] for column in table.columns]
        rows = np.empty(len(codes[0]), record)
        for place, (each, of_rows) in enumerate(zip(padded, codes, strict=True)):
            rows[str(place)] = np.take(each, of_rows)  # twice as fast as brackets
        return rows.tobytes().translate(None, b"\0")

    return lines


class NoParquet(FileFault):
    """The Parquet library is not part of this installation."""


def write_parquet(table: Table, path: Path, progress: Progress, bom: bool = False, note: Sequence[str] = ()) -> None:
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
    # Through a file of our own, so that the system's refusals are those of every other file.
    with path.open("wb") as file, pq.ParquetWriter(file, schema) as writer:
        for start in range(0, table.n, _ROWS_IN_A_GROUP):
            part = slice(start, start + _ROWS_IN_A_GROUP)
            arrays = []
            for column, of in zip(table.columns, texts, strict=True):
                progress.report("Writing Parquet", min(1.0, start / table.n))
                arrays.append(_arrow(column, of, part, pa))
            writer.write_table(pa.table(arrays, schema=schema))


def parquet_reads_back(table: Table, path: Path) -> bool:
    """Return whether a Parquet file holds just the table that `write_parquet` was to write."""
    import pyarrow as pa  # an optional part, which wrote the file
    import pyarrow.parquet as pq

    texts = [_arrow_labels(column, pa, Silent()) for column in table.columns]
    file, start = pq.ParquetFile(path), 0
    if tuple(file.schema_arrow.names) != table.names or file.metadata.num_rows != table.n:
        return False
    for batch in file.iter_batches(batch_size=_ROWS_IN_A_GROUP, use_threads=False):
        part = slice(start, start + len(batch))
        for column, of, read in zip(table.columns, texts, batch.columns, strict=True):
            meant = _arrow(column, of, part, pa)
            if of is not None:
                meant, read = meant.cast(pa.string()), read.cast(pa.string())
            if not meant.equals(read):
                return False
        start += len(batch)
    return start == table.n


def parquet_values(column: Column) -> list[Any]:
    """Return what Parquet gives for each label of a column that `has_values`: numbers or dates, None for no value."""
    import pyarrow as pa  # an optional part, which is to write the column

    every = column.with_codes(np.arange(column.m, dtype=np.int32))
    return list(_arrow(every, None, slice(None), pa).to_pylist())


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


WRITERS: dict[str, tuple[str, Callable[[Table, Path, Progress, bool, Sequence[str]], None]]] = {
    "csv": ("table.csv", write_csv),
    "xlsx": ("table.xlsx", write_xlsx),
    "parquet": ("table.parquet", write_parquet),
}
