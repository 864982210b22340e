"""The frame: it folds, keys work from anywhere, and laws that hold on every page at every size."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QTextBrowser,
    QWidget,
)

from splu_desktop.gui.base.page import Fold
from splu_desktop.gui.base.session import State, Step
from splu_desktop.gui.proposal.steps import Elided
from splu_desktop.gui.shell.main_window import MainWindow
from tests.gui.conftest import Idle

SIZES = {"100": (1366, 698), "150": (911, 442), "200": (683, 314), "1920 at 200": (960, 510), "smallest": (640, 300)}
WAY = (Step.OPEN, Step.QUESTIONS, Step.PROPOSAL, Step.COLUMNS, Step.PUBLISH)
CONTROLS = (QAbstractButton, QComboBox, QAbstractSpinBox, QAbstractSlider, QLineEdit, QPlainTextEdit, QAbstractItemView)
# Words of mathematics that stand only in Expert and the annex (flow.md, section 6); gamma and T stand at the slider.
NEVER = re.compile(
    r"\b(joined|decoy|tolerance|estimator|pooled|interval|prosecutor|signal|epsilon|alpha|naive|bayes|pram|reconstruct"
    r"|k-anonym\w*|quasi\w*)\b",
    re.I,
)


def settle(window: MainWindow, idle: Idle) -> None:
    for _ in range(3):
        QApplication.processEvents()
        idle(window)


def shown(window: QWidget, *kinds: type[QWidget]) -> Iterator[QWidget]:
    for part in window.findChildren(QWidget):
        if isinstance(part, kinds) and part.isVisible() and not part.window().isHidden() and part.width() > 1:
            yield part


def words_of(part: QWidget) -> str:
    if isinstance(part, QLabel):
        return html.unescape(re.sub(r"<[^>]+>", " ", part.text()))
    return part.text().replace("&&", "&") if isinstance(part, QAbstractButton) else ""


@pytest.mark.parametrize("size", SIZES)
def test_no_text_is_cut_and_no_page_scrolls_sideways(proposed: MainWindow, idle: Idle, size: str) -> None:
    proposed.resize(*SIZES[size])
    faults = []
    for step in (*WAY, Step.EXPERT, Step.ASK, Step.REPORT):
        proposed.show_step(step)
        settle(proposed, idle)
        for part in shown(proposed, QLabel, QPushButton):
            text = words_of(part)
            if not text.strip() or isinstance(part, Elided):  # ends in dots, and says all at rest
                continue
            if isinstance(part, QLabel) and part.wordWrap():
                needed = part.heightForWidth(part.width())
                cut = needed > part.height() + 2
            else:
                cut = part.sizeHint().width() > part.width() + 2
            if cut:
                faults.append(f"{step.value}: “{text}” is cut")
        for room in shown(proposed, QScrollArea):
            assert isinstance(room, QScrollArea)
            inside = room.widget()
            if inside is not None and inside.minimumSizeHint().width() > room.viewport().width() + 2:
                faults.append(f"{step.value}: too wide by {inside.minimumSizeHint().width() - room.viewport().width()}")
        page = proposed.page(step)
        edge = QRect(QPoint(), page.size())
        faults += [
            f"{step.value}: “{words_of(part)}” stands outside"
            for part in shown(page.footer, QPushButton)
            if not edge.contains(QRect(part.mapTo(page, QPoint()), part.size()))
        ]
        if page.primary.isVisible() and page.primary.visibleRegion().isEmpty():
            faults.append(f"{step.value}: the primary button is out of sight")
    assert not faults, "\n".join(dict.fromkeys(faults))


def test_every_control_has_a_name(proposed: MainWindow, idle: Idle) -> None:
    nameless = []
    for step in Step:
        proposed.show_step(step)
        settle(proposed, idle)
        for part in shown(proposed, *CONTROLS):
            if part.focusPolicy() == Qt.FocusPolicy.NoFocus or part.parent() is None:
                continue
            inside = isinstance(part.parentWidget(), QComboBox | QAbstractSpinBox | QAbstractItemView)
            if not inside and not (part.accessibleName() or words_of(part)):
                nameless.append(f"{step.value}: {type(part).__name__} {part.objectName()}")
    assert not nameless, "\n".join(dict.fromkeys(nameless))


def test_words_of_the_way_are_those_of_the_glossary(proposed: MainWindow, idle: Idle) -> None:
    faults = []
    for step in WAY:
        proposed.show_step(step)
        settle(proposed, idle)
        for part in shown(proposed, QLabel, QAbstractButton):
            text = words_of(part)
            if NEVER.search(text):
                faults.append(f"{step.value}: “{text}”")
            faults += [
                f"{step.value}: {len(each.split())} words: “{each}”"
                for each in re.split(r"(?<=[.?!])\s", text)
                if len(each.split()) > 25
            ]
    assert not faults, "\n".join(faults)


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
    assert "riskiest group" in text.toPlainText()
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
