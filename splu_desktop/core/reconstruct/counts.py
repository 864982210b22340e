"""Estimates of true counts from published ones, whole matrices at once (mechanism.md section 4).

A row is one selection P of records by their NSAs; a column is one value s of an SA. Where a question has conditions on
further SAs, every selected record enters with the weight phi of those conditions (the Kronecker product of the
transitions, inverted): `Rows` then holds weighted counts.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from splu_desktop.core.transition.two_numbers import Floats, Transition
from splu_desktop.frozen import dataclass

_ROUNDS = 10  # of the shrinkage's fit; it settles in about that many


class Counted(Protocol):
    """What independence of a selection and a value rests on: a transition of either kind."""

    @property
    def n(self) -> int:
        """Records, N."""

    @property
    def counts(self) -> Floats:
        """(m,) published counts f'_s."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Published counts of Q selections over the m values of one SA.

    Attributes
    ----------
    y : (Q, m) sum of weights of the selected records published as s.
    squares : (Q, m) sum of squared weights.
    total : (Q,) sum of weights of all selected records: N_P, or its estimate under conditions on further SAs.
    weighted : whether weights other than 1 occur.
    """

    y: Floats
    squares: Floats
    total: Floats
    weighted: bool = False

    @classmethod
    def plain(cls, y: Floats) -> Rows:
        """Return rows of records that all weigh 1."""
        return cls(y, y, y.sum(axis=1))


def unbiased(rows: Rows, through: Transition) -> Floats:
    """Return (Q, m) x = (y - N_P b_s) / (a - b_s); the independent estimate where a - b_s tells nothing."""
    x = (rows.y - rows.total[:, None] * through.b) / np.where(through.readable, through.signal, 1.0)
    return np.where(through.readable, x, independent(rows, through))


def independent(rows: Rows, through: Counted) -> Floats:
    """Return (Q, m) mu_s = N_P f'_s / N, the count expected if s had nothing to do with P."""
    return rows.total[:, None] * (through.counts / through.n)


def variance(rows: Rows, x: Floats, through: Transition) -> Floats:
    """Return (Q, m) the variance of `unbiased`, inf where a - b_s tells nothing.

    Drawing, sharing groups, and b_s computed from f'_s, which moves together with y. With w = N_P - x records of other
    values, pi their chance to share a group with s, and b' = db/df:

    a (1 - a) (x + w pi) + a^2 w pi (1 - pi) (1 - w / (N - f)) + (w b')^2 f (1 - a) - 2 w b' a (1 - a) (x + w pi),

    over (a - b)^2. The first two terms are mechanism.md's; the last two come from x_hat moving by
    -w b' / (a - b) per record of f'_s, Var f'_s = f (1 - a) and Cov(y, f'_s) = a (1 - a) (x + w pi).
    For P that selects everything this is f (1 - a), the variance of f'_s itself.
    """
    a, pi, f = through.a, through.sharing, through.counts
    total = np.maximum(rows.total, 0.0)[:, None]
    inside = np.clip(x, 0.0, total)
    w = total - inside
    if rows.weighted:
        outer = rows.squares.sum(axis=1, keepdims=True) - rows.squares
        record = rows.squares * (1 - through.b) ** 2 + outer * through.b**2 - inside * through.signal**2
        record = np.maximum(record, 0.0)
    else:
        record = a * (1 - a) * (inside + w * pi) + a * a * w * pi * (1 - pi)
    moved = w * through.slope
    dealt = -a * a * pi * (1 - pi) * w * np.minimum(w / through.others, 1.0)
    common = dealt + moved**2 * f * (1 - a) - 2 * moved * a * (1 - a) * (inside + w * pi)
    # Estimated terms may cancel to below nothing; a millionth of a record's draw is left in any case.
    least = a * (1 - a) * 1e-6
    spread = np.maximum(record + common, least) / np.where(through.readable, through.signal, 1.0) ** 2
    return np.where(through.readable, spread, np.inf)


def fit_spread(gap: Floats, mu: Floats, var: Floats) -> Floats:
    """Return (Q, 1) t >= 0 of E[gap^2] = Var + t mu^2, over all values of a row by generalised least squares from 0."""
    used = np.isfinite(var) & (mu > 0)
    squared = np.where(used, mu, 0.0) ** 2
    known = np.where(used, var, 1.0)
    excess = np.where(used, gap**2 - known, 0.0)
    t = np.zeros((len(gap), 1))
    for _ in range(_ROUNDS):
        weights = squared / (known + t * squared) ** 2
        bottom = (weights * squared).sum(axis=1, keepdims=True)
        top = (weights * excess).sum(axis=1, keepdims=True)
        t = np.maximum(np.divide(top, bottom, out=np.zeros_like(t), where=bottom > 0), 0.0)
    return t


def shrink(rows: Rows, x: Floats, var: Floats, through: Counted) -> Floats:
    """Return (Q, m) x pulled towards independence, mu + k (x - mu), k = t mu^2 / (t mu^2 + Var), cut to [0, N_P]."""
    mu = independent(rows, through)
    spread = fit_spread(x - mu, mu, var) * mu**2
    k = np.divide(spread, spread + var, out=np.zeros_like(x), where=np.isfinite(var) & (spread > 0))
    shrunk: Floats = np.clip(mu + k * (x - mu), 0.0, np.maximum(rows.total, 0.0)[:, None])
    return shrunk


def corrected(rows: Rows, x: Floats, var: Floats, through: Transition) -> tuple[Floats, Floats]:
    """Return (Q, m) `unbiased` less what a and b_s miss of the true transition, and (Q, m) the part of y that is.

    What is missed depends on which other values P holds, taken from `shrink`: a composition that scatters little costs
    almost no variance, where the inverse of the whole matrix would.
    """
    composition = shrink(rows, x, var, through)
    total = np.maximum(rows.total, 0.0)[:, None]
    composition = composition * (total / np.maximum(composition.sum(axis=1, keepdims=True), 1e-300))
    spilled = through.spill(composition)
    spilled = np.where(through.readable, spilled, 0.0)
    return x - spilled / np.where(through.readable, through.signal, 1.0), spilled
