"""Systems beside each other: each publishes the same table, is asked the same questions, read by the same readers.

Every system draws from a stream of its own, named by system, setting and number of the draw, so that adding a method
changes no other line. Nothing is written and nothing shown here; window, command line and report call this.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence

import numpy as np

from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import TrueTable
from splu_desktop.compare.base.system import System
from splu_desktop.compare.ours.splu import PlannedDraw
from splu_desktop.compare.outcome import CURVE, Comparison, SystemTried
from splu_desktop.compare.trial import Trial
from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT, Progress, ProgressPart
from splu_desktop.core.thresholds import Thresholds

DRAWS = 5
LIMIT = 60.0  # seconds of processor time that a method may take with all its settings


class OutOfTime(Exception):
    """A method's time is over. Not a SpluError: nothing on the way takes it for a fault that it knows a way around."""


class TimeLimit:
    """A Progress that raises OutOfTime at the next report once its time is over."""

    def __init__(self, whole: Progress, ends: float) -> None:
        self._whole, self._ends = whole, ends

    def report(self, stage: str, done: float) -> None:
        """Pass the report on. Raises OutOfTime; Cancelled."""
        self._whole.report(stage, done)
        if time.thread_time() >= self._ends:
            raise OutOfTime


def compare(
    source: TrueTable,
    systems: Iterable[type[System]],
    *,
    plan: PlannedDraw,
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
    limit : seconds of processor time that each system may take, and what those before it left; what is not finished
        then is said to be so. A busy machine changes nothing. None for none.
    seed : None for fresh random numbers; tests and benchmarks pass one.
    own : the custodian's questions, each for one value, for which noise is made as if nothing else were asked.

    Raises
    ------
    BadSetting : no column is unchanged, or one value is all there is; a question of `own` asks for something else.
    Cancelled.
    """
    began, thresholds = time.perf_counter(), thresholds or Thresholds()
    if not source.columns or source.m < 2:
        raise BadSetting(
            "A comparison needs a column that is published unchanged, and two values of “{column}”.",
            column=source.sensitive.name,
        )
    seed = int(np.random.default_rng().integers(1 << 62)) if seed is None else seed
    mine = CountingQuestions.of(source, own) if own else None
    trial = Trial(source, thresholds, size, draws, seed, ProgressPart(progress, 0.0, 0.05), mine)
    tried: list[SystemTried] = []
    curves: list[list[System]] = [[plan], *([*kind.curve()] for kind in systems)]
    started = time.thread_time()
    for number, curve in enumerate(curves):
        part = ProgressPart(progress, 0.05 + 0.95 * number / len(curves), 0.95 / len(curves))
        now, most = time.thread_time(), math.inf if limit is None else limit
        ends = max(started + most * (number + 1), now + most)
        watched = TimeLimit(part, ends)
        system = curve[0]
        try:
            for at, (line, system, why) in enumerate(trial.settings(curve, tried, watched)):
                part = ProgressPart(watched, at / (len(curve) + 2), 1 / (len(curve) + 2))
                tried.append(SystemTried(system, line, why) if why else trial.carry_out(system, line, part))
        except OutOfTime:
            why = say("Not finished within {seconds} seconds.", seconds=f"{ends - now:.0f}")
            tried.append(SystemTried(system, CURVE, why))
    progress.report(say("Comparing"), 1.0)
    seconds = time.perf_counter() - began
    asked = (tuple(map(str, conditions)) for conditions in own)
    answered = () if mine is None else tuple(zip(asked, mine.truth.tolist(), strict=True))
    return Comparison(
        trial.source,
        len(trial.questions.row),
        thresholds,
        trial.guess,
        trial.classifier,
        tuple(tried),
        seconds,
        answered,
    )
