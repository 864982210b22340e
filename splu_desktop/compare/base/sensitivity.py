"""The most questions that one record of the domain can meet, by branch and bound: the sensitivity of all their counts.

Adding or removing a record moves each count that it meets by one, so noise of Lap(sensitivity / epsilon) on every count
keeps epsilon for all of them together. A record is a label of each column and a value. Bound of a part of the domain
in which some labels are settled: a selection with c conditions left open gives 1/c of its weight to each, and of every
open column the best label counts. A search that takes too long returns its bound, which is never too small.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from splu_desktop.compare.base.source import Flags, Floats

_MOST_PARTS = 4_000
_ROUNDING = 1e-9


def most_met(flags: Sequence[Flags], weights: Floats) -> int:
    """Return the largest sum of weights of the selections that one combination of labels and a value meets.

    Parameters
    ----------
    flags : for each column (P, m_j), the labels that each selection takes.
    weights : (P, m) questions that each selection asks of each value.
    """
    if not weights.size:
        return 0
    # Labels that the same selections take are one; columns without conditions decide nothing.
    merged = [np.unique(each, axis=1) for each in flags]
    columns: list[Floats] = [each.astype(np.float64) for each in merged if each.shape[1] > 1]
    has = [np.asarray((each == 0).any(axis=1), np.float64) for each in columns]  # the selections with a condition
    values = np.unique(weights, axis=1).T
    bounds = [_bound(columns, has, each, frozenset()) for each in values]
    best = 0
    for at in np.argsort(bounds)[::-1]:
        if bounds[at] <= best:
            break
        best = max(best, _search(columns, has, values[at], best))
    return best


def _bound(columns: Sequence[Floats], has: Sequence[Floats], weights: Floats, settled: frozenset[int]) -> int:
    opened = [at for at in range(len(columns)) if at not in settled]
    conditions = np.sum([has[at] for at in opened], axis=0) if opened else np.zeros(len(weights))
    bound = float(weights[conditions == 0].sum())
    part = weights / np.maximum(conditions, 1)
    for at in opened:
        bound += float(((part * has[at]) @ columns[at]).max())
    return int(bound + _ROUNDING)


def _search(columns: Sequence[Floats], has: Sequence[Floats], weights: Floats, best: int) -> int:
    nothing: frozenset[int] = frozenset()
    heap = [(-_bound(columns, has, weights, nothing), 0, weights, nothing)]
    number = 0
    while heap:
        bound, _, left, settled = heapq.heappop(heap)
        if -bound <= best:
            break
        if number > _MOST_PARTS:
            return -bound
        opened = [at for at in range(len(columns)) if at not in settled]
        # The column that most weight hangs on is settled next.
        by_column = {at: float(left @ has[at]) for at in opened}
        column = max(opened, key=by_column.__getitem__, default=None)
        if column is None or by_column[column] == 0:
            best = max(best, int(left.sum() + _ROUNDING))
            continue
        for label in columns[column].T:
            number += 1
            kept = left * label
            inside = settled | {column}
            if (reached := _bound(columns, has, kept, inside)) > best:
                heapq.heappush(heap, (-reached, number, kept, inside))
    return best
