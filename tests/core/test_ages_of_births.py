"""A date of birth goes out as an age in bands where nothing else tells the age, and never as it stands."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np

from splu_desktop.core.audience import Audience
from splu_desktop.core.generalise import Age
from splu_desktop.core.policy import propose
from splu_desktop.core.policy.proposal import plan_as_given
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.roles import Role
from splu_desktop.core.sanitise import prepare
from splu_desktop.core.table import Column, Kind, Table
from tests.columns import column_of

N = 1_200


def _stays(*, with_age: bool = False) -> Table:
    rng = np.random.default_rng(3)
    born = np.datetime64("1935-01-01") + rng.integers(0, 27_000, N)
    admitted = np.datetime64("2023-01-01") + rng.integers(0, 300, N)
    columns = [
        column_of("sex", rng.choice(["f", "m"], N).tolist()),
        _days("date of birth", born),
        _days("admission date", admitted),
        column_of("diagnosis", rng.choice(["I50", "J18", "E11"], N).tolist()),
    ]
    if with_age:
        columns.append(column_of("age", rng.integers(0, 90, N).astype(str).tolist(), kind=Kind.INTEGER))
    return Table(tuple(columns))


def _days(name: str, days: np.ndarray) -> Column:
    found, codes = np.unique(days, return_inverse=True)
    texts = np.array([str(each) for each in found], object)
    return Column.from_codes(name, codes.astype(np.int32), texts, np.zeros(len(found), bool), found, kind=Kind.DATE)


def test_a_birth_becomes_an_age_at_the_end_of_the_last_year() -> None:
    found = propose(_stays(), Audience())
    steps = found.plan.generalisations["date of birth"]
    assert steps[0] == Age(date(2023, 12, 31))
    assert len(steps) > 1
    assert "date of birth" in found.plan.questions[0].by
    published = prepare(_stays(), found.plan).table["date of birth"]
    assert not any("19" in str(label) and "-" in str(label) for label in published.labels)
    by_birth = AskedTable("diagnosis", None, ("date of birth",))
    assert propose(_stays(), Audience(), questions=[by_birth]).plan.generalisations["date of birth"][0] == steps[0]
    undo = next(each.undo for each in found.steps if each.column == "date of birth")
    assert undo is not None
    assert undo(found.plan).roles["date of birth"] is Role.IDENTIFIER


def test_a_text_among_the_dates_is_no_event() -> None:
    table = _stays()
    values, labels = table["admission date"].values, table["admission date"].labels.copy()
    assert values is not None
    values, labels[3] = values.copy(), "pending"
    values[3] = np.datetime64("NaT")
    mixed = replace(table["admission date"], labels=labels, values=values)
    columns = [mixed if each.name == mixed.name else each for each in table.columns]
    found = propose(Table(tuple(columns)), Audience())
    assert found.plan.generalisations["date of birth"][0] == Age(date(2023, 12, 31))


def test_other_ways_publish_no_birth_either() -> None:
    plans = [other.plan for other in propose(_stays(), Audience()).alternatives if other.plan is not None]
    published = [plan for plan in plans if plan.roles["date of birth"].is_published]
    assert published, "else nothing is tried"
    assert all(isinstance(plan.generalisations["date of birth"][0], Age) for plan in published)


def test_it_stays_away_where_an_age_is_there_or_somebody_says_so() -> None:
    assert propose(_stays(with_age=True), Audience()).plan.roles["date of birth"] is Role.IDENTIFIER
    kept = {"date of birth": Role.IDENTIFIER}
    assert propose(_stays(), Audience(), roles=kept).plan.roles["date of birth"] is Role.IDENTIFIER
    given = plan_as_given(_stays(), Audience(), roles={"diagnosis": Role.SA})
    assert given.roles["date of birth"] is Role.IDENTIFIER


def test_years_of_birth_of_children_and_ages_in_months_have_bands_that_fit_them() -> None:
    rng = np.random.default_rng(5)
    ill = column_of("diagnosis", rng.choice(["I50", "J18", "E11"], N).tolist())
    for name, low, high in (("year of birth", 2003, 2019), ("age in months", 48, 140)):
        numbers = rng.integers(low, high, N).astype(str).tolist()
        table = Table((column_of(name, numbers, kind=Kind.INTEGER), ill))
        found = propose(table, Audience("partner"))
        shown = prepare(table, found.plan).table[name].labels if name in found.plan.nsas else ()
        assert "85 and more" not in shown
        assert found.plan.roles[name] is not Role.SA
