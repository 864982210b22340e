"""The published table and all that its reader knows: the only input of queries, guarantees and external reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from splu_desktop.core.plan import Thresholds
from splu_desktop.core.table import Table


@dataclass(frozen=True, eq=False)
class Published:
    """A release as its recipient holds it.

    Attributes
    ----------
    table : the published columns (NSAs as they were, SAs re-drawn), records in random order, domains as they stand
        in the published records.
    gammas : SA name -> gamma, the size of its decoy groups.
    thresholds : what the custodian asked the guarantees for.
    """

    table: Table
    gammas: Mapping[str, int]
    thresholds: Thresholds = field(default_factory=Thresholds)

    def __post_init__(self) -> None:
        object.__setattr__(self, "gammas", MappingProxyType(dict(self.gammas)))

    @property
    def n(self) -> int:
        """Number of records, N."""
        return self.table.n

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Names of the SAs, in the table's order."""
        return tuple(name for name in self.table.names if name in self.gammas)

    @property
    def nsas(self) -> tuple[str, ...]:
        """Names of the NSAs, in the table's order."""
        return tuple(name for name in self.table.names if name not in self.gammas)

    def retention(self, sa: str) -> float:
        """Return a = r/N, the probability that a record of `sa` keeps its value, r = floor(N / gamma)."""
        return (self.n // self.gammas[sa]) / self.n
