"""delta-disclosure privacy: |ln(p(g, s) / p(s))| < delta for every value in every class (Brickell, Shmatikov 2008).

Every value of the table must occur in every class. Their Lemma 1: the information gain H(S) - H(S | class) of any
learner is below delta then.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splu_desktop.compare.base.source import Floats
from splu_desktop.compare.generalise.mondrian import Mondrian
from splu_desktop.core.messages import say
from splu_desktop.core.table import Flags


@dataclass(frozen=True)
class DeltaDisclosure(Mondrian):
    """Classes in which no value's share is e^`delta` times that of the table, or more, or less than 1/e^`delta`."""

    delta: float

    name = "delta-disclosure"
    title = say("delta-disclosure")
    points = (2.0, 1.0, 0.5)
    span = (5.0, 0.02)
    setting_said = say("delta = {delta}")

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        with np.errstate(divide="ignore"):  # a value that a class lacks is infinitely far
            apart = np.abs(np.log(counts / counts.sum(axis=1, keepdims=True) / shares))
        return np.asarray((apart < self.delta).all(axis=1))
