"""Estimates and 95 % intervals for a sensitive column with a tolerance per value (mechanism.md section 5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.reconstruct import Method, Rows, shrink
from splu_desktop.core.reconstruct_interval import NORMAL_95
from splu_desktop.core.table import Flags
from splu_desktop.core.tolerant_transition import Floats, TolerantTransition

Numbers = tuple[float, float, float, float]  # estimate, low, high, variance

_STEPS = 5_000  # of the likelihood's maximisation at most
_SETTLED = 1e-7


def one_sa(y: Floats, asked: Sequence[tuple[int, Flags]], through: TolerantTransition, method: Method) -> list[Numbers]:
    """Return the numbers of questions with conditions on one SA.

    Parameters
    ----------
    y : (Q, m) published counts of the SA's values in Q selections.
    asked : per question, its row and the (m,) chosen values.
    """
    _check(method)
    rows = Rows.plain(y)
    x = y @ through.inverse
    composition = _composition(rows, x, through)
    variance = through.variance(composition)
    by_value = x
    if method in (Method.SHRUNK, Method.POOLED):
        by_value = _adding_up(shrink(rows, x, variance, through), rows.total)
    elif method is Method.BAYES:
        by_value = likeliest(y, through.matrix)
    found = []
    for row, chosen in asked:
        top = float(rows.total[row])
        centre = float(x[row, chosen].sum())
        if chosen.sum() == 1:
            spread = float(variance[row, chosen][0])
        else:
            spread = float(through.variance(composition[row : row + 1], chosen)[0, 0])
        found.append(_made(float(by_value[row, chosen].sum()), centre, spread, top, chosen, through, method))
    return found


def several_sas(factors: Sequence[Floats], readable: bool, top: float, method: Method) -> Numbers:
    """Return the numbers of a question with conditions on several SAs.

    Parameters
    ----------
    factors : per SA, (N_P,) the weight phi of each selected record: mean 1 where it meets the condition, else 0.
    readable : whether every chosen value can be told from others.
    top : N_P.

    A record's product W of weights has mean 1 or 0, so Var W is E[W^2] less the count itself.
    """
    _check(method)
    weights = np.prod(factors, axis=0) if len(factors) else np.ones(0)
    centre = float(weights.sum())
    spread = max(float((weights**2).sum()) - max(centre, 0.0), 1e-9)
    if not readable:
        return min(max(centre, 0.0), top), 0.0, top, float("inf")
    arm = NORMAL_95 * spread**0.5
    low, high = min(max(centre - arm, 0.0), top), min(max(centre + arm, 0.0), top)
    return centre if method is Method.UNBIASED else min(max(centre, 0.0), top), low, high, spread


def likeliest(y: Floats, matrix: Floats) -> Floats:
    """Return (Q, m) the maximum of the likelihood over all values at once (journal Eq. 13-14 with the matrix T)."""
    x = y.astype(np.float64) + 1e-9
    for _ in range(_STEPS):
        expected = x @ matrix
        new = x * (np.divide(y, expected, out=np.zeros_like(expected), where=expected > 0) @ matrix.T)
        settled = bool((np.abs(new - x) <= _SETTLED * np.maximum(x, 1.0)).all())
        x = new
        if settled:
            break
    return np.asarray(x, np.float64)


def _check(method: Method) -> None:
    if method is Method.AS_PUBLISHED:
        raise BadQuestion(
            "The estimator “as published” is defined for groups of one size only, and this sensitive column has groups "
            "of several sizes; choose another estimator."
        )


def _composition(rows: Rows, x: Floats, through: TolerantTransition) -> Floats:
    """Return (Q, m) a likely composition of each selection, for its variances."""
    even = rows.total[:, None] * (through.counts / max(through.n, 1))
    variance = through.variance(even)
    return _adding_up(shrink(rows, x, variance, through), rows.total)


def _adding_up(counts: Floats, total: Floats) -> Floats:
    whole = counts.sum(axis=1, keepdims=True)
    return np.asarray(counts * np.divide(total[:, None], whole, out=np.zeros_like(whole), where=whole > 0), np.float64)


def _made(
    estimate: float,
    centre: float,
    spread: float,
    top: float,
    chosen: Flags,
    through: TolerantTransition,
    method: Method,
) -> Numbers:
    if not through.readable[chosen].all():
        return min(max(estimate, 0.0), top), 0.0, top, float("inf")
    arm = NORMAL_95 * spread**0.5
    low, high = min(max(centre - arm, 0.0), top), min(max(centre + arm, 0.0), top)
    if method is not Method.UNBIASED:
        estimate = min(max(estimate, 0.0), top)
    if method is Method.POOLED:
        estimate = min(max(estimate, low), high)
    return estimate, low, high, spread
