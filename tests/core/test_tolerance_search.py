"""Bucket settings: the paper's worked examples, exhaustive search, integer programming."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from splu_desktop.core.groups.multi_size import Giving, partition
from splu_desktop.core.groups.search import (
    Bucket,
    CapsOf,
    PairList,
    Pruning,
    is_valid,
    loss_of,
    mean_squared_error,
    meets_conditions,
    two_sizes,
)
from splu_desktop.core.groups.tolerances import caps


def example_4_20() -> tuple[np.ndarray, CapsOf]:
    counts = np.array([1] * 8 + [6] * 4 + [9] * 2)
    limits = tuple(2 * Fraction(int(o), 50) + Fraction(5, 100) for o in counts)
    return counts, lambda size: caps(limits, size)


def test_example_4_20() -> None:
    counts, caps_of = example_4_20()
    setting = (Bucket(4, 9), Bucket(14, 1))
    assert np.minimum(caps_of(4) * 9, counts).tolist() == [0] * 8 + [6] * 4 + [9] * 2
    assert np.minimum(caps_of(14) * 1, counts).tolist() == [1] * 8 + [4] * 4 + [5] * 2
    assert is_valid(counts, (caps_of(4), caps_of(14)), setting)
    small, large = partition(counts, (caps_of(4), caps_of(14)), setting)
    assert small.tolist() == [0] * 8 + [5] * 4 + [8] * 2, "one record each of x9 to x14 goes over"
    assert large.tolist() == [1] * 14


def test_example_5_23() -> None:
    pairs = PairList.of(28, 2, 4)
    assert pairs is not None
    assert pairs.step == (2, 1)
    assert pairs.last == 7
    listed = [pairs.at(i) for i in range(len(pairs))]
    assert listed == [(14, 0), (12, 1), (10, 2), (8, 3), (6, 4), (4, 5), (2, 6), (0, 7)]


def test_example_5_32_conditions_are_not_enough_for_three_sizes() -> None:
    counts = np.array([5] * 10 + [20])
    first = np.array([0] * 10 + [20])
    third = np.array([5] * 10 + [20])
    setting = (Bucket(20, 1), Bucket(20, 1), Bucket(30, 1))
    assert meets_conditions(counts, (first, first, third), setting)
    assert int(counts[:10].sum()) > setting[2].records, "only the third bucket takes the first ten values"
    with pytest.raises(ValueError, match="two sizes"):
        is_valid(counts, (first, first, third), setting)


@pytest.mark.parametrize(("records", "small", "large"), [(28, 2, 4), (29, 3, 5), (100, 6, 9), (7, 4, 6), (5, 7, 9)])
def test_the_list_holds_every_feasible_pair(records: int, small: int, large: int) -> None:
    pairs = PairList.of(records, small, large)
    expected = [
        ((records - large * b) // small, b) for b in range(records // large + 1) if (records - large * b) % small == 0
    ]
    assert ([] if pairs is None else [pairs.at(i) for i in range(len(pairs))]) == expected
    if pairs is not None:
        losses = [pairs.loss(i) for i in range(len(pairs))]
        assert losses == sorted(set(losses)), "the loss rises along the list"
        for bound in (0, losses[0], losses[0] + 1, losses[-1], losses[-1] + 1):
            assert pairs.below(bound) == sum(loss < bound for loss in losses) - 1


def exhaustive(counts: np.ndarray, caps_of: CapsOf, least: int, most: int) -> int | None:
    best = None
    records = int(counts.sum())
    for small in range(least, most):
        for large in range(small + 1, most + 1):
            for b_2 in range(records // large + 1):
                b_1, rest = divmod(records - b_2 * large, small)
                setting = (Bucket(small, b_1), Bucket(large, b_2))
                if rest == 0 and is_valid(counts, (caps_of(small), caps_of(large)), setting):
                    best = loss_of(setting) if best is None else min(best, loss_of(setting))
    return best


def small_case(chance: np.random.Generator) -> tuple[np.ndarray, CapsOf]:
    counts = chance.integers(0, 9, chance.integers(1, 7))
    counts[0] += 2
    n = int(counts.sum())
    if chance.random() < 0.5:
        limits = tuple(Fraction(int(chance.integers(-(-1000 * int(o) // n), 1001)) or 1, 1000) for o in counts)
    else:
        theta, start = Fraction(int(chance.integers(1, 6))), Fraction(int(chance.integers(0, 20)) + 1, 100)
        limits = tuple(min(Fraction(1), theta * int(o) / n + start) for o in counts)
    return counts, lambda size: caps(limits, size)


def test_the_two_size_optimum_equals_exhaustive_search_on_1000_small_cases() -> None:
    chance = np.random.default_rng(20)
    solved = 0
    for _ in range(1000):
        counts, caps_of = small_case(chance)
        most = int(chance.integers(2, 9))
        expected = exhaustive(counts, caps_of, 1, most)
        for pruning in Pruning:
            found = two_sizes(counts, caps_of, 1, most, pruning=pruning)
            assert (None if found is None else loss_of(found)) == expected
        solved += expected is not None
    assert solved > 500


@pytest.mark.parametrize("giving", list(Giving))
def test_every_way_of_giving_makes_a_valid_partition(giving: Giving) -> None:
    chance = np.random.default_rng(7)
    seen = 0
    while seen < 100:
        counts, caps_of = small_case(chance)
        setting = two_sizes(counts, caps_of, 1, 8)
        if setting is None or len(setting) < 2:
            continue
        seen += 1
        limits = caps_of(setting[0].size), caps_of(setting[1].size)
        parts = partition(counts, limits, (setting[0], setting[1]), giving)
        assert (parts[0] + parts[1] == counts).all()
        for part, limit, bucket in zip(parts, limits, setting, strict=True):
            assert int(part.sum()) == bucket.records
            assert (part <= limit * bucket.number).all()


def test_an_invalid_setting_is_not_partitioned() -> None:
    with pytest.raises(ValueError, match="not valid"):
        partition(np.array([4, 4]), (np.array([0, 1]), np.array([1, 2])), (Bucket(2, 2), Bucket(4, 1)))


def test_equal_tolerances_give_groups_of_gamma_and_one_more() -> None:
    """Section 6: with f' = 1/l for all, Algorithm 1 returns sizes l and l + 1."""
    counts = np.array([30, 25, 25, 20, 11, 11])
    for gamma, n in ((4, 122), (3, 122)):
        assert int(counts.sum()) == n
        limits = (Fraction(1, gamma),) * len(counts)
        found = two_sizes(counts, lambda size, limits=limits: caps(limits, size), gamma, 20)
        assert found is not None
        assert {bucket.size for bucket in found} <= {gamma, gamma + 1}


def test_mse_is_the_papers() -> None:
    assert mean_squared_error((Bucket(1, 70),)) == 0
    assert mean_squared_error((Bucket(70, 1),)) == 69
    assert mean_squared_error((Bucket(4, 9), Bucket(14, 1))) == (9 * 9 + 169) / 49
