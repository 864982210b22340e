"""Tolerances in a CSV file: one row per value, the value and its tolerance; and lists of values that may occur."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from splu_desktop.core.errors import BadSetting, FileFault
from splu_desktop.core.groups.rules import from_pairs, said
from splu_desktop.core.groups.tolerances import NOT_SENSITIVE, Tolerances
from splu_desktop.core.messages import say
from splu_desktop.core.table import Column
from splu_desktop.files.disk.plain_data import read_bytes

_MOST_BYTES = 16 << 20
_HEADS = ("tolerance", "sensitivity")


class BadToleranceFile(FileFault):
    """A file of tolerances can't be read or used."""


def read_tolerances(
    path: Path, column: Column, rest: float | str | Fraction | Tolerances = NOT_SENSITIVE
) -> Tolerances:
    """Return the tolerances of a CSV file for a column; values it does not name get `rest`.

    Two columns, value and tolerance (a number, or none, low, medium, high), separated by comma or semicolon; a first
    row whose second cell is the word tolerance or sensitivity is a heading. Raises BadToleranceFile, naming file and
    row.
    """
    pairs: dict[str, tuple[int, str, Fraction]] = {}
    for number, row in _rows(path):
        if len(row) != 2:
            raise BadToleranceFile(
                "Row {number} of “{path}” has {cells} cells; give two in each row, a value and its tolerance.",
                number=number,
                path=path.name,
                cells=len(row),
            )
        label, text = row
        if number == 1 and text.strip().lower() in _HEADS:
            continue
        try:
            limit = said(label, text)
            from_pairs(column, [(label, text)])
        except BadSetting as fault:
            raise BadToleranceFile(
                "Row {number} of “{path}”: {fault}", number=number, path=path.name, fault=fault
            ) from None
        before = pairs.get(label)
        if before is not None and before[2] != limit:
            raise BadToleranceFile(
                "Rows {first} and {number} of “{path}” give “{label}” two tolerances, {earlier:g} and "
                "{limit:g}; give it one.",
                first=before[0],
                number=number,
                path=path.name,
                label=label,
                earlier=float(before[2]),
                limit=float(limit),
            )
        pairs[label] = number, text, limit
    if not pairs:
        raise BadToleranceFile(
            "“{path}” holds no tolerances; give a value and its tolerance in each row.", path=path.name
        )
    return from_pairs(column, [(label, text) for label, (_, text, _) in pairs.items()], rest)


def read_declared(path: Path, column: Column) -> tuple[str, ...]:
    """Return the values that a file declares for a column: the first cell of each row, each value once.

    A first row that holds the column's name, or the word value, is a heading. Raises BadToleranceFile.
    """
    found = [row[0].strip() for _, row in _rows(path)]
    if found and found[0].lower() in (column.name.lower(), "value"):
        found = found[1:]
    if not found:
        raise BadToleranceFile("“{path}” holds no values; give one in each row.", path=path.name)
    return tuple(dict.fromkeys(found))


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    none = say("“{path}” can't be read: there is no such file.")
    content = read_bytes(path, _MOST_BYTES, BadToleranceFile, say("a list of values and tolerances"), none)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadToleranceFile("“{path}” is not UTF-8 text; save it as “CSV UTF-8”.", path=path.name) from None
    first = text.partition("\n")[0]
    mark = ";" if first.count(";") > first.count(",") else ","
    try:
        listed = list(csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True))
    except csv.Error:
        raise BadToleranceFile(
            "“{path}” is not a readable CSV file: a quotation mark is not closed.", path=path.name
        ) from None
    return [(number, row) for number, row in enumerate(listed, 1) if any(cell.strip() for cell in row)]


def combined(
    column: Column,
    given: Mapping[str, str],
    path: Path | None,
    rest: float | str | Fraction | Tolerances,
) -> Tolerances:
    """Return tolerances said one by one and in a file, both; `rest` for the others. Raises where the two disagree."""
    base = rest if path is None else read_tolerances(path, column, rest)
    result = from_pairs(column, given.items(), base)
    if path is not None:
        named = read_tolerances(path, column, Fraction(1, 10**9)).limits
        for label in given:
            if named[label] not in (result.limits[label], Fraction(1, 10**9)):
                raise BadToleranceFile(
                    "“{label}” is given the tolerance {given:g} by hand and {read:g} in “{path}”; give it one.",
                    label=label,
                    given=float(result.limits[label]),
                    read=float(named[label]),
                    path=path.name,
                )
    return result
