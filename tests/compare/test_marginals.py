"""Anonymised marginals: the fit, what it is held to, and the papers' conditions, on small domains."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from splu_desktop.compare.base.source import TrueTable
from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.generalise.diversity import recursive
from splu_desktop.compare.marginals.fit import fitted, gain
from splu_desktop.compare.marginals.kifer import Domain, Marginals, MaximumEntropy, ranges, within_ranges
from splu_desktop.core.progress import Silent
from tests.compare.tables import small_source
from tests.core.tables import column


def published(k: int = 5, n: int = 600) -> MaximumEntropy:
    return Marginals(k).publish(small_source(n), np.random.default_rng(1), Silent())


def test_the_fit_of_two_pairs_that_share_a_column_is_the_product_of_its_conditionals() -> None:
    domain = Domain(small_source(600), 5)
    a, c, s = 0, 2, 3
    pairs = [domain.marginal((a, s)), domain.marginal((c, s))]
    uniform = np.full(math.prod(domain.shape), 600 / math.prod(domain.shape))
    found = fitted(uniform, pairs)
    assert found is not None
    true = domain.counts.reshape(domain.shape)
    by_a, by_c, by_s = true.sum(axis=(1, 2)), true.sum(axis=(0, 1)), true.sum(axis=(0, 1, 2))
    expected = by_a[:, None, None] * by_c[None, None] / by_s / domain.shape[1] * np.ones((1, domain.shape[1], 1, 1))
    assert found.reshape(domain.shape) == pytest.approx(expected, abs=1e-3)
    assert gain(found, pairs[0]) == pytest.approx(0, abs=1e-6)
    assert gain(uniform, pairs[0]) > 0.01


def test_what_is_published_is_k_linked_diverse_and_met_by_the_fit() -> None:
    outcome = published(20)
    assert len(outcome.marginals) > len(outcome.domain.shape)
    for marginal in outcome.marginals:
        assert marginal.linked(20)
        held = np.bincount(marginal.entry, outcome.cells, len(marginal.counts))
        assert held == pytest.approx(marginal.counts, abs=1e-2)
    assert recursive(outcome.cells.reshape(-1, outcome.source.m), 3.0, 2).all()
    with pytest.raises(Impossible):
        published(601)


def test_divergence_is_that_of_the_whole_domain_gone_through_cell_by_cell() -> None:
    source = small_source(300)
    outcome = Marginals(5).publish(source, np.random.default_rng(1), Silent())
    true, thought = np.zeros((4, 3, 40, 5)), np.zeros((4, 3, 40, 5))
    np.add.at(true, tuple(each.codes for each in source.table.columns), 1)
    cells = outcome.cells.reshape(outcome.domain.shape)
    for at in itertools.product(*map(range, true.shape)):
        inside = zip(outcome.domain.ranges, outcome.domain.shares, at, strict=False)
        shares = [(int(of[label]), share[label]) for of, share, label in inside]
        thought[at] = cells[(*(place for place, _ in shares), at[-1])] * math.prod(share for _, share in shares)
    assert thought.sum() == pytest.approx(300)
    there = true > 0
    assert outcome.divergence == pytest.approx((true[there] * np.log(true[there] / thought[there])).sum() / 300)


def test_each_pair_that_is_added_brings_the_fit_nearer() -> None:
    outcome = published()
    uniform = np.full(outcome.cells.shape, 600 / len(outcome.cells))
    left = []
    for used in range(len(outcome.domain.shape), len(outcome.marginals) + 1):
        cells = fitted(uniform, outcome.marginals[:used])
        assert cells is not None
        left.append(MaximumEntropy(outcome.domain, outcome.marginals[:used], cells).divergence)
    assert (np.diff(left) < 0).all()
    assert left[-1] == pytest.approx(outcome.divergence, abs=1e-3)


def test_ranges_and_labels_told_have_k_records_each() -> None:
    chance = np.random.default_rng(3)
    for _ in range(200):
        counts = chance.integers(0, 12, chance.integers(1, 60)).astype(np.int64) + 1
        least = int(chance.integers(1, 1 + min(30, counts.sum())))
        of = ranges(counts, 8, least)
        held = np.bincount(of, counts)
        assert held.min() >= least
        assert (np.diff(of) >= 0).all()
        share = within_ranges(counts, of, least)
        assert np.bincount(of, share) == pytest.approx(1)
        for number in range(len(held)):
            rare = np.flatnonzero((of == number) & (counts < least))
            if len(rare):
                alike = np.flatnonzero((of == number) & np.isclose(share, share[rare[0]]))
                assert counts[alike].sum() >= least
                assert set(rare) <= set(alike)


def test_marginals_without_a_cycle_are_k_combinatorial_where_they_are_k_linked() -> None:
    # The most that any consistent table holds in a cell, by integer programming: the least of the cell's entries.
    chance = np.random.default_rng(5)
    a, b, s = chance.integers(0, 2, (3, 30))
    domain = Domain(TrueTable((column("a", a), column("b", b)), column("s", s)), 2)
    marginals = [domain.marginal((0, 1)), domain.marginal((1, 2))]
    rows = np.concatenate([np.eye(len(each.counts))[:, each.entry] for each in marginals])
    counts = np.concatenate([each.counts for each in marginals])
    for cell in range(8):
        most = milp(
            -np.eye(8)[cell],
            constraints=LinearConstraint(rows, counts, counts),
            integrality=np.ones(8),
            bounds=Bounds(0, np.inf),
        )
        assert round(-most.fun) == min(each.counts[each.entry[cell]] for each in marginals)


def test_marginals_in_a_cycle_may_be_k_linked_and_not_k_combinatorial() -> None:
    # All 4^8 tables of three columns of two labels with up to 3 records a cell: consistent ones differ by one number.
    tables = np.stack(np.unravel_index(np.arange(4**8), (4,) * 8), axis=1).reshape(-1, 2, 2, 2)
    linked = np.ones(len(tables), bool)
    for axis in (1, 2, 3):
        pairs = tables.sum(axis=axis)
        linked &= ((pairs == 0) | (pairs >= 2)).all(axis=(1, 2))
    even = np.indices((2, 2, 2)).sum(axis=0) % 2 == 0
    most = tables.copy()
    most[:, even] += tables[:, ~even].min(axis=1)[:, None]
    most[:, ~even] += tables[:, even].min(axis=1)[:, None]
    assert (linked & (most == 1).any(axis=(1, 2, 3))).any()


def test_a_domain_that_is_too_large_is_impossible() -> None:
    codes = np.random.default_rng(1).integers(0, 3, (20, 50))
    wide = TrueTable(tuple(column(f"c{at}", each) for at, each in enumerate(codes)), column("s", codes[0]))
    with pytest.raises(Impossible, match="more combinations"):
        Marginals(5).publish(wide, np.random.default_rng(1), Silent())
