"""PRAM, the post randomisation method of official statistics, with a published matrix.

Gouweleeuw, Kooiman, Willenborg, de Wolf, "Post randomisation for statistical disclosure control: theory and
implementation", Journal of Official Statistics 14 (1998); in mu-ARGUS and sdcMicro (`pram`).

T[v, v] = keep, the rest spread evenly over the other values; as mu-ARGUS offers it, over the `BAND` values next in the
column's order on either side, since neighbours are meant to be alike. Counts by the inverse of T, unbiased. A matrix
that leaves the shares of the whole table true on average (invariant PRAM; de Wolf, van Gelder 2004) is what our own
draw has (mechanism.md section 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.perturb.channel import Channel
from splu_desktop.core.messages import say

BAND = 5


@dataclass(frozen=True)
class Pram(Channel):
    """PRAM with a band matrix: keep with chance `keep`, else a neighbouring value."""

    keep: float

    name = "pram"
    title = say("PRAM")
    first = True
    points = (0.8, 0.6, 0.4)
    span = (0.999, 0.05)
    setting_said = say("kept with {keep}")

    def matrix(self, source: TrueTable) -> Floats:
        near = np.abs(np.subtract.outer(np.arange(source.m), np.arange(source.m)))
        others = ((near > 0) & (near <= BAND)).astype(np.float64)
        spread = others / np.maximum(others.sum(axis=1, keepdims=True), 1)
        return np.asarray((1 - self.keep) * spread + self.keep * np.eye(source.m), np.float64)
