"""The journal's states (Definition 5): meeting each sensitive condition or not. Its Eq. 13-14, right and as printed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.transition.two_numbers import Floats

_STEPS = 2_000  # of Eq. 13-14 at most
_PRINTED_STOP = 0.01  # the journal's stopping rule: no component moves by more than 1 %
_FINE_STOP = 1e-6
_GONE = 1e-6  # records below which a component has arrived at 0: on its way there it moves by a constant share for ever


def joint(states: Iterable[Floats]) -> Floats:
    """Return (2^w, 2^w) the Kronecker product of conditions' (2, 2) transitions, the first one's bit the lowest."""
    return reduce(lambda matrix, state: np.kron(state, matrix).astype(np.float64), states, np.ones((1, 1)))


def likeliest(y: Floats, matrix: Floats) -> float:
    """Return the estimate of the last state by Eq. 13-14 with the right transition: a maximum of the likelihood.

    The one there is, but where the matrix is singular: then several compositions are as likely, none is called the
    straight answer, and Eq. 13-14 take the one that they reach from the published states. What such a question gets for
    an interval is all that is possible.
    """
    if np.linalg.matrix_rank(matrix) == len(y):
        exact = np.linalg.solve(matrix.T, y)
        if (exact >= 0).all():  # the linear answer is the likeliest wherever it is possible at all
            return float(exact[-1])
        if len(y) == 2:  # where it is not, the likelihood of one unknown is highest at the end of its range next to it
            return float(np.clip(exact[-1], 0.0, y.sum()))
    x = y.astype(np.float64)
    for _ in range(_STEPS):
        expected = x @ matrix
        ratio = np.divide(y, expected, out=np.zeros_like(expected), where=expected > 0)
        new = x * (matrix @ ratio)
        settled = (np.abs(new - x) <= _FINE_STOP * np.maximum(x, _GONE)).all()
        x = new
        if settled:
            break
    return float(x[-1])


def as_printed(y: Floats, n: int, gammas: Sequence[float | Floats]) -> Floats:
    """Return (Q,) journal Eq. 13-14 as printed: start x = y, stop when no component moves by 1 %.

    Parameters
    ----------
    y : (Q, 2^(w+1)) published records by state; bit i for meeting sensitive condition i, the top bit for P.
    n : records, N.
    gammas : the w group sizes, each one number or (Q,) of them.

    M_i = ((1 - f_s / N, f_s / N), (1 - 1 / gamma, 1 / gamma)) with f_s from the current x, as Eq. 6-9 say.
    """
    outcome = y.astype(np.float64, copy=True)
    meets = (np.arange(y.shape[1])[:, None] >> np.arange(len(gammas)) & 1).astype(np.float64)
    going: NDArray[np.intp] = np.flatnonzero(y[:, -1] > 0)
    keeps = np.stack([np.broadcast_to(1 / np.asarray(gamma, np.float64), (len(y),)) for gamma in gammas], axis=1)
    # P is published as it is, so the two halves never mix.
    shown = outcome.reshape(len(y), 2, -1).copy()
    for _ in range(_STEPS):
        if not len(going):
            break
        old = outcome[going]
        into = np.stack([old @ meets / n, keeps[going]], axis=2)  # (q, w, 2) chance of s, without it and with
        each = np.stack([1 - into, into], axis=3)
        moves = each[:, 0]
        for bit in range(1, len(gammas)):
            moves = (each[:, bit, :, None, :, None] * moves[:, None, :, None, :]).reshape(
                len(going), 2 * moves.shape[1], -1
            )
        halves, seen = old.reshape(len(going), 2, -1), shown[going]
        expected = halves @ moves
        ratio = np.divide(seen, expected, out=np.zeros_like(expected), where=expected > 0)
        new = (halves * (ratio @ moves.transpose(0, 2, 1))).reshape(old.shape)
        outcome[going] = new
        moved = np.abs(new - old) > _PRINTED_STOP * np.maximum(old, _GONE)
        going = going[moved.any(axis=1)]
    return np.where(y[:, -1] > 0, outcome[:, -1], 0.0)
