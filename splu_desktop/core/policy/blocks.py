"""Which sensitive columns are drawn together: those that tell each other's values, in at most three blocks.

Columns drawn one by one that hang together lend certainty to each other (mechanism.md section 7); drawn as one, whole
combinations are kept or lent, and nothing is gained by laying columns beside each other.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.table import Column, Table, remembered

MOST_BLOCKS = 3
MOST_TOGETHER = 8  # columns of a block: more make nearly every combination one of its own
LINKED = 0.2  # Cramer's V, corrected for chance, from which columns must not be drawn apart
_NEAR = 0.15  # from which they are drawn together
_RARE = 20  # rows below which values count as one: what few rows have is chance
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
    n, (one, down), (two, across) = first.n, _pooled(first), _pooled(second)
    if n < 2 or min(len(down), len(across)) < 2:
        return 0.0
    keys = one.astype(np.int64) * len(across) + two
    if len(down) * len(across) > _MOST_CELLS:
        pairs, counts = np.unique(keys, return_counts=True)
    else:
        table = np.bincount(keys, minlength=len(down) * len(across))
        pairs = np.flatnonzero(table)
        counts = table[pairs]
    rows, columns = np.divmod(pairs, len(across))
    # Sum of observed^2 / expected over the cells that occur; chi^2 / n is that less one.
    phi2 = float((counts.astype(float) ** 2 / (down[rows] * across[columns])).sum() - 1)
    r, c = len(down), len(across)
    phi2 = max(0.0, phi2 - (r - 1) * (c - 1) / (n - 1))
    r_less, c_less = r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)
    return float(min(1.0, np.sqrt(phi2 / max(min(r_less, c_less) - 1, 1e-9))))


@remembered
def _pooled(column: Column) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return (N,) codes with rare values as one, and (k,) rows of each."""
    counts = column.counts()
    rare = counts < _RARE
    to = np.where(rare, 0, np.cumsum(~rare) - (0 if rare.any() else 1)).astype(np.int32)
    return to[column.codes], np.bincount(to, counts).astype(np.float64)


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


def grouped(links: NDArray[np.float64], names: Sequence[str], kept: Collection[str] = ()) -> Grouped:
    """Return the columns in blocks by how strongly they are linked; those that are asked for most come first.

    Each column joins the blocks that it tells or that tell it, which become one. One without links begins a block, or
    joins the nearest where there are three. What finds no room is left out, since it would tell what is drawn apart.

    kept : columns that are never left out, whatever the room.
    """
    groups: list[list[int]] = []
    out: list[int] = []
    for at in range(len(names)):
        strength = [float(links[at, group].max()) for group in groups]
        near = [place for place, each in enumerate(strength) if each >= _NEAR]
        if not near and len(groups) < MOST_BLOCKS:
            groups.append([at])
            continue
        if not near:
            near = [place for place, group in enumerate(groups) if len(group) < MOST_TOGETHER]
            near = [max(near, key=lambda place: strength[place])] if near else []
        joined = [at, *(each for place in near for each in groups[place])]
        if (not near or len(joined) > MOST_TOGETHER) and names[at] not in kept:
            out.append(at)
            continue
        groups = [group for place, group in enumerate(groups) if place not in near]
        groups.append(sorted(joined))
    groups.sort()
    return Grouped(tuple(tuple(names[at] for at in group) for group in groups), tuple(names[at] for at in out))
