"""The figures of an analysis as CSV or XLSX."""

from __future__ import annotations

from pathlib import Path

from splu_desktop.core.answer.analyses import Result
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.files.tables.sheets import Sheet, digits, write_sheets

_HEADER = ("figure", "estimate", "low_alike", "high_alike", "low", "high", "release", "note")


def write_result(result: Result, release: str, path: Path, progress: Progress = SILENT) -> None:
    """Write every figure with its two intervals and the release's id. Raises CannotWrite; Cancelled."""
    note = " ".join(map(str, result.notes))
    rows = [
        (
            each.name,
            *map(digits, (each.estimate, each.low_alike, each.high_alike, each.low, each.high)),
            release,
            note if at == 0 else "",
        )
        for at, each in enumerate(result.estimates)
    ]
    write_sheets([Sheet("Figures", _HEADER, rows)], path, progress)
