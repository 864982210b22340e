"""What tolerances per value come to: the draw that keeps them, its signal and promises, made in a worker."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from splu_desktop.core.draw import Draw
from splu_desktop.core.draw.ways import JOINED, by_tolerances, half_widths, with_declared
from splu_desktop.core.groups.design import workable as core_workable
from splu_desktop.core.groups.rules import Sensitivity
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column, Table
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.session import Session

Limits = Mapping[str, Fraction]
_ROOM = Fraction(1, 50)  # of what a value's share lacks to 1, that a joined draw is given above it


@dataclass(frozen=True)
class ToleranceRow:
    """One value: its true count, the share of rows showing it that may be right, and what follows; None: unknown."""

    value: str
    count: int
    share: float
    limit: Fraction
    t_p: float | None = None
    keeps: float | None = None
    others: float | None = None


@dataclass(frozen=True)
class Edited:
    """A column and the draw whose tolerances are edited.

    Attributes
    ----------
    table : the column alone, or all that a draw per person looks at.
    person : the column that tells persons where the draw is per person, else "".
    draw : as the plan has it; None where it gets tolerances for the first time.
    """

    name: str
    table: Table
    person: str = ""
    draw: Draw | None = None

    @property
    def column(self) -> Column:
        """The column."""
        return self.table[self.name]

    @property
    def joined(self) -> bool:
        """Whether it is drawn joined; else from groups where these keep the tolerances."""
        return self.draw is not None and not self.draw.true_shares

    @property
    def fakes(self) -> int:
        """Fake values in each group."""
        return 0 if self.draw is None else int(self.draw.settings().get("fakes", 0))

    @property
    def limits(self) -> Limits | None:
        """The tolerances that the draw is made for, None where it is not made for any."""
        if self.draw is None or (self.draw.tolerated() is None and not self.fakes):
            return None
        return {str(label): self.draw.limit(str(label)) for label in self.column.labels}


def edited(session: Session, name: str) -> Edited:
    """Return a column as it is planned."""
    _, choices = session.opened
    person = "" if choices.persons is None else choices.persons.drawn
    table = session.prepared() if person else Table((session.drawn(name)[0],))
    return Edited(name, table, person, choices.draws.get(name))


@dataclass(frozen=True, eq=False)
class Designed:
    """The draw that keeps the tolerances, and what it promises.

    Attributes
    ----------
    draw : as the plan is to have it.
    figures : of the draw as it is carried out (`Draw.figures`).
    widths : half widths of a protected value's count in a tenth of the table and in all of it, records.
    limits : the tolerances that it keeps: one that follows from gamma has others by person than by record.
    """

    draw: Draw
    figures: Mapping[str, Any]
    widths: tuple[float, float]
    limits: Limits


def designed(
    edited: Edited, limits: Limits, fakes: int, thresholds: Thresholds, progress: Progress, planned: Draw | None = None
) -> Designed:
    """Find the draw, unless `planned` serves, and say what it promises. Runs in a worker. Raises SpluError, Cancelled.

    Joined stays joined; else groups are looked for first, as on the command line.
    """
    column, way = edited.column.compacted(), JOINED if edited.joined else None
    known = {str(label) for label in column.labels}
    tolerances = Tolerances({label: limit for label, limit in limits.items() if label in known})
    draw = planned or by_tolerances(column, tolerances, way, fakes=fakes, progress=progress)
    if planned is None and edited.draw is not None and edited.draw.listed:
        draw = with_declared(column, draw, (*edited.draw.listed, *known))  # values nobody has: the strictest
    made = draw.by_person(edited.person).learned(edited.table, edited.name, thresholds)
    kept = {label: made.limit(label) for label in known} if edited.joined else dict(limits)
    return Designed(draw, made.figures(column, thresholds), half_widths(column, made), kept)


def workable(edited: Edited, limits: Limits, fakes: int, progress: Progress) -> dict[str, Fraction]:
    """Return the nearest tolerances that can be met together. Runs in a worker. Raises SpluError, Cancelled."""
    column = edited.column
    if not edited.joined:
        return dict(core_workable(column, Tolerances(limits), fakes=fakes, progress=progress).limits)
    # Joined needs a little room above each share, and no more.
    found = dict(limits)
    for label, count in zip(map(str, column.labels), column.counts().tolist(), strict=True):
        share = Fraction(count, max(column.n, 1))
        least = min(Fraction(math.ceil(1000 * (share + (1 - share) * _ROOM)), 1000), Fraction(1))
        found[label] = max(limits[label], least) if limits[label] <= share else limits[label]
    return found


def proposed(column: Column) -> dict[str, Fraction]:
    """Return the strictest class of sensitivity for each value that leaves room for half as many records again."""
    strictest = sorted(sort.tolerance for sort in Sensitivity)
    n = max(1, column.n)
    limits = {}
    for text, count in zip(column.labels, column.counts(), strict=True):
        wanted = Fraction(3 * int(count), 2 * n)
        limits[str(text)] = next((limit for limit in strictest if limit >= wanted), Fraction(1))
    return limits


def rows_of(column: Column, limits: Limits, found: Designed | None) -> tuple[ToleranceRow, ...]:
    """Return the table's rows; figures where they were made for these tolerances."""
    n = max(1, column.n)
    told = {} if found is None else {row["value"]: row for row in found.figures["values"]}
    rows = []
    for label, count in zip(map(str, column.labels), column.counts().tolist(), strict=True):
        of = told.get(label)
        figures = () if of is None else (of["t_p"], of["keeps"], of["keeps"] - of["signal"])
        rows.append(ToleranceRow(label, count, count / n, limits[label], *figures))
    return tuple(rows)
