"""Decoy groups of several sizes by their numbers: what the search for sizes, their layout and their laws go by."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.frozen import dataclass

Ints = NDArray[np.int64]

MOST_FAKES = 20  # per group; beyond, nothing is left to read
MOST_SIZES = 8  # of groups; three are enough (`design`)


@dataclass(frozen=True)
class SizedGroups:
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

    def room(self, records: int) -> Ints:
        """Return (q,) records in groups of each size; the smallest takes what the others' whole groups leave."""
        room = [int(share * records) // size * size for size, share in zip(self.sizes, self.shares, strict=True)]
        room[0] = records - sum(room[1:])
        return np.array(room, np.int64)

    def numbers(self, records: int) -> Ints:
        """Return (q,) groups of each size; of the smallest, some hold one record more than their size."""
        return np.asarray(self.room(records) // np.array(self.sizes), np.int64)


def check_fakes(fakes: object) -> None:
    """Raise BadSetting unless this is a possible number of fake values per group."""
    if type(fakes) is not int or not 0 <= fakes <= MOST_FAKES:
        raise BadSetting(
            "The number of fake values per group must be a whole number from 0 to {most}.", most=MOST_FAKES
        )
