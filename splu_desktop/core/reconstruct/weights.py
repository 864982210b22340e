"""Weights of records, and what of them the engine of queries needs in several places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.reconstruct import counts as reconstruct
from splu_desktop.core.reconstruct import pooled as reconstruct_pooled
from splu_desktop.core.reconstruct.counts import Rows
from splu_desktop.core.table import Column, Flags
from splu_desktop.core.transition.two_numbers import Floats, Transition

Indices = NDArray[np.intp]


def places(columns: Sequence[Column], picks: NDArray[np.int32]) -> Indices:
    """Return (N,) the row of `picks` that each record's codes are equal to, -1 for none."""
    # One table per column, from code to the set of rows it fits, as bits of a word: and-ing words finds the row. The
    # column that the fewest records fit goes first, and the others are asked of these alone.
    tables = []
    for at, column in enumerate(columns):
        words = np.zeros(column.m, np.uint64)
        np.bitwise_or.at(words, picks[:, at], np.uint64(1) << np.arange(len(picks), dtype=np.uint64))
        tables.append((int(column.counts()[words > 0].sum()), at, words))
    some: Indices = np.arange(columns[0].n)
    fits = np.full(len(some), ~np.uint64(0))
    for done, (_, at, words) in enumerate(sorted(tables, key=lambda each: each[:2])):
        codes = columns[at].codes
        if not done:
            some = np.flatnonzero((words > 0)[codes])
            fits = words[codes[some]]
            continue
        fits &= words[codes[some]]
        still = fits > 0
        some, fits = some[still], fits[still]
    place = np.full(columns[0].n, -1, np.intp)
    place[some] = np.log2(fits.astype(np.float64)).astype(np.intp)  # rows differ, so one bit is left, exactly
    return place


def lifts(rows: Rows, through: Transition) -> tuple[Floats, Floats]:
    x = reconstruct.unbiased(rows, through)
    return reconstruct_pooled.lifts(rows, x, reconstruct.variance(rows, x, through), through)


def weights_by_value(through: Transition) -> Floats:
    """Return (m, m) phi of each single value s (down) for each published value u (across); 0 for unreadable s."""
    gain = np.where(through.readable, 1.0 / np.where(through.readable, through.signal, 1.0), 0.0)
    return np.asarray(np.diag(gain) - (gain * through.b)[:, None])


def weighted(parts: Iterable[tuple[NDArray[np.integer[Any]], Floats]], through: Transition) -> Rows:
    """Return the counts of weighted records, given as (K,) codes and weights piece by piece."""
    y, squares = np.zeros((2, 1, len(through.counts)))
    for codes, weights in parts:
        y += np.bincount(codes, weights, y.shape[1])
        squares += np.bincount(codes, weights**2, y.shape[1])
    return Rows(y, squares, y.sum(axis=1), weighted=True)


def leaned(rows: Rows, chosen: Flags, through: Transition) -> float:
    """Return by how much a, b_s misjudge the count of a set in weighted rows, from their shrunk composition."""
    x = reconstruct.unbiased(rows, through)
    composition = reconstruct.shrink(rows, x, reconstruct.variance(rows, x, through), through)[0]
    whole = float(composition.sum())
    if whole <= 0:
        return 0.0
    composition = composition * (max(float(rows.total[0]), 0.0) / whole)
    return float(composition @ through.leaning(chosen))


def side(chosen: Flags, through: Transition) -> tuple[Indices, bool]:
    """Return the codes to count, and whether they are those *not* chosen: the smaller side of the table tells more."""
    turned = float(through.counts[chosen].sum()) > through.n / 2 and not chosen.all()
    return np.flatnonzero(~chosen if turned else chosen), turned
