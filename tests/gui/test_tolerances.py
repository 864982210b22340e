"""A skewed column becomes sensitive by a tolerance per value, and is published, queried and undone in the window."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from splu_desktop.core.roles import Role
from splu_desktop.core.tolerance_rules import Sensitivity
from splu_desktop.gui.main_window import MainWindow
from splu_desktop.gui.session import State, Step
from splu_desktop.gui.tolerance_dialog import ToleranceDialog
from tests.gui.conftest import PATIENCE

Idle = Callable[[MainWindow], None]

# The offscreen plugin says so of every dialog; it concerns no real screen.
pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")


@pytest.fixture
def dialog(window: MainWindow, qtbot: QtBot, idle: Idle, tmp_path: Path) -> ToleranceDialog:
    lines = ["Age,Result"]
    results = ["negative"] * 820 + ["borderline"] * 120 + ["positive"] * 60
    lines += [f"{20 + i % 50},{result}" for i, result in enumerate(results)]
    path = tmp_path / "results.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    window.import_page.open_file(path)
    idle(window)
    window.session.set_roles({"Age": Role.NSA, "Result": Role.SA}, "roles")
    window.show_step(Step.CLASSIFY)
    idle(window)
    remedies = window.classify_page.remedies
    qtbot.waitUntil(remedies.isVisible, timeout=PATIENCE)
    button = next(b for b in remedies.findChildren(QPushButton) if "tolerance" in b.text())
    button.click()
    found = remedies.findChildren(ToleranceDialog)
    assert len(found) == 1
    idle(window)
    return found[0]


def test_from_an_impossible_column_to_an_answer(
    dialog: ToleranceDialog, window: MainWindow, idle: Idle, tmp_path: Path
) -> None:
    assert dialog.use.isEnabled(), dialog.banner.text.text()
    assert window.session.state(Step.PLAN) is State.BLOCKED
    dialog.accept()
    grouping = window.session.choices.groupings["Result"]
    assert grouping.tolerances.limits["negative"] >= Fraction(82, 100)
    assert grouping.tolerances.limits["positive"] == Sensitivity.HIGH.tolerance
    assert window.session.state(Step.PLAN) is State.OPEN
    window.show_step(Step.PLAN)
    page = window.plan_page
    assert page.tolerant.isVisible()
    assert not page.plots.isVisible()
    assert "10 %" in page.tolerant.sentences.text()
    page.act()
    window.publish_page.set_target(tmp_path / "release")
    idle(window)
    window.publish_page.gate.accept_all()
    window.publish_page.act()
    idle(window)
    assert window.session.state(Step.PUBLISH) is State.DONE, window.publish_page.banner.text.text()
    window.show_step(Step.QUERY)
    idle(window)
    assert window.session.release is not None
    assert window.session.release.published.n == 1000
    window.session.undo_stack.undo()
    assert window.session.state(Step.PLAN) is State.BLOCKED
    assert window.session.release is None
    window.session.undo_stack.redo()
    assert window.session.release is not None


def test_an_impossible_tolerance_says_why_and_what_is_possible(
    dialog: ToleranceDialog, window: MainWindow, idle: Idle
) -> None:
    row = next(
        i for i in range(dialog.table.model().rowCount()) if dialog.table.model().index(i, 0).data() == "negative"
    )
    dialog.table.select_rows([row])
    dialog.class_buttons[Sensitivity.LOW].click()
    idle(window)
    assert not dialog.use.isEnabled()
    assert "82" in dialog.banner.text.text()
    dialog.banner.act_button.click()
    idle(window)
    assert dialog.use.isEnabled()
    dialog.reject()
    assert not window.session.choices.groupings
