"""Counting questions for all systems alike, as whole arrays.

A question is a selection P by conditions on unchanged columns, and a value of the sensitive one. Conditions are flags
over labels, so that systems which generalise can ask how much of a category meets them; systems that leave the records
alone take the records selected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from splu_desktop.compare.base.sensitivity import most_met
from splu_desktop.compare.base.source import Flags, Floats, Ints, TrueTable
from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.errors import BadSetting


@dataclass(frozen=True, eq=False)
class Answers:
    """What a system answers, number i for question i.

    Attributes
    ----------
    estimate : (Q,) counts, records.
    low, high : (Q,) ends of 95 % intervals; None where the system gives none.
    """

    estimate: Floats
    low: Floats | None = None
    high: Floats | None = None

    def __getitem__(self, some: slice) -> Answers:
        return Answers(self.estimate[some], *(each if each is None else each[some] for each in (self.low, self.high)))


@dataclass(frozen=True, eq=False)
class CountingQuestions:
    """Q counting questions over P selections.

    Attributes
    ----------
    source : the table asked about, whose truth they are compared with.
    flags : for each unchanged column (P, m_j) bool, the labels that a selection takes; all True where it has no
        condition on the column.
    row, value : (Q,) the selection of each question, and the value that it asks for.
    """

    source: TrueTable
    flags: tuple[Flags, ...]
    row: Ints
    value: Ints

    @classmethod
    def of(cls, source: TrueTable, questions: Sequence[Sequence[Condition]]) -> CountingQuestions:
        """Return what conditions ask for. Raises BadSetting where they ask for another column, or no single value."""
        picked, values = [], []
        for conditions in questions:
            own: dict[int, Flags] = {}
            value = np.ones(source.m, bool)
            for condition in conditions:
                if condition.column == source.sensitive.name:
                    value &= condition.select(source.sensitive, sensitive=True)
                elif condition.column in source.names:
                    at = source.names.index(condition.column)
                    own[at] = own.get(at, np.True_) & condition.select(source.columns[at])
                else:
                    value[:] = False
            if value.sum() != 1:
                raise BadSetting(
                    "Each question must ask for one value of “{column}”, by unchanged columns alone.",
                    column=source.sensitive.name,
                )
            picked.append(own)
            values.append(int(value.argmax()))
        return cls.from_flags(source, picked, np.array(values, np.int64))

    @classmethod
    def from_flags(cls, source: TrueTable, picked: Sequence[dict[int, Flags]], value: Ints) -> CountingQuestions:
        """Return the questions by the flags of some columns, and (Q,) values."""
        selections: dict[tuple[tuple[int, bytes], ...], int] = {}
        row = []
        for own in picked:
            key = tuple((at, flags.tobytes()) for at, flags in sorted(own.items()))
            row.append(selections.setdefault(key, len(selections)))
        flags = tuple(np.ones((len(selections), column.m), bool) for column in source.columns)
        for key, at in selections.items():
            for place, labels in key:
                flags[place][at] = np.frombuffer(labels, bool)
        return cls(source, flags, np.array(row, np.int64), value)

    def join(self, other: CountingQuestions) -> CountingQuestions:
        """Return these questions and then those of another set."""
        flags = tuple(np.concatenate(pair) for pair in zip(self.flags, other.flags, strict=True))
        row = np.concatenate([self.row, other.row + self.selections])
        return CountingQuestions(self.source, flags, row, np.concatenate([self.value, other.value]))

    @property
    def selections(self) -> int:
        """P, the number of selections."""
        return len(self.flags[0])

    @cached_property
    def meeting(self) -> int:
        """The most of these questions that one record of the domain can meet: their sensitivity."""
        return most_met([*(each[self.row] for each in self.flags), np.eye(self.source.m, dtype=bool)[self.value]])

    @cached_property
    def used(self) -> tuple[tuple[int, ...], ...]:
        """For each selection the places of the columns on which it has conditions."""
        there = np.array([~flags.all(axis=1) for flags in self.flags]).reshape(len(self.flags), -1)
        return tuple(tuple(np.flatnonzero(each).tolist()) for each in there.T)

    @cached_property
    def singly(self) -> tuple[CountingQuestions, list[list[int]]]:
        """The conditions of all selections, each by itself, and for each selection the places of its own there."""
        places: dict[tuple[int, bytes], int] = {}
        of = []
        for row, used in enumerate(self.used):
            keys = [(at, self.flags[at][row].tobytes()) for at in used]
            of.append([places.setdefault(key, len(places)) for key in keys])
        picked = [{at: np.frombuffer(flags, bool)} for at, flags in places]
        return CountingQuestions.from_flags(self.source, picked, np.zeros(len(picked), np.int64)), of

    def select(self, codes: Sequence[NDArray[np.integer]]) -> sparse.csr_array:
        """Return (P, N) 1 where a record meets a selection, by the (N,) codes of records in each unchanged column."""
        everybody, indices, first = np.arange(len(codes[0]), dtype=np.int32), [], dict[tuple[int, bytes], Any]()
        for row, places in enumerate(self.used):
            inside = everybody
            # The condition that fewest labels meet comes first, and is looked up once for all selections.
            for place in sorted(places, key=lambda at: self.flags[at][row].mean()):
                flags = self.flags[place][row]
                if inside is not everybody:
                    inside = inside[flags[codes[place][inside]]]
                    continue
                key = place, flags.tobytes()
                if key not in first:
                    first[key] = everybody[flags[codes[place]]]
                inside = first[key]
            indices.append(inside)
        flat = np.concatenate([everybody[:0], *indices])
        ends = np.cumsum([0, *map(len, indices)])
        return sparse.csr_array((np.ones(len(flat), np.float32), flat, ends), shape=(len(indices), len(everybody)))

    @cached_property
    def selected(self) -> sparse.csr_array:
        """(P, N) 1 where a record of the source meets a selection."""
        return self.select([column.codes for column in self.source.columns])

    def histogram(
        self, codes: NDArray[np.integer], m: int, weights: Floats | None = None, among: sparse.csr_array | None = None
    ) -> Floats:
        """Return (P, m) how many selected records have each of (N,) codes in 0..m-1, each weighted 1 or as given.

        among : (P, N) other records than the source's, as `select` gives them.
        """
        some = self.selected if among is None else among
        keys = np.repeat(np.arange(self.selections) * m, np.diff(some.indptr)) + codes[some.indices]
        counted = np.bincount(keys, None if weights is None else weights[some.indices], self.selections * m)
        return np.asarray(counted.reshape(-1, m), np.float64)

    @cached_property
    def by_value(self) -> Floats:
        """(P, m) true counts of every value in every selection."""
        return self.histogram(self.source.sensitive.codes, self.source.m)

    def pick(self, by_value: Floats) -> Floats:
        """Return (Q,) what is asked for of the figures (P, m) of all values in all selections."""
        return np.asarray(by_value[self.row, self.value])

    @cached_property
    def truth(self) -> Ints:
        """(Q,) true counts."""
        return np.rint(self.pick(self.by_value)).astype(np.int64)

    @property
    def sizes(self) -> Floats:
        """(P,) records that each selection has, N_P: known exactly where unchanged columns are published."""
        return np.diff(self.selected.indptr).astype(np.float64)
