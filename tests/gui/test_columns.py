"""Columns and Expert: what each column is, and the mechanism's own settings."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from splu_desktop.core.generalise import Steps, label_map
from splu_desktop.core.roles import Role
from splu_desktop.files.project.recipe import read_recipe, write_recipe
from splu_desktop.gui.base.models import Index, RowsModel
from splu_desktop.gui.base.recipes import recipe_of, save, use
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.base.source import Source
from splu_desktop.gui.columns import panel
from splu_desktop.gui.columns.facts import column_rows, forms_of, with_kinds
from splu_desktop.gui.columns.group_dialog import GroupDialog
from splu_desktop.gui.columns.page import ColumnsPage
from splu_desktop.gui.columns.table import WHY
from splu_desktop.gui.expert.bounds import LimitsSection
from splu_desktop.gui.expert.page import ExpertPage
from splu_desktop.gui.expert.recipe import RecipeSection
from splu_desktop.gui.expert.strength import StrengthSection
from splu_desktop.gui.proposal.steps import StepRow
from splu_desktop.gui.publish.page import PublishPage
from splu_desktop.gui.shell.main_window import MainWindow
from tests.core.releases import column as made_column
from tests.gui.conftest import Idle, show_section


def columns(window: MainWindow) -> ColumnsPage:
    window.show_step(Step.COLUMNS)
    page = window.page(Step.COLUMNS)
    assert isinstance(page, ColumnsPage)
    return page


def test_kinds_are_set_by_keys_for_several_rows_and_taken_back(proposed: MainWindow) -> None:
    page, session = columns(proposed), proposed.session
    assert session.plan is not None
    before = dict(session.plan.roles)
    names = [row.name for row in page.table.rows_model.rows]
    page.table.selectRow(names.index("Age"))
    and_also = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    page.table.selectionModel().select(page.table.model().index(names.index("Ward"), 0), and_also)
    QTest.keyClick(page.table, Qt.Key.Key_4)
    assert (session.plan.roles["Age"], session.plan.roles["Ward"]) == (Role.DROPPED, Role.DROPPED)
    assert session.undo_name == "Age, Ward: Left out"
    assert {row.name for row in page.table.rows_model.rows if row.differs} >= {"Ward"}
    page.table.undo_asked.emit("Ward")
    assert session.plan.roles["Ward"] is before["Ward"]
    session.undo()
    session.undo()
    assert dict(session.plan.roles) == before


def test_a_column_made_secret_by_hand_starts_with_the_values_that_a_proposal_takes_for_secret(
    proposed: MainWindow,
) -> None:
    source, plan = proposed.session.source, proposed.session.plan
    assert source is not None
    assert plan is not None
    for name, role in (("Ward", Role.SA), ("Result", Role.DROPPED), ("Result", Role.SA)):
        plan = with_kinds(source, plan, [name], role)
    assert plan.public_values == {"Result": ("negative",)}


def test_which_values_are_secret_is_ticked(proposed: MainWindow, idle: Idle) -> None:
    page, session = columns(proposed), proposed.session
    page.show_column("Result")
    page.panel.none.click()  # none is shown yet, so that nothing is known of them
    assert session.undo_name == "Proposal"
    idle(proposed)
    assert page.panel.question.text() == "Which values are secret?"
    page.panel.all.click()
    assert session.plan is not None
    assert "Result" not in session.plan.public_values
    idle(proposed)
    at = page.panel.rows.labels.index("negative")
    index = page.panel.model.index(at, 0)
    page.panel.model.setData(index, Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    assert session.plan.public_values["Result"] == ("negative",)


def test_a_long_name_without_a_blank_pushes_nothing_out_of_sight(
    window: MainWindow, idle: Idle, tmp_path: Path
) -> None:
    name = "variable_of_the_questionnaire_on_quality_of_life_after_discharge"
    path = tmp_path / "long.csv"
    rows = (f"{'fm'[at % 2]},{['low', 'high'][at % 3 == 0]}" for at in range(600))
    path.write_text("\n".join([f"Sex,{name}", *rows]))
    window.open_path(path)
    idle(window)
    window.show_step(Step.QUESTIONS)
    window.page(Step.QUESTIONS).do_primary()
    idle(window)
    window.resize(1092, 558)
    steps = window.page(Step.PROPOSAL).steps  # type: ignore[attr-defined]
    assert any(name in each.words.text() for each in steps.findChildren(StepRow))
    assert steps.room.widget().minimumSizeHint().width() <= steps.room.viewport().width()
    window.show_step(Step.COLUMNS)
    page = window.page(Step.COLUMNS)
    assert isinstance(page, ColumnsPage)
    page.table.selectRow(1)
    QApplication.processEvents()
    idle(window)
    assert name in page.panel.name.text()
    assert page.panel.minimumSizeHint().width() <= page.beside.viewport().width()
    window.show_step(Step.EXPERT)
    expert = window.page(Step.EXPERT)
    assert isinstance(expert, ExpertPage)
    for at in range(len(expert.parts)):
        expert.list.setCurrentRow(at)
        section = expert.section(at)
        idle(window)
        QApplication.processEvents()
        assert section.minimumSizeHint().width() <= expert.stacked.width(), section.title


def test_no_values_of_a_column_are_worked_out_while_the_window_waits(
    proposed: MainWindow, idle: Idle, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, asked = columns(proposed), dict[str, threading.Thread]()

    def note(source: Source, name: str) -> list[tuple[str, Steps]]:
        asked[name] = threading.current_thread()
        return forms_of(source, name)

    monkeypatch.setattr(panel, "forms_of", note)
    for name in ("Patient number", "Age"):
        page.show_column(name)
        assert page.panel.name.text() == name
        assert not page.panel.model.rows, "values of the column before stand below the name of this one"
        idle(proposed)
        assert page.panel.model.rows
    assert {"Patient number", "Age"} <= asked.keys()  # and what the page showed first, where that was late
    assert threading.main_thread() not in asked.values()


def test_a_row_of_the_values_is_a_place_and_one_tick_is_one_value(proposed: MainWindow, idle: Idle) -> None:
    page, session = columns(proposed), proposed.session
    page.show_column("Result")
    idle(proposed)
    page.panel.none.click()
    idle(proposed)
    assert session.plan is not None
    assert set(session.plan.public_values["Result"]) == {"negative", "positive"}
    rows = page.panel.model.rows
    assert isinstance(rows, range), "a million objects hold the window up whenever they are made or let go"
    at = page.panel.rows.labels.index("negative")
    page.panel.model.setData(page.panel.model.index(at, 0), Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    idle(proposed)
    assert session.plan.public_values["Result"] == ("positive",)


def test_coarser_values_and_own_cut_points(proposed: MainWindow, idle: Idle) -> None:
    page = columns(proposed)
    page.show_column("Age")
    idle(proposed)
    page.panel.cuts.setText("30; 50")
    page.panel._cut()
    idle(proposed)
    assert page.panel.rows.labels[:-1] == ["30 to 49", "50 and more", "below 30"]
    page.panel.cuts.setText("fifty")
    page.panel._cut()
    assert page.panel.fault.text()


def test_why_a_column_names_the_person_is_no_guess_about_its_name(proposed: MainWindow) -> None:
    session = proposed.session
    assert session.source is not None
    assert session.plan is not None
    assert session.plan.persons is not None
    who = session.plan.persons.column
    guess = replace(session.source.suggestions[who], role=Role.SA, reason="It may be a finding.", doubt=True)
    session.source = replace(session.source, suggestions={**session.source.suggestions, who: guess})
    why = {row.name: row.why for row in column_rows(session)}
    assert why[who] == f"“{who}” names the person"


def test_search_and_filters_narrow_the_list(proposed: MainWindow) -> None:
    page = columns(proposed)
    page.search.setText("ward")
    assert page.table.shown.rowCount() == 1
    page.search.clear()
    page.pills[Role.SA].click()
    assert {row.role for row in page.table.rows_model.rows} == {Role.SA}


def test_hundreds_of_columns_stand_in_one_list(window: MainWindow, tmp_path: Path, idle: Idle) -> None:
    rng = np.random.default_rng(3)
    names = ["Patient", "Sex", "Diagnosis", *(f"Flag {at}" for at in range(300))]
    rows = [",".join(names)]
    for at in range(400):
        flags = ",".join("01"[each] for each in rng.integers(0, 2, 300))
        rows.append(f"P{at:04},{'fm'[at % 2]},{('flu', 'gout', 'asthma')[at % 3]},{flags}")
    path = tmp_path / "flags.csv"
    path.write_text("\n".join(rows) + "\n")
    window.open_path(path)
    idle(window)
    window.page(Step.QUESTIONS).act()
    idle(window)
    assert window.session.plan is not None, window.page(Step.QUESTIONS).banner.text.text()
    page = columns(window)
    assert page.table.shown.rowCount() == 303
    assert page.pills[None].text() == "All 303"


def expert(window: MainWindow) -> ExpertPage:
    window.show_step(Step.EXPERT)
    page = window.page(Step.EXPERT)
    assert isinstance(page, ExpertPage)
    return page


def test_a_change_in_expert_is_named_and_can_be_taken_back(proposed: MainWindow, idle: Idle) -> None:
    page, session = expert(proposed), proposed.session
    assert session.plan is not None
    before = session.plan
    strength = page.section(0)
    assert isinstance(strength, StrengthSection)
    strength._lines[0][0].setValue(8)
    assert session.plan.gamma == 8
    assert "strength 8" in page.note.text()
    idle(proposed)
    page.back.click()
    assert session.plan == before
    assert session.choices.expert == ()


def test_own_limits_need_a_reason(proposed: MainWindow, idle: Idle) -> None:
    session = proposed.session
    limits = show_section(proposed, LimitsSection)
    limits.boxes["alike"].setValue(7)
    assert "Say why" in limits.fault.text()
    assert session.plan.audience.limits == ()
    limits.reasons["alike"].setText("the board asks for it")
    limits.reasons["alike"].editingFinished.emit()
    idle(proposed)
    assert session.verdict is not None
    assert session.verdict.limits.alike == 7


def test_the_recipe_as_text_is_taken_or_says_what_is_wrong(proposed: MainWindow) -> None:
    session = proposed.session
    recipe = show_section(proposed, RecipeSection)
    assert session.plan is not None
    gamma, text = session.plan.gamma, recipe.text.toPlainText()
    assert f"gamma = {gamma:g}" in text
    recipe.text.setPlainText("nonsense [")
    recipe.use.click()
    assert "no recipe" in recipe.fault.text()
    recipe.refresh()
    assert recipe.text.toPlainText() == "nonsense [", "what is typed stays until it is taken"
    recipe.text.setPlainText(text.replace(f"gamma = {gamma:g}", "gamma = 12"))
    recipe.use.click()
    assert session.plan.gamma == 12
    assert not recipe.fault.isVisible()


def test_what_a_recipe_says_of_the_files_is_shown_and_saved_again(
    proposed: MainWindow, idle: Idle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = recipe_of(proposed.session)
    assert recipe is not None
    said = {"title": "Tests of June", "contact": "the registry", "xlsx": True}
    given, saved = tmp_path / "given.toml", tmp_path / "saved.toml"
    write_recipe(replace(recipe, release=said), given)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(given), ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(saved), ""))
    use(proposed.session, proposed.say, proposed)
    save(proposed.session, proposed.work, proposed.say, proposed)
    idle(proposed)
    assert read_recipe(saved).release == said
    proposed.show_step(Step.PUBLISH)
    idle(proposed)
    page = proposed.page(Step.PUBLISH)
    assert isinstance(page, PublishPage)
    assert page.outgoing.workbook.isChecked()
    page.outgoing.folder.setText(str(tmp_path))
    page.do_primary()
    idle(proposed)
    release = proposed.session.release
    assert release is not None, page.note.text()
    assert release.content.title == "Tests of June"
    proposed.session.undo()
    save(proposed.session, proposed.work, proposed.say, proposed)
    idle(proposed)
    assert not read_recipe(saved).release


def test_the_reason_stands_where_there_is_room_and_no_value_is_cut_by_a_scroll_bar(
    proposed: MainWindow, idle: Idle
) -> None:
    page = columns(proposed)
    for wide, high, there in ((1366, 698, True), (1092, 558, True), (911, 442, False)):
        proposed.resize(wide, high)
        for _ in range(4):
            QApplication.processEvents()
        assert page.table.isColumnHidden(WHY) is not there, page.table.width()
    page.table.selectRow([row.name for row in page.table.rows_model.rows].index("Age"))
    idle(proposed)
    for _ in range(4):
        QApplication.processEvents()
    values = page.panel.values
    assert values.verticalScrollBar().isVisible()
    longest = max(map(values.fontMetrics().horizontalAdvance, page.panel.rows.labels))
    assert values.columnWidth(0) >= longest + 40
    assert sum(values.columnWidth(at) for at in range(3)) <= values.viewport().width()


@pytest.mark.qt_log_ignore("propagateSizeHints")
def test_a_million_values_are_grouped_without_looking_at_those_out_of_sight(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = 30_000
    column = made_column("Code", [f"C{at:05}" for at in range(many)] + ["C00007"] * 3 + ["C00003"])
    asked, chosen = Counter[int](), list[object]()
    dialog = GroupDialog(column, window.work, window)
    dialog.chosen.connect(chosen.append)
    for name in ("data", "flags"):
        real = getattr(RowsModel, name)

        def look(self: RowsModel[int], index: Index, *role: int, real: Any = real) -> Any:
            asked[index.row()] += 1
            return real(self, index, *role)

        monkeypatch.setattr(RowsModel, name, look)
    dialog.open()
    view = dialog.view
    view.selectAll()
    dialog.group.setText("all of them")
    QTest.keyClick(dialog.group, Qt.Key.Key_Return)
    assert not window.work.busy()  # Enter names a group, and does not end the dialog
    dialog.search.setText("c0000")
    assert sorted(str(column.labels[at]) for at in dialog.model.rows) == [f"C{at:05}" for at in range(10)]
    assert [str(column.labels[at]) for at in dialog.model.rows[:2]] == ["C00007", "C00003"]  # the most frequent first
    dialog.group.setText("few")
    view.selectRow(0)
    QTest.keyClick(dialog.group, Qt.Key.Key_Return)
    dialog.search.clear()
    view.horizontalHeader().setSortIndicator(2, Qt.SortOrder.DescendingOrder)
    assert view.model().index(0, 2).data() == "few"
    qtbot.wait(1)
    assert len(asked) < 200  # far fewer rows than there are
    view.selectRow(1)
    dialog.group.setText("typed last")  # without Enter
    dialog.use.click()
    qtbot.waitUntil(lambda: bool(chosen))
    (steps,) = chosen
    after, to = label_map(column, steps)  # type: ignore[arg-type]
    assert {*after.labels[to]} == {"all of them", "few", "typed last"}
    assert np.count_nonzero(after.labels[to] == "few") == 1
