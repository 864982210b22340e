"""What is asked: counts at random (journal, section 6), and all counts of two columns, for a learner.

A question is a conjunction of one to three conditions and one value. Values drawn uniformly hardly ever give a large
count, so half of the selections take the labels of a random record, the other half uniform ones; from all counts met,
each band of true counts then gets its equal share. The learner is naive Bayes on answers alone (Cormode, KDD 2011).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import Flags, Floats, Ints, TrueTable, stand_together
from splu_desktop.core.progress import Progress

SMALL = 10  # the papers' largest small count
BANDS = ((0.0005, 0.002), (0.002, 0.005), (0.005, 0.01), (0.01, 0.02), (0.02, 0.05))  # of N, low end included
_SELECTIONS = 2_000  # whose counts are looked at
_HALF = 0.5  # what counts of nobody, and negative ones, stand for
_LABELS, _VALUES = 40, 60  # groups of labels, and commonest values, that counts are asked of


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
