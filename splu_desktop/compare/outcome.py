"""What systems did: figures of every draw, their median and range, as plain data and as people are shown them.

Window, report and command line have the same columns and sentences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from splu_desktop.compare.base import Floats, System, TrueTable, say_briefly
from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.messages import Figure, Phrase, percent_of, say
from splu_desktop.core.thresholds import Thresholds

CURVE, SMALL_COUNTS, CERTAINTY = "curve", "equal small counts", "equal certainty"
_LINES = {CURVE: "", SMALL_COUNTS: say("as strong: small counts"), CERTAINTY: say("as strong: certainty")}

# Of one draw, None where it does not exist, and their heads; shares lie in 0..1.
FIGURES = {
    "small_wrong": say("small wrong"),  # counts up to alpha that are answered wrong by more than epsilon
    "large_right": say("large right"),  # large counts answered to within epsilon
    "row": say("row"),  # how often who finds a person's row, and knows the table's shares, is right about the value
    "classifier": say("classifier"),  # how often a classifier learnt from the answers is, by the unchanged columns
    "best_reader": say("best reader"),  # how often the best of guessing, row, classifier, and both together is
    "insider": say("insider"),  # how sure of the value who knows all other records is on average, at least
}


@dataclass(frozen=True, eq=False)
class SystemResult:
    """One system with one setting.

    system : with its parameters.
    line : of its own curve, or as strong as the plan for small counts or in certainty.
    impossible : why the table can't be published so, or that it took too long; "" where it could.
    draws : `FIGURES` of each draw, () where it could not.
    metrics : the papers' own measures of the first draw.
    t_p, t_f : T_P of all selections, T_f of the whole table; none where no count is told within epsilon.
    epsilon : the least for which a record's part is differentially private; infinite where none is.
    own : (Q,) counts answered to the custodian's questions, where there are some.
    """

    system: System
    line: str
    impossible: str = ""
    draws: tuple[Mapping[str, float | None], ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)
    t_p: float | None = None
    t_f: int | None = None
    epsilon: float = math.inf
    own: Floats | None = None

    def spread(self, name: str) -> tuple[float, float, float] | None:
        """Return a figure's least, median and largest over the draws; None where it does not exist."""
        figures = [each[name] for each in self.draws]
        values = [value for value in figures if value is not None]
        return (float(min(values)), float(np.median(values)), float(max(values))) if values else None

    def median(self, name: str) -> float | None:
        """Return a figure's median over the draws; None where it does not exist."""
        spread = self.spread(name)
        return None if spread is None else spread[1]

    def say_range(self, name: str) -> Figure:
        """Return a figure's median, and its range, in per cent."""
        if (spread := self.spread(name)) is None:
            return Figure("–")
        low, middle, high = (f"{100 * each:.0f}" for each in spread)
        return Figure(f"{middle} %" if low == high else f"{middle} % ({low}–{high})")

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        spreads = {name: spread for name in FIGURES if (spread := self.spread(name)) is not None}
        low, middle, high = ({name: spread[at] for name, spread in spreads.items()} for at in range(3))
        return {
            "system": self.system.name,
            "title": str(self.system.title),
            "line": self.line,
            "parameters": self.system.parameters,
            "setting": str(self.system.setting),
            "impossible": str(self.impossible),
            "draws": len(self.draws),
            "achieved": {**middle, "metrics": _finite(self.metrics)} if self.draws else None,
            "low": low,
            "high": high,
            **_finite({"t_p": self.t_p, "t_f": self.t_f, "epsilon": self.epsilon}),
        }

    def say_impossible(self) -> Phrase:
        """Return that it was not carried out, and why."""
        words = {"method": self.system.title, "setting": self.system.setting, "why": self.impossible}
        return Phrase("{method}, {setting}: {why}" if self.system.parameters else "{method}: {why}", words)


@dataclass(frozen=True, eq=False)
class Comparison:
    """All systems on one table.

    source : the table; its `sensitivity` is what differential privacy's noise covers.
    question_count : counting questions.
    thresholds : epsilon and alpha that answers are judged by.
    guess : how often who only knows the most frequent value is right.
    classifier : how often naive Bayes learnt from the original is.
    systems : in the order of the register, the plan first.
    own : the custodian's questions, each with the true count.
    """

    source: TrueTable
    question_count: int
    thresholds: Thresholds
    guess: float
    classifier: float
    systems: tuple[SystemResult, ...]
    own: tuple[tuple[Sequence[Condition], int], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data, without any value of a record."""
        estimates = [each.own for each in self.systems]
        own = [
            {
                "conditions": [*map(str, asked)],
                "truth": truth,
                "answers": [None if each is None else {"estimate": float(each[at])} for each in estimates],
            }
            for at, (asked, truth) in enumerate(self.own)
        ]
        return {
            "sensitive": self.source.sensitive.name,
            "unchanged": [column.name for column in self.source.columns],
            "records": self.source.n,
            "values": self.source.m,
            "sensitivity": self.source.sensitivity,
            "epsilon": self.thresholds.epsilon,
            "alpha": self.thresholds.alpha,
            "asked": self.question_count,
            "guess": self.guess,
            "classifier": self.classifier,
            "tried": [each.as_dict() for each in self.systems],
            "own": own,
        }

    def explain(self) -> tuple[Phrase, ...]:
        """Return what was compared, in two sentences, then what columns mean and what each kind of method is for."""
        asked = self.thresholds
        return (
            say(
                "“{column}” in {n} records: {asked} counts asked of every method; one record can meet {meeting} of all "
                "that is asked.",
                column=self.source.sensitive.name,
                n=self.source.n,
                asked=self.question_count,
                meeting=self.source.sensitivity,
            ),
            say(
                "Guessing the most frequent value is right about {guess}; what the original teaches about the other "
                "columns, {classifier}.",
                guess=percent_of(self.guess),
                classifier=percent_of(self.classifier),
            ),
            say(
                "Figures are medians, with the range over the draws. small wrong: counts of 1 to {alpha} told wrong "
                "by more than {epsilon}; large right: counts of 0.5 % and more told within it. T_P: how often a value "
                "of 1 to {alpha} rows is counted wrong, at least, whatever rows are asked about. T_f: rows of the "
                "whole table from which at most {t_e} are.",
                alpha=str(asked.alpha),
                epsilon=Figure(f"{100 * asked.epsilon:.0f} %"),
                t_e=Figure(f"{100 * asked.t_e:.0f} %"),
            ),
            say(
                "epsilon: of differential privacy, for all that is asked together by basic composition, with delta 0. "
                "What the other columns mean stands in the guide, under “Beside other methods”."
            ),
        )


def _finite(figures: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return figures as JSON can hold them: None for what is no number, or infinite."""
    return {name: value if value is not None and math.isfinite(value) else None for name, value in figures.items()}


class ShownColumn(NamedTuple):
    """A column: its head, "l" or "r" for its edge, and the cell of a system that was tried."""

    head: str
    edge: str
    cell: Callable[[SystemResult], str]


COLUMNS = {
    "title": ShownColumn(say("method"), "l", lambda row: row.system.title),
    "setting": ShownColumn(say("setting"), "l", lambda row: row.system.setting),
    "line": ShownColumn("", "l", lambda row: _LINES[row.line]),
    **{name: ShownColumn(head, "r", partial(SystemResult.say_range, name=name)) for name, head in FIGURES.items()},
    "t_p": ShownColumn("T_P", "r", lambda row: Figure("–" if row.t_p is None else f"{row.t_p:.2f}")),
    "t_f": ShownColumn("T_f", "r", lambda row: Figure("–" if row.t_f is None else f"{row.t_f:,}")),
    "epsilon": ShownColumn("ε", "r", lambda row: say_briefly(row.epsilon)),
}
MEASURES = ShownColumn(
    say("the papers' own measures"),
    "l",
    lambda row: Figure("; ".join(f"{name} {say_briefly(each)}" for name, each in row.metrics.items())),
)
