"""The published table and all that its reader knows: the only input of queries, guarantees and external reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw import Draw
from splu_desktop.core.draw.by_person import NUMBER
from splu_desktop.core.generalise.typical import typical
from splu_desktop.core.guarantees import attackers
from splu_desktop.core.guarantees.public_figures import narrowed
from splu_desktop.core.persons import Repeats
from splu_desktop.core.table import Table
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.core.transition.matrix import MatrixTransition
from splu_desktop.frozen import dataclass


@dataclass(frozen=True, eq=False)
class Published:
    """A release as its recipient holds it.

    Attributes
    ----------
    table : the published columns (NSAs as they were, SAs re-drawn), records in random order, domains as they stand
        in the published records.
    draws : SA name -> how its values were drawn anew, as far as its reader may know.
    thresholds : what the custodian asked the guarantees for.
    repeats : how many records persons have, where an identifier in the source repeats; None where nothing tells.
    means : SA of numbers in intervals -> interval -> mean of the source's numbers in it, coarsely, of intervals that
        enough records have (`generalise.typical`).
    """

    table: Table
    draws: Mapping[str, Draw]
    thresholds: Thresholds = field(default_factory=Thresholds)
    repeats: Repeats | None = None
    means: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "draws", MappingProxyType(dict(self.draws)))
        object.__setattr__(self, "means", MappingProxyType(dict(self.means)))

    def is_sensitive(self, name: str) -> bool:
        """Return whether a column was re-drawn."""
        return name in self.draws

    @property
    def gammas(self) -> dict[str, int]:
        """SA name -> group size gamma, for the SAs whose draw has nothing else to set."""
        return {name: draw.gamma for name, draw in self.draws.items() if draw.gamma is not None}

    @property
    def by_person(self) -> bool:
        """Whether persons were drawn, all of a person's records at once."""
        return self.repeats is not None and bool(self.repeats.effects)

    @property
    def blocks(self) -> Mapping[tuple[str, ...], Draw]:
        """The columns that were drawn together -> their draw; most stand alone."""
        return {draw.block(name): draw.of_block(self.draws) for name, draw in self.draws.items()}

    @property
    def n(self) -> int:
        """Number of records, N."""
        return self.table.n

    @cached_property
    def sensitive(self) -> tuple[str, ...]:
        """Names of the SAs, in the table's order."""
        return tuple(name for name in self.table.names if self.is_sensitive(name))

    @cached_property
    def nsas(self) -> tuple[str, ...]:
        """Names of the NSAs, in the table's order."""
        return tuple(name for name in self.table.names if not self.is_sensitive(name))

    @cached_property
    def knowable(self) -> tuple[str, ...]:
        """Names of the NSAs that somebody may know of a person: not the random number that each person was given."""
        return tuple(name for name in self.nsas if not (name == NUMBER and self.by_person))

    def counts(self, sa: str) -> NDArray[np.float64]:
        """Return (m,) published counts of an SA's values."""
        return self.table[sa].counts().astype(np.float64)

    def ranges(self, sa: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return (m,) the least and the most records that each published value of an SA can have had."""
        return narrowed(self.n, *self.draws[sa].bounds(self.table[sa]))

    def likely(self, sa: str) -> NDArray[np.float64]:
        """Return (m,) what they say of the true counts: themselves, but where a draw moves them."""
        return self.draws[sa].likely(self.counts(sa), self.table[sa].labels)

    def typical(self, sa: str) -> NDArray[np.float64] | None:
        """Return (m,) what stands for the numbers in each interval of an SA; None for an SA that is none of intervals.

        NaN for a missing value.
        """
        return typical(self.table[sa], self.means.get(sa, {}))

    def stated(self, sa: str) -> dict[str, Any]:
        """Return what is promised of an SA, as plain data: T_P is 0 where public figures tell its small counts."""
        draw = self.draws[sa]
        return draw.stated(self.thresholds, draw.told(self.n, self.table[sa].labels.tolist(), self.thresholds))

    def readers(self) -> list[str]:
        """Return what a row tells to whom, once for all columns of which the same is said."""
        return attackers.said_once({name: draw.readers(name) for name, draw in self.draws.items()}, bounds=True)

    def transition(self, sa: str) -> MatrixTransition:
        """Return how the true values of an SA were carried to the published ones."""
        return self.draws[sa].transition(self.likely(sa), self.table[sa].labels)
