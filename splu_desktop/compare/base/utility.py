"""What a published table is good for beside counts: what a learner makes of it, and how like the original it looks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Microdata
from splu_desktop.frozen import dataclass

_HALF = 0.5  # what counts of nobody, and negative ones, stand for
_GROUPS, _FREQUENT = 10, 20  # of labels and of values in the tables that pMSE is taken of
_LABELS, _VALUES = 40, 60  # the same for naive Bayes


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
        # A record meets one of each column's questions.
        chosen = np.tile(sets, (sum(sizes), 1))
        return cls(CountingQuestions(source, tuple(flags), row, chosen, max(len(sizes), 1)), labels, values)

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


def pmse(source: TrueTable, published: Microdata) -> float:
    """Return how well records tell by themselves whether they are original or published: 1 as little as chance.

    The propensity score mean squared error of the tables of each unchanged column with the sensitive one, over its
    expectation for a second sample of the same population, (k - 1) c (1 - c) / N_all for k cells and the published
    share c of all records: Pearson's chi-square over its degrees of freedom. The mean over the columns (Snoke, Raab,
    Nowok, Dibben, Slavkovic 2018; `utility.tables` in R's synthpop). Large where the link between the columns was
    changed, as every draw does.
    """
    value = _by_rank(source, _FREQUENT)
    found = []
    share = len(published.sensitive) / (source.n + len(published.sensitive))
    for column, codes in zip(source.columns, published.codes, strict=True):
        label = _grouped(column.counts(), _GROUPS)
        cells = int(label.max() + 1) * (_FREQUENT + 1)
        ours = np.bincount(label[column.codes] * (_FREQUENT + 1) + value[source.sensitive.codes], minlength=cells)
        theirs = np.bincount(label[codes] * (_FREQUENT + 1) + value[published.sensitive], minlength=cells)
        both = (ours + theirs).astype(np.float64)
        filled = both > 0
        error = float((both[filled] * (theirs[filled] / both[filled] - share) ** 2).sum()) / both.sum()
        expected = (np.count_nonzero(filled) - 1) * share * (1 - share) / both.sum()
        if expected > 0:
            found.append(error / expected)
    return float(np.mean(found)) if found else float("nan")


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
