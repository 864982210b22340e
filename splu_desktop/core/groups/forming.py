"""Decoy groups: eligibility, assignment and mixing (mechanism.md section 2, steps 2 and 3).

Groups come from (random id, sensitive value) alone and are a deterministic function of them; NSAs are never looked at.
The layout throughout is a matrix with one column per group, r columns and ceil(N / r) rows. Entry (j, g) is the j-th
record of group g. The last row is partly empty when r does not divide N; an empty place holds -1.

Groups of several sizes (mechanism.md section 5) are one such matrix for each size, in which a value may stand as often
as its tolerance lets it; plain groups are the one matrix in which each may stand once. Fake values beside those of the
records fill further rows; where `records` is -1 and `values` is not, there is a fake one (`fake_values`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadSetting, EmptyTable, Ineligible
from splu_desktop.core.groups import fakes as fake_values
from splu_desktop.core.groups.layout import Layout
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.table import Column

# Mixing is driven by the random ids: the partition must be a function of ids and sensitive values alone (the papers'
# zero-difference theorem), and different in every release, else the same values would share groups in all of them.
_IDS_THAT_DRIVE = 64
_LEAST_SWEEPS = 4
_MOST_SWEEPS = 60
_TURNS = 4  # of every place of the left groups in a sweep; reordering the groups costs five times an exchange of all
_EMPTY = -1

Values = NDArray[np.int8] | NDArray[np.int16] | NDArray[np.int32]
Parts = Sequence[tuple[NDArray[np.int32], Values]]  # records and values of the groups of each size


def largest_gamma(column: Column) -> int:
    """Return the largest gamma for which the column is eligible: floor(N / max f_s); 0 for an empty column.

    r = floor(N / gamma) groups hold each value at most once iff max f_s <= r iff gamma <= N / max f_s.
    """
    return column.n // int(column.counts().max()) if column.n else 0


def check_gamma(column: Column, gamma: int) -> None:
    """Raise BadSetting where a group would be larger than the table."""
    if gamma > column.n > 0:
        raise BadSetting(
            "The group size gamma of column “{column}” is {gamma}, but there are {records} records: nobody hides among "
            "more than there are. Choose at most {records}.",
            column=column.name,
            gamma=gamma,
            records=column.n,
        )


def check_eligible(column: Column, gamma: int) -> None:
    """Raise where no decoy groups of size `gamma` exist for the column.

    Raises
    ------
    EmptyTable, BadSetting (gamma below 2), Ineligible (a value fills more than 1/gamma of the records, as one must
    where gamma exceeds the number of values).
    """
    if column.n == 0:
        raise EmptyTable("Column “{column}” has no records, so there is nothing to publish.", column=column.name)
    if gamma < 2:
        raise BadSetting(
            "The group size gamma of column “{column}” is {gamma}; it must be 2 or more, since a "
            "group of one hides nothing.",
            column=column.name,
            gamma=gamma,
        )
    counts = column.counts()
    top = int(counts.argmax())
    if int(counts[top]) > column.n // gamma:
        raise Ineligible(
            column.name,
            str(column.labels[top]),
            int(counts[top]),
            column.n,
            gamma,
            int(np.count_nonzero(counts)),
            largest_gamma(column),
        )


def assign_tolerant(
    column: Column, ids: NDArray[np.int32], plan: Layout, *, progress: Progress = SILENT
) -> list[tuple[NDArray[np.int32], Values]]:
    """Form mixed groups of several sizes.

    Parameters
    ----------
    column : the SA, N records.
    ids : (N,) a permutation; ids[i] is the record with the i-th smallest random id.
    plan : how many records of each value go to groups of each size (`groups.layout.layout`, `GroupDraw.layout`).

    Returns
    -------
    records : for each size, (rows, r) int32, the record at each place of each group, -1 where empty; r groups of size
        floor(N / r) or one more, so rows = ceil(N / r).
    values : (rows, r) int8 to int32, the code of that record's value, -1 where empty. No code stands in a column more
        often than its cap.
    """
    progress.report("Forming groups", 0.0)
    shares, caps, fakes = plan.records, plan.caps, plan.fakes
    # Codes of 16 bits are sorted by radix, some ten times quicker; `take` gathers twice as fast as brackets do.
    codes = np.take(column.codes.astype(np.uint16) if column.m <= 1 << 16 else column.codes, ids)
    by_value = np.take(ids, np.argsort(codes, kind="stable"))
    # Each value's records, in the order of their ids, go to the sizes one after another.
    size = np.repeat(np.tile(np.arange(shares.shape[1]), column.m), shares.ravel()) if shares.shape[1] > 1 else None
    order = np.argsort(-column.counts(), kind="stable")  # the most frequent value is dealt first
    stream = np.random.Generator(np.random.PCG64(ids[:_IDS_THAT_DRIVE]))
    parts = []
    for j, groups in enumerate(plan.numbers.tolist()):
        line = np.repeat(order.astype(_narrow(column)), shares[order, j])
        values = fake_values.dealt(line, groups, fakes, caps[:, j], stream) if fakes else _dealt(line, groups)
        progress.report("Mixing groups", 0.0)
        limits = np.append(caps[:, j], 1).astype(np.uint8 if caps.max() < 256 else np.int64)  # last: the empty place
        distinct = bool((caps[:, j] <= 1).all())
        values = _mix(values, fakes, shares[:, j], None if distinct else limits, stream, progress)
        parts.append((_borne(values, fakes, by_value if size is None else by_value[size == j]), values))
    return parts


def confidence(parts: Parts, m: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return (m,) the largest share of each value in any group, and (m,) its most copies, fake values included.

    The share is how surely someone who knows the group's values links one of its records to the value.
    """
    most, often = np.zeros(m), np.zeros(m, np.int64)
    for _, values in parts:
        filled = values != _EMPTY
        sizes = filled.sum(axis=0)
        for row in range(len(values)):
            at = np.flatnonzero(filled[row])
            copies = (values[:, at] == values[row, at]).sum(axis=0)
            np.maximum.at(most, values[row, at], copies / sizes[at])
            np.maximum.at(often, values[row, at], copies)
    return most, often


def _dealt(line: NDArray[Any], groups: int) -> Values:
    """Deal a line of values in turn: value i goes to group i mod r (round robin; inferential_privacy.txt, 4.1)."""
    values = np.full(math.ceil(len(line) / groups) * groups, _EMPTY, line.dtype)
    values[: len(line)] = line
    return values.reshape(-1, groups)


def _borne(values: Values, fakes: int, by_value: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the record at each place: a value's records, which are in random order, go to its places one by one."""
    records = np.full(values.shape, _EMPTY, np.int32)
    places = np.argsort(values[: len(values) - fakes], axis=None, kind="stable")  # empty ones first
    records.ravel()[places[len(places) - len(by_value) :]] = by_value
    return records


def _narrow(column: Column) -> type[np.int8] | type[np.int16] | type[np.int32]:
    """Return the narrowest type for a column's codes: mixing compares them all the time; half the bytes take half."""
    return np.int8 if column.m <= 1 << 7 else np.int16 if column.m <= 1 << 15 else np.int32


def _mix(
    values: Values,
    fakes: int,
    counts: NDArray[np.int64],
    limits: NDArray[Any] | None,
    stream: np.random.Generator,
    progress: Progress,
) -> Values:
    """Exchange values between groups until nothing shows any more how they were dealt.

    A sweep reorders the groups at random and sets one half against the other. Then every place of the left groups is
    matched, in each of `_TURNS`, with a random place of the right groups: one half of the left groups, by a coin, meets
    a random run of the right ones, and two values change groups where neither group then holds one more often than
    `limits` says, (m + 1,) with the empty place last; None for once. (Runs do what coins for every pair would do, at
    half the cost, since neighbours are strangers after the reordering.) An exchange and its reverse are equally likely,
    so the uniform law over valid partitions is stationary. What is left of the dealt order halves with each
    pass over the places of which every exchange is allowed; `_LEAST_SWEEPS` of them would leave less than 1 %. Where
    values nearly fill the groups few are, and as many times more sweeps are made. They go on until the groups settle.
    Records' values change places with each other, the fake ones of the last `fakes` rows with fake ones.
    """
    rows, groups = values.shape
    if groups < 2 or rows < 2:
        return values
    score = _scores(counts)
    half, real = groups // 2, rows - fakes
    length = (half + 1) // 2
    lefts = [*range(rows)] * _TURNS
    # One call for all random numbers of a sweep: one for each took a sixth of the mixing of a small table.
    bounds = [(real if left < real else fakes, 2, half) for left in lefts]
    spread = 0.0
    exchanged = 0
    for sweep in range(_MOST_SWEEPS):
        # By radix, twice as quick as `permutation`; where two keys are equal, their groups keep an order as random.
        order = np.argsort(stream.integers(1 << 16, size=groups, dtype=np.uint16), kind="stable")
        values = values.take(order, axis=1)
        for left, (right, coin, shift) in zip(lefts, stream.integers(bounds).tolist(), strict=True):
            right += 0 if left < real else real
            start, end = coin * (half - length), half + shift
            step = min(length, half - shift)  # to the last of the right groups; then from the first
            exchanged += _exchange(values, left, right, start, end, step, limits)
            exchanged += _exchange(values, left, right, start + step, half, length - step, limits)
        least = min(round(_LEAST_SWEEPS * 2 * rows * half * (sweep + 1) / max(exchanged, 1)), _MOST_SWEEPS)
        progress.report("Mixing groups", min(1.0, (sweep + 1) / (least + 2)))
        if sweep + 2 < least:
            continue
        before, spread = spread, float(np.mean(score[values].sum(axis=0) ** 2))
        # The spread of r sums is known to a relative sqrt(2 / r); a change within that is no change.
        if sweep + 1 >= least and abs(spread - before) <= 2 * math.sqrt(2 / groups) * spread:
            break
    return values


def _scores(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a number per value, and 0 for the empty place behind them, whose sums over groups tell how mixed they are.

    The score is the middle of the value's stretch in the dealt order, centred. Dealt groups hold one record of every
    stretch, so their sums hardly differ; mixed groups differ as draws do.
    """
    order = np.argsort(-counts, kind="stable")
    middle = np.empty(len(counts))
    middle[order] = np.cumsum(counts[order]) - counts[order] / 2
    middle -= float(np.dot(middle, counts)) / float(counts.sum())
    return np.append(middle / float(counts.sum()), 0.0)


def _exchange(
    values: Values, left: int, right: int, ours_at: int, theirs_at: int, length: int, limits: NDArray[Any] | None
) -> int:
    """Exchange place `left` of so many groups with place `right` of others where allowed; returns how many."""
    if not length:
        return 0
    here, there = values[:, ours_at : ours_at + length], values[:, theirs_at : theirs_at + length]
    ours, theirs = here[left], there[right]
    if limits is None:
        met = there == ours
        met |= here == theirs
        allowed = ~np.logical_or.reduce(met)
    else:
        ours_there, theirs_here = (
            np.add.reduce((groups == value).view(np.uint8), dtype=limits.dtype)
            for value, groups in ((ours, there), (theirs, here))
        )
        allowed = (ours_there < limits[ours]) & (theirs_here < limits[theirs])
    change = (ours ^ theirs) * allowed.view(np.int8)
    ours ^= change
    theirs ^= change
    return int(np.count_nonzero(allowed))
