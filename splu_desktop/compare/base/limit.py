"""A limit on the time of one method, so that a slow one costs itself and not the comparison."""

from __future__ import annotations

import time

from splu_desktop.core.progress import Progress


class OutOfTime(Exception):
    """A method's time is over. Not a SpluError: nothing on the way takes it for a fault that it knows a way around."""


class Limited:
    """A Progress that stops the work once its time is over, at the next report.

    Parameters
    ----------
    whole : where reports go.
    ends : by `time.monotonic`; infinity for no limit.
    """

    def __init__(self, whole: Progress, ends: float) -> None:
        self._whole, self._ends = whole, ends

    def report(self, stage: str, done: float) -> None:
        """Pass the report on. Raises OutOfTime once the time is over; Cancelled."""
        self._whole.report(stage, done)
        if time.monotonic() >= self._ends:
            raise OutOfTime
