"""The analyses of the query page: what the core says, in words, with a chart and files; nothing asked that can't be."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics

from splu_desktop.core.analyse.analysis import Analysis, AnalysisKind
from splu_desktop.core.analyse.figures import Analysed
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.query.condition import Condition
from splu_desktop.gui.base import theme
from splu_desktop.gui.query.analyse.form import KINDS
from splu_desktop.gui.query.analyse.tab import AnalysisTab
from tests.gui.query_fixtures import Idle, Stage, custodian, folder, made, recipient, stage

__all__ = ["custodian", "folder", "made", "recipient", "stage"]

_FLU, _ASTHMA = Condition("Diagnosis", ("flu", "gout")), Condition("Ward", ("A",))


@pytest.fixture
def tab(recipient: Stage, idle: Idle) -> AnalysisTab:
    """The tab in front, its columns found."""
    page = recipient.query_page
    page.tabs.setCurrentWidget(page.analyses)
    idle(recipient)
    return page.analyses


def _fill(tab: AnalysisTab, kind: AnalysisKind) -> Analysis:
    """Choose what a kind needs by the form's own fields, and return the same as it would be written in code."""
    form = tab.form
    form.kind.setCurrentIndex(form.kind.findData(kind))
    form.first.put((_FLU,))
    form.second.put((_ASTHMA,))
    for at in range(form.columns.count()):
        item = form.columns.item(at)
        item.setCheckState(Qt.CheckState.Checked if item.text() == "Sex" else Qt.CheckState.Unchecked)
    match kind:
        case AnalysisKind.MEAN | AnalysisKind.QUANTILE:
            return Analysis(kind, columns=("Age",))
        case AnalysisKind.TREND:
            return Analysis(kind, first=(_FLU,), columns=("Age",))
        case AnalysisKind.LOGIT | AnalysisKind.POISSON:
            return Analysis(kind, first=(_FLU,), on=("Sex",))
        case AnalysisKind.SHARE:
            return Analysis(kind, first=(_FLU,))
        case _:
            return Analysis(kind, first=(_FLU,), second=(_ASTHMA,))


@pytest.mark.parametrize("kind", KINDS)
def test_the_window_says_what_the_core_says(kind: AnalysisKind, tab: AnalysisTab, recipient: Stage, idle: Idle) -> None:
    asked = _fill(tab, kind)
    assert tab.form.missing() == ""
    assert tab.form.analysis() == asked
    recipient.query_page.act()
    idle(recipient)
    assert tab.asker is not None
    try:
        found = asked.answer(tab.asker.reader)
    except BadQuestion:
        assert tab.shown is None
        assert recipient.query_page.banner.isVisible()
        return
    assert tab.shown == (asked, found)
    assert len(tab.model.rows) == len(found.parts)
    assert tab.plot.isVisible() == (kind is AnalysisKind.TREND)
    for one in (found, *found.parts.values()):
        assert one.low <= one.high


def test_the_chart_tells_each_period_in_words(tab: AnalysisTab, recipient: Stage, idle: Idle) -> None:
    _fill(tab, AnalysisKind.TREND)
    tab.act()
    idle(recipient)
    assert tab.shown is not None
    parts = tuple(tab.shown[1].parts.values())
    assert list(tab.plot.places()) == list(range(len(parts)))
    for at, part in enumerate(parts):
        assert tab.plot.words_at(at).startswith(f"{part.what}: ")
    tab.plot.point_at(2)
    assert tab.readout.text() == tab.plot.words_at(2)
    assert tab.plot.accessibleDescription().count("95\u00a0% interval") == len(parts)


def test_what_is_missing_is_said_and_nothing_is_asked(tab: AnalysisTab, recipient: Stage) -> None:
    page = recipient.query_page
    for kind in KINDS:
        tab.form.kind.setCurrentIndex(tab.form.kind.findData(kind))
        complete = kind in (AnalysisKind.MEAN, AnalysisKind.QUANTILE)
        assert page.primary.isEnabled() == complete
        assert bool(tab.form.missing()) != complete


def test_what_cannot_be_read_is_told(tab: AnalysisTab, recipient: Stage) -> None:
    tab.form.first.text.setText("Diagnosis=no such thing")
    assert tab.calculate() is None
    assert "no such thing" in recipient.query_page.banner.text.text()
    assert tab.stack.currentWidget() is tab.start


def test_conditions_are_chosen_by_pointing(tab: AnalysisTab) -> None:
    edit = tab.form.first
    edit.text.setText("Diagnosis=flu; Ward=A")
    dialog = edit.dialog()
    assert dialog is not None
    assert {str(one) for one in dialog.builder.conditions()} == {"Diagnosis=flu", "Ward=A"}
    dialog.deleteLater()
    # What was chosen stays what it is, whatever marks its values hold; what is typed is read.
    odd = (Condition("Diagnosis", ("flu; gout",)),)
    edit.put(odd)
    assert edit.conditions() == odd


def test_what_must_be_known_of_figures_stands_below_them(
    tab: AnalysisTab, recipient: Stage, idle: Idle, tmp_path: Path
) -> None:
    """Of releases by person alone a sentence stood there: what else an answer notes was told on the command line."""
    asked = _fill(tab, AnalysisKind.MEAN)
    tab.act()
    idle(recipient)
    assert tab.shown is not None
    assert not tab.notes.isVisible()
    tab.shown = (asked, replace(tab.shown[1], notes=("One.", "Two.")))
    tab._show(*tab.shown)
    assert tab.notes.isVisible()
    assert tab.notes.text() == "One.\nTwo."
    tab.export(tmp_path / "mean.csv")
    idle(recipient)
    (row,) = csv.DictReader((tmp_path / "mean.csv").read_text(encoding="utf-8-sig").splitlines())
    assert row["note"] == "One. Two."


def test_in_a_low_window_nothing_of_a_trend_lies_on_its_chart(tab: AnalysisTab, recipient: Stage, idle: Idle) -> None:
    """At 200 % on 1920 x 1080, with words below the figure: the line for reading the chart stood in it."""
    _fill(tab, AnalysisKind.TREND)
    tab.act()
    idle(recipient)
    assert tab.shown is not None
    recipient.resize(960, 540)
    tab.notes.setText(12 * "Ask of more records, or of groups of values. ")
    tab.notes.show()
    tab.what.setText(5 * "Change of the share with a diagnosis ")
    idle(recipient)
    assert tab.plot.isVisible()
    assert not tab.plot.geometry().intersects(tab.readout.geometry())
    assert not tab.readout.geometry().intersects(tab.table.geometry())
    assert tab.plot.height() >= 8 * tab.fontMetrics().height(), "its axis has no room for words"
    assert tab.export_button.visibleRegion().boundingRect().size() == tab.export_button.size()


def test_names_of_periods_keep_apart_in_a_narrow_chart(tab: AnalysisTab, recipient: Stage, idle: Idle) -> None:
    """24 months at 200 %: their names ran into one another."""
    _fill(tab, AnalysisKind.TREND)
    tab.act()
    idle(recipient)
    months = (f"{2024 + at // 12}-{at % 12 + 1:02}-01" for at in range(24))  # as wide as a month in large writing
    tab.plot.draw(tuple(Analysed(month, 0.1, 0.0, 0.3) for month in months), "Admission date")
    axis, metrics = tab.plot.getPlotItem().getAxis("bottom"), QFontMetrics(theme.small_font(tab.plot.font()))
    for size in ((1366, 768), (960, 540)):
        recipient.resize(*size)
        idle(recipient)
        (first, name), (second, _), *_ = axis._tickLevels[0]
        assert (second - first) * axis.width() / 24.2 > metrics.horizontalAdvance(name) + 4


def test_an_old_answer_is_marked(tab: AnalysisTab, recipient: Stage, idle: Idle) -> None:
    _fill(tab, AnalysisKind.MEAN)
    tab.act()
    idle(recipient)
    assert not tab.old.isVisible()
    tab.form.where.text.setText("Ward=B")
    assert tab.old.isVisible()
    tab.form.where.text.clear()
    assert not tab.old.isVisible()


def test_files_hold_every_figure_and_the_release(
    tab: AnalysisTab, recipient: Stage, idle: Idle, tmp_path: Path
) -> None:
    _fill(tab, AnalysisKind.TREND)
    tab.act()
    idle(recipient)
    tab.export(tmp_path / "trend.csv")
    idle(recipient)
    rows = list(csv.DictReader((tmp_path / "trend.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert tab.shown is not None
    assert tab.asker is not None
    found = tab.shown[1]
    assert [row["figure"] for row in rows[1:]] == list(found.parts)
    for row, one in zip(rows, (found, *found.parts.values()), strict=True):
        for name in ("estimate", "low", "high"):
            assert math.isclose(float(row[name]), getattr(one, name), rel_tol=1e-8, abs_tol=1e-12)
        assert row["release"] == tab.asker.release.facts["id"]
