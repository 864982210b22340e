"""Which draw a sensitive column gets: one gamma serves every column (mechanism.md section 7).

Plain groups need a column whose most frequent value fills no more than 1/gamma. For any other, gamma gives tolerances,
f'_s = pi_s + (1 - pi_s) / gamma: without the table one would be right in pi_s of the cases, with it in f'_s. They lie
above pi_s, so a draw that keeps them exists always: where no groups do, the joined one.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw import DecoyGroups, Draw, PlainGroups
from splu_desktop.core.draw import joined as joined_design
from splu_desktop.core.draw.joined_chances import limits_of_gamma
from splu_desktop.core.errors import BadSetting, Ineligible
from splu_desktop.core.groups.forming import check_eligible, check_gamma
from splu_desktop.core.groups.sized import check_fakes
from splu_desktop.core.groups.tolerances import NOT_SENSITIVE, Infeasible, Tolerances, check_feasible
from splu_desktop.core.messages import Figure, say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.table import Column
from splu_desktop.core.thresholds import NORMAL_95
from splu_desktop.frozen import dataclass

GROUPS, JOINED = WAYS = ("groups", "joined")
WORTH = 0.8  # of the half width of cells in groups: joined is offered where its cells are at most as wide
LEAST = 20  # records of a table in which values can hide behind one another
CELL = 0.1  # share of the records in the cell that both are compared by
_COMMON = 0.5  # share of the records from which a value is everybody's guess


def gamma_tolerances(column: Column, gamma: int, unprotected: Iterable[str] = ()) -> Tolerances:
    """Return the tolerances that gamma gives, and 1 for the values declared not sensitive. Raises BadSetting.

    They are published, so they are rounded down to the coarsest parts that leave nine tenths of the room between pi_s
    and f'_s, in steps of FREQUENT records at least, or else half of it; counts enter in whole blocks, and all rare
    values get 1/gamma. A value that next to all records have would tell by its tolerance how many lack it: it gets 1.
    """
    PlainGroups(gamma)  # raises for a gamma that is none
    check_gamma(column, gamma)
    told = [str(label) for label in unprotected]
    return Tolerances(limits_of_gamma(column.labels.tolist(), column.counts(), gamma, told))


def by_gamma(column: Column, gamma: int, way: str | None = None, progress: Progress = SILENT) -> Draw:
    """Return the draw that a gamma gives a column: plain groups where they can serve, else what keeps its tolerances.

    way : "groups" to look for groups of several sizes before the joined draw, "joined" for that draw in any case.

    Raises BadSetting, EmptyTable; Ineligible only in tables of fewer than LEAST records, which hide nobody.
    """
    _checked(way)
    if way != JOINED:
        try:
            check_eligible(column, gamma)
        except Ineligible:
            if column.n < LEAST:
                raise
        else:
            return PlainGroups(gamma)
    limits = gamma_tolerances(column, gamma)
    if way == GROUPS:
        try:
            return DecoyGroups.designed(column, limits, progress=progress)
        except Infeasible:
            pass
    return joined_design.design(column, limits, follows=gamma)


def by_tolerances(
    column: Column, limits: Tolerances, way: str | None = None, *, fakes: int = 0, progress: Progress = SILENT
) -> Draw:
    """Return the draw that keeps tolerances: groups where some do, else (or where asked for) the joined one.

    Raises EmptyTable, BadSetting; Infeasible where a tolerance lies below its value's share, or with fake values.
    """
    _checked(way)
    check_fakes(fakes)
    check_feasible(column, limits, fakes)
    if way != JOINED:
        try:
            return DecoyGroups.designed(column, limits, fakes=fakes, progress=progress)
        except Infeasible:
            if fakes:
                raise
    elif fakes:
        raise BadSetting("“{name}” is drawn without groups, so it has no fake values.", name=column.name)
    return joined_design.design(column, limits)


def with_declared(
    column: Column, draw: Draw, declared: Collection[str], leave: float | Fraction = 0
) -> joined_design.Joined:
    """Return the joined draw with a draw's tolerances in which records show the values of a declared list, too.

    Parameters
    ----------
    declared : values that may occur, all protected ones that do among them; those that no record has get the strictest
        tolerance, or what gamma gives.
    leave : see `joined.design`.

    Raises EmptyTable, BadSetting; Infeasible where the list leaves too few records a value of their own, or hides
    nobody.
    """
    wide = column.compacted().with_labels(declared)
    if draw.gamma is not None:
        return joined_design.design(column, gamma_tolerances(wide, draw.gamma), leave=leave, declared=declared)
    limits = {str(label): draw.limit(str(label)) for label in column.compacted().labels}
    strictest = min(limits.values(), default=NOT_SENSITIVE)
    limits |= {str(label): draw.limit(str(label)) or strictest for label in wide.labels if str(label) not in limits}
    return joined_design.design(column, limits, leave=leave, declared=declared)


def _checked(way: str | None) -> None:
    if way not in (None, *WAYS):
        raise BadSetting("There is no draw “{way}”; choose among {known}.", way=way, known=", ".join(WAYS))


@dataclass(frozen=True)
class Compared:
    """How wide counts are under two draws of the same promise: half widths of 95 % intervals, in records.

    cell, whole : of a value's count in a tenth of the records, and in the whole table; geometric means over the values
        that are protected, by way.
    """

    cell: tuple[float, float]
    whole: tuple[float, float]

    @property
    def worth_it(self) -> bool:
        """Whether joined makes cells sharper by a fifth or more."""
        return self.cell[1] <= WORTH * self.cell[0]

    def sentence(self, column: str) -> str:
        """Return both consequences side by side, with what suits whom."""
        words = {
            "column": column,
            "groups": half(self.cell[0]),
            "joined": half(self.cell[1]),
            "whole_groups": half(self.whole[0]),
            "whole_joined": half(self.whole[1]),
        }
        if self.worth_it:
            return say(
                "Joined would make counts of “{column}” in a part of the table sharper: ±{joined} instead of ±{groups} "
                "records in a tenth of it. But its published shares would no longer be true, and counts of the whole "
                "table ±{whole_joined} instead of ±{whole_groups}. Take joined for questions about parts, groups for "
                "shares of the whole table.",
                **words,
            )
        return say(
            "Joined would not make counts of “{column}” in a part of the table much sharper: ±{joined} instead of "
            "±{groups} records in a tenth of it; groups keep its published shares true.",
            **words,
        )


def half(width: float) -> Figure:
    """Return a half width, in records, for people."""
    return Figure("∞" if not math.isfinite(width) else f"{width:,.0f}" if width >= 10 else f"{width:.1f}")


def half_widths(column: Column, draw: Draw) -> tuple[float, float]:
    """Return the half widths of 95 % intervals of a protected value's count in a tenth of the table, and in all of it.

    Geometric means over the values that are protected; computed, not simulated. inf where nothing can be read: in the
    whole table that is never so where published counts stand for the true ones.
    """
    used = column.compacted()
    counts = used.counts().astype(np.float64)
    through = draw.transition(counts, used.labels)
    chosen = np.array([draw.limit(str(label)) < 1 for label in used.labels])
    cell, whole = np.sqrt(through.variance(CELL * counts[None, :])[0]), draw.scatter(counts, used.labels)
    read = bool(through.readable[chosen].all())

    def mean(deviations: NDArray[np.float64], told: bool) -> float:
        return float(np.exp(np.log(deviations[chosen]).mean()) * NORMAL_95) if chosen.any() and told else math.inf

    return mean(cell, read), mean(whole, read or draw.true_shares)


@dataclass(frozen=True)
class Unprotected:
    """What it would make of a column's cells to declare its most frequent value not sensitive.

    Attributes
    ----------
    value, share : the value and its share of the records.
    cell : half widths of the other values' counts in a tenth of the records, as drawn now and then.
    """

    value: str
    share: float
    cell: tuple[float, float]

    def sentence(self, column: str) -> str:
        """Return it for people."""
        return say(
            "If “{value}”, which {share} of the records have, need not be protected, counts of the other values of "
            "“{column}” in a part of the table are sharper: ±{then} instead of ±{now} records in a tenth of it, for "
            "the same promise on these. Published shares are not true then.",
            value=self.value,
            share=Figure(f"{100 * self.share:.0f} %"),
            column=column,
            then=half(self.cell[1]),
            now=half(self.cell[0]),
        )


def unprotected(column: Column, draw: Draw) -> Unprotected | None:
    """Return what it would make to declare the most frequent value not sensitive; None where less than a fifth.

    Of columns with one gamma in which that value fills half of the records, since everybody guesses it anyway.
    Raises EmptyTable, BadSetting.
    """
    used, gamma = column.compacted(), draw.follows
    if gamma is None or used.m < 2 or draw.draws_of_person(2) == 1 or len(draw.block(column.name)) > 1:
        return None
    counts = used.counts()
    at = int(counts.argmax())
    top, share = str(used.labels[at]), float(counts[at] / used.n)
    if share < _COMMON or draw.limit(top) == NOT_SENSITIVE or all(draw.limit(str(x)) == 1 for x in used.labels):
        return None
    try:
        free = joined_design.design(used, gamma_tolerances(used, gamma, [top]), follows=gamma)
    except Infeasible:
        return None
    others = np.arange(used.m) != at
    widths = []
    for each in (draw, free):
        through = each.transition(counts.astype(np.float64), used.labels)
        spread = through.variance(CELL * counts[None, :].astype(np.float64))[0]
        told = through.readable[others]
        widths.append(float(np.exp(np.log(np.sqrt(spread[others])).mean()) * NORMAL_95) if told.all() else math.inf)
    return Unprotected(top, share, (widths[0], widths[1])) if widths[1] <= WORTH * widths[0] else None


def compared(column: Column, draw: Draw) -> Compared | None:
    """Return how a column's draw compares with the joined one that keeps the same limits; None if that is what it is.

    Raises EmptyTable, BadSetting.
    """
    limits = Tolerances({str(label): draw.limit(str(label)) for label in column.labels})
    try:
        joined = joined_design.design(column, limits)
    except Infeasible:
        return None
    if type(draw) is type(joined):
        return None
    here, there = half_widths(column, draw), half_widths(column, joined)
    return Compared((here[0], there[0]), (here[1], there[1]))
