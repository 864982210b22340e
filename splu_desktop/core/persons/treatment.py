"""What the sanitiser does by person: one row of each, a random number for each, dates moved for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import stir
from splu_desktop.core.errors import BadSetting, UnknownColumn
from splu_desktop.core.mechanism import LEAST, NUMBER, Randomness, keep_even_rows, permutation
from splu_desktop.core.persons.choice import ByPerson, persons
from splu_desktop.core.persons.dates import (
    RecoveredShift,
    check_dates,
    draw_shifts,
    move_dates,
    possible_shifts,
    try_recover_shift,
)
from splu_desktop.core.table import Column, Table, number_codes

LEFT_OUT = "rows_left_out"  # entry of `Table.origin`: that each person has one row already
SHIFTED = "dates_moved"  # another: that dates were moved already


def one_per_person(table: Table, choice: ByPerson | None) -> Table:
    """Return the table with one row of each person, in its order, where that is chosen; else the table itself.

    Raises UnknownColumn, BadSetting.
    """
    if choice is None or not choice.one_row or LEFT_OUT in table.origin:
        return table
    return _take_rows(table, choose_rows(table, choice))


def even_rows(table: Table, choice: ByPerson | None) -> Table:
    """Return the rows of a table that go out: one a person, or so many as enough other persons have, or all of them.

    Raises UnknownColumn, BadSetting.
    """
    if choice is None or choice.way != "draw":
        return one_per_person(table, choice)
    kept = keep_even_rows(persons(table[choice.column]), max(LEAST, choice.least))
    return table if kept.all() else _take_rows(table, np.flatnonzero(kept))


def _take_rows(table: Table, places: NDArray[np.int64]) -> Table:
    taken = table.take(places)
    # Values that only rows left out had go with them: no draw knows what to do with a value that nobody has.
    columns = tuple(column.without_unused_labels() for column in taken.columns)
    lost = table.origin.get(LEFT_OUT, 0) + table.n - taken.n
    return replace(taken, columns=columns, origin=table.origin | {LEFT_OUT: lost})


def choose_rows(table: Table, choice: ByPerson) -> NDArray[np.int64]:
    """Return (persons,) the place of the row that each person keeps, rising. Raises UnknownColumn, BadSetting."""
    for name in choice.columns:
        if name not in table:
            raise UnknownColumn(name, table.names)
    who = persons(table[choice.column])
    if choice.way == "random":
        rank = stir(np.arange(table.n, dtype=np.uint64)).view(np.int64)  # the same in verdict, release and report
    elif choice.order:
        column = table[choice.order]
        if column.values is None:
            raise BadSetting("“{column}” has no order: choose a column of dates or numbers.", column=choice.order)
        rank = column.codes.astype(np.int64)  # labels stand in the order of their values; missing ones last
        if choice.way == "last":
            rank = np.where(column.missing[column.codes], -1, rank)
    else:
        rank = np.arange(table.n)
    by = np.lexsort((np.arange(table.n), rank, who))
    edge = who[by][1:] != who[by][:-1]
    taken = by[np.r_[edge, True]] if choice.way == "last" else by[np.r_[True, edge]]
    return np.asarray(np.sort(taken), np.int64)


def number_persons(owner: NDArray[np.int64], source: Randomness) -> Column:
    """Return a column with a random number of each person, from 1, for the rows of persons (N,)."""
    number = int(owner.max(initial=-1)) + 1
    return number_codes(NUMBER, permutation(source, number)[owner])


def shift_dates(table: Table, choice: ByPerson | None, source: Randomness) -> Table:
    """Return the table with its dates moved by one random number of days per person, where that is chosen.

    The same number in all columns chosen; the numbers are gone when this returns. Raises UnknownColumn, BadSetting.
    """
    if choice is None or not choice.shift or SHIFTED in table.origin:
        return table
    for name in choice.shift:
        check_dates(table[name])
    who = persons(table[choice.column])
    return _move(table, choice, draw_shifts(choice.days, int(who.max(initial=-1)) + 1, source)[who])


def _move(table: Table, choice: ByPerson, moved: NDArray[np.int64]) -> Table:
    """Return the table with the dates of a choice moved by (N,) days."""
    columns = [
        move_dates(column, moved, choice.days) if column.name in choice.shift else column for column in table.columns
    ]
    return replace(table, columns=tuple(columns), origin=table.origin | {SHIFTED: True})


def rehearse_shift(source: Table, choice: ByPerson, published: Sequence[str]) -> RecoveredShift:
    """Return what a reader of a release could recover of the shifts, before there is one; the same in every run.

    source : rows that are published, as they go out but for the move, and the column that names persons.
    published : unchanged columns. Dates that go out coarser are not moved here: they tell nothing of a day.
    """
    moved = tuple(name for name in choice.shift if name in published and source[name].kind.is_date)
    who, every = persons(source[choice.column]), possible_shifts(choice.days)
    table = source.select([name for name in published if name in moved or name not in choice.shift])
    if moved:
        # No draw: a person's number stirred deals the shifts as evenly, and nothing that is published is moved by it.
        dealt = every[(stir(who.astype(np.uint64)) % np.uint64(len(every))).astype(np.int64)]
        table = _move(table, replace(choice, shift=moved), dealt)
    return try_recover_shift(table, moved, choice.days, who, source)
