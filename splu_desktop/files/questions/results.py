"""Results as CSV or XLSX: the cells of a cross-table with the grid of estimates, and the figures of an analysis."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from splu_desktop.core.answer.analyses import Result
from splu_desktop.core.answer.crosstab import CrossTable
from splu_desktop.core.progress import SILENT
from splu_desktop.files.questions.batch import answer_header
from splu_desktop.files.tables.sheets import Cell, Sheet, digits, write_sheets

_RANGES = ("low", "high", "low_alike", "high_alike")
_CELL = ("selected", "published", "estimate", *_RANGES, "trust", "release")
_FIGURE = ("figure", "estimate", "low_alike", "high_alike", "low", "high", "release", "note")


def write_cells(table: CrossTable, release: str, path: Path) -> None:
    """Write a line per cell and, in a workbook, the grid of estimates. Raises CannotWrite."""
    taken = (*table.by, table.column)
    rows: list[Sequence[Cell]] = []
    for each in table.cells():
        figures = map(digits, (each.estimate, each.low, each.high, each.low_alike, each.high_alike))
        rows.append((*each.line, each.label, each.selected, each.published, *figures, each.trust, release))
    grid: list[Sequence[Cell]] = [
        (*line, *row) for line, row in zip(table.lines, table.estimate.round(1).tolist(), strict=True)
    ]
    sheets = [Sheet("Cells", answer_header(taken, _CELL), rows), Sheet("Estimates", (*table.by, *table.labels), grid)]
    write_sheets(sheets, path, SILENT)


def write_result(result: Result, release: str, path: Path) -> None:
    """Write every figure with its two intervals and the release's id. Raises CannotWrite."""
    note = " ".join(map(str, result.notes))
    rows: list[Sequence[Cell]] = []
    for each in result.estimates:
        figures = map(digits, (each.estimate, each.low_alike, each.high_alike, each.low, each.high))
        rows.append((each.name, *figures, release, "" if rows else note))
    write_sheets([Sheet("Figures", _FIGURE, rows)], path, SILENT)
