"""Groups of several sizes: what is published of them, and how many records of each value stand in which size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.record_shares import spread, whole
from splu_desktop.core.said import say
from splu_desktop.core.table import Column
from splu_desktop.core.tolerance import NOT_SENSITIVE, Tolerances, caps

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Limits = tuple[Fraction, ...]

MOST_SIZES = 8  # of groups; three are enough (`group_design`)
MOST_FAKES = 20  # per group; beyond, nothing is left to read
_SLACK = 3  # copies by which a value's fake values may be off while groups are filled (`groups`)


@dataclass(frozen=True)
class Grouping:
    """The group sizes of one sensitive column and the share of its records in each: all that is published of them.

    Attributes
    ----------
    sizes : group sizes, rising.
    shares : share of the records in groups of each size, above 0, adding up to 1; whole steps of a coarse grid.
    tolerances : f' of each value.
    fakes : sigma, fake values in every group beside those of its records (papers/inferential_privacy.txt, section 6).
    """

    sizes: tuple[int, ...]
    shares: tuple[Fraction, ...]
    tolerances: Tolerances
    fakes: int = 0

    def __post_init__(self) -> None:
        rising = all(a < b for a, b in zip(self.sizes, self.sizes[1:], strict=False))
        if not 1 <= len(self.sizes) == len(self.shares) <= MOST_SIZES or not rising or self.sizes[0] < 1:
            raise BadSetting("Group sizes must be whole numbers from 1 that rise, with one share each.")
        if any(share <= 0 for share in self.shares) or sum(self.shares) != 1:
            raise BadSetting("The shares of the records in groups of each size must be above 0 and add up to 1.")
        check_fakes(self.fakes)

    @property
    def largest(self) -> int:
        """Values that the largest groups draw from: their records' and the fake ones."""
        return self.sizes[-1] + self.fakes

    @property
    def certainty(self) -> Fraction:
        """How sure of a sensitive value someone can be at most who knows all other records of the group."""
        return Fraction(1, 1 + self.fakes)

    def within(self, labels: object) -> Grouping:
        """Return the grouping with the tolerances of these labels alone."""
        return replace(self, tolerances=self.tolerances.within(labels))

    def completed(self, labels: NDArray[np.object_]) -> Grouping:
        """Return the grouping with labels that it has no tolerance for taken as not sensitive."""
        limits = dict.fromkeys((str(label) for label in labels), Fraction(1))
        return replace(self, tolerances=Tolerances({**limits, **self.tolerances.limits}))

    def respelled(self, before: Column, after: Column) -> Grouping:
        """Return the grouping with the labels that the same records have `after` a change of spelling."""
        pairs = np.unique(np.stack([before.codes, after.codes]), axis=1)
        limits: dict[str, Fraction] = {}
        for old, new in pairs.T.tolist():
            limit = self.tolerances.limits[str(before.labels[old])]
            label = str(after.labels[new])
            limits[label] = min(limit, limits.get(label, limit))
        return replace(self, tolerances=Tolerances(limits))

    def as_dict(self) -> dict[str, Any]:
        """Return the grouping as plain data."""
        limits = self.tolerances.limits
        return {
            "sizes": list(self.sizes),
            "shares": [str(share) for share in self.shares],
            "tolerances": {label: str(limit) for label, limit in limits.items()},
            **({"fakes": self.fakes} if self.fakes else {}),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Grouping:
        """Return the grouping that `as_dict` gave. Raises BadSetting where the data are none."""
        try:
            sizes, shares, limits = data["sizes"], data["shares"], data["tolerances"]
            if not all(type(size) is int for size in sizes) or not all(len(str(x)) <= 40 for x in limits.values()):
                raise ValueError
            if not all(isinstance(label, str) for label in limits) or not all(len(str(x)) <= 40 for x in shares):
                raise ValueError
            return cls(tuple(sizes), tuple(Fraction(x) for x in shares), Tolerances(dict(limits)), data.get("fakes", 0))
        except (KeyError, TypeError, ValueError, ZeroDivisionError, AttributeError):
            raise BadSetting("The stored group sizes can't be understood: an entry is missing or wrong.") from None

    def room(self, records: int) -> Ints:
        """Return (q,) records in groups of each size; the smallest takes what the others' whole groups leave."""
        room = [int(share * records) // size * size for size, share in zip(self.sizes, self.shares, strict=True)]
        room[0] = records - sum(room[1:])
        return np.array(room, np.int64)

    def numbers(self, records: int) -> Ints:
        """Return (q,) groups of each size; of the smallest, some hold one record more than their size."""
        return np.asarray(self.room(records) // np.array(self.sizes), np.int64)


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


def check_fakes(fakes: object) -> None:
    """Raise BadSetting unless this is a possible number of fake values per group."""
    if type(fakes) is not int or not 0 <= fakes <= MOST_FAKES:
        raise BadSetting(
            say("The number of fake values per group must be a whole number from 0 to {most}.", most=MOST_FAKES)
        )


def caps_of(limits: Limits, sizes: tuple[int, ...], fakes: int = 0) -> Ints:
    """Return (m, q) floor(f'_i S_j), see `tolerance.caps`; more than any group holds for values that are not sensitive.

    Some groups of the smallest size hold more than S records, and those of such a value may fill them too.
    """
    most = np.stack([caps(limits, size, fakes) for size in sizes], axis=1)
    free = np.array([limit == NOT_SENSITIVE for limit in limits], bool)
    return np.asarray(np.where(free[:, None], 2 * np.array(sizes) + fakes, most))


def bounds_of(counts: NDArray[Any], most: Ints, grouping: Grouping) -> NDArray[Any]:
    """Return (m, q) the most records of each value that groups of each size can hold, given the (m, q) caps.

    Fake values are as often of a value as the class's records are, so they take up a part of what the caps leave.
    """
    total = int(counts.sum())
    numbers = grouping.numbers(total)
    if not grouping.fakes:
        return np.asarray(np.minimum(most * numbers, counts[:, None]))
    part = grouping.fakes * numbers / np.maximum(grouping.room(total), 1)
    room = np.maximum(np.floor((most * numbers - _SLACK) / (1 + part)), 0).astype(np.int64)
    bound = most < np.array(grouping.sizes) + grouping.fakes
    return np.asarray(np.minimum(np.where(bound, room, np.iinfo(np.int64).max), counts[:, None]))


def fits(counts: Ints, most: Ints, grouping: Grouping) -> bool:
    """Return whether some partition of the records keeps all bounds and fills all groups.

    It does iff, for every set of sizes, what the values can give to them is enough (max flow, min cut): the sum over
    values of min(o_i, bounds of the set). For single sizes and for all of them these are the papers' fill and privacy
    constraints, which are enough for two sizes (Theorem 4.17); for three they are not (Example 5.32).
    """
    total = int(counts.sum())
    room, numbers = grouping.room(total), grouping.numbers(total)
    if (numbers < 1).any():
        return False
    bounds = bounds_of(counts, most, grouping)
    sets = ((np.arange(1, 1 << len(room))[:, None] >> np.arange(len(room))) & 1).astype(np.int64)
    given = np.minimum(bounds @ sets.T, counts[:, None]).sum(axis=0)
    return bool((given >= sets @ room).all())


def layout(counts: Ints, limits: Limits, grouping: Grouping) -> Layout | None:
    """Return the whole numbers of records of each value in groups of each size, None where the tolerances forbid it.

    Any number up to cap times groups is enough (Lemma 4.13): dealt in turn, no group holds more than the cap.
    """
    total = int(counts.sum())
    room, numbers = grouping.room(total), grouping.numbers(total)
    most = caps_of(limits, grouping.sizes, grouping.fakes)
    if not fits(counts, most, grouping):
        return None
    bounds = bounds_of(counts, most, grouping)
    near = spread(counts.astype(np.float64), room.astype(np.float64), bounds.astype(np.float64))
    records = whole(near, counts, room, bounds)
    return None if records is None else Layout(numbers, records, most, grouping.fakes)
