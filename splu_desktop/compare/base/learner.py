"""What a learner makes of answers alone: naive Bayes on the counts of labels and values (Cormode, KDD 2011)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable, stand_together

_HALF = 0.5  # what counts of nobody, and negative ones, stand for
_LABELS, _VALUES = 40, 60  # groups of labels, and commonest values, that counts are asked of


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
        return cls(CountingQuestions.picked(source, picked, np.tile(values, len(groups))), labels, values)

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
