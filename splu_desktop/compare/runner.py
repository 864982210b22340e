"""Systems beside each other: each publishes the same table, is asked the same questions, read by the same readers.

Every system draws from a stream of its own, named by system, setting and number of the draw, so that adding a method
changes no other line. Nothing is written and nothing shown here; window, command line and report call this.
"""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.laws import t_f, t_p
from splu_desktop.compare.base.learner import Margins
from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Flags, Floats, TrueTable
from splu_desktop.compare.base.system import Impossible, Sanitised, System
from splu_desktop.compare.base.workload import BANDS, bands_of, draw_questions
from splu_desktop.compare.equal import at_equal_certainty, at_equal_t_p
from splu_desktop.compare.ours.splu import Planned
from splu_desktop.compare.outcome import CERTAINTY, CURVE, SMALL_COUNTS, Achieved, Comparison, SystemTried
from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT, Progress, ProgressPart
from splu_desktop.core.thresholds import Thresholds

TESTED = 2_000  # records that the readers are tried on
DRAWS = 5
LIMIT = 60.0  # seconds that a method may take with all its settings
LARGE = 0.005  # share of the records from which a count is one of the large ones


class OutOfTime(Exception):
    """A method's time is over. Not a SpluError: nothing on the way takes it for a fault that it knows a way around."""


class Limited:
    """A Progress that raises OutOfTime at the next report once its time is over."""

    def __init__(self, whole: Progress, ends: float) -> None:
        self._whole, self._ends = whole, ends

    def report(self, stage: str, done: float) -> None:
        """Pass the report on. Raises OutOfTime; Cancelled."""
        self._whole.report(stage, done)
        if time.monotonic() >= self._ends:
            raise OutOfTime


def compare(
    source: TrueTable,
    systems: Iterable[type[System]],
    *,
    plan: Planned,
    size: int = 1_200,
    draws: int = DRAWS,
    own: Sequence[tuple[Condition, ...]] = (),
    thresholds: Thresholds | None = None,
    limit: float | None = None,
    seed: int | None = None,
    progress: Progress = SILENT,
) -> Comparison:
    """Publish a table by every system at each of its settings, and as strong as the plan, ask and attack it.

    Parameters
    ----------
    plan : what the current plan would do: the first line, and what others are held to be as strong as.
    size : random counting questions; fewer where the table has too few counts of a size.
    draws : of each setting that has randomness.
    own : the custodian's questions, for which noise is made as if nothing else were asked.
    limit : seconds that each system may take; what is not finished then is said to be so. None for none.
    seed : None for fresh random numbers; tests and benchmarks pass one.

    Raises
    ------
    BadQuestion : a question of `own` names another column.
    BadSetting : no column is unchanged.
    Cancelled.
    """
    began = time.perf_counter()
    thresholds = thresholds or Thresholds()
    if not source.columns:
        raise BadSetting("A comparison needs at least one column that is published unchanged.")
    seed = int(np.random.default_rng().integers(1 << 62)) if seed is None else seed
    trial = _Trial(source, own, thresholds, size, draws, seed, ProgressPart(progress, 0.0, 0.05))
    named = [type(plan), *systems]
    tried: list[SystemTried] = []
    reference: SystemTried | None = None
    for number, kind in enumerate(named):
        part = ProgressPart(progress, 0.05 + 0.95 * number / len(named), 0.95 / len(named))
        watched = Limited(part, math.inf if limit is None else time.monotonic() + limit)
        settings = [(CURVE, each) for each in ([plan] if kind is type(plan) else kind.curve())]
        lines: list[SystemTried] = []
        current: System = settings[0][1]
        try:
            for done, (line, current) in enumerate(settings):
                lines.append(trial.settled(current, line, _part_of(watched, done, settings)))
            if reference is not None and reference.draws:
                for line, current_or_none in trial.equal(kind, reference, watched):
                    if current_or_none is not None:
                        current = current_or_none
                        lines.append(trial.settled(current, line, _part_of(watched, len(lines), settings)))
        except OutOfTime:
            why = say("Not finished within {seconds} seconds, all settings together.", seconds=f"{limit or 0:g}")
            lines.append(SystemTried(current, CURVE, why))
        reference = reference or lines[0]
        tried += lines
    progress.report(say("Comparing"), 1.0)
    return trial.comparison(tuple(tried), own, time.perf_counter() - began)


def _part_of(whole: Progress, number: int, settings: Sequence[object]) -> Progress:
    return ProgressPart(whole, number / (len(settings) + 2), 1 / (len(settings) + 2))


class _Trial:
    """What every system is asked, and the records that its readers are tried on."""

    def __init__(
        self,
        source: TrueTable,
        own: Sequence[tuple[Condition, ...]],
        thresholds: Thresholds,
        size: int,
        draws: int,
        seed: int,
        progress: Progress,
    ) -> None:
        self.thresholds, self.number, self.seed = thresholds, draws, seed
        chance = np.random.default_rng([seed, 0])
        self.questions = draw_questions(source, size, chance, progress)
        self.margins = Margins.of(source)
        # One budget: what the learner asks is asked of the same release, or paid from the same epsilon.
        self.all = self.questions.joined(self.margins.questions)
        self.source = replace(source, meeting=self.all.meeting)
        self.own = CountingQuestions.of(self.source, own) if own else None
        self.band = bands_of(self.questions.truth, source.n)
        self.records = np.sort(chance.permutation(source.n)[:TESTED]).astype(np.int64)
        self.values = source.sensitive.codes[self.records]
        self.guess = float((self.values == int(source.shares.argmax())).mean())

    def chance(self, system: System, draw: int) -> np.random.Generator:
        """Return the random numbers of one draw of one setting."""
        stream = zlib.crc32(f"{system.name} {sorted(system.parameters.items())}".encode())
        return np.random.default_rng([self.seed, 1, stream, draw])

    def settled(self, system: System, line: str, progress: Progress) -> SystemTried:
        """Return the draws of one setting."""
        found: list[Achieved] = []
        number = self.number if system.random else 1
        own = None
        try:
            for draw in range(number):
                progress.report(system.title, draw / number)
                began = time.perf_counter()
                outcome = system.publish(
                    self.source, self.chance(system, draw), ProgressPart(progress, draw / number, 0)
                )
                found.append(self._achieved(outcome, began))
                if draw == 0:
                    own = None if self.own is None else outcome.answer(self.own)
            promised = t_p(system, self.source, self.thresholds), t_f(system, self.source, self.thresholds)
            epsilon = system.exact_epsilon(self.source)
        except Impossible as fault:
            return SystemTried(system, line, str(fault))
        except MemoryError:
            return SystemTried(system, line, say("There is not enough memory to do this with a table of this size."))
        return SystemTried(system, line, "", tuple(found), *promised, epsilon, own)

    def equal(
        self, kind: type[System], reference: SystemTried, progress: Progress
    ) -> Iterable[tuple[str, System | None]]:
        """Give the settings that are as strong as the plan."""
        progress.report(kind.title, 0.8)
        yield SMALL_COUNTS, at_equal_t_p(kind, self.source, self.thresholds, reference.t_p or 0.0)

        def right(system: System) -> float:
            progress.report(kind.title, 0.9)
            outcome = system.publish(self.source, self.chance(system, 0), ProgressPart(progress, 0.9, 0))
            return self._readers(outcome, self._margin_answers(outcome))[-1]

        yield CERTAINTY, at_equal_certainty(kind, right, 1 - reference.achieved.protection)

    def _margin_answers(self, outcome: Sanitised) -> Answers:
        if outcome.one_budget:
            return outcome.answer(self.all).take(slice(self.questions.number, None))
        return outcome.answer(self.margins.questions)

    def _right(self, belief: Floats | None) -> float:
        return 0.0 if belief is None else float((belief.argmax(axis=1) == self.values).mean())

    def _readers(self, outcome: Sanitised, margins: Answers) -> tuple[float | None, float, float]:
        """Return how often readers of the row, of the answers, and of both are right: who knows more, no less often."""
        learnt = self.margins.naive_bayes(margins, self.records)
        row, evidence = outcome.row(self.records), outcome.evidence(self.records)
        classifier = max(self.guess, self._right(learnt))
        if row is None or evidence is None:
            return None, classifier, classifier
        stranger = max(self.guess, self._right(row))
        return stranger, classifier, max(stranger, classifier, self._right(learnt * evidence))

    def _achieved(self, outcome: Sanitised, began: float) -> Achieved:
        if outcome.one_budget:
            answers = outcome.answer(self.all).take(slice(self.questions.number))
        else:
            answers = outcome.answer(self.questions)
        stranger, classifier, best = self._readers(outcome, self._margin_answers(outcome))
        seconds = time.perf_counter() - began
        truth = self.questions.truth.astype(np.float64)
        known = ~np.isnan(answers.estimate)
        gap = np.abs(np.clip(answers.estimate, 0.0, self.source.n) - truth) / np.maximum(truth, 1)
        ranged = known & ~np.isnan(answers.low)
        held = (answers.low <= truth) & (truth <= answers.high)
        small, large = truth <= self.thresholds.alpha, truth >= LARGE * self.source.n
        epsilon = self.thresholds.epsilon
        return Achieved(
            errors=tuple(_mean(gap, known & (self.band == at)) for at in range(len(BANDS) + 1)),
            covered=_mean(held, ranged),
            # What is refused is not known, rightly or wrongly.
            small_wrong=_mean((gap > epsilon) | ~known, small),
            large_right=_mean((gap <= epsilon) & known, large),
            row=stranger,
            classifier=classifier,
            best_reader=best,
            insider=max(best, float(outcome.insider(self.records, self.all).mean())),
            lost=outcome.lost,
            seconds=seconds,
            metrics=outcome.metrics(),
        )

    def comparison(
        self, tried: tuple[SystemTried, ...], own: Sequence[tuple[Condition, ...]], seconds: float
    ) -> Comparison:
        """Return everything together."""
        truth = self.questions.truth
        plain = Answers.without_intervals(self.margins.questions.truth.astype(np.float64))
        return Comparison(
            source=self.source,
            asked=tuple(np.bincount(self.band[self.band >= 0], minlength=len(BANDS) + 1).tolist()),
            small=int((truth <= self.thresholds.alpha).sum()),
            large=int((truth >= LARGE * self.source.n).sum()),
            thresholds=self.thresholds,
            guess=self.guess,
            classifier=self._right(self.margins.naive_bayes(plain, self.records)),
            tested=len(self.records),
            tried=tried,
            own=tuple(own),
            own_truth=np.zeros(0, np.int64) if self.own is None else self.own.truth,
            seconds=seconds,
        )


def _mean(values: NDArray[np.generic], where: Flags) -> float | None:
    return float(values[where].mean()) if where.any() else None
