"""t-closeness: the values of every class are spread almost as in the whole table (Li, Li, Venkatasubramanian 2007).

The earth mover's distance of a class's shares p from those of the table, q, is t at most. Any two values are
equally far apart: 1/2 sum |p_i - q_i|.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splu_desktop.compare.base.source import Floats
from splu_desktop.compare.generalise.mondrian import Mondrian
from splu_desktop.core.messages import say
from splu_desktop.core.table import Flags

_CLOSE = 1e-12


def equal_distance(counts: Floats, shares: Floats) -> Floats:
    """Return (K,) distances of (K, m) counts from (m,) shares, all values being equally far apart."""
    return np.asarray(np.abs(counts / counts.sum(axis=1, keepdims=True) - shares).sum(axis=1) / 2)


@dataclass(frozen=True)
class Closeness(Mondrian):
    """Classes at most `t` from the whole table, by the equal distance."""

    t: float

    name = "t-closeness"
    title = say("t-closeness")
    first = True
    points = (0.5, 0.3, 0.15)
    span = (0.95, 0.01)
    setting_said = say("t = {t}")

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        return np.asarray(equal_distance(counts, shares) <= self.t + _CLOSE)
