"""The published table and all that its reader knows: the only input of queries, guarantees and external reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from splu_desktop.core.persons import Repeats
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.table import Table
from splu_desktop.core.tolerant_groups import Grouping


@dataclass(frozen=True, eq=False)
class Published:
    """A release as its recipient holds it.

    Attributes
    ----------
    table : the published columns (NSAs as they were, SAs re-drawn), records in random order, domains as they stand
        in the published records.
    gammas : SA name -> gamma, the size of its decoy groups, for SAs with plain groups.
    groupings : SA name -> sizes, shares and tolerances, for SAs with a tolerance per value; no SA is in both.
    thresholds : what the custodian asked the guarantees for.
    repeats : how many records persons have, where an identifier in the source repeats; None where nothing tells.
    """

    table: Table
    gammas: Mapping[str, int]
    thresholds: Thresholds = field(default_factory=Thresholds)
    groupings: Mapping[str, Grouping] = field(default_factory=dict)
    repeats: Repeats | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "gammas", MappingProxyType(dict(self.gammas)))
        object.__setattr__(self, "groupings", MappingProxyType(dict(self.groupings)))

    def is_sensitive(self, name: str) -> bool:
        """Return whether a column was re-drawn."""
        return name in self.gammas or name in self.groupings

    @property
    def ways(self) -> dict[str, int | Grouping]:
        """How each SA was re-drawn: its name -> gamma or grouping."""
        return {**self.gammas, **self.groupings}

    @property
    def n(self) -> int:
        """Number of records, N."""
        return self.table.n

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Names of the SAs, in the table's order."""
        return tuple(name for name in self.table.names if self.is_sensitive(name))

    @property
    def nsas(self) -> tuple[str, ...]:
        """Names of the NSAs, in the table's order."""
        return tuple(name for name in self.table.names if not self.is_sensitive(name))

    def retention(self, sa: str) -> float:
        """Return a = r/N, the probability that a record of `sa` keeps its value, r = floor(N / gamma)."""
        return (self.n // self.gammas[sa]) / self.n
