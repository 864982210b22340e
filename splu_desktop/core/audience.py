"""Who gets a release: the answer to the first question, as plain data; its limits live in `core/policy`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from splu_desktop.core.errors import BadSetting

WHO = ("colleague", "partner", "public")


@dataclass(frozen=True)
class Audience:
    """Who gets it, on which terms.

    Attributes
    ----------
    who : "colleague" of the hospital, "partner" under contract, or "public".
    signed : whether they have signed not to try to recognise anybody.
    holds_records : whether they already hold records of these people.
    recipient, purpose, until : who they are, what they need it for, when they delete it; "" where not said.
    """

    who: str = "partner"
    signed: bool = True
    holds_records: bool = False
    recipient: str = ""
    purpose: str = ""
    until: str = ""

    def __post_init__(self) -> None:
        if self.who not in WHO:
            raise BadSetting("A release is for a colleague, a partner or the public, not for “{who}”.", who=self.who)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Audience:
        """Return what `as_dict` gave. Raises BadSetting, TypeError."""
        flags = ("signed", "holds_records")
        if not all(isinstance(value, bool if name in flags else str) for name, value in data.items()):
            raise TypeError
        return cls(**data)
