"""Record partition between two sizes, and buckets of many sizes by recursion.

Source: inferential privacy paper, section 4.3 (record partition) and Algorithm 2 (MultiSizeBucketing).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splu_desktop.compare.base.source import Ints
from splu_desktop.compare.buckets.pair_list import Bucket, CapsOf
from splu_desktop.compare.buckets.two_sizes import two_sizes
from splu_desktop.core.progress import SILENT, Progress

Parts = tuple[tuple[Bucket, Ints], ...]  # buckets with the (m,) records of each value that they hold


def partition(counts: Ints, caps: tuple[Ints, Ints], setting: tuple[Bucket, Bucket]) -> tuple[Ints, Ints]:
    """Return (m,) records of each value for the first and the second bucket of a valid setting (section 4.3).

    The first bucket takes a_i1 = min(floor(f'_i S_1) b_1, o_i) records of each value; what it then has too many go over
    to the second, which has room for a_i2 of each: one record of each value in turn, as in Example 4.20.
    """
    first = np.minimum(caps[0] * setting[0].number, counts)
    most = np.minimum(caps[1] * setting[1].number, counts)
    spare = np.minimum(first, most - (counts - first))  # what each value can give without overfilling the second
    excess = int(first.sum()) - setting[0].records
    if excess < 0 or int(spare.sum()) < excess or (spare < 0).any():
        raise ValueError("the setting is not valid for these records")
    given = _in_turn(spare, excess)
    return first - given, counts - first + given


def _in_turn(spare: Ints, excess: int) -> Ints:
    """Return how much each gives if all give one at a time, in order, until `excess` is given."""
    low, high = 0, int(spare.max(initial=0))
    while low < high:  # the largest number of full rounds
        middle = (low + high + 1) // 2
        if int(np.minimum(spare, middle).sum()) <= excess:
            low = middle
        else:
            high = middle - 1
    given = np.minimum(spare, low)
    willing = np.flatnonzero(spare > low)[: excess - int(given.sum())]
    given[willing] += 1
    return given


def many_sizes(
    counts: Ints,
    caps_of: CapsOf,
    least: int,
    most: int,
    *,
    progress: Progress = SILENT,
) -> Parts | None:
    """Return a valid setting of any number of sizes; None where not even two sizes fit.

    Algorithm 2; the parts stand in the order of their sizes, parts of equal size as one.
    """
    found: list[Parts] = []
    top = most
    while top >= least:
        start = two_sizes(counts, caps_of, least, top, progress=progress)
        if start is None:
            break
        search = _Search(caps_of, least, top, progress)
        found.append(search.recursed(counts, start))
        # A smaller largest size is a worse pair but now and then a better start.
        top = max(bucket.size for bucket, _ in found[-1]) - 1
    return min(found, key=_loss, default=None)


def _loss(parts: Parts) -> int:
    return sum(bucket.loss for bucket, _ in parts)


@dataclass(frozen=True)
class _Search:
    caps_of: CapsOf
    least: int
    most: int
    progress: Progress

    def better(self, counts: Ints, loss: int) -> tuple[Bucket, ...] | None:
        if not loss:
            return None
        return two_sizes(counts, self.caps_of, self.least, self.most, below=loss, progress=self.progress)

    def recursed(self, counts: Ints, start: tuple[Bucket, ...]) -> Parts:
        """Return the parts of Algorithm 2: each is split in two again for as long as that lowers its loss."""
        done: list[tuple[Bucket, Ints]] = []
        waiting = list(self._split(counts, start))
        while waiting:
            bucket, part = waiting.pop()
            smaller = self.better(part, bucket.loss)
            if smaller is None:
                done.append((bucket, part))
            else:
                waiting.extend(self._split(part, smaller))
        return _gathered(done)

    def _split(self, counts: Ints, setting: tuple[Bucket, ...]) -> Parts:
        if len(setting) == 1:
            return ((setting[0], counts),)
        first, second = setting
        caps = self.caps_of(first.size), self.caps_of(second.size)
        parts = partition(counts, caps, (first, second))
        return (first, parts[0]), (second, parts[1])


def _gathered(parts: list[tuple[Bucket, Ints]]) -> Parts:
    """Return the parts in the order of their sizes, parts of equal size as one."""
    found: dict[int, tuple[int, Ints]] = {}
    for bucket, part in parts:
        number, held = found.get(bucket.size, (0, np.zeros_like(part)))
        found[bucket.size] = number + bucket.number, held + part
    return tuple((Bucket(size, number), held) for size, (number, held) in sorted(found.items()))
