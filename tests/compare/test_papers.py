"""The papers' worked examples, as printed and as they are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from splu_desktop.compare.counts.laplace import inferred
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.groups.search import Bucket, PairList, is_valid, meets_conditions
from splu_desktop.core.groups.tolerances import caps
from splu_desktop.core.guarantees.exact import failure_probability, t_f_as_published, t_p


def test_journal_example_1_and_arxiv_example_2() -> None:
    # f = 5, gamma = 10, epsilon = 0.3: 4 to 6 with 0.52, hence a (0.3, 0.48) guarantee.
    law = PlainGroups(10).count_law(5)
    assert law[4:7].sum() == pytest.approx(0.5199, abs=5e-5)
    assert 1 - law[4:7].sum() == pytest.approx(0.48, abs=5e-4)


def test_journal_example_2() -> None:
    # alpha = 3, epsilon = 0.3, T_P = 0.6 at gamma = 10; "the choice of gamma has little impact".
    assert t_p(10, "0.3", 3) >= 0.6
    assert t_p(5, "0.3", 3) == pytest.approx(t_p(10, "0.3", 3), abs=0.03)


def test_arxiv_example_1_is_what_its_formula_gives_for_its_first_number_alone() -> None:
    # T_E = 0.02, l' = 10. Printed: 11 for epsilon 0.2, which the formula gives, and 49 for 0.02, which is 111.8.
    assert t_f_as_published(10, "0.2", "0.02") == pytest.approx(11.18, abs=0.01)
    assert t_f_as_published(10, "0.02", "0.02") == pytest.approx(111.8, abs=0.05)
    # Neither holds: the formula divides the variance of the mean by n twice.
    assert failure_probability(10, "0.2", [11])[0] > 0.4
    assert failure_probability(10, "0.02", [112])[0] > 0.8


def test_inferential_example_of_theorem_2() -> None:
    # epsilon = 0.1, so b = 10: E[Y/X] is 1.02 times y/x for x = 100, and 1.0002 times for x = 1000.
    mean, _ = inferred(np.array([100.0, 1000.0]), np.array([50.0, 500.0]), 10.0)
    assert mean / 0.5 == pytest.approx([1.02, 1.0002])


def test_inferential_example_4_20() -> None:
    counts = np.array([1] * 8 + [6] * 4 + [9] * 2, np.int64)
    limits = tuple(2 * Fraction(int(count), 50) + Fraction(1, 20) for count in counts)
    assert [float(limits[at]) for at in (0, 8, 12)] == [0.09, 0.29, 0.41]
    setting = Bucket(4, 9), Bucket(14, 1)
    most = tuple(np.asarray(caps(limits, bucket.size, 0), np.int64) for bucket in setting)
    room = [np.minimum(cap * bucket.number, counts) for cap, bucket in zip(most, setting, strict=True)]
    assert [room[0][at] for at in (0, 8, 12)] == [0, 6, 9]
    assert [room[1][at] for at in (0, 8, 12)] == [1, 4, 5]
    assert room[0].sum() == 42
    assert is_valid(counts, most, setting)


def test_inferential_example_5_23() -> None:
    pairs = PairList.of(28, 2, 4)
    assert pairs is not None
    assert [pairs.at(i) for i in range(len(pairs))] == [
        (14, 0),
        (12, 1),
        (10, 2),
        (8, 3),
        (6, 4),
        (4, 5),
        (2, 6),
        (0, 7),
    ]


def test_inferential_example_5_32() -> None:
    # Three sizes meet the three conditions, and no assignment exists: ten values' 50 records have room for 30.
    counts = np.array([5] * 10 + [20], np.int64)
    setting = Bucket(20, 1), Bucket(20, 1), Bucket(30, 1)
    most = tuple(np.array([cap] * 10 + [20], np.int64) for cap in (0, 0, 5))
    assert meets_conditions(counts, most, setting)
    only_third = (most[0] + most[1] == 0) & (most[2] > 0)
    assert counts[only_third].sum() > setting[2].records
    with pytest.raises(ValueError, match="two sizes at most"):
        is_valid(counts, most, setting)
