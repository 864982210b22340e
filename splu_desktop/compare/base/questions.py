"""Counting questions for all systems alike, as whole arrays.

A question is a selection P by conditions on unchanged columns, and a value of the sensitive one. Conditions are flags
over labels, so that systems which generalise can ask how much of a category meets them; systems that leave the records
alone take the records selected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from splu_desktop.compare.base.sensitivity import most_met
from splu_desktop.compare.base.source import Flags, Floats, Ints, TrueTable
from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.errors import BadSetting

_FEW_LABELS = 50


@dataclass(frozen=True, eq=False)
class Answers:
    """What a system answers, number i for question i.

    Attributes
    ----------
    estimate : (Q,) counts, records; NaN where the system refuses.
    low, high : (Q,) ends of 95 % intervals, NaN where the system gives none.
    """

    estimate: Floats
    low: Floats
    high: Floats

    @classmethod
    def without_intervals(cls, estimate: Floats) -> Answers:
        """Return bare estimates."""
        nothing = np.full(len(estimate), np.nan)
        return cls(estimate, nothing, nothing)

    def split(self, first: int) -> tuple[Answers, Answers]:
        """Return the answers to the first so many questions, and to the others."""
        parts = [np.split(each, [first]) for each in vars(self).values()]
        return Answers(*(part[0] for part in parts)), Answers(*(part[1] for part in parts))

    def one(self, at: int) -> dict[str, float]:
        """Return one answer by the names of its figures."""
        return {name: float(each[at]) for name, each in vars(self).items()}


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
        weights = np.zeros((self.selections, self.source.m))
        np.add.at(weights, (self.row, self.value), 1)
        return most_met(self.flags, weights)

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
        return self._lines([{at: np.frombuffer(flags, bool)} for at, flags in places]), of

    @cached_property
    def labels(self) -> CountingQuestions:
        """Every label of the columns that have few."""
        few = [(at, each.m) for at, each in enumerate(self.source.columns) if 2 <= each.m <= _FEW_LABELS]
        return self._lines([{at: own} for at, m in few for own in np.eye(m, dtype=bool)])

    def _lines(self, picked: list[dict[int, Flags]]) -> CountingQuestions:
        return CountingQuestions.from_flags(self.source, picked, np.zeros(len(picked), np.int64))

    @cached_property
    def selected(self) -> sparse.csr_array:
        """(P, N) 1 where a record of the source meets a selection."""
        indices, n = [], self.source.n
        for at, places in enumerate(self.used):
            inside = np.arange(n)
            for place in places:
                inside = inside[self.flags[place][at][self.source.columns[place].codes[inside]]]
            indices.append(inside.astype(np.int32))
        flat = np.concatenate(indices) if indices else np.zeros(0, np.int32)
        ends = np.cumsum([0, *map(len, indices)])
        return sparse.csr_array((np.ones(len(flat), np.float32), flat, ends), shape=(len(indices), n))

    def histogram(self, codes: NDArray[np.integer], m: int, weights: Floats | None = None) -> Floats:
        """Return (P, m) how many selected records have each of (N,) codes in 0..m-1, each weighted 1 or as given."""
        keys = np.repeat(np.arange(self.selections) * m, np.diff(self.selected.indptr)) + codes[self.selected.indices]
        weights = None if weights is None else weights[self.selected.indices]
        counted = np.bincount(keys, weights, minlength=self.selections * m)
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

    @cached_property
    def top(self) -> Floats:
        """(Q,) records that each selection has, N_P: known exactly where unchanged columns are published."""
        return np.asarray(self.by_value.sum(axis=1)[self.row])

    def share_of_domain(self) -> Floats:
        """Return (Q,) the share of all combinations of labels and values that meet each question."""
        of_selection = np.ones(self.selections)
        for flags in self.flags:
            of_selection *= flags.mean(axis=1)
        return np.asarray(of_selection[self.row] / self.source.m)
