"""Systems beside each other: each publishes the same table, is asked the same questions, read by the same readers.

Nothing is written and nothing shown here; window, command line and report call this, and get plain figures.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.limit import Limited, OutOfTime
from splu_desktop.compare.base.memory import watched
from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Impossible, Sanitised, System
from splu_desktop.compare.base.utility import Margins, pmse
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT, Progress, ProgressPart
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.workload import BANDS, band_names, bands_of, draw
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.frozen import dataclass

TESTED = 2_000  # records that the readers are tried on
LIMIT = 60.0  # seconds that a method may take with all its settings
LARGE = 0.005  # share of the records from which a count is one of the large ones


@dataclass(frozen=True)
class Achieved:
    """What one system did with one setting. Shares lie in 0..1; None where a figure does not exist.

    Attributes
    ----------
    errors : by band of true counts, mean of |estimate - truth| / truth, estimates cut to 0..N.
    coverage : by band, share of 95 % intervals that hold the truth.
    covered : share over all questions.
    refused : share of questions without an answer.
    small_wrong : share of counts up to alpha that are answered wrong by more than epsilon.
    answerable : share of large counts (`LARGE`) answered to within epsilon.
    stranger : how often who finds a person's row, and knows the shares in the whole table, guesses the value.
    colleague : how often who knows the person's unchanged columns does, learning from the answers, and from the row
        where there are rows.
    insider : how sure of the value is on average who knows all other records, at least.
    insider_sole : the same of the persons whose value nobody else has; None where every value has several bearers.
    uniques : records that stand out by the unchanged columns as published.
    lost : records not published.
    classifier : how often a classifier learnt from the answers is right about persons by their unchanged columns.
    pmse : see `utility.pmse`.
    seconds, megabytes : to publish and to answer; memory beyond what stood, None where the system does not tell.
    """

    errors: tuple[float | None, ...]
    coverage: tuple[float | None, ...]
    covered: float | None
    refused: float
    small_wrong: float | None
    answerable: float | None
    stranger: float | None
    colleague: float
    insider: float
    insider_sole: float | None
    uniques: int | None
    lost: int
    classifier: float
    pmse: float | None
    seconds: float
    megabytes: float | None

    @property
    def protection(self) -> float:
        """How often the colleague is wrong: the picture's axis."""
        return 1 - self.colleague


@dataclass(frozen=True, eq=False)
class SystemTried:
    """One system with one setting.

    Attributes
    ----------
    system : with its parameters.
    impossible : why the table can't be published so, or that it took too long; "" where it could.
    achieved : None where it could not.
    remarks : what is to be said beside the figures.
    own : answers to the custodian's own questions, None where there are none.
    """

    system: System
    impossible: str = ""
    achieved: Achieved | None = None
    remarks: tuple[str, ...] = ()
    own: Answers | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        system = self.system
        return {
            "system": system.name,
            "title": str(system.title),
            "parameters": dict(system.parameters),
            "setting": str(system.setting),
            "promise": str(system.promise),
            "impossible": str(self.impossible),
            "achieved": None if self.achieved is None else asdict(self.achieved),
            "remarks": [str(remark) for remark in self.remarks],
        }


@dataclass(frozen=True, eq=False)
class Comparison:
    """All systems on one table.

    Attributes
    ----------
    source : the table.
    bands : names of the bands of true counts, asked : questions in each.
    small : questions with a count up to alpha, large : with a large one.
    thresholds : epsilon and alpha that answers are judged by.
    guess : how often who only knows the most frequent value is right.
    classifier : how often naive Bayes learnt from the original is.
    tested : records that the readers were tried on.
    tried : in the order of the register, the plan first.
    own : the custodian's questions, () for none, with own_truth (Q,).
    seconds : in all.
    """

    source: TrueTable
    bands: tuple[str, ...]
    asked: tuple[int, ...]
    small: int
    large: int
    thresholds: Thresholds
    guess: float
    classifier: float
    tested: int
    tried: tuple[SystemTried, ...]
    own: tuple[tuple[Condition, ...], ...]
    own_truth: Ints
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data, without any value of a record: the custodian's questions by their conditions."""
        return {
            "sensitive": self.source.sensitive.name,
            "unchanged": list(self.source.names),
            "records": self.source.n,
            "values": self.source.m,
            "uniques": self.source.uniques,
            "bands": [str(name) for name in self.bands],
            "asked": list(self.asked),
            "small": self.small,
            "large": self.large,
            "epsilon": self.thresholds.epsilon,
            "alpha": self.thresholds.alpha,
            "guess": self.guess,
            "classifier": self.classifier,
            "tested": self.tested,
            "tried": [each.as_dict() for each in self.tried],
            "own": [
                {
                    "conditions": [str(condition) for condition in conditions],
                    "truth": int(truth),
                    "answers": [None if each.own is None else _one(each.own, at) for each in self.tried],
                }
                for at, (conditions, truth) in enumerate(zip(self.own, self.own_truth, strict=True))
            ],
            "seconds": self.seconds,
        }


def compare(
    source: TrueTable,
    systems: Iterable[type[System]],
    *,
    plan: System | None = None,
    size: int = 3_000,
    own: Sequence[tuple[Condition, ...]] = (),
    thresholds: Thresholds | None = None,
    limit: float | None = None,
    chance: np.random.Generator | None = None,
    progress: Progress = SILENT,
) -> Comparison:
    """Publish a table by every system at each of its settings, ask and attack it.

    Parameters
    ----------
    plan : what the current plan would do, beside the systems.
    size : random counting questions; fewer where the table has too few counts of a size.
    own : the custodian's questions.
    limit : seconds that each system may take with all its settings; what is not finished then is said to be so. The
        plan has no limit. None for none.
    chance : None for fresh random numbers; tests and benchmarks pass a generator.

    Raises
    ------
    BadQuestion : a question of `own` names another column.
    BadSetting : no column is unchanged.
    Cancelled.
    """
    began = time.perf_counter()
    chance = chance or np.random.default_rng()
    thresholds = thresholds or Thresholds()
    if not source.columns:
        raise BadSetting("A comparison needs at least one column that is published unchanged.")
    mine = CountingQuestions.of(source, own) if own else None
    part = ProgressPart(progress, 0.0, 0.05)
    seed = int(chance.integers(1 << 62))
    workload = draw(source.table, source.names, [source.sensitive.name], size=size, seed=seed, progress=part)
    asked = _Asked(source, CountingQuestions.of(source, workload.questions), mine, thresholds, chance)
    points = [*([plan] if plan is not None else []), *(each for system in systems for each in system.curve())]
    tried: list[SystemTried] = []
    for _, some in groupby(points, key=lambda system: system.name):
        ends = math.inf if limit is None else time.monotonic() + limit
        for system in some:
            part = ProgressPart(progress, 0.05 + 0.95 * len(tried) / len(points), 0.95 / len(points))
            try:
                tried.append(_tried(system, asked, part if system is plan else Limited(part, ends)))
            except OutOfTime:
                tried.append(SystemTried(system, _unfinished(limit or 0.0)))
    progress.report(say("Comparing"), 1.0)
    truth = asked.questions.truth
    return Comparison(
        source=source,
        bands=band_names(),
        asked=tuple(np.bincount(asked.band[asked.band >= 0], minlength=len(BANDS) + 1).tolist()),
        small=int((truth <= thresholds.alpha).sum()),
        large=int((truth >= LARGE * source.n).sum()),
        thresholds=thresholds,
        guess=float(source.shares.max()),
        classifier=asked.right(asked.learnt(asked.margins_truth)),
        tested=len(asked.records),
        tried=tuple(tried),
        own=tuple(own),
        own_truth=mine.truth if mine is not None else np.zeros(0, np.int64),
        seconds=time.perf_counter() - began,
    )


class _Asked:
    """What every system is asked, and the records that its readers are tried on."""

    def __init__(
        self,
        source: TrueTable,
        questions: CountingQuestions,
        own: CountingQuestions | None,
        thresholds: Thresholds,
        chance: np.random.Generator,
    ) -> None:
        self.source, self.questions, self.own = source, questions, own
        self.thresholds = thresholds
        self.margins = Margins.of(source)
        self.margins_truth = Answers.without_intervals(self.margins.questions.truth.astype(np.float64))
        self.band = bands_of(questions.truth, source.n)
        self.records = np.sort(chance.permutation(source.n)[:TESTED]).astype(np.int64)
        self._seed = int(chance.integers(1 << 62))

    def chance(self, *of: int) -> np.random.Generator:
        """Return each system's random numbers, the same for all: who differs does so by more than luck."""
        return np.random.default_rng([self._seed, *of])

    def right(self, belief: Floats) -> float:
        """Return how often the likeliest value is the true one."""
        return float((belief.argmax(axis=1) == self.source.sensitive.codes[self.records]).mean())

    def learnt(self, answers: Answers) -> Floats:
        return self.margins.naive_bayes(answers, self.records)


def _unfinished(limit: float) -> str:
    return say("Not finished within {seconds} seconds, all settings of this method together.", seconds=f"{limit:g}")


def _tried(system: System, asked: _Asked, progress: Progress) -> SystemTried:
    began = time.perf_counter()
    try:
        with watched() as peak:
            progress.report(system.title, 0.0)
            outcome = system.publish(asked.source, asked.chance(), ProgressPart(progress, 0.0, 0.4))
            progress.report(system.title, 0.4)
            answers = outcome.answer(asked.questions)
        seconds = time.perf_counter() - began
        megabytes = None if peak.grown is None else peak.grown / 1e6
        progress.report(system.title, 0.6)
        achieved = _achieved(outcome, answers, asked, seconds, megabytes, progress)
        progress.report(system.title, 0.9)
        own = None if asked.own is None else outcome.answer(asked.own)
        return SystemTried(system, "", achieved, outcome.remarks(asked.questions), own)
    except Impossible as fault:
        return SystemTried(system, str(fault))
    except MemoryError:
        return SystemTried(system, say("There is not enough memory to do this with a table of this size."))


def _achieved(
    outcome: Sanitised, answers: Answers, asked: _Asked, seconds: float, megabytes: float | None, progress: Progress
) -> Achieved:
    source, questions, epsilon = asked.source, asked.questions, asked.thresholds.epsilon
    truth = questions.truth.astype(np.float64)
    told = ~np.isnan(answers.estimate)
    gap = np.abs(np.clip(answers.estimate, 0.0, source.n) - truth) / np.maximum(truth, 1)
    ranged = told & ~np.isnan(answers.low)
    held = (answers.low <= truth) & (truth <= answers.high)
    bands = [asked.band == number for number in range(len(BANDS) + 1)]
    small, large = truth <= asked.thresholds.alpha, truth >= LARGE * source.n
    learnt = asked.learnt(outcome.answer(asked.margins.questions))
    progress.report(say("Comparing"), 0.75)
    row = outcome.row(asked.records)
    both = learnt
    if row is not None:
        both = learnt * row / source.shares
    sole = source.sole_bearers[:TESTED]
    copy = outcome.microdata(asked.chance(1))  # none that it was published by
    return Achieved(
        errors=tuple(_mean(gap, told & band) for band in bands),
        coverage=tuple(_mean(held, ranged & band) for band in bands),
        covered=_mean(held, ranged),
        refused=float(1 - told.mean()) if len(told) else 0.0,
        # What is refused is not known, rightly or wrongly.
        small_wrong=_mean((gap > epsilon) | ~told, small),
        answerable=_mean((gap <= epsilon) & told, large),
        stranger=None if row is None else asked.right(row),
        colleague=asked.right(both),
        insider=float(outcome.insider(asked.records, questions).mean()),
        insider_sole=outcome.sole_bearers(sole, questions) if len(sole) else None,
        uniques=outcome.uniques,
        lost=outcome.lost,
        classifier=asked.right(learnt),
        pmse=None if copy is None else _number(pmse(source, copy)),
        seconds=seconds,
        megabytes=megabytes,
    )


def _mean(values: NDArray[Any], where: NDArray[np.bool_]) -> float | None:
    return float(values[where].mean()) if where.any() else None


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _one(answers: Answers, at: int) -> Mapping[str, float | None]:
    return {
        "estimate": _number(float(answers.estimate[at])),
        "low": _number(float(answers.low[at])),
        "high": _number(float(answers.high[at])),
    }
