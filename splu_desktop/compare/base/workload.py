"""What is asked: counts at random (journal, section 6), and all counts of two columns, for a learner.

A question is a conjunction of one to three conditions and one value. Values drawn uniformly hardly ever give a large
count, so half of the selections take the labels of a random record, the other half uniform ones; from all counts met,
each band of true counts then gets its equal share. The learner is naive Bayes on answers alone (Cormode, KDD 2011).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Flags, Floats, Ints, TrueTable, stand_together
from splu_desktop.core.progress import Progress

SMALL = 10  # the papers' largest small count
BANDS = ((0.0005, 0.002), (0.002, 0.005), (0.005, 0.01), (0.01, 0.02), (0.02, 0.05))  # of N, low end included
_MOST_SELECTIONS = 4_000
_PER_SELECTION = 4  # questions of one band taken from one selection, so that no selection rules a band

_HALF = 0.5  # what counts of nobody, and negative ones, stand for
_LABELS, _VALUES = 40, 60  # groups of labels, and commonest values, that counts are asked of


def bands_of(truth: NDArray[np.int64], n: int) -> NDArray[np.intp]:
    """Return (Q,) the band of each true count, -1 for none. Small counts come first where bands overlap."""
    band = np.full(len(truth), -1, np.intp)
    for number, (low, high) in enumerate(BANDS, 1):
        band[(truth >= low * n) & (truth < high * n)] = number
    band[(truth >= 1) & (truth <= SMALL)] = 0
    return band


def draw_questions(source: TrueTable, size: int, chance: np.random.Generator, progress: Progress) -> CountingQuestions:
    """Return about `size` random questions; fewer where a band has too few counts. Raises Cancelled."""
    left = np.full(len(BANDS) + 1, -(-size // (len(BANDS) + 1)))
    quota = int(left.sum())
    picked: list[dict[int, Flags]] = []
    chosen: list[int] = []
    seen: set[tuple[tuple[int, int], ...]] = set()
    for number in range(_MOST_SELECTIONS):
        if number % 50 == 0:
            progress.report("Comparing", 1 - float(left.sum()) / quota)
        if not left.any():
            break
        many = int(chance.integers(1, min(3, len(source.columns)) + 1))
        of = np.sort(chance.choice(len(source.columns), many, replace=False))
        record, columns = int(chance.integers(source.n)), [source.columns[at] for at in of]
        labels = [int(each.codes[record] if number % 2 else chance.integers(each.m)) for each in columns]
        key = tuple(zip(of.tolist(), labels, strict=True))
        if key in seen:
            continue
        seen.add(key)
        inside = np.ones(source.n, bool)
        for at, label in key:
            inside &= source.columns[at].codes == label
        counts = np.bincount(source.sensitive.codes[inside], minlength=source.m)
        band = bands_of(counts, source.n)
        for each in np.flatnonzero(left):
            there = np.flatnonzero(band == each)
            take = min(len(there), _PER_SELECTION, int(left[each]))
            left[each] -= take
            for value in chance.choice(there, take, replace=False).tolist() if take else []:
                picked.append({at: np.arange(source.columns[at].m) == label for at, label in key})
                chosen.append(value)
    progress.report("Comparing", 1.0)
    return CountingQuestions.from_flags(source, picked, np.array(chosen, np.int64))


@dataclass(frozen=True, eq=False)
class Margins:
    """Every count of a label of one column and a value: all that naive Bayes asks.

    Attributes
    ----------
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

    def naive_bayes(self, answers: Answers, records: Ints) -> Floats:
        """Return (K, m) beliefs in each value by the unchanged columns of K records, learnt from answers alone.

        answers : to the questions. Values that were not asked about are believed by their shares.
        """
        source, asked = self.questions.source, len(self.values)
        counts = np.maximum(answers.estimate.reshape(-1, asked), _HALF)
        score, prior, start = np.zeros((len(records), asked)), np.zeros(asked), 0
        for column, label in zip(source.columns, self.labels, strict=True):
            part = counts[start : start + int(label.max()) + 1]
            start += len(part)
            whole = part.sum(axis=0)
            prior += whole / whole.sum()
            score += np.log(part / whole)[label[column.codes[records]]]
        score += np.log(prior / prior.sum())
        belief = np.exp(score - score.max(axis=1, keepdims=True))
        belief *= source.shares[self.values].sum() / belief.sum(axis=1, keepdims=True)
        whole_belief = np.tile(source.shares, (len(records), 1))
        whole_belief[:, self.values] = belief
        return whole_belief
