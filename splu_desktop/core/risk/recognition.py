"""Who is recognised by what is kept whole: combinations of a block, histories of persons.

A block's combination and a person's history stand in the release as they are, with their owner or another person of the
class. Who is the only one to have one is seen to be in the table, whatever gamma is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import stir
from splu_desktop.core.mechanism import Block
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import block_codes
from splu_desktop.core.sanitise import DrawInput
from splu_desktop.core.table import unique

DAY = 86_400_000_000  # microseconds


def unique_combinations(prepared: DrawInput, block: Block) -> float:
    """Return the share of the persons with a combination of a block's values that nobody else has."""
    codes = block_codes(prepared.table, block.columns).astype(np.int64)
    persons = max(prepared.person_count, 1)
    pairs = unique(codes * persons + prepared.owner)
    having = np.bincount(pairs // persons)
    return len(unique(pairs[having[pairs // persons] == 1] % persons)) / persons


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
    if plan.persons is None or not plan.persons.shift:
        return 0.0
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
