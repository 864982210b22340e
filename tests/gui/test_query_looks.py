"""What is seen of the query page and how it is gone about by keyboard: widths, order, focus, stale and empty states."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, QSize, Qt, QTimer, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QScrollArea,
    QScrollBar,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTabWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import DEFAULT, Answer
from splu_desktop.core.reconstruct.bootstrap import REPEATING
from splu_desktop.files.language import LANGUAGES, language
from splu_desktop.gui.base import languages
from splu_desktop.gui.base.bars import Bars, BarsView
from splu_desktop.gui.base.models import WHOLE, Field, RowsModel, TableView, _Header
from splu_desktop.gui.base.words import percent_within, told
from splu_desktop.gui.query.answer_card import AnswerCard, interval, trust
from splu_desktop.gui.query.crosstab.model import short
from splu_desktop.gui.query.crosstab.tab import CrosstabTab
from splu_desktop.gui.query.many import _LEAST, Row
from splu_desktop.gui.query.workload_plots import BandsPlot
from splu_desktop.gui.query.workload_work import Accuracy
from tests.gui.query_fixtures import Idle, Stage, custodian, folder, made, recipient, stage

__all__ = ["custodian", "folder", "made", "recipient", "stage"]

_FLU, _F = Condition("Diagnosis", ("flu",)), Condition("Sex", ("f",))
_CONTROL = Qt.KeyboardModifier.ControlModifier


def _counted(page: Stage, idle: Idle, first: str, second: str = "") -> CrosstabTab:
    query = page.query_page
    query.tabs.setCurrentWidget(query.crosstab)
    for side, name in ((query.crosstab.setup.first, first), (query.crosstab.setup.second, second)):
        side.column.setCurrentIndex(side.column.findData(name))
    query.act()
    idle(page)
    return query.crosstab


def _reached(page: QWidget) -> list[QWidget]:
    """Return what Tab comes to on a page, in its order."""
    found, at = [], page.nextInFocusChain()
    while at is not None and at is not page:
        if page.isAncestorOf(at) and at.isVisible() and at.isEnabled() and at.focusPolicy() & Qt.FocusPolicy.TabFocus:
            found.append(at)
        at = at.nextInFocusChain()
    return found


def test_a_way_of_asking_is_made_when_it_is_first_wanted(stage: Stage, folder: object, idle: Idle) -> None:
    page = stage.query_page
    assert page.tabs.there() == (), "an empty page needs none"
    assert "release.json" in page.help_text()
    page.open_release(folder.folder)  # type: ignore[attr-defined]
    idle(stage)
    assert page.tabs.there() == (page.one,)
    page.tabs.setCurrentIndex(1)
    assert page.tabs.there() == (page.one, page.crosstab)
    assert page.tabs.currentWidget() is page.crosstab
    assert page.crosstab.asker is page.one.asker, "made late, it knows the release all the same"


def test_the_primary_button_comes_last(recipient: Stage, idle: Idle) -> None:
    page = recipient.query_page
    assert _reached(page)[-1] is page.primary
    tab = _counted(recipient, idle, "Sex")
    reached = _reached(page)
    assert reached[-1] is page.primary
    assert reached.index(page.tabs.tabBar()) < reached.index(tab.setup.first.column) < reached.index(tab.heat_view)


def test_control_and_enter_press_the_primary_button(recipient: Stage, idle: Idle, qtbot: QtBot) -> None:
    page = recipient.query_page
    page.one.builder.set_conditions((Condition("Sex", ("f",)),))
    qtbot.keyClick(page.one.builder.values, Qt.Key.Key_Return, _CONTROL)
    idle(recipient)
    assert page.one.asked_model.rows[0].answer.published == 300
    assert page.one.answer_card.spoken().startswith("300. exact. ")


def test_escape_empties_a_search_and_leaves_the_estimators(recipient: Stage, idle: Idle, qtbot: QtBot) -> None:
    recipient.activateWindow()
    one = recipient.query_page.one
    one.builder.search.setText("rab")
    one.builder.search.setFocus()
    qtbot.keyClick(one.builder.search, Qt.Key.Key_Escape)
    assert one.builder.search.text() == ""
    one.advanced.click()
    assert one.card_stack.currentIndex() == 1
    qtbot.keyClick(one.estimators.method, Qt.Key.Key_Escape)
    assert one.card_stack.currentIndex() == 0


def test_the_focus_goes_on_to_what_was_asked_for(stage: Stage, folder: object, idle: Idle, qtbot: QtBot) -> None:
    stage.activateWindow()
    page = stage.query_page
    page.open_release(folder.folder)  # type: ignore[attr-defined]
    idle(stage)
    assert QApplication.focusWidget() is page.one.builder.columns
    page.tabs.setCurrentIndex(1)
    page.primary.setFocus()
    qtbot.keyClick(page.primary, Qt.Key.Key_Space)
    assert QApplication.focusWidget() is page.crosstab.busy.cancel, "the primary button is out of order meanwhile"
    idle(stage)
    assert QApplication.focusWidget() is page.crosstab.heat_view


def test_bars_have_their_columns_in_order_whatever_was_counted_before(custodian: Stage, idle: Idle) -> None:
    for sides in (("Sex",), ("Ward", "Sex"), ("Ward",)):
        tab = _counted(custodian, idle, *sides)
        header = tab.cells_view.horizontalHeader()
        seen = [header.logicalIndex(at) for at in range(header.count())]
        seen = [section for section in seen if not header.isSectionHidden(section)]
        assert seen == list(range(tab.cells.secret_section))
        cut = [at for at in seen if header.sectionSize(at) < header.sectionSizeHint(at)]
        assert not cut, [(tab.cells.titles()[at], header.sectionSize(at), header.sectionSizeHint(at)) for at in cut]


def test_cells_of_another_cross_table_say_so(recipient: Stage, idle: Idle) -> None:
    tab = _counted(recipient, idle, "Sex")
    assert not tab.old.isVisible()
    tab.setup.first.column.setCurrentIndex(tab.setup.first.column.findData("Ward"))
    assert tab.old.isVisible()
    assert "Sex × Diagnosis" in tab.old.text()
    recipient.query_page.act()
    idle(recipient)
    assert not tab.old.isVisible()


def test_a_search_that_finds_no_cell_says_so(recipient: Stage, idle: Idle) -> None:
    tab = _counted(recipient, idle, "Sex")
    tab.search.setText("no such value")
    assert tab.views.currentWidget() is tab.nothing
    tab.bars_button.click()
    assert tab.views.currentWidget() is tab.nothing
    tab.search.clear()
    assert tab.views.currentWidget() is tab.cells_view
    tab.cells_view.setCurrentIndex(tab.cells.index(1, 0))
    assert tab.readout.text() == tab.seen.words(*tab.cells.place(tab.cells.index(1, 0)))
    assert "≈" in tab.legend.text(), "what the marks mean stays"


@pytest.mark.parametrize("share", [False, True])
def test_no_figure_of_a_heat_map_is_cut_off(custodian: Stage, idle: Idle, *, share: bool) -> None:
    tab = _counted(custodian, idle, "Ward", "Sex")
    tab.truth_switch.setChecked(True)
    idle(custodian)
    tab.measure.setCurrentIndex(int(share))
    heat, metrics = tab.heat, tab.heat_view.fontMetrics()
    for row in range(heat.rowCount()):
        for column in range(heat.columnCount()):
            text = heat.index(row, column).data()
            assert metrics.horizontalAdvance(text) + 12 <= tab.heat_view.columnWidth(column), text


def test_a_long_question_keeps_to_three_lines_and_a_short_one_takes_them_back(recipient: Stage) -> None:
    one = recipient.query_page.one
    short_one = one.question_room.height()
    labels = one.builder._published.table["Diagnosis"].labels if one.builder._published is not None else ()
    chosen = tuple(str(label) for label in labels)
    every = (Condition("Age", tuple(map(str, range(20, 25)))), Condition("Diagnosis", chosen[:6]))
    one.builder.set_conditions((*every, Condition("Sex", ("f",)), Condition("Ward", ("A", "B"))))
    one.question.setText(one.question.text() * 4)
    one.question_room.fit()
    line = one.question.fontMetrics().lineSpacing()
    assert one.question_room.height() <= 3 * line + 2 < one.question.height()
    one.clear()
    assert one.question_room.height() == short_one


def test_lists_are_copied_whole(qtbot: QtBot) -> None:
    model: RowsModel[str] = RowsModel([Field("Question", lambda row: row), Field("Twice", lambda row: row * 2)])
    view = TableView("Questions")
    qtbot.addWidget(view)
    view.setModel(model)
    long = "a line\nand another " * 20
    model.show((long,))
    assert model.index(0, 0).data().endswith("…")
    assert model.index(0, 0).data(WHOLE) == long
    view.selectAll()
    view.copy()
    header, row = QGuiApplication.clipboard().text().split("\n")
    assert header == "Question\tTwice"
    assert row == "\t".join(" ".join((long * times).splitlines()) for times in (1, 2))


def test_the_question_takes_the_room_that_the_figures_leave(recipient: Stage, idle: Idle) -> None:
    one = recipient.query_page.one
    one.builder.set_conditions((Condition("Sex", ("f",)), Condition("Diagnosis", ("flu",))))
    one.ask()
    idle(recipient)
    header = one.asked.horizontalHeader()
    for width in (1400, 1000):
        recipient.resize(width, 700)
        QApplication.processEvents()
        assert header.length() == one.asked.viewport().width()
        assert all(header.sectionSize(at) >= header.sectionSizeHint(at) for at in range(1, 6))
        assert header.sectionSize(5) < 2 * header.sectionSizeHint(5), "as wide as what stands in it"
    assert one.asked_model.index(0, 0).data() == "Sex is f; Diagnosis is flu"
    assert one.asked_model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole).startswith("How many records: ")


@pytest.mark.parametrize(
    ("share", "width", "text"),
    [
        (0.0, 0.01, "0 %"),
        (1.0, 0.9, "100 %"),
        (0.17772, 0.83, "18 %"),
        (0.17772, 0.04, "17.8 %"),
        (0.17772, 0.004, "17.77 %"),
        (0.00012, 0.00003, "0.0120 %"),
    ],
)
def test_a_share_has_no_digit_that_its_interval_does_not_bear(share: float, width: float, text: str) -> None:
    assert percent_within(share, width) == text


def test_a_share_up_to_all_records_is_told_in_round_figures(qtbot: QtBot) -> None:
    card = AnswerCard()
    qtbot.addWidget(card)
    wide = Answer((), 3554, 3554.0, 3422.2, 19999.9999, DEFAULT, 20_000, 9.0, 3, 3554.0)
    card.show_answer(wide)
    text = card.share.text().replace("\N{NO-BREAK SPACE}", " ")
    assert text == "18 % of the 20,000 records selected (17 % to 100 %)"
    assert short(wide, True) == "≈ 18 %"
    small = Answer((), 2, 3.0, 0.0, 13.2, DEFAULT, 854, 9.0, 3, 3.0)
    assert short(small, True) == "0 % – 1.6 %", "a range begins at 0 %, not at 0.0 %"
    few = Answer((), 2, 2.0, 0.0, 5.4, DEFAULT, 54_708, 9.0, 3, 2.0)
    assert short(few, True) == "0 % – 0.011 %", "two digits of the range that is shown, as in the rows around"


def test_the_bands_of_a_workload_are_marked_briefly_in_every_language(qtbot: QtBot) -> None:
    ends = ("10", "0,2 %", "0,5 %", "1 %", "2 %", "5 %")
    names = ("1 bis 10 Datensätze", "0,05 bis 0,2 %", "0,2 bis 0,5 %", "0,5 bis 1 %", "1 bis 2 %", "2 bis 5 %")
    tens, six = np.full(10, 0.5), np.full(6, 0.2)
    plot = BandsPlot()
    qtbot.addWidget(plot)
    plot.draw(Accuracy(names, ends, np.full(6, 9), six, six, six, tens, np.full(10, 9), 0.3, 3, None))
    assert [text for _, text in plot.getPlotItem().getAxis("bottom")._tickLevels[0]] == list(ends)
    assert "(x" not in plot.getPlotItem().getAxis("left").labelString(), "20 % is no 0.2 thousandths"


def test_a_second_measurement_says_what_it_is_about(custodian: Stage, idle: Idle) -> None:
    page = custodian.query_page
    page.tabs.setCurrentWidget(page.workload)
    work = page.workload
    work.amount.setCurrentIndex(0)
    page.act()
    idle(custodian)
    assert "Diagnosis" in work.measured.text()
    work.bands_plot.point_at(2)
    assert "questions" in work.readouts[0].text()
    page.act()
    idle(custodian)
    assert "questions" not in work.readouts[0].text(), "figures of the last measurement"
    assert work.table.verticalScrollBar().maximum() == 0, "all bands are seen at once"
    custodian.resize(custodian.minimumSize())
    QApplication.processEvents()
    for plot, readout in zip((work.bands_plot, work.small_plot), work.readouts, strict=True):
        assert plot.height() >= 8 * plot.fontMetrics().height(), "room for its axes and its bars"
        assert plot.geometry().bottom() < readout.geometry().top(), "no text is drawn over another"


def test_cells_are_copied_as_they_are_seen(recipient: Stage, idle: Idle) -> None:
    tab = _counted(recipient, idle, "Sex")
    tab.cells_view.sortByColumn(2, Qt.SortOrder.DescendingOrder)
    tab.cells_view.select_rows([0, 3])
    tab.cells_view.copy()
    idle(recipient)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().split("\n")]
    assert lines[0] == tab.cells.titles()[:-1]
    assert lines[1:] == [[tab.cells.index(row, at).data() for at in range(len(lines[0]))] for row in (0, 3)]
    tab.heat_view.clearSelection()
    select = tab.heat_view.selectionModel()
    for place in ((0, 1), (2, 2)):
        select.select(tab.heat.index(*place), select.SelectionFlag.Select)
    tab.heat_view.copy()
    idle(recipient)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().split("\n")]
    assert lines == [
        ["", *(tab.heat.name(at, Qt.Orientation.Horizontal) for at in (1, 2))],
        *(
            [tab.heat.name(row, Qt.Orientation.Vertical), *(tab.heat.index(row, at).data() for at in (1, 2))]
            for row in (0, 2)
        ),
    ]


def test_a_file_of_questions_can_be_dropped_where_it_is_asked_for(
    recipient: Stage, idle: Idle, tmp_path: Path, qtbot: QtBot
) -> None:
    asked = tmp_path / "asked.csv"
    asked.write_text("Sex,Diagnosis\nf,flu\n", encoding="utf-8")
    page = recipient.query_page
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(asked))])
    button, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier

    def drop() -> None:
        page.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, mime, button, keys))
        idle(recipient)

    drop()
    assert page.banner.kind == "fault", "elsewhere only a release is taken"
    page.tabs.setCurrentWidget(page.many)
    drop()
    assert not page.banner.isVisible()
    assert page.many.model.rowCount() == 1
    assert page.many.model.index(0, 1).data() == "Sex is f; Diagnosis is flu"


def test_true_counts_stand_beside_the_answer(custodian: Stage, idle: Idle) -> None:
    one = custodian.query_page.one
    one.builder.set_conditions((Condition("Diagnosis", ("flu",)),))
    one.truth_switch.setChecked(True)
    one.ask()
    idle(custodian)
    header = one.asked.horizontalHeader()
    assert not one.asked.isColumnHidden(one.asked.secret)
    assert header.visualIndex(one.asked.secret) == header.visualIndex(1) + 1


def test_the_beginning_of_a_range_is_seen_where_there_is_no_room_for_all(recipient: Stage) -> None:
    builder = recipient.query_page.one.builder
    builder.set_conditions((Condition("Age", (), "20.000000000000000000000", "26"),))
    assert builder.low.cursorPosition() == 0


def test_a_picture_says_what_its_figures_are_and_not_how_they_are_sorted(recipient: Stage, idle: Idle) -> None:
    tab = _counted(recipient, idle, "Sex")
    assert tab.picture().title == "Estimated records by Sex × Diagnosis"
    tab.measure.setCurrentIndex(1)
    tab.heat.sort_by(1, Qt.Orientation.Horizontal)
    picture = tab.picture()
    assert picture.title == "Estimated shares of records by Sex × Diagnosis"
    assert picture.across == ("All", "f", "m")


def test_a_question_is_asked_without_a_mouse(stage: Stage, folder: object, idle: Idle, qtbot: QtBot) -> None:
    stage.activateWindow()
    page = stage.query_page
    page.open_release(folder.folder)  # type: ignore[attr-defined]
    idle(stage)

    def press(key: Qt.Key, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        qtbot.keyClick(QApplication.focusWidget(), key, keys)

    builder = page.one.builder
    press(Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is builder.search
    qtbot.keyClicks(builder.search, "a")
    press(Qt.Key.Key_Return)
    assert QApplication.focusWidget() is builder.values, "several values fit: on to the list"
    press(Qt.Key.Key_Down)
    press(Qt.Key.Key_Space)
    assert [len(condition.values) for condition in builder.conditions()] == [1]
    press(Qt.Key.Key_Return, _CONTROL)
    idle(stage)
    assert page.one.asked_model.rowCount() == 1
    assert QApplication.focusWidget() is builder.values, "and on with the next value"
    press(Qt.Key.Key_M)
    assert (QApplication.focusWidget(), builder.search.text()) == (builder.search, "m")
    press(Qt.Key.Key_Escape)
    press(Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert QApplication.focusWidget() is builder.columns
    press(Qt.Key.Key_Delete)
    assert builder.conditions() == ()


def _letters(page: QWidget, menus: list[str]) -> dict[str, list[str]]:
    """Return, by letter, the texts of what is seen and goes with Alt and that letter."""
    texts = [*menus, *(made.text() for made in page.findChildren(QAbstractButton) if made.isVisible())]
    for tabs in page.findChildren(QTabWidget):
        texts += [tabs.tabText(at) for at in range(tabs.count()) if tabs.isTabVisible(at)]
    found: dict[str, list[str]] = {}
    for text in texts:
        letter = re.search(r"&(\w)", text)
        if letter:
            found.setdefault(letter[1].casefold(), []).append(text)
    return found


@pytest.mark.parametrize("arm", [40.0, 131.0, 1_300.0])
def test_a_list_and_the_card_say_alike_how_far_to_trust_a_figure(arm: float) -> None:
    """Rounded up in both: one source."""
    answer = Answer(
        (), 12_934, 13_000.0, 13_000.0 - arm, 13_000.0 + arm, DEFAULT, 26_611, (arm / 1.96) ** 2, 3, 13_000.0
    )
    assert trust(answer).replace("\u00a0", " ") in told(answer.badge_text).replace("\u00a0", " ")


@pytest.fixture(params=list(LANGUAGES))
def speaking(qapp: QApplication, request: pytest.FixtureRequest) -> Iterator[tuple[Stage, str]]:
    """Yield the window in each language, and that."""
    languages.speak(qapp, request.param)
    yield request.getfixturevalue("custodian"), request.param
    languages.speak(qapp, "en")


def test_a_list_of_answers_is_read_without_scrolling_at_200_per_cent(
    speaking: tuple[Stage, str], idle: Idle, tmp_path: Path
) -> None:
    stage, _ = speaking
    many, asked = stage.query_page.many, tmp_path / "asked.csv"
    stage.query_page.tabs.setCurrentWidget(many)
    asked.write_text("Sex\nf\n", encoding="utf-8")
    many.open_file(asked)
    idle(stage)
    certain = Answer((), 12_934, 13_000.0, 12_568.0, 13_434.0, DEFAULT, 26_611, 9.0, 3, 13_000.0)
    vague = Answer((), 0, 0.0, 0.0, 8.0, DEFAULT, 66, None, 3, 0.0)
    view, interval_at = many.view, 4
    for true in (None, 12_345):
        many._show_rows(tuple(Row(at + 1, (_FLU, _F), "", one, true) for at, one in enumerate((certain, vague))))
        view.setColumnHidden(view.secret, true is None)
        view.setFixedSize(722, 160)  # as in a window of 960 x 540
        view.fit_columns(300, filling=1, least=_LEAST)
        QApplication.processEvents()
        over = view.columnViewportPosition(interval_at) + view.columnWidth(interval_at) - view.viewport().width()
        assert over <= 0
        assert true is not None or not view.horizontalScrollBar().maximum()


def test_each_letter_goes_to_one_control(speaking: tuple[Stage, str], idle: Idle, tmp_path: Path) -> None:
    stage, code = speaking
    spoken = language(code).window
    menus = [spoken.get(name, name) for name in ("&File", "&Edit", "&View", "&Help")]
    page = stage.query_page
    asked = tmp_path / "asked.csv"
    asked.write_text("Sex\nf\n", encoding="utf-8")

    def check() -> None:
        idle(stage)
        twice = {letter: texts for letter, texts in _letters(page, menus).items() if len(texts) > 1}
        assert not twice

    page.one.builder.set_conditions((Condition("Sex", ("f",)),))
    page.act()
    check()
    page.one.advanced.click()
    check()
    for at in (1, 2, 3, 4):
        page.tabs.setCurrentIndex(at)
        check()
        if at == 3:
            page.many.open_file(asked)
            check()
        elif at == 1:
            page.act()
            check()


def test_a_range_of_what_is_possible_is_not_called_an_interval(qtbot: QtBot) -> None:
    card = AnswerCard()
    qtbot.addWidget(card)
    for variance, often in ((None, False), (9.0, True)):
        answer = Answer((), 40, 40.0, 5.0, 90.0, DEFAULT, 100, variance, 3, 40.0)
        card.show_answer(answer)
        assert interval(answer) == ("5 – 90" if often else "possible: 5 – 90"), "as lists say"
        assert ("95" in card.bar_note.text()) is often
        assert ("95 of 100" in card.spoken()) is often


def test_repeating_the_draw_is_told_in_words(qtbot: QtBot) -> None:
    card = AnswerCard()
    qtbot.addWidget(card)
    card.show_progress("Counting", 0.5)
    assert card.repeating.isHidden()
    card.show_progress(REPEATING, 0.5)
    assert not card.repeating_note.isHidden()
    assert card.repeating.value() == 50
    card.end_progress()
    assert card.repeating_note.isHidden()
    assert card.repeating.isHidden()


def test_no_room_is_kept_beside_a_name_for_an_arrow_that_stands_above_it(qtbot: QtBot) -> None:
    view = TableView("Sorted")
    qtbot.addWidget(view)
    view.setModel(RowsModel([Field("Shown wrong", str), Field("Usual error", str)]))
    header = view.horizontalHeader()
    unsorted = [header.sectionSizeHint(at) for at in range(2)]
    view.setSortingEnabled(True)
    assert [header.sectionSizeHint(at) for at in range(2)] == unsorted
    assert min(unsorted) > header.fontMetrics().horizontalAdvance("Usual error")


def test_of_a_wide_table_no_turn_measures_more_columns_than_a_screen_shows(qtbot: QtBot) -> None:
    view = TableView("400 columns")
    qtbot.addWidget(view)
    asked: set[int] = set()

    def text(at: int) -> Callable[[str], str]:
        return lambda row: (asked.add(at), row * (1 + at % 7))[1]

    model: RowsModel[str] = RowsModel([Field("", text(at)) for at in range(400)])
    view.setModel(model)
    model.show(("value",))
    seen = [0]

    def beat() -> None:
        seen.append(len(asked))
        asked.clear()

    beats = QTimer(view)  # no timer fires twice in one turn
    beats.timeout.connect(beat)
    beats.start(0)
    view.fit_columns(200)
    qtbot.waitUntil(lambda: sum(seen) == 400)
    beats.stop()
    assert max(seen) <= 60, "what one turn measures, and what the next does before it is counted"
    widths = [view.columnWidth(at) for at in range(400)]
    assert widths[:7] == widths[7:14] == widths[392:399], "the last ones as the first"
    assert widths[0] < widths[6]


def test_a_resize_measures_each_header_once(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    measured: Counter[int] = Counter()
    usual = _Header.sectionSizeFromContents

    def measuring(header: _Header, at: int) -> QSize:
        measured[at] += 1
        return usual(header, at)

    monkeypatch.setattr(_Header, "sectionSizeFromContents", measuring)
    view = TableView("Many columns")
    qtbot.addWidget(view)
    model: RowsModel[str] = RowsModel([Field(f"Column {at}", str) for at in range(12)])
    view.setModel(model)
    model.show(("a value as wide as others are",))
    view.fit_columns(filling=0)
    view.show()
    measured.clear()
    view.resize(300, 200)
    assert set(measured.values()) == {1}
    assert len(measured) == 12


def test_bars_of_empty_cells_have_a_whole_label(qtbot: QtBot) -> None:
    pictures = []
    for label in ("", "(empty)"):
        view = BarsView("Values")
        qtbot.addWidget(view)
        view.resize(400, 200)
        view.show_bars(Bars((label, "f"), (3, 2), 2), "between")
        pictures.append(view.grab().toImage())
    assert pictures[0] == pictures[1]


@pytest.mark.parametrize("spare", [0, -8])
def test_a_row_is_as_high_as_what_is_drawn_in_it(recipient: Stage, idle: Idle, spare: int) -> None:
    """A name that just fits stands in one line; a picture and the margins are reckoned as the style draws them."""
    columns = TableView("Columns")
    model = RowsModel([Field[str]("Column", lambda name: name, picture=lambda name: "shield")], columns)
    columns.setModel(model)
    model.show(("time_in_hospital",))
    columns.horizontalHeader().setStretchLastSection(False)
    recipient.setCentralWidget(columns)
    columns.setColumnWidth(0, columns.sizeHintForColumn(0) + spare)
    columns.fit_lines()
    assert columns.rowHeight(0) == (2 if spare else 1) * columns.fontMetrics().height() + 12


def test_a_long_name_takes_lines_and_no_dots(recipient: Stage, idle: Idle) -> None:
    columns = TableView("Columns")
    model = RowsModel([Field[str]("Column", lambda name: name)], columns)
    columns.setModel(model)
    model.show(("Sex", "CCS Diagnosis Description of a long kind", "ccs_diagnosis_description_long_kind"))
    columns.horizontalHeader().setStretchLastSection(False)
    recipient.setCentralWidget(columns)
    for width, lines in ((600, 1), (180, 2)):
        columns.setColumnWidth(0, width)
        columns.fit_lines()
        line = columns.fontMetrics().height()
        assert [columns.rowHeight(row) for row in range(3)] == [line + 12, lines * line + 12, lines * line + 12]
        assert columns.wordWrap() is (lines > 1)
        option, name = QStyleOptionViewItem(), model.index(2, 0)
        cast("QStyledItemDelegate", columns.itemDelegateForIndex(name)).initStyleOption(option, name)
        drawn = columns.fontMetrics().boundingRect(0, 0, width - 24, 200, int(Qt.TextFlag.TextWordWrap), option.text)
        assert drawn.width() <= width - 24, "a name without a blank is broken at its marks"


@pytest.mark.qt_log_ignore("does not support propagateSizeHints")
def test_before_the_first_question_the_values_have_the_room(speaking: tuple[Stage, str], idle: Idle) -> None:
    """No empty list of answers: at 200 % it left three rows of values, and after the first answer it is there."""
    stage, _ = speaking
    stage.setMinimumSize(1, 1)
    stage.resize(768, 490)  # about what a window of 960 x 540 has for its page
    page = stage.query_page
    QApplication.processEvents()
    empty = page.one.asked
    rows = page.one.builder.values
    assert not empty.isVisible()
    before = rows.height()
    assert before >= 6 * rows.verticalHeader().defaultSectionSize()
    page.one.builder.show_column("Diagnosis")
    rows.scrollToTop()
    QApplication.processEvents()
    last = rows.model().index(rows.rowAt(rows.viewport().height() - 1) - 1, 0)
    rows.setCurrentIndex(last)
    rows.model().setData(last, Qt.CheckState.Checked.value, Qt.ItemDataRole.CheckStateRole)
    page.one.ask()
    idle(stage)
    for _ in range(4):
        QApplication.processEvents()
    assert rows.viewport().rect().contains(rows.visualRect(last)), "what was ticked is out of sight"
    assert empty.isVisible()
    assert page.one.again_button.isVisible()
    assert rows.height() < before


@pytest.mark.qt_log_ignore("does not support propagateSizeHints")
def test_the_answer_ends_between_lines_where_it_is_cut(speaking: tuple[Stage, str], idle: Idle) -> None:
    """A half of a button can't be read, and looks as if nothing more came."""
    stage, _ = speaking
    stage.setMinimumSize(1, 1)
    page = stage.query_page
    page.one.builder.set_conditions((_FLU, _F))
    page.one.ask()
    idle(stage)
    scrolling, room = 0, page.one.card_stack.currentWidget()
    assert isinstance(room, QScrollArea)
    for height in range(400, 700, 13):
        stage.resize(880, height)
        for _ in range(4):
            QApplication.processEvents()
        scrolling += room.verticalScrollBar().maximum() > 0
        for part in room.findChildren(QAbstractButton):
            if part.isVisible() and not isinstance(part.parent(), QScrollBar):
                assert part.visibleRegion().boundingRect().height() in (0, part.height()), height
    assert scrolling
