"""Every dialog's controls have a name for screen readers; it is walked by Tab, Enter and Escape."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTabWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from splu_desktop.core.roles.suggest import Role
from splu_desktop.gui.base.reason_dialog import ReasonDialog
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.base.widgets import Dialog
from splu_desktop.gui.classify.group_dialog import GroupDialog
from splu_desktop.gui.shell.main_window import MainWindow
from tests.gui.test_stops import _stops, _wrong

Idle = Callable[[MainWindow], None]
KINDS = (QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit)

# The offscreen plugin says so of every dialog; it concerns no real screen.
pytestmark = pytest.mark.qt_log_ignore("does not support")


def _check(dialog: QDialog) -> None:
    assert dialog.windowTitle()
    for kind in KINDS:
        for widget in dialog.findChildren(kind):
            owner = widget.parent()
            part = isinstance(owner, (QAbstractSpinBox, QComboBox, QAbstractItemView, QLineEdit, QTabBar, QHeaderView))
            if part or not widget.isVisible() or isinstance(widget, QHeaderView) or _of_a_popup(widget):
                continue
            text = widget.text() if isinstance(widget, QAbstractButton) else ""
            assert text or widget.accessibleName(), f"{type(dialog).__name__}: a {type(widget).__name__} has no name"
            if widget.isEnabled():
                assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus, widget.accessibleName()


def _of_a_popup(widget: QWidget) -> bool:
    while widget is not None:
        if type(widget).__name__ in ("QComboBoxPrivateContainer", "QCalendarPopup", "QCalendarWidget"):
            return True
        widget = widget.parentWidget()
    return False


def _dialogs(window: MainWindow, idle: Idle, folder: Path) -> Iterator[tuple[str, Dialog | None]]:
    """Yield each dialog as its page opens it, and each of its ways."""
    yield "reading", window.import_page.change_reading()
    window.show_step(Step.CLASSIFY)
    yield "who gets it", window.classify_page.ask_audience()
    yield "make it safe", window.classify_page.make_it_safe()
    for name in ("Age", "Ward"):
        at, ways = 0, 1
        while at < ways:
            dialog = GroupDialog(name, window.session, window.tasks, window)
            dialog.open()
            idle(window)
            ways = dialog.way.count()
            dialog.way.setCurrentIndex(at)
            yield f"groups of {name}: {dialog.way.currentText()}", dialog
            at += 1
    reason = ReasonDialog.of_columns(["Record number"], ["names each record"], window)
    reason.open()
    yield "reason", reason
    window.session.set_roles({"Ward": Role.SA}, "two")
    window.show_step(Step.PLAN)
    idle(window)
    for open_it in ("open_tolerances", "open_must", "open_together", "open_beside"):
        yield open_it, getattr(window.plan_page, open_it)()
    window.show_step(Step.PUBLISH)
    page, query = window.publish_page, window.query_page
    page.set_target(folder / "release")
    idle(window)
    page.gate.accept_all()
    yield "trial", page.try_sample()
    page.act()
    idle(window)
    yield "hand over", page.hand_over()
    shelf = page.show_releases()
    yield "releases", shelf
    shelf = page.show_releases()
    yield "acknowledge", shelf.acknowledge()
    shelf.reject()
    window.show_step(Step.QUERY)
    query.tabs.setCurrentWidget(query.analyses)
    query.analyses.form.first.ask()
    yield "conditions", query.analyses.form.first.findChild(Dialog)
    yield "guide", window.show_guide()
    yield "licences", window.show_licences()


def _spoken(made: QWidget) -> str:
    return f"{type(made).__name__} {made.accessibleName() or getattr(made, 'text', str)()}"


def _walked(dialog: Dialog, settle: Callable[[], None], qtbot: QtBot) -> Iterator[str]:
    """Yield what is wrong with a dialog's stops of Tab, and with what Enter presses there."""
    dialog.activateWindow()
    QApplication.processEvents()
    if not dialog.isAncestorOf(QApplication.focusWidget()):
        yield "it opens without the focus"
        return
    list(_stops(dialog, qtbot))  # it lays itself out anew for a while
    stops, pressed = list(_stops(dialog, qtbot)), list[QAbstractButton]()
    for at in stops:
        at.setFocus(Qt.FocusReason.TabFocusReason)
        if fault := _wrong(at):
            yield f"{_spoken(at)}: {fault}"
    for box in dialog.findChildren(QDialogButtonBox):
        box.blockSignals(True)
    for made in dialog.findChildren(QAbstractButton):
        with contextlib.suppress(SystemError, RuntimeError), warnings.catch_warnings(action="ignore"):
            made.clicked.disconnect()
        made.clicked.connect(lambda *_, made=made: pressed.append(made))
    for at in stops:
        at.setFocus(Qt.FocusReason.TabFocusReason)
        pressed.clear()
        qtbot.keyClick(at, Qt.Key.Key_Return)
        if (let_down := QApplication.activePopupWidget()) is not None:
            let_down.close()
        button = at if isinstance(at, QAbstractButton) else dialog.act
        if pressed != [button] and (pressed or button is at):
            yield f"{_spoken(at)}: Enter presses {[_spoken(each) for each in pressed]}"
        if isinstance(at, QAbstractButton) and at.isCheckable():
            at.click()  # as it was
        settle()  # what a field says may be tried anew
    for box in dialog.findChildren(QDialogButtonBox):
        box.blockSignals(False)


def test_every_dialog_is_walked_by_tab_enter_and_escape(
    opened: MainWindow, idle: Idle, tmp_path: Path, qtbot: QtBot
) -> None:
    """Each stop is seen, Enter presses what has the focus or else the dialog's act, and Esc changes nothing."""
    wrong: list[str] = []
    seen = 0
    for where, dialog in _dialogs(opened, idle, tmp_path):
        assert dialog is not None, where
        idle(opened)
        seen, before, tabs = seen + 1, opened.session.choices, dialog.findChild(QTabWidget)
        for at in range(tabs.count() if tabs else 1):
            if tabs:
                tabs.setCurrentIndex(at)
            idle(opened)
            _check(dialog)
            wrong.extend(f"{where}, {at}: {fault}" for fault in _walked(dialog, lambda: idle(opened), qtbot))
        qtbot.keyClick(QApplication.focusWidget() or dialog, Qt.Key.Key_Escape)
        idle(opened)
        QApplication.processEvents()
        if shiboken6.isValid(dialog) and dialog.isVisible():
            wrong.append(f"{where}: Esc leaves it open")
            dialog.reject()
        if opened.session.choices != before:
            wrong.append(f"{where}: Esc changes something")
    assert not wrong, "\n".join(wrong)
    assert seen > 20


@pytest.mark.parametrize("name", ["Ward", "Sex"])
def test_groups_of_few_values_ask_for_no_room_that_stays_empty(opened: MainWindow, idle: Idle, name: str) -> None:
    opened.show_step(Step.CLASSIFY)
    dialog = GroupDialog(name, opened.session, opened.tasks, opened)
    dialog.open()
    idle(opened)
    dialog.way.setCurrentIndex(dialog.way.findData("rare"))
    idle(opened)
    dialog.resize(800, 200)
    for _ in range(5):
        QApplication.processEvents()
    assert dialog.before.height() < 4 * dialog.fontMetrics().height() + dialog.before.wanted_height()
    dialog.reject()
