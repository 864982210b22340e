"""What columns drawn together cost: who knows some of a person's values can recognise a row's combination.

A row shows the person's own combination in one of gamma cases. Where it agrees with all values that someone knows, the
others are the person's own too unless another member of the group has the known values as well, which is the rarer the
more is known. Drawn one by one no column tells of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw.combined_groups import EMPTY, Ints, formed, stacked
from splu_desktop.core.progress import Silent
from splu_desktop.core.table import Column
from splu_desktop.frozen import dataclass

_FORMING = 20_130_905  # any fixed one
_RECORDS = 60_000  # in groups
_MOST_TIMES = 8


@dataclass(frozen=True)
class Recognised:
    """What a row tells of one column to someone who knows all other values drawn together with it.

    Attributes
    ----------
    column : its name.
    learnt : share of the records with a protected value whose row shows it beside the values known.
    certainty : how often a protected value beside the values known is the record's own; 0 where there is none.
    alone : share of all records of which no other has the values known.
    alone_protected : the same of the records with a protected value.
    """

    column: str
    learnt: float
    certainty: float
    alone: float
    alone_protected: float


def recognised(columns: Sequence[Column], caps: Sequence[Ints], gamma: int) -> tuple[Recognised, ...]:
    """Return what a row tells of each column.

    Chances are exact in the draw, for groups formed as a release forms them, several times over. Values with a cap
    below gamma are protected; where a column has none, all are.
    """
    codes, n = stacked(columns), columns[0].n
    chance = np.random.default_rng(_FORMING)
    _, rest = _marks(columns, chance)
    protected = [
        ((most < gamma) if (most < gamma).any() else np.ones(len(most), bool))[column.codes]
        for column, most in zip(columns, caps, strict=True)
    ]
    right, shown = np.zeros(len(columns)), np.zeros(len(columns))
    times = min(max(_RECORDS // n, 1), _MOST_TIMES)
    for _ in range(times):
        records = formed(codes, caps, chance.permutation(n).astype(np.int32), gamma, Silent(), broken=True)
        assert records is not None
        sizes = (records != EMPTY).sum(axis=0)
        for person in range(len(records)):
            for member in range(len(records)):
                there = (records[person] != EMPTY) & (records[member] != EMPTY)
                one, other, weight = records[person, there], records[member, there], 1 / sizes[there]
                for at, known in enumerate(rest):
                    agrees = (known[one] == known[other]) & protected[at][other]
                    shown[at] += weight[agrees].sum()
                    right[at] += weight[agrees & (codes[one, at] == codes[other, at])].sum()
    return tuple(
        _made(column, rest[at], protected[at], right[at] / times, shown[at] / times)
        for at, column in enumerate(columns)
    )


def recognised_anywhere(
    columns: Sequence[Column], flags: Sequence[NDArray[np.bool_]], keep: float
) -> tuple[Recognised, ...]:
    """Return the same where a row is kept with the chance `keep` and else shows any record's, exact in the draw.

    flags : (m,) of each column, which of its values are protected.
    """
    n = columns[0].n
    whole, rest = _marks(columns, np.random.default_rng(_FORMING))
    alike = _often(whole)[1] / n
    found = []
    for column, others, chosen in zip(columns, rest, flags, strict=True):
        held = chosen[column.codes]
        place, _ = _often(others)
        with_it = np.bincount(place, held)[place] / n
        right = keep * held.sum() + (1 - keep) * alike[held].sum()
        found.append(_made(column, others, held, right, float(keep * held.sum() + (1 - keep) * with_it.sum())))
    return tuple(found)


def _marks(columns: Sequence[Column], chance: np.random.Generator) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    """Return (N,) marks of the combinations, equal where all values are, and for each column those of the others."""
    marks = [chance.integers(0, 1 << 63, column.m, np.uint64)[column.codes] for column in columns]
    whole: NDArray[Any] = np.stack(marks).sum(axis=0, dtype=np.uint64)
    return whole, [whole - mark for mark in marks]  # modulo 2^64


def _often(marks: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return (N,) numbers of different marks, and (N,) how many records have each one's."""
    _, place, often = np.unique(marks, return_inverse=True, return_counts=True)
    return place, often[place]


def _made(column: Column, others: NDArray[Any], held: NDArray[np.bool_], right: float, shown: float) -> Recognised:
    """Return what is told of a column: `right` and `shown` are records on average, (N,) `held` have such values."""
    alone = _often(others)[1] == 1
    return Recognised(
        column.name,
        float(right / max(int(held.sum()), 1)),
        float(right / shown) if shown else 0.0,
        float(alone.mean()),
        float(alone[held].mean()) if held.any() else 0.0,
    )
