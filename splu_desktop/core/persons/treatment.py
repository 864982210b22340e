"""What the sanitiser does by person: one row of each, a random number for each, dates moved for each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadSetting, UnknownColumn
from splu_desktop.core.mechanism import NUMBER, Randomness, SystemRandomness, below, permutation
from splu_desktop.core.persons.choice import ONE, ByPerson, persons
from splu_desktop.core.table import Column, Kind, Table

LEFT_OUT = "rows_left_out"  # entry of `Table.origin`: that each person has one row already
SHIFTED = "dates_moved"  # another: that dates were moved already
_WEEK = 7


def one_per_person(table: Table, choice: ByPerson | None, source: Randomness | None = None) -> Table:
    """Return the table with one row of each person, in its order, where that is chosen; else the table itself.


    Raises UnknownColumn, BadSetting.
    """
    if choice is None or choice.way not in ONE or LEFT_OUT in table.origin:
        return table
    taken = table.take(choose_rows(table, choice, source))
    # Values that only rows left out had go with them: no draw knows what to do with a value that nobody has.
    columns = tuple(column.compacted() for column in taken.columns)
    return replace(taken, columns=columns, origin=table.origin | {LEFT_OUT: table.n - taken.n})


def choose_rows(table: Table, choice: ByPerson, source: Randomness | None = None) -> NDArray[np.int64]:
    """Return (persons,) the place of the row that each person keeps, rising. Raises UnknownColumn, BadSetting."""
    for name in choice.columns:
        if name not in table:
            raise UnknownColumn(name, table.names)
    who = persons(table[choice.column])
    if choice.way == "random":
        rank = permutation(source or SystemRandomness(), table.n).astype(np.int64)
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
    labels = np.array([str(each) for each in range(1, number + 1)], object)
    codes = permutation(source, number)[owner]
    values = np.arange(1, number + 1, dtype=np.float64)
    return Column.from_codes(NUMBER, codes, labels, np.zeros(number, bool), values, kind=Kind.INTEGER)


def shift_dates(table: Table, choice: ByPerson | None, source: Randomness) -> Table:
    """Return the table with its dates moved by one random number of days per person, where that is chosen.

    Uniform over the whole weeks from -days to days without 0, or over the days themselves where there is no week
    among them; the same in all columns chosen. The numbers are gone when this returns.
    Raises UnknownColumn, BadSetting.
    """
    if choice is None or not choice.shift or SHIFTED in table.origin:
        return table
    for name in choice.shift:
        check_dates(table[name])
    who = persons(table[choice.column])
    number = int(who.max(initial=-1)) + 1
    moved = draw_shifts(choice.days, number, source)[who]
    columns = [_moved(column, moved) if column.name in choice.shift else column for column in table.columns]
    return replace(table, columns=tuple(columns), origin=table.origin | {SHIFTED: True})


def possible_shifts(days: int) -> NDArray[np.int64]:
    """Return the numbers of days by which a person's dates may be moved: whole weeks, so that weekdays tell nothing."""
    step = _WEEK if days >= _WEEK else 1
    every = np.arange(-(days // step), days // step + 1, dtype=np.int64) * step
    return every[every != 0]


def draw_shifts(days: int, number: int, source: Randomness) -> NDArray[np.int64]:
    """Return (number,) independent shifts, uniform over `possible_shifts`."""
    every = possible_shifts(days)
    return every[below(source, len(every), number)]


def check_dates(column: Column) -> None:
    """Raise BadSetting unless a column holds dates."""
    if column.kind not in (Kind.DATE, Kind.DATETIME) or column.values is None:
        raise BadSetting("“{column}” holds no dates, so it can't be moved; name columns of dates.", column=column.name)


def _moved(column: Column, days: NDArray[np.int64]) -> Column:
    """Return a column of dates with each row's moved by (N,) days.

    A mark for an open end or an unknown day stays what it is, since nothing can be told from it; what is no date, such
    as a month without a day, becomes missing: unmoved beside moved dates it would tell the shift.
    """
    assert column.values is not None
    unit = "datetime64[D]" if column.kind is Kind.DATE else "datetime64[us]"
    dated = ~np.isnat(column.values) & ~column.marks
    mark = ~np.isnat(column.values) & column.marks & ~column.missing
    plain = dated[column.codes]
    dates = column.values.astype(unit)[column.codes[plain]] + days[plain].astype("timedelta64[D]")
    distinct, to = np.unique(dates, return_inverse=True)
    moved = [str(date).replace("T", " ") for date in distinct.tolist()]
    stays = np.flatnonzero(mark & ~np.isin(column.labels, moved))
    gone = column.labels[column.missing][:1] if column.missing.any() else np.array([""], object)
    labels = np.array([*moved, *column.labels[stays], *gone], object)
    places = np.full(column.m, len(distinct) + len(stays), np.int64)
    places[stays] = len(distinct) + np.arange(len(stays))
    for at in np.flatnonzero(mark & np.isin(column.labels, moved)).tolist():
        places[at] = moved.index(column.labels[at])
    codes = places[column.codes]
    codes[plain] = to
    nothing = np.array(["NaT"], "datetime64[us]")
    values = np.concatenate([distinct.astype("datetime64[us]"), column.values[stays].astype("datetime64[us]"), nothing])
    missing = np.arange(len(values)) == len(values) - 1
    made = Column.from_codes(column.name, codes, labels, missing, values, kind=column.kind)
    return made.compacted()
