"""One question: built by pointing, answered with its range, true counts for the custodian alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QLineEdit, QScrollBar
from pytestqt.qtbot import QtBot

from splu_desktop.core.progress import Silent
from splu_desktop.core.published import Published
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import DEFAULT, Answer, Method, Reader
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.release.folder import OpenRelease
from splu_desktop.gui.query.answer_card import AnswerCard
from splu_desktop.gui.query.builder import QuestionBuilder
from tests.draws import plain
from tests.gui.query_fixtures import DIAGNOSES, Idle, Stage, custodian, folder, made, recipient, stage
from tests.gui.test_pages import CONTROLS
from tests.gui.test_pages import _named as named

__all__ = ["custodian", "folder", "made", "recipient", "stage"]

FLU_WOMEN = (Condition("Sex", ("f",)), Condition("Diagnosis", ("flu",)))


def test_true_counts_are_off_until_asked_for_and_are_never_copied(custodian: Stage, idle: Idle) -> None:
    true = 45  # every second of the 90 with flu
    one = custodian.query_page.one
    one.builder.set_conditions(FLU_WOMEN)
    custodian.query_page.act()
    idle(custodian)
    assert not one.truth_switch.isChecked()
    assert one.asked_model.rows[0].true is None
    assert not one.answer_card.true.isVisible()
    one.truth_switch.click()
    idle(custodian)
    assert one.asked_model.rows[0].true == true
    assert str(true) in one.answer_card.true.text()
    assert "custodian only" in one.answer_card.true.text()
    assert one.warning.isVisible()
    one.copy_list()
    copied = QGuiApplication.clipboard().text()
    assert "flu" in copied
    assert "custodian" not in copied
    assert not one.asked.isColumnHidden(one.asked.secret), "what is seen does not change by copying"
    one.truth_switch.click()
    assert one.asked_model.rows[0].true is None, "off means gone, not hidden"
    assert not one.answer_card.true.isVisible()


def test_true_counts_follow_ranges_and_values_that_vanished(custodian: Stage) -> None:
    asker = custodian.query_page.one.asker
    assert asker is not None
    truth = asker.truth(Silent())
    assert truth.count((Condition("Age", (), "21", "23"),)) == sum(1 <= at % 7 <= 3 for at in range(600))
    assert truth.count(()) == 600
    gone = next(text for text in DIAGNOSES if text not in asker.published.table["Diagnosis"].labels)
    assert truth.count((Condition("Diagnosis", (gone,)),)) == 1


def test_who_has_the_release_alone_sees_no_trace_of_true_counts(recipient: Stage) -> None:
    page = recipient.query_page
    assert not page.one.truth_switch.isVisible()
    assert not page.tabs.isTabVisible(page.tabs.indexOf(page.workload))


def test_the_advanced_door_shows_every_estimator(custodian: Stage, folder: OpenRelease, idle: Idle) -> None:
    one = custodian.query_page.one
    one.builder.set_conditions(FLU_WOMEN)
    one.ask()
    idle(custodian)
    one.advanced.click()
    idle(custodian)
    reader = Reader(folder.published)
    shown = {answer.method: answer.estimate for answer in one.estimators.model.rows}
    assert shown == {method: pytest.approx(reader.answer(FLU_WOMEN, method).estimate) for method in Method}
    assert one.estimators.chosen() is DEFAULT
    at = one.estimators.method.findData(Method.UNBIASED)
    one.estimators.method.setCurrentIndex(at)
    idle(custodian)
    assert one.asked_model.rows[0].answer.method is Method.UNBIASED
    assert len(one.asked_model.rows) == 1, "the same question again is no second question"


def test_no_answer_stands_beside_another_question(custodian: Stage, idle: Idle) -> None:
    one = custodian.query_page.one
    one.builder.set_conditions(FLU_WOMEN)
    one.ask()
    idle(custodian)
    assert one.answer_card.figure.isVisible()
    one.builder.remove_condition("Sex")
    assert not one.answer_card.figure.isVisible()
    one.ask()
    idle(custodian)
    assert [len(asked.answer.conditions) for asked in one.asked_model.rows] == [1, 2]
    one.asked.setCurrentIndex(one.asked_model.index(1, 0))
    one.ask_again()
    idle(custodian)
    assert one.builder.conditions() == FLU_WOMEN
    assert one.answer_card.figure.isVisible()


def test_a_range_that_cannot_be_read_is_told_at_once(custodian: Stage) -> None:
    one = custodian.query_page.one
    one.builder.show_column("Age")
    one.builder.low.setText("twenty")
    one.builder.low.textEdited.emit("twenty")
    assert "not a number" in one.builder.problem.text()
    assert not custodian.query_page.primary.isEnabled()
    one.builder.low.setText("21")
    one.builder.low.textEdited.emit("21")
    assert not one.builder.problem.isVisible()
    assert custodian.query_page.primary.isEnabled()
    assert one.question.text() == "How many records: Age is 21 or more?"


def test_values_are_found_by_typing_among_thousands(qtbot: QtBot) -> None:
    m = 5_000
    labels = np.array([f"code {at:04}" for at in range(m)], object)
    codes = np.repeat(np.arange(m, dtype=np.int32), 2)
    column = Column("Procedure", Kind.CATEGORY, codes, labels, np.zeros(m, bool))
    builder = QuestionBuilder()
    qtbot.addWidget(builder)
    builder.show_release(Published(Table((column,)), plain({"Procedure": 5})))
    builder.take_counts({"Procedure": column.counts()})
    assert builder.values_model.rowCount() == m
    qtbot.keyClicks(builder.search, "431 co")
    assert [builder.values_model.index(row, 0).data() for row in range(builder.values_model.rowCount())] == [
        f"code {at:04}" for at in range(m) if "431" in f"{at:04}"
    ]
    builder.tick_all.click()
    assert len(builder.conditions()[0].values) == builder.values_model.rowCount()
    builder.tick_none.click()
    assert builder.conditions() == ()
    builder.search.setText("code 4310")
    qtbot.keyClick(builder.search, Qt.Key.Key_Return)
    assert builder.conditions() == (Condition("Procedure", ("code 4310",)),)
    assert "2 published records" in builder.note.text()
    builder.search.clear()
    builder.values.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    assert builder.values_model.index(0, 1).data() == "2"


def test_the_card_shows_a_range_and_no_figure_where_the_count_may_be_small(qtbot: QtBot) -> None:
    card = AnswerCard()
    qtbot.addWidget(card)
    wide = Answer((), 347, 380.0, 0.0, 822.0, DEFAULT, 4296, 9.0, 3, 380.0)
    card.show_answer(wide)
    assert card.figure.text() == "0 to 822"
    assert card.badge.text() == "uncertain"
    assert "380" not in card.share.text()
    card.show_answer(replace(wide, published=2, estimate=2.0, high=7.0))
    assert card.badge.text() == "protected"
    assert "small" in card.badge_more.text()
    card.show_answer(replace(wide, estimate=380.0, low=350.0, high=410.0))
    assert card.badge.text().startswith("reliable")
    assert card.caution.isHidden()
    card.by_person = True
    card.show_answer(wide)
    assert not card.caution.isHidden()
    assert "80 to 93" in card.caution.text()


def test_a_locked_zip_asks_for_its_password(
    custodian: Stage, folder: OpenRelease, idle: Idle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyzipper

    path = tmp_path / "release.zip"
    with pyzipper.AESZipFile(path, "w", encryption=pyzipper.WZ_AES) as packed:
        packed.setpassword(b"right")
        for file in folder.folder.iterdir():
            packed.write(file, f"release/{file.name}")
    asked: list[str] = []

    def password(words: str) -> str | None:
        asked.append(words)
        return {1: "wrong", 2: "right"}.get(len(asked))

    page = custodian.query_page
    monkeypatch.setattr(page, "ask_password", password)
    page.open_release(path)
    idle(custodian)
    assert len(asked) == 2
    assert page.session.release is not None
    assert page.session.release.folder == path
    assert page.session.release.password == "right"
    assert "right" not in repr(page.session.release)


def test_every_control_of_every_way_of_asking_has_a_name_and_can_be_reached(custodian: Stage, idle: Idle) -> None:
    page = custodian.query_page
    for tab in (page.one, page.crosstab, page.many, page.workload):
        page.tabs.setCurrentWidget(tab)
        page.act() if page.primary.isEnabled() else None
        idle(custodian)
        for kind in CONTROLS:
            for widget in tab.findChildren(kind):
                inside = isinstance(widget.parent(), (QComboBox, QAbstractItemView, QLineEdit))
                own = not isinstance(widget, QScrollBar) and not widget.objectName().startswith("qt_")
                if inside or not own or not widget.isVisible() or type(widget).__name__ == "QHeaderView":
                    continue
                where = f"{type(tab).__name__}: {type(widget).__name__} {widget.toolTip()}"
                assert named(widget), where
                if widget.isEnabled():
                    assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus, f"{where} can't be reached by Tab"
