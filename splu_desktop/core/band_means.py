"""What stands for the numbers in an interval, so that averages of a column in intervals can be asked."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.interval_texts import interval_ends, whole_numbers
from splu_desktop.core.table import Column

ENOUGH = 250  # records of an interval whose mean is told: T_f at the usual thresholds
_STEPS = 20  # of an interval, to which its mean is rounded


def band_means(before: Column, after: Column, owner: NDArray[np.integer] | None = None) -> dict[str, float]:
    """Return band -> mean of the numbers in it, for bands of enough records, so coarsely that no person shows.

    Rounded to a twentieth of the band, an open one being as wide as the one beside it, or as its median is far from
    its end; numbers so far from the persons' median that one person's could move the mean by half of that count as the
    farthest that could not. (Two digits of the median were no measure: 3e-299 of many 0, and of years a century.)

    before, after : a column as read, and in bands; other columns have none.
    owner : (N,) the person of each record; None where each is one.
    """
    ends = interval_ends(after)
    if ends is None or not before.kind.is_number or before.values is None:
        return {}
    numbers = np.where(before.missing, np.nan, before.values)[before.codes]
    known = np.isfinite(numbers) & ~after.missing[after.codes]
    numbers, codes = numbers[known], after.codes[known]
    who = (np.arange(len(known)) if owner is None else owner)[known]
    times = np.ones(len(numbers), np.int64) if before.weights is None else before.weights[known]
    count = np.bincount(codes, times, minlength=after.m)
    low, top = _close_ends(ends)
    means = {}
    for at in np.flatnonzero(count >= ENOUGH).tolist():
        inside, often = numbers[codes == at], times[codes == at]
        rows = np.bincount(who[codes == at])[who[codes == at]]  # of the person of each
        middle = _median(inside, often / rows)
        least, most = float(low[at]), float(top[at])
        size = (max(most - least, most - middle, middle - least) or abs(middle)) / _STEPS
        if size == 0:
            continue  # 0 of all but negative numbers, most of them 0: nothing says how coarse is coarse enough
        arm = float(count[at]) * size / 2 / rows
        mean = float(np.average(np.clip(inside, middle - arm, middle + arm), weights=often))
        stated = round(mean / size) * size
        if math.isfinite(ends[1][at]):
            stated = min(stated, float(ends[1][at]) - size)  # rounded, it stays in its band
        stated = max(stated, float(ends[0][at]))
        means[str(after.labels[at])] = float(f"{stated:.6g}")
    return means


def _median(numbers: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Return the median of numbers by their weights."""
    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(weights[order])
    middle = [np.searchsorted(ends, ends[-1] / 2, side) for side in ("left", "right")]
    return float(numbers[order][middle].mean())


def typical(column: Column, means: Mapping[str, float]) -> NDArray[np.float64] | None:
    """Return (m,) what stands for the numbers of each interval; None for a column of none, NaN where missing.

    The mean where it is told, else the middle; an open interval is as wide as the one beside it, but ends at 0 below 5.
    """
    ends = interval_ends(column)
    if ends is None:
        return None
    low, top = _close_ends(ends)
    middle = (low + top - whole_numbers(column)) / 2  # 20 to 39 of whole numbers stays below 40
    centres = [means.get(str(label), np.nan) for label in column.labels]
    return np.where(np.isnan(centres), middle, centres)


def _close_ends(
    ends: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of intervals, those without one being as wide as the interval beside them."""
    low, top = ends[0].copy(), ends[1].copy()
    width = np.where(np.isfinite(top - low), top - low, np.nan)
    order = np.argsort(low, kind="stable")
    order = order[~np.isnan(low[order])]
    for at, beside in ((order[0], order[1:2]), (order[-1], order[-2:-1])):
        near = float(width[beside[0]]) if len(beside) and np.isfinite(width[beside[0]]) else 0.0
        if np.isinf(low[at]):
            low[at] = max(top[at] - near, 0.0 if top[at] > 0 else -np.inf)  # below 5 mg/l stands for no -2.5
        if np.isinf(top[at]):
            top[at] = low[at] + near
    return low, top
