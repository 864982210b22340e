"""Persons alike: how many persons share each row in the columns that somebody may know of them.

The unit is the person where a column names persons, else the row: six rows of one person are one person, found with
certainty. Where a published number tells which rows are one person's, all rows of a person are looked at together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import distinct, row_classes
from splu_desktop.core.persons.blanking import persons_sharing
from splu_desktop.core.persons.choice import persons
from splu_desktop.core.persons.dates import possible_shifts
from splu_desktop.core.plan import Plan
from splu_desktop.core.risk.recognition import DAY, add_courses, left_by_moving
from splu_desktop.core.sanitise import DrawInput


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
    """Return how many look like each person in the columns that somebody may know."""
    table = prepared.table
    known = [table[name] for name in plan.knowable]
    rows = row_classes([column.codes for column in known], [column.m for column in known], table.n)
    if plan.persons is not None and plan.persons.shift:  # whoever knows a day knows what is left
        group = prepared.owner if plan.persons.number else np.arange(table.n)
        turn = int(np.gcd.reduce(possible_shifts(plan.persons.days)))
        left = distinct(left_by_moving(prepared, plan, group, turn * DAY))[0]
        rows = row_classes([rows, left], [table.n, table.n], table.n)
    keys = [rows]
    if prepared.units.person:  # the class of the lenders is published, and tells how many rows a person has left
        keys = [row_classes([rows, prepared.row_class], [table.n, prepared.classes.number], table.n)]
        if prepared.rows_left_out and not plan.classes:
            # Who had as many rows looks alike, too: without the source's order nobody knows who gave some up.
            before = _rows_before(prepared, plan)
            keys.append(row_classes([rows, before], [table.n, int(before.max()) + 1], table.n))
    if plan.persons is not None and plan.persons.number:
        courses = add_courses(keys[0], prepared)
        _, course, times = np.unique(courses, return_inverse=True, return_counts=True)
        return Alike(times[course].astype(np.int64))
    # Who has no row looks like everybody; of several rows the one that fewest share decides.
    sizes = np.full(prepared.person_count, prepared.person_count, np.int64)
    sharing = np.max([persons_sharing(each, prepared.owner) for each in keys], axis=0)
    np.minimum.at(sizes, prepared.owner, sharing)
    return Alike(sizes)


def _rows_before(prepared: DrawInput, plan: Plan) -> NDArray[np.int64]:
    """Return (N,) how many rows the person of each row had before some were given up."""
    assert plan.persons is not None
    now, whole = (each[plan.persons.column] for each in (prepared.source, prepared.whole) if each is not None)
    who, before = persons(whole), np.zeros(whole.m, np.int64)
    before[whole.codes] = np.bincount(who)[who]
    return before[np.isin(whole.labels, now.labels)][now.codes]
