"""What the grouping dialog works out in its worker: where to start, what other columns tell, what a way would do."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.generalise import (
    CannotGeneralise,
    Chapter,
    DatePart,
    Intervals,
    Rare,
    Rest,
    Steps,
    coarser,
    column_after,
    round_width,
    suggest,
    system_of,
)
from splu_desktop.core.generalise.step import number_text
from splu_desktop.core.guarantees.planning import Total, ValueState, plan_values
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.progress import Progress
from splu_desktop.core.risk.classes import Classes
from splu_desktop.core.risk.uniqueness import Uniqueness, others, with_column
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.bars import Bars
from splu_desktop.gui.base.facts import ColumnFacts, facts_after

Make = Callable[[Column], Steps]
_STAGE = "Grouping"
_BINS = 14
_MOST_BARS = 400
_LOOKED_AT = 2_000  # labels


@dataclass(frozen=True, eq=False)
class Opening:
    """What the dialog opens with.

    Attributes
    ----------
    steps : the steps to show first.
    width : a usual width of intervals of the column, None where it holds no numbers.
    prefix : characters of a prefix that is shorter than most values.
    system : the classification that its values are codes of, None where they are none.
    bars, values : the column as it was read, and how many values it has, missing ones not counted.
    rare : what the group of rare values is called here, where the last step puts these together.
    """

    steps: Steps
    width: float | None
    prefix: int
    system: str | None
    bars: Bars
    values: int
    rare: str

    def label(self, name: str) -> str:
        """Return the label of a group of rare values called `name`: as the steps have it, where the name is theirs.

        It may hold “{value}”, of which the user sees what it stands for here.
        """
        last = self.steps[-1] if self.steps else None
        return last.label if isinstance(last, Rare) and name == self.rare else name


@dataclass(frozen=True, eq=False)
class Around:
    """What the other columns published as they are tell, so that trying this one in another form costs one pass.

    Attributes
    ----------
    rest : classes of the records by the other columns.
    before : the risk with this column as it was read.
    """

    rest: Classes
    before: Uniqueness


@dataclass(frozen=True, eq=False)
class GroupTrial:
    """What steps would make of a column.

    Attributes
    ----------
    column, facts, bars : the column after them.
    risk : how recognisable records are then; None where the column is not published as it is, or not known yet.
    totals : how many values would be protected, in between and answerable; None where the column is not sensitive, or
        could not be.
    """

    steps: Steps
    column: Column
    facts: ColumnFacts
    bars: Bars
    risk: Uniqueness | None
    totals: dict[ValueState, Total] | None


def opening(column: Column, steps: Steps, sensitive: bool, rest: Rest, progress: Progress) -> Opening:
    """Return where to start: the steps there are, else what is sensible. Runs in a worker."""
    progress.report(_STAGE, 0.0)
    width = None
    if column.kind in (Kind.INTEGER, Kind.DECIMAL):
        try:
            width = round_width(column)
        except CannotGeneralise:
            width = None
    if not steps:
        steps = (suggest(column) if sensitive else ()) or coarser(column, rest=rest)
    values = int(np.count_nonzero(column.counts()[~column.missing]))
    last = steps[-1] if steps else None
    rare = last.named(column_after(column, steps[:-1])) if isinstance(last, Rare) else ""
    return Opening(steps, width, _prefix(column), system_of(column), shape(column), values, rare)


def _prefix(column: Column) -> int:
    present = column.labels[~column.missing]
    lengths = [len(str(label).strip()) for label in present[:: len(present) // _LOOKED_AT + 1]]
    return max(1, min(3, int(np.median(lengths)) - 1)) if lengths else 3


def around(table: Table, column: Column, progress: Progress) -> Around:
    """Return what the other columns in `table` tell beside `column`. Runs in a worker. Raises Cancelled."""
    rest = others(table, table.names, column.name, progress)
    return Around(rest, with_column(rest, column))


def shape(column: Column) -> Bars:
    """Return the bars of a column as it was read: numbers and dates in ranges of equal width, else by value."""
    counts = column.counts()
    values = column.values
    if values is None or not column.kind.ordered or int(np.count_nonzero(counts)) <= _BINS:
        return Bars.of(column)
    known = ~np.isnan(values) & ~column.missing & (counts > 0)
    if np.count_nonzero(known) <= _BINS:
        return Bars.of(column)
    dates = values.dtype.kind == "M"
    numbers = values[known].astype("datetime64[D]").astype(np.float64) if dates else values[known]
    if dates or column.kind is Kind.INTEGER:  # ranges of whole numbers, ends included
        low, high = float(numbers.min()), float(numbers.max()) + 1
        edges = low + math.ceil((high - low) / _BINS) * np.arange(_BINS + 1)
        edges = edges[: int(np.searchsorted(edges, high)) + 1]
        heights, _ = np.histogram(numbers, bins=edges, weights=counts[known])
        text = _day if dates else number_text
        labels = [f"{text(low)} – {text(high - 1)}" for low, high in pairwise(edges.tolist())]
    else:
        heights, edges = np.histogram(numbers, bins=_BINS, weights=counts[known])
        labels = [f"{_short(low, edges)} – {_short(high, edges)}" for low, high in pairwise(edges.tolist())]
    left = int(counts[~known].sum())
    if left:  # no value, or a text among the numbers
        labels, heights = [*labels, ""], np.append(heights, left)
    return Bars(tuple(labels), tuple(int(height) for height in heights), len(labels))


def _day(days: float) -> str:
    return str(np.datetime64(round(days), "D"))


def _short(edge: float, edges: NDArray[Any]) -> str:
    step = float(edges[1] - edges[0])
    places = max(0, 1 - math.floor(math.log10(step))) if step > 0 else 6
    return number_text(round(edge, places))


def trial(
    column: Column,
    make: Make,
    rare: Rare | None,
    around: Around | None,
    asked: tuple[int, Thresholds] | None,
    progress: Progress,
) -> GroupTrial:
    """Try a way. Runs in a worker. Raises CannotGeneralise, BadSetting, Cancelled.

    Parameters
    ----------
    rare : the step that puts rare values together afterwards, if any.
    around : what the other columns tell, where the column is published as it is.
    asked : gamma and thresholds, where it is sensitive.
    """
    progress.report(_STAGE, 0.0)
    steps = make(column)
    made = column_after(column, steps)
    if rare is not None:
        steps, made = (*steps, rare), rare.apply(made)
    progress.report(_STAGE, 0.4)
    facts = facts_after(column, made)
    found = with_column(around.rest, made) if around is not None else None
    totals = None
    if asked is not None and facts.largest_gamma >= 2:
        counts = made.counts()
        gamma = min(asked[0], facts.largest_gamma)
        totals = plan_values(counts[counts > 0], made.n, gamma, asked[1]).totals
    progress.report(_STAGE, 1.0)
    return GroupTrial(steps, made, facts, Bars.of(made, _MOST_BARS, in_order=_has_order(steps)), found, totals)


def _has_order(steps: Sequence[object]) -> bool:
    return any(isinstance(step, Intervals | DatePart | Chapter) for step in steps)
