"""From table and plan to the published table: what stays, what is drawn, what leaves besides. Seeds are fixed."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from splu_desktop.core.errors import BadSetting, EmptyTable, SpluError, UnknownColumn
from splu_desktop.core.generalise import Rare
from splu_desktop.core.mechanism import CLASS, NUMBER, Block, DecoyGroups, Lenders, Units
from splu_desktop.core.mechanism.published_numbers import release_numbers, row_correlation
from splu_desktop.core.persons.blanking import Blanking
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import Published
from splu_desktop.core.questions import parse_question
from splu_desktop.core.roles import Role
from splu_desktop.core.sanitise import OTHER, merge_rare, prepare, run
from splu_desktop.core.table import Table
from tests.columns import blocks_of, column_of
from tests.core.releases import column, people, table
from tests.seeded import Seeded

ROLES = {"sex": Role.NSA, "age": Role.NSA, "unit": Role.NSA, "dx": Role.SA}


def plan_of(table: Table, gamma: float = 4.0, classes: tuple[str, ...] = ("sex",), **more: object) -> Plan:
    roles = {name: ROLES.get(name, Role.IDENTIFIER) for name in table.names}
    return Plan(roles=roles, blocks=blocks_of(("dx",), gamma), classes=classes, **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def source() -> Table:
    found, owner = people(1_500, 3)
    return Table((column("who", np.char.add("P", owner.astype(str))), *found.columns))


def rows(of: Table, names: tuple[str, ...]) -> list[tuple[str, ...]]:
    return sorted(zip(*(of[name].labels[of[name].codes].astype(str).tolist() for name in names), strict=True))


@pytest.mark.parametrize(
    "persons", [None, ByPerson("who"), ByPerson("who", number=True)], ids=["rows", "persons", "numbered"]
)
def test_unchanged_columns_stay_and_identifiers_go(source: Table, persons: ByPerson | None) -> None:
    found = run(source, plan_of(source, persons=persons), randomness=Seeded(1))
    left = prepare(source, plan_of(source, persons=persons)).table
    assert rows(found.table, ("sex", "age", "unit")) == rows(left, ("sex", "age", "unit"))
    assert "who" not in found.table
    assert (NUMBER in found.table) == (persons is not None and persons.number)
    assert CLASS in found.table
    assert found.person == (persons is not None)
    same = (found.table["sex"].labels[found.table["sex"].codes] == left["sex"].labels[left["sex"].codes]).mean()
    assert same < 0.6  # rows stand in another order


def test_persons_numbers_bring_the_rows_of_one_person_together(source: Table) -> None:
    found = run(source, plan_of(source, persons=ByPerson("who", number=True)), randomness=Seeded(1))
    owner = found.owner
    assert owner is not None
    left = prepare(source, plan_of(source, persons=ByPerson("who"))).table
    assert sorted(np.bincount(owner)) == sorted(left["who"].counts()[left["who"].counts() > 0])
    again = run(source, plan_of(source, persons=ByPerson("who", number=True)), randomness=Seeded(2))
    assert sorted(np.bincount(again.owner)) == sorted(np.bincount(owner))


def test_one_row_of_each_person_is_one_row(source: Table) -> None:
    found = run(source, plan_of(source, persons=ByPerson("who", "random")), randomness=Seeded(1))
    assert found.n == source["who"].m
    assert not found.person


def test_whole_combinations_of_a_block_are_lent() -> None:
    rng = np.random.default_rng(0)
    dx = rng.integers(0, 40, 2_000)
    source = table(
        {"sex": rng.choice(["f", "m"], 2_000), "dx": dx, "drug": dx // 4, "other": rng.integers(0, 5, 2_000)}
    )
    plan = Plan(
        roles={"sex": Role.NSA, "dx": Role.SA, "drug": Role.SA, "other": Role.SA},
        blocks=(Block(("dx", "drug"), Lenders(10.0)), Block(("other",), Lenders(2.0))),
    )
    found = run(source, plan, randomness=Seeded(1)).table
    shown = {name: found[name].labels[found[name].codes].astype(int) for name in ("dx", "drug")}
    assert (shown["dx"] // 4 == shown["drug"]).all()


@pytest.mark.parametrize("how", [{"rare": {"dx": 5}}, {"generalisations": {"dx": (Rare(5),)}}])
def test_rare_values_are_merged_by_published_counts(how: dict[str, Any]) -> None:
    """Also where they are a step before the draw, as recipes and Python may say: true counts would decide there."""
    rng = np.random.default_rng(0)
    source = table(
        {"sex": rng.choice(["f", "m"], 800), "dx": np.r_[rng.choice(["a", "b"], 780), [f"r{i}" for i in range(20)]]}
    )
    found = run(source, plan_of(source, 3.0, **how), randomness=Seeded(3)).table["dx"]
    counts = dict(zip(found.labels.astype(str), found.counts(), strict=True))
    assert set(counts) == {"a", "b", OTHER}


def test_who_still_stands_out_is_blanked_or_left_out() -> None:
    rng = np.random.default_rng(0)
    unit = rng.choice(["u1", "u2"], 300)
    unit = unit.astype("U8")
    unit[:20] = [f"lone{each}" for each in range(20)]
    sex = rng.choice(["f", "m"], 300)
    sex[25] = "x"
    source = table({"sex": sex, "unit": unit, "dx": rng.choice(["a", "b", "c"], 300)})
    plan = plan_of(source, classes=(), blanking=Blanking(5, (("unit",),)))
    ready = prepare(source, plan)
    assert (ready.blanked_persons, ready.left_out) == (20, 1)
    found = run(source, plan, randomness=Seeded(1)).table
    assert found.n == 299
    assert not any(str(label).startswith("lone") for label in found["unit"].labels)


def test_decoy_groups_are_refused_where_they_would_tell() -> None:
    source = table({"sex": ["f", "m"] * 100, "dx": ["a"] * 150 + ["b"] * 50})
    plan = Plan(roles={"sex": Role.NSA, "dx": Role.SA}, blocks=(Block(("dx",), DecoyGroups(2.0)),))
    with pytest.raises(BadSetting, match="dx"):
        run(source, plan)
    DecoyGroups(5).check(np.array([10, *[9] * 10]), "dx")  # a tenth of the class is not over 1/(2 gamma) of it
    with pytest.raises(BadSetting, match="dx"):
        DecoyGroups(5).check(np.array([10, *[9] * 9, 8]), "dx")


def numbers_of(published: Published) -> str:
    return json.dumps(
        release_numbers(
            published.blocks,
            published.class_columns,
            published.cells,
            person=published.person,
            correlations=published.correlations or (0.0,) * len(published.blocks),
            rare=published.rare,
        )
        | {"blocks": [block.columns for block in published.blocks]}
    )


@pytest.mark.parametrize("person", [False, True])
def test_nothing_besides_the_table_follows_from_true_counts(person: bool) -> None:
    """A value of f and of f + 1 records: what leaves besides the table is the same, for f = 1..60.

    The correlation of a person's rows follows from the drawn rows, as anybody with person numbers could count it.
    """
    rng = np.random.default_rng(1)
    n = 1_200
    base = {"who": np.arange(n) // 2, "sex": rng.choice(["f", "m"], n), "age": rng.choice(["young", "old"], n)}
    dx = rng.choice(["a", "b", "c", "d"], n)
    seen = set()
    for f in range(1, 62):
        own = dx.copy()
        own[:f] = "rare"
        source = table({**base, "dx": own})
        plan = plan_of(source, classes=("sex", "age"), persons=ByPerson("who") if person else None, rare={"dx": 3})
        seen.add(numbers_of(run(source, plan, randomness=Seeded(f))))
    assert len(seen) == 1


def test_rows_of_a_person_correlate_wholly_or_not_at_all() -> None:
    """A standard deviation of the last is .005; what is published is rounded up to twentieths."""
    rng, owner = np.random.default_rng(3), np.repeat(np.arange(5_000), 4)
    stays, changes = rng.integers(0, 3, 5_000)[owner].astype(np.int32), rng.integers(1, 4, 20_000).astype(np.int32)
    units, one_class = Units.of_persons(owner), np.zeros(5_000, np.int64)
    assert row_correlation([stays], units, one_class) == 1
    assert row_correlation([changes], units, one_class) in (0, 0.05)
    # One column of a block that stays is enough, and so is one value of a column.
    assert row_correlation([changes, stays], units, one_class) == 1
    chronic = np.where((rng.random(5_000) < 0.03)[owner], 0, changes).astype(np.int32)
    assert row_correlation([chronic], units, one_class) == 1
    # So is what several values have in common: a chapter whose codes change, a weight nearly.
    chapter = (20 * stays + rng.integers(0, 20, 20_000)).astype(np.int32)
    weight = (10 * rng.integers(0, 40, 5_000)[owner] + rng.integers(0, 10, 20_000)).astype(np.int32)
    assert min(row_correlation([each], units, one_class) for each in (chapter, weight)) > 0.95
    assert row_correlation([rng.integers(0, 200, 20_000).astype(np.int32)], units, one_class) <= 0.05
    for rho in (0.22, 0.62):  # never to the nearest twentieth: ranges would be too narrow
        mixed = np.where(rng.random(20_000) < np.sqrt(rho), stays, rng.integers(0, 3, 20_000)).astype(np.int32)
        assert row_correlation([mixed], units, one_class) == pytest.approx(rho + 0.03)
    # What fewer than 50 rows show says nothing, wherever it stands in the order of labels.
    few = [np.where(owner < 12, place, 2 * changes).astype(np.int32) for place in (0, 3, 5, 7)]
    assert max(row_correlation([each], units, one_class) for each in few) <= 0.05
    # What the shares of a class explain makes no rows alike: half of the persons have other values than the rest.
    apart = np.where(owner < 2_500, changes, changes + 3).astype(np.int32)
    assert row_correlation([apart], units, (np.arange(5_000) >= 2_500).astype(np.int64)) in (0, 0.05)
    # So few rows that they are one bin tell nothing, whatever its share is rounded to.
    for two_rows in range(1, 25):
        few = Units.of_persons(np.r_[np.arange(900), np.arange(two_rows)])
        own = [rng.integers(0, m, len(few.owner)).astype(np.int32) for m in (5, 30, 160)]
        assert row_correlation(own[:1], few, few.sizes - 1) == row_correlation(own[1:2], few, few.sizes - 1) == 0
        assert row_correlation(own[2:], few, few.sizes - 1) == 0


@pytest.mark.parametrize("rows", [3, 8, 9, 40])
def test_few_and_many_rows_of_a_person_correlate_by_one_law(rows: int) -> None:
    """Half of the rows show what their person shows, the others anything: any two are alike by a quarter."""
    rng, owner = np.random.default_rng(rows), np.repeat(np.arange(60_000 // rows), rows)
    own = np.where(
        rng.random(len(owner)) < 0.5, rng.integers(0, 4, owner[-1] + 1)[owner], rng.integers(0, 4, len(owner))
    )
    units, order = Units.of_persons(rng.permutation(owner)), np.argsort(owner)
    codes = np.zeros(len(owner), np.int32)
    codes[np.argsort(units.owner, kind="stable")] = own[order]
    assert row_correlation([codes], units, np.zeros(units.number, np.int64)) in (0.25, 0.3)


def test_rare_values_are_joined_where_there_are_two() -> None:
    """One alone would be “Other”, and everybody would know which."""
    alone = merge_rare(column_of("dx", ["flu"] * 9 + ["gout"] * 2), 3)
    assert alone.labels.tolist() == ["flu", "gout"]
    joined = merge_rare(column_of("dx", ["flu"] * 9 + ["gout"] * 2 + ["lupus"]), 3)
    assert sorted(joined.labels) == [OTHER, "flu"]


def test_bad_plans_are_sentences(source: Table) -> None:
    plan = plan_of(source)
    with pytest.raises(EmptyTable):
        run(source.take(np.zeros(0, int)), plan)
    with pytest.raises(UnknownColumn):
        replace(plan, classes=("nothing",))
    with pytest.raises(BadSetting):
        replace(plan, classes=("dx",))
    with pytest.raises(BadSetting):
        replace(plan, blocks=())
    with pytest.raises(BadSetting):
        plan.with_gamma(0.5)
    with pytest.raises(SpluError):
        run(source, Plan(roles={**plan.roles, "more": Role.NSA}, blocks=plan.blocks))


def test_a_plan_is_read_as_it_was_written(source: Table) -> None:
    asked = (parse_question("dx=d03 by sex, age", source), parse_question("dx by unit", source))
    plan = plan_of(source, persons=ByPerson("who"), questions=asked, rare={"dx": 4}, public_values={"dx": ("d00",)})
    again = Plan.from_dict(
        json.loads(json.dumps(plan.as_dict())), lambda each: parse_question(each["table"], source, each["within"])
    )
    assert again == plan
    with pytest.raises(BadSetting):
        Plan.from_dict({"version": 2}, lambda each: asked[0])


def test_another_role_takes_along_all_that_hung_on_the_old_one(source: Table) -> None:
    asked = (parse_question("dx=d03 by sex, age", source),)
    plan = plan_of(source, questions=asked, public_values={"dx": ("d00",)})
    secret = plan.with_role("unit", Role.SA)
    assert secret.block_of("unit").draw.gamma == 4
    assert secret.with_role("unit", Role.NSA) == plan
    assert plan.with_role("sex", Role.DROPPED).questions == ()
    assert plan.with_role("sex", Role.DROPPED).classes == ()


def test_several_columns_get_another_role_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each plan is checked, so that of 200 columns one after another each move of the slider took most of a second."""
    names = [f"finding {at}" for at in range(50)]
    plan = Plan(dict.fromkeys(names, Role.SA), tuple(Block((name,), Lenders(5)) for name in names))
    made: list[Plan] = []
    check = Plan._check
    monkeypatch.setattr(Plan, "_check", lambda plan: (made.append(plan), check(plan))[1])
    changed = plan.with_roles(names[:40], Role.NSA)
    assert len(made) == 1
    assert (changed.nsas, changed.sensitive) == (tuple(names[:40]), tuple(names[40:]))
    assert changed.with_roles(names[:40], Role.SA).sensitive == plan.sensitive
