"""What recipients will be told, before a release is made: answers from counts at their expectation, without drawing.

The recipient's own `Reader` answers, by its default estimator and with its intervals; only what it counts is not
published yet. Each count of its is put at its expectation over releases, which every draw says of itself
(`Draw.expected`). Selections are counted once in the original: a change of the draw costs no pass over the records.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw import Draw
from splu_desktop.core.messages import listed, say
from splu_desktop.core.persons import Repeats
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.core.query.answer import Answer
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.engine import WELL_KNOWN, Engine, kept
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.query.selection import Selector
from splu_desktop.core.reconstruct import pooled as reconstruct_pooled
from splu_desktop.core.reconstruct.counts import Rows
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.sanitise import known_of_persons
from splu_desktop.core.table import Column, Flags, Picked, Table
from splu_desktop.core.thresholds import NORMAL_95, Thresholds
from splu_desktop.frozen import dataclass

Floats = NDArray[np.float64]

# Standard deviations from their expectation at which counts are looked at. Ends are cut where no count can be, so that
# they are not on average where they are at the average count; half from either side they are, to the second order.
_SIDES = (1.0, -1.0)
_ASIDE = NormalDist().inv_cdf(0.75) / (2 * NORMAL_95)  # of its width: half of the intervals are further off
_WHOLE = 400  # values up to which a reader is told by the whole matrix; of more, two numbers miss it by 0.0035 at most
_CLOSE = 0.015  # by which a probability may be off in counts
_NEARLY = 0.995  # a probability from which it is nearly every case


@dataclass(frozen=True)
class Foretold:
    """One question: what is true, and what recipients may expect to be told."""

    conditions: tuple[Condition, ...]
    true: int
    answer: Answer

    def within(self, error: float) -> bool:
        """Return whether both ends of a release's interval are within a relative error of the true count, as a rule."""
        return self.error <= error * (1 + 1e-12)

    def words(self) -> str:
        """Return what people are shown: the figure with its interval, or the range alone where it is vague."""
        low, high = self.answer.ends
        if self.answer.vague or self.answer.exact:
            return self.answer.shown
        return say("{count} ({low} to {high})", count=self.answer.rounded, low=low, high=high)

    @property
    def error(self) -> float:
        """The relative error within which every second release answers, inf where no record meets the question.

        The interval of a release lies to one side of the expected one, in half of them further than `_ASIDE`.
        """
        if not self.true:
            return math.inf
        low, high = self.answer.low, self.answer.high
        return (max(self.true - low, high - self.true, 0.0) + _ASIDE * (high - low)) / self.true


@dataclass(frozen=True)
class Readers:
    """How often three readers of one person's row are right about a sensitive value, averaged over the records.

    Attributes
    ----------
    stranger, blind : who takes the row at its word; who guesses the most frequent value without it.
    colleague, informed : who knows what is published unchanged in the table shown, has learnt from the release how the
        value goes with it, and guesses the likeliest value after reading the row; the same without the row.
    insider : how surely a value is told at most to who knows the values of all other records (`Draw.insider`).
    """

    stranger: float
    blind: float
    colleague: float
    informed: float
    insider: float

    def sentences(self, known: Sequence[str]) -> tuple[str, str, str]:
        """Return one sentence on each. `known` are the columns that the second one knows of a person."""
        right, blind = compared(self.stranger, self.blind)
        stranger = say(
            "A stranger who goes by a person's row is right in {right}; by guessing, without it, in {blind}.",
            right=right,
            blind=blind,
        )
        right, informed = compared(self.colleague, self.informed)
        colleague = say(
            "A colleague who knows the person's {columns} and has studied the release is right in {right}; without the "
            "row in {informed}.",
            columns=listed(known),
            right=right,
            informed=informed,
        )
        if self.insider >= _NEARLY:
            insider = say("Someone who knows everyone else is right about the one left in nearly every case.")
        else:
            insider = say(
                "Someone who knows everyone else is right about the one left in up to {right}.",
                right=in_counts(self.insider),
            )
        return stranger, colleague if known else "", insider


def in_counts(share: float) -> str:
    """Return a probability in counts that people can picture: 1 of 5, 2 of 3, 19 of 20."""
    if share >= _NEARLY:
        return say("nearly every case")
    if share < 0.05:
        return say("1 of {n} cases", n=max(round(1 / share), 20)) if share >= 0.0005 else say("hardly any case")
    parts = [(round(share * whole), whole) for whole in (2, 3, 4, 5)]
    parts += [(1, max(round(1 / share), 2)), *((round(share * whole), whole) for whole in (10, 20, 100))]
    part, whole = next((p, w) for p, w in parts if 0 < p < w and abs(p / w - share) <= _CLOSE)
    return say("{part} of {whole} cases", part=part, whole=whole)


def compared(*shares: float) -> list[str]:
    """Return probabilities in counts that compare at sight: 48 and 44 of 100, 1 of 6 and 1 of 7; else each alone."""
    wholes: list[list[int]] = [[whole] * len(shares) for whole in (2, 3, 4, 5)]
    wholes += [[round(1 / max(share, _CLOSE)) for share in shares], *([whole] * len(shares) for whole in (10, 20, 100))]
    for each in wholes if min(shares) >= 0.05 else ():
        parts = [round(share * whole) for share, whole in zip(shares, each, strict=True)]
        alike = len(set(each)) == 1 or set(parts) == {1}
        every = zip(parts, each, shares, strict=True)
        if alike and all(0 < part < whole and abs(part / whole - share) <= _CLOSE for part, whole, share in every):
            cases = zip(parts, each, strict=True)
            return [say("{part} of {whole} cases", part=part, whole=whole) for part, whole in cases]
    return [in_counts(share) for share in shares]


class Ahead:
    """Tells of one table, under one draw after another, what recipients would be told.

    Making it and asking it new questions passes over the records; another draw costs the mathematics alone, but for
    columns drawn together or per person. Not for use by two threads at once.

    Parameters
    ----------
    table : the source as it is to be drawn (`sanitise.prepare`).
    nsas : its columns published unchanged.
    repeats : what is published of persons with several records (`sanitise.known_of_persons`).
    """

    def __init__(self, table: Table, nsas: Sequence[str], repeats: Repeats | None = None) -> None:
        self.table, self._nsas, self._repeats = table, tuple(nsas), repeats
        self._counts, self._selector = _Counts(), Selector(table)
        self._compacted: dict[str, Column] = {}

    @classmethod
    def of(cls, table: Table, plan: Plan) -> Ahead:
        """Return what tells of a plan's table; `table` is generalised as planned."""
        repeats = known_of_persons(table, plan, None) if plan.persons is not None and plan.persons.drawn else None
        return cls(table, plan.named(Role.NSA), repeats)

    def told(
        self,
        draws: Mapping[str, Draw],
        thresholds: Thresholds,
        questions: Sequence[Sequence[Condition]],
        progress: Progress = SILENT,
    ) -> tuple[Foretold, ...]:
        """Return the answers to questions, each with a condition on one SA or on SAs drawn together.

        draws : SA name -> how it would be drawn, which must be possible; at least of the SAs asked and their blocks.

        Raises BadQuestion, NoLaw; Cancelled.
        """
        names = (*self._nsas, *draws)
        table = Table(tuple(kept(self._compacted, name, self.table[name].compacted) for name in names))
        known = {
            name: draw.learned(self.table, name, thresholds).within(table[name].labels) for name, draw in draws.items()
        }
        plain = all(len(draw.block(name)) == 1 for name, draw in draws.items())
        release = _NotMade(table, known, thresholds, self._repeats)
        engines: list[_Expecting] = []
        for away in _SIDES:
            engines.append(_Expecting(release, self._counts if plain else _Counts(), away, *engines[:1]))
        sides = [Reader(release, engine).answers(questions, progress=progress) for engine in engines]
        true = [self._true(question) for question in questions]
        return tuple(
            Foretold(tuple(q), t, _between(*pair)) for q, t, *pair in zip(questions, true, *sides, strict=True)
        )

    def readers(
        self, draws: Mapping[str, Draw], thresholds: Thresholds, sa: str, lines: Sequence[Sequence[Condition]]
    ) -> Readers:
        """Return what a row tells of one SA, and to whom.

        Parameters
        ----------
        draws : as for `told`.
        lines : conditions on NSAs, by which the second reader tells persons apart.
        """
        column = kept(self._compacted, sa, self.table[sa].compacted)
        counts = column.counts().astype(np.float64)
        draw = draws[sa].learned(self.table, sa, thresholds)
        by_line = self._by_line(sa, lines)
        two = draw.two_numbers(counts) if column.m > _WHOLE else None
        if two is None:
            chances = draw.chances(column)
            right = sum(float((row[:, None] * chances).max(axis=0).sum()) for row in by_line)
            kept_ = float(counts @ np.diag(chances))
        else:
            right = sum(_right_by_two(row, two.a, two.b) for row in by_line)
            kept_ = two.a * column.n
        n = max(column.n, 1)
        return Readers(
            kept_ / n, float(counts.max()) / n, right / n, float(by_line.max(axis=1).sum()) / n, draw.insider
        )

    def _by_line(self, sa: str, lines: Sequence[Sequence[Condition]]) -> Floats:
        """Return (A, m) true counts, records of no line in one of their own."""
        return kept(self._counts.lines, (sa, tuple(map(tuple, lines))), lambda: self._counted_by_line(sa, lines))

    def _counted_by_line(self, sa: str, lines: Sequence[Sequence[Condition]]) -> Floats:
        column = kept(self._compacted, sa, self.table[sa].compacted)
        place = np.full(column.n, len(lines), np.int64)
        for at, line in enumerate(lines):
            place[self._meets(line)] = at
        found = np.bincount(place * column.m + column.codes, minlength=(len(lines) + 1) * column.m)
        return found.reshape(-1, column.m).astype(np.float64)

    def _true(self, question: Sequence[Condition]) -> int:
        return kept(self._counts.true, tuple(question), lambda: self._counted(question))

    def _counted(self, question: Sequence[Condition]) -> int:
        return self._selector.number(
            [(each.column, each.select(self.table[each.column]).tobytes()) for each in question]
        )

    def _meets(self, question: Sequence[Condition]) -> Flags:
        meets = np.ones(self.table.n, bool)
        for condition in question:
            column = self.table[condition.column]
            meets &= condition.select(column)[column.codes]
        return meets


def _right_by_two(row: Floats, kept_: float, led: Floats) -> float:
    """Return how many of a line's records who guesses the likeliest value after reading gets right."""
    first, second = np.sort(row)[::-1][:2] if len(row) > 1 else (float(row[0]), 0.0)
    others = np.where(row == first, second, first)
    return float(np.maximum(row * kept_, others * led).sum())


class _Counts:
    """True counts of selections of a table, as they were asked for."""

    def __init__(self) -> None:
        self.selector: Selector | None = None
        self.cross: dict[tuple[str, str], Floats | None] = {}
        self.rows: dict[tuple[str, tuple[Picked, ...]], Floats] = {}
        self.true: dict[tuple[Condition, ...], int] = {}
        self.lines: dict[tuple[str, tuple[tuple[Condition, ...], ...]], Floats] = {}


def _between(one: Answer, other: Answer) -> Answer:
    ends = {name: (getattr(one, name) + getattr(other, name)) / 2 for name in ("estimate", "low", "high")}
    return replace(one, **ends)


@dataclass(frozen=True, eq=False)
class _NotMade(Published):
    """A release that was not made: its table is the original, its counts are expected ones."""

    moments: dict[str, Callable[[Floats], tuple[Floats, Floats]]] = field(default_factory=dict)
    whole: dict[str, Floats] = field(default_factory=dict)

    def counts(self, sa: str) -> Floats:
        # Rounded, so that counts which a draw keeps on average are the true ones again, and their matrix is known.
        true = self.table[sa].counts().astype(np.float64)
        return kept(self.whole, sa, lambda: np.round(self.expected(sa, true)[0], 6))

    def expected(self, sa: str, true: Floats) -> tuple[Floats, Floats]:
        """Return (m,) mean and variance of the published counts of a selection with these true ones."""
        column, draw = self.table[sa], self.draws[sa]
        made = kept(self.moments, sa, lambda: draw.expected(column.counts().astype(np.float64), column.labels))
        mean, variance = made(true[None, :])
        return mean[0], variance[0]


class _Expecting(Engine):
    """Puts every count of a part of the table at its expectation, or a little to one side of it."""

    def __init__(self, release: _NotMade, true: _Counts, away: float, twin: _Expecting | None = None) -> None:
        super().__init__(release)
        self._means: dict[tuple[str, tuple[Picked, ...]], tuple[Floats, Floats]] = {}
        if twin is not None:  # of the whole table both count the same
            self._two, self._whole, self._tight, self._means = twin._two, twin._whole, twin._tight, twin._means
        if true.selector is None:
            true.selector = self.selector
        self.selector, self._cross, self._rows = true.selector, true.cross, true.rows
        self._away = away

    def counted(self, base: str, picked: Sequence[Picked]) -> Floats:
        # By `super().counted` alone: the counts of crossed columns that it keeps are true ones.
        key, release = (base, tuple(picked)), self.published
        assert isinstance(release, _NotMade)
        true = kept(self._rows, key, lambda: super(_Expecting, self).counted(base, picked))
        mean, variance = kept(self._means, key, lambda: release.expected(base, true))
        if not picked:
            return mean
        # Every other value the other way, and none by more than it has, so that few have to make up for the others.
        moved = np.minimum(np.sqrt(np.maximum(variance, 0.0)), np.maximum(mean, 0.0)) * self._away
        moved[np.argsort(-release.counts(base), kind="stable")[1::2]] *= -1
        found = np.maximum(mean + moved, 0.0)
        return np.asarray(found * (mean.sum() / max(float(found.sum()), 1e-300)), np.float64)

    def _learn(self, base: str, size: int) -> Floats:
        """Return what selections by as many conditions as were asked have in common, from themselves."""
        picks = [picked for name, picked in self._rows if name == base and len(picked) == size]
        if not picks:
            return self._untaught(base, size)
        rows = Rows.plain(np.array([self.counted(base, picked) for picked in picks]))
        _, var, better, _ = self.corrected(base, rows)
        bends = [[self.bend(base, *condition) for condition in picked] for picked in picks]
        aims, shared = reconstruct_pooled.target(rows.total, bends, self.transition(base), self.transition(base).gamma)
        return reconstruct_pooled.learn(better, var, aims, shared, WELL_KNOWN)
