"""Columns of codes over distinct values, as files with value labels and readers' processes have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.columns.cells import text_of
from splu_desktop.files.importer.columns.grid import Grid
from splu_desktop.files.importer.columns.header import unique_names
from splu_desktop.files.importer.raw import RawTable
from splu_desktop.files.isolation.faults import EmptyFile
from splu_desktop.files.isolation.parent import BrokeOff
from splu_desktop.files.isolation.wire import Plain

Coded = list[tuple[str, NDArray[np.int32], list[Any]]]
"""Name, (N,) codes and distinct values of each column."""


def coded_columns(found: Plain, path: Path) -> Coded:
    """Return the columns that another process found. Raises BrokeOff where they are none."""
    try:
        coded = [(str(name), *column) for name, column in zip(found["names"], found["columns"], strict=True)]
        lengths = {len(codes) for _, codes, _ in coded}
        sound = len(lengths) < 2 and all(
            isinstance(values, list)
            and codes.dtype == np.int32
            and codes.ndim == 1
            and (not len(codes) or (codes.min() >= 0 and codes.max() < len(values)))
            for _, codes, values in coded
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        sound = False
    if not sound:
        raise BrokeOff(path)
    return coded


def gathered(coded: Coded, path: Path, choices: ImportChoices, progress: Progress) -> RawTable:
    """Return columns of codes over texts as a table. Raises EmptyFile."""
    if not coded:
        raise EmptyFile(path, "has no columns")
    names, problems = unique_names([name for name, _, _ in coded])
    grid = Grid(len(names), choices)
    grid.add_columns(
        [(codes.astype(np.int64), values) for _, codes, values in coded],
        np.arange(1, len(coded[0][1]) + 1, dtype=np.int64),
    )
    return grid.table(names, problems, trim=False, last_row=choices.last_row, progress=progress)


def words_of(labels: Mapping[Any, str]) -> dict[Any, str]:
    """Return code -> word; words that several codes share get their code behind them, as they differ."""
    often = Counter(map(str, labels.values()))
    return {
        code: str(word) if often[str(word)] == 1 and str(word).strip() else f"{word} ({text_of(code)})"
        for code, word in labels.items()
    }


def told_apart(values: Sequence[Any], texts: list[str], words: Mapping[Any, str]) -> list[str]:
    """Return the texts of distinct values; a label that says what another value says has its code behind it."""
    often = Counter(texts)
    if len(often) == len(texts):
        return texts
    return [
        f"{text} ({text_of(value)})" if often[text] > 1 and value in words else text
        for value, text in zip(values, texts, strict=True)
    ]
