"""Which sensitive columns are drawn together: those that tell each other's values, in at most three blocks.

Columns drawn one by one that hang together lend certainty to each other (mechanism.md section 6); drawn as one, whole
combinations are kept or lent, and nothing is gained by laying columns beside each other.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from splu_desktop.core.mechanism import Units, make_classes
from splu_desktop.core.mechanism.published_numbers import row_correlation
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.risk.association import association, tells_whole
from splu_desktop.core.table import Table

Blocks = tuple[tuple[str, ...], ...]
# Of 3 columns drawn apart at most .12 of shown findings were known to an attacker, of 54 up to .42.
MOST_BLOCKS = 3
MOST_TOGETHER = 8  # columns of a block, beside those that another tells whole: more make each combination unique
_STEADY = 0.5  # correlation of a person's rows from which a column says more of the person than of the row
# Less than LINKED of `core/risk/association`, from which the verdict stops columns that are drawn apart.
_NEAR = 0.15  # Cramer's V, corrected for chance, from which they are drawn together


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
