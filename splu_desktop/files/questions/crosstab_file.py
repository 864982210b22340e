"""A cross-table as CSV or XLSX: its cells, and in a workbook the grid of estimates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from splu_desktop.core.answer.crosstab import CrossTable
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.files.tables.sheets import Cell, Sheet, digits, write_sheets

_FIGURES = ("selected", "published", "estimate", "low", "high", "low_alike", "high_alike", "trust", "release")


def write_cells(found: CrossTable, release: str, path: Path, progress: Progress = SILENT) -> None:
    """Write a line per cell and, in a workbook, the grid of estimates. Raises CannotWrite; Cancelled."""
    taken = (*found.by, found.column)
    header = (*taken, *(f"answer {name}" if name in taken else name for name in _FIGURES))
    rows: list[Sequence[Cell]] = [
        (
            *each.line,
            each.label,
            each.selected,
            each.published,
            *map(digits, (each.estimate, each.low, each.high, each.low_alike, each.high_alike)),
            each.trust,
            release,
        )
        for each in found.cells()
    ]
    grid: list[Sequence[Cell]] = [
        (*line, *(float(x) for x in found.estimate[i].round(1))) for i, line in enumerate(found.lines)
    ]
    sheets = [Sheet("Cells", header, rows), Sheet("Estimates", (*found.by, *found.labels), grid)]
    write_sheets(sheets, path, progress)
