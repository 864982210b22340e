"""Beside other methods: what the custodian sees of a comparison, how it ends, and what it writes."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from pyqtgraph import TextItem
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from splu_desktop.compare.buckets.anatomy import Anatomy
from splu_desktop.compare.counts.laplace import Laplace
from splu_desktop.compare.ours.as_published import AsPublished
from splu_desktop.compare.ours.splu import Splu
from splu_desktop.compare.perturb.distribution import DistributionBased
from splu_desktop.compare.runner import Comparison
from splu_desktop.core.roles.suggest import Role
from splu_desktop.gui.base.models import ROW
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.compare import dialog as beside
from splu_desktop.gui.compare import figures
from splu_desktop.gui.compare.dialog import BesideDialog
from splu_desktop.gui.compare.figures import MethodShown
from splu_desktop.gui.compare.plot import _LETTER
from splu_desktop.gui.shell.main_window import MainWindow

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")

Idle = Callable[[MainWindow], None]


@pytest.fixture
def asked(opened: MainWindow, idle: Idle, monkeypatch: pytest.MonkeyPatch) -> BesideDialog:
    """The dialog over the plan, still at work."""
    monkeypatch.setattr(beside, "QUESTIONS", 120)
    monkeypatch.setattr(figures, "SYSTEMS", (Splu, AsPublished, Anatomy, DistributionBased, Laplace))
    opened.show_step(Step.PLAN)
    idle(opened)
    opened.plan_page.beside.click()
    (made,) = opened.plan_page.findChildren(BesideDialog)
    return made


@pytest.fixture
def compared(asked: BesideDialog, opened: MainWindow, idle: Idle) -> BesideDialog:
    """The dialog with the methods that are weighed first."""
    idle(opened)
    return asked


def rows(dialog: BesideDialog) -> list[MethodShown]:
    return [dialog.ordered.index(row, 0).data(ROW) for row in range(dialog.ordered.rowCount())]


def test_it_shows_the_plan_and_the_methods_weighed_first(compared: BesideDialog) -> None:
    shown = rows(compared)
    assert compared.stack.currentWidget() is compared.results
    assert shown[0].planned
    assert {each.name for each in shown} == {"plan", "splu", "anatomy", "laplace"}
    assert compared.table.rows_chosen() == [0]
    compared._read("")
    assert compared.readout.text().startswith("Square: this plan")
    compared.model.show(tuple(replace(each, achieved=None) if each.planned else each for each in shown))
    compared._read("")
    assert compared.readout.text().startswith("Dashed"), "no square where the plan could not be compared"
    compared.model.show(shown)
    for row in range(len(shown)):
        compared.table.selectRow(row)
        each = compared.ordered.index(row, 0).data(ROW)
        assert compared.sentences.text() == "\n\n".join(each.sentences)
        assert each.title in compared.heading.text()
        # What nobody could carry out says why; what could says what each reader makes of it.
        assert len(each.sentences) >= (2 if each.achieved is None else 4)
    compared.reject()


def test_a_method_chosen_by_the_picture_is_chosen_alone_whatever_keys_are_held(
    compared: BesideDialog, qtbot: QtBot
) -> None:
    for held in (Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier):
        compared.choose(0)
        qtbot.keyPress(compared.table, Qt.Key.Key_F9, held)
        compared.choose(1)
        qtbot.keyRelease(compared.table, Qt.Key.Key_F9, Qt.KeyboardModifier.NoModifier)
        (row,) = compared.table.rows_chosen()
        assert compared.ordered.index(row, 0).data(ROW).place == 1
    compared.reject()


def test_more_brings_all_other_methods_after_those_weighed_first(
    compared: BesideDialog, opened: MainWindow, idle: Idle
) -> None:
    before = [(each.name, each.setting) for each in rows(compared)]
    compared.more.click()
    idle(opened)
    after = [(each.name, each.setting) for each in rows(compared)]
    assert after[: len(before)] == before
    assert {name for name, _ in after[len(before) :]} == {"splu-as-published", "dbr"}
    compared.reject()


def test_the_time_for_each_method_is_what_the_comparison_gets(
    compared: BesideDialog, opened: MainWindow, idle: Idle, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[float] = []
    real = figures.compare

    def watched(*args: Any, limit: float, **words: Any) -> Comparison:
        given.append(limit)
        return real(*args, limit=limit, **words)

    monkeypatch.setattr(figures, "compare", watched)
    assert compared.limit.value() == beside.LIMIT
    compared.limit.setValue(90)
    idle(opened)
    assert given == [90.0]
    assert compared.stack.currentWidget() is compared.results
    compared.reject()


def test_the_only_bearers_risk_is_said_and_not_less_than_the_draws(compared: BesideDialog) -> None:
    plan = rows(compared)[0]  # gamma 5, and 38 diagnoses that one patient has
    assert plan.achieved is not None
    assert plan.achieved.insider_sole is not None
    assert plan.achieved.insider_sole >= 1 - (4 / 5) ** 5
    assert any("67 %".replace(" ", "\u00a0") in sentence for sentence in plan.sentences)
    column = [compared.model.fields[at].title for at in range(compared.model.columnCount())].index("Only bearer")
    assert not compared.table.isColumnHidden(column)
    compared.reject()


def test_plot_and_table_show_the_same_method(compared: BesideDialog, qtbot: QtBot) -> None:
    plot = compared.plot
    assert plot.accessibleDescription().count("large counts right") == len(plot.places())
    plot.setFocus()
    for _ in range(3):
        qtbot.keyClick(plot, Qt.Key.Key_Right)
    told = compared.readout.text()
    (row,) = compared.table.rows_chosen()
    assert rows(compared)[row].title in told
    assert rows(compared)[row].setting in told
    compared.reject()


def test_letters_lie_on_no_other_wherever_their_points_are(compared: BesideDialog) -> None:
    """Three methods that answer all at the same protection had their letters on one spot."""
    known = next(each for each in rows(compared) if each.achieved is not None)
    assert known.achieved is not None
    for right in (1.0, 0.5, 0.0):
        achieved = replace(known.achieved, answerable=right, colleague=0.1)
        many = [replace(known, name=letter, letter=letter, achieved=achieved) for letter in "ABCDEF"]
        compared.plot.draw(many, 0.07)
        where = [part.pos() for part in compared.plot._parts if isinstance(part, TextItem)]
        assert len(where) == len(many)
        for one, other in combinations(where, 2):
            assert abs(one.x() - other.x()) >= _LETTER[0] - 1e-9 or abs(one.y() - other.y()) >= _LETTER[1] - 1e-9
        assert all(-0.04 <= each.y() <= 1.1 for each in where)


def test_it_can_be_cancelled_and_asked_again(asked: BesideDialog, opened: MainWindow, idle: Idle) -> None:
    asked.busy.cancel.click()
    idle(opened)
    assert asked.stack.currentWidget() is asked.start
    assert not asked.save_button.isEnabled()
    asked.run()
    idle(opened)
    assert asked.stack.currentWidget() is asked.results
    asked.more.click()
    asked.busy.cancel.click()
    idle(opened)
    assert asked.stack.currentWidget() is asked.results
    # What is shown is still what was compared.
    assert not asked.more.isChecked()
    asked.reject()


def test_closing_it_ends_the_work(asked: BesideDialog, opened: MainWindow, qtbot: QtBot) -> None:
    asked.reject()
    assert not opened.tasks.busy("beside")
    qtbot.waitUntil(opened.tasks.idle)


def test_it_is_written_only_when_asked(compared: BesideDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = [each.name for each in rows(compared)]
    for ending in (".html", ".csv", ".json", ".svg", ".png"):
        before = set(tmp_path.rglob("*.*"))
        target = tmp_path / f"mine{ending}"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, target=target: (str(target), ""))
        compared.save_button.click()
        assert set(tmp_path.rglob("*.*")) - before == {target}
        assert compared.banner.kind == "done"
    said = csv.DictReader((tmp_path / "mine.csv").read_text("utf-8").splitlines())
    assert [line["method"] for line in said] == shown
    assert [each["system"] for each in json.loads((tmp_path / "mine.json").read_text("utf-8"))["tried"]] == shown
    assert (tmp_path / "mine.svg").read_text("utf-8").startswith("<svg")
    compared.save(tmp_path / "nowhere" / "mine.html")
    assert compared.banner.kind == "fault"
    assert "nowhere" in compared.banner.text.text()
    compared.reject()


def test_the_custodians_questions_are_asked_of_every_method(
    compared: BesideDialog, opened: MainWindow, idle: Idle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = tmp_path / "asked.csv"
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(asked), ""))
    asked.write_text("Nonsense\nF\n", "utf-8")
    compared.questions.click()
    idle(opened)
    assert compared.banner.kind == "fault"
    assert "Nonsense" in compared.banner.text.text()
    asked.write_text("Sex,Age\nf,\n", "utf-8")
    compared.questions.click()
    idle(opened)
    assert opened.session.source is not None
    sex = opened.session.source.imported.table["Sex"]
    truth = int((sex.labels[sex.codes] == "f").sum())
    for each in rows(compared):
        said = [line for text in each.sentences for line in text.splitlines() if line.startswith("Sex=f: ")]
        assert len(said) == (each.achieved is not None)
        assert all(line.endswith(f"truly {truth:,}") for line in said)
    titles = [field.title for field in compared.model.fields]
    assert {"Classifier", "pMSE", "Seconds", "MB"} <= set(titles)
    compared.reject()


def test_a_comparison_is_the_reports_until_the_choices_change(
    compared: BesideDialog, opened: MainWindow, idle: Idle
) -> None:
    session = opened.session
    shown = [(each.title, each.setting) for each in rows(compared)]
    compared.reject()
    assert [(each.system, each.parameter) for each in session.alternatives] == shown
    assert session.choices is not None
    assert {each.column for each in session.alternatives} == {session.choices.sensitive[0]}
    session.choose(session.choices.with_gamma(session.choices.sensitive, 2), "x")
    assert session.alternatives == ()
    session.undo_stack.undo()
    assert len(session.alternatives) == len(shown)


def test_a_plan_without_unchanged_columns_gets_a_sentence(
    opened: MainWindow, idle: Idle, monkeypatch: pytest.MonkeyPatch
) -> None:
    roles = dict.fromkeys(("Record number", "Sex", "Age", "Ward"), Role.DROPPED)
    opened.session.set_roles({**roles, "Diagnosis": Role.SA}, "x")
    opened.show_step(Step.PLAN)
    idle(opened)
    made = opened.plan_page.open_beside()
    assert made is not None
    idle(opened)
    assert made.banner.kind == "fault"
    assert "unchanged" in made.banner.text.text()
    made.reject()
