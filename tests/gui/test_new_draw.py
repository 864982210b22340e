"""The window plans a draw that it was never told of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from splu_desktop.core.draw import draw, registered
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.shell.main_window import MainWindow
from tests.draws import plain
from tests.half_kept import HalfKept

Idle = Callable[[MainWindow], None]


def test_its_promises_stand_on_the_plan_page(opened: MainWindow, idle: Idle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draw, "_KNOWN", dict(draw._KNOWN))
    registered(HalfKept)
    session = opened.session
    before = session.choices.draws
    session.choose(replace(session.choices, draws={**before, "Diagnosis": HalfKept()}), "draw")
    opened.show_step(Step.PLAN)
    idle(opened)
    page = opened.plan_page
    page.column.setCurrentText("Diagnosis")
    idle(opened)
    assert session.choices.plan().draws["Diagnosis"] == HalfKept()
    assert "Of the rows that show any value under “Diagnosis”" in page.tolerant.sentences.text()
    page.tabs.setCurrentWidget(page.tolerant_room)
    assert page.tolerant.isVisibleTo(page)
    assert not page.tolerant.editor.isVisibleTo(page)
    assert not page.gamma.isVisibleTo(page)
    assert page.primary.isEnabled()
    page.tolerant.plain()
    idle(opened)
    assert session.choices.draws["Diagnosis"] == plain({"Diagnosis": 5})["Diagnosis"]
    assert page.gamma.isVisibleTo(page)
