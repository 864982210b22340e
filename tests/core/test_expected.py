"""What the plan says recipients will be told is what they are told; what it proposes is the strongest that serves."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from splu_desktop.core import sanitise
from splu_desktop.core.checks.asked import AskedTable, asked_from, cells, suggested
from splu_desktop.core.checks.expected import Ahead, Readers, compared, in_counts
from splu_desktop.core.checks.gate import Light, table_lines
from splu_desktop.core.checks.proposing import propose, reached
from splu_desktop.core.draw import Draw, PlainGroups
from splu_desktop.core.draw.by_person import ByPerson
from splu_desktop.core.draw.together import planned
from splu_desktop.core.draw.ways import GROUPS, JOINED, by_gamma, by_tolerances, gamma_tolerances
from splu_desktop.core.errors import BadSetting, SpluError, UnknownColumn
from splu_desktop.core.generalise import coarser, column_after, table_after
from splu_desktop.core.guarantees.audience import Audience
from splu_desktop.core.plan import Plan
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.core.thresholds import Thresholds
from tests.core.published_tables import table_of
from tests.seeded import Seeded

_ERRORS = (0.1, 0.2, 0.35, 0.5, 0.8)
_RELEASES = 20


def _patients(n: int = 6_000, seed: int = 4) -> Table:
    """Two NSAs, a test's result with 12 % positive that depends on both, and a diagnosis of eight values."""
    chance = np.random.default_rng(seed)
    sex = np.where(chance.random(n) < 0.5, "f", "m")
    age = chance.choice(["young", "middle", "old"], n, p=[0.3, 0.45, 0.25])
    risk = 0.05 + 0.1 * (age == "old") + 0.08 * (sex == "m")
    result = np.where(chance.random(n) < risk, "positive", "negative")
    diagnosis = (chance.integers(0, 5, n) + 2 * (age == "old") + (sex == "m")).astype(str)
    return table_of({"sex": sex, "age": age, "result": result, "diagnosis": diagnosis})


def _plan(table: Table, draws: dict[str, Draw]) -> Plan:
    roles = {name: Role.SA if name in draws else Role.NSA for name in table.names}
    return Plan(roles, draws)


def _every(table: Table, *columns: str) -> list[tuple[Condition, ...]]:
    return [cell.conditions for cell in cells(table, AskedTable(columns))]


DRAWS = {
    "plain": ("diagnosis", lambda table: PlainGroups(3)),
    "joined": ("result", lambda table: by_gamma(table["result"], 5, JOINED)),
    "groups": ("result", lambda table: by_gamma(table["result"], 3, GROUPS)),
}


def _persons() -> Table:
    """Persons with several records, whose two flags hang on sex and age."""
    chance = np.random.default_rng(3)
    who = chance.integers(0, 900, 2_000)
    sex, age = np.where(who % 2, "f", "m"), np.array(["young", "middle", "old"])[who // 2 % 3]
    risk = 0.15 + 0.1 * (sex == "m") + 0.1 * (age == "old")
    flags = {name: np.where(chance.random(len(who)) < risk, "yes", "no") for name in ("asthma", "copd")}
    return table_of({"person": who, "sex": sex, "age": age, **flags})


def _released_often(kind: str) -> tuple[Table, Plan, tuple[str, ...]]:
    """Return a table, its plan, and the columns of which every cell is asked."""
    if kind in DRAWS:
        sa, make = DRAWS[kind]
        table = _patients().select(("sex", "age", sa))
        return table, _plan(table, {sa: make(table)}), table.names
    if kind == "together":
        table = _persons().select(("sex", "age", "asthma", "copd"))
        return table, _plan(table, dict(planned(table, ("asthma", "copd"), 2))), table.names
    table = _persons().select(("person", "sex", "age", "asthma"))
    draw = by_gamma(table["asthma"], 5, JOINED).by_person("person")
    roles = {"person": Role.IDENTIFIER, "sex": Role.NSA, "age": Role.NSA, "asthma": Role.SA}
    return table, Plan(roles, {"asthma": draw}, persons=ByPerson("person", "draw")), ("sex", "age", "asthma")


@pytest.mark.parametrize("kind", [*DRAWS, "together", "by person"])
def test_expected_intervals_are_those_of_twenty_releases(kind: str) -> None:
    """Within a tenth: their widths in all, and the ends of the middle cell, in what cells have.

    Means of twenty releases scatter by 1 to 4 % here; seeds are fixed.
    """
    table, plan, columns = _released_often(kind)
    asked = _every(table, *columns)
    told = Ahead.of(table, plan).told(plan.draws, plan.thresholds, asked)
    seen = np.array(
        [
            [(each.low, each.high) for each in Reader(_released(table, plan, seed)).answers(asked)]
            for seed in range(_RELEASES)
        ]
    )
    found, error = seen.mean(axis=0), np.diff(seen)[..., 0].std(axis=0, ddof=1) / _RELEASES**0.5
    expected = np.array([(each.answer.low, each.answer.high) for each in told])
    there, here = np.diff(found)[:, 0], np.diff(expected)[:, 0]
    assert here.sum() == pytest.approx(there.sum(), rel=0.1)
    assert np.median(np.abs(here - there) / there) < 0.1
    assert (np.abs(here - there) <= 0.1 * there + 3 * error).all(), "each cell, beyond the noise of the releases"
    assert np.median(np.abs(expected - found) / there[:, None]) < 0.1
    true = np.array([each.true for each in told])
    off = np.maximum(true[:, None] - seen[..., 0].T, seen[..., 1].T - true[:, None])  # (cells, releases)
    said = [sum(each.within(error) for each in told) for error in _ERRORS]
    got = [np.count_nonzero(off <= error * true[:, None]) / _RELEASES for error in _ERRORS]
    assert sum(said) == pytest.approx(sum(got), rel=0.1), "cells that are answered, as many as recipients will find"


def _released(table: Table, plan: Plan, seed: int) -> sanitise.Published:
    return sanitise.run(table, plan, randomness=Seeded(seed))


@pytest.mark.parametrize("kind", DRAWS)
def test_expected_counts_are_means_over_releases(kind: str) -> None:
    """Each of up to 24 cells by a z test on 200 releases; 4.5 standard errors: false alarm below 2e-4."""
    sa, make = DRAWS[kind]
    table = _patients(600).select(("sex", sa))
    draw = make(table)
    column = table[sa]
    rows = np.stack([np.bincount(column.codes[table["sex"].codes == code], minlength=column.m) for code in (0, 1)])
    mean, variance = draw.expected(column.counts().astype(float), column.labels)(rows.astype(float))
    assert mean.sum(axis=1) == pytest.approx(rows.sum(axis=1))
    plan = _plan(table, {sa: draw})
    seen = []
    for seed in range(200):
        made = _released(table, plan, seed).table
        codes = np.array([column.code_of(str(label)) for label in made[sa].labels])[made[sa].codes]
        seen.append([np.bincount(codes[made["sex"].codes == code], minlength=column.m) for code in (0, 1)])
    counts = np.array(seen, float)
    error = counts.std(axis=0, ddof=1) / np.sqrt(len(seen))
    assert (np.abs(counts.mean(axis=0) - mean) <= 4.5 * error + 1e-9).all()
    assert counts.var(axis=0).sum() == pytest.approx(variance.sum(), rel=0.25)


def test_counts_of_the_original_are_counted_once() -> None:
    table = _patients()
    plan = _plan(table, {"result": by_gamma(table["result"], 5), "diagnosis": PlainGroups(3)})
    ahead = Ahead.of(table, plan)
    asked = _every(table, "sex", "age", "diagnosis")
    for gamma in (2, 3):
        again = ahead.told({"diagnosis": PlainGroups(gamma)}, plan.thresholds, asked)
        alone = Ahead.of(table, plan).told({"diagnosis": PlainGroups(gamma)}, plan.thresholds, asked)
        assert [one.answer for one in again] == [one.answer for one in alone]
        assert [one.true for one in again] == [_true(table, one.conditions) for one in again]


def _true(table: Table, conditions: Sequence[Condition]) -> int:
    meets = np.ones(table.n, bool)
    for condition in conditions:
        meets &= condition.select(table[condition.column])[table[condition.column].codes]
    return int(meets.sum())


def test_columns_drawn_together_and_per_person_are_told_of_too() -> None:
    chance = np.random.default_rng(3)
    who = chance.integers(0, 700, 2_000)
    flags = {name: np.where(chance.random(2_000) < 0.2, "yes", "no") for name in ("asthma", "copd")}
    table = table_of({"person": who, "sex": np.where(who % 2, "f", "m"), **flags})
    draws = dict(planned(table, ("asthma", "copd"), 3))
    plan = _plan(table.select(("sex", "asthma", "copd")), draws)
    asked = _every(table, "sex", "asthma", "copd")
    told = Ahead.of(table, plan).told(draws, plan.thresholds, asked)
    assert sum(one.true for one in told) == table.n
    assert all(one.answer.low <= one.true <= one.answer.high for one in told)
    roles = {"person": Role.IDENTIFIER, "sex": Role.NSA, "asthma": Role.SA, "copd": Role.DROPPED}
    plan = Plan(roles, {"asthma": PlainGroups(2).by_person("person")}, persons=ByPerson("person", "draw"))
    told = Ahead.of(table, plan).told(plan.draws, plan.thresholds, _every(table, "sex", "asthma"))
    assert all(one.answer.low <= one.true <= one.answer.high for one in told)


def test_three_readers_are_right_as_often_as_counting_says() -> None:
    """The second one by brute force: of every true and shown value, the likeliest guess."""
    table = _patients(900)
    plan = _plan(table, {"result": by_gamma(table["result"], 5), "diagnosis": PlainGroups(3)})
    lines = _every(table, "sex", "age")
    for sa in plan.draws:
        found = Ahead.of(table, plan).readers(plan.draws, plan.thresholds, sa, lines)
        column, right = table[sa], 0.0
        chances = plan.draws[sa].chances(column)
        for line in lines:
            counts = [_true(table, (*line, Condition(sa, (str(label),)))) for label in column.labels]
            for shown in range(column.m):
                right += max(counts[value] * chances[value, shown] for value in range(column.m))
        assert found.colleague == pytest.approx(right / table.n)
        assert found.informed <= found.colleague + 1e-12
        assert found.stranger == pytest.approx(float(column.counts() @ np.diag(chances)) / table.n)
    assert Ahead.of(table, plan).readers(plan.draws, plan.thresholds, "diagnosis", lines).stranger == pytest.approx(
        1 / 3
    )


def test_chances_are_said_in_counts_that_are_near() -> None:
    assert [in_counts(share) for share in (0.2, 1 / 3, 0.5, 0.67, 0.8, 0.001, 1.0)] == [
        "1 of 5 cases",
        "1 of 3 cases",
        "1 of 2 cases",
        "2 of 3 cases",
        "4 of 5 cases",
        "1 of 1,000 cases",
        "nearly every case",
    ]
    for share in np.linspace(0.05, 0.99, 200):
        part, _, whole = in_counts(float(share)).removesuffix(" cases").partition(" of ")
        assert abs(int(part) / int(whole) - share) <= 0.015


@pytest.mark.parametrize(("insider", "said"), [(2 / 3, "in up to 2 of 3 cases."), (1.0, "left in nearly every case.")])
def test_who_knows_all_others_is_said_to_be_right_in_words_that_fit(insider: float, said: str) -> None:
    assert Readers(0.5, 0.4, 0.6, 0.4, insider).sentences(("ward",))[2].endswith(said)


def test_chances_that_are_compared_can_be() -> None:
    assert compared(0.483, 0.44) == ["48 of 100 cases", "44 of 100 cases"]
    assert compared(0.75, 0.25) == ["3 of 4 cases", "1 of 4 cases"]
    assert compared(1 / 6, 0.15) == ["1 of 6 cases", "1 of 7 cases"]
    assert compared(1.0, 0.001) == ["nearly every case", "1 of 1,000 cases"]
    for one in np.linspace(0.05, 0.99, 40):
        for other in np.linspace(0.05, 0.99, 40):
            parts = [text.removesuffix(" cases").partition(" of ") for text in compared(float(one), float(other))]
            assert parts[0][2] == parts[1][2] or parts[0][0] == parts[1][0] == "1"
            for share, (part, _, whole) in zip((one, other), parts, strict=True):
                assert abs(int(part) / int(whole) - share) <= 0.015


GRID = (8, 5, 3, 2)
SEEDS = (1, 3, 7)


@pytest.mark.parametrize(("error", "least"), [(0.1, 20), (0.2, 60), (0.35, 60)])
def test_the_proposal_is_the_strongest_of_all_settings(error: float, least: int) -> None:
    """Every gamma and every way of the grid tried one by one, without a rule that stops early."""
    table = _patients(1_500).select(("sex", "age", "result"))
    plan = _plan(table, {"result": by_gamma(table["result"], 5)})
    must = AskedTable(("sex", "age"), (Condition("result", ("positive",)),), error, least)
    works = {}
    for gamma, (order, way) in itertools.product(GRID, enumerate((GROUPS, JOINED))):
        draw = by_gamma(table["result"], gamma, way)
        told = Ahead.of(table, plan).told({"result": draw}, plan.thresholds, [c.conditions for c in cells(table, must)])
        if reached(told, must, least).met:
            works[gamma, -order] = draw
    found = propose(table, plan, [must], GRID)
    if works:
        assert found.met
        assert found.draws == {"result": works[max(works)]}
        assert not found.unprotected
        assert not found.generalisations
    else:
        assert not found.met or found.unprotected or found.generalisations


def _generated(seed: int) -> tuple[Table, AskedTable]:
    """A small table of numbers, categories and a sensitive column that hangs on them, and what is asked of it."""
    chance = np.random.default_rng(seed)
    n, values = int(chance.integers(400, 1_500)), int(chance.integers(2, 5))
    age, ward = chance.integers(0, chance.integers(4, 20), n), chance.integers(0, chance.integers(2, 4), n)
    shares = chance.dirichlet(np.ones(values) * 2, 3)
    sick = np.array([chance.choice(values, p=shares[int(each)]) for each in ward % 3])
    columns = {"age": age, "ward": np.char.add("w", ward.astype(str)), "sick": np.char.add("s", sick.astype(str))}
    table = table_of(columns, {"age": Kind.INTEGER})
    asked = [("age", "sick"), ("ward", "sick"), ("age", "ward", "sick")][seed % 3]
    return table, AskedTable(asked, (), float(chance.choice([0.3, 0.5, 0.8])), int(chance.choice([20, 60])))


def _scattered(seed: int) -> tuple[Table, AskedTable]:
    """A table with a dozen wards of few records, whose cells only become readable when these wards are put together."""
    chance = np.random.default_rng(seed)
    sizes = [200, 150, *chance.integers(4, 9, 12)]
    ward = np.repeat(np.arange(len(sizes)), sizes)
    sick = (chance.random(len(ward)) < 0.45).astype(int)
    table = table_of({"ward": np.char.add("w", ward.astype(str)), "sick": np.char.add("s", sick.astype(str))})
    return table, AskedTable(("ward", "sick"), (), 0.8, 1)


def _by_brute_force(
    table: Table, plan: Plan, must: AskedTable, gammas: Sequence[int]
) -> tuple[dict[str, object], bool, Draw] | None:
    """Try every rung, way and group size one by one, strongest first as documented; None where nothing answers."""
    rungs: list[dict[str, tuple[object, ...]]] = [{}]
    columns = {name: table[name] for name in sorted(must.columns) if name != "sick"}
    while len(rungs) < 5 and (able := [name for name in columns if coarser(columns[name])]):
        name = max(able, key=lambda each: columns[each].m)
        steps = coarser(columns[name])
        columns[name] = column_after(columns[name], steps)
        rungs.append({**rungs[-1], name: (*rungs[-1].get(name, ()), *steps)})
    for free, rung in itertools.product((False, True), rungs):
        there = table_after(table, rung)
        column = there["sick"]
        most = [str(column.labels[int(np.argmax(column.counts()))])]
        for gamma, way in itertools.product(sorted(gammas, reverse=True), (GROUPS, JOINED)):
            try:
                draw = by_gamma(column, gamma, way)
                if free:
                    draw = by_tolerances(column, gamma_tolerances(column, gamma, most), way)
                draw.check(column)
                asked = [cell.conditions for cell in cells(there, must)]
                told = Ahead.of(there, plan).told({"sick": draw}, plan.thresholds, asked)
            except SpluError:
                continue
            if reached(told, must, must.least).met:
                return rung, free, draw
    return None


def test_the_proposal_is_that_of_brute_force_on_generated_tables() -> None:
    kinds = set()
    for seed, make in ((SEEDS[0], _scattered), *((seed, _generated) for seed in SEEDS)):
        table, must = make(seed)
        plan = _plan(table, {"sick": by_gamma(table["sick"], 2, JOINED)})
        found, best = propose(table, plan, [must], (5, 3, 2)), _by_brute_force(table, plan, must, (5, 3, 2))
        assert found.met == (best is not None), seed
        if best is not None:
            assert (dict(found.generalisations), bool(found.unprotected), found.draws["sick"]) == best, seed
        kinds.add("none" if best is None else "free" if best[1] else "coarser" if best[0] else "as it stands")
    assert kinds == {"none", "free", "coarser", "as it stands"}, "outcomes of all kinds are among the tables"


def test_where_nothing_answers_it_says_what_comes_closest() -> None:
    table = _patients(300)
    plan = _plan(table, {"diagnosis": PlainGroups(2), "result": by_gamma(table["result"], 2)})
    found = propose(table, plan, [asked_from("sex,age,diagnosis within 1%", table)], (5, 2))
    assert not found.met
    (reached_,) = found.answered
    assert reached_.answered < reached_.cells
    assert ("The closest does not, either" in found.sentences()[0]) == (not reached_.answered)
    partly = [asked_from(f"sex,age,diagnosis within {error}%", table) for error in (1, 99)]
    assert propose(table, plan, partly, (5, 2)).sentences()[0] == "No setting answers all of this; closest comes:"
    nothing = propose(table, plan, [asked_from("sex,result within 50% from 9000", table)], (2,))
    assert not nothing.met, "a table of which nothing is asked is not answered"


def test_a_proposal_says_which_limits_it_exceeds_as_the_gate_will() -> None:
    """A release whose rows were to be right in a third at most was proposed one where they are in half, unsaid."""
    table = _patients(300)
    plan = replace(_plan(table, {"diagnosis": PlainGroups(5)}), audience=Audience("partner"))
    must = asked_from("sex,diagnosis within 20%", table)
    for gammas, exceeded in (((2,), True), ((8,), False)):
        found = propose(table, plan, [must], gammas)
        then = replace(plan, draws={**plan.draws, **found.draws})
        lines = [line for line in table_lines(table, then) if line.name == "certainty"]
        told = [line.sentence for line in lines if line.light is Light.AMBER]
        assert bool(told) is exceeded
        assert [each for each in found.sentences() if "limit" in each] == told


def test_a_table_is_read_as_it_is_written() -> None:
    table = table_of({"a,b": ["x", "y"] * 9, "c=d": ["1", "2"] * 9, "s": ["p, q", "n"] * 9})
    asked = asked_from("a,b,c=d=1,s=p, q within 12.5% from 30", table)
    assert asked == AskedTable(("a,b",), (Condition("c=d", ("1",)), Condition("s", ("p, q",))), 0.125, 30)
    assert asked_from("s", table) == AskedTable(("s",))
    with pytest.raises(UnknownColumn, match="“z”"):
        asked_from("s,z", table)
    with pytest.raises(BadSetting, match="twice"):
        asked_from("s,s=n", table)
    with pytest.raises(BadSetting, match="counts from 0 on"):
        asked_from("s within 5% from 0", table)
    with pytest.raises(BadSetting, match="1 to 99 %"):
        asked_from("s within 0%", table)
    with pytest.raises(BadSetting, match="no sensitive column"):
        asked_from("c=d", table).sensitive({"s": PlainGroups(2)})
    wide = table_of({name: np.arange(60) for name in ("one", "two", "three")})
    with pytest.raises(SpluError, match="600 are the most"):
        cells(wide, AskedTable(("one", "two", "three")))


def test_the_table_shown_first_is_small_and_names_the_column() -> None:
    table = _patients()
    asked = suggested(table, ("sex", "age"), "result")
    assert asked == AskedTable(("age", "sex"), (Condition("result", ("positive",)),))
    assert len(cells(table, asked)) == 6
    assert suggested(table, (), "result").columns == ()
    town = Column.from_labels("town", [f"T{code % 4}" for code in range(table.n)])
    zips = Column.from_labels("zip", [f"69{code % 4}00" for code in range(table.n)])
    told = suggested(Table((*table.columns, town, zips)), ("town", "zip", "sex"), "result").columns
    assert "sex" in told, "a postcode tells no more than its town"
    assert Thresholds().alpha < 10


def test_what_is_the_same_for_all_bearers_is_not_asked_by_first() -> None:
    """All newborn are young: a table of them by age has one line that is not empty."""
    sick = np.arange(600) % 3
    columns = {
        "age": np.where(sick == 0, "below 1", np.array(["1 to 29", "30 to 69", "70 and more"])[np.arange(600) % 7 % 3]),
        "sex": np.array(["f", "m"])[np.arange(600) % 2],
        "stay": np.array(["short", "long"])[np.arange(600) // 2 % 2],
        "diagnosis": np.array(["newborn", "stroke", "asthma"])[np.where(np.arange(600) % 12 == 1, 0, sick)],
    }
    columns["age"][columns["diagnosis"] == "newborn"] = "below 1"
    table = Table(tuple(Column.from_labels(name, values.tolist()) for name, values in columns.items()))
    asked = suggested(table, ("age", "sex", "stay"), "diagnosis")
    assert asked.conditions[0].values == ("newborn",)
    assert set(asked.columns) == {"sex", "stay"}
    assert asked.title() == "“newborn” of “diagnosis” by “sex” and “stay”"
