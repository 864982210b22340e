"""The window around the pages: recent files, "What this means", remedies and risk beside the columns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from splu_desktop.core.roles.suggest import Role
from splu_desktop.gui.base.session import State, Step
from splu_desktop.gui.importing.recent_files import recent_files
from splu_desktop.gui.shell.main_window import MainWindow
from splu_desktop.gui.shell.rail import Rail

Idle = Callable[[MainWindow], None]


def test_recent_files_are_offered_and_can_be_forgotten(opened: MainWindow, small_csv: Path, idle: Idle) -> None:
    opened.recent.aboutToShow.emit()
    assert opened.recent.actions()[0].text() == str(small_csv.resolve())
    other = small_csv.with_name("gone.csv")
    other.write_text(small_csv.read_text())
    opened.open_path(other)
    idle(opened)
    assert recent_files()[0] == other.resolve()
    other.unlink()
    assert recent_files() == [small_csv.resolve()]
    opened.recent.forget()
    assert recent_files() == []


def test_large_writing_is_whole_in_rail_and_footer(window: MainWindow, qapp: QApplication, qtbot: QtBot) -> None:
    page = window.pages[window.step]
    page.set_primary("Plan the protection of “" + "a column with a long name " * 8 + "”", True)
    qapp.processEvents()
    assert page.primary.sizeHint().width() <= page.primary.width()
    assert "…" in page.primary.text()
    page.set_primary("Continue", True)
    assert page.primary.text() == "Continue"
    usual, large = qapp.font(), qapp.font()
    large.setPointSizeF(1.5 * large.pointSizeF())
    large.setWeight(large.Weight.DemiBold)
    qapp.setFont(large)
    rail = Rail({Step.PUBLISH: "Veröffentlichen"})
    qtbot.addWidget(rail)
    qapp.setFont(usual)
    assert rail.width() >= QFontMetrics(large).horizontalAdvance("Veröffentlichen") + 60  # its circle stands before it


def test_a_narrow_window_leaves_the_room_to_the_page(window: MainWindow) -> None:
    assert window.help.isVisible()
    window.resize(1000, 640)
    assert not window.help.isVisible()
    window.help_action.trigger()
    window.help_action.trigger()
    assert window.help.isVisible(), "F1 brings it all the same"
    window.resize(1280, 720)
    assert window.help.isVisible()


def test_every_page_explains_itself(opened: MainWindow) -> None:
    said = set()
    for step in Step:
        opened.show_step(step)
        said.add(opened.help.text.toPlainText())
    assert len(said) == len(Step)
    assert all(len(text) > 200 for text in said)


def test_a_measurement_becomes_sensitive_by_one_click(
    opened: MainWindow, qtbot: QtBot, idle: Idle, tmp_path: Path
) -> None:
    path = tmp_path / "stays.csv"
    path.write_text("Sex,Charges\n" + "".join(f"{'fm'[i % 2]},{100 + i * 7 % 4001}\n" for i in range(900)))
    opened.import_page.open_file(path)
    idle(opened)
    opened.session.set_roles({"Sex": Role.NSA, "Charges": Role.SA}, "roles")
    opened.show_step(Step.CLASSIFY)
    idle(opened)
    page = opened.classify_page
    assert opened.session.state(Step.PLAN) is State.BLOCKED
    assert "measurements" in page.foot_note.text()
    qtbot.waitUntil(page.remedies.isVisible)
    remedy = page.remedies.findChildren(QPushButton)[0]
    remedy.click()
    idle(opened)
    assert opened.session.state(Step.PLAN) is State.OPEN
    assert opened.session.fact("Charges").largest_gamma >= 5
    assert page.primary.isEnabled()
