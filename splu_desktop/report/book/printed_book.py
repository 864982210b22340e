"""A book in numbers: lines, columns, counts with ranges, and which of them are protected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.answer.answer import EXACT, HIDDEN, READABLE, ROUGH, trust_of
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.report.book.counting import Counts, Figures, ReleaseCounts
from splu_desktop.report.book.tables import BookTable

_MOST_CELLS = 20_000  # of a table that somebody reads


@dataclass(frozen=True)
class Figure:
    """A count, or a mean, as it is printed.

    Attributes
    ----------
    number, low, high : the figure and the ends of its range.
    trust : exact, readable, rough, or hidden: then the range alone is printed.
    truth : the true count, where it may be seen at home.
    """

    number: float
    low: float
    high: float
    trust: str
    truth: int | None = None

    @property
    def is_told(self) -> bool:
        """Whether the number itself is printed: it is not hidden, and stands within its range."""
        return self.trust != HIDDEN and self.low <= self.number <= self.high


@dataclass(frozen=True)
class Line:
    """A line of a table: a label for each head, none for all lines together; all rows; each count and what it is of."""

    labels: tuple[str, ...]
    rows: Figure
    cells: tuple[tuple[Figure, Figure], ...]


@dataclass(frozen=True)
class PrintedTable:
    """A table: heads of the columns that name its lines, its other columns ("" for all together), and its lines."""

    table: BookTable
    heads: tuple[str, ...]
    labels: tuple[str, ...]
    lines: tuple[Line, ...]


def count_tables(tables: Sequence[BookTable], counts: Counts, progress: Progress = SILENT) -> tuple[PrintedTable, ...]:
    """Return tables with their counts. Raises BadQuestion; Cancelled."""
    results = []
    for done, asked in enumerate(tables):
        progress.report("Counting", done / len(tables))
        results.append(_count_table(asked, counts))
    return tuple(results)


def _count_table(asked: BookTable, counts: Counts) -> PrintedTable:
    labels = tuple(map(str, counts.table[asked.across or asked.column].labels))
    if asked.show == "mean":
        labels = (*labels, "") if asked.across else ("",)
    elif asked.value is not None:
        labels = (*labels, "") if asked.across else (asked.value,)
    stacked = len(asked.groups) > 1
    lines: list[Line] = []
    for group in (*asked.groups, ()):
        heads: list[tuple[str, ...]] = [()]
        line = np.zeros(counts.table.n, np.int64)
        if group:
            line, heads = counts.lines_of(group)
        if (len(lines) + len(heads)) * len(labels) > _MOST_CELLS:
            raise BadQuestion("The table would have more than {most} cells; name fewer columns.", most=_MOST_CELLS)
        rows = _count_lines(asked, counts, line, heads)
        if asked.show == "mean" and isinstance(counts, ReleaseCounts):
            rows = [_average_line(asked, counts, labels, group, each) for each in rows]
        if stacked and group:
            rows = [replace(each, labels=(", ".join(group), ", ".join(each.labels))) for each in rows]
        lines += rows
    return PrintedTable(asked, ("", "") if stacked else next(iter(asked.groups), ("",)), labels, tuple(lines))


def _count_lines(
    asked: BookTable, counts: Counts, line: NDArray[np.int64], heads: Sequence[tuple[str, ...]]
) -> list[Line]:
    keys = [(line, 1)]
    if asked.across:
        column = counts.table[asked.across]
        keys.insert(0, (line * column.m + column.codes, column.m))
    counted = "" if asked.show == "mean" else asked.column
    parts = [
        (m, counts.count(counted, asked.value, key, len(heads) * m), counts.count("", None, key, len(heads) * m))
        for key, m in keys
    ]

    def judge(part: Figures, *at: int) -> Figure:
        number, low, high = (int(each[at]) for each in (part.number, part.low, part.high))
        trust = EXACT if low == number == high else trust_of(number, low, high, counts.small, asked.within)
        return Figure(number, low, high, trust, None if part.truth is None else int(part.truth[at]))

    lines = []
    for at, labels in enumerate(heads):
        cells = [
            (judge(part, place, each), judge(rows, place, 0))
            for m, part, rows in parts
            for place in range(at * m, (at + 1) * m)
            for each in range(part.number.shape[1])
        ]
        lines.append(Line(labels, judge(parts[-1][2], at, 0), tuple(cells)))
    return lines


def _average_line(
    asked: BookTable, counts: ReleaseCounts, labels: Sequence[str], group: Sequence[str], line: Line
) -> Line:
    """Return a line with averages in place of its rows' counts; one that can't be told is hidden, and has no range."""
    cells, last = [], len(labels) - 1
    for at, (label, (_, rows)) in enumerate(zip(labels, line.cells, strict=True)):
        where = dict(zip(group, line.labels, strict=True)) | ({asked.across: label} if at < last else {})
        mean = Figure(0, 0, 0, HIDDEN)
        if (average := counts.average(asked.column, where)) is not None:
            number, low, high = average
            good = READABLE if (high - low) / 2 <= asked.within * abs(number) else ROUGH
            mean = Figure(number, low, high, EXACT if low == high else good)
        cells.append((mean, rows))
    return replace(line, cells=tuple(cells))
