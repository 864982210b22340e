"""What a column is to a release."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Self

from splu_desktop.core.messages import say


class Role(Enum):
    """The four roles (mechanism.md section 1), each with its word in recipes and what follows from it.

    Attributes
    ----------
    is_published : whether the column stands in the published table.
    sensitive : whether its values are drawn anew.
    is_known : whether others may know its published values of a person, as they know age and sex.
    words : what the custodian calls it.
    """

    _value_: str
    is_published: bool
    sensitive: bool
    is_known: bool
    words: str

    # The word, then the four of them in this order.
    IDENTIFIER = "identifier", False, False, False, say("names a person")
    NSA = "nsa", True, False, True, say("as it is")
    SA = "sa", True, True, False, say("secret")
    DROPPED = "dropped", False, False, False, say("left out")

    def __new__(cls, value: str, *properties: Any) -> Self:
        role = object.__new__(cls)
        role._value_ = value
        role.is_published, role.sensitive, role.is_known, role.words = properties
        return role

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
