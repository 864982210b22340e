"""Retention replacement over the whole domain: mechanism A of the arXiv paper (section 3).

A record keeps its value with chance p and takes each other value of the domain with q = (1 - p) / (m - 1); this is
k-ary randomised response with e^epsilon = p / q. The paper's comparison (section 8) sets p = 1 / l', so that a row is
as likely true as in decoy groups of l'. Estimated by the inverse of this matrix; of a count of f,
(y - N q) / (p - q) with y = Bin(f, p) + Bin(N - f, q).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splu_desktop.compare.base.laws import binomials
from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.base.system import GAMMAS
from splu_desktop.compare.perturb.channel import Channel
from splu_desktop.core.messages import say


@dataclass(frozen=True)
class Retention(Channel):
    """Keep with chance `keep`, else any other value of the domain."""

    keep: float

    name = "retention"
    title = say("Retention replacement")
    points = tuple(1 / gamma for gamma in GAMMAS)
    span = (0.999, 0.02)
    setting_said = say("kept with {keep}")

    def matrix(self, source: TrueTable) -> Floats:
        other = (1 - self.keep) / max(source.m - 1, 1)
        return np.full((source.m, source.m), other) + (self.keep - other) * np.eye(source.m)

    def count_law(self, source: TrueTable, count: int) -> tuple[Floats, Floats]:
        other = (1 - self.keep) / max(source.m - 1, 1)
        shown, chance = binomials([(count, self.keep), (source.n - count, other)])
        return (shown - source.n * other) / (self.keep - other), chance
