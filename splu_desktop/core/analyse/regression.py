"""Logistic and Poisson regression with sensitive outcomes and covariates.

The equations are those of the regression on the original table, sum over records of x (y - mu(x'b)) = 0, taken over the
unbiased counts of its cells: on average over releases they are the original's own, whether or not the model holds (the
corrected score; van den Hout and van der Heijden 2002, Woo and Slavkovic 2012 for PRAM). Intervals: with A the slope of
these sums by b and V their covariance over releases, all b_j whose own sum, the others being 0 by the other b, is no
further from 0 than 1.96 of its standard errors *there* (A^-1 V A^-1; a score interval, Rao 1948, Boos 1992). At the
estimate instead, as Wald's interval takes it, it grows with an estimate that strays: rare outcomes held .99.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from splu_desktop.core.analyse.analyses import Conditions, check_told, chosen, numbers_of, within_intervals, words
from splu_desktop.core.analyse.figures import Analysed
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.messages import listed, say
from splu_desktop.core.query.cells import CellTable, Chosen, Floats, Sums
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.table import Flags, Kind
from splu_desktop.core.thresholds import NORMAL_95
from splu_desktop.frozen import dataclass

INTERCEPT = say("(intercept)")
_STEPS, _HALVINGS = 100, 30
_SETTLED, _ENOUGH = 1e-8, 1e-4  # of a linear predictor, that a step moves it by: of a fit, and beside an end
_SINGULAR = 1e-13  # of a standardised matrix, its least eigenvalue
_LEAST = 1e-9  # in place of 0 where it divides
_NEAR, _TRIES = 3e-3, 50  # of a standard error, from where on an end lies on a curve; steps of its search
_FARTHEST = 64  # times Wald's interval, as good as no bound
_TANGENT = 1e-3  # of Wald's interval, told by the tangent

Term = str | tuple[Condition, ...]
_Link = Callable[[Floats], tuple[Floats, Floats]]
# (coefficient, b, inverse of the slope there) -> by how much the equations would move it from there, with its variance.
_Own = Callable[[int, Floats, Floats], Sums]


def logit(reader: Reader, outcome: Conditions, on: Sequence[Term], where: Conditions = ()) -> Analysed:
    """Return the logistic regression of conditions on columns of numbers, values of others, or conditions.

    `parts` has a coefficient per column of numbers, per value but the first of any other, and per condition. Raises
    BadQuestion.
    """
    met = chosen(reader, outcome)
    return _regression(reader, (words(outcome), met, None), on, where, _logistic)


def poisson(reader: Reader, outcome: str | Conditions, on: Sequence[Term], where: Conditions = ()) -> Analysed:
    """Return the regression with logarithmic link of a column of numbers, or of conditions, as `logit`."""
    if isinstance(outcome, str):
        return _regression(reader, (outcome, {}, outcome), on, where, _exponential)
    return _regression(reader, (words(outcome), chosen(reader, outcome), None), on, where, _exponential)


def _regression(
    reader: Reader,
    outcome: tuple[str, Chosen, str | None],
    on: Sequence[Term],
    where: Conditions,
    link: _Link,
) -> Analysed:
    title, met, counted = outcome
    if counted is not None:
        check_told(reader, counted)
    if counted in on:
        raise BadQuestion(
            "“{column}” explains itself: leave it out of the columns by which it is to be explained.", column=counted
        )
    of, table = chosen(reader, where), reader.published.table
    asked = [
        of,
        *([met] if counted is None else ()),
        *(chosen(reader, term) for term in on if not isinstance(term, str)),
    ]
    full = [term for term in on if isinstance(term, str)] + ([counted] if counted is not None else [])
    cells = CellTable(reader.engine, asked, full)
    y = cells.meets(met).astype(np.float64) if counted is None else numbers_of(reader, counted)[cells.codes(counted)]
    names: list[str] = [INTERCEPT]
    design = [np.ones(cells.counts.shape)]
    inside, groups = cells.meets(of) & ~np.isnan(y), dict[str, Flags]()
    for term in on:
        if not isinstance(term, str):
            names.append(", ".join(map(str, term)))
            groups[names[-1]] = cells.meets(chosen(reader, term))
            design.append(groups[names[-1]].astype(np.float64))
            continue
        column, codes = table[term], cells.codes(term)
        if column.kind in (Kind.INTEGER, Kind.DECIMAL):
            names.append(term)
            design.append(numbers_of(reader, term)[codes])
            continue
        there = np.isin(np.arange(column.m), codes[inside]) & ~column.missing & (column.counts() > 0)
        values = {f"{term}={column.labels[code]}": codes == code for code in np.flatnonzero(there).tolist()}
        groups |= values
        for name in list(values)[1:]:
            names.append(name)
            design.append(np.where(column.missing[codes], np.nan, values[name].astype(np.float64)))
    x = np.stack(design, axis=-1)
    used: Flags = inside & ~np.isnan(x).any(axis=-1)
    rows, weights = x[used], cells.counts[used]
    parted = {name: flags[used] for name, flags in groups.items()}
    _check_groups(parted, y[used], weights, link)
    equations = _Equations(_thin(rows), y[used], weights, link)
    try:
        fit = _fitted(equations)
    except BadQuestion:
        _check_groups(parted, y[used], weights, link, failed=True)
        raise

    def own(at: int, beta: Floats, bread: Floats) -> Sums:
        gap = np.zeros(y.shape)
        gap[used] = (equations.rows @ bread[at]) * equations.gaps(beta)
        return cells.sums([gap])

    parts: dict[str, Analysed] = {}
    for at, name in enumerate(names):
        arm = own(at, *fit).arm(np.ones(1))
        low, high = (_end(equations, own, fit, at, side) for side in (-arm, arm))
        parts[name] = Analysed(name, float(fit[0][at]), low, high)
    if len(names) > 1 and all(math.isinf(parts[name].low) and math.isinf(parts[name].high) for name in names[1:]):
        raise BadQuestion(
            "The release can't tell these coefficients: each may be anything; ask about larger groups, or fewer "
            "columns."
        )
    first = parts[names[min(1, len(names) - 1)]]
    regression = say("logistic regression") if link is _logistic else say("Poisson regression")
    what = say(
        "{regression} of {outcome} on {columns}",
        regression=regression,
        outcome=title,
        columns=listed([each if isinstance(each, str) else words(each) for each in on]),
    )
    notes = () if counted is None else within_intervals(reader, counted)
    return Analysed(what, first.estimate, first.low, first.high, parts, notes=notes)


def _check_groups(
    groups: Mapping[str, Flags], y: Floats, weights: Floats, link: _Link, *, failed: bool = False
) -> None:
    """Raise BadQuestion, with its name, where a group keeps the equations from a solution: its coefficient has no end.

    The equation of a group says that the sum of weight y over it is that of weight mean: without a solution where no
    mean can be so, if no weight is below 0; else the likely cause of what has `failed`. The smallest is named.
    """
    lone = {}
    for name, flags in groups.items():
        own = weights[flags]
        records, outcome = float(own.sum()), float(own @ y[flags])
        near = 1e-9 * max(records, 1.0)  # sums of what should be whole numbers are not
        ends = outcome <= near or (link is _logistic and outcome >= records - near)
        if ends and (failed or not (own < -near).any()):
            lone[name] = max(round(records), 0)
    if lone:
        name = min(lone, key=lambda each: lone[each])
        raise BadQuestion(
            "With “{value}” (records: {records}) the outcome seems to be all or nothing, as far as the release can "
            "tell, so there is no coefficient; leave these records out by a condition, or put the value together with "
            "another.",
            records=lone[name],
            value=name,
        )


def _thin(rows: Floats) -> Any:
    """Return rows as they are, or sparse where most is 0, as where each of many values has a coefficient."""
    from scipy.sparse import csr_array  # late: no other question needs it

    return csr_array(rows) if 4 * np.count_nonzero(rows) < rows.size else rows


def _logistic(eta: Floats) -> tuple[Floats, Floats]:
    mean = np.asarray(1 / (1 + np.exp(-np.clip(eta, -700, 700))), np.float64)
    return mean, mean * (1 - mean)


def _exponential(eta: Floats) -> tuple[Floats, Floats]:
    mean = np.asarray(np.exp(np.minimum(eta, 300.0)), np.float64)  # beyond, its square has no number
    return mean, mean


@dataclass(frozen=True, eq=False)
class _Equations:
    """sum of weight x (y - mean) = 0 over R cells: rows (R, k) x, y (R,), weights (R,) and how the mean follows x'b."""

    rows: Any  # an array, dense or sparse
    y: Floats
    weights: Floats
    link: _Link

    def gaps(self, beta: Floats) -> Floats:
        """Return (R,) y - mean."""
        return np.asarray(self.y - self.link(self.rows @ beta)[0], np.float64)

    def solved(self, beta: Floats, held: int = -1) -> tuple[Floats, Floats]:
        """Return (k,) the b that solve them, from `beta` on, and (k, k) the inverse of their slope by b.

        The `held` one of b stays, and its equation is left out. Newton's steps, halved where they go astray. Where
        columns tell the outcome for certain there is no solution: the steps go on for ever, while the slope vanishes.
        Raises BadQuestion.
        """
        rows, weights = self.rows, self.weights
        size, free = np.abs(weights), np.arange(len(beta)) != held
        scale = np.maximum(np.sqrt(size @ rows**2), 1e-9)  # what columns are large or small by makes no difference

        def far(score: Floats) -> float:
            return float(((score / scale)[free] ** 2).sum())

        now = (weights * self.gaps(beta)) @ rows
        for done in range(_STEPS):
            slope = (rows * (weights * self.link(rows @ beta)[1])[:, None]).T @ rows
            slope = (slope if isinstance(slope, np.ndarray) else slope.toarray()) / np.outer(scale, scale)
            largest = max(float(np.abs(slope).max()), 1.0)
            if not np.isfinite(largest) or np.abs(np.linalg.eigvalsh(slope)).min() < _SINGULAR * largest:
                if not done:
                    raise BadQuestion("The columns named say the same of each other, or nothing at all; leave one out.")
                break
            bread: Floats = np.linalg.inv(slope) / np.outer(scale, scale)
            step = bread @ now
            if not free.all():
                step = step - bread[:, held] * step[held] / bread[held, held]
            for halved in range(_HALVINGS):
                tried: Floats = beta + step / 2**halved
                there = (weights * self.gaps(tried)) @ rows
                if far(there) <= far(now):
                    break
            beta, now = tried, there
            # By Newton what is left is the step's square, and an end moves with the square of that alone.
            if np.abs(step * scale).max() < (_SETTLED if free.all() else _ENOUGH) * np.sqrt(size.sum()):
                return beta, bread
        raise BadQuestion(
            "The regression has no solution here: these columns tell the outcome for certain, or too little is left of "
            "its link to them."
        )


def _fitted(equations: _Equations) -> tuple[Floats, Floats]:
    """Return what `_Equations.solved` does, from an intercept alone on. Raises BadQuestion."""
    y, weights = equations.y, equations.weights
    whole = float(weights.sum())
    centre = float(weights @ y) / whole if whole > 0 else 0.0
    bounded = equations.link is _logistic
    if whole <= 0 or centre <= 0 or (bounded and centre >= 1) or y.min() == y.max():
        raise BadQuestion("All of these records, or none, seem to meet the outcome, as far as the release can tell.")
    beta: Floats = np.zeros(equations.rows.shape[1])
    beta[0] = np.log(centre / (1 - centre)) if bounded else np.log(centre)
    return equations.solved(beta)


def _end(equations: _Equations, own: _Own, fit: tuple[Floats, Floats], at: int, arm: float) -> float:
    """Return the end of the interval of one coefficient on the side of `arm`, which is Wald's; infinite for no bound.

    own : see `_Own`. fit : b and the inverse of the slope there.

    Each tried lies on the curve through the last three, of which the first two are the estimate's tangent: there the
    distance in standard errors grows as Wald's.
    """

    def beyond(step: float) -> tuple[float, tuple[Floats, Floats]]:
        along = near[1][:, at] / near[1][at, at]
        there = equations.solved(near[0] + (fit[0][at] + step * arm - near[0][at]) * along, at)
        moved = own(at, *there)
        error = max(math.sqrt(moved.variance(0)), 1e-300)
        return -math.copysign(1.0, arm) * float(moved.values[0]) / error - NORMAL_95, there

    if not arm:
        return float(fit[0][at])
    near, inside, outside, step = fit, 0.0, math.inf, 1.0
    tried = [(-NORMAL_95, 0.0), (-NORMAL_95 * (1 - _TANGENT), _TANGENT)]
    for _ in range(_TRIES):
        try:
            found, near = beyond(step)
        except BadQuestion:  # no b solves the other equations there
            return math.copysign(math.inf, arm)
        if found < 0 and step >= _FARTHEST:
            return math.copysign(math.inf, arm)
        inside, outside = (step, outside) if found < 0 else (inside, step)
        tried = [*tried[-2:], (found, step)]
        guess = _crossing(tried)
        if inside < guess < min(outside, 2 * max(inside, 1.0)):
            step = guess
        elif abs(found) >= _NEAR:
            step = 2 * inside if math.isinf(outside) else (inside + outside) / 2
        if abs(found) < _NEAR:
            break
    return float(fit[0][at] + step * arm)


def _crossing(tried: Sequence[tuple[float, float]]) -> float:
    """Return the step at which the curve through three (what is found, step) finds 0 (Neville's scheme)."""
    (a, x), (b, y), (c, z) = tried
    xy, yz = (x * b - y * a) / (b - a or _LEAST), (y * c - z * b) / (c - b or _LEAST)
    return (xy * c - yz * a) / (c - a or _LEAST)
