"""What a column is to a release."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Role(Enum):
    """The four roles (mechanism.md section 1), each with what follows from it: a new one is a line here.

    Attributes
    ----------
    published : the column stands in the published table.
    sensitive : its values are drawn anew.
    tells_persons : its values lead to a person, a stay or a record.
    """

    published: bool
    sensitive: bool
    tells_persons: bool

    IDENTIFIER = ("identifier", False, False, True)
    NSA = ("nsa", True, False, False)
    SA = ("sa", True, True, False)
    DROPPED = ("dropped", False, False, False)

    def __new__(cls, word: str, published: bool, sensitive: bool, tells_persons: bool) -> Role:
        """Make `word` the value, as files and the command line say it."""
        found = object.__new__(cls)
        found._value_ = word
        found.published, found.sensitive, found.tells_persons = published, sensitive, tells_persons
        return found

    @property
    def unchanged(self) -> bool:
        """Whether the column is published as it is."""
        return self.published and not self.sensitive


# What a column may tell of a person; `policy` makes it coarser in the ways of its subject.
SUBJECTS = ("person", "age", "sex", "place", "unit", "date", "demographic", "administrative", "health", "text")


@dataclass(frozen=True)
class Suggestion:
    """A role and the reason for it.

    Attributes
    ----------
    role : the role.
    reason : one sentence of at most 25 words.
    subject : what the column tells, one of `SUBJECTS`; everything that is not harmless counts as "health".
    doubt : whether neither name nor values say it clearly, so that somebody should look.
    """

    role: Role
    reason: str
    subject: str
    doubt: bool = False
