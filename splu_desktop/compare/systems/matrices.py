"""Mechanism A, PRAM and distribution-based redraw: three published matrices, each for any table.

Retention replacement over the whole domain, mechanism A of the arXiv paper (section 3): T[v, v] = p, any other value of
the domain with q = (1 - p) / (m - 1); k-ary randomised response with e^epsilon = p / q. The paper's comparison
(section 8) sets p = 1 / l', so that a row is as likely true as in decoy groups of l'. A count of f is estimated by
(y - N q) / (p - q) with y = Bin(f, p) + Bin(N - f, q).

PRAM (Gouweleeuw, Kooiman, Willenborg, de Wolf, Journal of Official Statistics 14, 1998): T[v, v] = keep, the rest
spread evenly, as mu-ARGUS offers it, over the `BAND` values next in the column's order on either side, since neighbours
are meant to be alike; over all values it is retention replacement. A matrix that leaves the shares of the whole table
true on average (invariant PRAM; de Wolf, van Gelder 2004; what sdcMicro's `pram` makes by itself) is what our own draw
has (mechanism.md section 2).

Distribution-based redraw (DBR, journal section 3): T[v, u] = pi_u whatever v, so shares of the whole table stay and
every link between the sensitive column and the others is lost. The only estimate left is independence,
x = N_P f'_s / N, biased wherever the selection matters.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import ClassVar

import numpy as np

from splu_desktop.compare.base import GAMMAS, Channel, CountingQuestions, Floats, TrueTable, binomials, system
from splu_desktop.core.messages import say

BAND = 5
_SINGULAR = 1e10  # how much a score may add for a difference between values: more is rounding


@lru_cache(maxsize=2)
def matrices(m: int, keep: float, band: float) -> tuple[Floats, Floats | None]:
    """Return (m, m) T, and T^-1 or None where nothing leads back: the same for every table of m values."""
    apart = np.abs(np.subtract.outer(np.arange(m), np.arange(m)))
    near = (apart > 0) & (apart <= band)
    matrix = keep * np.eye(m) + (1 - keep) * near / near.sum(axis=1, keepdims=True)
    try:
        inverse = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return matrix, None
    return matrix, inverse if np.abs(inverse).max() < _SINGULAR else None


@system("pram", "PRAM", first=True, points=(0.8, 0.6, 0.4), span=(0.999, 0.05))
class Pram(Channel):
    """Keep with chance `keep`, else one of `band` values on either side."""

    keep: float
    band: float = BAND

    def transition(self, counts: Floats) -> Floats:
        return matrices(len(counts), self.keep, self.band)[0]

    def scores(self, source: TrueTable) -> Floats:
        back = matrices(source.m, self.keep, self.band)[1]
        return super().scores(source) if back is None else back


@system("retention", say("Retention replacement"), points=[1 / each for each in GAMMAS], span=(0.999, 0.02))
class Retention(Pram):
    """Keep with chance `keep`, else any other value of the domain."""

    band: ClassVar[float] = math.inf  # type: ignore[misc]

    def reading(self, source: TrueTable) -> tuple[float, float, float]:
        other = (1 - self.keep) / (source.m - 1)
        gain = self.keep - other or math.inf  # of none the law says that nothing leads back
        return 1 / gain, 0.0, -other / gain


@system("dbr", say("Distribution-based redraw"))
class DistributionBased(Channel):
    """Every value drawn from the column's own distribution."""

    def transition(self, counts: Floats) -> Floats:
        return np.tile(counts / counts.sum(), (len(counts), 1))

    def answer(self, questions: CountingQuestions) -> Floats:
        share = np.bincount(self.drawn_values, minlength=self.source.m) / self.source.n
        return questions.sizes[questions.row] * share[questions.value]

    def count_law(self, source: TrueTable, count: int, others: int) -> tuple[Floats, Floats]:
        shown, chance = binomials([(source.n, count / source.n)])
        return shown * (count + others) / source.n, chance

    def reading(self, source: TrueTable) -> tuple[float, float, float]:
        return 0.0, 1 / source.n, 0.0
