"""Plain groups in which one value leaves so little room to the others that two numbers a, b_s do not describe them.

`reconstruct` takes all other values as feeding s alike and corrects a small rest (`Transition.spill`) by a composition
drawn towards independence. Where a value nearly fills its groups up (the frequent value of a short column at gamma 2 or
3), that rest is no small one: a record of the frequent value shares its group with the others many times as often as
they do with one another. Then what is badly known of the frequent value's place is badly known of every other's, and an
interval that leaves it out holds the truth in half the questions only. And of many records a small rest is more than
the noise, too: where a frequent value stands more often, all others are told too high. Such a column is answered by
the whole matrix (`reconstruct_tolerant`), as groups of one size with tolerance 1/gamma for each value, which is what
plain groups are.
"""

from __future__ import annotations

import numpy as np

from splu_desktop.core.transition.matrix import MatrixTransition
from splu_desktop.core.transition.two_numbers import Floats, Transition

_TIGHT = 0.5  # of its groups, that the most frequent value fills: below, the whole matrix widens by 4 % at most
_MORE = 1.05  # times the variance of two numbers: 2.5 % of an interval's width, half a point of its coverage
_LEANS = 0.15  # standard deviations by which two numbers may bias others: five times as much where a value gathers
_MOST = 200  # values beyond which a bias is put up with: a release states the square of that many chances
_PART = 1 / 8  # of the records of a value: a quarter of the table in which it strays by half from independence


def nearly_full(through: Transition) -> bool:
    """Return whether one value nearly fills its groups, so that two numbers may not describe them."""
    return bool(through.counts.max() * through.gamma > _TIGHT * through.n)


def leaning(through: Transition) -> bool:
    """Return whether a value that strays from independence biases others' counts by two numbers so that it shows."""
    if len(through.counts) > _MOST or through.matrix is None:
        return False
    off = np.stack([through.leaning(one) for one in np.eye(len(through.counts), dtype=bool)], axis=1)
    off -= through.counts @ off / through.n
    np.fill_diagonal(off, 0.0)
    bias = _PART * np.abs(off * through.counts[:, None]).max(axis=0)
    usual = _usual(through.matrix, through)
    return bool((bias > _LEANS * np.sqrt(usual * through.n / 4))[through.readable].any())


def misjudged(whole: MatrixTransition, through: Transition) -> bool:
    """Return whether two numbers leave out much of the variance of some value."""
    told = _spread(whole.matrix, whole.inverse, through.counts / through.n)
    return bool((told > _MORE * _usual(whole.matrix, through))[through.readable].any())


def _usual(matrix: Floats, through: Transition) -> Floats:
    """Return (m,) the variance that a record of the table adds to estimates by two numbers."""
    gain = 1 / np.where(through.readable, through.signal, 1.0)
    return np.maximum(_spread(matrix, np.diag(gain) - through.b * gain, through.counts / through.n), 1e-12)


def _spread(matrix: Floats, weights: Floats, share: Floats) -> Floats:
    """Return (m,) the variance that a record of the table adds to estimates that are sums of `weights`."""
    return np.asarray(share @ np.maximum(matrix @ weights**2 - (matrix @ weights) ** 2, 0.0), np.float64)
