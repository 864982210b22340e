"""Estimates of true counts from published ones, whole matrices at once (mechanism.md section 4).

A row is one selection P of records by their NSAs; a column is one value s of an SA. Where a question has conditions on
further SAs, every selected record enters with the weight phi of those conditions (the Kronecker product of the
transitions, inverted): `Rows` then holds weighted counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from splu_desktop.core.transition import Floats, Transition

NORMAL_95 = 1.959963984540054
_ROUNDS = 10  # of the shrinkage's fit; it settles in about that many
_STEPS = 20_000  # of Eq. 13-14 at most
PRINTED_STOP = 0.01  # the journal's stopping rule: no component moves by more than 1 %
FINE_STOP = 1e-7


class Method(Enum):
    """The estimators offered. The value is what the command line and files call it."""

    UNBIASED = "unbiased"
    SHRUNK = "shrunk"
    BAYES = "bayes"
    AS_PUBLISHED = "as-published"


DEFAULT = Method.SHRUNK


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


def unbiased(rows: Rows, through: Transition) -> Floats:
    """Return (Q, m) x = (y - N_P b_s) / (a - b_s); the independent estimate where a - b_s tells nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        x = (rows.y - rows.total[:, None] * through.b) / through.signal
    return np.where(through.readable, x, independent(rows, through))


def independent(rows: Rows, through: Transition) -> Floats:
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
    a, pi = through.a, through.sharing
    inside = np.clip(x, 0.0, np.maximum(rows.total, 0.0)[:, None])
    w = np.maximum(rows.total, 0.0)[:, None] - inside
    if rows.weighted:
        inner = rows.squares
        outer = rows.squares.sum(axis=1, keepdims=True) - inner
        record = inner * (1 - through.b) ** 2 + outer * through.b**2 - inside * through.signal**2
        record = np.maximum(record, 0.0)
    else:
        record = a * (1 - a) * (inside + w * pi) + a * a * w * pi * (1 - pi)
    return _over_signal(record + coupling(inside, w, through), through)


def coupling(x: Floats, w: Floats, through: Transition) -> Floats:
    """Return what records have in common, times (a - b)^2: groups drawn without replacement, and f'_s for f_s."""
    a, pi, f = through.a, through.sharing, through.counts
    moved = w * through.slope
    groups = -a * a * pi * (1 - pi) * w * np.minimum(w / through.others, 1.0)
    return groups + moved**2 * f * (1 - a) - 2 * moved * a * (1 - a) * (x + w * pi)


def _over_signal(numerator: Floats, through: Transition) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        # Estimated terms may cancel to below nothing; one record's worth of drawing is left in any case.
        floor = through.a * (1 - through.a) * 1e-6
        return np.where(through.readable, np.maximum(numerator, floor) / through.signal**2, np.inf)


def shrink(rows: Rows, x: Floats, var: Floats, through: Transition) -> Floats:
    """Return (Q, m) x pulled towards independence, mu + k (x - mu), k = t mu^2 / (t mu^2 + Var), cut to [0, N_P].

    t >= 0 fits E[(x - mu)^2] = Var + t mu^2 over all values of one P by generalised least squares, from t = 0.
    """
    mu = independent(rows, through)
    used = np.isfinite(var) & (mu > 0)
    squared = np.where(used, mu, 0.0) ** 2
    known = np.where(used, var, 1.0)
    excess = np.where(used, (x - mu) ** 2 - known, 0.0)
    t = np.zeros((len(x), 1))
    for _ in range(_ROUNDS):
        weights = squared / (known + t * squared) ** 2
        bottom = (weights * squared).sum(axis=1, keepdims=True)
        top = (weights * excess).sum(axis=1, keepdims=True)
        t = np.maximum(np.divide(top, bottom, out=np.zeros_like(t), where=bottom > 0), 0.0)
    spread = t * squared
    k = np.divide(spread, spread + known, out=np.zeros_like(x), where=used)
    shrunk: Floats = np.clip(mu + k * (x - mu), 0.0, np.maximum(rows.total, 0.0)[:, None])
    return shrunk


def bayes_by_value(rows: Rows, through: Transition) -> Floats:
    """Return (Q, m) the fixed point of journal Eq. 13 with the right b_s, for one SA.

    With two states the maximum of the likelihood is known: the unbiased estimate cut to [0, N_P].
    """
    return np.clip(unbiased(rows, through), 0.0, rows.total[:, None])


def as_published_by_value(rows: Rows, through: Transition) -> Floats:
    """Return (Q, m) journal Eq. 13-14 as printed: b_s = f_s / N, start x = y, stop when no component moves by 1 %."""
    inside = rows.y
    cells = np.stack([rows.total[:, None] - inside, inside], axis=-1)
    printed = np.empty((*inside.shape, 2, 2))
    f = through.counts / through.n
    printed[..., 0, 0], printed[..., 0, 1] = 1 - f, f
    printed[..., 1, 0], printed[..., 1, 1] = 1 - 1 / through.gamma, 1 / through.gamma
    flat = iterate(cells.reshape(-1, 2), printed.reshape(-1, 2, 2), PRINTED_STOP)
    return flat[:, 1].reshape(inside.shape)


def iterate(y: Floats, matrix: Floats, stop: float = FINE_STOP) -> Floats:
    """Return the fixed point of x_i <- sum_j y_j M_ij x_i / sum_r M_rj x_r (journal Eq. 13-14), from x = y.

    Parameters
    ----------
    y : (Q, K) published counts of the K states of each question.
    matrix : (Q, K, K) or (K, K), M_ij the probability that a record in state i is published in state j.
    stop : largest relative move of a component at which a question is done.
    """
    x = y.astype(np.float64, copy=True)
    matrix = np.broadcast_to(matrix, (len(y), *matrix.shape[-2:]))
    going = np.flatnonzero(y.sum(axis=1) > 0)
    for _ in range(_STEPS):
        if not len(going):
            break
        old, through = x[going], matrix[going]
        expected = np.einsum("qi,qij->qj", old, through)
        ratio = np.divide(y[going], expected, out=np.zeros_like(expected), where=expected > 0)
        new = old * np.einsum("qij,qj->qi", through, ratio)
        x[going] = new
        # A component on its way to 0 moves by a constant share for ever; below a millionth of a record it is there.
        moved = np.abs(new - old) > stop * np.maximum(old, 1e-6)
        going = going[moved.any(axis=1)]
    return x
