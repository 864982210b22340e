"""Laws that hold on every page in every state at every size: what can be read, reached and understood."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QAccessible, QPainter, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QScrollBar,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from splu_desktop.gui.base.focus import find_stops
from splu_desktop.gui.base.focus import idle as idle_part
from splu_desktop.gui.base.models import Field, TableView
from splu_desktop.gui.base.parts import ChoiceCard
from splu_desktop.gui.base.session import RAIL, Step
from splu_desktop.gui.base.widgets import ElidedLabel, put_in_scroll_area, show_whole
from splu_desktop.gui.columns.group_dialog import GroupDialog
from splu_desktop.gui.importing.dialog import ReadDialog
from splu_desktop.gui.open.how_read import HowRead
from splu_desktop.gui.proposal.plots import Plot
from splu_desktop.gui.proposal.ranges import RangeStrip
from splu_desktop.gui.proposal.releases_dialog import ReleasesDialog
from splu_desktop.gui.shell import guide, languages
from splu_desktop.gui.shell.main_window import MainWindow
from tests.gui.conftest import Idle

SIZES = {"100": (1366, 698), "150": (911, 442), "200": (683, 314), "1920 at 200": (960, 510), "smallest": (640, 300)}
CONTROLS = (QAbstractButton, QComboBox, QAbstractSpinBox, QAbstractSlider, QLineEdit, QPlainTextEdit, QAbstractItemView)
LEAST = 90  # pixels of a list or table in which a name can be told from another
LOW = 130  # pixels of a room that shows some four lines
MOST_WORDS = 270  # on a page at once, its tables and the frame around it not counted
# Words of mathematics that stand only in Expert and the annex (flow.md, section 6); gamma and T stand at the slider.
NEVER = re.compile(
    r"\b(joined|decoy|tolerance|estimator|pooled|interval|prosecutor|signal|epsilon|alpha|naive|bayes|pram|reconstruct"
    r"|k-anonym\w*|quasi\w*)s?\b",
    re.I,
)


def settle(window: MainWindow, idle: Idle) -> None:
    for _ in range(8):  # a list that becomes longer moves what is around it one turn later, and so on outwards
        QApplication.processEvents()
        idle(window)


def shown(window: QWidget, *kinds: type[QWidget]) -> Iterator[QWidget]:
    for part in window.findChildren(QWidget):
        if isinstance(part, kinds) and part.isVisible() and not part.window().isHidden() and part.width() > 1:
            yield part


def words_of(part: QWidget) -> str:
    if isinstance(part, QLabel):
        return html.unescape(re.sub(r"<[^>]+>", " ", part.text()))
    return part.text().replace("&&", "&") if isinstance(part, QAbstractButton) else ""


def seen(part: QWidget, window: QWidget) -> QRect:
    """Return where in the window a part is seen: what scrolls is cut by the room it scrolls in."""
    box, at = QRect(part.mapTo(window, QPoint()), part.size()), part.parentWidget()
    while at is not None and at is not window:
        box &= QRect(at.mapTo(window, QPoint()), at.size())
        at = at.parentWidget()
    return box


def faults_of_text(window: QWidget) -> Iterator[str]:
    for part in shown(window, QLabel, QPushButton):
        text = words_of(part)
        if not text.strip() or isinstance(part, ElidedLabel):  # ends in dots, and says all at rest
            continue
        if isinstance(part, QLabel) and part.wordWrap():
            cut = part.heightForWidth(part.width()) > part.height() + 2
        else:
            cut = part.sizeHint().width() > part.width() + 2
        if cut:
            yield f"“{text}” is cut"
    if window.width() >= SIZES["100"][0]:
        for field in shown(window, QLineEdit):
            hint = field.placeholderText() if isinstance(field, QLineEdit) else ""
            if field.fontMetrics().horizontalAdvance(hint) + 14 > field.width():
                yield f"the hint “{hint}” is cut"


def stacked_with(room: QAbstractScrollArea, window: QWidget) -> Iterator[QAbstractScrollArea]:
    """Find what lies below a room so low that both show a few lines each, where one room would show twice as many."""
    above = seen(room, window)
    for other in shown(window, QAbstractScrollArea):
        assert isinstance(other, QAbstractScrollArea)
        below = seen(other, window)
        beside = below.left() > above.right() or above.left() > below.right()
        if not beside and below.top() > above.bottom() and max(above.height(), below.height()) < LOW:
            yield other


def faults_of_room(window: QWidget) -> Iterator[str]:
    for room in shown(window, QAbstractScrollArea):
        assert isinstance(room, QAbstractScrollArea)
        around = [each for each in window.findChildren(QScrollArea) if each.isAncestorOf(room) and each is not room]
        scrolls = room.verticalScrollBar().isVisible()
        if scrolls and any(each.verticalScrollBar().isVisible() for each in around):
            yield f"{type(room).__name__} “{room.accessibleName()}” scrolls in what scrolls"
        if scrolls and any(each.verticalScrollBar().isVisible() for each in stacked_with(room, window)):
            yield f"{type(room).__name__} “{room.accessibleName()}” scrolls above what scrolls, both are low"
        if isinstance(room, QAbstractItemView):  # tables alone scroll sideways
            if room.width() < LEAST and not isinstance(room, QHeaderView):
                yield f"“{room.accessibleName()}” is {room.width()} pixels wide"
            continue
        if room.horizontalScrollBar().isVisible():
            yield f"{type(room).__name__} “{room.accessibleName()}” scrolls sideways"
        inside = room.widget() if isinstance(room, QScrollArea) else None
        if inside is not None and inside.minimumSizeHint().width() > room.viewport().width() + 2:
            yield f"too wide by {inside.minimumSizeHint().width() - room.viewport().width()}"
    kinds = QLabel, Plot, RangeStrip, *CONTROLS
    parts = [part for part in shown(window, *kinds) if not isinstance(part.parent(), QComboBox)]
    boxes = [(part, seen(part, window)) for part in parts if not isinstance(part, QLabel) or words_of(part).strip()]
    for part in shown(window, QAbstractSlider, TableView):
        inside = part.parentWidget().rect().contains(part.geometry())
        if part.height() < part.minimumSizeHint().height() or not inside:
            yield f"“{part.accessibleName()}” is pressed flat, or leaves what it stands in"
    tops = {card.words.mapTo(card.parentWidget(), QPoint()).y() for card in shown(window, ChoiceCard)}
    if window.width() >= SIZES["100"][0] and len(tops) > len({card.y() for card in shown(window, ChoiceCard)}):
        yield "choices beside each other begin at different heights"
    for (one, box), (other, beside) in combinations(boxes, 2):
        both = box & beside
        if both.width() > 2 and both.height() > 2 and not one.isAncestorOf(other) and not other.isAncestorOf(one):
            names = [words_of(each) or each.accessibleName() or type(each).__name__ for each in (one, other)]
            yield f"“{names[0]}” and “{names[1]}” overlap by {both.width()} x {both.height()}"


def faults_of_plots(window: QWidget) -> Iterator[str]:
    """Find marks of an axis that stand on one another, or outside what is drawn."""
    paper = QPixmap(8, 8)
    for plot in shown(window, Plot):
        for axis in plot.findChildren(pg.GraphicsLayoutWidget)[0].scene().items():
            if not isinstance(axis, pg.AxisItem):
                continue
            painter = QPainter(paper)
            painter.setFont(axis.style["tickFont"])
            drawn = axis.generateDrawSpecs(painter)
            painter.end()
            marks = [] if drawn is None else [(box, words) for box, _, words in drawn[2]]
            for (one, first), (other, second) in combinations(marks, 2):
                if (one & other).width() > 1 and (one & other).height() > 1:
                    yield f"“{first}” and “{second}” overlap below “{plot.accessibleName()}”"
            room = QRectF(plot.rect()).adjusted(0, 0, -6, -6)  # without the margins around the drawing
            name = axis.label
            if axis.orientation == "bottom" and not (name.isVisible() and name.toPlainText().strip()):
                yield f"“{plot.accessibleName()}” does not say what its axis is"
            if name.isVisible() and not room.contains(name.mapRectToScene(name.boundingRect()).adjusted(4, 4, -4, -4)):
                yield f"“{name.toPlainText()}” leaves “{plot.accessibleName()}”"


def faults_of_footer(window: MainWindow) -> Iterator[str]:
    page = window.page(window.step)
    edge = QRect(QPoint(), page.size())
    for part in shown(page.footer, QPushButton):
        if not edge.contains(QRect(part.mapTo(page, QPoint()), part.size())):
            yield f"“{words_of(part)}” stands outside"
    if page.primary.isVisible() and page.primary.visibleRegion().isEmpty():
        yield "the primary button is out of sight"


def look_at(window: MainWindow, idle: Idle, steps: tuple[Step, ...], sizes: tuple[str, ...] = tuple(SIZES)) -> None:
    """Fail with all that is wrong on pages at any size."""
    faults = []
    for size, pixels in ((size, SIZES[size]) for size in sizes):
        window.resize(*pixels)
        for step in steps:
            window.show_step(step)
            settle(window, idle)
            for look in (faults_of_text, faults_of_room, faults_of_plots, faults_of_footer):
                faults += [f"{step.value} at {size}: {fault}" for fault in look(window)]
    assert not faults, "\n".join(dict.fromkeys(faults))


def test_empty_pages_can_be_read_at_every_size(window: MainWindow, idle: Idle) -> None:
    look_at(window, idle, RAIL)
    for step in RAIL[1:]:
        window.show_step(step)
        assert any(each.isEnabled() for each in shown(window.page(step).empty, QPushButton)), f"no way on from {step}"


def test_pages_before_the_release_can_be_read_at_every_size(proposed: MainWindow, idle: Idle) -> None:
    look_at(proposed, idle, (Step.OPEN, Step.QUESTIONS, Step.PROPOSAL, Step.COLUMNS, Step.EXPERT, Step.PUBLISH))


def test_every_part_of_expert_can_be_read_in_a_narrow_window(proposed: MainWindow, idle: Idle) -> None:
    parts = proposed.page(Step.EXPERT).list  # type: ignore[attr-defined]
    for at in range(parts.count()):
        parts.setCurrentRow(at)
        look_at(proposed, idle, (Step.EXPERT,), ("200", "smallest"))


def test_pages_of_a_release_can_be_read_at_every_size(released: MainWindow, idle: Idle) -> None:
    look_at(released, idle, (Step.PUBLISH, Step.ASK, Step.REPORT))


def test_what_scrolls_can_be_as_high_as_its_lines(qtbot: QtBot) -> None:
    inside = QLabel("a line\n" * 60)
    room = put_in_scroll_area(inside)
    qtbot.addWidget(room)
    assert room.sizeHint().height() < inside.sizeHint().height()
    show_whole(room, 60, whole=True)
    assert room.sizeHint().height() == inside.sizeHint().height()


def test_the_first_columns_stay_while_a_table_moves_sideways(qtbot: QtBot) -> None:
    view = TableView("Rows")
    qtbot.addWidget(view)
    fields = [Field[int](f"column {at}", lambda row, at=at: f"{row} {at}") for at in range(30)]
    model = view.hold(fields)
    model.show(range(200))
    view.resize(500, 300)
    view.show()
    for still in (1, 2):
        view.still = still
        view.horizontalScrollBar().setValue(0)
        view.selectRow(0)
        view.horizontalScrollBar().setValue(700)
        view.verticalScrollBar().setValue(900)
        front = view._front
        assert front is not None
        assert front.isVisible()
        shown = [at for at in range(30) if not front.isColumnHidden(at)]
        assert shown == list(range(still))
        # What stands in front of a row is that row's, and is chosen with it.
        y = view.viewport().height() // 2
        assert front.rowAt(y) == view.rowAt(y) > 0
        view.selectRow(view.rowAt(y))
        assert front.selectionModel().isSelected(front.indexAt(QPoint(5, y)))
        assert view.horizontalScrollBar().value() == 700
        # Keys move on to columns that can be seen, beside those in front.
        for _ in range(4):
            QTest.keyClick(view, Qt.Key.Key_Right)
        assert view.visualRect(view.currentIndex()).left() >= front.width()
        model = view.hold(fields)  # another table of the same kind
        model.show(range(300))
        QApplication.processEvents()
        assert front.isHidden() or front.model() is model
    view.horizontalScrollBar().setValue(0)
    assert front.isHidden()
    view.still = 20  # these would leave the others no room
    view.horizontalScrollBar().setValue(700)
    assert front.isHidden()


def test_a_hidden_column_leaves_no_room(qtbot: QtBot) -> None:
    table = TableView("rows")
    qtbot.addWidget(table)
    table.show()
    fields: list[Field[str]] = [Field(name, str) for name in ("sheet", "row", "column")]
    table.hold(fields).show(["one", "another"])
    table.setColumnHidden(0, True)
    table.fit_columns(filling=2)
    QApplication.processEvents()
    header = table.horizontalHeader()
    assert header.sectionPosition(1) == 0
    assert header.length() == header.sectionSize(1) + header.sectionSize(2)


@pytest.mark.parametrize("small_csv", [20], indirect=True)
def test_no_long_list_scrolls_in_a_page_that_scrolls(released: MainWindow, idle: Idle) -> None:
    look_at(released, idle, (Step.PROPOSAL, Step.COLUMNS, Step.PUBLISH), ("150", "200"))
    released.show_step(Step.ASK)
    idle(released)
    ask: Any = released.page(Step.ASK)
    assert ask.one.columns.count() > 12, "the list of columns is not long"
    ask.one.columns.setCurrentRow(ask.one.columns.count() - 1)
    assert ask.one.values.count() == 12
    ask.compare.kind.setCurrentIndex(ask.compare.kind.count() - 1)
    for way in range(ask.tabs.count()):
        ask.tabs.setCurrentIndex(way)
        look_at(released, idle, (Step.ASK,))


def test_pages_with_a_message_can_be_read_at_every_size(released: MainWindow, idle: Idle) -> None:
    session = released.session
    assert session.plan is not None
    session.change_plan(session.plan.with_gamma(1), "not safe, and the release is out of date")
    steps = (Step.PROPOSAL, Step.PUBLISH, Step.ASK, Step.REPORT)
    look_at(released, idle, steps)
    for step in (Step.ASK, Step.REPORT):
        page: Any = released.page(step)
        assert "out of date" in page.empty.heading.text()
        assert page.note.text() == page.empty.heading.text()
    for step in (*steps, Step.COLUMNS):
        released.show_step(step)
        settle(released, idle)
        released.page(step).show_error("The disk is full, and the table was not written. Make room, and try again.")
        look_at(released, idle, (step,))


def test_a_message_leaves_a_proposal_its_lines(proposed: MainWindow, idle: Idle) -> None:
    page: Any = proposed.page(Step.PROPOSAL)
    proposed.show_step(Step.PROPOSAL)
    proposed.resize(*SIZES["150"])
    page.show_error("The disk is full, and the table was not written. Make room, and try again.")
    settle(proposed, idle)
    table = page.ranges
    ends = [table.rowViewportPosition(at) + table.rowHeight(at) for at in range(len(table.lines_model.rows))]
    assert sum(end <= table.viewport().height() for end in ends) >= 5
    assert seen(page.steps.room, proposed).height() >= 5 * page.fontMetrics().height(), "of what was done"


def test_a_taller_window_shows_more_whole_lines_of_a_table(proposed: MainWindow, idle: Idle) -> None:
    page: Any = proposed.page(Step.PROPOSAL)
    proposed.show_step(Step.PROPOSAL)
    seen_lines = {}
    for size in (SIZES["150"], (1092, 558), SIZES["100"], (1366, 998)):
        proposed.resize(*size)
        settle(proposed, idle)
        table = page.ranges
        ends = [table.rowViewportPosition(at) + table.rowHeight(at) for at in range(len(table.lines_model.rows))]
        seen_lines[size] = sum(end <= table.viewport().height() for end in ends)
        assert seen(page.steps.room, proposed).height() >= 2 * page.fontMetrics().height()
    whole = len(page.ranges.lines_model.rows)
    assert list(seen_lines.values()) == [min(whole, most) for most in (5, 7, 10, 16)]


@pytest.fixture(params=["de", "fr"])
def foreign(request: pytest.FixtureRequest, isolated: None, qapp: QApplication) -> Iterator[None]:
    """Another language of the window, whose words are longer."""
    languages.choose(request.param)
    yield
    languages.speak(qapp, "en")


def test_longer_words_have_room(foreign: None, released: MainWindow, idle: Idle) -> None:
    steps = (Step.QUESTIONS, Step.PROPOSAL, Step.COLUMNS, Step.PUBLISH, Step.ASK, Step.REPORT)
    look_at(released, idle, steps, ("150", "200"))


_SPOKEN = Qt.ItemDataRole.AccessibleTextRole


def faults_of_names(window: QWidget) -> Iterator[str]:
    """A screen reader has a name for whatever takes the focus, and for each column of a table."""
    for part in shown(window, QWidget):
        inside = isinstance(part.parentWidget(), QComboBox | QAbstractSpinBox | QAbstractScrollArea | None)
        takes_focus = part.focusPolicy() != Qt.FocusPolicy.NoFocus and part.focusProxy() is None and not inside
        spoken = QAccessible.queryAccessibleInterface(part)
        if takes_focus and spoken is not None and not spoken.text(QAccessible.Text.Name).strip():
            yield f"{type(part).__name__} {part.objectName()} has no name"
        if isinstance(part, TableView) and part.model() is not None:
            across = Qt.Orientation.Horizontal
            heads = [part.model().headerData(at, across, _SPOKEN) for at in range(part.model().columnCount())]
            yield from (
                f"column {at} of “{part.accessibleName()}” has no header" for at, head in enumerate(heads) if not head
            )


@pytest.mark.qt_log_ignore("propagateSizeHints")
def test_a_screen_reader_has_a_name_for_everything(released: MainWindow, idle: Idle, small_csv: Path) -> None:
    faults, source = [], released.session.source
    assert source is not None
    parts = {Step.ASK: "tabs", Step.EXPERT: "list"}  # of a page of which one is shown at a time
    for step in Step:
        released.show_step(step)
        page: Any = released.page(step)
        choose = getattr(page, parts.get(step, ""), None)
        for at in range(choose.count() if choose is not None else 1):
            if choose is not None:
                getattr(choose, "setCurrentRow", getattr(choose, "setCurrentIndex", None))(at)
            for size in ("100", "200"):
                released.resize(*SIZES[size])
                settle(released, idle)
                faults += [f"{step.value} {at} at {size}: {fault}" for fault in faults_of_names(released)]
    work = released.work
    for dialog in (
        HowRead(source.reading, work, released),
        ReadDialog(small_csv, None, work, released),
        ReleasesDialog(released.session, released),
        GroupDialog(source.table["Ward"], work, released),
        guide.guide(released),
    ):
        dialog.show()
        tabs = dialog.findChildren(QTabBar)
        for at in range(tabs[0].count() if tabs else 1):
            if tabs:
                tabs[0].setCurrentIndex(at)
            settle(released, idle)
            faults += [f"{type(dialog).__name__} {at}: {fault}" for fault in faults_of_names(dialog)]
        dialog.close()
    assert not faults, "\n".join(dict.fromkeys(faults))


def press_tab_all_round(window: MainWindow) -> Iterator[QWidget]:
    """Yield what Tab comes to on the page in front, from its beginning on."""
    first = next(find_stops(window.centralWidget()))
    first.setFocus()
    while True:
        at = QApplication.focusWidget()
        assert at is not None
        yield at
        QTest.keyClick(at, Qt.Key.Key_Tab)
        QApplication.processEvents()
        if QApplication.focusWidget() is first:
            return


def faults_of_tab(window: MainWindow) -> Iterator[str]:
    """Tab goes down, or on to the right; it leaves nothing out; and what has the focus is in sight."""
    places: list[tuple[str, QRect]] = []
    met = []
    for part in press_tab_all_round(window):
        named = f"{type(part).__name__} “{part.accessibleName() or words_of(part)}”"
        if seen(part, window).height() < min(part.height(), 14):
            yield f"{named} has the focus out of sight"
        inside: QWidget = window  # where it stands, however far that is scrolled
        for room in window.findChildren(QScrollArea):
            inside = room.widget() if room.widget() is not None and room.widget().isAncestorOf(part) else inside
        places.append((named, QRect(part.mapTo(inside, QPoint()), part.size())))
        met.append((part, inside))
    for (before, above), (after, below), (_, one), (_, other) in zip(places, places[1:], met, met[1:], strict=False):
        if one is other and below.bottom() < above.top() and below.left() < above.right():
            yield f"Tab goes back up from {before} to {after}"
    for part in shown(window.page(window.step), *CONTROLS):
        inner = part.focusProxy() is not None or isinstance(part, QScrollBar) or idle_part(part)
        tabs = part.focusPolicy() & Qt.FocusPolicy.TabFocus and part.isEnabled() and not inner
        if tabs and part not in [each for each, _ in met]:
            yield f"Tab leaves out {type(part).__name__} “{part.accessibleName() or words_of(part)}”"


@pytest.mark.parametrize("size", ["100", "200"])
def test_tab_goes_as_one_reads_past_everything_and_in_sight(released: MainWindow, idle: Idle, size: str) -> None:
    released.resize(*SIZES[size])
    session = released.session
    assert session.plan is not None
    faults = []
    for step in Step:
        if step is Step.PUBLISH:  # a release of the same persons, and lines that are to be repaired
            session.change_plan(replace(session.plan.with_gamma(1), blanking=None), "far too exact")
        released.show_step(step)
        settle(released, idle)
        if step is Step.PROPOSAL:
            released.page(step)._show_ways()  # type: ignore[attr-defined]  # which a timer does else
        if step is Step.REPORT:
            session.undo()
        settle(released, idle)
        faults += [f"{step.value}: {each}" for each in faults_of_tab(released)]
    assert not faults, "\n".join(dict.fromkeys(faults))


def test_words_are_few_and_those_of_the_glossary(released: MainWindow, idle: Idle) -> None:
    faults = []
    for step in Step:
        released.show_step(step)
        settle(released, idle)
        texts = [words_of(part) for part in shown(released.page(step), QLabel, QAbstractButton)]
        count = sum(len(text.split()) for text in texts)
        if count > MOST_WORDS:
            faults.append(f"{step.value}: {count} words")
        for text in texts:
            if step is not Step.EXPERT and NEVER.search(text):
                faults.append(f"{step.value}: “{text}”")
            faults += [
                f"{step.value}: {len(each.split())} words: “{each}”"
                for each in re.split(r"(?<=[.?!])\s", text)
                if len(each.split()) > 25
            ]
    assert not faults, "\n".join(faults)
