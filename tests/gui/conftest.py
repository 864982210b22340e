"""The window under test: offscreen, with settings of its own, and nothing left behind by any test."""

from __future__ import annotations

import gc
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QEvent, QStandardPaths, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from splu_desktop.core.questions import AskedTable
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.expert.page import ExpertPage
from splu_desktop.gui.expert.section import Section
from splu_desktop.gui.publish.page import PublishPage
from splu_desktop.gui.shell import app
from splu_desktop.gui.shell.main_window import MainWindow

Part = TypeVar("Part", bound=Section)

PATIENCE = 600_000  # ms after which a worker hangs: no judgement of speed, since others may have the processors
for wait in (QtBot.waitUntil, QtBot.waitSignal, QtBot.waitExposed):
    wait.__kwdefaults__["timeout"] = PATIENCE


def _at_home(home: Path, patch: pytest.MonkeyPatch) -> None:
    (home / "Documents").mkdir(parents=True)
    patch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "SPLU_DATA_DIR"):
        patch.setenv(name, str(home / name.lower()))
    QStandardPaths.setTestModeEnabled(True)


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dressed: None) -> None:
    """Give every test a home, settings and data folder of its own."""
    _at_home(tmp_path / "home", monkeypatch)


@pytest.fixture(scope="session")
def dressed(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let a test that opens no window find the same language, numbers and colours whichever test ran before it."""
    with pytest.MonkeyPatch.context() as patch:
        _at_home(tmp_path_factory.mktemp("dressed") / "home", patch)
        app.prepare(qapp)


_aside: list[weakref.ref[QTimer]] = []  # timers there were before


@pytest.fixture(scope="module", autouse=True)
def frozen() -> None:
    """Set aside what is there already, so that looking for leaks costs a millisecond, whatever ran before."""
    gc.collect()
    _aside.extend(map(weakref.ref, _made()))
    gc.freeze()


def _made() -> Iterator[QTimer]:
    return (found for found in gc.get_objects() if isinstance(found, QTimer))


def _timers() -> set[int]:
    there = (*_made(), *filter(None, (each() for each in _aside)))
    return {id(found) for found in there if shiboken6.isValid(found) and found.isActive()}


@pytest.fixture(autouse=True)
def nothing_left(qapp: QApplication) -> Iterator[None]:
    """Fail a test that leaves a thread, a running timer or a top-level widget behind."""
    widgets = set(qapp.topLevelWidgets())
    threads, timers = set(threading.enumerate()), _timers()
    yield
    qapp.processEvents()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.processEvents()
    gc.collect()
    left = [thread.name for thread in threading.enumerate() if thread not in threads]
    assert not left, f"threads left: {left}"
    assert not (_timers() - timers), "timers left"
    windows = [w for w in qapp.topLevelWidgets() if w not in widgets]
    assert not windows, f"widgets left: {windows}"


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication) -> Iterator[MainWindow]:
    """The main window at the size drawn for 100 %, and gone again after the test."""
    app.prepare(qapp)
    made = app.make_window()
    made.resize(1366, 698)
    made.show()
    yield made
    made.close()
    made.work.shutdown()
    made.deleteLater()


Idle = Callable[[MainWindow], None]


@pytest.fixture
def idle(qtbot: QtBot) -> Idle:
    """Wait until no work is under way."""

    def wait(window: MainWindow) -> None:
        while window.work.busy():  # hears the end at once, where looking for it sleeps in between
            with qtbot.waitSignal(window.work.changed):
                pass

    return wait


@pytest.fixture
def small_csv(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A table of 3,000 invented tests of 2,000 patients: number, sex, age, ward, whether the test was positive.

    So many columns more as a test asks for by its parameter, of twelve values each.
    """
    rng = np.random.default_rng(7)
    more = range(getattr(request, "param", 0))
    lines = ["Patient number,Sex,Age,Ward,Result" + "".join(f",Finding {at}" for at in more)]
    for row in range(3_000):
        who = row % 2_000
        positive = rng.random() < (0.3 if who % 3 else 0.15)
        result = "positive" if positive else "negative"
        lines.append(f"P{who:05},{'fm'[who % 2]},{20 + who % 50},{'ABC'[who % 3]},{result}")
        lines[-1] += "".join(f",grade {rng.integers(12)}" for at in more)
    path = tmp_path / "tests.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def opened(window: MainWindow, small_csv: Path, idle: Idle) -> MainWindow:
    """The window with the small table open."""
    window.open_path(small_csv)
    idle(window)
    return window


@pytest.fixture
def proposed(opened: MainWindow, idle: Idle) -> MainWindow:
    """The window with a proposal for the small table, on the page Proposal."""
    opened.page(Step.OPEN).do_primary()
    answers = replace(opened.session.answers, questions=(AskedTable("Result", "positive", ("Sex", "Ward")),))
    opened.session.answer(answers, "the tables")
    opened.page(Step.QUESTIONS).do_primary()
    idle(opened)
    assert opened.session.plan is not None, opened.page(Step.QUESTIONS).banner.text.text()
    return opened


def open_publish(window: MainWindow, idle: Idle, folder: Path) -> PublishPage:
    """Return the page Publish of what is proposed, with a folder of its own for releases."""
    window.show_step(Step.PUBLISH)
    idle(window)
    page = window.page(Step.PUBLISH)
    assert isinstance(page, PublishPage)
    page.outgoing.folder.setText(str(folder / "releases"))
    return page


def publish(window: MainWindow, idle: Idle, folder: Path) -> None:
    """Publish what is proposed, into a folder of its own."""
    page = open_publish(window, idle, folder)
    page.do_primary()
    idle(window)
    assert window.session.release is not None, page.note.text()


@pytest.fixture
def released(proposed: MainWindow, idle: Idle, tmp_path: Path) -> MainWindow:
    """The window with a release of the small table."""
    publish(proposed, idle, tmp_path)
    return proposed


def show_section(window: MainWindow, kind: type[Part]) -> Part:
    """Return a part of Expert, with Expert and it in front."""
    window.show_step(Step.EXPERT)
    page = window.page(Step.EXPERT)
    assert isinstance(page, ExpertPage)
    at = next(at for at, (make, _, _) in enumerate(page.parts) if make is kind)
    page.list.setCurrentRow(at)
    section = page.section(at)
    assert isinstance(section, kind)
    return section
