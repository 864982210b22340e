"""Buckets of two sizes and of many: how many, and which values' records they hold.

Source: inferential privacy paper. A value with tolerance f' may stand floor(f' S) times in a bucket of S records; the
loss is the sum over buckets of (S - 1)^2 (Definition 3.9). Theorem 4.17: b_1 buckets of S_1 and b_2 of S_2 can hold all
records if both can be filled, sum over i of min(floor(f'_i S) b, o_i) >= S b, and each value has room,
sum over both of min(floor(f'_i S) b, o_i) >= o_i. The loss rises with b_2 where S_1 b_1 + S_2 b_2 = N.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from splu_desktop.compare.base.source import Ints
from splu_desktop.core.progress import SILENT, Progress

Caps = Mapping[int, Ints]  # size of a bucket, rising -> (m,) floor(f'_i S)
_ENDLESS = np.iinfo(np.int64).max // 4


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
    n, best = int(counts.sum()), below
    found: tuple[int, int, int, int] | None = None
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
            best, found = int(losses[at]), (small, int(first[at]), large, int(second[at]))
    if found is None:
        return None
    small, b_1, large, b_2 = found
    held = partition(counts, (caps[small] * b_1, caps[large] * b_2), small * b_1)
    return tuple(part for part in (Part(small, b_1, held), Part(large, b_2, counts - held)) if part.number)


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
    found, waiting = list[Part](), list(two_sizes(counts, caps, progress) or ())
    while waiting:
        part = waiting.pop()
        smaller = two_sizes(part.records, caps, progress, below=loss((part,)))
        waiting.extend(smaller or ())
        found.extend(() if smaller else (part,))
    return tuple(found) or None
