"""Decoy groups: their guarantees for every input, and the law of who shares a group with whom."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_desktop.core.errors import BadSetting, EmptyTable, Ineligible
from splu_desktop.core.groups.forming import check_eligible, largest_gamma
from splu_desktop.core.progress import Cancelled, Watched
from splu_desktop.core.randomness import permutation
from splu_desktop.core.table import Column
from tests.core.tables import assign, column, skewed
from tests.seeded import Seeded


def check_partition(sa: Column, gamma: int, records: np.ndarray, values: np.ndarray) -> None:
    groups = sa.n // gamma
    assert records.shape == values.shape
    assert records.shape[1] == groups
    assert np.array_equal(np.sort(records[records >= 0]), np.arange(sa.n)), "every record stands in exactly one group"
    assert np.array_equal(values[records >= 0], sa.codes[records[records >= 0]])
    assert (values[records < 0] == -1).all()
    sizes = (records >= 0).sum(axis=0)
    assert set(sizes.tolist()) <= {sa.n // groups, sa.n // groups + 1}
    ordered = np.sort(values, axis=0)
    assert not ((ordered[1:] == ordered[:-1]) & (ordered[1:] >= 0)).any(), "no value twice in a group"


@st.composite
def eligible(draw: st.DrawFn) -> tuple[Column, int]:
    counts = draw(st.lists(st.integers(1, 12), min_size=2, max_size=20))
    codes = np.repeat(np.arange(len(counts)), counts)
    codes = codes[np.random.default_rng(draw(st.integers(0, 99))).permutation(len(codes))]
    sa = column("s", codes)
    gamma = draw(st.integers(2, max(2, min(largest_gamma(sa), sa.m))))
    return sa, gamma


@settings(max_examples=300, deadline=None)
@given(eligible(), st.integers(0, 1000))
def test_groups_are_a_valid_partition(case: tuple[Column, int], seed: int) -> None:
    sa, gamma = case
    if largest_gamma(sa) < 2:
        with pytest.raises(Ineligible):
            check_eligible(sa, gamma)
        return
    check_partition(sa, gamma, *assign(sa, permutation(Seeded(seed), sa.n), gamma))


@pytest.mark.parametrize(
    ("n", "m", "top", "gamma"),
    [(50_000, 46, 0.09, 5), (50_003, 46, 0.09, 10), (50_000, 2, 0.5, 2), (9_999, 700, 0.3, 3)],
)
def test_larger_tables(n: int, m: int, top: float, gamma: int) -> None:
    sa = skewed(n, m, top, 1) if m > 2 else column("s", np.arange(n) % 2)
    check_partition(sa, gamma, *assign(sa, permutation(Seeded(1), n), gamma))


def test_the_partition_is_a_function_of_ids_and_values() -> None:
    sa = skewed(5_000, 30, 0.1, 2)
    ids = permutation(Seeded(5), sa.n)
    first, second = assign(sa, ids, 5), assign(sa, ids, 5)
    assert np.array_equal(first[0], second[0])
    other = assign(sa, permutation(Seeded(6), sa.n), 5)
    assert not np.array_equal(first[0], other[0])


def sharing(values: np.ndarray, m: int) -> np.ndarray:
    """(m, m) ordered pairs of records with values u, v in one group."""
    values = values.astype(np.int64)
    shared = np.zeros((m, m))
    for j in range(len(values)):
        for k in range(len(values)):
            if j != k:
                both = (values[j] >= 0) & (values[k] >= 0)
                shared += np.bincount(values[j][both] * m + values[k][both], minlength=m * m).reshape(m, m)
    return shared


@pytest.mark.parametrize(("top", "gamma"), [(0.1, 3), (0.1, 5), (0.1, 9), (0.18, 5)])
def test_mixing_spreads_decoys_over_all_values(top: float, gamma: int) -> None:
    """The estimators assume that a decoy has value v with probability f_v / (N - f_u): deviation near chance.

    Under independence each of the m^2 ordered counts deviates by about sqrt(2 E) (a pair counts both ways); the bound
    is twice the deviation that this makes in total, where dealt groups deviate by 20 times as much and more.
    """
    n, m = 100_000, 40
    sa = skewed(n, m, top, 3)
    counts = sa.counts()
    _, values = assign(sa, permutation(Seeded(4), n), gamma)
    seen = sharing(values, sa.m)
    expected = seen.sum(axis=1)[:, None] * counts[None, :] / (n - counts)[:, None]
    np.fill_diagonal(expected, 0)
    chance = np.sqrt(2 / np.pi) * np.sqrt(2 * expected).sum()
    assert np.abs(seen - expected).sum() < 2 * chance + 0.01 * seen.sum()


def test_neighbours_in_the_dealt_order_part_company() -> None:
    """The deal never puts two values of one stretch together; mixed groups do, as often as chance."""
    sa = column("s", np.repeat(np.arange(20), 500))
    _, values = assign(sa, permutation(Seeded(1), sa.n), 5)
    seen = sharing(values, 20)
    off_diagonal = seen[~np.eye(20, dtype=bool)]
    # Each of the 380 counts has mean 40,000/380 = 105 and deviation about sqrt(2 * 105) = 14.5; 6 of them is far out.
    assert off_diagonal.min() > 105 - 6 * 14.5
    assert off_diagonal.max() < 105 + 6 * 14.5


def test_ineligible_names_value_share_and_largest_gamma() -> None:
    sa = column("ward", [0] * 30 + [1] * 40 + [2] * 30, ["a", "b", "c"])
    with pytest.raises(Ineligible, match=r"“ward”.*gamma 3.*“b” fills 40\.0 %.*largest.*gamma 2"):
        check_eligible(sa, 3)
    check_eligible(sa, 2)
    assert largest_gamma(sa) == 2


def test_a_dominating_value_gets_no_false_remedy() -> None:
    with pytest.raises(Ineligible, match="no gamma protects"):
        check_eligible(column("s", [0] * 80 + [1] * 20), 2)


@pytest.mark.parametrize("gamma", [1, 0, -4])
def test_groups_of_one_hide_nothing(gamma: int) -> None:
    with pytest.raises(BadSetting, match="2 or more"):
        check_eligible(column("s", np.arange(50) % 5), gamma)


def test_gamma_above_the_number_of_values() -> None:
    with pytest.raises(Ineligible, match=r"only 5 distinct values.*gamma 6.*largest.*gamma 5"):
        check_eligible(column("s", np.arange(50) % 5), 6)


def test_no_records() -> None:
    with pytest.raises(EmptyTable):
        check_eligible(column("s", []), 2)


def test_cancelled_while_mixing() -> None:
    sa = skewed(5_000, 30, 0.1, 2)
    calls = 0

    def stop() -> bool:
        nonlocal calls
        calls += 1
        return calls > 3

    with pytest.raises(Cancelled):
        assign(sa, permutation(Seeded(5), sa.n), 5, progress=Watched(lambda stage, done: None, stop))
