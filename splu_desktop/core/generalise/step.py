"""What every generalisation is: a frozen choice that sends each label of a column to one coarser label.

A generalisation looks at the labels of a column and, where it must (rare values), at their counts; never at single
records or at other columns. So it costs O(labels) and one gather over the records, and equal labels always stay equal.
Missing labels stay as they are: what is not known does not become known by grouping.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from enum import Enum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.table import Column, Kind, unique

KEEP = -1  # in a grouping: the label stays as it is


class CannotGeneralise(BadSetting):
    """A generalisation does not fit its column or is wrongly set."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """Where the m labels of a column go.

    Attributes
    ----------
    group : (m,) int, index into `names`; KEEP where the label stays. Ignored where the label is missing.
    names : labels of the groups, in the order they are to stand in. Equal names are one group.
    kind, values : what the groups stand for: values is (len(names),) for kinds with an order, None for others. A kind
        with an order is for groupings that keep no label.
    missing_as : label that all missing labels take; they stay missing. None: each as it is.
    """

    group: NDArray[Any]
    names: Sequence[str]
    kind: Kind = Kind.CATEGORY
    values: NDArray[Any] | None = None
    missing_as: str | None = None


def grouping_by_name(to: Iterable[str | None], names: Sequence[str]) -> Grouping:
    """Return the grouping by the name of each label's group; None where the label stays."""
    place: dict[str | None, int] = {None: KEEP, **{name: at for at, name in enumerate(names)}}
    return Grouping(np.array([place[name] for name in to], np.int64), names)


class Generalisation(ABC):
    """One step of generalisation. Subclasses are frozen dataclasses compared by value."""

    how: ClassVar[str]  # the word it goes by in recipes and on the command line
    usage: ClassVar[str] = ""  # as on the command line, for example; "" for own ways
    registry: ClassVar[dict[str, type[Generalisation]]] = {}  # all ways, by `how`

    def __init_subclass__(cls) -> None:
        """Make a way known: recipes, release.json and the command line take it from here."""
        cls.registry[cls.how] = cls

    @abstractmethod
    def group_labels(self, column: Column) -> Grouping:
        """Return where the column's labels go. Raises CannotGeneralise where the step does not fit the column."""

    def settings(self) -> dict[str, Any]:
        """Return the choice as plain data, without `how`; defaults left out."""
        settings = {each.name: getattr(self, each.name) for each in fields(self) if each.init}  # type: ignore[arg-type]
        usual = {each.name: each.default for each in fields(self)}  # type: ignore[arg-type]
        return {name: _plain(value) for name, value in settings.items() if value != usual[name]}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Generalisation:
        """Return the choice that `settings` gave. Raises KeyError, TypeError, ValueError or CannotGeneralise."""
        return cls(**settings)

    @classmethod
    def from_text(cls, text: str) -> Generalisation:
        """Return the choice of what is typed behind "=". Raises ValueError, CannotGeneralise."""
        raise NotImplementedError

    @property
    @abstractmethod
    def words(self) -> str:
        """What it does, for people: completes “Column “Age”: ”."""

    def as_dict(self) -> dict[str, Any]:
        """Return the choice as plain data, as stored in recipes, project files and release.json."""
        return {"how": self.how, **self.settings()}

    def apply(self, column: Column) -> Column:
        """Return the generalised column. Raises CannotGeneralise."""
        return regroup(column, self.group_labels(column))[0]


def _plain(value: Any) -> Any:
    """Return a setting as lists, texts and numbers."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, date):
        return value.isoformat()
    return value.value if isinstance(value, Enum) else value


def regroup(column: Column, grouping: Grouping) -> tuple[Column, NDArray[np.int32]]:
    """Return the column with its labels replaced by their groups, and (m,) the new code of each old label.

    The groups stand in the order of their names, then labels that stay, then missing labels. Groups without a label
    are left out.
    """
    labels = column.labels
    if grouping.missing_as is not None:
        labels = np.where(column.missing, grouping.missing_as, labels).astype(object)
    stays = (grouping.group == KEEP) | column.missing
    if stays.all() and grouping.values is None:
        return column, np.arange(column.m, dtype=np.int32)
    place: dict[str, int] = {}
    for name in grouping.names:
        place.setdefault(name, len(place))
    moved = ~stays
    meant = unique(grouping.group[moved]).tolist()
    taken = set(labels[column.missing].tolist()).intersection(grouping.names[g] for g in meant)
    if taken:
        words = "In column “{column}” “{word}” has a meaning already; choose another word."
        raise CannotGeneralise(words, column=column.name, word=min(taken))
    named = np.array([place[name] for name in grouping.names], np.int64)
    to = np.empty(column.m, np.int64)
    to[moved] = named[grouping.group[moved]]
    # A label that stays joins the group of its name.
    to[stays] = [place.setdefault(label, len(place)) for label in labels[stays].tolist()]
    used, new = np.unique(to, return_inverse=True)
    names = np.array(list(place), object)
    absent = np.zeros(len(place), bool)
    absent[to[column.missing]] = True
    codes: NDArray[np.int32] = new.astype(np.int32)
    values = grouping.values
    if values is not None:  # labels that stay, which are missing ones, have none
        values = np.full(len(place), "NaT" if values.dtype.kind == "M" else np.nan, values.dtype)
        values[named] = grouping.values
    result = replace(
        column,
        kind=grouping.kind,
        codes=codes.take(column.codes) if column.n else column.codes,
        labels=names[used],
        missing=absent[used],
        values=None if values is None else values[used],
    )
    return result, codes


def check_whole(number: Any, least: int) -> None:
    """Raise CannotGeneralise where a setting is no whole number from `least` on."""
    if type(number) is not int or number < least:
        raise CannotGeneralise("Write a whole number from {least} on, not {number}.", least=least, number=number)


def number_text(number: float) -> str:
    """Return a number as people write it: 30, 0.5, 1250000; never 1e6."""
    if number == int(number) and abs(number) < 2**53:
        return str(int(number))
    return np.format_float_positional(number, trim="-")
