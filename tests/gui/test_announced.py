"""Whatever comes of something is said to a screen reader: each sentence that appears is announced, faults at once."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from splu_desktop.core.query.condition import Condition
from splu_desktop.core.roles.suggest import Role
from splu_desktop.gui.base import widgets
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.shell.main_window import MainWindow

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")
Idle = Callable[[MainWindow], None]
GUI = Path(widgets.__file__).parents[1]
# What follows the cursor or the selection, which one reads where one is, and what a result says in other words, too.
_FOLLOWS = (
    "Go to a cell", "Left of each pair", "Dashed: promised", "What the current plan would publish",
    "Right on average", "The true count lies in this range",
)  # fmt: skip


class Heard:
    """Stands where Qt hands events to the platform, and keeps what a screen reader would say."""

    Event, AnnouncementPoliteness, Role = QAccessible.Event, QAccessible.AnnouncementPoliteness, QAccessible.Role
    registerAccessibleInterface = QAccessible.registerAccessibleInterface  # noqa: N815 - Qt's name

    def __init__(self) -> None:
        self.said: list[str] = []
        self.at_once: list[str] = []
        self.alerts = 0

    def isActive(self) -> bool:
        return True

    def updateAccessibility(self, event: QAccessibleEvent) -> None:
        if event.type() == QAccessible.Event.Alert:
            self.alerts += 1
        assert isinstance(event, QAccessibleAnnouncementEvent) or event.type() == QAccessible.Event.Alert
        if isinstance(event, QAccessibleAnnouncementEvent):
            self.said.append(event.message())
            if event.politeness() == QAccessible.AnnouncementPoliteness.Assertive:
                self.at_once.append(event.message())

    def forget(self) -> None:
        self.said, self.at_once, self.alerts = [], [], 0


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Heard:
    """What is said from now on."""
    made = Heard()
    monkeypatch.setattr(widgets, "QAccessible", made)
    return made


def test_there_is_no_other_door() -> None:
    found = {
        path.name
        for path in GUI.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "updateAccessibility"
    }
    assert found == {"widgets.py"}


def sentences(tops: list[QWidget]) -> set[str]:
    """Return all sentences in sight: texts of labels that end as sentences do."""
    return {
        label.text()
        for top in tops
        for label in top.findChildren(QLabel)
        if label.isVisible()
        and label.text().rstrip().endswith((".", "…", "!"))
        and not label.accessibleName().startswith("Passed:")
    }


class Walk:
    """Goes through the program and notes each sentence that appeared in silence."""

    def __init__(self, window: MainWindow, heard: Heard, qtbot: QtBot) -> None:
        self.window, self.heard, self.qtbot = window, heard, qtbot
        self.silent: list[str] = []

    def rest(self) -> None:
        """Wait until no work is under way and no text waits to be said."""

        def quiet() -> bool:
            lives = [live for top in self.tops() for live in top.findChildren(widgets.Live)]
            return not self.window.tasks.busy() and not any(live.waits() for live in lives)

        self.qtbot.waitUntil(quiet)

    def tops(self) -> list[QWidget]:
        return [top for top in QApplication.topLevelWidgets() if top.isVisible()]

    def opened(self, do: Callable[[], Any], *words: str) -> Any:
        """Open a page or dialog, which one reads; only what comes after that must be said, `words` at least."""
        return self.after(words[0] if words else "", do, *words, static=True)

    def after(self, name: str, do: Callable[[], Any], *words: str, fault: bool = False, static: bool = False) -> Any:
        """Do something; note what was not said of it, and look whether `words` were, at once if it is a fault."""
        self.rest()
        before = sentences(self.tops())
        self.heard.forget()
        done = do()
        self.rest()
        said = "\n".join(self.heard.said)
        new = set() if static else sentences(self.tops()) - before
        self.silent += [f"{name}: {text}" for text in new if text not in said and not text.startswith(_FOLLOWS)]
        for each in words:
            if not any(each in one for one in (self.heard.at_once if fault else self.heard.said)):
                self.silent.append(f"{name}: “{each}” is not said{' at once' if fault else ''}, but {self.heard.said}")
        if fault and not self.heard.alerts:
            self.silent.append(f"{name}: no alert")
        return done


def test_whatever_comes_of_something_is_said(
    window: MainWindow, heard: Heard, qtbot: QtBot, small_csv: Path, tmp_path: Path
) -> None:
    walk = Walk(window, heard, qtbot)
    after, page = walk.after, window.import_page
    after("no such file", lambda: page.open_file(tmp_path / "none.csv"), "There is no file", fault=True)
    after("a table is open", lambda: page.open_file(small_csv), "600 records, 5 columns")
    job: list[Any] = []
    after("reading cancelled", lambda: job.append(page.open_file(small_csv)) or page.cancel(), "cancelled")
    after("a recipe without a plan", lambda: window.recipes.use(tmp_path / "none.splu-recipe.json"), fault=True)

    window.show_step(Step.CLASSIFY)
    roles = dict.fromkeys(("Sex", "Age", "Ward"), Role.NSA)
    roles |= {"Record number": Role.IDENTIFIER, "Diagnosis": Role.SA}
    after("roles", lambda: window.session.set_roles(roles, "roles"))
    after("a role", lambda: window.session.set_roles({"Ward": Role.DROPPED}, "role"))
    after("undone", window.session.undo_stack.undo)
    safe = walk.opened(window.classify_page.make_it_safe, "Nothing needs to be done")
    after("another aim", lambda: safe.k.setValue(40))
    after("a step fewer", lambda: safe.list.item(0).setCheckState(safe.list.item(0).checkState().Unchecked))
    safe.reject()
    window.classify_page.table.select_rows([2])
    group = walk.opened(window.classify_page.group_values)
    group.reject()
    after("a recipe is saved", lambda: window.recipes.save(tmp_path / "ours.splu-recipe.json"), "holds every choice")

    walk.opened(lambda: window.show_step(Step.PLAN), "This table:")
    after("gamma", lambda: window.plan_page.gamma.slider.setValue(7), "A colleague who knows")
    after("a threshold", lambda: window.plan_page.t_p.setValue(90))
    must = walk.opened(window.plan_page.open_must)
    after("what must be answered", must.look, "protection")
    for line in must.lines:
        line.sa.setCurrentIndex(0)
    after("no table named", must.look, "Name a table first.")
    must.reject()
    window.session.undo_stack.undo()
    beside = walk.opened(window.plan_page.open_beside)
    after("compared", beside.run, "“Diagnosis” in 600 records")
    after("comparison saved", lambda: beside.save(tmp_path / "beside.csv"), "Saved as")
    after("not saved", lambda: beside.save(tmp_path / "no" / "beside.csv"), fault=True)
    beside.reject()

    page = window.publish_page
    walk.opened(lambda: window.show_step(Step.PUBLISH))
    after("a folder that is there", lambda: page.set_target(tmp_path), "exists already", "Choose another place first.")
    after("a new one", lambda: page.set_target(tmp_path / "release"), "Will be written:", "Publish 600 records")
    after("in the way", lambda: window.session.set_roles({"Record number": Role.NSA}, "kept"), "To be accepted:")
    window.session.undo_stack.undo()
    trial = walk.opened(page.try_sample, "nothing was written")
    trial.reject()
    walk.rest()
    after("published", page.act, "600 records are published")
    hand = walk.opened(page.hand_over)
    hand.file.setText(str(tmp_path / "ours.zip"))
    after("handed over", hand.write, "is written")
    hand.reject()
    shelf = walk.opened(page.show_releases)
    after("files checked", shelf.check_files)
    shelf.reject()

    query = window.query_page
    after("a broken release", lambda: query.open_release(tmp_path), "release.json", fault=True)
    window.show_step(Step.QUERY)
    one, ill = query.one, (Condition("Diagnosis", ("flu",)),)
    one.builder.set_conditions(ill)
    after("answered", query.act, "The true count lies")
    query.tabs.setCurrentWidget(query.crosstab)
    after("cross-table", query.act, "No mark: reliable.")
    after("exported", lambda: query.crosstab.export(tmp_path / "cells.csv"), "Saved as")
    after("not exported", lambda: query.crosstab.export(tmp_path / "no" / "cells.csv"), fault=True)
    query.tabs.setCurrentWidget(query.analyses)
    query.analyses.form.first.put(ill)
    after("analysed", query.act, "95\u00a0% interval")
    query.tabs.setCurrentWidget(query.many)
    questions = tmp_path / "questions.csv"
    questions.write_text("Sex,Diagnosis\nf,flu\nm,flu\n")
    after("questions", lambda: query.many.open_file(questions), "2 questions")
    after("all answered", query.act, "2 questions answered")
    after("no such questions", lambda: query.many.open_file(tmp_path / "none.csv"), fault=True)
    query.tabs.setCurrentWidget(query.workload)
    after("measured", query.act, "Measured with")
    walk.opened(lambda: window.show_step(Step.REPORT), "Save the report…")
    after("report saved", lambda: window.report_page.save(tmp_path / "report.html"), "The report was saved as")
    after("not saved", lambda: window.report_page.save(tmp_path / "no" / "report.html"), fault=True)
    assert not walk.silent, "\n".join(walk.silent)
