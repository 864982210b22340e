"""Counting questions for all systems alike, as whole arrays.

A question is a selection P by conditions on unchanged columns, and a set of values of the sensitive one. Conditions are
flags over labels, so that systems which generalise can ask how much of a category meets them; systems that leave the
records alone take the records selected.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from splu_desktop.compare.base.sensitivity import most_met
from splu_desktop.compare.base.source import Flags, Floats, Ints, TrueTable
from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.thresholds import NORMAL_95

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

    @classmethod
    def around(cls, centre: Floats, variance: Floats, top: Floats) -> Answers:
        """Return estimates with normal 95 % intervals, all cut to [0, `top`] (Q,)."""
        arm = NORMAL_95 * np.sqrt(variance)
        return cls(*(np.clip(each, 0.0, top) for each in (centre, centre - arm, centre + arm)))

    def take(self, part: slice) -> Answers:
        """Return the answers to some of the questions."""
        return Answers(self.estimate[part], self.low[part], self.high[part])


@dataclass(frozen=True, eq=False)
class CountingQuestions:
    """Q counting questions over P selections.

    Attributes
    ----------
    source : the table asked about, whose truth they are compared with.
    flags : for each unchanged column (P, m_j) bool, the labels that a selection takes; all True where it has no
        condition on the column.
    row : (Q,) the selection of each question.
    sets : (U, m) bool, sets of values, no two alike.
    which : (Q,) the set that each question asks for.
    """

    source: TrueTable
    flags: tuple[Flags, ...]
    row: NDArray[np.intp]
    sets: Flags
    which: NDArray[np.intp]

    @classmethod
    def of(cls, source: TrueTable, questions: Iterable[Sequence[Condition]]) -> CountingQuestions:
        """Return the questions that these conditions ask. Raises BadQuestion where one names another column."""
        places = {name: at for at, name in enumerate(source.names)}
        picked, chosen = [], []
        for conditions in questions:
            own: dict[int, Flags] = {}
            values = np.ones(source.m, bool)
            for condition in conditions:
                if condition.column == source.sensitive.name:
                    values = values & condition.select(source.sensitive, sensitive=True)
                elif condition.column in places:
                    at = places[condition.column]
                    own[at] = own.get(at, np.True_) & condition.select(source.columns[at])
                else:
                    raise BadQuestion(
                        "“{column}” is no column of this comparison; ask for “{sensitive}” and unchanged columns.",
                        column=condition.column,
                        sensitive=source.sensitive.name,
                    )
            picked.append(own)
            chosen.append(values)
        return cls.picked(source, picked, np.array(chosen, bool).reshape(len(picked), source.m))

    @classmethod
    def picked(cls, source: TrueTable, picked: Sequence[dict[int, Flags]], chosen: Flags) -> CountingQuestions:
        """Return the questions by the flags of some columns, and (Q, m) flags of values."""
        selections: dict[tuple[tuple[int, bytes], ...], int] = {}
        row = []
        for own in picked:
            key = tuple((at, flags.tobytes()) for at, flags in sorted(own.items()))
            row.append(selections.setdefault(key, len(selections)))
        flags = tuple(np.ones((len(selections), column.m), bool) for column in source.columns)
        for key, at in selections.items():
            for place, labels in key:
                flags[place][at] = np.frombuffer(labels, bool)
        sets, which = np.unique(chosen, axis=0, return_inverse=True)
        return cls(source, flags, np.array(row, np.intp), sets, which.ravel())

    def joined(self, other: CountingQuestions) -> CountingQuestions:
        """Return these questions and then those of another set."""
        flags = tuple(np.concatenate(pair) for pair in zip(self.flags, other.flags, strict=True))
        sets = np.concatenate([self.sets, other.sets])
        row = np.concatenate([self.row, other.row + self.selections])
        return CountingQuestions(
            self.source, flags, row, sets, np.concatenate([self.which, other.which + len(self.sets)])
        )

    @property
    def number(self) -> int:
        """Q."""
        return len(self.row)

    @property
    def selections(self) -> int:
        """P, the number of selections."""
        return len(self.flags[0]) if self.flags else int(self.row.max(initial=-1)) + 1

    @cached_property
    def meeting(self) -> int:
        """The most of these questions that one record of the domain can meet: their sensitivity."""
        weights = np.zeros((self.selections, self.source.m))
        np.add.at(weights, self.row, self.sets[self.which])
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
        return self.lines([{at: np.frombuffer(flags, bool)} for at, flags in places]), of

    @cached_property
    def labels(self) -> CountingQuestions:
        """Every label of the columns that have few."""
        few = [(at, each.m) for at, each in enumerate(self.source.columns) if 2 <= each.m <= _FEW_LABELS]
        return self.lines([{at: own} for at, m in few for own in np.eye(m, dtype=bool)])

    def lines(self, picked: list[dict[int, Flags]]) -> CountingQuestions:
        """Return selections of the same table."""
        return CountingQuestions.picked(self.source, picked, np.ones((len(picked), self.source.m), bool))

    @cached_property
    def selected(self) -> sparse.csr_array:
        """(P, N) 1 where a record of the source meets a selection."""
        return self.select([column.codes for column in self.source.columns], self.source.n)

    def select(self, columns: Sequence[NDArray[np.integer]], n: int) -> sparse.csr_array:
        """Return (P, n) 1 where one of n records, given by their codes in each unchanged column, meets a selection."""
        bits: dict[tuple[int, bytes], NDArray[np.uint8]] = {}
        indices, ends = [], [0]
        for at, places in enumerate(self.used):
            meets: NDArray[np.uint8] | None = None
            for place in places:
                flags = self.flags[place][at]
                key = place, flags.tobytes()
                if key not in bits:
                    bits[key] = np.packbits(flags[columns[place]])
                meets = bits[key] if meets is None else meets & bits[key]
            inside = np.arange(n) if meets is None else np.flatnonzero(np.unpackbits(meets, count=n))
            indices.append(inside.astype(np.int32))
            ends.append(ends[-1] + len(inside))
        flat = np.concatenate(indices) if indices else np.zeros(0, np.int32)
        shape = len(ends) - 1, n
        return sparse.csr_array((np.ones(len(flat), np.float32), flat, np.array(ends, np.int64)), shape=shape)

    @cached_property
    def _row_of(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(self.selections), np.diff(self.selected.indptr))

    def histogram(self, codes: NDArray[np.integer], m: int, weights: Floats | None = None) -> Floats:
        """Return (P, m) how many selected records have each of (N,) codes in 0..m-1, records in the source's order.

        weights : (N,) what each record counts, 1 where None.
        """
        keys = self._row_of * m
        keys += codes[self.selected.indices]
        weights = None if weights is None else weights[self.selected.indices]
        counted = np.bincount(keys, weights, minlength=self.selections * m)
        return np.asarray(counted.reshape(-1, m), np.float64)

    @cached_property
    def by_value(self) -> Floats:
        """(P, m) true counts of every value in every selection."""
        return self.histogram(self.source.sensitive.codes, self.source.m)

    def asked(self, by_value: Floats) -> Floats:
        """Return (Q,) the figures (P, m) of all values in all selections, added up over the values asked for."""
        return np.asarray((by_value @ self.sets.T.astype(np.float64))[self.row, self.which])

    @cached_property
    def truth(self) -> Ints:
        """(Q,) true counts."""
        return np.rint(self.asked(self.by_value)).astype(np.int64)

    @cached_property
    def top(self) -> Floats:
        """(Q,) records that each selection has, N_P: known exactly where unchanged columns are published."""
        return np.asarray(self.by_value.sum(axis=1)[self.row])

    def share_of_domain(self) -> Floats:
        """Return (Q,) the share of all combinations of labels and values that meet each question."""
        of_selection = np.ones(self.selections)
        for flags in self.flags:
            of_selection *= flags.mean(axis=1)
        return np.asarray(of_selection[self.row] * self.sets.mean(axis=1)[self.which])
