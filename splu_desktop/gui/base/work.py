"""Work off the window's thread, in three verbs: `start`, `cancel`, `shutdown`. The only owner of threads.

Work is a plain function of frozen values that touches no widget; one that takes a `progress` gets it. What it reports,
returns or raises comes back on the window's thread. Work started in a channel drops what that channel had under way:
the newest request wins, and the older one is told to stop and is never heard of again. No thread is ever terminated.
"""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer, Signal

from splu_desktop.core.errors import SpluError, place_of
from splu_desktop.core.progress import Cancelled, WatchedProgress
from splu_desktop.gui.base.words import t, translate

_EVERY = 0.04  # seconds between two reports handed to the window; more would only queue up
_WORKERS = 4


def sentence(fault: BaseException) -> str:
    """Return what a user is told of a fault: its own sentence, or where an unforeseen one happened (never its text)."""
    if isinstance(fault, SpluError):
        return translate(str(fault))
    if isinstance(fault, MemoryError):
        return t("There is not enough free memory. Close other programs and try again.")
    return t("Something went wrong inside the program ({place}). Your work is kept; try again.", place=place_of(fault))


def _nothing(*_: Any) -> None:
    """Hear nothing."""


class Job:
    """One piece of work under way; `stop` asks it to end at its next report."""

    def __init__(self, channel: str, heard: tuple[Callable[..., object], ...]) -> None:
        self.channel = channel
        self.on_partial, self.on_done, self.on_exception, self.on_cancel = heard
        self.dropped = False
        self.stop = threading.Event()
        self.pause: QTimer | None = None


class Work(QObject):
    """Starts work and knows what is under way.

    Signals
    -------
    changed : work began or ended.
    """

    changed = Signal()
    _told = Signal(object)  # emitted by workers; whoever emits must outlive every job

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # Emitted by a worker, heard on the window's thread: only a queued connection carries it over.
        self._told.connect(self._hear, Qt.ConnectionType.QueuedConnection)
        self._pool = ThreadPoolExecutor(max_workers=_WORKERS, thread_name_prefix="splu")
        self._newest: dict[str, Job] = {}
        self._under_way: set[Job] = set()

    def start(
        self,
        function: Callable[..., Any],
        *args: Any,
        on_partial: Callable[[str, float], object] = _nothing,
        on_done: Callable[[Any], object] = _nothing,
        on_exception: Callable[[str], object] = _nothing,
        on_cancel: Callable[[], object] = _nothing,
        channel: str = "",
        pause: int = 0,
        **keywords: Any,
    ) -> None:
        """Call ``function(*args, **keywords)`` in a worker, with ``progress=`` where it takes one.

        Parameters
        ----------
        on_partial : hears (stage, 0..1); `on_done` the result; `on_exception` a sentence; `on_cancel` that it stopped.
        channel : work of the same channel replaces each other; the function's name where none is given.
        pause : ms without a newer request after which it begins, as while a slider is dragged.
        """
        channel = channel or function.__name__
        self.drop(channel)
        job = Job(channel, (on_partial, on_done, on_exception, on_cancel))
        self._newest[channel] = job
        self._under_way.add(job)

        def begin() -> None:
            self._pool.submit(self._run, job, function, args, keywords)

        if pause:
            job.pause = QTimer(self, singleShot=True, interval=pause)
            job.pause.timeout.connect(begin)
            job.pause.start()
        else:
            begin()
        self.changed.emit()

    def cancel(self, channel: str) -> None:
        """Ask the channel's work to stop at its next report; its `on_cancel` hears when it has."""
        if channel in self._newest:
            self._newest[channel].stop.set()

    def drop(self, channel: str) -> None:
        """Stop the channel's work and hear nothing more of it."""
        job = self._newest.pop(channel, None)
        if job is None:
            return
        job.dropped = True
        job.stop.set()
        if job.pause is not None and job.pause.isActive():
            # It never began, so no worker will say that it ended.
            job.pause.stop()
            job.pause.deleteLater()
            self._under_way.discard(job)

    def busy(self, channel: str | None = None) -> bool:
        """Return whether work that somebody waits for is under way, in one channel or in any."""
        return bool(self._newest) if channel is None else channel in self._newest

    def idle(self) -> bool:
        """Return whether no work is under way at all, dropped work included."""
        return not self._under_way

    def shutdown(self) -> None:
        """Ask all work to stop and wait until it has."""
        for channel in list(self._newest):
            self.drop(channel)
        self._pool.shutdown(wait=True)
        QCoreApplication.sendPostedEvents(self)
        self._under_way.clear()

    def _run(self, job: Job, function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        last, before = 0.0, ""

        def report(stage: str, done: float) -> None:
            nonlocal last, before
            now = time.monotonic()
            if stage != before or now - last >= _EVERY:
                last, before = now, stage
                self._told.emit((job, job.on_partial, (stage, done), False))

        try:
            # It was dropped while it waited for a worker.
            if job.stop.is_set():
                raise Cancelled
            if "progress" in inspect.signature(function).parameters:
                keywords["progress"] = WatchedProgress(report, job.stop.is_set)
            result = function(*args, **keywords)
        except Cancelled:
            self._told.emit((job, job.on_cancel, (), True))
        except BaseException as fault:  # a worker must hand every fault over; it has nobody else to tell
            self._told.emit((job, job.on_exception, (sentence(fault),), True))
        else:  # work that ended before it noticed a cancel is done, and must say so: its files exist
            self._told.emit((job, job.on_done, (result,), True))

    def _hear(self, news: tuple[Job, Callable[..., object], tuple[Any, ...], bool]) -> None:
        job, hear, what, ended = news
        if ended:
            self._under_way.discard(job)
            # A newer request may have taken the channel meanwhile.
            if self._newest.get(job.channel) is job:
                del self._newest[job.channel]
            if job.pause is not None:
                job.pause.deleteLater()
        # Work that was asked to stop is heard once more, at its end, and not of its progress.
        if not job.dropped and (ended or not job.stop.is_set()):
            hear(*what)
        if ended:
            self.changed.emit()
