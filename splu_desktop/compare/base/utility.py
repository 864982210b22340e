"""What a published table is good for beside counts: what a learner makes of it, and how like the original it looks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Microdata

_HALF = 0.5  # what counts of nobody, and negative ones, stand for
_GROUPS = 10  # that a column of more labels is put into, of about equally many records
_FREQUENT = 20  # values of the sensitive column that stand by themselves


def naive_bayes(source: TrueTable, margins: CountingQuestions, answers: Answers, records: Ints) -> Floats:
    """Return (K, m) beliefs in each value by the unchanged columns of K records, learnt from answers alone.

    Parameters
    ----------
    margins : `CountingQuestions.of_margins`, every count of a label and a value, which is all that naive Bayes asks.
    answers : to these; refused ones count nobody.
    """
    counts = np.maximum(np.nan_to_num(answers.estimate.reshape(-1, source.m), nan=0.0), _HALF)
    score, start = np.zeros((len(records), source.m)), 0
    prior = np.zeros(source.m)
    for column in source.columns:
        part = counts[start : start + column.m]
        start += column.m
        whole = part.sum(axis=0)
        prior += whole / whole.sum()
        score += np.log(part / whole)[column.codes[records]]
    score += np.log(prior / prior.sum() if source.columns else source.shares)
    belief = np.exp(score - score.max(axis=1, keepdims=True))
    return np.asarray(belief / belief.sum(axis=1, keepdims=True))


def pmse(source: TrueTable, published: Microdata) -> float:
    """Return how well records tell by themselves whether they are original or published: 1 as little as chance.

    The propensity score mean squared error of the tables of each unchanged column with the sensitive one, over its
    expectation for a second sample of the same population, (k - 1) c (1 - c)^2 / N_all for k cells and the published
    share c of all records; the mean over the columns (Snoke, Raab, Nowok, Dibben, Slavkovic 2018; `utility.tables` in
    R's synthpop). Large where the link between the columns was changed, as every draw does.
    """
    rank = np.empty(source.m, np.int64)
    rank[np.argsort(-source.counts, kind="stable")] = np.arange(source.m)
    value = np.minimum(rank, _FREQUENT)
    found = []
    share = len(published.sensitive) / (source.n + len(published.sensitive))
    for column, codes in zip(source.columns, published.codes, strict=True):
        label = _grouped(column.counts())
        cells = int(label.max() + 1) * (_FREQUENT + 1)
        ours = np.bincount(label[column.codes] * (_FREQUENT + 1) + value[source.sensitive.codes], minlength=cells)
        theirs = np.bincount(label[codes] * (_FREQUENT + 1) + value[published.sensitive], minlength=cells)
        both = (ours + theirs).astype(np.float64)
        filled = both > 0
        error = float((both[filled] * (theirs[filled] / both[filled] - share) ** 2).sum()) / both.sum()
        expected = (np.count_nonzero(filled) - 1) * share * (1 - share) ** 2 / both.sum()
        if expected > 0:
            found.append(error / expected)
    return float(np.mean(found)) if found else float("nan")


def _grouped(counts: Ints) -> NDArray[np.int64]:
    """Return (m_j,) the group of each label, each by itself where they are few."""
    if len(counts) <= _GROUPS:
        return np.arange(len(counts))
    middle = (np.cumsum(counts) - counts / 2) / max(int(counts.sum()), 1)
    return np.minimum((middle * _GROUPS).astype(np.int64), _GROUPS - 1)
