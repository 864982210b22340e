"""Counts asked at random (journal, section 6), and the bands of their true sizes.

A question is a conjunction of one to three conditions and one value. Values drawn uniformly hardly ever give a large
count, so half of the selections take the labels of a random record, the other half uniform ones; from all counts met,
each band of true counts then gets its equal share.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import Flags, TrueTable
from splu_desktop.core.progress import Progress

SMALL = 10  # the papers' largest small count
BANDS = ((0.0005, 0.002), (0.002, 0.005), (0.005, 0.01), (0.01, 0.02), (0.02, 0.05))  # of N, low end included
_MOST_SELECTIONS = 4_000
_PER_SELECTION = 4  # questions of one band taken from one selection, so that no selection rules a band


def bands_of(truth: NDArray[np.int64], n: int) -> NDArray[np.intp]:
    """Return (Q,) the band of each true count, -1 for none. Small counts come first where bands overlap."""
    band = np.full(len(truth), -1, np.intp)
    for number, (low, high) in enumerate(BANDS, 1):
        band[(truth >= low * n) & (truth < high * n)] = number
    band[(truth >= 1) & (truth <= SMALL)] = 0
    return band


def draw_questions(source: TrueTable, size: int, chance: np.random.Generator, progress: Progress) -> CountingQuestions:
    """Return about `size` random questions; fewer where a band has too few counts. Raises Cancelled."""
    left = np.full(len(BANDS) + 1, -(-size // (len(BANDS) + 1)))
    quota = int(left.sum())
    picked: list[dict[int, Flags]] = []
    chosen: list[int] = []
    seen: set[tuple[tuple[int, int], ...]] = set()
    for number in range(_MOST_SELECTIONS):
        if number % 50 == 0:
            progress.report("Comparing", 1 - float(left.sum()) / quota)
        if not left.any():
            break
        many = int(chance.integers(1, min(3, len(source.columns)) + 1))
        of = np.sort(chance.choice(len(source.columns), many, replace=False))
        record, columns = int(chance.integers(source.n)), [source.columns[at] for at in of]
        labels = [int(each.codes[record] if number % 2 else chance.integers(each.m)) for each in columns]
        key = tuple(zip(of.tolist(), labels, strict=True))
        if key in seen:
            continue
        seen.add(key)
        inside = np.ones(source.n, bool)
        for at, label in key:
            inside &= source.columns[at].codes == label
        counts = np.bincount(source.sensitive.codes[inside], minlength=source.m)
        band = bands_of(counts, source.n)
        for each in np.flatnonzero(left):
            there = np.flatnonzero(band == each)
            take = min(len(there), _PER_SELECTION, int(left[each]))
            left[each] -= take
            for value in chance.choice(there, take, replace=False).tolist() if take else []:
                picked.append({at: np.arange(source.columns[at].m) == label for at, label in key})
                chosen.append(value)
    progress.report("Comparing", 1.0)
    return CountingQuestions.picked(source, picked, np.array(chosen, np.int64))
