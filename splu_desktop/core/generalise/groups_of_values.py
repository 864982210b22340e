"""Values grouped by hand or by a hierarchy, rare values into one, and marks for “no value” into one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from splu_desktop.core.generalise.step import (
    KEEP,
    CannotGeneralise,
    Generalisation,
    Grouping,
    check_whole,
    grouping_by_name,
)
from splu_desktop.core.messages import in_words, quoted, say
from splu_desktop.core.table import Column

MOST_HIERARCHY_ROWS = 200_000


def _check_names(*names: Any) -> None:
    if not names or not all(isinstance(name, str) and name.strip() for name in names):
        raise CannotGeneralise("Name every group.")


@dataclass(frozen=True)
class Groups(Generalisation):
    """Values grouped by hand.

    Attributes
    ----------
    members : (group name, values in it), in the order the groups are to stand in; no value in two groups.
    rest : group of all values not named; None: each stays as it is.
    """

    members: tuple[tuple[str, tuple[str, ...]], ...]
    rest: str | None = None
    how: ClassVar[str] = "groups"

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", tuple((name, tuple(values)) for name, values in self.members))
        seen: dict[str, str] = {}
        _check_names(*(name for name, _ in self.members), *(() if self.rest is None else (self.rest,)))
        for name, values in self.members:
            for value in values:
                if not isinstance(value, str):
                    raise TypeError(value)
                if seen.setdefault(value, name) != name:
                    words = "The value “{value}” is in two groups, “{first}” and “{second}”."
                    raise CannotGeneralise(words, value=value, first=seen[value], second=name)

    @classmethod
    def of(cls, groups: Mapping[str, Iterable[str]], rest: str | None = None) -> Groups:
        """Return the choice for group name -> values."""
        return cls(tuple((name, tuple(values)) for name, values in groups.items()), rest)

    def group_labels(self, column: Column) -> Grouping:
        """Return the group of each label. Values the column doesn't have are passed over."""
        of = {value: name for name, values in self.members for value in values}
        labels, absent = column.labels.tolist(), column.missing.tolist()
        # A number or date that stays is named too, so that all stand in the order of their least members.
        other = {label: label for label in labels} if column.kind.has_order else {}
        to = [
            None if gone else of.get(label, self.rest or other.get(label))
            for label, gone in zip(labels, absent, strict=True)
        ]
        listed = to if column.kind.has_order else [name for name, _ in self.members]
        names = list(dict.fromkeys(name for name in listed if name is not None and name != self.rest))
        if self.rest is not None:
            names.append(self.rest)
        return grouping_by_name(to, names)

    def settings(self) -> dict[str, Any]:
        """Return names and values of the groups."""
        data: dict[str, Any] = {"groups": [{"name": name, "values": list(values)} for name, values in self.members]}
        return data if self.rest is None else {**data, "rest": self.rest}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Groups:
        """Return the choice with these settings."""
        return cls(tuple((entry["name"], tuple(entry["values"])) for entry in settings["groups"]), settings.get("rest"))

    @property
    def words(self) -> str:
        """What it does, without naming values."""
        names = [*(name for name, _ in self.members), *filter(None, [self.rest])]
        return say("values grouped into {names}", names=quoted(list(map(in_words, names)), 8))


@dataclass(frozen=True)
class Hierarchy(Generalisation):
    """Values grouped by one level of a hierarchy, as ARX keeps them.

    Attributes
    ----------
    rows : one per value: the value, its group on level 1, on level 2, ...; all of one length, at least 2.
    level : 1 for the finest grouping.
    name : name of the file it was read from, for people.
    """

    rows: tuple[tuple[str, ...], ...]
    level: int
    name: str = ""
    how: ClassVar[str] = "hierarchy"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(tuple(row) for row in self.rows))
        lengths = {len(row) for row in self.rows}
        if len(lengths) != 1 or max(lengths) < 2 or len(self.rows) > MOST_HIERARCHY_ROWS:
            words = "A hierarchy needs 1 to {most} rows of one length, each of a value and its groups."
            raise CannotGeneralise(words, most=MOST_HIERARCHY_ROWS)
        if not 1 <= self.level <= self.levels:
            words = "The hierarchy has the levels 1 to {levels}, no level {level}."
            raise CannotGeneralise(words, levels=self.levels, level=self.level)
        seen: dict[str, tuple[str, ...]] = {}
        for row in self.rows:
            if not all(isinstance(cell, str) for cell in row):
                raise TypeError(row)
            if seen.setdefault(row[0], row) != row:
                words = "The value “{value}” stands in the hierarchy twice, in different groups."
                raise CannotGeneralise(words, value=row[0])

    def __hash__(self) -> int:
        # By a few of its 200,000 rows at most: columns in their generalised form are looked up by their steps.
        return hash((self.level, self.name, len(self.rows), self.rows[0], self.rows[-1]))

    @property
    def levels(self) -> int:
        """Number of levels above the values."""
        return len(self.rows[0]) - 1

    def group_labels(self, column: Column) -> Grouping:
        """Return the group of each label. Raises CannotGeneralise where the hierarchy lacks a value."""
        groups = {row[0]: row[self.level] for row in self.rows}
        loose = {value.strip(): group for value, group in groups.items()}
        to = [groups.get(label, loose.get(label.strip())) for label in column.labels.tolist()]
        known = zip(column.labels.tolist(), to, column.missing.tolist(), strict=True)
        if lacking := [label for label, name, gone in known if name is None and not gone]:
            raise CannotGeneralise(
                "Values of column “{column}” that the hierarchy “{name}” lacks: {n}, such as “{lacking}”; add rows.",
                name=self.name or self.how,
                n=len(lacking),
                lacking=lacking[0][:80],
                column=column.name,
            )
        return grouping_by_name(to, list(dict.fromkeys(row[self.level] for row in self.rows)))

    @property
    def words(self) -> str:
        """What it does."""
        words = "values grouped by the hierarchy “{name}”, level {level} of {levels}"
        return say(words, name=self.name or self.how, level=self.level, levels=self.levels)


@dataclass(frozen=True)
class Rare(Generalisation):
    """Values of fewer than `k` records into one group.

    If that group had fewer than `k` records itself, the next rarest values join it until it has `k`: else it would say
    of a rare value no less than the value itself.
    """

    k: int
    label: str = "Other"
    how: ClassVar[str] = "rare"
    usage: ClassVar[str] = "rare=10,Other"

    def __post_init__(self) -> None:
        check_whole(self.k, 2)
        _check_names(self.label)

    @classmethod
    def from_text(cls, text: str) -> Rare:
        """Return the least number typed, and behind a comma the group's name."""
        k, comma, label = text.partition(",")
        return cls(int(k.strip()[:20]), label.strip()) if comma else cls(int(k.strip()[:20]))

    def group_labels(self, column: Column) -> Grouping:
        """Return which labels are rare. Missing ones never are, and are not counted."""
        counts = column.counts()
        free = np.flatnonzero(~column.missing)
        order = free[np.argsort(counts[free], kind="stable")]
        rare = int(np.searchsorted(counts[order], self.k))
        group = np.full(column.m, KEEP)
        if not rare:
            return Grouping(group, [])
        enough = min(int(np.searchsorted(np.cumsum(counts[order]), self.k)) + 1, len(order))
        group[order[: max(rare, enough)]] = 0
        kept = np.flatnonzero((group == KEEP) & ~column.missing)
        # The labels that stay are named too, so that the group of rare ones stands behind them.
        group[group == 0] = len(kept)
        group[kept] = np.arange(len(kept))
        return Grouping(group, [*column.labels[kept].tolist(), self.label])

    @property
    def words(self) -> str:
        """What it does."""
        return say("values of fewer than {k} records into “{value}”", k=self.k, value=self.label)


@dataclass(frozen=True)
class OneMissing(Generalisation):
    """All marks for “no value” (empty, ?, NA) spelled alike; they stay missing."""

    label: str = "unknown"
    how: ClassVar[str] = "missing"
    usage: ClassVar[str] = "missing=unknown"

    def __post_init__(self) -> None:
        if not isinstance(self.label, str):
            raise TypeError(self.label)

    @classmethod
    def from_text(cls, text: str) -> OneMissing:
        """Return the one mark typed."""
        return cls(text)

    def group_labels(self, column: Column) -> Grouping:
        """Return a grouping that touches missing labels only."""
        if not column.missing.any():
            return Grouping(np.full(column.m, KEEP), [])
        return Grouping(np.arange(column.m), column.labels.tolist(), column.kind, column.values, self.label)

    @property
    def words(self) -> str:
        """What it does."""
        return say("all marks for “no value” spelled “{label}”", label=self.label)
