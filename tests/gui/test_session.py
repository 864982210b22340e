"""Choices: every change is one step of undo, and fits the table."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from splu_desktop.core.plan import Thresholds
from splu_desktop.core.roles import Role
from splu_desktop.gui.main_window import MainWindow
from splu_desktop.gui.session import State, Step

Idle = Callable[[MainWindow], None]


def test_fifty_steps_undone_and_redone(opened: MainWindow) -> None:
    session, rng = opened.session, random.Random(20261121)
    states = [session.choices]
    names = list(session.choices.roles)
    while len(states) <= 50:
        kind = rng.randrange(3)
        if kind == 0:
            name = rng.choice(names)
            session.set_roles({name: rng.choice(list(Role))}, "role")
        elif kind == 1 and session.choices.sensitive:
            name = rng.choice(session.choices.sensitive)
            session.choose(
                replace(session.choices, gammas={**session.choices.gammas, name: rng.randint(2, 9)}), "gamma"
            )
        else:
            session.choose(replace(session.choices, thresholds=Thresholds(alpha=rng.randint(1, 30))), "alpha")
        if session.choices != states[-1]:
            states.append(session.choices)
    for expected in reversed(states[:-1]):
        session.undo_stack.undo()
        assert session.choices == expected
    assert not session.undo_stack.canUndo()
    for expected in states[1:]:
        session.undo_stack.redo()
        assert session.choices == expected


def test_a_drag_of_the_slider_is_one_step(opened: MainWindow) -> None:
    opened.show_step(Step.PLAN)
    before = opened.session.choices.gammas["Diagnosis"]
    for gamma in (2, 3, 4, 6):
        opened.plan_page.gamma.slider.setValue(gamma)
    assert opened.session.choices.gammas["Diagnosis"] == 6
    opened.session.undo_stack.undo()
    assert opened.session.choices.gammas["Diagnosis"] == before
    assert opened.plan_page.gamma.value() == before


def test_steps_unlock_as_their_inputs_exist(window: MainWindow, small_csv: Path, idle: Idle) -> None:
    states = [window.session.state(step) for step in Step]
    assert states == [State.OPEN] + [State.BLOCKED] * 5
    window.import_page.open_file(small_csv)
    idle(window)
    roles = dict.fromkeys(window.session.choices.roles, Role.NSA)
    window.session.set_roles(roles, "roles")
    assert [window.session.state(step) for step in Step] == [State.DONE, State.OPEN] + [State.BLOCKED] * 4
    window.session.set_roles({"Diagnosis": Role.SA}, "sensitive")
    states = [window.session.state(step) for step in Step]
    assert states == [State.DONE] + [State.OPEN] * 3 + [State.BLOCKED] * 2


def test_gamma_stays_within_what_each_column_allows(opened: MainWindow) -> None:
    session = opened.session
    session.set_roles({"Sex": Role.SA}, "two")
    # Sex has two values of 300 records each, so 2 is the largest gamma, for both columns while they go together.
    assert session.choices.gammas == {"Sex": 2, "Diagnosis": 2}
    session.choose(replace(session.choices, together=False), "apart")
    session.choose(replace(session.choices, gammas={"Sex": 40, "Diagnosis": 40}), "gamma")
    assert session.choices.gammas == {"Sex": 2, "Diagnosis": 6}  # 600 records, the most frequent value in 90
