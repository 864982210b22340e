"""What a learner makes of answers alone: naive Bayes on the counts of labels and values (Cormode, KDD 2011)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable

_HALF = 0.5  # what counts of nobody, and negative ones, stand for
_LABELS, _VALUES = 40, 60  # groups of labels and of values that counts are asked of


@dataclass(frozen=True, eq=False)
class Margins:
    """Every count of some labels of one column and some values: all that naive Bayes asks.

    Attributes
    ----------
    questions : by column, group of labels and group of values.
    labels : for each unchanged column (m_j,) the group of each label, each by itself where they are few.
    values : (m,) the group of each value; rare ones of a long column stand together.
    """

    questions: CountingQuestions
    labels: tuple[NDArray[np.int64], ...]
    values: NDArray[np.int64]

    @classmethod
    def of(cls, source: TrueTable) -> Margins:
        """Return the margins of a table."""
        labels = tuple(_grouped(column.counts(), _LABELS) for column in source.columns)
        sizes = [int(label.max()) + 1 for label in labels]
        values = _by_rank(source, _VALUES)
        flags = []
        for at, label in enumerate(labels):
            own = np.ones((sum(sizes), len(label)), bool)
            own[sum(sizes[:at]) : sum(sizes[: at + 1])] = np.arange(sizes[at])[:, None] == label
            flags.append(own)
        sets = np.arange(int(values.max()) + 1)[:, None] == values
        row = np.repeat(np.arange(sum(sizes)), len(sets))
        which = np.tile(np.arange(len(sets)), sum(sizes))
        return cls(CountingQuestions(source, tuple(flags), row, sets, which), labels, values)

    def naive_bayes(self, answers: Answers, records: Ints) -> Floats:
        """Return (K, m) beliefs in each value by the unchanged columns of K records, learnt from answers alone.

        answers : to the questions; refused ones count nobody. Within a group of values the shares of the whole table
            decide.
        """
        source, groups = self.questions.source, int(self.values.max()) + 1
        counts = np.maximum(np.nan_to_num(answers.estimate.reshape(-1, groups), nan=0.0), _HALF)
        score, prior, start = np.zeros((len(records), groups)), np.zeros(groups), 0
        for column, label in zip(source.columns, self.labels, strict=True):
            part = counts[start : start + int(label.max()) + 1]
            start += len(part)
            whole = part.sum(axis=0)
            prior += whole / whole.sum()
            score += np.log(part / whole)[label[column.codes[records]]]
        score += np.log(prior / prior.sum())
        belief = np.exp(score - score.max(axis=1, keepdims=True))
        belief /= belief.sum(axis=1, keepdims=True)
        within = source.shares / np.bincount(self.values, source.shares)[self.values]
        return np.asarray(belief[:, self.values] * within)


def _by_rank(source: TrueTable, most: int) -> NDArray[np.int64]:
    """Return (m,) the place of each value by its count, all from `most` on together."""
    rank = np.empty(source.m, np.int64)
    rank[np.argsort(-source.counts, kind="stable")] = np.arange(source.m)
    return np.minimum(rank, most)


def _grouped(counts: Ints, most: int) -> NDArray[np.int64]:
    """Return (m_j,) the group of each label, each by itself where they are few, else of about equally many records."""
    if len(counts) <= most:
        return np.arange(len(counts))
    middle = (np.cumsum(counts) - counts / 2) / max(int(counts.sum()), 1)
    # Without gaps, so that every group has a label.
    return np.unique(np.minimum((middle * most).astype(np.int64), most - 1), return_inverse=True)[1].astype(np.int64)
