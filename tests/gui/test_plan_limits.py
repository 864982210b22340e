"""Plan says which limits of "Who gets it?" are missed, as the gate on Publish says it: one source, before and after."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from splu_desktop.core.checks.gate import Light, Line
from splu_desktop.core.draw.by_person import ByPerson
from splu_desktop.core.draw.ways import by_tolerances
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.guarantees.audience import Audience
from splu_desktop.core.roles.suggest import Role
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.base.words import told
from splu_desktop.gui.plan import said_ahead
from splu_desktop.gui.shell.main_window import MainWindow

Idle = Callable[[MainWindow], None]
pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")


def choose(window: MainWindow, **changes: object) -> None:
    assert window.session.choices is not None
    window.session.choose(replace(window.session.choices, **changes), "a test")  # type: ignore[arg-type]


def on_plan(window: MainWindow, idle: Idle) -> set[Line]:
    """Return what Plan says is missed, having asked that its words are on the page."""
    window.show_step(Step.PLAN)
    idle(window)
    note = window.plan_page.limits
    lines = set() if note.found is None else set(note.found.lines)
    assert note.isVisible() == bool(lines)
    if len(lines) > 1:
        note.more.click()
    for line in lines:
        assert told(line.sentence) in note.text.text()
    return lines


def on_publish(window: MainWindow, idle: Idle) -> set[Line]:
    """Return what the gate says of the limits."""
    window.show_step(Step.PUBLISH)
    idle(window)
    amber = {line for line in window.publish_page.gate.lines if line.light is Light.AMBER}
    always = ("certainty", "small-classes")
    return {line for line in amber if line.name in always or (line.name == "unique-records" and line.grave)}


@pytest.mark.parametrize("gamma", [2, 3, 5])
@pytest.mark.parametrize("who", ["colleague", "partner", "public"])
def test_plan_says_of_the_limits_what_the_gate_says(opened: MainWindow, idle: Idle, who: str, gamma: int) -> None:
    choose(opened, audience=Audience(who))
    opened.show_step(Step.PLAN)
    opened.plan_page.gamma.slider.setValue(gamma)
    said = on_plan(opened, idle)
    assert said == on_publish(opened, idle)
    assert ("certainty" in {line.name for line in said}) == (1 / gamma > Audience(who).limits.certainty)


def test_so_do_joined_columns_columns_with_own_tolerances_and_columns_drawn_from_one_record_per_person(
    window: MainWindow, tmp_path: Path, idle: Idle
) -> None:
    """The first records of 300 persons have other values than the second: at random, each choice has other counts."""
    rows = [
        f"P{who:04},{who % 40},{'yes' if visit or who % 2 else 'no'},{'abcd'[who % 4 if visit else who % 7 % 4]}"
        for who in range(300)
        for visit in range(2)
    ]
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(["Person,Age,Smoker,Finding", *rows]) + "\n", encoding="utf-8")
    window.import_page.open_file(path)
    idle(window)
    session = window.session
    roles = {"Person": Role.IDENTIFIER, "Age": Role.NSA, "Smoker": Role.SA, "Finding": Role.SA}
    session.set_roles(roles, "roles")
    choose(window, audience=Audience("public"))
    column = session.column("Finding")
    limits = Tolerances({str(label): Fraction(1, 3) for label in column.labels})
    assert session.choices is not None
    own = by_tolerances(column, limits, "joined")
    for persons in (
        None,
        ByPerson("Person", "first"),
        ByPerson("Person", "random"),
        ByPerson("Person", "draw"),
        ByPerson("Person", "record", reason="a test"),
    ):
        choose(window, persons=persons, draws={**session.choices.draws, "Finding": own})
        said = on_plan(window, idle)
        assert {line.column for line in said} >= {"Smoker", "Finding"}, persons
        assert said == on_publish(window, idle), persons
        assert not window.plan_page.limits.way.isVisible(), "no group size changes what was given by value"


def test_what_gives_a_column_away_is_told_of_the_records_that_are_published(
    window: MainWindow, tmp_path: Path, idle: Idle
) -> None:
    """The ward tells the finding of the first record of each of 300 persons, and of some of the others."""
    rows = [
        f"P{who:04},{'wxyz'[(who + visit * (who % 3)) % 4]},{'abcd'[who % 4]}" for who in range(300) for visit in (0, 1)
    ]
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(["Person,Ward,Finding", *rows]) + "\n", encoding="utf-8")
    window.import_page.open_file(path)
    idle(window)
    window.session.set_roles({"Person": Role.IDENTIFIER, "Ward": Role.NSA, "Finding": Role.SA}, "roles")
    told_of = set()
    for way in ("first", "last", "random", "draw"):
        choose(window, persons=ByPerson("Person", way))
        window.show_step(Step.PLAN)
        idle(window)
        said = [each.sentence for each in window.plan_page.giveaway.found]
        window.show_step(Step.PUBLISH)
        idle(window)
        amber = [line for line in window.publish_page.gate.lines if line.light is Light.AMBER]
        assert said == [line.sentence for line in amber if line.name == "giveaway"], way
        told_of.add(tuple(said))
    assert len(told_of) >= 2, "else nothing was told apart"


def test_a_group_size_that_keeps_the_limit_is_one_click_away(opened: MainWindow, idle: Idle) -> None:
    choose(opened, audience=Audience("public"))
    opened.show_step(Step.PLAN)
    page = opened.plan_page
    page.gamma.slider.setValue(2)
    assert on_plan(opened, idle)
    page.limits.way.click()
    idle(opened)
    assert page.gamma.value() == 5, "1 in 5 is the limit"
    assert not page.limits.isVisible()
    assert not on_publish(opened, idle)
    opened.session.undo_stack.undo()
    assert on_plan(opened, idle)


def test_nothing_is_offered_where_no_group_size_keeps_the_limit(opened: MainWindow, idle: Idle) -> None:
    """Half of the persons are of one sex: whoever names it is right more often than 1 in 5 already."""
    opened.session.set_roles({"Sex": Role.SA}, "marked")
    choose(opened, audience=Audience("public"))
    said = on_plan(opened, idle)
    assert [line.column for line in said if line.name == "certainty"] == ["Sex"]
    assert not opened.plan_page.limits.way.isVisible()


def test_it_is_silent_where_nobody_was_asked_who_gets_it(opened: MainWindow, idle: Idle) -> None:
    opened.show_step(Step.PLAN)
    opened.plan_page.gamma.slider.setValue(2)
    assert not on_plan(opened, idle)
    choose(opened, audience=Audience("public"))
    assert on_plan(opened, idle)
    choose(opened, audience=None)
    idle(opened)
    assert not opened.plan_page.limits.isVisible()


def test_records_are_counted_in_a_worker_and_once_for_all_group_sizes(
    opened: MainWindow, idle: Idle, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted, looked = [], []
    sizes, found = said_ahead.class_sizes, said_ahead.missed
    monkeypatch.setattr(said_ahead, "class_sizes", lambda *a: counted.append(a) or sizes(*a))
    monkeypatch.setattr(said_ahead, "missed", lambda *a: looked.append(threading.current_thread()) or found(*a))
    choose(opened, audience=Audience("public"))
    for gamma in (2, 3, 4):
        opened.show_step(Step.PLAN)
        opened.plan_page.gamma.slider.setValue(gamma)
        idle(opened)
    assert len(looked) >= 3
    assert threading.main_thread() not in looked
    assert len(counted) == 1
    opened.session.set_roles({"Age": Role.DROPPED}, "left out")
    idle(opened)
    assert len(counted) == 2
