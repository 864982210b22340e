"""Counting questions for all systems alike, as whole arrays: counts at random, and all of two columns for a learner.

A question is a selection P by conditions on unchanged columns, and a value of the sensitive one. Conditions are flags
over labels, so that systems which generalise can ask how much of a category meets them; systems that leave the records
alone take the records selected.

At random (journal, section 6) it has one to three conditions. Values drawn uniformly hardly ever give a large count, so
half of the selections take the labels of a random record, the other half uniform ones; from all counts met, each band
of true counts then gets its equal share. The learner is naive Bayes on answers alone (Cormode, KDD 2011).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import softmax

from splu_desktop.compare.base.source import Flags, Floats, Ints, TrueTable, stand_together
from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.progress import Progress

SMALL = 10  # the papers' largest small count
BANDS = ((0.0005, 0.002), (0.002, 0.005), (0.005, 0.01), (0.01, 0.02), (0.02, 0.05))  # of N, low end included
_SELECTIONS = 2_000  # whose counts are looked at
_HALF = 0.5  # what counts of nobody, and negative ones, stand for
_LABELS, _VALUES = 40, 60  # groups of labels, and commonest values, that counts are asked of
_MOST_PARTS = 4_000  # of the domain that are looked at
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class CountingQuestions:
    """Q counting questions over P selections.

    source : the table asked about, whose truth they are compared with.
    flags : for each unchanged column (P, m_j) the labels that a selection takes: all where it has no condition.
    row : (Q,) the number of each question's selection.
    value : (Q,) the value that each asks for.
    """

    source: TrueTable
    flags: tuple[Flags, ...]
    row: Ints
    value: Ints

    @classmethod
    def of(cls, source: TrueTable, questions: Sequence[Sequence[Condition]]) -> CountingQuestions:
        """Return what conditions ask for. Raises BadSetting where they ask for another column, or no single value."""
        names, last, picked, values = [each.name for each in source.all_columns], len(source.columns), [], []
        for conditions in questions:
            chosen = {last: np.ones(source.m, bool)}
            known = all(each.column in names for each in conditions)
            for each in conditions if known else ():
                at = names.index(each.column)
                chosen[at] = chosen.get(at, True) & each.select(source.all_columns[at], sensitive=at == last)
            if not known or chosen[last].sum() != 1:
                raise BadSetting(
                    "Each question must ask for one value of “{column}”, by unchanged columns alone.",
                    column=source.sensitive.name,
                )
            values.append(int(chosen.pop(last).argmax()))
            picked.append(chosen)
        return cls.from_flags(source, picked, np.array(values, np.int64))

    @classmethod
    def from_flags(cls, source: TrueTable, picked: Sequence[dict[int, Flags]], value: Ints) -> CountingQuestions:
        """Return the questions by the flags of some columns, and (Q,) values; equal selections are one."""
        keys = [tuple((at, chosen[at].tobytes()) for at in sorted(chosen)) for chosen in picked]
        distinct = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        flags = tuple(np.ones((len(distinct), column.m), bool) for column in source.columns)
        for key, chosen in zip(keys, picked, strict=True):
            for at, labels in chosen.items():
                flags[at][distinct[key]] = labels
        return cls(source, flags, np.array([distinct[key] for key in keys], np.int64), value)

    def join(self, other: CountingQuestions) -> CountingQuestions:
        """Return these questions and then those of another set."""
        flags = tuple(np.concatenate(both) for both in zip(self.flags, other.flags, strict=True))
        row = np.concatenate([self.row, self.selections + other.row])
        return CountingQuestions(self.source, flags, row, np.concatenate([self.value, other.value]))

    @property
    def selections(self) -> int:
        """P, the number of selections."""
        return len(self.flags[0])

    @cached_property
    def sensitivity(self) -> int:
        """The most of these questions that one record of the domain can meet: their sensitivity."""
        return most_met([*(each[self.row] for each in self.flags), np.eye(self.source.m, dtype=bool)[self.value]])

    @cached_property
    def conditions(self) -> list[list[int]]:
        """Of each selection the columns on which it has a condition."""
        limited = np.stack([~each.all(axis=1) for each in self.flags], axis=1)
        return [np.flatnonzero(each).tolist() for each in limited]

    @cached_property
    def singles(self) -> tuple[CountingQuestions, list[Ints]]:
        """Each single condition of these questions, and for each selection the numbers of its own conditions."""
        single = [{at: self.flags[at][number]} for number, places in enumerate(self.conditions) for at in places]
        alone = CountingQuestions.from_flags(self.source, single, np.zeros(len(single), np.int64))
        ends = np.cumsum([len(places) for places in self.conditions])
        return alone, np.split(alone.row, ends[:-1])

    @cached_property
    def incidence(self) -> sparse.csr_array:
        """(P, N) 1 where a record of the source meets a selection."""
        everybody, indices = np.arange(self.source.n, dtype=np.int32), []
        codes = [column.codes for column in self.source.columns]

        @cache
        def meet(place: int, labels: bytes) -> Ints:
            return np.flatnonzero(np.frombuffer(labels, bool)[codes[place]])

        for number, places in enumerate(self.conditions):
            # The condition that fewest labels meet comes first, and is looked up once for all selections.
            inside: NDArray[np.integer] = everybody
            for labels, place in sorted(((self.flags[at][number], at) for at in places), key=lambda one: one[0].sum()):
                first = inside is everybody
                inside = meet(place, labels.tobytes()) if first else inside[labels[codes[place][inside]]]
            indices.append(inside)
        flat = np.concatenate([everybody[:0], *indices])
        ends = np.cumsum([0, *map(len, indices)])
        return sparse.csr_array((np.ones(len(flat), np.float32), flat, ends), shape=(len(indices), len(everybody)))

    def histogram(self, codes: NDArray[np.integer], m: int, weights: Floats | None = None) -> Floats:
        """Return (P, m) how many selected records have each of (N,) codes in 0..m-1, each weighted 1 or as given."""
        some = self.incidence
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
        return np.diff(self.incidence.indptr).astype(np.float64)


def most_met(flags: Sequence[Flags]) -> int:
    """Return how many questions one combination of labels meets at most: the sensitivity of all their counts.

    flags : of each column (Q, m_j) the labels that they take, the sensitive column among them.

    Adding or removing a record moves each count that it meets by one, so noise of Lap(sensitivity / epsilon) on every
    count keeps epsilon for all together. By branch and bound: of a part of the domain in which some labels are settled
    a question with c conditions left open gives 1/c to each, and of every open column the best label counts. The part
    of largest bound comes first: the first without open conditions is the answer. A long search returns its bound.
    """
    # Labels that the same questions take are one; columns without conditions decide nothing.
    unique = [np.unique(each, axis=1) for each in flags]
    columns = [each for each in unique if each.shape[1] > 1] or unique[:1]
    has: Floats = np.stack([~each.all(axis=1) for each in columns], axis=1).astype(float)  # (Q, columns)
    labels = [each.astype(np.float64) for each in columns]

    def bound(asked: Ints, opened: list[int]) -> int:
        conditions = has[asked][:, opened].sum(axis=1)
        best = [((has[asked, at] / np.maximum(conditions, 1)) @ labels[at][asked]).max() for at in opened]
        return int((conditions == 0).sum() + sum(best) + _ROUNDING)

    everything, opened = np.arange(len(has)), list(range(len(columns)))
    heap, number = [(-bound(everything, opened), 0, everything, opened)], 0
    while True:
        least, _, asked, opened = heapq.heappop(heap)
        if number > _MOST_PARTS or not has[asked][:, opened].any():
            return -least
        column = max(opened, key=lambda at: has[asked, at].sum())  # on which most hangs
        opened = [at for at in opened if at != column]
        for label in columns[column].T:
            number, kept = number + 1, asked[label[asked]]
            heapq.heappush(heap, (-bound(kept, opened), number, kept, opened))


def draw_questions(source: TrueTable, size: int, chance: np.random.Generator, progress: Progress) -> CountingQuestions:
    """Return about `size` random questions; fewer where a band has too few counts. Raises Cancelled."""
    drawn: dict[tuple[tuple[int, int], ...], dict[int, Flags]] = {}
    for number in range(_SELECTIONS):
        progress.report("Comparing", number / _SELECTIONS)
        many = int(chance.integers(1, min(3, len(source.columns)) + 1))
        of = np.sort(chance.choice(len(source.columns), many, replace=False)).tolist()
        record, columns = int(chance.integers(source.n)), [source.columns[at] for at in of]
        labels = [int(each.codes[record] if number % 2 else chance.integers(each.m)) for each in columns]
        flags = (np.arange(each.m) == label for each, label in zip(columns, labels, strict=True))
        drawn[tuple(zip(of, labels, strict=True))] = dict(zip(of, flags, strict=True))
    selections, nothing = [*drawn.values()], np.zeros(len(drawn), np.int64)
    truth, quota = CountingQuestions.from_flags(source, selections, nothing).by_value, -(-size // (len(BANDS) + 1))
    small = (truth >= 1) & (truth <= SMALL)  # where bands overlap, a count is a small one
    bands = ((truth >= low * source.n) & (truth < high * source.n) & ~small for low, high in BANDS)
    of_band = map(np.argwhere, (small, *bands))
    picked = np.concatenate([chance.permutation(cells)[:quota] for cells in of_band])
    return CountingQuestions.from_flags(source, [selections[at] for at in picked[:, 0]], picked[:, 1])


@dataclass(frozen=True, eq=False)
class Margins:
    """Every count of a label of one column and a value: all that naive Bayes asks.

    questions : by column, group of labels and value.
    labels : for each unchanged column (m_j,) the group of each label, each by itself where they are few.
    values : the values asked about, all where they are few.
    """

    questions: CountingQuestions
    labels: tuple[Ints, ...]
    values: Ints

    @classmethod
    def of(cls, source: TrueTable) -> Margins:
        """Return the margins of a table."""
        labels = tuple(stand_together(column.counts(), _LABELS) for column in source.columns)
        values = np.sort(np.argsort(-source.counts, kind="stable")[:_VALUES])
        groups = [{at: label == group} for at, label in enumerate(labels) for group in range(int(label.max()) + 1)]
        picked = [group for group in groups for _ in values]
        return cls(CountingQuestions.from_flags(source, picked, np.tile(values, len(groups))), labels, values)

    def naive_bayes(self, estimates: Floats, records: Ints) -> Floats:
        """Return (K, m) beliefs in each value by the unchanged columns of K records, learnt from answers alone.

        estimates : what the questions are answered. Values that were not asked about are believed by their shares.
        """
        source, asked = self.questions.source, len(self.values)
        counts = np.maximum(estimates.reshape(-1, asked), _HALF)
        score, prior = np.zeros((len(records), asked)), np.zeros(asked)
        parts = np.split(counts, np.cumsum([int(label.max()) + 1 for label in self.labels])[:-1])
        for column, label, part in zip(source.columns, self.labels, parts, strict=True):
            whole = part.sum(axis=0)
            prior += whole / whole.sum()
            score += np.log(part / whole)[label[column.codes[records]]]
        beliefs = np.tile(source.shares, (len(records), 1))
        likely = softmax(score + np.log(prior / prior.sum()), axis=1)
        beliefs[:, self.values] = source.shares[self.values].sum() * likely
        return beliefs
