"""No count that public figures alone tell is called protected."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_desktop.core.checks import gate
from splu_desktop.core.checks.gate import Light
from splu_desktop.core.draw import DecoyGroups, PlainGroups
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.guarantees import planning, public_figures, sentences
from splu_desktop.core.plan import Plan, Thresholds
from splu_desktop.core.published import Published
from splu_desktop.core.query.reader import Badge, Condition, Reader
from splu_desktop.core.roles.suggest import Role
from splu_desktop.files.release.facts import make_facts
from tests.core.published_tables import release, table_of
from tests.core.tables import plan_for


def every_way(n: int, top: int, values: int) -> list[tuple[int, ...]]:
    """Return all counts of `values` values, each 1 to `top`, that add up to n."""
    if values == 1:
        return [(n,)] if 1 <= n <= top else []
    return [(first, *rest) for first in range(1, top + 1) for rest in every_way(n - first, top, values - 1)]


@settings(max_examples=200, deadline=None)
@given(st.integers(2, 24), st.integers(2, 6), st.integers(1, 6))
def test_the_range_is_that_of_all_tables_there_can_be(n: int, gamma: int, values: int) -> None:
    ways = every_way(n, n // gamma, values)
    if not ways:
        return
    counts = np.array(ways)
    assert public_figures.of_plan(n, gamma, values) == (counts.min(), counts.max())


@settings(max_examples=60, deadline=None)
@given(st.integers(6, 40), st.integers(2, 5), st.integers(2, 7), st.integers(0, 999))
def test_the_range_of_a_release_holds_the_truth_and_nothing_told_is_protected(
    n: int, gamma: int, values: int, seed: int
) -> None:
    chance = np.random.default_rng(seed)
    codes = np.sort(chance.permutation(np.arange(n) % values))
    if np.bincount(codes).max() > n // gamma:
        return
    table = table_of({"sex": chance.integers(0, 2, n), "s": np.char.add("v", codes.astype(str))})
    published = release(table, {"s": gamma}, seed)
    if published.table["s"].m < values:
        return  # what has vanished, a reader does not know of
    least, most = published.ranges("s")
    true = np.array([int((codes == int(str(label)[1:])).sum()) for label in published.table["s"].labels])
    assert (least <= true).all()
    assert (true <= most).all()
    reader = Reader(published)
    epsilon = Fraction("0.3")
    for label, low, high in zip(published.table["s"].labels, least.tolist(), most.tolist(), strict=True):
        told = (1 - epsilon) * high <= (1 + epsilon) * low
        answer = reader.answer([Condition("s", (str(label),))])
        assert answer.told == told
        if told:
            assert answer.badge is not Badge.PROTECTED
            assert "deliberately unreliable" not in answer.badge_text


def tiny() -> object:
    return table_of({"sex": np.arange(10) % 2, "s": np.char.add("v", (np.arange(10) // 2).astype(str))})


def test_ten_records_in_groups_of_five_promise_nothing() -> None:
    """Five values of 10 records at gamma 5 have 2 each: T_P said .59."""
    table = tiny()
    plan = plan_for(table, s=5)
    lines = [line for line in gate.table_lines(table, plan) if line.name in ("public-figures", "thresholds")]
    assert [line.light for line in lines if line.name == "public-figures"] == [Light.AMBER]
    assert "leave each value 2 to 2 records" in lines[0].sentence
    assert not any("protected as asked" in line.sentence for line in lines)
    values = planning.plan_values(table["s"].counts(), 10, 5, Thresholds())
    assert values.t_p == 0
    assert "Small counts are not protected" in sentences.value_promises(values, column="s")[0]
    assert sentences.unprotected(10, 5, 5, 0.3, 3) is not None
    assert all(answer.told for answer in Reader(release(table, {"s": 5})).answers([[Condition("s", ("v0",))]]))


@pytest.mark.parametrize(("n", "gamma", "values"), [(10_000, 5, 40), (100, 5, 12), (10, 2, 5)])
def test_where_much_is_open_the_promise_stands(n: int, gamma: int, values: int) -> None:
    assert sentences.unprotected(n, gamma, values, 0.3, 3) is None


def test_tolerances_are_told_by_public_figures_like_gamma_and_nothing_then_says_otherwise() -> None:
    codes = np.arange(12) % 4
    table = table_of({"sex": np.arange(12) % 2, "s": np.char.add("v", codes.astype(str))})
    labels = table["s"].labels.tolist()
    once = Tolerances(dict.fromkeys(labels, Fraction(1, 4)))
    grouping, asked = DecoyGroups((4,), (Fraction(1),), once), Thresholds(t_p=0.5)
    told = grouping.told(12, labels, asked)
    assert told == dict.fromkeys(labels, (3, 3))
    assert told == PlainGroups(4).told(12, labels, asked)
    plan = Plan({"sex": Role.NSA, "s": Role.SA}, {"s": grouping}, thresholds=asked)
    lines = [line for line in gate.table_lines(table, plan) if line.name in ("public-figures", "thresholds")]
    assert [(line.name, line.light) for line in lines] == [("public-figures", Light.AMBER)]
    found = grouping.figures(table["s"], asked)
    assert {row["t_p"] for row in found["values"]} == {0.0}
    assert found["sentences"][0] == lines[0].sentence
    for draw in (grouping, PlainGroups(4)):  # recipients read the fact alone: what hinders it only a custodian can do
        known, relief = draw.known_anyhow(12, labels, "s", asked), draw.relief
        assert known is not None
        assert "more" not in known
        assert "gamma." not in known
        assert draw.unprotected(12, labels, "s", asked) == f"{known} {relief}"
    published = Published(table, {"s": grouping}, asked)
    assert make_facts(Reader(published), [])["guarantees"]["s"] == published.stated("s")
    assert published.stated("s")["by_tolerance"]["1/4"]["t_p"] == 0
    assert Published(table, {"s": PlainGroups(4)}, asked).stated("s")["t_p"] == 0
    # Room for more records of other values leaves each open again.
    free = DecoyGroups((4,), (Fraction(1),), Tolerances({**once.limits, "v0": Fraction(1)}))
    assert free.told(12, labels, asked) == {}
    assert Published(table, {"s": free}, asked).stated("s")["by_tolerance"]["1/4"]["t_p"] > 0


def test_no_trade_off_praises_a_gamma_at_which_counts_are_told() -> None:
    asked = Thresholds(t_p=0.5)
    found = planning.trade_off(np.full(5, 2), 10, asked)
    assert found.gammas[-1] == 5
    assert found.t_p[-1] == 0
    assert found.t_p[0] == planning.plan_values(np.full(5, 2), 10, 2, asked).t_p > 0
