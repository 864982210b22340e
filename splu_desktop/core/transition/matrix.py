"""Estimates from groups of several sizes: the whole transition matrix (mechanism.md section 5).

x = y G with G the inverse of T, over all values of a selection P at once. T is computed from the published counts f',
so it moves together with y; to first order around independence (x = q f, q = N_P / N) a selected record published as u
adds (1 - q) G[u, s] + q [u = s] to x_s and any other record -q (G[u, s] - [u = s]), because f' T(f') = f' for every f'.
The variance is that of these contributions: given the groups records are drawn independently, and the groups' means
differ, of which the selected records hold a part without replacement.

For few values the derivative of T by f' is taken itself, so that selections far from independence get their due: with
D[k, s] = x (dT / df'_k) G a selected record adds G[u, s] - D[u, s] and any other -D[u, s]. Where G leaves directions
out, D is less by q (I - T G): else counts of the whole table, x = f', would seem to be exact.
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.thresholds import NORMAL_95
from splu_desktop.frozen import dataclass

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

FEW = 48  # values up to which all are followed as T moves: m^3 numbers are kept, and m^3 steps a selection
_PAIRED = 200  # values up to which the pairs that share groups count for all; beyond, for those that are followed
_FREQUENT = 1 / 8  # of the records, from which a value is followed beside more of them: m^2 numbers each
_AT_ONCE = 1_000_000  # numbers of forms (m, m) of a selection each that are worked on together
_CLEAR = 3.0  # standard deviations: eigenvalues of T below tell nothing
_STILL = 1e-3  # of 1 / N, the least variance of an eigenvalue: none below 0.1 / sqrt(N) tells anything
_UNTOLD = 0.02  # of a value, or of what a state varies, that may be left to directions that tell nothing
_SMALLEST = 1e-9  # of the records: what rounding leaves of none
_ROUNDED = 1e-9  # of the largest singular value of a known T: what rounding leaves of 0


class Mixing(Protocol):
    """How the values of a column are mixed: what a draw says of its matrix."""

    @property
    def matrix(self) -> Floats:
        """(m, m) T[v, u], the chance that a record of value v is published as u."""

    @property
    def fits(self) -> bool:
        """Whether such counts can have been mixed so."""

    @property
    def stated(self) -> bool:
        """Whether a release states the inverse; else recipients find it, and tell no eigenvalue below 3 / sqrt(N)."""

    def spread_of_means(self, left: Floats, right: Floats) -> Floats:
        """Return (m, k) Cov, over what v's records share, of the means of two functions of their published values."""

    def pairing(self, shares: Floats, functions: Floats) -> Floats:
        """Return (Q, k) Var, over how often which values share a group, of the sums that k functions (m, k) of what is
        published have on average over selections with shares (Q, m) of each value's records.
        """

    def moments(self, functions: Floats) -> tuple[Floats, Floats]:
        """Return twice (m, m, k) for k functions g (m, k) of a published value: the derivatives of T g by each count,
        and the mean over what v's records share of the product of the chance of a value and the mean of g.
        """


@dataclass(frozen=True, eq=False)
class Independent:
    """Mixing by draws of each record for itself.

    Attributes
    ----------
    matrix : (m, m) its chances.
    follows : what each chance gains by one more record of the value drawn: c / N where c of all draws are from the
        column itself, 0 where the chances stand.
    """

    matrix: Floats
    fits: bool = True
    follows: float = 0.0
    stated: bool = True

    def spread_of_means(self, left: Floats, right: Floats) -> Floats:
        """Return zeros: records share nothing."""
        return np.zeros((len(left), left.shape[1]))

    def pairing(self, shares: Floats, functions: Floats) -> Floats:
        """Return zeros: records share nothing."""
        return np.zeros((len(shares), functions.shape[1]))

    def moments(self, functions: Floats) -> tuple[Floats, Floats]:
        """Return what the chances gain, the same in every row, and the products of means."""
        products = self.matrix[:, :, None] * (self.matrix @ functions)[:, None]
        return products * 0 + self.follows * functions[:, None], products


@dataclass(frozen=True, eq=False)
class Spread:
    """Variances of one record's contribution, for k functions g of its published value (m, k) and a target's indicator.

    Rows are the record's true value. `drawn` parts are means over the groups of the variance of the draw, `grouped` is
    the variance of the groups' means of g.
    """

    drawn: Floats  # Var g
    mixed: Floats  # Cov(g, indicator)
    kept: Floats  # Var indicator
    grouped: Floats

    def of(self, x: Floats, counts: Floats) -> Floats:
        """Return (Q, k) variances for compositions x (Q, m) of Q selections."""
        q = x.sum(axis=1, keepdims=True) / max(float(counts.sum()), 1.0)
        rest = np.maximum(counts - x, 0.0)
        inside = (1 - q) ** 2 * (x @ self.drawn) + 2 * q * (1 - q) * (x @ self.mixed) + q**2 * (x @ self.kept)
        outside = q**2 * (rest @ self.drawn - 2 * (rest @ self.mixed) + rest @ self.kept)
        held = np.divide(x, counts, out=np.ones_like(x), where=counts > 0)
        dealt = (x * (1 - np.minimum(held, 1.0))) @ self.grouped
        return np.asarray(np.maximum(inside + outside + dealt, 1e-9), np.float64)


def strays(groups: Mixing, counts: Floats, right: Floats) -> Floats:
    """Return (k,) the standard deviations, over releases, of eigenvalues of T with eigenvectors `right` (m, k).

    With f g of a right vector g the left one, scaled to g' f g = 1, a record published as u moves its eigenvalue by
    d_u = (f g)' dT/df'_u g, and Cov f' = f (I - T). A value that is in every group moves nothing, nor is it told.
    """
    drift = np.einsum("kvj,vj->kj", groups.moments(right)[0], counts[:, None] * right)
    drift -= counts @ drift / max(counts.sum(), 1.0)
    squared = counts @ (drift * (drift - groups.matrix @ drift))
    return np.asarray(np.sqrt(np.maximum(squared, _STILL / max(counts.sum(), 1.0))), np.float64)


@dataclass(frozen=True, eq=False)
class MatrixTransition:
    """The draw of one SA by its whole matrix, as the reader of a release knows it.

    Attributes
    ----------
    n : records, N.
    counts : (m,) published counts f'_s, which stand for the true f_s.
    groups : how values are mixed, at these counts.
    """

    n: int
    counts: Floats
    groups: Mixing

    @classmethod
    def of(cls, counts: Floats, groups: Mixing) -> MatrixTransition:
        """Return the transition of one SA with published `counts`."""
        return cls(int(counts.sum()), counts, groups)

    @property
    def matrix(self) -> Floats:
        """(m, m) T[v, u], the chance that a record of value v is published as u."""
        return self.groups.matrix

    @property
    def a(self) -> Floats:
        """(m,) probability that a record of value s keeps it."""
        return np.diag(self.matrix)

    @cached_property
    def b(self) -> Floats:
        """(m,) probability that a record of another value is published as s."""
        others = np.maximum(self.n - self.counts, 1e-9)
        return np.asarray((self.counts @ self.matrix - self.counts * self.a) / others, np.float64)

    @property
    def signal(self) -> Floats:
        """(m,) a_s - b_s."""
        return self.a - self.b

    @cached_property
    def _inverted(self) -> tuple[Floats, Floats]:
        return self.inverted(self.matrix, self.counts, self.groups)

    @property
    def inverse(self) -> Floats:
        """(m, m) G; directions that tell nothing are left out."""
        return self._inverted[0]

    @property
    def hidden(self) -> Floats:
        """(k, m) compositions of which y tells nothing: those G leaves out, 0 where values are independent of P."""
        return self._inverted[1]

    @staticmethod
    def inverted(matrix: Floats, counts: Floats, groups: Mixing | None = None) -> tuple[Floats, Floats]:
        """Return (m, m) the inverse of T over the directions that tell anything, and (k, m) the other ones.

        T is computed from published counts, so its eigenvalues stray: by 1 / sqrt(N) at most, where `groups` are known
        as these say (`strays`). Those within three standard deviations of 0 tell nothing. Of a single one below
        3 / sqrt(N), that no value has less than no record often says more: it is told where an interval of half of the
        records along it is narrower than that leaves possible. Variances need no room for how eigenvalues stray beside
        T's derivatives: they are those of the sum divided by the eigenvalue that was found.
        """
        root, n = np.sqrt(np.maximum(counts, 1e-9)), max(int(counts.sum()), 1)
        even = root[:, None] * matrix / root
        values, vectors = np.linalg.eigh((even + even.T) / 2)
        low = values <= _CLEAR / np.sqrt(n)
        least = np.where(low, np.inf, 0.0)
        faint = low & (values > 0)
        if groups is not None and groups.fits and groups.stated and faint.any():
            ways = vectors[:, faint] / root[:, None]
            worth = NORMAL_95 * np.abs(ways).max() if low.sum() == 1 else 0.0
            least[faint] = np.maximum(_CLEAR * strays(groups, counts, ways), worth)
        clear = values > least
        known = vectors[:, clear]
        inverse = (known / values[clear]) @ known.T / root[:, None] * root
        return np.asarray(inverse, np.float64), vectors[:, ~clear].T * root

    @cached_property
    def readable(self) -> Flags:
        """(m,) whether the value can be told from the others at all."""
        return np.asarray(np.abs(np.diag(self.matrix @ self.inverse) - 1) < _UNTOLD)

    @property
    def moving(self) -> Flags:
        """(m,) of which values T moves with the published counts, instead of being known."""
        return np.ones(len(self.counts), bool)

    @property
    def settled(self) -> bool:
        """Whether published counts of the whole table tell the true ones by themselves, and T moves with them."""
        return bool(self.moving.all())

    @property
    def shift(self) -> Floats:
        """(m,) what each selected record adds to y G where no groups explain counts as large, so that f' is kept."""
        if self.groups.fits:
            return np.zeros(len(self.counts))
        return np.asarray((self.counts - self.counts @ self.inverse) / max(self.n, 1), np.float64)

    def weights(self, chosen: Flags) -> Floats:
        """Return (m,) phi(u), of mean 1 for records of a chosen value and 0 for others, as far as they can be told."""
        return np.asarray(self.inverse @ chosen, np.float64)

    def two_states(self, chosen: Flags) -> Floats:
        """Return (2, 2) the transition between having none (0) and one (1) of the chosen values."""
        flags = chosen.astype(np.float64)
        into = self.matrix @ flags
        own, others = self.counts * flags, self.counts * (1 - flags)
        keep = float(own @ into) / float(own.sum()) if own.sum() > 0 else float(into[chosen].mean())
        come = float(others @ into) / max(float(others.sum()), 1e-300)
        return np.array([[1 - come, come], [1 - keep, keep]])

    def variance(self, x: Floats, chosen: Flags | None = None) -> Floats:
        """Return variances of estimates in selections of compositions x (Q, m).

        (Q, m), one per value; with k sets of values `chosen` (m, k), (Q, k) of their sums.
        """
        sets = np.eye(len(self.counts)) if chosen is None else chosen.astype(np.float64)
        # Where a selection is like the whole table, what it gains from T's derivatives it loses elsewhere.
        like = np.isclose(x, x.sum(axis=1, keepdims=True) * (self.counts / max(self.n, 1))).all(axis=1)
        away = np.flatnonzero(~like)
        at = self._moved if chosen is None else np.arange(sets.shape[1] if len(self.counts) <= FEW else 0)
        if not len(at) or not self.groups.fits:
            like[:] = True
        found = np.zeros((len(x), sets.shape[1]))
        if like.any() or len(at) < sets.shape[1]:
            spread = self._by_value if chosen is None else self._spread(self.inverse @ sets, sets)
            found[:] = spread.of(x, self.counts)
        if not like.all():
            moments = self._followed_by_value if chosen is None else self._moments(sets)
            step = max(1, _AT_ONCE // len(at) // len(sets))
            for rows in np.split(others := np.flatnonzero(~like), range(step, len(others), step)):
                found[np.ix_(rows, at)] = self._followed(x[rows], sets[:, at], moments)
        if len(away) and self.groups.fits:
            at = np.arange(sets.shape[1]) if len(self.counts) <= _PAIRED else at
            held = np.divide(x[away], self.counts, out=np.ones((len(away), x.shape[1])), where=self.counts > 0)
            found[np.ix_(away, at)] += self.groups.pairing(np.minimum(held, 1.0), self.inverse @ sets[:, at])
        return found

    def third(self, x: Floats, chosen: Flags | None = None) -> Floats:
        """Return third central moments of what the records' draws add to estimates, (Q, m) or (Q, k).

        To first order, as above: of a record selected (1 - q) G[u, s] + q [u = s], of any other the same less G[u, s].
        """
        if chosen is None:
            powers = self._cubed_by_value
        else:
            sets = chosen.astype(np.float64)
            powers = self._cubes(self.inverse @ sets, sets)
        q = x.sum(axis=1, keepdims=True) / max(self.n, 1) if self.settled else np.zeros((len(x), 1))
        rest = np.maximum(self.counts - x, 0.0)
        found: Floats = np.zeros((len(x), powers[0].shape[1]))
        for number, (times, power) in enumerate(zip((1, 3, 3, 1), powers, strict=True)):
            found += times * (1 - q) ** (3 - number) * q**number * (x @ power)
            found += times * (-1) ** (3 - number) * q**3 * (rest @ power)
        return found

    @cached_property
    def _cubed_by_value(self) -> tuple[Floats, ...]:
        return self._cubes(self.inverse, np.eye(len(self.counts)))

    def _cubes(self, functions: Floats, indicator: Floats) -> tuple[Floats, ...]:
        """Return (m, k) third central moments g g g, g g i, g i i and i i i of k functions g (m, k) of what a record of
        each value shows, and as many targets' indicators i.
        """
        g, i = self.matrix @ functions, self.matrix @ indicator
        gg, gi = self.matrix @ functions**2, self.matrix @ (functions * indicator)
        return (
            self.matrix @ functions**3 - 3 * g * gg + 2 * g**3,
            self.matrix @ (functions**2 * indicator) - i * gg - 2 * g * gi + 2 * g**2 * i,
            gi - 2 * i * gi - g * i + 2 * g * i**2,
            i - 3 * i**2 + 2 * i**3,
        )

    @cached_property
    def _moved(self) -> NDArray[np.intp]:
        """The values whose variances follow T as it moves with the published counts."""
        return np.flatnonzero((self.counts > _FREQUENT * self.n) | (len(self.counts) <= FEW))

    @cached_property
    def _by_value(self) -> Spread:
        return self._spread(self.inverse, np.eye(len(self.counts)))

    @cached_property
    def _followed_by_value(self) -> tuple[Floats, Floats, Floats]:
        return self._moments(np.eye(len(self.counts))[:, self._moved])

    def _moments(self, sets: Floats) -> tuple[Floats, Floats, Floats]:
        """Return D, (m, m, k) (dT / df'_k G)[v], k moving at the cost of all values in proportion; P of the functions
        and each value's indicator, (m, m, k), and of the functions themselves, (m, k).

        P[v] is the mean over the groups of v's records of the product of what two functions are there on average.
        """
        function = self.inverse @ sets
        moved, products = self.groups.moments(function)
        moved -= np.tensordot(self.counts / max(self.n, 1), moved, axes=1)
        return moved, products, np.einsum("vuk,uk->vk", products, function)

    def _followed(self, x: Floats, sets: Floats, moments: tuple[Floats, Floats, Floats]) -> Floats:
        """Return (Q, k) variances. A record of v is drawn from its group, so h and g of what it shows have covariance
        T (h g) - P(h, g), P as in `_moments`, and over all records f' P(h, g) = f' (h (T g)).
        """
        derivative, pairs, own = moments
        function = self.inverse @ sets
        moved = np.tensordot(x, derivative, axes=(1, 1))
        # f' G = f' whatever G leaves out, so of that P has its share of f', which moves with f': q (I - T G).
        share = x.sum(axis=1) / max(self.n, 1)
        moved -= share[:, None, None] * (sets - self.matrix @ self.inverse @ sets)
        held = np.divide(x, self.counts, out=np.ones_like(x), where=self.counts > 0)
        dealt = x * (1 - np.minimum(held, 1.0))
        selected = x @ (self.matrix @ function**2 - own)
        shared = ((x @ self.matrix)[:, :, None] * function - np.tensordot(x, pairs, axes=1)) * moved
        others = moved * (moved - np.matmul(self.matrix, moved)) * np.maximum(self.counts, x)[:, :, None]
        means = dealt @ (own - (self.matrix @ function) ** 2)
        return np.asarray(np.maximum(selected + (others - 2 * shared).sum(axis=1) + means, 1e-9), np.float64)

    def _spread(self, functions: Floats, indicator: Floats) -> Spread:
        """Return the spread of k functions (m, k) with their targets' indicators (m, k)."""
        matrix = self.matrix
        mean, kept = matrix @ functions, matrix @ indicator
        grouped = np.maximum(self.groups.spread_of_means(functions, functions), 0.0)
        mixed = self.groups.spread_of_means(functions, indicator)
        own = np.maximum(self.groups.spread_of_means(indicator, indicator), 0.0)
        return Spread(
            drawn=matrix @ functions**2 - mean**2 - grouped,
            mixed=matrix @ (functions * indicator) - mean * kept - mixed,
            kept=matrix @ indicator**2 - kept**2 - own,
            grouped=grouped,
        )


@dataclass(frozen=True, eq=False)
class PartedTransition(MatrixTransition):
    """The draw of states, each in several parts, of which only whole states are asked for.

    Attributes
    ----------
    parts : (m,) of which of the states that are asked for each value is part.
    """

    parts: NDArray[np.intp]

    @cached_property
    def readable(self) -> Flags:
        """(m,) all or none: whether each state, as told from all others, varies hardly along hidden directions.

        So it does not matter which of two that leave each other is asked for, nor in which order they stand.
        """
        member = np.eye(int(self.parts.max()) + 1)[self.parts]
        own = self.counts[:, None] * member
        whole, found = own.sum(axis=0), (own * (self.matrix @ self.inverse @ member)).sum(axis=0)
        left = whole - found - _UNTOLD * whole * (1 - whole / max(self.n, 1))
        return np.full(len(self.counts), bool((left <= _SMALLEST * self.n).all()))


@dataclass(frozen=True, eq=False)
class KnownTransition(MatrixTransition):
    """The draw of one SA by a matrix that is published, not computed from the counts.

    Then y moves alone: a record of v selected adds G[u, s] with u drawn by row v of T, and no other adds anything.
    """

    @staticmethod
    def inverted(matrix: Floats, counts: Floats, groups: Mixing | None = None) -> tuple[Floats, Floats]:
        """Return (m, m) the inverse of T, of its clear directions where it has others, and (k, m) those.

        T is known, not computed from counts: a direction that tells little is paid for in variance. Left out, it would
        bias every count and no interval would say so: 82 % held for 95 %.
        """
        left, sizes, right = np.linalg.svd(matrix)
        clear = sizes > _ROUNDED * sizes[0]
        inverse = (right[clear].T / sizes[clear]) @ left[:, clear].T
        return np.asarray(inverse, np.float64), left[:, ~clear].T

    @property
    def moving(self) -> Flags:
        """(m,) none."""
        return np.zeros(len(self.counts), bool)

    def variance(self, x: Floats, chosen: Flags | None = None) -> Floats:
        drawn = self._scatter if chosen is None else self._scattered(self.inverse @ chosen.astype(np.float64))
        return np.asarray(np.maximum(x @ drawn, 1e-9), np.float64)

    @cached_property
    def _scatter(self) -> Floats:
        """(m, m) for every single value; asked for each condition, and m^3 where there are many values."""
        return self._scattered(self.inverse)

    def _scattered(self, function: Floats) -> Floats:
        """Return (m, k) variances of k functions (m, k) of what a record of each value shows."""
        return np.asarray(np.maximum(self.matrix @ function**2 - (self.matrix @ function) ** 2, 0.0), np.float64)
