"""A cross-table as CSV or XLSX: its cells, and in a workbook the grid of estimates with its margins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import Progress
from splu_desktop.core.query.crosstab_grid import CrosstabGrid, records_of
from splu_desktop.core.query.reader import Answer
from splu_desktop.files.questions.batch import SHARE_COLUMNS, shares_of
from splu_desktop.files.tables.sheets import Cell, Sheet, write_sheets


def write_cells(grid: CrosstabGrid, cells: NDArray[np.intp], release: str, path: Path, progress: Progress) -> None:
    """Write the cells (line * B + value, in this order) and, in a workbook, the grid of estimates with its margins.

    A protected count has no estimate. Each cell names the `release` by its id.
    """
    write_sheets([_long(grid, cells, release), _square(grid)], path, progress)


def _long(grid: CrosstabGrid, cells: NDArray[np.intp], release: str) -> Sheet:
    names = (
        "published",
        "estimate",
        "low",
        "high",
        "interval_by",
        "selected",
        *SHARE_COLUMNS,
        "badge",
        "release",
    )
    taken = [side.column for side in grid.wanted.sides] + [grid.wanted.sa]
    header = (*taken, *(f"answer {name}" if name in taken else name for name in names))
    rows: list[Sequence[Cell]] = []
    for line, value in zip(*np.divmod(cells, len(grid.values)), strict=True):
        answer: Answer = grid.answers[line, value]
        low, high = answer.ends
        rows.append(
            (
                *grid.parts[line],
                grid.values[value],
                answer.published,
                _cell(answer.stated[0]),
                low,
                high,
                answer.interval_by,
                answer.n_p,
                *map(_cell, shares_of(answer)),
                answer.badge.value,
                release,
            )
        )
    return Sheet("Cells", header, rows)


def _cell(figure: float | None) -> float | None:
    return None if figure is None else float(f"{figure:.9g}")


def _square(grid: CrosstabGrid) -> Sheet:
    rows: list[Sequence[Cell]] = [("All", *map(records_of, (grid.all, *grid.lines)))]
    for at, value in enumerate(grid.values):
        rows.append((value, grid.totals[at].stated[0], *(answer.stated[0] for answer in grid.answers[:, at])))
    return Sheet("Estimates", (grid.wanted.sa, "All", *grid.names), rows)
