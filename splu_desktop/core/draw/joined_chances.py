"""The search for the chances of a joined draw, given a column's tolerances (mechanism.md section 8).

One protected value s, or several that have room beside each other: nobody leaves, T[s, s] = 1, and a record of an
unprotected value shows s with q_s = pi_s (1 - f'_s) / (f'_s Pi0). That is feasible iff the sum of pi_s / f'_s is at
most 1. Beyond it protected values have to hide behind each other too: then T minimises the sum of the variances of
cell counts over all row-stochastic T that keep P(true = v | shown u) <= f'_v for every protected v and every u, and
T[v, u] <= T[u, u]. These bounds are linear in T; the objective is not convex, so SLSQP starts from several places.

T is published and q_s tells pi_s. So chances are computed from counts in whole blocks of records, rounded up to 160
steps a decade, and rare values of one tolerance, whose share nobody should learn, have their chances in common.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import field, replace
from fractions import Fraction
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw.draw import Floats
from splu_desktop.core.groups.design import block_of
from splu_desktop.core.groups.tolerances import NOT_SENSITIVE
from splu_desktop.frozen import dataclass

PARTS = 10**9  # chances are whole multiples of one of these, so that they are drawn exactly
SLACK = 1 + 1e-12  # of floating point in the check of promises that hold with equality
FREQUENT = 250  # records from which a value may have chances of its own: T_f at the usual thresholds
BAND = 4  # times the records that the most frequent value of a part of rare ones has over the rarest, at most
OWN = 8  # values that have chances of their own at most; rarer ones share those of their tolerance
_ROOM = 0.5  # of the unprotected records that may be moved by the closed form before the solver is asked, too
# Of the room between pi and f', given up so that rounding and other counts of a block fit; wide ones cost sharpness.
_MARGINS, _WIDE = (0.0, 0.02, 0.05, 0.1), (0.2, 0.5)
# Times the variance of cells from which not all counts are hidden in blocks, but those below FREQUENT; or of one block.
_WORSE = (1.1, 2.0)
_SMALL = 0.01  # of the room, that blocks may take of it without a look at what they cost
# Of the grid of chances, the coarsest that fits: it tells a count to 1.4 % or, up to 690 records, to the block of ten
# from which chances are found. With 40 of them rounding doubled the variance of cells.
STEPS_A_DECADE = (160, 640, 10_000)
_GIVEN_UP = Fraction(1, 10)  # of the room between a value's share and its tolerance, by rounding
_LEVELS = (20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)  # tolerances are whole parts of the first that fits
_SURE = Fraction(9, 10)  # share from which a value with few others is not protected: everybody guesses it anyway
_ROUNDS, _LONG = 60, 30_000  # of SLSQP, one of which takes as long as the cube of the parts
_STARTS, _COST = 30, 2600  # from which it looks: one takes 4 ms for four parts, and as long as their cube
_SINGULAR = 1e-12  # determinant of chances that tell nothing


@dataclass(frozen=True)
class JoinedPart:
    """Values that are treated alike.

    Attributes
    ----------
    values : their labels.
    limit : f', how surely a record may be linked to each of them; 1 where they are not sensitive.
    share : of the records that have one of them, coarsely.
    keeps : chance that a record keeps its value.
    feeds : chance that a record takes each single value of every part, in the order of the parts.
    """

    values: tuple[str, ...]
    limit: Fraction
    share: Fraction
    keeps: Fraction
    feeds: tuple[Fraction, ...]

    @property
    def protected(self) -> bool:
        """Whether its values are sensitive."""
        return self.limit < NOT_SENSITIVE


def numbers(parts: Sequence[JoinedPart]) -> tuple[Floats, Floats, Floats]:
    """Return (p,) keeps, (p, p) feeds, (p,) limits."""
    keeps = np.array([float(part.keeps) for part in parts])
    feeds = np.array([[float(feed) for feed in part.feeds] for part in parts])
    return keeps, feeds, np.array([float(part.limit) for part in parts])


@dataclass(frozen=True, eq=False)
class Programme:
    """The problem for p parts; entries by part.

    Attributes
    ----------
    share : (p,) of the records. low : (p,) what it has at least. sizes : (p,) values in it.
    most, least : (p,) share of its most and its least frequent value.
    limits : (p,) f'.
    fed : (p,) whether records may come to its values.
    """

    share: Floats
    low: Floats
    sizes: Floats
    most: Floats
    least: Floats
    limits: Floats
    fed: NDArray[np.bool_]

    def keeps(self, feeds: Floats) -> Floats:
        """Return (p,) the chance to keep a value that chances `feeds` (p, p), by single value taken, leave."""
        return np.asarray(1 - feeds @ self.sizes, np.float64)

    def room(self, feeds: Floats) -> Floats:
        """Return what all bounds leave, linear in `feeds`; none is below 0 where they are kept."""
        keeps, into = self.keeps(feeds), self.low @ feeds
        guarded = self.limits < 1
        own = self.limits * (into + self.most * keeps) - self.most * (keeps + np.diag(feeds))
        beside = self.limits[:, None] * (into + self.least * keeps) - self.most[:, None] * feeds
        # Nor is a value ever shown more readily by records of another than by its own.
        shows = (keeps + np.diag(feeds)) - feeds
        return np.concatenate([keeps, own[guarded], beside[guarded][:, self.fed].ravel(), shows[:, self.fed].ravel()])

    def loss(self, feeds: Floats) -> float:
        """Return the sum of the variances of cell counts, per record of a cell that is as the whole table."""
        return self.sloped(feeds)[0]

    def sloped(self, feeds: Floats) -> tuple[float, Floats]:
        """Return the loss and its (p, p) derivatives by the chances to come to any value of a part."""
        keeps = np.maximum(self.keeps(feeds), 1e-9)
        matrix = feeds * self.sizes + np.diag(keeps)
        if abs(np.linalg.det(matrix)) < _SINGULAR:
            return 1 / _SINGULAR, np.zeros_like(matrix)
        inverse, shown = np.linalg.inv(matrix), self.share @ matrix
        # Of a part's k values 1/k is its total, told by the inverse; the rest lies between them, told by what each
        # keeps.
        total, between = 1 / self.sizes, 1 - 1 / self.sizes
        loss = float((shown @ inverse**2) @ total + (shown / keeps**2) @ between - self.share.sum())
        by_matrix = np.outer(self.share, inverse**2 @ total + between / keeps**2)
        by_matrix -= inverse.T @ (2 * shown[:, None] * inverse * total) @ inverse.T
        by_keeps = np.diag(by_matrix) - 2 * between * shown / keeps**3
        return max(loss, 0.0), np.asarray(by_matrix - by_keeps[:, None], np.float64)

    def invariant(self) -> Floats:
        """Return a I + (1 - a) 1 r' with the largest a that keeps all bounds; a = 0 always does."""
        goal = np.where(self.fed, self.share, 0.0)
        goal /= max(float(goal.sum()), 1e-300) * self.sizes
        drawn = np.tile(goal, (len(goal), 1))
        return self.between(np.zeros_like(drawn), drawn)

    def between(self, wanted: Floats, safe: Floats) -> Floats:
        """Return the chances nearest to those wanted, on the straight way from safe ones, that keep all bounds."""
        there = self.room(wanted)
        if (there >= -1e-12).all():
            return wanted
        # Along it what a bound leaves is linear, too: the first to be used up ends the way.
        here, short = np.maximum(self.room(safe), 0.0), there < 0
        way = max(float((here[short] / (here[short] - there[short])).min()) - 1e-12, 0.0)
        return np.asarray(way * wanted + (1 - way) * safe, np.float64)


def chances(
    labels: NDArray[np.object_],
    counts: NDArray[np.int64],
    limits: tuple[Fraction, ...],
    leave: float,
    listed: NDArray[np.bool_] | None,
) -> tuple[tuple[JoinedPart, ...], bool] | None:
    """Return the parts of a joined draw, and whether counts of few records enter as they are; None if none keeps f'.

    labels, counts, limits : of each of m values, f' the last. leave, listed : as `joined.design` and `every` have them.
    """
    for ways in _preferred([_Way.of(told, limits, leave) for told in BlockCounts.every(counts, listed)]):
        for margins, way, steps in product((_MARGINS, _WIDE), ways, STEPS_A_DECADE):
            for margin in margins:
                found = _rounded(way.chances(margin), steps, way.parts, way.problem, labels, limits)
                if way.told.kept(found, way.parts):
                    return found, not way.told.hides
    return None


@dataclass(frozen=True, eq=False)
class _Way:
    """A problem that counts told in one way make, and its solutions by margin."""

    told: BlockCounts
    parts: list[list[int]]
    problem: Programme
    leave: float
    solved: dict[float, Floats] = field(default_factory=dict)

    @classmethod
    def of(cls, told: BlockCounts, limits: tuple[Fraction, ...], leave: float) -> Self:
        parts = parts_of(told.numbers, limits)
        return cls(told, parts, programme(parts, told, limits), leave)

    def chances(self, margin: float) -> Floats:
        if margin not in self.solved:
            self.solved[margin] = solve(_tightened(self.problem, margin), self.leave, self.solved.get(0.0))
        return self.solved[margin]

    @property
    def loss(self) -> float:
        return self.problem.loss(self.chances(0.0))

    @property
    def slack(self) -> float:
        """The largest part that not knowing a count takes of the room between its value's share and f'."""
        problem, told = self.problem, (self.told.most - self.told.least) / self.told.records
        apart = np.array([told[part].max() for part in self.parts])
        guarded = problem.limits < 1
        room = np.maximum(problem.limits - problem.most, 1e-12)
        return float((apart / room)[guarded].max(initial=0.0))


def _preferred(ways: list[_Way]) -> Iterator[list[_Way]]:
    """Yield ways to be tried together, the preferred first: those that hide small counts, and then the rest.

    Of the former that with most counts in blocks, unless its cells are wider by `_WORSE` than those of the next. No
    problem need be solved to know that they are not where blocks are small beside the room that limits leave.
    """
    hiding = [way for way in ways if way.told.hides]
    first = 0
    if hiding and hiding[0].slack <= _SMALL:
        yield hiding
        hiding = []
    for at, worse in zip(range(1, len(hiding)), _WORSE[-len(hiding) + 1 :], strict=False):
        if hiding[first].loss > worse * hiding[at].loss:
            first = at
    yield [*hiding[first:], *hiding[:first]]
    yield [way for way in ways if not way.told.hides]


def solve(problem: Programme, leave: float = 0.0, near: Floats | None = None) -> Floats:
    """Return (p, p) the chances, by single value taken, that keep all bounds at the least loss found.

    `near` : those of nearly the same problem, near which to look.
    """
    closed = closed_form(problem, leave)
    moved = closed[~(problem.limits < 1)] @ problem.sizes
    if (problem.room(closed) >= -1e-12).all() and (moved <= _ROOM).all():
        return closed
    safe = problem.invariant()
    if leave:
        return closed if (problem.room(closed) >= -1e-12).all() else safe
    search, starts = _Search(problem, safe), [safe]
    if (problem.keeps(closed) >= 0).all():
        starts.append(problem.between(closed, safe))
    best = min(starts, key=problem.loss)
    if found := search.all_chances():
        return min((best, *found), key=problem.loss)
    more = [best, *search.starts()] if near is None else [part * near + (1 - part) * safe for part in (0.8, 0.5)]
    if len(safe) > OWN:  # each takes long
        more = more[-1:] if near is None else more[:1]
    found = [search.improved(start) for start in more]
    return min((best, *found), key=problem.loss)


def closed_form(problem: Programme, leave: float = 0.0) -> Floats:
    """Return (p, p) the chances with T[s, s] = 1 - `leave`, all others joining; not always feasible.

    Who leaves takes the most frequent unprotected value, the one part of these that is fed.
    """
    guarded = problem.limits < 1
    free = float(problem.share[~guarded].sum())
    feeds = np.zeros((len(guarded),) * 2)
    need = problem.most * (1 - leave) * (1 - problem.limits) / problem.limits
    feeds[np.ix_(~guarded, guarded)] = need[guarded] / max(free, 1e-300)
    if leave and (out := np.flatnonzero(~guarded & problem.fed)).size:
        feeds[guarded, out[0]] = leave
    return feeds


class _Search:
    """Looks for the least loss. Variables are the chances to come to any value of a part, of those that may be fed."""

    def __init__(self, problem: Programme, safe: Floats) -> None:
        p = len(problem.share)
        self._problem, self._safe = problem, safe
        # A part of one value that takes its own value keeps it.
        self._free = problem.fed[None, :] & ~(np.eye(p, dtype=bool) & (problem.sizes == 1)[:, None])
        self._scale = np.broadcast_to(problem.sizes, (p, p))[self._free]
        self._at_none = problem.room(self._whole(np.zeros(len(self._scale))))
        units = np.eye(len(self._scale))
        self._slopes = np.array([problem.room(self._whole(unit)) - self._at_none for unit in units]).T

    def _whole(self, x: Floats) -> Floats:
        feeds = np.zeros_like(self._free, np.float64)
        feeds[self._free] = x / self._scale
        return feeds

    def all_chances(self) -> list[Floats]:
        """Return the one matrix of two values that both are protected, each believed to its limit; else nothing."""
        if len(self._free) > 2 or (self._problem.sizes > 1).any() or (self._problem.limits == 1).any():
            return []
        share, limits = self._problem.share, self._problem.limits
        shown = (share + limits[::-1] - 1) / (limits.sum() - 1)
        keeps = limits * shown / share
        return [self._problem.between(np.array([[0.0, 1 - keeps[0]], [1 - keeps[1], 0.0]]), self._safe)]

    def starts(self) -> list[Floats]:
        """Return chances from which to look, half of the way from safe ones to random ones, always the same.

        The loss has many valleys. From the corners of the bounds alone it ended at twice the least loss where four
        values are protected (insulin of diabetes130), at three times where eight are; and at a corner many chances tell
        nothing, so that slopes lead nowhere.
        """
        p, problem = len(self._free), self._problem
        number = min(_STARTS, max(1, _COST // p**3))
        drawn = np.random.default_rng(0).dirichlet(np.full(p, 0.2), (number, p)) / problem.sizes
        return [(self._safe + problem.between(np.where(self._free, each, 0.0), self._safe)) / 2 for each in drawn]

    def improved(self, start: Floats) -> Floats:
        """Return what SLSQP makes of a start."""
        from scipy.optimize import minimize  # takes longer to load than a plan without joined draws takes

        def rated(x: Floats) -> tuple[float, Floats]:
            loss, slope = self._problem.sloped(self._whole(np.clip(x, 0.0, 1.0)))
            return math.log(loss + 1e-12), np.asarray(slope[self._free] / (loss + 1e-12), np.float64)

        kept: Any = {
            "type": "ineq",
            "fun": lambda x: self._at_none + self._slopes @ x,
            "jac": lambda x: self._slopes,
        }
        inside = start - np.diag(np.where(self._problem.sizes == 1, np.diag(start), 0.0))
        found = minimize(
            rated,
            inside[self._free] * self._scale,
            jac=True,
            method="SLSQP",
            bounds=[(0.0, None)] * len(self._scale),  # who keeps no less than nothing takes no more than all
            constraints=kept,
            options={"maxiter": min(_ROUNDS, _LONG // len(self._free) ** 3), "ftol": 1e-7},
        )
        if not np.isfinite(found.x).all():
            return start
        return self._problem.between(self._whole(np.clip(found.x, 0.0, 1.0)), self._safe)


def parts_of(counts: NDArray[np.int64], limits: tuple[Fraction, ...]) -> list[list[int]]:
    """Return the values of each part: the most frequent unprotected one, the others, then the protected ones.

    Rarer protected values share the chances of their tolerance and of about as many records: were they all one part,
    each would be joined as often as the most frequent of them needs it.
    """
    order = np.argsort(-counts, kind="stable").tolist()
    free = [value for value in order if limits[value] == NOT_SENSITIVE]
    guarded = [value for value in order if limits[value] < NOT_SENSITIVE]
    own = [value for value in guarded if counts[value] >= FREQUENT][:OWN]
    rest: dict[tuple[Fraction, int], list[int]] = {}
    for value in guarded:
        if value not in own:
            rest.setdefault((limits[value], _band(int(counts[value]))), []).append(value)
    parts = [free[:1], free[1:], *([value] for value in own), *rest.values()]
    return [part for part in parts if part]


def _band(count: int) -> int:
    """Return a number that values have in common which have about as many records: within a factor of four."""
    return math.ceil(math.log(FREQUENT / max(count, 1), BAND))


@dataclass(frozen=True, eq=False)
class BlockCounts:
    """What a draw may know of (m,) counts: of all counts that have the same of these, it is the same.

    Counts enter in whole blocks (`block_of`), that of the most frequent value as what the others leave: so the count of
    a value with few records, changed within its block at the cost of the most frequent one, changes nothing.

    Attributes
    ----------
    least, most : (m,) what each count may be; all of them together have the records of the table.
    numbers : (m,) counts to find chances for.
    records : N.
    hides : whether that is so for all values with few records.
    """

    least: NDArray[np.int64]
    most: NDArray[np.int64]
    numbers: NDArray[np.int64]
    records: int
    hides: bool = True

    @classmethod
    def every(cls, counts: NDArray[np.int64], listed: NDArray[np.bool_] | None = None) -> Iterator[BlockCounts]:
        """Yield what may be told of counts, ever more: all in blocks, only those below FREQUENT, of one block, none.

        Where what all blocks leave the most frequent value tells its count to less than a tenth, the first is left out.
        listed : (m,) values that may be nobody's, and are told as if one had them.
        """
        records, maybe = int(counts.sum()), np.zeros(len(counts), bool) if listed is None else listed
        used = (counts > 0) | maybe
        block = block_of(records, int(np.count_nonzero(used)))
        blocks = np.where(used, -(-np.maximum(counts, 1) // block) * block, 0)
        top = int(blocks.argmax()) if records else 0
        before = None
        for upto in (records, FREQUENT, block, 0):
            most, least = blocks.copy(), np.where(used, blocks - block + 1, 0)
            least[maybe & (least == 1)] = 0
            as_it_is = counts > upto
            least[as_it_is] = most[as_it_is] = counts[as_it_is]
            numbers = most.copy()
            if records and upto:
                left = records - int(most.sum() - most[top]), records - int(least.sum() - least[top])
                if upto == records and 10 * (left[1] - left[0]) > left[0]:
                    continue
                (least[top], most[top]), numbers[top] = left, left[0]
            clear = least[top] >= np.delete(most, top).max(initial=0) if records else True
            told = cls(least, np.minimum(most, records), numbers, records, bool(upto and clear) or block == 1)
            if before is None or told.hides != before.hides or (least != before.least).any():
                yield (before := told)

    @classmethod
    def of(cls, counts: NDArray[np.int64]) -> BlockCounts:
        """Return the least that may be told of counts."""
        return next(cls.every(counts))

    def kept(self, made: Sequence[JoinedPart], parts: list[list[int]]) -> bool:
        """Whether a draw with these parts keeps all its promises whatever the counts are.

        f'_v P(shown u) - P(true v, shown u) is linear in the counts, hence least where all have their least but for the
        records that this leaves, which go to those values first that add least to it.
        """
        keeps, feeds, limits = numbers(made)
        room, left = self.most - self.least, self.records - int(self.least.sum())
        rooms, least = (np.array([numbers[part].sum() for part in parts]) for numbers in (room, self.least))

        def bound(value: int, own: int, shown: int | None, to: int) -> bool:
            """Whether value of part `own`, shown as itself or as another of part `to`, is believed no surer than f'."""
            adds, caps = limits[own] * feeds[:, to], rooms.copy()  # what a record of each part adds, and how many may
            tells = (1 - limits[own]) * (feeds[own, to] + (keeps[own] if shown is None else 0.0))
            none = float(least @ adds) - float(self.least[value]) * (adds[own] + tells)
            caps[own] -= room[value]
            single, number = [-tells], [room[value]]
            if shown is not None:
                none += float(self.least[shown]) * limits[own] * keeps[to]
                caps[to] -= room[shown]
                single, number = [*single, adds[to] + limits[own] * keeps[to]], [*number, room[shown]]
            every, most = np.append(single, adds), np.append(number, caps)
            order = np.argsort(every, kind="stable")
            more = np.diff(np.minimum(np.cumsum(most[order]), left), prepend=0)
            return bool(none + more @ every[order] >= (1 - SLACK) * tells * self.most[value])

        for own in np.flatnonzero(limits < 1).tolist():
            value = max(parts[own], key=lambda each: int(self.most[each]))
            if not bound(value, own, None, own):
                return False
            for to in np.flatnonzero(feeds[own] > 0).tolist():
                others = [each for each in parts[to] if each != value]
                if others and not bound(value, own, min(others, key=lambda each: int(self.least[each])), to):
                    return False
        return True


def limits_of_gamma(
    labels: Sequence[str], counts: NDArray[np.int64], gamma: int, free: Collection[str]
) -> dict[str, Fraction]:
    """Return the tolerances of values with such counts (`ways.gamma_tolerances`); free : the not sensitive ones."""
    found, n = {}, int(counts.sum())
    for label, count in zip(map(str, labels), BlockCounts.of(counts).most.tolist(), strict=True):
        share = Fraction(int(count), max(n, 1))
        if label in free or (share >= _SURE and n - count < FREQUENT):
            found[label] = NOT_SENSITIVE
            continue
        asked, room = share + (1 - share) / gamma, (1 - share) / gamma
        if count < FREQUENT and 2 * share <= Fraction(1, gamma):
            found[label] = Fraction(1, gamma)
            continue
        steps = [Fraction(math.floor(asked * step), step) for step in _LEVELS]
        good = (down for down, step in zip(steps, _LEVELS, strict=True) if step * FREQUENT <= n)
        near = next((down for down in good if asked - down <= room * _GIVEN_UP), None)
        kept = near or next((down for down in steps if 2 * (asked - down) <= room), asked)
        found[label] = max(kept, Fraction(1, gamma))
    return found


def programme(parts: list[list[int]], told: BlockCounts, limits: tuple[Fraction, ...]) -> Programme:
    """Return the problem for parts of values with these (m,) counts and limits."""
    numbers, total = told.numbers, float(told.records)
    limit = np.array([float(limits[part[0]]) for part in parts])
    fed = limit < 1
    if limits[parts[0][0]] == NOT_SENSITIVE:
        fed[0] = True  # the most frequent unprotected value: the rest may be too rare to take any
    return Programme(
        share=np.array([numbers[part].sum() / total for part in parts]),
        low=np.array([told.least[part].sum() / total for part in parts]),
        sizes=np.array([float(len(part)) for part in parts]),
        most=np.array([told.most[part].max() / total for part in parts]),
        least=np.array([told.least[part].min() / total for part in parts]),
        limits=limit,
        fed=fed,
    )


def _tightened(problem: Programme, margin: float) -> Programme:
    """Return the problem with a part of the room between the largest share of a part and its f' given up."""
    inside = problem.most + (1 - margin) * (problem.limits - problem.most)
    limits = np.where(problem.limits < 1, np.maximum(inside, problem.most * (1 + 1e-9)), 1.0)
    return replace(problem, limits=limits)


def _rounded(
    feeds: Floats,
    steps: int,
    parts: list[list[int]],
    problem: Programme,
    labels: NDArray[np.object_],
    limits: tuple[Fraction, ...],
) -> tuple[JoinedPart, ...]:
    rows = []
    for at, part in enumerate(parts):
        fed = tuple(coarse(float(feed), steps) for feed in feeds[at])
        if len(part) == 1:  # its own value is kept, not taken
            fed = (*fed[:at], Fraction(0), *fed[at + 1 :])
        keeps = 1 - sum(len(other) * feed for other, feed in zip(parts, fed, strict=True))
        if keeps < 0:  # what the grid makes too much the largest chance gives up
            most = max(range(len(parts)), key=lambda to: len(parts[to]) * fed[to])
            less = Fraction(math.ceil(-keeps * PARTS / len(parts[most])), PARTS)
            fed = (*fed[:most], fed[most] - less, *fed[most + 1 :])
            keeps += less * len(parts[most])
        values = tuple(str(labels[value]) for value in sorted(part))
        share = min(coarse(problem.share[at]), Fraction(1))
        rows.append(JoinedPart(values, limits[part[0]], share, Fraction(keeps), fed))
    return tuple(rows)


def coarse(share: float, steps: int = STEPS_A_DECADE[0]) -> Fraction:
    """Return a share rounded up to one of `steps` a decade, above a half by what it lacks to 1; 0 for next to none."""
    if share < 1e-8:
        return Fraction(0)
    share = min(max(share, 1e-7), 1.0)
    if share > 0.5:
        rest = 1 - share
        if rest < 1e-7:
            return Fraction(1)
        return 1 - Fraction(math.floor(PARTS * 10 ** (math.floor(steps * math.log10(rest) + 1e-6) / steps)), PARTS)
    value = 10 ** (math.ceil(steps * math.log10(share) - 1e-6) / steps)
    return Fraction(math.ceil(PARTS * value), PARTS)
