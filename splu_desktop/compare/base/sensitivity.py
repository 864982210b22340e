"""The most questions that one record of the domain can meet, by branch and bound: the sensitivity of all their counts.

Adding or removing a record moves each count that it meets by one, so noise of Lap(sensitivity / epsilon) on every count
keeps epsilon for all of them together. A record is a label of each column, the sensitive one among them. Bound of a
part of the domain in which some labels are settled: a question with c conditions left open gives 1/c to each, and of
every open column the best label counts. A search that takes too long returns its bound, which is never too small.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from splu_desktop.compare.base.source import Flags, Floats, Ints

_MOST_PARTS = 4_000
_ROUNDING = 1e-9


def most_met(flags: Sequence[Flags]) -> int:
    """Return how many questions one combination of labels meets at most; flags: of each column (Q, m_j) what they take.

    By parts of the domain with the largest bound first, so that the first part without open conditions is the answer.
    """
    # Labels that the same questions take are one; columns without conditions decide nothing.
    columns = [each for each in (np.unique(each, axis=1) for each in flags) if each.shape[1] > 1]
    has: Floats = np.stack([~each.all(axis=1) for each in columns], axis=1).astype(float)  # (Q, columns)
    labels = [each.astype(np.float64) for each in columns]

    def bound(asked: Ints, opened: list[int]) -> int:
        conditions = has[asked][:, opened].sum(axis=1)
        best = [((has[asked, at] / np.maximum(conditions, 1)) @ labels[at][asked]).max() for at in opened]
        return int((conditions == 0).sum() + sum(best) + _ROUNDING)

    everything, opened = np.arange(len(has)), list(range(len(columns)))
    heap, number = [(-bound(everything, opened), 0, everything, opened)], 0
    while True:
        least, _, asked, opened = heapq.heappop(heap)
        if number > _MOST_PARTS or not has[asked][:, opened].any():
            return -least
        column = max(opened, key=lambda at: has[asked, at].sum())  # on which most hangs
        opened = [at for at in opened if at != column]
        for label in columns[column].T:
            number, kept = number + 1, asked[label[asked]]
            heapq.heappush(heap, (-bound(kept, opened), number, kept, opened))
