"""Unchanged columns that tell a secret value are found, and no others."""

from __future__ import annotations

import numpy as np
import pytest

from splu_desktop.core.risk.giveaway import Giveaway, giveaways
from splu_desktop.core.sanitise import prepare
from splu_desktop.core.table import Column, Kind, Table
from tests.columns import column_of
from tests.core.risk_tables import coded, plan_for, visits


def _numbers(name: str, values: np.ndarray) -> Column:
    return column_of(name, [str(each) for each in values.tolist()], kind=Kind.DECIMAL)


def _find(table: Table, sensitive: str, **more: object) -> tuple[Giveaway, ...]:
    plan = plan_for(table, [[sensitive]], **more)  # type: ignore[arg-type]
    return giveaways(prepare(table, plan), plan)


def test_a_laboratory_value_tells_most_positives() -> None:
    rng = np.random.default_rng(1)
    positive = rng.random(15_000) < 0.056
    ct = np.round(np.where(positive, rng.normal(24, 4, 15_000), rng.normal(40, 1, 15_000)), 1)
    table = Table(
        (coded("sex", rng.integers(0, 2, 15_000)), _numbers("ct_result", ct), coded("test", positive.astype(int)))
    )
    (found,) = _find(table, "test")
    assert (found.columns[0], found.sensitive, found.value) == ("ct_result", "test", "v001")
    assert found.bearers == positive.sum()
    assert found.rows > 0.95 * found.bearers
    assert "ct_result" in found.sentence


def test_two_columns_tell_what_neither_does() -> None:
    rng = np.random.default_rng(2)
    one, two = rng.integers(0, 4, 5000), rng.integers(0, 4, 5000)
    table = Table(
        (coded("a", one), coded("b", two), coded("c", rng.integers(0, 4, 5000)), coded("dx", (one + two) % 4))
    )
    assert {frozenset(each.columns) for each in _find(table, "dx")} == {frozenset("ab")}


@pytest.mark.parametrize("dates", [False, True])
def test_a_difference_tells_a_length_of_stay(dates: bool) -> None:
    rng = np.random.default_rng(3)
    begin, stay = rng.integers(0, 700, 4000), rng.geometric(0.2, 4000)
    columns = [_numbers("in", begin.astype(float)), _numbers("out", (begin + stay).astype(float))]
    if dates:
        first = np.datetime64("2020-01-01", "D")
        columns = [
            column_of(name, [str(first + int(each)) for each in days], kind=Kind.DATE)
            for name, days in (("in", begin), ("out", begin + stay))
        ]
    table = Table((*columns, coded("stay", stay)))
    assert ("in", "out") in {each.columns for each in _find(table, "stay")}


def test_chance_names_nothing() -> None:
    """Columns of few and of many values that have nothing to do with the secret one: a false alarm in 100 tables."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        sizes = (2, 10, 100, 700, 1900)
        columns = [coded(f"c{m}", rng.integers(0, m, 2000)) for m in sizes]
        secret = coded("dx", rng.choice(5, 2000, p=[0.6, 0.25, 0.1, 0.04, 0.01]))
        numbers = [_numbers(f"n{at}", rng.normal(size=2000).round(3)) for at in range(3)]
        assert _find(Table((*columns, *numbers, secret)), "dx") == ()


@pytest.mark.parametrize(("bearers", "told"), [(1_560, False), (1_000, True)])
def test_what_most_have_anyway_is_given_away_by_no_cell_where_a_few_more_have_it(bearers: int, told: bool) -> None:
    """84 of 100 of a ward have it: where 60 have it anyway that is 3.5 times the odds, where 46 have it 6 times."""
    dx = np.arange(4_000) % 4 + 1
    dx[:840] = 0
    dx[1_000:][7 * np.arange(3_000) % 3_000 < bearers] = 0  # all over the other wards
    found = _find(Table((coded("ward", np.arange(4_000) // 1_000), coded("dx", dx))), "dx")
    assert [each.value for each in found] == ["v000"] * told


@pytest.mark.parametrize(("rows", "told"), [(3, False), (4, True)])
def test_a_thousand_cells_hold_three_of_twelve_bearers_by_chance_and_four_by_none(rows: int, told: bool) -> None:
    """Two others of a cell of three: 2 ln 250 = 11.04 < ln(1,000/.01) = 11.51; three others of one of four are more."""
    cell, dx = np.arange(3_000) // 3, np.ones(3_000, int)
    cell[3] = int(rows < 4)
    dx[:rows] = dx[300:][: 3 * (12 - rows) : 3] = 0  # the others in a cell each
    found = _find(Table((coded("ward", cell), coded("dx", dx))), "dx")
    assert [each.value for each in found] == ["v000"] * told


def test_rows_of_one_person_teach_nothing_of_it() -> None:
    """What stays the same in all rows of a person seems to tell, and does not: nobody else shares it."""
    table = visits(persons=400)
    own = coded("own", table["id"].codes)  # e.g. a day of birth
    dx = coded("dx", table["id"].codes % 7)
    table = Table((*table.columns[:4], own, dx))
    assert _find(table, "dx", person="id") == ()
    assert _find(Table(table.columns[1:]), "dx") != ()


def test_one_other_row_vouches_for_nothing() -> None:
    """Of a value that two persons have, in a cell of their own: the two rows of one vouch for the other alone."""
    owner = np.r_[np.repeat(np.arange(100), 2), np.arange(100, 4_000)]
    has = np.isin(owner, [0, 100]).astype(int)
    table = Table((coded("id", owner), coded("place", has), coded("dx", has)))
    assert [(each.value, each.rows, each.bearers) for each in _find(table, "dx", person="id")] == [("v001", 1, 2)]


def test_text_values_tell_by_their_neighbours_and_by_being_there() -> None:
    """A sample number that only the sick have, and a code that begins alike, though no two are the same."""
    rng = np.random.default_rng(4)
    sick = rng.random(4000) < 0.012
    number, dx = rng.permutation(90_000)[:4000], np.where(sick, 2, rng.integers(0, 2, 4000))
    for told in (
        np.where(sick, [f"S{each:05}" for each in number], ""),
        np.where(sick, "", [f"S{each:05}" for each in number]),
        np.where(sick, [f"J05{each:05}" for each in number], [f"C09{each:05}" for each in number]),
    ):
        table = Table((column_of("sample", told.astype(object)), coded("dx", dx)))
        (found,) = _find(table, "dx")
        assert (found.columns, found.value) == (("sample",), "v002")
        assert found.rows > 0.5 * found.bearers


def test_a_spelling_tells_though_it_means_the_same() -> None:
    """Unchanged columns go out to the letter: who types “f” where others type “F” tells whose patients these are."""
    rng = np.random.default_rng(6)
    sex, sick = rng.integers(0, 2, 3000), rng.random(3000) < 0.03
    texts = np.where(sick, np.array(["f", "m"])[sex], np.array(["F", "M"])[sex]).astype(object)
    folded = column_of("sex", texts).fold_by(np.array([0, 1, 0, 1]), np.ones(4, bool))
    assert folded.m == 2
    (found,) = _find(Table((folded, coded("dx", sick.astype(int)))), "dx")
    assert (found.columns, found.rows) == (("sex",), sick.sum())
