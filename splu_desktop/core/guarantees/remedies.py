"""Whether a column can be sensitive at a gamma, what limits it, and what would help: remedies as data for buttons.

Grouping values never lowers the share of the most frequent one, so it is no remedy for a value that is too frequent;
dividing a group, a smaller gamma, a tolerance of its own for that value and leaving the column out are. Grouping does
help where no count is large enough to be answered. Every remedy offered has been tried: what it promises holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

import numpy as np

from splu_desktop.core import generalise as g
from splu_desktop.core.generalise import CannotGeneralise, Steps
from splu_desktop.core.guarantees.exact import t_f
from splu_desktop.core.messages import say
from splu_desktop.core.table import Column, Kind
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.frozen import dataclass


@dataclass(frozen=True)
class ColumnEligibility:
    """What a column, as generalised, allows.

    Attributes
    ----------
    largest_gamma : floor(N / max f_s), 0 for no records; below 2 no gamma is possible.
    value, count : the most frequent label, which limits it, and its records.
    records, values : N and the number of distinct labels.
    measured : whether the column is a measurement that has to be generalised first.
    """

    largest_gamma: int
    value: str
    count: int
    records: int
    values: int
    measured: bool

    def allows(self, gamma: int) -> bool:
        """Whether the column can be sensitive with this gamma."""
        return not self.measured and 2 <= gamma <= self.largest_gamma

    @property
    def share(self) -> float:
        """The most frequent value's share of the records."""
        return self.count / self.records if self.records else 0.0


class RemedyKind(Enum):
    """What a remedy does."""

    GENERALISE = "generalise"
    LOWER_GAMMA = "lower gamma"
    FINER = "finer groups"
    GROUP = "group values"
    TOLERANCE = "tolerance per value"
    LEAVE_OUT = "leave out"


@dataclass(frozen=True)
class Remedy:
    """One way out.

    Attributes
    ----------
    kind : what it does.
    words : what it does, for the button, without a full stop.
    gamma : the gamma to set; None where gamma stays.
    steps : all generalisation steps of the column from then on; None where they stay.
    largest_gamma : the largest gamma possible after it.
    """

    kind: RemedyKind
    words: str
    gamma: int | None = None
    steps: Steps | None = None
    largest_gamma: int = 0

    def as_dict(self) -> dict[str, object]:
        """Return the remedy as plain data."""
        steps = None if self.steps is None else [step.as_dict() for step in self.steps]
        return {
            "kind": self.kind.value,
            "words": self.words,
            "gamma": self.gamma,
            "generalise": steps,
            "largest_gamma": self.largest_gamma,
        }


def eligibility(column: Column, steps: Steps = ()) -> ColumnEligibility:
    """Return what a column of the source allows after `steps`. Raises CannotGeneralise."""
    after = g.column_after(column, steps)
    counts = after.counts()
    top = int(counts.argmax()) if after.m else 0
    most = int(counts[top]) if after.n else 0
    return ColumnEligibility(
        largest_gamma=after.n // most if most else 0,
        value=str(after.labels[top]) if after.m else "",
        count=most,
        records=after.n,
        values=int(np.count_nonzero(counts)),
        measured=g.still_measured(column, after),
    )


def remedies(
    column: Column,
    steps: Steps,
    gamma: int | None,
    thresholds: Thresholds | None = None,
    *,
    tolerances: bool = False,
) -> tuple[Remedy, ...]:
    """Return what would help a sensitive column at `gamma`, best first; empty where nothing is needed.

    Parameters
    ----------
    column, steps : the column as in the source, and how it is generalised.
    gamma : the group size; None where the column's draw has none to change.
    thresholds : if given, grouping is offered where no value is frequent enough to be answered.
    tolerances : whether a tolerance per value (mechanism.md section 5) can be planned.
    """
    if gamma is None:
        return ()
    now = eligibility(column, steps)
    found: list[Remedy] = []
    if now.allows(gamma):
        return tuple(_groupings(column, steps, gamma, thresholds)) if thresholds is not None else ()
    if now.measured:
        suggested = g.suggest(column, gamma=gamma)
        if suggested:
            found.append(
                _with_steps(column, suggested, RemedyKind.GENERALISE, say("Put {what}", what=suggested[0].words))
            )
    else:
        found.extend(_finer(column, steps, gamma, now))
        if now.largest_gamma >= 2:
            words = say("Lower gamma to {gamma}", gamma=now.largest_gamma)
            found.append(Remedy(RemedyKind.LOWER_GAMMA, words, now.largest_gamma, None, now.largest_gamma))
        if tolerances and now.values > 1:
            words = say("Set a tolerance per value, with a high one for “{value}”", value=now.value)
            found.append(Remedy(RemedyKind.TOLERANCE, words, None, None, now.largest_gamma))
    found.append(Remedy(RemedyKind.LEAVE_OUT, say("Leave “{column}” out", column=column.name)))
    return tuple(found)


def _with_steps(column: Column, steps: Steps, kind: RemedyKind, words: str) -> Remedy:
    return Remedy(kind, words, None, steps, eligibility(column, steps).largest_gamma)


def _finer(column: Column, steps: Steps, gamma: int, now: ColumnEligibility) -> Iterator[Remedy]:
    """Give divisions of the groups that allow more than the present ones, the first that allows gamma alone if any."""
    if not steps:
        return
    candidates: list[tuple[Steps, str]] = []
    suggested = g.suggest(column, gamma=gamma)
    if column.kind in (Kind.DATE, Kind.DATETIME):
        parts = (g.DatePart(part) for part in (g.Part.QUARTER, g.Part.MONTH))
        candidates = [((part,), say("Put {what}", what=part.words)) for part in parts]
    elif suggested:
        candidates = [(suggested, say("Put {what}", what=suggested[0].words))]
    else:
        candidates = [(steps[:-1], "Undo the last grouping"), ((), "Undo all grouping")]
    tried: list[Remedy] = []
    for each, words in candidates:
        if each == steps or any(each == remedy.steps for remedy in tried):
            continue
        try:
            tried.append(_with_steps(column, each, RemedyKind.FINER, words))
        except CannotGeneralise:
            continue
    better = [remedy for remedy in tried if remedy.largest_gamma > now.largest_gamma]
    enough = [remedy for remedy in better if remedy.largest_gamma >= gamma]
    yield from enough[:1] or better[-1:]


def _groupings(column: Column, steps: Steps, gamma: int, thresholds: Thresholds) -> Iterator[Remedy]:
    """Give groupings that make counts answerable where none is, and keep the column eligible."""
    least = t_f(gamma, thresholds.epsilon, thresholds.t_e)
    if g.column_after(column, steps).counts().max() >= least:
        return
    candidates: list[Steps] = []
    if not steps and column.kind is Kind.CATEGORY:
        system = g.system_of(column)
        if system:
            candidates += [(g.Prefix(length=3),), (g.Chapter(system),)]
    for each in candidates:
        try:
            after = g.column_after(column, each)
        except CannotGeneralise:
            continue
        counts = after.counts()
        if after.n // int(counts.max()) >= gamma and int(counts.max()) >= least:
            yield _with_steps(column, each, RemedyKind.GROUP, say("Put {what}", what=each[-1].words))
