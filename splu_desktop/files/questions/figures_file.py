"""The figures of an analysis as CSV or XLSX: the answer in the first line, what it is made of below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from splu_desktop.core.analyse.figures import Analysed
from splu_desktop.core.progress import Progress
from splu_desktop.files.tables.sheets import Cell, Sheet, write_sheets

_DIGITS = 9  # of a figure; an end without bound is left empty


def write_figures(found: Analysed, release: str, path: Path, progress: Progress) -> None:
    """Write every figure with its interval and the release's id. Raises CannotWrite; Cancelled."""
    rows: list[Sequence[Cell]] = [
        (
            name,
            *map(_cell, (one.estimate, one.low, one.high)),
            one.interval_by,
            one.selected,
            release,
            " ".join(one.notes),
        )
        for name, one in ((found.what, found), *found.parts.items())
    ]
    header = ("figure", "estimate", "low", "high", "interval_by", "selected", "release", "note")
    write_sheets([Sheet("Figures", header, rows)], path, progress)


def _cell(figure: float) -> float | None:
    return float(f"{figure:.{_DIGITS}g}") if math.isfinite(figure) else None
