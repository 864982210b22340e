"""T_P and T_f of any system: how surely counts of the whole table are wrong where small, and right where large."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.base.system import System
from splu_desktop.core.mechanism.probabilities import binomial
from splu_desktop.core.thresholds import Thresholds

_FAR = 9.0  # standard deviations beyond which a law is cut
_TIE = 1e-9


def error_chance(system: System, source: TrueTable, count: int, epsilon: float, *, equal: bool = False) -> float:
    """Return P(|answer - f| > epsilon f), or >= with `equal`."""
    answers, chance = system.count_law(source, count)
    off, edge = np.abs(answers - count) - epsilon * count, _TIE * count
    return float(chance[(off >= -edge) if equal else (off > edge)].sum())


def t_p(system: System, source: TrueTable, thresholds: Thresholds) -> float:
    """Return min over f = 1..alpha of P(|answer - f| > epsilon f): small counts are wrong at least so often."""
    return min(error_chance(system, source, f, thresholds.epsilon) for f in range(1, thresholds.alpha + 1))


def t_f(system: System, source: TrueTable, thresholds: Thresholds) -> int | None:
    """Return the least count from which answers err by epsilon or more with at most T_E; None up to N.

    By bisection over counts, each judged with some a little larger, since the error falls as a saw does.
    """

    def good(count: int) -> bool:
        some = {min(round(count * step), source.n) for step in (1, 1.02, 1.05, 1.1)} | {count + 1, count + 2}
        chances = (error_chance(system, source, f, thresholds.epsilon, equal=True) for f in some if f <= source.n)
        return all(chance <= thresholds.t_e for chance in chances)

    low, high = 0, 1
    while not good(high):
        if high == source.n:
            return None
        low, high = high, min(2 * high, source.n)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if good(middle) else (middle, high)
    return high


def binomials(parts: Sequence[tuple[int, float]]) -> tuple[Floats, Floats]:
    """Return the values and chances of a sum of independent binomial numbers (n, p)."""
    first, law = 0, np.ones(1)
    for n, p in parts:
        arm = _FAR * np.sqrt(max(n * p * (1 - p), 0)) + 12
        low, high = max(int(n * p - arm), 0), min(int(n * p + arm) + 1, n)
        law = np.convolve(law, binomial(np.arange(low, high + 1), n, p))
        first += low
    return first + np.arange(len(law)).astype(np.float64), law
