"""Reads a comparison of systems, as `splu compare --json` writes it, for the table of alternatives considered."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from splu_desktop.core.errors import FileFault
from splu_desktop.core.published import Published
from splu_desktop.files.disk.plain_data import TooLong, file_bytes, from_json
from splu_desktop.report.model import Alternative

if TYPE_CHECKING:  # the methods bring SciPy, which a report does without
    from splu_desktop.compare.runner import Comparison

_LARGEST = 20_000_000  # bytes
_MOST = 200  # rows


class BadComparison(FileFault):
    """A file is no comparison."""


def read_comparison(path: Path, published: Published) -> tuple[Alternative, ...]:
    """Return the systems of a comparison, in its order.

    Raises BadComparison, also where it was made of another table than was published, as far as it says.

    Read loosely: a list, or an object with a list under "tried" (or "systems"); of each row "title" (or "system"),
    "setting" (or "parameter"), and, in it or under its "achieved", "median_relative_error" (or "errors" by band, of
    which the mean over the questions "asked" is taken), "small_wrong" and "certainty" (or "colleague"); shares in 0..1;
    what is missing is left open.
    """
    try:
        data = from_json(file_bytes(path, _LARGEST))
    except (TooLong, OSError, ValueError):
        raise BadComparison(
            "“{path}” can't be read as a comparison; give the file that splu compare --json wrote.", path=path
        ) from None
    asked: Any = None
    column, records = "", published.table.n
    if isinstance(data, Mapping):
        asked, column, records = data.get("asked"), str(data.get("sensitive", "")), data.get("records", records)
        data = next((data[name] for name in ("tried", "systems") if name in data), None)
    if not isinstance(data, list) or not data or not all(_named(row) for row in data):
        raise BadComparison("“{path}” is no comparison of systems; make one with splu compare.", path=path)
    if records != published.table.n or (column and column not in published.sensitive):
        raise BadComparison(
            "“{path}” compares systems on another table than was released ({records} records, sensitive column "
            "“{column}”); run splu compare on this release's source and plan.",
            path=path,
            records=str(records)[:20],
            column=column[:80],
        )
    return tuple(_alternative(row, column, asked) for row in data[:_MOST])


def alternatives_of(comparison: Comparison) -> tuple[Alternative, ...]:
    """Return the systems of a comparison, as they are read back from what is saved of it."""
    data = comparison.as_dict()
    return tuple(_alternative(row, data["sensitive"], data["asked"]) for row in data["tried"][:_MOST])


def _alternative(row: Mapping[str, Any], column: str, asked: Any) -> Alternative:
    achieved = row.get("achieved")
    found = {**row, **(achieved if isinstance(achieved, Mapping) else {})}
    return Alternative(
        column=column,
        system=str(_named(row))[:80],
        parameter=str(row.get("setting", row.get("parameter", "")))[:80],
        error=_number(found.get("median_relative_error", _mean(found.get("errors"), asked))),
        small_wrong=_number(found.get("small_wrong")),
        certainty=_number(found.get("certainty", found.get("colleague"))),
    )


def _mean(errors: Any, asked: Any) -> float | None:
    """Return the mean of errors by band over the questions in each; None where that can't be told."""
    if not isinstance(errors, list) or not isinstance(asked, list) or len(errors) != len(asked):
        return None
    parts = [(_number(error), _number(many)) for error, many in zip(errors, asked, strict=True)]
    told = [(error, many) for error, many in parts if error is not None and many is not None and many > 0]
    return sum(error * many for error, many in told) / sum(many for _, many in told) if told else None


def _named(row: Any) -> Any:
    names = ("title", "system", "name")
    return next((row[name] for name in names if row.get(name)), None) if isinstance(row, Mapping) else None


def _number(value: Any) -> float | None:
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if number else None
