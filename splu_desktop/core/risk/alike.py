"""Who is recognised: how many persons share each row, who has what nobody else has, and what rows tell of each other.

The unit is the person where a column names persons, else the row: six rows of one person are one person, found with
certainty. Where a published number tells which rows are one person's, all rows of a person are looked at together.
A block's combination and a person's history stand in the release as they are, with their owner or another person of the
class: who is the only one to have one is seen to be in the table, whatever gamma is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import count_pairs, distinct, row_classes, stir
from splu_desktop.core.mechanism import Block
from splu_desktop.core.persons.blanking import persons_sharing
from splu_desktop.core.persons.choice import persons
from splu_desktop.core.persons.dates import possible_shifts
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import block_codes
from splu_desktop.core.sanitise import DrawInput, show_rows
from splu_desktop.core.table import unique

Ints = NDArray[np.integer]
Floats = NDArray[np.float64]

DAY = 86_400_000_000  # microseconds
_SOUGHT, _LOOKS = 2_000, 4_000_000  # rows that are sought, and values that are looked at for them


@dataclass(frozen=True, eq=False)
class Alike:
    """How many look like each person.

    Attributes
    ----------
    sizes : (U,) persons, the person itself among them, who share the row of a person that fewest share.
    """

    sizes: NDArray[np.int64]

    @property
    def smallest(self) -> int:
        """Persons of the smallest class; 0 in a table without rows."""
        return int(self.sizes.min(initial=len(self.sizes)))

    def below(self, k: int) -> int:
        """Return how many persons have a row that fewer than k persons share; of 2, that is like nobody else's."""
        return int((self.sizes < k).sum())


def alike(prepared: DrawInput, plan: Plan) -> Alike:
    """Return how many look like each person in what somebody may know of them."""
    n, rows = prepared.table.n, _known_rows(prepared, plan)
    keys = [rows]
    if prepared.units.person:  # the class of the lenders is published, and tells how many rows a person has left
        keys = [row_classes([rows, prepared.row_class], [n, prepared.classes.number], n)]
        if prepared.rows_left_out and not plan.classes:
            # Who had as many rows looks alike, too: without the source's order nobody knows who gave some up.
            before = _rows_before(prepared, plan)
            keys.append(row_classes([rows, before], [n, int(before.max()) + 1], n))
    if plan.persons is not None and plan.persons.number:
        courses = add_courses(keys[0], prepared)
        _, course, times = np.unique(courses, return_inverse=True, return_counts=True)
        return Alike(times[course].astype(np.int64))
    # Who has no row looks like everybody; of several rows the one that fewest share decides.
    sizes = np.full(prepared.person_count, prepared.person_count, np.int64)
    sharing = np.max([persons_sharing(each, prepared.owner) for each in keys], axis=0)
    np.minimum.at(sizes, prepared.owner, sharing)
    return Alike(sizes)


def _known_rows(prepared: DrawInput, plan: Plan) -> NDArray[np.int64]:
    """Return (N,) the same for rows that are alike in what somebody may know of them."""
    table, known = prepared.table, [prepared.table[name] for name in plan.knowable]
    rows = row_classes([column.codes for column in known], [column.m for column in known], table.n)
    if plan.persons is not None and plan.persons.shift:  # whoever knows a day knows what is left
        group = prepared.owner if plan.persons.number else np.arange(table.n)
        turn = int(np.gcd.reduce(possible_shifts(plan.persons.days)))
        left = distinct(left_by_moving(prepared, plan, group, turn * DAY))[0]
        rows = row_classes([rows, left], [table.n, table.n], table.n)
    return rows


def _rows_before(prepared: DrawInput, plan: Plan) -> NDArray[np.int64]:
    """Return (N,) how many rows the person of each row had before some were given up."""
    assert plan.persons is not None
    now, whole = (each[plan.persons.column] for each in (prepared.source, prepared.whole) if each is not None)
    who, before = persons(whole), np.zeros(whole.m, np.int64)
    before[whole.codes] = np.bincount(who)[who]
    return before[[whole.code_of(label) for label in now.labels.tolist()]][now.codes]


def unique_combinations(prepared: DrawInput, block: Block) -> float:
    """Return the share of the persons with a combination of a block's values that nobody else has."""
    codes = block_codes(prepared.table, block.columns).astype(np.int64)
    alone = persons_sharing(codes, prepared.owner) == 1
    return len(unique(prepared.owner[alone])) / max(prepared.person_count, 1)


def add_courses(codes: NDArray[np.integer], prepared: DrawInput) -> NDArray[np.uint64]:
    """Return (U,) one number for each person, the same for persons whose rows (N,) have the same codes, all together.

    A sum of stirred keys is one for each multiset of rows, but for chances of 2^-64.
    """
    course = np.zeros(prepared.person_count, np.uint64)
    np.add.at(course, prepared.owner, stir(stir(codes.astype(np.uint64) + np.uint64(1))))
    return course


def unique_histories(prepared: DrawInput, block: Block) -> float:
    """Return the share of the persons with several rows whose values of a block, all rows together, nobody else has."""
    history = add_courses(block_codes(prepared.table, block.columns), prepared)
    _, first, times = np.unique(history, return_index=True, return_counts=True)
    several = np.bincount(prepared.owner) > 1  # a single row is a combination, which is counted above
    return float(several[first[times == 1]].sum() / max(several.sum(), 1))


def unique_distances(prepared: DrawInput, plan: Plan) -> float:
    """Return the share of the persons who are unique by the time between their moved dates, which moving leaves."""
    _, times = np.unique(add_courses(left_by_moving(prepared, plan, prepared.owner, 1), prepared), return_counts=True)
    return np.count_nonzero(times == 1) / max(prepared.person_count, 1)


def left_by_moving(prepared: DrawInput, plan: Plan, group: NDArray[np.integer], turn: int) -> NDArray[np.uint64]:
    """Return (N,) one number for each row, the same for rows whose moved dates are alike but for the move.

    group : (N,) rows whose dates are seen to be moved together.
    turn : microseconds, of which every move is a multiple: weekday and time of day of a group's first date stay.
    """
    first, moments = np.full(int(group.max(initial=-1)) + 1, np.iinfo(np.int64).max), []
    for name in () if plan.persons is None else plan.persons.shift:
        column = prepared.source[name]
        if column.values is not None and name in plan.nsas and prepared.table[name].kind.is_date:
            known = ~(np.isnat(column.values) | column.marks)[column.codes]
            moment = column.values.astype("datetime64[us]").astype(np.int64)[column.codes]
            np.minimum.at(first, group[known], moment[known])
            moments.append((moment, known))
    begin = first[group]
    row = stir((begin % turn).astype(np.uint64))
    for moment, known in moments:
        row = stir(row + stir(np.where(known, moment - begin, -1).astype(np.uint64)))
    return row


class _Dealt:
    """Numbers for a rehearsal that tells the same whenever it is asked; none of them makes a release."""

    dealt = 0

    def bits(self, count: int) -> NDArray[np.uint32]:
        """Return (count,) numbers as even as random ones."""
        self.dealt += count
        return stir(np.arange(self.dealt - count, self.dealt, dtype=np.uint64)).astype(np.uint32)


def find_by_others(prepared: DrawInput, plan: Plan) -> float:
    """Return the share of the rows, of persons with several, that who knows all other rows of the person finds.

    What stays in all rows of a person stays in them whoever lent it, at any strength, and lays them side by side.
    Columns are looked at together, what stays most first, while more is found. Test: tests/core/test_linkage.py.
    """
    owner, classes, best = prepared.owner, prepared.row_class, 0.0
    rows = np.flatnonzero(np.bincount(owner)[owner] > 1)
    if not len(rows) or (plan.persons is not None and plan.persons.number):  # a number lays them side by side for all
        return best
    rows = rows[np.argsort(stir(owner[rows].astype(np.uint64)))]  # those of a person side by side
    cells = row_classes([_known_rows(prepared, plan), classes], [len(owner), prepared.classes.number], len(owner))
    dealt, shown = _Dealt(), np.zeros(len(owner), np.int64)
    drawn = [(block, show_rows(prepared, block, dealt)) for block in plan.blocks]
    columns = [prepared.table[name].codes[row] for block, row in drawn for name in block.columns]
    for column in sorted(columns, key=lambda each: -np.mean(each[rows[1:]] == each[rows[:-1]])):
        shown = row_classes([shown, column], [int(each.max()) + 1 for each in (shown, column)], len(owner))
        if (share := _share_found(cells, classes, owner, shown, rows)) <= best:
            break
        best = share
    return best


def _share_found(cells: Ints, classes: Ints, owner: Ints, shown: Ints, rows: Ints) -> float:
    """Return the share of some rows, each person's side by side, that the others find by what (N,) rows show.

    Law: a row is it with odds prod(1 + rho (m/(n g) - 1)) over the others: of n rows like an other m show what it does,
    and a share g of its class; rho of two rows of a person agree beyond chance. Proof: Bayes, as if independent.
    """
    size = int(shown.max()) + 1
    rows = rows[: min(_SOUGHT, _LOOKS // size + 4)]

    def count_beside(groups: Ints) -> NDArray[np.float32]:
        """Return (R, size) how many rows of the group of each row show each value; as short numbers, for millions."""
        some, of = np.unique(groups[rows], return_inverse=True)
        at = np.flatnonzero(np.isin(groups, some))
        return count_pairs(np.searchsorted(some, groups[at]), len(some), shown[at], size).astype(np.float32)[of]

    m, g = count_beside(cells), count_beside(classes)
    g /= g.sum(axis=1, keepdims=True)
    seen, places, new = shown[rows], np.arange(len(rows)), np.diff(owner[rows], prepend=-1) != 0
    same, chance = np.mean((seen[1:] == seen[:-1])[~new[1:]]), g[places, seen].mean(dtype=float)
    rho = max(same - chance, 0) / max(1 - chance, 1e-9)
    lift = m / (m.sum(axis=1, keepdims=True) * np.maximum(g, np.float32(1e-12)))
    odds = np.log(np.float32(rho) * lift + np.float32(1 - rho + 1e-12))
    others = np.add.reduceat(odds, np.flatnonzero(new))[np.cumsum(new) - 1] - odds
    best = np.where(m > 0, others, np.float32(-np.inf)).argmax(axis=1)
    return float(((best == seen) / m[places, best]).mean(dtype=float))
