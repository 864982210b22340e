"""What every system is asked, and the readers that it is read by."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Flags, Floats, TrueTable
from splu_desktop.compare.base.system import Impossible, SanitisedTable, System
from splu_desktop.compare.base.workload import Margins, draw_questions
from splu_desktop.compare.outcome import CERTAINTY, CURVE, SMALL_COUNTS, SystemTried
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress, ProgressPart
from splu_desktop.core.thresholds import Thresholds

Metrics = dict[str, float]
Setting = tuple[str, System, str]  # its line, the system, and why it can't be as strong; "" where it can
TESTED = 2_000  # records that the readers are tried on
LARGE = 0.005  # share of the records from which a count is one of the large ones
_STEPS = 5  # bisections of a quarter; each takes a draw where certainty is asked for
_QUARTERS = 4
_CLOSE = 0.002  # of a probability that counts as equal


class Trial:
    """Questions, thresholds and tested records, the same for all systems.

    source : the table, whose `meeting` covers all that is asked.
    own : the custodian's questions, which are answered as if nothing else were asked.
    """

    def __init__(
        self,
        source: TrueTable,
        thresholds: Thresholds,
        size: int,
        draws: int,
        seed: int,
        progress: Progress,
        own: CountingQuestions | None = None,
    ) -> None:
        self.own = own
        self.thresholds, self._draws, self._seed = thresholds, draws, seed
        chance = np.random.default_rng([seed, 0])
        self.questions = draw_questions(source, size, chance, progress)
        self.margins = Margins.of(source)
        # One budget: what the learner asks is asked of the same release, or paid from the same epsilon.
        self.all = self.questions.join(self.margins.questions)
        self.source = replace(source, meeting=self.questions.meeting + self.margins.questions.meeting)
        self.records = np.sort(chance.permutation(source.n)[:TESTED]).astype(np.int64)
        self.values = source.sensitive.codes[self.records]
        self.guess = self._right(np.tile(source.shares, (len(self.records), 1)))
        plain = Answers.without_intervals(self.margins.questions.truth.astype(np.float64))
        self.classifier = self._right(self.margins.naive_bayes(plain, self.records))

    def settings(self, curve: list[System], tried: Sequence[SystemTried], progress: Progress) -> Iterator[Setting]:
        """Give the settings of a system's curve, then, where some was possible, those that are as strong as the plan.

        tried : what was tried so far, those of the curve among it once they are asked for; the plan first.
        """
        yield from ((CURVE, each, "") for each in curve)
        plan, own = tried[0], tried[-len(curve) :]
        if plan in own or not plan.draws or not any(each.draws for each in own):
            return
        held = ProgressPart(progress, 0.9, 0.0)
        least, most = (plan.t_p or 0.0) - _CLOSE, (plan.median("best_reader") or 0.0) + _CLOSE
        why = say("At no setting are small counts wrong as surely as in this plan.")
        yield SMALL_COUNTS, *find_weakest(curve, lambda each: self._t_p(each) >= least, 3 * _STEPS, why)
        why = say("At no setting is a reader as unsure of a person as in this plan.")
        yield CERTAINTY, *find_weakest(curve, lambda each: self._best_reader(each, held) <= most, _STEPS, why)

    def carry_out(self, system: System, line: str, progress: Progress) -> SystemTried:
        """Return what one setting does, or why it can't be carried out. Raises Cancelled."""
        number = self._draws if system.random else 1
        parts = [ProgressPart(progress, draw / (number + 1), 0) for draw in range(number + 1)]
        try:
            found = [self._measure(system, draw, parts[draw]) for draw in range(number)]
            own = self._own_answers(system, parts[number])
            t_f, epsilon = system.t_f(self.source, self.thresholds), system.exact_epsilon(self.source)
        except Impossible as fault:
            return SystemTried(system, line, str(fault))
        except MemoryError:
            return SystemTried(system, line, say("There is not enough memory to do this with a table of this size."))
        figures = tuple(each for each, _ in found)
        return SystemTried(system, line, "", figures, found[0][1], self._t_p(system), t_f, epsilon, own)

    def _t_p(self, system: System) -> float:
        return system.t_p(self.source, self.thresholds)

    def _own_answers(self, system: System, progress: Progress) -> Answers | None:
        if self.own is None:
            return None
        alone = replace(self.source, meeting=self.own.meeting)
        return system.publish(alone, np.random.default_rng([self._seed, 2]), progress).answer(self.own)

    def _publish(self, system: System, draw: int, progress: Progress) -> SanitisedTable:
        progress.report(system.title, 0.0)
        # A stream of its own for each system, setting and draw.
        stream = zlib.crc32(f"{system.name} {sorted(system.parameters.items())}".encode())
        return system.publish(self.source, np.random.default_rng([self._seed, 1, stream, draw]), progress)

    def _best_reader(self, system: System, progress: Progress) -> float:
        outcome = self._publish(system, 0, progress)
        return self._readers(outcome, outcome.answer(self.all).split(len(self.questions.row))[1])[-1]

    def _right(self, belief: Floats) -> float:
        return float((belief.argmax(axis=1) == self.values).mean())

    def _readers(self, outcome: SanitisedTable, margins: Answers) -> tuple[float | None, float, float]:
        """Return how often readers of the row, of the answers, and of both are right: who knows more, no less often."""
        learnt = self.margins.naive_bayes(margins, self.records)
        row, evidence = outcome.row(self.records), outcome.evidence(self.records)
        classifier = max(self.guess, self._right(learnt))
        if row is None or evidence is None:
            return None, classifier, classifier
        stranger = max(self.guess, self._right(row))
        return stranger, classifier, max(stranger, classifier, self._right(learnt * evidence))

    def _measure(self, system: System, draw: int, progress: Progress) -> tuple[dict[str, float | None], Metrics]:
        """Return `FIGURES` of one draw, and the papers' own measures of it."""
        began = time.perf_counter()
        outcome = self._publish(system, draw, progress)
        everything = outcome.answer(self.all)
        answers, margins = everything.split(len(self.questions.row))
        stranger, classifier, best = self._readers(outcome, margins)
        seconds = time.perf_counter() - began
        truth = self.questions.truth.astype(np.float64)
        gap = np.abs(np.clip(answers.estimate, 0.0, self.source.n) - truth) / np.maximum(truth, 1)
        wrong = gap > self.thresholds.epsilon
        return {
            "covered": _mean((answers.low <= truth) & (truth <= answers.high), ~np.isnan(answers.low)),
            "small_wrong": _mean(wrong, truth <= self.thresholds.alpha),
            "large_right": _mean(~wrong, truth >= LARGE * self.source.n),
            "row": stranger,
            "classifier": classifier,
            "best_reader": best,
            "insider": max(best, float(outcome.insider(self.records, self.all, everything).mean())),
            "lost": outcome.lost,
            "seconds": seconds,
        }, outcome.metrics()


def _mean(values: NDArray[np.generic], where: Flags) -> float | None:
    return float(values[where].mean()) if where.any() else None


def find_weakest(
    curve: Sequence[System], strong: Callable[[System], bool], steps: int, weak: str
) -> tuple[System, str]:
    """Return the weakest setting that is strong enough, and ""; else the strongest one and why it is not, `weak`.

    Along a span by bisection; where there is none, of the settings of the curve.
    """
    kind = type(curve[0])

    def setting(part: float) -> System:
        if kind.span is None:
            return curve[round(part * (len(curve) - 1))]
        value = kind.span[0] * (kind.span[1] / kind.span[0]) ** part  # in equal ratios, both above 0
        return kind(round(value) if kind.whole else value)  # type: ignore[call-arg]

    def falls_short(part: float) -> str:
        try:
            return "" if strong(setting(part)) else weak
        except Impossible as fault:
            return str(fault)

    # In quarters first: beyond some strength a value seldom kept tells what is not true, and a reader is surer again.
    quarters = [at / _QUARTERS for at in range(_QUARTERS + 1)]
    high = next((part for part in quarters if falls_short(part) != weak), None)
    if high is None:
        return setting(1.0), weak
    low = max(high - 1 / _QUARTERS, 0.0)
    for _ in range(steps if high else 0):
        middle = (low + high) / 2
        # A setting that asks more than the table allows counts as too strong.
        low, high = (middle, high) if falls_short(middle) == weak else (low, middle)
    return setting(high), falls_short(high)
