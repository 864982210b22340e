"""The disclosure measures against their definitions, written out record by record, and against the draw itself."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_desktop.core import sanitise
from splu_desktop.core.disclosure import CL, LS, Disclosure, disclosure
from splu_desktop.core.table import Column, Table
from tests.core.tables import column, plan_for, skewed, with_nsas
from tests.seeded import Seeded

small_tables = st.integers(2, 40).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 3), min_size=n, max_size=n),
        st.lists(st.integers(0, 2), min_size=n, max_size=n),
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
    )
)


def dense(name: str, codes: list[int]) -> Column:
    return column(name, np.unique(codes, return_inverse=True)[1])


def measured(a: list[int], b: list[int], s: list[int], retention: float | None) -> tuple[Disclosure, Table]:
    table = Table((dense("a", a), dense("b", b), dense("s", s)))
    return disclosure(table, ["a", "b"], {"s": retention})[0], table


@given(small_tables)
@settings(max_examples=150, deadline=None)
def test_measures_are_those_of_the_definitions(lists: tuple[list[int], list[int], list[int]]) -> None:
    a, b, s = lists
    found, _ = measured(a, b, s, None)
    n = len(s)
    whole = {value: count / n for value, count in Counter(s).items()}
    classes = defaultdict(list)
    for key, value in zip(zip(a, b, strict=True), s, strict=True):
        classes[key].append(value)
    know = right = 0.0
    worst, quotient, lacking = 0.0, 0.0, 0
    for values in classes.values():
        share = {value: count / len(values) for value, count in Counter(values).items()}
        diff = sum(abs(p - share.get(value, 0.0)) for value, p in whole.items()) / 2
        know += len(values) * diff / n
        right += len(values) * max(share.values()) / n
        worst = max(worst, diff)
        quotient = max(quotient, *(abs(math.log(q / whole[value])) for value, q in share.items()))
        lacking += len(share) < len(whole)
    assert found.face.a_know == pytest.approx(know)
    assert found.face.right_guesses == pytest.approx(right)
    assert found.face.a_acc == pytest.approx(right - max(whole.values()))
    assert found.face.largest_a_diff == pytest.approx(worst)
    assert found.face.delta == pytest.approx(quotient, abs=1e-12)
    assert found.lacking == lacking
    assert found.classes == len(classes)
    assert found.distinct_l == min(len(set(values)) for values in classes.values())
    entropies = [
        -sum(c / len(values) * math.log(c / len(values)) for c in Counter(values).values())
        for values in classes.values()
    ]
    assert found.entropy_l == pytest.approx(math.exp(min(entropies)))
    for least in LS:
        expected = sum(len(values) for values in classes.values() if len(set(values)) < least)
        assert found.below_l[str(least)] == expected
    for c, least in CL:
        failing = 0
        for values in classes.values():
            ranked = sorted(Counter(values).values(), reverse=True)
            failing += len(values) * (ranked[0] > c * sum(ranked[least - 1 :]))
        assert found.fails_cl[f"({c:g},{least})"] == failing


@given(small_tables, st.integers(2, 9))
@settings(max_examples=150, deadline=None)
def test_an_informed_reader_believes_what_bayes_says(lists: tuple[list[int], list[int], list[int]], gamma: int) -> None:
    a, b, s = lists
    if len(set(s)) < 2:
        return
    keeps = 1 / gamma
    found, table = measured(a, b, s, keeps)
    prior = table["s"].counts() / table.n
    m = len(prior)
    # belief[u, s]: of a record published as u; decoys are spread over the other values by their shares.
    belief = np.array(
        [[keeps if u == v else (1 - keeps) * prior[v] / (1 - prior[u]) for v in range(m)] for u in range(m)]
    )
    assert belief.sum(axis=1) == pytest.approx(np.ones(m))
    classes = defaultdict(list)
    for key, value in zip(zip(a, b, strict=True), table["s"].codes.tolist(), strict=True):
        classes[key].append(value)
    know = right = 0.0
    worst = quotient = 0.0
    for values in classes.values():
        mean = belief[values].mean(axis=0)
        diff = np.abs(mean - prior).sum() / 2
        know += len(values) * diff / table.n
        right += len(values) * mean.max() / table.n
        worst, quotient = max(worst, diff), max(quotient, np.abs(np.log(mean / prior)).max())
    assert found.informed is not None
    assert found.informed.a_know == pytest.approx(know)
    assert found.informed.right_guesses == pytest.approx(right)
    assert found.informed.largest_a_diff == pytest.approx(worst)
    assert found.informed.delta == pytest.approx(quotient, abs=1e-9)


def test_the_stated_confidence_is_how_often_a_persons_own_row_is_right() -> None:
    table = with_nsas(skewed(6_000, 20, 0.15, 1), 2)
    plan = plan_for(table, s=5)
    kept = table.select(["dependent", "free", "s"])
    # The row of a person is found by an NSA that numbers the records here, published for this test alone.
    numbered = Table((*kept.columns, Column("row", table["id"].kind, *_numbers(table.n))))
    released = sanitise.run(numbered, plan_for(numbered, s=5), randomness=Seeded(3)).table
    truth = table["s"].labels[table["s"].codes][np.array(released["row"].labels[released["row"].codes], int)]
    right = float((truth == released["s"].labels[released["s"].codes]).mean())
    stated = disclosure(released, ["dependent", "free"], {"s": (table.n // 5) / table.n})[0].confidence
    assert stated == pytest.approx(0.2)
    # Kept values: mean 0.2 N, variance at most 0.16 N; five standard deviations, false alarms below 1 in 1,000,000.
    assert abs(right - 0.2) < 5 * math.sqrt(0.16 / table.n)
    assert plan.draws["s"].gamma == 5


def _numbers(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.arange(n, dtype=np.int32), np.array([str(i) for i in range(n)], dtype=object), np.zeros(n, bool)


@given(small_tables, st.floats(0.05, 0.95))
@settings(max_examples=80, deadline=None)
def test_a_matrix_of_plain_groups_says_what_the_two_numbers_say(
    lists: tuple[list[int], list[int], list[int]], a: float
) -> None:
    """T[v, u] = b_u = (1 - a) f_u / (N - f_u) off the diagonal: mechanism.md section 4 written as a matrix."""
    by_number, table = measured(*lists, a)
    counts = table["s"].counts().astype(float)
    if len(counts) < 2:
        return
    matrix = np.tile((1 - a) * counts / (table.n - counts), (len(counts), 1))
    np.fill_diagonal(matrix, a)
    (by_matrix,) = disclosure(table, ["a", "b"], {"s": matrix})
    assert by_matrix.confidence is None
    assert by_number.informed is not None
    assert by_matrix.informed is not None
    for field in dataclasses.fields(by_number.informed):
        expected = getattr(by_number.informed, field.name)
        assert getattr(by_matrix.informed, field.name) == pytest.approx(expected, abs=1e-9), field.name


def test_groups_that_keep_values_apart_tell_what_they_leave_possible() -> None:
    """Values 0 and 1 share groups of two, value 2 is never re-drawn: belief is 1/2, 1/2 or certain."""
    table = Table((dense("a", [0, 0, 1, 1, 2, 2, 3, 3]), dense("s", [0, 1, 0, 1, 0, 1, 2, 2])))
    matrix = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    (found,) = disclosure(table, ["a"], {"s": matrix})
    assert found.informed is not None
    assert found.informed.right_guesses == pytest.approx((6 * 0.5 + 2 * 1.0) / 8)
    assert found.informed.largest_a_diff == pytest.approx(0.75)
    assert found.informed.a_know == pytest.approx((6 * 0.25 + 2 * 0.75) / 8)
    assert found.informed.delta == pytest.approx(math.log(4))
