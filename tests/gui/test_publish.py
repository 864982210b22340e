"""The pages Publish, Ask and Report: from the open lines to a release that is asked."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.policy import RED, Line
from splu_desktop.core.policy.lines import AMBER
from splu_desktop.core.roles import Role
from splu_desktop.files.disk.whole_files import check_name
from splu_desktop.files.release.reading import open_release
from splu_desktop.gui.ask.asking import AskableRelease
from splu_desktop.gui.ask.page import AskPage
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.base.words import number
from splu_desktop.gui.expert.blocks import ClassesSection
from splu_desktop.gui.proposal.figures import repair_words
from splu_desktop.gui.proposal.page import ProposalPage
from splu_desktop.gui.proposal.releases_dialog import ReleasesDialog
from splu_desktop.gui.publish.lines import LineCard
from splu_desktop.gui.publish.page import PublishPage
from splu_desktop.gui.report.page import ReportPage
from splu_desktop.gui.shell.main_window import MainWindow
from tests.gui.conftest import Idle, open_publish, show_section


@pytest.fixture
def publish(proposed: MainWindow, idle: Idle, tmp_path: Path) -> PublishPage:
    """The page Publish of a good proposal, with a place of its own."""
    return open_publish(proposed, idle, tmp_path)


def test_a_red_line_stops_until_its_button_repairs_it(publish: PublishPage, proposed: MainWindow, idle: Idle) -> None:
    session = proposed.session
    assert session.plan is not None
    session.change_plan(replace(session.plan.with_gamma(1), blanking=None), "far too exact")
    idle(proposed)
    assert not publish.primary.isEnabled()
    assert "repair" in publish.note.text()
    red = next(card for card in publish.cards if card.line.state == RED)
    assert not hasattr(red, "reason")
    proposed.show_step(Step.PROPOSAL)
    proposed.show_step(Step.PUBLISH)  # which begins at what its grey button waits for
    focus = proposed.focusWidget()
    assert focus is not None
    assert publish.cards[0].isAncestorOf(focus)
    red.repair.click()
    idle(proposed)
    assert session.plan.gamma > 1
    assert all(card.line.name != red.line.name for card in publish.cards)


def test_an_amber_line_wants_a_reason_and_initials(
    publish: PublishPage, proposed: MainWindow, idle: Idle, qtbot: QtBot
) -> None:
    session = proposed.session
    assert session.plan is not None
    audience = replace(session.plan.audience, signed=False)
    session.change_plan(replace(session.plan, audience=audience), "nobody signed")
    idle(proposed)
    card = next(card for card in publish.cards if card.line.name == "not-signed")
    assert not card.accept.isEnabled()
    card.reason.setCurrentIndex(card.reason.count() - 1)
    card.initials.setText("MH")
    card.own.setText("ok")
    card.accept.click()
    assert card.problem.isVisibleTo(card)
    assert not session.reasons
    card.own.setText("the study was stopped last week")
    card.accept.click()
    assert session.reasons == {"not-signed": "MH: the study was stopped last week"}

    for over in (False, True):  # what was accepted stands in the release by then
        made = LineCard(card.line, "MH: it was stopped", first=False, repairing=False, over=over)
        qtbot.addWidget(made)
        assert [each.text() for each in made.findChildren(QPushButton)].count("Undo") == (not over)


def test_a_release_is_written_asked_and_shown_as_done(
    publish: PublishPage,
    proposed: MainWindow,
    idle: Idle,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert publish.primary.isEnabled(), publish.note.text()
    publish.do_primary()
    idle(proposed)
    release = proposed.session.release
    assert release is not None, publish.banner.text.text()
    names = {item.widget().text() for item in map(publish.outgoing.files.itemAtPosition, range(5), [1] * 5)}
    for name in names - {"splu_release.py, .R"}:
        assert (release.content.path / name).exists()
    assert release.fingerprint in publish.done_print.text()
    publish.do_primary()
    idle(proposed)
    ask = proposed.page(Step.ASK)
    assert isinstance(ask, AskPage)
    assert proposed.step is Step.ASK
    qtbot.waitUntil(lambda: ask.one.answer.trust.text() != "" and not proposed.work.busy())
    ask.one.show_question((Condition("Result", ("positive",)), Condition("Sex", ("f",))))
    idle(proposed)
    assert ask.one.answer.number.text().startswith("about ")
    assert not ask.one.answer.truth.isChecked()
    ask.one.answer.truth.setChecked(True)
    row = ask.one.model.rows[0]
    ask.one.clear()
    assert (ask.one.model.rows[0].question, ask.one.model.rows[0].truth) == (row.question, row.truth)
    assert row.truth is not None
    assert row.answer.low - 60 < row.truth < row.answer.high + 60
    ask.tabs.setCurrentIndex(1)
    idle(proposed)
    assert ask.table.found is not None
    assert ask.table.found.column == "Result"
    model, places = ask.table.view.model(), range(3)
    assert [model.index(0, at).data() for at in places] == ["f", "A", number(int(ask.table.found.line_rows[0]))]
    with monkeypatch.context() as patch:
        patch.setattr(AskableRelease, "is_secret", lambda opened, name: name in ("Result", "Sex"))
        ask.table.take_table(ask.table.found)
        assert not ask.table.keep.isEnabled()
    assert ask.table.view.model().index(0, 2).data() == "–", "each line is of all rows: nobody knows whose a secret is"
    ask.table.take_table(ask.table.found)
    before = ask.book.list.count()
    ask.table.keep.click()
    idle(proposed)
    assert len(ask.book.list.list_ticked()) == before + 1
    assert "Result" in ask.book.page.toPlainText()
    target = tmp_path / "tables.docx"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    ask.book.save.click()
    idle(proposed)
    assert target.exists()
    ask.tabs.setCurrentIndex(2)
    idle(proposed)
    assert ask.compare.figure.text().startswith("about "), ask.compare.fault.text()
    assert ask.compare.interval.accessibleName().startswith("between "), "its ends are written"


def test_no_verdict_stands_above_an_empty_page(window: MainWindow, idle: Idle) -> None:
    for step in (Step.PROPOSAL, Step.PUBLISH):
        window.show_step(step)
        idle(window)
        page = window.page(step)
        assert isinstance(page, ProposalPage | PublishPage)
        assert not page.verdict.isVisibleTo(page)


def test_the_smallest_class_has_its_true_size(proposed: MainWindow, idle: Idle) -> None:
    section = show_section(proposed, ClassesSection)
    idle(proposed)
    judged = proposed.session.judgement
    assert judged is not None
    section.refresh()
    least = np.unique(judged.draw_input.classes.code, return_counts=True)[1].min()
    assert section.found.text().endswith(f"the smallest has {number(int(least))}.")


def test_a_change_after_the_release_makes_it_out_of_date(
    publish: PublishPage, proposed: MainWindow, idle: Idle
) -> None:
    publish.do_primary()
    idle(proposed)
    session = proposed.session
    assert session.plan is not None
    session.change_plan(session.plan.with_role("Age", Role.DROPPED), "age left out")
    idle(proposed)
    assert session.release is None
    proposed.show_step(Step.ASK)
    ask = proposed.page(Step.ASK)
    assert ask.stack.currentWidget() is ask.empty
    for step in (Step.ASK, Step.REPORT):  # which says why there is nothing, and leads to another release
        proposed.show_step(step)
        page = proposed.page(step)
        assert page.empty.heading.text().startswith("The release was made from other choices")
        assert "Publish" in {each.text() for each in page.empty.findChildren(QPushButton)}
    session.undo()
    idle(proposed)
    assert page.stack.currentWidget() is not page.empty


def test_nothing_goes_on_with_a_proposal_whose_questions_were_changed_since(
    publish: PublishPage, proposed: MainWindow, idle: Idle
) -> None:
    session = proposed.session
    session.answer(replace(session.answers, audience=replace(session.answers.audience, recipient="another")), "who")
    for step in (Step.PROPOSAL, Step.PUBLISH):
        proposed.show_step(step)
        idle(proposed)
        page = proposed.page(step)
        assert isinstance(page, PublishPage | ProposalPage)
        assert (page.verdict.state, page.verdict.title.text()) == ("amber", "Out of date")
        page.do_primary()
        idle(proposed)
        assert proposed.step is Step.QUESTIONS
    assert session.release is None
    session.undo()
    proposed.show_step(Step.PUBLISH)
    idle(proposed)
    publish.do_primary()
    idle(proposed)
    assert session.release is not None


def test_a_long_name_is_cut_before_its_day_and_number(publish: PublishPage) -> None:
    outgoing, names = publish.outgoing, []
    for _ in range(3):
        outgoing.propose_name("a survey of " * 20, anew=True)
        names.append(outgoing.name.text())
        outgoing.target.mkdir(parents=True)
    assert [name[name.index("-") :] for name in names] == [f"{date.today():-%Y-%m-%d}{end}" for end in ("", "-2", "-3")]


def test_every_name_that_is_proposed_may_be_used_and_one_that_may_not_is_told_before_any_work(
    publish: PublishPage,
) -> None:
    outgoing = publish.outgoing
    for stem in ("a<b> & c|d?.x", "CON", "ends in a dot.", '"quoted" 5*'):
        outgoing.propose_name(stem, anew=True)
        check_name(outgoing.target)
        assert not outgoing.problem(), stem
    for typed in ("a:b", "CON", "ends in a dot."):
        outgoing.name.setText(typed)
        assert "Windows" in outgoing.problem(), typed
        assert not publish.primary.isEnabled()


def test_a_folder_is_told_from_the_top(publish: PublishPage) -> None:
    there = publish.outgoing.folder.text()
    for folder in ("", "releases", "./releases"):
        publish.outgoing.folder.setText(folder)
        assert publish.note.text() == "Choose a folder for the release."
        publish.do_primary()
        assert publish.window().focusWidget() is publish.outgoing.folder
    publish.outgoing.folder.setText(there)
    assert publish.primary.isEnabled()


def test_a_name_taken_by_another_window_is_replaced_by_the_next(
    publish: PublishPage, proposed: MainWindow, idle: Idle
) -> None:
    publish.outgoing.target.mkdir(parents=True)
    publish.do_primary()
    idle(proposed)
    assert proposed.session.release is not None, publish.banner.text.text()
    assert proposed.session.release.content.path.name.endswith("-2")


def test_a_name_that_is_taken_is_refused_before_any_work(publish: PublishPage) -> None:
    publish.outgoing.target.mkdir(parents=True)
    publish.outgoing.name.setText(publish.outgoing.name.text() + " ")
    publish.outgoing.name.setText(publish.outgoing.name.text().strip())
    assert not publish.primary.isEnabled()
    assert "already" in publish.note.text()


def test_the_report_shows_its_pages_and_is_saved_with_what_was_typed(
    publish: PublishPage,
    proposed: MainWindow,
    idle: Idle,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publish.do_primary()
    idle(proposed)
    proposed.show_step(Step.REPORT)
    idle(proposed)
    page = proposed.page(Step.REPORT)
    assert isinstance(page, ReportPage)
    assert page.theirs.radio.isChecked()
    assert page.first_focus() is page.theirs.radio, "Space would choose the other edition"
    assert len(page.pages.pages) >= 2, page.banner.text.text()
    QApplication.processEvents()  # new widgets are shown with the next turn
    picture = page.pages.viewport().grab().toImage()
    middle = [picture.pixelColor(picture.width() // 2 + x, y).lightness() for x in range(-200, 200) for y in (60, 200)]
    assert max(middle) == 255, "paper"
    assert min(middle) < 128, "letters"
    assert "two to sign" in page.note.text()
    page.own.radio.click()
    idle(proposed)
    QTest.keyClicks(page.fields["organisation"], "General Hospital")
    assert not page.primary.isEnabled(), "a report without what is typed could be saved"
    qtbot.waitUntil(page.primary.isEnabled)
    target = tmp_path / "report.pdf"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    page.do_primary()
    idle(proposed)
    assert target.read_bytes().startswith(b"%PDF")
    assert proposed.session.release is not None
    assert page.own.below.text().startswith("with true counts")
    folder = proposed.session.release.content.path
    proposed.session.undo()
    proposed.open_path(folder)  # once it is out of date it comes as to anybody, without its table
    idle(proposed)
    proposed.show_step(Step.REPORT)
    idle(proposed)
    assert not page.own.isEnabled()
    assert page.own.below.text().startswith("only right after publishing")


@pytest.mark.qt_log_ignore("propagateSizeHints")
def test_the_register_shows_a_release_and_withdraws_it(publish: PublishPage, proposed: MainWindow, idle: Idle) -> None:
    publish.do_primary()
    idle(proposed)
    dialog = ReleasesDialog(proposed.session, publish)
    assert len(dialog.model.rows) == 1
    dialog.view.selectRow(0)
    dialog.why.setText("no")
    dialog.withdraw.click()
    assert dialog.problem.text()
    dialog.why.setText("nobody has received it yet")
    dialog.withdraw.click()
    assert not dialog.model.rows
    dialog.close()


def test_a_refused_folder_is_not_held_against_the_next(publish: PublishPage, proposed: MainWindow, idle: Idle) -> None:
    usual = publish.outgoing.folder.text()
    publish.outgoing.folder.setText("/proc/nowhere")
    publish.do_primary()
    assert publish.banner.isVisible()
    publish.outgoing.folder.setText(usual)
    assert not publish.banner.isVisible()
    publish.do_primary()
    idle(proposed)
    assert proposed.session.release is not None


@pytest.mark.qt_log_ignore("propagateSizeHints")
def test_what_was_handed_out_before_is_found_again_and_no_longer_counts_once_it_is_withdrawn(
    publish: PublishPage, proposed: MainWindow, idle: Idle
) -> None:
    session = proposed.session
    assert session.plan is not None
    plan = replace(session.plan, audience=replace(session.plan.audience, recipient="Health Office"))
    session.change_plan(plan, "who")
    idle(proposed)
    publish.do_primary()
    idle(proposed)
    session.change_plan(plan.with_gamma(plan.gamma + 1), "safer")
    QApplication.processEvents()
    idle(proposed)
    proposed.show_step(Step.PROPOSAL)
    page = proposed.page(Step.PROPOSAL)
    assert isinstance(page, ProposalPage)
    idle(proposed)
    page._show_ways()
    assert [way.title for way in page._ways] == ["Hand out the earlier one…"], "no other strength repairs it"
    proposed.show_step(Step.PUBLISH)
    line = next(card for card in publish.cards if card.line.name == "second-release")
    assert line.line.state == RED
    assert proposed.focusWidget() is line.repair
    line.repair.click()
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, ReleasesDialog)
    assert dialog.view.rows_chosen() == [0]
    assert dialog.folder.isEnabled()
    dialog.why.setText("nobody has received it yet")
    dialog.withdraw.click()
    dialog.close()
    idle(proposed)
    assert publish.primary.isEnabled(), publish.note.text()


def test_a_register_in_doubt_knows_nothing_to_hand_out_again() -> None:
    assert repair_words(Line("second-release", AMBER, "The register of releases was changed.")) == ""
    assert repair_words(Line("second-release", RED, "These persons were released before.", 0.9, 0.5))


def test_a_release_is_packed_with_a_password_that_opens_it(
    publish: PublishPage, proposed: MainWindow, idle: Idle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish.do_primary()
    idle(proposed)
    target = tmp_path / "handed.zip"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    publish.lock.click()
    idle(proposed)
    password = publish.done_password.text().split(": ")[1].split(". ")[0]
    assert open_release(target, password=password).id == proposed.session.release.content.id  # type: ignore[union-attr]
