"""Which sensitive columns are drawn together: those that tell each other's values, in at most three blocks.

Columns drawn one by one that hang together lend certainty to each other (mechanism.md section 6); drawn as one, whole
combinations are kept or lent, and nothing is gained by laying columns beside each other.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.risk.association import association, tells_whole
from splu_desktop.core.table import Table

Blocks = tuple[tuple[str, ...], ...]
# Of 3 columns drawn apart at most .12 of shown findings were known to an attacker, of 54 up to .42.
MOST_BLOCKS = 3
MOST_TOGETHER = 8  # columns of a block, beside those that another tells whole: more make each combination unique
# Less than LINKED of `core/risk/association`, from which the verdict stops columns that are drawn apart.
_NEAR = 0.15  # Cramer's V, corrected for chance, from which they are drawn together


def group_columns(
    table: Table, names: Sequence[str], kept: Collection[str] = (), progress: Progress = SILENT
) -> tuple[Blocks, tuple[str, ...]]:
    """Return columns in blocks by how strongly they are linked, most asked ones first, and those without room.

    Each column joins the blocks that it tells or that tell it, which become one. One without links begins a block, or
    joins the nearest where there are three. What finds no room is left out, since it would tell what is drawn apart.

    kept : columns that are never left out, whatever the room.
    """
    groups: list[list[int]] = []
    out: list[int] = []
    redundant: set[int] = set()  # they take no room, since a description beside its code adds no combination
    for at in range(len(names)):
        progress.report("Trying ways", at / len(names))
        # What is left out joins nothing, so a column is laid beside those in blocks only, however many there are.
        strength = [max(association(table[names[at]], table[names[each]]) for each in group) for group in groups]
        near = [place for place, each in enumerate(strength) if each >= _NEAR]
        if not near and len(groups) < MOST_BLOCKS:
            groups.append([at])
            continue
        if not near:
            near = [place for place, group in enumerate(groups) if len(group) < MOST_TOGETHER]
            near = [max(near, key=lambda place: strength[place])] if near else []
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
