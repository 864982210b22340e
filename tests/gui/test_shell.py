"""The frame: it folds, keys work from anywhere, and laws that hold on every page at every size."""

from __future__ import annotations

import subprocess
import sys

import pytest
from PySide6.QtCore import QEvent, QSignalBlocker, Qt
from PySide6.QtGui import QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QTabBar,
    QTextBrowser,
)
from pytestqt.qtbot import QtBot

from splu_desktop.gui.base.focus import FocusRing
from splu_desktop.gui.base.page import Fold
from splu_desktop.gui.base.session import State, Step
from splu_desktop.gui.shell.main_window import MainWindow


def test_the_window_folds_as_drawn(proposed: MainWindow) -> None:
    proposed.resize(1366, 698)
    assert proposed.fold is Fold.WIDE
    assert proposed.rail.width() == 176
    assert proposed.statusBar().isVisible()
    proposed.resize(911, 442)
    assert proposed.fold is Fold.MIDDLE
    assert proposed.rail.width() == 48
    assert not proposed.menuBar().isVisible()
    proposed.resize(683, 314)
    assert proposed.fold is Fold.NARROW
    assert proposed.bar.isVisible()
    assert not proposed.rail.isVisible()
    assert proposed.bar.steps.text() == "Proposal, 3 of 6"


def test_larger_writing_folds_the_window_as_a_smaller_screen_does(qapp: QApplication, proposed: MainWindow) -> None:
    proposed.resize(1366, 698)
    usual = proposed.font()
    large = QFont(usual)
    large.setPointSizeF(usual.pointSizeF() * 34 / proposed.fontMetrics().height())
    proposed.setFont(large)
    proposed.resize(1366, 697)
    assert proposed.fold is Fold.NARROW
    proposed.setFont(usual)
    proposed.resize(1366, 698)
    assert proposed.fold is Fold.WIDE


def test_keys_lead_to_every_page(proposed: MainWindow) -> None:
    control = Qt.KeyboardModifier.ControlModifier
    for size in ((1366, 698), (683, 314)):
        proposed.resize(*size)
        for key, step in zip("123456", list(Step)[:6], strict=True):
            QTest.keyClick(proposed, key, control)
            assert proposed.step is step
        QTest.keyClick(proposed, "l", control)
        assert proposed.step is Step.COLUMNS
        QTest.keyClick(proposed, "e", control)
        assert proposed.step is Step.EXPERT
        QTest.keyClick(proposed, Qt.Key.Key_Escape)
        assert proposed.step is Step.PROPOSAL


def test_keys_lead_on_without_a_table_and_after_another_language(window: MainWindow) -> None:
    for _ in range(2):
        QTest.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
        assert window.step is Step.QUESTIONS
        QTest.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
        assert window.step is Step.OPEN
        window.change_language()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # as the next turn of its loop does


def test_f6_goes_from_region_to_region(proposed: MainWindow) -> None:
    proposed.show_step(Step.COLUMNS)
    page = proposed.page(Step.COLUMNS)
    assert page.primary.hasFocus()
    QTest.keyClick(proposed, Qt.Key.Key_F6)
    assert proposed.rail.isAncestorOf(QApplication.focusWidget())


def test_steps_say_what_they_wait_for(window: MainWindow) -> None:
    for step in list(Step)[:6]:
        window.show_step(step)
        page = window.page(step)
        assert page.primary.isEnabled() or page.note.text(), step
    assert window.session.state(Step.QUESTIONS) is State.BLOCKED
    window.show_step(Step.COLUMNS)
    assert window.step is Step.PROPOSAL


@pytest.mark.qt_log_ignore("propagateSizeHints")
def test_help_tells_of_the_page_and_the_words(proposed: MainWindow) -> None:
    dialog = proposed.show_help()
    text = dialog.findChild(QTextBrowser)
    assert text is not None
    assert "useful and defensible" in text.toPlainText()
    assert "Riskiest group" in text.toPlainText()
    dialog.close()


def test_the_first_window_waits_for_no_library_of_numbers(isolated: None) -> None:
    code = """if True:
        import sys
        from PySide6.QtWidgets import QApplication
        from splu_desktop.gui.shell import app
        application = QApplication([])
        app.prepare(application)
        app.make_window().show()
        application.processEvents()
        sys.exit(", ".join({"numpy", "scipy", "pyqtgraph", "typst", "pyreadstat", "stdnum"} & set(sys.modules)) or None)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_ring_of_the_focus_follows_a_tab_that_gets_another_name(qtbot: QtBot) -> None:
    bar = QTabBar()
    qtbot.addWidget(bar)
    bar.addTab("one")
    bar.show()
    ring = FocusRing(bar)
    with QSignalBlocker(bar):
        bar.removeTab(0)
        bar.addTab("a name that is much longer")
    qtbot.waitUntil(lambda: ring.geometry() == bar.tabRect(0))
    bar.addTab("two")
    bar.setCurrentIndex(1)
    qtbot.waitUntil(lambda: ring.geometry() == bar.tabRect(1))
