"""k-anonymity: every record looks like k - 1 others at least in the unchanged columns (Samarati 2001; Sweeney 2002)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from splu_desktop.compare.base.source import Floats
from splu_desktop.compare.base.system import Points
from splu_desktop.compare.generalise.mondrian import Mondrian
from splu_desktop.core.messages import say
from splu_desktop.core.table import Flags
from splu_desktop.frozen import dataclass


@dataclass(frozen=True)
class KAnonymity(Mondrian):
    """Classes of `k` records and more."""

    k: int

    name = "k-anonymity"
    title = say("k-anonymity")
    words = say(
        "Exact entries give way to ranges, until every person looks like several others. The sensitive values stay "
        "true: where those who look alike share one, it is told of all of them."
    )
    first = True
    points: ClassVar[Points] = (2, 5, 10, 50)
    setting_said = say("k = {k}")
    promise_said = say("By the other columns, a person's row looks like at least {k} rows, its own among them.")

    @property
    def least(self) -> int:
        return self.k

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        return np.ones(len(counts), bool)
