"""The release as one Excel workbook, for programs that turn `5-9` into a date: text is never a formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import Progress
from splu_desktop.core.published import Published
from splu_desktop.core.table import Column
from splu_desktop.files.language import Language
from splu_desktop.files.release.dictionary import HEADER, dictionary_rows
from splu_desktop.files.release.readme import README_NAME
from splu_desktop.files.release.score_columns import ScoreColumn
from splu_desktop.files.tables.sheets import Cell, Sheet, write_sheets

WORKBOOK_NAME = "release.xlsx"


def write_workbook(
    published: Published,
    facts: Mapping[str, Any],
    scores: Sequence[ScoreColumn],
    folder: Path,
    language: Language,
    progress: Progress,
) -> None:
    """Write the sheets readme, table with scores, and dictionary. Raises CannotWrite; Cancelled."""
    readme = [[line] for line in (folder / README_NAME).read_text(encoding="utf-8").splitlines()]
    columns = [_cells(column)[column.codes] for column in published.table.columns]
    columns += [_scores(each) for each in scores]
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    sheets = [
        Sheet("readme", ("README",), readme),
        Sheet("table", (*published.table.names, *(each.name for each in scores)), rows),
        Sheet("dictionary", HEADER, dictionary_rows(published, facts, scores, language)),
    ]
    write_sheets(sheets, folder / WORKBOOK_NAME, progress)


def _scores(column: ScoreColumn) -> NDArray[Any]:
    """Return (N,) the scores of rows to the seven digits of scores.csv: 3, not 2.9999999999999996."""
    shown = [float(f"{score:.7g}") for score in column.values.tolist()]
    return np.array(shown, column.values.dtype)[column.which][column.pairs]


def _cells(column: Column) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Return (m,) a cell for each label: numbers as such, the missing empty, all else text."""
    cells = np.empty(column.m, object)
    numeric = column.values is not None and column.values.dtype.kind == "f"
    for at, label in enumerate(column.labels.tolist()):
        cell: Cell = None if column.missing[at] else label
        if cell is not None and numeric and column.values is not None and np.isfinite(column.values[at]):
            digits = sum(map(str.isdigit, label))  # a spreadsheet number holds 15; longer ones stay text
            cell = float(column.values[at]) if digits <= 15 else label
        cells[at] = cell
    return cells
