"""Retention replacement over the whole domain: mechanism A of the arXiv paper (section 3).

A record keeps its value with chance p and takes each other value of the domain with q = (1 - p) / (m - 1); this is
k-ary randomised response with e^epsilon = p / q. The paper's comparison (section 8) sets p = 1 / l', so that a row is
as likely true as in decoy groups of l'. Estimated by the inverse of this matrix, unbiased before pooling.
"""

from __future__ import annotations

import numpy as np

from splu_desktop.compare.base.source import TrueTable
from splu_desktop.compare.base.system import GAMMAS, System
from splu_desktop.compare.perturb.channel import Channelled, evenly
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress
from splu_desktop.frozen import dataclass


@dataclass(frozen=True)
class Retention(System):
    """Keep with chance `keep`, else any other value of the domain."""

    keep: float

    name = "retention"
    title = say("Retention replacement")
    words = say(
        "All rows stay; each sensitive value is kept with a known chance, otherwise replaced by any other value, "
        "however rare. In columns of many values rare ones are flooded by false ones, and counts of them are blurred."
    )
    first = True
    points = tuple(1 / gamma for gamma in GAMMAS)
    setting_said = say("kept with {keep}")
    promise_said = say("Each row shows its true value with the chance {keep}, independently of all others.")

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Channelled:
        return Channelled(source, evenly(source.m, self.keep), chance)
