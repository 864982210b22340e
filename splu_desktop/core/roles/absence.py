"""Which values of a secret column say that there is nothing: no secret, since most people have nothing."""

from __future__ import annotations

import numpy as np

from splu_desktop.core.roles.content import join_words
from splu_desktop.core.roles.lexicon import fold, lexicon
from splu_desktop.core.table import Column
from splu_desktop.core.words import words_of

_LONGEST = 4  # words of "no known allergies"


def absence_values(column: Column) -> tuple[str, ...]:
    """Return the values that are not secret: the commonest where it says absence, and the labels that mean no value.

    A rare "no" is as telling as a rare "yes" and stays secret. In a column named "alive" or "healthy" it is the yes
    that says so.
    """
    counts = column.counts()
    found = [str(label) for label in column.labels[(counts > 0) & column.missing]]
    shown = np.where(column.missing, 0, counts)
    if shown.any():
        commonest = str(column.labels[int(np.argmax(shown))])
        if says_absence(commonest, column):
            found.insert(0, commonest)
    return tuple(found)


def says_absence(label: str, column: Column) -> bool:
    """Return whether a value says that there is nothing; in a column named "alive" or "healthy" the yes does."""
    values = lexicon().values
    text, words = join_words(label), [fold(word) for word in words_of(label)]
    if values["well"].intersection(map(fold, words_of(column.name))):
        return text in values["yes"] or text in values["well"]
    if column.kind.is_number and column.values is not None:
        return float(column.values[column.code_of(label)]) == 0
    if text in values["absence"]:
        return True
    return 1 < len(words) <= _LONGEST and words[0] in values["without"] and not values["well"].intersection(words)
