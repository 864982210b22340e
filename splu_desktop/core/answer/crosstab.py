"""Cross-tables: counts of every value of a column in every line, from one release."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.answer.answer import EXACT, WITHIN, trust_of
from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.answer.reader import Grid, Reader
from splu_desktop.core.distinct import count_pairs, cross_codes
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.messages import no_column
from splu_desktop.core.table import Column

Floats = NDArray[np.float64]
MOST_CELLS = 100_000


class Cell(NamedTuple):
    """One cell of a table, its figures as in `Answer`."""

    line: tuple[str, ...]
    label: str
    selected: int
    published: int
    estimate: float
    low: float
    high: float
    low_alike: float
    high_alike: float
    trust: str


@dataclass(frozen=True, eq=False)
class CrossTable:
    """A table of counts.

    Attributes
    ----------
    by : columns of the lines.
    column : whose values make the columns of the table.
    lines : (L,) labels of each line.
    labels : (Q,) values of `column`.
    line_rows : (L,) rows of each line, exact where no sensitive column stands in `by`.
    published_counts : (L, Q) rows of the published table.
    estimate, low, high, low_alike, high_alike : (L, Q) as in `Answer`.
    exact : whether all counts are those of the source.
    small : the largest count that is called small.
    """

    by: tuple[str, ...]
    column: str
    lines: tuple[tuple[str, ...], ...]
    labels: tuple[str, ...]
    line_rows: NDArray[np.int64]
    published_counts: NDArray[np.int64]
    estimate: Floats
    low: Floats
    high: Floats
    low_alike: Floats
    high_alike: Floats
    exact: bool
    small: int

    def trust(self, line: int, label: int, within: float = WITHIN) -> str:
        """Return how far a cell may be trusted: exact, readable, rough or hidden."""
        if self.exact:
            return EXACT
        estimate, low, high = (float(each[line, label]) for each in (self.estimate, self.low, self.high))
        return trust_of(estimate, low, high, self.small, within)

    def cells(self) -> Iterator[Cell]:
        """Give all cells, line by line."""
        figures = [each.tolist() for each in (self.estimate, self.low, self.high, self.low_alike, self.high_alike)]
        for i, line in enumerate(self.lines):
            for j, label in enumerate(self.labels):
                x, low, high, low_alike, high_alike = (each[i][j] for each in figures)
                rows = int(self.line_rows[i]), int(self.published_counts[i, j])
                yield Cell(line, label, *rows, x, low, high, low_alike, high_alike, self.trust(i, j))


def crosstab(
    reader: Reader, by: Sequence[str], column: str, where: Sequence[Condition] = (), estimator: str = "shrunk"
) -> CrossTable:
    """Return counts of each value of `column` by the values of other columns, of rows that meet conditions.

    One of `by` may be sensitive; conditions are on unchanged columns. Raises BadQuestion.
    """
    published, table = reader.published, reader.published.table
    for name in (*by, column):
        if name not in table:
            raise BadQuestion(no_column(name, table.names))
    if len({*by, column}) < len(by) + 1:
        raise BadQuestion("“{table}” names a column twice; name it once.", table=", ".join([*by, column]))
    hidden = [name for name in by if published.is_sensitive(name)]
    question = reader.resolve(where)
    if len(hidden) > 1 or question.sas or (hidden and not published.is_sensitive(column)):
        raise BadQuestion("A table holds at most two secret columns, the one counted and one beside it.")
    open_by = [name for name in by if name not in hidden]
    line, keys, outside = _divide_rows(reader, [table[name] for name in open_by], question.nsas)
    lines = len(keys) + outside
    if len(keys) * table[column].m * (table[hidden[0]].m if hidden else 1) > MOST_CELLS:
        raise BadQuestion("The table would have more than {most} cells; name fewer columns.", most=MOST_CELLS)
    heads, alpha = label_lines([table[name] for name in open_by], keys), published.thresholds.alpha
    labels = tuple(map(str, table[column].labels))
    if not published.is_sensitive(column):
        counts = count_pairs(line, lines, table[column].codes, table[column].m)[outside:]
        x, rows = counts.astype(float), counts.sum(axis=1)
        return CrossTable(tuple(by), column, heads, labels, rows, counts, x, x, x, x, x, exact=True, small=alpha)
    grid = reader.column_grid(line, lines, *hidden, column)
    top = np.broadcast_to(grid.line_rows[:, None].astype(float), grid.published_counts.shape)
    low, high = grid.figures.interval(top)
    low_alike, high_alike = reader.among_alike(grid, top).interval(top)
    estimate = grid.figures.estimate
    if estimator != "unbiased":
        estimate = _lean(reader, grid, (*hidden, column), () if hidden else open_by, keys)
    figures = np.clip(estimate, low, high), low, high, low_alike, high_alike
    shown, selected = grid.published_counts, grid.line_rows
    if hidden:  # lines of the hidden column's values come out of the pairs
        m1 = table[hidden[0]].m
        shown, selected = shown.reshape(lines * m1, -1), np.repeat(selected, m1)
        at, values = by.index(hidden[0]), table[hidden[0]].labels
        heads = tuple((*head[:at], str(value), *head[at:]) for head in heads for value in values)
        outside *= m1
    x, low, high, low_alike, high_alike = (each.reshape(len(shown), -1)[outside:] for each in figures)
    rows, shown, ends = selected[outside:], shown[outside:], (low_alike, high_alike)
    return CrossTable(tuple(by), column, heads, labels, rows, shown, x, low, high, *ends, exact=False, small=alpha)


def _divide_rows(
    reader: Reader, columns: Sequence[Column], conditions: Sequence[tuple[str, bytes]]
) -> tuple[NDArray[np.int32], NDArray[np.int64], int]:
    """Return (N,) the line of each row, (L,) the lines' keys, and 1 where rows that do not meet conditions are line 0.

    A key numbers the labels of all columns as digits do.
    """
    key, inside = np.zeros((2, reader.published.n), np.int64)
    for column in columns:
        key *= column.m
        key += column.codes
    rows = reader.rows_that_meet(conditions)
    inside[rows] = key[rows] + 1
    line, keys = cross_codes(inside, math.prod(column.m for column in columns) + 1)
    outside = int((keys[:1] == 0).any())
    return line, keys[outside:] - 1, outside


def label_lines(columns: Sequence[Column], keys: NDArray[np.int64]) -> tuple[tuple[str, ...], ...]:
    """Return the labels of each of (L,) lines, by their keys."""
    heads, rest = [], keys
    for column in reversed(columns):
        rest, code = np.divmod(rest, column.m)
        heads.append(map(str, column.labels[code]))
    return tuple(zip(*reversed(heads), strict=True)) if heads else ((),) * len(keys)


def _lean(reader: Reader, grid: Grid, names: Sequence[str], by: Sequence[str], keys: NDArray[np.int64]) -> Floats:
    """Return estimates drawn towards what lines by several columns let expect by the lifts of each."""
    target = grid.target.copy()
    if len(by) > 1:
        rest = keys
        for name in reversed(by):
            rest, code = np.divmod(rest, reader.published.table[name].m)
            target[len(target) - len(keys) :] *= reader.lifts(names[-1], reader.label_grid(names[-1], name))[code]
        total = target.sum(axis=1, keepdims=True)
        target = np.where(total > 0, target / np.where(total > 0, total, 1) * grid.line_rows[:, None], target)
    return grid.figures.draw_towards(target, float(np.mean([reader.spread(name) for name in names])))
