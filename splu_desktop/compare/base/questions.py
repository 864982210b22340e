"""Counting questions for all systems alike, as whole arrays.

A question is a selection P by conditions on unchanged columns, and a set of values of the sensitive one. Conditions are
flags over labels, so that systems which generalise can ask how much of a category meets them; systems that leave the
records alone take the records selected.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.table import Flags
from splu_desktop.frozen import dataclass


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
        arm = 1.959963984540054 * np.sqrt(variance)
        cut = (np.clip(each, 0.0, top) for each in (centre, centre - arm, centre + arm))
        return cls(*cut)


@dataclass(frozen=True, eq=False)
class CountingQuestions:
    """Q counting questions over P selections.

    Attributes
    ----------
    source : the table asked about, whose truth they are compared with.
    flags : for each unchanged column (P, m_j) bool, the labels that a selection takes; all True where it has no
        condition on the column.
    row : (Q,) the selection of each question.
    chosen : (Q, m) bool, the values of the sensitive column that each question asks for.
    overlap : how many of the questions one record can meet at most: what Laplace noise grows by.
    """

    source: TrueTable
    flags: tuple[Flags, ...]
    row: NDArray[np.intp]
    chosen: Flags
    overlap: int

    @classmethod
    def of(cls, source: TrueTable, questions: Iterable[Sequence[Condition]]) -> CountingQuestions:
        """Return the questions that these conditions ask. Raises BadQuestion where one names another column."""
        places = {name: at for at, name in enumerate(source.names)}
        known: dict[Condition, Flags] = {}
        selections: dict[tuple[tuple[int, bytes], ...], int] = {}
        row, chosen = [], []
        for conditions in questions:
            picked: dict[int, Flags] = {}
            values = np.ones(source.m, bool)
            for condition in conditions:
                sensitive = condition.column == source.sensitive.name
                if not sensitive and condition.column not in places:
                    raise BadQuestion(
                        "“{column}” is no column of this comparison; ask for “{sensitive}” and unchanged columns.",
                        column=condition.column,
                        sensitive=source.sensitive.name,
                    )
                if condition not in known:
                    column = source.sensitive if sensitive else source.columns[places[condition.column]]
                    known[condition] = condition.select(column, sensitive=sensitive)
                if sensitive:
                    values = values & known[condition]
                else:
                    at = places[condition.column]
                    picked[at] = picked.get(at, np.True_) & known[condition]
            key = tuple((at, flags.tobytes()) for at, flags in sorted(picked.items()))
            row.append(selections.setdefault(key, len(selections)))
            chosen.append(values)
        flags = tuple(np.ones((len(selections), column.m), bool) for column in source.columns)
        for key, at in selections.items():
            for place, picked_labels in key:
                flags[place][at] = np.frombuffer(picked_labels, bool)
        sets = np.array(chosen, bool).reshape(len(row), source.m)
        return cls(source, flags, np.array(row, np.intp), sets, len(row))

    @classmethod
    def of_margins(cls, source: TrueTable) -> CountingQuestions:
        """Return all counts of one label of one unchanged column and one value, by column, label and value.

        What a learner of the release (naive Bayes) has to ask.
        """
        sizes = [column.m for column in source.columns]
        flags = []
        for at, size in enumerate(sizes):
            own = np.ones((sum(sizes), size), bool)
            own[sum(sizes[:at]) : sum(sizes[: at + 1])] = np.eye(size, dtype=bool)
            flags.append(own)
        row = np.repeat(np.arange(sum(sizes)), source.m)
        chosen = np.tile(np.eye(source.m, dtype=bool), (sum(sizes), 1))
        return cls(source, tuple(flags), row, chosen, max(len(sizes), 1))

    @property
    def selections(self) -> int:
        """P, the number of selections."""
        return len(self.flags[0]) if self.flags else int(self.row.max(initial=-1)) + 1

    @cached_property
    def used(self) -> tuple[tuple[int, ...], ...]:
        """For each selection the places of the columns on which it has conditions."""
        there = np.array([~flags.all(axis=1) for flags in self.flags]).reshape(len(self.flags), -1)
        return tuple(tuple(np.flatnonzero(each).tolist()) for each in there.T)

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
            found = np.arange(n) if meets is None else np.flatnonzero(np.unpackbits(meets, count=n))
            indices.append(found.astype(np.int32))
            ends.append(ends[-1] + len(found))
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
        counted = np.bincount(
            keys, None if weights is None else weights[self.selected.indices], minlength=self.selections * m
        )
        return np.asarray(counted.reshape(-1, m), np.float64)

    @cached_property
    def by_value(self) -> Floats:
        """(P, m) true counts of every value in every selection."""
        return self.histogram(self.source.sensitive.codes, self.source.m)

    def asked(self, by_value: Floats) -> Floats:
        """Return (Q,) the figures (P, m) of all values in all selections, added up over the values asked for."""
        return np.asarray(np.einsum("qm,qm->q", by_value[self.row], self.chosen.astype(np.float64)))

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
        return np.asarray(of_selection[self.row] * self.chosen.mean(axis=1))
