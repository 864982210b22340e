"""Numbers and dates spelled so that they read back without knowledge of the source's spelling."""

from __future__ import annotations

from typing import Any

import numpy as np

from splu_desktop.core.packed.texts import Texts
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.table import Column, Kind
from splu_desktop.files.disk.in_blocks import BLOCK, blocks

_STAGE = "Spelling values"


def valued(column: Column) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return (m,) which labels of a column of numbers or dates stand for one: "forty", kept as text, does not."""
    if column.values is None:
        return np.zeros(column.m, bool)
    none = np.isnat(column.values) if column.values.dtype.kind == "M" else np.isnan(column.values)
    known: np.ndarray[Any, np.dtype[np.bool_]] = ~column.missing & ~none
    return known


def plain(column: Column, progress: Progress = SILENT) -> Column:
    """Return a numeric or date column whose labels read back without knowledge of the source's spelling.

    Labels that ``float()`` or ISO 8601 understand stay to the letter; a column with other spellings (``108,429.42``,
    ``31.12.2020``) is respelled as a whole, but for texts among the numbers. Raises Cancelled.
    """
    if column.values is None:
        return column
    known = valued(column)
    texts = column.texts
    try:
        written = texts.take(known) if isinstance(texts, Texts) else texts[known]
        if np.array_equal(parsed(written, column.kind, progress), column.values[known]):
            return column
    except ValueError:
        pass
    labels = column.labels.copy()
    labels[known] = spelled(column.values[known], column.kind, progress)
    place: dict[str, int] = {}
    codes = np.empty(column.m, np.int32)
    first: list[int] = []  # the label that each spelling is met at first
    at = 0
    for block in blocks(labels, progress, _STAGE):
        for text in block:
            code = place.setdefault(text, len(first))
            if code == len(first):
                first.append(at)
            codes[at] = code
            at += 1
    return Column.from_codes(
        column.name,
        codes[column.codes],
        labels[first],
        column.missing[first],
        column.values[first],
        kind=column.kind,
    )


def parsed(
    labels: np.ndarray[Any, np.dtype[np.object_]] | Texts, kind: Kind, progress: Progress = SILENT
) -> np.ndarray[Any, Any]:
    """Return what labels stand for, float64 or datetime64[us]. Raises ValueError where one is not plain; Cancelled."""
    dates = kind in (Kind.DATE, Kind.DATETIME)
    found = np.empty(len(labels), "datetime64[us]" if dates else np.float64)
    at = 0
    for block in blocks(labels, progress, _STAGE):
        found[at : at + len(block)] = np.array(block, "datetime64[us]") if dates else list(map(float, block))
        at += len(block)
    return found


def spelled(values: np.ndarray[Any, Any], kind: Kind, progress: Progress = SILENT) -> list[str]:
    """Return a plain label for each value. Raises Cancelled."""
    if kind is Kind.DATE:
        values = values.astype("datetime64[D]")
    if kind is Kind.DATETIME:
        whole = bool((values == values.astype("datetime64[s]")).all())
        values = values.astype("datetime64[s]" if whole else "datetime64[us]")
    found: list[str] = []
    for start in range(0, len(values), BLOCK):
        part = values[start : start + BLOCK]
        progress.report(_STAGE, start / len(values))
        if kind in (Kind.DATE, Kind.DATETIME):
            found += part.astype(str).tolist()
        else:
            found += [str(int(v)) if v == int(v) and abs(v) < 2**53 else repr(v) for v in part.tolist()]
    return found
