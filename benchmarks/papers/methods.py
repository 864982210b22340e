"""The methods that the papers draw against each other, by one parameter, each with the estimator that they give it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from benchmarks.papers.figure import Series, series
from benchmarks.papers.tables import SEED, Pool, Tables, published
from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats
from splu_desktop.compare.base.system import Sanitised, System
from splu_desktop.compare.buckets.anatomy import Anatomy
from splu_desktop.compare.counts.laplace import LaplaceEach
from splu_desktop.compare.ours.as_published import AsPublished
from splu_desktop.compare.ours.splu import Splu
from splu_desktop.compare.perturb.channel import Channelled
from splu_desktop.compare.perturb.distribution import DistributionBased
from splu_desktop.compare.perturb.retention import Retention


def _own(outcome: Sanitised, questions: CountingQuestions) -> Answers:
    return outcome.answer(questions)


def _counted(outcome: Sanitised, questions: CountingQuestions) -> Answers:
    """Return the published counts as they stand, which is how the journal reads DBR."""
    shown = cast(Channelled, outcome).shown
    return Answers.without_intervals(questions.asked(questions.histogram(shown, outcome.source.m)))


@dataclass(frozen=True)
class Method:
    """A method of a figure.

    Attributes
    ----------
    system : from gamma (or l, l').
    theirs : whether it is the papers' curve.
    read : its estimator.
    """

    name: str
    system: Callable[[int], System]
    theirs: bool = True
    read: Callable[[Sanitised, CountingQuestions], Answers] = _own


OURS = Method("SPLU, ours", Splu, theirs=False)
PRINTED = Method("SPLU-Gen as published", AsPublished)
ANATOMY = Method("Anatomy", Anatomy)
DBR = Method("DBR, counts as published", lambda _: DistributionBased(), read=_counted)
LN_3 = Method("Laplace, epsilon ln 3", lambda _: LaplaceEach(math.log(3)))
LN_2 = Method("Laplace, epsilon ln 2", lambda _: LaplaceEach(math.log(2)))
WHOLE_DOMAIN = Method("mechanism A", lambda gamma: Retention(1 / gamma))


def errors(tables: Tables, asked: Pool, method: Method, gammas: Sequence[int], times: int = 3) -> Floats:
    """Return (len(gammas), bands) mean relative errors over some publications; NaN where there is none."""
    found = np.full((len(gammas), asked.bands), np.nan)
    for at, gamma in enumerate(gammas):
        some = []
        for seed in range(tables.many(times) - 1 if times > 1 else 1):
            outcome = published(method.system(gamma), asked.questions.source, SEED + seed)
            if outcome is None:
                break
            some.append(asked.errors(method.read(outcome, asked.questions)))
        if some:
            found[at] = np.mean(some, axis=0)
    return found


def curve(method: Method, x: Sequence[float], y: Sequence[float]) -> Series:
    """Return a method's curve."""
    return series(method.name, x, y, theirs=method.theirs)
