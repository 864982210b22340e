"""The page Proposal: what a person sees of a plan, and does to it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLabel,
    QPushButton,
    QStyleOptionComboBox,
    QStyleOptionViewItem,
    QWidget,
)
from pytestqt.qtbot import QtBot

from splu_desktop.core.answer.answer import HIDDEN, READABLE, ROUGH
from splu_desktop.core.mechanism import Block, DecoyGroups, Draw, Lenders
from splu_desktop.core.messages import cases_of_100
from splu_desktop.core.policy import RED, TOO_SMALL, USEFUL, verdict
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.roles import Role
from splu_desktop.core.sanitise import prepare
from splu_desktop.core.table import Table
from splu_desktop.gui.base.choices import Choice
from splu_desktop.gui.base.messages import one_in, persons_of, rows_of, value_words
from splu_desktop.gui.base.session import Answers, Step
from splu_desktop.gui.proposal import plots
from splu_desktop.gui.proposal.figures import band_figures
from splu_desktop.gui.proposal.offer import Offer
from splu_desktop.gui.proposal.page import ProposalPage
from splu_desktop.gui.proposal.preview import RangeLine, preview
from splu_desktop.gui.proposal.ranges import RangeTable
from splu_desktop.gui.proposal.steps import steps_of
from splu_desktop.gui.questions.page import QuestionsPage
from splu_desktop.gui.shell import languages
from splu_desktop.gui.shell.main_window import MainWindow
from splu_desktop.report.book.document import PrintedBook
from splu_desktop.report.book.printed_book import Figure, Line, PrintedTable
from splu_desktop.report.book.tables import BookTable
from tests.core.risk_tables import coded, plan_for
from tests.gui.conftest import Idle


def proposal(window: MainWindow, idle: Idle, qtbot: QtBot) -> ProposalPage:
    window.show_step(Step.PROPOSAL)
    idle(window)
    page = window.page(Step.PROPOSAL)
    assert isinstance(page, ProposalPage)
    qtbot.waitUntil(lambda: page.slider.isEnabled() and not page.rest.isActive() and not window.work.busy())
    return page


def test_ranges_hold_the_true_counts_and_both_plots_are_in_sight(
    proposed: MainWindow, idle: Idle, qtbot: QtBot
) -> None:
    page = proposal(proposed, idle, qtbot)
    lines = page.ranges.lines_model.rows
    assert [line.group for line in lines[:-1]] == ["f, A", "f, B", "f, C", "m, A", "m, B", "m, C"]
    assert all(line.low <= line.truth <= line.high for line in lines)
    assert lines[-1].total
    assert lines[-1].truth == sum(line.truth for line in lines[:-1])
    for size in ((1366, 698), (911, 442)):
        proposed.resize(*size)
        idle(proposed)
        for plot in (page.large, page.small):
            assert plot.visibleRegion().boundingRect().height() == plot.height() > 60
    assert page.large.accessibleDescription().startswith("Counts of ")


def test_groups_that_begin_alike_are_told_apart_however_long_they_are(qtbot: QtBot) -> None:
    around, view = QWidget(), RangeTable()
    qtbot.addWidget(around)
    view.setParent(around)
    around.show()
    names = [f"Endocrine, nutritional and metabolic diseases; {end}" for end in ("Female, 20 to 59", "Male, 20 to 59")]
    for width in (470, 560, 800):
        view.resize(width, 300)
        view.show_lines([RangeLine(name, 10.0, 5.0, 15.0, "readable") for name in names], mean=False)
        view.show()
        drawn = []
        for index in (view.model().index(row, 0) for row in range(2)):
            option = QStyleOptionViewItem()
            view.initViewItemOption(option)
            option.rect = view.visualRect(index)
            view.itemDelegateForColumn(0).initStyleOption(option, index)
            drawn.append(option.text)
            high = option.fontMetrics.boundingRect(
                QRect(0, 0, option.rect.width() - 22, 999), int(Qt.TextFlag.TextWordWrap), option.text
            ).height()
            assert high <= 2 * option.fontMetrics.lineSpacing() + 2
        assert [text.partition("; ")[2] for text in drawn] == [name.partition("; ")[2] for name in names]


def test_a_plot_is_read_by_keys_and_mouse_and_goes_along_without_the_true_counts(
    proposed: MainWindow, idle: Idle, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plot, said = proposal(proposed, idle, qtbot).large, [""]
    monkeypatch.setattr(plots, "show_tip", lambda widget, at, words: said.append(words))
    plot.setFocus()
    QTest.keyClick(plot, Qt.Key.Key_Right)
    assert said[-1].startswith("In at most 5.3\xa0% of releases wrong by 30\xa0% or more: counts of ")
    assert said[-1].endswith(" patients and more"), "where persons are drawn, they are what is counted"
    QTest.keyClick(plot, Qt.Key.Key_Right)
    assert said[-1].startswith("In at most 5.8\xa0%")
    QTest.mouseMove(plot, QPoint(plot.width() - 30, plot.height() // 3))
    assert re.match(r"In at most [3-5]\d", said[-1])
    QTest.mouseMove(plot, QPoint(1, 1))
    shown = plot.grab().toImage()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "plot.png"), ""))
    plot.ask_where()
    picture = QImage.fromData((tmp_path / "plot.png").read_bytes())
    middle, right = plot.width() // 2, plot.width() - 1
    beside = [(x, y) for x in range(right - 60, right - 12) for y in range(10, plot.height() - 40)]
    assert any(picture.pixel(x, y) != shown.pixel(x, y) for x, y in beside)
    assert picture.copy(0, 0, middle, plot.height()) != picture.copy(middle, 0, middle, plot.height())
    plot.copy_picture()
    assert QGuiApplication.clipboard().image() == picture.convertToFormat(shown.format())
    assert plot.grab().toImage() == shown


def test_the_slider_moves_figures_at_once_and_a_drag_is_one_step(
    proposed: MainWindow, idle: Idle, qtbot: QtBot
) -> None:
    page, session = proposal(proposed, idle, qtbot), proposed.session
    first, wide = session.plan, page.ranges.lines_model.rows[0].high - page.ranges.lines_model.rows[0].low
    assert first is not None
    page.slider.setFocus()
    for _ in range(3):
        QTest.keyClick(page.slider, Qt.Key.Key_Left)
    assert page.gamma.value() > first.gamma
    assert session.plan is not None
    assert session.plan.gamma == page.gamma.value()
    line = page.ranges.lines_model.rows[0]
    assert line.high - line.low > wide
    idle(proposed)
    session.undo()
    assert session.plan == first
    assert page.gamma.value() == first.gamma


def test_undo_of_a_line_takes_it_back_alone_and_the_verdict_answers(
    proposed: MainWindow, idle: Idle, qtbot: QtBot
) -> None:
    page, session = proposal(proposed, idle, qtbot), proposed.session
    before = session.plan
    acts = [part for part in page.steps.findChildren(QPushButton) if part.accessibleName().startswith("Undo: ")]
    name = acts[0].accessibleName()
    acts[0].setFocus()
    acts[0].click()
    idle(proposed)
    qtbot.wait(1)  # what the list held goes with the next turn
    focus = QApplication.focusWidget()
    assert focus is not None
    assert page.isAncestorOf(focus), "the link that had the focus is gone; the rail is not where one goes on"
    assert session.plan != before
    assert all(part.accessibleName() != name for part in page.steps.findChildren(QPushButton))
    assert session.verdict is not None
    if any(line.state == RED for line in session.verdict.open):
        assert not page.primary.isEnabled()
    session.undo()
    assert session.plan == before


def test_other_ways_call_for_nothing_while_a_good_proposal_is_worked_out(
    proposed: MainWindow, idle: Idle, qtbot: QtBot
) -> None:
    page = proposal(proposed, idle, qtbot)
    page._preview = None
    page._show_figures()
    assert not page.primary.isEnabled()
    page._show_ways()
    assert not [card for card in page.ways.cards if card.use.property("look") == "primary"]


def test_what_is_reached_has_one_figure_in_bar_sentence_and_line(
    proposed: MainWindow, idle: Idle, qtbot: QtBot
) -> None:
    page, verdict = proposal(proposed, idle, qtbot), proposed.session.verdict
    assert verdict is not None
    said = {line.name: str(line.sentence) for line in verdict.lines}
    sure = verdict.figures.certainty
    average, riskiest = (f"{cases_of_100(share)} in 100" for share in (sure.average, sure.riskiest))
    assert band_figures(verdict, "rows")[2][1] == f"{average} right"
    assert f" {average} " in said["certainty"]
    assert f" {riskiest} " in said["riskiest-group"]
    assert page.sentence.text().startswith(
        f"A row that shows a secret is right in {average.replace('in', 'of')} cases; "
        f"in the riskiest group of {persons_of(proposed.session.plan)} in {riskiest.split()[0]}."
    )


def test_another_way_is_taken_whole(proposed: MainWindow, idle: Idle, qtbot: QtBot) -> None:
    page, session = proposal(proposed, idle, qtbot), proposed.session
    before = session.plan
    assert page.ways.cards
    page.ways.cards[0].use.click()
    idle(proposed)
    assert session.plan != before
    session.undo()
    assert session.plan == before


def test_a_way_with_other_tables_changes_the_answers_too(proposed: MainWindow) -> None:
    session, plan = proposed.session, proposed.session.plan
    assert plan is not None
    fewer = (replace(plan.questions[0], by=()),)
    session.change_plan(replace(plan, questions=fewer), "totals only")
    assert session.answers.questions == fewer
    assert not session.has_new_answers
    session.undo()
    assert session.answers.questions == plan.questions


def test_a_table_too_small_for_rows_is_handed_out_as_tables(
    window: MainWindow, idle: Idle, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    rows = [f"P{i:03},{'fm'[i % 2]},{20 + i % 60},{'died' if rng.random() < 0.2 else 'lived'}" for i in range(200)]
    path = tmp_path / "icu.csv"
    path.write_text("\n".join(["Patient number,Sex,Age,Outcome", *rows]) + "\n", encoding="utf-8")
    window.open_path(path)
    idle(window)
    window.show_step(Step.QUESTIONS)
    asked = (AskedTable("Outcome", "died", ("Age",)), AskedTable("Outcome", "died", ("Sex",)))
    window.session.answer(replace(window.session.answers, questions=asked), "the tables")
    window.page(Step.QUESTIONS).do_primary()
    idle(window)
    page = proposal(window, idle, qtbot)
    assert window.session.verdict is not None
    assert window.session.verdict.state == TOO_SMALL
    assert "other questions" not in page.sentence.text(), "beside “too small” all of a few say nothing"
    assert page.offer.isVisible()
    assert not page.tables.isVisible()
    assert not page.primary.isEnabled()
    target = tmp_path / "tables.xlsx"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    qtbot.waitUntil(page.offer.make.isEnabled)
    plan = window.session.plan
    assert plan is not None
    window.session.change_plan(plan.with_role("Sex", Role.DROPPED), "without sex")
    assert not page.offer.make.isEnabled(), "the tables of the plan before are not those of this one"
    window.session.undo()
    qtbot.waitUntil(page.offer.make.isEnabled)
    page.offer.make.click()
    idle(window)
    assert target.exists()


@pytest.mark.qt_log_ignore("propagateSizeHints")
@pytest.mark.parametrize("values", [1, 60])
def test_hidden_counts_of_protected_tables_take_one_line_of_a_group(qtbot: QtBot, values: int) -> None:
    def figure(n: int) -> Figure:
        return Figure(n, max(n - 4, 0), n + 4, HIDDEN if n < 10 else READABLE, n)

    labels = tuple(f"I{at:02}" for at in range(values))
    counts = [40, 12, *range(8)] * 60
    groups = [(f"Ward {at:02}",) for at in range(60 if values == 1 else 2)]
    lines = []
    for at, group in enumerate([*groups, ()]):
        cells = [(figure(counts[at + each] if group else 90), figure(200)) for each in range(values)]
        lines.append(Line(group, figure(200), tuple(cells)))
    table = PrintedTable(BookTable("Diagnosis", by=("Ward",)), ("Ward",), labels, tuple(lines))
    offer = Offer()
    qtbot.addWidget(offer)
    offer.resize(600, 300)
    offer.show_tables(PrintedBook("protected", (table,)))
    offer.show()
    QApplication.processEvents()
    texts = [each.text().strip() for each in offer.room.widget().findChildren(QLabel)]
    assert not [each for each in texts if each.startswith("hidden (")]
    folded = [int(each.removeprefix("hidden: ")) for each in texts if each.startswith("hidden: ")]
    cells = [cell for line in lines for cell, _ in line.cells]
    assert sum(folded) == sum(each.trust == HIDDEN for each in cells)
    assert len(folded) == (1 if values == 1 else len(groups))
    assert sum(each.endswith("(36–44)") for each in texts) == sum(each.number == 40 for each in cells)
    offer.room.setFocus()
    QTest.keyClick(offer.room, Qt.Key.Key_PageDown)
    assert offer.room.verticalScrollBar().value() > 0, "nothing inside takes keys"
    offer.resize(240, 300)
    QApplication.processEvents()
    beyond = offer.room.widget().minimumSizeHint().width() - offer.room.viewport().width()
    assert offer.room.horizontalScrollBar().maximum() >= beyond, "a figure that is cut is another figure"


@pytest.mark.parametrize("code", ["en", "de", "fr"])
def test_no_figure_is_cut_once_another_strength_makes_it_longer(qapp: QApplication, qtbot: QtBot, code: str) -> None:
    languages.speak(qapp, code)
    table = RangeTable()
    qtbot.addWidget(table)
    table.resize(560, 300)
    for trust, high in ((READABLE, 90.0), (ROUGH, 1_234.0), (HIDDEN, 12_345_678.0)):
        table.show_lines([RangeLine("men", 80.0, 70.0, high, trust)], mean=False)
        for at in (1, 3, 4):
            field = table.lines_model.fields[at]
            needed = table.fontMetrics().horizontalAdvance(field.text(table.lines_model.rows[0]))
            needed += 16 + (22 if field.picture else 0)  # what stands around it
            assert table.columnWidth(at) >= needed, f"{field.title} {trust}"
    languages.speak(qapp, "en")


def test_groups_that_we_made_are_shown_in_the_windows_language(qapp: QApplication) -> None:
    languages.speak(qapp, "de")
    shown = [value_words(each) for each in ("below 16", "16 to 39", "40 and more", "Heart failure", "16-39", "")]
    languages.speak(qapp, "en")
    assert shown == ["unter 16", "16 bis 39", "40 und mehr", "Heart failure", "16-39", "(leer)"]


def test_names_of_columns_stand_whole_in_the_questions(window: MainWindow, idle: Idle, tmp_path: Path) -> None:
    """At 1366 pixels a name of thirty letters has room; only longer ones end in dots."""
    names = (
        "Number of the patient in study",
        "Department of first admission",
        "Sex at birth",
        "Result of the first culture",
    )
    rows = [f"P{at:05},{'ABC'[at % 3]},{'fm'[at % 2]},{('positive', 'negative')[at % 4 > 0]}" for at in range(900)]
    path = tmp_path / "cultures.csv"
    path.write_text("\n".join([",".join(names), *rows]) + "\n", encoding="utf-8")
    window.open_path(path)
    idle(window)
    asked = (AskedTable(names[3], "positive", (names[1], names[2])),)
    window.session.answer(replace(window.session.answers, person=names[0], questions=asked), "the tables")
    window.show_step(Step.QUESTIONS)
    idle(window)
    boxes = [each for each in window.page(Step.QUESTIONS).findChildren(Choice) if each.isVisible()]
    assert {each.currentText() for each in boxes} >= {*names}
    for box in boxes:
        option = QStyleOptionComboBox()
        box.initStyleOption(option)
        assert option.currentText == box.currentText()


@pytest.mark.parametrize("row_word", ["", "a patient", "a stay", "a case"])
def test_what_is_counted_has_one_word(row_word: str) -> None:
    """Where no column names the person all figures count rows, and so does the button that publishes them."""
    alone, named = Answers(row_word=row_word), Answers(row_word=row_word, person="id")
    assert rows_of(200, alone) == f"200 {persons_of(alone)}" == "200 rows"
    words = {"a patient": "200 patients", "a stay": "200 stays"}
    assert (rows_of(200, named), persons_of(named)) == (words.get(row_word, "200 rows"), "patients")


@pytest.mark.parametrize("draws", [(Lenders(4), Lenders(12)), (DecoyGroups(4),)], ids=["two strengths", "groups"])
def test_each_stop_says_what_the_verdict_will_of_any_draw(qapp: QApplication, draws: tuple[Draw, ...]) -> None:
    names = ("finding", "ward")[: len(draws)]
    rng = np.random.default_rng(3)
    columns = {"sex": rng.integers(0, 2, 900), "finding": rng.integers(0, 30, 900), "ward": rng.integers(0, 5, 900)}
    table = Table(tuple(coded(name, codes) for name, codes in columns.items()))
    plan = plan_for(table, [[name] for name in names])
    plan = replace(plan, blocks=tuple(Block((name,), draw) for name, draw in zip(names, draws, strict=True)))
    made = preview(ready := prepare(table, plan), verdict(ready, plan), plan)
    for gamma in (plan.gamma, 7):
        stop, own = made.stops[made.place(gamma)], plan if gamma == plan.gamma else plan.with_gamma(gamma)
        sure = verdict(table, own).figures.certainty
        assert (stop.gamma, stop.average, stop.riskiest) == (gamma, sure.average, sure.riskiest)


def test_risks_are_said_rounded_up() -> None:
    assert [one_in(share) for share in (1 / 3, 0.334, 0.5, 0.58, 0.001, 0.985, 1.0)] == [
        "1 in 3", "7 in 20", "1 in 2", "58 in 100", "1 in 100", "99 in 100", "1 in 1"
    ]  # fmt: skip
    for share in np.linspace(0.01, 1, 200):
        part, whole = one_in(float(share)).split(" in ")
        assert int(part) / int(whole) >= share


def test_a_good_proposal_leads_on_to_publish(proposed: MainWindow, idle: Idle, qtbot: QtBot) -> None:
    page = proposal(proposed, idle, qtbot)
    verdict = proposed.session.verdict
    assert verdict is not None
    assert verdict.state == USEFUL, verdict.sentence
    page.do_primary()
    assert proposed.step is Step.PUBLISH


def test_a_plan_without_a_proposal_says_what_it_does(proposed: MainWindow, idle: Idle, qtbot: QtBot) -> None:
    plan = proposed.session.plan
    assert plan is not None
    kinds = {step.name for step in steps_of(plan)}
    assert {"secret", "names-persons", "strength"} <= kinds
    for step in steps_of(plan):
        if step.undo is not None:
            assert step.column not in step.undo(plan).generalisations


def test_steps_tell_what_the_plan_does_now_not_what_the_proposal_did(
    proposed: MainWindow, idle: Idle, qtbot: QtBot
) -> None:
    proposal(proposed, idle, qtbot)
    proposed_by, verdict = proposed.session.proposal, proposed.session.verdict
    assert proposed_by is not None
    assert verdict is not None
    plan = proposed_by.plan
    assert {str(step.words) for step in proposed_by.steps} == {
        str(step.words) for step in steps_of(plan, proposed_by, verdict.figures)
    }
    done = next(step for step in proposed_by.steps if step.undo is not None)
    assert done.undo is not None
    other = done.undo(plan.with_role(plan.nsas[0], Role.DROPPED)).with_gamma(plan.gamma + 1)
    words = [str(step.words) for step in steps_of(other, proposed_by)]
    assert str(done.words) not in words
    assert f"“{plan.nsas[0]}”: left out." in words
    assert f"One row in {plan.gamma + 1:g} keeps its own value." in words


def test_the_boxes_show_the_tables_that_are_asked_for_also_by_a_date_of_birth(
    window: MainWindow, idle: Idle, tmp_path: Path
) -> None:
    rng = np.random.default_rng(5)
    born = np.datetime64("1935-01-01") + rng.integers(0, 27_000, 1_500)
    rows = [f"{'fm'[at % 2]},{day},{rng.choice(['I50', 'J18', 'E11'])}" for at, day in enumerate(born)]
    path = tmp_path / "births.csv"
    path.write_text("\n".join(["sex,date of birth,diagnosis", *rows]) + "\n", encoding="utf-8")
    window.open_path(path)
    idle(window)
    window.show_step(Step.QUESTIONS)
    page, asked = window.page(Step.QUESTIONS), window.session.answers.questions
    assert isinstance(page, QuestionsPage)
    assert "date of birth" in asked[0].by
    assert [row.read_table() for row in page.rows[: len(asked)]] == list(asked)
