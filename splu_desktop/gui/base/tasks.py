"""The only owner of threads: runs work on frozen values away from the window, newest request first.

Work is a plain function of a Progress. It is handed everything it needs when it is started and touches no widget. What
it reports, returns or raises comes back as signals of its `Job`, on the window's thread. Starting work in a channel
drops whatever that channel still had under way: the older job is told to stop and is never heard of again. No thread is
ever terminated; `Tasks.shutdown` asks all work to stop and waits for it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer, Signal

from splu_desktop.core.errors import SpluError, place_of
from splu_desktop.core.progress import Cancelled, Progress, Watched
from splu_desktop.gui.base.words import t, told

_EVERY = 0.04  # seconds between two reports handed to the window; more would only queue up

Work = Callable[[Progress], Any]
Tell = Callable[[tuple["Job", str, object]], object]


def in_turns(owner: QObject, parts: Iterator[object], pause: int = 0) -> None:
    """Do what has to be done on the window's thread part by part, each in a turn of the event loop of its own.

    Between two of them, `pause` ms apart at least, the window does what else there is. A part yields anything but None.
    """
    timer = QTimer(owner)

    def turn() -> None:
        if next(parts, None) is None:
            timer.stop()
            timer.deleteLater()

    timer.timeout.connect(turn)
    timer.start(pause)


def sentence(fault: BaseException) -> str:
    """Return what a user is told of a fault: its own sentence, or where an unforeseen one happened (never its text)."""
    if isinstance(fault, SpluError):
        return told(str(fault))
    if isinstance(fault, MemoryError):
        return t("There is not enough memory for this table; close other programs, or try on a larger computer.")
    return t(
        "Something went wrong inside the program ({place}). Your work is kept; try again, and report these"
        " words if it happens twice.",
        place=place_of(fault),
    )


class Job(QObject):
    """One piece of work under way.

    Signals, all on the window's thread, exactly one of the last three at the end:
    `progressed` (stage, 0..1); `done` (the result); `failed` (a sentence); `stopped` (it was cancelled by the user).
    """

    progressed = Signal(str, float)
    done = Signal(object)
    failed = Signal(str)
    stopped = Signal()

    def __init__(self, channel: str, parent: QObject) -> None:
        super().__init__(parent)
        self.channel = channel
        self.superseded = False
        self.pause = QTimer(self)
        self.pause.setSingleShot(True)
        self._stop = threading.Event()
        self._last = 0.0
        self._stage = ""

    def cancel(self) -> None:
        """Ask the work to stop at its next report."""
        self._stop.set()

    def drop(self) -> None:
        """Ask the work to stop and hear nothing more of it."""
        self.superseded = True
        self.pause.stop()
        self._stop.set()

    def run(self, work: Work, tell: Tell) -> None:
        """Do the work, and tell what it reports and what came of it. Runs on a worker's thread."""

        def report(stage: str, done: float) -> None:
            now = time.monotonic()
            if stage == self._stage and now - self._last < _EVERY and done < 1.0:
                return
            self._stage, self._last = stage, now
            tell((self, "progressed", (stage, done)))

        try:
            if self._stop.is_set():
                raise Cancelled
            outcome = ("done", work(Watched(report, self._stop.is_set)))
        except Cancelled:
            outcome = ("stopped", None)
        except BaseException as fault:  # a worker must hand every fault over; it has nobody else to tell
            outcome = ("failed", sentence(fault))
        tell((self, *outcome))

    def heard(self, what: str, payload: object) -> None:
        """Pass on what the work reported or came to. Runs on the window's thread."""
        if what == "progressed":
            if not self.superseded and not self._stop.is_set():
                self.progressed.emit(*payload)  # type: ignore[misc]
            return
        if not self.superseded:
            # Work that ended before it noticed a cancel is done, and must say so: its files exist.
            if what == "done":
                self.done.emit(payload)
            elif what == "failed":
                self.failed.emit(payload)
            else:
                self.stopped.emit()
        self.deleteLater()


class Tasks(QObject):
    """Starts jobs and knows which are under way."""

    # Workers emit this one, whose sender outlives them: a job may be deleted while its last emit is on the way back.
    _told = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._told.connect(self._heard, Qt.ConnectionType.QueuedConnection)
        self._pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="splu")
        self.begun = 0  # how many jobs so far
        self._jobs: dict[str, Job] = {}
        self._all: dict[Job, Future[None] | None] = {}  # None while a job still waits for its pause to end

    def run(self, channel: str, work: Work, *, pause: int = 0) -> Job:
        """Start `work` in `channel`, dropping what the channel had under way. Returns its job.

        With a `pause` (ms) it starts only once no newer request has come for so long, as while a slider is dragged.
        """
        self.drop(channel)
        self.begun += 1
        job = Job(channel, self)
        self._jobs[channel] = job
        self._all[job] = None
        if pause:
            job.pause.timeout.connect(lambda: self._begin(job, work))
            job.pause.start(pause)
        else:
            self._begin(job, work)
        return job

    def _begin(self, job: Job, work: Work) -> None:
        if job in self._all:
            self._all[job] = self._pool.submit(job.run, work, self._told.emit)

    def drop(self, channel: str) -> None:
        """Drop the channel's job, if it has one under way."""
        job = self._jobs.pop(channel, None)
        if job is not None:
            job.drop()
            if self._all[job] is None:
                self._finished(job)
                job.deleteLater()

    def busy(self, channel: str | None = None) -> bool:
        """Return whether work is under way, in one channel or in any."""
        return bool(self._jobs) if channel is None else channel in self._jobs

    def idle(self) -> bool:
        """Return whether no work is under way at all, dropped work included."""
        return not self._all

    def shutdown(self) -> None:
        """Ask all work to stop and wait until it has."""
        for job in list(self._all):
            job.drop()
        self._pool.shutdown(wait=True)
        QCoreApplication.sendPostedEvents()
        self._jobs.clear()
        self._all.clear()

    def _heard(self, said: tuple[Job, str, object]) -> None:
        job, what, payload = said
        if what != "progressed":
            self._finished(job)
        job.heard(what, payload)

    def _finished(self, job: Job) -> None:
        self._all.pop(job, None)
        if self._jobs.get(job.channel) is job:
            del self._jobs[job.channel]
