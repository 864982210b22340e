"""Where the header stands: titles, notes and blank lines above it, several rows joined, names made unique."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from splu_desktop.files.importer.dates import parse_dates
from splu_desktop.files.importer.missing import is_blank, neutral
from splu_desktop.files.importer.problems import Problem, ProblemKind

LOOK_AHEAD = 60  # rows looked at for the header
_NUMBER = re.compile(
    r"\s*[$€£]?\s?[+\-−]?(?:\d{1,3}(?:[.,  ']\d{3})+|\d+)(?:[.,]\d*)?(?:[eE][+-]?\d+)?\s?%?\s*|\s*[+-]?[.,]\d+\s*"
)
_YEAR = re.compile(r"\s*(?:19|20)\d\d\s*")


@dataclass(frozen=True)
class Header:
    """Where the header is.

    Attributes
    ----------
    first, last : 0-based positions of its first and last row among the rows looked at; -1 for both: no header.
    reason : why.
    """

    first: int
    last: int
    reason: str


def shape_of(cell: str) -> str:
    """Classify a cell roughly: "" blank, "n" number, "d" date, "t" text."""
    if is_blank(cell):
        return ""
    if _NUMBER.fullmatch(cell):
        return "n"
    if any(c.isdigit() for c in cell) and len(cell) <= 45:
        import numpy as np

        if parse_dates([cell], np.ones(1, np.int64)).fits[0]:
            return "d"
    return "t"


def find_header(rows: Sequence[Sequence[str]]) -> Header:
    """Find the header among the first rows of a table (each a list of texts, of any length)."""
    rows = rows[:LOOK_AHEAD]
    filled = [sum(not is_blank(cell) for cell in row) for row in rows]
    if not any(filled):
        return Header(-1, -1, "no filled rows")
    ordered = sorted(count for count in filled if count)
    typical = ordered[len(ordered) // 2]
    # The header names most of the columns that the rows below fill; a title or note fills one or two cells.
    enough = max(1, 0.6 * typical) if typical <= 3 else max(2, 0.5 * typical)
    for at, row in enumerate(rows):
        if filled[at] < enough:
            continue
        if typical > 2 and filled[at] < typical and at + 1 < len(rows) and _better(rows, filled, at):
            continue
        if _looks_like_header(rows, at):
            return Header(at, at, _why(at, filled))
        return Header(-1, -1, "the first full row looks like a record: no header")
    at = next(i for i, count in enumerate(filled) if count)
    return Header(at, at, _why(at, filled))


def _better(rows: Sequence[Sequence[str]], filled: Sequence[int], at: int) -> bool:
    """Whether one of the next few rows is a fuller row of texts, so that this one is still a note."""
    here = filled[at]
    for below in range(at + 1, min(at + 4, len(rows))):
        if filled[below] > here and all(shape_of(cell) != "n" for cell in rows[below]) and _distinct(rows[below]):
            return True
    return False


def _distinct(row: Sequence[str]) -> bool:
    cells = [cell.strip() for cell in row if not is_blank(cell)]
    return len(set(cells)) >= 0.6 * len(cells)


def _why(at: int, filled: Sequence[int]) -> str:
    skipped = at
    return (
        f"the first row that names the columns; {skipped} rows above it skipped"
        if skipped
        else "the first row names the columns"
    )


def _looks_like_header(rows: Sequence[Sequence[str]], at: int) -> bool:
    """Compare the row with the rows below it, column by column."""
    row = rows[at]
    below = [r for r in rows[at + 1 :] if any(not is_blank(cell) for cell in r)]
    shapes = [shape_of(cell) for cell in row]
    if not below:
        return "t" in shapes
    votes = 0.0
    for i, shape in enumerate(shapes):
        if not shape:
            continue
        under = [r[i] for r in below if i < len(r) and not neutral(r[i])]
        kinds = [shape_of(cell) for cell in under]
        if not kinds:
            votes += 0.2 if shape == "t" and not neutral(row[i]) else 0.0
            continue
        valued = sum(kind in ("n", "d") for kind in kinds) / len(kinds)
        if shape == "t":
            if neutral(row[i]):
                votes -= 0.5
            elif valued > 0.6:
                votes += 1.0
            elif row[i] in under:
                votes -= 1.0
            else:
                lengths = {len(cell) for cell in under}
                votes += 0.5 if len(kinds) > 1 and len(lengths) == 1 and len(row[i]) not in lengths else 0.25
        else:
            # A year above numbers may well name a column; any other number is a record's.
            votes -= 0.1 if _YEAR.fullmatch(row[i]) and valued > 0.6 else 1.0
    return votes > 0


def joined_names(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Join the header's rows, top to bottom, into one text per column."""
    names = []
    for i in range(width):
        parts: list[str] = []
        for row in rows:
            part = " ".join(row[i].split()) if i < len(row) else ""
            if part and part not in parts:
                parts.append(part)
        names.append(" ".join(parts))
    return names


def unique_names(
    names: Sequence[str], *, sheet: str | None = None, row: int | None = None
) -> tuple[tuple[str, ...], list[Problem]]:
    """Give empty names a number and repeated ones a suffix, each with a problem that says so."""
    taken = {name for name in names if name}
    seen: set[str] = set()
    result: list[str] = []
    problems: list[Problem] = []
    for position, name in enumerate(names, 1):
        new = name or f"Column {position}"
        if new in seen or (not name and new in taken):
            counter = 2
            while f"{new} ({counter})" in seen or f"{new} ({counter})" in taken:
                counter += 1
            new = f"{new} ({counter})"
        if new != name:
            what = f"has the name “{name}” a second time" if name else "has no name"
            problems.append(
                Problem(
                    ProblemKind.NAME_CHANGED, f"Column {position} {what}; it is called “{new}”.", sheet, row, new, name
                )
            )
        seen.add(new)
        result.append(new)
    return tuple(result), problems
