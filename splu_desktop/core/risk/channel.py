"""What the reader of a release knows of how a column was drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.published import Published
from splu_desktop.core.table import Column
from splu_desktop.core.transition.matrix import MatrixTransition
from splu_desktop.frozen import dataclass

LEAST = 1e-9  # of a share or chance that a logarithm is taken of
FEW = 10  # records below which labels are one
_CLASSES = 64  # values that are learned of by themselves; rarer ones together
_RARE = 20  # records below which nothing is learned of a value by itself
_SAME = 0.9  # of a person's records agree in a column that persons keep

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Channel:
    """How a column was drawn, with its rare values in one class.

    Attributes
    ----------
    classes : (m,) the class of each of the m published values.
    share : (m,) true share of each value, as far as the published counts tell it.
    kept : (m,) probability that a record keeps its value.
    shown : (M, m) probability that a record of a class is published as each value.
    records : published.
    plain : whether its two numbers a, b_s are enough to undo it (mechanism.md section 4).
    transition : the kind of its matrix, which knows how that is inverted.
    alike : records that say together what one by itself would: more than 1 where persons were drawn.
    constancy : NSA -> the share of those others that agree with a record in it, or how their ranks correlate; nothing
        where alike is 1.
    kept_by : NSAs that persons keep in all their records.
    """

    classes: Ints
    share: Floats
    kept: Floats
    shown: Floats
    records: int
    plain: bool
    transition: type[MatrixTransition] = MatrixTransition
    alike: int = 1
    constancy: Mapping[str, float] = field(default_factory=dict)
    kept_by: Sequence[str] = ()

    @classmethod
    def of(cls, published: Published, sa: str) -> Channel:
        """Return the draw of one SA as the reader of a release knows it."""
        draw, found = published.draws[sa], cls._of(published, sa)
        known = None if published.repeats is None else published.repeats.effects.get(draw.block(sa)[0])
        alike = max(1, round(draw.widened(known, ())))
        if known is None or alike == 1:
            return found
        assert published.repeats is not None
        near = {} if published.repeats.whole is None else published.repeats.whole.correlations
        agreeing = {n: known.agreeing(published.table[n]) for n in published.nsas}
        constancy = {n: max(share, near.get(n, 0.0)) for n, share in agreeing.items()}
        return replace(found, alike=alike, constancy=constancy, kept_by=[n for n, x in agreeing.items() if x >= _SAME])

    @classmethod
    def _of(cls, published: Published, sa: str) -> Channel:
        column = published.table[sa]
        counts = published.likely(sa)  # those published are far from the true ones where records joined a value
        share = counts / max(column.n, 1)
        classes = _classes(counts, _RARE)
        plain = published.draws[sa].two_numbers(counts)
        if plain is None:
            tolerant = published.transition(sa)
            shown = _together(classes, share) @ tolerant.matrix
            return cls(classes, share, tolerant.a, shown, column.n, plain=False, transition=type(tolerant))
        if plain.matrix is not None:
            shown = _together(classes, share) @ plain.matrix
        else:  # thousands of values: quasi-independence, f_v T[v, u] = theta_v theta_u
            theta, part = plain.affinity, _together(classes, share)
            towards = part * (theta / np.maximum(counts, LEAST))
            shown = towards.sum(axis=1, keepdims=True) * theta + towards * -theta + part * plain.a
        return cls(
            classes, share, np.full(column.m, plain.a), shown / shown.sum(axis=1, keepdims=True), column.n, plain=True
        )

    @classmethod
    def none(cls, column: Column) -> Channel:
        """Return the draw that leaves every value as it is: how the original itself is learned from."""
        counts = column.counts().astype(np.float64)
        share = counts / max(column.n, 1)
        classes = _classes(counts, FEW)
        return cls(classes, share, np.ones(column.m), _together(classes, share), column.n, plain=True)

    def together(self, *names: str) -> float:
        """Return how many of a label's records, or a pair of labels', say what one by itself would."""
        return 1 + (self.alike - 1) * float(np.prod([self.constancy.get(name, 1.0) for name in names]))

    @cached_property
    def prior(self) -> Floats:
        """(M,) share of each class."""
        return np.bincount(self.classes, self.share).astype(np.float64)

    @cached_property
    def matrix(self) -> Floats:
        """(M, M) probability that a record of one class is published as a value of another."""
        return np.asarray(self.shown @ np.eye(len(self.shown))[self.classes])

    @cached_property
    def inverse(self) -> Floats:
        """(M, M) the inverse of the whole matrix."""
        return self.transition.inverted(self.matrix, np.maximum(self.prior, LEAST) * self.records)[0]

    @property
    def undone(self) -> Floats:
        """(M, M) G: published counts y of the classes give the true ones y G, as mechanism.md sections 4 and 5 say."""
        if not self.plain:
            return self.inverse
        prior, matrix = np.maximum(self.prior, LEAST), self.matrix
        a = np.diag(matrix)
        b = (prior @ matrix - prior * a) / np.maximum(1 - prior, LEAST)
        signal = a - b
        told = signal > 0.01
        undone = (np.eye(len(a)) - b) / np.where(told, signal, 1.0)
        return np.where(told, undone, prior)  # of a value at the eligibility limit nothing but its share is known

    @property
    def faint(self) -> Floats:
        """(M,) 1 for a class of whose link to other columns an eighth is left at most, 0 from five eighths on."""
        prior, kept = np.maximum(self.prior, LEAST), np.diag(self.matrix)
        led = (prior @ self.matrix - prior * kept) / np.maximum(1 - prior, LEAST)
        return np.asarray(np.clip(1.25 - 2 * (kept - led) / np.maximum(kept, LEAST), 0.0, 1.0))

    @property
    def within(self) -> Floats:
        """(m,) share of each value in its class."""
        return np.asarray(self.share / np.maximum(self.prior[self.classes], LEAST))

    @property
    def foremost(self) -> tuple[Ints, Floats]:
        """(M,) the most frequent value of each class, and its share there."""
        order = np.lexsort((-self.share, self.classes))
        first = order[np.searchsorted(self.classes[order], np.arange(len(self.shown)))]
        return first, self.within[first]


def _classes(counts: Floats, least: int) -> Ints:
    order = np.argsort(-counts, kind="stable")
    alone = int(np.count_nonzero(counts >= least))
    alone = min(max(alone, 1), _CLASSES)
    rank = np.empty(len(counts), np.int64)
    rank[order] = np.arange(len(counts))
    return np.minimum(rank, alone)


def _together(classes: Ints, share: Floats) -> Floats:
    """Return (M, m) the share of each value in its class, 0 elsewhere; alike where the class seems to be nobody's."""
    whole, size = np.bincount(classes, share), np.bincount(classes)
    result = np.zeros((len(whole), len(share)))
    told = whole[classes] > LEAST
    result[classes, np.arange(len(share))] = np.where(
        told, share / np.where(told, whole[classes], 1.0), 1 / size[classes]
    )
    return result
