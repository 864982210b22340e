"""Other systems beside the plan, on the page Expert: a picture with names, and a row or a remark for each."""

from __future__ import annotations

import pytest

from splu_desktop.compare import systems
from splu_desktop.compare.systems import find_systems
from splu_desktop.gui.expert.systems import SystemsSection
from splu_desktop.gui.shell.main_window import MainWindow
from tests.gui.conftest import Idle, show_section


def test_systems_are_compared_by_the_table_asked_for_and_each_has_rows_or_a_remark(
    proposed: MainWindow, idle: Idle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(systems, "FIRST", find_systems("laplace,k-anonymity"))
    proposed.resize(1366, 768)
    section = show_section(proposed, SystemsSection)
    plan = proposed.session.plan
    assert plan is not None
    assert section.column.currentData() == (plan.questions[0].sa if plan.questions else plan.sensitive[0])
    section.run()
    assert not section.start.isEnabled()
    idle(proposed)
    assert section.start.isEnabled()
    assert section.picture.isVisible()
    assert section.picture.width() >= 840, "no name of a line is cut at 1366"
    bottom = section.picture.mapTo(section, section.picture.rect().bottomLeft()).y()
    assert not section.view.isVisible()
    assert bottom < section.height(), "nothing covers the axis at 768"
    rows = [
        [str(section.model.index(row, column).data()) for column in range(8)] for row in range(section.model.rowCount())
    ]
    assert rows[0][0] == "This plan"
    for title in ("Differential privacy, noisy answers", "k-anonymity"):
        assert sum(row[0] == title for row in rows) == 5
    assert any("At no setting" in row[7] for row in rows), "k-anonymity tells small counts exactly"
    assert all(row[3] != "–" or row[7] for row in rows)
