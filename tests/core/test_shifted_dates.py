"""Dates moved by one random number of days per person: courses stay, calendars don't, and no file tells the number."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core import sanitise
from splu_desktop.core.checks.gate import shift_line
from splu_desktop.core.checks.selfcheck import check_release
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.draw.by_person import NUMBER, ByPerson, known_by_distances, persons, shifted
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.plan import Plan
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.release.facts import make_facts
from tests.seeded import Seeded

_ROLES = {"patient": Role.IDENTIFIER, "came": Role.NSA, "left": Role.NSA, "illness": Role.SA}


def stays(number: int = 400, seed: int = 1) -> Table:
    chance = np.random.default_rng(seed)
    who = np.repeat(np.arange(number), chance.integers(1, 5, number))
    came = np.datetime64("2020-01-01") + chance.integers(0, 900, len(who))
    left = came + chance.integers(1, 9, len(who))
    came_texts = [str(day) if chance.random() > 0.05 else "" for day in came]
    left_texts = [f"{day} {chance.integers(0, 24):02d}:30" for day in left]
    return Table(
        (
            Column.from_labels("patient", [f"P{x}" for x in who]),
            Column.from_labels("came", came_texts, kind=Kind.DATE),
            Column.from_labels("left", left_texts, kind=Kind.DATETIME),
            Column.from_labels("illness", [f"i{x}" for x in chance.integers(0, 8, len(who))]),
        )
    )


def days_of(table: Table, name: str) -> np.ndarray:
    column = table[name]
    assert column.values is not None
    return column.values[column.codes]


@given(st.integers(1, 400), st.integers(0, 10**6))
def test_a_person_s_dates_move_together_and_within_the_bound(days: int, seed: int) -> None:
    table = stays(30, seed % 7)
    choice = ByPerson("patient", "draw", shift=("came", "left"), days=days)
    after = shifted(table, choice, Seeded(seed))
    who = persons(table["patient"])
    for name in ("came", "left"):
        moved = days_of(after, name) - days_of(table, name)
        known = ~np.isnat(moved)
        assert np.array_equal(np.isnat(days_of(after, name)), np.isnat(days_of(table, name)))
        whole = moved[known] / np.timedelta64(1, "D")
        assert np.array_equal(whole, np.round(whole))  # the time of day stays
        assert np.abs(whole).max(initial=0) <= days
        amount = np.full(int(who.max()) + 1, np.nan)
        amount[who[known]] = whole
        assert np.array_equal(amount[who[known]], whole)
    assert np.array_equal(
        (days_of(after, "left") - days_of(after, "came"))[~np.isnat(days_of(table, "came"))],
        (days_of(table, "left") - days_of(table, "came"))[~np.isnat(days_of(table, "came"))],
    )
    assert shifted(after, choice, Seeded(seed)) is after  # once is enough


def test_amounts_are_uniform_and_new_in_each_release() -> None:
    """Chi-square of 21 amounts over 4,000 persons: 52.4 is exceeded once in 10,000 times."""
    table = stays(4_000)
    choice = ByPerson("patient", "draw", shift=("left",), days=10)
    who = persons(table["patient"])
    amounts = []
    for seed in (1, 2):
        moved = (days_of(shifted(table, choice, Seeded(seed)), "left") - days_of(table, "left")) // np.timedelta64(
            1, "D"
        )
        one = np.empty(4_000, np.int64)
        one[who] = moved
        counts = np.bincount(one + 10, minlength=21)
        assert ((counts - 4_000 / 21) ** 2).sum() / (4_000 / 21) < 52.4
        amounts.append(one)
    assert (amounts[0] == amounts[1]).mean() < 0.1


def test_a_release_says_what_was_done_and_not_by_how_much() -> None:
    table = stays()
    chosen = ByPerson("patient", "draw", number=True, shift=("came", "left"), days=45)
    plan = Plan(_ROLES, {"illness": PlainGroups(3)}, persons=chosen)
    assert Plan.from_dict(plan.as_dict()) == plan
    before = shifted(table, chosen, Seeded(5))
    published = sanitise.run(before, plan, randomness=Seeded(6))
    assert all(check.passed for check in check_release(sanitise.prepare(before, plan), plan, published))
    facts = json.dumps(make_facts(Reader(published), []))
    assert json.loads(facts)["persons"]["dates_shifted"] == {"columns": ["came", "left"], "days": 45}
    assert NUMBER in published.table.names
    # Without being asked before, `run` shifts itself: no door leads past it.
    own = sanitise.run(table, plan, randomness=Seeded(7))
    assert set(own.table["came"].labels.tolist()) != set(table["came"].labels.tolist())
    assert "unique by the days between" in shift_line(table, chosen).sentence


def test_distances_that_single_out_are_counted() -> None:
    table = Table(
        (
            Column.from_labels("patient", ["a", "a", "b", "b", "c", "c"]),
            Column.from_labels(
                "came",
                ["2020-01-01", "2020-01-08", "2021-03-01", "2021-03-08", "2020-05-05", "2020-05-06"],
                kind=Kind.DATE,
            ),
        )
    )
    assert known_by_distances(table, persons(table["patient"]), ["came"]) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("shift", "days", "words"),
    [
        (("came",), 0, "1 to 36,500 days"),
        ((), 5, "1 to 36,500 days"),
        (("came",), 40_000, "1 to 36,500 days"),
        (("patient",), 5, "left out of the release"),
        (("illness",), 5, "drawn anew"),
    ],
)
def test_what_cannot_be_shifted_is_refused(shift: tuple[str, ...], days: int, words: str) -> None:
    table = stays(60)
    with pytest.raises(BadSetting, match=words):
        sanitise.check(
            table,
            Plan(_ROLES, {"illness": PlainGroups(2)}, persons=ByPerson("patient", "draw", shift=shift, days=days)),
        )
