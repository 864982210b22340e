"""How recognisable records are by the columns published unchanged: uniques, small classes, and what causes them.

A class is the set of records that agree on all non-sensitive attributes (NSAs) kept; a missing value agrees with equal
missing values only. A record is unique where its class has size 1; a class below k breaks k-anonymity. The sensitive
attributes play no part: they are re-drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.risk.classes import Classes, classes_of, keys_of, one_class, sizes_of
from splu_desktop.core.table import Column, Table
from splu_desktop.frozen import dataclass

KS = (2, 3, 5, 10)
_STAGE = "Looking for what makes records recognisable"


@dataclass(frozen=True)
class Uniqueness:
    """Small classes among N records.

    Attributes
    ----------
    records : N.
    classes : number of classes.
    smallest : records in the smallest class; 0 for no records.
    below : k -> records in classes of fewer than k records; k = 2 counts the unique ones.
    """

    records: int
    classes: int
    smallest: int
    below: Mapping[int, int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "below", MappingProxyType(dict(self.below)))

    @property
    def unique(self) -> int:
        """Records that no other record agrees with."""
        return self.below[2]

    def share(self, k: int) -> float:
        """Return the share of the records that stand in classes of fewer than k."""
        return self.below[k] / self.records if self.records else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        below = {str(k): count for k, count in self.below.items()}
        return {"records": self.records, "classes": self.classes, "smallest_class": self.smallest, "below": below}


@dataclass(frozen=True)
class Cause:
    """What one column contributes.

    Attributes
    ----------
    name : the column.
    without : the risk that stays when it alone is left out.
    alone : the risk by it alone: two columns that each single records out hide each other in `without`.
    generalised : the risk with the column as it was put on trial; None where it was not.
    """

    name: str
    without: Uniqueness
    alone: Uniqueness
    generalised: Uniqueness | None = None

    def freed(self, whole: Uniqueness, k: int) -> int:
        """Return how many records leave the classes below k when the column is left out of `whole`."""
        return whole.below[k] - self.without.below[k]


def class_sizes(table: Table, names: Sequence[str], progress: Progress = SILENT) -> NDArray[np.int64]:
    """Return (C,) sizes, in records, of the classes of records that agree on all of `names`.

    They add up to N; with no name all records are one class. Raises UnknownColumn; Cancelled.
    """
    return sizes_of(*keys_of(_widest_last(table, names), table.n, progress), progress)


def records_below(sizes: NDArray[np.int64], k: int) -> int:
    """Return how many records stand in classes smaller than k; k = 2 counts the unique ones."""
    return int(sizes[sizes < k].sum())


def risk(table: Table, names: Sequence[str], progress: Progress = SILENT) -> Uniqueness:
    """Return how recognisable records are by the columns `names`. Raises UnknownColumn; Cancelled."""
    return figures(class_sizes(table, names, progress))


def figures(sizes: NDArray[np.int64]) -> Uniqueness:
    """Return the figures of classes with these sizes."""
    few = np.bincount(np.minimum(sizes, max(KS)), minlength=max(KS) + 1) * np.arange(max(KS) + 1)
    below = {k: int(few[:k].sum()) for k in KS}
    return Uniqueness(
        int(sizes.sum()), len(sizes), int(sizes.min(initial=np.iinfo(np.int64).max)) if len(sizes) else 0, below
    )


def causes(
    table: Table,
    names: Sequence[str],
    progress: Progress = SILENT,
    *,
    trials: Mapping[str, Column] | None = None,
) -> tuple[Cause, ...]:
    """Return for each of `names` what leaving it out would change, the most telling column first.

    `trials` holds other forms of some of the columns, such as generalised ones; what each would change is told too.

    First is the column whose absence leaves the fewest unique records, then the fewest below 3, 5 and 10, then the one
    that makes most records unique alone.
    """
    columns = _widest_last(table, names)
    found = []
    for column, before, behind in _left_out(columns, table.n, progress):
        counts = column.counts()
        trial = (trials or {}).get(column.name)
        if trial is None:
            without, tried = figures(before.split_sizes(behind.ids, behind.count)), None
        else:
            rest = before.joined(behind.ids, behind.count)
            without, tried = figures(rest.sizes), with_column(rest, trial)
        found.append(Cause(column.name, without, figures(counts[counts > 0]), tried))
    order = {name: place for place, name in enumerate(names)}

    def most_telling(cause: Cause) -> tuple[int, ...]:
        return *(cause.without.below[k] for k in KS), *(-cause.alone.below[k] for k in KS), order[cause.name]

    return tuple(sorted(found, key=most_telling))


def others(table: Table, names: Sequence[str], name: str, progress: Progress = SILENT) -> Classes:
    """Return the classes by all of `names` but `name`: what `with_column` needs to try the column generalised."""
    return classes_of(_widest_last(table, [n for n in names if n != name]), table.n, progress)


def with_column(rest: Classes, column: Column) -> Uniqueness:
    """Return the risk by the columns behind `rest` and this one, such as a column generalised on trial."""
    return figures(rest.split_sizes(column.codes, column.m))


def _widest_last(table: Table, names: Sequence[str]) -> list[Column]:
    """Return the columns by number of labels: classes stay few, and renumbering cheap, for as long as possible."""
    return sorted((table[name] for name in dict.fromkeys(names)), key=lambda column: column.m)


def _left_out(columns: Sequence[Column], n: int, progress: Progress) -> Iterator[tuple[Column, Classes, Classes]]:
    """Give each column, and the classes by the columns before it and by those behind it.

    Classes by the columns behind are kept for each place (4 N bytes each), classes by those before grow on the way, so
    that each place costs two renumberings and a sort, whatever the number of columns.
    """
    behind = [one_class(n)]
    for done, column in enumerate(reversed(columns[1:])):
        progress.report(_STAGE, done / (3 * len(columns)))
        behind.append(behind[-1].split(column))
    before = one_class(n)
    for done, column in enumerate(columns):
        progress.report(_STAGE, 1 / 3 + 2 * done / (3 * len(columns)))
        yield column, before, behind.pop()
        before = before.split(column)
    progress.report(_STAGE, 1.0)
