"""Buckets for tolerances: what they promise, and their loss between the integer optimum and two sizes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.buckets.tolerant import ManySizes, TwoSizes
from splu_desktop.core.groups.rules import linear
from splu_desktop.core.groups.search import mean_squared_error
from splu_desktop.core.groups.tolerances import caps
from splu_desktop.core.progress import Silent
from tests.compare.tables import small_questions, small_source
from tests.compare.test_laws import FAR, strayed
from tests.core.test_tolerance_search import integer_optimum


@pytest.mark.parametrize("theta", [2, 4])
@pytest.mark.parametrize("system", [TwoSizes, ManySizes])
def test_no_bucket_tells_a_value_more_surely_than_its_tolerance(system: type[TwoSizes], theta: int) -> None:
    source = small_source(600, m=30)
    outcome = system(theta).publish(source, np.random.default_rng(1), Silent())
    limits = np.array([float(f) for f in linear(source.sensitive, theta).of(source.sensitive)])
    assert (outcome.parts.toarray() <= limits + 1e-12).all()
    sizes = np.bincount(outcome.bucket)
    said = sorted(size for kind in outcome.setting for size in [kind.size] * kind.number)
    assert sorted(sizes.tolist()) == said
    assert outcome.parts.T @ sizes == pytest.approx(source.counts)


def test_many_sizes_lose_no_more_than_two_and_no_less_than_the_optimum_in_error_and_in_answers() -> None:
    source = small_source(400, m=6)
    limits = linear(source.sensitive, 4).of(source.sensitive)
    least = min(math.ceil(1 / limit) for limit in limits)
    best = integer_optimum(source.counts.astype(np.int64), lambda size: caps(limits, size), least, 12)
    assert best is not None
    two, many = (
        system(4).publish(source, np.random.default_rng(1), Silent()).setting for system in (TwoSizes, ManySizes)
    )
    assert best / (source.n - 1) <= mean_squared_error(many) <= mean_squared_error(two)
    assert mean_squared_error(many) <= 1.08 * best / (source.n - 1)


def test_answers_are_biased_to_independence_by_the_transition_of_the_buckets() -> None:
    source = small_source(300)
    questions = small_questions(source)
    outcomes = [TwoSizes(2).publish(source, chance, Silent()) for chance in map(np.random.default_rng, range(100))]
    transition = np.zeros((source.m, source.m))
    for outcome in outcomes:
        shares = outcome.parts.toarray()
        copies = shares * np.bincount(outcome.bucket)[:, None]
        transition += copies.T @ shares / source.counts[:, None] / len(outcomes)
    estimates = np.array([outcome.answer(questions).estimate for outcome in outcomes])
    assert strayed(estimates, questions.asked(questions.by_value @ transition)) < FAR


def test_limits_that_no_buckets_keep_are_impossible() -> None:
    # Theta 0 allows 2 % of a bucket, so 50 records at least.
    with pytest.raises(Impossible, match="No buckets of 50 to 50"):
        TwoSizes(0).publish(small_source(110), np.random.default_rng(1), Silent())
