"""Reads a comparison of systems, as `splu compare --json` writes it, for the table of alternatives considered."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from splu_desktop.core.errors import FileFault
from splu_desktop.core.messages import say
from splu_desktop.files.disk.plain_data import TooLong, file_bytes, from_json
from splu_desktop.report.model import Alternative

_LARGEST = 20_000_000  # bytes
_MOST = 200  # rows


class BadComparison(FileFault):
    """A file is no comparison."""


def read_comparison(path: Path) -> tuple[Alternative, ...]:
    """Return the systems of a comparison, in its order. Raises BadComparison.

    Read loosely: a list, or an object with a list under "systems", "results" or "rows"; of each row "system" (or
    "name"), "parameter" (or "setting"), "median_relative_error", "small_wrong" and "certainty", shares in 0..1; what is
    missing is left open.
    """
    try:
        data = from_json(file_bytes(path, _LARGEST))
    except (TooLong, OSError, ValueError):
        raise BadComparison(
            say("“{path}” can't be read as a comparison; give the file that splu compare --json wrote.", path=path)
        ) from None
    if isinstance(data, Mapping):
        data = next((data[name] for name in ("systems", "results", "rows") if name in data), None)
    if not isinstance(data, list) or not data or not all(_named(row) for row in data):
        raise BadComparison(say("“{path}” is no comparison of systems; make one with splu compare.", path=path))
    return tuple(
        Alternative(
            system=str(row.get("system", row.get("name")))[:80],
            parameter=str(row.get("parameter", row.get("setting", "")))[:80],
            error=_number(row.get("median_relative_error")),
            small_wrong=_number(row.get("small_wrong")),
            certainty=_number(row.get("certainty")),
        )
        for row in data[:_MOST]
    )


def _named(row: Any) -> bool:
    return isinstance(row, Mapping) and bool(row.get("system", row.get("name")))


def _number(value: Any) -> float | None:
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if number else None
