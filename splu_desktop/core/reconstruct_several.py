"""Conditions on further SAs: weights by the Kronecker product of the transitions, and its 2^w-state form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core import reconstruct
from splu_desktop.core.reconstruct import Method
from splu_desktop.core.table import Flags
from splu_desktop.core.transition import Floats, Transition

Indices = NDArray[np.intp]


def weight_of(chosen: Flags, through: Transition) -> Floats:
    """Return (m,) phi(u), a record published as u; its mean is 1 for records whose value is chosen and 0 for others.

    phi(u) = sum over chosen s of ([u = s] - b_s) / (a - b_s). Values that can't be read add nothing.
    """
    gain = np.where(chosen & through.readable, 1.0, 0.0)
    np.divide(gain, through.signal, out=gain, where=gain > 0)
    return gain - float(gain @ through.b)


def set_variance(y: Floats, total: float, x: Floats, picked: Indices, through: Transition) -> float:
    """Return the variance of the sum of unbiased estimates over a set of values of one SA.

    Parameters
    ----------
    y, x : (m,) published counts in the selection and their unbiased estimates.
    total : N_P.
    picked : the set's codes.

    Records' own scatter is sum phi(u)^2 over the selected records less the estimate itself (phi has mean 1 or 0).
    """
    gain = 1.0 / through.signal[picked]
    offset = float(gain @ through.b[picked])
    inside = float(y[picked].sum())
    centre = float(np.clip(x[picked].sum(), 0.0, total))
    own = float(y[picked] @ (gain - offset) ** 2) + (total - inside) * offset**2 - centre
    within = np.clip(x[picked], 0.0, total)
    common = _coupling(within, total - within, picked, through)
    return max(max(own, 0.0) + common, 1e-6)


def _coupling(x: Floats, w: Floats, picked: Indices, through: Transition) -> float:
    """Return the sum over `picked` of what records have in common (reconstruct.coupling), in records squared."""
    at = Transition(through.n, through.a, through.counts[picked], through.gamma)
    return float((reconstruct.coupling(x, w, at) / at.signal**2).sum())


class Further:
    """The conditions of one selection on SAs besides the first.

    Parameters
    ----------
    chosen, through, codes : for each further SA, the chosen labels (m_i,), its transition, and the (N_P,) codes of the
        selected records.
    base : (N_P,) codes of the first SA, which has `m` values.
    """

    def __init__(
        self,
        chosen: Sequence[Flags],
        through: Sequence[Transition],
        codes: Sequence[Indices],
        base: Indices,
        m: int,
    ) -> None:
        self._chosen, self._through = chosen, through
        factors = [weight_of(flags, t)[at] for flags, t, at in zip(chosen, through, codes, strict=True)]
        self.weights: Floats = np.prod(factors, axis=0)
        self.readable = all(t.readable[flags].all() for flags, t in zip(chosen, through, strict=True))
        # Counts with one condition left out: who meets all the others is who could have been drawn into this one.
        self._without = [
            np.bincount(
                base, np.prod([f for k, f in enumerate(factors) if k != i], axis=0) if len(factors) > 1 else None, m
            )
            for i in range(len(factors))
        ]
        state = np.zeros(len(base), np.intp)
        for i, (flags, at) in enumerate(zip(chosen, codes, strict=True)):
            state |= flags[at].astype(np.intp) << i
        states = 1 << len(chosen)
        self.counts: Floats = np.bincount(base * states + state, minlength=m * states).reshape(m, states).astype(float)

    @property
    def published(self) -> Floats:
        """(m,) selected records that meet every further condition as published."""
        return self.counts[:, -1]

    def coupling(self, estimate: float, picked: Indices, base: Transition) -> float:
        """Return what the further SAs' groups and counts f'_s add to the variance of an estimate over `picked`."""
        result = 0.0
        for flags, through, y in zip(self._chosen, self._through, self._without, strict=True):
            total = float(y.sum())
            meeting = float(((y[picked] - total * base.b[picked]) / base.signal[picked]).sum())
            inside = min(max(estimate, 0.0), max(meeting, 0.0))
            codes = np.flatnonzero(flags)
            shares = through.counts[codes] / max(float(through.counts[codes].sum()), 1.0)
            x = inside * shares
            result += _coupling(x, np.maximum(meeting - x, 0.0), codes, through)
        return result

    def by_states(self, chosen: Flags, base: Transition, method: Method) -> float:
        """Return the estimate of journal Eq. 14 over the 2^w states of meeting each condition or not."""
        printed = method is Method.AS_PUBLISHED
        matrix: Floats = np.ones((1, 1))
        # The last factor varies fastest: the first SA lowest, then the further ones in the order of their bits.
        for flags, through in [(chosen, base), *zip(self._chosen, self._through, strict=True)]:
            matrix = np.kron(two_states(flags, through, printed=printed), matrix).astype(np.float64)
        inner = self.counts[chosen].sum(axis=0)
        outer = self.counts[~chosen].sum(axis=0)
        y = np.stack([outer, inner], axis=1).reshape(1, -1)
        if not printed:
            exact = np.linalg.solve(matrix.T, y[0])
            if (exact >= 0).all():  # the linear answer is the likeliest wherever it is possible at all
                return float(exact[-1])
        stop = reconstruct.PRINTED_STOP if printed else reconstruct.FINE_STOP
        return float(reconstruct.iterate(y, matrix, stop)[0, -1])


def two_states(chosen: Flags, through: Transition, *, printed: bool) -> Floats:
    """Return (2, 2) the transition between having none (0) and one (1) of the chosen values.

    A record of one chosen value may be published as another, so the set as a whole keeps more than a. ``printed`` is
    the journal's M_i with b_s = f_s / N and a = 1 / gamma.
    """
    f = through.counts[chosen]
    whole = float(f.sum())
    b = f / through.n if printed else through.b[chosen]
    a = 1 / through.gamma if printed else through.a
    keep = a + float(b.sum()) - (float(f @ b) / whole if whole > 0 else float(b.mean()))
    come = float(b.sum()) if printed else whole * (1 - keep) / max(through.n - whole, 1.0)
    return np.array([[1 - come, come], [1 - keep, keep]])
