"""Anatomy: l-diverse buckets, published as two tables (Xiao, Tao, VLDB 2006).

Buckets take one record from each of the l largest sets of equal values; each of the fewer than l records left over
joins a random bucket without its value. Published: the unchanged columns with the bucket's number, and each bucket's
values.

Estimate: within a bucket every record is thought to have each of its values alike,
x = sum over buckets g of n_{P,g} c_{g,s} / |g|. That is biased towards independence: its mean over random buckets is
sum over v of x_v T[v, s] with T[v, s] = (1 / f_v) sum over g of c_{g,v} c_{g,s} / |g|, the transition of decoy groups
(mechanism.md section 8), which it never undoes. Counts of the whole table are exact, small ones too.
"""

from __future__ import annotations

from functools import lru_cache
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from splu_desktop.compare.base import GAMMAS, CountingQuestions, Floats, Groups, Impossible, Ints, TrueTable, system
from splu_desktop.core.messages import Figure


@lru_cache(maxsize=16)  # draws differ in their records alone
def largest_first(counts: tuple[int, ...], size: int) -> Ints:
    """Return (r, size) the values of groups, each of the `size` values that most records are left of."""
    left = sorted((-count, value) for value, count in enumerate(counts))  # a heap as it stands
    groups = []
    while len(left) >= size:
        top = [heappop(left) for _ in range(size)]
        groups.append([value for _, value in top])
        for count, value in top:
            if count < -1:
                heappush(left, (count + 1, value))
    return np.array(groups, np.int64).reshape(-1, size)


def deal_groups(source: TrueTable, size: int, chance: np.random.Generator) -> Ints:
    """Return (r, size) random records with the values of `largest_first`, none twice.

    Raises Impossible where a value is too frequent.
    """
    top, codes = int(source.counts.argmax()), source.sensitive.codes
    if source.counts[top] * size > source.n:
        raise Impossible(
            "“{value}” fills {share} of the records, more than 1 in {l}, so there are no buckets of {l} different "
            "values.",
            value=str(source.sensitive.labels[top]),
            share=Figure(f"{100 * source.shares[top]:.1f} %"),
            l=size,
        )
    values = largest_first(tuple(source.counts.astype(np.int64).tolist()), size)
    order, counts = in_random_order(codes, chance), np.bincount(codes)
    rank = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    used = np.bincount(values.ravel(), minlength=len(counts))
    members = np.empty(values.size, np.int64)
    members[np.argsort(values, axis=None, kind="stable")] = order[rank < np.repeat(used, counts)]
    return members.reshape(values.shape)


def in_random_order(codes: NDArray[np.integer], chance: np.random.Generator) -> Ints:
    """Return (N,) all records, by value, those of one value in random order."""
    order = chance.permutation(len(codes))
    return order[np.argsort(codes[order], kind="stable")]


class Buckets(Groups):
    """Two tables: records with their bucket's number, and the values of each bucket."""

    def hold(self, group: Ints) -> None:
        super().hold(group)
        each = np.arange(self.source.n)
        # (N, G) the part of its bucket that a record is.
        self.part = sparse.csr_array((1 / self.sizes[group], (each, group)), shape=(len(each), len(self.sizes)))

    def answer(self, questions: CountingQuestions) -> Floats:
        return questions.pick((questions.incidence @ self.part @ self.counts).toarray())


@system("anatomy", "Anatomy", first=True, points=GAMMAS, span=(2, 50))
class Anatomy(Buckets):
    """Anatomy with buckets of `l` different values."""

    l: int  # noqa: E741 - the paper's name

    def make(self, chance: np.random.Generator) -> None:
        codes, members = self.source.sensitive.codes, deal_groups(self.source, self.l, chance)
        bucket = np.full(len(codes), -1, np.int64)
        bucket[members] = np.arange(len(members))[:, None]
        # Fewer than l, each of another value.
        for record in np.flatnonzero(bucket < 0).tolist():
            without = np.flatnonzero((codes[members] != codes[record]).all(axis=1))
            bucket[record] = chance.choice(without)
        self.hold(bucket)
