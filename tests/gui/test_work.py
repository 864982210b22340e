"""Work off the window's thread: the newest request wins, and every end is heard once."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.progress import Progress
from splu_desktop.gui.base.work import Work


@pytest.fixture
def work(qtbot: QtBot) -> Iterator[Work]:
    made = Work()
    yield made
    made.shutdown()
    made.deleteLater()


def double(number: int, progress: Progress) -> int:
    progress.report("Doubling", 0.5)
    return 2 * number


def test_result_comes_back_on_the_windows_thread(work: Work, qtbot: QtBot) -> None:
    heard: list[object] = []
    work.start(double, 21, on_done=lambda result: heard.append((result, threading.current_thread())))
    qtbot.waitUntil(lambda: bool(heard))
    assert heard == [(42, threading.main_thread())]


def test_newest_request_of_a_channel_wins(work: Work, qtbot: QtBot) -> None:
    heard: list[int] = []
    for number in range(5):
        work.start(double, number, on_done=heard.append)
    qtbot.waitUntil(work.idle)
    assert heard == [8]


def test_waits_while_a_slider_is_dragged(work: Work, qtbot: QtBot) -> None:
    heard: list[int] = []
    for number in range(5):
        work.start(double, number, on_done=heard.append, pause=30)
    qtbot.waitUntil(lambda: bool(heard))
    assert heard == [8]


def test_cancelled_work_says_so_and_nothing_else(work: Work, qtbot: QtBot) -> None:
    heard: list[str] = []
    begun = threading.Event()

    def endless(progress: Progress) -> None:
        begun.set()
        while True:
            progress.report("Waiting", 0.0)

    work.start(endless, on_cancel=lambda: heard.append("cancelled"), on_done=lambda _: heard.append("done"))
    begun.wait()
    work.cancel("endless")
    qtbot.waitUntil(lambda: bool(heard))
    assert heard == ["cancelled"]


def test_fault_is_told_as_a_sentence_without_the_data(work: Work, qtbot: QtBot) -> None:
    heard: list[str] = []

    def known(progress: Progress) -> None:
        raise BadSetting("Choose another column.")

    def unforeseen(progress: Progress) -> None:
        raise ValueError("secret value")

    work.start(known, on_exception=heard.append)
    work.start(unforeseen, on_exception=heard.append)
    qtbot.waitUntil(lambda: len(heard) == 2)
    assert "Choose another column." in heard
    assert not any("secret value" in each for each in heard)
