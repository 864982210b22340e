"""Cells left empty for the few persons who stand out although the columns are coarse, so that nobody is alone.

Rows that fewer than k persons share in the unchanged columns lose their dates, then also their places, then also what
else describes the person: as many groups of columns as it takes. Whoever is still alone then is left out with all rows.
Equality of emptied rows counts like any other, so after it every row is shared by k persons at least (where persons are
drawn, of its class, which is published).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import cross_codes, distinct
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.mechanism import Units, keep_even_rows, make_classes
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

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"k": self.k, "groups": [list(group) for group in self.groups]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Blanking:
        """Return what `as_dict` gave. Raises BadSetting, KeyError, TypeError."""
        return cls(data["k"], tuple(tuple(str(name) for name in group) for group in data["groups"]))


@dataclass(frozen=True, eq=False)
class BlankedTable:
    """A table after blanking.

    Attributes
    ----------
    table : all records, with cells left empty.
    row_mask : (N,) bool, records of persons who are not left out.
    blanked_persons : persons with a cell left empty who are kept.
    left_out : persons who are not.
    """

    table: Table
    row_mask: NDArray[np.bool_]
    blanked_persons: int
    left_out: int


def row_classes(codes: Sequence[NDArray[Any]], sizes: Sequence[int], n: int) -> NDArray[np.int64]:
    """Return (N,) numbers, equal for rows that are equal in all columns of codes (each below its size)."""
    keys, most = np.zeros(n, np.int64), 1
    for column, m in zip(codes, sizes, strict=True):
        if most > (1 << 62) // max(m, 1):
            keys = distinct(keys.view(np.uint64))[0].astype(np.int64)
            most = int(keys.max(initial=0)) + 1
            if most == n:  # no two rows are alike already
                return keys
        keys *= max(m, 1)  # in place: a new array of so many costs more than what is done with it
        keys += column
        most *= max(m, 1)
    if most <= 4 * n:
        return cross_codes(keys, most)[0].astype(np.int64)
    return distinct(keys.view(np.uint64))[0].astype(np.int64)


def persons_sharing(rows: NDArray[np.int64], owner: NDArray[Any]) -> NDArray[np.int64]:
    """Return (N,) how many different persons have a row of the same class as each row has."""
    persons = int(owner.max(initial=-1)) + 1
    if persons == len(rows):  # a row each
        return np.bincount(rows)[rows]
    pairs = unique(rows * max(persons, 1) + owner)
    return np.bincount(pairs // max(persons, 1), minlength=int(rows.max(initial=-1)) + 1)[rows]


def blank(
    table: Table,
    blanking: Blanking,
    unchanged: Sequence[str],
    owner: NDArray[Any],
    classes: Sequence[str] | None = None,
) -> BlankedTable:
    """Return the table with cells left empty and persons left out.

    Parameters
    ----------
    unchanged : columns that are published as they are; others are not looked at.
    owner : (N,) the person of each record, 0..U-1.
    classes : unchanged columns that make the classes of drawn persons; None where records are drawn.
    """
    columns = {name: table[name] for name in (*unchanged, *(classes or ()))}
    codes = {name: column.codes for name, column in columns.items()}
    sizes = {name: column.m for name, column in columns.items()}
    kept, touched, persons = np.ones(table.n, bool), np.zeros(table.n, bool), int(owner.max(initial=-1)) + 1
    row_class = np.zeros(table.n, np.int32)

    def divide() -> None:
        if classes is None:
            return
        at = np.flatnonzero(kept)
        kept[at] = keep_even_rows(cross_codes(owner[at], persons)[0])
        at = np.flatnonzero(kept)
        who = cross_codes(owner[at], persons)[0]
        made = [columns[name].with_codes(codes[name][at].astype(np.int32)) for name in classes]
        row_class[at] = make_classes(made, Units.of_persons(who)).code[who]

    def few() -> NDArray[np.bool_]:
        at = np.flatnonzero(kept)
        keys, m = [codes[name][at] for name in unchanged], [sizes[name] for name in unchanged]
        rows = row_classes([*keys, row_class[at]], [*m, int(row_class.max(initial=0)) + 1], len(at))
        found = np.zeros(table.n, bool)
        found[at] = persons_sharing(rows, cross_codes(owner[at], persons)[0]) < blanking.k
        return found

    divide()
    for group in blanking.groups:
        alone, named = few(), [name for name in group if name in columns]
        if not alone.any():
            break
        for name in named:
            columns[name], empty = _with_empty(columns[name])
            codes[name], sizes[name] = np.where(alone, empty, codes[name]), columns[name].m
            touched |= alone
    divide()  # by what was emptied, too
    # Whoever leaves may leave others alone who shared a row, and classes too small: until nobody is.
    while (alone := few()).any():
        while alone.any():
            gone = np.zeros(persons, bool)
            gone[owner[alone]] = True
            kept &= ~gone[owner]
            alone = few()
        divide()
    changed = {name: columns[name].with_codes(codes[name].astype(np.int32)) for name in columns}
    found = replace(table, columns=tuple(changed.get(column.name, column) for column in table.columns))
    emptied = len(unique(owner[touched & kept]))
    return BlankedTable(found, kept, emptied, persons - len(unique(owner[kept])))


def _with_empty(column: Column) -> tuple[Column, int]:
    """Return a column that has a missing label, and its code: its commonest one, else a new empty one."""
    gone = np.flatnonzero(column.missing)
    if len(gone):
        return column, int(gone[np.argmax(column.counts()[gone])])
    labels = np.append(column.labels, np.array([""], object))
    values = column.values
    if values is not None:
        nothing = np.datetime64("NaT") if values.dtype.kind == "M" else np.nan
        values = np.append(values, np.array([nothing], values.dtype))
    return replace(column, labels=labels, missing=np.append(column.missing, True), values=values), column.m
