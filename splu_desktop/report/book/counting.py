"""What a book counts with: a release, of which every number is a sum, or a source, of which every count has noise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.answer.analyses import Analysis, analyse
from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.answer.equations import NoAnswer
from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.mechanism.cell_noise import MOST, CellNoise, Keys, count_ranges
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.limits import limits_for
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.sanitise import DrawInput, join_labels
from splu_desktop.core.table import Column, Table, unique
from splu_desktop.report.book.tables import BookTable
from splu_desktop.report.book.whole_numbers import round_to_sums

Ints = NDArray[np.int64]

_MOST = 20_000_000  # numbers of all finest lines: what a usual computer holds


@dataclass(frozen=True, eq=False)
class Figures:
    """Counts of lines, each (L, Q): as printed, the ends of their 95 % ranges, and true where seen at home."""

    number: Ints
    low: Ints
    high: Ints
    truth: Ints | None = None


class Counts(Protocol):
    """Counts the values of a column in lines.

    Attributes
    ----------
    table : (N,) rows, with the columns that may be named.
    secret : columns that are counted and make no lines.
    small : the largest count that is called small.
    """

    table: Table
    secret: tuple[str, ...]
    small: int

    def count(self, column: str, value: str | None, line: Ints, lines: int) -> Figures:
        """Return figures of one value, or of each, in the line (N,) of each row, from 0; of all rows for column ""."""

    def lines_of(self, names: Sequence[str]) -> tuple[Ints, list[tuple[str, ...]]]:
        """Return (N,) the line of each row and the labels of each line, by columns that are crossed."""


class ReleaseCounts:
    """Counts from a release.

    All numbers of a secret column are sums of one table of whole numbers, that of its values in the finest lines that
    the book's columns make together; so parts add up to their totals in every table, and no difference of tables tells
    what the release does not. Sums of that table are the estimates that are right on average, rounded.
    """

    def __init__(self, reader: Reader, tables: Sequence[BookTable], progress: Progress = SILENT) -> None:
        published = reader.published
        self.table, self.secret, self.small = published.table, published.sensitive, published.thresholds.alpha
        self._reader = reader
        self._finest: dict[str, tuple[Ints, Ints]] = {}  # column -> a row of each finest line, and its whole numbers
        for name in self.secret:
            if counted := [each for each in tables if each.column == name and each.show != "mean"]:
                self._finest[name] = self._count_finest(name, counted, progress)

    def count(self, column: str, value: str | None, line: Ints, lines: int) -> Figures:
        """Return figures; exact ones of an unchanged column."""
        codes, m = _codes(self.table, column)
        kept = slice(None) if value is None else [self.table[column].code_of(value)]
        if column not in self._finest:
            exact = np.bincount(line * m + codes, minlength=lines * m).reshape(lines, m)[:, kept]
            return Figures(exact, exact, exact)
        first, whole = self._finest[column]
        number = np.zeros((lines, m), np.int64)
        np.add.at(number, line[first], whole)
        rows = np.bincount(line, minlength=lines).astype(float)
        figures = self._reader.column_grid(line, lines, column).figures
        low, high = figures.interval(np.broadcast_to(rows[:, None], number.shape))
        # Outwards: in whole numbers a range may be a little too wide, never too narrow.
        ends = np.floor(low + 1e-9).astype(np.int64), np.ceil(high - 1e-9).astype(np.int64)
        return Figures(number[:, kept], ends[0][:, kept], ends[1][:, kept])

    def average(self, column: str, where: Mapping[str, str]) -> tuple[float, float, float] | None:
        """Return the mean of a column's numbers in the rows that have some labels, with its range; None if not told."""
        conditions = tuple(Condition(name, (label,)) for name, label in where.items())
        try:
            mean = analyse(self._reader, Analysis("mean", column, where=conditions)).first
        except NoAnswer:
            return None
        return mean.estimate, mean.low, mean.high

    def lines_of(self, names: Sequence[str]) -> tuple[Ints, list[tuple[str, ...]]]:
        """Return the line of each row and the labels of each: lines that some row has."""
        first, line = self._lines(names)
        texts = [self.table[name].labels[self.table[name].codes[first]].tolist() for name in names]
        return line, list(zip(*texts, strict=True))

    def _lines(self, names: Sequence[str]) -> tuple[Ints, Ints]:
        _, first, line = np.unique(_cross(self.table, names), return_index=True, return_inverse=True)
        return first, line.astype(np.int64)

    def _count_finest(self, name: str, tables: Sequence[BookTable], progress: Progress) -> tuple[Ints, Ints]:
        first, line = self._lines(list(dict.fromkeys(each for one in tables for each in one.columns[1:])))
        if len(first) * self.table[name].m > _MOST:
            raise BadQuestion("The tables of “{name}” need too many lines together; make two books.", name=name)
        estimate = self._reader.column_grid(line, len(first), name).figures.estimate
        groups = dict.fromkeys(group for each in tables for group in each.margins)
        return first, round_to_sums(estimate, [self._lines(group)[1][first] for group in groups], progress)


class NoisyCounts:
    """Counts from a source, persons where a column names them, each with the noise of its own units.

    Labels that would be shown with fewer than the audience may see are joined: that a label is there tells that
    somebody has it. Shown counts decide, so nothing but they are told; a value that a table asks for keeps its name.

    Parameters
    ----------
    prepared : the source as the plan makes it.
    plan : whose published and secret columns may be named.
    key : the custodian's secret.
    """

    def __init__(self, prepared: DrawInput, plan: Plan, key: bytes) -> None:
        named = {*plan.nsas, *plan.sensitive}
        self.secret, self.small = plan.sensitive, plan.thresholds.alpha
        # Noise lifts one person to 1 + MOST at most, so that no label of a single person stands.
        self.least = max(limits_for(plan.audience).printed, MOST + 2)
        self._prepared, self._plan, self._noise = prepared, plan, CellNoise(key)
        self.table = Table(tuple(column for column in prepared.table.columns if column.name in named))
        # After the first table, since each column is counted in it as it was before any was joined.
        self.table = Table(tuple(map(self._join_rare, self.table.columns)))

    def count(self, column: str, value: str | None, line: Ints, lines: int) -> Figures:
        """Return figures with noise, and true ones for the custodian's eyes."""
        codes, m = _codes(self.table, column)
        kept = slice(None) if value is None else [self.table[column].code_of(value)]
        size = len(self._keys)
        # A person counts once in a cell, with however many rows.
        cell, unit = np.divmod(unique((line * m + codes) * size + self._prepared.owner), size)
        truth, sums = np.bincount(cell, minlength=lines * m), np.zeros(lines * m, np.uint64)
        np.add.at(sums, cell, self._keys[unit])
        number = self._noise.show(truth, sums).reshape(lines, m)[:, kept]
        return Figures(number, *count_ranges(number), truth.reshape(lines, m)[:, kept])

    def lines_of(self, names: Sequence[str]) -> tuple[Ints, list[tuple[str, ...]]]:
        """Return the line of each row and the labels of each: all lines, also those that nobody has."""
        labels: list[tuple[str, ...]] = [()]
        for name in names:
            labels = [(*head, str(label)) for head in labels for label in self.table[name].labels]
        return _cross(self.table, names), labels

    def _join_rare(self, column: Column) -> Column:
        shown = self.count(column.name, None, np.zeros(column.n, np.int64), 1).number[0]
        asked = {each.value for each in self._plan.questions if each.sa == column.name}
        kept = np.array([label in asked for label in column.labels.tolist()])
        few = (shown < self.least) & ~column.missing & ~kept
        return join_labels(column, few) if few.any() else column

    @cached_property
    def _keys(self) -> Keys:
        """(P,) keys of persons, known by what names them, and of rows, by what stands in them."""
        source, persons = self._prepared.source, self._plan.persons
        owners, names = self._prepared.owner.tolist(), [""] * self._prepared.person_count
        if persons is not None:
            column = source[persons.column]
            for owner, text in zip(owners, column.labels[column.codes].tolist(), strict=True):
                names[owner] = max(names[owner], f"person {text}" if text else "")
        seen: Counter[str] = Counter()
        rows = zip(*(column.labels[column.codes].tolist() for column in source.columns), strict=True)
        for owner, texts in zip(owners, rows, strict=True):
            if not names[owner]:
                # A mark between the cells, or “a, bc” and “ab, c” would be one row.
                row = "\x1f".join(texts)
                names[owner] = f"row {seen[row]} {row}"  # equal rows are told apart by a number
                seen[row] += 1
        return self._noise.unit_keys(names)


def _codes(table: Table, column: str) -> tuple[Ints, int]:
    """Return (N,) the value of each row and how many values there are; one for all rows where no column is named."""
    return (table[column].codes.astype(np.int64), table[column].m) if column else (np.zeros(table.n, np.int64), 1)


def _cross(table: Table, names: Sequence[str]) -> Ints:
    key = np.zeros(table.n, np.int64)
    for at, name in enumerate(names):
        if at and at % 3 == 0:  # so many columns may have more lines together than a number has values
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
        key = key * table[name].m + table[name].codes
    return key
