"""The frame: it folds, keys work from anywhere, and laws that hold on every page at every size."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QColor, QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox, QTabBar, QTextBrowser
from pytestqt.qtbot import QtBot

from splu_desktop import gui
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.focus import FocusRing
from splu_desktop.gui.base.page import Fold
from splu_desktop.gui.base.session import State, Step
from splu_desktop.gui.expert.page import ExpertPage
from splu_desktop.gui.proposal.page import ProposalPage
from splu_desktop.gui.questions.page import QuestionsPage
from splu_desktop.gui.report.page import ReportPage
from splu_desktop.gui.shell.guide import asked_to_stop, show_page_help
from splu_desktop.gui.shell.main_window import MainWindow
from tests.gui.conftest import Idle


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


def test_a_part_that_a_fold_moves_keeps_the_focus(released: MainWindow, idle: Idle) -> None:
    proposal, report = released.page(Step.PROPOSAL), released.page(Step.REPORT)
    assert isinstance(proposal, ProposalPage)
    assert isinstance(report, ReportPage)
    for step, part in ((Step.PROPOSAL, proposal.slider), (Step.REPORT, report.fields["organisation"])):
        released.show_step(step)
        idle(released)
        part.setFocus()
        for size in ((683, 314), (911, 442), (1366, 698)):
            released.resize(*size)
            for _ in range(4):
                QApplication.processEvents()
            assert QApplication.focusWidget() is part, f"{step.value} {size}"


def test_every_text_for_the_mouse_goes_through_the_one_door() -> None:
    for path in Path(gui.__file__).parent.rglob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert not re.search(r"set(Tab)?ToolTip\((?!.*plain\()", line), f"{path.name}: {line.strip()}"


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
    dialog = show_page_help(proposed.step, proposed)
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


_TEXTS = "text", "quiet", "accent", "protected", "answerable", "warning", "fault", "between"
_GROUNDS = "page", "card", "window", "sunken"


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours (WCAG 2.1, relative luminance)."""

    def light(colour: str) -> float:
        shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in shares]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, bright = sorted((light(one), light(other)))
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(("scheme", "least"), [(theme.LIGHT, 4.5), (theme.DARK, 4.5), (theme.CONTRAST, 7.0)])
def test_every_text_stands_out_from_its_ground(scheme: theme.Colours, least: float) -> None:
    soft = [(name, f"{name}_soft") for name in ("accent", "protected", "answerable", "warning", "fault", "between")]
    pairs = [*product(_TEXTS, _GROUNDS), *product(("text", "quiet"), [ground for _, ground in soft]), *soft]
    pairs += [("on_accent", "accent"), ("page", "text")]  # of the main button, and below the mouse
    faults = {pair: contrast(*(getattr(scheme, name) for name in pair)) for pair in pairs}
    assert not {pair: found for pair, found in faults.items() if found < least}
    edges = {ground: contrast(scheme.edge, getattr(scheme, ground)) for ground in ("page", "card")}
    assert min(edges.values()) >= 3, edges


@pytest.mark.qt_log_ignore("propagateSizeHints")
@pytest.mark.parametrize("enter", [True, False])
def test_a_release_under_way_is_stopped_by_no_enter(window: MainWindow, *, enter: bool) -> None:
    def answer() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        if enter:
            QTest.keyClick(box, Qt.Key.Key_Return)
        else:
            next(each for each in box.buttons() if each.text() == "Close").click()

    QTimer.singleShot(0, window, answer)
    assert asked_to_stop(window) is not enter


class StyleChanges(QObject):
    """Counts how often a part is dressed anew."""

    count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() is QEvent.Type.StyleChange
        return False


def test_a_scheme_dresses_a_part_deep_in_a_page_as_often_as_one_above(qapp: QApplication, proposed: MainWindow) -> None:
    page, heard = proposed.page(Step.QUESTIONS), [StyleChanges(), StyleChanges()]
    assert isinstance(page, QuestionsPage)
    for part, counter in zip((proposed.centralWidget(), page.within), heard, strict=True):
        part.installEventFilter(counter)
    theme.apply(qapp, theme.DARK)
    theme.apply(qapp, theme.LIGHT)
    top, deep = (each.count for each in heard)
    assert deep <= top


def test_expert_makes_a_part_when_it_is_wanted(proposed: MainWindow) -> None:
    proposed.show_step(Step.EXPERT)
    page = proposed.page(Step.EXPERT)
    assert isinstance(page, ExpertPage)
    assert [*page.sections] == [0], "all of them at once hold the window up for half a second"
    page.list.setCurrentRow(3)
    assert [*page.sections] == [0, 3]
    assert page.stacked.currentWidget().isAncestorOf(page.sections[3])


def test_columns_is_marked_in_the_rail_and_in_the_bar_while_it_is_in_front(proposed: MainWindow) -> None:
    proposed.show_step(Step.COLUMNS)
    for width, buttons in ((1366, proposed.rail.buttons), (911, proposed.rail.buttons), (683, proposed.bar.entries)):
        proposed.resize(width, 442)
        front, other = buttons[Step.COLUMNS], buttons[Step.EXPERT]
        assert front.accessibleName() == "Columns, shown now"
        assert other.accessibleName() == "Expert"
        grounds = [each.grab().toImage().pixelColor(each.width() // 2, 2) for each in (front, other)]
        assert grounds[0] == QColor(theme.LIGHT.accent_soft) != grounds[1]
