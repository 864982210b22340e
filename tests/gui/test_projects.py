"""Choices survive: saved and opened again, kept every few seconds, and offered after a crash."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtWidgets import QDoubleSpinBox
from pytestqt.qtbot import QtBot

from splu_desktop.core import generalise as g
from splu_desktop.core.generalise import by_width
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.roles.suggest import Role
from splu_desktop.files.project.recovery import recoveries
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.classify.group_dialog import GroupDialog
from splu_desktop.gui.shell.main_window import MainWindow
from tests.draws import plain

Idle = Callable[[MainWindow], None]

# The offscreen plugin says so of every dialog; it concerns no real screen.
pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")


def _choose_much(window: MainWindow, idle: Idle) -> None:
    window.session.choose(
        replace(window.session.choices, thresholds=Thresholds(0.2, 0.02, 5, 0.4), draws=plain({"Diagnosis": 6})),
        "thresholds",
    )
    window.show_step(Step.CLASSIFY)
    window.classify_page.table.select_rows([2])
    dialog = window.classify_page.group_values()
    assert isinstance(dialog, GroupDialog)
    idle(window)
    dialog.way.setCurrentIndex(dialog.way.findData("width"))
    dialog.findChild(QDoubleSpinBox).setValue(3)
    idle(window)
    dialog.accept()


def test_a_project_brings_everything_back(opened: MainWindow, idle: Idle, tmp_path: Path) -> None:
    _choose_much(opened, idle)
    wanted = opened.session.choices
    assert wanted.steps("Age")
    assert opened.keeper.unsaved
    assert opened.keeper.save(tmp_path / "mine.splu")
    assert not opened.keeper.unsaved
    assert "flu" not in (tmp_path / "mine.splu").read_text(encoding="utf-8"), "a project holds choices, never data"
    opened.import_page.open_sample()
    idle(opened)
    opened.open_path(tmp_path / "mine.splu")
    idle(opened)
    assert opened.session.choices == wanted
    assert opened.session.fact("Age").distinct < 7
    assert not opened.import_page.banner.isVisible()


def test_a_changed_source_is_noticed(opened: MainWindow, idle: Idle, tmp_path: Path, small_csv: Path) -> None:
    opened.keeper.save(tmp_path / "mine.splu")
    small_csv.write_text(small_csv.read_text().replace("Ward", "Station"), encoding="utf-8")
    opened.open_path(tmp_path / "mine.splu")
    idle(opened)
    said = opened.import_page.banner.text.text()
    assert "has changed" in said
    assert "Ward" in said
    assert "Station" in said
    assert opened.session.choices.roles["Diagnosis"] is Role.SA


@pytest.mark.parametrize("content", [b"", b"not json", b'{"format": "splu-project", "version": 999}'])
def test_a_bad_project_is_told_in_one_sentence(opened: MainWindow, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.splu").write_bytes(content)
    before = opened.session.choices
    opened.open_path(tmp_path / "bad.splu")
    assert opened.import_page.banner.kind == "fault"
    assert "bad.splu" in opened.import_page.banner.text.text()
    assert opened.session.choices == before


def test_groups_are_one_step_of_undo(opened: MainWindow, idle: Idle) -> None:
    opened.show_step(Step.CLASSIFY)
    opened.classify_page.table.select_rows([2])
    dialog = opened.classify_page.group_values()
    idle(opened)
    dialog.way.setCurrentIndex(dialog.way.findData("width"))
    dialog.findChild(QDoubleSpinBox).setValue(3)
    idle(opened)
    column = opened.session.source.imported.table["Age"]
    assert dialog._trial.steps == dialog.inputs.read()(column)
    dialog.accept()
    assert opened.session.fact("Age").distinct < 7
    opened.session.undo_stack.undo()
    assert opened.session.fact("Age").distinct == 7
    opened.session.undo_stack.redo()
    assert opened.session.choices.steps("Age") == (by_width(column, opened.session.choices.steps("Age")[0].found[1]),)


def test_an_impossible_group_says_why_and_changes_nothing(opened: MainWindow, idle: Idle) -> None:
    opened.show_step(Step.CLASSIFY)
    opened.classify_page.table.select_rows([2])
    dialog = opened.classify_page.group_values()
    idle(opened)
    dialog.way.setCurrentIndex(dialog.way.findData("cuts"))
    idle(opened)
    assert not dialog.use.isEnabled()
    assert "cut point" in dialog.banner.text.text()
    dialog.reject()
    assert not opened.session.choices.generalisations


def test_a_well_ended_session_leaves_nothing_to_recover(opened: MainWindow, idle: Idle) -> None:
    opened.keeper.keep()
    idle(opened)
    opened.close()
    assert not recoveries()


_VICTIM = """
    import sys, time
    from dataclasses import replace
    from pathlib import Path
    from PySide6.QtWidgets import QApplication
    from splu_desktop.core import generalise as g
    from splu_desktop.core.plan import Thresholds
    from splu_desktop.core.roles.suggest import Role
    from splu_desktop.gui.shell import app
    from splu_desktop.gui.base.facts import facts_after

    application = QApplication([])
    app.prepare(application)
    window = app.make_window()
    window.show()
    window.import_page.open_file(Path(sys.argv[1]))
    while window.tasks.busy():
        application.processEvents()
    session = window.session
    session.set_roles({"Ward": Role.DROPPED, "Diagnosis": Role.SA}, "roles")
    steps = (g.Prefix(length=1), g.Rare(3, "Few"))
    column = session.source.column("Sex")
    made = g.column_after(column, steps)
    session.source.variants["Sex", steps] = made, facts_after(column, made)
    session.choose(replace(session.choices, generalisations={"Sex": steps}), "groups")
    alpha = 0
    while True:  # never at rest: every edit is followed by another
        alpha += 1
        session.choose(replace(session.choices, thresholds=Thresholds(alpha=alpha)), "alpha")
        print(alpha, time.monotonic(), flush=True)
        until = time.monotonic() + 0.1
        while time.monotonic() < until:
            application.processEvents()
            time.sleep(0.005)
"""


def test_a_program_killed_in_the_middle_of_editing_loses_no_more_than_five_seconds(
    window: MainWindow, qtbot: QtBot, idle: Idle, small_csv: Path
) -> None:
    script = textwrap.dedent(_VICTIM)
    victim = subprocess.Popen([sys.executable, "-c", script, str(small_csv)], stdout=subprocess.PIPE, env=os.environ)
    edits: list[tuple[int, float]] = []

    def waited() -> float:
        """A machine that let the program wait between two edits let its autosave wait as long."""
        return max((later - sooner for (_, sooner), (_, later) in pairwise(edits)), default=0.0)

    try:
        assert victim.stdout is not None
        while not edits or edits[-1][1] - edits[0][1] < 6.0 + waited():
            alpha, at = victim.stdout.readline().split()
            edits.append((int(alpha), float(at)))
    finally:
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        edits += [(int(line.split()[0]), float(line.split()[1])) for line in victim.stdout if line.endswith(b"\n")]
        victim.stdout.close()
    window.offer_recovery()
    assert "patients.csv" in window.import_page.banner.text.text()
    window.import_page.banner.act_button.click()
    qtbot.waitUntil(lambda: window.session.source is not None)
    idle(window)
    choices = window.session.choices
    assert choices.roles["Ward"] is Role.DROPPED
    assert choices.sensitive == ("Diagnosis",)
    assert choices.steps("Sex") == (g.Prefix(length=1), g.Rare(3, "Few"))
    old = [alpha for alpha, at in edits if at <= edits[-1][1] - 5.0 - waited()]
    assert choices.thresholds.alpha >= max(old)
    assert not recoveries(), "what was taken up is not offered again"
