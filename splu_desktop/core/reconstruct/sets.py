"""95 % intervals of counts over sets of values of one SA, many questions at once.

As for single values (`reconstruct_interval.one_value`), the test of x takes f for the likeliest one if x is true: where
P is most of the table, nearly all of what is known about f is x itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from splu_desktop.core.reconstruct.interval import Indices, hull, likeliest, moments, shared
from splu_desktop.core.table import Flags, unique
from splu_desktop.core.thresholds import NORMAL_95
from splu_desktop.core.transition.two_numbers import Floats, Transition

_FAR = 6.0  # standard deviations beyond which the variance need not be known well
_NODES = 13  # counts between which the variance of a set is interpolated
_NEARLY = 0.95  # of the records that are the most a value may have
_FAINT = 0.2  # of a, a signal that hardly shows: the value has more than four fifths of the records it may have
_MORE = 1.1  # times the variance by two numbers from which that by the whole matrix counts
_LEAST = 1e-9  # a variance is not less, records squared
_AT_ONCE = 400_000  # counts of values looked at together


def intervals(
    centre: Floats,
    published: Floats,
    selected: Floats,
    codes: Sequence[Indices],
    through: Transition,
    known: tuple[Floats, Floats, Floats] | None = None,
) -> Floats:
    """Return (3, Q) lower ends, upper ends and variances of counts over sets of values.

    Parameters
    ----------
    centre : (Q,) the unbiased estimates.
    published : (Q,) records of P published with values of the set.
    selected : (Q,) N_P.
    codes : Q sets of values, all readable.
    known : (Q,) likely counts, the variances that the whole matrix gives them, infinite where it can't, and its
        unbiased estimates. Two numbers a, b_s leave a little out of every value's variance, which adds up over a set.
    """
    ends = np.zeros((3, len(codes)))
    sizes = np.array([len(one) for one in codes])
    for size in unique(sizes).tolist():
        alike = np.flatnonzero(sizes == size)
        step = max(1, _AT_ONCE // (size * (_NODES + 2)))
        for part in (alike[at : at + step] for at in range(0, len(alike), step)):
            seen = through.counts[np.array([codes[number] for number in part.tolist()])]
            there = replace(through, counts=seen)
            better = None if known is None else (known[0][part], known[1][part], known[2][part])
            ends[:, part] = _alike(centre[part], published[part], selected[part], there, better)
    return ends


def _alike(
    centre: Floats,
    published: Floats,
    selected: Floats,
    there: Transition,
    known: tuple[Floats, Floats, Floats] | None,
) -> Floats:
    """Return (3, Q) ends and variances for sets of k values each; `there` has their counts, (Q, k)."""
    a, n, seen = there.a, float(there.n), there.counts
    whole = seen.sum(axis=1)
    keep = _kept(there)
    share = np.where(whole[:, None] > 0, seen / np.maximum(whole, _LEAST)[:, None], 1 / seen.shape[1])
    most = np.maximum(seen, _NEARLY * a * n)  # none has more records than its groups nearly allow

    def by_two_numbers(x: Floats) -> Floats:
        """Return (Q, K) the variances of the estimates if the truth is x."""
        rest = selected[:, None] - x
        f = likeliest(x, rest, published[:, None], whole[:, None], keep[:, None], n)
        f = np.minimum(f, x + (n - selected)[:, None])
        then = replace(there, counts=np.minimum(share[:, None, :] * f[..., None], most[:, None, :]))
        within, without = moments(then, 2)
        together = shared(then, x, np.broadcast_to(selected[:, None], x.shape))
        found = x * (within - 1) + rest * without + together
        # Of the whole table y is f': its variance is how many records of the set are published outside it.
        all_of_it = np.broadcast_to(selected[:, None] >= n, x.shape)
        found[all_of_it] = (x * (1 - _kept(then)))[all_of_it]
        return np.asarray(np.maximum(found, _LEAST))

    more = np.ones(len(centre))
    if known is not None:
        likely = np.clip(known[0], 0.0, selected)
        more = np.where(np.isfinite(known[1]), known[1], 0.0) / by_two_numbers(likely[:, None])[:, 0]
        centre, more = np.where(more > _MORE, (known[2], more), (centre, np.ones(len(centre))))

    def spread(x: Floats) -> Floats:
        return more[:, None] * by_two_numbers(x)

    inside = np.clip(centre, 0.0, selected)
    variance = spread(inside[:, None])[:, 0]
    # Beyond what can be, an estimate says "all of them" as surely as it is known, not more surely; and "none" where a
    # value of the set hardly shows, since of such a one the variance itself is badly known.
    arm = NORMAL_95 * np.sqrt(variance)
    faint = (there.signal < _FAINT * a).any(axis=1)
    centre = np.where(centre - selected > arm, selected, np.where(faint & (centre < -arm), 0.0, centre))
    steps = inside[:, None] + np.linspace(-_FAR, _FAR, _NODES) * np.sqrt(variance)[:, None]
    steps = np.clip(steps, 0.0, selected[:, None])
    nodes = np.concatenate([np.zeros((len(centre), 1)), steps, selected[:, None]], axis=1)
    spreads = spread(nodes)

    def accepted(x: Floats) -> Flags:
        return np.asarray((centre[:, None] - x) ** 2 <= NORMAL_95**2 * _interpolated(x, nodes, spreads))

    low, high = hull(accepted, centre, None, np.sqrt(variance), selected)
    return np.stack([low, high, variance])


def _kept(there: Transition) -> Floats:
    """Return (...) the chance that a record of a set is published as one of its values; `there` has counts (..., k)."""
    f, b = there.counts, there.b
    return np.asarray(there.a + b.sum(axis=-1) - (f * b).sum(axis=-1) / np.maximum(f.sum(axis=-1), _LEAST))


def _interpolated(x: Floats, nodes: Floats, values: Floats) -> Floats:
    """Return (Q, K) values at x between nodes, (Q, L) ascending, some of them the same."""
    rows = np.arange(len(x))[:, None]
    after = np.clip((x[..., None] >= nodes[:, None, :]).sum(axis=2), 1, nodes.shape[1] - 1)
    left, right = nodes[rows, after - 1], nodes[rows, after]
    way = np.clip((x - left) / np.maximum(right - left, 1e-300), 0.0, 1.0)
    return np.asarray(values[rows, after - 1] + way * (values[rows, after] - values[rows, after - 1]))
