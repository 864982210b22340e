"""What publishing does in the worker: plain functions of frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from splu_desktop.core.generalise import table_after
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column
from splu_desktop.files.publishing import Examination, Order, Outcome, publish

_ROWS = 14


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


@dataclass(frozen=True)
class Bars:
    """A column as bars.

    Attributes
    ----------
    labels, counts : in the column's order where all are shown, else the most frequent first.
    values : how many values the column has, shown or not.
    """

    labels: tuple[str, ...]
    counts: tuple[int, ...]
    values: int

    @classmethod
    def of(cls, column: Column, most: int = _ROWS, *, in_order: bool = False) -> Bars:
        """Return the bars of a column, `most` of them at most; `in_order` keeps the column's order even so."""
        counts = column.counts()
        used = np.flatnonzero(counts > 0)
        order = used if in_order or len(used) <= most else used[np.argsort(-counts[used], kind="stable")]
        order = order[:most]
        return cls(tuple(str(column.labels[i]) for i in order), tuple(int(counts[i]) for i in order), len(used))

    def beside(self, column: Column) -> Bars:
        """Return the bars of another column for the same labels, 0 where it has none."""
        counts = column.counts()
        place = {str(label): code for code, label in enumerate(column.labels.tolist())}
        found = tuple(int(counts[place[label]]) if label in place else 0 for label in self.labels)
        return Bars(self.labels, found, int(np.count_nonzero(counts)))


@dataclass(frozen=True, eq=False)
class Made:
    """A release that was published, and what only its maker may see.

    Attributes
    ----------
    outcome : the release.
    compared : SA -> its bars in the source (generalised as published) and in the release, for the same labels.
    """

    outcome: Outcome
    compared: Mapping[str, tuple[Bars, Bars]]


def make_release(order: Order, accepted: Mapping[str, str], examination: Examination, progress: Progress) -> Made:
    """Publish through the gate. Raises SpluError, Cancelled; nothing is left behind then."""
    whole = Whole(progress, stages=4 * len(order.plan.sensitive) + 5 + len(order.formats) + int(order.packed))
    outcome = publish(order, accepted=accepted, examination=examination, progress=whole)
    sensitive = order.plan.sensitive
    source = table_after(order.table.select(sensitive), {n: order.plan.generalisations.get(n, ()) for n in sensitive})
    compared = {}
    for name in sensitive:
        before = Bars.of(source[name])
        compared[name] = before, before.beside(outcome.opened.published.table[name])
    return Made(outcome, compared)
