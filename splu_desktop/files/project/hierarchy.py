"""Value hierarchies: ARX's hierarchy files as they are, and tables of value and group name.

A file has no header; each row holds a value, then its group on level 1, on level 2, and so on. ARX writes semicolons
and quotes as needed; commas and tabs are read as well. Two columns are a grouping by hand.
"""

from __future__ import annotations

from pathlib import Path

from splu_desktop.core.errors import FileFault
from splu_desktop.core.generalise import CannotGeneralise, Groups, Hierarchy
from splu_desktop.core.messages import say
from splu_desktop.core.resources import data_folder
from splu_desktop.files.disk.plain_data import from_csv, read_bytes, say_of_file

LARGEST = 50 << 20  # bytes


class BadHierarchy(FileFault):
    """A file is no hierarchy, or contradicts itself."""


def read_hierarchy(path: Path, level: int = 1) -> Hierarchy:
    """Read a hierarchy file.

    Parameters
    ----------
    path : CSV in UTF-8 (or, failing that, Windows-1252) without a header; where a bare name is not there, that file in
        the folder "hierarchies" of the user's own.
    level : the level to use, from 1.

    Raises
    ------
    BadHierarchy : with file, row and what to do. CannotGeneralise : there is no such level.
    """
    rows = _rows(path)
    width = len(rows[0][1])
    if width < 2:
        raise _none(path)
    first: dict[str, tuple[int, tuple[str, ...]]] = {}
    for number, row in rows:
        if len(row) != width:
            raise BadHierarchy(
                "“{path}”, row {number}, has {fields} fields where row {first} has {width}; every value "
                "needs a group on every level.",
                path=path.name,
                number=number,
                fields=len(row),
                first=rows[0][0],
                width=width,
            )
        before = first.setdefault(row[0], (number, row))
        if before[1] != row:
            raise BadHierarchy(
                "“{path}” gives the value “{value}” two different groupings, in rows {before} and {number}; keep one.",
                path=path.name,
                value=row[0][:80],
                before=before[0],
                number=number,
            )
    try:
        return Hierarchy(tuple(row for _, row in first.values()), level, path.name)
    except CannotGeneralise as fault:
        raise CannotGeneralise(say_of_file(path, fault)) from None


def read_groups(path: Path) -> Groups:
    """Read a file of two columns, value and group name, as a grouping by hand. Raises BadHierarchy."""
    hierarchy = read_hierarchy(path)
    if hierarchy.levels != 1:
        raise BadHierarchy(
            "“{path}” has {levels} columns; a grouping has two, value and group name. Read it as a hierarchy instead.",
            path=path.name,
            levels=hierarchy.levels + 1,
        )
    members: dict[str, list[str]] = {}
    for value, name in hierarchy.rows:
        members.setdefault(name, []).append(value)
    try:
        return Groups.of(members)
    except CannotGeneralise as fault:
        raise BadHierarchy(say_of_file(path, fault)) from None


def _rows(path: Path) -> list[tuple[int, tuple[str, ...]]]:
    """Return (row number, fields) of every row that is not blank."""
    kept = data_folder() / "hierarchies" / path
    if path.name == str(path) and not path.exists() and kept.is_file():
        path = kept
    if rows := from_csv(read_bytes(path, LARGEST, BadHierarchy)):
        return rows
    raise _none(path)


def _none(path: Path) -> BadHierarchy:
    return BadHierarchy(
        say(
            "“{path}” is no hierarchy: a text with a value and its groups in each row, between semicolons, commas or "
            "tabs.",
            path=path.name,
        )
    )
