"""Logistic and Poisson regression with sensitive outcomes and covariates.

The equations are those of the regression on the original table, sum over records of x (y - mu(x'b)) = 0, taken over the
unbiased counts of its cells: on average over releases they are the original's own, whether or not the model holds (the
corrected score; van den Hout and van der Heijden 2002, Woo and Slavkovic 2012 for PRAM). Intervals: with A the slope of
these sums by b and V their covariance over releases, Cov b = A^-1 V A^-1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from splu_desktop.core.analyse.analyses import Conditions, chosen, numbers_of, words
from splu_desktop.core.analyse.figures import Analysed
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.messages import listed, say
from splu_desktop.core.query.cells import CellTable, Chosen, Floats
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.table import Flags, Kind

INTERCEPT = say("(intercept)")
_STEPS, _HALVINGS = 100, 30
_SETTLED = 1e-8  # of a linear predictor, that a step moves it by
_SINGULAR = 1e-13  # of a standardised matrix, its least eigenvalue

Term = str | tuple[Condition, ...]
_Link = Callable[[Floats], tuple[Floats, Floats]]


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
    try:
        beta, bread = _fitted(rows, y[used], weights, link)
    except BadQuestion:
        _check_groups(parted, y[used], weights, link, failed=True)
        raise
    gap = np.zeros((*y.shape, len(beta)))
    gap[used] = rows * (y[used] - link(rows @ beta)[0])[:, None]
    sums = cells.sums([gap[..., at] for at in range(len(beta))])
    parts: dict[str, Analysed] = {}
    for at, name in enumerate(names):
        arm, value = sums.arm(bread[at]), float(beta[at])
        parts[name] = Analysed(name, value, value - arm, value + arm)
    first = parts[names[min(1, len(names) - 1)]]
    regression = say("logistic regression") if link is _logistic else say("Poisson regression")
    what = say(
        "{regression} of {outcome} on {columns}",
        regression=regression,
        outcome=title,
        columns=listed([each if isinstance(each, str) else words(each) for each in on]),
    )
    return Analysed(what, first.estimate, first.low, first.high, parts)


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
            "Among the {records} records with “{value}” the outcome seems to be all or nothing, as far as the "
            "release can tell, so there is no coefficient; leave these records out by a condition, or put the "
            "value together with another.",
            records=lone[name],
            value=name,
        )


def _logistic(eta: Floats) -> tuple[Floats, Floats]:
    mean = np.asarray(1 / (1 + np.exp(-np.clip(eta, -700, 700))), np.float64)
    return mean, mean * (1 - mean)


def _exponential(eta: Floats) -> tuple[Floats, Floats]:
    mean = np.asarray(np.exp(np.minimum(eta, 300.0)), np.float64)  # beyond, its square has no number
    return mean, mean


def _fitted(rows: Floats, y: Floats, weights: Floats, link: _Link) -> tuple[Floats, Floats]:
    """Return (k,) the b that solve sum of weight x (y - mean) = 0, and (k, k) the inverse of its slope by b.

    Newton's steps, halved where they go astray. Where columns tell the outcome for certain there is no solution: the
    steps go on for ever, while the slope vanishes. Raises BadQuestion.
    """
    whole = float(weights.sum())
    centre = float(weights @ y) / whole if whole > 0 else 0.0
    if whole <= 0 or centre <= 0 or (link is _logistic and centre >= 1) or y.min() == y.max():
        raise BadQuestion("All of these records, or none, seem to meet the outcome, as far as the release can tell.")
    beta: Floats = np.zeros(rows.shape[1])
    beta[0] = np.log(centre / (1 - centre)) if link is _logistic else np.log(centre)
    size = np.abs(weights)
    scale = np.maximum(np.sqrt(size @ rows**2), 1e-9)  # what columns are large or small by makes no difference

    def score(at: Floats) -> Floats:
        found: Floats = (weights * (y - link(rows @ at)[0])) @ rows
        return found

    now = score(beta)
    for done in range(_STEPS):
        slope = (rows * (weights * link(rows @ beta)[1])[:, None]).T @ rows / np.outer(scale, scale)
        if np.abs(np.linalg.eigvalsh(slope)).min() < _SINGULAR:
            if not done:
                raise BadQuestion("The columns named say the same of each other, or nothing at all; leave one out.")
            break
        bread: Floats = np.linalg.inv(slope) / np.outer(scale, scale)
        step = bread @ now
        for halved in range(_HALVINGS):
            tried: Floats = beta + step / 2**halved
            there = score(tried)
            if ((there / scale) ** 2).sum() <= ((now / scale) ** 2).sum():
                break
        beta, now = tried, there
        if np.abs(step * scale).max() < _SETTLED * np.sqrt(size.sum()):
            return beta, bread
    raise BadQuestion(
        "The regression has no solution here: these columns tell the outcome for certain, or too little is left of its "
        "link to them."
    )
