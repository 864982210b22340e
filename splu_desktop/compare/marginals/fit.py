"""The distribution of largest entropy with given marginals, by iterative proportional fitting (Deming, Stephan 1940).

Over the cells of a small domain, an axis per column, the sensitive one last: from the uniform one, the cells of each
entry are scaled by what it should hold over what they hold, until all hold (Csiszar 1975: the information projection).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from splu_desktop.compare.base import Floats, Impossible, Ints
from splu_desktop.compare.generalise.conditions import RecursiveDiversity
from splu_desktop.compare.generalise.mondrian import ASKS_TOO_MUCH
from splu_desktop.core.progress import Progress

Axes = tuple[int, ...]  # the columns of a marginal, rising
_ROUNDS = 500
_CLOSE = 1e-6  # of all records, by which entries may be off
_PAIRS = 12  # that are added to the columns' own marginals
_LITTLE = 1e-4  # nats; what brings less is not published


def marginal(cells: Floats, axes: Sequence[int]) -> Floats:
    """Return the sums of cells by some columns, of length 1 along the others."""
    return np.asarray(cells.sum(axis=tuple(at for at in range(cells.ndim) if at not in axes), keepdims=True))


def is_linked(true: Floats, axes: Axes, k: int) -> bool:
    """Return whether each combination of a marginal's unchanged labels has no record or k and more (Definition 4.1)."""
    found = marginal(true, [at for at in axes if at < true.ndim - 1])
    return bool(((found == 0) | (found >= k)).all())


def fit_marginals(true: Floats, marginals: Sequence[Axes], start: Floats) -> Floats | None:
    """Return expected records with marginals of the true ones, of largest entropy if `start` is uniform or such a fit.

    None where it does not settle, as where the limit has none in cells that no entry rules out.
    """
    cells = start
    for _ in range(_ROUNDS):
        off = 0.0
        for axes in marginals:
            held, wanted = marginal(cells, axes), marginal(true, axes)
            off = max(off, float(np.abs(held - wanted).max()))
            cells = cells * np.divide(wanted, held, out=np.zeros_like(held), where=held > 0)
        if off <= _CLOSE * float(true.sum()):
            return cells
    return None


def shares_within(counts: Ints, of: Ints, k: int) -> Floats:
    """Return (m,) the share of each label in its range; those of fewer than k records count as one, with k at least."""
    told = counts.astype(np.float64)
    for number in range(int(of.max()) + 1):
        rising = np.flatnonzero(of == number)[np.argsort(counts[of == number], kind="stable")]
        few = max(int((counts[rising] < k).sum()), int(np.searchsorted(np.cumsum(counts[rising]), k)) + 1)
        told[rising[:few]] = counts[rising[:few]].mean()
    return np.asarray(told / np.bincount(of, counts)[of])


def choose(true: Floats, k: int, diversity: RecursiveDiversity, progress: Progress) -> tuple[list[Axes], Floats]:
    """Return the columns' marginals and the pairs that bring most, k-linked and diverse by the fit, and the fit."""
    n, values = float(true.sum()), true.shape[-1]
    shares = marginal(true, [true.ndim - 1]).ravel() / n

    def fit(chosen: list[Axes], start: Floats) -> Floats | None:
        found = fit_marginals(true, chosen, start)
        if found is None:
            return None
        by_value = found.reshape(-1, values)
        return found if diversity.meets(by_value[by_value.sum(axis=1) > 0], shares).all() else None

    def gain(axes: Axes) -> float:
        """KL(true || fitted) of a marginal, nats: by at least so much the fit comes nearer if it is added."""
        held, known = marginal(cells, axes), marginal(true, axes)
        return float((known * np.log(np.where(known > 0, known, 1) / np.where(known > 0, held, 1))).sum()) / n

    chosen: list[Axes] = [(column,) for column in range(true.ndim)]
    start = fit(chosen, np.full(true.shape, n / true.size))
    if n < k or start is None:
        raise Impossible(ASKS_TOO_MUCH)
    cells = start
    left = [pair for pair in itertools.combinations(range(true.ndim), 2) if is_linked(true, pair, k)]
    while left and len(chosen) < true.ndim + _PAIRS:
        progress.report("Comparing", (len(chosen) - true.ndim) / _PAIRS)
        left.sort(key=gain)
        if gain(left[-1]) < _LITTLE:
            break
        tried = [*chosen, left.pop()]
        if (more := fit(tried, cells)) is not None:
            chosen, cells = tried, more
    return chosen, cells


def is_combinatorial(true: Floats, marginals: Sequence[Axes], k: int) -> bool | None:
    """Return whether the marginals are k-combinatorially anonymous (Definition 4.2); None where that is not decided.

    Every cell of the other columns must be empty in all tables with these marginals, or hold k and more in some. The
    most it can hold is the least of its entries, summed over the sensitive values of a pair, where columns and pairs
    make a forest (Dobra, Fienberg 2000). With a circle it may be less, so that the true table decides, or nothing.
    """
    tree, last, forest = list(range(true.ndim)), true.ndim - 1, True
    by_value = by_others = np.full(true.shape, np.inf)
    for axes in marginals:
        ends = {tree[column] for column in axes}
        forest &= len(ends) == len(axes)
        tree = [min(ends) if each in ends else each for each in tree]
        if last in axes:
            by_value = np.minimum(by_value, marginal(true, axes))
        else:
            by_others = np.minimum(by_others, marginal(true, axes))
    most, held = np.minimum(by_value.sum(axis=last), by_others[..., 0]), true.sum(axis=last)
    few = (most < k) & ((most if forest else held) > 0)
    return False if few.any() else True if forest or ((most == 0) | (held >= k)).all() else None
