"""Systems beside each other: each publishes the same table, is asked the same questions, read by the same readers.

Every system draws from a stream of its own, named by system, setting and number of the draw, so that adding a method
changes no other line. Nothing is written and nothing shown here; window, command line and report call this.
"""

from __future__ import annotations

import math
import time
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base import CountingQuestions, Flags, Floats, Impossible, System, TrueTable
from splu_desktop.compare.base.questions import Margins, draw_questions
from splu_desktop.compare.outcome import CERTAINTY, CURVE, SMALL_COUNTS, Comparison, SystemResult
from splu_desktop.compare.systems.splu import PlannedDraw
from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import say
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Cancelled, Progress, WatchedProgress
from splu_desktop.core.sanitise import prepare
from splu_desktop.core.table import Table
from splu_desktop.core.thresholds import Thresholds

DRAWS = 5
LIMIT = 60.0  # seconds of processor time that a method may take with all its settings
TESTED = 2_000  # records that the readers are tried on
LARGE = 0.005  # share of the records from which a count is one of the large ones
_COARSE, _FINE = (1 << 6, 4), (1 << 17, 16)  # steps and parts of a search: certainty takes a draw at each it looks at
_CLOSE = 0.002  # of a probability that counts as equal


@dataclass
class Trial:
    """Questions, thresholds and tested records, the same for all systems.

    source : the table, whose `sensitivity` covers all that is asked.
    own : the custodian's questions, which are answered as if nothing else were asked.
    place : the method that is tried, and its part of the whole, as progress is told.
    """

    source: TrueTable
    thresholds: Thresholds
    size: int
    draws: int
    seed: int
    limit: float | None
    own: CountingQuestions | None
    progress: Progress

    def __post_init__(self) -> None:
        self.place: tuple[str, float] = (say("Comparing"), 0.0)
        self._ends, source, chance = math.inf, self.source, np.random.default_rng([self.seed, 0])
        self._progress = WatchedProgress(lambda stage, done: self.progress.report(*self.place), self._is_late)
        self.questions, self.margins = draw_questions(source, self.size, chance, self._progress), Margins.of(source)
        # One budget: what the learner asks is asked of the same release, or paid from the same epsilon.
        self.all = self.questions.join(self.margins.questions)
        self.source = replace(source, sensitivity=self.questions.sensitivity + self.margins.questions.sensitivity)
        self.records = np.sort(chance.permutation(source.n)[:TESTED]).astype(np.int64)
        self.values = source.sensitive.codes[self.records]
        self.guess = self._right(np.tile(source.shares, (len(self.records), 1)))
        plain = self.margins.questions.truth.astype(np.float64)
        self.classifier = self._right(self.margins.naive_bayes(plain, self.records))

    def try_out(self, curve: Sequence[System], plan: SystemResult | None) -> list[SystemResult]:
        """Return what the settings of a system do, then, where some was possible, those that are as strong as the plan.

        plan : None for the plan itself. Raises Cancelled.
        """
        self._ends = math.inf if self.limit is None else time.thread_time() + self.limit
        results = [self.carry_out(each, CURVE) for each in curve]
        if plan is None or not plan.draws or not any(each.draws for each in results):
            return results
        least, most = (plan.t_p or 0.0) - _CLOSE, (plan.median("best_reader") or 0.0) + _CLOSE

        def unsure(system: System) -> bool:
            outcome = self._publish(system, 0)
            return self._read(outcome, outcome.answer(self.margins.questions))[0]["best_reader"] <= most

        def hides(system: System) -> bool:
            self._progress.report(system.title, 0.0)
            return system.t_p(self.source, self.thresholds) >= least

        wanted = {
            SMALL_COUNTS: (hides, *_FINE, say("At no setting are small counts wrong as surely as in this plan.")),
            CERTAINTY: (unsure, *_COARSE, say("At no setting is a reader as unsure of a person as in this plan.")),
        }
        searches = ((line, partial(find_weakest, curve, *how)) for line, how in wanted.items())
        return results + [self.carry_out(curve[-1], line, search) for line, search in searches]

    def carry_out(
        self, system: System, line: str, search: Callable[[], tuple[System, str]] | None = None
    ) -> SystemResult:
        """Return what one setting does, this or the one that is found, or why it can't be carried out.

        Raises Cancelled where the user stopped it.
        """
        try:
            self._progress.report(system.title, 0.0)
            if search is not None:
                system, why = search()
                if why:
                    return SystemResult(system, line, why)
            # Before any draw, which then shares what was worked out for the table.
            t_p, t_f = system.t_p(self.source, self.thresholds), system.t_f(self.source, self.thresholds)
            epsilon, answer = system.exact_epsilon(self.source), None
            measurements = [self._measure(system, draw) for draw in range(self.draws if system.random else 1)]
            if self.own is not None:
                alone = replace(self.source, sensitivity=self.own.sensitivity)
                answer = system.publish(alone, np.random.default_rng([self.seed, 2]), self._progress).answer(self.own)
        except Impossible as fault:
            return SystemResult(system, line, str(fault))
        except MemoryError:
            return SystemResult(system, line, say("There is not enough memory to do this with a table of this size."))
        except Cancelled:
            if not self._is_late():
                raise  # it was the user
            why = say("Not finished within {seconds} seconds.", seconds=f"{self.limit:g}")
            return SystemResult(system, line, why)
        figures = tuple(each for each, _ in measurements)
        return SystemResult(system, line, "", figures, measurements[0][1], t_p, t_f, epsilon, answer)

    def _is_late(self) -> bool:
        return time.thread_time() >= self._ends

    def _publish(self, system: System, draw: int) -> System:
        self._progress.report(system.title, 0.0)
        # A stream of its own for each system, setting and draw.
        stream = zlib.crc32(f"{system.name} {sorted(system.parameters.items())}".encode())
        return system.publish(self.source, np.random.default_rng([self.seed, 1, stream, draw]), self._progress)

    def _right(self, belief: Floats) -> float:
        return float((belief.argmax(axis=1) == self.values).mean())

    def _read(self, outcome: System, estimates: Floats) -> tuple[dict[str, float], Floats]:
        """Return how often readers of row, margins, and both are right, by their names, and what the first believes.

        Who knows more is right no less often.
        """
        learnt = self.margins.naive_bayes(estimates, self.records)
        evidence, row = outcome.evidence(self.records), outcome.prior(self.records)
        rates = {"classifier": max(self.guess, self._right(learnt))}
        if evidence is None:
            return rates | {"best_reader": rates["classifier"]}, row
        row = row * evidence
        row /= row.sum(axis=1, keepdims=True)
        rates["row"] = max(self.guess, self._right(row))
        return rates | {"best_reader": max(*rates.values(), self._right(learnt * evidence))}, row

    def _measure(self, system: System, draw: int) -> tuple[dict[str, float | None], dict[str, float]]:
        """Return `FIGURES` of one draw, and the papers' own measures of it."""
        outcome = self._publish(system, draw)
        answers = outcome.answer(self.all)
        truth = self.questions.truth.astype(np.float64)
        asked, margins = np.split(answers, [len(truth)])
        read, row = self._read(outcome, margins)
        sure = float(outcome.insider(self.records, row, self.all, answers).mean())
        gap = np.abs(np.clip(asked, 0.0, self.source.n) - truth) / np.maximum(truth, 1)
        wrong = gap > self.thresholds.epsilon
        return {
            "small_wrong": _mean(wrong, truth <= self.thresholds.alpha),
            "large_right": _mean(~wrong, truth >= LARGE * self.source.n),
            "row": None,
            **read,
            "insider": max(read["best_reader"], sure),
        }, outcome.metrics()


def _mean(values: NDArray[np.generic], where: Flags) -> float | None:
    return float(values[where].mean()) if where.any() else None


def find_weakest(
    curve: Sequence[System], strong: Callable[[System], bool], steps: int, parts: int, weak: str
) -> tuple[System, str]:
    """Return the weakest setting that is strong enough, and ""; else the strongest one and why it is not, `weak`.

    Along a span in so many steps by bisection of one of its parts; where there is none, of the settings of the curve.
    """
    kind = type(curve[0])

    def setting(step: int) -> System:
        if kind.span is None:
            return curve[round(step * (len(curve) - 1) / steps)]
        value = kind.span[0] * (kind.span[1] / kind.span[0]) ** (step / steps)  # in equal ratios, both above 0
        return kind(round(value) if isinstance(kind.span[0], int) else value)  # type: ignore[call-arg]

    known = dict[str, str]()

    def falls_short(step: int) -> str:
        system = setting(step)
        if (key := str(system.parameters)) not in known:  # many steps round to one whole number
            try:
                known[key] = "" if strong(system) else weak
            except Impossible as fault:
                known[key] = str(fault)  # it asks more than the table allows, which counts as too strong
        return known[key]

    # In parts first: beyond some strength a value seldom kept tells what is not true, and a reader is surer again; and
    # how often small counts are wrong rises as a saw does.
    part = steps // parts
    first = next((step for step in range(0, steps + 1, part) if falls_short(step) != weak), steps)
    if falls_short(first) != weak:
        low = max(first - part + 1, 0)
        first = bisect_left(range(first), True, lo=low, key=lambda step: falls_short(step) != weak)
    return setting(first), falls_short(first)


def compare(
    source: TrueTable,
    systems: Iterable[type[System]],
    *,
    plan: System,
    size: int = 1_200,
    draws: int = DRAWS,
    thresholds: Thresholds | None = None,
    limit: float | None = None,
    seed: int | None = None,
    own: Sequence[Sequence[Condition]] = (),
    progress: Progress = SILENT,
) -> Comparison:
    """Publish a table by every system at each of its settings, and as strong as the plan, ask and attack it.

    Parameters
    ----------
    plan : what the current plan would do: the first line, and what others are held to be as strong as.
    size : random counting questions; fewer where the table has too few counts of a size.
    draws : of each setting that has randomness.
    limit : seconds of processor time that each system may take by itself; what is not finished then is said to be so.
        Neither other methods nor a busy machine change that. None for none.
    seed : None for fresh random numbers; tests and benchmarks pass one.
    own : the custodian's questions, each for one value, for which noise is made as if nothing else were asked.

    Raises
    ------
    BadSetting : no column is unchanged, or one value is all there is; a question of `own` asks for something else.
    Cancelled.
    """
    if not source.columns or source.m < 2:
        words = "A comparison needs a column that is published unchanged, and two values of “{column}”."
        raise BadSetting(words, column=source.sensitive.name)
    mine = CountingQuestions.of(source, own) if own else None
    seed = int(np.random.default_rng().integers(1 << 62)) if seed is None else seed
    trial = Trial(source, thresholds or Thresholds(), size, draws, seed, limit, mine, progress)
    tried: list[SystemResult] = []
    curves: list[Sequence[System]] = [[plan], *(kind.curve() for kind in systems)]
    for number, curve in enumerate(curves):
        trial.place = curve[0].title, number / len(curves)
        tried.extend(trial.try_out(curve, tried[0] if tried else None))
    progress.report(say("Comparing"), 1.0)
    answered = () if mine is None else tuple(zip(own, mine.truth.tolist(), strict=True))
    asked = len(trial.questions.row)
    return Comparison(trial.source, asked, trial.thresholds, trial.guess, trial.classifier, tuple(tried), answered)


def compare_plan(table: Table, plan: Plan, name: str, systems: Iterable[type[System]], **settings: Any) -> Comparison:
    """Compare systems with a plan's draw of one of its sensitive columns, with the settings of `compare`.

    One record per person where that is planned, columns generalised and blanked as planned. A block's column by itself
    is drawn as if alone, since law 1 holds for any function of the block; persons are compared record by record. Raises
    SpluError; Cancelled.
    """
    draw = plan.block_of(name).draw
    source = TrueTable.of(prepare(table, plan).table, plan.nsas, name, plan.classes)
    planned = PlannedDraw(draw.gamma, draw.name)
    return compare(source, systems, plan=planned, thresholds=plan.thresholds, **settings)
