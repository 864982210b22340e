"""What the page shows of a plan at every stop of the slider, worked out once: while it moves nothing is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.answer.answer import READABLE, ROUGH, trust_of
from splu_desktop.core.answer.forecast import Forecast, Forecaster
from splu_desktop.core.mechanism import Block, Draw
from splu_desktop.core.mechanism.law import error_curve, t_f, t_f_curve
from splu_desktop.core.messages import say
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy import BLURRED, RED, TOO_SMALL, UNSAFE, USEFUL, Alternative, Verdict
from splu_desktop.core.policy.figures import FEWEST_CELLS
from splu_desktop.core.policy.search import STOPS
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.risk.certainty import Certainty
from splu_desktop.core.sanitise import DrawInput
from splu_desktop.core.table import unique
from splu_desktop.gui.base.messages import persons_of, value_words
from splu_desktop.gui.base.words import join, t
from splu_desktop.gui.proposal.plots import LargeCounts, SmallCounts, nice_top

# Equally far apart on the plot's axis, which shows logarithms.
_T_E = np.geomspace(0.005, 0.5, 48)
MOST_LINES = 300  # of a table that are shown; all are counted
# Lines that another strength may change: at other stops the zone says what has become of them.
_OF_STRENGTH = {"certainty", "riskiest-group", "small-counts", "too-blurred", "second-release"}


@dataclass(frozen=True)
class RangeLine:
    """One line of an asked table.

    Attributes
    ----------
    group : what is counted.
    truth, low, high : the true figure, and the range recipients will read.
    trust : "readable", "rough" or "hidden".
    total : whether it is the line of all.
    """

    group: str
    truth: float
    low: float
    high: float
    trust: str
    total: bool = False


@dataclass(frozen=True, eq=False)
class Stop:
    """All that is shown at one strength.

    Attributes
    ----------
    gamma : the strength.
    readable, cells : of the asked cells of 50 and more, how many can be read, and how many there are.
    average, riskiest : how often a shown secret value is right, on average and in the riskiest group (law 2).
    zone : "unsafe" against the limits, "good", or "blurred".
    other : share of ordinary other questions that can be read; NaN where there are none.
    lines, large, small : of each asked table its lines, and the figures of both plots for the column it counts.
    """

    gamma: float
    readable: int
    cells: int
    average: float
    riskiest: float
    zone: str
    other: float
    lines: tuple[tuple[RangeLine, ...], ...]
    large: tuple[LargeCounts, ...]
    small: tuple[SmallCounts, ...]


@dataclass(frozen=True, eq=False)
class Preview:
    """A plan at every stop.

    Attributes
    ----------
    plan, verdict : as judged, at the plan's own strength.
    stops : falling strengths, the plan's own among them.
    tables : the tables.
    groups : how many lines each table has; at most `MOST_LINES` of them are shown.
    """

    plan: Plan
    verdict: Verdict
    stops: tuple[Stop, ...]
    tables: tuple[AskedTable, ...]
    groups: tuple[int, ...]

    def place(self, gamma: float) -> int:
        """Return the stop nearest to a strength."""
        return min(range(len(self.stops)), key=lambda at: abs(self.stops[at].gamma - gamma))

    def state(self, at: int) -> str:
        """Return the verdict's state at a stop, as the policy will confirm once the slider rests."""
        stop = self.stops[at]
        if stop.gamma == self.plan.gamma:
            return self.verdict.state
        others = [line for line in self.verdict.lines if line.open and line.name not in _OF_STRENGTH]
        if stop.zone == "unsafe" or any(line.state == RED for line in others):
            return UNSAFE
        if stop.zone == "blurred":
            return TOO_SMALL if stop.cells < FEWEST_CELLS else BLURRED
        return UNSAFE if others else USEFUL

    def other_strengths(self, at: int) -> list[Alternative]:
        """Return the next safer and the next sharper stop that are good, as ways."""
        ways = []
        for kind, stops, words in (
            ("safer", self.stops[:at][::-1], "Safer: one row in {gamma} keeps its own value."),
            ("sharper", self.stops[at + 1 :], "More exact: one row in {gamma} keeps its own value."),
        ):
            stop = next((each for each in stops if each.zone == "good"), None)
            if stop is not None:
                sentence, plan = say(words, gamma=f"{stop.gamma:g}"), self.plan.with_gamma(stop.gamma)
                ways.append(Alternative(kind, sentence, plan, stop.readable, stop.cells, stop.gamma, works=True))
        return ways


def preview(prepared: DrawInput, verdict: Verdict, plan: Plan, progress: Progress = SILENT) -> Preview:
    """Return what the page shows of a plan. Runs on a worker; Raises SpluError, Cancelled."""
    gammas = tuple(sorted({*STOPS, plan.gamma}, reverse=True))
    ahead = Forecaster(prepared, plan)
    tables: list[Forecast] = []
    totals: list[Forecast | None] = []
    for done, asked in enumerate(plan.questions):
        progress.report(t("Working it out…"), done / max(len(plan.questions), 1))
        tables.append(ahead.forecast(asked, gammas))
        alone = asked.by and asked.kind == "count" and asked.value is not None
        totals.append(ahead.forecast(replace(asked, by=()), gammas) if alone else None)
    other = ahead.other_questions(gammas)
    shown = [_Lines(table, total, plan) for table, total in zip(tables, totals, strict=True)]
    # A plan that asks for no table has a strength all the same, which the plots show of its first block.
    blocks = [plan.block_of(table.table.sa) for table in tables] or [plan.blocks[0]]
    curves = [[plot_figures(_draw(each, plan, gamma), plan) for gamma in gammas] for each in blocks]
    plots = [_with_counts(block, table) for block, table in zip_longest(curves, tables)]
    stops, certainty = [], verdict.figures.certainty
    for at in range(len(gammas)):
        progress.report(t("Working it out…"), at / len(gammas))
        at_stop = [block[at] for block in plots]
        # The plan's strength is the least of its blocks: there each has the one that Expert gave it.
        sure = certainty if gammas[at] == plan.gamma else certainty.with_gamma(gammas[at])
        stops.append(_stop(verdict, sure, tables, shown, gammas[at], at, float(other[at]), at_stop))
    groups = tuple(table.truth.size for table in tables)
    return Preview(plan, verdict, tuple(stops), plan.questions, groups)


def plot_figures(draw: Draw, plan: Plan) -> tuple[LargeCounts, SmallCounts]:
    """Return what both plots show of a draw, without counts of a table."""
    thresholds, whose = plan.thresholds, persons_of(plan)
    epsilon, curve = thresholds.epsilon, t_f_curve(draw, thresholds.epsilon, _T_E)
    point = thresholds.t_e, t_f(draw, epsilon, thresholds.t_e)
    top = nice_top(float(max(curve.max(), point[1])))
    small = error_curve(draw, epsilon, np.arange(1, max(12, 3 * thresholds.alpha) + 1))
    large = LargeCounts(_T_E, curve, point, top, np.zeros(0), epsilon, whose)
    return large, SmallCounts(small, thresholds.alpha, epsilon)


def _with_counts(
    stops: Sequence[tuple[LargeCounts, SmallCounts]], table: Forecast | None
) -> list[tuple[LargeCounts, SmallCounts]]:
    """Return figures of one block at each stop on one axis, with the counts of its table."""
    top = max(large.top for large, _ in stops)
    counts = np.zeros(0) if table is None else unique(np.minimum(table.counts.round(), top))
    return [(replace(large, top=top, counts=counts), small) for large, small in stops]


def _stop(
    verdict: Verdict,
    sure: Certainty,
    tables: Sequence[Forecast],
    shown: Sequence[_Lines],
    gamma: float,
    at: int,
    other: float,
    plots: Sequence[tuple[LargeCounts, SmallCounts]],
) -> Stop:
    limits, average, riskiest = verdict.limits, sure.average, sure.riskiest
    reached = [table.count_readable(at) for table in tables]
    answered, cells = sum(each for each, _ in reached), sum(of for _, of in reached)
    least = min(small.t_p for _, small in plots)
    # The little more keeps what meets its limit exactly from failing by the last digit of a float.
    if average > limits.average + 1e-9 or riskiest > limits.riskiest + 1e-9 or least < limits.small_counts:
        zone = "unsafe"
    else:
        zone = "good" if cells >= FEWEST_CELLS and answered >= limits.useful * cells else "blurred"
    lines, (large, small) = tuple(each.at(at) for each in shown), zip(*plots, strict=True)
    return Stop(gamma, answered, cells, average, riskiest, zone, other, lines, large, small)


def _draw(block: Block, plan: Plan, gamma: float) -> Draw:
    return block.draw if gamma == plan.gamma else block.draw.with_gamma(gamma)


class _Lines:
    """The lines of one table in the order in which they are shown."""

    def __init__(self, table: Forecast, total: Forecast | None, plan: Plan) -> None:
        self._table, self._total, self._small = table, total, plan.thresholds.alpha
        several, lines = len(table.labels) > 1, len(table.lines)
        # Of many values the frequent ones first; then those that are no secret, then what no verdict counts.
        values = np.argsort(-table.truth.sum(axis=0), kind="stable") if several else np.zeros(1, int)
        line, value = np.tile(np.arange(lines), len(values)), np.repeat(values, lines)
        if several:
            plain = np.isin(np.array(table.labels, object), list(plan.public_values.get(table.table.sa, ())))
            order = np.lexsort((plain[value], ~table.large_cells[line, value]))
            line, value = line[order], value[order]
        self._line, self._value = line[:MOST_LINES], value[:MOST_LINES]
        self._groups = []
        for row, column in zip(self._line.tolist(), self._value.tolist(), strict=True):
            head, label = ", ".join(map(value_words, table.lines[row])), value_words(table.labels[column])
            self._groups.append(join((label, head)) if several and head else head or label)

    def at(self, stop: int) -> tuple[RangeLine, ...]:
        """Return the lines at a stop, all together last."""
        lines = self._of(self._table, stop, self._line, self._value, self._groups)
        if self._total is not None:
            none = np.zeros(1, int)
            lines += [replace(line, total=True) for line in self._of(self._total, stop, none, none, [""])]
        return tuple(lines)

    def _of(
        self,
        table: Forecast,
        stop: int,
        line: NDArray[np.intp],
        value: NDArray[np.intp],
        groups: Sequence[str],
    ) -> list[RangeLine]:
        truth, low, high = table.truth[line, value], table.low[stop, line, value], table.high[stop, line, value]
        # A count of 0 with a range of no width would pass for readable by a rule that measures errors by the count.
        good = table.readable[stop, line, value] & (truth != 0)
        mean = table.table.kind == "mean"
        lines = []
        for group, x, a, b, readable in zip(groups, truth, low, high, good, strict=True):
            # Hidden is what may be as few as alpha rows, and an average is no number of rows.
            unread = ROUGH if mean else trust_of(0.0, float(a), float(b), self._small)
            lines.append(RangeLine(group, float(x), float(a), float(b), READABLE if readable else unread))
        return lines
