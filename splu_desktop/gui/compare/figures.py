"""What a comparison shows of each method with each setting: a row of the table, a point of the picture, sentences."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

from splu_desktop.compare.ours.splu import of_plan
from splu_desktop.compare.runner import LARGE, Achieved, Comparison, SystemTried, compare
from splu_desktop.compare.systems import SYSTEMS
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Table
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.words import filled, joined, number, percent, t, told
from splu_desktop.report.comparison import own_questions
from splu_desktop.report.content.comparison import letters

_OWN = 20  # questions of the custodian that are shown of each method; what is saved has all


@dataclass(frozen=True)
class MethodShown:
    """One method with one setting.

    Attributes
    ----------
    name : of the system.
    letter : of the method in picture and table, "" where it was not possible.
    title, setting : in the window's language.
    place : in the comparison.
    achieved : its figures, None where it was not possible.
    sentences : what it does, what it came to here, what it promises, and what else is to be said.
    """

    name: str
    letter: str
    title: str
    setting: str
    place: int
    first: bool
    achieved: Achieved | None
    sentences: tuple[str, ...]

    @property
    def planned(self) -> bool:
        """Whether it is the current plan."""
        return self.name == "plan"


def compared(
    table: Table, plan: Plan, column: str, own: Path | None, more: bool, size: int, limit: float, progress: Progress
) -> Comparison:
    """Compare the plan's way with a column to the methods weighed first, or to all. Runs in a worker.

    own : file of the custodian's questions, limit : seconds for each method. Raises SpluError, Cancelled.
    """
    progress.report("Comparing", 0.0)
    source, planned = of_plan(table, plan, column)
    return compare(
        source,
        [system for system in SYSTEMS if more or system.first],
        plan=planned,
        size=size,
        own=own_questions(own, source, plan),
        thresholds=plan.thresholds,
        limit=limit,
        progress=progress,
    )


def methods(comparison: Comparison) -> tuple[MethodShown, ...]:
    """Return all methods of a comparison, those weighed first before all others."""
    known = letters(comparison)
    found = (
        MethodShown(
            name=each.system.name,
            letter=known.get(each.system.name, "") if each.achieved is not None else "",
            title=told(each.system.title),
            setting=told(each.system.setting),
            place=place,
            first=each.system.first,
            achieved=each.achieved,
            sentences=_sentences(each, comparison),
        )
        for place, each in enumerate(comparison.tried)
    )
    return tuple(sorted(found, key=lambda each: not each.first))


def share(value: float | None) -> str:
    """Return a share in per cent, a dash where there is none."""
    return "–" if value is None else percent(value, 0)


def _sentences(each: SystemTried, comparison: Comparison) -> tuple[str, ...]:
    said = [told(each.system.words)]
    if each.achieved is None:
        reason = told(each.impossible)
        return (*said, t("Not possible here: {reason}", reason=reason))
    # Through `told`, so that no line begins with a per cent sign.
    said += map(told, (_read(each.achieved, comparison), _insider(each.achieved), each.system.promise))
    return (*said, *map(told, each.remarks), _errors(each.achieved, comparison), *_own(each, comparison))


def _errors(a: Achieved, comparison: Comparison) -> str:
    bands = zip(comparison.bands, a.errors, strict=True)
    listed = joined(joined((told(band), share(error)), ":") for band, error in bands if error is not None)
    return t("Mean error by size of the count: {errors}.", errors=listed)


def _own(each: SystemTried, comparison: Comparison) -> list[str]:
    if each.own is None or not comparison.own:
        return []
    ranged = t("{question}: {answer} ({low} to {high}), truly {truth}")
    alone = t("{question}: {answer}, truly {truth}")
    found = zip(comparison.own, each.own.estimate, each.own.low, each.own.high, comparison.own_truth, strict=True)
    lines = [t("Your questions:")]
    for conditions, *figures in itertools.islice(found, _OWN):
        answer, low, high, truth = ("–" if math.isnan(figure) else number(figure) for figure in figures)
        text = alone if low == "–" else ranged
        asked = joined(map(str, conditions)) or t("all records")
        lines.append(filled(text, question=asked, answer=answer, low=low, high=high, truth=truth))
    return ["\n".join(lines)]


def _read(a: Achieved, comparison: Comparison) -> str:
    text = t(
        "On this table: a colleague who knows a person's other columns is right about {colleague} of the persons;"
        " guessing alone, about {guess}. Of counts of {least} or more {large} are right to within {epsilon}, of those"
        " up to {alpha} {small} are wrong."
    )
    return filled(
        text,
        colleague=share(a.colleague),
        guess=share(comparison.guess),
        least=number(math.ceil(LARGE * comparison.source.n)),
        large=share(a.answerable),
        alpha=number(comparison.thresholds.alpha),
        small=share(a.small_wrong),
        epsilon=percent(comparison.thresholds.epsilon, 0),
    )


def _insider(a: Achieved) -> str:
    if a.insider_sole is None:
        text = t(
            "Who knows all other records is {insider} sure of the true value on average, at least, and surer of values"
            " that few have."
        )
        return filled(text, insider=share(a.insider))
    text = t(
        "Who knows all other records is {insider} sure of the true value on average, at least, and surer of values that"
        " few have: {sole} where one person alone has the value."
    )
    return filled(text, insider=share(a.insider), sole=share(a.insider_sole))


def whole(value: float | None) -> str:
    """Return a number without places, a dash where there is none."""
    return "–" if value is None else number(value)
