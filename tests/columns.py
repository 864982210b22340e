"""Columns of tests, from texts alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.mechanism import Block, Lenders
from splu_desktop.core.table import Column, Kind

_OFFSET = re.compile(r"(:\d\d(?:\.\d+)?)\s*(?:Z|[+-]\d\d(?::?\d\d)?)$")  # from UTC


def blocks_of(columns: Iterable[str], gamma: float = 5.0) -> tuple[Block, ...]:
    """Return a block for each of some sensitive columns, drawn by lenders."""
    return tuple(Block((name,), Lenders(gamma)) for name in columns)


def column_of(
    name: str,
    records: Sequence[str] | NDArray[np.object_],
    *,
    kind: Kind = Kind.CATEGORY,
    missing: Iterable[str] = ("",),
) -> Column:
    """Build a column from (N,) texts.

    For ordered kinds the texts not in `missing` must parse: numbers as ``float()`` takes them, dates in ISO 8601;
    of times with an offset from UTC the clock of the place counts.
    Raises ValueError where one does not.
    """
    array = np.asarray(records, dtype=object)
    order: dict[str, int] = {}
    codes = np.fromiter((order.setdefault(text, len(order)) for text in array), np.int32, len(array))
    labels = np.array(list(order), dtype=object)
    absent = np.isin(labels, list(missing)) if len(labels) else np.zeros(0, bool)
    values: NDArray[Any] | None = None
    if kind in (Kind.INTEGER, Kind.DECIMAL):
        values = np.array([np.nan if gone else float(t) for t, gone in zip(labels, absent, strict=True)])
    elif kind in (Kind.DATE, Kind.DATETIME):
        clocks = ["NaT" if gone else _OFFSET.sub(r"\1", text) for text, gone in zip(labels, absent, strict=True)]
        values = np.array(clocks, "datetime64[us]")
    return Column.from_codes(name, codes, labels, absent, values, kind=kind)


def put_cells(sheet: Any, rows: list[list[Any]], top: int = 0, left: int = 0) -> None:
    """Write rows into a sheet of `xlsxwriter`: a text as a text, nothing for None."""
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            if isinstance(cell, str):
                sheet.write_string(top + y, left + x, cell)
            elif cell is not None:
                sheet.write(top + y, left + x, cell)
