"""Parquet files, by pyarrow where it is installed: the installers leave it out, since it would double them."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.coded_columns import coded_columns, gathered
from splu_desktop.files.importer.columns.cells import text_of
from splu_desktop.files.importer.raw import RawTable
from splu_desktop.files.isolation.parent import isolated

_UNPACKED = 8  # bytes that a byte of a file counts as: equal values take next to no room in it


def read(
    path: Path, choices: ImportChoices, progress: Progress, *, limit: int | None = None
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Read a Parquet file into raw columns; returns them with the resolved choices and the reasons."""
    found = isolated("parquet", path, progress, size=_UNPACKED * path.stat().st_size, limit=limit)
    texts = [(name, codes, list(map(cell_text, known))) for name, codes, known in coded_columns(found, path)]
    return gathered(texts, path, choices, progress), replace(choices, format="parquet"), {}


def cell_text(value: Any) -> str:
    """Return the exact text of a Parquet cell."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    return text_of(value)
