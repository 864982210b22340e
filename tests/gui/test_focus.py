"""The focus is never lost to the rail: after work it is where one goes on, and Ctrl+Enter goes on from anywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFileDialog,
    QInputDialog,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QTabWidget,
)
from pytestqt.qtbot import QtBot

from splu_desktop.gui.base.session import Step
from splu_desktop.gui.shell.main_window import MainWindow

pytestmark = pytest.mark.qt_log_ignore("does not support")
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


def _lost(window: MainWindow) -> str:
    """Return what is wrong with where the focus is, "" if nothing: it must be seen, on the page or in the dialog."""
    QApplication.processEvents()
    QApplication.processEvents()
    focus, room = QApplication.focusWidget(), QApplication.activeModalWidget() or window.pages[window.step]
    if focus is None:
        return "nowhere"
    told = f"{type(focus).__name__} {focus.accessibleName() or getattr(focus, 'text', str)()}"
    if not focus.isVisible() or not focus.isEnabled() or focus.visibleRegion().isEmpty():
        return f"unseen: {told}"
    return "" if room.isAncestorOf(focus) else f"elsewhere: {told}"


def _name(made: QAbstractButton) -> str:
    return f"{type(made).__name__} {made.accessibleName() or made.text()}"


@pytest.fixture
def nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system's own dialogs and questions be given up at once."""
    for kind, names in (
        (QFileDialog, ("getOpenFileName", "getExistingDirectory", "getSaveFileName")),
        (QInputDialog, ("getText",)),
    ):
        for name in names:
            empty = "" if name == "getExistingDirectory" else ("", "")
            monkeypatch.setattr(kind, name, lambda *_, found=empty, **__: found)
    for module in ("base.widgets", "importing.page", "query.page"):
        monkeypatch.setattr(f"splu_desktop.gui.{module}.asked_file", lambda *_, **__: None)
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda *_: True)
    monkeypatch.setattr("PySide6.QtWidgets.QDialog.exec", lambda _: 0)
    monkeypatch.setattr(QMessageBox, "question", lambda *_, **__: QMessageBox.StandardButton.No)


def test_after_each_button_the_focus_is_where_one_goes_on(
    opened: MainWindow, idle: Idle, tmp_path: Path, qtbot: QtBot, nobody_answers: None
) -> None:
    """Every button of every page and tab is pressed by key, and each dialog that it opens is left by Esc."""
    window, wrong, pressed = opened, list[str](), set[str]()
    window.activateWindow()

    def press_all(where: str) -> None:
        step = window.step
        while True:
            idle(window)
            QApplication.processEvents()
            page = window.pages[step]
            left = [
                made
                for made in page.findChildren(QAbstractButton)
                if made.isVisible()
                and made.isEnabled()
                and made.focusPolicy() & Qt.FocusPolicy.TabFocus
                and made is not page.primary
                and not (isinstance(made, QPushButton) and made.menu() is not None)
                and f"{where}: {_name(made)}" not in pressed
            ]
            if not left:
                return
            made, name = left[0], f"{where}: {_name(left[0])}"
            pressed.add(name)
            window.activateWindow()
            made.setFocus()
            for room in page.findChildren(QScrollArea):  # as Tab does
                if room.isAncestorOf(made):
                    room.ensureWidgetVisible(made)
            qtbot.keyClick(made, Qt.Key.Key_Space)
            idle(window)
            if lost := _lost(window):
                wrong.append(f"{name} -> {lost}")
            for _ in range(3):  # a menu, what it opened, and what that asks
                dialog = QApplication.activePopupWidget() or QApplication.activeModalWidget()
                if dialog is None:
                    break
                qtbot.keyClick(QApplication.focusWidget() or dialog, Qt.Key.Key_Escape)
                idle(window)
                if QApplication.activeModalWidget() is None:
                    window.activateWindow()  # as a window manager does
                if lost := _lost(window):
                    wrong.append(f"{name}, left by Esc -> {lost}")
            if (dialog := QApplication.activeModalWidget()) is not None:
                wrong.append(f"{name}: Esc leaves it open")
                dialog.close()
            window.show_step(step)

    def press_page(step: Step) -> None:
        window.show_step(step)
        idle(window)
        rooms = [tabs for tabs in window.pages[step].findChildren(QTabWidget) if tabs.isVisible()]
        press_all(step.name)
        for tabs in rooms:
            for at in range(tabs.count()):
                if tabs.isTabVisible(at):
                    tabs.setCurrentIndex(at)
                    press_all(f"{step.name}, {tabs.tabText(at)}")

    choices = window.session.choices
    assert choices is not None
    for step in (Step.IMPORT, Step.CLASSIFY, Step.PLAN, Step.PUBLISH):
        press_page(step)
        window.session.choose(choices, "as it was")
    for step, then in ((Step.IMPORT, Step.CLASSIFY), (Step.CLASSIFY, Step.PLAN), (Step.PLAN, Step.PUBLISH)):
        window.show_step(step)
        idle(window)
        primary = window.pages[step].primary
        primary.setFocus()
        qtbot.keyClick(primary, Qt.Key.Key_Space)
        qtbot.waitUntil(lambda then=then: window.step is then)
        idle(window)
        if lost := _lost(window):
            wrong.append(f"{step.name} goes on -> {lost}")
    page = window.publish_page
    page.set_target(tmp_path / "release")
    idle(window)
    page.gate.accept_all()
    qtbot.waitUntil(page.primary.isEnabled)
    page.primary.setFocus()
    qtbot.keyClick(page.primary, Qt.Key.Key_Space)
    idle(window)
    if lost := _lost(window):
        wrong.append(f"published -> {lost}")
    for step in (Step.PUBLISH, Step.QUERY, Step.REPORT):
        press_page(step)
    assert len(pressed) > 40
    assert not wrong, "\n".join(wrong)
