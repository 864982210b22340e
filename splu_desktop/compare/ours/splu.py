"""SPLU by our draws: decoy groups, groups of several sizes, and the joined draw (mechanism.md sections 2, 5, 7, 8).

Answered by the default estimator of `splu query`, pooled, with its 95 % intervals (section 4).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.belief import posterior
from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import ByGamma, Impossible, Microdata, Sanitised, System
from splu_desktop.core.draw import DecoyGroups, Draw
from splu_desktop.core.draw.by_person import one_per_person
from splu_desktop.core.draw.ways import JOINED, by_gamma, gamma_tolerances
from splu_desktop.core.errors import SpluError
from splu_desktop.core.generalise import table_after
from splu_desktop.core.messages import listed, say
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress
from splu_desktop.core.published import Published
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Flags, Table
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.frozen import dataclass

_TOLERATED = say(
    "Nobody is surer of a value s by a row alone than pi_s + (1 - pi_s) / {gamma}, pi_s being its share in the "
    "whole table; a value that nearly all records have is not protected."
)


@dataclass(frozen=True)
class Stream:
    """A generator's bits behind the `Randomness` protocol, for draws that are compared and never handed out."""

    chance: np.random.Generator

    def bits(self, count: int) -> NDArray[np.uint32]:
        """Return (count,) uniform 32-bit numbers."""
        return self.chance.integers(0, 1 << 32, count, dtype=np.uint32)


class Drawn(Sanitised):
    """A table whose sensitive column a `Draw` drew anew, records in the source's order.

    Parameters
    ----------
    shown : the sensitive column as published.
    kept : (N,) bool, records that are published; None for all.
    """

    def __init__(self, source: TrueTable, draw: Draw, shown: Column, kept: Flags | None = None) -> None:
        self.source, self.draw, self.shown = source, draw, shown
        self.kept = np.ones(source.n, bool) if kept is None else kept
        self.lost = int((~self.kept).sum())
        table = Table((*source.columns, shown))
        if self.lost:
            table = Table(tuple(column.take(self.kept) for column in table.columns))
        published = table[shown.name].compacted()
        table = Table((*table.columns[:-1], published))
        self.reader = Reader(Published(table, {shown.name: draw.within(published.labels)}))
        self._known = [source.sensitive.code_of(str(label)) for label in published.labels]

    def selections(self, questions: CountingQuestions) -> list[list[Condition]]:
        """Return the conditions of each selection."""
        names, columns = self.source.names, self.source.columns
        return [
            [Condition(names[at], tuple(map(str, columns[at].labels[questions.flags[at][row]]))) for at in places]
            for row, places in enumerate(questions.used)
        ]

    def conditions(self, questions: CountingQuestions) -> list[tuple[Condition, ...]]:
        """Return the conditions of each question."""
        selections, labels, name = self.selections(questions), self.source.sensitive.labels, self.shown.name
        return [
            (*selections[row], *(() if chosen.all() else (Condition(name, tuple(map(str, labels[chosen]))),)))
            for row, chosen in zip(questions.row.tolist(), questions.chosen, strict=True)
        ]

    def answer(self, questions: CountingQuestions) -> Answers:
        alone = questions.chosen.sum(axis=1) == 1
        found = np.zeros((3, len(alone)))
        if alone.any():
            cells = np.zeros((3, questions.selections, self.source.m))
            cells[:, :, self._known] = np.stack(self.reader.cells(self.selections(questions), self.shown.name)[2:5])
            found[:, alone] = cells[:, questions.row[alone], questions.chosen[alone].argmax(axis=1)]
        if not alone.all():
            conditions = self.conditions(questions)
            several = np.flatnonzero(~alone).tolist()
            asked = self.reader.answers([conditions[at] for at in several], vanished=True)
            found[:, several] = np.array([(each.estimate, each.low, each.high) for each in asked]).T
        return Answers(*found)

    @cached_property
    def _chances(self) -> Floats:
        return self.draw.chances(self.source.sensitive)

    def row(self, records: Ints) -> Floats:
        return posterior(self.source.shares, self._chances, self.shown.codes[records])

    def insider(self, records: Ints, questions: CountingQuestions) -> Floats:
        # At least: draws within one group hang together, so that values which few have are told more surely than by the
        # row. Of the sole bearers that is worked out (mechanism.md section 3).
        own = self.source.sensitive.codes[records]
        by_row = self.row(records)[np.arange(len(records)), own]
        return np.where(self.source.counts[own] == 1, np.maximum(by_row, self.draw.sole_bearer), by_row)

    def microdata(self, chance: np.random.Generator) -> Microdata:
        codes = tuple(column.codes[self.kept] for column in self.source.columns)
        return Microdata(codes, self.shown.codes[self.kept])


@dataclass(frozen=True)
class Splu(ByGamma):
    """SPLU-Gen as this program does it: what one gamma gives the column (mechanism.md sections 2 and 7)."""

    name = "splu"
    title = say("SPLU, decoy groups")
    words = say(
        "All rows stay; each sensitive value is drawn anew from a small group of rows. Small counts become unreliable, "
        "large ones can still be answered, with an honest range."
    )
    first = True
    way: ClassVar[str | None] = None
    promise_said = say(
        "Someone who finds a person's row is right about the value in 1 in {gamma} rows on average, before reading "
        "it; where a value is too frequent for such groups, every value gets a tolerance instead."
    )

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Drawn:
        try:
            draw = by_gamma(source.sensitive, self.gamma, self.way, progress)
            return carried_out(source, draw, chance, progress)
        except SpluError as fault:
            raise Impossible(str(fault)) from None


@dataclass(frozen=True)
class SpluSeveralSizes(Splu):
    """Decoy groups of several sizes, for the tolerances that gamma gives (mechanism.md sections 5 and 7)."""

    name = "splu-several-sizes"
    title = say("SPLU, groups of several sizes")
    words = say(
        "As decoy groups, with smaller groups for values that everybody expects anyway; the way for columns in which "
        "one value is very frequent."
    )
    first = False
    points = (2, 5)  # designing the sizes takes longest of all systems
    promise_said = _TOLERATED

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Drawn:
        try:
            limits = gamma_tolerances(source.sensitive, self.gamma)
            draw = DecoyGroups.designed(source.sensitive, limits, progress=progress)
            return carried_out(source, draw, chance, progress)
        except SpluError as fault:
            raise Impossible(str(fault)) from None


@dataclass(frozen=True)
class SpluJoined(Splu):
    """The joined draw for the tolerances that gamma gives (mechanism.md section 8)."""

    name = "splu-joined"
    title = say("SPLU, joined")
    words = say(
        "Others join the protected values instead of their bearers leaving them. Counts in parts of the table are "
        "sharper for the same promise, but published shares are no longer true by themselves."
    )
    first = False
    way: ClassVar[str | None] = JOINED
    promise_said = _TOLERATED


@dataclass(frozen=True)
class Planned(System):
    """The draw of the current plan."""

    draw: Draw
    column: str

    name = "plan"
    title = say("This plan")
    words = say("What the current plan would publish of this column.")
    first = True
    points = ()  # there is one plan alone

    @property
    def parameters(self) -> Mapping[str, object]:
        return {"draw": self.draw.name} | ({"gamma": self.draw.gamma} if self.draw.gamma is not None else {})

    @property
    def setting(self) -> str:
        gamma = self.draw.follows if self.draw.gamma is None else self.draw.gamma
        return say("tolerances per value") if gamma is None else say("gamma {gamma}", gamma=gamma)

    @property
    def promise(self) -> str:
        drawn = say("“{column}” is re-drawn: {words}.", column=self.column, words=self.draw.words())
        return listed((drawn, *self.draw.readers(self.column)[:1]), "{head} {tail}", "{head} {tail}")

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Drawn:
        if len(self.draw.block(source.sensitive.name)) > 1 or self.draw.draws_of_person(2) != 2:
            raise Impossible(
                "The plan draws “{name}” together with other columns, or per person; this comparison is about one "
                "column drawn record by record.",
                name=source.sensitive.name,
            )
        try:
            self.draw.check(source.sensitive)
            draw = self.draw.learned(source.table, source.sensitive.name, Thresholds())
            return carried_out(source, draw, chance, progress)
        except SpluError as fault:
            raise Impossible(str(fault)) from None


def carried_out(source: TrueTable, draw: Draw, chance: np.random.Generator, progress: Progress) -> Drawn:
    """Return the table as a draw publishes it."""
    return Drawn(source, draw, draw.redraw(source.sensitive, Stream(chance), progress))


def of_plan(table: Table, plan: Plan, name: str) -> tuple[TrueTable, Planned]:
    """Return what a plan does with one of its sensitive columns, and the table that it and all others begin with.

    One record per person where that is planned, columns generalised as planned. Raises SpluError.
    """
    read = table_after(one_per_person(table, plan.persons), plan.generalisations)
    return TrueTable.of(read, plan.named(Role.NSA), name), Planned(plan.draws[name], name)
