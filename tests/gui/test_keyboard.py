"""The whole way by keys alone: from a file on the disk to the saved PDF of the report."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from splu_desktop.core.resources import sample_path
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.shell.main_window import MainWindow
from tests.gui.conftest import Idle

MOST_PRESSES, MOST_DECISIONS = 30, 10


class Keys:
    """Presses keys where the focus is, and counts them."""

    def __init__(self, window: MainWindow, idle: Idle) -> None:
        self.window, self.idle, self.presses, self.decisions = window, idle, 0, 0

    def press(self, key: Qt.Key, with_control: bool = False) -> None:
        self.presses += 1
        at = QApplication.focusWidget() or self.window
        modifier = Qt.KeyboardModifier.ControlModifier if with_control else Qt.KeyboardModifier.NoModifier
        QTest.keyClick(at, key, modifier)
        self.rest()

    def rest(self) -> None:
        for _ in range(3):
            self.idle(self.window)
            QApplication.processEvents()

    def go_on(self) -> None:
        """Press the primary button from wherever the focus is; where it is grey, do what it waits for."""
        page = self.window.page(self.window.step)
        for _ in range(8):
            ready = page.primary.isEnabled()
            self.decisions += 1
            self.press(Qt.Key.Key_Return, with_control=True)
            if ready:
                return
            self.press(Qt.Key.Key_Space)
        raise AssertionError(page.note.text())


def test_from_the_sample_to_the_saved_report_in_thirty_presses_and_ten_decisions(
    window: MainWindow, idle: Idle, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys, report = Keys(window, idle), tmp_path / "report.pdf"
    # Both dialogs are the system's: a path typed and Enter, which is counted.
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(sample_path()), ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(report), ""))
    keys.press(Qt.Key.Key_O, with_control=True)
    for step in (Step.OPEN, Step.QUESTIONS, Step.PROPOSAL, Step.PUBLISH):
        assert window.step is step
        keys.go_on()
    release = window.session.release
    assert release is not None
    keys.press(Qt.Key.Key_6, with_control=True)
    assert window.step is Step.REPORT
    qtbot.waitUntil(window.page(Step.REPORT).primary.isEnabled)
    keys.go_on()
    assert report.read_bytes().startswith(b"%PDF")
    assert keys.presses + 2 <= MOST_PRESSES
    assert keys.decisions + 1 <= MOST_DECISIONS  # which file was one, too
