"""The three figures of a verdict with their limits, as Proposal and Publish show them."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QLocale

from splu_desktop.core.messages import cases_of_100
from splu_desktop.core.policy import Line, Verdict
from splu_desktop.core.policy.figures import FEWEST_CELLS
from splu_desktop.gui.base.messages import one_in
from splu_desktop.gui.base.words import number, t, translate

EARLIER = "second-release"  # the line that no other plan repairs: what went out before is handed out again


def strength_words(gamma: float) -> str:
    """Return a strength as it is typed: 5, 2.5."""
    return QLocale().toString(float(gamma), "g", 6)


def useful(verdict: Verdict, answered: int, cells: int) -> bool:
    """Return whether so many readable cells of so many are enough."""
    return cells >= FEWEST_CELLS and answered >= verdict.limits.useful * cells


@lru_cache(maxsize=4)
def _alike(verdict: Verdict) -> tuple[int, int]:
    """Return how many look alike at least, and how many are too few: of a million persons that takes a while."""
    return int(verdict.figures.alike.smallest), int(verdict.figures.alike.below(verdict.limits.alike))


def repair_words(line: Line) -> str:
    """Return what a line's button says, "" where nothing repairs it."""
    if line.repair is None:
        known = line.name == EARLIER and line.value is not None  # else the register is in doubt about it
        return t("Hand out the earlier one…") if known else ""
    return translate(line.repair.words)


def out_of_date() -> tuple[str, str, str]:
    """Return state, title and sentence of the verdict on a proposal whose questions were changed since."""
    return "amber", t("Out of date"), t("The questions were changed. This proposal still answers the old ones.")


def band_figures(
    verdict: Verdict, persons: str, answered: int | None = None, cells: int | None = None, average: float | None = None
) -> list[tuple[str, str, str]]:
    """Return (state, figure, limit) of cells, likeness and certainty; of another strength where figures are given.

    persons : what is counted, in words.
    """
    figures, limits = verdict.figures, verdict.limits
    answered = figures.readable if answered is None else answered
    cells = figures.cells if cells is None else cells
    average = figures.certainty.average if average is None else average
    smallest, few = _alike(verdict)
    return [
        (
            "ok" if useful(verdict, answered, cells) else "amber",
            t("{n} of {cells}", n=number(answered), cells=number(cells)) if cells else number(0),
            t("cells are readable"),
        ),
        (
            "ok" if not few else "red",
            t("{n} alike", n=number(smallest)),
            t("{persons}, at least {k}", persons=persons, k=limits.alike),
        ),
        (
            "ok" if average <= limits.average + 1e-9 else "red",
            t("{n} in 100 right", n=cases_of_100(average)),
            t("rows, at most {share}", share=one_in(limits.average)),
        ),
    ]
