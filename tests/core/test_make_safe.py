"""The steps of “make it safe”: the aim holds of the plan they lead to, each does what it says, none is needless."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core.checks.make_safe import Aim, coarser_forms, entropy, make_safe
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.generalise import column_after, table_after
from splu_desktop.core.guarantees.audience import LEVELS, Audience
from splu_desktop.core.plan import Plan
from splu_desktop.core.risk.giveaway import giveaways
from splu_desktop.core.risk.uniqueness import class_sizes, records_below
from splu_desktop.core.roles.suggest import Role, suggest_roles
from splu_desktop.core.table import Column, Kind, Table
from tests.core.published_tables import table_of
from tests.draws import plain


def admissions(n: int, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    day = np.datetime64("2023-01-01") + rng.integers(0, 700, n)
    illness = rng.integers(0, 20, n)
    return Table(
        (
            Column.from_labels("age", [str(v) for v in rng.integers(0, 95, n)], kind=Kind.INTEGER),
            Column.from_labels("sex", [("f", "m")[v] for v in rng.integers(0, 2, n)]),
            Column.from_labels("admission date", [str(v) for v in day], kind=Kind.DATE),
            Column.from_labels("zip", [f"{v:05}" for v in rng.integers(10_000, 10_400, n)]),
            Column.from_labels("ward", [f"W{v}" for v in rng.integers(0, 8, n)]),
            Column.from_labels("bed", [f"{v}.{rng.integers(3)}" for v in illness]),  # tells the illness
            Column.from_labels("HIV", [("no", "yes")[int(v < 0.1)] for v in rng.random(n)]),
            Column.from_labels("illness", [f"K{v}" for v in illness]),
        )
    )


def planned(table: Table) -> Plan:
    roles = {name: Role.SA if name == "illness" else Role.NSA for name in table.names}
    return Plan(roles, plain({"illness": 5}))


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("aim", [Aim(), Aim(k=5), Aim(k=11, unique=0.0), Aim(unique=0.2, giveaway=False)])
def test_the_aim_holds_and_every_step_is_needed(seed: int, aim: Aim) -> None:
    table = admissions(3_000, seed)
    found = make_safe(table, planned(table), aim)
    assert found.reached
    after, names = table_after(table, found.plan.generalisations), found.plan.named(Role.NSA)
    sizes = class_sizes(after, names)
    assert records_below(sizes, 2) == found.unique <= aim.unique * table.n
    assert records_below(sizes, aim.k) == found.below == 0
    assert "HIV" not in names, "a matter of health is not published as it is"
    assert not (aim.giveaway and giveaways(after, names, ("illness",)))
    assert found.plan.roles["illness"] is Role.SA
    assert len({step.column for step in found.steps}) == len(found.steps), "one step for a column"
    assert found.steps[-1].plan == found.plan
    assert set(found.plan.generalisations) <= set(names), "what is left out is not made coarser, too"


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("aim", [Aim(giveaway=False), Aim(k=5, giveaway=False), Aim(unique=0.05, giveaway=False)])
def test_nothing_is_given_up_that_the_aim_leaves(seed: int, aim: Aim) -> None:
    """A column is out only where no useful form of it fits beside the rest; one that stays can't be a form finer."""
    table = admissions(1_000, seed).select(("age", "sex", "admission date", "zip", "ward", "illness"))
    given = planned(table)
    found = make_safe(table, given, aim)
    names = found.plan.named(Role.NSA)
    after = table_after(table, found.plan.generalisations)
    assert len(names) >= 4, "what can be made coarser is not left out"
    for name in given.named(Role.NSA):
        others = [after[other] for other in names if other != name]
        forms = [(), *coarser_forms(table[name], aim.k)]
        tried = sorted((column_after(table[name], steps) for steps in forms), key=entropy)
        if name in names:
            finer = [column for column in tried if column.m > after[name].m and entropy(column) > entropy(after[name])]
        else:
            finer = [column for column in tried if entropy(column) >= 0.3]
        for column in finer[:1]:
            sizes = class_sizes(Table((*others, column)), [*(other.name for other in others), name])
            assert aim.far(sizes), (name, column.m)


@pytest.mark.parametrize(
    ("name", "labels", "coarse"),
    [
        ("Age Group", ["0 to 17", "18 to 29", "30 to 49", "50 to 69", "70 or Older"], "70 and more"),
        ("age", [f"[{low}-{low + 10})" for low in range(0, 100, 10)], "80 and more"),
        ("admission time", [f"{h:02}:{m:02}" for h in range(24) for m in range(0, 60, 7)], "06 to 11"),
        ("zip", [f"{v:05}" for v in range(10_000, 10_400, 9)], "102"),
    ],
)
def test_values_in_order_are_put_together_with_their_neighbours(name: str, labels: list[str], coarse: str) -> None:
    column = Column.from_labels(name, [labels[v * 7 % len(labels)] for v in range(2_000)])
    assert any(coarse in column_after(column, steps).labels for steps in coarser_forms(column, 5))


@given(st.lists(st.integers(1, 400), min_size=2, max_size=9), st.integers(0, 60), st.integers(2, 20))
def test_no_frequent_value_goes_into_a_rest(sizes: list[int], absent: int, k: int) -> None:
    """A form puts together what is rare, or leaves it empty: never a value of more than a fifth of those there are."""
    labels = [f"v{at}" for at, size in enumerate(sizes) for _ in range(size)]
    column = Column.from_labels("ward", labels + [""] * absent)
    for steps in coarser_forms(column, k):
        after = column_after(column, steps)
        kept = {str(label).removesuffix(" or other") for label in after.labels}
        put = [size for at, size in enumerate(sizes) if f"v{at}" not in kept]
        empty = int(after.counts()[after.missing].sum()) - absent
        assert max(put, default=0) <= len(labels) / 5, "a frequent value keeps its name"
        rest = int(after.counts()[after.labels == "Other"].sum())
        assert 2 * rest <= len(labels), "a rest is the lesser part"
        assert empty <= 0 or max(put) <= len(labels) / 50 + 1, "only few are left without a value"
        assert after.counts().sum() == column.n


def test_few_of_unknown_sex_cost_neither_men_nor_women_their_value() -> None:
    n = 2_000
    sex = ["unknown"] * 3 + [("Male", "Female")[v % 2] for v in range(n - 13)] + [""] * 10
    table = Table(
        (
            Column.from_labels("Sex", sex),
            Column.from_labels("Ward", [f"W{v // 2 % 4}" for v in range(n)]),
            Column.from_labels("illness", [f"K{v % 20}" for v in range(n)]),
        )
    )
    found = make_safe(table, planned(table), Aim(k=2))
    assert found.reached
    after = column_after(table["Sex"], found.plan.generalisations["Sex"])
    counts = dict(zip(after.labels.tolist(), after.counts().tolist(), strict=True))
    assert counts == {"Female": 993, "Male": 994, "": 13}
    assert "left empty" in found.steps[0].sentence
    nobody = [label or "Male" for label in sex]
    found = make_safe(Table((Column.from_labels("Sex", nobody), *table.columns[1:])), planned(table), Aim(k=2))
    after = column_after(Column.from_labels("Sex", nobody), found.plan.generalisations["Sex"])
    assert sorted(after.labels) == ["Female or other", "Male"], "where nothing is missing, a name says who they go with"


def _parts(n: int, seed: int) -> Table:
    """Return columns that recognise only together, one of which tells the illness beside another."""
    rng = np.random.default_rng(seed)
    illness, ward = rng.integers(0, 12, n), rng.integers(0, 6, n)
    return Table(
        (
            Column.from_labels("ward", [f"W{v}" for v in ward]),
            Column.from_labels("team", [f"T{(i + 5 * w) % 12}" for i, w in zip(illness, ward, strict=True)]),
            Column.from_labels("age", [str(v) for v in rng.integers(0, 95, n)], kind=Kind.INTEGER),
            Column.from_labels("insurance", [f"I{v}" for v in rng.integers(0, 40, n)]),
            Column.from_labels("weekday", [f"D{v}" for v in rng.integers(0, 7, n)]),
            Column.from_labels("illness", [f"K{v}" for v in illness]),
        )
    )


@pytest.mark.parametrize("make", [admissions, _parts])
@pytest.mark.parametrize("aim", [Aim(), Aim(k=5), Aim(k=11, unique=0.0)])
def test_each_step_does_what_it_says_and_none_is_without_effect(make: Callable[[int, int], Table], aim: Aim) -> None:
    """Whatever is left out of the steps is missed: records stand alone, or a column gives the illness away."""
    table = make(2_000, 4)
    plan = planned(table)
    before, special = records_below(class_sizes(table, plan.named(Role.NSA)), 2), suggest_roles(table, ("illness",))
    found = make_safe(table, plan, aim)
    assert found.steps
    for step in found.steps:
        after = table_after(table, step.plan.generalisations)
        assert step.unique_before == before
        before = records_below(class_sizes(after, step.plan.named(Role.NSA)), 2)
        assert step.unique == before
        if step.unique != step.unique_before:
            assert f"from {step.unique_before:,} to {before:,}" in step.sentence
        if special[step.column].matter:
            continue  # left out for what it is
        name, coarse = step.column, found.plan.generalisations
        names = [n for n in plan.named(Role.NSA) if n == name or n in found.plan.named(Role.NSA)]
        without = table_after(table, {n: steps for n, steps in coarse.items() if n != name})
        sizes = class_sizes(without, names)
        secrets = giveaways(without, names, ("illness",)) if aim.giveaway else ()
        assert aim.far(sizes) or secrets, step.sentence
        if step.effect:
            said = [f" {records_below(sizes, 2):,} ", f" {records_below(sizes, aim.k):,} "]
            said += ["”".join(f"“{n}" for n in each.columns) for each in secrets[:1]]
            assert any(figure in step.effect for figure in said), step.effect
        else:
            assert step.unique != step.unique_before, step.sentence


def test_a_safe_plan_needs_no_step() -> None:
    n = 2_000
    table = Table(
        (
            Column.from_labels("ward", [f"W{v // 20 % 4}" for v in range(n)]),
            Column.from_labels("illness", [f"K{v % 20}" for v in range(n)]),
        )
    )
    found = make_safe(table, planned(table), Aim(k=5))
    assert found.reached
    assert found.steps == ()
    assert found.plan == planned(table)


def test_persons_with_several_records_are_drawn_at_once() -> None:
    table = admissions(1_000, 5)
    persons = Column.from_labels("patient id", [f"{10_000_000 + v // 3}" for v in range(1_000)])
    table = Table((persons, *table.columns))
    plan = planned(table)
    plan = replace(plan, roles={**plan.roles, "patient id": Role.IDENTIFIER})
    found = make_safe(table, plan)
    assert found.plan.persons is not None
    assert found.plan.persons.way == "draw"


@pytest.mark.parametrize("wrong", [{"k": 0}, {"unique": 1.5}])
def test_an_aim_out_of_range_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(BadSetting):
        Aim(**wrong)  # type: ignore[arg-type]


def test_limits_never_grow_looser_as_a_release_goes_further() -> None:
    """Whatever else is answered, a wider circle, no signature, or more knowledge never loosens a limit."""

    def rank(audience: Audience) -> tuple[float, ...]:
        limits = audience.limits
        return limits.k, -limits.unique, -limits.certainty, limits.cell

    answers = [
        Audience(who, signed, holds, passes_on, tables)
        for who in ("colleague", "partner", "public")
        for signed in (True, False)
        for holds in ("nothing", "similar", "records")
        for passes_on in (False, True)
        for tables in (False, True)
    ]
    for each in answers:
        assert LEVELS[0].k <= each.limits.k <= LEVELS[-1].k
        wider = [replace(each, signed=False), replace(each, holds="records"), replace(each, passes_on=True)]
        wider += [replace(each, who="public"), replace(each, tables=True)]
        for other in wider:
            assert all(a <= b for a, b in zip(rank(each), rank(other), strict=True)), (each, other)
        assert not each.tables or each.limits.cell == 11


def test_a_changed_limit_has_its_reason_and_comes_back_from_a_recipe() -> None:
    with pytest.raises(BadSetting, match="Say in words"):
        Audience("partner", changed={"k": (3, " ")})
    with pytest.raises(BadSetting, match="no limit"):
        Audience("partner", changed={"size": (3, "because")})
    said = Audience("partner", tables=True, changed={"k": (3, "a pilot")})
    assert said.limits.k == 3
    assert "a pilot" in said.sentence
    assert Audience.from_dict(said.as_dict()) == said
    plan = replace(planned(admissions(50, 6)), audience=said)
    assert Plan.from_dict(plan.as_dict()) == plan


def test_a_unit_is_not_left_out_in_silence() -> None:
    """An age of 24 months reads as 24 years once nothing beside it tells which."""
    table = admissions(3_000, 1)
    rng = np.random.default_rng(1)
    months = rng.random(3_000) < 0.002
    unit = Column.from_labels("age_unit", [("years", "months")[int(v)] for v in months])
    table = Table((*table.columns, unit))
    found = make_safe(table, planned(table), Aim(k=5))
    said = [step.words for step in found.steps if step.column == "age_unit"]
    assert found.plan.roles["age"] is Role.NSA
    assert found.plan.roles["age_unit"] is Role.DROPPED
    assert f"“age” is then read without its unit, which is not “years” in {int(months.sum())} records" in said[0]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("aim", [Aim(giveaway=False), Aim(k=5, giveaway=False)])
def test_no_set_of_more_columns_reaches_the_aim(seed: int, aim: Aim) -> None:
    """By brute force, in their coarsest forms: columns of few values were left out for others of more."""
    chance = np.random.default_rng(seed)
    few = {f"c{at}": chance.choice(["A", "B", "C", "D", "E"][: 2 + at % 4], 1_500) for at in range(6)}
    table = table_of(
        {
            **few,
            "x": chance.integers(0, 300, 1_500),
            "y": chance.integers(0, 60, 1_500),
            "s": chance.choice(["p", "q"], 1_500),
        },
        dict.fromkeys("xy", Kind.INTEGER),
    )
    names = [name for name in table.names if name != "s"]
    plan = Plan({**dict.fromkeys(names, Role.NSA), "s": Role.SA}, plain({"s": 2}))
    made = make_safe(table, plan, aim)
    coarsest = {}
    for name in names:
        forms = [column_after(table[name], steps) for steps in coarser_forms(table[name], aim.k)]
        coarsest[name] = min((table[name], *(form for form in forms if entropy(form) > 0.3)), key=entropy)
    most = max(
        len(some)
        for size in range(len(names) + 1)
        for some in itertools.combinations(names, size)
        if not aim.far(class_sizes(Table(tuple(coarsest[name] for name in names)), some))
    )
    assert made.reached
    assert len(made.plan.named(Role.NSA)) == most


@pytest.mark.parametrize("seed", range(8))
def test_a_column_that_recipients_need_takes_the_room_of_no_two(seed: int) -> None:
    """By brute force, in their coarsest forms: an age was kept where two other columns had to go for it."""
    chance, aim = np.random.default_rng(seed), Aim(k=5, giveaway=False)
    table = table_of(
        {
            "Age": chance.choice(["F0", "F1", "F2", "F3"], 146, p=[0.2, 0.3, 0.27, 0.23]),
            "Sex": chance.choice(["F", "M"], 146),
            "Days": chance.geometric(0.06, 146),
            "Type": chance.choice(["AL", "SL"], 146, p=[0.6, 0.4]),
            "s": chance.choice(["p", "q"], 146),
        },
        {"Days": Kind.INTEGER},
    )
    names = [name for name in table.names if name != "s"]
    plan = Plan({**dict.fromkeys(names, Role.NSA), "s": Role.SA}, plain({"s": 2}))
    forms = {name: [column_after(table[name], steps) for steps in coarser_forms(table[name], aim.k)] for name in names}
    coarsest = Table(tuple(min([table[n], *(f for f in forms[n] if entropy(f) > 0.3)], key=entropy) for n in names))
    most = max(
        size
        for size in range(len(names) + 1)
        for some in itertools.combinations(names, size)
        if not aim.far(class_sizes(coarsest, some))
    )
    assert len(make_safe(table, plan, aim).plan.named(Role.NSA)) >= most
