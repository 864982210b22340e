"""A classifier as measure of a table: how well the sensitive value of a person follows from the non-sensitive ones.

Naive Bayes over integer codes, with one added record per value (Laplace's rule): log P(s) + sum over columns of
log P(x_j | s). Brickell and Shmatikov's workload (paper_summaries.txt): U_base knows the margins alone and guesses the
most frequent value, U_san is trained on the published table, U_max on the original.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import Progress, Silent
from splu_desktop.core.table import Codes, Column, Table

MOST_TESTED = 20_000
_MOST_SUMS = 400_000_000  # records tested times values times columns: about a second
_CELLS = 20_000_000  # values of the SA times labels of an NSA: beyond, a column costs more than it tells
_RARE = 0.2  # a column with more labels than this share of the records tells records apart, not values
_CHUNK = 4_000_000
_STAGE = "Training a classifier"


@dataclass(frozen=True)
class Accuracy:
    """How often a guess is right, over `tested` records.

    Attributes
    ----------
    margins : by the most frequent value of the training records.
    trained : by the classifier.
    tested, trained_on : records.
    columns : NSAs the classifier used; those with too many labels are left out.
    """

    margins: float
    trained: float
    tested: int
    trained_on: int
    columns: tuple[str, ...]


class NaiveBayes:
    """A naive Bayes classifier over codes.

    Parameters
    ----------
    features : columns with m_j labels each, (N,) codes.
    target : (N,) codes in 0..m-1.
    """

    def __init__(self, features: Sequence[tuple[Codes, int]], target: Codes, m: int) -> None:
        counts = np.bincount(target, minlength=m).astype(np.float64)
        self.prior = np.log((counts + 1) / (counts.sum() + m)).astype(np.float32)
        self.tables = []
        for codes, width in features:
            joint = np.bincount(codes.astype(np.int64) * m + target, minlength=width * m).reshape(width, m)
            self.tables.append((np.log(joint + 1.0) - np.log(counts + width)).astype(np.float32))

    def predict(self, features: Sequence[Codes], progress: Progress | None = None) -> NDArray[np.intp]:
        """Return (K,) most likely codes for K records."""
        progress = progress or Silent()
        n, m = len(features[0]) if features else 0, len(self.prior)
        found = np.empty(n, np.intp)
        step = max(1, _CHUNK // m)
        for start in range(0, n, step):
            progress.report(_STAGE, start / n)
            score = np.tile(self.prior, (min(step, n - start), 1))
            for table, codes in zip(self.tables, features, strict=True):
                score += table[codes[start : start + step]]
            found[start : start + step] = score.argmax(axis=1)
        return found


def usable(table: Table, nsas: Sequence[str], values: int) -> tuple[str, ...]:
    """Return the NSAs that a classifier of `values` values can use."""
    return tuple(
        name for name in nsas if 2 <= table[name].m <= max(50, _RARE * table.n) and table[name].m * values <= _CELLS
    )


def held_out(table: Table, nsas: Sequence[str], sa: str, progress: Progress | None = None) -> Accuracy:
    """Train on most records of a table and test on the rest, the first ones: a release's records stand in random order.

    Raises UnknownColumn; Cancelled.
    """
    tested = _tested(table, nsas, sa)
    places = np.arange(table.n)
    return _accuracy(table, table, nsas, table[sa], table[sa].codes, places[tested:], places[:tested], progress)


def transferred(
    trained_on: Table, tested_on: Table, nsas: Sequence[str], sa: str, progress: Progress | None = None
) -> Accuracy:
    """Train on one table and test on evenly spread records of another: published and original.

    Both tables must have the same labels in the same order in every column used (`align`).
    Raises UnknownColumn; Cancelled.
    """
    tested = _spread(tested_on.n, _tested(tested_on, nsas, sa))
    everyone = np.arange(trained_on.n)
    return _accuracy(trained_on, tested_on, nsas, trained_on[sa], tested_on[sa].codes, everyone, tested, progress)


def original(table: Table, nsas: Sequence[str], sa: str, progress: Progress | None = None) -> Accuracy:
    """Train on a source but for evenly spread records, and test on those: the best that this classifier could do."""
    tested = _spread(table.n, _tested(table, nsas, sa))
    left = np.ones(table.n, bool)
    left[tested] = False
    rest = np.flatnonzero(left)
    return _accuracy(table, table, nsas, table[sa], table[sa].codes, rest, tested, progress)


def _tested(table: Table, nsas: Sequence[str], sa: str) -> int:
    """Return how many records to test on: a third of the table, fewer where that would take long."""
    names = usable(table, nsas, table[sa].m)
    affordable = _MOST_SUMS // max(1, table[sa].m * len(names))
    return min(MOST_TESTED, max(1_000, affordable), table.n // 3)


def _spread(n: int, wanted: int) -> NDArray[np.int64]:
    """Return `wanted` places, evenly spread over n."""
    return np.linspace(0, n - 1, max(1, wanted)).astype(np.int64)


def _accuracy(
    table: Table,
    other: Table,
    nsas: Sequence[str],
    target: Column,
    truth: Codes,
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    progress: Progress | None,
) -> Accuracy:
    names = usable(table, nsas, target.m)
    known = target.codes[train]
    most = int(np.bincount(known, minlength=target.m).argmax())
    right = truth[test]
    margins = float((right == most).mean()) if len(test) else 0.0
    trained = margins
    if names and len(test):
        model = NaiveBayes([(table[name].codes[train], table[name].m) for name in names], known, target.m)
        guessed = model.predict([other[name].codes[test] for name in names], progress)
        trained = float((guessed == right).mean())
    return Accuracy(margins, trained, len(test), len(train), names)


def align(source: Table, published: Table) -> tuple[Table, Table]:
    """Return both tables with common labels in every column of `published`, equal labels with equal codes.

    Labels are matched by text; the source must be spelled as the release is. Raises UnknownColumn.
    """
    pairs = [_aligned(source[column.name], column) for column in published.columns]
    return Table(tuple(ours for ours, _ in pairs)), Table(tuple(theirs for _, theirs in pairs))


def _aligned(ours: Column, theirs: Column) -> tuple[Column, Column]:
    known = {label: code for code, label in enumerate(theirs.labels.tolist())}
    new = np.array([known.setdefault(label, len(known)) for label in ours.labels.tolist()], np.int32)
    labels = np.array(list(known), dtype=object)
    missing = np.zeros(len(labels), bool)
    missing[: theirs.m] = theirs.missing
    missing[new] |= ours.missing
    one = Column(theirs.name, ours.kind, new[ours.codes].astype(np.int32, copy=False), labels, missing)
    return one, Column(theirs.name, theirs.kind, theirs.codes, labels.copy(), missing.copy())
