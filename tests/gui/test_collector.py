"""Rubbish is collected on the window's thread alone, and only while nothing is under way."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from splu_desktop.core.progress import Progress
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.shell import collector
from splu_desktop.gui.shell.collector import Collector


class Ring:
    """Rubbish that only the collector finds."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture
def tasks(qapp: QApplication) -> Iterator[Tasks]:
    made = Tasks()
    yield made
    made.shutdown()


@pytest.fixture
def owner(qapp: QApplication) -> Iterator[QObject]:
    made = QObject()
    yield made
    made.deleteLater()
    gc.enable()


def test_it_waits_until_the_work_is_done(qtbot: QtBot, tasks: Tasks, owner: QObject) -> None:
    end = threading.Event()
    own = Collector(tasks, owner)
    assert not gc.isenabled()
    gc.collect()
    assert not own.turn()  # not worth it

    def work(progress: Progress) -> int:
        made = [Ring() for _ in range(2 * collector._WORTH)]
        gone = weakref.ref(made[0])
        del made
        assert gone() is not None  # the automatic collector would have come by dozens of times
        end.wait()
        return 1

    job = tasks.run("work", work)
    qtbot.waitUntil(lambda: gc.get_count()[0] >= 2 * collector._WORTH)
    assert not own.turn()
    with qtbot.waitSignal(job.done):
        end.set()
    qtbot.waitUntil(tasks.idle)
    assert not own.turn()  # who has just had work done is still there
    assert own.turn()
    assert gc.get_count()[0] < collector._WORTH


def test_now_and_then_it_looks_at_everything(tasks: Tasks, owner: QObject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "_WORTH", 0)
    seen: list[int] = []
    own = Collector(tasks, owner)
    with monkeypatch.context() as patch:
        patch.setattr(gc, "collect", seen.append)
        for _ in range(2 * collector._WHOLE):
            own.turn()
    assert seen == [*[1] * (collector._WHOLE - 1), 2] * 2


def test_work_of_very_many_objects_is_not_waited_for(
    qtbot: QtBot, tasks: Tasks, owner: QObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector, "_PRESSING", 1)
    own = Collector(tasks, owner)
    end = threading.Event()
    job = tasks.run("work", lambda progress: end.wait())
    kept = [[] for _ in range(collector._WORTH + 1)]  # type: ignore[var-annotated]
    assert own.turn()
    assert len(kept) > collector._WORTH
    with qtbot.waitSignal(job.done):
        end.set()


def test_the_window_gets_the_interpreter_soon(qtbot: QtBot, owner: QObject) -> None:
    from splu_desktop.gui.shell import app

    before = sys.getswitchinterval()
    window = app.make_window()
    qtbot.addWidget(window)
    try:
        app.share_the_interpreter(window)
        assert sys.getswitchinterval() == pytest.approx(app._SWITCH)
        assert not gc.isenabled()
    finally:
        sys.setswitchinterval(before)
        window.close()
        window.tasks.shutdown()
