"""95 % intervals of counts over sets of values of one SA, many questions at once.

As for single values (`reconstruct_interval.one_value`), the test of x takes f for the likeliest one if x is true: where
P is most of the table, nearly all of what is known about f is x itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from splu_desktop.core.reconstruct_interval import NORMAL_95, Indices, hull, likeliest, moments, shared
from splu_desktop.core.table import Flags
from splu_desktop.core.transition import Floats, Transition

_FAR = 6.0  # standard deviations beyond which the variance need not be known well
_NODES = 13  # counts between which the variance of a set is interpolated
_NEARLY = 0.95  # of the records that are the most a value may have
_LEAST = 1e-9  # a variance is not less, records squared
_AT_ONCE = 400_000  # counts of values looked at together


def intervals(
    centre: Floats, published: Floats, selected: Floats, codes: Sequence[Indices], through: Transition
) -> Floats:
    """Return (3, Q) lower ends, upper ends and variances of counts over sets of values.

    Parameters
    ----------
    centre : (Q,) the unbiased estimates.
    published : (Q,) records of P published with values of the set.
    selected : (Q,) N_P.
    codes : Q sets of values, all readable.
    """
    ends = np.zeros((3, len(codes)))
    sizes = np.array([len(one) for one in codes])
    for size in np.unique(sizes).tolist():
        alike = np.flatnonzero(sizes == size)
        step = max(1, _AT_ONCE // (size * (_NODES + 2)))
        for part in (alike[at : at + step] for at in range(0, len(alike), step)):
            seen = through.counts[np.array([codes[number] for number in part.tolist()])]
            there = replace(through, counts=seen)
            ends[:, part] = _alike(centre[part], published[part], selected[part], there)
    return ends


def _alike(centre: Floats, published: Floats, selected: Floats, there: Transition) -> Floats:
    """Return (3, Q) ends and variances for sets of k values each; `there` has their counts, (Q, k)."""
    a, n, seen = there.a, float(there.n), there.counts
    whole = seen.sum(axis=1)
    # The chance that a record of the set is published as one of its values.
    keep = a + there.b.sum(axis=1) - (seen * there.b).sum(axis=1) / np.maximum(whole, _LEAST)
    share = np.where(whole[:, None] > 0, seen / np.maximum(whole, _LEAST)[:, None], 1 / seen.shape[1])
    most = np.maximum(seen, _NEARLY * a * n)  # none has more records than its groups nearly allow

    def spread(x: Floats) -> Floats:
        """Return (Q, K) the variances of the estimates if the truth is x."""
        rest = selected[:, None] - x
        f = likeliest(x, rest, published[:, None], whole[:, None], keep[:, None], n)
        f = np.minimum(f, x + (n - selected)[:, None])
        then = replace(there, counts=np.minimum(share[:, None, :] * f[..., None], most[:, None, :]))
        within, without = moments(then, 2)
        together = shared(then, x, np.broadcast_to(selected[:, None], x.shape))
        return np.asarray(np.maximum(x * (within - 1) + rest * without + together, _LEAST))

    inside = np.clip(centre, 0.0, selected)
    variance = spread(inside[:, None])[:, 0]
    steps = inside[:, None] + np.linspace(-_FAR, _FAR, _NODES) * np.sqrt(variance)[:, None]
    steps = np.clip(steps, 0.0, selected[:, None])
    nodes = np.concatenate([np.zeros((len(centre), 1)), steps, selected[:, None]], axis=1)
    spreads = spread(nodes)

    def accepted(x: Floats) -> Flags:
        return np.asarray((centre[:, None] - x) ** 2 <= NORMAL_95**2 * _interpolated(x, nodes, spreads))

    low, high = hull(accepted, centre, None, np.sqrt(variance), selected)
    return np.stack([low, high, variance])


def _interpolated(x: Floats, nodes: Floats, values: Floats) -> Floats:
    """Return (Q, K) values at x between nodes, (Q, L) ascending, some of them the same."""
    rows = np.arange(len(x))[:, None]
    after = np.clip((x[..., None] >= nodes[:, None, :]).sum(axis=2), 1, nodes.shape[1] - 1)
    left, right = nodes[rows, after - 1], nodes[rows, after]
    way = np.clip((x - left) / np.maximum(right - left, 1e-300), 0.0, 1.0)
    return np.asarray(values[rows, after - 1] + way * (values[rows, after] - values[rows, after - 1]))
