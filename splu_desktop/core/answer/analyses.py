"""Shares, means, differences, risk and odds ratios, regressions of a release, with intervals.

A new analysis is a function that names its features and its score, registered under its name (CONTRIBUTING.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.answer.conditions import Condition, parse_condition
from splu_desktop.core.answer.equations import Equations, Feature, NoAnswer, Values
from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.messages import Phrase, no_column, none_of, say
from splu_desktop.core.published import Published
from splu_desktop.core.table import Column
from splu_desktop.core.thresholds import NORMAL_95

Floats = NDArray[np.float64]
Labels = str | tuple[str, ...]
_THIN = 20  # published rows below which a category gets no coefficient of its own
_MOST_CATEGORIES = 40
_ASTRAY = 10.0  # a category whose coefficient leaves these ends without an answer is one of too few rows
_ANY = (-math.inf, math.inf)
_FAR = 700.0  # a logarithm whose number is as good as infinite; of 710 there is none
_NOBODY = "\0"  # a value that no row shows


@dataclass(frozen=True)
class Analysis:
    """What is asked.

    Attributes
    ----------
    kind : the name of one of `analysis_kinds`.
    outcome, value : a column, and the value (or any of several) whose share is meant; None for its numbers.
    exposure, exposed, unexposed : a column and the values that are compared; None of `unexposed` for all others.
    covariates : columns that a regression goes by.
    where : conditions that all records meet.
    """

    kind: str
    outcome: str
    value: Labels | None = None
    exposure: str = ""
    exposed: Labels | None = None
    unexposed: Labels | None = None
    covariates: tuple[str, ...] = ()
    where: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Estimate:
    """One figure with the ends of its 95 % intervals: about this table, and about persons like these (`alike`)."""

    name: str
    estimate: float
    low: float
    high: float
    low_alike: float
    high_alike: float


@dataclass(frozen=True, eq=False)
class Result:
    """What an analysis found.

    Attributes
    ----------
    estimates : its figures, coefficients in their order.
    covariance_alike : (k, k) of them, about persons like these; of ratios, of their logarithms.
    notes : sentences on what was left out or joined.
    """

    analysis: Analysis
    estimates: tuple[Estimate, ...]
    covariance_alike: Floats
    notes: tuple[str, ...] = ()

    @property
    def first(self) -> Estimate:
        """The figure that was asked for, or the first coefficient."""
        return self.estimates[0]


Make = Callable[[Reader, Analysis], Result]
OUTCOME, NUMBERS, COMPARISON, REGRESSION = range(4)  # what is asked for


@dataclass(frozen=True)
class Kind:
    """An analysis there is: its name, what is asked for it, what it is in a few words, and the function."""

    name: str
    asks: int
    words: str
    make: Make


_KNOWN: dict[str, Kind] = {}


def register(name: str, asks: int, words: str) -> Callable[[Make], Make]:
    """Make an analysis known by its name, by what is asked for it (`OUTCOME` and so on), and by what it is."""

    def keep(make: Make) -> Make:
        _KNOWN[name] = Kind(name, asks, words, make)
        return make

    return keep


def analysis_kinds() -> tuple[Kind, ...]:
    """Return all analyses, from which the command line makes its own."""
    return tuple(_KNOWN.values())


def analyse(reader: Reader, analysis: Analysis) -> Result:
    """Return what a release tells. Raises BadQuestion."""
    if analysis.kind not in _KNOWN:
        raise BadQuestion(none_of(analysis.kind, _KNOWN))
    result = _KNOWN[analysis.kind].make(reader, analysis)
    if analysis.value is None and _column(reader.published, analysis.outcome).values is None:
        return replace(result, notes=(say_bands(analysis.outcome), *result.notes))
    return result


def say_bands(name: str) -> Phrase:
    """Return what a mean of a column in bands leaves open."""
    return say("Bands of “{column}” count as one number each: the true mean may lie outside.", column=name)


def outcome_asked(text: str, published: Published) -> tuple[str, tuple[str, ...] | None]:
    """Return column and values of COLUMN=VALUE; of a COLUMN alone, for its numbers, None. Raises BadQuestion."""
    if text in published.table:
        return text, None
    condition = parse_condition(text, published)
    return condition.column, values_asked(condition)


def values_asked(condition: Condition) -> tuple[str, ...]:
    """Return the values that a condition names. Raises BadQuestion for a range."""
    if condition.is_range or condition.complement:
        raise BadQuestion("“{condition}” is a range; name values here, or put it behind --where.", condition=condition)
    return condition.values


# --- features


def indicator(column: Column, labels: Labels) -> Floats:
    """Return (m, 1) 1 for some labels, 0 for the others, NaN for missing ones. Raises BadQuestion."""
    labels = (labels,) if isinstance(labels, str) else labels
    flags = Condition(column.name, tuple(labels)).select_known(column)
    if not flags.any():
        raise BadQuestion("No published record has {column} = “{value}”.", column=column.name, value=labels[0])
    return np.where(column.missing & ~flags, np.nan, flags)[:, None].astype(float)


def numbers_of(published: Published, name: str) -> Floats:
    """Return (m, 1) the numbers of a column's labels, NaN for none. Raises BadQuestion for a column of words."""
    numbers = published.numbers(name)
    if numbers is None:
        raise BadQuestion("“{column}” holds no numbers; name one of its values.", column=name)
    return np.asarray(numbers, float)[:, None]


def _outcome(published: Published, analysis: Analysis) -> Feature:
    column = _column(published, analysis.outcome)
    if analysis.value is None:
        return Feature(analysis.outcome, numbers_of(published, analysis.outcome))
    return Feature(analysis.outcome, indicator(column, analysis.value))


def _column(published: Published, name: str) -> Column:
    if name not in published.table:
        raise BadQuestion(no_column(name, published.table.names))
    return published.table[name]


def _where(reader: Reader, analysis: Analysis) -> dict[str, Feature]:
    question = reader.resolve(analysis.where)
    return {
        f"where {at}": Feature(name, np.frombuffer(flags, bool)[:, None].astype(float))
        for at, (name, flags) in enumerate((*question.nsas, *question.sas))
    }


def _weight(values: Values) -> Floats:
    """Return (R or 1,) 1 for rows that meet all conditions and whose features all mean something, else 0."""
    weight: Floats = np.ones(1)
    for key, each in values.items():
        met = np.isfinite(each).all(axis=1)
        weight = weight * (each[:, 0] * met if key.startswith("where") else met)
    # A hidden value in a condition makes this a number between: its state counts with the score's weight.
    return np.nan_to_num(weight)


# --- a mean, and what compares the mean among the exposed with that among the others


def _ratio(reader: Reader, analysis: Analysis) -> Result:
    """Return a mean: y summed over who meets the conditions, by how many meet them, both by scores.

    Its ends are the roots t of (sum - t number)^2 = 1.96^2 V(sum - t number), for few rows (mechanism.md section 4).
    """
    published = reader.published
    features = {"y": _outcome(published, analysis), **_where(reader, analysis)}

    def score(theta: Floats, values: Values) -> tuple[Floats, Floats]:
        y = np.nan_to_num(values["y"])
        both = _weight(values)[:, None] * np.concatenate([y, np.ones_like(y)], axis=1)
        return both - theta, np.broadcast_to(-np.eye(2), (len(both), 2, 2))

    theta, table, alike = Equations(published, features).solve(score, np.zeros(2))
    (total, number), known, share = theta, features["y"].values, analysis.value is not None
    if number <= 0:
        raise NoAnswer(theta)
    unseen = 0.0  # of a share: how many may have a value that no row shows
    if share and published.is_sensitive(analysis.outcome):
        asked = [*analysis.where, Condition(analysis.outcome, (_NOBODY,))]
        unseen = reader.answer(asked).high / NORMAL_95 / published.n
    ends = np.array([0.0, 1.0] if share else [np.nanmin(known), np.nanmax(known)])
    theta = np.array([np.clip(total, *number * ends), number])  # the nearest that may be
    ratio = theta[0] / number
    figures, off = [ratio], np.array([1, -ratio]) / number
    for v in (table, alike):
        if share:  # two rows more, one with the value and one without (Agresti and Coull 1998)
            v = v + v[1, 1] / (number * published.n) * np.array([[1, 1], [1, 2]]) + np.diag([unseen**2, 0])
        none, one, two = (np.outer(theta, theta) - NORMAL_95**2 * v)[[0, 0, 1], [0, 1, 1]]
        reach = np.sqrt(max(one**2 - two * none, 0.0)) * np.array([-1, 1])
        figures += [*(np.clip((one + reach) / two, *ends) if two > 0 else ends)]  # of too few no end is ruled out
    figure = Estimate(_KNOWN[analysis.kind].name, *map(float, figures))
    return Result(analysis, (figure,), np.array([[max(off @ alike @ off, 0.0)]]))


def _one_figure(reader: Reader, analysis: Analysis, model: str, ends: tuple[float, float]) -> Result:
    """Return the coefficient of the exposure: a difference of means, or the logarithm of a ratio.

    With one exposure the model is saturated, so its coefficient and its sandwich variance are those of the figure.
    """
    published = reader.published
    column = _column(published, analysis.exposure)
    if analysis.exposed is None:
        raise BadQuestion("Name the value of “{column}” that is meant.", column=analysis.exposure)
    exposed = indicator(column, analysis.exposed)
    if analysis.unexposed is not None:
        # Who is neither is left out, not taken for unexposed.
        exposed[(exposed == 0) & (indicator(column, analysis.unexposed) != 1)] = np.nan
    features = {"y": _outcome(published, analysis), **_where(reader, analysis)}
    features["x 0"] = Feature(analysis.exposure, exposed)
    theta, *covariances = _fit(published, features, model)
    error, alike = (float(np.sqrt(max(each[-1, -1], 0.0))) for each in covariances)
    name, log = _KNOWN[analysis.kind].name, model != "linear"
    return Result(analysis, (_estimate(name, float(theta[-1]), error, alike, ends, log=log),), np.array([[alike**2]]))


def _estimate(
    name: str, value: float, error: float, alike: float, ends: tuple[float, float] = _ANY, *, log: bool = False
) -> Estimate:
    # Of a logarithm, where ratios scatter evenly, so that an end below 0 can't come out; else of the nearest value.
    value = float(np.clip(value, *ends))
    reach = (0.0, *(z * each for each in (error, alike) for z in (-NORMAL_95, NORMAL_95)))
    x, *four_ends = (math.exp(min(value + z, _FAR)) if log else float(np.clip(value + z, *ends)) for z in reach)
    return Estimate(name, x, *four_ends)


@register(say("share"), OUTCOME, say("share of rows that have a value"))
def share(reader: Reader, analysis: Analysis) -> Result:
    """Return the share of records that have a value, of those that have one at all. Raises BadQuestion."""
    if analysis.value is None:
        raise BadQuestion("Name the value of “{column}” that is meant.", column=analysis.outcome)
    return _ratio(reader, analysis)


register(say("mean"), NUMBERS, say("mean of a column of numbers"))(_ratio)


@register(say("difference"), COMPARISON, say("share of the outcome among the exposed less that among the others"))
def difference(reader: Reader, analysis: Analysis) -> Result:
    """Return the mean, or share, among the exposed less that among the unexposed."""
    return _one_figure(reader, analysis, "linear", (-1.0, 1.0) if analysis.value is not None else _ANY)


def _ratio_of_risks(reader: Reader, analysis: Analysis, model: str) -> Result:
    if analysis.value is None:
        raise BadQuestion("Name the value of “{column}” that is meant.", column=analysis.outcome)
    try:
        return _one_figure(reader, analysis, model, _ANY)
    except NoAnswer:
        raise BadQuestion("The release can't tell this ratio: one of its risks can't be told from none.") from None


for _name, _words, _model in (
    (say("risk ratio"), say("risk of the outcome among the exposed over that among the others"), "poisson"),
    (say("odds ratio"), say("odds of the outcome among the exposed over those among the others"), "logistic"),
):
    register(_name, COMPARISON, _words)(partial(_ratio_of_risks, model=_model))


# --- regressions


def _covariate(published: Published, name: str, rare: frozenset[str], notes: list[str]) -> tuple[Feature, list[str]]:
    """Return a covariate's columns of the design: its numbers, or a category each but the commonest.

    rare : names of categories that count as rare however many rows they have.
    """
    column = _column(published, name)
    # Bands of numbers count by what is typical in them, as the release says.
    numeric = published.numbers(name)
    if numeric is not None and column.values is not None:
        return Feature(name, np.asarray(numeric, float)[:, None]), [name]
    counts = np.where(column.missing, 0, column.counts())
    few = (counts < _THIN) | np.array([f"{name}={label}" in rare for label in column.labels])
    thin = few & (counts > 0) & ~column.missing
    kept = np.flatnonzero(~thin & ~column.missing)
    if len(kept) > _MOST_CATEGORIES:
        raise BadQuestion("“{column}” has too many values for a regression; put them into groups.", column=name)
    if len(kept) < 2:
        notes.append(say("“{column}” has one value in nearly all records, so it explains nothing.", column=name))
        return Feature(name, np.zeros((column.m, 0))), []
    # Against the commonest, so that the noise of the base is not in every coefficient.
    base = int(kept[np.argmax(counts[kept])])
    others = [int(code) for code in kept if code != base]
    values = np.zeros((column.m, len(others)))
    values[others, np.arange(len(others))] = 1
    values[column.missing] = np.nan
    if thin.any():
        hidden = published.is_sensitive(name)
        # Left out, a hidden thin value makes coefficients of unchanged columns up to six times as wide: it counts with
        # the commonest.
        if not hidden:
            values[thin] = np.nan
        number, records = int(thin.sum()), int(counts[thin].sum())
        what = (
            "Rare values of “{column}”: {n}; their records ({records}) count as “{base}”."
            if hidden
            else "Rare values of “{column}”: {n}; their records ({records}) are left out."
        )
        notes.append(say(what, records=records, n=number, column=name, base=str(column.labels[base])))
    return Feature(name, values), [f"{name}={column.labels[code]}" for code in others]


def _regress(reader: Reader, analysis: Analysis, model: str) -> Result:
    published = reader.published
    if model == "logistic" and analysis.value is None:
        raise BadQuestion("Name the value of “{column}” that is meant.", column=analysis.outcome)
    if not analysis.covariates:
        raise BadQuestion("A regression needs at least one column to go by.")
    if analysis.outcome in analysis.covariates:
        raise BadQuestion("“{column}” can't explain itself.", column=analysis.outcome)
    rare: frozenset[str] = frozenset()
    while True:
        notes: list[str] = []
        features = {"y": _outcome(published, analysis), **_where(reader, analysis)}
        names: list[str] = [say("(intercept)")]
        for at, name in enumerate(analysis.covariates):
            feature, added = _covariate(published, name, rare, notes)
            if added:
                features[f"x {at}"] = feature
            names += added
        try:
            theta, table, alike = _fit(published, features, model)
        except NoAnswer as fault:
            # One category of too few rows, whose share could be none or all, must not cost the whole regression.
            astray = {name for name, x in zip(names, fault.theta, strict=True) if abs(x) > _ASTRAY} - rare
            if not astray:
                raise
            rare |= astray
        else:
            break
    estimates = tuple(
        _estimate(name, float(value), float(np.sqrt(max(v, 0))), float(np.sqrt(max(w, 0))))
        for name, value, v, w in zip(names, theta, np.diag(table), np.diag(alike), strict=True)
    )
    return Result(analysis, estimates, alike, tuple(notes))


def _fit(published: Published, features: dict[str, Feature], model: str) -> tuple[Floats, Floats, Floats]:
    """Return coefficients, the intercept first, and their covariances about this table and about persons like these."""
    xs = [key for key in features if key.startswith("x ")]
    scale: Floats = np.concatenate([[1.0], *(np.nanmax(np.abs(features[key].values), 0, initial=0) for key in xs)])
    scale[scale < 1e-12] = 1.0  # columns of one size, so that the equations are well conditioned whatever their units

    def design(values: Values) -> Floats:
        parts = [np.nan_to_num(values[key]) for key in xs]
        rows = max(len(each) for each in (*parts, *values.values()))
        broad = [np.broadcast_to(each, (rows, each.shape[1])) for each in parts]
        return np.concatenate([np.ones((rows, 1)), *broad], axis=1) / scale

    def score(theta: Floats, values: Values) -> tuple[Floats, Floats]:
        x, y, weight = design(values), np.nan_to_num(values["y"])[:, 0], _weight(values)
        linear = x @ theta
        if model == "linear":
            expected, slope = linear, np.ones_like(linear)
        elif model == "logistic":
            expected = np.exp(-np.logaddexp(0.0, -linear))
            slope = expected * (1 - expected)
        else:
            expected = slope = np.exp(np.minimum(linear, 50))  # a first step too far would overflow
        # All three have the canonical link, so the score is the residual times the design.
        psi = (weight * (y - expected))[:, None] * x
        return psi, -(weight * slope)[:, None, None] * x[:, :, None] * x[:, None, :]

    try:
        theta, table, alike = Equations(published, features).solve(score, np.zeros(len(scale)))
    except NoAnswer as fault:
        raise NoAnswer(fault.theta / scale) from None
    squares = np.outer(scale, scale)
    return np.asarray(theta / scale), table / squares, alike / squares


for _model, _words in (
    ("linear", say("least squares of a value, or of a column of numbers, on columns")),
    ("logistic", say("logistic regression of a value on columns")),
    ("poisson", say("Poisson regression of a value, or of a column of numbers, on columns")),
):
    register(_model, REGRESSION, _words)(partial(_regress, model=_model))
