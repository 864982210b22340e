"""F'-privacy by buckets of two sizes, of many, and of the best ones (inferential privacy paper, sections 3, 4).

Two tables as Anatomy's; a value s may stand floor(f'_s S) times in a bucket of S records, so that P(s | a row) <= f'_s
(Definitions 3.6 to 3.8). Tolerances are the paper's f'_s = min(1, theta f_s + 0.02), sizes from M = min ceil(1 / f'_s)
to M' = 50; all for the least loss, the sum over buckets of (S - 1)^2 (Definition 3.9); MSE = loss / (N - 1). The
records of one value go, in random order, to as many different buckets as there are, round robin (section 4.3).

- Two sizes, by Algorithm 1. Theorem 4.17: b_1 buckets of S_1 and b_2 of S_2 can hold all records if both can be filled,
  sum over i of min(floor(f'_i S) b, o_i) >= S b, and each value has room, sum over both of min(floor(f'_i S) b, o_i) >=
  o_i. The loss rises with b_2 where S_1 b_1 + S_2 b_2 = N.
- Many sizes, by Algorithm 2, which splits parts in two.
- The best of any number (Definition 3.10), by integer programming: the least loss such that sum of S b_S = N and all
  records have room. A bucket of S has room for min(S, sum over i in X of floor(f'_i S)) records of the values in X; by
  Gale's theorem on flows the records fit iff for every set X of values all buckets together have room for its records.
  The sets are too many to write down, so the programme begins with a few and gets the one that the flow's smallest cut
  names, for as long as records are left over. Unknowns are the numbers b; the paper's programme has one more per value
  and size.

Estimate: within a bucket, x = sum over g of n_{P,g} c_{g,s} / |g|, with Anatomy's bias towards independence.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from splu_desktop.compare.base import Flags, Floats, Impossible, Ints, Points, system
from splu_desktop.compare.systems.anatomy import Buckets, in_random_order
from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT, Progress

LARGEST = 50  # M'
THETAS: Points = (32, 8, 2)  # the paper's, from weak to strong
NODES = 1_000  # of all programmes together: 46 values take up to 4, 60 up to 423; 651 are not settled
_NONE = 2  # what HiGHS says of constraints that nothing meets
_ENDLESS = np.iinfo(np.int64).max // 4

Caps = Mapping[int, Ints]  # size of a bucket, rising -> (m,) floor(f'_i S)


def tolerances(counts: Floats, theta: int) -> tuple[Fraction, ...]:
    """Return f'_s = min(1, theta f_s + 0.02) of each value, exactly: in floating point 0.29 * 100 is below 29."""
    n = int(counts.sum())
    return tuple(min(Fraction(1), theta * Fraction(int(count), n) + Fraction(1, 50)) for count in counts)


def caps_of(limits: tuple[Fraction, ...], most: int = LARGEST) -> Caps:
    """Return (m,) floor(f'_s S), the most records of each value in a bucket, for each size S there may be."""
    least = min(math.ceil(1 / limit) for limit in limits)
    return {size: np.array([math.floor(limit * size) for limit in limits]) for size in range(least, most + 1)}


class Part(NamedTuple):
    """`number` buckets of `size` records, with (m,) the records of each value that they hold."""

    size: int
    number: int
    records: Ints


Parts = tuple[Part, ...]


def loss(parts: Parts) -> int:
    """Return the loss of buckets, the sum of (size - 1)^2 (Definition 3.9)."""
    return sum(part.number * (part.size - 1) ** 2 for part in parts)


def two_sizes(counts: Ints, caps: Caps, progress: Progress = SILENT, *, below: int = _ENDLESS) -> Parts | None:
    """Return the buckets of at most two sizes with the least loss below a bound (Algorithm 1); None where none fit.

    For each pair of sizes the first valid setting is the best; only those below the best loss so far are looked at.
    """
    n, best, parts = int(counts.sum()), below, tuple[Part, ...]()
    for small, large in itertools.combinations(caps, 2):
        # Each record costs (S - 1)^2 / S at least, which rises with S.
        if n * (small - 1) ** 2 >= best * small:
            break
        progress.report("Comparing", small / max(caps))
        if (counts > 0)[caps[small] + caps[large] == 0].any():
            continue  # some value has no room in either
        second = np.arange(n // large + 1)
        first = (n - large * second) // small
        losses = first * (small - 1) ** 2 + second * (large - 1) ** 2
        some = np.flatnonzero(((n - large * second) % small == 0) & (losses < best))
        room = [np.minimum(caps[s] * b[some, None], counts) for s, b in ((small, first), (large, second))]
        filled = (room[0].sum(axis=1) >= small * first[some]) & (room[1].sum(axis=1) >= large * second[some])
        for at in some[filled & (room[0] + room[1] >= counts).all(axis=1)][:1]:
            held = partition(counts, (caps[small] * first[at], caps[large] * second[at]), small * int(first[at]))
            both = Part(small, int(first[at]), held), Part(large, int(second[at]), counts - held)
            best, parts = int(losses[at]), tuple(part for part in both if part.number)
    return parts or None


def partition(counts: Ints, room: tuple[Ints, Ints], records: int) -> Ints:
    """Return (m,) records of each value for the first buckets of a valid setting, `records` in all (section 4.3).

    They take what they have room for; what is too many then goes over to the second, one record of each value in turn,
    as in Example 4.20.
    """
    first, second = (np.minimum(each, counts) for each in room)
    spare = np.minimum(first, second - (counts - first))  # what each value can give without overfilling the second
    excess = int(first.sum()) - records
    rounds = range(int(spare.max(initial=0)) + 1)
    full = bisect_right(rounds, excess, key=lambda times: int(np.minimum(spare, times).sum())) - 1
    given = np.minimum(spare, full)
    given[np.flatnonzero(spare > full)[: excess - int(given.sum())]] += 1
    return np.asarray(first - given)


def many_sizes(counts: Ints, caps: Caps, progress: Progress = SILENT) -> Parts | None:
    """Return buckets of any number of sizes by splitting parts in two for as long as that lowers their loss.

    Algorithm 2. None where not even two sizes fit.
    """
    parts, waiting = list[Part](), list(two_sizes(counts, caps, progress) or ())
    while waiting:
        part = waiting.pop()
        smaller = two_sizes(part.records, caps, progress, below=loss((part,)))
        waiting.extend(smaller or ())
        parts.extend(() if smaller else (part,))
    return tuple(parts) or None


def best_sizes(counts: Ints, caps: Caps, progress: Progress = SILENT) -> Parts | None:
    """Return the buckets of least loss over any number of sizes; None where none keep the limits.

    Raises Impossible where the optimum takes more than `NODES`, on any machine alike; Cancelled.
    """
    sizes, room, left = np.array(list(caps)), np.stack(list(caps.values()), axis=1), NODES
    below = np.tri(len(counts), dtype=bool)[:, np.argsort(np.argsort(counts, kind="stable"))]
    # Each value by itself, the rarest ones, the most frequent ones.
    sets = np.concatenate([np.eye(len(counts), dtype=bool), below, ~below])
    while left > 0:
        progress.report("Comparing", 1 - left / NODES)
        solution = milp(
            (sizes - 1.0) ** 2,
            integrality=np.ones(len(sizes), np.int64),
            bounds=Bounds(0, np.inf),
            constraints=[
                LinearConstraint(sizes[None], counts.sum(), counts.sum()),
                LinearConstraint(np.minimum(sizes, sets.astype(np.int64) @ room), sets @ counts, np.inf),
            ],
            options={"node_limit": left, "mip_rel_gap": 0.0},
        )
        if solution.status == _NONE:
            return None
        if solution.status != 0:
            break
        left -= max(int(solution.mip_node_count), 1)
        number = np.rint(solution.x).astype(np.int64)
        held, crowded = _deal(counts, np.minimum(room * number, counts[:, None]), sizes * number)
        if not crowded.any():
            return tuple(Part(int(sizes[at]), int(number[at]), held[:, at]) for at in np.flatnonzero(number))
        sets = np.vstack([sets, crowded])
    raise Impossible("The columns have more combinations of values than this method can go through.")


def _deal(counts: Ints, room: Ints, places: Ints) -> tuple[Ints, Flags]:
    """Return (m, q) records of each value for the buckets of each size, and (m,) the values with too little room."""
    m, q = room.shape
    edges = np.zeros((m + q + 2, m + q + 2), np.int32)
    edges[0, 1 : m + 1], edges[1 : m + 1, m + 1 : -1], edges[m + 1 : -1, -1] = counts, room, places
    flow = maximum_flow(sparse.csr_array(edges), 0, m + q + 1).flow.toarray()
    crowded = np.zeros(m + q + 2, bool)
    if flow[0].sum() < counts.sum():
        crowded[breadth_first_order(sparse.csr_array(edges - flow), 0, return_predecessors=False)] = True
    return flow[1 : m + 1, m + 1 : -1].astype(np.int64), crowded[1 : m + 1]


def assign_buckets(codes: NDArray[np.integer], parts: Parts, chance: np.random.Generator) -> Ints:
    """Return (N,) the bucket of each record: each value's records at random to its parts, round robin in each."""
    order = in_random_order(codes, chance)
    held = np.stack([part.records for part in parts], axis=1)  # (m, q)
    of = np.repeat(np.tile(np.arange(len(parts)), len(held)), held.ravel())
    bucket, first = np.empty(len(codes), np.int64), 0
    for at, part in enumerate(parts):
        mine = order[of == at]  # by value, so that equal ones go to different buckets in turn
        bucket[mine] = first + np.arange(len(mine)) % part.number
        first += part.number
    return bucket


@system("buckets-two-sizes", say("F'-privacy, buckets of two sizes"), points=THETAS, span=(40, 1))
class TwoSizes(Buckets):
    """Buckets of two sizes for tolerances `theta` times the share, and 0.02."""

    theta: int
    find_parts: ClassVar[Callable[..., Parts | None]] = staticmethod(two_sizes)

    def make(self, chance: np.random.Generator) -> None:
        counts = self.source.counts
        parts = self.find_parts(counts.astype(np.int64), caps_of(tolerances(counts, self.theta)), self.progress)
        if parts is None:
            raise Impossible("This table has too few different values, or too frequent ones, for these buckets.")
        self.hold(assign_buckets(self.source.sensitive.codes, parts, chance))

    def metrics(self) -> dict[str, float]:
        loss = float(((self.sizes - 1) ** 2).sum())
        return {"MSE": loss / (self.source.n - 1)} | super().metrics()


@system("buckets-many-sizes", say("F'-privacy, buckets of many sizes"), find_parts=staticmethod(many_sizes))
class ManySizes(TwoSizes):
    """Buckets of as many sizes as lower the loss."""


@system("buckets-best-sizes", say("F'-privacy, the best buckets"), span=None, find_parts=staticmethod(best_sizes))
class BestSizes(TwoSizes):
    """Buckets of the sizes with the least loss."""
