"""How many records of each value stand in decoy groups of which size."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.groups.shares import spread, whole
from splu_desktop.core.groups.sized import SizedGroups
from splu_desktop.core.groups.tolerances import NOT_SENSITIVE, caps
from splu_desktop.frozen import dataclass

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Limits = tuple[Fraction, ...]

_SLACK = 3  # copies by which a value's fake values may be off while groups are filled (`groups`)


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the records of each value go.

    Attributes
    ----------
    numbers : (q,) groups of each size.
    records : (m, q) records of each value in groups of each size.
    caps : (m, q) most copies of each value in one group, fake ones included.
    fakes : fake values in each group.
    """

    numbers: Ints
    records: Ints
    caps: Ints
    fakes: int = 0


def caps_of(limits: Limits, sizes: tuple[int, ...], fakes: int = 0) -> Ints:
    """Return (m, q) floor(f'_i S_j), see `tolerance.caps`; more than any group holds for values that are not sensitive.

    Some groups of the smallest size hold more than S records, and those of such a value may fill them too.
    """
    most = np.stack([caps(limits, size, fakes) for size in sizes], axis=1)
    free = np.array([limit == NOT_SENSITIVE for limit in limits], bool)
    return np.asarray(np.where(free[:, None], 2 * np.array(sizes) + fakes, most))


def bounds_of(counts: NDArray[Any], most: Ints, draw: SizedGroups) -> NDArray[Any]:
    """Return (m, q) the most records of each value that groups of each size can hold, given the (m, q) caps.

    Fake values are as often of a value as the class's records are, so they take up a part of what the caps leave.
    """
    total = int(counts.sum())
    numbers = draw.numbers(total)
    if not draw.fakes:
        return np.asarray(np.minimum(most * numbers, counts[:, None]))
    part = draw.fakes * numbers / np.maximum(draw.room(total), 1)
    room = np.maximum(np.floor((most * numbers - _SLACK) / (1 + part)), 0).astype(np.int64)
    bound = most < np.array(draw.sizes) + draw.fakes
    return np.asarray(np.minimum(np.where(bound, room, np.iinfo(np.int64).max), counts[:, None]))


def fits(counts: Ints, most: Ints, draw: SizedGroups) -> bool:
    """Return whether some partition of the records keeps all bounds and fills all groups.

    It does iff, for every set of sizes, what the values can give to them is enough (max flow, min cut): the sum over
    values of min(o_i, bounds of the set). For single sizes and for all of them these are the papers' fill and privacy
    constraints, which are enough for two sizes (Theorem 4.17); for three they are not (Example 5.32).
    """
    total = int(counts.sum())
    room, numbers = draw.room(total), draw.numbers(total)
    if (numbers < 1).any():
        return False
    bounds = bounds_of(counts, most, draw)
    sets = ((np.arange(1, 1 << len(room))[:, None] >> np.arange(len(room))) & 1).astype(np.int64)
    given = np.minimum(bounds @ sets.T, counts[:, None]).sum(axis=0)
    return bool((given >= sets @ room).all())


def layout(counts: Ints, limits: Limits, draw: SizedGroups) -> Layout | None:
    """Return the whole numbers of records of each value in groups of each size, None where the tolerances forbid it.

    Any number up to cap times groups is enough (Lemma 4.13): dealt in turn, no group holds more than the cap.
    """
    total = int(counts.sum())
    room, numbers = draw.room(total), draw.numbers(total)
    most = caps_of(limits, draw.sizes, draw.fakes)
    if not fits(counts, most, draw):
        return None
    bounds = bounds_of(counts, most, draw)
    near = spread(counts.astype(np.float64), room.astype(np.float64), bounds.astype(np.float64))
    records = whole(near, counts, room, bounds)
    return None if records is None else Layout(numbers, records, most, draw.fakes)
