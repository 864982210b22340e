"""The session: one undo stack with named steps, and what belongs to a plan comes back with it."""

from __future__ import annotations

from dataclasses import replace

from splu_desktop.core.resources import sample_path
from splu_desktop.core.roles import Role
from splu_desktop.gui.base.session import State, Step
from splu_desktop.gui.shell.main_window import MainWindow
from tests.gui.conftest import Idle


def test_undo_names_its_step_and_brings_the_plan_with_its_verdict_back(proposed: MainWindow, idle: Idle) -> None:
    session = proposed.session
    before, verdict = session.plan, session.verdict
    assert before is not None
    assert verdict is not None
    session.change_plan(before.with_gamma(9), "strength 9")
    assert session.plan != before
    assert session.undo_name == "strength 9"
    assert "strength 9" in proposed.undo_action.text()
    idle(proposed)
    assert session.verdict is not None
    session.undo()
    assert session.plan == before
    assert session.verdict is verdict
    assert session.redo_name == "strength 9"


def test_drag_of_the_slider_is_one_step(proposed: MainWindow) -> None:
    session, before = proposed.session, proposed.session.plan
    assert before is not None
    for gamma in (6, 7, 8, 9):
        session.change_plan(before.with_gamma(gamma), f"strength {gamma}", merge="gamma")
    assert session.undo_name == "strength 9"
    session.undo()
    assert session.plan == before


def test_changed_answers_make_the_proposal_out_of_date_until_undone(proposed: MainWindow) -> None:
    session = proposed.session
    assert not session.has_new_answers
    session.answer(replace(session.answers, row_word="a visit"), "what a row is")
    assert session.state(Step.PROPOSAL) is State.STALE
    session.undo()
    assert session.state(Step.PROPOSAL) is not State.STALE


def test_an_accepted_line_holds_only_for_what_it_said(proposed: MainWindow, idle: Idle) -> None:
    session = proposed.session
    assert session.source is not None
    assert session.plan is not None
    session.change_plan(replace(session.plan, persons=None), "rows")
    idle(proposed)
    assert session.verdict is not None
    line = session.verdict.open[0].name
    session.accept(line, "the board has agreed")
    assert session.reasons == {line: "the board has agreed"}
    session.undo()
    assert line not in session.reasons


def test_another_file_drops_what_belonged_to_the_first(proposed: MainWindow, idle: Idle) -> None:
    proposed.open_path(sample_path())
    idle(proposed)
    assert proposed.session.plan is None
    assert proposed.session.undo_name == ""
    assert proposed.session.state(Step.PROPOSAL) is State.BLOCKED


def test_a_file_opened_again_offers_its_answers_and_plan(proposed: MainWindow, idle: Idle) -> None:
    session = proposed.session
    assert session.source is not None
    path = session.source.path
    assert session.plan is not None
    session.change_plan(session.plan.with_role("Ward", Role.DROPPED), "ward out")
    answers, plan = session.answers, session.plan
    proposed.open_path(sample_path())
    idle(proposed)
    assert session.answers != answers
    proposed.open_path(path)
    idle(proposed)
    assert (session.answers, session.plan) == (answers, plan)
    assert proposed.page(Step.OPEN).banner.isVisible()
