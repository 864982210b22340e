"""What publishing does in the worker: plain functions of frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from splu_desktop.core.generalise import table_after
from splu_desktop.core.progress import Progress
from splu_desktop.files.publish.publishing import Examination, Order, Outcome, publish
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.bars import Bars

# What the stages of a publish take, in seconds for a million cells; measured side by side by benchmarks/publish.py.
_COSTS = {
    "Drawing random ids": 0.1,
    "Forming groups": 0.05,
    "Mixing groups": 0.1,
    "Drawing values": 0.05,
    "Shuffling records": 0.05,
    "Spelling values": 0.1,
    "Writing CSV": 0.2,
    "Writing XLSX": 1.1,
    "Writing Parquet": 0.15,
    "Describing the release": 0.05,
    "Reading the files back": 0.05,
    "Checking the release": 0.05,
    "Packing": 0.3,
    "Checking the file": 0.1,
    "Finishing": 0.05,
}


class Whole:
    """Turns the stages of one run into one fraction that only grows.

    Parameters
    ----------
    progress : told of it.
    order : what is published; its columns and formats say which stages come, and how long each is.
    """

    def __init__(self, progress: Progress, order: Order) -> None:
        self._progress = progress
        names = ["Drawing random ids", "Forming groups", "Mixing groups", "Drawing values"]
        names = names * max(1, len(order.plan.sensitive)) + ["Shuffling records", "Spelling values", "Writing CSV"]
        costs = dict(_COSTS)
        if "xlsx" in order.formats:
            names.append("Writing XLSX")
            costs["Reading the files back"] += 0.6
        if "parquet" in order.formats:
            names.append("Writing Parquet")
        names += ["Describing the release", "Reading the files back", "Checking the release"]
        names += ["Packing", "Checking the file"] if order.packed else []
        self._stages = [(name, costs[name]) for name in [*names, "Finishing"]]
        self._whole = sum(cost for _, cost in self._stages)
        self._at, self._before, self._shown = 0, 0.0, 0.0

    def report(self, stage: str, done: float) -> None:
        """Pass on the stage's name and the fraction of the whole. Raises Cancelled."""
        ahead = next((at for at in range(self._at, len(self._stages)) if self._stages[at][0] == stage), None)
        if ahead is not None:
            # The files are read back one by one: what comes round again is not gone back to, nor leapt over.
            self._before += sum(cost for _, cost in self._stages[self._at : ahead])
            self._at = ahead
            at = (self._before + self._stages[ahead][1] * min(max(done, 0.0), 1.0)) / self._whole
            self._shown = max(self._shown, at)
        self._progress.report(stage, self._shown)


@dataclass(frozen=True, eq=False)
class Made:
    """A release that was published, and what only its maker may see.

    Attributes
    ----------
    outcome : the release.
    compared : SA -> its bars in the source (generalised as published) and in the release, for the same labels.
    password : of an encrypted ZIP, without which its report could not be made; kept in memory alone.
    """

    outcome: Outcome
    compared: Mapping[str, tuple[Bars, Bars]]
    password: str | None = field(default=None, repr=False)


def make_release(order: Order, accepted: Mapping[str, str], examination: Examination, progress: Progress) -> Made:
    """Publish through the gate. Raises SpluError, Cancelled; nothing is left behind then."""
    whole = Whole(progress, order)
    outcome = publish(order, accepted=accepted, examination=examination, progress=whole)
    sensitive = order.plan.sensitive
    source = table_after(order.table.select(sensitive), {n: order.plan.generalisations.get(n, ()) for n in sensitive})
    compared = {}
    for name in sensitive:
        before = Bars.of(source[name])
        compared[name] = before, before.beside(outcome.opened.published.table[name])
    return Made(outcome, compared, order.password)
