"""Who gets a release: the answer to the first question, as plain data; its limits live in `core/policy`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from splu_desktop.core.errors import BadSetting

WHO = ("colleague", "partner", "public")


def day_to_delete(text: str, earliest: date | None = None) -> str:
    """Return a day as it is kept, "" for none. Raises BadSetting where it is none, or lies before `earliest`.

    earliest : today where it is not said; what was released before keeps the day that was said then.
    """
    if not text:
        return ""
    with suppress(ValueError):  # “tomorrow” once went into a release as it was typed
        day = date.fromisoformat(text)
        if day >= (earliest or date.today()):
            return day.isoformat()
    words = "“{text}” is no date still to come; write the day to delete a release by as {example}."
    raise BadSetting(words, text=text[:80], example=f"{date.today().year + 1}-12-31")


@dataclass(frozen=True)
class OwnLimit:
    """A limit that was changed by hand: which of `policy.limits.Limits`, to what, and why."""

    name: str
    value: float
    why: str

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and isinstance(self.why, str) and type(self.value) in (int, float)):
            raise TypeError
        object.__setattr__(self, "value", float(self.value))


@dataclass(frozen=True)
class Audience:
    """Who gets it, on which terms.

    Attributes
    ----------
    who : "colleague" of the hospital, "partner" under contract, or "public".
    signed : whether they have signed not to try to recognise anybody.
    holds_records : whether they already hold records of these people.
    recipient, purpose, until : who they are, what they need it for, the day they delete it; "" where not said.
    limits : limits that hold for them in place of the usual ones.
    """

    who: str = "partner"
    signed: bool = True
    holds_records: bool = False
    recipient: str = ""
    purpose: str = ""
    until: str = ""
    limits: tuple[OwnLimit, ...] = ()

    def __post_init__(self) -> None:
        if self.who not in WHO:
            raise BadSetting("A release is for a colleague, a partner or the public, not for “{who}”.", who=self.who)
        object.__setattr__(self, "until", day_to_delete(self.until, date.min))

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        data = asdict(self)
        return {**data, "limits": list(data["limits"])}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Audience:
        """Return what `as_dict` gave. Raises BadSetting, TypeError."""
        flags, plain = ("signed", "holds_records"), {name: value for name, value in data.items() if name != "limits"}
        if not all(isinstance(value, bool if name in flags else str) for name, value in plain.items()):
            raise TypeError
        return cls(**plain, limits=tuple(OwnLimit(**each) for each in data.get("limits", ())))
