"""Tolerances: rules, feasibility, faults."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core.draw import DecoyGroups, Joined
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.groups.rules import LADDER, Sensitivity, by_hand, equal, from_pairs, linear, on_ladder
from splu_desktop.core.groups.tolerances import (
    Infeasible,
    Tolerances,
    caps,
    check_feasible,
    decimal_above,
    nearest_feasible,
    shortfalls,
)
from splu_desktop.core.rationals import as_fraction
from tests.core.tables import column

WARD = column("ward", [0] * 80 + [1] * 15 + [2] * 5, ["none", "flu", "HIV"])


def test_by_rule_is_exact() -> None:
    found = linear(WARD, 2, "0.05").limits
    assert dict(found) == {"none": Fraction(1), "flu": Fraction(35, 100), "HIV": Fraction(15, 100)}


@pytest.mark.parametrize(("limit", "size", "most"), [("0.29", 100, 29), ("0.3", 10, 3), ("0.41", 14, 5), ("1", 7, 7)])
def test_caps_are_floors_of_exact_products(limit: str, size: int, most: int) -> None:
    assert caps((Fraction(limit),), size).tolist() == [most]


def test_by_hand_and_by_words() -> None:
    assert by_hand(WARD, {"HIV": 0.1, "flu": "0.5"}).limits == {
        "none": Fraction(1),
        "flu": Fraction(1, 2),
        "HIV": Fraction(1, 10),
    }
    graded = from_pairs(WARD, [("HIV", "high"), ("flu", "low")])
    assert graded.limits["none"] == 1
    assert graded.limits["HIV"] < Sensitivity.MEDIUM.tolerance < graded.limits["flu"]
    assert graded.classes()[graded.limits["HIV"]] == ("HIV",)
    assert from_pairs(WARD, [("HIV", "high"), ("flu", " 0.25 ")]).limits["flu"] == Fraction(1, 4)


def test_feasible_iff_every_tolerance_reaches_its_share() -> None:
    assert shortfalls(WARD, by_hand(WARD, {"flu": "0.15", "HIV": "0.05", "none": "0.8"})) == ()
    tight = by_hand(WARD, {"flu": "0.1", "HIV": "0.01", "none": "0.8"})
    assert [short.label for short in shortfalls(WARD, tight)] == ["HIV", "flu"]
    with pytest.raises(Infeasible, match=r"0\.01 of “HIV” in column “ward”.*5\.0 %.*set it to 0\.05 or more.*1 more"):
        check_feasible(WARD, tight)
    near = nearest_feasible(WARD, tight)
    check_feasible(WARD, near)
    assert near.limits == {"none": Fraction(4, 5), "flu": Fraction(15, 100), "HIV": Fraction(1, 20)}


@given(st.integers(1, 10**7), st.integers(1, 10**7))
def test_the_offered_decimal_is_enough_and_near(count: int, more: int) -> None:
    share = Fraction(count, count + more)
    offered = Fraction(decimal_above(share))
    assert share <= offered <= 1
    assert offered <= share * Fraction(111, 100) or offered == 1


@pytest.mark.parametrize(
    ("given_pairs", "sentence"),
    [
        ([("AIDS", "0.1")], "Column “ward” has no value “AIDS”; check its spelling"),
        ([("hiv", "0.1")], "no value “hiv”; write “HIV” as the column does."),
        ([("HIV", "0.1"), ("HIV", "0.2")], "“HIV” has two tolerances, 0.1 and 0.2"),
        ([("HIV", "0")], "“HIV” must lie above 0 and at most at 1"),
        ([("HIV", "1.5")], "at most at 1, not at 1.5"),
        ([("HIV", "much")], "“HIV” must be a number such as 0.25, not “much”"),
        ([("HIV", "1e-999999999")], "must be a number"),
        ([("HIV", "1/0")], "must be a number"),
    ],
)
def test_faults_are_one_sentence(given_pairs: list[tuple[str, str]], sentence: str) -> None:
    with pytest.raises(BadSetting) as fault:
        from_pairs(WARD, given_pairs)
    assert sentence in str(fault.value)
    assert str(fault.value).endswith(".")


@pytest.mark.parametrize(("theta", "offset"), [(-1, 0.1), (2, -0.1), ("x", 0)])
def test_rules_that_are_none(theta: object, offset: object) -> None:
    with pytest.raises(BadSetting, match="theta"):
        linear(WARD, theta, offset)  # type: ignore[arg-type]


def test_a_value_without_tolerance_is_named() -> None:
    with pytest.raises(BadSetting, match="no tolerance for its value “flu”"):
        Tolerances({"none": Fraction(1), "HIV": Fraction(1, 10)}).of(WARD)


@given(st.lists(st.integers(1, 400), min_size=2, max_size=12), st.integers(1, 40), st.integers(1, 30))
def test_rungs_are_strict_feasible_and_few(counts: list[int], theta: int, offset: int) -> None:
    sa = column("s", np.repeat(np.arange(len(counts)), counts))
    rule = linear(sa, theta, Fraction(offset, 100))
    stepped = on_ladder(sa, rule)
    assert shortfalls(sa, stepped) == ()
    assert set(stepped.limits.values()) <= set(LADDER)
    for label, count in zip(sa.labels, sa.counts(), strict=True):
        above = [step for step in LADDER if step > rule.limits[label]]
        assert stepped.limits[label] <= rule.limits[label] or stepped.limits[label] == min(above)
        assert stepped.limits[label] * sa.n >= int(count)


def test_equal_tolerances_stand_for_gamma() -> None:
    assert set(equal(WARD, 4).limits.values()) == {Fraction(1, 4)}


@pytest.mark.parametrize("text", ["1e999999999", "1e-99999", "9" * 41, "1_0", "1/0", "x", ""])
def test_numbers_of_files_are_bounded_before_they_are_worked_out(text: str) -> None:
    """A project's chance of “1e999999999” took all of the processor: every draw reads numbers by one door."""
    with pytest.raises((ValueError, ZeroDivisionError)):
        as_fraction(text)
    told = {"values": ["a"], "tolerance": "1/2", "share": text, "keeps": "1", "feeds": ["0"]}
    with pytest.raises((ValueError, ZeroDivisionError)):
        Joined.from_settings({"parts": [told], "records": 9})
    with pytest.raises((ValueError, ZeroDivisionError)):
        DecoyGroups.from_settings({"sizes": [4], "shares": [text], "tolerances": {"a": "1/2"}})
