"""What happens meanwhile: another table, Stop, a folder that refuses. Each leaves the work, and one sentence."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLineEdit, QPlainTextEdit
from pytestqt.qtbot import QtBot

from splu_desktop.core.answer.conditions import Condition
from splu_desktop.gui.ask.page import AskPage
from splu_desktop.gui.base import parts
from splu_desktop.gui.base.parts import Busy
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.open.page import OpenPage
from splu_desktop.gui.publish.page import PublishPage
from splu_desktop.gui.questions.page import QuestionsPage
from splu_desktop.gui.report.page import ReportPage
from splu_desktop.gui.shell import appearance
from splu_desktop.gui.shell.main_window import MainWindow
from tests.gui.conftest import Idle


@pytest.fixture
def other(small_csv: Path) -> Path:
    """Another file with the same columns."""
    return Path(shutil.copy(small_csv, small_csv.with_name("other.csv")))


def ready(window: MainWindow, idle: Idle, folder: Path) -> PublishPage:
    window.show_step(Step.PUBLISH)
    idle(window)
    page = window.page(Step.PUBLISH)
    assert isinstance(page, PublishPage)
    page.outgoing.folder.setText(str(folder))
    return page


def settle(window: MainWindow, idle: Idle) -> None:
    for _ in range(3):
        idle(window)
        QApplication.processEvents()


def test_a_search_that_comes_no_nearer_to_its_end_shows_no_share(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    busy, now = Busy(), iter(range(100))
    qtbot.addWidget(busy)
    monkeypatch.setattr(parts.time, "monotonic", lambda: next(now) / 5)
    busy.begin("Trying ways to publish it")
    for _ in range(5):
        busy.show_progress("Trying ways", 0.5)
    assert (busy.bar.minimum(), busy.bar.maximum()) == (0, 0)  # Qt moves such a bar to and fro
    assert busy.stage.text() == "Trying ways"
    busy.show_progress("Working out the verdict", 0.4)
    assert busy.bar.value() / busy.bar.maximum() == 0.4
    assert busy.stage.text() == "Working out the verdict: 40 %"


def test_a_proposal_under_way_goes_with_its_table(opened: MainWindow, idle: Idle, other: Path) -> None:
    opened.page(Step.OPEN).do_primary()
    opened.page(Step.QUESTIONS).do_primary()
    opened.open_path(other)
    settle(opened, idle)
    assert opened.session.source is not None
    assert opened.session.source.name == "other.csv"
    assert opened.session.plan is None
    assert not opened.session.undo_name
    opened.show_step(Step.QUESTIONS)
    assert opened.page(Step.QUESTIONS).primary.isEnabled()


def test_a_release_written_meanwhile_is_not_taken_for_that_of_the_next_table(
    proposed: MainWindow, idle: Idle, other: Path, tmp_path: Path
) -> None:
    ready(proposed, idle, tmp_path / "out").do_primary()
    proposed.open_path(other)
    settle(proposed, idle)
    assert proposed.session.source is not None
    assert proposed.session.source.name == "other.csv"
    assert proposed.session.release is None
    assert not proposed.session.stale
    assert len(list((tmp_path / "out").iterdir())) == 1


def test_a_release_that_cant_be_opened_leaves_the_one_at_hand(proposed: MainWindow, idle: Idle, tmp_path: Path) -> None:
    ready(proposed, idle, tmp_path / "out").do_primary()
    settle(proposed, idle)
    proposed.show_step(Step.ASK)
    settle(proposed, idle)
    ask = proposed.page(Step.ASK)
    assert isinstance(ask, AskPage)
    ask.open_release(tmp_path)
    settle(proposed, idle)
    assert ask.room.isVisible()
    assert ask.banner.isVisible()


def test_what_is_stopped_leaves_the_work_and_no_file(
    opened: MainWindow, idle: Idle, small_csv: Path, tmp_path: Path
) -> None:
    reading, asking = opened.page(Step.OPEN), opened.page(Step.QUESTIONS)
    assert isinstance(reading, OpenPage)
    assert isinstance(asking, QuestionsPage)
    source = opened.session.source
    reading.open_file(small_csv)
    reading.busy.cancel.click()
    settle(opened, idle)
    assert opened.session.source is source
    assert reading.banner.kind == "note"
    reading.do_primary()
    asking.do_primary()
    QApplication.processEvents()
    stop = QApplication.focusWidget()
    assert stop is asking.busy.cancel
    QTest.keyClick(stop, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is stop, "else Qt gives it to the rail, where it stays"
    settle(opened, idle)
    assert opened.session.plan is None
    assert opened.step is Step.QUESTIONS
    focus = QApplication.focusWidget()
    assert focus is not None
    assert asking.isAncestorOf(focus)
    asking.do_primary()
    opened.show_step(Step.OPEN)
    settle(opened, idle)
    assert opened.session.plan is not None
    assert opened.step is Step.OPEN, "who looks at another page is not called away from it"
    publishing = ready(opened, idle, tmp_path / "out")
    publishing.do_primary()
    opened.work.cancel("publish")
    settle(opened, idle)
    assert opened.session.release is not None or not list((tmp_path / "out").iterdir())
    assert not publishing.banner.act_button.isVisible(), "Undo would take back a choice, and not the stop"


def test_a_folder_that_refuses_is_told_and_one_in_any_writing_taken(
    proposed: MainWindow, idle: Idle, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    page = ready(proposed, idle, tmp_path / "file" / "below")
    page.do_primary()
    settle(proposed, idle)
    assert page.banner.text.text() == "The folder can’t be made. Choose another one."
    page = ready(proposed, idle, tmp_path / "Ünï ☃ 测试 & <b>")
    page.do_primary()
    settle(proposed, idle)
    assert proposed.session.release is not None


def test_a_file_changed_meanwhile_is_not_published(
    proposed: MainWindow, idle: Idle, small_csv: Path, tmp_path: Path
) -> None:
    with small_csv.open("a") as file:
        file.write("P1,f,20,A,positive\n")
    page = ready(proposed, idle, tmp_path / "out")
    page.do_primary()
    settle(proposed, idle)
    assert "changed" in page.banner.text.text()
    assert not list((tmp_path / "out").iterdir())


def test_another_language_keeps_whatever_was_typed_and_not_yet_taken(proposed: MainWindow, idle: Idle) -> None:
    typed: dict[tuple[Step, int], list[str]] = {}
    parts = range(proposed.page(Step.EXPERT).list.count())  # type: ignore[attr-defined]
    places = [(step, at) for step in Step for at in (parts if step is Step.EXPERT else (0,))]

    def fields(step: Step, part: int) -> Iterator[QLineEdit | QPlainTextEdit]:
        proposed.show_step(step)
        proposed.page(Step.EXPERT).list.setCurrentRow(part)  # type: ignore[attr-defined]
        settle(proposed, idle)
        for each in (*proposed.page(step).findChildren(QLineEdit), *proposed.page(step).findChildren(QPlainTextEdit)):
            if each.isVisible() and each.isEnabled() and not isinstance(each.parent(), QComboBox | QAbstractSpinBox):
                yield each

    for place in sorted(places, key=lambda place: place[0] is Step.QUESTIONS):  # its answers lock what follows
        for at, field in enumerate(fields(*place)):
            words = f"typed by hand into {at}"
            QTest.keyClicks(field, words)
            typed.setdefault(place, []).append(words)
    publishing = proposed.page(Step.PUBLISH)
    assert isinstance(publishing, PublishPage)
    publishing.outgoing.packed.click()
    assert sum(map(len, typed.values())) > 12, typed
    before = proposed.page(Step.QUESTIONS)
    proposed.resize(683, 314)
    appearance.choose("dark")
    proposed.resize(1366, 698)
    proposed.change_language()
    while proposed.page(Step.QUESTIONS) is before:
        settle(proposed, idle)
    for place, each in typed.items():
        left = [field.text() if isinstance(field, QLineEdit) else field.toPlainText() for field in fields(*place)]
        assert not [words for words in each if not any(words in text for text in left)], (place, left)
    publishing = proposed.page(Step.PUBLISH)
    assert isinstance(publishing, PublishPage)
    assert publishing.outgoing.packed.isChecked()


def test_another_language_keeps_what_was_typed_and_asked(released: MainWindow, idle: Idle, qtbot: QtBot) -> None:
    released.show_step(Step.ASK)
    idle(released)
    ask = released.page(Step.ASK)
    assert isinstance(ask, AskPage)
    ask.one.show_question((Condition("Sex", ("f",)),))
    idle(released)
    ask.one.clear()
    released.show_step(Step.REPORT)
    idle(released)
    report = released.page(Step.REPORT)
    assert isinstance(report, ReportPage)
    report.own.radio.click()
    QTest.keyClicks(report.fields["organisation"], "General Hospital")
    released.change_language()
    qtbot.waitUntil(lambda: released.page(Step.REPORT) is not report)  # all pages are made anew
    report = released.page(Step.REPORT)
    qtbot.waitUntil(report.isVisible)
    assert isinstance(report, ReportPage)
    assert report.fields["organisation"].text() == "General Hospital"
    assert report.own.radio.isChecked()
    released.show_step(Step.ASK)
    settle(released, idle)
    ask = released.page(Step.ASK)
    assert isinstance(ask, AskPage)
    assert ask.one.model.rowCount() == 2, "what was cleared, and the first question"
    assert released.session.release is not None
    folder = released.session.release.content.path
    released.open_path(folder)
    settle(released, idle)
    assert released.session.release.source is released.session.source, "the release at hand keeps its table"
    assert report.fields["organisation"].text() == "General Hospital"
    released.session.undo()
    released.open_path(folder)  # made from other choices, so it comes as to anybody, without its table
    settle(released, idle)
    assert released.session.release.source is None
    released.show_step(Step.REPORT)
    settle(released, idle)
    assert not report.fields["organisation"].text(), "that was another one's"
    assert report.theirs.radio.isChecked()
