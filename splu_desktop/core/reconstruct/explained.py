"""How far two SAs go together because both go with the unchanged columns.

A pair of re-drawn values scatters so widely that most of an estimate about two SAs is the target it is pulled towards.
Independence of the two within the selection is a poor one: age and occupation both go with education, family status and
weeks worked, and those columns stand in the release as they were. So each SA's values get a regression on all NSAs,

    E[phi_s(u_i)] = p_s(z_i) ~ f_s / N + sum over NSAs j of beta_s[j, z_ij],

linear, so that the weights phi of the inverse transition (mean 1 for a record of s, 0 for any other) stand for the true
values without bias, and of two SAs with errors of their own. In a selection P the two then go together by

    d = mean over P of p_s p_t / (mean of p_s * mean of p_t)

(conditional independence given the NSAs). The coefficients are ridge estimates, the penalty of each value fitted by its
marginal likelihood (empirical Bayes): a value about which the NSAs tell nothing gets d = 1. Where records fall into few
enough strata, `reconstruct_strata` does better.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.published import Published
from splu_desktop.core.table import Column
from splu_desktop.core.transition.two_numbers import Floats, Transition
from splu_desktop.frozen import dataclass

Indices = NDArray[np.intp]

_BINS = (20, 12, 6, 3)  # values of one column told apart at most; fewer where there are many columns
_MOST = 500  # of them over all columns
_SAMPLE = 100_000  # records the columns' own cross-tables are taken from; their order is random
TOLD_BY = 1 << 22  # records that tell how columns go together; their order is random
_LOOKED_AT = 10_000  # records of a selection that d is taken from
_PENALTIES = 10.0 ** np.linspace(-6, 1, 29)  # variance of an explained share, relative to that of phi
D_RANGE = (0.05, 20.0)
_LEAST = 1e-300


@dataclass(frozen=True, eq=False)
class Design:
    """The NSAs as groups of values.

    Attributes
    ----------
    names, groups : the columns used and per column the group of each of its labels.
    offsets : (J,) where each column's groups begin among all D.
    places : (J, K) group of each of the first records, as its place among all D.
    mean : (D,) shares of the groups.
    roots, vectors : (D,), (D, D) of the groups' covariance.
    """

    names: tuple[str, ...]
    groups: tuple[Indices, ...]
    offsets: Indices
    places: NDArray[np.uint16]
    mean: Floats
    roots: Floats
    vectors: Floats

    @classmethod
    def of(cls, published: Published) -> Design | None:
        """Return the design of a release, None where no NSA has two values."""
        columns = [published.table[name] for name in published.nsas if published.table[name].m > 1]
        for bins in _BINS:
            if sum(min(column.m, bins + 1) for column in columns) <= _MOST:
                break
        columns = columns[: _MOST // (bins + 1)] if sum(min(c.m, bins + 1) for c in columns) > _MOST else columns
        if not columns:
            return None
        groups = tuple(_grouped(column, bins) for column in columns)
        sizes = np.array([int(group.max()) + 1 for group in groups])
        offsets = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
        places = np.stack(
            [
                (group + start).astype(np.uint16)[column.codes[:TOLD_BY]]
                for group, start, column in zip(groups, offsets, columns, strict=True)
            ]
        )
        d = int(sizes.sum())
        counts = [np.bincount(group, column.counts()) for group, column in zip(groups, columns, strict=True)]
        mean = np.concatenate(counts) / columns[0].n
        shown = places[:, :_SAMPLE].astype(np.intp)
        pairs = np.zeros((d, d))
        for at, other in itertools.combinations_with_replacement(range(len(columns)), 2):
            across, down = (slice(offsets[k], offsets[k] + sizes[k]) for k in (other, at))
            keys = (shown[at] - offsets[at]) * sizes[other] + (shown[other] - offsets[other])
            both = np.bincount(keys, minlength=sizes[at] * sizes[other]).reshape(sizes[at], sizes[other])
            pairs[down, across] = both
            pairs[across, down] = both.T
        own = np.bincount(shown.ravel(), minlength=d) / shown.shape[1]
        roots, vectors = np.linalg.eigh(pairs / shown.shape[1] - np.outer(own, own))
        names = tuple(column.name for column in columns)
        return cls(names, groups, offsets, places, mean, np.maximum(roots, 0.0), vectors)

    def fitted(self, through: Transition, phi: Floats, crossed: Callable[[str, Indices], Floats]) -> Floats:
        """Return (D, m) coefficients beta of each value of an SA.

        Parameters
        ----------
        phi : (m, m) weights of each value s (down) for each published value u (across).
        crossed : gives (groups, m) published counts of a column's groups.
        """
        n = through.n
        tops = (
            np.concatenate([crossed(name, group) @ phi.T for name, group in zip(self.names, self.groups, strict=True)])
            / n
        )
        shares = through.counts / n
        average = phi @ shares
        noise = np.maximum((phi**2) @ shares - average**2, _LEAST)
        turned = self.vectors.T @ (tops - self.mean[:, None] * average)
        used = self.roots > 1e-9
        roots = self.roots[used][:, None]
        seen = turned[used] ** 2 / (np.maximum(roots, _LEAST) * noise / n)  # chi^2 of each direction were beta 0
        # A direction's variance under each prior, relative to its noise; the prior is on what it explains.
        more = 1 + roots * (_PENALTIES[:, None, None] * n)
        likely = -0.5 * (np.log(more) + seen / more).sum(axis=1)
        weights = np.exp(likely - likely.max(axis=0))
        weights /= weights.sum(axis=0)
        kept = (weights[:, None, :] * (1 - 1 / more)).sum(axis=0)
        return np.asarray(self.vectors[:, used] @ (kept * turned[used] / roots))

    def covariance(self, beta: Floats, other: Floats) -> Floats:
        """Return (m, m_other) the covariance over all records of what two SAs' coefficients explain."""
        left, right = self.vectors.T @ beta, self.vectors.T @ other
        return np.asarray(left.T @ (self.roots[:, None] * right))

    def moments(self, records: Indices | None, weights: Floats | None) -> tuple[Floats, float]:
        """Return (D,) weighted shares of the groups among (some of) the records looked at, and the mean weight."""
        places = self.looked_at(records)
        if weights is None:
            return np.bincount(places.ravel(), minlength=len(self.mean)) / max(places.shape[1], 1), 1.0
        every = np.bincount(places.ravel(), np.tile(weights, len(places)), len(self.mean))
        return every / max(places.shape[1], 1), float(weights.mean()) if len(weights) else 0.0

    def looked_at(self, records: Indices | None) -> NDArray[np.uint16]:
        """Return (J, L) the groups of the first records of a selection, all of them where `records` is None."""
        if records is None:
            return self.places[:, :_LOOKED_AT]
        return self.places[:, records[:_LOOKED_AT]]

    def predicted(self, beta: Floats, share: float, records: Indices | None) -> Floats:
        """Return (L,) p of one value or set for the records looked at, not below 0."""
        scores = beta[self.looked_at(records)].sum(axis=0)
        return np.asarray(np.maximum(share + scores - float(beta @ self.mean), 0.0))


def together(
    design: Design, beta: Floats, shares: Floats, other: Floats, other_share: float, records: Indices | None
) -> Floats:
    """Return (m,) d of each value of an SA and one value (or set) of another among the records of a selection.

    Parameters
    ----------
    beta, shares : (D, m), (m,) of the first SA.
    other, other_share : (D,) and its share f / N, of the other's values, summed over the set.
    """
    weights = design.predicted(other, other_share, records)
    alone, _ = design.moments(records, None)
    joint, mean = design.moments(records, weights)
    own = shares + (alone - design.mean) @ beta
    both = mean * shares + (joint - mean * design.mean) @ beta
    least = 0.02 * shares
    usual = np.maximum(own, least) * max(mean, _LEAST)
    return np.clip(np.maximum(both, least * mean) / np.maximum(usual, _LEAST), *D_RANGE)


def _grouped(column: Column, bins: int) -> Indices:
    """Return (m,) group of each label: itself, intervals of equally many records, or the most frequent and the rest."""
    if column.m <= bins + 1:
        return np.arange(column.m)
    counts = column.counts()
    if column.kind.ordered:
        middle = np.cumsum(counts) - counts / 2
        return np.unique(np.minimum(middle * bins // max(int(counts.sum()), 1), bins - 1), return_inverse=True)[1]
    group = np.full(column.m, bins, np.intp)
    often = np.argsort(-counts, kind="stable")[:bins]
    group[np.sort(often)] = np.arange(bins)
    return group
