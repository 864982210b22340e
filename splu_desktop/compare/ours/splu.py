"""SPLU by our draws: decoy groups, groups of several sizes, and the joined draw (mechanism.md sections 2, 5, 7, 8).

Answered by the default estimator of `splu query`, pooled, with its 95 % intervals (section 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Impossible, Microdata, Sanitised, System
from splu_desktop.core.draw import Draw
from splu_desktop.core.draw.ways import by_gamma
from splu_desktop.core.errors import SpluError
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress
from splu_desktop.core.published import Published
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.table import Column, Table

GAMMAS = (2, 3, 5, 10)


@dataclass(frozen=True)
class Stream:
    """A generator's bits behind the `Randomness` protocol, for draws that are compared and never handed out."""

    chance: np.random.Generator

    def bits(self, count: int) -> NDArray[np.uint32]:
        """Return (count,) uniform 32-bit numbers."""
        return self.chance.integers(0, 1 << 32, count, dtype=np.uint32)


class Drawn(Sanitised):
    """A table whose sensitive column a `Draw` drew anew, records in the source's order."""

    def __init__(self, source: TrueTable, draw: Draw, shown: Column) -> None:
        self.source, self.draw, self.shown = source, draw, shown
        published = shown.compacted()
        release = Published(Table((*source.columns, published)), {shown.name: draw.within(published.labels)})
        self._reader = Reader(release)
        self._known = [source.sensitive.code_of(str(label)) for label in published.labels]

    def answer(self, questions: CountingQuestions) -> Answers:
        name, names = self.shown.name, self.source.names
        selections = [
            [
                Condition(names[at], tuple(map(str, self.source.columns[at].labels[questions.flags[at][row]])))
                for at in places
            ]
            for row, places in enumerate(questions.used)
        ]
        alone = questions.chosen.sum(axis=1) == 1
        found = np.zeros((3, len(alone)))
        if alone.any():
            cells = np.zeros((3, questions.selections, self.source.m))
            cells[:, :, self._known] = np.stack(self._reader.cells(selections, name)[2:5])
            found[:, alone] = cells[:, questions.row[alone], questions.chosen[alone].argmax(axis=1)]
        labels = self.source.sensitive.labels
        several = np.flatnonzero(~alone).tolist()
        asked = [
            (*selections[questions.row[at]], Condition(name, tuple(map(str, labels[questions.chosen[at]]))))
            for at in several
        ]
        for at, answer in zip(several, self._reader.answers(asked, vanished=True), strict=True):
            found[:, at] = answer.estimate, answer.low, answer.high
        return Answers(*found)

    @cached_property
    def _chances(self) -> Floats:
        return self.draw.chances(self.source.sensitive)

    def row(self, records: Ints) -> Floats:
        return posterior(self.source.shares, self._chances, self.shown.codes[records])

    def insider(self, records: Ints) -> Floats:
        # Who knows all others knows the shares of the whole table to one record; draws within one group hang together,
        # which names the sole bearer of a value more surely than this (mechanism.md section 3).
        return np.asarray(self.row(records)[np.arange(len(records)), self.source.sensitive.codes[records]])

    def microdata(self, chance: np.random.Generator) -> Microdata:
        return Microdata(tuple(column.codes for column in self.source.columns), self.shown.codes)


def posterior(prior: Floats, chances: Floats, shown: NDArray[np.integer]) -> Floats:
    """Return (K, m) P(true = v | shown u) for K shown values, from a prior (m,) and T[v, u] = P(shown u | true v)."""
    joint = prior[:, None] * chances
    seen = joint.sum(axis=0)
    belief = np.divide(joint, seen, out=np.tile(prior[:, None], (1, len(seen))), where=seen > 0)
    return np.asarray(belief.T[shown])


@dataclass(frozen=True)
class ByOurs(System):
    """What all our draws share: a `Draw` that the column gets."""

    def _drawn(self, source: TrueTable, draw: Draw, chance: np.random.Generator, progress: Progress) -> Drawn:
        return Drawn(source, draw, draw.redraw(source.sensitive, Stream(chance), progress))


@dataclass(frozen=True)
class Splu(ByOurs):
    """SPLU-Gen as this program does it: what one gamma gives the column (mechanism.md sections 2 and 7)."""

    gamma: int

    name: ClassVar[str] = "splu"
    title: ClassVar[str] = say("SPLU, decoy groups")
    words: ClassVar[str] = say(
        "All rows stay; each sensitive value is drawn anew from a small group of rows. Small counts become unreliable, "
        "large ones can still be answered, with an honest range."
    )
    first: ClassVar[bool] = True
    way: ClassVar[str | None] = None

    @classmethod
    def curve(cls, source: TrueTable) -> Sequence[Self]:
        return [cls(gamma) for gamma in GAMMAS]

    @property
    def setting(self) -> str:
        return say("gamma {gamma}", gamma=self.gamma)

    @property
    def promise(self) -> str:
        return say(
            "Someone who finds a person's row is right about the value in 1 in {gamma} rows on average.",
            gamma=self.gamma,
        )

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Drawn:
        try:
            return self._drawn(source, by_gamma(source.sensitive, self.gamma, self.way), chance, progress)
        except SpluError as fault:
            raise Impossible(str(fault)) from None
