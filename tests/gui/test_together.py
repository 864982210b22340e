"""The window draws columns together, says what that costs, and draws them one by one again."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt

from splu_desktop.core.draw import PlainGroups, Together
from splu_desktop.core.roles.suggest import Role
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.shell.main_window import MainWindow

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")
Idle = Callable[[MainWindow], None]


def test_together_and_one_by_one_again(opened: MainWindow, idle: Idle) -> None:
    session = opened.session
    nsas = [fact.name for fact in session.source.facts if session.choices.roles[fact.name] is Role.NSA]
    one, other = "Diagnosis", next(name for name in nsas if 2 <= session.column(name).m <= 30)
    session.set_roles({other: Role.SA}, "roles")
    opened.show_step(Step.PLAN)
    idle(opened)
    page = opened.plan_page
    page.column.setCurrentText(one)
    dialog = page.open_together()
    idle(opened)
    assert not dialog.use.isEnabled()
    dialog.choose([one, other])
    idle(opened)
    assert dialog.use.isEnabled()
    assert "is the person's own in" in dialog.costs.text()
    dialog.grab()
    dialog.accept()
    idle(opened)
    plan = session.choices.plan()
    assert all(isinstance(plan.draws[name], Together) for name in (one, other))
    assert "is drawn together with" in page.tolerant.sentences.text()
    assert page.primary.text() == "Continue with these groups"
    assert page.tolerant.offer.text() == "", "no joined draw keeps what columns drawn together promise"
    session.undo_stack.undo()
    assert isinstance(session.choices.draws[one], PlainGroups)
    session.undo_stack.redo()
    # A column that is no longer sensitive leaves the others one by one.
    session.set_roles({other: Role.NSA}, "roles")
    idle(opened)
    assert isinstance(session.choices.plan().draws[one], PlainGroups)
    session.undo_stack.undo()
    idle(opened)
    again = page.open_together()
    idle(opened)
    item = again.columns.findItems(other, Qt.MatchFlag.MatchExactly)[0]
    assert item.checkState() is Qt.CheckState.Checked
    again.apart()
    idle(opened)
    assert isinstance(session.choices.plan().draws[one], PlainGroups)
