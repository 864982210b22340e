"""Sensitive columns that hang together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from splu_desktop.core.checks.gate import Light, table_lines
from splu_desktop.core.draw.together import planned
from splu_desktop.core.plan import Plan
from splu_desktop.core.risk.alike import alike
from splu_desktop.core.risk.giveaway import ALPHA
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.sanitise import run
from splu_desktop.core.table import Table
from tests.core.tables import column, plan_for
from tests.draws import plain
from tests.seeded import Seeded


def _ages(n: int = 20_000) -> Table:
    """Age in years and in months, and columns that keep the truth beside them."""
    months = np.random.default_rng(3).integers(0, 360, n)
    months = np.minimum(months, np.random.default_rng(4).integers(0, 360, n))
    years, months = months // 12, np.unique(months, return_inverse=True)[1]
    return Table(
        (column("years", years), column("months", months), column("true years", years), column("true months", months))
    )


@pytest.mark.parametrize(("first", "second"), [(5, 5), (2, 4), (10, 3)])
def test_rows_in_which_both_agree_give_away_what_is_said(first: int, second: int) -> None:
    """Over four releases: the share of fitting rows, and of right ones among them, within 4 standard errors."""
    table = _ages()
    ways = {"years": first, "months": second}
    (found,) = alike(table, plain(ways))
    assert {found.column, found.other} == set(ways)
    assert found.alone == pytest.approx(1 / ways[found.column], rel=0.02)
    plan = Plan({name: Role.SA if name in ways else Role.NSA for name in table.names}, plain(ways))
    joint = np.zeros((table["years"].m, table["months"].m))
    np.add.at(joint, (table["years"].codes, table["months"].codes), 1)
    expected = np.outer(joint.sum(1), joint.sum(0)) / table.n
    with np.errstate(divide="ignore", invalid="ignore"):
        fits = (joint > expected) & (
            np.nan_to_num(joint * np.log(joint / expected)) - joint + expected >= np.log(joint.size / ALPHA)
        )
    fitting = right = 0
    for seed in range(4):
        published = run(table, plan, randomness=Seeded(seed)).table
        as_before = {name: np.array([table[name].code_of(x) for x in published[name].labels]) for name in table.names}
        codes = {name: as_before[name][published[name].codes] for name in table.names}
        fit = fits[codes["years"], codes["months"]]
        fitting += int(fit.sum())
        right += int((codes[found.column] == codes[f"true {found.column}"])[fit].sum())
    rows = 4 * table.n
    assert abs(fitting / rows - found.fitting) < 4 * np.sqrt(found.fitting / rows)
    assert abs(right / fitting - found.right) < 4 * np.sqrt(0.25 / fitting)
    assert (1 - found.alone) * found.right > 3 * found.alone * (1 - found.right)
    assert found.most >= found.right


def test_columns_that_have_nothing_to_do_with_each_other_are_not_named() -> None:
    """30 pairs, each named by chance with a probability of 1 in 100 at most."""
    rng = np.random.default_rng(8)
    columns = [column(f"c{m}", rng.integers(0, m, 3_000)) for m in (8, 9, 20, 50, 400, 1_000)]
    assert not alike(Table(tuple(columns)), plain({each.name: 2 for each in columns}))
    weak = rng.integers(0, 10, 3_000)
    beside = np.where(rng.random(3_000) < 0.3, weak, rng.integers(0, 10, 3_000))
    assert not alike(Table((column("a", weak), column("b", beside))), plain({"a": 5, "b": 5}))


@pytest.mark.parametrize(("m", "gamma"), [(3, 2), (4, 3), (6, 4), (9, 6)])
def test_columns_of_few_values_that_say_the_same_are_named(m: int, gamma: int) -> None:
    """Three values at gamma 2: draws that agree are right in 2 of 3 rows, not 1 of 2; four at 3 in .43."""
    same = np.arange(720) % m
    (found,) = alike(Table((column("a", same), column("b", (same + 1) % m))), plain({"a": gamma, "b": gamma}))
    assert found.alone == pytest.approx(1 / gamma, abs=1e-6)
    assert found.right / (1 - found.right) == pytest.approx((m - 1) / (gamma - 1) ** 2, rel=1e-6)
    assert found.fitting == pytest.approx((1 + (gamma - 1) ** 2 / (m - 1)) / gamma**2, abs=1e-6)


def test_the_gate_names_both_columns_and_nothing_else_is_asked() -> None:
    table = _ages().select(["years", "months"])
    plan = plan_for(table, years=5, months=5)
    (line,) = [line for line in table_lines(table, plan) if line.name == "giveaway"]
    assert line.light is Light.AMBER
    assert "“years”" in line.sentence
    assert "“months”" in line.sentence
    assert "Draw them together, or leave one of the two out" in line.sentence
    free = Table((table["years"], column("months", np.random.default_rng(1).permutation(table["months"].codes))))
    assert [each.light for each in table_lines(free, plan) if each.name == "giveaway"] == [Light.GREEN]


def test_a_column_that_cannot_be_redrawn_is_left_to_its_own_line() -> None:
    table = _ages().select(["years", "months"])
    plan = replace(plan_for(table, years=5, months=5), draws=plain({"years": 5, "months": 10_000}))
    lines = table_lines(table, plan)
    assert any(line.light is Light.RED and line.column == "months" for line in lines)
    assert all(line.light is Light.GREEN for line in lines if line.name == "giveaway")


def test_columns_drawn_together_are_not_said_to_be_drawn_each_by_itself() -> None:
    table = _ages(2_000)
    assert alike(table, plain({"years": 5, "months": 5}))
    assert not alike(table, planned(table, ["years", "months"], 5))
