"""What a column is to a release, and which role to suggest for it, with the reason in words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Role(Enum):
    """The four roles (mechanism.md section 1)."""

    IDENTIFIER = "identifier"  # names a person; never published
    NSA = "nsa"  # non-sensitive attribute, published unchanged
    SA = "sa"  # sensitive attribute, re-drawn
    DROPPED = "dropped"  # left out by choice

    @property
    def published(self) -> bool:
        """Whether the column stands in the published table."""
        return self in (Role.NSA, Role.SA)


@dataclass(frozen=True)
class Suggestion:
    """A role and the reason for it, one short sentence for the custodian."""

    role: Role
    reason: str
