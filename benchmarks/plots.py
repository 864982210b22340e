"""How long the figures behind the plan page take at each position of the slider.

    python -m benchmarks.plots

Both curves (T_f against T_E exact, by Chebyshev and as published at 150 points; probability of a larger error over the
first 60 counts) for every gamma from 2 to 50 and epsilon from 0.02 to 1: median of five runs each. The window has
16 ms for one redraw, drawing included. Then the table of values, the trade-off over all gammas and the recommendation
for a sensitive column of 1,500 values in a million records.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.guarantees import exact as guarantees
from splu_desktop.core.guarantees import planning
from splu_desktop.core.plan import Thresholds

GAMMAS = range(2, 51)
EPSILONS = ("0.02", "0.03", "0.05", "0.07", "0.1", "0.15", "0.2", "0.25", "0.3", "0.4", "0.5", "0.75", "0.99", "1")
SMALL_COUNTS = 60


def median_ms(work: Callable[[], object], runs: int = 5) -> float:
    """Return the median wall-clock time of `work` in milliseconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def both_curves(gamma: int, epsilon: str) -> None:
    """Compute what one redraw of the two plots shows."""
    guarantees.t_f_curve(gamma, epsilon)
    guarantees.small_count_curve(gamma, epsilon, SMALL_COUNTS)


def million_records() -> tuple[NDArray[np.int64], int]:
    """Return the counts of 1,500 values in about a million records, eligible up to gamma 50 or so."""
    share = 1 / np.arange(1, 1501) ** 1.1
    for _ in range(50):
        share = np.minimum(share / share.sum(), 1 / 52)
    counts = np.maximum(np.random.default_rng(3).multinomial(1_000_000, share / share.sum()), 1)
    return counts, int(counts.sum())


def main() -> None:
    """Print the medians per epsilon and the worst position of all."""
    both_curves(2, "0.5")
    print(f"both curves, {len(guarantees.T_E_GRID)} values of T_E, {SMALL_COUNTS} small counts; milliseconds")
    print("epsilon   median over gamma 2..50   worst gamma")
    worst = 0.0
    for epsilon in EPSILONS:
        times = np.array([median_ms(lambda g=gamma, e=epsilon: both_curves(g, e)) for gamma in GAMMAS])  # type: ignore[misc]
        print(f"{epsilon:>7}   {np.median(times):>23.2f}   {times.max():>11.2f}")
        worst = max(worst, float(times.max()))
    print(f"worst position: {worst:.2f} ms of 16 ms")

    counts, n = million_records()
    print(f"\n{len(counts)} values, {n:,} records, {len(np.unique(counts))} distinct counts; milliseconds")
    print("epsilon   values gamma 2   values gamma 50   trade-off   recommendation")
    for epsilon in (0.02, 0.1, 0.3, 1.0):
        asked = Thresholds(epsilon, 0.02, 3, 0.6)
        times = [
            median_ms(lambda t=asked: planning.plan_values(counts, n, 2, t)),  # type: ignore[misc]
            median_ms(lambda t=asked: planning.plan_values(counts, n, 50, t)),  # type: ignore[misc]
            median_ms(lambda t=asked: planning.trade_off(counts, n, t)),  # type: ignore[misc]
            median_ms(lambda t=asked: planning.recommend(counts, n, t)),  # type: ignore[misc]
        ]
        print(f"{epsilon:>7}   {times[0]:>14.2f}   {times[1]:>15.2f}   {times[2]:>9.2f}   {times[3]:>14.2f}")


if __name__ == "__main__":
    main()
