"""t-closeness: the values of every class are spread almost as in the whole table (Li, Li, Venkatasubramanian 2007).

The earth mover's distance of a class's shares p from those of the table, q, is t at most. Equal distance between any
two values: 1/2 sum |p_i - q_i|. Ordered distance, |i - j| / (m - 1) between values i and j in their order:
sum over i < m of |sum over j <= i of (p_j - q_j)| / (m - 1).
"""

from __future__ import annotations

import numpy as np

from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.generalise.classes import Generalised
from splu_desktop.compare.generalise.mondrian import Mondrian
from splu_desktop.core.messages import Figure, say
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Flags
from splu_desktop.frozen import dataclass

_CLOSE = 1e-12


def equal_distance(counts: Floats, shares: Floats) -> Floats:
    """Return (K,) distances of (K, m) counts from (m,) shares, all values being equally far apart."""
    return np.asarray(np.abs(counts / counts.sum(axis=1, keepdims=True) - shares).sum(axis=1) / 2)


def ordered_distance(counts: Floats, shares: Floats) -> Floats:
    """Return (K,) distances of (K, m) counts from (m,) shares, values being as far apart as their places."""
    moved = np.cumsum(counts / counts.sum(axis=1, keepdims=True) - shares, axis=1)
    return np.asarray(np.abs(moved[:, :-1]).sum(axis=1) / max(counts.shape[1] - 1, 1))


@dataclass(frozen=True)
class Closeness(Mondrian):
    """Classes at most `t` from the whole table, by the equal distance."""

    t: float

    name = "t-closeness"
    title = say("t-closeness")
    words = say(
        "As k-anonymity, and the values of those who look alike must be spread almost as in the whole table. What is "
        "kept from the attacker is kept from the researcher: how the values differ between groups."
    )
    first = True
    points = (0.5, 0.3, 0.15)
    setting_said = say("t = {t}")
    promise_said = say(
        "The shares of the values among those who look alike differ from those of the whole table by at most {part} of "
        "the records."
    )

    @property
    def told(self) -> dict[str, object]:
        return {**super().told, "part": Figure(f"{100 * self.t:g} %")}

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        return np.asarray(equal_distance(counts, shares) <= self.t + _CLOSE)


@dataclass(frozen=True)
class OrderedCloseness(Closeness):
    """Classes at most `t` from the whole table, by the ordered distance."""

    name = "t-closeness-ordered"
    title = say("t-closeness, ordered values")
    words = say(
        "As t-closeness for values that have an order: a class may differ from the whole table by values that lie "
        "near each other."
    )
    first = False
    points = (0.2, 0.1, 0.05)
    promise_said = say(
        "The values of those who look alike differ from those of the whole table by at most {part} of their range on "
        "average."
    )

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        return np.asarray(ordered_distance(counts, shares) <= self.t + _CLOSE)

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Generalised:
        if not source.sensitive.kind.ordered:
            raise Impossible(
                "The values of “{name}” have no order to measure distances along.", name=source.sensitive.name
            )
        return super().publish(source, chance, progress)
