"""Open and Questions, as a person goes through them: from a file to a proposal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from splu_desktop.gui.base.session import State, Step
from splu_desktop.gui.importing.dialog import ReadDialog
from splu_desktop.gui.importing.recent_files import recent_files
from splu_desktop.gui.open.page import OpenPage
from splu_desktop.gui.questions.audience_card import date_from
from splu_desktop.gui.questions.page import QuestionsPage
from splu_desktop.gui.shell.main_window import MainWindow
from tests.gui.conftest import Idle


def test_walk_from_a_file_to_the_proposal_by_keyboard(window: MainWindow, small_csv: Path, idle: Idle) -> None:
    assert window.step is Step.OPEN
    assert "Open a table" in window.page(Step.OPEN).note.text()
    window.open_path(small_csv)
    idle(window)
    page = window.page(Step.OPEN)
    assert isinstance(page, OpenPage)
    assert "3,000 rows and 5 columns" in page.summary.text()
    assert page.done.text() == "Names of the columns in row 1. Nothing was dropped, no cell was changed."
    assert page.primary.text() == "Continue with 3,000 rows"
    QTest.keyClick(window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert window.step is Step.QUESTIONS
    assert window.session.state(Step.OPEN) is State.DONE
    questions = window.page(Step.QUESTIONS)
    assert isinstance(questions, QuestionsPage)
    assert questions.person.currentData() == "Patient number"
    assert [each.sa for each in window.session.answers.questions]
    QTest.keyClick(window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    idle(window)
    assert window.step is Step.PROPOSAL
    assert window.session.verdict is not None


def test_one_row_of_one_column_is_told_as_one(window: MainWindow, tmp_path: Path, idle: Idle) -> None:
    path = tmp_path / "one.csv"
    path.write_text("Diagnosis\nflu\n")
    window.open_path(path)
    idle(window)
    page = window.page(Step.OPEN)
    assert isinstance(page, OpenPage)
    assert page.summary.text().startswith("1 row and 1 column were read")
    assert page.primary.text() == "Continue with 1 row"
    assert recent_files() == [path]


def drop(window: MainWindow, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(each)) for each in paths])
    window.dropEvent(
        QDropEvent(
            QPoint(9, 9), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        )
    )


def test_a_dropped_file_is_read_and_of_several_the_first_is_named(
    qtbot: QtBot, window: MainWindow, small_csv: Path, idle: Idle
) -> None:
    page = window.page(Step.OPEN)
    drop(window, small_csv)
    idle(window)
    assert window.session.source is not None
    assert window.windowTitle() == "tests.csv – SPLU Desktop"
    assert not page.banner.isVisible()
    qtbot.waitUntil(lambda: window.focusWidget() is page.primary)  # what is read begins where every page does
    window.show_step(Step.REPORT)
    drop(window, small_csv, small_csv.with_name("another.csv"))
    idle(window)
    assert window.step is Step.OPEN
    assert page.banner.isVisible()
    assert "Only “tests.csv” was opened" in page.banner.text.text()


def test_a_dropped_release_is_asked(window: MainWindow, tmp_path: Path, idle: Idle) -> None:
    (tmp_path / "release.json").write_text("{}")
    drop(window, tmp_path)
    idle(window)
    assert window.step is Step.ASK
    assert window.page(Step.ASK).banner.kind == "fault"


def test_a_file_that_cant_be_read_says_so_and_keeps_what_is_open(
    opened: MainWindow, tmp_path: Path, idle: Idle
) -> None:
    bad = tmp_path / "empty.csv"
    bad.write_text("")
    source = opened.session.source
    opened.open_path(bad)
    idle(opened)
    page = opened.page(Step.OPEN)
    assert page.banner.kind == "fault"
    assert page.banner.text.text()
    assert opened.session.source is source
    assert page.primary.isEnabled()


@pytest.mark.qt_log_ignore("propagateSizeHints")
def test_a_file_that_failed_is_read_another_way_and_not_the_one_that_is_open(
    opened: MainWindow, tmp_path: Path, idle: Idle
) -> None:
    path = tmp_path / "header.csv"
    path.write_text("flu,cold\n")
    opened.open_path(path)
    idle(opened)
    page = opened.page(Step.OPEN)
    assert "set the header row yourself" in page.banner.text.text()
    page.banner.act_button.click()
    dialog = page.findChild(ReadDialog)
    assert isinstance(dialog, ReadDialog)
    QTest.keyClicks(dialog.header, "0")
    idle(opened)
    dialog.use.click()
    idle(opened)
    assert opened.session.source is not None
    assert (opened.session.source.name, opened.session.source.table.n) == ("header.csv", 1)
    opened.open_path(tmp_path / "gone.csv")
    idle(opened)
    assert not page.banner.act_button.isVisible()


def test_consequences_follow_each_answer_at_once(opened: MainWindow) -> None:
    opened.show_step(Step.QUESTIONS)
    page = opened.page(Step.QUESTIONS)
    assert isinstance(page, QuestionsPage)

    def follows(at: int) -> str:
        return page.consequences[at].text.accessibleName()

    assert "At least 5 patients" in follows(0)
    QTest.mouseClick(page.audience.cards["public"], Qt.MouseButton.LeftButton)
    assert "At least 11 patients" in follows(0)
    assert "2,000 patients, up to 2 each" in follows(1)
    page.person.setCurrentIndex(page.person.findData(None))
    page.person.activated.emit(page.person.currentIndex())
    assert "At least 11 rows" in follows(0)
    assert "Limits count rows" in follows(1)
    opened.session.undo()
    assert "At least 11 patients" in follows(0)


def test_what_makes_no_sense_is_said_beside_the_field(opened: MainWindow) -> None:
    opened.show_step(Step.QUESTIONS)
    page = opened.page(Step.QUESTIONS)
    assert isinstance(page, QuestionsPage)
    row = page.rows[0]
    row.by.setCurrentIndex(row.by.findData(row.sa.currentData()))
    row.by.activated.emit(0)
    assert "names a column twice" in page.fault.text()
    assert not page.primary.isEnabled()
    QTest.keyClick(opened, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.focusWidget() is row.sa


def test_what_is_being_typed_counts_when_a_key_goes_on_and_no_date_that_cant_be_read_is_left_behind(
    opened: MainWindow, idle: Idle
) -> None:
    opened.show_step(Step.QUESTIONS)
    page = opened.page(Step.QUESTIONS)
    assert isinstance(page, QuestionsPage)
    opened.activateWindow()
    until = page.audience.until
    until.setFocus()
    QTest.keyClicks(until, "in two years")
    QTest.keyClick(until, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert opened.step is Step.QUESTIONS
    assert "is no date" in page.audience.fault.text()
    assert page.note.text() == page.audience.fault.text()
    page.audience.recipient.setFocus()
    assert until.text() == "in two years"
    assert not page.primary.isEnabled()
    until.setFocus()
    until.selectAll()
    QTest.keyClicks(until, "31.12.2024")
    page.audience.recipient.setFocus()
    assert "2024-12-31" in page.audience.fault.text()
    assert not page.primary.isEnabled()
    until.setFocus()
    until.selectAll()
    QTest.keyClicks(until, "31.12.2099")
    QTest.keyClick(until, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    idle(opened)
    assert opened.step is Step.PROPOSAL
    assert opened.session.answers.audience.until == "2099-12-31"


@pytest.mark.parametrize(
    ("locale", "text"), [("fr_FR", "01/03/2027"), ("en_US", "3/1/2027"), ("de_DE", "1. März 2027")]
)
def test_a_date_is_read_as_the_language_writes_it(locale: str, text: str) -> None:
    before = QLocale()
    try:
        QLocale.setDefault(QLocale(locale))
        assert date_from(text) == "2027-03-01"
    finally:
        QLocale.setDefault(before)


def test_a_value_may_be_declared_no_secret(proposed: MainWindow, idle: Idle) -> None:
    proposed.show_step(Step.QUESTIONS)
    page = proposed.page(Step.QUESTIONS)
    assert isinstance(page, QuestionsPage)
    assert "“positive” is secret" in page.secrets[0].text()
    page.secrets[0].click()
    page.do_primary()
    idle(proposed)
    assert proposed.session.plan is not None
    assert "positive" in proposed.session.plan.public_values["Result"]


def test_only_answers_that_somebody_gave_are_said_to_be_back(window: MainWindow, small_csv: Path, idle: Idle) -> None:
    page = window.page(Step.OPEN)
    for answered in (False, True):
        for _ in range(2):
            window.open_path(small_csv)
            idle(window)
            again = page.banner.isVisible()
        assert again is answered
        answers = window.session.answers
        window.session.answer(replace(answers, audience=replace(answers.audience, recipient="Health Office")), "who")
        idle(window)
