"""Which group sizes a sensitive column gets, given its tolerances.

The papers minimise the loss, sum of (size - 1)^2. That alone can leave the transition matrix T nearly singular: with
tolerances 1 / 0.5 / 0.3 it puts every record of the harmless value beside sensitive ones, and counts can hardly be read
any more. So the sizes that the two searches find are only candidates. Of all settings over them with shares on a coarse
grid that meet the tolerances, this takes those that keep at least KEPT of the best signal a - b of the commonest value,
and of these the one with the least geometric mean variance of the inverse of T (ties: the least loss). Records of a
value with tolerance 1 that no group needs then stay in groups of one.

Sizes and shares are published, so they are chosen from counts rounded up to whole blocks of BLOCK records: all small
counts lead to the same choice (docs/decisions/tolerances.md).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import EmptyTable
from splu_desktop.core.groups.law import NoLaw
from splu_desktop.core.groups.layout import Limits, caps_of, fits, layout
from splu_desktop.core.groups.mixed import MixedGroups
from splu_desktop.core.groups.multi_size import many_sizes
from splu_desktop.core.groups.search import two_sizes
from splu_desktop.core.groups.sized import SizedGroups, check_fakes
from splu_desktop.core.groups.tolerances import (
    NOT_SENSITIVE,
    Infeasible,
    Tolerances,
    caps,
    check_feasible,
    decimal_above,
    most_share,
    nearest_feasible,
)
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.table import Column
from splu_desktop.frozen import dataclass

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BLOCK = 10  # records; smaller in tables where blocks would make up more than a twentieth
KEPT = 0.9  # of the best signal of the commonest value
LARGEST_SIZE = 100
_POOL = 5  # sizes combined with one another
_LUMPED = 8  # values rated by themselves; the rarer ones of a tolerance together
_STEPS = (10, 20, 40, 80, 200)  # shares are whole multiples of one of these parts, the coarsest that fits
_SINGULAR = 1e-9
_REMEMBERED = 64  # searches: plan, trial and publish ask for the same sizes, and so does each step of a slider
_FOUND: dict[tuple[bytes, Limits, int], Rating | None] = {}


@dataclass(frozen=True)
class Rating:
    """How good a grouping is.

    Attributes
    ----------
    grouping : the sizes and shares.
    signal : a - b of the commonest value.
    variance : geometric mean over the values of the variance of an estimate per record of the value; inf if singular.
    condition : the smallest eigenvalue of T.
    mse : the papers' loss / (N - 1).
    """

    grouping: SizedGroups
    signal: float
    variance: float
    condition: float
    mse: float


def design(column: Column, tolerances: Tolerances, *, fakes: int = 0, progress: Progress = SILENT) -> Rating:
    """Return the group sizes for a column, with `fakes` fake values in each group.

    Raises EmptyTable, BadSetting; Infeasible where no sizes meet the tolerances.
    """
    check_fakes(fakes)
    if column.n == 0:
        raise EmptyTable("Column “{column}” has no records, so there is nothing to publish.", column=column.name)
    check_feasible(column, tolerances, fakes)
    counts, limits = column.counts(), tolerances.of(column)
    found = _designed(in_blocks(counts), limits, tolerances, fakes, progress)
    if found is None or layout(counts, limits, found.grouping) is None:
        # Tolerances so tight that blocks do not fit: the counts themselves have to decide.
        found = _designed(counts, limits, tolerances, fakes, progress)
    if found is None or layout(counts, limits, found.grouping) is None:
        raise Infeasible(
            "No group sizes up to {largest_size} meet the tolerances of column “{column}” together, "
            "though each alone could be kept; raise the smallest ones, {limits:g} first.",
            largest_size=LARGEST_SIZE,
            column=column.name,
            limits=float(min(limits)),
        )
    return rate(counts, limits, found.grouping) or found


def workable(column: Column, tolerances: Tolerances, *, fakes: int = 0, progress: Progress = SILENT) -> Tolerances:
    """Return the tolerances, raised where they can't be kept, by no more than it takes.

    Values whose share demands more get it (Lemma 3.7). Where no group sizes serve all together even then, those with
    little room are raised towards one and a half times, or three times, their share: by the least part of the way that
    serves, to a sixteenth. Raises EmptyTable, Cancelled.
    """
    least = nearest_feasible(column, tolerances, fakes)
    shares = {str(label): Fraction(int(n), column.n) for label, n in zip(column.labels, column.counts(), strict=True)}

    def serves(tried: Tolerances) -> bool:
        try:
            design(column, tried, fakes=fakes, progress=progress)
        except Infeasible:
            return False
        return True

    if serves(least):
        return least
    for room in (Fraction(3, 2), Fraction(3)):
        way = {label: _roomy(shares[label] * room, limit, fakes) for label, limit in least.limits.items()}

        def part(sixteenths: int, way: dict[str, Fraction] = way) -> Tolerances:
            raised = {
                label: limit
                if way[label] <= limit
                else Fraction(decimal_above(limit + (way[label] - limit) * Fraction(sixteenths, 16)))
                for label, limit in least.limits.items()
            }
            return nearest_feasible(column, Tolerances(raised), fakes)

        low, high = 0, 16
        if not serves(part(high)):
            continue
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if serves(part(middle)) else (middle, high)
        return part(high)
    return Tolerances(dict.fromkeys(least.limits, NOT_SENSITIVE))


def _roomy(wanted: Fraction, limit: Fraction, fakes: int) -> Fraction:
    """Return the least tolerance that a value of this wanted share could have, at least `limit`."""
    if not wanted or most_share(limit, fakes) >= wanted:
        return limit
    if not fakes:
        return min(wanted, NOT_SENSITIVE)
    whole = int(1 / wanted)
    return NOT_SENSITIVE if whole < 1 + fakes else Fraction(1, whole)


def chosen_from_blocks(column: Column, grouping: SizedGroups) -> bool:
    """Return whether sizes and shares follow from counts in whole blocks, so that they tell nothing of small counts."""
    blocks = in_blocks(column.counts())
    return fits(blocks, caps_of(grouping.tolerances.of(column), grouping.sizes, grouping.fakes), grouping)


def in_blocks(counts: Ints) -> Ints:
    """Return counts rounded up to whole blocks, as the choice of sizes sees them."""
    block = block_of(int(counts.sum()), int(np.count_nonzero(counts)))
    return np.asarray(-(-counts // block) * block, np.int64)


def block_of(records: int, values: int) -> int:
    """Return the records of a block: ten, fewer in a table of less than 200 records for each value."""
    return next(size for size in (BLOCK, 5, 2, 1) if size == 1 or 20 * values * size <= records)


def _designed(counts: Ints, limits: Limits, tolerances: Tolerances, fakes: int, progress: Progress) -> Rating | None:
    """Return the best rating found, None where no sizes meet the tolerances; what was found lately is known."""
    key = (counts.tobytes(), limits, fakes)
    if key in _FOUND:
        found = _FOUND[key]
    else:
        found = _FOUND[key] = _searched(counts, limits, tolerances, fakes, progress)
        if len(_FOUND) > _REMEMBERED:
            _FOUND.pop(next(iter(list(_FOUND))), None)
    return found and replace(found, grouping=replace(found.grouping, tolerances=tolerances))


def _searched(counts: Ints, limits: Limits, tolerances: Tolerances, fakes: int, progress: Progress) -> Rating | None:
    pool = _pool(counts, limits, fakes, progress)
    for parts in _STEPS:
        rated = _rate_all(counts, limits, tolerances, pool, parts, fakes, progress)
        if not rated:
            continue
        for finer in (parts, 2 * parts, 4 * parts, 4 * parts):
            rated += _rated(counts, limits, list(_around(_best(rated).grouping, finer)))
        return _best(rated)
    return None


def one_size(column: Column, tolerances: Tolerances, fakes: int = 0) -> Rating | None:
    """Return the smallest single group size that meets the tolerances, for comparison; None up to LARGEST_SIZE."""
    counts, limits = column.counts(), tolerances.of(column)
    for size in range(max(1, math.ceil(1 / min(limits)) - fakes), min(LARGEST_SIZE, column.n) + 1):
        rating = rate(counts, limits, SizedGroups((size,), (Fraction(1),), tolerances, fakes))
        if rating is not None:
            return rating
    return None


def rate(counts: Ints, limits: Limits, grouping: SizedGroups) -> Rating | None:
    """Return how good a grouping is, None where it does not meet the tolerances."""
    return next(iter(_rated(counts, limits, [grouping])), None)


def _rated(counts: Ints, limits: Limits, groupings: Sequence[SizedGroups]) -> list[Rating]:
    """Return how good those of some groupings of the same sizes are that meet the tolerances.

    The rarer values of each tolerance are rated together: what they have in common is what they differ in from others.
    """
    if not groupings:
        return []
    most = caps_of(limits, groupings[0].sizes, groupings[0].fakes)
    lumped = _lumped(counts, limits, most, groupings[0])
    found = (_rating(counts, *lumped, each) for each in groupings if fits(counts, most, each))
    return [rating for rating in found if rating is not None]


def _rating(counts: Ints, held: Floats, caps_held: Ints, grouping: SizedGroups) -> Rating | None:
    total = int(counts.sum())
    try:
        groups = MixedGroups.of(held, caps_held, grouping)
    except NoLaw:  # sizes whose law nobody can compute are not offered
        return None
    if not groups.fits:
        return None
    share, matrix = held / total, groups.matrix
    root = np.sqrt(share)
    even = root[:, None] * matrix / root
    smallest = float(np.linalg.eigvalsh((even + even.T) / 2)[0])
    variance = math.inf
    if smallest > _SINGULAR:
        spread = np.maximum(share @ (matrix @ np.linalg.inv(matrix) ** 2) / share - 1, 0.0)
        variance = float(np.exp(np.log(spread + 1e-3).mean()))
    top = int(held.argmax())
    keep = float(matrix[top, top])
    come = float((share @ matrix[:, top] - share[top] * keep) / (1 - share[top])) if share[top] < 1 else 0.0
    loss = sum(
        float(n) * (s - 1 + grouping.fakes) ** 2 for n, s in zip(grouping.numbers(total), grouping.sizes, strict=True)
    )
    return Rating(grouping, keep - come, variance, smallest, loss / max(total - 1, 1))


def _lumped(counts: Ints, limits: Limits, most: Ints, grouping: SizedGroups) -> tuple[Floats, Ints]:
    """Return counts and caps of the most frequent values, and of the rarer ones of each tolerance together."""
    order = [value for value in np.argsort(-counts, kind="stable").tolist() if counts[value]]
    rest: dict[Fraction, list[int]] = {}
    for value in order[_LUMPED:]:
        rest.setdefault(limits[value], []).append(value)
    lumps = [[value] for value in order[:_LUMPED]] + list(rest.values())
    held = np.array([float(counts[lump].sum()) for lump in lumps])
    room = 2 * np.array(grouping.sizes) + grouping.fakes  # more than any group holds
    return held, np.array([np.minimum(most[lump].sum(axis=0), room) for lump in lumps])


def _pool(counts: Ints, limits: Limits, fakes: int, progress: Progress) -> list[int]:
    """Return the sizes worth combining.

    The least possible; the first three at which the strictest and the tightest value (largest f_i / f'_i) may stand
    once, twice, three times, since more room than needed is what lets groups differ; those of the papers' searches.
    With fake values, sizes with them are looked for, as if all values were records'.
    """
    total = int(counts.sum())
    used = [(limit, Fraction(int(count), total)) for limit, count in zip(limits, counts, strict=True) if count]
    least = max(math.ceil(1 / max(limit for limit, _ in used)), 1 + fakes)
    strict = min(limit for limit, _ in used)
    tight = max(used, key=lambda pair: pair[1] / pair[0])[0]
    most = max(min(2 * math.ceil(1 / strict), LARGEST_SIZE, total), least)

    def caps_at(size: int) -> Ints:
        return caps(limits, size - fakes, fakes)

    pool = [least, math.ceil(1 / strict), math.ceil(1 / tight)]
    two = two_sizes(counts, caps_at, least, most, progress=progress)
    pool += [bucket.size for bucket in two or ()]
    pool += [math.ceil(2 / tight), math.ceil(3 / tight)]
    if two is not None and most <= 24:
        found = many_sizes(counts, caps_at, least, most, progress=progress) or ()
        pool += [bucket.size for bucket, _ in sorted(found, key=lambda part: -part[0].records)]
    pool = [size for size in dict.fromkeys(pool) if least <= size <= min(LARGEST_SIZE, total)]
    return sorted(size - fakes for size in ({*pool[:_POOL], most} if two is None else set(pool[:_POOL])))


def _rate_all(
    counts: Ints,
    limits: Limits,
    tolerances: Tolerances,
    pool: list[int],
    parts: int,
    fakes: int,
    progress: Progress,
) -> list[Rating]:
    rated = []
    sets = [sizes for q in (1, 2, 3) for sizes in itertools.combinations(pool, q)]
    for done, sizes in enumerate(sets):
        progress.report("Choosing group sizes", done / len(sets))
        shares = _grid(len(sizes), parts if len(sizes) < 3 else min(parts, 10))
        rated += _rated(counts, limits, [SizedGroups(sizes, each, tolerances, fakes) for each in shares])
    return rated


def _grid(q: int, parts: int) -> Iterator[tuple[Fraction, ...]]:
    """Yield all shares of q sizes in whole parts, none of them 0."""
    for cuts in itertools.combinations(range(1, parts), q - 1):
        edges = (0, *cuts, parts)
        yield tuple(Fraction(b - a, parts) for a, b in itertools.pairwise(edges))


def _around(grouping: SizedGroups, parts: int) -> Iterator[SizedGroups]:
    """Yield the groupings one step away: one part moved from one size to another."""
    step = Fraction(1, parts)
    for source, target in itertools.permutations(range(len(grouping.sizes)), 2):
        shares = list(grouping.shares)
        shares[source] -= step
        shares[target] += step
        if shares[source] > 0:
            yield replace(grouping, shares=tuple(shares))


def _best(rated: list[Rating]) -> Rating:
    most = max(rating.signal for rating in rated)
    kept = [rating for rating in rated if rating.signal >= KEPT * most] or rated
    return min(kept, key=lambda rating: (round(math.log(rating.variance), 2), rating.mse))
