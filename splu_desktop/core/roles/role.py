"""What a column is to a release."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from splu_desktop.core.messages import say

# Role -> whether it is published, sensitive, known to others; its words. A new role is a line here and one below.
_PROPERTIES = {
    "identifier": (False, False, False, say("names a person")),
    "nsa": (True, False, True, say("as it is")),
    "sa": (True, True, False, say("secret")),
    "dropped": (False, False, False, say("left out")),
}


class Role(Enum):
    """The four roles (mechanism.md section 1), each with what follows from it."""

    IDENTIFIER = "identifier"  # names a person; never published
    NSA = "nsa"  # non-sensitive attribute, published unchanged
    SA = "sa"  # sensitive attribute, drawn anew
    DROPPED = "dropped"  # left out by choice

    @property
    def is_published(self) -> bool:
        """Whether the column stands in the published table."""
        return _PROPERTIES[self.value][0]

    @property
    def sensitive(self) -> bool:
        """Whether its values are drawn anew."""
        return _PROPERTIES[self.value][1]

    @property
    def is_known(self) -> bool:
        """Whether others may know its published values of a person, as they know age and sex."""
        return _PROPERTIES[self.value][2]

    @property
    def words(self) -> str:
        """What the custodian calls it."""
        return _PROPERTIES[self.value][3]

    @property
    def is_unchanged(self) -> bool:
        """Whether the column is published as it is."""
        return self.is_published and not self.sensitive


# What a column may tell of a person; `policy` makes it coarser in the ways of its subject.
SUBJECTS = ("person", "age", "sex", "place", "unit", "date", "demographic", "administrative", "health", "text")


@dataclass(frozen=True)
class Suggestion:
    """A role and the reason for it."""

    role: Role
    reason: str  # one sentence of at most 25 words
    subject: str  # what the column tells, one of `SUBJECTS`; everything that is not harmless counts as "health"
    doubt: bool = False  # whether neither name nor values say it clearly, so that somebody should look
