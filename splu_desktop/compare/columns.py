"""What people are shown of a comparison: the same columns and sentences in window, report and command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from splu_desktop.compare.base import said_briefly
from splu_desktop.compare.outcome import CERTAINTY, CURVE, FIGURES, SMALL_COUNTS, Comparison, SystemResult
from splu_desktop.core.messages import Figure, Phrase, percent_of, say

_LINES = {CURVE: "", SMALL_COUNTS: say("as strong: small counts"), CERTAINTY: say("as strong: certainty")}


class ShownColumn(NamedTuple):
    """A column: its head, "l" or "r" for its edge, and the cell of a system that was tried."""

    head: str
    edge: str
    cell: Callable[[SystemResult], str]


def _range_column(head: str, figure: str) -> ShownColumn:
    def cell(tried: SystemResult) -> str:
        spread = tried.spread(figure)
        if spread is None:
            return Figure("–")
        low, middle, high = (f"{100 * each:.0f}" for each in spread)
        return Figure(f"{middle} %" if low == high else f"{middle} % ({low}–{high})")

    return ShownColumn(head, "r", cell)


COLUMNS = {
    "title": ShownColumn(say("method"), "l", lambda row: row.system.title),
    "setting": ShownColumn(say("setting"), "l", lambda row: row.system.setting),
    "line": ShownColumn("", "l", lambda row: _LINES[row.line]),
    **{name: _range_column(head, name) for name, head in FIGURES.items()},
    "t_p": ShownColumn("T_P", "r", lambda row: Figure("–" if row.t_p is None else f"{row.t_p:.2f}")),
    "t_f": ShownColumn("T_f", "r", lambda row: Figure("–" if row.t_f is None else f"{row.t_f:,}")),
    "epsilon": ShownColumn("ε", "r", lambda row: said_briefly(row.epsilon)),
}
MEASURES = ShownColumn(
    say("the papers' own measures"),
    "l",
    lambda row: Figure("; ".join(f"{name} {said_briefly(each)}" for name, each in row.metrics.items())),
)


def explain(comparison: Comparison) -> tuple[Phrase, ...]:
    """Return what was compared, in two sentences, then what the columns mean and what each kind of method is for."""
    asked = comparison.thresholds
    return (
        say(
            "“{column}” in {n} records: {asked} counts asked of every method; one record can meet {meeting} of all "
            "that is asked.",
            column=comparison.source.sensitive.name,
            n=comparison.source.n,
            asked=comparison.question_count,
            meeting=comparison.source.sensitivity,
        ),
        say(
            "Guessing the most frequent value is right about {guess}; what the original teaches about the other "
            "columns, {classifier}.",
            guess=percent_of(comparison.guess),
            classifier=percent_of(comparison.classifier),
        ),
        say(
            "Figures are medians, with the range over the draws. small wrong: counts of 1 to {alpha} told wrong by "
            "more than {epsilon}; large right: counts of 0.5 % and more told within it. T_P: how often a value of 1 to "
            "{alpha} rows is counted wrong, at least, whatever rows are asked about. T_f: rows of the whole table from "
            "which at most {t_e} are.",
            alpha=str(asked.alpha),
            epsilon=Figure(f"{100 * asked.epsilon:.0f} %"),
            t_e=Figure(f"{100 * asked.t_e:.0f} %"),
        ),
        say(
            "epsilon: of differential privacy, for all that is asked together by basic composition, with delta 0. "
            "What the other columns mean stands in the guide, under “Beside other methods”."
        ),
    )


def say_impossible(tried: SystemResult) -> Phrase:
    """Return which method was not carried out, and why."""
    words = {"method": tried.system.title, "setting": tried.system.setting, "why": tried.impossible}
    return Phrase("{method}, {setting}: {why}" if tried.system.parameters else "{method}: {why}", words)
