"""What publishing, opening and checking a release do in the worker: plain functions of frozen values."""

from __future__ import annotations

import shutil
from pathlib import Path

from splu_desktop.core import sanitise
from splu_desktop.core.gate import Line, table_lines
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Table
from splu_desktop.files.release import OpenRelease, write_release


class Whole:
    """Turns the stages of one run into one fraction that only grows.

    Parameters
    ----------
    progress : told of it.
    stages : how many stages the run is expected to have; more do no harm.
    """

    def __init__(self, progress: Progress, stages: int) -> None:
        self._progress, self._stages = progress, stages
        self._stage, self._index, self._shown = "", -1, 0.0

    def report(self, stage: str, done: float) -> None:
        """Pass on the stage's name and the fraction of the whole. Raises Cancelled."""
        if stage != self._stage:
            self._stage, self._index = stage, self._index + 1
        at = (min(self._index, self._stages - 1) + min(max(done, 0.0), 1.0)) / self._stages
        self._shown = max(self._shown, at)
        self._progress.report(stage, self._shown)


def make_release(table: Table, plan: Plan, folder: Path, formats: tuple[str, ...], progress: Progress) -> OpenRelease:
    """Sanitise and write. Raises SpluError, Cancelled; nothing is left behind then."""
    whole = Whole(progress, stages=4 * len(plan.sensitive) + 1 + 2 * len(formats) + 1)
    published = sanitise.run(table, plan, progress=whole)
    return write_release(published, folder, formats=formats, progress=whole)


def gate_lines(prepared: Table, plan: Plan, progress: Progress) -> tuple[Line, ...]:
    """Return the lines of the gate that follow from a generalised table and its plan. Raises Cancelled."""
    return table_lines(prepared, plan, progress=progress)


def room_for(folder: Path, source_bytes: int) -> tuple[int, int]:
    """Return free bytes at `folder`, and how many a release of a source of that size may need at most."""
    return shutil.disk_usage(folder).free, 3 * source_bytes + 1_000_000
