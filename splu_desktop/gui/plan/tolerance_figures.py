"""What tolerances per value come to: group sizes, loss, signal and promises, made in a worker for the window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from splu_desktop.core.draw import DecoyGroups
from splu_desktop.core.groups.design import Rating, chosen_from_blocks, design, one_size, rate
from splu_desktop.core.groups.design import workable as core_workable
from splu_desktop.core.groups.rules import Sensitivity
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column

Limits = Mapping[str, Fraction]


@dataclass(frozen=True)
class ToleranceRow:
    """One value: its true count, the share of rows showing it that may be right, and what follows; None: unknown."""

    value: str
    count: int
    share: float
    limit: Fraction
    t_p: float | None = None
    keeps: float | None = None
    signal: float | None = None


@dataclass(frozen=True, eq=False)
class Designed:
    """Group sizes that meet the tolerances, and what they promise.

    Attributes
    ----------
    rating : loss, signal of the commonest value.
    grouping : the draw from groups of these sizes.
    promises : in sentences, as core says them.
    t_p : tolerance -> T_P.
    t_f : count from which published counts are within the error asked.
    keeps, signal : (m,) chance that a record keeps its value, and a - b, in the order of the column's labels.
    single : the same with one group size for all, None where no size up to the largest serves.
    from_blocks : whether sizes and shares tell nothing of small counts.
    """

    rating: Rating
    grouping: DecoyGroups
    promises: tuple[str, ...]
    t_p: Mapping[Fraction, float]
    t_f: int
    keeps: np.ndarray[tuple[int], np.dtype[np.float64]]
    signal: np.ndarray[tuple[int], np.dtype[np.float64]]
    single: Rating | None
    from_blocks: bool


def designed(
    column: Column,
    limits: Limits,
    fakes: int,
    thresholds: Thresholds,
    progress: Progress,
    planned: DecoyGroups | None = None,
) -> Designed:
    """Find the group sizes, unless `planned` serves, and say what they promise. Runs in a worker.

    Raises SpluError, Cancelled.
    """
    tolerances = Tolerances(limits)
    rating = None if planned is None else rate(column.counts(), tolerances.of(column), planned)
    if rating is None:
        rating = design(column, tolerances, fakes=fakes, progress=progress)
    grouping = DecoyGroups.of(rating.grouping)
    labels = column.compacted().labels.tolist()
    told = grouping.told(column.n, labels, thresholds)
    known = grouping.known_anyhow(column.n, labels, column.name, thresholds)
    promised = grouping.promises(thresholds, told)
    through = grouping.transition(column.counts().astype(np.float64), column.labels)
    return Designed(
        rating,
        grouping,
        (*([known] if known else []), *grouping.sentences(column.name, thresholds, told)),
        {promise.confidence: promise.t_p for promise in promised},
        promised[0].t_f,
        np.asarray(through.a),
        np.asarray(through.signal),
        one_size(column, grouping.tolerances, grouping.fakes),
        chosen_from_blocks(column, grouping),
    )


def workable(column: Column, limits: Limits, fakes: int, progress: Progress) -> dict[str, Fraction]:
    """Return the nearest tolerances that can be met together. Runs in a worker. Raises SpluError, Cancelled."""
    return dict(core_workable(column, Tolerances(limits), fakes=fakes, progress=progress).limits)


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
    counts = column.counts().tolist()
    rows = []
    for at, (label, count) in enumerate(zip(column.labels, counts, strict=True)):
        limit = limits[str(label)]
        row = ToleranceRow(str(label), count, count / n, limit)
        if found is not None and found.t_p.get(limit) is not None:
            row = ToleranceRow(
                str(label), count, count / n, limit, found.t_p[limit], float(found.keeps[at]), float(found.signal[at])
            )
        rows.append(row)
    return tuple(rows)
