"""The limits of an audience: data of `resources/policy`, read in one place by proposal, verdict, report and window."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from splu_desktop.core.audience import Audience
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import none_of
from splu_desktop.core.resources import data_folder, read_toml, resource_path, unreadable

LEVELS = ("colleague", "partner", "public")
WHOLE = ("alike", "printed", "gamma")
FEWEST_WORDS, _FEWEST_LETTERS = 3, 7  # of a reason; different ones
REASONS = (
    "The contract allows it",
    "The ethics board has agreed",
    "The law asks for it",
    "Only totals are needed",
    "The recipient knows the persons already",
)


@dataclass(frozen=True)
class Limits:
    """What a release may show at most, and must tell at least.

    Attributes
    ----------
    name : of the audience, as its file is called.
    alike, share_alike : so many persons look alike in the unchanged columns, for so large a share of the persons.
    gamma : strength to begin with.
    riskiest, average : how often a shown secret value is right in the riskiest group and on average, at most.
    printed : least number printed in tables.
    small_counts : chance that counts of 1 to alpha are wrong, at least, in each release.
    useful, within : share of the asked cells of 50 and more that must be told within a relative error.
    """

    name: str
    alike: int
    share_alike: float
    gamma: float
    riskiest: float
    average: float
    printed: int
    small_counts: float
    useful: float
    within: float

    def __post_init__(self) -> None:
        shares = [getattr(self, each.name) for each in fields(self) if each.name not in ("name", *WHOLE)]
        if not all(0 < each <= 1 for each in shares) or not all(1 <= getattr(self, n) < math.inf for n in WHOLE):
            words = "The limits for “{name}” must be shares above 0 up to 1, and numbers from 1."
            raise BadSetting(words, name=self.name)


def limits_for(audience: Audience) -> Limits:
    """Return the limits for whoever gets the release, with those changed by hand.

    Raises BadSetting where a changed one has no such name, no such value or no reason.
    """
    limits = limits_named(level_of(audience))
    changed: dict[str, Any] = {}
    for each in audience.limits:
        known = {field.name for field in fields(limits)} - {"name"}
        if each.name not in known:
            raise BadSetting(none_of(each.name, sorted(known)))
        check_reason(each.why)
        counted = each.name in ("alike", "printed") and math.isfinite(each.value)
        changed[each.name] = math.ceil(each.value) if counted else each.value
    return replace(limits, **changed)


def level_of(audience: Audience) -> str:
    """Return whose limits hold: one wider for who holds records of the persons, the public's for who has not signed."""
    if audience.who == "public" or not audience.signed:
        return "public"
    return LEVELS[min(LEVELS.index(audience.who) + audience.holds_records, 2)]


def limits_named(name: str) -> Limits:
    """Return the limits of a file of the user's own folder, else of those that came with the program."""
    path = _path(name)
    data = read_toml(path)
    try:
        numbers = {
            # Shares are written as fractions, since 2/3 has no decimals that end.
            each.name: int(data[each.name]) if each.name in ("alike", "printed") else float(Fraction(data[each.name]))
            for each in fields(Limits)
            if each.name != "name"
        }
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        raise unreadable(path) from None
    return Limits(name=name, **numbers)  # type: ignore[arg-type]


def reasons_named(name: str) -> dict[str, str]:
    """Return why each limit is what it is, as its file says."""
    return {str(limit): str(why) for limit, why in read_toml(_path(name)).get("why", {}).items()}


def check_reason(text: str) -> str:
    """Return a reason without blanks around it. Raises BadSetting where it has fewer than three words."""
    reason = " ".join(text.split())
    # Numbers are no words, nor are “ok ok ok”; some scripts know no blanks.
    letters = set(filter(str.isalpha, reason.casefold()))
    words = sum(any(map(str.isalpha, word)) for word in reason.split()) + sum(letter > "\u3040" for letter in letters)
    if words < FEWEST_WORDS or len(letters) < _FEWEST_LETTERS:
        sentence = "“{text}” is no reason; write at least {n} words that the person who signs will understand."
        raise BadSetting(sentence, text=reason[:60], n=FEWEST_WORDS)
    return reason


def _path(name: str) -> Path:
    path = data_folder() / "policy" / f"{name}.toml"
    return path if path.is_file() else resource_path(f"policy/{name}.toml")
