"""PRAM, the post randomisation method of official statistics, with a published matrix, and its invariant form.

Gouweleeuw, Kooiman, Willenborg, de Wolf, "Post randomisation for statistical disclosure control: theory and
implementation", Journal of Official Statistics 14 (1998); in mu-ARGUS and sdcMicro (`pram`).

Plain: T[v, v] = keep, the rest spread evenly over the other values; as mu-ARGUS offers it, over the `BAND` values next
in the column's order on either side, since neighbours are meant to be alike. Counts by the inverse of T, unbiased.

Invariant (de Wolf, van Gelder 2004; `pram(alpha)` in sdcMicro): after T values go back by Bayes,
B[u, v] = T[v, u] pi_v / sum_w T[w, u] pi_w, and R = T B leaves the shares true on average, pi R = pi. A mixture
alpha R + (1 - alpha) I does, too; alpha = 1 here. Our draw is of this kind (mechanism.md section 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.base.system import System
from splu_desktop.compare.perturb.channel import Channelled, normal_law, ratio
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress

KEEPS = (0.8, 0.6, 0.4)
BAND = 5


def banded(m: int, keep: float, band: int = BAND) -> Floats:
    """Return (m, m) the matrix that keeps with `keep`, else takes one of the `band` next values on either side."""
    near = np.abs(np.subtract.outer(np.arange(m), np.arange(m)))
    others = ((near > 0) & (near <= band)).astype(np.float64)
    many = others.sum(axis=1, keepdims=True)
    return np.asarray((1 - keep) * others / np.maximum(many, 1) + keep * np.eye(m), np.float64)


def invariant(matrix: Floats, shares: Floats) -> Floats:
    """Return (m, m) R = T B, which leaves the shares (m,) as they are."""
    joint = matrix * shares[:, None]
    back = joint.T / joint.sum(axis=0)[:, None]
    return np.asarray(matrix @ back)


@dataclass(frozen=True)
class Pram(System):
    """PRAM with a band matrix: keep with chance `keep`, else a neighbouring value."""

    keep: float

    name = "pram"
    title = say("PRAM")
    first = True
    points = KEEPS
    span = (0.999, 0.05)
    setting_said = say("kept with {keep}")

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Channelled:
        return Channelled(source, self.matrix(source), chance)

    def matrix(self, source: TrueTable) -> Floats:
        """Return T."""
        return banded(source.m, self.keep)

    def count_law(self, source: TrueTable, count: int) -> tuple[Floats, Floats]:
        return normal_law(self.matrix(source), source, count)

    def exact_epsilon(self, source: TrueTable) -> float:
        return ratio(self.matrix(source))


@dataclass(frozen=True)
class InvariantPram(Pram):
    """PRAM that leaves the shares of the whole table true on average."""

    name = "invariant-pram"
    title = say("Invariant PRAM")
    first = False
    setting_said = say("first step kept with {keep}")

    def matrix(self, source: TrueTable) -> Floats:
        return invariant(banded(source.m, self.keep), source.shares)
