"""Estimates as whole numbers, so that what is printed adds up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import SILENT, Progress

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_AT_ONCE = 4_096  # lines between two looks whether somebody wants to stop


def round_to_sums(estimate: Floats, sums: Sequence[Ints], progress: Progress = SILENT) -> Ints:
    """Return (K, Q) whole numbers whose every line adds up to the same as the estimates of that line.

    Line by line, of the values those get one more whose sums lag most behind, which keeps each sum within a few of its
    own estimate (a greedy minimum of all sums' squared errors; tests/report/test_book.py holds how near).

    Parameters
    ----------
    estimate : (K, Q) whose lines add up to whole numbers.
    sums : (K,) for each kind of sum, which one each line belongs to, from 0.
    """
    # A sum that is a hair below a whole number must not lose one by it.
    whole = np.floor(estimate + 1e-9)
    rest = estimate - whole
    more = np.rint(rest.sum(axis=1)).astype(np.int64)
    sizes = [int(each.max(initial=0)) + 1 for each in sums]
    places = np.stack([each + start for each, start in zip(sums, np.cumsum([0, *sizes]), strict=False)], axis=1)
    lag = np.zeros((sum(sizes), estimate.shape[1]))  # of each sum, by how much its whole numbers are behind
    for line, (place, many) in enumerate(zip(places, more.tolist(), strict=True)):
        if line % _AT_ONCE == 0:
            progress.report("Counting", line / len(places))
        line_rest = rest[line]
        if many:
            up = (lag[place].sum(axis=0) + len(place) * line_rest).argsort()[-many:]
            whole[line, up] += 1
            line_rest[up] -= 1
        lag[place] += line_rest
    return whole.astype(np.int64)
