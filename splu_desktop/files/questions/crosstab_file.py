"""A cross-table as CSV or XLSX: its cells, and in a workbook the grid of estimates with its margins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import Progress
from splu_desktop.core.query.crosstab_grid import CrosstabGrid, records_of
from splu_desktop.core.query.reader import Answer
from splu_desktop.files.tables.sheets import Cell, Sheet, write_sheets


def write_cells(grid: CrosstabGrid, cells: NDArray[np.intp], path: Path, progress: Progress) -> None:
    """Write the cells (line * B + value, in this order) and, in a workbook, the grid of estimates with its margins.

    A protected count has no estimate.
    """
    write_sheets([_long(grid, cells), _square(grid)], path, progress)


def _long(grid: CrosstabGrid, cells: NDArray[np.intp]) -> Sheet:
    names = (
        "published",
        "estimate",
        "low",
        "high",
        "interval_by",
        "selected",
        "share",
        "share low",
        "share high",
        "badge",
    )
    taken = [side.column for side in grid.wanted.sides] + [grid.wanted.sa]
    header = (*taken, *(f"answer {name}" if name in taken else name for name in names))
    rows: list[Sequence[Cell]] = []
    for line, value in zip(*np.divmod(cells, len(grid.values)), strict=True):
        answer: Answer = grid.answers[line, value]
        low, high = answer.ends
        estimate = answer.stated[0]
        n_p = answer.n_p
        share = (_cell(estimate, n_p), low / n_p, high / n_p) if n_p else (None,) * 3
        rows.append(
            (
                *grid.parts[line],
                grid.values[value],
                answer.published,
                _cell(estimate),
                low,
                high,
                answer.interval_by,
                answer.n_p,
                *share,
                answer.badge.value,
            )
        )
    return Sheet("Cells", header, rows)


def _cell(estimate: float | None, of: float = 1.0) -> float | None:
    return None if estimate is None else float(f"{estimate / of:.9g}")


def _square(grid: CrosstabGrid) -> Sheet:
    rows: list[Sequence[Cell]] = [("All", *map(records_of, (grid.all, *grid.lines)))]
    for at, value in enumerate(grid.values):
        rows.append((value, grid.totals[at].stated[0], *(answer.stated[0] for answer in grid.answers[:, at])))
    return Sheet("Estimates", (grid.wanted.sa, "All", *grid.names), rows)
