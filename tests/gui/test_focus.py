"""The focus is never lost to the rail: after work it is where one goes on, and Ctrl+Enter goes on from anywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from splu_desktop.gui.base.session import Step
from splu_desktop.gui.shell.main_window import MainWindow

Idle = Callable[[MainWindow], None]


def on_page(window: MainWindow) -> bool:
    QApplication.processEvents()
    focus = QApplication.focusWidget()
    return focus is not None and window.pages[window.step].isAncestorOf(focus) and focus.isVisible()


def test_the_focus_stays_on_the_page_from_file_to_plan(
    window: MainWindow, small_csv: Path, idle: Idle, qtbot: QtBot
) -> None:
    window.show()
    window.activateWindow()
    window.import_page.open_button.setFocus()
    job = window.import_page.open_file(small_csv)
    qtbot.waitUntil(lambda: on_page(window))
    assert job is not None
    idle(window)
    qtbot.waitUntil(window.import_page.primary.hasFocus)
    for step in (Step.CLASSIFY, Step.PLAN):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        idle(window)
        assert window.step is step
        assert on_page(window)


def test_ctrl_enter_goes_on_wherever_the_focus_is(
    window: MainWindow, small_csv: Path, idle: Idle, qtbot: QtBot
) -> None:
    window.show()
    window.import_page.open_file(small_csv)
    idle(window)
    rail = window.rail.buttons[Step.IMPORT]
    rail.setFocus()
    qtbot.keyClick(rail, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert window.step is Step.CLASSIFY


def test_who_moves_along_the_rail_stays_there(window: MainWindow, small_csv: Path, idle: Idle) -> None:
    window.show()
    window.import_page.open_file(small_csv)
    idle(window)
    rail = window.rail.buttons[Step.CLASSIFY]
    rail.setFocus()
    rail.click()
    assert window.step is Step.CLASSIFY
    QApplication.processEvents()
    assert rail.hasFocus()
