"""A source that was released before, in whole or in part, is noticed; others are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from splu_desktop.core.guarantees import t_p
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files import fingerprint
from splu_desktop.files.fingerprint import fingerprints
from splu_desktop.files.publishing import Examination, Order, examine, publish
from splu_desktop.files.register import Register
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
    assert f"from {t_p(5, 0.3, 3):.3f} to {t_p(5, 0.3, 3, 3):.3f}" in line.sentence
    assert found.earlier[-1].folder == house.folder / "r2"


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


def test_another_sensitive_column_is_no_repetition(house: House) -> None:
    table = hospital(1)
    house.release(table, plan_of(table))
    roles = {"record": Role.IDENTIFIER, "ward": Role.SA, "age": Role.NSA, "stay": Role.NSA, "illness": Role.DROPPED}
    assert house.look(table, Plan(roles, plain({"ward": 5}))).earlier == ()


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
