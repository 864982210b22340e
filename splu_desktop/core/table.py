"""A table as integer codes and labels: what every stage takes and returns, immutable.

A column keeps the exact text of each distinct value (its label), so that what is published unchanged is unchanged to
the letter (`007`, `1.50`, `?`), beside the value that the text stands for (a number, a date), which orders the labels
and answers ranges. A missing entry is a label too (`?`, `NA` or the empty text), marked as missing: no record is ever
without a code. Labels stand in the order of their values, never in order of appearance, since record order is secret.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from splu_desktop.core.errors import BadSetting, UnknownColumn
from splu_desktop.core.messages import folded_text, say
from splu_desktop.core.packed.texts import Texts
from splu_desktop.frozen import dataclass

Codes = NDArray[np.int32]
Flags = NDArray[np.bool_]


class Storage(Protocol):
    """Where arrays as long as a table lie, and what work on them must get along with."""

    @property
    def memory(self) -> int | None:
        """Bytes of memory to get along with; None for what is free."""

    @property
    def records(self) -> int | None:
        """How many records are brought there at a time; None for all at once."""

    def array(self, n: int, dtype: Any = np.int32) -> NDArray[Any]:
        """Return (n,) numbers to be written."""

    def room_for_labels(self, labels: int, letters: int) -> bool:
        """Return whether so many different texts with so many letters in all may be held in memory."""


class InMemory:
    """Arrays in memory, as ever."""

    memory: int | None = None
    records: int | None = None

    def array(self, n: int, dtype: Any = np.int32) -> NDArray[Any]:
        """See `Storage`."""
        return np.empty(n, dtype)

    def room_for_labels(self, labels: int, letters: int) -> bool:
        """See `Storage`."""
        return True


IN_MEMORY = InMemory()


def keep_freed() -> None:
    """Have Linux's allocator keep freed arrays of less than 32 MB for the next ones; elsewhere this does nothing.

    It hands each block of this size class back to the system, and taking the same pages anew costs more than the work
    on them: a third of the time at 500,000 records. Freeing one untouched block of its largest threshold tells it to
    keep up to 64 MB.
    """
    np.empty((32 << 20) - 8192, np.uint8)


def taken(
    of: NDArray[Any], at: NDArray[Any], storage: Storage = IN_MEMORY, *, below: int | None = None
) -> NDArray[Any]:
    """Return `of` at the (K,) places `at`, all of which it has; twice as fast as brackets.

    `below` : what all numbers of it are below. Those of a byte are gathered as bytes, which stay near the processor.
    """
    found = storage.array(len(at), of.dtype)
    if below is not None and below <= 1 << 8:
        few = storage.array(len(of), np.uint8)
        few[:] = of
        for part in pieces(len(at)):
            found[part] = np.take(few, at[part], mode="clip")
        return found
    for part in pieces(len(at)):
        np.take(of, at[part], out=found[part], mode="clip")  # "raise" would hold what is found twice
    return found


Part = slice | NDArray[np.intp]  # some records of a table, as many as are worked on at once


def pieces(n: int) -> Iterator[slice]:
    """Give the numbers below n as slices that fit into memory, each but the last of whole bytes of bits."""
    return (slice(start, min(start + _COUNTED, n)) for start in range(0, n, _COUNTED))


def tallied(size: int, parts: Iterable[NDArray[np.integer[Any]]]) -> NDArray[np.int64]:
    """Return (size,) how often each key occurs among those that come piece by piece."""
    found = np.zeros(size, np.int64)
    for keys in parts:
        if size <= len(keys):
            found += np.bincount(keys, minlength=size)
        else:  # quicker than a table of its own for each piece
            np.add.at(found, keys, 1)
    return found


def unique(keys: ArrayLike) -> NDArray[Any]:
    """Return the distinct ones of numbers, ascending, NaN and NaT once.

    NumPy's `unique` puts them in a hash table, which a million different ones take a hundred times as long to fill, and
    brings 16 ms of modules.
    """
    ordered: NDArray[Any] = np.sort(keys, axis=None)
    before = ordered[:-1]
    new = (ordered[1:] != before) & (before == before)
    found: NDArray[Any] = ordered[np.append(True, new)[: len(ordered)]]
    return found


Picked = tuple[str, bytes]  # column name, and the chosen labels as bytes of (m,) bool: a key that equals by meaning


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
    def ordered(self) -> bool:
        """Whether ranges make sense (numbers and dates)."""
        return self in (Kind.INTEGER, Kind.DECIMAL, Kind.DATE, Kind.DATETIME)


def respelled(before: Column, after: Column) -> list[tuple[str, str]]:
    """Return which labels the same records have `before` and `after` a change of spelling, each pair once."""
    pairs = unique(before.codes.astype(np.int64) * after.m + after.codes)
    old, new = np.divmod(pairs, max(after.m, 1))
    return list(zip(map(str, before.labels[old]), map(str, after.labels[new]), strict=True))


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


_COUNTED = 1 << 20  # records at once: NumPy holds them once more, in 64 bits
_KEPT = 32  # counts of columns together
_AT_ONCE = 50_000  # labels turned into an array of texts without a break, which holds up the window


def _texts(labels: NDArray[np.object_]) -> NDArray[np.str_]:
    parts = [slice(start, start + _AT_ONCE) for start in range(0, len(labels), _AT_ONCE)]
    longest = max((max(map(len, labels[part])) for part in parts), default=0)
    texts = np.empty(len(labels), f"U{max(longest, 1)}")
    for part in parts:
        texts[part] = labels[part]
    return texts


def _canonical_order(
    labels: NDArray[np.object_] | Texts, values: NDArray[Any] | None, missing: Flags
) -> NDArray[np.intp]:
    """Return the order of labels by (missing, value, text); texts are compared only where values tie, which is rare."""
    if values is not None and len(labels):
        # Moments as numbers, which sort in a third of the time, none as the last one; ties are settled below.
        keys = values.view(np.uint64) - np.uint64((1 << 63) + 1) if values.dtype.kind == "M" else values
        order = np.argsort(keys)
        if missing.any():
            order = np.concatenate([order[~missing[order]], order[missing[order]]])
        ranked, gone = values[order], missing[order]
        empty = np.isnat(ranked) if ranked.dtype.kind == "M" else np.isnan(ranked)
        if not (((ranked[1:] == ranked[:-1]) | (empty[1:] & empty[:-1])) & (gone[1:] == gone[:-1])).any():
            return order
    if not isinstance(labels, Texts):
        text: NDArray[Any] = _texts(labels)
    elif values is None and not missing.any():
        return labels.order()
    else:
        text = np.empty(len(labels), np.int32)
        text[labels.order()] = np.arange(len(labels), dtype=np.int32)
    return np.lexsort((text, missing)) if values is None else np.lexsort((text, values, missing))


@dataclass(frozen=True, eq=False)
class Column:
    """One column of N records with m distinct labels.

    Attributes
    ----------
    name : the column's name, unique in its table.
    kind : what the labels stand for.
    codes : (N,) int32 in 0..m-1, the label of each record.
    labels : (m,) objects, distinct str, in canonical order (by value where `kind.ordered`, else by text; missing last).
        A column may be given very many as `Texts`: they become objects when they are first asked for.
    missing : (m,) bool, labels that stand for "no value".
    values : (m,) what each label stands for: float64 for numbers (NaN where missing), datetime64[us] for dates (NaT
        where missing), None for kinds without order. A label that does not fit its kind ("forty" in a column of
        numbers, kept as text by the user's choice) has no value either: NaN or NaT, though it isn't missing.
    """

    name: str
    kind: Kind
    codes: Codes
    labels: NDArray[np.object_]
    missing: Flags
    values: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        if isinstance(labels := self.__dict__["labels"], Texts):
            del self.__dict__["labels"]
            object.__setattr__(self, "_packed", labels)
        for array in (self.codes, self.__dict__.get("labels"), self.missing, self.values):
            if array is not None:
                _frozen(array)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name == "codes" and "_later" in self.__dict__:
                self._later()
                return self.__dict__["codes"]
            if name != "labels" or "_packed" not in self.__dict__:
                raise AttributeError(name)
            labels = self.__dict__["labels"] = np.asarray(self._packed)
            return labels

    @property
    def texts(self) -> NDArray[np.object_] | Texts:
        """(m,) labels as they are at hand, for who asks for some of them only, or for their bytes."""
        packed: Texts | None = self.__dict__.get("_packed")
        return self.labels if packed is None else packed

    def _changed(self, **changes: Any) -> Column:
        """Return the column with other codes or labels; packed ones stay so."""
        given: dict[str, Any] = {"labels": self.texts, **changes}
        return replace(self, **given)

    @property
    def n(self) -> int:
        """Number of records."""
        codes: Codes | None = self.__dict__.get("codes")
        return int(self.__dict__["_counts_cache"].sum()) if codes is None else len(codes)

    @property
    def m(self) -> int:
        """Number of distinct labels, missing ones included."""
        return len(self.missing)

    def counts(self) -> NDArray[np.int64]:
        """(m,) records per label, the caller's own to change."""
        # Counted once: role suggestions, gate, plan and checks ask a dozen times, a pass over the records each.
        found: NDArray[np.int64] | None = self.__dict__.get("_counts_cache")
        if found is None:
            found = tallied(self.m, (self.codes[part] for part in pieces(self.n)))
            object.__setattr__(self, "_counts_cache", found)
        return found.copy()

    def take(self, order: NDArray[Any]) -> Column:
        """Return the column with its records at `order` ((K,) indices or (N,) bool)."""
        return self._changed(codes=self.codes[order])

    def shuffled(self, order: NDArray[np.integer[Any]], storage: Storage = IN_MEMORY) -> Column:
        """Return the column with all its records in another order; what was counted need not be counted again."""
        found = self._changed(codes=taken(self.codes, order, storage, below=self.m))
        object.__setattr__(found, "_counts_cache", self.counts())
        return found

    def with_codes(self, codes: Codes) -> Column:
        """Return the column with other records over the same labels."""
        return self._changed(codes=codes)

    def compacted(self, storage: Storage = IN_MEMORY) -> Column:
        """Return the column without the labels that no record has (the domain as it stands in the records)."""
        used = self.counts() > 0
        if used.all():
            return self
        new = np.cumsum(used, dtype=np.int32) - 1
        labels = self.texts
        return self._changed(
            codes=taken(new, self.codes, storage),
            labels=labels.take(used) if isinstance(labels, Texts) else labels[used],
            missing=self.missing[used],
            values=None if self.values is None else self.values[used],
        )

    def with_labels(self, labels: Iterable[str]) -> Column:
        """Return the column with further labels, those that it lacks, which no record has.

        Raises BadSetting where one is no number, or no date in ISO 8601, in a column of such.
        """
        more = [label for label in dict.fromkeys(labels) if label not in self._index]
        if not more:
            return self
        try:
            new = Column.from_labels(self.name, more, kind=self.kind, missing=())
        except ValueError:
            raise BadSetting(
                "A value listed for “{column}” is not of its kind ({kind}).",
                column=self.name,
                kind=say(self.kind.value),
            ) from None
        return Column.from_codes(
            self.name,
            self.codes,
            np.concatenate([self.labels, new.labels]),
            np.concatenate([self.missing, new.missing]),
            None if self.values is None or new.values is None else np.concatenate([self.values, new.values]),
            kind=self.kind,
        )

    def code_of(self, label: str) -> int:
        """Return the code of a label. Raises KeyError where no such label exists."""
        return self._index[label]

    @property
    def _index(self) -> dict[str, int]:
        found: dict[str, int] | None = self.__dict__.get("_index_cache")
        if found is None:
            found = {label: code for code, label in enumerate(self.labels.tolist())}
            object.__setattr__(self, "_index_cache", found)
        return found

    @property
    def folded(self) -> Mapping[str, Sequence[int]]:
        """The codes of the labels that look alike but for upper case and blanks around them, by `folded_text`."""
        found: dict[str, list[int]] | None = self.__dict__.get("_folded_cache")
        if found is None:
            found = {}
            for code, label in enumerate(self.labels.tolist()):
                found.setdefault(folded_text(label), []).append(code)
            object.__setattr__(self, "_folded_cache", found)
        return found

    @classmethod
    def from_labels(
        cls,
        name: str,
        records: Sequence[str] | NDArray[np.object_],
        *,
        kind: Kind = Kind.CATEGORY,
        missing: Iterable[str] = ("",),
    ) -> Column:
        """Build a column from (N,) texts.

        For ordered kinds the texts not in `missing` must parse: numbers as ``float()`` takes them, dates in ISO 8601.
        Raises ValueError where one does not. Readers with messier input parse first and call `from_codes`.
        """
        array = np.asarray(records, dtype=object)
        order: dict[str, int] = {}
        codes = np.fromiter((order.setdefault(text, len(order)) for text in array), np.int32, len(array))
        labels = np.array(list(order), dtype=object)
        absent = np.isin(labels, list(missing)) if len(labels) else np.zeros(0, bool)
        values: NDArray[Any] | None = None
        if kind in (Kind.INTEGER, Kind.DECIMAL):
            values = np.array([np.nan if gone else float(t) for t, gone in zip(labels, absent, strict=True)])
        elif kind in (Kind.DATE, Kind.DATETIME):
            values = np.array(["NaT" if gone else t for t, gone in zip(labels, absent, strict=True)], "datetime64[us]")
        return cls.from_codes(name, codes, labels, absent, values, kind=kind)

    @classmethod
    def of_counts(
        cls,
        name: str,
        counts: NDArray[np.int64],
        labels: NDArray[np.object_],
        missing: Flags,
        values: NDArray[Any] | None,
        *,
        kind: Kind,
        later: Callable[[], None] | None = None,
    ) -> Column:
        """Return a column known by its (m,) counts alone, for whoever has the records elsewhere.

        Its codes take no memory and say nothing: only what asks for name, labels and counts may be given it; or they
        are read by `later`, which gives them to the column, once they are asked for.
        """
        nothing = np.broadcast_to(np.int32(0), (int(counts.sum()),))
        found = cls(name=name, kind=kind, codes=nothing, labels=labels, missing=missing, values=values)
        object.__setattr__(found, "_counts_cache", counts.astype(np.int64))
        if later is not None:
            found.__dict__["_later"] = later
            del found.__dict__["codes"]
        return found

    @classmethod
    def from_codes(
        cls,
        name: str,
        codes: NDArray[Any],
        labels: NDArray[np.object_] | Texts,
        missing: Flags,
        values: NDArray[Any] | None,
        *,
        kind: Kind,
        storage: Storage = IN_MEMORY,
        order: NDArray[np.intp] | None = None,
        counts: NDArray[np.int64] | None = None,
    ) -> Column:
        """Build a column from codes over labels in any order; puts the labels into canonical order, or into `order`.

        `counts` : (m,) records per label, by whoever has counted them.
        """
        order = _canonical_order(labels, values, missing) if order is None else order
        new = np.empty(len(labels), np.int32)
        new[order] = np.arange(len(labels), dtype=np.int32)
        ordered: Any = labels.take(order) if isinstance(labels, Texts) else labels[order]
        found = cls(
            name=name,
            kind=kind,
            codes=taken(new, codes, storage) if len(labels) else np.zeros(len(codes), np.int32),
            labels=ordered,
            missing=missing[order],
            values=None if values is None else values[order],
        )
        if counts is not None:
            object.__setattr__(found, "_counts_cache", counts[order])
        return found


_Found = TypeVar("_Found")


def remembered(look: Callable[[Column], _Found]) -> Callable[[Column], _Found]:
    """Make a function remember what it found of a column: suggestions, plan and gate ask the same of each."""
    key = f"_{look.__module__}.{look.__qualname__}"

    @wraps(look)
    def found(column: Column) -> _Found:
        known: dict[str, _Found] = column.__dict__
        if key not in known:
            known[key] = look(column)
        return known[key]

    return found


@dataclass(frozen=True, eq=False)
class Joint:
    """How many records have which values of some columns together.

    Attributes
    ----------
    codes : column -> (K,) int32, its label in each of the K combinations that occur.
    counts : (K,) records that have the combination.
    """

    codes: Mapping[str, Codes]
    counts: NDArray[np.int64]

    def met(self, picked: Iterable[Picked]) -> NDArray[np.int64]:
        """Return (K,) records of each combination that meets every condition, 0 of the others."""
        found = self.counts
        for name, chosen in picked:
            found = np.where(np.frombuffer(chosen, bool)[self.codes[name]], found, 0)
        return found

    def summed(self, keys: NDArray[np.integer[Any]], size: int, picked: Iterable[Picked] = ()) -> NDArray[np.int64]:
        """Return (size,) records by the (K,) keys of combinations; exact below 2^53 records."""
        return np.bincount(keys, self.met(picked), size).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length, in the order of the source.

    `origin` is free for readers: facts about where the table came from (file, sheet, choices), never values.
    """

    columns: tuple[Column, ...]
    origin: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len({column.n for column in self.columns}) > 1:
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
        return tuple(self._named)

    @cached_property
    def _named(self) -> dict[str, Column]:
        """The columns by their names: with hundreds, to look at each is most of what is done with them."""
        return {column.name: column for column in self.columns}

    def __contains__(self, name: object) -> bool:
        return name in self._named

    def __getitem__(self, name: str) -> Column:
        try:
            return self._named[name]
        except KeyError:
            raise UnknownColumn(name, self.names) from None

    def select(self, names: Iterable[str]) -> Table:
        """Return the table with these columns only, in the order given. Raises UnknownColumn."""
        return replace(self, columns=tuple(self[name] for name in names))

    def first(self, n: int, most: int | None = None) -> Table:
        """Return the table of its first records, all where they are fewer; labels stay as they are.

        `most` : columns with more labels may be left out; None for all.
        """
        return self if n >= self.n else Table(tuple(column.with_codes(column.codes[:n]) for column in self.columns))

    def crossed(self, name: str, other: str, among: Iterable[Part] | None = None) -> NDArray[np.int64]:
        """Return (m, m_other) records, of all or of those `among` the parts, with each pair of values of two columns.

        Raises UnknownColumn.
        """
        down, across = self[name], self[other]
        joint = self.joint([name, other]) if among is None else None
        if joint is not None:
            keys = joint.codes[name].astype(np.int64) * across.m + joint.codes[other]
            return joint.summed(keys, down.m * across.m).reshape(down.m, across.m)
        parts = (
            down.codes[part].astype(np.int64) * across.m + across.codes[part]
            for part in (pieces(self.n) if among is None else among)
        )
        return tallied(down.m * across.m, parts).reshape(down.m, across.m)

    def need(self, names: Iterable[str]) -> None:
        """Say that these columns will be asked for, which may save work where they have to be read first."""

    def joint(self, names: Iterable[str]) -> Joint | None:
        """Return how many records have which values of these columns together, None where codes tell it sooner."""
        return None

    def take(self, order: NDArray[Any]) -> Table:
        """Return the table with its records at `order`."""
        return replace(self, columns=tuple(column.take(order) for column in self.columns))


Read = Callable[[Sequence[str], int | None, int | None], Sequence[Column]]


class OnDemand(Table):
    """A table whose columns are read when they are asked for.

    Parameters
    ----------
    names, n : its columns' names and number of records.
    read : gives columns by their names, of so many first records or, where that is None, of all; no columns with more
        labels than a third number, unless that is None.
    count : gives columns known by their counts alone, and these together; None where `read` is to be asked instead.
    """

    def __init__(
        self,
        names: Iterable[str],
        n: int,
        read: Read,
        count: Callable[[Sequence[str], Callable[[], None]], tuple[Sequence[Column], Joint] | None] | None = None,
    ) -> None:
        given = {"_names": tuple(names), "_n": n, "_read": read, "_count": count}
        self.__dict__.update(origin={}, _known={}, _joints=[], **given)

    _names: tuple[str, ...]
    _n: int
    _read: Read
    _count: Callable[[Sequence[str], Callable[[], None]], tuple[Sequence[Column], Joint] | None] | None
    _known: dict[str, Column]
    _joints: list[Joint]

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns."""
        self._bring(self._names)
        return tuple(self._known[name] for name in self._names)

    @property
    def n(self) -> int:
        """See `Table`."""
        return self._n

    @property
    def names(self) -> tuple[str, ...]:
        """See `Table`."""
        return self._names

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> Column:
        if name not in self._names:
            raise UnknownColumn(name, self._names)
        self.need([name])
        return self._known[name]

    def need(self, names: Iterable[str]) -> None:
        """Read or count these columns at once, as far as they were not before."""
        wanted = list(names)
        if not all(name in self._known for name in wanted) and self.joint(wanted) is None:
            self._bring(wanted)

    def joint(self, names: Iterable[str]) -> Joint | None:
        """See `Table`."""
        wanted = set(names)
        for known in self._joints:
            if wanted <= known.codes.keys():
                return known
        if self._count is None or wanted <= self._at_hand():
            return None
        found = self._count([name for name in self._names if name in wanted], lambda: self._bring(self._known))
        if found is None:
            return None
        for column in found[0]:
            self._known.setdefault(column.name, column)
        self.__dict__["_joints"] = [*self._joints[-_KEPT:], found[1]]
        return found[1]

    def _at_hand(self) -> set[str]:
        """Return the columns whose codes were read."""
        return {name for name, column in self._known.items() if "codes" in column.__dict__}

    def _bring(self, names: Iterable[str]) -> None:
        """Read the codes of these columns at once, as far as they were not read before."""
        there = self._at_hand()
        new = [name for name in names if name not in there]
        for column in self._read(new, None, None) if new else ():
            known = self._known.setdefault(column.name, column)
            if known is not column:  # with the same labels, in the order of their values
                known.__dict__["codes"] = column.codes

    def select(self, names: Iterable[str]) -> Table:
        """See `Table`."""
        wanted = list(names)
        self._bring(wanted)
        return Table(tuple(self[name] for name in wanted))

    def first(self, n: int, most: int | None = None) -> Table:
        """See `Table`; columns that were not asked for before have the labels that these records have."""
        n, there, found = min(n, self._n), self._at_hand(), {}
        new = [name for name in self._names if name not in there]
        for column in self._read(new, n, most) if new else ():
            known = self._known.get(column.name)
            if known is not None:
                column = known.with_codes(np.array([known.code_of(text) for text in column.labels])[column.codes])
            found[column.name] = column
        for name, known in self._known.items():
            if name not in found:
                found[name] = known.with_codes(known.codes[:n])
        return Table(tuple(found[name] for name in self._names if name in found))

    def take(self, order: NDArray[Any]) -> Table:
        """See `Table`."""
        return Table(self.columns).take(order)
