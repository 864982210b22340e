"""Work off the window's thread: newest wins, cancel stops, faults become sentences, no thread outlives the window."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QThread
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.progress import Progress
from splu_desktop.gui.base.tasks import Tasks


def _until_stopped(progress: Progress) -> None:
    for step in range(100_000):
        progress.report("waiting", step / 100_000)
        time.sleep(0.002)


@pytest.fixture
def tasks(qapp: QApplication) -> Iterator[Tasks]:
    made = Tasks()
    yield made
    made.shutdown()


def test_a_result_comes_back_on_the_windows_thread(qtbot: QtBot, tasks: Tasks) -> None:
    seen: list[object] = []
    job = tasks.run("a", lambda progress: threading.current_thread().name)
    job.done.connect(lambda result: seen.append((result, QThread.currentThread())))
    qtbot.waitSignal(job.done).wait()
    worker, thread = seen[0]
    assert worker.startswith("splu")
    assert thread == tasks.thread()
    assert not tasks.busy()


def test_the_newest_request_wins(qtbot: QtBot, tasks: Tasks) -> None:
    heard: list[str] = []
    for name in "abcdefgh":
        job = tasks.run("plot", lambda progress, name=name: (_until_stopped(progress), name) if name != "h" else name)
        job.done.connect(heard.append)
        job.stopped.connect(lambda name=name: heard.append(f"stopped {name}"))
        job.failed.connect(heard.append)
    qtbot.waitUntil(tasks.idle)
    assert heard == ["h"], "a superseded job must never be heard of"


def test_cancel_stops_at_the_next_report(qtbot: QtBot, tasks: Tasks) -> None:
    job = tasks.run("a", _until_stopped)
    qtbot.waitSignal(job.progressed).wait()
    stopped = qtbot.waitSignal(job.stopped)
    job.cancel()
    stopped.wait()
    assert stopped.signal_triggered
    assert tasks.idle()


def test_work_that_ended_before_it_noticed_a_cancel_is_done(qtbot: QtBot, tasks: Tasks) -> None:
    # Its files exist by then, so it must not be called cancelled.
    started, gate = threading.Event(), threading.Event()

    def work(progress: Progress) -> str:
        started.set()
        gate.wait()
        return "written"

    job = tasks.run("a", work)
    done = qtbot.waitSignal(job.done)
    started.wait()
    job.cancel()
    gate.set()
    done.wait()
    assert done.args == ["written"]


def test_a_fault_is_told_in_its_own_sentence(qtbot: QtBot, tasks: Tasks) -> None:
    def work(progress: Progress) -> None:
        raise BadSetting("Choose another group size.")

    job = tasks.run("a", work)
    failed = qtbot.waitSignal(job.failed)
    failed.wait()
    assert failed.args == ["Choose another group size."]


def test_an_unforeseen_fault_never_quotes_data(qtbot: QtBot, tasks: Tasks) -> None:
    def work(progress: Progress) -> None:
        raise ValueError("could not convert string to float: 'Jane Doe'")

    job = tasks.run("a", work)
    failed = qtbot.waitSignal(job.failed)
    failed.wait()
    (text,) = failed.args
    assert "ValueError" in text
    assert "Jane" not in text
    assert "Your work is kept" in text


def test_shutdown_waits_for_all_work(qapp: QApplication) -> None:
    tasks = Tasks()
    running = threading.Event()

    def work(progress: Progress) -> None:
        running.set()
        _until_stopped(progress)

    for channel in "abc":
        tasks.run(channel, work)
    running.wait()
    tasks.shutdown()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("splu")]


def test_reports_are_few_however_many_are_made(qtbot: QtBot, tasks: Tasks) -> None:
    heard: list[float] = []

    def work(progress: Progress) -> float:
        start = time.monotonic()
        for step in range(20_000):
            progress.report("counting", step / 20_000)
        return time.monotonic() - start

    job = tasks.run("a", work)
    job.progressed.connect(lambda stage, done: heard.append(done))
    finished = qtbot.waitSignal(job.done)
    finished.wait()
    took = finished.args[0]
    assert len(heard) <= 2 + took / 0.04
    assert heard == sorted(heard)
