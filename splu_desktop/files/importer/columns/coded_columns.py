"""Columns that a reader's process hands over: codes over texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import Progress
from splu_desktop.core.table import IN_MEMORY, Storage
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.columns.grid import Grid
from splu_desktop.files.importer.columns.header import unique_names
from splu_desktop.files.importer.raw import RawTable
from splu_desktop.files.isolation.faults import EmptyFile, OtherWidth, TooVaried
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


def gathered(
    parts: Iterable[Coded], path: Path, choices: ImportChoices, progress: Progress, storage: Storage = IN_MEMORY
) -> tuple[RawTable, tuple[str, ...]]:
    """Return columns of codes over texts, part below part, as a table, and its columns' names.

    Raises EmptyFile, OtherWidth, TooVaried.
    """
    rest = iter(parts)
    coded = next(rest)
    if not coded:
        raise EmptyFile(path, "has no columns")
    names, problems = unique_names([name for name, _, _ in coded])
    own: tuple[str, ...] | None = None
    if choices.names is not None:
        if len(choices.names) != len(names):
            raise OtherWidth(len(choices.names), len(names))
        own, names = names, choices.names
    grid = Grid(len(names), choices, storage=storage)
    done = 0
    for part in chain([coded], rest):
        columns: Sequence[tuple[NDArray[Any], list[str]]] = [(codes, values) for _, codes, values in part]
        try:
            grid.add_columns(columns, np.arange(done + 1, done + len(part[0][1]) + 1, dtype=np.int64))
        except TooVaried as fault:
            raise TooVaried(fault.column, fault.texts, names[fault.column]) from None
        done += len(part[0][1])
    raw = grid.table(names, problems, trim=False, last_row=choices.last_row, progress=progress)
    return replace(raw, own_names=own, storage=storage), names
