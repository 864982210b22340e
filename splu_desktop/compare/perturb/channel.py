"""What all of them share: a published matrix T[v, u] = P(shown u | true v), each record drawn by itself.

Counts are estimated by the scores T^-1 h of the values asked for, unbiased (mechanism.md section 4): a record of value
v adds one with variance W_v = sum over u of T[v, u] phi_u^2 - h_v, so V(x) = N_P w0 + x (w1 - w0) with the means of W
over the values asked for and over the others.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from splu_desktop.compare.base.laws import stepped
from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import Flags, Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.base.unbiased import Unbiased
from splu_desktop.core.answer.counts import Counted

_SINGULAR = 1e-10  # of a value's way through T and back


def drawn(matrix: Floats, codes: NDArray[np.integer], chance: np.random.Generator) -> NDArray[np.int32]:
    """Return (N,) shown values: a record of value v shows u with the chance T[v, u]."""
    ends = np.cumsum(matrix, axis=1)
    ends[:, -1] = 1.0
    # Rows are laid end to end, so that one search serves all records.
    place = np.searchsorted((ends + np.arange(len(ends))[:, None]).ravel(), codes + chance.random(len(codes)), "right")
    return np.asarray(np.minimum(place - codes * len(ends), len(ends) - 1), np.int32)


def evenly(m: int, keep: float) -> Floats:
    """Return (m, m) the matrix that keeps a value with `keep` and takes every other one with equal chance."""
    matrix = np.full((m, m), (1 - keep) / max(m - 1, 1))
    np.fill_diagonal(matrix, keep)
    return matrix


def inverse(matrix: Floats) -> Floats:
    """Return T^-1. Raises Impossible where nothing leads back."""
    left, sizes, right = np.linalg.svd(matrix)
    if sizes[-1] < _SINGULAR * sizes[0]:
        raise Impossible("With this setting the shown values can't be worked back to counts.")
    return np.asarray((right.T / sizes) @ left.T)


def normal_law(matrix: Floats, source: TrueTable, count: int) -> tuple[Floats, Floats]:
    """Return the law of the estimate of a count, near a normal one: a sum over all records of the table."""
    at = int(np.argmin(np.abs(source.counts - count)))
    phi = inverse(matrix)[:, at]
    each = matrix @ phi**2 - np.eye(source.m)[at]
    others = np.where(np.arange(source.m) == at, 0.0, source.counts)
    variance = count * each[at] + (source.n - count) * float(others @ each) / max(float(others.sum()), 1.0)
    return stepped(ndtri, float(np.sqrt(max(variance, 0.0))), count)


def ratio(matrix: Floats) -> float:
    """Return ln of the most that two true values differ in the chance of anything shown."""
    least = matrix.min(axis=0)
    return float(np.log((matrix.max(axis=0) / least).max())) if (least > 0).all() else np.inf


class Channelled(Unbiased):
    """A table whose sensitive values went through T, records in the source's order."""

    def __init__(self, source: TrueTable, matrix: Floats, chance: np.random.Generator) -> None:
        if source.m < 2:
            raise Impossible("“{name}” has one value only, so nothing can be exchanged.", name=source.sensitive.name)
        self.source, self.matrix = source, matrix
        self.shown = drawn(matrix, source.sensitive.codes, chance)

    @cached_property
    def _back(self) -> Floats:
        return inverse(self.matrix)

    @cached_property
    def published_shares(self) -> Floats:
        likely = np.maximum(np.bincount(self.shown, minlength=self.source.m) @ self._back, 0.5)
        return np.asarray(likely / likely.sum())

    def count(self, questions: CountingQuestions, sets: Flags) -> Counted:
        y = questions.histogram(self.shown, self.source.m)
        h = sets.T.astype(np.float64)
        phi = self._back @ h
        spread = np.maximum(self.matrix @ phi**2 - h, 0.0)  # (m, U)
        inside, outside = h * self.published_shares[:, None], (1 - h) * self.published_shares[:, None]
        with_it = (inside * spread).sum(axis=0) / inside.sum(axis=0)
        without = (outside * spread).sum(axis=0) / np.maximum(outside.sum(axis=0), 1e-12)
        level = y.sum(axis=1, keepdims=True) * without
        return Counted(y @ phi, level, np.broadcast_to(with_it - without, level.shape))

    def row(self, records: Ints) -> Floats:
        joint = self.source.shares * self.matrix[:, self.shown[records]].T
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))

    def insider(self, records: Ints, questions: CountingQuestions) -> Floats:
        # Records are drawn independently: what all others are adds nothing to the row but the shares.
        return np.asarray(self.row(records)[np.arange(len(records)), self.source.sensitive.codes[records]])
