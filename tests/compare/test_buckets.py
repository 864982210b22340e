"""Buckets for tolerances: the papers' examples, exhaustive search, the integer optimum."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from splu_desktop.compare.base.source import Ints
from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.buckets.many_sizes import Parts, many_sizes, partition
from splu_desktop.compare.buckets.optimum import BestSizes, best_sizes
from splu_desktop.compare.buckets.pair_list import Bucket, CapsOf, PairList, loss_of, mean_squared_error
from splu_desktop.compare.buckets.tolerant import ManySizes, TwoSizes, caps, tolerances
from splu_desktop.compare.buckets.two_sizes import is_valid, meets_conditions, two_sizes
from splu_desktop.core.progress import SILENT
from tests.compare.tables import small_source


def loss(parts: Parts) -> int:
    return sum(bucket.loss for bucket, _ in parts)


def small_case(chance: np.random.Generator, m: int = 4, most: int = 24) -> tuple[Ints, CapsOf]:
    n = int(chance.integers(6, most))
    counts = chance.multinomial(n, chance.dirichlet(np.ones(m))).astype(np.int64)
    limits = tuple(Fraction(int(chance.integers(2, 11)), 10) for _ in range(m))
    return counts, lambda size: caps(limits, size)


def test_the_examples_of_the_paper() -> None:
    counts = np.array([1] * 8 + [6] * 4 + [9] * 2)
    limits = tolerances(counts, 2, Fraction(5, 100))
    small, large = caps(limits, 4), caps(limits, 14)
    setting = (Bucket(4, 9), Bucket(14, 1))
    assert is_valid(counts, (small, large), setting)
    first, second = partition(counts, (small, large), setting)
    assert first.tolist() == [0] * 8 + [5] * 4 + [8] * 2, "Example 4.20: one record each of x9 to x14 goes over"
    assert second.tolist() == [1] * 14
    pairs = PairList.of(28, 2, 4)
    assert pairs is not None
    listed = [pairs.at(i) for i in range(len(pairs))]
    assert listed == [(14, 0), (12, 1), (10, 2), (8, 3), (6, 4), (4, 5), (2, 6), (0, 7)], "Example 5.23"
    counts, none = np.array([5] * 10 + [20]), np.array([0] * 10 + [20])
    three = (Bucket(20, 1), Bucket(20, 1), Bucket(30, 1))
    assert meets_conditions(counts, (none, none, counts), three), "Example 5.32: not enough for three sizes"
    assert int(counts[:10].sum()) > three[2].records
    with pytest.raises(ValueError, match="two sizes"):
        is_valid(counts, (none, none, counts), three)
    assert mean_squared_error((Bucket(3, 10), Bucket(5, 4))) == pytest.approx((10 * 4 + 4 * 16) / 49)


def test_the_two_size_optimum_equals_exhaustive_search() -> None:
    chance = np.random.default_rng(4)
    for _ in range(300):
        counts, caps_of = small_case(chance)
        n, best = int(counts.sum()), None
        for s, t in itertools.combinations(range(1, 7), 2):
            for b in range(n // s + 1):
                if (n - b * s) % t == 0:
                    setting = (Bucket(s, b), Bucket(t, (n - b * s) // t))
                    if is_valid(counts, (caps_of(s), caps_of(t)), setting):
                        best = min(best if best is not None else loss_of(setting), loss_of(setting))
        found = two_sizes(counts, caps_of, 1, 6)
        assert (None if found is None else loss_of(found)) == best


def test_the_best_buckets_are_those_of_enumeration() -> None:
    chance = np.random.default_rng(12)
    seen = set()
    for _ in range(40):
        counts, caps_of = small_case(chance)
        sizes, every = [1, 2, 3], np.stack([caps_of(size) for size in (1, 2, 3)], axis=1)
        n, least = int(counts.sum()), None
        for number in itertools.product(*(range(n // size + 1) for size in sizes)):
            if np.dot(number, sizes) != n:
                continue
            room = every * np.array(number)
            fits = all(  # Gale's condition on every set of sizes
                np.minimum(counts, room[:, some].sum(axis=1)).sum() >= sum(sizes[at] * number[at] for at in some)
                for many in (1, 2, 3)
                for some in map(list, itertools.combinations(range(3), many))
            )
            cost = sum(b * (size - 1) ** 2 for b, size in zip(number, sizes, strict=True))
            least = cost if fits and (least is None or cost < least) else least
        best = best_sizes(counts, caps_of, 1, 3, SILENT)
        seen.add(least)
        assert (None if best is None else loss(best)) == least
    assert None in seen
    assert len(seen) > 4


def test_many_sizes_lie_between_the_optimum_and_two() -> None:
    chance = np.random.default_rng(3)
    ratios: list[float] = []
    while len(ratios) < 12:
        n, m = int(chance.integers(200, 1_000)), int(chance.integers(3, 8))
        counts = chance.multinomial(n, chance.dirichlet(np.full(m, 0.8))).astype(np.int64)
        limits = tolerances(counts, int(chance.choice([2, 4, 8])))

        def caps_of(size: int, limits: tuple[Fraction, ...] = limits) -> Ints:
            return caps(limits, size)

        found, best = many_sizes(counts, caps_of, 1, 12), best_sizes(counts, caps_of, 1, 12, SILENT)
        if found is None or best is None or not (least := loss(best)):
            continue
        for parts in (found, best):
            assert all(int(held.sum()) == bucket.records for bucket, held in parts)
            assert all((held <= caps_of(bucket.size) * bucket.number).all() for bucket, held in parts)
            assert np.array_equal(np.sum([held for _, held in parts], axis=0), counts)
        two = two_sizes(counts, caps_of, 1, 12)
        assert two is not None
        assert least <= loss(found) <= loss_of(two)
        ratios.append(loss(found) / least)
    assert np.mean(ratios) < 1.05


@pytest.mark.parametrize("system", [TwoSizes, ManySizes, BestSizes])
def test_no_bucket_tells_a_value_more_surely_than_its_tolerance(system: type[TwoSizes]) -> None:
    source = small_source(600, m=12)
    outcome = system(2).publish(source, np.random.default_rng(1), SILENT)
    limits = np.array([float(f) for f in tolerances(source.counts.astype(np.int64), 2)])
    assert (outcome.parts.toarray() <= limits + 1e-12).all()
    assert outcome.parts.T @ np.bincount(outcome.bucket) == pytest.approx(source.counts)
    with pytest.raises(Impossible, match="No buckets of 50"):
        TwoSizes(0).publish(small_source(110), np.random.default_rng(1), SILENT)
