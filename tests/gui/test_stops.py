"""Each stop of Tab can be seen, and keys do something there: no press of a key is for nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QGuiApplication, QHelpEvent, QImage
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialogButtonBox,
    QPushButton,
    QScrollArea,
    QTabWidget,
    QTextBrowser,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot

from splu_desktop.core.query.condition import Condition
from splu_desktop.gui.base import appearance, theme, widgets
from splu_desktop.gui.base.focus import FocusRing
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.shell.main_window import MainWindow
from tests.gui.test_announced import Heard

pytestmark = pytest.mark.qt_log_ignore("does not support")
Idle = Callable[[MainWindow], None]
_SEEN = 60  # pixels that change by 3:1 and more


def _light(of: QWidget) -> NDArray[np.float64]:
    """Return how light each pixel of a widget is, as WCAG has it, and a twentieth."""
    for _ in range(3):
        QApplication.processEvents()
    image: QImage = of.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    parts = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)[:, :, 2::-1] / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ (0.2126, 0.7152, 0.0722) + 0.05)


def _stops(window: MainWindow, qtbot: QtBot) -> Iterator[QWidget]:
    """Yield what Tab comes to, once round."""
    window.activateWindow()
    QApplication.processEvents()
    seen: list[QWidget] = []
    while (now := QApplication.focusWidget()) is not None and now not in seen:
        seen.append(now)
        yield now
        qtbot.keyClick(now, Qt.Key.Key_Tab)
        if QApplication.focusWidget() is now:  # a field for several lines takes Tab as its own
            qtbot.keyClick(now, Qt.Key.Key_Tab, Qt.KeyboardModifier.ControlModifier)


def _wrong(at: QWidget) -> str:
    """Return what is wrong with a stop, "" for nothing."""
    if isinstance(at, QAbstractItemView):
        if not at.model().rowCount():
            return "an empty list"
    elif isinstance(at, QComboBox):
        if at.count() < 2 and not at.isEditable():
            return "nothing to choose"
    elif isinstance(at, QTextBrowser | QScrollArea):
        bars = (at.verticalScrollBar(), at.horizontalScrollBar())
        if all(bar.minimum() == bar.maximum() for bar in bars):
            return "nothing to scroll"
    with_focus = _light(at)
    at.clearFocus()
    without = _light(at)
    at.setFocus(Qt.FocusReason.TabFocusReason)
    ratio = np.maximum(with_focus, without) / np.minimum(with_focus, without)
    return "" if (ratio >= 3).sum() >= _SEEN else "not seen"


@pytest.mark.parametrize("scheme", appearance.SCHEMES)
def test_each_stop_can_be_seen_and_keys_do_something_there(
    scheme: str, opened: MainWindow, idle: Idle, qapp: QApplication, tmp_path: Path, qtbot: QtBot
) -> None:
    wrong: dict[str, str] = {}
    seen = 0
    opened.resize(1366, 768)

    def look(step: Step) -> None:
        nonlocal seen
        idle(opened)
        list(_stops(opened, qtbot))  # a page lays itself out anew for a while after its work is done
        for at in _stops(opened, qtbot):
            seen += 1
            if fault := _wrong(at):
                wrong[f"{type(at).__name__} {at.accessibleName() or getattr(at, 'text', str)()}"] = (
                    f"{step.name}: {fault}"
                )

    def turn(step: Step) -> None:
        opened.show_step(step)
        for tabs in opened.pages[step].findChildren(QTabWidget):
            for at in range(tabs.count()):
                if tabs.isVisible() and tabs.isTabVisible(at):
                    tabs.setCurrentIndex(at)
                    look(step)
        look(step)

    try:
        theme.apply(qapp, appearance.SCHEMES[scheme])
        for step in (Step.IMPORT, Step.CLASSIFY, Step.PLAN):
            turn(step)
        page, query = opened.publish_page, opened.query_page
        opened.show_step(Step.PUBLISH)
        page.set_target(tmp_path / "release")
        idle(opened)
        page.gate.accept_all()
        look(Step.PUBLISH)
        page.act()
        look(Step.PUBLISH)
        opened.show_step(Step.QUERY)
        query.one.builder.set_conditions((Condition("Diagnosis", ("flu",)),))
        query.act()
        query.tabs.setCurrentWidget(query.workload)
        query.act()
        turn(Step.QUERY)
        turn(Step.REPORT)
    finally:
        theme.apply(qapp, theme.LIGHT)
    assert not wrong, "\n".join(f"{name}: {fault}" for name, fault in wrong.items())
    assert seen > 150


def test_a_ring_follows_the_tab_in_front_and_goes_with_the_focus(opened: MainWindow, idle: Idle, qtbot: QtBot) -> None:
    opened.show_step(Step.PLAN)
    idle(opened)
    opened.activateWindow()
    bar = next(tabs.tabBar() for tabs in opened.plan_page.findChildren(QTabWidget) if tabs.isVisible())
    bar.setFocus()
    ring = bar.findChild(FocusRing)
    assert ring.geometry() == bar.tabRect(bar.currentIndex())
    qtbot.keyClick(bar, Qt.Key.Key_Right)
    assert bar.currentIndex() == 1
    assert ring.geometry() == bar.tabRect(1)
    opened.plan_page.gamma.slider.setFocus()
    assert not any(ring.isVisible() for ring in bar.findChildren(FocusRing))


def test_what_is_copied_is_said(opened: MainWindow, idle: Idle, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    heard = Heard()
    opened.show_step(Step.PLAN)
    idle(opened)
    monkeypatch.setattr(widgets, "QAccessible", heard)
    opened.activateWindow()
    made = next(each for each in opened.plan_page.findChildren(QPushButton) if each.text() == "&Copy these sentences")
    made.window().show()
    opened.plan_page.tabs.setCurrentIndex(1)
    QApplication.processEvents()
    made.setFocus()
    QToolTip.hideText()
    qtbot.keyClick(made, Qt.Key.Key_Space)
    assert QGuiApplication.clipboard().text()
    assert heard.said == ["Copied"]
    assert QToolTip.text() == "Copied"
    QToolTip.hideText()


def test_a_message_above_a_page_is_told_as_an_alert(opened: MainWindow) -> None:
    opened.show_fault("The disk is full.")
    told = QAccessible.queryAccessibleInterface(opened.pages[opened.step].banner)
    assert told.role() == QAccessible.Role.AlertMessage
    assert told.text(QAccessible.Text.Name) == "Problem: The disk is full."


def _silent(top: QWidget, qtbot: QtBot) -> list[str]:
    """Return the buttons in sight that Enter doesn't press."""
    found = []
    for made in top.findChildren(QPushButton):
        if made.isVisible() and made.isEnabled() and made.menu() is None:
            pressed: list[bool] = []
            made.clicked.disconnect()
            made.clicked.connect(lambda _=False, pressed=pressed: pressed.append(True))
            top.window().activateWindow()
            QApplication.processEvents()
            made.setFocus()
            qtbot.keyClick(made, Qt.Key.Key_Return)
            if not pressed:
                found.append(made.text())
    return found


def test_enter_presses_the_button_that_has_the_focus(opened: MainWindow, idle: Idle, qtbot: QtBot) -> None:
    silent = {}
    for step in (Step.CLASSIFY, Step.PLAN, Step.PUBLISH, Step.REPORT):
        opened.show_step(step)
        idle(opened)
        silent[step.name] = _silent(opened.pages[step], qtbot)
    opened.show_step(Step.PLAN)
    dialog = opened.plan_page.open_must()
    idle(opened)
    left: list[int] = []
    dialog.finished.connect(left.append)
    for row in dialog.findChildren(QDialogButtonBox):
        row.accepted.disconnect()
    silent["dialog"] = _silent(dialog, qtbot)
    assert not left, "Enter on a button does what another says"
    dialog.reject()
    assert not any(silent.values()), silent


def test_a_text_longer_than_its_field_is_shown_at_rest(qtbot: QtBot) -> None:
    field = widgets.line_edit("Records with", "any")
    qtbot.addWidget(field)
    field.resize(120, 30)
    said = []
    for text in ("ward is 3", "ward is 3; diagnosis is asthma, bronchitis or pneumonia"):
        QToolTip.hideText()
        field.setText(text)
        QApplication.sendEvent(field, QHelpEvent(QHelpEvent.Type.ToolTip, QPoint(5, 5), QPoint(5, 5)))
        said.append(QToolTip.text())
    QToolTip.hideText()
    assert text in said[1]
    assert "ward" not in said[0]
