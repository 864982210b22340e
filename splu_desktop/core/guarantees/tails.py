"""How improbable a published count is: the tails by which a release's own check judges it.

Ordinary counts are recognised as such by a bound, since SciPy takes as long to import as the whole check takes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ALARM = 1e-10  # per value and tail; columns have up to some thousand values, most of which can't reach it


def improbable(
    counts: NDArray[np.int64], low: NDArray[np.int64], high: NDArray[np.int64], size: int
) -> NDArray[np.bool_]:
    """Return where Pr[X <= count], X ~ Binomial(low, 1/size), or Pr[X >= count], X ~ Binomial(high, 1/size), alarms.

    `low` and `high` are multiples of `size`, so that the mean is a median and the tail that holds it at least 1/2. The
    other one is at least Pr[X = count], which is bounded from below. Where that settles it, as nearly always, SciPy
    is not needed.
    """
    found = counts > high
    below = (counts * size < low) & (_least_log_probability(counts, low, size) < np.log(ALARM))
    above = (counts * size > high) & ~found & (_least_log_probability(counts, high, size) < np.log(ALARM))
    if below.any() or above.any():
        from scipy.special import bdtr  # longer to load than a release takes without it

        found[below] |= bdtr(counts[below], low[below], 1 / size) < ALARM
        found[above] |= at_least(counts[above], high[above], 1 / size) < ALARM
    return found


def _least_log_probability(counts: NDArray[np.int64], trials: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    """Return a lower bound of ln Pr[X = count], X ~ Binomial(trials, 1/size), for 0 <= count <= trials.

    -n D(k/n || p) - ln(8 k (1 - k/n)) / 2 (Ash, Information Theory, 1965, lemma 4.7.1), exact at both ends.
    """
    n = np.maximum(trials, 1).astype(float)
    k = np.minimum(counts, n)
    rest = n - k
    with np.errstate(divide="ignore", invalid="ignore"):
        hits = np.where(k > 0, k * np.log(k * size / n), 0.0)
        misses = np.where(rest > 0, rest * np.log(rest * size / (n * (size - 1))), 0.0)
    spread = np.where((k > 0) & (rest > 0), 8 * k * rest / n, 1.0)
    return np.asarray(-hits - misses - np.log(spread) / 2)


def at_least(counts: NDArray[np.int64], trials: NDArray[np.int64], chance: float) -> NDArray[np.float64]:
    """Return Pr[X >= counts] for X ~ Binomial(trials, chance); 1 for a count of 0."""
    from scipy.special import bdtrc  # longer to load than a release takes without it

    return np.where(counts > 0, bdtrc(np.maximum(counts - 1, 0), trials, chance), 1.0)


def log_all_right(counts: NDArray[np.int64], gamma: int) -> float:
    """Return the logarithm of the probability that every count stays what it was, were they independent."""
    from scipy.special import gammaln, xlog1py, xlogy  # longer to load than a release takes without it

    trials = (gamma * counts).astype(float)
    return float(
        np.sum(
            gammaln(trials + 1)
            - gammaln(counts + 1.0)
            - gammaln(trials - counts + 1)
            + xlogy(counts, 1 / gamma)
            + xlog1py(trials - counts, -1 / gamma)
        )
    )
