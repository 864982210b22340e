"""Estimates and 95 % intervals for a sensitive column with a tolerance per value (mechanism.md section 5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.estimate import Method
from splu_desktop.core.reconstruct import pooled as reconstruct_pooled
from splu_desktop.core.reconstruct import states as reconstruct_states
from splu_desktop.core.reconstruct.counts import Rows, shrink
from splu_desktop.core.reconstruct.states import as_printed
from splu_desktop.core.table import Flags, Picked
from splu_desktop.core.thresholds import NORMAL_95
from splu_desktop.core.transition.matrix import Floats, MatrixTransition
from splu_desktop.frozen import dataclass

Indices = NDArray[np.intp]
Numbers = tuple[float, float, float, float]  # estimate, low, high, variance

_STEPS = 5_000  # of the likelihood's maximisation at most
_SETTLED = 1e-7
_KEPT_FLOATS = 4_000_000  # of bends
_SETS_AT_ONCE = 64
_ROWS_AT_ONCE = 4_096
_FLOATS_AT_ONCE = 1_000_000
_STILL = 1e-9  # share of a direction that a value has no part in
_SHORT = 12  # values up to which ends take the variance of the count that they stand for; beyond, it adds nothing
_STRAYS = 1.2  # times N_P / N (1 - N_P / N) of a value may well stray from independence: one standard deviation
BEYOND = 4.0  # standard deviations beyond every possible count at which an estimate has strayed: it says nothing


Aims = Callable[[], tuple[Floats, Floats]]


class ByMatrix:
    """Questions with conditions on one SA by its whole matrix (`estimate.Case`); parameters as for `numbers_of`."""

    def __init__(
        self,
        y: Floats,
        asked: Sequence[tuple[int, Flags]] | None,
        through: MatrixTransition,
        aims: Aims | None,
        widened: Floats | float = 1.0,
    ) -> None:
        self._y, self._asked, self.through, self._aims = y, asked, through, aims
        self.places = _Places.every(y) if asked is None else _Places.of(asked)
        self.rows = Rows.plain(y)
        self.x = _straight(self.rows, through)
        self.composition = _composition(self.rows, self.x, through)
        self.widened = np.broadcast_to(widened, len(y))
        self.variance = through.variance(self.composition) * self.widened[:, None]

    def _summed(self, by_value: Floats) -> Floats:
        return self.places.summed(by_value)

    def unbiased(self) -> Floats:
        return self._summed(self.x)

    def shrunk(self) -> Floats:
        shrunk = shrink(self.rows, self.x, self.variance, self.through)
        return self._summed(_adding_up(shrunk, self.rows.total))

    def pooled(self) -> Floats:
        if self._aims is None:
            return self.shrunk()
        start = np.tile(reconstruct_pooled.UNTAUGHT, (len(self._y), 1))
        pooled = reconstruct_pooled.pool(self.rows, self.x, self.variance, *self._aims(), start)
        return self._summed(_adding_up(pooled, self.rows.total))

    def likeliest(self) -> Floats:
        return self._summed(likeliest(self._y, self.through.matrix))

    def as_printed(self) -> Floats:
        asked = self._asked
        if asked is None:
            asked = [(row, one) for row in range(len(self._y)) for one in np.eye(self._y.shape[1], dtype=bool)]
        return as_published(self._y, asked, self.through)


@dataclass(frozen=True, eq=False)
class _Places:
    """Which values of which selections are asked for, K questions.

    Attributes
    ----------
    row, code : (K,) the selection, and the first of the values.
    sets : the questions for other than one value, with their (m,) flags.
    """

    row: Indices
    code: Indices
    sets: Sequence[tuple[int, Flags]]

    @classmethod
    def of(cls, asked: Sequence[tuple[int, Flags]]) -> _Places:
        """Return the places of listed questions."""
        row, code = np.array([(at, int(np.argmax(chosen))) for at, chosen in asked], np.intp).reshape(-1, 2).T
        sets = [(at, chosen) for at, (_, chosen) in enumerate(asked) if np.count_nonzero(chosen) != 1]
        return cls(row, code, sets)

    @classmethod
    def every(cls, y: Floats) -> _Places:
        """Return the places of every single value of every selection."""
        row, code = np.divmod(np.arange(y.size), y.shape[1])
        return cls(row, code, ())

    @property
    def alone(self) -> Flags:
        """(K,) whether one value is asked for."""
        alone = np.ones(len(self.row), bool)
        alone[[at for at, _ in self.sets]] = False
        return alone

    def summed(self, by_value: Floats) -> Floats:
        """Return (K,) the sums of (Q, m) figures over the values asked for."""
        found = by_value[self.row, self.code]
        for at, chosen in self.sets:
            found[at] = by_value[self.row[at], chosen].sum()
        return found

    def all_of(self, flags: Flags) -> Flags:
        """Return (K,) whether all the values asked for have (m,) flags."""
        found = flags[self.code]
        for at, chosen in self.sets:
            found[at] = flags[chosen].all()
        return found


def numbers_of(
    y: Floats,
    asked: Sequence[tuple[int, Flags]] | None,
    through: MatrixTransition,
    method: Method,
    aims: Aims | None = None,
    widened: Floats | None = None,
) -> Floats:
    """Return (4, K) estimates, lower ends, upper ends and variances of K questions with conditions on one SA.

    Parameters
    ----------
    y : (Q, m) published counts of the SA's values in Q selections.
    asked : per question, its row and the (m,) chosen values; None for each value by itself in every row, in order.
    aims : for the pooled estimate, gives (Q, m) what each condition by itself makes likely and the parts of the error
        that it shares with the selection (`Bends.target`).
    widened : (Q,) how many times the variance of independent records sums over the selections have; None for once.
    """
    widened = np.ones(len(y)) if widened is None else widened
    case = ByMatrix(y, asked, through, aims, widened)
    rows, x, places = case.rows, case.x, case.places
    # Of the whole table published counts are right on average, whatever T hides of its parts.
    whole = (rows.total >= through.n)[places.row] & through.settled
    estimates, readable = method.estimate(case), places.all_of(through.readable) | whole
    spreads = case.variance[places.row, places.code]
    thirds = through.third(case.composition)[places.row, places.code] * widened[places.row] ** 2
    if places.sets:
        sets = [(int(places.row[at]), chosen) for at, chosen in places.sets]
        of = [at for at, _ in places.sets]
        found = _of_sets(sets, case.composition, through)
        spreads[of], thirds[of] = found * widened[places.row[of]] ** np.array([[1], [2]])
    below, above = _arms(case, spreads, thirds)
    barren = ~readable & (len(through.hidden) != 1)
    far, unsure = _hidden_range(case, np.flatnonzero(~barren))
    top, centre = rows.total[places.row], places.summed(x)
    down, up = far + unsure
    strayed = np.maximum(centre - down - top, -(centre + up)) > BEYOND * np.sqrt(spreads)
    # The centre strays, and so does by itself how far what is hidden may go.
    (down, up), (below, above) = np.where(strayed, np.inf, far), np.hypot([below, above], unsure)
    # "all of them" as surely as it is known, not more surely
    centre = np.where(~strayed & (centre - down - below > top), top + down, centre)
    low, high = (np.clip(end, 0.0, top) for end in (centre - below - down, centre + above + up))
    low, high = np.where(barren, 0.0, low), np.where(barren, top, high)
    made = np.where(~readable, np.clip(estimates, 0.0, top), method.made(estimates, low, high, top))
    return np.stack([made, low, high, np.where(strayed | ~readable, np.inf, spreads)])


def _arms(case: ByMatrix, spreads: Floats, thirds: Floats) -> Floats:
    """Return (2, K) how far intervals reach below and above the centre, by variances and third central moments there.

    An end is the count that the estimate just does not speak against, so it takes the moments if that count is true
    (a score interval), where single values of short columns are asked: a selection that nearly all have one value
    makes far more noise than one that is mixed. So far as the noise is that of the whole table's count, that count is
    another too, and the selection no less like it: of the square of their correlation, q^2 Var f' / Var x, the
    composition stays. Never less than the centre's: where little can be told, the centre strays itself, and ends that
    come nearer with it kept 78 % of what "reliable" promised.
    """
    arms, through = _reach(spreads, thirds), case.through
    if case.composition.shape[1] > _SHORT:
        return arms
    row, code = case.places.row, case.places.code
    of_all = through.variance(through.counts[None, :])[0] * through.settled
    single = np.flatnonzero(case.places.alone)
    for at in range(0, len(single), _ROWS_AT_ONCE):
        part = single[at : at + _ROWS_AT_ONCE]
        here, value, place = case.composition[row[part]], code[part], np.arange(len(part))
        total, centre, widened = case.rows.total[row[part]], case.x[row[part], value], case.widened[row[part]]
        rest = here.copy()
        rest[place, value] = 0.0
        rest /= np.maximum(rest.sum(axis=1, keepdims=True), 1e-300)
        own = through.variance(here)[place, value]
        apart = 1 - np.minimum((total / max(through.n, 1)) ** 2 * of_all[value] / own, 1.0)
        for side, sign in enumerate((-1, 1)):
            end = np.clip(centre + sign * apart * arms[side, part], 0.0, total)
            then = rest * (total - end)[:, None]
            then[place, value] = end
            spread, third = (moment(then)[place, value] for moment in (through.variance, through.third))
            arms[side, part] = np.maximum(arms[side, part], _reach(spread * widened, third * widened**2)[side])
    return arms


def _reach(spreads: Floats, thirds: Floats) -> Floats:
    """Return (2, K) how far a 95 % interval reaches below and above.

    Noise that is skewed is large on one side more often than a normal one of its variance (Cornish and Fisher, to the
    first order): of few records, of whom hardly one shows a rare value by chance, one that does held 87 % for 95.
    """
    lean = (NORMAL_95**2 - 1) / 6 * thirds / spreads
    return NORMAL_95 * np.sqrt(spreads) + np.maximum([lean, -lean], 0.0)


def of_sets(y: Floats, asked: Sequence[tuple[int, Flags]], through: MatrixTransition) -> tuple[Floats, Floats, Floats]:
    """Return (len(asked),) likely counts over sets, the variances of estimates if these are true, unbiased estimates.

    Where directions can't be told, the estimates leave them out, and the variance says how far P may well stray there;
    of more than one, it is infinite for sets that are not readable. Parameters as for `numbers_of`.
    """
    rows = Rows.plain(y)
    x = _straight(rows, through)
    composition = _composition(rows, x, through)
    variance = _of_sets(asked, composition, through)[0]
    told = np.array([bool(through.readable[chosen].all()) for _, chosen in asked])
    likely, straight = (np.array([counts[row, chosen].sum() for row, chosen in asked]) for counts in (composition, x))
    share, by_value = rows.total[[row for row, _ in asked]] / max(through.n, 1), through.hidden.T @ through.hidden
    farthest = np.array([np.abs(by_value[chosen].sum(axis=0)).max() for _, chosen in asked])
    variance = variance + (_STRAYS * share * (1 - share) * farthest) ** 2
    told |= len(through.hidden) == 1
    return likely, np.where(told, variance, np.inf), straight


def _of_sets(asked: Sequence[tuple[int, Flags]], composition: Floats, through: MatrixTransition) -> Floats:
    """Return (2, len(asked)) variances and third central moments of counts over sets of values."""
    found = np.zeros((2, len(asked)))
    for at in range(0, len(asked), _SETS_AT_ONCE):
        part = asked[at : at + _SETS_AT_ONCE]
        rows, place = np.unique([row for row, _ in part], return_inverse=True)
        sets = np.stack([chosen for _, chosen in part], axis=1)
        for number, moment in enumerate((through.variance, through.third)):
            found[number, at : at + len(part)] = moment(composition[rows], sets)[place, np.arange(len(part))]
    return found


def _hidden_range(case: ByMatrix, told: Indices) -> Floats:
    """Return (2, 2, K) how far down and up counts may stray in what T hides, 0 for those that are not `told`.

    First by what is likeliest, then how far that is uncertain. What strays strays the other way among all other
    records, so both sides bound it. Of many directions that counts most in which its values stray most for their size
    (a linear programme over all of them reaches mostly about as far; the farthest seen, 1.8 times).
    """
    rows, x, places, through = case.rows, case.x, case.places, case.through
    found = np.zeros((2, 2, len(places.row)))
    if not len(through.hidden) or not len(told):
        return found
    others = Rows.plain(through.counts - rows.y)
    there = _straight(others, through)
    theirs = through.variance(_composition(others, there, through))
    by_value, sets = through.hidden.T @ through.hidden, dict(places.sets)
    step = max(1, _FLOATS_AT_ONCE // len(by_value))
    for part in np.split(told, range(step, len(told), step)):
        way, of = by_value[places.code[part]], places.row[part]
        moved = way[np.arange(len(part)), places.code[part]]
        for at in np.flatnonzero(~places.alone[part]):
            way[at] = by_value[sets[int(part[at])]].sum(axis=0)
            moved[at] = way[at, sets[int(part[at])]].sum()
        moved = np.sqrt(np.maximum(moved, 0.0))
        way /= np.maximum(moved, 1e-300)[:, None]
        here = _one_range(x[of], case.variance[of], rows.total[of], way)
        away = _one_range(there[of], theirs[of], others.total[of], way)[:, ::-1]
        found[:, :, part] = np.where(here.sum(axis=0) <= away.sum(axis=0), here, away) * moved
    return found


def _one_range(x: Floats, variance: Floats, totals: Floats, way: Floats) -> Floats:
    """Return (2, 2, K) how far down and up x may move along `way`, (K, m) each, and how far that is uncertain.

    No value has less than no record or more than all selected ones. Whichever bounds most surely does.
    """
    size = np.abs(way)
    size[size <= _STILL] = np.nan
    sure = -NormalDist().inv_cdf((1 - NormalDist().cdf(NORMAL_95)) / way.shape[1])  # the nearest of so many is meant
    arm = sure * np.sqrt(variance) / size
    below, above = x / size, (totals[:, None] - x) / size
    found = []
    for room in (np.where(way > 0, below, above), np.where(way > 0, above, below)):
        nearest = np.argmin(np.nan_to_num(room + arm, nan=np.inf), axis=1)[:, None]
        far, unsure = (np.nan_to_num(np.take_along_axis(each, nearest, axis=1)[:, 0]) for each in (room, arm))
        # Not to move is independence, which is possible always.
        found.append((np.maximum(far, 0.0), np.maximum(unsure + np.minimum(far, 0.0), 0.0)))
    return np.stack(found, axis=1)


class Bends:
    """What single conditions on NSAs do to the distribution of an SA with tolerances, kept between questions."""

    def __init__(self, counted: Callable[[Sequence[Picked]], Floats], through: MatrixTransition) -> None:
        self._counted, self._through = counted, through
        self._known: dict[Picked, tuple[Floats, Floats, float]] = {}

    def target(self, selections: Sequence[Sequence[Picked]], totals: Floats) -> tuple[Floats, Floats]:
        """Return (Q, m) targets and shared parts, as `reconstruct_pooled.target`."""
        bends = [[self._bend(condition) for condition in picked] if len(picked) > 1 else [] for picked in selections]
        return reconstruct_pooled.target(totals, bends, self._through)

    def _bend(self, condition: Picked) -> tuple[Floats, Floats, float]:
        found = self._known.get(condition)
        if found is None:
            rows = Rows.plain(self._counted([condition])[None, :])
            x = rows.y @ self._through.inverse
            variance = self._through.variance(_composition(rows, x, self._through))
            lift, k = reconstruct_pooled.lifts(rows, x, variance, self._through)
            if len(self._known) * len(lift[0]) > _KEPT_FLOATS:
                self._known.clear()
            found = self._known[condition] = lift[0], k[0], float(rows.total[0])
        return found


def as_published(y: Floats, asked: Sequence[tuple[int, Flags]], through: MatrixTransition) -> Floats:
    """Return (len(asked),) the journal's estimate with its printed matrix, 1/gamma being what the values really keep.

    The papers have groups of one size only; that others are published as s with f_s / N is the printed error.
    """
    inside = np.array([y[row, chosen].sum() for row, chosen in asked])
    whole = np.array([through.counts[chosen].sum() for _, chosen in asked])
    total = np.array([y[row].sum() for row, _ in asked])
    cells = np.stack([through.n - total - (whole - inside), whole - inside, total - inside, inside], axis=1)
    sizes = np.array([1 / through.two_states(chosen)[1, 1] for _, chosen in asked])
    return as_printed(cells, through.n, [sizes])


@dataclass(frozen=True, eq=False)
class MatrixPart:
    """A question's condition on one of several SAs.

    Attributes
    ----------
    state : (2, 2) transition between meeting the condition not (0) and meeting it (1).
    alone : estimate and upper end of the count that meets this condition alone, of the selected records.
    """

    state: Floats
    alone: tuple[float, float]


def several_sas(
    parts: Sequence[MatrixPart],
    weights: tuple[float, float],
    readable: bool,
    states: Floats,
    outside: Floats,
    method: Method,
    widened: float = 1.0,
) -> Numbers:
    """Return the numbers of a question with conditions on several SAs.

    Parameters
    ----------
    weights : sums over the selected records of W and of W^2, W the product of a record's phi of each condition.
    readable : whether every chosen value can be told from others.
    states : (2^w,) selected records by which of the w conditions they meet as published; bit i stands for parts[i].
    outside : (2^w,) the same of all other records.
    widened : how many times the variance of independent records the sum has.

    W has mean 1 or 0, so Var W is E[W^2] less the count itself. No more records meet all
    conditions than meet one.
    """
    case = SeveralByMatrix(parts, weights, readable, states, outside, widened)
    estimate = float(method.estimate(case)[0])
    top, most, centre, spread = case.top, case.most, case.centre, case.spread
    if not readable:
        return min(max(estimate, 0.0), top), 0.0, most, float("inf")
    arm = NORMAL_95 * spread**0.5
    # An estimate beyond the largest count has strayed: it does not say that the count is at that end of its range.
    centre = min(centre, most) if centre + arm > 0 else 0.0
    low, high = min(max(centre - arm, 0.0), most), min(max(centre + arm, 0.0), most)
    return method.made(estimate, low, high, top), low, high, spread


class SeveralByMatrix:
    """One question with conditions on several SAs (`estimate.Case`); parameters as for `several_sas`."""

    def __init__(
        self,
        parts: Sequence[MatrixPart],
        weights: tuple[float, float],
        readable: bool,
        states: Floats,
        outside: Floats,
        widened: float,
    ) -> None:
        self._parts, self._readable, self._states, self._outside = parts, readable, states, outside
        self.top = float(states.sum())
        self.most = min(self.top, *(high for _, high in (part.alone for part in parts)))
        self.centre, squares = weights
        self.spread = widened * max(squares - max(self.centre, 0.0), 1e-9)

    def unbiased(self) -> Floats:
        return np.array([self.centre])

    def shrunk(self) -> Floats:
        if not self._readable:
            return self.unbiased()
        independent = self.top * float(np.prod([part.alone[0] / max(self.top, 1.0) for part in self._parts]))
        # One count can't say how far it strays from independence; as far again is what other columns suggest.
        far = independent**2
        return np.array([independent + far / max(far + self.spread, 1e-300) * (self.centre - independent)])

    def pooled(self) -> Floats:
        return self.shrunk()

    def likeliest(self) -> Floats:
        matrix = reconstruct_states.joint(part.state for part in self._parts)
        return np.array([reconstruct_states.likeliest(self._states, matrix)])

    def as_printed(self) -> Floats:
        sizes = [1 / part.state[1, 1] for part in self._parts]
        cells = np.concatenate([self._outside, self._states])[None, :]
        return as_printed(cells, round(self.top + float(self._outside.sum())), sizes)


def likeliest(y: Floats, matrix: Floats) -> Floats:
    """Return (Q, m) the maximum of the likelihood over all values at once (journal Eq. 13-14 with the matrix T)."""
    x = y.astype(np.float64) + 1e-9
    for _ in range(_STEPS):
        expected = x @ matrix
        new = x * (np.divide(y, expected, out=np.zeros_like(expected), where=expected > 0) @ matrix.T)
        settled = bool((np.abs(new - x) <= _SETTLED * np.maximum(x, 1.0)).all())
        x = new
        if settled:
            break
    return np.asarray(x, np.float64)


def _straight(rows: Rows, through: MatrixTransition) -> Floats:
    """Return (Q, m) unbiased estimates, y G; f' for the whole table, though no groups may explain counts as large."""
    return np.asarray(rows.y @ through.inverse + rows.total[:, None] * through.shift, np.float64)


def _composition(rows: Rows, x: Floats, through: MatrixTransition) -> Floats:
    """Return (Q, m) a likely composition of each selection, for its variances."""
    even = rows.total[:, None] * (through.counts / max(through.n, 1))
    variance = through.variance(even)
    return _adding_up(shrink(rows, x, variance, through), rows.total)


def _adding_up(counts: Floats, total: Floats) -> Floats:
    whole = counts.sum(axis=1, keepdims=True)
    return np.asarray(counts * np.divide(total[:, None], whole, out=np.zeros_like(whole), where=whole > 0), np.float64)
