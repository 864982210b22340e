"""What all of them share: a published matrix T[v, u] = P(shown u | true v), and its reader.

Counts are estimated from y = x T by the inverse of T, with the estimator and the intervals that `splu query` has for a
known matrix, pooled (mechanism.md sections 5 and 8), so that what differs between systems is T alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.belief import posterior
from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Impossible, Microdata, Sanitised
from splu_desktop.core.estimate import DEFAULT, Method
from splu_desktop.core.reconstruct.whole_matrix import Bends, numbers_of
from splu_desktop.core.table import Picked
from splu_desktop.core.transition.matrix import Independent, KnownTransition


def drawn(matrix: Floats, codes: NDArray[np.integer], chance: np.random.Generator) -> NDArray[np.int32]:
    """Return (N,) shown values: a record of value v shows u with the chance T[v, u]."""
    ends = np.cumsum(matrix, axis=1)
    ends[:, -1] = 1.0
    # Rows are laid end to end, so that one search serves all records.
    place = np.searchsorted((ends + np.arange(len(ends))[:, None]).ravel(), codes + chance.random(len(codes)), "right")
    return np.asarray(np.minimum(place - codes * len(ends), len(ends) - 1), np.int32)


class Channelled(Sanitised):
    """A table whose sensitive values went through T, records in the source's order."""

    def __init__(self, source: TrueTable, matrix: Floats, chance: np.random.Generator) -> None:
        if source.m < 2:
            raise Impossible("“{name}” has one value only, so nothing can be exchanged.", name=source.sensitive.name)
        self.source, self.matrix = source, matrix
        self.shown = drawn(matrix, source.sensitive.codes, chance)
        published = np.bincount(self.shown, minlength=source.m).astype(np.float64)
        inverse, _ = KnownTransition.inverted(matrix, published)
        likely = np.maximum(published @ inverse, 0.5)
        self.through = KnownTransition(source.n, likely * (source.n / likely.sum()), Independent(matrix))

    def answer(self, questions: CountingQuestions) -> Answers:
        return self.answered(questions, DEFAULT)

    def answered(self, questions: CountingQuestions, method: Method) -> Answers:
        """Return the answers by one of our estimators."""
        y = questions.histogram(self.shown, self.source.m)
        asked = list(zip(questions.row.tolist(), questions.chosen, strict=True))
        bends = Bends(self._counted, self.through)
        return Answers(*numbers_of(y, asked, self.through, method, self._aims(questions, bends, y))[:3])

    def _aims(self, questions: CountingQuestions, bends: Bends, y: Floats) -> Callable[[], tuple[Floats, Floats]]:
        names = self.source.names
        picked = [
            [(names[at], questions.flags[at][row].tobytes()) for at in places]
            for row, places in enumerate(questions.used)
        ]
        return lambda: bends.target(picked, y.sum(axis=1))

    def _counted(self, picked: Sequence[Picked]) -> Floats:
        ((name, flags),) = picked
        codes = self.source.columns[self.source.names.index(name)].codes
        meets = np.frombuffer(flags, bool)[codes]
        return np.bincount(self.shown[meets], minlength=self.source.m).astype(np.float64)

    def row(self, records: Ints) -> Floats:
        return posterior(self.source.shares, self.matrix, self.shown[records])

    def insider(self, records: Ints, questions: CountingQuestions) -> Floats:
        # Records are drawn independently: what all others are adds nothing to the row but the shares.
        return np.asarray(self.row(records)[np.arange(len(records)), self.source.sensitive.codes[records]])

    def microdata(self, chance: np.random.Generator) -> Microdata:
        return Microdata(tuple(column.codes for column in self.source.columns), self.shown)


def evenly(m: int, keep: float) -> Floats:
    """Return (m, m) the matrix that keeps a value with `keep` and takes every other one with equal chance."""
    matrix = np.full((m, m), (1 - keep) / max(m - 1, 1))
    np.fill_diagonal(matrix, keep)
    return matrix
