"""How long work tells how far it is, and how it is told to stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Cancelled(Exception):
    """The user asked to stop. Whoever catches it leaves no trace of the unfinished work."""


class Progress(Protocol):
    """What every long function takes; it calls ``report`` at least every 100 ms or so of work."""

    def report(self, stage: str, done: float) -> None:
        """Tell that `stage` (words for the user) is at `done` in 0..1. Raises Cancelled to stop the work."""


class Silent:
    """A Progress for callers that neither watch nor stop."""

    def report(self, stage: str, done: float) -> None:
        """Do nothing."""


SILENT = Silent()


class ProgressPart:
    """A Progress for one part of longer work, which reports to that of the whole.

    Parameters
    ----------
    whole : where reports go.
    start, share : where in 0..1 the part begins and how much of the whole it is.
    """

    def __init__(self, whole: Progress, start: float, share: float) -> None:
        self._whole, self._start, self._share = whole, start, share

    def report(self, stage: str, done: float) -> None:
        """Pass the report on, as that of the whole."""
        self._whole.report(stage, self._start + self._share * done)


class WatchedProgress:
    """A Progress that passes reports on and asks at each whether to stop.

    Parameters
    ----------
    show : called with (stage, done); may be called from any thread.
    stopped : asked at each report; True raises Cancelled. ``threading.Event().is_set`` is the usual one.
    """

    def __init__(self, show: Callable[[str, float], None], stopped: Callable[[], bool] = lambda: False) -> None:
        self._show = show
        self._stopped = stopped

    def report(self, stage: str, done: float) -> None:
        """Raise Cancelled if asked to stop, else pass the report on."""
        if self._stopped():
            raise Cancelled
        self._show(stage, done)


class Pace:
    """How long a stage may still take, from how long it has taken so far."""

    _SURE = 1.5  # seconds before which nothing is said

    def __init__(self) -> None:
        self._stage, self._done, self._since, self._from = "", 0.0, 0.0, 0.0

    def seconds_left(self, stage: str, done: float, now: float) -> float | None:
        """Return the seconds left of a stage that is at `done` in 0..1 now; None while that can't be said."""
        if stage != self._stage or done < self._done:
            self._stage, self._since, self._from = stage, now, done
        self._done = done
        passed, gone = now - self._since, done - self._from
        return passed * (1 - done) / gone if passed >= self._SURE and gone > 0 else None
