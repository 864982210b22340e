"""A source that was released before, in whole or in part, is noticed; others are not."""

from __future__ import annotations

import shutil
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splu_desktop.core.draw import DecoyGroups
from splu_desktop.core.draw.by_person import ByPerson
from splu_desktop.core.draw.draw import up
from splu_desktop.core.draw.joined import design
from splu_desktop.core.draw.together import planned
from splu_desktop.core.generalise import Groups
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.guarantees.exact import t_p
from splu_desktop.core.guarantees.tolerant import t_p_of
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.disk.place import witness_folder
from splu_desktop.files.publish import publishing
from splu_desktop.files.publish.entry import entry_body, unlocked
from splu_desktop.files.publish.publishing import Examination, GateShut, Order, examine, publish
from splu_desktop.files.register import fingerprint, likeness
from splu_desktop.files.register.book import Register, RegisterFault
from splu_desktop.files.register.earlier import least_stated, sentence
from splu_desktop.files.register.fingerprint import fingerprints
from splu_desktop.files.register.shelf import falls
from tests.draws import plain

N = 3_000


def hospital(seed: int, n: int = N, *, dense: bool = False) -> Table:
    """Admissions with a record number; `dense` makes the unchanged columns too coarse to tell records apart."""
    rng = np.random.default_rng(seed)

    def col(name: str, codes: np.ndarray, prefix: str) -> Column:
        return Column.from_labels(name, [f"{prefix}{code}" for code in codes.tolist()])

    numbers = Column.from_labels(
        "record", [str(x) for x in rng.choice(10**9, n, replace=False).tolist()], kind=Kind.INTEGER
    )
    wards = rng.integers(0, 3 if dense else 400, n)
    ages = rng.integers(0, 4 if dense else 100, n)
    stays = rng.integers(0, 3 if dense else 60, n)
    return Table(
        (numbers, col("ward", wards, "W"), col("age", ages, "a"), col("stay", stays, "d"),
         col("illness", rng.integers(0, 25, n), "ill"))
    )  # fmt: skip


def plan_of(table: Table, **roles: Role) -> Plan:
    given = {"record": Role.IDENTIFIER, "illness": Role.SA, **roles}
    return Plan({name: given.get(name, Role.NSA) for name in table.names}, plain({"illness": 5}))


class House:
    """A register, and a folder for releases."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.register, self.count = folder, Register(folder / "register"), 0

    def order(self, table: Table, plan: Plan) -> Order:
        self.count += 1
        return Order(table, plan, self.folder / f"r{self.count}", recipient="a researcher")

    def release(self, table: Table, plan: Plan) -> None:
        publish(self.order(table, plan), strict=False, register=self.register)

    def look(self, table: Table, plan: Plan) -> Examination:
        return examine(self.order(table, plan), register=self.register)


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def test_the_same_table_in_another_order_is_noticed_with_its_cost(house: House) -> None:
    table = hospital(1)
    plan = plan_of(table)
    house.release(table, plan)
    house.release(table, plan)
    found = house.look(table.take(np.random.default_rng(2).permutation(N)), plan)
    assert [other.how for other in found.earlier] == ["the same records"] * 2
    (cost,) = found.costs
    assert cost.t_p == pytest.approx([t_p(5, 0.3, 3, k) for k in (1, 2, 3)])
    line = next(line for line in found.gate.lines if line.name == "earlier-release")
    assert line.light.value == "amber"
    assert "released 2 times before" in line.sentence
    assert "for a researcher" in line.sentence
    assert (
        f"wrong in {100 * t_p(5, 0.3, 3, 3) // 1:.0f} % of the cases at least, not {100 * t_p(5, 0.3, 3) // 1:.0f} %"
        in line.sentence
    )
    assert found.earlier[-1].folder == house.folder / "r2"
    house.release(table.take(np.arange(N - 1)), plan)
    (line,) = (line for line in house.look(table, plan).gate.lines if line.name == "earlier-release")
    assert "released 3 times before" in line.sentence, "it said 2"


def test_part_of_the_records_is_noticed_by_their_numbers(house: House) -> None:
    table = hospital(1)
    house.release(table.take(np.arange(2_000)), plan_of(table))
    (earlier,) = house.look(table.take(np.arange(1_000, N)), plan_of(table)).earlier
    assert earlier.how == "the same identifiers in “record”"
    assert earlier.share == pytest.approx(0.5)


def test_part_of_the_records_is_noticed_by_their_unchanged_columns(house: House) -> None:
    table = hospital(1).select(("ward", "age", "stay", "illness"))
    house.release(table.take(np.arange(2_000)), plan_of(table))
    (earlier,) = house.look(table.take(np.arange(1_000, N)), plan_of(table)).earlier
    assert earlier.how == "the same unchanged columns"
    assert earlier.share == pytest.approx(0.5, abs=0.05)


def test_other_columns_published_are_no_disguise(house: House) -> None:
    table = hospital(1).select(("ward", "age", "stay", "illness"))
    house.release(table.take(np.arange(2_000)), plan_of(table))
    changed = plan_of(table, stay=Role.DROPPED)
    assert house.look(table.take(np.arange(500, N)), changed).earlier


def test_a_renamed_sensitive_column_is_no_disguise(house: House) -> None:
    table = hospital(1)
    house.release(table, plan_of(table))
    from dataclasses import replace

    renamed = Table(tuple(replace(c, name="code") if c.name == "illness" else c for c in table.columns[1:]))
    plan = Plan({name: Role.SA if name == "code" else Role.NSA for name in renamed.names}, plain({"code": 5}))
    (earlier,) = house.look(renamed, plan).earlier
    assert earlier.how == "the same values in “illness”"


def test_a_column_of_another_name_and_other_codes_is_not_passed_over(house: House) -> None:
    """The records are known by their numbers; nothing was said of the column, as if it lost nothing."""
    table = hospital(1)
    house.release(table, plan_of(table))
    coded = Column.from_labels("code", [f"c{(7 * int(x)) % 25}" for x in table["illness"].codes.tolist()])
    recoded = Table((*table.select(("record", "ward")).columns, coded))
    roles = {"record": Role.IDENTIFIER, "ward": Role.NSA, "code": Role.SA}
    found = house.look(recoded, Plan(roles, plain({"code": 5})))
    assert found.costs == ()
    assert "“code” can't be recognised in it, nor its “illness” here" in sentence(found.earlier, found.costs)


@pytest.mark.parametrize("acknowledged", [False, True])
def test_of_a_register_that_lost_entries_it_is_said_how_many_releases_there_were_at_least(
    house: House, acknowledged: bool
) -> None:
    """After two of three entries were cut off: “released once before”, and of another table that none is known."""
    table, other = hospital(1, 400), hospital(2, 400)
    for _ in range(3):
        house.release(table, plan_of(table))
    book = house.register.folder / "register.jsonl"
    first = book.read_bytes().split(b"\n")[0] + b"\n"
    book.write_bytes(first)
    if acknowledged:
        house.register.acknowledge("A. Clerk", "the disk failed")
    for asked, said in (
        (table, "released at least once before"),
        (other, "No release of the same records is in what is left of the register."),
    ):
        (line,) = (x for x in house.look(asked, plan_of(asked)).gate.lines if x.name == "earlier-release")
        assert said in line.sentence
    book.write_bytes(first + first)
    assert len(house.register.read().releases) == 1, "a copied line is damage, and no release more"


@pytest.mark.parametrize("kind", ["minutes", "days", "amounts"])
def test_moments_and_amounts_that_any_table_has_are_no_identifiers(house: House, kind: str) -> None:
    """Two tables of the same year share minutes of admission: one in a hundred was called "the same identifiers".

    Records taken from one of them are still noticed by the same column. Chance alone reaches four standard deviations
    above twice what is expected less often than once in 10,000.
    """

    def of(values: np.ndarray, seed: int) -> Table:
        rng = np.random.default_rng(seed)
        if kind == "amounts":
            at = Column.from_labels("at", [f"{each / 100:.2f}" for each in values], kind=Kind.DECIMAL)
        else:
            unit = {"minutes": "m", "days": "D"}[kind]
            texts = (np.datetime64("2024-01-01", unit) + values).astype(str).tolist()
            form = Kind.DATETIME if kind == "minutes" else Kind.DATE
            at = Column.from_labels("at", [text.replace("T", " ") for text in texts], kind=form)
        ill = Column.from_labels("illness", [f"ill{code}" for code in rng.integers(0, 25, len(values))])
        return Table((at, ill))

    def plan(table: Table) -> Plan:
        return Plan({"at": Role.DROPPED, "illness": Role.SA}, plain({"illness": 5}))

    rng = np.random.default_rng(11)
    span, n = {"minutes": (300_000, 3_000), "days": (30_000, 2_000), "amounts": (200_000, 4_000)}[kind]
    ours, theirs = (rng.choice(span, size, replace=False) for size in (n, 2 * n))
    house.release(of(ours, 1), plan(of(ours, 1)))
    assert not house.look(of(theirs, 2), plan(of(theirs, 2))).earlier
    part = of(np.concatenate([ours[: n // 2], theirs[:n]]), 3)
    assert [each.how.values["name"] for each in house.look(part, plan(part)).earlier] == ["at"]


@pytest.mark.parametrize("dense", [False, True])
def test_other_records_raise_no_alarm(house: House, dense: bool) -> None:
    """Rows that agree by chance, in a dense table nearly all, are no overlap (four standard deviations and 1 %)."""
    for seed in range(3):
        table = hospital(seed, dense=dense)
        house.release(table, plan_of(table))
    other = hospital(9, dense=dense)
    assert house.look(other, plan_of(other)).earlier == ()


def test_middling_tables_raise_no_alarm_by_chance(house: House) -> None:
    """About one record per possible row: the worst case for chance agreement of unique rows."""
    rng = np.random.default_rng(4)

    def table(seed: int) -> Table:
        draw = np.random.default_rng(seed)
        return Table(
            (
                Column.from_labels("place", [f"p{x}" for x in draw.integers(0, N, N)]),
                Column.from_labels("illness", [f"i{x}" for x in draw.integers(0, 25, N)]),
            )
        )

    for seed in rng.integers(10, 10**6, 4).tolist():
        house.release(table(seed), plan_of(table(seed)))
    assert house.look(table(5), plan_of(table(5))).earlier == ()


def test_roles_swapped_between_releases_are_told_with_the_whole_cost(house: House) -> None:
    """What one release re-draws and the other shows as it is, is known of every record, whichever comes first."""
    table = hospital(1)
    house.release(table, plan_of(table, ward=Role.NSA))
    swapped = {"record": Role.IDENTIFIER, "ward": Role.SA, "age": Role.NSA, "stay": Role.NSA, "illness": Role.NSA}
    found = house.look(table, Plan(swapped, plain({"ward": 5})))
    (earlier,) = found.earlier
    assert earlier.undone == ("ward", "illness")
    assert {cost.column: (cost.undone, cost.t_p[-1], cost.row.right) for cost in found.costs} == {
        "ward": (True, 0.0, 1.0),
        "illness": (True, 0.0, 1.0),
    }
    line = next(line for line in found.gate.lines if line.name == "earlier-release")
    assert line.light.value == "amber"
    assert line.sentence.count("(100 %)") == 2


def test_the_same_records_with_other_sensitive_columns_are_told(house: House) -> None:
    table = hospital(1)
    house.release(table, plan_of(table, ward=Role.DROPPED))
    roles = {"record": Role.IDENTIFIER, "ward": Role.SA, "age": Role.NSA, "stay": Role.NSA, "illness": Role.DROPPED}
    found = house.look(table, Plan(roles, plain({"ward": 5})))
    assert [other.undone for other in found.earlier] == [()]
    assert "It re-draws other columns" in next(x for x in found.gate.lines if x.name == "earlier-release").sentence


COLUMNS = ("ward", "age", "stay", "illness")


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        (COLUMNS, COLUMNS, N - 1),
        (COLUMNS, COLUMNS, N - 40),
        (COLUMNS, ("ward", "age", "illness"), N - 1),
        (("ward", "age", "illness"), COLUMNS, N - 1),
        (COLUMNS, ("age", "illness"), N - 3),
        (("age", "illness"), COLUMNS, N - 3),
        (("ward", "age", "illness"), ("ward", "stay", "illness"), N - 1),
        (COLUMNS, COLUMNS, N // 2),
    ],
)
@pytest.mark.parametrize("shrinks", [False, True])
def test_changed_columns_and_records_are_no_disguise(
    house: House, dense: bool, first: tuple[str, ...], second: tuple[str, ...], kept: int, shrinks: bool
) -> None:
    """Columns dropped or added, records removed or added, even where no row is unique (3 x 4 x 3 unchanged rows)."""
    whole = hospital(1, dense=dense)
    part = whole.take(np.random.default_rng(5).permutation(N)[:kept])
    one, other = (whole, part) if shrinks else (part, whole)
    one, other = one.select(first), other.select(second)
    house.release(one, plan_of(one))
    (earlier,) = house.look(other, plan_of(other)).earlier
    assert earlier.share > 0.4


def test_another_spelling_of_numbers_is_no_disguise(house: House) -> None:
    table = hospital(1, dense=True).select(COLUMNS)
    age = table["age"]
    spelled = [
        Column.from_labels("age", [text.format(code) for code in age.codes.tolist()], kind=kind)
        for text, kind in (("{}", Kind.INTEGER), ("{}.0", Kind.DECIMAL))
    ]
    one, other = (Table(tuple(each if c.name == "age" else c for c in table.columns)) for each in spelled)
    house.release(one.take(np.arange(N - 1)), plan_of(one))
    assert [earlier.how for earlier in house.look(other, plan_of(other)).earlier] == [
        "records too much alike for chance"
    ]


def test_a_column_of_row_numbers_makes_no_alarm(house: House) -> None:
    """Every table may number its rows from 1; that the numbers agree names nobody."""
    for seed in (1, 2):
        table = hospital(seed)
        numbers = Column.from_labels("record", [str(x) for x in range(1, N + 1)], kind=Kind.INTEGER)
        table = Table((numbers, *table.columns[1:]))
        assert house.look(table, plan_of(table)).earlier == ()
        house.release(table, plan_of(table))


def test_chance_likeness_is_rarely_called_the_same() -> None:
    """The bound behind the alarm, over 200 pairs of independent tables of all densities: a chance below 1 in 1,000 may
    be stated for 0.2 of them at most (Chernoff's bound never understates); that it is for more than two by chance
    happens in about 1 of 900 runs, and the seed is fixed."""
    rng = np.random.default_rng(8)
    alarms = 0
    for _ in range(200):
        cells, each, p = int(rng.integers(2, 300)), rng.uniform(0.02, 60), rng.uniform(0.2, 0.8)
        of_theirs, of_ours = rng.poisson(each * p, cells), rng.poisson(each * (1 - p), cells)
        seen = of_ours > 0
        log_chance = likeness._dispersion((of_ours + of_theirs)[seen], of_theirs[seen], p)[2]
        alarms += log_chance < np.log(1e-3)
    assert alarms <= 2


def test_several_groups_cost_what_the_exact_law_of_all_says(house: House) -> None:
    """Different gammas, one convolution; the gate, the register's entry and the list of releases say one figure."""
    table = hospital(1)
    house.release(table, plan_of(table))
    other = Plan(dict(plan_of(table).roles), plain({"illness": 3}))
    found = house.look(table, other)
    (cost,) = found.costs
    exact = []
    for f in (1, 2, 3):
        one, two = (
            np.array([comb(g * f, k) * (g - 1) ** (g * f - k) / g ** (g * f) for k in range(g * f + 1)]) for g in (3, 5)
        )
        law = np.convolve(one, two)
        exact.append(sum(law[k] for k in range(len(law)) if abs(k / 2 - f) > 0.3 * f + 1e-9))
    assert cost.t_p == pytest.approx([t_p(3, 0.3, 3), min(exact)])
    assert cost.row.twice == pytest.approx(1 / 15)
    publish(house.order(table, other), strict=False, register=house.register)
    entry = house.register.read().releases[-1]
    assert entry.body["guarantees"]["illness"]["t_p_of_all"] == pytest.approx(min(exact))
    assert entry.body["guarantees"]["illness"]["releases"] == 2


def test_fake_values_count_wherever_the_cost_is_told(house: House) -> None:
    table = hospital(1)
    limits = Tolerances(dict.fromkeys(table["illness"].labels.tolist(), "0.25"))
    grouping = DecoyGroups((4,), (Fraction(1),), limits, 1)
    plan = Plan(dict(plan_of(table).roles), {"illness": grouping})
    house.release(table, plan)
    (fall,) = falls(house.register.read().releases[0])
    (cost,) = house.look(table, plan).costs
    assert fall.t_p[1] == pytest.approx(cost.t_p[0]) == pytest.approx(t_p_of(Fraction(1, 4), (4,), 0.3, 3, 1, 1))
    assert fall.t_p[2] == pytest.approx(cost.t_p[1]) == pytest.approx(t_p_of(Fraction(1, 4), (4,), 0.3, 3, 2, 1))


def test_where_nothing_is_promised_of_several_releases_it_is_said_so(house: House) -> None:
    """Counts of the joined draw are not right on average, so no T_P of their mean is computed: no fall to 0.000."""
    table = hospital(1)
    joined = design(table["illness"], dict.fromkeys(table["illness"].labels.tolist(), Fraction(1, 5)))
    house.release(table, replace(plan_of(table), draws={"illness": joined}))
    look = house.look(table, plan_of(table))
    assert look.costs[0].t_p[-1] == 0 < look.costs[0].t_p[0]
    said = sentence(look.earlier, look.costs)
    assert "averaged" not in said
    assert "Of small counts of “illness” nothing is promised over 2 releases" in said
    again = house.look(table, replace(plan_of(table), draws={"illness": joined}))
    assert f"in all of them, are right with up to {up(Fraction(joined.twice).limit_denominator(10**6))}" in sentence(
        again.earlier, again.costs
    ), "and not that it comes twice in a part of the rows: its bearers always show it"
    lost = "Only releases that are still entered are counted here; each one that is lost tells more."
    assert lost in sentence(again.earlier, again.costs, whole=False)
    assert lost not in sentence(again.earlier, again.costs)
    house.release(table, plan_of(table))
    twice = house.look(table, plan_of(table))
    assert "0.000" not in sentence(twice.earlier[:1], twice.costs)


def test_what_a_release_alone_promises_is_what_it_states(house: House) -> None:
    """By person only the table says how much: T_P was said to be 0.000 and 0.936, and stated as 0.600 and 0.929."""
    chance = np.random.default_rng(4)
    who = chance.integers(0, 700, 1_500)
    names = ("vessel", "virus", "kidney")
    table = Table(
        (
            Column.from_labels("patient", [f"P{x}" for x in who]),
            *(
                Column.from_labels(name, [f"{name}{x}" for x in chance.choice(3, 1_500, p=[0.6, 0.3, 0.1])])
                for name in names
            ),
        )
    )
    kidney = design(table["kidney"], {f"kidney{x}": Fraction(most, 10) for x, most in enumerate((8, 5, 3))})
    plan = Plan(
        {"patient": Role.IDENTIFIER, **dict.fromkeys(names, Role.SA)},
        {**planned(table, names[:2], 3), "kidney": kidney},
        persons=ByPerson("patient", "draw"),
    )
    house.release(table, plan)
    house.release(table, plan)
    stated = house.register.read().releases[-1].body["guarantees"]
    found = house.look(table, plan).costs
    assert {cost.column: cost.t_p[0] for cost in found} == pytest.approx(
        {name: least_stated(stated[name]) for name in names}, abs=1e-3
    )
    assert {cost.column: cost.row.twice for cost in found if not cost.row.shown} == pytest.approx(
        dict.fromkeys(names[:2], 7 / 27)
    )
    rights = [kidney.sure(k) for k in (2, 3, 4, 8)]
    assert rights == sorted(rights), "who holds more releases is no less sure"


def test_two_releases_at_once_count_each_other(house: House) -> None:
    """Both were examined before either was entered: the second one sees the first when it is entered."""
    table = hospital(1)
    plan = plan_of(table)
    orders = [house.order(table, plan) for _ in range(3)]
    looks = [examine(order, register=house.register) for order in orders]
    assert [look.earlier for look in looks] == [(), (), ()]
    accepted = {line.name: "yes" for line in looks[0].gate.amber}
    publish(orders[0], accepted=accepted, examination=looks[0], register=house.register)
    with pytest.raises(GateShut, match="released once before"):
        publish(orders[1], accepted=accepted, examination=looks[1], register=house.register)
    assert not orders[1].target.exists()
    publish(orders[2], accepted=accepted | {"earlier-release": "yes"}, examination=looks[2], register=house.register)
    assert [entry.body["guarantees"]["illness"]["releases"] for entry in house.register.read().releases] == [1, 2]


@pytest.mark.parametrize("earlier", [0, 1])
@pytest.mark.parametrize("fate", ["removed", "exchanged", "put back"])
def test_a_register_that_is_not_the_one_that_was_examined_keeps_the_release_back(
    house: House, earlier: int, fate: str
) -> None:
    """Another key recognises no source, and of a copy the last entries are gone: earlier releases were forgotten."""
    table, folder = hospital(1, 300), house.register.folder
    plan = plan_of(table)
    house.look(table, plan)  # draws the key
    shutil.copytree(folder, house.folder / "copy")
    for _ in range(earlier):
        house.release(table, plan)
    order = house.order(table, plan)
    look = examine(order, register=house.register)
    shutil.rmtree(folder)
    shutil.rmtree(witness_folder(), ignore_errors=True)
    if fate == "exchanged":
        Register(folder).key()
    elif fate == "put back":
        shutil.copytree(house.folder / "copy", folder)
    same = fate == "put back" and not earlier
    with nullcontext() if same else pytest.raises(RegisterFault, match="is not the one that was read before"):
        publish(order, strict=False, examination=look, register=house.register)
    assert order.target.exists() is same
    assert len(house.register.read().entries) == same


def test_entries_of_version_0_1_0_are_still_compared(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """They have no likeness, and fingerprints of the counts of sensitive columns alone."""

    def then(*given: Any) -> dict[str, Any]:
        body = entry_body(*given)
        source = body["source"]
        del source["likeness"], body["recipe"]["version"]
        return body | {"source": source | {"columns": {"illness": source["columns"]["illness"]}}}

    table = hospital(1)
    with monkeypatch.context() as patched:
        patched.setattr(publishing, "entry_body", then)
        house.release(table, plan_of(table))
    swapped = {"record": Role.IDENTIFIER, "ward": Role.SA, "age": Role.NSA, "stay": Role.NSA, "illness": Role.NSA}
    for other, how in (
        (table, "the same records"),
        (table.take(np.arange(500, N)), "the same identifiers in “record”"),
        (table.take(np.arange(500, N)).select(COLUMNS), "the same unchanged columns"),
    ):
        plan = Plan({name: swapped[name] for name in other.names}, plain({"ward": 5}))
        (earlier,) = house.look(other, plan).earlier
        assert (earlier.how, earlier.undone) == (how, ("ward", "illness"))


def test_the_register_names_no_value(house: House) -> None:
    """Neither groups of values made by hand nor tolerances; column names and choices are all it knows of a plan."""
    table = hospital(1)
    groups = Groups((("north", ("W1", "W2")), ("south", ("W3", "W4"))))
    limits = Tolerances(dict.fromkeys(table["illness"].labels.tolist(), "0.25"))
    grouping = DecoyGroups((4,), (Fraction(1),), limits, 1)
    plan = Plan(dict(plan_of(table).roles), {"illness": grouping}, generalisations={"ward": (groups,)})
    house.release(table, plan)
    stored = (house.register.folder / "register.jsonl").read_text()
    every = {label for column in table.columns for label in column.labels.tolist()} | {"north", "south"}
    (entry,) = house.register.read().releases
    assert unlocked(entry.body, table, house.register.key()) == plan.as_dict()
    with pytest.raises(UnicodeDecodeError):  # without the very source nobody reads it
        unlocked(entry.body, table.take(np.arange(N - 1)), house.register.key())
    assert [label for label in every if f'"{label}"' in stored] == []


def test_large_tables_are_sampled_and_still_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprint, "_KEPT", 600)
    table, key = hospital(1), b"k" * 32
    first = fingerprints(table.take(np.arange(2_000)), plan_of(table), key)
    second = fingerprints(table.take(np.arange(1_000, N)), plan_of(table), key)
    ours, theirs = first.identifiers["record"], second.identifiers["record"]
    assert len(ours.kept) == 600
    assert ours.share < 1
    # About 300 of the 1,000 common records are kept in both: a standard deviation of about 50 records.
    assert abs(ours.overlap(theirs) - 1_000) < 250


def test_fingerprints_depend_on_the_key_and_hold_no_value(tmp_path: Path) -> None:
    table = hospital(1)
    house = House(tmp_path)
    house.release(table, plan_of(table))
    stored = b"".join(path.read_bytes() for path in (tmp_path / "register").rglob("*") if path.is_file())
    numbers = table["record"].labels.tolist()
    assert not [number for number in numbers if number.encode() in stored]
    assert b"ill7" not in stored
    first, second = (fingerprints(table, plan_of(table), bytes([k]) * 32) for k in (1, 2))
    assert first.table != second.table
    assert first.columns != second.columns
    assert not len(np.intersect1d(first.identifiers["record"].kept, second.identifiers["record"].kept))


@pytest.mark.parametrize("way", ["cut", "flipped", "emptied", "gone"])
def test_a_fingerprint_file_that_was_touched_is_told_and_written_anew(house: House, way: str) -> None:
    """The same records are recognised by it, so a change of it would hide a release from every later look-up."""
    table = hospital(1)
    house.release(table, plan_of(table))
    files = sorted((house.register.folder / "sketches").iterdir())
    assert len(files) >= 3
    for file in files:
        raw = file.read_bytes()
        assert not house.register.read().faults
        if way == "gone":
            file.unlink()
        else:
            file.write_bytes({"cut": raw[:-8], "flipped": bytes([raw[0] ^ 1]) + raw[1:], "emptied": b""}[way])
        (fault,) = house.register.read().faults
        assert "fingerprints" in fault
        assert "Entry 1 " in fault
        house.register.keep("sketches", file.name, raw)
        assert file.read_bytes() == raw
        assert house.register.read().faults == (fault,), "known until somebody acknowledges it"
        house.register.acknowledge("A. Müller", "restored")
