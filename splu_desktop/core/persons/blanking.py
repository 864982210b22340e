"""Cells left empty for the few persons who stand out although the columns are coarse, so that nobody is alone.

Rows that fewer than k persons share in the unchanged columns lose their dates, then also their places, then also what
else describes the person: as many groups of columns as it takes. Whoever is still alone then is left out with all rows.
Equality of emptied rows counts like any other, so after it every row is shared by k persons at least (where persons are
drawn, of its class, which is published).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import cross_codes, row_classes
from splu_desktop.core.errors import BadSetting, EmptyTable
from splu_desktop.core.mechanism import Classes, Units, keep_even_rows, make_classes
from splu_desktop.core.table import Column, Table, unique


@dataclass(frozen=True)
class Blanking:
    """What is left empty for whom.

    Attributes
    ----------
    k : persons who must share a row in the unchanged columns, at least.
    groups : columns that are emptied, the first group first; those not named stay as they are.
    """

    k: int
    groups: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        if type(self.k) is not int or self.k < 2:
            raise BadSetting("The least number of persons alike must be a whole number from 2, not {k}.", k=self.k)
        object.__setattr__(self, "groups", tuple(tuple(group) for group in self.groups))


@dataclass(frozen=True, eq=False)
class BlankedTable:
    """A table after blanking.

    Attributes
    ----------
    table : all records, with cells left empty.
    left : (K,) the places of records of persons who are not left out, ascending.
    blanked_persons : persons with a cell left empty who are kept.
    left_out : persons who are not.
    units : drawn persons who are left, and their classes; None where records are drawn.
    """

    table: Table
    left: NDArray[np.intp]
    blanked_persons: int
    left_out: int
    units: tuple[Units, Classes] | None


def persons_sharing(rows: NDArray[np.int64], owner: NDArray[Any]) -> NDArray[np.int64]:
    """Return (N,) how many different persons have a row of the same class as each row has."""
    persons = int(owner.max(initial=-1)) + 1
    if persons == len(rows):  # a row each
        return np.bincount(rows)[rows]
    pairs = unique(rows * max(persons, 1) + owner)
    return np.bincount(pairs // max(persons, 1), minlength=int(rows.max(initial=-1)) + 1)[rows]


def rows_alone(rows: NDArray[np.int64], owner: NDArray[Any], k: int) -> NDArray[np.intp]:
    """Return the places of rows (N,) that are of a class of which fewer than k different persons have a row."""
    # Persons are no fewer than the parts that rows are of all their rows; what lies between is counted.
    part = (1 / np.maximum(np.bincount(owner), 1)).take(owner)
    return _those_alone(rows, owner, k, np.flatnonzero((np.bincount(rows, part) < k - 1 + 1e-6).take(rows)))


def _those_alone(rows: NDArray[np.int64], owner: NDArray[Any], k: int, at: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return which of some places, all those of their classes, are of a class with rows of fewer than k persons."""
    persons = int(owner.max(initial=0)) + 1
    pairs = unique(rows[at] * persons + owner[at])
    return at[(np.bincount(pairs // persons) < k).take(rows[at])]


def find_leavers(
    rows: NDArray[np.int64], owner: NDArray[Any], persons: int, k: int, most: float = np.inf
) -> NDArray[np.bool_]:
    """Return (persons,) who leave, with all rows, until k persons share each that is left, or more than `most` left."""
    gone, left, sizes = np.zeros(persons, bool), np.ones(len(rows), bool), np.bincount(rows)
    gone[owner.compress((sizes < k).take(rows))] = True  # rows are no fewer than persons
    part = (1 / np.maximum(np.bincount(owner), 1)).take(owner)
    # Persons of each class at least; they are counted where k are not sure, at first and where a row has been lost.
    least = np.bincount(rows, part)
    few = (sizes >= k) & (least < k - 1 + 1e-6)
    while np.count_nonzero(gone) <= most:
        gone[owner[_those_alone(rows, owner, k, np.flatnonzero(few.take(rows) & left))]] = True
        lost = np.flatnonzero(gone.take(owner) & left)
        if not len(lost):
            break
        left[lost] = False
        least -= np.bincount(rows[lost], part[lost], len(least))
        few = (np.bincount(rows[lost], minlength=len(few)) > 0) & (least < k - 1 + 1e-6)
    return gone


def blank(
    table: Table,
    blanking: Blanking,
    unchanged: Sequence[str],
    owner: NDArray[Any],
    classes: Sequence[str] | None = None,
    most: float = np.inf,
) -> BlankedTable:
    """Return the table with cells left empty and persons left out. Raises EmptyTable where too many would be.

    Parameters
    ----------
    unchanged : columns that are published as they are; others are not looked at.
    owner : (N,) the person of each record, 0..U-1.
    classes : unchanged columns that make the classes of drawn persons; None where records are drawn.
    most : persons who may lose cells or be left out; somebody must be left.
    """
    columns = {name: table[name] for name in (*unchanged, *(classes or ()))}
    touched, persons = np.zeros(table.n, bool), int(owner.max(initial=-1)) + 1
    stand_out = EmptyTable("Every person stands out, so nobody is left to publish; publish fewer columns.")

    def divide(left: NDArray[np.intp]) -> tuple[NDArray[np.intp], tuple[Units, Classes] | None]:
        if classes is None:
            return left, None
        who = cross_codes(owner[left], persons)[0]
        kept = keep_even_rows(who)
        if not kept.all():
            left, who = left[kept], cross_codes(who[kept], persons)[0]
        class_columns = [columns[name].with_codes(columns[name].codes[left]) for name in classes]
        units = Units.of_persons(who)
        return left, (units, make_classes(class_columns, units))

    def compare(at: NDArray[np.intp]) -> NDArray[np.int64]:
        codes = [columns[name].codes.take(at) for name in unchanged]
        return row_classes(codes, [columns[name].m for name in unchanged], len(at))

    def cross() -> NDArray[np.int64]:
        if drawn is None:
            return rows[left]
        codes, sizes = drawn[1].code.take(drawn[0].owner), [int(rows.max(initial=0)) + 1, drawn[1].number]
        return row_classes([rows[left], codes], sizes, len(left))

    rows = compare(np.arange(table.n))
    left, drawn = divide(np.arange(table.n))
    for group in ([name for name in each if name in columns] for each in blanking.groups):
        alone = left[rows_alone(cross(), owner[left], blanking.k)]
        if not group or not len(alone):
            continue
        touched[alone], empty = True, np.ones(table.n, bool)
        if np.count_nonzero(np.bincount(owner[alone])) > most:
            raise stand_out
        for name in group:
            columns[name] = _empty_rows(columns[name], alone)
            empty &= columns[name].codes == columns[name].codes[alone[0]]
        # None but those that are empty in the whole group can be like those emptied now.
        at = np.flatnonzero(empty)
        rows[at] = int(rows.max()) + 1 + compare(at)
    if any(columns[name] is not table[name] for name in classes or ()):
        left, drawn = divide(left)  # by what was emptied, too
    # Whoever leaves may leave others alone who shared a row, and classes too small: until nobody is, or too many are.
    out = np.zeros(persons, bool)
    while (gone := find_leavers(cross(), owner[left], persons, blanking.k, most)).any() and out.sum() <= most:
        out |= gone
        left, drawn = divide(left[~gone[owner[left]]])
    blanked_persons, left_out = len(unique(owner[left[touched[left]]])), int(out.sum())
    if not len(left) or blanked_persons + left_out > most:
        raise stand_out
    changed = {name: column.with_codes(column.codes) for name, column in columns.items()}
    result = replace(table, columns=tuple(changed.get(column.name, column) for column in table.columns))
    return BlankedTable(result, left, blanked_persons, left_out, drawn)


def _empty_rows(column: Column, rows: NDArray[np.intp]) -> Column:
    """Return the column with no value in some rows: its commonest missing label, else a new empty one."""
    gone, empty = np.flatnonzero(column.missing), column.m
    if len(gone):
        empty = int(gone[np.argmax(column.counts()[gone])])
    else:
        values = None if column.values is None else np.append(column.values, np.array([None], column.values.dtype))
        labels, missing = np.append(column.labels, np.array([""], object)), np.append(column.missing, True)
        column = replace(column, labels=labels, missing=missing, values=values)
    codes = column.codes.copy()
    codes[rows] = empty
    return column.with_codes(codes)
