"""Classify by cards, who gets the release, make it safe, and a gate that leads to the column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QApplication, QLabel, QListWidgetItem, QStyle, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from splu_desktop.core.checks.gate import Light
from splu_desktop.core.generalise import table_after
from splu_desktop.core.guarantees.audience import NAMES
from splu_desktop.core.risk.uniqueness import class_sizes, records_below
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.roles.vocabulary import RoleCard
from splu_desktop.gui.base.models import ROW
from splu_desktop.gui.base.reason_dialog import ReasonDialog
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.base.words import told
from splu_desktop.gui.classify.columns import ROLE_COLUMN, WHY_COLUMN
from splu_desktop.gui.classify.parts import meanings_of_limits
from splu_desktop.gui.shell.main_window import MainWindow

Idle = Callable[[MainWindow], None]
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def page(window: MainWindow, idle: Idle, tmp_path: Path):
    rows = [
        f"{500_000 + i},{'fm'[i % 2]},{i * 37 % 89},W{i % 5},d{i % 11},"
        f"{'yes' if i % 9 else 'no'},{'pos' if i % 7 else 'neg'}"
        for i in range(900)
    ]
    path = tmp_path / "stays.csv"
    path.write_text("patient_id,sex,age,ward,diagnosis,fever,HIV\n" + "\n".join(rows) + "\n")
    window.import_page.open_file(path)
    idle(window)
    window.show_step(Step.CLASSIFY)
    idle(window)
    return window.classify_page


def shown(page) -> list[str]:
    return [page.sorted.index(row, 0).data(ROW).fact.name for row in range(page.sorted.rowCount())]


def test_a_card_filters_and_many_are_set_at_once(window: MainWindow, page, idle: Idle) -> None:
    assert len(shown(page)) == 7
    page.cards.buttons[RoleCard.SPECIAL].click()
    assert shown(page) == ["diagnosis", "fever", "HIV"]
    page.search.setText("fev")
    assert shown(page) == ["fever"]
    page.search.clear()
    page.table.selectAll()
    page.set_selected(Role.SA)
    idle(window)
    roles = window.session.choices.roles
    assert [roles[name] for name in ("diagnosis", "fever", "HIV", "ward")] == [Role.SA, Role.SA, Role.SA, Role.NSA]
    window.session.undo_stack.undo()
    assert window.session.choices.roles["HIV"] is Role.DROPPED
    page.show_column("ward")
    assert len(shown(page)) == 7
    assert page.selected() == ["ward"]


def test_a_column_is_shown_whatever_key_is_held(page, qtbot: QtBot) -> None:
    """Ctrl, by which one goes on to a page, adds and takes away where a view is asked to select by itself."""
    qtbot.keyPress(page.search, Qt.Key.Key_Control, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier
    page.show_column("ward")
    assert page.selected() == ["ward"]
    qtbot.keyRelease(page.search, Qt.Key.Key_Control)


def test_below_the_table_no_line_is_cut_before_one_scrolls(window: MainWindow, page, idle: Idle) -> None:
    page.table.select_rows([3])
    idle(window)
    room, cut = page.room, set[int]()
    inside = room.widget()
    for height in range(540, 800, 3):
        window.resize(960, height)
        QApplication.processEvents()
        QApplication.processEvents()
        end = room.viewport().height()
        cut.add(room.viewportMargins().bottom())
        for text in inside.findChildren(QLabel):
            top, line = text.mapTo(inside, text.contentsRect().topLeft()).y(), text.fontMetrics().lineSpacing()
            if text.isVisible() and top < end < top + text.contentsRect().height() and inside.height() > end:
                assert (end - top) % line == 0, (height, text.text())
    assert len(cut) > 2, "it had to end earlier at some heights"
    bar = room.verticalScrollBar()
    window.resize(960, 540)
    QApplication.processEvents()
    bar.setValue(bar.maximum())
    assert bar.value() > 0
    assert room.viewportMargins().bottom() == 0


def test_name_and_reason_stay_in_view_and_no_row_moves(window: MainWindow, page, idle: Idle) -> None:
    window.resize(900, 700)
    idle(window)
    table = page.table
    at = table.rowViewportPosition(2), table.height()
    table.select_rows([4])
    idle(window)
    assert (table.rowViewportPosition(2), table.height()) == at
    assert table.columnViewportPosition(WHY_COLUMN) < table.viewport().width()
    table.horizontalScrollBar().setValue(table.horizontalScrollBar().maximum())
    assert table.horizontalScrollBar().value() > 0
    assert table.first.isVisible()
    assert table.first.columnAt(5) == 0
    assert table.first.selectionModel() is table.selectionModel()
    assert table.columnViewportPosition(ROLE_COLUMN) < 0


def test_five_questions_set_the_limits_and_a_changed_one_needs_its_reason(window: MainWindow, page, idle: Idle) -> None:
    dialog = page.ask_audience()
    said = [label.text() for label in dialog.findChildren(QLabel)]
    assert tuple(meanings_of_limits()) == NAMES
    assert set(meanings_of_limits().values()) <= set(said), "each limit says what it means for people"
    dialog.who.setCurrentIndex(dialog.who.findData("public"))
    assert dialog._numbers["k"].value() == 11
    dialog.who.setCurrentIndex(dialog.who.findData("partner"))
    dialog.tables.setCurrentIndex(dialog.tables.findData(True))
    assert (dialog._numbers["k"].value(), dialog._numbers["cell"].value()) == (5, 11)
    dialog._numbers["k"].setValue(4)
    assert not dialog.take.isEnabled()
    dialog._reasons["k"].setText("a pilot")
    assert dialog.take.isEnabled()
    dialog.accept()
    audience = window.session.choices.audience
    assert audience.changed == {"k": (4, "a pilot")}
    assert window.session.choices.plan().audience == audience
    window.session.undo_stack.undo()
    assert window.session.choices.audience is None


def test_steps_are_taken_one_by_one_and_undone_one_by_one(window: MainWindow, page, idle: Idle) -> None:
    before = window.session.choices
    dialog = page.make_it_safe()
    idle(window)
    assert dialog.found.reached
    steps = dialog.found.steps
    assert steps
    assert dialog.list.count() == len(steps)
    whole = dialog.found.plan
    dialog.accept()
    idle(window)
    after = window.session.choices
    assert after.plan().roles == whole.roles
    assert after.plan().generalisations == whole.generalisations
    for _ in steps:
        window.session.undo_stack.undo()
    assert window.session.choices == before


def test_steps_of_any_length_are_read_whole(window: MainWindow, page, idle: Idle) -> None:
    """Each letter more may be the one that needs a line more, beside a scroll bar that comes with the lines."""
    dialog = page.make_it_safe()
    idle(window)
    steps, words = dialog.list, "Leave out “Facility” (even its coarsest form singles people out): " * 3
    steps.clear()
    for length in range(60, 180):
        item = QListWidgetItem(words[:length].strip())
        item.setCheckState(Qt.CheckState.Checked)
        steps.addItem(item)
    QApplication.processEvents()
    beside = 2 * (steps.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, None, steps) + 1)
    lines = set()
    for row in range(steps.count()):
        option = QStyleOptionViewItem()
        steps.initViewItemOption(option)
        option.rect = steps.visualItemRect(steps.item(row))
        steps.itemDelegate().initStyleOption(option, steps.model().index(row, 0))
        room = steps.style().subElementRect(QStyle.SubElement.SE_ItemViewItemText, option, steps)
        wide = QRect(0, 0, room.width() - beside, 9999)
        needed = option.fontMetrics.boundingRect(wide, Qt.TextFlag.TextWordWrap, option.text).height()
        assert needed <= room.height(), option.text
        lines.add(needed)
    assert len(lines) > 1
    dialog.reject()


def test_an_unticked_step_is_not_taken(window: MainWindow, page, idle: Idle) -> None:
    dialog = page.make_it_safe()
    idle(window)
    last = dialog.found.steps[-1].column
    for at in range(dialog.list.count() - 1):
        dialog.list.item(at).setCheckState(Qt.CheckState.Unchecked)
    before = window.session.choices
    idle(window)
    said = dialog.text.text()
    dialog.accept()
    idle(window)
    now = window.session.choices
    sizes = class_sizes(
        table_after(window.session.source.imported.table, now.generalisations), now.plan().named(Role.NSA)
    )
    assert f" {records_below(sizes, 2):,} of" in said, "what is said is of the steps that are ticked"
    changed = {n for n in before.roles if (before.roles[n], before.steps(n)) != (now.roles[n], now.steps(n))}
    assert changed == {last}


def test_change_leads_to_the_column_and_a_kind_is_accepted_at_once(window: MainWindow, page, idle: Idle) -> None:
    window.session.set_roles({"fever": Role.NSA, "HIV": Role.NSA}, "against advice")
    window.show_step(Step.PUBLISH)
    idle(window)
    gate = window.publish_page.gate
    lines = [line for line in gate.lines if line.name == "sensitive"]
    assert [line.column for line in lines] == ["fever", "HIV"]
    assert all(line.light is Light.AMBER for line in lines)
    gate.accept_kind("sensitive")
    (asked,) = gate.findChildren(ReasonDialog)
    said = "\n".join(one.text() for one in asked.findChildren(QLabel))
    assert all(told(line.sentence) in said for line in lines), "what is accepted is read once more"
    asked.reason.setText("the board agreed")
    asked.go_on.click()
    assert gate.accepted()["sensitive"] == "the board agreed"
    gate.accept_kind("unique-records")
    asked = gate.findChildren(ReasonDialog)[-1]
    asked.accept()
    asked.reject()
    assert "unique-records" not in gate.accepted(), "no words, no consent"
    for many in (1, 30):
        long = [f"{at} of 30 lines that take more room than one has beside another" for at in range(many)]
        gate._ask([replace(lines[0], sentence=line) for line in long])
        asked = gate.findChildren(ReasonDialog)[-1]
        idle(window)
        (against,) = (one for one in asked.findChildren(QLabel) if long[0] in one.text())
        assert all(line in against.text() for line in long), "what is accepted is listed whole"
        assert against.height() >= against.heightForWidth(against.width()), "and none of it is cut"
        assert asked.height() <= 500, "in a window of 960 x 540"
        assert against.height() <= against.heightForWidth(against.width()) + 4, "nor does a short one stand in a void"
        asked.reject()
    gate.go.emit(Step.CLASSIFY, "HIV")
    idle(window)
    assert page.isVisible()
    assert page.selected() == ["HIV"]
    gate.go.emit(Step.CLASSIFY, "")
    idle(window)
    assert page.selected() == [next(iter(page.risk.shown.columns))], "of several columns the most telling"
