"""What an analysis answers: figures with 95 % intervals, about the original table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np

from splu_desktop.core.messages import Figure, say
from splu_desktop.frozen import dataclass

BELOW = say(
    "A count below 0 stands for few records or none; it is not cut at 0, so that cells add up to their margins."
)


@dataclass(frozen=True)
class Analysed:
    """One figure and those it is made of.

    Attributes
    ----------
    what : in words.
    estimate, low, high : with the ends of the 95 % interval; an end is infinite where nothing bounds it.
    parts : name -> figures of the same kind: coefficients, periods, cells.
    selected : records meant, where that is exact.
    values : of a cell of a cross-table, None for a margin.
    possible : whether the ends are no 95 % interval, but what the release leaves possible (`Answer.possible`).
    notes : what must be known of the figures, in sentences: told wherever they are.
    """

    what: str
    estimate: float
    low: float
    high: float
    parts: Mapping[str, Analysed] = field(default_factory=dict)
    selected: int | None = None
    values: tuple[str | None, ...] = ()
    possible: bool = False
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data; an end without bound is None."""
        found: dict[str, Any] = {
            "what": self.what,
            **{name: _plain(getattr(self, name)) for name in ("estimate", "low", "high")},
            "interval_by": self.interval_by,
        }
        if self.selected is not None:
            found["selected"] = self.selected
        if self.values:
            found["values"] = list(self.values)
        if self.parts:
            found["parts"] = {name: part.as_dict() for name, part in self.parts.items()}
        if self.notes:
            found["notes"] = list(self.notes)
        return found

    @property
    def interval_by(self) -> str:
        """Where the ends come from, in the words of `Answer.interval_by`."""
        return "possible" if self.possible else "theory"

    @property
    def shown(self) -> tuple[str, str, str]:
        """Estimate and ends for people, with no more digits than the interval supports."""
        return shown(self.estimate, self.low, self.high), bound(self.low, self), bound(self.high, self)


def within(value: float, low: float, high: float, least: float, most: float) -> tuple[float, float, float]:
    """Return an estimate and the ends of its interval cut to what can be, the estimate in it."""
    value = min(max(value, least), most)
    return value, min(max(low, least), value), max(min(high, most), value)


def _plain(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None


def _digits(low: float, high: float) -> int:
    """Return the decimals that an interval supports: three of its width."""
    width = high - low
    if not np.isfinite(width) or width <= 0:
        return 3
    return max(0, 2 - int(np.floor(np.log10(width))))


def shown(number: float, low: float, high: float) -> str:
    """Return a number for people, with the digits that its interval supports."""
    return Figure(f"{number:,.{_digits(low, high)}f}")


def bound(end: float, of: Analysed) -> str:
    """Return an end of an interval for people."""
    return shown(end, of.low, of.high) if np.isfinite(end) else say("no bound")
