"""The chance that a record of one value is published as another, from groups of several sizes (mechanism.md section 5).

T[v, u] = (1 / f_v) sum over groups of copies_v copies_u / size. For well mixed groups the sum over the groups of one
size is their number times the mean of a known law (`core.groups.law`), so T follows from the counts, the sizes and the
shares of the records in each. The custodian computes it from true counts to choose the sizes, the reader of a release
from published ones to estimate.

A law that no group can follow is an error (`NoLaw`), never repaired: a search passes such sizes over, and a reader
whose published counts no groups explain is told that nothing is known (`MixedGroups.untold`).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.groups.law import NoLaw
from splu_desktop.core.groups.layout import Ints, bounds_of
from splu_desktop.core.groups.shares import slopes, spread
from splu_desktop.core.groups.sized import SizedGroups
from splu_desktop.core.groups.states import Law, law_of
from splu_desktop.frozen import dataclass

Floats = NDArray[np.float64]

_SLIP = 1e-6  # of the records, that may be left without a place
_PAIR = 2  # members of the groups of which it is followed how often which values meet
_FLAT = 1e-10  # of the largest variance of copies: what rounding leaves of those that are always as many
_ASTRAY = 1e-3  # of a value's records, by which its law may miss them


@dataclass(frozen=True, eq=False)
class MixedGroups:
    """Mixed groups of several sizes over m values.

    With fake values, as often of each value as the class's records are, the values of a group of S records follow the
    law of groups of S + sigma, of which a random S are real: the counts c of the real ones given all copies t are
    hypergeometric, since the product of lambda^c / c! and (p lambda)^d / d! is lambda^t / t! times the ways to choose.
    So a record's chances are those of such groups, with S / (S + sigma) of their places records.

    Attributes
    ----------
    counts : (m,) records of each value, true or published.
    laws : law of the groups of each size, and their number times the share of their values that are records'.
    matrix : (m, m) T; rows of values without records hold 1 on the diagonal.
    fits : whether the partition meets every bound, as it always does for true counts that the sizes were chosen for.
    records, bounds : (m, q) records of each value in groups of each size, and the most that those can hold.
    column : the column of `records` that each law is about.
    """

    counts: Floats
    laws: tuple[tuple[float, Law], ...]
    matrix: Floats
    fits: bool
    records: Floats
    bounds: Floats
    column: tuple[int, ...]
    stated: bool = True

    @classmethod
    def of(cls, counts: Floats, most: Ints, grouping: SizedGroups) -> MixedGroups:
        """Return the groups that the counts, the (m, q) caps, the sizes and the shares make.

        Raises NoLaw where there are none such.
        """
        total = int(counts.sum())
        room, numbers = grouping.room(total).astype(np.float64), grouping.numbers(total)
        bounds = bounds_of(counts, most, grouping)
        records = spread(counts, room, bounds)
        slip = max(np.abs(records.sum(axis=0) - room).max(), np.abs(records.sum(axis=1) - counts).max())
        laws: list[tuple[float, Law]] = []
        column: list[int] = []
        shared = np.zeros((len(counts), len(counts)))
        for j, size in enumerate(grouping.sizes):
            if numbers[j] < 1 or records[:, j].sum() <= 0:
                continue
            caps = most[:, j]
            parts = _parts(records[:, j], caps, size, int(numbers[j]), int(room[j]), grouping.fakes)
            for number, of_size, held in parts:
                whole = of_size + grouping.fakes
                law = law_of(held * (whole / held.sum()), caps, whole)
                weight = number * of_size / whole
                laws.append((weight, law))
                column.append(j)
                shared += weight / whole * law.pairs()
        rows = shared.sum(axis=1)
        fits = bool(slip <= _SLIP * max(total, 1))
        there = counts > 0
        if not np.isfinite(shared).all() or (rows[there] <= 0).any():
            raise NoLaw
        if fits and (np.abs(rows - counts) > _ASTRAY * np.maximum(counts, 1.0)).any():
            raise NoLaw
        matrix = np.eye(len(counts))
        matrix[there] = shared[there] / rows[there, None]
        return cls(counts, tuple(laws), matrix, fits, records, bounds, tuple(column))

    @classmethod
    def untold(cls, counts: Floats) -> MixedGroups:
        """Return what is known of groups that no law explains: nothing but the counts themselves."""
        share = counts / max(float(counts.sum()), 1.0)
        none = np.zeros((len(counts), 0))
        return cls(counts, (), np.tile(share, (len(counts), 1)), False, none, none, ())

    def spread_of_means(self, left: Floats, right: Floats) -> Floats:
        """Return (m, k) Cov over the groups of a value's records of the groups' means of two functions of the values.

        For a record of value v in group g, the mean of a function over the members of g is what the record's published
        value gives on average; this is the covariance of two such means, `left` and `right` (m, k), over v's records.
        """
        products = np.zeros((len(self.counts), left.shape[1]))
        weight = np.zeros((len(self.counts), 1))
        for number, law in self.laws:
            products += number / law.size**2 * law.triples(left, right)
            weight += number * law.means()[:, None]
        mean = np.divide(products, weight, out=np.zeros_like(products), where=weight > 0)
        return mean - (self.matrix @ left) * (self.matrix @ right)

    @cached_property
    def _pairs(self) -> tuple[tuple[Floats, Floats], ...]:
        """(m, m) pairs of values, in order, and what finds their part that is a sum, by law of groups of two."""
        found: list[tuple[Floats, Floats]] = []
        for number, law in self.laws:
            if law.size == _PAIR:
                pairs = number * (law.pairs() - np.diag(law.means()))
                every = np.diag(pairs.sum(axis=1)) + pairs
                rest = max(float(every.max()), 1.0) * _FLAT
                found.append((pairs, np.asarray(np.linalg.inv(every + rest * np.eye(len(every))), np.float64)))
        return tuple(found)

    def pairing(self, shares: Floats, functions: Floats) -> Floats:
        """Return what `Mixing` says of it.

        A group of two values v, u adds h = (q_v g_u + q_u g_v) / 2. What of h is a sum of a part of v and one of u
        stands as the counts do; the rest varies as often as each pair comes. Of larger groups it is left out: pairs of
        one group go together, and counted each by itself say up to six times as much as is seen.
        """
        found = np.zeros((len(shares), functions.shape[1]))
        for pairs, sums in self._pairs:
            beside, squares = pairs @ functions, pairs @ functions**2
            for row, share in enumerate(shares):
                own = share[:, None] * functions
                each = share[:, None] * beside + (pairs @ share)[:, None] * functions
                whole = share**2 @ squares + (own * (pairs @ own)).sum(axis=0)
                found[row] += (whole - (each * (sums @ each)).sum(axis=0)) / _PAIR**2
        return np.maximum(found, 0.0)

    def moments(self, functions: Floats) -> tuple[Floats, Floats]:
        """Return what `Mixing` says of k functions g (m, k) of a published value.

        A law's rates move E[F] by Cov(F, c) and the means by Cov(c), so the means move E[F] by Cov(c)^-1 Cov(F, c). The
        copies add up, so only moves that add up to none mean anything. F = c_v (c . g) has T's rows by their records.
        """
        m, k = functions.shape
        left, right = np.repeat(np.eye(m), k, axis=1), np.tile(functions, m)
        by_counts = slopes(self.records, self.counts, self.bounds)
        moved, products = np.zeros((2, m, m, k))
        rows, whole = np.zeros((m, m)), np.zeros((m, 1, 1))
        for (number, law), j in zip(self.laws, self.column, strict=True):
            means, pairs = law.means(), law.pairs()
            follow = np.linalg.pinv(covariance := pairs - np.outer(means, means), rcond=_FLAT, hermitian=True)
            follow = (law.size / self.records[:, j].sum()) * by_counts[j].T @ follow
            triples = law.triples(left, right).reshape(m, m, k)
            products += number / law.size**2 * triples
            triples -= means[:, None, None] * (pairs @ functions)
            moved += number / law.size * np.tensordot(follow, triples, axes=1)
            rows += number * follow @ covariance
            whole += number * means[:, None, None]
        moved -= rows[:, :, None] * (self.matrix @ functions)
        there = np.where(whole > 0, whole, np.inf)
        return moved / there[:, 0], products / there


def _parts(held: Floats, caps: Ints, size: int, groups: int, records: int, fakes: int) -> list[tuple[int, int, Floats]]:
    """Return number and size of the groups that `records` in `groups` groups make, of `size` or one more, and the (m,)
    records of each value in them.

    The larger ones keep the same caps, so a value at its cap in all of them does not get its share of the places more.
    """
    more, over = divmod(records - groups * size, groups)
    parts = [(groups - over, size + more), (over, size + more + 1)]
    if not over:
        return [(*parts[0], held)]
    number, sizes = (np.array(each, np.float64) for each in zip(*parts, strict=True))
    room = number * sizes * (held.sum() / records)
    bounds = np.minimum(caps[:, None] * number * (sizes / (sizes + fakes)), held[:, None])
    split = spread(held, room, bounds)
    if np.abs(split.sum(axis=0) - room).max() > _SLIP * records:
        raise NoLaw
    return [(*part, split[:, at]) for at, part in enumerate(parts)]
