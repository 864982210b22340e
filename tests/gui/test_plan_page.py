"""The plan page shows the core's own figures, live, and lists values away from the window's thread."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from splu_desktop.core.checks.expected import Ahead
from splu_desktop.core.checks.proposing import propose
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.draw.ways import by_gamma
from splu_desktop.core.guarantees import exact as guarantees
from splu_desktop.core.roles.suggest import Role
from splu_desktop.files.disk.partial import MARK
from splu_desktop.files.disk.whole import CannotWrite
from splu_desktop.gui.base.plots import Plot
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.plan import must_dialog
from splu_desktop.gui.shell.main_window import MainWindow
from tests.end2end.failing_calls import failing

Idle = Callable[[MainWindow], None]
pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")


@pytest.fixture
def planning(opened: MainWindow, idle: Idle) -> MainWindow:
    opened.show_step(Step.PLAN)
    idle(opened)
    return opened


@pytest.mark.parametrize(("gamma", "epsilon", "t_e", "alpha"), [(2, 30, 5, 3), (5, 20, 2, 10), (6, 2, 0.1, 40)])
def test_both_plots_draw_the_cores_figures(
    planning: MainWindow, idle: Idle, gamma: int, epsilon: float, t_e: float, alpha: int
) -> None:
    page = planning.plan_page
    page.epsilon.setValue(epsilon)
    page.t_e.setValue(t_e)
    page.alpha.setValue(alpha)
    page.gamma.slider.setValue(gamma)
    e = epsilon / 100
    x, y = page.large.plot._exact.getData()
    exact, chebyshev, published = guarantees.t_f_curve(gamma, e, page.large.plot._shown.t_e)
    assert 10**y == pytest.approx(exact)
    assert 10**x == pytest.approx(page.large.plot._shown.t_e)
    page.published_curve.setChecked(True)
    assert 10 ** page.large.plot._chebyshev.getData()[1] == pytest.approx(chebyshev)
    assert 10 ** page.large.plot._published.getData()[1] == pytest.approx(published)
    _, height = page.large.plot._dot.getData()
    assert 10 ** height[0] == pytest.approx(guarantees.t_f(gamma, e, t_e / 100))
    f, p = page.small.plot._line.getData()
    assert p == pytest.approx(guarantees.small_count_curve(gamma, e, len(f)))
    assert page.small.plot._least.getData()[1][0] == pytest.approx(guarantees.t_p(gamma, e, alpha))
    idle(planning)
    assert f"With gamma = {gamma}" in page.promises.small.text()


def test_the_printed_curve_is_off_until_asked_for(planning: MainWindow) -> None:
    page = planning.plan_page
    assert not page.large.plot._published.isVisible()
    page.published_curve.setChecked(True)
    assert page.large.plot._published.isVisible()
    page.large.plot.point_at(10)
    assert "not valid" in page.large.note.text()


def test_marks_show_each_count_once_by_its_group(planning: MainWindow) -> None:
    page = planning.plan_page
    drawn = {
        name: sorted(set(np.rint(10 ** rug.getData()[1]).astype(int).tolist()))
        for name, rug in page.large.plot._rugs.items()
        if rug.getData()[1] is not None
    }
    t_f = guarantees.t_f(planning.session.choices.draws["Diagnosis"].gamma, 0.3, 0.05)
    assert drawn["protected"] == [1, 2]
    assert drawn["answerable"] == [c for c in (70, 80, 90) if c >= t_f]


def test_values_are_listed_with_the_cores_figures(planning: MainWindow, idle: Idle) -> None:
    page = planning.plan_page
    page.gamma.slider.setValue(4)
    idle(planning)
    rows = {row.value: row for row in page.values.model.rows}
    assert len(rows) == 46
    flu = rows["flu"]
    assert flu.count == 90
    assert flu.group == "answerable"
    assert flu.wrong == pytest.approx(float(guarantees.miss_probability(4, 0.3, [90])[0]))
    assert flu.error == pytest.approx(float(guarantees.expected_relative_error(4, [90])[0]))
    assert flu.signal == pytest.approx(float(guarantees.signal([90], 600, 4)[0]))
    assert rows["rabies"].group == "protected"


def test_the_cursor_can_be_moved_by_keyboard(planning: MainWindow, qtbot: QtBot) -> None:
    plot = planning.plan_page.small.plot
    plot.setFocus()
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    assert planning.plan_page.small.note.text().startswith("Count 2: ")
    assert "of the releases, least often a count of" in plot.accessibleDescription()


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_plots_are_saved_as_pictures(planning: MainWindow, tmp_path: Path, ending: str) -> None:
    for plot in (planning.plan_page.small.plot, planning.plan_page.large.plot):
        path = tmp_path / f"{plot.accessibleName()}.{ending}"
        plot.save(path)
        if ending == "png":
            picture = QImage(str(path))
            assert picture.width() >= 1200
            colours = {picture.pixelColor(x, y).name() for x in range(0, picture.width(), 7) for y in range(0, 300, 7)}
            assert len(colours) > 2, "the picture is blank"
        else:
            text = path.read_text(encoding="utf-8")
            assert "<svg" in text
            assert "<path" in text or "<polyline" in text


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_a_picture_that_can_not_be_written_leaves_the_old_one(
    planning: MainWindow, tmp_path: Path, ending: str
) -> None:
    plot, path = planning.plan_page.small.plot, tmp_path / f"plot.{ending}"
    plot.save(path)
    with failing(None) as calls:
        plot.save(path)
    for number in [at for at, call in enumerate(calls.seen) if call in ("fsync", "replace")]:
        path.write_bytes(b"old")
        with failing(number), pytest.raises(CannotWrite, match=path.name):
            plot.save(path)
        assert path.read_bytes() == b"old" or number > calls.seen.index("replace")
    assert not list(tmp_path.glob(f"*{MARK}*"))


def test_each_sensitive_column_can_have_its_own_size(planning: MainWindow, idle: Idle) -> None:
    planning.session.set_roles({"Sex": Role.SA}, "two")
    page = planning.plan_page
    assert page.which.isVisible()
    # No column makes the gamma of another smaller, as on the command line: half of the records are of one sex, so
    # groups of five can't serve it, and others join its values instead.
    draws = planning.session.choices.draws
    assert {name: draw.follows for name, draw in draws.items()} == {"Diagnosis": 5, "Sex": 5}
    assert draws["Diagnosis"] == PlainGroups(5)
    assert draws["Sex"] == by_gamma(planning.session.column("Sex"), 5)
    page.together.setChecked(False)
    page.column.setCurrentText("Diagnosis")
    page.gamma.slider.setValue(6)
    idle(planning)
    draws = planning.session.choices.draws
    assert draws["Diagnosis"] == PlainGroups(6)
    assert draws["Sex"].follows == 5


def test_what_recipients_read_follows_the_slider(planning: MainWindow, idle: Idle) -> None:
    """The figures are the core's own; the table asked first has the column's name and a trust word in each line."""
    page, session = planning.plan_page, planning.session
    first = page.ahead.shown
    assert first is not None
    assert [row.told.true for row in page.ahead.model.rows] == [
        row.told.true for row in first.rows if row.told.true >= 0
    ]
    widths = []
    for gamma in (2, 6):
        page.gamma.slider.setValue(gamma)
        idle(planning)
        shown = page.ahead.shown
        plan = session.choices.plan()
        asked = [row.cell.conditions for row in shown.rows]
        table = planning.session.prepared()
        told = Ahead.of(table, plan).told({"Diagnosis": plan.draws["Diagnosis"]}, plan.thresholds, asked)
        assert [row.told.answer for row in page.ahead.model.rows] == [one.answer for one in told]
        assert shown.ahead is first.ahead, "the records are counted once"
        widths.append(sum(one.answer.high - one.answer.low for one in told))
    assert widths[0] < widths[1]
    said = page.ahead.readers[0].text()
    assert said.startswith("A stranger who goes by a person's row is right in 1 of 6")


def test_green_is_what_the_sentence_counts_as_answered(planning: MainWindow, idle: Idle) -> None:
    """Tick, colour and figure of each line, and the number in the sentence, follow from one rule."""
    tab, seen = planning.plan_page.ahead, set()
    first = tab.shown.asked
    for error, columns in ((0.2, first.columns), (0.8, first.columns), (0.8, ())):
        tab._asked["Diagnosis"] = replace(first, columns=columns, error=error)
        for gamma in (2, 6):
            planning.plan_page.gamma.slider.setValue(gamma)
            tab.look("Diagnosis")
            idle(planning)
            trust, marks = tab.model.fields[-1], []
            for row in tab.model.rows:
                text, green = trust.text(row), trust.colour(row) == "answerable"
                assert (trust.picture(row) == "circle-check") == green
                figure = re.fullmatch(r"±(\d+) %", text)
                assert green == (float(figure[1]) <= 100 * error if figure else text == "exact")
                marks.append(green)
                seen.add((green, figure is not None))
            said = tab.summary.text()
            counted = [int(n) for n in re.findall(r"(\d+) (?:of|cells)", said)] or [int("cannot" not in said)]
            assert said.startswith("This table: ")
            assert counted[0] == sum(marks), said
    assert (False, False) in seen
    assert (True, True) in seen


def test_another_table_can_be_looked_at(planning: MainWindow, idle: Idle) -> None:
    tab = planning.plan_page.ahead
    tab.value.setCurrentIndex(0)
    tab.value.activated.emit(0)
    idle(planning)
    assert tab.shown.asked.columns[-1] == "Diagnosis"
    rows = len(tab.model.rows)
    tab.lines[1].setCurrentIndex(0)
    tab.lines[0].setCurrentIndex(0)
    tab.lines[0].activated.emit(0)
    idle(planning)
    assert tab.shown.asked.columns == ("Diagnosis",)
    assert len(tab.model.rows) < rows or len(tab.shown.wanted.plan.named(Role.NSA)) == 0


def test_what_must_be_answered_is_proposed_and_one_undo_brings_back_what_was(
    planning: MainWindow, idle: Idle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(must_dialog, "propose", partial(propose, gammas=(4, 2)))  # the search is tested with the core
    session = planning.session
    before = session.choices
    dialog = planning.plan_page.open_must()
    line = dialog.lines[0]
    line.value.setCurrentText("flu")
    for box in line.lines:
        box.setCurrentIndex(0)
    line.error.setCurrentIndex(2)
    line.least.setValue(50)
    dialog.look()
    idle(planning)
    assert dialog.use.isEnabled()
    assert "strongest protection" in dialog.outcome.text()
    found = dialog._found.proposal
    dialog.accept()
    idle(planning)
    assert session.choices != before
    assert session.choices.plan().draws["Diagnosis"] == found.draws["Diagnosis"]
    session.undo_stack.undo()
    idle(planning)
    assert session.choices == before


def test_a_warning_one_tab_away_is_marked_on_its_tab(planning: MainWindow, idle: Idle) -> None:
    page = planning.plan_page
    at = page.tabs.indexOf(page.promises)
    page.tabs.setCurrentIndex(0)
    for wanted, marked in ((0.0, False), (99.0, True), (0.0, False)):
        page.t_p.setValue(wanted)
        idle(planning)
        assert page.tabs.tabIcon(at).isNull() is not marked
        assert bool(page.tabs.tabToolTip(at)) is marked
        assert bool(page.promises.warnings.text()) is marked


def test_the_page_is_shown_before_its_plots_which_are_made_one_a_turn(
    opened: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Plot] = []
    usual = Plot.__init__
    monkeypatch.setattr(Plot, "__init__", lambda self, *args: (made.append(self), usual(self, *args))[1])
    opened.show_step(Step.PLAN)
    page = opened.plan_page
    assert page.small.isVisible()
    assert not made
    turns = [0]

    def turn() -> bool:
        QApplication.processEvents()
        turns.append(len(made))
        return len(made) == 2

    qtbot.waitUntil(turn)
    assert max(after - before for before, after in pairwise(turns)) == 1
    assert all(plot.accessibleDescription() for plot in made), "drawn as soon as they are there"
    # Tab comes to them where they stand, not behind all that was made before them.
    order, at = [], page.ahead.table.nextInFocusChain()
    while at is not page.primary:
        order.append(at)
        at = at.nextInFocusChain()
    places = [order.index(part) for part in (page.small.plot, page.large.plot, page.beside)]
    assert places == sorted(places)
