"""Files of questions, and the workload that measures the answers."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from splu_desktop.core.query.reader import Condition, Reader
from splu_desktop.core.query.workload import bands_of
from splu_desktop.files.release.folder import OpenRelease
from tests.gui.query_fixtures import DIAGNOSES, Idle, Stage, custodian, folder, made, recipient, stage

__all__ = ["custodian", "folder", "made", "recipient", "stage"]

QUESTIONS = "Sex,Age,Diagnosis\nf,,flu\n,21..23,gout|asthma\nm,,\n,,no such disease\n"


def test_a_file_of_questions_is_answered_row_by_row(
    recipient: Stage, folder: OpenRelease, idle: Idle, tmp_path: Path
) -> None:
    asked = tmp_path / "asked.csv"
    asked.write_text(QUESTIONS, encoding="utf-8")
    page = recipient.query_page
    page.tabs.setCurrentWidget(page.many)
    assert not page.primary.isEnabled()
    page.many.open_file(asked)
    idle(recipient)
    assert page.primary.text() == "Answer 4 questions"
    assert not page.many.save_button.isEnabled()
    page.act()
    idle(recipient)
    page.many.save(tmp_path / "answers.csv")
    idle(recipient)
    assert page.banner.kind == "done"
    with (tmp_path / "answers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    reader = Reader(folder.published)
    for row, shown in zip(rows[:3], page.many.model.rows, strict=False):
        expected = reader.answer(shown.conditions)
        assert float(row["estimate"]) == pytest.approx(expected.estimate)
        assert int(row["published"]) == expected.published
    assert rows[2]["badge"] == "exact"
    assert rows[3]["published"] == "0"
    assert rows[3]["note"]


def test_a_bad_row_is_told_and_the_others_are_answered(custodian: Stage, idle: Idle, tmp_path: Path) -> None:
    asked = tmp_path / "asked.csv"
    asked.write_text("Sex,Age\nf,\nf,spring\nm,\n", encoding="utf-8")
    page = custodian.query_page
    page.tabs.setCurrentWidget(page.many)
    page.many.open_file(asked)
    idle(custodian)
    assert page.primary.text() == "Answer 2 questions"
    page.act()
    idle(custodian)
    assert "1 can't be understood" in page.many.title.text()
    page.many.truth_switch.setChecked(True)
    idle(custodian)
    first, bad, last = page.many.model.rows
    assert first.answer is not None
    assert last.answer is not None
    assert bad.answer is None
    assert (first.true, bad.true, last.true) == (first.answer.published, None, last.answer.published)
    shown = [page.many.model.index(1, column).data() for column in range(page.many.model.columnCount())]
    assert "spring" in shown[1]
    assert shown[3] == "bad"
    page.many.save(tmp_path / "answers.csv")
    idle(custodian)
    with (tmp_path / "answers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["badge"] for row in rows] == ["exact", "bad", "exact"]
    assert "spring" in rows[1]["note"]


@pytest.mark.parametrize(
    ("content", "words"), [("Sex,Aeg\nf,2\n", "row 1"), ("Age\n20..x\n", "row 2, column “Age”"), ("", "empty")]
)
def test_a_bad_file_is_told_with_its_row_and_column(
    recipient: Stage, idle: Idle, tmp_path: Path, content: str, words: str
) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text(content, encoding="utf-8")
    page = recipient.query_page
    page.many.open_file(bad)
    idle(recipient)
    assert page.banner.kind == "fault"
    assert words in page.banner.text.text()
    assert page.many.stack.currentWidget() is page.many.start


def test_answering_can_be_cancelled_and_keeps_the_questions(
    recipient: Stage, idle: Idle, qtbot: QtBot, tmp_path: Path
) -> None:
    asked = tmp_path / "asked.csv"
    asked.write_text(QUESTIONS, encoding="utf-8")
    many = recipient.query_page.many
    many.open_file(asked)
    idle(recipient)
    assert many.asker is not None
    with many.asker.lock:
        job = many.answer_all()
        assert job is not None
        many.busy.cancel.click()
    with qtbot.waitSignal(job.stopped):
        pass
    assert many.stack.currentWidget() is many.table
    assert many.model.rowCount() == 4
    assert many.model.rows[0].answer is None


def test_the_form_can_be_asked_as_it_is(recipient: Stage, idle: Idle, tmp_path: Path) -> None:
    many = recipient.query_page.many
    many.save_template(tmp_path / "form.csv")
    idle(recipient)
    many.open_file(tmp_path / "form.csv")
    idle(recipient)
    assert many.model.rowCount() == 1
    assert len(many.model.rows[0].conditions) == 4


def test_the_workload_is_judged_by_the_source(custodian: Stage, idle: Idle) -> None:
    page = custodian.query_page
    page.tabs.setCurrentWidget(page.workload)
    page.workload.amount.setCurrentIndex(0)
    page.act()
    idle(custodian)
    assert page.workload.stack.currentWidget() is page.workload.results, page.banner.text.text()
    shown = page.workload._accuracy
    assert shown is not None
    assert page.workload.model.rowCount() == 6
    assert shown.total == shown.queries.sum() > 100
    # Counts of 1 to 10 are one band, and the plot beside it splits the same questions by their true count.
    assert (bands_of(np.arange(1, 11), 600) == 0).all()
    assert shown.asked.sum() == shown.queries[0]
    # A promise of at least T_P = 0.59 about counts of 1 to 3, over the questions there are. They hang together, since
    # all are about the same few rare records of one release; that fewer than four in ten are wrong is far below 1 %.
    small = np.average(np.nan_to_num(shown.wrong[:3]), weights=shown.asked[:3])
    assert small > 0.4
    assert "custodian" not in page.workload.small_plot.accessibleDescription()
    assert "A true count of 1" in page.workload.small_plot.accessibleDescription()


def test_true_answers_are_for_the_custodian_alone(custodian: Stage, idle: Idle, tmp_path: Path) -> None:
    asked = tmp_path / "asked.csv"
    asked.write_text(QUESTIONS, encoding="utf-8")
    many = custodian.query_page.many
    custodian.query_page.tabs.setCurrentWidget(many)
    many.open_file(asked)
    idle(custodian)
    many.truth_switch.setChecked(True)
    idle(custodian)
    true = [
        45,
        sum(20 + at % 7 in (21, 22, 23) and what in ("gout", "asthma") for at, what in enumerate(DIAGNOSES)),
        300,
        0,
    ]
    assert [row.true for row in many.model.rows] == true
    many.answer_all()
    idle(custodian)
    assert [row.true for row in many.model.rows] == true
    assert all(row.answer is not None for row in many.model.rows)
    assert not many.view.isColumnHidden(many.view.secret)
    many.view.selectAll()
    many.view.copy()
    assert "custodian" not in QGuiApplication.clipboard().text()
    many.save(tmp_path / "answers.csv")
    idle(custodian)
    with (tmp_path / "answers.csv").open(encoding="utf-8", newline="") as file:
        assert not any("true" in name for name in next(csv.reader(file)))
    many.truth_switch.setChecked(False)
    assert [row.true for row in many.model.rows] == [None] * 4
    assert many.view.isColumnHidden(many.view.secret)


def test_draws_are_repeated_where_asked(recipient: Stage, idle: Idle) -> None:
    one = recipient.query_page.one
    one.builder.set_conditions((Condition("Sex", ("f",)), Condition("Diagnosis", ("measles", "rabies"))))
    one.ask()
    idle(recipient)
    assert not one.asked_model.rows[0].answer.bootstrapped
    one.estimators.repeat.setChecked(True)
    idle(recipient)
    assert one.asked_model.rows[0].answer.bootstrapped
    assert "repeating the draw" in one.answer_card.bar_note.text()
    assert not one.answer_card.repeating.isVisible()


def test_a_button_that_cannot_be_pressed_says_why(recipient: Stage, idle: Idle, tmp_path: Path) -> None:
    page = recipient.query_page
    for tab in (page.one, page.many):
        words, able, why = tab.offer()
        assert words
        assert able or why
    (tmp_path / "bad.csv").write_text("Age\nspring\n", encoding="utf-8")
    page.tabs.setCurrentWidget(page.many)
    page.many.open_file(tmp_path / "bad.csv")
    idle(recipient)
    assert not page.primary.isEnabled()
    assert page.many.offer()[2]
