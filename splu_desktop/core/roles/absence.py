"""Which values of a secret column say that there is nothing: no secret, since most people have nothing."""

from __future__ import annotations

import numpy as np

from splu_desktop.core.roles.lexicon import lexicon
from splu_desktop.core.table import Column
from splu_desktop.core.words import fold, join_words, words_of

_LONGEST = 4  # words of "no known allergies"


def absence_values(column: Column) -> tuple[str, ...]:
    """Return the values that are not secret: the commonest where it says absence, and those that mean no value.

    A rare "no" is as telling as a rare "yes" and stays secret; "not applicable" says whom nobody could ask.
    """
    counts, void = column.counts(), column.missing.copy()
    for at in np.flatnonzero(100 * counts >= column.n):  # of many thousand labels only those that matter are read
        void[at] |= join_words(str(column.labels[at])).strip("_0123456789") in lexicon().values["void"]
    values = [str(label) for label in column.labels[(counts > 0) & void]]
    shown = np.where(void, 0, counts)
    if shown.any():
        commonest = str(column.labels[int(np.argmax(shown))])
        if says_absence(commonest, column):
            values.insert(0, commonest)
    return tuple(values)


def says_absence(label: str, column: Column) -> bool:
    """Return whether a value says that there is nothing; in a column named "alive" or "healthy" the yes does."""
    values = lexicon().values
    text, words = join_words(label), [fold(word) for word in words_of(label)]
    if values["well"].intersection(map(fold, words_of(column.name))):
        return text in values["yes"] or text in values["well"]
    if column.kind.is_number and column.values is not None:
        return float(column.values[column.code_of(label)]) == 0
    without = 1 < len(words) <= _LONGEST and words[0] in values["without"] and not values["well"].intersection(words)
    return text in values["absence"] or without
