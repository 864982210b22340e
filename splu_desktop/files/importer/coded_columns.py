"""Columns of codes over distinct values, as files with value labels and readers' processes have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np

from splu_desktop.core.messages import fold_text
from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.columns.cells import CellColumn, text_of
from splu_desktop.files.importer.columns.grid import Grid
from splu_desktop.files.importer.columns.header import unique_names
from splu_desktop.files.importer.raw import RawTable
from splu_desktop.files.isolation.faults import Corrupt, EmptyFile
from splu_desktop.files.isolation.parent import BrokeOff
from splu_desktop.files.isolation.wire import Plain

Coded = Sequence[tuple[str, CellColumn]]
"""Name and cells of each column."""


def coded_columns(data: Plain, path: Path) -> Coded:
    """Return the columns that another process found. Raises BrokeOff where they are none."""
    with suppress(KeyError, TypeError, ValueError, AttributeError):
        columns = [CellColumn(*column) for column in data["columns"]]
        if all(column.fits(len(columns[0].codes)) for column in columns):
            return list(zip(map(str, data["names"]), columns, strict=True))
    raise BrokeOff(path)


def gather(
    coded: Coded, path: Path, choices: ImportChoices, progress: Progress, *, numbers: Sequence[bool] = ()
) -> RawTable:
    """Return columns of cells as a table; `numbers` : which were numbers, where all are texts.

    Raises EmptyFile; Corrupt where half a letter stands, as JSON and Python may have it and no file.
    """
    if not coded:
        raise EmptyFile(path)
    names, problems = unique_names([name for name, _ in coded])
    columns = [column.texts() for _, column in coded]
    try:
        for texts in (names, *(column.labels for column in columns)):
            "".join(texts).encode()
    except UnicodeEncodeError as error:
        raise Corrupt(path, "Unicode") from error
    grid = Grid(len(names), choices)
    grid.add_columns(columns, np.arange(1, len(coded[0][1].codes) + 1))
    table = grid.table(names, problems, trim=False, last_row=choices.last_row, progress=progress)
    numbers = numbers or [any(type(cell) is float for cell in column.cells) for _, column in coded]
    return replace(table, number_cells=frozenset(compress(names, numbers)))


def words_of(labels: Mapping[Any, str]) -> dict[Any, str]:
    """Return code -> word; words that several codes share get their code behind them, as they differ."""
    words = {code: word for code, word in labels.items() if str(word).strip()}
    return dict(zip(words, tell_apart(list(words), list(map(str, words.values())), words), strict=True))


def tell_apart(values: Sequence[Any], texts: list[str], words: Mapping[Any, str]) -> list[str]:
    """Return the texts of distinct values; a label that says what another value says has its code behind it."""
    if not words:
        return texts
    folded = [" ".join(fold_text(text).split()) for text in texts]  # Male and MALE would become one value, too
    often = Counter(folded)
    return [
        f"{text} ({text_of(value)})" if often[plain] > 1 and value in words else text
        for value, text, plain in zip(values, texts, folded, strict=True)
    ]
