"""What a comparison shows of each method with each setting: a row of the table, a point of the picture, sentences."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from splu_desktop.compare.ours.splu import of_plan
from splu_desktop.compare.runner import Achieved, Comparison, SystemTried, compare
from splu_desktop.compare.systems import SYSTEMS
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Table
from splu_desktop.gui.base.words import filled, number, percent, told
from splu_desktop.report.content.comparison import letters


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
    table: Table, plan: Plan, column: str, more: bool, size: int, limit: float, progress: Progress
) -> Comparison:
    """Compare the plan's way with a column to the methods weighed first, or to all. Runs in a worker.

    limit : seconds for each method. Raises SpluError, Cancelled.
    """
    progress.report("Comparing", 0.0)
    source, planned = of_plan(table, plan, column)
    systems = [system for system in SYSTEMS if more or system.first]
    return compare(source, systems, plan=planned, size=size, thresholds=plan.thresholds, limit=limit, progress=progress)


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
        return (*said, filled(QCoreApplication.translate("compare", "Not possible here: {reason}"), reason=reason))
    # Through `told`, so that no line begins with a per cent sign.
    said += map(told, (_read(each.achieved, comparison), _insider(each.achieved), each.system.promise))
    return (*said, *map(told, each.remarks))


def _read(a: Achieved, comparison: Comparison) -> str:
    text = QCoreApplication.translate(
        "compare",
        "On this table: a colleague who knows a person's other columns is right about {colleague} of the persons;"
        " guessing alone, about {guess}. Of large counts {large} are right to within {epsilon}, of small ones {small}"
        " are wrong.",
    )
    return filled(
        text,
        colleague=share(a.colleague),
        guess=share(comparison.guess),
        large=share(a.answerable),
        small=share(a.small_wrong),
        epsilon=percent(comparison.thresholds.epsilon, 0),
    )


def _insider(a: Achieved) -> str:
    if a.insider_sole is None:
        text = QCoreApplication.translate(
            "compare",
            "Who knows all other records is {insider} sure of the true value on average, at least, and surer of values"
            " that few have.",
        )
        return filled(text, insider=share(a.insider))
    text = QCoreApplication.translate(
        "compare",
        "Who knows all other records is {insider} sure of the true value on average, at least, and surer of values that"
        " few have: {sole} where one person alone has the value.",
    )
    return filled(text, insider=share(a.insider), sole=share(a.insider_sole))


def whole(value: int | None) -> str:
    """Return a number of records, a dash where there is none."""
    return "–" if value is None else number(value)
