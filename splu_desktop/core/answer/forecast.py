"""What a release will tell, before anything is drawn: expected intervals by closed form, for many gammas at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.answer.counts import count_groups_by_class, count_one_block, count_rows_beside
from splu_desktop.core.answer.crosstab import label_lines
from splu_desktop.core.answer.scores import class_shares
from splu_desktop.core.band_means import typical
from splu_desktop.core.distinct import count_pairs, cross_codes, pair_keys
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.mechanism import Block
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import block_codes
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.sanitise import DrawInput
from splu_desktop.core.table import Column, remember
from splu_desktop.core.thresholds import NORMAL_95

Floats = NDArray[np.float64]
Ints = NDArray[np.integer]
Flags = NDArray[np.bool_]

LEAST = 50  # true count from which a cell is expected to be readable
_FACTOR = 0.5  # relative half width of a rate that is to be compared
_OTHERS, _OTHER_LEAST, _OTHER_WITHIN = 200, 100, 0.3
_OTHER_PARTS = 500_000  # figures that are worked out for one pair of columns at most
_OTHER_COLUMNS, _OTHER_LABELS, _OTHER_SENSITIVE = 5, 40, 4


@dataclass(frozen=True, eq=False)
class Forecast:
    """A table that is asked, as recipients will read it.

    Attributes
    ----------
    table : the table.
    lines : (L,) labels of each line.
    labels : (Q,) the values that are counted; ("mean",) for averages.
    truth : (L, Q) true figures.
    rows : (L,) rows of each line.
    low, high : (G, L, Q) ends of the range that recipients will read at each strength, around the truth.
    """

    table: AskedTable
    lines: tuple[tuple[str, ...], ...]
    labels: tuple[str, ...]
    truth: Floats
    rows: NDArray[np.int64]
    low: Floats
    high: Floats

    @property
    def counts(self) -> Floats:
        """(L, Q) records behind each figure."""
        return np.broadcast_to(self.rows[:, None], self.truth.shape) if self.table.kind == "mean" else self.truth

    @property
    def large_cells(self) -> NDArray[np.bool_]:
        """(L, Q) cells large enough to be readable."""
        return np.asarray(self.counts >= LEAST)

    @property
    def readable(self) -> NDArray[np.bool_]:
        """(G, L, Q) cells that are told as well as was asked."""
        within = _FACTOR if self.table.kind == "compare" else self.table.within
        return np.asarray((self.high - self.low) / 2 <= within * np.abs(self.truth))

    def count_readable(self, at: int) -> tuple[int, int]:
        """Return how many of how many cells of 50 and more are readable at the strength of this place."""
        return int((self.readable[at] & self.large_cells).sum()), int(self.large_cells.sum())


class Forecaster:
    """Makes forecasts of one prepared table; what is counted once serves every gamma.

    Parameters
    ----------
    prepared, plan : the table as the mechanism sees it, and what becomes of it.
    hopeful : whether rows of a person count as independent: ranges that no draw makes narrower, in a tenth of the time.
    """

    def __init__(self, prepared: DrawInput, plan: Plan, *, hopeful: bool = False) -> None:
        self.prepared, self.plan, self._hopeful = prepared, plan, hopeful
        self._sizes = np.bincount(prepared.row_class, minlength=prepared.classes.number).astype(float)  # of classes

    def forecast(self, asked: AskedTable, gammas: Sequence[float], least: int = 0) -> Forecast:
        """Return what a table will tell at each strength. Raises BadSetting, UnknownColumn.

        least : rows of values that are looked at; rarer ones have no cell of so many.
        """
        table, plan = self.prepared.table, self.plan
        if asked.sa not in plan.sensitive:
            raise BadSetting("“{column}” is not drawn anew, so all its counts are exact.", column=asked.sa)
        line, keys = cross_codes(*self._lines(asked.by))
        heads = label_lines([table[name] for name in asked.by], keys)
        column = table[asked.sa]
        rows = np.bincount(line, minlength=len(keys))
        if asked.kind == "mean":
            truth, low, high = self._means(asked, column, line, len(keys), gammas)
            return Forecast(asked, heads, ("mean",), truth, rows, low, high)
        values = _asked_values(column, asked.value, least)
        truth = _tally(line, _events(column, values), len(keys), len(values) + 1)
        low, high = self.counts(line, len(keys), values, asked.sa, gammas)
        labels = tuple(str(column.labels[at]) for at in values)
        return Forecast(asked, heads, labels, truth, rows, low, high)

    def counts(
        self,
        line: NDArray[np.integer],
        lines: int,
        values: NDArray[np.int64],
        sensitive: str,
        gammas: Sequence[float],
        some: NDArray[np.int64] | None = None,
    ) -> tuple[Floats, Floats]:
        """Return (G, L, Q) ends of the ranges expected of counts of some values by line.

        values : (Q,) codes of a sensitive column.
        some : the rows of those lines that are asked for; None for all.
        """
        classes, number = self.prepared.row_class, self.prepared.classes.number
        block, owner = self.plan.block_of(sensitive), self.prepared.units.owner
        codes, m = _events(self.prepared.table[sensitive], values), len(values) + 1
        if some is not None and block.draw.name != "groups":
            line, codes, classes = line.take(some), codes.take(some), classes.take(some)
            owner = owner.take(some) if self.prepared.units.person else owner
        pair, pairs = cross_codes(pair_keys(line, number, classes), lines * number)
        of_line, of_class = np.divmod(pairs, number)
        true = _tally(pair, codes, len(pairs), m)
        rows = np.bincount(pair, minlength=len(pairs)).astype(float)[:, None]
        # No more than the line has rows: unchanged columns are published, so recipients cut there as well.
        top = np.bincount(of_line, rows[:, 0], lines)[:, None].astype(float)
        size, share = self._sizes[of_class][:, None], self._class_shares(sensitive)[:, values][of_class]
        effect = self._effect(block, pair, owner, of_class)[:, None]
        low, high = np.empty((2, len(gammas), lines, len(values)))
        for at, gamma in enumerate(gammas):
            a = 1 / gamma
            if block.draw.name == "groups":
                draw = block.draw.with_gamma(float(round(gamma)))  # groups have a whole number of records
                shown = block_codes(self.prepared.table, block.columns)
                figures = count_groups_by_class(draw, shown, classes, line, lines, codes, m, drawn=False)
            else:
                # The interval is a formula of what is shown: put in what will be shown on average, and nothing need be
                # drawn.
                average = a * true + (1 - a) * rows * share
                figures = count_one_block(a, rows, size, average, share, of_line, lines, effect)
            low[at], high[at] = (each[:, : len(values)] for each in figures.interval(top))
        return low, high

    @remember
    def _class_shares(self, sensitive: str) -> Floats:
        """Return (C, m) the share of each value among the rows of each class."""
        column, classes = self.prepared.table[sensitive], self.prepared.row_class
        return class_shares(column.codes, column.m, classes, self.prepared.classes.number)

    def _effect(self, block: Block, pair: Ints, owner: Ints, of: Ints) -> Floats:
        """Return (K,) how many times as wide sums over parts, `of` which classes, scatter by persons' rows."""
        if self._hopeful or not self.prepared.units.person:
            return np.ones(len(of))
        known = owner if self.plan.persons is not None and self.plan.persons.number else None
        person_rows = np.array([cell.rows for cell in self.prepared.classes.cells])[of]
        return 1 + count_rows_beside(pair, known, person_rows) * self.prepared.stay_alike(block.columns)

    def _means(
        self, asked: AskedTable, column: Column, line: NDArray[np.integer], lines: int, gammas: Sequence[float]
    ) -> tuple[Floats, Floats, Floats]:
        values = column.values if column.values is not None and column.values.dtype.kind == "f" else typical(column, {})
        if values is None:
            raise BadSetting("“{column}” holds no numbers; name one of its values.", column=column.name)
        number = np.where(column.missing, np.nan, values)[column.codes]
        # Rows without a number are no part of a mean, neither of its class's.
        known = np.isfinite(number)
        classes = self.prepared.row_class[known]
        y, at = number[known], line[known]
        n = np.bincount(at, minlength=lines).astype(float)
        mean = np.bincount(at, y, minlength=lines) / np.maximum(n, 1)
        size = np.bincount(classes, minlength=self.prepared.classes.number).astype(float)
        centre = np.bincount(classes, y, minlength=len(size)) / np.maximum(size, 1)
        square = np.bincount(classes, y**2, minlength=len(size)) / np.maximum(size, 1)
        spread = np.maximum(square - centre**2, 0)
        pair, pairs = cross_codes(pair_keys(at, len(size), classes), lines * len(size))
        rows = np.bincount(pair).astype(float)
        of_line, of_class = np.divmod(pairs, len(size))
        q = rows / size[of_class]
        block, owner = self.plan.block_of(asked.sa), self.prepared.units.owner[known]
        scatter = spread[of_class] * self._effect(block, pair, owner, of_class)
        low, high = np.empty((2, len(gammas), lines, 1))
        for place, gamma in enumerate(gammas):
            a = 1 / gamma
            # As for counts: a row of the line moves the mean by its score, and all rows by their part in the class's.
            total = (1 - a**2) / a**2 * scatter * rows * (1 - (1 - a**2) * q)
            variance = np.bincount(of_line, total, minlength=lines) / np.maximum(n, 1) ** 2
            half = NORMAL_95 * np.sqrt(variance)
            low[place, :, 0], high[place, :, 0] = mean - half, mean + half
        return mean[:, None], low, high

    def other_questions(self, gammas: Sequence[float]) -> Floats:
        """Return (G,) the share of some 200 ordinary other questions, of 100 rows and more, told within 30 %.

        Values of sensitive columns by one or two unchanged columns, evenly chosen by size. NaN where there are none.
        """
        tables = list(self._other_tables())
        # Which cells are asked follows from true counts alone; ranges are worked out for the lines of these.
        truths = []
        for sensitive, by, values in tables:
            line, lines = self._lines(by)
            truths.append(_tally(line, _events(self.prepared.table[sensitive], values), lines, len(values) + 1))
        there = [true >= _OTHER_LEAST for true in truths]
        truth = np.concatenate([np.zeros(0), *(true[each] for true, each in zip(truths, there, strict=True))])
        if not len(truth):
            return np.full(len(gammas), np.nan)
        # From the smallest to the largest: most cells are small, and a random choice would be of those alone.
        places = np.linspace(0, len(truth) - 1, min(_OTHERS, len(truth))).astype(int)
        asked = np.isin(np.arange(len(truth)), np.argsort(truth, kind="stable")[places])
        ends, halves = np.cumsum([each.sum() for each in there])[:-1], []
        for each, cells, chosen in zip(tables, there, np.split(asked, ends), strict=True):
            cells[cells] = chosen
            if chosen.any():
                halves.append(self._half_widths(*each, cells, gammas))
        return np.asarray((np.concatenate(halves, axis=1) <= _OTHER_WITHIN * truth[asked]).mean(axis=1))

    def _other_tables(self) -> Iterator[tuple[str, tuple[str, ...], NDArray[np.int64]]]:
        """Give a sensitive column, one or two unchanged ones, and the codes of the values that are asked about."""
        table, plan = self.prepared.table, self.plan
        lines = [name for name in plan.nsas if 2 <= table[name].m <= _OTHER_LABELS][:_OTHER_COLUMNS]
        for sensitive in plan.sensitive[:_OTHER_SENSITIVE]:
            column = table[sensitive]
            # Nobody asks a table of so many values, and it alone would take as long as all others.
            if column.m > 2_000:
                continue
            for by in [(each,) for each in lines] + list(combinations(lines, 2)):
                cells = math.prod(table[name].m for name in by)
                if cells * column.m <= 200_000:
                    parts = min(cells * self.prepared.classes.number, table.n)
                    yield sensitive, by, _some_values(column, parts)

    def _lines(self, by: Sequence[str]) -> tuple[NDArray[np.integer], int]:
        """Return (N,) the line of each row, and how many lines there may be."""
        columns = [self.prepared.table[name] for name in by]
        lines = math.prod(each.m for each in columns)
        line = np.zeros(self.prepared.table.n, np.promote_types(np.int32, np.min_scalar_type(-lines)))
        for each in columns:
            line *= each.m  # in place: a new array costs more than what is done with it
            line += each.codes
        return line, lines

    def _half_widths(
        self, sensitive: str, by: Sequence[str], values: NDArray[np.int64], cells: Flags, gammas: Sequence[float]
    ) -> Floats:
        """Return (G, K) half the width of the range of each of K `cells` (L, Q)."""
        line, lines = self._lines(by)
        asked, value_codes = np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))
        # All other lines are one, which few classes then cross: of tens of lines and values the rest is not worked out.
        place = np.full(lines, len(asked), np.int32)
        place[asked] = np.arange(len(asked))
        line = place.take(line)
        some = None if len(asked) == lines else np.flatnonzero(line < len(asked))
        low, high = self.counts(line, len(asked) + 1, values[value_codes], sensitive, gammas, some)
        return np.asarray((high - low)[:, :-1][:, cells[np.ix_(asked, value_codes)]] / 2)


def _events(column: Column, values: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return (N,) the place of each row's value among some (Q,), Q for all others."""
    to = np.full(column.m, len(values), np.int32)
    to[values] = np.arange(len(values))
    return to.take(column.codes)


def _tally(line: NDArray[np.integer], events: NDArray[np.int32], lines: int, m: int) -> Floats:
    """Return (L, m - 1) rows of each line with each event but the last."""
    hits = np.flatnonzero(events < m - 1)
    if 2 * len(hits) < len(events):  # few values are asked about, which few rows have
        line, events = line.take(hits), events.take(hits)
    return count_pairs(line, lines, events, m)[:, :-1].astype(float)


def _some_values(column: Column, parts: int) -> NDArray[np.int64]:
    """Return the codes of values that are asked about in so many parts of lines: all, or some evenly chosen by size."""
    known = np.flatnonzero(~column.missing)
    known = known[np.argsort(column.counts()[known], kind="stable")]
    most = max(1, min(len(known), _OTHER_PARTS // max(parts, 1)))
    return np.asarray(known[np.linspace(len(known) - 1, 0, most).astype(int)] if len(known) else known, np.int64)


def _asked_values(column: Column, value: str | None, least: int) -> NDArray[np.int64]:
    """Return the codes of the values that a table counts: all of so many rows or more, or the one that is named."""
    flags = ~column.missing & (column.counts() >= least) if value is None else column.labels == value
    if value is not None and not flags.any():
        raise BadSetting("“{column}” has no value “{value}”.", column=column.name, value=value)
    return np.flatnonzero(flags)
