"""What would meet the thresholds that are not met now, as buttons. Every way offered has been tried in the worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QHBoxLayout, QWidget

from splu_desktop.core.generalise import Steps, column_after
from splu_desktop.core.guarantees import exact as guarantees
from splu_desktop.core.guarantees import planning, public_figures, sentences
from splu_desktop.core.guarantees.remedies import RemedyKind, remedies
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.widgets import emptied, margins, way_button
from splu_desktop.gui.base.words import number, percent, t, told

_MOST = 3


@dataclass(frozen=True)
class WayOut:
    """What to change so that one more threshold is met; what is None stays.

    Attributes
    ----------
    gamma : another group size.
    thresholds : other thresholds: a smaller or larger epsilon, or a smaller alpha.
    steps : other groups of values.
    words : what the groups are.
    """

    gamma: int | None = None
    thresholds: Thresholds | None = None
    steps: Steps | None = None
    words: str = ""


def ways_out(
    column: Column, steps: Steps, gamma: int, thresholds: Thresholds, progress: Progress
) -> tuple[WayOut, ...]:
    """Return what would meet the thresholds, best first; empty where all are met. Runs in a worker.

    column, steps : the column as in the source, and how it is generalised.
    """
    progress.report("Promises", 0.0)
    after = column_after(column, steps)
    counts = after.counts()
    counts = counts[counts > 0]
    found: list[WayOut] = []
    epsilon, alpha, t_e = thresholds.epsilon, thresholds.alpha, thresholds.t_e
    if thresholds.t_p is not None and not _protected(gamma, after.n, len(counts), thresholds):
        found += _more_protection(column, steps, counts, after.n, thresholds)
    least = guarantees.t_f(gamma, epsilon, t_e)
    if least <= alpha:
        smaller = _larger_t_f(gamma, thresholds)
        found += [WayOut(thresholds=replace(thresholds, epsilon=smaller))] if smaller is not None else []
    most = int(counts.max())
    if least > most:
        for remedy in remedies(column, steps, gamma, thresholds):
            if remedy.kind is RemedyKind.GROUP:
                found.append(WayOut(steps=remedy.steps, words=told(remedy.words)))
        enough = sentences.epsilon_that_answers(gamma, t_e, most)
        if enough is not None:
            found.append(WayOut(thresholds=replace(thresholds, epsilon=enough)))
    now = _unmet(column, steps, gamma, thresholds)
    return tuple(
        way
        for way in dict.fromkeys(found)
        if _unmet(
            column,
            steps if way.steps is None else way.steps,
            way.gamma or gamma,
            way.thresholds or thresholds,
        )
        < now
    )


def _unmet(column: Column, steps: Steps, gamma: int, thresholds: Thresholds) -> int:
    """Return how many thresholds are not met; more than there are where gamma is not possible."""
    after = column_after(column, steps)
    counts = after.counts()
    if gamma > after.n // int(counts.max()):
        return 99
    return len(sentences.value_warnings(planning.plan_values(counts[counts > 0], after.n, gamma, thresholds)))


def _more_protection(
    column: Column, steps: Steps, counts: NDArray[np.int64], n: int, thresholds: Thresholds
) -> list[WayOut]:
    advice = planning.recommend(counts, n, thresholds)
    if advice.gamma is not None:
        return [WayOut(gamma=advice.gamma)]
    found = []
    if advice.needed is not None:
        found += [
            WayOut(gamma=advice.needed, steps=remedy.steps, words=told(remedy.words))
            for remedy in remedies(column, steps, advice.needed)
            if remedy.kind is RemedyKind.FINER and remedy.largest_gamma >= advice.needed
        ]
    if advice.epsilon is not None:
        found.append(WayOut(gamma=advice.largest, thresholds=replace(thresholds, epsilon=advice.epsilon)))
    if advice.alpha is not None:
        found.append(WayOut(gamma=advice.largest, thresholds=replace(thresholds, alpha=advice.alpha)))
    return found


def _protected(gamma: int, n: int, values: int, thresholds: Thresholds) -> bool:
    assert thresholds.t_p is not None
    epsilon, alpha = thresholds.epsilon, thresholds.alpha
    told = public_figures.tell_small(n, gamma, values, guarantees.checked_epsilon(epsilon), alpha)
    return not told and guarantees.t_p_reaches(gamma, epsilon, alpha, thresholds.t_p)


def _larger_t_f(gamma: int, thresholds: Thresholds) -> float | None:
    """Return the largest epsilon of whole per cent below the present one that promises no small count."""
    for cent in range(min(99, round(100 * thresholds.epsilon) - 1), 1, -1):
        if guarantees.t_f(gamma, cent / 100, thresholds.t_e) > thresholds.alpha:
            return cent / 100
    return None


class WaysOutRow(QWidget):
    """The buttons."""

    def __init__(self, take: Callable[[WayOut], None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._take = take
        self._row = margins(QHBoxLayout(self), 0, spacing=8)
        self.shown: tuple[WayOut, ...] = ()
        self.hide()

    def show_ways(self, found: tuple[WayOut, ...], gamma: int, now: Thresholds) -> None:
        """Show other ways from the present gamma and thresholds."""
        if found == self.shown:
            return
        self.shown = found
        emptied(self._row)
        for way in found[:_MOST]:
            self._row.addWidget(way_button(self._words(way, gamma, now), partial(self._take, way)))
        self._row.addStretch(1)
        self.setVisible(bool(found))

    def _words(self, way: WayOut, gamma: int, now: Thresholds) -> str:
        if way.steps is not None:
            change = way.words
        elif way.thresholds is None:
            return t("Use gamma {gamma}", gamma=number(way.gamma or gamma))
        elif way.thresholds.alpha != now.alpha:
            change = t("Call counts up to {alpha} small", alpha=number(way.thresholds.alpha))
        else:
            change = t("Set the error to {epsilon}", epsilon=percent(way.thresholds.epsilon))
        if way.gamma in (None, gamma):
            return change
        return t("{change}, with gamma {gamma}", change=change, gamma=number(way.gamma or gamma))
