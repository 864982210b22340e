"""Who gets the release: five questions in plain words, and the limits that follow from the answers.

The limits are those that data protection offices ask for: classes of at least 3, 5 or 11 records (the last is the
0.09 of EMA policy 0070 and the cell of US Medicare), few or no unique records, and how sure one may be of a row that
one has recognised. Each may be changed, with a reason that recipe and report keep.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import Figure, percent_of, say
from splu_desktop.frozen import dataclass

WHO = ("colleague", "partner", "public")
HOLDS = ("nothing", "similar", "records")


@dataclass(frozen=True)
class Limits:
    """What a release may show at most.

    Attributes
    ----------
    k : records that share their values in the unchanged columns, at least.
    unique : share of the records that may be unique in them, at most.
    certainty : how sure one may be of a sensitive value after finding a person's row, on average, at most.
    cell : least count of a cell in tables that are handed out or printed.
    """

    k: int
    unique: float
    certainty: float
    cell: int

    def __post_init__(self) -> None:
        whole = type(self.k) is int and type(self.cell) is int and self.k >= 1 and self.cell >= 1
        if not whole or not 0 <= self.unique <= 1 or not 0 < self.certainty <= 1:
            raise BadSetting(
                "The limits are whole numbers k and cell from 1, and shares unique and certainty from 0 to 1."
            )


LEVELS = (Limits(3, 0.05, 0.5, 5), Limits(5, 0.01, 1 / 3, 5), Limits(11, 0.0, 0.2, 11))
NAMES = ("k", "unique", "certainty", "cell")
USUAL = LEVELS[1]  # where nobody was asked: a research partner under contract
PRINTED = 11  # least cell of tables that are printed


@dataclass(frozen=True)
class Audience:
    """The answers to the five questions, and the limits that were changed.

    Attributes
    ----------
    who : "colleague" in the same house, "partner" elsewhere, or "public".
    signed : whether they have signed not to recognise anybody.
    holds : what they hold about the persons: "nothing", "similar" data, or "records" of the same persons.
    passes_on : whether they may hand it on.
    tables : whether they will print or publish tables of it.
    changed : name of a limit -> (its own value, the reason).
    """

    who: str
    signed: bool = True
    holds: str = "nothing"
    passes_on: bool = False
    tables: bool = False
    changed: Mapping[str, tuple[float, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "changed", MappingProxyType({n: (v, w) for n, (v, w) in self.changed.items()}))
        for said, known in ((self.who, WHO), (self.holds, HOLDS)):
            if said not in known:
                raise BadSetting(
                    "“{said}” is no answer; the answers are {known}.", said=str(said)[:40], known=", ".join(known)
                )
        for name, (value, why) in self.changed.items():
            if name not in NAMES:
                raise BadSetting(
                    "There is no limit “{name}”; the limits are {known}.",
                    name=str(name)[:40],
                    known=", ".join(NAMES),
                )
            if not abs(value) < math.inf:
                raise BadSetting("The limit “{name}” is no number that is finite; write another.", name=name)
            if not why.strip():
                raise BadSetting("Say in words why the limit “{name}” is another one; the report shows it.", name=name)
        self.limits  # noqa: B018 (raises where a changed one is out of range)

    @property
    def level(self) -> int:
        """How wide it goes, 0 to 2: who they are, one more without a signature, as for the public if handed on."""
        if self.who == "public" or self.passes_on or (self.holds == "records" and not self.signed):
            return 2
        return min(2, WHO.index(self.who) + (not self.signed) + (self.holds == "records"))

    @property
    def proposed(self) -> Limits:
        """The limits that follow from the answers."""
        found = LEVELS[self.level]
        stricter = self.holds == "similar" and self.level < 2
        k = LEVELS[self.level + 1].k if stricter else found.k
        return Limits(k, found.unique, found.certainty, PRINTED if self.tables else found.cell)

    @property
    def limits(self) -> Limits:
        """The limits as they hold. Raises BadSetting where a changed one is out of range."""
        own = {name: int(value) if name in ("k", "cell") else value for name, (value, _) in self.changed.items()}
        return Limits(**{**{name: getattr(self.proposed, name) for name in NAMES}, **own})

    @property
    def sentence(self) -> str:
        """Who gets it and what is asked for, whether it holds or not, with the reasons for limits that were changed."""
        who, limits = self._who(), self.limits
        text = say(
            "The release goes to {who}. Asked for are at least {k} records alike in the unchanged columns, at most "
            "{unique} of them unique, a row about a person right in at most {certainty}, no printed cell below {cell}.",
            who=who,
            k=limits.k,
            unique=per_cent(limits.unique),
            certainty=per_cent(limits.certainty),
            cell=limits.cell,
        )
        for name, (_, why) in self.changed.items():
            text = say("{text} {name} was changed: {why}.", text=text, name=name, why=why.strip().rstrip("."))
        return text

    @property
    def brief(self) -> str:
        """The answer to who gets it and the limits, for where there is one line."""
        limits = self.limits
        return say(
            "Released to {who}. Asked for: at least {k} records alike, at most {unique} unique, a row right in at most "
            "{certainty}",
            who=self._who(),
            k=limits.k,
            unique=per_cent(limits.unique),
            certainty=per_cent(limits.certainty),
        )

    def exceeded(self, column: str, sure: float, said: Figure, before: float) -> str:
        """Return that rows are right more surely than the limit, "" where they are not.

        `said` is how promises say `sure`; `before` is how often one is right who names the commonest value.
        """
        if sure <= self.limits.certainty:
            return ""
        over = say(
            "Of the rows that show a value of “{name}”, up to {sure} are right, more than the limit of {most} for who "
            "gets the release.",
            name=column,
            sure=said,
            most=per_cent(self.limits.certainty),
        )
        if before <= self.limits.certainty:
            return over
        # No setting that protects this value keeps the limit.
        return say(
            "{over} Whoever names the commonest value is right in {before} anyway.",
            over=over,
            before=percent_of(before),
        )

    def _who(self) -> str:
        return {
            "colleague": say("a colleague under contract"),
            "partner": say("a research partner"),
            "public": say("the public"),
        }[self.who]

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "who": self.who,
            "signed": self.signed,
            "holds": self.holds,
            "passes_on": self.passes_on,
            "tables": self.tables,
            **(
                {"changed": {n: {"value": v, "reason": w} for n, (v, w) in self.changed.items()}}
                if self.changed
                else {}
            ),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Audience:
        """Return what `as_dict` gave. Raises BadSetting, KeyError, TypeError."""
        flags = {name: data[name] for name in ("signed", "passes_on", "tables")}
        changed = {str(n): (each["value"], str(each["reason"])) for n, each in data.get("changed", {}).items()}
        numbers = all(type(value) in (int, float) for value, _ in changed.values())
        if not numbers or not all(type(flag) is bool for flag in flags.values()):
            raise TypeError
        return cls(str(data["who"]), holds=str(data["holds"]), changed=changed, **flags)


def per_cent(share: float) -> Figure:
    """Return a share as per cent, with as many places as it needs and no more than two."""
    return Figure(f"{100 * share:.2f}".rstrip("0").rstrip(".") + " %")
