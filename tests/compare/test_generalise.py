"""Mondrian and marginals: the classes, what they tell, and the papers' conditions, each by its paper's law."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from splu_desktop.compare.base.source import TrueTable
from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.systems.generalise import (
    Closeness,
    DeltaDisclosure,
    DistinctDiversity,
    KAnonymity,
    Mondrian,
    RecursiveDiversity,
)
from splu_desktop.compare.systems.marginals import Marginals, fit_marginals, is_combinatorial, is_linked, marginal
from splu_desktop.core.progress import SILENT
from tests.compare.tables import column, small_source

CONDITIONS: list[Mondrian] = [
    KAnonymity(2),
    KAnonymity(7),
    DistinctDiversity(3),
    RecursiveDiversity(3),
    Closeness(0.3),
    DeltaDisclosure(1.0),
]


def halved(system: Mondrian, columns: list[np.ndarray], s: np.ndarray, m: int) -> list[np.ndarray]:
    """Mondrian as its paper says it, one class after the other."""
    shares = np.bincount(s, minlength=m) / len(s)
    reach = [max(int(codes.max()), 1) for codes in columns]

    def may_stand(records: np.ndarray) -> bool:
        counts = np.bincount(s[records], minlength=m).astype(float)
        return bool(system.meets(counts[None], shares)[0])

    def parts(records: np.ndarray) -> list[np.ndarray]:
        width = [np.ptp(codes[records]) / most for codes, most in zip(columns, reach, strict=True)]
        for at in np.argsort(-np.array(width), kind="stable"):
            codes = columns[at][records]
            labels = np.unique(codes)[:-1]
            if len(labels):
                cut = min(labels, key=lambda label: abs(2 * (codes <= label).sum() - len(records)))
                halves = records[codes <= cut], records[codes > cut]
                if all(map(may_stand, halves)):
                    return parts(halves[0]) + parts(halves[1])
        return [records]

    return parts(np.arange(len(s)))


@pytest.mark.parametrize("system", CONDITIONS, ids=lambda system: f"{system.name}-{system.setting}")
def test_classes_are_those_of_the_recursion_and_meet_the_condition(system: Mondrian) -> None:
    source = small_source(500)
    outcome = system.publish(source, np.random.default_rng(1), SILENT)
    expected = halved(system, [column.codes for column in source.columns], source.sensitive.codes, source.m)
    found = [np.flatnonzero(outcome.group == number) for number in range(len(outcome.sizes))]
    assert sorted(map(tuple, found)) == sorted(map(tuple, expected))
    assert system.meets(outcome.counts.toarray(), source.shares).all()
    # The metrics, record by record.
    told = outcome.metrics()
    same = outcome.group[:, None] == outcome.group
    assert told["discernability"] == same.sum()
    commonest = [np.bincount(source.sensitive.codes[mine]).argmax() for mine in same]
    right = [np.bincount(source.sensitive.codes[mine]).max() for mine in same]
    of_value = [(source.sensitive.codes[mine] == v).sum() for mine, v in zip(same, commonest, strict=True)]
    assert of_value == right
    assert told["classification"] == pytest.approx(1 - np.mean(np.array(right) / same.sum(axis=1)))


def test_a_condition_that_the_whole_table_misses_is_impossible() -> None:
    for system in (KAnonymity(301), DistinctDiversity(6), RecursiveDiversity(5, 0.1)):
        with pytest.raises(Impossible):
            system.publish(small_source(300), np.random.default_rng(1), SILENT)


def test_diversity_and_disclosure_on_counts_worked_by_hand() -> None:
    counts = np.array([[4.0, 3, 2, 1], [5, 5, 0, 0], [10, 0, 0, 0]])
    shares = counts.sum(axis=0) / counts.sum()
    assert RecursiveDiversity(2, 1).meets(counts, shares).tolist() == [True, True, False]
    assert RecursiveDiversity(3, 4 / 3).meets(counts, shares).tolist() == [True, False, False]

    def told(classes: list[int], values: list[int]) -> tuple[float, ...]:
        source = TrueTable((column("a", np.array(classes)),), column("s", np.array(values)))
        outcome = KAnonymity(2)
        outcome.source = source
        outcome.hold(np.array(classes))
        found = outcome.metrics()
        return found["A_know"], found["A_acc"], found["A_quot"]

    # Two classes, 3:1 and 1:3, of a table of 4:4.
    assert told([0] * 4 + [1] * 4, [0, 0, 0, 1, 0, 1, 1, 1]) == pytest.approx((0.25, 0.25, math.log(2)))
    assert math.isinf(told([0, 0, 1, 1], [0, 0, 0, 1])[2])
    source = small_source(2_000)
    outcome = DeltaDisclosure(0.5).publish(source, np.random.default_rng(1), SILENT)
    assert outcome.metrics()["A_quot"] < 0.5


def test_marginals_are_linked_diverse_and_met_by_the_fit() -> None:
    outcome = Marginals(20).publish(small_source(600), np.random.default_rng(1), SILENT)
    true = outcome.true
    assert len(outcome.chosen) > true.ndim
    for axes in outcome.chosen:
        assert is_linked(true, axes, 20)
        assert marginal(outcome.cells, axes) == pytest.approx(marginal(true, axes), abs=1e-2)
    assert RecursiveDiversity(2).meets(outcome.cells.reshape(-1, outcome.source.m), outcome.source.shares).all()
    # Two pairs that share a column: the product of its conditionals.
    cells = fit_marginals(true, [(0, 3), (2, 3)], np.full(true.shape, 600 / true.size))
    assert cells is not None
    by_a, by_c, by_s = true.sum(axis=(1, 2)), true.sum(axis=(0, 1)), true.sum(axis=(0, 1, 2))
    expected = by_a[:, None, None] * by_c[None, None] / by_s / true.shape[1] * np.ones((1, true.shape[1], 1, 1))
    assert cells == pytest.approx(expected, abs=1e-3)
    for column_, of, share in zip(outcome.source.columns, outcome.ranges, outcome.shares, strict=True):
        told = share * np.bincount(of, column_.counts())[of]
        assert told.sum() == pytest.approx(outcome.source.n)
        assert all(told[np.isclose(told, each)].sum() >= 20 for each in told), "labels of fewer stand together"


@pytest.mark.parametrize("pairs", [[(0, 1), (1, 2)], [(0, 2), (1, 2)], [(0, 2)], [(0, 1), (1, 2), (0, 2)]])
@pytest.mark.parametrize("k", [2, 4])
def test_combinatorial_anonymity_is_that_of_all_consistent_tables_and_open_in_a_circle_alone(
    pairs: list[tuple[int, int]], k: int
) -> None:
    decided: set[bool | None] = set()
    for seed in range(12):
        records = np.random.default_rng(seed).choice(2, (14, 3), p=[0.75, 0.25])
        true = np.zeros((2, 2, 2))
        np.add.at(true, tuple(records.T), 1)
        marginals = [(0,), (1,), (2,), *pairs]
        every = np.eye(8).reshape(8, 2, 2, 2)
        rows = np.vstack([np.stack([marginal(cell, axes).ravel() for cell in every], axis=1) for axes in marginals])
        counts = np.concatenate([marginal(true, axes).ravel() for axes in marginals])
        most = []
        for cell in np.repeat(np.eye(4), 2, axis=1):  # the most records of any consistent table in each combination
            same = LinearConstraint(rows, counts, counts)
            best = milp(-cell, constraints=same, integrality=np.ones(8, np.int64), bounds=Bounds(0))
            most.append(round(-float(best.fun or 0)))
        anonymous, found = all(each == 0 or each >= k for each in most), is_combinatorial(true, marginals, k)
        decided.add(found)
        assert found is anonymous or (found is None and len(pairs) == 3)
    assert decided & {True, False}
