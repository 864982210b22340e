"""From the file to the saved PDF by the keyboard alone: each press is a real key event, and all of them are counted."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QFileDialog, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from splu_desktop.gui.base.reason_dialog import ReasonDialog
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.shell.main_window import MainWindow
from tests.optional import real

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
MOST = 30
_TRIES = 200  # turns of the loop after which the focus is lost
_NONE, _CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
Press = tuple[Qt.Key, Qt.KeyboardModifier]


def _has(kind: type[QWidget]) -> bool:
    """Whether the focus is in a window of this kind, ready for keys."""
    focus = QApplication.focusWidget()
    return focus is not None and isinstance(focus.window(), kind)


def _back() -> bool:
    return QApplication.activeModalWidget() is None


def presses(window: MainWindow) -> Iterator[Press | Callable[[], bool]]:
    """Yield each key press, and between them what must hold before the next: what a person would wait to see."""
    publish, report = window.publish_page, window.report_page
    yield Qt.Key.Key_O, _CTRL
    yield lambda: _has(QFileDialog)
    yield Qt.Key.Key_V, _CTRL
    yield Qt.Key.Key_Return, _NONE
    yield lambda: window.session.source is not None and window.import_page.primary.isEnabled()
    for step in (Step.CLASSIFY, Step.PLAN, Step.PUBLISH):
        yield Qt.Key.Key_Return, _CTRL
        yield lambda step=step: window.step is step
    yield lambda: bool(publish.gate.lines)
    while publish.gate.open_lines():
        yield Qt.Key.Key_Return, _CTRL
        yield lambda: isinstance(QApplication.focusWidget(), QCheckBox)
        yield Qt.Key.Key_Space, _NONE
        yield lambda: _has(ReasonDialog) and isinstance(QApplication.focusWidget(), QLineEdit)
        yield Qt.Key.Key_O, _NONE
        yield Qt.Key.Key_K, _NONE
        yield Qt.Key.Key_Return, _NONE
        yield _back
    yield lambda: publish.primary.isEnabled()
    yield Qt.Key.Key_Return, _CTRL
    yield lambda: window.session.release is not None
    yield Qt.Key.Key_6, _CTRL
    yield lambda: report.primary.isEnabled()
    yield Qt.Key.Key_Return, _CTRL
    yield lambda: _has(QFileDialog)
    yield Qt.Key.Key_Return, _NONE
    yield lambda: report._saved is not None


class Typist:
    """Presses key after key. A press may open a dialog with a loop of its own, so the next is due before it is made."""

    def __init__(self, window: MainWindow) -> None:
        self.window, self.left, self.done = window, presses(window), False
        self.pressed: list[str] = []
        self._waits: Callable[[], bool] = lambda: True
        self._without = 0
        self._next()

    def _next(self) -> None:
        QTimer.singleShot(1, self.window, self._press)

    def _press(self) -> None:
        if self.window.tasks.busy() or not self._waits():
            self._next()
            return
        focus = QApplication.focusWidget()
        if focus is None and self._without < _TRIES:
            self._without += 1
            if QApplication.activeWindow() is None:
                self.window.activateWindow()  # a window manager does it when a dialog is gone; offscreen there is none
            self._next()
            return
        due = next(self.left, None)
        self._waits = due if callable(due) else lambda: True
        self.done = focus is None or due is None or len(self.pressed) > 2 * MOST
        if self.done:
            return
        self._without = 0
        self._next()
        if not callable(due):
            self.pressed.append(due[0].name)
            QTest.keyClick(focus, *due)


def _telling(path: Path) -> None:
    """Let the ward of each record tell its diagnosis, and age, postcode and height who it is of."""
    head, *rows = path.read_text(encoding="utf-8").splitlines()
    cells = [row.split(",") for row in rows]
    kinds = {each[4]: f"W{at % 9}" for at, each in enumerate(cells)}
    rows = [
        f"{number},{sex},{20 + at % 61},{kinds[diagnosis]},{diagnosis},{10 + at % 31}"
        for at, (number, sex, _, _, diagnosis) in enumerate(cells)
    ]
    path.write_text("\n".join([f"{head},Postcode", *rows]) + "\n", encoding="utf-8")


@pytest.mark.parametrize("table", ["harmless", "risky", "linelist_raw.xlsx", "sparcs_1000.csv", "diabetes130.csv.gz"])
def test_from_file_to_saved_report_takes_few_key_presses(
    table: str, window: MainWindow, small_csv: Path, qtbot: QtBot
) -> None:
    if table == "risky":
        _telling(small_csv)
    # A copy: the release and the report are offered beside the file, and real tables are only read.
    source = shutil.copy(real(table), small_csv.with_name(table)) if "." in table else small_csv
    QApplication.clipboard().setText(str(source))
    typist = Typist(window)
    qtbot.waitUntil(lambda: typist.done)
    saved = window.report_page._saved
    assert saved is not None, (typist.pressed, QApplication.focusWidget())
    assert saved.read_bytes().startswith(b"%PDF")
    assert ("Space" in " ".join(typist.pressed)) is (table != "harmless"), "what is grave is accepted in words"
    assert len(typist.pressed) <= MOST, typist.pressed
