"""What the page shows of a plan at every stop of the slider, worked out once: while it moves nothing is computed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.answer.answer import READABLE, ROUGH, trust_of
from splu_desktop.core.answer.forecast import Forecast, Forecaster
from splu_desktop.core.mechanism import Draw
from splu_desktop.core.mechanism.law import error_curve, t_f, t_f_curve, t_p
from splu_desktop.core.messages import say
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy import BLURRED, RED, TOO_SMALL, UNSAFE, USEFUL, Alternative, Verdict
from splu_desktop.core.policy.figures import FEWEST_CELLS
from splu_desktop.core.policy.search import STOPS
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.sanitise import Prepared
from splu_desktop.gui.proposal.plots import LargeCounts, SmallCounts, nice_top

_T_E = np.geomspace(0.005, 0.5, 48)
_COUNTS = np.arange(1, 13)
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
class Preview:
    """A plan at every stop.

    Attributes
    ----------
    plan, verdict : as judged, at the plan's own strength.
    gammas : (G,) stops, falling, the plan's own among them.
    tables, totals : forecasts of the asked tables and, where they have lines, of all lines together.
    other : (G,) share of ordinary other questions that can be read; NaN where there are none.
    """

    plan: Plan
    verdict: Verdict
    gammas: tuple[float, ...]
    tables: tuple[Forecast, ...]
    totals: tuple[Forecast | None, ...]
    other: NDArray[np.float64]

    def place(self, gamma: float) -> int:
        """Return the stop nearest to a strength."""
        return min(range(len(self.gammas)), key=lambda at: abs(self.gammas[at] - gamma))

    def draw(self, at: int, table: int = 0) -> Draw:
        """Return the draw of the column of a table at a stop."""
        names = [each.asked.sa for each in self.tables]
        block = self.plan.block_of(names[table]) if names else self.plan.blocks[0]
        if self.gammas[at] == self.plan.gamma:
            return block.draw
        return block.draw.with_gamma(self.gammas[at])

    def answered(self, at: int) -> tuple[int, int]:
        """Return how many of how many cells of 50 and more can be read at a stop."""
        found = [each.answered(at) for each in self.tables]
        return sum(each for each, _ in found), sum(cells for _, cells in found)

    def certainty(self, at: int) -> tuple[float, float]:
        """Return how often a shown secret value is right on average, and in the riskiest group (law 2)."""
        a, found = 1 / self.gammas[at], self.verdict.figures.certainty
        return tuple(share + (1 - share) * a for share in (found.average_share, found.riskiest_share))  # type: ignore[return-value]

    def zone(self, at: int) -> str:
        """Return what a stop is: "unsafe" against the limits, "good", or "blurred"."""
        limits, (average, riskiest) = self.verdict.limits, self.certainty(at)
        small = t_p(self.draw(at), self.plan.thresholds.epsilon, self.plan.thresholds.alpha)
        if average > limits.average + 1e-9 or riskiest > limits.riskiest + 1e-9 or small < limits.small_counts:
            return "unsafe"
        answered, cells = self.answered(at)
        return "good" if cells >= FEWEST_CELLS and answered >= limits.useful * cells else "blurred"

    def zones(self) -> tuple[str, ...]:
        """Return the zone of each stop."""
        return tuple(map(self.zone, range(len(self.gammas))))

    def state(self, at: int) -> str:
        """Return the verdict's state at a stop, as the policy will confirm once the slider rests."""
        if self.gammas[at] == self.plan.gamma:
            return self.verdict.state
        others = [line for line in self.verdict.lines if line.open and line.name not in _OF_STRENGTH]
        zone = self.zone(at)
        if zone == "unsafe" or any(line.state == RED for line in others):
            return UNSAFE
        if zone == "blurred":
            return TOO_SMALL if self.answered(at)[1] < FEWEST_CELLS else BLURRED
        return UNSAFE if others else USEFUL

    def other_strengths(self, at: int) -> list[Alternative]:
        """Return the next safer and the next sharper stop that are good, as ways."""
        zones = self.zones()
        found = []
        for kind, places, words in (
            ("safer", range(at - 1, -1, -1), "Safer: one row in {gamma} keeps its own value."),
            ("sharper", range(at + 1, len(zones)), "More exact: one row in {gamma} keeps its own value."),
        ):
            place = next((each for each in places if zones[each] == "good"), None)
            if place is not None:
                gamma = self.gammas[place]
                answered, cells = self.answered(place)
                said = say(words, gamma=f"{gamma:g}")
                found.append(Alternative(kind, said, self.plan.with_gamma(gamma), answered, cells, gamma, works=True))
        return found

    def judged_again(self, plan: Plan, verdict: Verdict) -> Preview:
        """Return the same table's figures for a plan of another strength, which was judged since."""
        return replace(self, plan=plan, verdict=verdict)

    def lines(self, table: int, at: int) -> list[RangeLine]:
        """Return the lines of an asked table at a stop, all together last."""
        forecast, small = self.tables[table], self.plan.thresholds.alpha
        several = len(forecast.labels) > 1
        # Of many values the frequent ones first, and what no verdict counts below all that one does.
        values = np.argsort(-forecast.truth.sum(axis=0), kind="stable") if several else np.zeros(1, int)
        places = [(line, value) for value in values.tolist() for line in range(len(forecast.lines))]
        places.sort(key=lambda place: not (forecast.expected[place] or not several))
        found = []
        for line, value in places:
            head, label = ", ".join(forecast.lines[line]), forecast.labels[value]
            group = f"{label}; {head}" if several and head else head or label
            found.append(_line(forecast, at, line, value, group, small))
        total = self.totals[table]
        if total is not None:
            found.append(replace(_line(total, at, 0, 0, "", small), total=True))
        return found

    def large_counts(self, table: int, at: int) -> LargeCounts:
        """Return the figures of the plot of large counts, for the column of an asked table."""
        thresholds, draw = self.plan.thresholds, self.draw(at, table)
        curves = [_curve(self.draw(g, table), thresholds.epsilon) for g in range(len(self.gammas))]
        counts = self.tables[table].counts.ravel() if self.tables else np.zeros(0)
        return LargeCounts(
            _T_E,
            curves[at],
            (thresholds.t_e, t_f(draw, thresholds.epsilon, thresholds.t_e)),
            nice_top(float(max(curve.max() for curve in curves))),
            counts,
            thresholds.epsilon,
        )

    def small_counts(self, table: int, at: int) -> SmallCounts:
        """Return the figures of the plot of small counts, for the column of an asked table."""
        thresholds = self.plan.thresholds
        most = max(12, 3 * thresholds.alpha)
        return SmallCounts(
            _chances(self.draw(at, table), thresholds.epsilon, most), thresholds.alpha, thresholds.epsilon
        )


def _line(forecast: Forecast, at: int, line: int, value: int, group: str, small: int) -> RangeLine:
    truth = float(forecast.truth[line, value])
    low, high = float(forecast.low[at, line, value]), float(forecast.high[at, line, value])
    if bool(forecast.readable[at, line, value]) and truth:
        trust = READABLE
    else:
        trust = trust_of(0.0, low, high, small) if forecast.asked.kind != "mean" else ROUGH
    return RangeLine(group, truth, low, high, trust)


@lru_cache(maxsize=256)
def _curve(draw: Draw, epsilon: float) -> NDArray[np.int64]:
    return t_f_curve(draw, epsilon, _T_E)


@lru_cache(maxsize=256)
def _chances(draw: Draw, epsilon: float, most: int) -> NDArray[np.float64]:
    return error_curve(draw, epsilon, np.arange(1, most + 1))


def preview(prepared: Prepared, verdict: Verdict, plan: Plan, progress: Progress = SILENT) -> Preview:
    """Return what the page shows of a plan. Runs on a worker; Raises SpluError, Cancelled."""
    gammas = tuple(sorted({*STOPS, plan.gamma}, reverse=True))
    ahead = Forecaster(prepared, plan)
    tables, totals = [], []
    for done, asked in enumerate(plan.questions):
        progress.report("Working out the ranges", done / max(len(plan.questions), 1))
        tables.append(ahead.forecast(asked, gammas))
        alone = asked.by and asked.kind == "count" and asked.value is not None
        totals.append(ahead.forecast(replace(asked, by=()), gammas) if alone else None)
    found = Preview(plan, verdict, gammas, tuple(tables), tuple(totals), ahead.other_questions(gammas))
    for table in range(max(len(tables), 1)):  # the window draws these at once
        for at in range(len(gammas)):
            progress.report("Working out the curves", at / len(gammas))
            found.large_counts(min(table, len(tables)), at) if tables else _curve(found.draw(at), 0.3)
            found.small_counts(table, at)
    return found
