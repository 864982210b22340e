"""The self-check passes sound releases and withholds every kind of unsound one."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from splu_desktop.core import sanitise
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import Published
from splu_desktop.core.roles import Role
from splu_desktop.core.selfcheck import check_alone, check_order, check_release, equal_neighbours
from splu_desktop.core.table import Column, Table
from tests.core.tables import column, plan_for, skewed, with_nsas
from tests.draws import plain
from tests.seeded import Seeded

GAMMA = 5


@pytest.fixture(scope="module")
def source() -> Table:
    return with_nsas(skewed(4_000, 40, 0.12, 1), 2)


@pytest.fixture(scope="module")
def plan(source: Table) -> Plan:
    return plan_for(source, s=GAMMA)


@pytest.fixture(scope="module")
def published(source: Table, plan: Plan) -> Published:
    return sanitise.run(source, plan, randomness=Seeded(3))


def failed(source: Table, plan: Plan, published: Published) -> set[str]:
    return {check.name for check in check_release(source, plan, published) if not check.passed}


def with_column(published: Published, new: Column) -> Published:
    columns = tuple(new if old.name == new.name else old for old in published.table.columns)
    return replace(published, table=Table(columns))


def drawn(published: Published, codes: NDArray[np.int32], source: Table) -> Published:
    return with_column(published, source["s"].with_codes(codes))


def test_sound_releases_pass(source: Table, plan: Plan) -> None:
    # Each check's false-alarm rate is below 1e-9, so 60 releases pass.
    for seed in range(60):
        made = sanitise.run(source, plan, randomness=Seeded(100 + seed))
        assert failed(source, plan, made) == set()
        assert all(check.passed for check in check_alone(made))


@pytest.mark.parametrize("gamma", [2, 3, 7])
@pytest.mark.parametrize("unique", [True, False])
def test_sound_releases_pass_whatever_the_nsas(gamma: int, unique: bool) -> None:
    rng = np.random.default_rng(gamma)
    sa = column("s", rng.integers(0, 12, 1_500))
    nsa = column("n", np.arange(1_500) if unique else rng.integers(0, 3, 1_500))
    table = Table((nsa, sa))
    for seed in range(20):  # none of the table's own, whose values the order would follow
        made = sanitise.run(table, plan_for(table, s=gamma), randomness=Seeded(100 + seed))
        assert failed(table, plan_for(table, s=gamma), made) == set()


def test_small_tables_and_lone_columns_pass() -> None:
    for n, m in ((4, 4), (6, 3), (30, 5)):
        table = Table((column("s", np.arange(n) % m),))
        for seed in range(20):
            made = sanitise.run(table, plan_for(table, s=2), randomness=Seeded(seed))
            assert failed(table, plan_for(table, s=2), made) == set()


def test_a_lost_record_is_noticed(source: Table, plan: Plan, published: Published) -> None:
    short = replace(published, table=published.table.take(np.arange(3_999)))
    assert failed(source, plan, short) == {"records"}


def test_a_changed_nsa_is_noticed(source: Table, plan: Plan, published: Published) -> None:
    codes = published.table["free"].codes.copy()
    codes[17] = (codes[17] + 1) % 30
    assert "rows" in failed(source, plan, with_column(published, published.table["free"].with_codes(codes)))


def test_swapped_nsas_are_noticed(source: Table, plan: Plan, published: Published) -> None:
    """Each column alone is right as a multiset; the rows are not."""
    codes = np.roll(published.table["free"].codes, 1)
    assert "rows" in failed(source, plan, with_column(published, published.table["free"].with_codes(codes)))


def test_an_identifier_in_the_table_is_noticed(source: Table, plan: Plan, published: Published) -> None:
    more = Published(Table((source["id"], *published.table.columns)), published.draws)
    assert failed(source, plan, more) == {"columns"}


def test_a_foreign_value_is_noticed(source: Table, plan: Plan, published: Published) -> None:
    held = published.table["s"]
    labels = held.labels.copy()
    labels[0] = "elsewhere"
    assert "domain" in failed(source, plan, with_column(published, replace(held, labels=labels)))


def untouched(source: Table, order: NDArray[np.intp]) -> NDArray[np.int32]:
    return source["s"].codes[order]


def test_a_column_that_was_not_drawn_is_noticed(source: Table, plan: Plan) -> None:
    order = np.random.default_rng(1).permutation(source.n)
    table = source.select(("dependent", "free", "s")).take(order)
    assert {"counts", "retained"} <= failed(source, plan, Published(table, plain({"s": GAMMA})))


def test_too_many_kept_values_are_noticed(source: Table, plan: Plan) -> None:
    """A draw with the gamma of another: half the records keep their value where a fifth should."""
    loose = sanitise.run(source, plan_for(source, s=2), randomness=Seeded(5))
    assert "retained" in failed(source, plan, Published(loose.table, plain({"s": GAMMA})))


def test_values_drawn_from_anywhere_are_noticed(source: Table, plan: Plan) -> None:
    """A shuffle of the whole column keeps every count and severs it from the NSAs."""
    rng = np.random.default_rng(2)
    table = source.select(("dependent", "free", "s")).take(rng.permutation(source.n))
    shuffled = table["s"].with_codes(rng.permutation(table["s"].codes))
    severed = Published(Table((table["dependent"], table["free"], shuffled)), plain({"s": GAMMA}))
    assert failed(source, plan, severed) & {"counts", "retained"}


def test_a_wrong_count_is_noticed(source: Table, plan: Plan, published: Published) -> None:
    codes = np.array([source["s"].code_of(x) for x in published.table["s"].labels], np.int32)[
        published.table["s"].codes
    ]
    top = int(source["s"].counts().argmax())
    codes[np.flatnonzero(codes == top)[:250]] = (top + 1) % 40
    assert "counts" in failed(source, plan, drawn(published, codes, source))


@pytest.mark.parametrize("how", ["source", "reversed", "sorted"])
def test_an_order_that_tells_is_noticed(source: Table, plan: Plan, published: Published, how: str) -> None:
    numbered = Table((column("visit", np.arange(4_000)), *source.columns))
    planned = Plan(roles={**plan.roles, "visit": Role.NSA}, draws=plan.draws)
    planned = Plan({name: planned.roles[name] for name in numbered.names}, plan.draws)
    made = sanitise.run(numbered, planned, randomness=Seeded(9))
    visits = made.table["visit"].codes
    order = {
        "source": np.argsort(visits),
        "reversed": np.argsort(-visits),
        "sorted": np.argsort(made.table["free"].codes, kind="stable"),
    }[how]
    assert "order" in failed(numbered, planned, replace(made, table=made.table.take(order)))


def test_sorted_tables_are_noticed_without_the_source(published: Published) -> None:
    order = np.argsort(published.table["dependent"].codes, kind="stable")
    check = check_order(published.table.take(order))
    assert not check.passed
    assert check.column == "dependent"


def test_a_gamma_that_the_counts_exclude_is_noticed_without_the_source() -> None:
    codes = np.r_[np.zeros(900, int), np.arange(100) % 9 + 1]
    table = Table((column("s", np.random.default_rng(1).permutation(codes)),))
    assert not check_alone(Published(table, plain({"s": 5})))[0].passed


@pytest.mark.parametrize("counts", [(3, 2), (2, 2, 2), (4, 1, 1), (1, 1, 1, 1), (5, 2)])
def test_equal_neighbours_have_the_moments_of_all_arrangements(counts: tuple[int, ...]) -> None:
    letters = [value for value, count in enumerate(counts) for _ in range(count)]
    seen = [sum(a == b for a, b in itertools.pairwise(order)) for order in itertools.permutations(letters)]
    mean, variance = equal_neighbours(np.array(counts))
    assert mean == pytest.approx(np.mean(seen))
    assert variance == pytest.approx(np.var(seen))
