"""Ladders: the ever coarser forms that clinicians accept of a column, each with the tier in which it may be taken.

The tiers and their order were measured on 28 tables: other orders merged the units or dropped sex and lost 46 to 100 %
of the cells. Cut points are published conventions and never come from the table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.generalise import (
    CannotGeneralise,
    DatePart,
    Groups,
    Intervals,
    Part,
    Prefix,
    Rare,
    Steps,
    by_width,
    label_map,
    round_width,
)
from splu_desktop.core.generalise.intervals import interval_labels
from splu_desktop.core.interval_texts import interval_ends, whole_numbers
from splu_desktop.core.risk.tiers import TIERS, Rung
from splu_desktop.core.table import Column, quantiles, unique

AGE_CUTS = (tuple(range(5, 95, 5)), (10, 18, *range(25, 95, 10)), (18, 45, 65, 75), (18, 65))
# Tier 3 is for years of dates and for leaving other columns out: both come before broad bands of ages.
_AGE_TIERS = (1, 2, 4, 5)
_RARE_TIERS = ((20, 1), (100, 2))  # persons below which values go to "Other"
_OLDEST = 125  # years, above which ages are told in months
_FEW_UNITS = 100
LEAVES_IN: Mapping[str, int] = defaultdict(lambda: 3, age=7, sex=7, unit=6, date=5, place=4)  # tiers, by the subject
_CODED = 0.9  # of the values of a place are codes of one length where they are cut to their first digits
_FEW_NUMBERS = 20  # up to which numbers are categories


def ladder_of(column: Column, subject: str, asked: bool, before: Steps = ()) -> list[Rung]:
    """Return the forms of a column from the finest, each with fewer values than the one before.

    Parameters
    ----------
    column : as read.
    subject : what it tells of a person: "age", "sex", "place", "date", "unit", or anything else.
    asked : whether a table that must come out names it; then it is left out last.
    before : steps that it has taken already, which no form undoes.
    """
    start, to = label_map(column, before)
    rungs = [Rung(0, before, to, start.m)]
    days = start.kind.is_date
    for tier, steps in _forms(start, subject):
        try:
            after, further = label_map(start, steps)
        except CannotGeneralise:
            continue
        # One value, or who has one at all, tells nothing; of days it is a form all the same, since days must not stay.
        if (np.count_nonzero(~after.missing) > 1 or days) and after.m < rungs[-1].m:
            rungs.append(Rung(tier, (*before, *steps), further[to], after.m))
    if days and len(rungs) > 1:  # days are widely known, so that months are the finest
        rungs = [replace(rungs[1], tier=0), *rungs[2:]]
    leaves = TIERS if asked else LEAVES_IN[subject]
    # What a later tier makes of it comes too late: the column has been left out by then.
    rungs = [rung for rung in rungs if rung.tier <= leaves]
    rungs.append(Rung(leaves, None, np.zeros(column.m, np.int32), 1))
    return rungs


def _forms(column: Column, subject: str) -> Iterator[tuple[int, Steps]]:
    # A rare third sex gave “male or other” where sexes could be joined, so they have no coarser form.
    if subject == "sex":
        return
    if column.kind.is_date:
        for tier, part in ((1, Part.MONTH), (2, Part.QUARTER), (3, Part.YEAR)):
            yield tier, (DatePart(part),)
    elif column.grain in ("month", "week", "quarter"):
        yield 3, (Prefix(length=4),)
    elif subject == "age":
        yield from _ages(column)
    elif subject == "place" and (length := _code_length(column)):
        for tier, digits in ((1, 3), (2, 2), (3, 1)):
            if digits < length:
                yield tier, (Prefix(length=digits),)
    elif subject == "unit":
        yield from _rare(column, ((_FEW_UNITS, 4),))
    elif column.kind.is_number and column.m > _FEW_NUMBERS:
        for tier, groups in ((1, 20), (2, 8)):
            with suppress(CannotGeneralise):
                yield tier, (by_width(column, round_width(column, groups)),)
    else:
        yield from _rare(column, _RARE_TIERS)


def _rare(column: Column, tiers: Sequence[tuple[int, int]]) -> Iterator[tuple[int, Steps]]:
    """Give rare values as one, where no frequent one has to join them: few who stand out are blanked instead."""
    counts = column.counts()[~column.missing]
    for least, tier in tiers:
        if counts[counts < least].sum() >= least:
            yield tier, (Rare(least),)


def _ages(column: Column) -> Iterator[tuple[int, Steps]]:
    """Give ages in years by cut points, ages in bands by joining these where they end next to the cut points."""
    if column.kind.is_number:
        values = column.values[np.isfinite(column.values)] if column.values is not None else np.zeros(0)
        if len(values) and quantiles(values, [0.5]) > 1_000:  # years of birth
            for tier, width in zip(_AGE_TIERS, (5, 10, 20, 30), strict=True):
                with suppress(CannotGeneralise):  # children are born within 20 years
                    yield tier, (by_width(column, width),)
            return
        year = 12.0 if len(values) and values.max() > _OLDEST else 1.0  # months
        for tier, cuts in zip(_AGE_TIERS, AGE_CUTS, strict=True):
            yield tier, (Intervals(tuple(year * cut for cut in cuts)),)
        return
    ends = interval_ends(column)
    if ends is not None:
        for tier, cuts in zip(_AGE_TIERS, AGE_CUTS, strict=True):
            if groups := _joined_bands(column, ends[0], cuts):
                yield tier, (groups,)
        return
    yield from _rare(column, _RARE_TIERS)


def _joined_bands(column: Column, low: NDArray[np.float64], cuts: Sequence[int]) -> Groups | None:
    """Return bands joined at those of their own ends that are next to the cut points."""
    begins = unique(low[np.isfinite(low)])
    if not len(begins):
        return None
    nearest = sorted({float(begins[np.argmin(np.abs(begins - cut))]) for cut in cuts} - {float(begins[0])})
    if np.isinf(low).any():
        nearest = sorted({*nearest, *([float(begins[0])] if min(cuts) <= begins[0] else [])})
    if not nearest:
        return None
    names = interval_labels(nearest, whole=whole_numbers(column) or all(cut == int(cut) for cut in nearest))
    known = np.flatnonzero(~column.missing & ~np.isnan(low))
    at = np.searchsorted(nearest, low[known], side="right")
    members = {names[group]: column.labels[known[at == group]].tolist() for group in unique(at).tolist()}
    return Groups.of(members) if members else None


def _code_length(column: Column) -> int:
    """Return of how many characters the codes of places are, 0 where the values are none."""
    labels = [str(label).strip() for label in column.labels[~column.missing].tolist()]
    if not labels or not sum(any(map(str.isdigit, label)) for label in labels) >= _CODED * len(labels):
        return 0
    lengths = np.bincount([len(label) for label in labels])
    return int(np.argmax(lengths)) if lengths.max() >= _CODED * len(labels) else 0
