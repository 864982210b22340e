"""Columns of fixed width, as databases print them: told by a line of dashes, or by blanks that run down all lines.

Such a layout stands among the choices as a delimiter that names the first place of each column: "fixed 0 12 43".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

_WORD = "fixed"
_RULER = re.compile(r"\s*-+(?:\s+-+)+\s*")
_FEWEST = 5  # lines from which on blanks below one another tell something
_RESPECT = 0.9  # of the lines that must keep to the columns
_LONG = 20  # characters of a line from which on it may hold several columns
_LINES = 60  # looked at for a line of dashes


def name_columns(edges: Sequence[int]) -> str:
    """Return the name that a layout has as a delimiter."""
    return " ".join([_WORD, *map(str, edges)])


def edges_of(delimiter: str) -> tuple[int, ...]:
    """Return the columns' first places that a delimiter names, none where it is a delimiter."""
    words = delimiter.split()
    if len(words) < 3 or words[0] != _WORD or not all(word.isdecimal() for word in words[1:]):
        return ()
    edges = tuple(map(int, words[1:]))
    return edges if all(a < b for a, b in pairwise(edges)) else ()


def split(line: str, edges: Sequence[int], *, anywhere: bool = False) -> list[str]:
    """Cut a line into its columns; unless `anywhere`, one whose text runs across them is a title and stays whole."""
    line = line.rstrip("\r\n\f ").lstrip("\f").expandtabs()
    if not line:
        return []
    if not (anywhere or _respects(line, edges)):
        return [line.strip()]
    ends = [*edges[1:], len(line)]
    return [line[start:end].strip() for start, end in zip(edges, ends, strict=True)]


def _respects(line: str, edges: Sequence[int]) -> bool:
    return not line[: edges[0]].strip() and all(line[at - 1] == " " for at in edges[1:] if at <= len(line))


def is_parted(lines: Sequence[str], edges: Sequence[int]) -> bool:
    """Whether blanks stand between the columns of most lines."""
    rows = [row for line in lines if (row := line.rstrip("\r\n\f ").lstrip("\f").expandtabs())]
    return sum(_respects(row, edges) for row in rows) >= 0.5 * len(rows)


def by_ruler(lines: Sequence[str]) -> tuple[int, ...]:
    """Return where columns begin by a line of dashes below the header; none where there is no such line."""
    for line in lines[:_LINES]:
        ruler = line.rstrip("\r\n\f ").lstrip("\f").expandtabs()
        if not _RULER.fullmatch(ruler) or "--" not in ruler:
            continue
        edges = tuple(match.start() for match in re.finditer("-+", ruler))
        body = [row.rstrip("\r\n") for row in lines if len(row.strip()) > edges[1]]
        fits = sum(_respects(row.lstrip("\f").expandtabs(), edges) for row in body)
        return edges if fits >= _RESPECT * len(body) else ()
    return ()


def by_blanks(lines: Sequence[str]) -> tuple[int, ...]:
    """Return where columns begin by the blanks that run down all long lines; none where they don't tell."""
    rows = [row for line in lines if (row := line.rstrip("\r\n\f ").lstrip("\f").expandtabs())]
    if len(rows) < _FEWEST:
        return ()
    usual = float(np.median([len(row) for row in rows]))
    rows = [row for row in rows if 0.6 * usual <= len(row) <= 3 * usual]
    if len(rows) < _FEWEST or sum("  " in row.strip() for row in rows) < 0.8 * len(rows):
        return ()
    width = max(map(len, rows))
    points = np.array([list(row.ljust(width)) for row in rows])
    blank = (points == " ").mean(0) >= (1.0 if len(rows) < 20 else 0.98)
    begins = np.flatnonzero(~blank & np.concatenate([[True], blank[:-1]])).tolist()
    if len(begins) < 3:
        return ()
    head = rows[0]
    names = not any(char.isdigit() for char in head)  # a header names every column, so that no column begins elsewhere
    edges = [begins[0]]
    for at, end in zip(begins[1:], [*begins[2:], width], strict=True):
        if names and blank[(start := head.rfind(" ", 0, at) + 1) : at].all():
            at = start  # numbers stand to the right below a name
        here = bool(head[at:end].strip()) and _begins(head, at, end)
        if here if names else any(row[at - 2 : at] == "  " for row in rows):
            edges.append(at)
    runs = sum(len(re.findall(r"\S {2,}(?=\S)", row)) for row in rows) / len(rows)
    if len(edges) < 3 or runs < 0.6 * (len(edges) - 1):
        return ()
    return tuple(edges) if sum(_respects(row, edges) for row in rows) >= _RESPECT * len(rows) else ()


def _begins(head: str, at: int, end: int) -> bool:
    """Whether a word of the header begins in a column and not before it."""
    return head[at - 1] == " " and not head[at:end].startswith("  " * (end - at))


def count_unparted(lines: Sequence[str]) -> int:
    """Return the length that all lines have, as those of columns of fixed width without blanks; 0 where they differ."""
    rows = [row for line in lines if (row := line.rstrip("\r\n")).strip()]
    lengths = set(map(len, rows))
    if len(rows) < _FEWEST or len(lengths) != 1 or len(rows[0]) < _LONG:
        return 0
    digits = sum(char.isdigit() for row in rows[:2] for char in row)
    return len(rows[0]) if digits > 0.3 * 2 * len(rows[0].rstrip()) else 0
