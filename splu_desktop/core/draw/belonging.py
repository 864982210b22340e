"""Which sensitive columns may belong together, and why. Nothing is drawn together unless the custodian says so."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from splu_desktop.core.messages import Figure, listed, say
from splu_desktop.core.table import Column, Table
from splu_desktop.frozen import dataclass

_NAMED = 8  # at most, in a suggestion
_FLAG_VALUES = 4  # of columns of one kind, at most
_MOST_VALUES = 50  # of columns that are compared
_RECORDS = 20_000  # that are looked at
_STRONG = 0.3  # Cramer's V
_SAME = 0.9


@dataclass(frozen=True)
class TogetherSuggestion:
    """Columns that may belong together.

    Attributes
    ----------
    columns : two or more, in the table's order.
    reason : in words.
    """

    columns: tuple[str, ...]
    reason: str

    @property
    def sentence(self) -> str:
        """The suggestion, for people."""
        named: list[str] = [say("“{name}”", name=name) for name in self.columns]
        if len(named) > _NAMED:
            named[_NAMED - 1 :] = [say("{n} more columns", n=len(named) - _NAMED + 1)]
        return say(
            "{columns} could be drawn together: {reason}.",
            columns=listed(named, "{head} and {tail}"),
            reason=self.reason,
        )


def suggested(table: Table, names: Sequence[str]) -> tuple[TogetherSuggestion, ...]:
    """Return which of some columns could be drawn together: flags of one kind, columns that say much of each other."""
    kinds: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        values = tuple(str(label) for label in table[name].labels[~table[name].missing])
        if 2 <= len(values) <= _FLAG_VALUES:
            kinds.setdefault(values, []).append(name)
    found = [
        TogetherSuggestion(tuple(same), say("all have the values {values}", values=listed(values, "{head} and {tail}")))
        for values, same in kinds.items()
        if len(same) > 1
    ]
    covered = [set(each.columns) for each in found]
    for columns, least in _tied(table, [name for name in names if 2 <= table[name].m <= _MOST_VALUES]):
        if any(set(columns) <= known for known in covered):
            continue
        v = Figure(f"{least:.2f}")
        reason = (
            say("they say nearly the same (Cramér's V {v})", v=v)
            if least >= _SAME
            else say("they depend on each other strongly (Cramér's V {v} or more)", v=v)
        )
        found.append(TogetherSuggestion(columns, reason))
    return tuple(found)


def cramers_v(one: Column, other: Column) -> float:
    """Return Cramer's V of two columns with the bias of small tables taken off (Bergsma 2013): 0 none, 1 the same."""
    n = one.n
    cells = np.bincount(one.codes.astype(np.int64) * other.m + other.codes, minlength=one.m * other.m)
    seen = cells.reshape(one.m, other.m).astype(np.float64)
    seen = seen[seen.sum(axis=1) > 0][:, seen.sum(axis=0) > 0]
    rows, columns = seen.shape
    if min(rows, columns) < 2:
        return 0.0
    expected = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / n
    phi = float(((seen - expected) ** 2 / expected).sum()) / n
    phi = max(phi - (rows - 1) * (columns - 1) / (n - 1), 0.0)
    sides = [side - (side - 1) ** 2 / (n - 1) for side in (rows, columns)]
    return float(np.sqrt(phi / max(min(sides) - 1, 1e-9)))


def _tied(table: Table, names: Sequence[str]) -> Iterable[tuple[tuple[str, ...], float]]:
    """Give the sets of columns that strong dependence ties, and the least V of the ties."""
    step = max(1, table.n // _RECORDS)
    columns = {name: table[name].take(np.arange(0, table.n, step)) for name in names}
    sets: dict[str, tuple[set[str], list[float]]] = {name: ({name}, []) for name in names}
    for one, other in itertools.combinations(names, 2):
        v = cramers_v(columns[one], columns[other])
        if v >= _STRONG:
            merged = sets[one][0] | sets[other][0]
            ties = [*sets[one][1], v] if sets[one] is sets[other] else [*sets[one][1], *sets[other][1], v]
            for name in merged:
                sets[name] = merged, ties
    for name in names:
        members, ties = sets[name]
        if len(members) > 1 and next(each for each in names if each in members) == name:
            yield tuple(each for each in table.names if each in members), min(ties)
