"""Buckets for tolerances: what they promise, and their loss between the integer optimum and two sizes."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.buckets.optimum import BestSizes, best_sizes
from splu_desktop.compare.buckets.tolerant import ManySizes, TwoSizes
from splu_desktop.core.groups.multi_size import Parts, many_sizes
from splu_desktop.core.groups.rules import linear
from splu_desktop.core.groups.search import Ints, loss_of, two_sizes
from splu_desktop.core.groups.tolerances import caps
from splu_desktop.core.progress import Cancelled, Silent, Watched
from tests.compare.tables import small_source
from tests.core.test_tolerance_search import small_case


@pytest.mark.parametrize("theta", [2, 4])
@pytest.mark.parametrize("system", [TwoSizes, ManySizes, BestSizes])
def test_no_bucket_tells_a_value_more_surely_than_its_tolerance(system: type[TwoSizes], theta: int) -> None:
    source = small_source(600, m=12)
    outcome = system(theta).publish(source, np.random.default_rng(1), Silent())
    limits = np.array([float(f) for f in linear(source.sensitive, theta).of(source.sensitive)])
    assert (outcome.parts.toarray() <= limits + 1e-12).all()
    sizes = np.bincount(outcome.bucket)
    said = sorted(size for kind in outcome.setting for size in [kind.size] * kind.number)
    assert sorted(sizes.tolist()) == said
    assert outcome.parts.T @ sizes == pytest.approx(source.counts)


def loss(parts: Parts) -> int:
    return sum(bucket.loss for bucket, _ in parts)


def least_by_enumeration(counts: Ints, caps: Ints, sizes: list[int]) -> int | None:
    """The least loss over all numbers of buckets, each judged by Gale's condition on every set of sizes."""
    n, best = int(counts.sum()), None
    for number in itertools.product(*(range(n // size + 1) for size in sizes)):
        if np.dot(number, sizes) != n:
            continue
        room = caps * np.array(number)
        fits = all(
            np.minimum(counts, room[:, some].sum(axis=1)).sum() >= sum(sizes[at] * number[at] for at in some)
            for many in range(1, len(sizes) + 1)
            for some in map(list, itertools.combinations(range(len(sizes)), many))
        )
        cost = sum(b * (size - 1) ** 2 for b, size in zip(number, sizes, strict=True))
        if fits and (best is None or cost < best):
            best = cost
    return best


def test_the_best_buckets_are_those_of_enumeration_on_small_cases() -> None:
    chance = np.random.default_rng(12)
    found = []
    for _ in range(40):
        counts, caps_of = small_case(chance)
        best = best_sizes(counts, caps_of, 1, 3, Silent())
        every = np.stack([caps_of(size) for size in (1, 2, 3)], axis=1)
        found.append(None if best is None else loss(best))
        assert found[-1] == least_by_enumeration(counts, every, [1, 2, 3])
    assert len({each for each in found if each}) > 5
    assert None in found


def test_many_sizes_come_within_a_few_percent_of_the_integer_optimum() -> None:
    chance = np.random.default_rng(3)
    ratios: list[float] = []
    while len(ratios) < 15:
        n, m = int(chance.integers(200, 2000)), int(chance.integers(3, 8))
        counts = chance.multinomial(n, chance.dirichlet(np.full(m, 0.8)))
        theta = Fraction(str(chance.choice([1.5, 2.0, 4.0, 8.0])))
        limits = tuple(min(Fraction(1), theta * int(o) / n + Fraction(2, 100)) for o in counts)

        def caps_of(size: int, limits: tuple[Fraction, ...] = limits) -> np.ndarray:
            return caps(limits, size)

        found = many_sizes(counts, caps_of, 1, 12)
        best = best_sizes(counts, caps_of, 1, 12, Silent())
        if found is None or best is None or not (least := loss(best)):
            continue
        for parts in (found, best):
            for bucket, held in parts:
                assert int(held.sum()) == bucket.records
                assert (held <= caps_of(bucket.size) * bucket.number).all(), "round robin meets the tolerances"
            assert np.array_equal(np.sum([held for _, held in parts], axis=0), counts)
        two = two_sizes(counts, caps_of, 1, 12)
        assert two is not None
        assert least <= loss(found) <= loss_of(two)
        ratios.append(loss(found) / least)
    assert np.mean(ratios) < 1.02
    assert max(ratios) < 1.08


def test_the_search_for_the_best_buckets_stops_when_asked_to_and_says_why_there_are_none() -> None:
    chance = np.random.default_rng(3)
    counts = np.sort(chance.multinomial(20_000, chance.dirichlet(np.full(30, 0.8))))
    limits = tuple(min(Fraction(1), 4 * Fraction(int(count), 20_000) + Fraction(2, 100)) for count in counts)

    def caps_of(size: int) -> Ints:
        return caps(limits, size)

    with pytest.raises(Cancelled):
        best_sizes(counts, caps_of, 1, 50, Watched(lambda stage, done: None, lambda: True), seconds=1.0)
    with pytest.raises(Impossible, match=r"not found within 0\.01 seconds"):
        best_sizes(counts, caps_of, 1, 50, Silent(), seconds=0.01)
    with pytest.raises(Impossible, match="at most 100 values; this column has 110"):
        BestSizes(4).publish(small_source(600, m=110), chance, Silent())


def test_limits_that_no_buckets_keep_are_impossible() -> None:
    # Theta 0 allows 2 % of a bucket, so 50 records at least.
    with pytest.raises(Impossible, match="No buckets of 50 to 50"):
        TwoSizes(0).publish(small_source(110), np.random.default_rng(1), Silent())
