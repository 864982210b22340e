"""Choices: every change is one step of undo, and fits the table."""

from __future__ import annotations

import gc
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from PySide6.QtWidgets import QApplication

from benchmarks.long_use import make_table, one_round, wait
from splu_desktop.core import generalise as g
from splu_desktop.core.checks.gate import Light
from splu_desktop.core.draw import DecoyGroups
from splu_desktop.core.draw.ways import by_gamma
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.roles.suggest import Role
from splu_desktop.gui.base.facts import facts_after
from splu_desktop.gui.base.session import State, Step
from splu_desktop.gui.shell.main_window import MainWindow
from tests.draws import plain

Idle = Callable[[MainWindow], None]


def _steps(rng: random.Random, name: str) -> g.Steps:
    if name == "Age":
        return rng.choice(((g.by_cuts([22, 24]),), (g.by_cuts([23]), g.Rare(5)), (g.Prefix(length=1),)))
    return rng.choice(
        (
            (g.Rare(rng.randint(2, 90)),),
            (g.Prefix(length=1), g.Rare(9, "Few")),
            (g.Groups.of({"one": ["flu", "A"], "two": ["gout", "B", "f"]}, rng.choice([None, "rest"])),),
            (g.OneMissing("?"),),
        )
    )


def _said(window: MainWindow) -> tuple[object, ...]:
    """Return what is decided, and the columns and their figures that follow from it."""
    session = window.session
    names = list(session.choices.roles)
    columns = tuple(tuple(session.column(name).labels) for name in names)
    return session.choices, columns, tuple(session.fact(name).largest_gamma for name in names)


def test_fifty_steps_undone_and_redone(opened: MainWindow) -> None:
    session, rng = opened.session, random.Random(20261121)
    states = [session.choices]
    whole = [_said(opened)]
    names = list(session.choices.roles)
    kinds = set()
    while len(states) <= 50:
        kind = rng.randrange(7)
        if kind == 0:
            name = rng.choice(names)
            session.set_roles({name: rng.choice(list(Role))}, "role")
        elif kind == 1 and session.choices.sensitive:
            name = rng.choice(session.choices.sensitive)
            session.choose(
                replace(session.choices, draws={**session.choices.draws, **plain({name: rng.randint(2, 9)})}), "gamma"
            )
        elif kind == 2:
            name = rng.choice(names[1:])
            steps = _steps(rng, name)
            column = session.source.column(name)
            made = g.column_after(column, steps)
            session.source.variants[name, steps] = made, facts_after(column, made)
            session.choose(replace(session.choices, generalisations={name: steps}), "groups")
        elif kind == 3:
            session.choose(replace(session.choices, kept={"Record number": f"reason {rng.randrange(9)}"}), "reason")
        elif kind == 4:
            session.choose(replace(session.choices, together=not session.choices.together), "together")
        elif kind == 5 and session.choices.roles["Diagnosis"] is Role.SA:
            limits = dict.fromkeys(session.column("Diagnosis").labels, Fraction(1, rng.randint(2, 5)))
            grouping = DecoyGroups((6,), (Fraction(1),), Tolerances(limits))
            session.choose(
                replace(session.choices, draws={**session.choices.draws, "Diagnosis": grouping}), "tolerances"
            )
        else:
            session.choose(replace(session.choices, thresholds=Thresholds(alpha=rng.randint(1, 30))), "alpha")
        if session.choices != states[-1]:
            states.append(session.choices)
            whole.append(_said(opened))
            kinds.add(kind)
    assert kinds == set(range(7))
    for expected in reversed(states[:-1]):
        session.undo_stack.undo()
        assert session.choices == expected
    assert not session.undo_stack.canUndo()
    assert _said(opened) == whole[0]
    for expected, all_of_it in zip(states[1:], whole[1:], strict=True):
        session.undo_stack.redo()
        assert session.choices == expected
        assert _said(opened) == all_of_it


def test_a_drag_of_the_slider_is_one_step(opened: MainWindow) -> None:
    opened.show_step(Step.PLAN)
    before = opened.session.choices.draws["Diagnosis"]
    for gamma in (2, 3, 4, 6):
        opened.plan_page.gamma.slider.setValue(gamma)
    assert opened.session.choices.draws["Diagnosis"].gamma == 6
    opened.session.undo_stack.undo()
    assert opened.session.choices.draws["Diagnosis"] == before
    assert opened.plan_page.gamma.value() == before.gamma
    for gamma in (before.gamma + 1, before.gamma + 2, before.gamma):
        opened.plan_page.gamma.slider.setValue(gamma)
    assert not opened.session.undo_stack.canUndo(), "a drag back to where it began"
    assert not opened.session.undo_stack.canRedo()
    assert opened.session.choices.draws["Diagnosis"] == before


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


def test_each_column_keeps_the_gamma_that_is_asked_for(opened: MainWindow) -> None:
    """As `splu plan` draws it: a column too frequent a value for groups of that size keeps the promise otherwise."""
    session = opened.session
    session.set_roles({"Sex": Role.SA}, "two")  # two values of 300 records each: groups of 2 at most
    for together, gammas in ((True, {"Sex": 40, "Diagnosis": 40}), (False, {"Sex": 40, "Diagnosis": 3})):
        session.choose(replace(session.choices, together=together, draws=plain(gammas)), "gamma")
        assert session.choices.draws == {name: by_gamma(session.column(name), own) for name, own in gammas.items()}


def test_a_round_leaves_nothing_of_ours(window: MainWindow, qapp: QApplication, tmp_path: Path) -> None:
    """What was opened, decided, asked and shown of one table ends with it, over the whole way to the next one."""
    path = make_table(tmp_path / "patients.csv", 60)

    def there_after(round_: int) -> Counter[str]:
        one_round(qapp, window, path, tmp_path / f"release {round_}")
        window.keeper.keep()  # of its own accord every 2 s: what it holds does not depend on the time
        wait(qapp, window)
        gc.collect()
        kinds = (type(each) for each in gc.get_objects())
        return Counter(kind.__qualname__ for kind in kinds if str(kind.__module__).startswith("splu_desktop"))

    there_after(1)  # makes what is made once
    before = there_after(2)
    assert before["Choices"]
    assert before["Said"]
    assert there_after(3) - before == Counter({"Entry": 1})  # what the register has one more of
    window.show_step(Step.IMPORT)
    window.import_page.open_file(path)
    wait(qapp, window)
    window.session.set_roles({"Sex": Role.NSA, "Record number": Role.IDENTIFIER, "Diagnosis": Role.SA}, "roles")
    window.show_step(Step.PUBLISH)
    wait(qapp, window)
    gate = window.publish_page.gate
    assert [line for line in gate.lines if line.light is Light.AMBER]
    assert not gate.accepted(), "what was accepted of another table"
