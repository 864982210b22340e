"""Protected tables: cells are rounded without bias, tables agree, and no group of few persons stands alone."""

from __future__ import annotations

import numpy as np

from splu_desktop.core.answer.protected import BASE, LEAST, protect_tables, round_at_random
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.plan import Plan, blocks_of
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Column, Table
from tests.seeded import Seeded


def small_table() -> Table:
    rng = np.random.default_rng(5)
    ward = rng.choice(["A", "B", "C", "D"], 200, p=[0.02, 0.5, 0.3, 0.18])
    sex = rng.choice(["f", "m"], 200)
    died = np.where(rng.random(200) < 0.2, "yes", "no")
    who = [f"P{row % 150:03}" for row in range(200)]
    columns = {"Patient": who, "Ward": ward.tolist(), "Sex": sex.tolist(), "Died": died.tolist()}
    return Table(tuple(Column.from_labels(name, texts) for name, texts in columns.items()))


def plan_of(*questions: AskedTable) -> Plan:
    roles = {"Patient": Role.IDENTIFIER, "Ward": Role.NSA, "Sex": Role.NSA, "Died": Role.SA}
    return Plan(roles, blocks_of(["Died"]), persons=ByPerson("Patient"), questions=questions)


def test_a_cell_is_one_of_the_two_multiples_around_it_with_its_own_mean() -> None:
    counts, source = np.array([0, 3, 5, 7, 12, 1, 0, 9]), Seeded(1)
    drawn = np.array([round_at_random(counts, BASE, source) for _ in range(4_000)])
    assert (np.abs(drawn - counts) < BASE).all()
    assert (drawn % BASE == 0).all()
    # 8 means of 4,000 draws, each of a standard deviation of at most 2.5: 5 errors, a false alarm in a million.
    assert (np.abs(drawn.mean(axis=0) - counts) < 5 * 2.5 / np.sqrt(4_000)).all()
    assert (np.abs(drawn.sum(axis=1) - counts.sum()) < BASE).all()


def test_tables_agree_and_few_persons_stand_in_no_group() -> None:
    table = small_table()
    found = protect_tables(
        table, plan_of(AskedTable("Died", "yes", ("Ward",)), AskedTable("Died", "yes", ("Sex",))), Seeded(2)
    )
    wards, sexes = found.tables
    assert wards.counts[-1] == sexes.counts[-1]
    assert wards.rows[-1] == sexes.rows[-1]
    assert wards.true_rows[-1] == 200
    assert (wards.rows[:-1].sum(), wards.counts[:-1].sum()) == (wards.rows[-1], wards.counts[-1])
    assert wards.true_rows[:-1].min() >= LEAST
    assert wards.truth[:-1].min() >= LEAST
    assert found.joined


def test_each_value_of_a_column_can_be_counted() -> None:
    (found,) = protect_tables(small_table(), plan_of(AskedTable("Died", None, ("Sex",))), Seeded(3)).tables
    assert set(found.labels) == {"no", "yes"}
    assert found.counts.shape == (3, 2)
    assert (found.counts.sum(axis=1) == found.rows).all()
