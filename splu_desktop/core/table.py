"""A table as integer codes and labels: what every stage takes and returns, immutable.

A column has one label for each meaning: `flu` and `Flu ` are one value, as 1 and 1.0 are in a column of numbers. How
each record was written stays beside it, so that what is published unchanged is unchanged to the letter; nothing else
looks at that. Beside the labels stand the values they mean (a number, a date), which order them and answer ranges. A
missing entry is a label too (`?`, `NA` or the empty text), marked as missing: no record is ever without a code. Labels
stand in the order of their values, never in order of appearance, since record order is secret.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property, wraps
from os.path import commonprefix
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from splu_desktop.core.errors import UnknownColumn
from splu_desktop.core.messages import fold_text

Codes = NDArray[np.int32]
Flags = NDArray[np.bool_]
LOOKED_AT = 2000  # labels of a column, where a sample says enough
_AT_ONCE = 1 << 17  # records: NumPy holds them once more, and some of its functions stop the window meanwhile


def pieces(n: int) -> Iterator[slice]:
    """Give the numbers below n as slices that take little memory and time."""
    return (slice(start, min(start + _AT_ONCE, n)) for start in range(0, n, _AT_ONCE))


def unique(keys: ArrayLike) -> NDArray[Any]:
    """Return the distinct ones of numbers, ascending, NaN and NaT once.

    NumPy's `unique` puts them in a hash table, which a million different ones take a hundred times as long to fill.
    """
    ordered: NDArray[Any] = np.sort(keys, axis=None)
    before = ordered[:-1]
    new = (ordered[1:] != before) & (before == before)
    values: NDArray[Any] = ordered[np.append(True, new)[: len(ordered)]]
    return values


def quantiles(values: ArrayLike, shares: Sequence[float]) -> NDArray[np.float64]:
    """Return (K,) quantiles, in proportion between two neighbours. NumPy's own loads 25 ms of masked arrays."""
    places = np.multiply(shares, np.size(values) - 1)
    return np.asarray(np.interp(places, np.arange(np.size(values)), np.sort(values)))


def take_codes(codes: Codes, places: NDArray[np.integer[Any]]) -> Codes:
    """Return codes at (K,) places: at very many as short numbers, more of which lie where the processor has them."""
    if len(places) < len(codes):  # a third of the time of an index in brackets
        return codes.take(places)
    return codes.astype(np.min_scalar_type(codes.max(initial=0))).take(places).astype(np.int32)


class Kind(Enum):
    """What the labels of a column stand for."""

    INTEGER = "whole number"
    DECIMAL = "decimal number"
    CATEGORY = "category"
    DATE = "date"
    DATETIME = "date and time"
    BOOLEAN = "yes/no"
    TEXT = "free text"

    @property
    def is_number(self) -> bool:
        """Whether these are numbers."""
        return self in (Kind.INTEGER, Kind.DECIMAL)

    @property
    def is_date(self) -> bool:
        """Whether these are days, or moments of them."""
        return self in (Kind.DATE, Kind.DATETIME)

    @property
    def has_order(self) -> bool:
        """Whether ranges make sense."""
        return self.is_number or self.is_date


def _canonical_order(labels: NDArray[np.object_], values: NDArray[Any] | None, missing: Flags) -> NDArray[np.intp]:
    """Return the order of labels by (missing, value, text); texts are compared only where values tie, which is rare."""
    if values is None:  # eight bytes behind what all begin with are a number that ascends with them, and tie seldom
        texts = [label.encode("utf-8", "surrogatepass") for label in labels.tolist()]
        alike = len(commonprefix(texts))  # noqa: RUF071 -- of texts, not of paths
        keys = np.array([text[alike : alike + 8] for text in texts], "S8").view(">u8").astype(np.uint64)
    else:  # moments as numbers, which sort in a third of the time, none as the last one
        keys = values.view(np.uint64) - np.uint64((1 << 63) + 1) if values.dtype.kind == "M" else values
    if not missing.any() and (keys[1:] > keys[:-1]).all():  # as numbers of records are
        return np.arange(len(keys))
    order = np.argsort(keys)
    order = np.concatenate([order[~missing[order]], order[missing[order]]])
    ranked, gone = keys[order], missing[order]
    none = ranked != ranked
    same = ((ranked[1:] == ranked[:-1]) | (none[1:] & none[:-1])) & (gone[1:] == gone[:-1])
    if not same.any():
        return order
    places = np.flatnonzero(np.append(False, same) | np.append(same, False))
    rank, tied_texts = np.cumsum(np.r_[True, ~same])[places], labels[order[places]].tolist()
    by_text = np.array(sorted(range(len(tied_texts)), key=tied_texts.__getitem__), np.intp)
    order[places] = order[places[by_text[np.argsort(rank[by_text], kind="stable")]]]
    return order


@dataclass(frozen=True, eq=False)
class Spellings:
    """How the records of a column were written where some values were written in several ways.

    Attributes
    ----------
    codes : (N,) int32, the text of each record.
    texts : (t,) distinct str.
    over, labels : the column's arrays that it was made for: beside others it says nothing.
    """

    codes: Codes
    texts: NDArray[np.object_]
    over: Codes
    labels: NDArray[np.object_]


# Days that programs enter for "no end" and "not known"; a date of the far future is a mark, whatever its day.
DUMMY_DAYS = np.array(
    ["0001-01-01", "1753-01-01", "1800-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1901-01-01"], "datetime64[D]"
)
NO_END = np.datetime64("2099-01-01", "D")
_GRAINS = {
    "year": r"\d{4}",
    "month": r"\d{4}-(?:0[1-9]|1[0-2])",
    "quarter": r"\d{4} ?Q[1-4]",
    "half-year": r"\d{4} ?H[12]",
    "week": r"\d{4}-?W[0-5]\d",
}


@dataclass(frozen=True, eq=False)
class Column:
    """One column of N records with m distinct values.

    Attributes
    ----------
    name : the column's name, unique in its table.
    kind : what the labels stand for.
    codes : (N,) int32 in 0..m-1, the label of each record.
    labels : (m,) objects, distinct str, one for each meaning: the commonest way in which it is written. In canonical
        order (by value where `kind.has_order`, else by text; missing last).
    missing : (m,) bool, labels that stand for "no value".
    values : (m,) what each label stands for: float64 for numbers (NaN where missing), datetime64[us] for dates (NaT
        where missing), None for kinds without order. A label that does not fit its kind ("forty" in a column of
        numbers, kept as text by the user's choice) has no value either: NaN or NaT, though it isn't missing.
    spellings : how the records were written, None where each as its label. Only who publishes them unchanged asks.
    weights : (N,) how many records of a large table each stands for, None where each for itself.
    """

    name: str
    kind: Kind
    codes: Codes
    labels: NDArray[np.object_]
    missing: Flags
    values: NDArray[Any] | None = None
    spellings: Spellings | None = None
    weights: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        for array in (self.codes, self.labels, self.missing, self.values):
            if array is not None:
                array.flags.writeable = False

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.codes)

    @property
    def m(self) -> int:
        """Number of distinct labels, missing ones included."""
        return len(self.missing)

    @cached_property
    def marks(self) -> Flags:
        """(m,) labels that are no ordinary value: missing, no value of the kind, an open end or a dummy day."""
        marks = self.missing.copy()
        if self.values is not None and self.values.dtype.kind == "M":
            days = self.values.astype("datetime64[D]")
            marks |= np.isnat(days) | (days >= NO_END) | np.isin(days, DUMMY_DAYS)
        elif self.values is not None:
            marks |= np.isnan(self.values)
        marks.flags.writeable = False
        return marks

    @cached_property
    def grain(self) -> str:
        """What period all ordinary labels name: "month", "quarter", "week", "half-year", "year"; "" for none."""
        if self.kind.has_order:
            return ""
        texts = self.labels[~self.missing].tolist()
        fits = (name for name, form in _GRAINS.items() if texts and all(re.fullmatch(form, text) for text in texts))
        return next(fits, "")

    def written_texts(self) -> NDArray[np.object_]:
        """Return (N,) the text of each record as it came in; of values drawn or grouped anew, their label."""
        written = self._own_written
        return self.labels[self.codes] if written is None else written.texts[written.codes]

    def written_column(self) -> Column:
        """Return the column with a label for each way in which a value is written, for who writes it unchanged."""
        written = self._own_written
        if written is None:
            return self
        meaning = np.zeros(len(written.texts), np.int32)
        meaning[written.codes] = self.codes
        values = None if self.values is None else self.values[meaning]
        new = Column.from_codes(self.name, written.codes, written.texts, self.missing[meaning], values, kind=self.kind)
        return replace(new, weights=self.weights).without_unused_labels()

    @property
    def _own_written(self) -> Spellings | None:
        written = self.spellings
        return written if written is not None and written.over is self.codes and written.labels is self.labels else None

    def _with_written(self, codes: Codes, order: NDArray[Any] | None, labels: NDArray[np.object_]) -> Spellings | None:
        """Return how the records are written that `codes` over `labels` are, of those at `order` (None: of all)."""
        written = self._own_written
        if written is None:
            return None
        return Spellings(written.codes if order is None else written.codes[order], written.texts, codes, labels)

    def counts(self) -> NDArray[np.int64]:
        """(m,) records per label, the caller's own to change."""
        return self._counts.copy()

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        return np.bincount(self.codes, self.weights, minlength=self.m).astype(np.int64)

    def take(self, order: NDArray[Any]) -> Column:
        """Return the column with its records at `order` ((K,) indices or (N,) bool)."""
        codes = self.codes.compress(order) if order.dtype == bool else take_codes(self.codes, order)
        weights = None if self.weights is None else self.weights[order]
        return replace(self, codes=codes, spellings=self._with_written(codes, order, self.labels), weights=weights)

    def with_codes(self, codes: Codes) -> Column:
        """Return the column with (N,) other records over the same labels, each written as its label."""
        return replace(self, codes=codes, spellings=None, weights=None)

    def without_unused_labels(self) -> Column:
        """Return the column without the labels that no record has (the domain as it stands in the records)."""
        used = self.counts() > 0
        if used.all():
            return self
        new = np.cumsum(used, dtype=np.int32) - 1
        codes, labels = new.take(self.codes), self.labels[used]
        return replace(
            self,
            codes=codes,
            labels=labels,
            missing=self.missing[used],
            values=None if self.values is None else self.values[used],
            spellings=self._with_written(codes, None, labels),
        )

    def fold_by(self, meaning: NDArray[np.integer[Any]], tidy: Flags) -> Column:
        """Return the column with one label per meaning, the commonest; how records were written is kept beside it.

        Parameters
        ----------
        meaning : (m,) which labels mean the same: those with the same number, 0..k-1 without a gap.
        tidy : (m,) labels without blanks that nobody sees and the like, which are preferred.
        """
        # The commonest label of each meaning; of several the first in canonical order.
        order = np.lexsort((np.arange(self.m), -self.counts(), ~tidy, meaning))
        first = order[np.r_[True, meaning[order][1:] != meaning[order][:-1]]]
        if len(first) == self.m:
            return self
        place = np.empty(len(first), np.int32)
        keep = np.sort(first)  # in canonical order, as the labels are
        place[meaning[keep]] = np.arange(len(keep), dtype=np.int32)
        codes, labels = place[meaning].take(self.codes), self.labels[keep]
        return replace(
            self,
            codes=codes,
            labels=labels,
            missing=self.missing[keep],
            values=None if self.values is None else self.values[keep],
            spellings=Spellings(self.codes, self.labels, codes, labels),
        )

    def code_of(self, label: str) -> int:
        """Return the code of a label. Raises KeyError where no such label exists."""
        return self._index[label]

    @cached_property
    def _index(self) -> dict[str, int]:
        return {label: code for code, label in enumerate(self.labels.tolist())}

    @cached_property
    def fold_index(self) -> Mapping[str, Sequence[int]]:
        """The codes of the labels that look alike but for upper case and blanks around them, by `fold_text`."""
        index: dict[str, list[int]] = {}
        for code, label in enumerate(self.labels.tolist()):
            index.setdefault(fold_text(label), []).append(code)
        return index

    @classmethod
    def from_codes(
        cls,
        name: str,
        codes: NDArray[Any],
        labels: NDArray[np.object_],
        missing: Flags,
        values: NDArray[Any] | None,
        *,
        kind: Kind,
    ) -> Column:
        """Build a column from (N,) codes over (m,) labels in any order; puts the labels into canonical order."""
        order = _canonical_order(labels, values, missing)
        if (order[1:] > order[:-1]).all():
            return cls(name, kind, codes.astype(np.int32, copy=False), labels, missing, values)
        new = np.empty(len(labels), np.int32)
        new[order] = np.arange(len(labels), dtype=np.int32)
        return cls(
            name=name,
            kind=kind,
            codes=new.take(codes),
            labels=labels[order],
            missing=missing[order],
            values=None if values is None else values[order],
        )


def number_codes(name: str, codes: NDArray[np.integer[Any]]) -> Column:
    """Return a column of whole numbers from 1 for codes (N,) from 0."""
    values = np.arange(1, int(codes.max(initial=-1)) + 2, dtype=np.float64)
    labels = np.array([f"{value:.0f}" for value in values.tolist()], object)
    column = Column.from_codes(name, codes, labels, np.zeros(len(labels), bool), values, kind=Kind.INTEGER)
    return column.without_unused_labels()


_Of = TypeVar("_Of")
_Found = TypeVar("_Found")
_How = ParamSpec("_How")


def remember(look: Callable[Concatenate[_Of, _How], _Found]) -> Callable[Concatenate[_Of, _How], _Found]:
    """Make a function remember what it found of a column or table: suggestions, plan and gate ask the same of each."""

    @wraps(look)
    def look_up(of: _Of, /, *how: _How.args, **ways: _How.kwargs) -> _Found:
        known: dict[str, _Found] = of.__dict__
        key = f"_{look.__module__}.{look.__qualname__}{how or ''}{ways or ''}"
        if key not in known:
            known[key] = look(of, *how, **ways)
        return known[key]

    return look_up


@remember
def sample_labels(column: Column) -> Sequence[str]:
    """Return some labels spread over the column's, missing ones left out: fewer than twice LOOKED_AT."""
    present = np.flatnonzero(~column.missing)
    return [str(label).strip() for label in column.labels[present[:: max(1, len(present) // LOOKED_AT)]]]


IDENTIFIERS, LABELS = "identifiers", "labels"
"""Entries of `Table.origin`: columns that the source itself says name a person; column -> what it says of it."""


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length, in the order of the source; of a large table each by itself, with weights.

    `origin` is free for readers: facts about where the table came from (file, sheet, choices), never values.
    """

    columns: tuple[Column, ...]
    origin: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len({column.n for column in self.columns if column.weights is None}) > 1:
            raise ValueError("columns differ in length")
        if len({column.name for column in self.columns}) < len(self.columns):
            raise ValueError("column names repeat")

    @property
    def n(self) -> int:
        """Number of records."""
        return self.columns[0].n if self.columns else 0

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return tuple(self._by_name)

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        """The columns by their names: with hundreds, to look at each is most of what is done with them."""
        return {column.name: column for column in self.columns}

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Column:
        try:
            return self._by_name[name]
        except KeyError:
            raise UnknownColumn(name, self.names) from None

    def select(self, names: Iterable[str]) -> Table:
        """Return the table with these columns only, in the order given. Raises UnknownColumn."""
        return replace(self, columns=tuple(self[name] for name in names))

    def take(self, order: NDArray[Any]) -> Table:
        """Return the table with its records at (K,) places."""
        return replace(self, columns=tuple(column.take(order) for column in self.columns))
