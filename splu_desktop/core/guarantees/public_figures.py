"""What public figures alone tell of true counts: N, gamma, the values and how often each is published.

A value stands at most once in each of r = floor(N / gamma) groups, so f_s <= r, and all counts add up to N. A group
that holds s publishes it at most as often as it has records, so f'_s published records of s need f'_s over the largest
group's size true ones at least, rounded up. Of a small table with few values this leaves little: 10 records, gamma 5
and five values leave 2 each. T_P is about the draw, and no draw protects what was never open.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def of_plan(n: int, gamma: int, values: int) -> tuple[int, int]:
    """Return the least and the most records that each of a column's values can have, before anything is drawn.

    For N records in plain groups and a known domain of values that all occur.
    """
    least, most = of_room(n, np.full(values, n // gamma, np.int64))
    return int(least[0]), int(most[0])


def of_room(n: int, room: Ints) -> tuple[Ints, Ints]:
    """Return (m,) the least and the most records that each of a column's values can have, before anything is drawn.

    room : (m,) the most records of each value that the groups can hold.
    """
    return narrowed(n, np.ones(len(room), np.int64), room)


def tell_small(n: int, gamma: int, values: int, epsilon: Fraction, alpha: int) -> bool:
    """Return whether small counts of a column in plain groups are told, so that no draw protects them."""
    least, most = of_plan(n, gamma, values)
    return least <= alpha and bool(tell(least, most, epsilon))


def of_cell(least: Ints, most: Ints, chosen: NDArray[np.bool_], n: int, selected: int) -> tuple[int, int]:
    """Return the least and the most of `selected` records that can have one of the chosen values."""
    low = max(int(least[chosen].sum()), n - int(most[~chosen].sum()))
    high = min(int(most[chosen].sum()), n - int(least[~chosen].sum()))
    return max(0, low - (n - selected)), min(high, selected)


def tell(least: int | Ints, most: int | Ints, epsilon: Fraction) -> bool | NDArray[np.bool_]:
    """Return whether some figure is within epsilon of every count from `least` to `most`, elementwise."""
    part, whole = epsilon.numerator, epsilon.denominator
    return (whole - part) * most <= (whole + part) * least


def narrowed(n: int, least: Ints, most: Ints) -> tuple[Ints, Ints]:
    """Return the ends that are left of the given ones since all counts add up to n.

    The domain is taken for the published one. Values that vanished from it make the least ones smaller.
    """
    low = np.maximum(least, n - (most.sum() - most))
    high = np.minimum(most, n - (least.sum() - least))
    # Where values have vanished, what is left of the domain can't hold n records: then its sum tells nothing.
    return (low, high) if (low <= high).all() else (least, most)
