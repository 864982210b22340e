"""The chances of a joined draw, given a column's tolerances (mechanism.md section 8).

One protected value s, or several that have room beside each other: nobody leaves, T[s, s] = 1, and a record of an
unprotected value shows s with q_s = pi_s (1 - f'_s) / (f'_s Pi0). That is feasible iff the sum of pi_s / f'_s is at
most 1. Beyond it protected values have to hide behind each other too: then T minimises the sum of the variances of cell
counts over all row-stochastic T that keep P(true = v | shown u) <= f'_v for every protected v and every u, and
T[v, u] <= T[u, u]. These bounds are linear in T; the objective is not convex, so SLSQP starts from several places.

T is published and q_s tells pi_s. So chances are computed from counts in whole blocks of records, rounded up to forty
steps a decade, and rare values of one tolerance, which nobody should learn the share of, have their chances in common.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw.joined import PARTS, Joined, Part
from splu_desktop.core.errors import BadSetting, EmptyTable
from splu_desktop.core.groups.design import in_blocks
from splu_desktop.core.groups.tolerances import NOT_SENSITIVE, Infeasible, Tolerances, check_feasible
from splu_desktop.core.messages import say
from splu_desktop.core.table import Column

Floats = NDArray[np.float64]

FREQUENT = 250  # records from which a value may have chances of its own: T_f at the usual thresholds
OWN = 8  # values that have chances of their own at most; rarer ones share those of their tolerance
_ROOM = 0.5  # of the unprotected records that may be moved by the closed form before the solver is asked, too
_MARGINS = (0.0, 0.05, 0.2, 0.5)  # of the room between pi and f', given up so that rounding fits
_STEPS_A_DECADE = (40, 160, 640, 10_000)  # of the grid of chances, the coarsest that fits
_ROUNDS = 60  # of SLSQP
_STARTS = 2  # of the best corners, from which it looks
_FEW = 5  # parts up to which it does: with more, corners alone take a tenth of a second
_SINGULAR = 1e-12  # determinant of chances that tell nothing


@dataclass(frozen=True, eq=False)
class Programme:
    """The problem for p parts; entries by part.

    Attributes
    ----------
    share : (p,) of the records. sizes : (p,) values in it.
    most, least : (p,) share of its most and its least frequent value.
    limits : (p,) f'.
    fed : (p,) whether records may come to its values.
    """

    share: Floats
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
        keeps, into = self.keeps(feeds), self.share @ feeds
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
        # The values of a larger part are told from one another by those that keep theirs.
        single, many = (self.sizes == 1).astype(np.float64), (self.sizes > 1).astype(np.float64)
        loss = float((shown @ inverse**2 - self.share) @ single + (shown / keeps**2 - self.share) @ many)
        by_matrix = np.outer(self.share, inverse**2 @ single + many / keeps**2)
        by_matrix -= inverse.T @ (2 * shown[:, None] * inverse * single) @ inverse.T
        by_keeps = np.diag(by_matrix) - 2 * many * shown / keeps**3
        return max(loss, 0.0), np.asarray(by_matrix - by_keeps[:, None], np.float64)

    def invariant(self) -> Floats:
        """Return a I + (1 - a) 1 r' with the largest a that keeps all bounds; a = 0 always does."""
        goal = np.where(self.fed, self.share, 0.0)
        goal /= max(float(goal.sum()), 1e-300) * self.sizes
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            kept = bool((self.room(np.tile((1 - middle) * goal, (len(goal), 1))) >= 0).all())
            low, high = (middle, high) if kept else (low, middle)
        return np.tile((1 - low) * goal, (len(goal), 1))


def design(
    column: Column,
    limits: Tolerances | Mapping[str, Fraction],
    *,
    leave: float | Fraction = 0,
    follows: int | None = None,
) -> Joined:
    """Return the joined draw of a column.

    Parameters
    ----------
    limits : f' of every value.
    leave : share of the bearers of a protected value that are shown with another one, so that such a record does not
        surely have none; 0 to 1/2. Costs sharpness.

    Raises EmptyTable, BadSetting; Infeasible where some f' is at its value's share or below.
    """
    tolerances = limits if isinstance(limits, Tolerances) else Tolerances(limits)
    if column.n == 0:
        raise EmptyTable(say("Column “{column}” has no records, so there is nothing to publish.", column=column.name))
    if not 0 <= leave <= 0.5:
        raise BadSetting("The share of bearers left out must lie between 0 and 1/2.")
    check_feasible(column, tolerances)
    exact, counts = tolerances.of(column), in_blocks(column.counts())
    own = _parts(counts, exact)
    problem = _programme(own, counts, exact)
    solved: dict[float, Floats] = {}
    for steps in _STEPS_A_DECADE:
        for margin in _MARGINS:
            if margin not in solved:
                solved[margin] = solve(_tightened(problem, margin), float(leave))
            made = _rounded(solved[margin], steps, own, problem, column, exact, follows)
            if made is not None and (worst := made.surest(column)) is not None and worst[1] <= worst[2]:
                return made
    if follows is not None:
        raise Infeasible(
            say(
                "Column “{column}” can't be drawn with gamma {gamma}, which is too large for its records; choose a "
                "smaller one.",
                column=column.name,
                gamma=follows,
            )
        )
    raise Infeasible(
        say(
            "No chances keep the tolerances of column “{column}”, since one lies at its value's share of the records; "
            "raise it a little.",
            column=column.name,
        )
    )


def solve(problem: Programme, leave: float = 0.0) -> Floats:
    """Return (p, p) the chances, by single value taken, that keep all bounds at the least loss found."""
    closed = closed_form(problem, leave)
    moved = closed[~(problem.limits < 1)] @ problem.sizes
    if (problem.room(closed) >= -1e-12).all() and (moved <= _ROOM).all():
        return closed
    safe = problem.invariant()
    if leave:
        return closed if (problem.room(closed) >= -1e-12).all() else safe
    search = _Search(problem, safe)
    starts = [safe, *search.corners()]
    if (problem.keeps(closed) >= 0).all():
        starts.append(_between(problem, closed, safe))
    starts.sort(key=problem.loss)
    return min(
        (
            *starts,
            *(search.improved(start) for start in starts[: _STARTS if len(safe) <= _FEW and len(safe) > 2 else 0]),
        ),
        key=problem.loss,
    )


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


def _between(problem: Programme, wanted: Floats, safe: Floats) -> Floats:
    """Return the chances nearest to those wanted, on the straight way from safe ones, that keep all bounds."""
    low, high = 0.0, 1.0
    if (problem.room(wanted) >= -1e-12).all():
        return wanted
    for _ in range(40):
        middle = (low + high) / 2
        kept = bool((problem.room(middle * wanted + (1 - middle) * safe) >= 0).all())
        low, high = (middle, high) if kept else (low, middle)
    return np.asarray(low * wanted + (1 - low) * safe, np.float64)


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

    def corners(self) -> list[Floats]:
        """Return the chances that keep most values, by several weights: corners of what the bounds allow."""
        found = []
        if len(self._free) == 2 and not (self._problem.sizes > 1).any() and (self._problem.limits < 1).all():
            # Two values that both are protected: each is believed to its limit, and there is one such matrix.
            share, limits = self._problem.share, self._problem.limits
            shown = (share + limits[::-1] - 1) / (limits.sum() - 1)
            keeps = limits * shown / share
            return [_between(self._problem, np.array([[0.0, 1 - keeps[0]], [1 - keeps[1], 0.0]]), self._safe)]
        from scipy.optimize import linprog  # takes longer to load than most columns need

        rows = np.nonzero(self._free)[0]
        for weights in (np.ones(len(self._free)), self._problem.share, 1 / self._problem.share):
            best = linprog(weights[rows], A_ub=-self._slopes, b_ub=self._at_none, bounds=(0.0, 1.0))
            if best.x is not None:
                found.append(_between(self._problem, self._whole(best.x), self._safe))
        return found

    def improved(self, start: Floats) -> Floats:
        """Return what SLSQP makes of a start."""
        from scipy.optimize import minimize

        def rated(x: Floats) -> float:
            return math.log(self._problem.loss(self._whole(np.clip(x, 0.0, 1.0))) + 1e-12)

        def slope(x: Floats) -> Floats:
            loss, found = self._problem.sloped(self._whole(np.clip(x, 0.0, 1.0)))
            return np.asarray(found[self._free] / (loss + 1e-12), np.float64)

        kept: Any = {
            "type": "ineq",
            "fun": lambda x: self._at_none + self._slopes @ x,
            "jac": lambda x: self._slopes,
        }
        inside = start - np.diag(np.where(self._problem.sizes == 1, np.diag(start), 0.0))
        found = minimize(
            rated,
            inside[self._free] * self._scale,
            jac=slope,
            method="SLSQP",
            bounds=[(0.0, 1.0)] * len(self._scale),
            constraints=kept,
            options={"maxiter": _ROUNDS, "ftol": 1e-7},
        )
        if not np.isfinite(found.x).all():
            return start
        return _between(self._problem, self._whole(np.clip(found.x, 0.0, 1.0)), self._safe)


def _parts(counts: NDArray[np.int64], limits: tuple[Fraction, ...]) -> list[list[int]]:
    """Return the values of each part: the most frequent unprotected one, the others, then the protected ones."""
    order = np.argsort(-counts, kind="stable").tolist()
    free = [value for value in order if limits[value] == NOT_SENSITIVE]
    guarded = [value for value in order if limits[value] < NOT_SENSITIVE]
    own = [value for value in guarded if counts[value] >= FREQUENT][:OWN]
    rest: dict[Fraction, list[int]] = {}
    for value in guarded:
        if value not in own:
            rest.setdefault(limits[value], []).append(value)
    parts = [free[:1], free[1:], *([value] for value in own), *rest.values()]
    return [part for part in parts if part]


def _programme(parts: list[list[int]], counts: NDArray[np.int64], limits: tuple[Fraction, ...]) -> Programme:
    total = float(counts.sum())
    limit = np.array([float(limits[part[0]]) for part in parts])
    fed = limit < 1
    if limits[parts[0][0]] == NOT_SENSITIVE:
        fed[0] = True  # the most frequent unprotected value: the rest may be too rare to take any
    return Programme(
        share=np.array([counts[part].sum() / total for part in parts]),
        sizes=np.array([float(len(part)) for part in parts]),
        most=np.array([counts[part].max() / total for part in parts]),
        least=np.array([counts[part].min() / total for part in parts]),
        limits=limit,
        fed=fed,
    )


def _tightened(problem: Programme, margin: float) -> Programme:
    """Return the problem with a part of the room between the largest share of a part and its f' given up."""
    inside = problem.most + (1 - margin) * (problem.limits - problem.most)
    limits = np.where(problem.limits < 1, np.maximum(inside, problem.most * (1 + 1e-9)), 1.0)
    return Programme(problem.share, problem.sizes, problem.most, problem.least, limits, problem.fed)


def _rounded(
    feeds: Floats,
    steps: int,
    parts: list[list[int]],
    problem: Programme,
    column: Column,
    limits: tuple[Fraction, ...],
    follows: int | None,
) -> Joined | None:
    rows = []
    for at, part in enumerate(parts):
        chances = tuple(coarse(float(feed), steps) for feed in feeds[at])
        if len(part) == 1:  # its own value is kept, not taken
            chances = (*chances[:at], Fraction(0), *chances[at + 1 :])
        keeps = 1 - sum(len(other) * feed for other, feed in zip(parts, chances, strict=True))
        if keeps < 0:
            return None
        labels = tuple(str(column.labels[value]) for value in sorted(part))
        rows.append(
            Part(labels, limits[part[0]], min(coarse(problem.share[at]), Fraction(1)), Fraction(keeps), chances)
        )
    return Joined(tuple(rows), column.n, follows)


def coarse(share: float, steps: int = _STEPS_A_DECADE[0]) -> Fraction:
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
