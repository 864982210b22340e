"""The cross-table: every cell like a question of its own, margins that agree, sorting, filters, files."""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from pytestqt.qtbot import QtBot

from splu_desktop.cli import main
from splu_desktop.core import sanitise
from splu_desktop.core.query.crosstab_grid import pieces
from splu_desktop.core.query.reader import DEFAULT, Badge, Method
from splu_desktop.core.table import Column, Kind
from splu_desktop.gui.base import theme
from splu_desktop.gui.query.crosstab.model import PROTECTED
from splu_desktop.gui.query.crosstab.tab import CrosstabTab
from tests.files.kit_releases import kit_plan, table_of
from tests.gui.query_fixtures import Idle, Made, Stage, custodian, folder, made, recipient, stage
from tests.seeded import Seeded
from tests.written import write_release

__all__ = ["custodian", "folder", "made", "recipient", "stage"]


def _choose(tab: CrosstabTab, first: str, second: str = "") -> None:
    tab.setup.first.column.setCurrentIndex(tab.setup.first.column.findData(first))
    tab.setup.second.column.setCurrentIndex(tab.setup.second.column.findData(second))


@pytest.fixture
def counted(recipient: Stage, idle: Idle) -> CrosstabTab:
    """The cross-table of Sex and Ward against Diagnosis."""
    page = recipient.query_page
    page.tabs.setCurrentWidget(page.crosstab)
    _choose(page.crosstab, "Sex", "Ward")
    assert page.primary.isEnabled()
    page.act()
    idle(recipient)
    assert page.crosstab.stack.currentWidget() is page.crosstab.table, page.banner.text.text()
    return page.crosstab


@given(
    records=st.lists(st.integers(-50, 50), min_size=1, max_size=200),
    gone=st.integers(0, 3),
    intervals=st.sampled_from([0, 2, 4, 10]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_intervals_part_the_values_between_them(records: list[int], gone: int, intervals: int) -> None:
    texts = [str(number) for number in records] + [""] * gone
    distinct = sorted(set(texts))
    missing = np.array([text == "" for text in distinct])
    values = np.array([float(text) if text else np.nan for text in distinct])
    column = Column.from_codes(
        "x",
        np.array([distinct.index(text) for text in texts], np.int32),
        np.array(distinct, object),
        missing,
        values,
        kind=Kind.INTEGER,
    )
    chosen = np.array([condition.select(column) for _, condition in pieces(column, intervals)])
    assert (chosen.sum(axis=0) == 1).all(), "each value in exactly one piece"
    if intervals:
        assert len(chosen) <= intervals + bool(gone) or intervals >= column.m - bool(gone)


def test_cells_add_up_to_their_margins(counted: CrosstabTab) -> None:
    grid = counted.seen.grid
    assert grid is not None
    estimate = counted.seen.estimate
    assert (estimate >= 0).all()
    assert estimate.sum(axis=1) == pytest.approx([line.n_p for line in grid.lines], abs=0.1)
    assert estimate.sum(axis=0) == pytest.approx(counted.seen.totals, abs=0.1)
    assert counted.seen.totals.sum() == pytest.approx(600, abs=0.1)
    assert counted.seen.published.sum() == 600
    assert all(line.exact for line in grid.lines)


def test_heat_map_and_bars_show_the_same_cells(counted: CrosstabTab) -> None:
    grid = counted.seen.grid
    assert grid is not None
    assert (counted.heat.rowCount() - 1) * (counted.heat.columnCount() - 1) == grid.answers.size
    assert counted.cells.rowCount() == grid.answers.size
    counted.search.setText("flu")
    assert counted.cells.rowCount() == len(grid.parts)
    assert (counted.heat.rowCount(), counted.heat.columnCount()) == (2, len(grid.parts) + 1)
    counted.search.setText("flu f A")
    assert all("flu" in counted.cells.index(row, 2).data() for row in range(counted.cells.rowCount()))
    counted.search.clear()
    counted.trust.setCurrentIndex(counted.trust.findData(3))
    protected = sum(answer.badge is Badge.PROTECTED for answer in grid.answers.ravel())
    assert protected > 0
    assert counted.cells.rowCount() == grid.answers.size - protected
    counted.turn_button.click()
    assert counted.heat.across


def test_no_colour_tells_a_figure_that_only_has_a_range(counted: CrosstabTab) -> None:
    heat = counted.heat
    grounds: dict[bool, set[str]] = {True: set(), False: set()}
    for row in range(1, heat.rowCount()):
        for column in range(1, heat.columnCount()):
            index = heat.index(row, column)
            answer = heat.answer(*heat.place(index))
            if answer.badge is not Badge.PROTECTED:
                colour = index.data(Qt.ItemDataRole.BackgroundRole)
                grounds[answer.vague].add(colour.name())
    assert grounds[True] == {theme.colours().card.lower()}
    assert grounds[False] - grounds[True], "figures that are told have one"


def test_a_protected_cell_bears_a_mark_beside_its_hue(counted: CrosstabTab) -> None:
    shot, seen = counted.heat.shot(), set()
    for line, value in (place for row in shot.rows() for place in row):
        assert (PROTECTED in shot.text(line, value)) is shot.protected(line, value)
        seen.add(shot.protected(line, value))
    assert seen == {True, False}
    assert PROTECTED.strip() in counted.legend.text()


def test_a_header_sorts_by_its_figures(counted: CrosstabTab, recipient: Stage, idle: Idle, qtbot: QtBot) -> None:
    heat = counted.heat
    assert heat.row_order == (-1, True), "of many values the most frequent come first, as long as nobody sorts"
    heat.row_order = None
    heat.arrange()
    natural = [heat.headerData(row, Qt.Orientation.Vertical) for row in range(heat.rowCount())]
    heat.sort_by(2, Qt.Orientation.Horizontal)
    line = heat.place(heat.index(1, 2))[0]
    figures = [counted.seen.estimate[heat.place(heat.index(row, 2))] for row in range(1, heat.rowCount())]
    assert all(a >= b for a, b in pairwise(figures))
    heat.sort_by(2, Qt.Orientation.Horizontal)
    assert heat.place(heat.index(1, 2))[0] == line
    assert counted.seen.estimate[heat.place(heat.index(1, 2))] == min(figures)
    heat.sort_by(2, Qt.Orientation.Horizontal)
    assert [heat.headerData(row, Qt.Orientation.Vertical) for row in range(heat.rowCount())] == natural
    view = counted.heat_view
    view.setFocus()
    view.setCurrentIndex(heat.index(3, 1))
    qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    figures = [counted.seen.estimate[heat.place(heat.index(3, at))] for at in range(1, heat.columnCount())]
    assert all(a >= b for a, b in pairwise(figures)), "by keyboard too"
    view.selectAll()
    view.copy()
    idle(recipient)
    copied = QGuiApplication.clipboard().text().split("\n")
    assert len(copied) == heat.rowCount() + 1
    assert copied[1].split("\t")[:2] == ["All", "600"]
    assert "▾" not in copied[0], "a name is copied, not how the table is sorted"
    counted.cells_view.sortByColumn(3, Qt.SortOrder.DescendingOrder)
    cells = counted.seen.estimate.ravel()[counted.cells.cells()]
    assert all(a >= b for a, b in pairwise(cells))


def test_files_hold_the_cells_seen(counted: CrosstabTab, recipient: Stage, idle: Idle, tmp_path: Path) -> None:
    grid = counted.seen.grid
    assert grid is not None
    counted.search.setText("gout")
    for ending in ("csv", "xlsx", "png", "svg"):
        counted.export(tmp_path / f"cross.{ending}")
        idle(recipient)
        assert recipient.query_page.banner.kind == "done", recipient.query_page.banner.text.text()
    with (tmp_path / "cross.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["Diagnosis"] for row in rows} == {"gout"}
    assert len(rows) == len(grid.parts)
    gout = grid.values.index("gout")
    for row in rows:
        line = grid.parts.index((row["Sex"], row["Ward"]))
        assert float(row["estimate"]) == pytest.approx(grid.answers[line, gout].estimate)
        assert (int(row["low"]), int(row["high"])) == grid.answers[line, gout].ends
    book = openpyxl.load_workbook(tmp_path / "cross.xlsx")
    assert book.sheetnames == ["Cells", "Estimates"]
    assert book["Cells"].max_row == len(rows) + 1
    assert book["Estimates"].max_row == len(grid.values) + 2
    book.close()
    assert not QImage(str(tmp_path / "cross.png")).isNull()
    assert "gout" in (tmp_path / "cross.svg").read_text(encoding="utf-8")
    counted.export(tmp_path / "nowhere" / "cross.csv")
    idle(recipient)
    assert recipient.query_page.banner.kind == "fault"
    assert "does not exist" in recipient.query_page.banner.text.text()


def test_counting_can_be_cancelled(recipient: Stage, qtbot: QtBot) -> None:
    page = recipient.query_page
    page.tabs.setCurrentWidget(page.crosstab)
    assert page.crosstab.asker is not None
    with page.crosstab.asker.lock:  # so that the work can't be over before it is cancelled
        job = page.crosstab.count()
        assert job is not None
        assert page.crosstab.stack.currentWidget() is page.crosstab.busy
        assert not page.primary.isEnabled()
        page.crosstab.busy.cancel.click()
    with qtbot.waitSignal(job.stopped):
        pass
    assert page.crosstab.stack.currentWidget() is page.crosstab.start
    assert page.primary.isEnabled()


def test_a_table_that_cannot_be_is_told_beforehand(recipient: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    page = recipient.query_page
    page.tabs.setCurrentWidget(page.crosstab)
    _choose(page.crosstab, "Sex", "Sex")
    assert not page.primary.isEnabled()
    assert "different" in page.foot_note.text()
    monkeypatch.setattr("splu_desktop.gui.query.crosstab.tab.MOST_CELLS", 10)
    _choose(page.crosstab, "Sex", "Ward")
    assert not page.primary.isEnabled()
    assert "At most 10 cells" in page.foot_note.text()


def test_true_cells_are_for_the_custodian_alone(custodian: Stage, made: Made, idle: Idle, tmp_path: Path) -> None:
    """Shown beside the cells when asked for; in no copy, no file and no picture."""
    page = custodian.query_page
    page.tabs.setCurrentWidget(page.crosstab)
    tab = page.crosstab
    assert not tab.truth_switch.isHidden()
    assert not tab.truth_switch.isChecked()
    for sides in (("Sex", "Ward"), ("Ward", "")):
        _choose(tab, *sides)
        page.act()
        idle(custodian)
        secret = tab.cells.secret_section
        tab.truth_switch.setChecked(False)
        assert tab.seen.truth is None
        assert tab.cells_view.isColumnHidden(secret)
        plain = tab.picture()
        tab.truth_switch.setChecked(True)
        idle(custodian)
        grid, source = tab.seen.grid, made[0].imported.table
        assert grid is not None
        assert tab.seen.truth is not None
        for line, value in ((0, 0), (1, 3), (2, len(grid.values) - 1)):
            meets = np.ones(source.n, bool)
            for column, label in zip(("Sex", "Ward")[-len(grid.parts[line]) :], grid.parts[line], strict=True):
                meets &= source[column].codes == source[column].code_of(label)
            meets &= source["Diagnosis"].codes == source["Diagnosis"].code_of(grid.values[value])
            assert tab.seen.truth[line, value] == meets.sum()
        assert [at for at in range(tab.cells.columnCount()) if tab.cells_view.isColumnHidden(at)] == []
        assert tab.warning.isVisibleTo(tab)
        shown = tab.heat.index(1, 1).data()
        assert "true" in shown
        for view in (tab.heat_view, tab.cells_view):
            view.selectAll()
            view.copy()
            idle(custodian)
            assert "rue" not in QGuiApplication.clipboard().text()
        assert tab.cells.titles()[secret] not in QGuiApplication.clipboard().text()
        assert not tab.cells_view.isColumnHidden(secret), "what is seen does not change by copying"
        with_truth = tab.picture()
        assert [with_truth.heat.text(*place) for row in with_truth.heat.rows() for place in row] == [
            plain.heat.text(*place) for row in plain.heat.rows() for place in row
        ]
        tab.export(tmp_path / "cells.csv")
        idle(custodian)
        assert "true" not in (tmp_path / "cells.csv").read_text("utf-8").casefold()
    tab.truth_switch.setChecked(False)
    assert tab.seen.truth is None, "off means gone, not hidden"
    assert "true" not in str(tab.heat.index(1, 1).data())


def test_a_recipient_is_offered_no_true_cells(counted: CrosstabTab) -> None:
    assert counted.truth_switch.isHidden()
    assert counted.cells_view.isColumnHidden(counted.cells.secret_section)


def test_two_sensitive_columns_and_estimators_are_those_of_the_command_line(
    stage: Stage, idle: Idle, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = table_of(2_500)
    written = write_release(sanitise.run(table, kit_plan(table, "tight"), randomness=Seeded(3)), tmp_path / "r")
    page = stage.query_page
    page.open_release(written.folder)
    idle(stage)
    tab = page.crosstab
    page.tabs.setCurrentWidget(tab)
    tab.setup.sensitive.setCurrentIndex(tab.setup.sensitive.findData("code"))
    for first, method, said in (("stay", None, ()), ("ward", "unbiased", ("--method", "unbiased")), ("ward", None, ())):
        _choose(tab, first)
        wanted = Method.named(method) if method else DEFAULT
        tab.setup.method.setCurrentIndex(tab.setup.method.findData(wanted))
        page.act()
        idle(stage)
        grid = tab.seen.grid
        assert grid is not None, page.banner.text.text()
        capsys.readouterr()
        assert main(["crosstab", str(written.folder), "--by", first, "--sa", "code", "--json", *said]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["method"] == grid.wanted.method.value
        assert tab.old.isHidden(), "what is shown is what is asked"
        cells = [cell["published"] for line in told["lines"] for cell in line["cells"]]
        assert cells == [answer.published for answer in grid.answers.ravel()]
        lows = [cell["low"] for line in told["lines"] for cell in line["cells"]]
        assert lows == [answer.ends[0] for answer in grid.answers.ravel()]
    _choose(tab, "stay")
    tab.setup.method.setCurrentIndex(tab.setup.method.findData(Method.BAYES))
    page.act()
    idle(stage)
    assert "the unbiased estimate" in page.banner.text.text()
    _choose(tab, "code")
    assert not page.primary.isEnabled(), "a column against itself"
