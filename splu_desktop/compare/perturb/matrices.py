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

All share a published matrix T[v, u] = P(shown u | true v), each record drawn by itself.

Counts are estimated by the scores phi = T^-1 h of the value asked for, unbiased (mechanism.md section 4): a record of
value v adds one with variance W_v = sum over u of T[v, u] phi_u^2 - h_v, so V(x) = N_P w0 + x (w1 - w0) with W of the
value asked for, w1, and its mean over the others, w0.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from splu_desktop.compare.base import (
    GAMMAS,
    Answers,
    CountingQuestions,
    Impossible,
    TrueTable,
    UnbiasedDraw,
    binomials,
    system,
)
from splu_desktop.compare.base.source import Floats, Ints
from splu_desktop.core.answer.counts import CountFigures
from splu_desktop.core.messages import say

BAND = 5
_SINGULAR = 1e10  # how much larger a value's error may grow on its way back
_STEPS = 4_001  # equally likely values that stand for a law without steps of its own


class Channel(UnbiasedDraw):
    """A matrix for each table; records stay in the source's order."""

    _solved: tuple[TrueTable | None, Floats, Floats] = None, np.empty(0), np.empty(0)

    @abstractmethod
    def matrix(self, source: TrueTable) -> Floats:
        """Return T."""

    def make(self, chance: np.random.Generator) -> None:
        self.own_matrix, self.shown = self.matrix(self.source), np.empty(self.source.n, np.int32)
        for value, law in enumerate(self.own_matrix):
            own = self.source.sensitive.codes == value
            self.shown[own] = chance.choice(self.source.m, int(own.sum()), p=law)

    def solve(self, source: TrueTable) -> tuple[Floats, Floats]:
        """Return T^-1, and (m, m) W by value and value asked for. Raises Impossible where nothing leads back."""
        if self._solved[0] is not source:  # which T_f asks for some fifty counts of
            matrix = self.matrix(source)
            if not np.linalg.cond(matrix, 1) < _SINGULAR:
                raise Impossible("With this setting the shown values can't be worked back to counts.")
            back = np.asarray(np.linalg.inv(matrix))
            self._solved = source, back, np.maximum(matrix @ back**2 - np.eye(source.m), 0.0)
        return self._solved[1:]

    @cached_property
    def published_shares(self) -> Floats:  # type: ignore[override]
        likely = np.maximum(np.bincount(self.shown, minlength=self.source.m) @ self.solve(self.source)[0], 0.5)
        return np.asarray(likely / likely.sum())

    def evidence(self, records: Ints) -> Floats:
        return np.asarray(self.own_matrix[:, self.shown[records]].T)

    def count(self, questions: CountingQuestions) -> CountFigures:
        y, share = questions.histogram(self.shown, self.source.m), self.published_shares
        back, spread = self.solve(self.source)
        with_it = spread.diagonal()
        without = (share @ spread - share * with_it) / np.maximum(1 - share, 1e-12)
        level = y.sum(axis=1, keepdims=True) * without
        return CountFigures(y @ back, level, np.broadcast_to(with_it - without, level.shape))

    def count_law(self, source: TrueTable, count: int) -> tuple[Floats, Floats]:
        # Near a normal one: a sum over all records of the table.
        at = int(np.argmin(np.abs(source.counts - count)))
        each = self.solve(source)[1][:, at]
        others = np.where(np.arange(source.m) == at, 0.0, source.counts)
        variance = count * each[at] + (source.n - count) * float(others @ each) / max(float(others.sum()), 1.0)
        likely = ndtri((np.arange(_STEPS) + 0.5) / _STEPS)
        return count + np.sqrt(max(variance, 0.0)) * likely, np.full(_STEPS, 1 / _STEPS)

    def exact_epsilon(self, source: TrueTable) -> float:
        # The most that two true values differ in the chance of anything shown.
        matrix = self.matrix(source)
        least = matrix.min(axis=0)
        return float(np.log((matrix.max(axis=0) / least).max())) if (least > 0).all() else np.inf


@system("pram", "PRAM", first=True, points=(0.8, 0.6, 0.4), span=(0.999, 0.05))
class Pram(Channel):
    """Keep with chance `keep`, else a neighbouring value."""

    keep: float

    setting_said, band = f"keep = {{keep}}, band = {BAND}", float(BAND)

    def matrix(self, source: TrueTable) -> Floats:
        near = np.abs(np.subtract.outer(np.arange(source.m), np.arange(source.m)))
        others = ((near > 0) & (near <= self.band)).astype(np.float64)
        return np.asarray((1 - self.keep) * others / others.sum(axis=1, keepdims=True) + self.keep * np.eye(source.m))


_KEPT = tuple(1 / gamma for gamma in GAMMAS)


@system("retention", say("Retention replacement"), first=False, points=_KEPT, span=(0.999, 0.02), setting_said="")
class Retention(Pram):
    """Keep with chance `keep`, else any other value of the domain."""

    band = math.inf


@system("dbr", say("Distribution-based redraw"))
class DistributionBased(Channel):
    """Every value drawn from the column's own distribution."""

    def matrix(self, source: TrueTable) -> Floats:
        return np.tile(source.shares, (source.m, 1))

    def answer(self, questions: CountingQuestions) -> Answers:
        share = np.bincount(self.shown, minlength=self.source.m) / self.source.n
        return Answers(questions.sizes[questions.row] * share[questions.value])

    def count_law(self, source: TrueTable, count: int) -> tuple[Floats, Floats]:
        return binomials([(source.n, count / source.n)])
