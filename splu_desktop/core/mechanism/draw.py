"""What a draw is: how the values of a block are drawn anew.

A draw is a frozen value, chosen in the plan and published with the release. It says ten things and nothing else: no
words, no estimators, no files. A new one is one file here with `@register`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.mechanism.randomness import Randomness

Floats = NDArray[np.float64]

LARGEST_GAMMA = 1_000


@dataclass(frozen=True)
class Draw(ABC):
    """How the values of a block are drawn anew. Immutable, compared by value. Raises BadSetting.

    name : of the draw, as files and commands write it.
    gamma : the strength, a real number of at least 1.
    """

    gamma: float
    name: ClassVar[str]

    def __post_init__(self) -> None:
        if not 1 <= self.gamma <= LARGEST_GAMMA:
            words = "Gamma must be a number from 1 to {most}, not {gamma}."
            raise BadSetting(words, most=LARGEST_GAMMA, gamma=f"{self.gamma:g}")

    @property
    def retention(self) -> float:
        """a = 1/gamma, the chance that a unit keeps its value."""
        return 1 / self.gamma

    def with_gamma(self, gamma: float) -> Self:
        """Return the draw with another strength. Raises BadSetting."""
        return type(self)(gamma)

    @abstractmethod
    def check(self, counts: NDArray[np.int64], column: str) -> None:
        """Raise BadSetting where values with these (m,) counts in one class can't be drawn so."""

    @abstractmethod
    def choose_lenders(
        self, values: NDArray[np.int32], classes: NDArray[np.int32], weights: NDArray[np.int64], source: Randomness
    ) -> NDArray[np.int32]:
        """Return (U,) the unit whose value each unit shows, -1 where it keeps its own.

        values, classes : (U,) of each unit; a unit is lent to by units of its class alone.
        weights : (U,) rows of each unit.
        """

    @abstractmethod
    def transition(self, counts: Floats) -> Floats:
        """Return (m, m) T[v, u] = P(shown u given true v) in a class with these counts."""

    @abstractmethod
    def score(self, h: Floats, counts: Floats) -> Floats:
        """Return (..., m) T^-1 h, the score of each shown value, for functions h (..., m) of the value."""

    @abstractmethod
    def count_law(self, count: int, units: int | None) -> Floats:
        """Return (K,) P(published count = k), k from 0, for a true count in a class of so many units, None for many."""

    @abstractmethod
    def certainty(self, share: float) -> float:
        """Return how sure a row that shows a value is right, where so large a share of its class has the value."""


_KNOWN: dict[str, type[Any]] = {}


def register(kind: type[Any]) -> type[Any]:
    """Make a draw known by its name."""
    _KNOWN[kind.name] = kind
    return kind


def draw_names() -> tuple[str, ...]:
    """Return the names of all draws."""
    return tuple(sorted(_KNOWN))


def draw_from(data: Mapping[str, Any]) -> Draw:
    """Return the draw that `draw_as_dict` gave. Raises BadSetting."""
    name, gamma = data.get("draw", "lenders"), data.get("gamma")
    if name not in _KNOWN or isinstance(gamma, bool) or not isinstance(gamma, int | float):
        words = "A draw needs a name among {known} and a number gamma."
        raise BadSetting(words, known=", ".join(_KNOWN), draw=str(name)[:40])
    draw: Draw = _KNOWN[name](float(gamma))
    return draw


def draw_as_dict(draw: Draw) -> dict[str, Any]:
    """Return a draw as plain data."""
    return {"draw": draw.name, "gamma": int(draw.gamma) if draw.gamma == int(draw.gamma) else draw.gamma}


@dataclass(frozen=True)
class Block:
    """Sensitive columns that are drawn as one: whole combinations of their values are kept or lent.

    Attributes
    ----------
    columns : their names, at least one.
    draw : how.
    """

    columns: tuple[str, ...]
    draw: Draw

    def __post_init__(self) -> None:
        if not self.columns or len(set(self.columns)) < len(self.columns):
            raise BadSetting("Columns drawn together must be different columns, at least one.")
