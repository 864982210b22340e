"""Every system's estimator by its law: what its answers are on average, unbiased or biased as its paper says.

`LAWS` names the law of each system of the register; one without a law fails. Means over publications are compared by
z = (mean - expected) / standard error over 72 questions; |z| < 5 raises a false alarm in fewer than 1 of 5,000 runs of
each (Student's t, Bonferroni; 1 of 200 with 20 publications of ours).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.base.system import Sanitised, System
from splu_desktop.compare.buckets.anatomy import Anatomy, Bucketed
from splu_desktop.compare.buckets.optimum import BestSizes
from splu_desktop.compare.buckets.tolerant import ManySizes, TwoSizes
from splu_desktop.compare.buckets.trivial import TrivialSanitisation
from splu_desktop.compare.counts.cell_key import CellKey
from splu_desktop.compare.counts.laplace import Laplace, LaplaceEach
from splu_desktop.compare.generalise.closeness import Closeness, OrderedCloseness
from splu_desktop.compare.generalise.delta_disclosure import DeltaDisclosure
from splu_desktop.compare.generalise.diversity import DistinctDiversity, EntropyDiversity, RecursiveDiversity
from splu_desktop.compare.generalise.k_anonymity import KAnonymity
from splu_desktop.compare.marginals.kifer import Marginals
from splu_desktop.compare.ours.as_published import AsPublished
from splu_desktop.compare.ours.splu import Drawn, Splu, SpluJoined, SpluSeveralSizes
from splu_desktop.compare.partition.blocks import SpluBlocks
from splu_desktop.compare.partition.generalised_parts import KAnonymityOfParts
from splu_desktop.compare.partition.noisy_parts import LaplaceOfParts
from splu_desktop.compare.perturb.alpha_beta import AlphaBeta
from splu_desktop.compare.perturb.channel import Channelled
from splu_desktop.compare.perturb.distribution import DistributionBased
from splu_desktop.compare.perturb.local import RandomisedResponse, SubsetSelection
from splu_desktop.compare.perturb.pram import InvariantPram, Pram
from splu_desktop.compare.perturb.retention import Retention
from splu_desktop.compare.systems import SYSTEMS
from splu_desktop.core.estimate import Method
from splu_desktop.core.progress import Silent
from tests.compare.tables import small_questions, small_source
from tests.compare.test_laws import FAR, strayed

Law = Callable[[System], None]


def outcomes(system: System, source: TrueTable, runs: int) -> list[Any]:
    chance = np.random.default_rng(7)
    return [system.publish(source, chance, Silent()) for _ in range(runs)]


def unbiased(system: System) -> None:
    """The answers, or those of the unbiased estimator where the default one shrinks them."""
    source = small_source(400)
    questions = small_questions(source)
    estimates = [
        _unbiased(each, questions) for each in outcomes(system, source, 20 if isinstance(system, Splu) else 100)
    ]
    assert strayed(np.array(estimates), questions.truth.astype(float)) < FAR


def _unbiased(outcome: Sanitised, questions: CountingQuestions) -> Floats:
    if isinstance(outcome, Drawn):
        answers = outcome.reader.answers(outcome.conditions(questions), method=Method.UNBIASED, vanished=True)
        return np.array([each.estimate for each in answers])
    if isinstance(outcome, Channelled):
        return outcome.answered(questions, Method.UNBIASED).estimate
    own: Callable[[CountingQuestions], Floats] | None = getattr(outcome, "unbiased", None)
    return outcome.answer(questions).estimate if own is None else own(questions)


def to_independence_by_buckets(system: System) -> None:
    """Anatomy's bias: x_v T[v, s], T[v, s] = (1 / f_v) sum over buckets of c_v c_s / size; 1 bucket is independence."""
    source = small_source(300)
    questions = small_questions(source)
    some = outcomes(system, source, 60)
    transition = np.zeros((source.m, source.m))
    for outcome in some:
        assert isinstance(outcome, Bucketed)
        shares = outcome.parts.toarray()
        copies = shares * np.bincount(outcome.bucket)[:, None]
        transition += copies.T @ shares / source.counts[:, None] / len(some)
    expected = questions.asked(questions.by_value @ transition)
    assert strayed(np.array([each.answer(questions).estimate for each in some]), expected) < FAR


def to_independence(system: System) -> None:
    """N_P f_s / N."""
    source = small_source(300)
    questions = small_questions(source)
    estimates = [each.answer(questions).estimate for each in outcomes(system, source, 100)]
    assert strayed(np.array(estimates), questions.top * (questions.chosen @ source.shares)) < FAR


def evenly_within_what_is_told(system: System) -> None:
    """The mean of records drawn from what was published: evenly from a class's box, or from the fit."""
    source = small_source(300, ordered=True)
    questions = small_questions(source)
    (outcome,) = outcomes(system, source, 1)
    chance, counted = np.random.default_rng(2), []
    for _ in range(100):
        copy = outcome.microdata(chance)
        counted.append(questions.asked(questions.select(copy.codes, source.n) @ np.eye(source.m)[copy.sensitive]))
    assert strayed(np.array(counted), outcome.answer(questions).estimate) < FAR


def too_low_where_a_cell_stands_out(system: System) -> None:
    """The printed matrix takes too much noise away: by 10 % and more, and surely so."""
    source = small_source(1200)
    questions = small_questions(source)
    independent = questions.top * (questions.chosen @ source.shares)
    out = (questions.truth > 1.5 * independent) & (questions.truth > 30)
    assert out.sum() >= 3
    estimates = np.array([each.answer(questions).estimate for each in outcomes(system, source, 40)])
    whole = estimates[:, out].sum(axis=1) / questions.truth[out].sum()
    assert whole.mean() < 0.9
    assert (whole.mean() - 1) / (whole.std(ddof=1) / np.sqrt(len(whole))) < -FAR


LAWS: dict[type[System], tuple[System, Law]] = {
    type(system): (system, law)
    for law, systems in {
        unbiased: (
            Splu(3),
            SpluSeveralSizes(2),
            SpluJoined(3),
            SpluBlocks(2, 4),
            Retention(0.4),
            Pram(0.7),
            InvariantPram(0.8),
            RandomisedResponse(3),
            SubsetSelection(3),
            AlphaBeta(0.4),
            CellKey(3, 2.0),
            Laplace(1.0),
            LaplaceEach(1.0),
            LaplaceOfParts(1.0, 3),
        ),
        to_independence_by_buckets: (Anatomy(3), TwoSizes(2), ManySizes(2), BestSizes(2), TrivialSanitisation()),
        to_independence: (DistributionBased(),),
        evenly_within_what_is_told: (
            KAnonymity(10),
            DistinctDiversity(3),
            EntropyDiversity(2),
            RecursiveDiversity(3, 2),
            Closeness(0.3),
            OrderedCloseness(0.2),
            DeltaDisclosure(1),
            KAnonymityOfParts(5, 2),
            Marginals(5, 2),
        ),
        too_low_where_a_cell_stands_out: (AsPublished(2),),
    }.items()
    for system in systems
}


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_every_system_of_the_register_keeps_the_law_of_its_estimator(system: type[System]) -> None:
    assert system in LAWS, "a new system names the law of its estimator in LAWS"
    tried, law = LAWS[system]
    law(tried)
