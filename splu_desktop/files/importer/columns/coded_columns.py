"""Columns that a reader's process hands over: codes over texts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.columns.grid import Grid
from splu_desktop.files.importer.columns.header import unique_names
from splu_desktop.files.importer.raw import RawTable
from splu_desktop.files.isolation.faults import EmptyFile, OtherWidth
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


def gathered(coded: Coded, path: Path, choices: ImportChoices, progress: Progress) -> tuple[RawTable, tuple[str, ...]]:
    """Return columns of codes over texts as a table, and their names. Raises EmptyFile, OtherWidth."""
    if not coded:
        raise EmptyFile(path, "has no columns")
    names, problems = unique_names([name for name, _, _ in coded])
    own: tuple[str, ...] | None = None
    if choices.names is not None:
        if len(choices.names) != len(names):
            raise OtherWidth(len(choices.names), len(names))
        own, names = names, choices.names
    grid = Grid(len(names), choices)
    grid.add_columns(
        [(codes.astype(np.int64), values) for _, codes, values in coded],
        np.arange(1, len(coded[0][1]) + 1, dtype=np.int64),
    )
    raw = grid.table(names, problems, trim=False, last_row=choices.last_row, progress=progress)
    return replace(raw, own_names=own), names
