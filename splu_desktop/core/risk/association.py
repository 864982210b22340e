"""How strongly two columns tell each other, and which secret ones are drawn together: at most three blocks.

Columns drawn one by one that hang together lend certainty to each other (mechanism.md section 6); drawn as one, whole
combinations are kept or lent, and nothing is gained by laying columns beside each other.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import count_keys, pair_keys
from splu_desktop.core.mechanism import Units, make_classes
from splu_desktop.core.mechanism.published_numbers import row_correlation
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.table import Column, Table, remember

Blocks = tuple[tuple[str, ...], ...]
# Of 3 columns drawn apart at most .12 of shown findings were known to an attacker, of 54 up to .42.
MOST_BLOCKS = 3
MOST_TOGETHER = 8  # columns of a block, beside those that another tells whole: more make each combination unique
_STEADY = 0.5  # correlation of a person's rows from which a column says more of the person than of the row
_NEAR = 0.15  # from which they are drawn together
LINKED = 0.2  # Cramer's V, corrected for chance, from which columns must not be drawn apart
_RARE = 20  # rows below which values count as one: what few rows have is chance
_CHANCE = 0.01  # that one of all pairs of values seems to hang together


def few_labels(column: Column, most: int, *, runs: bool = True) -> NDArray[np.int64]:
    """Return (N,) codes of at most so many values: the commonest and all others as one; runs of ordered ones."""
    counts = column.counts()
    if column.m <= most:
        return column.codes.astype(np.int64)
    if runs and column.kind.has_order:
        # Runs of as many rows each: bands of equal width would leave most rows in one.
        to = (np.cumsum(counts) - counts) * (most - 1) // max(column.n, 1)
        # No value is a hint of its own, not the neighbour of the largest.
        to[column.missing] = most - 1
    else:
        to = np.full(column.m, most - 1)
        to[np.argsort(-counts, kind="stable")[: most - 1]] = np.arange(most - 1)
    return np.asarray(np.unique(to, return_inverse=True)[1][column.codes], np.int64)


def association(first: Column, second: Column) -> float:
    """Return how strongly two columns hang together, in 0..1; 0 is none.

    Cramer's V, corrected for chance (Bergsma 2013), or the correlation of the two values that hang together most, less
    what the largest of so many shows by chance: a drug that tells one disease among forty leaves V at .14.
    """
    n, (one, down), (two, across) = first.n, _pool_rare(first), _pool_rare(second)
    if n < 2 or min(len(down), len(across)) < 2:
        return 0.0
    pairs, counts = count_keys(pair_keys(one, len(across), two), len(down) * len(across))
    rows, columns = np.divmod(pairs, len(across))
    # Sum of observed^2 / expected over the cells that occur; chi^2 / n is that less one.
    one_side, other_side = down[rows] / n, across[columns] / n
    phi2 = float((counts.astype(float) ** 2 / (down[rows] * across[columns])).sum() - 1)
    r, c = len(down), len(across)
    # A value that all rows have tells nothing, and hangs together with none.
    spread = one_side * (1 - one_side) * other_side * (1 - other_side)
    both = (counts / n - one_side * other_side).clip(0) ** 2
    of_values = np.divide(both, spread, out=np.zeros(len(both)), where=spread > 0)
    most = float(of_values.max(initial=0.0)) - 2 * np.log(r * c / _CHANCE) / n
    phi2 = max(0.0, phi2 - (r - 1) * (c - 1) / (n - 1))
    r_less, c_less = r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)
    return float(min(1.0, np.sqrt(max(phi2 / max(min(r_less, c_less) - 1, 1e-9), most))))


def tells_whole(first: Column, second: Column) -> bool:
    """Return whether each value of a column has one value of the other beside it, as a code has its description."""
    if second.m > first.m:
        return False
    beside = np.zeros(first.m, np.int64)
    beside[first.codes] = second.codes
    return bool((beside[first.codes] == second.codes).all())


@remember
def _pool_rare(column: Column) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return (N,) codes with rare values as one, and (k,) rows of each."""
    counts = column.counts()
    rare = counts < _RARE
    to = np.where(rare, 0, np.cumsum(~rare) - (0 if rare.any() else 1)).astype(np.int32)
    return to[column.codes], np.bincount(to, counts).astype(np.float64)


def find_linked(table: Table, blocks: Sequence[Sequence[str]]) -> tuple[str, str, float] | None:
    """Return the two columns of different blocks that tell each other most, None where none do."""
    pairs = ((one, two) for at, block in enumerate(blocks) for other in blocks[:at] for two in block for one in other)
    strengths = ((one, two, association(table[one], table[two])) for one, two in pairs)
    return max((each for each in strengths if each[2] >= LINKED), key=lambda each: each[2], default=None)


def group_columns(
    table: Table, names: Sequence[str], units: Units, kept: Collection[str] = (), progress: Progress = SILENT
) -> tuple[Blocks, tuple[str, ...]]:
    """Return columns in blocks by how strongly they are linked, most asked ones first, and those without room.

    Each column joins the blocks that it tells or that tell it, which become one. One without links begins a block, or
    joins the nearest where there are three. What finds no room is left out, since it would tell what is drawn apart.

    units : what is drawn at once. What stays the same in a person's rows widens the ranges of all of its block, so
        that such columns join each other and not, unless they are linked or kept, what differs from row to row.
    kept : columns that are never left out, whatever the room.
    """
    sizes = make_classes([], units).code
    steady = [row_correlation([table[name].codes], units, sizes) >= _STEADY for name in names]
    number = steady.count(True), steady.count(False)
    # Of each kind one block at least, where there are both, and the third where one does not do.
    most = [MOST_BLOCKS - bool(of) - (mine <= MOST_TOGETHER < of) for of, mine in (number, number[::-1])]
    groups: list[list[int]] = []
    out: list[int] = []
    redundant: set[int] = set()  # they take no room, since a description beside its code adds no combination
    for at in range(len(names)):
        progress.report("Trying ways", at / len(names))
        # What is left out joins nothing, so a column is laid beside those in blocks only, however many there are.
        strength = [max(association(table[names[at]], table[names[each]]) for each in group) for group in groups]
        near = [place for place, each in enumerate(strength) if each >= _NEAR]
        same = [any(steady[each] for each in group) == steady[at] for group in groups]
        if not near and len(groups) < MOST_BLOCKS and sum(same) < most[steady[at]]:
            groups.append([at])
            continue
        if not near:
            room = [place for place, group in enumerate(groups) if len(group) < MOST_TOGETHER]
            room = [place for place in room if same[place] or not steady[at] or names[at] in kept]
            near = [max(room, key=lambda place: (same[place], strength[place]))] if room else []
        joined = [at, *(each for place in near for each in groups[place])]
        if any(tells_whole(table[names[each]], table[names[at]]) for each in joined[1:]):
            redundant.add(at)
        if (not near or len({*joined} - redundant) > MOST_TOGETHER) and names[at] not in kept:
            out.append(at)
            continue
        groups = [group for place, group in enumerate(groups) if place not in near]
        groups.append(sorted(joined))
    groups.sort()
    return tuple(tuple(names[at] for at in group) for group in groups), tuple(names[at] for at in out)
