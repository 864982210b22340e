"""The default estimator: shrunk towards what the conditions say one by one.

`reconstruct.shrink` pulls the counts of a selection P towards independence of P and s. A release says more: each
condition of P alone selects far more records than P, so how it bends the distribution of s is known well. The target
here is the product of those bends,

    M_s ~ N_P f'_s / N * product over conditions i of lift_i(s),  lift_i = shrunk count under i alone / mu.

How far the truth strays from the target, E[(x - M)^2] = t M^2, differs between values and tables, so t is a mixture
over a fixed ladder (adaptive shrinkage, Stephens 2017). Its weights start from those of many other selections of one
release (empirical Bayes) and are refitted to the values of P itself. x and M share records: a part c of the error of x
is in M too, so only (1 - c) Var(x) tells them apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splu_desktop.core.reconstruct.counts import Counted, Rows, fit_spread, independent
from splu_desktop.core.transition.two_numbers import Floats

LADDER = np.array([0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0])
UNTAUGHT = (
    np.array([4.0, 3.0, 3.0, 2.0, 1.5, 1.0, 0.7, 0.4, 0.2, 0.1]) / 15.9
)  # where a release has nothing to learn from
_STRENGTH = 2.0  # the other selections weigh as much as two values of P that are known well
_ROUNDS = 8
_LEARNING_ROUNDS = 100
_TELLING = 0.1  # a value counts as known well where Var is small against this times M^2
_TELLS_LITTLE = 0.02
_SHARED_AT_MOST = 0.97
_LEAST_LIFT = 1e-3
_FEW = 20.0  # selected records of which the target never gives one value more than a group would


def lifts(rows: Rows, x: Floats, var: Floats, through: Counted) -> tuple[Floats, Floats]:
    """Return (Q, m) lifts of single conditions and the weight k their own counts have in them."""
    mu = independent(rows, through)
    t = fit_spread(x - mu, mu, var)
    spread = t * mu**2
    known = np.where(np.isfinite(var), var, np.inf)
    k = np.divide(spread, spread + known, out=np.zeros_like(x), where=spread > 0)
    straight = np.where(k > 0, x - mu, 0.0)
    total = np.maximum(rows.total, 0.0)[:, None]
    count = np.clip(mu + k * straight, _LEAST_LIFT * mu, np.maximum(total, _LEAST_LIFT * mu))
    count *= total / np.maximum(count.sum(axis=1, keepdims=True), 1e-300)
    lift = np.divide(count, mu, out=np.ones_like(count), where=mu > 0)
    return lift, k


def target(
    totals: Floats, bends: Sequence[Sequence[tuple[Floats, Floats, float]]], through: Counted, gamma: int | None = None
) -> tuple[Floats, Floats]:
    """Return (Q, m) targets M and the shared parts c.

    Parameters
    ----------
    totals : (Q,) selected records.
    bends : per selection, (lift, k, records selected) of each of its conditions; one condition or none bends nothing,
        since its own count is what is to be estimated.
    gamma : the group size, where a value stands in each group once.
    """
    base = through.counts / max(through.n, 1)
    aims = np.empty((len(totals), len(base)))
    shared = np.zeros_like(aims)
    for row, parts in enumerate(bends):
        shape = base
        if len(parts) > 1:
            apart = np.ones(len(base))
            for lift, k, selected in parts:
                shape = shape * lift
                apart *= 1 - min(totals[row] / max(selected, 1e-9), 1.0) * k
            shared[row] = np.minimum(1 - apart, _SHARED_AT_MOST)
        aims[row] = shape / max(float(shape.sum()), 1e-300) * max(totals[row], 0.0)
    if gamma is not None:
        # Among a few records it can't be surer of a value than its group was: counts this small are to stay unknown.
        most = np.maximum(totals, 0.0) / gamma + np.maximum(totals - _FEW, 0.0)
        aims = np.minimum(aims, most[:, None])
    return aims, shared


def _likelihoods(x: Floats, known: Floats, aims: Floats) -> tuple[Floats, Floats]:
    """Return (K, Q, m) likelihoods of each rung of the ladder, up to a factor per value, and its estimates."""
    squared = aims**2
    gap = x - aims
    logs = np.empty((len(LADDER), *x.shape))
    means = np.empty_like(logs)
    for rung, t in enumerate(LADDER):
        both = known + t * squared
        logs[rung] = -0.5 * (np.log(both) + gap**2 / both)
        means[rung] = aims + t * squared / both * gap
    logs -= logs.max(axis=0)
    return np.exp(logs), means


def learn(x: Floats, var: Floats, aims: Floats, shared: Floats, least: float = 0.0) -> Floats:
    """Return (K,) the weights of the ladder that many selections of one release have in common.

    Where they hold fewer than `least` values that are known well, `UNTAUGHT` stands in for the rest: from nothing,
    one would learn that every rung is as likely, and take noise of many times its target for the truth.
    """
    usable = np.isfinite(var) & (aims > 0)
    known = np.where(usable, np.maximum(var, 1e-9) * (1 - shared), 1.0)
    squared = _TELLING * aims**2
    telling = np.where(usable, squared / (known + squared), 0.0)
    # Counts that tell next to nothing are most of a long SA's; leaving them out changes the weights by as little.
    kept = telling > _TELLS_LITTLE
    telling = telling[kept]
    likely, _ = _likelihoods(x[kept], known[kept], aims[kept])
    weights = np.full(len(LADDER), 1 / len(LADDER))
    missing = max(least - float(telling.sum()), 0.0) * UNTAUGHT
    for _ in range(_LEARNING_ROUNDS):
        part = likely * weights[:, None]
        part /= part.sum(axis=0)
        weights = part @ telling + 1e-3 + missing
        weights /= weights.sum()
    return weights


def pool(rows: Rows, x: Floats, var: Floats, aims: Floats, shared: Floats, start: Floats) -> Floats:
    """Return (Q, m) estimates, cut to [0, N_P]. `start` is (Q, K), the weights learnt from other selections."""
    total = np.maximum(rows.total, 0.0)[:, None]
    usable = np.isfinite(var) & (aims > 0)
    known = np.where(usable, np.maximum(var, 1e-9) * (1 - shared), 1.0)
    likely, means = _likelihoods(np.where(usable, x, aims), known, aims)
    squared = _TELLING * aims**2
    telling = np.where(usable, squared / (known + squared), 0.0)
    prior = start.T[:, :, None]
    weights = prior
    for _ in range(_ROUNDS):
        part = likely * weights
        part /= part.sum(axis=0)
        weights = (part * telling).sum(axis=2, keepdims=True) + _STRENGTH * prior
        weights = weights / weights.sum(axis=0)
    part = likely * weights
    part /= part.sum(axis=0)
    result: Floats = np.clip((part * means).sum(axis=0), 0.0, total)
    return result
