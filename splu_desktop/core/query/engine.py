"""Counts and estimates behind `query.Reader`: selections in, numbers out, what they share kept between questions."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw.by_person import Effects, at_once, met_together
from splu_desktop.core.draw.draw import ToldBy
from splu_desktop.core.estimate import Method
from splu_desktop.core.published import Published
from splu_desktop.core.query.selection import Selector
from splu_desktop.core.reconstruct import counts as reconstruct
from splu_desktop.core.reconstruct import interval as reconstruct_interval
from splu_desktop.core.reconstruct import pooled as reconstruct_pooled
from splu_desktop.core.reconstruct import sets as reconstruct_sets
from splu_desktop.core.reconstruct import states as reconstruct_states
from splu_desktop.core.reconstruct import tight as reconstruct_tight
from splu_desktop.core.reconstruct import whole_matrix as reconstruct_tolerant
from splu_desktop.core.reconstruct.counts import Rows
from splu_desktop.core.reconstruct.weights import lifts, places, side, weighted
from splu_desktop.core.table import Codes, Column, Flags, Kind, Part, Picked, Table, pieces
from splu_desktop.core.transition.matrix import MatrixTransition
from splu_desktop.core.transition.two_numbers import Floats, Transition
from splu_desktop.frozen import dataclass

Indices = NDArray[np.intp]
Bend = tuple[Floats, Floats, float]  # lift, its weight k, records selected
_K = TypeVar("_K")
_T = TypeVar("_T")

_CROSS_CELLS = 2_000_000  # of a table of an NSA against an SA that is worth keeping
_KEPT_FLOATS = 8_000_000  # of bends kept
_MOST_CONDITIONS = 3  # by as many weights are learnt; more go by those
_LEARN_FROM = 40  # selections per column, pair or triple of columns; at most 52, the bits of a float's mantissa
_COMBINATIONS = 6  # of pairs and of triples of columns to learn from
_KEPT_STATES = 64  # columns of such states
_MOST_APART = 3  # conditions of a block, of which it is told apart which are missed
_LESSON = 100_000  # records to learn from: their order is random, and of 1,000,000 more estimated no better
_LABELS = 5  # of columns with more than one for each so many records nothing is learnt
WELL_KNOWN = 10.0  # values from which a release may be learnt from
_LEARNING_STREAM = 20131015  # any fixed one: the same release must give the same answer every time


@dataclass(frozen=True)
class Question:
    """What is asked, resolved.

    Attributes
    ----------
    picked : conditions on NSAs, in the order of their names.
    chosen : conditions on SAs: name and (m,) bool of its chosen values.
    """

    picked: tuple[Picked, ...]
    chosen: tuple[tuple[str, Flags], ...]


@dataclass(frozen=True)
class Found:
    """The numbers of one answer.

    Attributes
    ----------
    variance : that of the unbiased estimate, inf where the release tells nothing.
    doubtful : whether the ends of the interval rest on an expansion that does not hold here.
    bootstrapped : whether they come from repetitions of the draw instead.
    """

    published: int
    estimate: float
    low: float
    high: float
    n_p: int
    variance: float
    doubtful: bool = False
    bootstrapped: bool = False


class Engine:
    """Counts and estimates over one release. Not for use by two threads at once."""

    def __init__(self, published: Published) -> None:
        self.published = published
        self.selector = Selector(published.table)
        self._two: dict[str, Transition | None] = {}
        self._whole: dict[str, MatrixTransition | None] = {}
        self._tight: dict[str, bool] = {}
        self._matrix_bends: dict[str, reconstruct_tolerant.Bends] = {}
        self._cross: dict[tuple[str, str], Floats | None] = {}
        self._bends: OrderedDict[tuple[str, str, bytes], Bend] = OrderedDict()
        self._of_all: dict[str, tuple[Floats, ...]] = {}
        self._taught: dict[tuple[str, int], Floats] = {}
        self._told_by: dict[tuple[str, ...], ToldBy] = {}
        self._states: OrderedDict[tuple[tuple[str, bytes], ...], tuple[str, Flags]] = OrderedDict()
        self._rare: dict[str, int] = {}  # of states that meet conditions: of those, how many few records meet
        self._numbered = itertools.count(1)

    # --- columns drawn together

    def blocks(self, question: Question) -> dict[tuple[str, ...], list[tuple[str, Flags]]]:
        """Return the conditions on SAs by the columns that are drawn together."""
        found: dict[tuple[str, ...], list[tuple[str, Flags]]] = {}
        for sa, chosen in question.chosen:
            found.setdefault(self.published.draws[sa].block(sa), []).append((sa, chosen))
        return found

    def told_together(self, question: Question) -> Question:
        """Return the question with one condition for each block of columns drawn together: that all of its are met.

        Whether a record meets all of them is a column of the release like any other, which its block's draw knows how
        to read.
        """
        blocks = self.blocks(question)
        if all(len(block) == 1 for block in blocks):
            return question
        return Question(
            question.picked,
            tuple(asked[0] if len(block) == 1 else self.met(block, asked) for block, asked in blocks.items()),
        )

    def met(self, block: tuple[str, ...], asked: Sequence[tuple[str, Flags]]) -> tuple[str, Flags]:
        """Return the column of states of conditions on a block, and (m,) which of them meet all."""
        key = tuple((sa, chosen.tobytes()) for sa, chosen in asked)
        if key in self._states:
            self._states.move_to_end(key)
            return self._states[key]
        # A record that misses some of them shares groups unlike one that misses all: see docs/decisions/together.md.
        missed = np.zeros(self.published.n, np.int32)
        for sa, chosen in asked:
            one = ~chosen[self.codes(sa)]
            missed = 2 * missed + one if len(asked) <= _MOST_APART else missed | one
        found = np.flatnonzero(np.bincount(missed))
        name, part_of = self.states(block, np.searchsorted(found, missed).astype(np.int32), found == 0)
        if len(self._states) >= _KEPT_STATES:
            self._forget()
        self._states[key] = name, (found == 0)[part_of]
        table = self.published.table
        self._rare[name] = sum(2 * int(table[sa].counts()[chosen].sum()) < table.n for sa, chosen in asked)
        return self._states[key]

    def states(self, block: tuple[str, ...], codes: Codes, asked: Flags | Indices) -> tuple[str, Indices]:
        """Make a column of (N,) states that a block drawn together tells, as finely as groups tell them.

        `asked` tells of each state which of the kinds it is that are asked for. Returns the column's name and (m',) the
        state that each of its values is part of.
        """
        table, draws, m = self.published.table, self.published.draws, len(asked)
        name = f"\0{next(self._numbered)}"  # like no column's name
        labels = np.array([f"{at:04}" for at in range(m)], object)
        states = Column(name, Kind.CATEGORY, codes, labels, np.zeros(m, bool))
        whole = draws[block[0]].of_block(draws)
        told = kept(self._told_by, block, lambda: whole.told_by(table.select(block)))
        finer, part_of, draw = told(states, asked.astype(np.intp))
        self.published = replace(self.published, table=Table((*table.columns, finer)), draws={**draws, name: draw})
        return name, part_of

    def _forget(self) -> None:
        """Let go of the states that were not asked for lately."""
        gone = {self._states.popitem(last=False)[1][0] for _ in range(len(self._states) // 2)}
        names = [name for name in self.published.table.names if name not in gone]
        draws = {name: draw for name, draw in self.published.draws.items() if name not in gone}
        self.published = replace(self.published, table=self.published.table.select(names), draws=draws)
        for store in (self._two, self._whole, self._tight, self._matrix_bends, self._rare):
            for name in gone:
                store.pop(name, None)
        for pair in [pair for pair in self._cross if pair[1] in gone]:
            del self._cross[pair]

    # --- what the release holds

    def widened(self, sa: str, picked: Sequence[Picked]) -> float:
        """Return how many times the variance of independent records sums over a selection have for an SA."""
        one = self.published.draws[sa].widened(self.effects(sa), self._conditions(picked))
        conditions = self._rare.get(sa, 1)
        persons = self.widened_of_persons(picked) if conditions > 1 else None
        return one if persons is None else met_together(persons, one, conditions)

    def effects(self, sa: str) -> Effects | None:
        """Return how persons' records of an SA scatter together; None where records were drawn."""
        repeats = self.published.repeats
        return None if repeats is None else repeats.effects.get(self.published.draws[sa].block(sa)[0])  # of its block

    def widened_at_once(self, picked: Sequence[Picked], columns: Sequence[tuple[float, float, float]]) -> float:
        """Return the same for products of weights, of columns as `by_person.at_once` wants them."""
        persons = self.widened_of_persons(picked)
        return max(effect for effect, _, _ in columns) if persons is None else at_once(persons, columns)

    def widened_of_persons(self, picked: Sequence[Picked]) -> float | None:
        """Return the same if all records of a person scattered together, None where the release doesn't tell."""
        repeats = self.published.repeats
        told = None if repeats is None else repeats.whole
        return None if told is None else told.selected(self._conditions(picked))

    def _conditions(self, picked: Sequence[Picked]) -> Iterator[tuple[Column, Flags]]:
        return ((self.published.table[name], np.frombuffer(flags, bool)) for name, flags in picked)

    def two_numbers(self, sa: str) -> Transition | None:
        """Return how the draw carried the true values of an SA to the published ones, where two numbers can say it."""
        return kept(self._two, sa, lambda: self.published.draws[sa].two_numbers(self.published.likely(sa)))

    def transition(self, sa: str) -> Transition:
        """Return the same for an SA that is known to have two numbers."""
        two = self.two_numbers(sa)
        assert two is not None
        return two

    def whole(self, sa: str) -> MatrixTransition | None:
        """Return the same as the whole matrix, None where there are too many values for it."""
        draw, labels = self.published.draws[sa], self.published.table[sa].labels
        return kept(self._whole, sa, lambda: draw.whole(self.published.likely(sa), labels))

    def matrix(self, sa: str) -> MatrixTransition:
        """Return the same for an SA that is answered `by_matrix`."""
        whole = self.whole(sa)
        assert whole is not None
        return whole

    def tight(self, sa: str) -> bool:
        """Return whether an SA has two numbers, but only the whole matrix tells how surely counts are known."""
        return kept(self._tight, sa, lambda: self._filled(sa))

    def _filled(self, sa: str) -> bool:
        through = self.two_numbers(sa)
        if through is None or reconstruct_tight.leaning(through):
            return through is not None
        whole = self.whole(sa) if reconstruct_tight.nearly_full(through) else None
        return whole is not None and reconstruct_tight.misjudged(whole, through)

    def by_matrix(self, sa: str) -> bool:
        """Return whether only the whole matrix of an SA gives intervals that hold."""
        return self.two_numbers(sa) is None or self.tight(sa)

    def best(self, sa: str) -> Transition | MatrixTransition:
        """Return the transition whose intervals hold, the quicker one where both do."""
        return self.matrix(sa) if self.by_matrix(sa) else self.transition(sa)

    def _by_matrix(
        self,
        base: str,
        selections: Sequence[tuple[Picked, ...]],
        y: Floats,
        asked: Sequence[tuple[int, Flags]] | None,
        method: Method,
    ) -> Floats:
        """Return the numbers of questions (`numbers_of`) for an SA without two numbers."""
        through = self.matrix(base)

        def aims() -> tuple[Floats, Floats]:
            """What the conditions of selections make likely one by one."""
            bends = kept(
                self._matrix_bends, base, lambda: reconstruct_tolerant.Bends(partial(self.counted, base), through)
            )
            return bends.target(selections, y.sum(axis=1))

        widened = np.array([self.widened(base, picked) for picked in selections])
        return reconstruct_tolerant.numbers_of(y, asked, through, method, aims, widened)

    def codes(self, sa: str, records: Part | None = None) -> Codes:
        """Return the codes of an SA, of all or of some records."""
        every = self.published.table[sa].codes
        return every if records is None else every[records]

    def cross(self, name: str, sa: str) -> Floats | None:
        """Return (m_name, m_sa) published counts of two columns, None where that is too large to keep."""
        return kept(self._cross, (name, sa), lambda: self._crossed(name, sa))

    def _crossed(self, name: str, sa: str) -> Floats | None:
        if self.published.table[name].m * self.published.table[sa].m > _CROSS_CELLS:
            return None
        return self.published.table.crossed(name, sa).astype(np.float64)

    def counted(self, base: str, picked: Sequence[Picked]) -> Floats:
        """Return (m,) published counts of an SA's values among the records that meet conditions on NSAs."""
        if len(picked) == 1:
            cross = self.cross(picked[0][0], base)
            if cross is not None:
                return np.frombuffer(picked[0][1], bool).astype(np.float64) @ cross
        if not picked:
            return self.published.table[base].counts().astype(np.float64)
        return self.selector.counted(picked, self.published.table[base]).astype(np.float64)

    def product(self, question: Question, weights: Sequence[Floats]) -> tuple[float, float]:
        """Return the sums over a question's records of W and W^2, W the product of weights, (m,) of each SA asked."""
        total = squares = 0.0
        for part in self.selector.parts(question.picked):
            each = [weight[self.codes(sa, part)] for weight, (sa, _) in zip(weights, question.chosen, strict=True)]
            product = np.prod(each, axis=0)
            total, squares = total + float(product.sum()), squares + float(product @ product)
        return total, squares

    @cached_property
    def _lesson(self) -> Table:
        """The part of the release that weights are learnt from."""
        n = min(_LESSON, self.published.n)
        return self.published.table.first(n, max(2, n // _LABELS))

    # --- one SA, many selections at once

    def one_sa(
        self, base: str, selections: Sequence[tuple[Picked, ...]], asked: Sequence[tuple[int, Flags]], method: Method
    ) -> list[Found]:
        """Answer questions with conditions on one SA.

        Parameters
        ----------
        selections : the distinct NSA parts.
        asked : per question, the number of its selection and the chosen values.
        """
        y = np.array([self.counted(base, picked) for picked in selections])
        if self.two_numbers(base) is None:
            numbers = self._by_matrix(base, selections, y, asked, method)
            return [
                Found(round(y[at, chosen].sum()), estimate, low, high, round(y[at].sum()), spread)
                for (at, chosen), (estimate, low, high, spread) in zip(asked, numbers.T.tolist(), strict=True)
            ]
        case = ByTwoNumbers(self, base, selections, y, asked)
        row, sides, rows, through = case.row, case.sides, case.rows, case.through
        alone = np.array([len(codes) == 1 for codes, _ in sides])
        first = np.array([codes[0] for codes, _ in sides], np.intp)
        ends, doubtful = np.zeros((3, len(asked))), np.zeros(len(asked), bool)
        if alone.any():
            at, value = row[alone], first[alone]
            ends[:, alone] = reconstruct_interval.one_value(
                y[at, value], case.spilled[at, value], rows.total[at], value, through
            )
        if not alone.all():
            several = np.flatnonzero(~alone)
            sets = [sides[number][0] for number in several.tolist()]
            ends[:, several] = self._set_ends(base, case.better, y, row[several], sets)
        estimates = method.estimate(case).tolist()
        honest = self._tight_ends(base, y, asked)
        result = []
        for number, (at, _) in enumerate(asked):
            top = float(rows.total[at])
            low, high, spread = ends[:, number].tolist()
            if sides[number][1]:
                low, high = top - high, top - low
            if honest is not None and top < self.published.n:  # of all records, f' tells by itself
                low, high, spread = _met((low, high, spread), honest[number].tolist())
            inside = float(case.inside[number])
            result.append(made(inside, estimates[number], low, high, top, spread, method, bool(doubtful[number])))
        return result

    def corrected(self, base: str, rows: Rows) -> tuple[Floats, Floats, Floats, Floats]:
        """Return (Q, m) unbiased estimates, their variances, the same corrected, and by how much in y."""
        through = self.transition(base)
        x = reconstruct.unbiased(rows, through)
        var = reconstruct.variance(rows, x, through)
        better, spilled = reconstruct.corrected(rows, x, var, through)
        everything = rows.total >= through.n
        better[everything], spilled[everything] = x[everything], 0.0  # f', which is unbiased itself
        return x, var, better, spilled

    def pooled(
        self, base: str, selections: Sequence[tuple[Picked, ...]], rows: Rows, better: Floats, var: Floats
    ) -> Floats:
        """Return (Q, m) the default's estimates from the corrected ones."""
        bends = [[self.bend(base, *condition) for condition in picked] for picked in selections]
        start = np.array([self.teaching(base, len(picked)) for picked in selections])
        through = self.transition(base)
        aims, shared = reconstruct_pooled.target(rows.total, bends, through, through.gamma)
        return reconstruct_pooled.pool(rows, better, var, aims, shared, start)

    def cells(self, base: str, selections: Sequence[tuple[Picked, ...]]) -> tuple[Floats, ...]:
        """Return (Q, m) published, (Q,) selected, (Q, m) estimates, low, high and variances of every value."""
        if list(selections) == [()]:  # the margin of every cross-table, and what no cell of it exceeds
            return kept(self._of_all, base, lambda: self._cells(base, selections))
        return self._cells(base, selections)

    def _cells(self, base: str, selections: Sequence[tuple[Picked, ...]]) -> tuple[Floats, ...]:
        if len(self.published.draws[base].block(base)) > 1:
            return self._cells_together(base, selections)
        y = np.array([self.counted(base, picked) for picked in selections])
        m = y.shape[1]
        row, value = np.repeat(np.arange(len(y)), m), np.tile(np.arange(m), len(y))
        if self.two_numbers(base) is None:
            numbers = self._by_matrix(base, selections, y, None, Method.POOLED)
            estimate, low, high, spread = numbers.reshape(4, *y.shape)
            return y, y.sum(axis=1), estimate, low, high, spread
        through = self.transition(base)
        rows = Rows.plain(y)
        _, var, better, spilled = self.corrected(base, rows)
        by_value = self.pooled(base, selections, rows, better, var)
        ends = reconstruct_interval.one_value(y.ravel(), spilled.ravel(), rows.total[row], value, through)
        low, high, spread = (end.reshape(y.shape) for end in ends)
        if self.tight(base):
            honest = self._tight_ends(base, y, None)
            assert honest is not None
            part = (rows.total < self.published.n)[:, None]
            least, most, how = honest.T.reshape(3, *y.shape)
            open_ended = np.isinf(spread)  # of a value that nothing tells of, both ends hold
            least, most = (
                np.where(open_ended, np.maximum(low, least), least),
                np.where(open_ended, np.minimum(high, most), most),
            )
            low, high, spread = np.where(part, np.stack([least, most, how]), np.stack([low, high, spread]))
        return y, rows.total, np.clip(by_value, low, high), low, high, spread

    def _cells_together(self, base: str, selections: Sequence[tuple[Picked, ...]]) -> tuple[Floats, ...]:
        """Return the same for one of several columns drawn together."""
        y = np.array([self.counted(base, picked) for picked in selections])
        numbers = np.zeros((4, *y.shape))
        for value, chosen in enumerate(np.eye(y.shape[1], dtype=bool)):
            ((name, met),) = self.told_together(Question((), ((base, chosen),))).chosen
            found = self.one_sa(name, selections, [(row, met) for row in range(len(y))], Method.POOLED)
            numbers[:, :, value] = np.array([(one.estimate, one.low, one.high, one.variance) for one in found]).T
        return y, y.sum(axis=1), *numbers

    def _tight_ends(self, base: str, y: Floats, asked: Sequence[tuple[int, Flags]] | None) -> Floats | None:
        """Return (K, 3) lower ends, upper ends and variances for a tight SA, None for any other.

        asked : as for `numbers_of`.
        """
        if not self.tight(base):
            return None
        return reconstruct_tolerant.numbers_of(y, asked, self.matrix(base), Method.UNBIASED)[1:].T

    def _set_ends(self, base: str, x: Floats, y: Floats, row: Indices, sets: Sequence[Indices]) -> Floats:
        """Return (3, Q) ends and variances for sets of values in selections `row` of x and y, (P, m).

        What two numbers a, b_s leave out of the variance of a value adds up over a set, so that of each set is compared
        with that by the whole matrix.
        """
        through, top = self.transition(base), y.sum(axis=1)[row]
        counted = np.array([through.counts[codes].sum() for codes in sets])
        least, most = reconstruct_interval.bounds(counted, through.a, top, float(through.n))
        untold = np.stack([least, most, np.full(len(sets), np.inf)])
        ends = untold.copy()
        told = np.flatnonzero([through.readable[codes].all() for codes in sets])
        readable = [sets[number] for number in told.tolist()]
        centre, published = (
            np.array([counts[at, codes].sum() for at, codes in zip(row[told].tolist(), readable, strict=True)])
            for counts in (x, y)
        )
        matrix = self.whole(base)
        if matrix is None or not len(told):
            ends[:, told] = reconstruct_sets.intervals(centre, published, top[told], readable, through)
        else:
            selections, place = np.unique(row[told], return_inverse=True)
            flags = np.zeros((len(told), y.shape[1]), bool)
            for number, codes in enumerate(readable):
                flags[number, codes] = True
            asked = list(zip(place.tolist(), flags, strict=True))
            known = reconstruct_tolerant.of_sets(y[selections], asked, matrix)
            ends[:, told] = reconstruct_sets.intervals(centre, published, top[told], readable, through, known)
        # An estimate so far beyond every possible count has strayed: it does not say that all or none meet it.
        strayed = told[
            np.abs(centre - np.clip(centre, 0.0, top[told])) > reconstruct_tolerant.BEYOND * np.sqrt(ends[2, told])
        ]
        ends[:, strayed] = untold[:, strayed]
        return ends

    def centre(self, base: str, picked: tuple[Picked, ...], chosen: Flags) -> float:
        """Return the unbiased estimate of a count with conditions on one SA, corrected for the true transition."""
        rows = Rows.plain(self.counted(base, picked)[None, :])
        codes, turned = side(chosen, self.transition(base))
        better = self.corrected(base, rows)[2][0, codes].sum()
        return float(rows.total[0] - better if turned else better)

    # --- the default's target

    def bend(self, base: str, name: str, chosen: bytes) -> Bend:
        """Return what one condition, on an NSA or on another SA, does to the distribution of `base`."""
        key = base, name, chosen
        found = self._bends.get(key)
        if found is None:
            through = self.transition(base)
            flags = np.frombuffer(chosen, bool)
            if self.published.is_sensitive(name):
                weights = self.best(name).weights(flags)
                parts = pieces(self.published.n)
                rows = weighted(((self.codes(base, part), weights[self.codes(name, part)]) for part in parts), through)
            else:
                rows = Rows.plain(self.counted(base, [(name, chosen)])[None, :])
            lift, k = lifts(rows, through)
            found = self._bends[key] = lift[0], k[0], float(rows.total[0])
            if len(self._bends) * len(through.counts) > _KEPT_FLOATS:
                self._bends.popitem(last=False)
        else:
            self._bends.move_to_end(key)
        return found

    def teaching(self, base: str, conditions: int) -> Floats:
        """Return (K,) the weights that selections by as many conditions have in common in this release."""
        size = min(max(conditions, 1), _MOST_CONDITIONS)
        return kept(self._taught, (base, size), lambda: self._learn(base, size))

    def _learn(self, base: str, size: int) -> Floats:
        chance = np.random.default_rng([_LEARNING_STREAM, size])
        lesson, m = self._lesson, self.published.table[base].m
        names = [
            name
            for name in self.published.nsas
            if name in lesson
            and 1 < np.count_nonzero(lesson[name].counts()) <= max(2, lesson.n // _LABELS)
            and lesson[name].m * m <= _CROSS_CELLS
        ]
        groups = list(itertools.combinations(names, size))
        if size > 1 and len(groups) > _COMBINATIONS:
            groups = [groups[at] for at in chance.choice(len(groups), _COMBINATIONS, replace=False)]
        learnt = [self._examples(base, group, chance) for group in groups]
        if not learnt:
            return self._untaught(base, size)
        x, var, aims, shared = (np.concatenate(part) for part in zip(*learnt, strict=True))
        return reconstruct_pooled.learn(x, var, aims, shared, WELL_KNOWN)

    def _untaught(self, base: str, size: int) -> Floats:
        """Return the weights where no selection by so many conditions teaches any."""
        return self.teaching(base, size - 1) if size > 1 else reconstruct_pooled.UNTAUGHT

    def _examples(
        self, base: str, names: Sequence[str], chance: np.random.Generator
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Return unbiased estimates, variances, targets and shared parts of selections that random records meet."""
        through, table = self.transition(base), self._lesson
        m = len(through.counts)
        drawn = chance.integers(0, table.n, _LEARN_FROM)
        codes = [table[name].codes[drawn] for name in names]
        picks = np.stack(codes, axis=1)[np.lexsort(codes[::-1])]
        picks = picks[np.append(True, (picks[1:] != picks[:-1]).any(axis=1))]
        crosses = [table.crossed(name, base).astype(np.float64) for name in names]
        if len(names) == 1:
            y = crosses[0][picks[:, 0]]
        else:
            place = places([table[name] for name in names], picks)
            meets = np.flatnonzero(place >= 0)
            cells = np.bincount(place[meets] * m + table[base].codes[meets], minlength=len(picks) * m)
            y = cells.reshape(len(picks), m).astype(np.float64)
        rows = Rows.plain(y)
        x = reconstruct.unbiased(rows, through)
        var = reconstruct.variance(rows, x, through)
        better, _ = reconstruct.corrected(rows, x, var, through)
        bends: list[list[Bend]] = [[] for _ in range(len(y))]
        for at, cross in enumerate(crosses):
            single = Rows.plain(cross[picks[:, at]])
            lift, k = lifts(single, through)
            for row in range(len(y)):
                bends[row].append((lift[row], k[row], float(single.total[row])))
        aims, shared = reconstruct_pooled.target(rows.total, bends, through, through.gamma)
        return better, var, aims, shared


def _met(plain: tuple[float, float, float], whole: Sequence[float]) -> tuple[float, float, float]:
    """Return the ends and the variance by the whole matrix, within those that hold where a, b_s tell nothing."""
    low, high, spread = whole
    return (max(low, plain[0]), min(high, plain[1]), spread) if np.isinf(plain[2]) else (low, high, spread)


def kept(store: dict[_K, _T], key: _K, make: Callable[[], _T]) -> _T:
    """Return what the store has under a key, made where it has nothing yet."""
    if key not in store:
        store[key] = make()
    return store[key]


def made(
    published: float,
    estimate: float,
    low: float,
    high: float,
    top: float,
    spread: float,
    method: Method,
    doubtful: bool = False,
) -> Found:
    """Return the numbers of an answer, the estimate cut to what its method promises."""
    estimate = method.made(estimate, low, high, top)
    return Found(round(published), estimate, low, high, round(top), spread, doubtful)


class ByTwoNumbers:
    """A batch of questions with conditions on one SA that two numbers a, b_s describe (`estimate.Case`)."""

    def __init__(
        self,
        engine: Engine,
        base: str,
        selections: Sequence[tuple[Picked, ...]],
        y: Floats,
        asked: Sequence[tuple[int, Flags]],
    ) -> None:
        self._engine, self._base, self._selections, self._asked = engine, base, selections, asked
        self.through = engine.transition(base)
        self.rows = Rows.plain(y)
        self.x, self.var, self.better, self.spilled = engine.corrected(base, self.rows)
        self.row = np.array([at for at, _ in asked], np.intp)
        self.sides = [side(chosen, self.through) for _, chosen in asked]
        self.inside = np.array([y[at, chosen].sum() for at, chosen in asked])

    def _summed(self, by_value: Floats) -> Floats:
        found = []
        for (at, _), (codes, turned) in zip(self._asked, self.sides, strict=True):
            estimate = float(by_value[at, codes].sum())
            found.append(float(self.rows.total[at]) - estimate if turned else estimate)
        return np.array(found)

    def unbiased(self) -> Floats:
        if self._engine.tight(self._base):
            through = self._engine.matrix(self._base)
            return np.asarray(reconstruct_tolerant.numbers_of(self.rows.y, self._asked, through, Method.UNBIASED)[0])
        short, found = self.rows.y @ self.through.short / self.through.n, []
        for at, chosen in self._asked:
            part = self.through.counts[chosen].sum() if np.count_nonzero(chosen) > 1 else 0.0
            found.append(float(self.x[at, chosen].sum() + short[at] * part))
        return np.array(found)

    def shrunk(self) -> Floats:
        return self._summed(reconstruct.shrink(self.rows, self.x, self.var, self.through))

    def pooled(self) -> Floats:
        return self._summed(self._engine.pooled(self._base, self._selections, self.rows, self.better, self.var))

    def likeliest(self) -> Floats:
        found = []
        for (at, chosen), inside in zip(self._asked, self.inside, strict=True):
            states = np.array([float(self.rows.total[at]) - inside, inside])
            found.append(reconstruct_states.likeliest(states, self.through.two_states(chosen)))
        return np.array(found)

    def as_printed(self) -> Floats:
        whole = np.array([self.through.counts[chosen].sum() for _, chosen in self._asked])
        total, inside, n = self.rows.total[self.row], self.inside, self.through.n
        cells = np.stack([n - total - (whole - inside), whole - inside, total - inside, inside], axis=1)
        return reconstruct_states.as_printed(cells, n, [self.through.gamma])
