"""Questions with conditions on several SAs: the estimate is a sum over records, one question at a time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.estimate import Method
from splu_desktop.core.query.engine import Engine, Found, Question, kept, made
from splu_desktop.core.query.explained import Explaining
from splu_desktop.core.reconstruct import counts as reconstruct
from splu_desktop.core.reconstruct import explained as reconstruct_explained
from splu_desktop.core.reconstruct import interval as reconstruct_interval
from splu_desktop.core.reconstruct import pooled as reconstruct_pooled
from splu_desktop.core.reconstruct import states as reconstruct_states
from splu_desktop.core.reconstruct import whole_matrix as reconstruct_tolerant
from splu_desktop.core.reconstruct.counts import Rows
from splu_desktop.core.reconstruct.interval import Chosen
from splu_desktop.core.reconstruct.weights import leaned, weighted, weights_by_value
from splu_desktop.core.table import Flags, Part, Picked, pieces, tallied
from splu_desktop.core.transition.two_numbers import Floats, Transition
from splu_desktop.frozen import dataclass

_TAUGHT = 5.0  # pairs that selections by single columns weigh as much as
_DOUBT = 0.2**2  # relative variance of a target about the truth, at least
_CLEAR = 2.0  # standard deviations that the SAs' own relation must stand clear of nothing
_LATELY = 500  # selections of which an SA's estimates are kept
_RELATED_CELLS = 1_000_000  # of a table of two SAs beyond which they count as independent


@dataclass(frozen=True, eq=False)
class Relation:
    """How two SAs are related in the whole table.

    Attributes
    ----------
    aims : (m_other, m_base) counts of pairs that the NSAs explain.
    beyond : (m_other, m_base) what the pairs' own counts say, over `aims`.
    ladder : (K,) weights that the table's pairs give the rungs of the default's prior (`reconstruct_pooled.learn`).
    telling : how many well-known pairs that rests on.
    """

    aims: Floats
    beyond: Floats
    ladder: Floats
    telling: float


@dataclass(frozen=True, eq=False)
class Weighed:
    """What a question over several SAs is answered from.

    Attributes
    ----------
    parts : per condition on an SA, the chosen values and the transition.
    top : N_P.
    published : selected records published with chosen values of every SA.
    straight : sum over them of the products of weights, the unbiased estimate under a, b_s.
    centre : the same less what a, b_s miss of the true transition.
    rows : counts of the first SA's values, every record weighing what the other conditions make of it.
    """

    parts: list[tuple[Flags, Transition]]
    top: float
    published: int
    straight: float
    centre: float
    rows: Rows

    @property
    def readable(self) -> bool:
        """Whether every chosen value has a signal."""
        return all(bool(through.readable[chosen].all()) for chosen, through in self.parts)


class Several:
    """Answers questions about several SAs of one release. Not for use by two threads at once."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._relations: dict[tuple[str, str], Relation] = {}
        self._explaining = Explaining(engine)
        self._lately: OrderedDict[tuple[str, tuple[Picked, ...]], Floats] = OrderedDict()

    def answer(self, question: Question, method: Method) -> Found:
        """Answer a question with conditions on two or more SAs."""
        if any(self._engine.two_numbers(sa) is None for sa, _ in question.chosen):
            return self.by_matrix(question, method)
        seen = self.weighed(question)
        parts, doubtful = seen.parts, False
        case = _Case(self, self._engine, question, seen)
        estimate = float(method.estimate(case)[0])
        if method.straight:  # whose interval is the kit's, which the reader asks for
            return made(seen.published, estimate, 0.0, seen.top, seen.top, np.inf, method)
        if seen.readable:
            sets = [Chosen.of(through, np.flatnonzero(chosen)) for chosen, through in parts]
            margins = self.margins(question)
            low, high, spread, doubtful = reconstruct_interval.several(
                seen.centre, seen.top, margins, sets, float(case.aims[0, question.chosen[0][1]].sum())
            )
        else:
            # No more records meet all conditions than meet one of them.
            highs = [self.alone(question, at).high for at in range(len(parts))]
            low, high, spread = 0.0, min(seen.top, *highs), np.inf
        if seen.readable and any(self._engine.tight(sa) for sa, _ in question.chosen):
            honest = self.by_matrix(question, Method.UNBIASED)
            low, high, spread, doubtful = honest.low, honest.high, honest.variance, False
        return made(seen.published, estimate, low, high, seen.top, spread, method, doubtful)

    def weighed(self, question: Question) -> Weighed:
        """Return the weights of the selected records, added up."""
        parts = [(chosen, self._engine.transition(sa)) for sa, chosen in question.chosen]
        weights = [through.alone(chosen) for chosen, through in parts]
        pairs = self._pairs(question)
        if pairs is not None:
            # By each SA in turn: counts of its values, every record weighing what the other condition makes of it.
            turns = [
                Rows(side @ other, side @ other**2, np.array([(side @ other).sum()]), weighted=True)
                for side, other in ((pairs[None], weights[1]), (pairs.T[None], weights[0]))
            ]
            top, straight = float(pairs.sum()), float(weights[0] @ pairs @ weights[1])
            published = float(pairs[np.ix_(parts[0][0], parts[1][0])].sum())
        else:
            turns = [
                weighted(self._turned(question, weights, turn), through) for turn, (_, through) in enumerate(parts)
            ]
            top = float(self._engine.selector.number(question.picked))
            straight = self._engine.product(question, weights)[0]
            published = float(self.states(question)[0][-1])
        centre = straight
        for rows, (chosen, through) in zip(turns, parts, strict=True):
            centre -= leaned(rows, chosen, through)
        return Weighed(parts, top, round(published), straight, centre, turns[0])

    def _turned(
        self, question: Question, weights: Sequence[Floats], turn: int
    ) -> Iterator[tuple[NDArray[np.int32], Floats]]:
        """Give part by part the selected records' codes of one SA, and what the other conditions make of them."""
        names = [sa for sa, _ in question.chosen]
        for part in self._engine.selector.parts(question.picked):
            at = [self._engine.codes(sa, part) for sa in names]
            factors = [weight[codes] for weight, codes in zip(weights, at, strict=True)]
            yield at[turn], np.prod([factor for other, factor in enumerate(factors) if other != turn], axis=0)

    def _pairs(self, question: Question) -> Floats | None:
        """Return (m, m_other) published counts of two SAs' values in P; None for more SAs, or too many pairs."""
        names = [sa for sa, _ in question.chosen]
        sizes = [self._engine.published.table[name].m for name in names]
        if len(names) != 2 or sizes[0] * sizes[1] > _RELATED_CELLS:
            return None
        if not question.picked:
            return self._engine.cross(*names)
        parts = self._engine.selector.parts(question.picked)
        return self._engine.published.table.crossed(names[0], names[1], parts).astype(np.float64)

    def margins(self, question: Question) -> list[float]:
        """Return the default's estimates of the records of P that meet each condition on an SA by itself."""
        return [float(self._values(sa, question.picked)[chosen].sum()) for sa, chosen in question.chosen]

    def _values(self, sa: str, picked: tuple[Picked, ...]) -> Floats:
        """Return (m,) the default's estimates of an SA's values in P; questions about one P often follow another."""
        key = sa, picked
        if key not in self._lately:
            rows = Rows.plain(self._engine.counted(sa, picked)[None, :])
            _, var, better, _ = self._engine.corrected(sa, rows)
            self._lately[key] = self._engine.pooled(sa, [picked], rows, better, var)[0]
            if len(self._lately) > _LATELY:
                self._lately.popitem(last=False)
        self._lately.move_to_end(key)
        return self._lately[key]

    def alone(self, question: Question, at: int) -> Found:
        """Return the default's answer to one of the conditions on SAs by itself."""
        sa, flags = question.chosen[at]
        return self._engine.one_sa(sa, [question.picked], [(0, flags)], Method.POOLED)[0]

    def states(self, question: Question) -> tuple[Floats, Floats]:
        """Return (2^w,) records of P, and all others, by which of the w conditions on SAs they meet as published."""
        engine = self._engine

        def met(part: Part) -> NDArray[np.intp]:
            each = (chosen[engine.codes(sa, part)].astype(np.intp) << bit for bit, (sa, chosen) in enumerate(asked))
            return reduce(np.bitwise_or, each)

        asked = question.chosen
        y = tallied(1 << len(asked), map(met, engine.selector.parts(question.picked))).astype(np.float64)
        return y, tallied(1 << len(asked), map(met, pieces(engine.published.n))) - y

    def by_matrix(self, question: Question, method: Method) -> Found:
        """Answer a question with conditions on several SAs by their whole matrices."""
        engine = self._engine
        parts, weights, readable, scatter = [], [], True, []
        for sa, chosen in question.chosen:
            through = engine.best(sa)
            alone = engine.one_sa(sa, [question.picked], [(0, chosen)], Method.POOLED)[0]
            parts.append(reconstruct_tolerant.MatrixPart(through.two_states(chosen), (alone.estimate, alone.high)))
            weight = through.weights(chosen)
            weights.append(weight)
            readable &= bool(through.readable[chosen].all())
            shown = engine.counted(sa, question.picked)
            shown = shown / max(float(shown.sum()), 1.0)
            share = min(max(float(shown @ weight), 0.0), 1.0)
            spread = max(float(shown @ weight**2) - share, 1e-9)
            scatter.append((engine.widened(sa, question.picked), share, spread))
        sums, (states, outside) = engine.product(question, weights), self.states(question)
        widened = engine.widened_at_once(question.picked, scatter)
        numbers = reconstruct_tolerant.several_sas(parts, sums, readable, states, outside, method, widened)
        estimate, low, high, spread = numbers
        return Found(round(states[-1]), estimate, low, high, round(states.sum()), spread)

    def aims(self, question: Question) -> Floats:
        """Return (1, m) the count expected of each value of the first SA with the others' conditions.

        It takes the SAs as related among the records of P as the NSAs explain it and as they are in the whole table
        beyond that. Pairs of redrawn values scatter so widely that most of an estimate is this target.
        """
        base = question.chosen[0][0]
        others = question.chosen[1:]
        if len(others) == 1:
            rest = float(self._values(others[0][0], question.picked)[others[0][1]].sum())
        else:
            rest = self.answer(Question(question.picked, others), Method.POOLED).estimate
        shape = self._values(base, question.picked)[None, :]
        for name, flags in others:
            shape = shape * self._together(base, name, flags, question.picked)
        return np.asarray(shape * (rest / max(float(shape.sum()), 1e-300)))

    def shrunk(self, question: Question, seen: Weighed) -> float:
        """Return the estimate shrunk towards independence over the first SA's values, under the others' weights."""
        base, chosen = question.chosen[0]
        through, rows = self._engine.transition(base), seen.rows
        x = reconstruct.unbiased(rows, through)
        return float(reconstruct.shrink(rows, x, reconstruct.variance(rows, x, through), through)[0, chosen].sum())

    def pooled(self, question: Question, seen: Weighed, aims: Floats) -> float:
        """Return the same pulled towards `aims`."""
        base, chosen = question.chosen[0]
        through, rows, shift = self._engine.transition(base), seen.rows, seen.centre - seen.straight
        x = reconstruct.unbiased(rows, through)
        alone = Rows.plain(self._engine.counted(base, question.picked)[None, :])
        # Squared weights spread over the values like the records: their own few large ones move together with x.
        even = rows.squares.sum() * alone.y / max(float(alone.total[0]), 1.0)
        var = reconstruct.variance(Rows(rows.y, even, rows.total, weighted=True), aims, through)
        x = x + shift * np.where(chosen, through.counts, 0) / max(float(through.counts[chosen].sum()), 1.0)
        start = self._engine.teaching(base, len(question.picked) + len(question.chosen) - 1)
        for name, _ in question.chosen[1:]:
            relation = self._relation(base, name)
            start = (relation.telling * relation.ladder + _TAUGHT * start) / (relation.telling + _TAUGHT)
        limits = Rows(rows.y, rows.squares, np.array([seen.top]), weighted=True)
        pooled = reconstruct_pooled.pool(limits, x, var, aims, np.zeros_like(aims), start[None, :])
        # Whatever the release teaches about targets on the whole, none is trusted to be right beyond a fifth: a pair
        # frequent enough to be seen by itself would be drawn away from what is seen.
        least = _DOUBT * aims**2
        doubted = aims + least / (least + var) * (x - aims)
        pooled = np.where(np.abs(doubted - aims) > np.abs(pooled - aims), np.maximum(doubted, 0.0), pooled)
        return float(pooled[0, chosen].sum())

    def _together(self, base: str, other: str, flags: Flags, picked: tuple[Picked, ...]) -> Floats:
        """Return (m,) how much more often than by chance each value of an SA goes with values of another in P."""
        relation = self._relation(base, other)
        beyond = relation.beyond[flags]
        weights = relation.aims[flags]
        factor = (beyond * weights).sum(axis=0) / np.maximum(weights.sum(axis=0), 1e-300)
        records = self._engine.selector.records(picked, reconstruct_explained.TOLD_BY)
        if records is not None and not len(records):  # P is that rare: as in the whole table
            records = None
        return np.asarray(factor * self._explaining.together(base, other, flags, records))

    def _relation(self, base: str, other: str) -> Relation:
        """Return how two SAs are related in the whole table."""
        return kept(self._relations, (base, other), lambda: self._related(base, other))

    def _related(self, base: str, other: str) -> Relation:
        across, down = self._engine.transition(base), self._engine.transition(other)
        n = self._engine.published.n
        if down.counts.size * across.counts.size > _RELATED_CELLS:
            aims = np.outer(down.counts / n, across.counts)
            return Relation(aims, np.ones_like(aims), reconstruct_pooled.UNTAUGHT, 0.0)
        aims = self._explaining.pairs(base, other)
        y = self._engine.published.table.crossed(other, base).astype(np.float64)
        left, right = weights_by_value(down), weights_by_value(across)
        x = left @ y @ right.T
        # Scatter as independence would have it: that of the cells themselves moves with them and lets noise look real.
        scatter = np.maximum(left**2 @ aims @ (right**2).T - aims, 1e-9)
        told = down.readable[:, None] & across.readable
        var = np.where(told, scatter, np.inf)
        # One t for the whole table, as far as it stands clear of its own sampling error: its cells scatter too widely
        # to say which of them stray most, and what the NSAs do not explain is often nothing.
        gap, mu, noise = (part.reshape(1, -1) for part in (x - aims, aims, var))
        t = float(reconstruct.fit_spread(gap, mu, noise)[0, 0])
        error = np.sqrt(2 / max(float(((mu**2 / (noise + t * mu**2)) ** 2).sum()), 1e-300))
        spread = max(t - _CLEAR * error, 0.0) * aims**2
        k = np.divide(spread, spread + var, out=np.zeros_like(x), where=told & (spread > 0))
        pooled = np.maximum(aims + k * (x - aims), 0.0)
        nothing = np.zeros_like(mu)
        ladder = reconstruct_pooled.learn(gap + mu, noise, mu, nothing)
        telling = float((mu**2 / (mu**2 + 10 * np.where(np.isfinite(noise), noise, np.inf))).sum())
        return Relation(aims, pooled / np.maximum(aims, 1e-300), ladder, telling)


class _Case:
    """One question with conditions on several SAs that two numbers describe (`estimate.Case`)."""

    def __init__(self, several: Several, engine: Engine, question: Question, seen: Weighed) -> None:
        self._several, self._engine, self._question, self._seen = several, engine, question, seen

    @cached_property
    def aims(self) -> Floats:
        """(1, m) `Several.aims`, which the interval of an estimator by itself goes by too."""
        return self._several.aims(self._question)

    def unbiased(self) -> Floats:
        if any(self._engine.tight(sa) for sa, _ in self._question.chosen):
            return np.array([self._several.by_matrix(self._question, Method.UNBIASED).estimate])
        weights = [through.weights(chosen) for chosen, through in self._seen.parts]
        return np.array([self._engine.product(self._question, weights)[0]])

    def shrunk(self) -> Floats:
        return np.array([self._several.shrunk(self._question, self._seen)])

    def pooled(self) -> Floats:
        return np.array([self._several.pooled(self._question, self._seen, self.aims)])

    def likeliest(self) -> Floats:
        states, _ = self._several.states(self._question)
        matrix = reconstruct_states.joint(through.two_states(chosen) for chosen, through in self._seen.parts)
        return np.array([reconstruct_states.likeliest(states, matrix)])

    def as_printed(self) -> Floats:
        states, outside = self._several.states(self._question)
        gammas = [through.gamma for _, through in self._seen.parts]
        cells = np.concatenate([outside, states])[None, :]
        return reconstruct_states.as_printed(cells, round(float(cells.sum())), gammas)
