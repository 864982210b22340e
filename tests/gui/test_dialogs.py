"""Every dialog's controls have a name for screen readers and can be reached by Tab."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)

from splu_desktop.gui.base.session import Step
from splu_desktop.gui.classify.group_dialog import GroupDialog
from splu_desktop.gui.plan.tolerance_dialog import ToleranceDialog
from splu_desktop.gui.shell.main_window import MainWindow

Idle = Callable[[MainWindow], None]
KINDS = (QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit)

# The offscreen plugin says so of every dialog; it concerns no real screen.
pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")


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


def test_reading(opened: MainWindow, idle: Idle) -> None:
    dialog = opened.import_page.change_reading()
    assert dialog is not None
    idle(opened)
    for tab in range(dialog.tabs.count()):
        dialog.tabs.setCurrentIndex(tab)
        _check(dialog)
    dialog.reject()


def test_grouping(opened: MainWindow, idle: Idle) -> None:
    opened.show_step(Step.CLASSIFY)
    for name in ("Age", "Ward"):
        dialog = GroupDialog(name, opened.session, opened.tasks, opened)
        dialog.open()
        idle(opened)
        for at in range(dialog.way.count()):
            dialog.way.setCurrentIndex(at)
            _check(dialog)
        idle(opened)
        dialog.reject()


def test_tolerances(opened: MainWindow, idle: Idle) -> None:
    dialog = ToleranceDialog("Diagnosis", opened.session, opened.tasks, opened)
    dialog.open()
    idle(opened)
    _check(dialog)
    dialog.reject()
