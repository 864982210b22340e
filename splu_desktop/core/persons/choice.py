"""What is done about persons with several rows, and which rows are one person's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import cross_codes
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.mechanism import LEAST
from splu_desktop.core.messages import fold_text, none_of
from splu_desktop.core.table import Column, Kind, remember

Ints = NDArray[np.int64]

WAYS = ("draw", "first", "last", "random", "record")
ONE = ("first", "last", "random")
MOST_DAYS = 36_500


@dataclass(frozen=True)
class ByPerson:
    """What is done about persons with several rows.

    Attributes
    ----------
    column : the column that names the person.
    way : "draw" for a draw per person; "first", "last" or "random" for one row per person; "record" for each row by
        itself.
    reason : why each row stands for itself; needed for that, and shown in the report.
    order : column by whose values rows are first or last, "" for the order of the file.
    number : whether each person gets a random number in the release, by which its rows are found.
    shift : columns of dates that are moved by one random number of days per person, the same in all of them.
    days : the most days they are moved, either way.
    least : persons who must have each number of rows where they are drawn; who has more gives some up.
    """

    column: str
    way: str = "draw"
    reason: str = ""
    order: str = ""
    number: bool = False
    shift: tuple[str, ...] = ()
    days: int = 0
    least: int = LEAST

    def __post_init__(self) -> None:
        object.__setattr__(self, "shift", tuple(self.shift))
        if self.way not in WAYS:
            raise BadSetting(none_of(str(self.way), WAYS))
        if self.way == "record" and not self.reason.strip():
            raise BadSetting("Say why each row of a person in “{column}” may be drawn by itself.", column=self.column)
        if self.reason and self.way != "record":
            raise BadSetting("A reason belongs to the way “record” alone; leave it out or choose that way.")
        if self.order and self.way not in ("first", "last"):
            raise BadSetting("A column says which row is a person's first or last; choose one of these ways with it.")
        if bool(self.shift) != bool(self.days) or not 0 <= self.days <= MOST_DAYS:
            raise BadSetting("Dates are moved by 1 to {most} days, not by {days}.", most=MOST_DAYS, days=self.days)
        if self.number and self.way != "draw":
            raise BadSetting("A person number shows which rows are one person's; choose a draw per person with it.")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it goes by."""
        return tuple(filter(None, (self.column, self.order, *self.shift)))

    @property
    def one_row(self) -> str:
        """Which row of each person is kept ("first", "last", "random"), "" where all are."""
        return self.way if self.way in ONE else ""

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data; entries left empty are left out."""
        entries = {name: getattr(self, name) for name in ("column", "way", "reason", "order", "number")}
        data = {name: entry for name, entry in entries.items() if entry}
        least = {"least": self.least} if self.least != LEAST else {}
        return {**data, **({"shift": list(self.shift), "days": self.days} if self.shift else {}), **least}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ByPerson:
        """Return what `as_dict` gave. Raises BadSetting, TypeError."""
        kinds = {"number": bool, "shift": list, "days": int, "least": int}
        sound = all(type(value) is kinds.get(name, str) for name, value in data.items())
        if not sound or not all(type(name) is str for name in data.get("shift", ())):
            raise TypeError
        return cls(**data)


@remember
def persons(column: Column) -> Ints:
    """Return (N,) the person of each row, numbered from 0; a row without a name is a person of its own."""
    codes, unknown = _first_spelling(column).take(column.codes), np.flatnonzero(column.missing.take(column.codes))
    codes[unknown] = column.m + np.arange(len(unknown))
    who = cross_codes(codes, column.m + len(unknown))[0].astype(np.int64)
    who.flags.writeable = False  # several rooms ask for the same
    return who


def _first_spelling(column: Column) -> Ints:
    """Return (m,) the first label that is the same but for capitals, blanks and noughts in front: M0012 is m0012."""
    if column.kind not in (Kind.CATEGORY, Kind.TEXT):
        return np.arange(column.m)
    labels: list[str] = column.labels.tolist()
    whole = "\n".join(labels)
    if whole.isascii() and whole.count("\n") < len(labels):  # all at once: each by itself takes seconds a million
        plain = map(str.strip, whole.casefold().split("\n"))
    else:
        plain = map(fold_text, labels)
    bare = [text.lstrip("0") if text.startswith("0") and text.isdecimal() else text for text in plain]
    if len(set(bare)) == len(bare):  # as a rule, which takes a third of the time of looking each up
        return np.arange(column.m)
    first: dict[str, int] = {}
    return np.array([first.setdefault(text, at) for at, text in enumerate(bare)], np.int64)
