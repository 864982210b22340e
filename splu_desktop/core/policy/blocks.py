"""Which sensitive columns are drawn together: those that tell each other's values, in at most three blocks.

Columns drawn one by one that hang together lend certainty to each other (mechanism.md section 7); drawn as one, whole
combinations are kept or lent, and nothing is gained by laying columns beside each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.table import Column, Table

MOST_BLOCKS = 3
MOST_TOGETHER = 8  # columns of a block: more make nearly every combination one of its own
LINKED = 0.2  # Cramer's V, corrected for chance, from which columns tell each other
_MOST_CELLS = 4_000_000


@dataclass(frozen=True)
class Grouped:
    """Sensitive columns in blocks.

    Attributes
    ----------
    blocks : the columns of each, the most asked one first.
    left_out : columns for which there was no room.
    """

    blocks: tuple[tuple[str, ...], ...]
    left_out: tuple[str, ...]


def association(first: Column, second: Column) -> float:
    """Return Cramer's V of two columns, corrected for chance (Bergsma 2013), in 0..1; 0 is none."""
    if min(first.m, second.m) < 2:
        return 0.0
    n = first.n
    if first.m * second.m > _MOST_CELLS:
        pairs, counts = np.unique(first.codes.astype(np.int64) * second.m + second.codes, return_counts=True)
        rows, columns = np.divmod(pairs, second.m)
    else:
        table = np.bincount(first.codes.astype(np.int64) * second.m + second.codes, minlength=first.m * second.m)
        pairs = np.flatnonzero(table)
        counts, (rows, columns) = table[pairs], np.divmod(pairs, second.m)
    down, across = first.counts().astype(float), second.counts().astype(float)
    # Sum of observed^2 / expected over the cells that occur; chi^2 / n is that less one.
    phi2 = float((counts.astype(float) ** 2 / (down[rows] * across[columns])).sum() - 1)
    r, c = int((down > 0).sum()), int((across > 0).sum())
    if n < 2 or min(r, c) < 2:
        return 0.0
    phi2 = max(0.0, phi2 - (r - 1) * (c - 1) / (n - 1))
    r_less, c_less = r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)
    return float(min(1.0, np.sqrt(phi2 / max(min(r_less, c_less) - 1, 1e-9))))


def associations(table: Table, names: Sequence[str], progress: Progress = SILENT) -> NDArray[np.float64]:
    """Return (K, K) how strongly each two of K columns tell each other."""
    found = np.eye(len(names))
    for i, name in enumerate(names):
        progress.report("Looking which columns hang together", i / max(len(names), 1))
        for j in range(i):
            found[i, j] = found[j, i] = association(table[name], table[names[j]])
    return found


def linked_apart(table: Table, blocks: Sequence[Sequence[str]]) -> tuple[str, str, float] | None:
    """Return the two columns of different blocks that tell each other most, None where none do."""
    best: tuple[str, str, float] | None = None
    for at, block in enumerate(blocks):
        for other in blocks[:at]:
            for second in block:
                for first in other:
                    strength = association(table[first], table[second])
                    if strength >= LINKED and (best is None or strength > best[2]):
                        best = first, second, strength
    return best


def grouped(links: NDArray[np.float64], names: Sequence[str], worth: Mapping[str, float]) -> Grouped:
    """Return the columns in blocks by how strongly they are linked.

    The two groups that are linked most are joined, again and again, while they tell each other or are more than three
    groups; a group never exceeds its room. Where too many groups are left, those asked least are left out.

    worth : column -> how much it is asked for.
    """
    groups = [[at] for at in range(len(names))]

    def value(group: list[int]) -> float:
        return max(worth.get(names[at], 0.0) for at in group)

    while True:
        pairs = [
            (float(links[np.ix_(groups[i], groups[j])].max()), i, j)
            for i in range(len(groups))
            for j in range(i)
            if len(groups[i]) + len(groups[j]) <= MOST_TOGETHER
        ]
        strongest = max(pairs, default=(0.0, 0, 0))
        if not pairs or (strongest[0] < LINKED and len(groups) <= MOST_BLOCKS):
            break
        groups[strongest[2]] += groups.pop(strongest[1])
    groups.sort(key=value, reverse=True)
    kept, out = groups[:MOST_BLOCKS], groups[MOST_BLOCKS:]
    # What is linked to a kept column but had no room would tell it: it is left out, too.
    ordered = [sorted(group, key=lambda at: (-worth.get(names[at], 0.0), at)) for group in kept]
    return Grouped(
        tuple(tuple(names[at] for at in group) for group in ordered),
        tuple(names[at] for group in out for at in sorted(group)),
    )
