"""An analysis as people ask for it: its kind and what they type or choose, read and answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import Enum

from splu_desktop.core.analyse import analyses, regression
from splu_desktop.core.analyse.figures import Analysed
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.persons import NARROW
from splu_desktop.core.published import Published
from splu_desktop.core.query.condition import Condition, column_named, parse_condition
from splu_desktop.core.query.reader import Reader
from splu_desktop.frozen import dataclass


class AnalysisKind(Enum):
    """What can be asked beside counts, by its name on the command line."""

    SHARE = "share"
    DIFFERENCE = "difference"
    RATIO = "ratio"
    ODDS_RATIO = "odds-ratio"
    MEAN = "mean"
    QUANTILE = "quantile"
    TREND = "trend"
    CROSSTAB = "crosstab"
    LOGIT = "logit"
    POISSON = "poisson"


@dataclass(frozen=True)
class Analysis:
    """An analysis that is asked for.

    Attributes
    ----------
    first : conditions; of a trend or share those counted, of a regression the outcome.
    second : of a difference or ratio those compared with, of an odds ratio those whose odds are meant.
    where : conditions that all records counted meet.
    columns : of a mean or quantile the numbers, of a trend the dates, of a cross-table rows and columns.
    on : of a regression, what it goes on: columns, or conditions.
    counted : of a Poisson regression, the column of numbers that is the outcome; "" where it is conditions.
    """

    kind: AnalysisKind
    first: tuple[Condition, ...] = ()
    second: tuple[Condition, ...] = ()
    where: tuple[Condition, ...] = ()
    columns: tuple[str, ...] = ()
    on: tuple[regression.Term, ...] = ()
    counted: str = ""
    period: str = ""
    q: float = 0.5

    def answer(self, reader: Reader) -> Analysed:
        """Return the figures with their 95 % intervals, and what must be known of them. Raises BadQuestion."""
        self._check()
        found = self._figures(reader)
        return replace(found, notes=(*found.notes, NARROW)) if reader.published.by_person else found

    def _figures(self, reader: Reader) -> Analysed:
        match self.kind:
            case AnalysisKind.SHARE:
                return analyses.share(reader, self.first, self.where)
            case AnalysisKind.DIFFERENCE:
                return analyses.difference(reader, self.first, self.second, self.where)
            case AnalysisKind.RATIO:
                return analyses.ratio(reader, self.first, self.second, self.where)
            case AnalysisKind.ODDS_RATIO:
                return analyses.odds_ratio(reader, self.first, self.second, self.where)
            case AnalysisKind.MEAN:
                return analyses.mean(reader, self.columns[0], (*self.first, *self.where))
            case AnalysisKind.QUANTILE:
                return analyses.quantile(reader, self.columns[0], self.q, (*self.first, *self.where))
            case AnalysisKind.TREND:
                return analyses.trend(reader, (*self.first, *self.where), self.columns[0], self.period)
            case AnalysisKind.CROSSTAB:
                return analyses.crosstab(reader, self.columns[0], self.columns[1], self.where)
            case AnalysisKind.LOGIT:
                return regression.logit(reader, self.first, self.on, self.where)
            case AnalysisKind.POISSON:
                return regression.poisson(reader, self.counted or self.first, self.on, self.where)

    def answered(self, reader: Reader) -> bool:
        """Whether a release can tell it."""
        return _can(self.answer, reader)

    def _check(self) -> None:
        """Raise BadQuestion where something is missing that this kind is made of."""
        compared = (AnalysisKind.DIFFERENCE, AnalysisKind.RATIO, AnalysisKind.ODDS_RATIO)
        plain = (AnalysisKind.MEAN, AnalysisKind.QUANTILE, AnalysisKind.CROSSTAB)
        if self.kind not in plain and not self.first and not self.counted:
            raise BadQuestion("Name a condition first, such as Diagnosis=Stroke.")
        if self.kind in compared and not self.second:
            raise BadQuestion("Name a second condition, such as Diagnosis=Stroke.")
        if self.kind in (AnalysisKind.LOGIT, AnalysisKind.POISSON) and not self.on:
            raise BadQuestion("Name at least one column, or a condition, for the regression to go on.")


# --- what people type


def conditions_of(text: str, published: Published) -> tuple[Condition, ...]:
    """Read one condition, or several with ; between them. Raises BadQuestion."""
    try:
        return (parse_condition(text, published),)
    except BadQuestion:
        parts = text.split(";")
        if len(parts) == 1:
            raise
        return tuple(parse_condition(part.strip(), published) for part in parts)


def column_and_period(text: str, published: Published) -> tuple[str, str]:
    """Read COLUMN or COLUMN:PERIOD; a name may hold a colon itself. Raises BadQuestion."""
    name, _, period = text.rpartition(":")
    if text in published.table or (period not in analyses.PERIODS and name not in published.table):
        return column_named(text, published), ""
    return column_named(name, published), period


def columns_of_numbers(reader: Reader) -> tuple[str, ...]:
    """Return the columns that a mean or quantile can be taken of."""
    return tuple(name for name in reader.published.table.names if _can(analyses.numbers_of, reader, name))


def columns_of_time(reader: Reader) -> dict[str, tuple[str, ...]]:
    """Return the columns that a trend can go over, dates first, each with the periods it tells; none for numbers."""
    found: dict[str, tuple[str, ...]] = {}
    for name in reader.published.nsas:
        column = reader.published.table[name]
        if analyses.has_numbers(column):
            found[name] = ()
        elif told := analyses.told_periods(column):
            found[name] = told
    return dict(sorted(found.items(), key=lambda each: not each[1]))


def _can(ask: Callable[..., object], *of: object) -> bool:
    try:
        ask(*of)
    except BadQuestion:
        return False
    return True
