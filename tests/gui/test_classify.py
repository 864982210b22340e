"""The classify page: what each column does to the risk, what gives one away, and no identifier by a click."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QPushButton
from pytestqt.qtbot import QtBot

from splu_desktop.core import generalise as g
from splu_desktop.core.checks.gate import table_lines
from splu_desktop.core.draw.by_person import ByPerson
from splu_desktop.core.risk.giveaway import giveaways
from splu_desktop.core.risk.uniqueness import KS, causes, risk
from splu_desktop.core.roles.suggest import Role
from splu_desktop.gui.base.reason_dialog import ReasonDialog
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.base.words import told
from splu_desktop.gui.classify.group_dialog import GroupDialog
from splu_desktop.gui.shell.main_window import MainWindow

Idle = Callable[[MainWindow], None]

# The offscreen plugin says so of every dialog; it concerns no real screen.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def page(opened: MainWindow, idle: Idle):
    opened.show_step(Step.CLASSIFY)
    idle(opened)
    return opened.classify_page


def _cell(page, column: str, title: str) -> str:
    at = [field.title for field in page.model.fields].index(title)
    row = [row.fact.name for row in page.model.rows].index(column)
    return page.model.index(row, at).data()


def test_the_panel_tells_the_cores_figures(opened: MainWindow, page, idle: Idle) -> None:
    names = ["Sex", "Age", "Ward"]
    table = opened.session.source.imported.table
    assert page.risk.shown.whole == risk(table, names)
    found = {cause.name: cause for cause in causes(table, names)}
    for name in names:
        assert _cell(page, name, "Unique without") == str(found[name].without.unique)
    assert _cell(page, "Diagnosis", "Unique without") == ""
    opened.session.set_roles({"Record number": Role.NSA}, "all unique")
    idle(opened)
    assert page.risk.shown.whole.unique == 600
    cells = [cell.text() for cell in page.risk.grid._cells[0]]
    assert cells == ["600 (100 %)"] * len(KS)
    assert "without “Record number”" in page.risk.text.text(), page.risk.text.text()


def test_no_picture_stands_alone_where_no_column_is_published_as_it_is(opened: MainWindow, page, idle: Idle) -> None:
    opened.session.set_roles(dict.fromkeys(["Sex", "Age", "Ward"], Role.DROPPED), "none left")
    idle(opened)
    assert page.risk.text.text() == "No column is published as it is."
    assert [part.isVisibleTo(page.risk) for part in (page.risk._picture, page.risk.grid)] == [False, False]
    opened.session.set_roles({"Sex": Role.NSA}, "one")
    idle(opened)
    assert [part.isVisibleTo(page.risk) for part in (page.risk._picture, page.risk.grid)] == [True, True]


def test_the_groups_whose_effect_is_shown_are_taken_by_one_click(opened: MainWindow, page, idle: Idle, tmp_path: Path):
    lines = ["Sex,Age,Diagnosis"] + [f"{'fm'[i % 2]},{1 + i * 37 % 89},d{i % 9}" for i in range(500)]
    path = tmp_path / "ages.csv"
    path.write_text("\n".join(lines) + "\n")
    opened.import_page.open_file(path)
    idle(opened)
    opened.session.set_roles({"Sex": Role.NSA, "Age": Role.NSA, "Diagnosis": Role.SA}, "roles")
    idle(opened)
    page.table.select_rows([1])
    what = page.risk.shown.columns["Age"]
    promised = what.cause.generalised
    assert page.coarser_button.isVisible()
    assert str(promised.unique) in page.detail_risk.text()
    page.coarser_button.click()
    idle(opened)
    assert opened.session.choices.steps("Age") == what.steps
    assert page.risk.shown.whole == promised
    page.table.select_rows([1])
    for step in what.steps:
        assert str(step.words)[1:] in page.detail_text.text(), "published as it is, but for what was done to it"
    opened.session.undo_stack.undo()
    idle(opened)
    assert not opened.session.choices.steps("Age")


def test_what_gives_a_sensitive_column_away_is_said_and_mended(opened: MainWindow, page, idle: Idle, tmp_path: Path):
    lines = ["Sex,Code,Name of disease"]
    lines += [f"{'fm'[i % 2]},C{i % 11},disease {i % 11}" for i in range(660)]
    path = tmp_path / "double.csv"
    path.write_text("\n".join(lines) + "\n")
    opened.import_page.open_file(path)
    idle(opened)
    opened.session.set_roles({"Sex": Role.NSA, "Code": Role.NSA, "Name of disease": Role.SA}, "roles")
    idle(opened)
    session = opened.session
    assert [found.column for found in page.giveaway.found] == ["Code"]
    assert page.giveaway.isVisible()
    assert "“Code” gives “Name of disease” away" in page.giveaway.text.text()
    line = next(
        line for line in table_lines(session.source.imported.table, session.choices.plan()) if line.name == "giveaway"
    )
    assert line.column == "Code"
    opened.show_step(Step.PLAN)
    idle(opened)
    assert opened.plan_page.giveaway.text.text() == page.giveaway.text.text()
    opened.show_step(Step.CLASSIFY)
    page.giveaway.out.click()
    idle(opened)
    assert session.choices.roles["Code"] is Role.DROPPED
    assert not page.giveaway.isVisible()
    assert not giveaways(session.prepared(), ["Sex"], ["Name of disease"])
    opened.show_step(Step.PLAN)
    idle(opened)
    assert not opened.plan_page.giveaway.isVisible()


@pytest.mark.parametrize("kind", ["groups", "tolerances", "persons", "two"])
def test_classify_and_plan_say_of_what_gives_away_what_the_gate_will(
    kind: str, opened: MainWindow, page, idle: Idle, tmp_path: Path
):
    """Whatever the draw: the gate must not be the first to say it, nor say it with other figures."""
    lines = ["Person,Sex,Code,Name of disease,Deceased"]
    lines += [
        f"P{i // 2},{'fm'[i % 2]},C{i // 2 % 11},disease {i // 2 % 11},{'yes' if i // 2 % 11 == 3 else 'no'}"
        for i in range(1_320)
    ]
    path = tmp_path / "double.csv"
    path.write_text("\n".join(lines) + "\n")
    opened.import_page.open_file(path)
    idle(opened)
    session = opened.session
    drawn = ["Deceased"] if kind == "tolerances" else ["Name of disease"]
    drawn += ["Deceased"] if kind == "two" else []
    roles = dict.fromkeys(("Person", "Sex", "Code", "Name of disease", "Deceased"), Role.DROPPED)
    roles |= {"Person": Role.IDENTIFIER, "Sex": Role.NSA, "Code": Role.NSA} | dict.fromkeys(drawn, Role.SA)
    session.set_roles(roles, "roles")
    if kind == "persons":
        session.choose(replace(session.choices, persons=ByPerson("Person", "draw")), "persons")
    idle(opened)
    opened.show_step(Step.PLAN)
    idle(opened)
    opened.show_step(Step.PUBLISH)
    idle(opened)
    said = [line.sentence for line in opened.publish_page.gate.lines if line.name == "giveaway"]
    assert len(said) >= (2 if kind == "two" else 1)
    for card in (page.giveaway, opened.plan_page.giveaway):
        assert card.isVisibleTo(card.parentWidget())
        assert [found.sentence for found in card.found] == said
        assert card.text.text().startswith(told(said[0]))


@pytest.mark.parametrize("role", [Role.NSA, Role.SA])
def test_an_identifier_is_published_for_a_typed_reason_alone(
    opened: MainWindow, page, qtbot: QtBot, idle: Idle, role: Role
) -> None:
    session = opened.session
    before = session.choices

    def ask() -> ReasonDialog:
        page.set_role("Record number", role)
        assert session.choices == before, "nothing happens before there is a reason"
        return page.findChildren(ReasonDialog)[-1]

    dialog = ask()
    assert not dialog.go_on.isEnabled()
    qtbot.keyClicks(dialog.reason, "   ")
    qtbot.keyClick(dialog.reason, Qt.Key.Key_Return)
    assert not dialog.go_on.isEnabled()
    assert session.choices == before
    dialog.reject()
    dialog = ask()
    qtbot.keyClicks(dialog.reason, "numbers drawn afresh")
    dialog.go_on.click()
    assert session.choices.roles["Record number"] is role
    assert session.choices.plan().kept_identifiers == {"Record number": "numbers drawn afresh"}
    session.undo_stack.undo()
    assert session.choices == before


def test_several_columns_of_which_one_names_persons(opened: MainWindow, page, idle: Idle) -> None:
    page.table.select_rows([0, 1, 2])
    page.set_selected(Role.NSA)
    dialog = page.findChildren(ReasonDialog)[-1]
    dialog.reason.setText("agreed")
    dialog.go_on.click()
    choices = opened.session.choices
    assert {choices.roles[name] for name in ("Record number", "Sex", "Age")} == {Role.NSA}
    assert dict(choices.kept) == {"Record number": "agreed"}


def test_an_identifier_in_groups_is_judged_as_grouped(opened: MainWindow, page, idle: Idle) -> None:
    session = opened.session
    dialog = page.group_values_of("Record number")
    idle(opened)
    dialog.way.setCurrentIndex(dialog.way.findData("prefix"))
    idle(opened)
    assert dialog._trial.steps == (g.Prefix(length=3),), "shorter than the numbers"
    dialog.accept()
    page.set_role("Record number", Role.NSA)
    assert session.choices.roles["Record number"] is Role.NSA
    assert not session.choices.kept


def test_a_click_on_a_role_opens_the_choice(opened: MainWindow, page, qtbot: QtBot, idle: Idle) -> None:
    place = page.table.visualRect(page.sorted.index(3, 1)).center()
    qtbot.mouseClick(page.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    combo = page.table.findChild(QComboBox)
    assert combo is not None
    qtbot.waitUntil(combo.view().isVisible)
    assert combo.currentText() == "Published as it is"
    row = combo.view().visualRect(combo.model().index(list(Role).index(Role.DROPPED), 0)).center()
    qtbot.mouseClick(combo.view().viewport(), Qt.MouseButton.LeftButton, pos=row)
    qtbot.waitUntil(lambda: opened.session.choices.roles["Ward"] is Role.DROPPED)
    opened.session.undo_stack.undo()
    assert opened.session.choices.roles["Ward"] is Role.NSA


def test_a_hundred_columns_by_keyboard_alone(window: MainWindow, qtbot: QtBot, idle: Idle, tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = [f"Column {i}" for i in range(99)]
    rows = [",".join([*(f"v{(i * j) % (2 + j % 7)}" for j in range(99)), f"d{i % 8}"]) for i in range(120)]
    path.write_text("\n".join([",".join([*names, "Diagnosis"]), *rows]) + "\n")
    window.import_page.open_file(path)
    idle(window)
    window.session.set_roles(dict.fromkeys([*names, "Diagnosis"], Role.NSA), "roles")
    window.show_step(Step.CLASSIFY)
    idle(window)
    page = window.classify_page
    # Find the column, walk to it, open its role, choose the third, all without a mouse.
    page.activateWindow()
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert page.search.hasFocus()
    qtbot.keyClicks(page.search, "diagn")
    assert page.sorted.rowCount() == 1
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    combo = page.table.findChild(QComboBox)
    assert combo is not None
    qtbot.waitUntil(combo.view().isVisible)
    qtbot.keyClick(combo.view(), Qt.Key.Key_Down)
    qtbot.keyClick(combo.view(), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.session.choices.sensitive == ("Diagnosis",))
    idle(window)
    assert window.session.choices.sensitive == ("Diagnosis",)
    assert page.primary.isEnabled()
    # The sort holds while rows change, and every column can be sorted by.
    page.search.clear()
    for at in range(page.sorted.columnCount()):
        page.table.sortByColumn(at, Qt.SortOrder.DescendingOrder)
        assert page.sorted.rowCount() == 100
    roles = next(i for i, field in enumerate(page.model.fields) if field.title == "Role")
    page.table.sortByColumn(roles, Qt.SortOrder.DescendingOrder)
    assert page.sorted.index(0, 0).data() == "Diagnosis"
    # Tab reaches the table and leaves it again.
    seen = set()
    page.table.setFocus()
    for _ in range(40):
        window.focusNextChild()
        seen.add(window.focusWidget())
    assert page.primary in seen
    assert page.search in seen
    assert all(isinstance(made, QPushButton) for made in page.role_buttons.values())


def test_groups_are_chosen_without_a_mouse(opened: MainWindow, page, qtbot: QtBot, idle: Idle) -> None:
    opened.activateWindow()
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    for _ in range(2):
        qtbot.keyClick(page.table, Qt.Key.Key_Down)
    assert page.selected() == ["Age"]
    qtbot.keyClick(page.table, Qt.Key.Key_G, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: page.findChild(GroupDialog) is not None)  # a key presses a button for a moment
    dialog = page.findChild(GroupDialog)
    idle(opened)
    assert dialog.way.hasFocus()
    while dialog.way.currentData() != "width":
        qtbot.keyClick(dialog.way, Qt.Key.Key_Up if dialog.way.currentIndex() > 1 else Qt.Key.Key_Down)
    idle(opened)
    qtbot.keyClick(dialog.way, Qt.Key.Key_Tab)
    box = dialog.focusWidget()
    assert isinstance(box, QDoubleSpinBox)
    box.selectAll()
    qtbot.keyClicks(box, "3")
    idle(opened)
    qtbot.keyClick(dialog, Qt.Key.Key_U, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: bool(opened.session.choices.steps("Age")))
    assert opened.session.choices.steps("Age") == (g.by_width(opened.session.source.column("Age"), 3),)
    opened.activateWindow()
    qtbot.waitUntil(opened.isActiveWindow)
    qtbot.keyClick(page.table, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert not opened.session.choices.steps("Age")


def test_what_is_put_together_is_called_in_the_language_of_the_window(
    opened: MainWindow, page, idle: Idle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """No “Other” among German values, whoever proposes the groups: the column's card, the dialog, or Make it safe."""
    german = {"Other": "Andere", "{value} or other": "{value} oder andere"}
    monkeypatch.setattr("splu_desktop.gui.classify.parts.t", lambda text, **values: german.get(text, text))
    lines = ["Ward,Diagnosis"] + [f"W{i % 9 if i % 50 else 10 + i // 50},d{i % 9}" for i in range(400)]
    path = tmp_path / "wards.csv"
    path.write_text("\n".join(lines) + "\n")
    opened.import_page.open_file(path)
    idle(opened)
    opened.session.set_roles({"Ward": Role.NSA, "Diagnosis": Role.SA}, "roles")
    idle(opened)
    (step,) = page.risk.shown.columns["Ward"].steps
    assert step.label == "Andere"
    dialog = page.group_values_of("Ward")
    idle(opened)
    assert dialog._opening.steps == (step,)
    dialog.reject()
