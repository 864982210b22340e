"""Sensitive columns that hang together: rows in which their draws fit each other show true values more often.

Each SA is drawn by itself, so of a record with (x, y) the row shows (u, w) with probability T_x[x, u] T_y[y, w].
Someone who knows how the columns hang together (age in years and in months) sees where u and w fit, and draws that fit
are seldom decoys. With J the shares of all pairs of values,

    P(shown u, w) = (T_x' J T_y)[u, w],    P(shown u, w and x = u) = T_x[u, u] (J T_y)[u, w],

which is exact for the release as planned. Pairs fit where they occur more often than independent columns would have
them, c records where e = f_u f_w / N are expected, beyond chance: c ln(c/e) - (c - e) >= ln(m_x m_y / `ALPHA`) (the
Chernoff bound of a Poisson count, which bounds a hypergeometric one too).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw import Draw
from splu_desktop.core.messages import Figure, say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.risk.giveaway import ALPHA, LIFT
from splu_desktop.core.table import Column, Table
from splu_desktop.frozen import dataclass

_STAGE = "Looking for sensitive columns that say the same"
OVERALL = 1.4  # by which the odds rise over all rows that fit: m values said twice, (m - 1) / (gamma - 1) times
_LARGEST = 25_000_000  # pairs of values looked at; beyond, hardly a pair has records enough to show that it fits

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Alike:
    """Two SAs that hang together, and what it gives away of the first.

    Attributes
    ----------
    column, other : their names.
    fitting : share of the published rows in which the two values fit each other.
    right : share of these in which the value of `column` is the record's own.
    alone : the same for rows of which only `column` is read: what is promised.
    value : the value of which fitting rows show the truth most often.
    most : how often.
    """

    column: str
    other: str
    fitting: float
    right: float
    alone: float
    value: str
    most: float

    @property
    def sentence(self) -> str:
        """What it means and what to do."""
        return say(
            "“{column}” and “{other}” hang together, and each is re-drawn by itself: where the two values of a row fit "
            "each other, as in {fitting} of the rows, that of “{column}” is the record's own in {right} instead of "
            "{alone}, and “{value}” in {most}. Draw them together, or leave one of the two out.",
            column=self.column,
            other=self.other,
            fitting=_percent(self.fitting),
            right=_percent(self.right),
            alone=_percent(self.alone),
            value=self.value,
            most=_percent(self.most),
        )


def _percent(share: float) -> Figure:
    return Figure("< 1 %" if share < 0.005 else f"{100 * share:.0f} %")


def alike(table: Table, draws: Mapping[str, Draw], progress: Progress = SILENT) -> tuple[Alike, ...]:
    """Return the pairs of SAs that give each other away, the worst first.

    Named is a pair where some value's odds of being true are, in the rows that fit, `LIFT` times those alone, or those
    of all values together `OVERALL` times.

    Parameters
    ----------
    table : with the SAs, generalised.
    draws : SA -> its draw, each eligible for its column.

    Raises UnknownColumn; Infeasible; Cancelled.
    """
    matrices: dict[str, Floats] = {}
    found = []
    # What is drawn together fits each other anyway; what that gives away, its draw says.
    pairs = [(a, b) for a, b in combinations(draws, 2) if b not in draws[a].block(a)]
    for at, (a, b) in enumerate(pairs):
        progress.report(_STAGE, at / len(pairs))
        first, second = table[a].compacted(), table[b].compacted()
        if first.m * second.m > _LARGEST or not table.n:
            continue
        joint = Table((first, second)).crossed(a, b)
        fits = _fits(joint)
        if not fits.any():
            continue
        for column in (first, second):
            if column.name not in matrices:
                matrices[column.name] = draws[column.name].chances(column)
        shares = joint / table.n
        told = (
            _given(first, second, shares, fits, matrices[a], matrices[b]),
            _given(second, first, shares.T, fits.T, matrices[b], matrices[a]),
        )
        worst = max((each for each in told if each is not None), key=lambda each: each.right, default=None)
        if worst is not None:
            found.append(worst)
    return tuple(sorted(found, key=lambda each: -each.right))


def _fits(joint: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return (m_x, m_y) which pairs of values occur more often than chance would have them."""
    expected = np.outer(joint.sum(axis=1), joint.sum(axis=0)) / joint.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        surprise = joint * np.log(joint / expected) - (joint - expected)
    fits: NDArray[np.bool_] = (joint > expected) & (surprise >= np.log(joint.size / ALPHA))
    return fits


def _given(
    column: Column, other: Column, shares: Floats, fits: NDArray[np.bool_], drawn: Floats, beside: Floats
) -> Alike | None:
    """Return what rows that fit give away of `column`, None where the odds rise too little."""
    seen = shares @ beside
    shown = drawn.T @ seen
    true = np.diag(drawn)[:, None] * seen
    prior = shares.sum(axis=1)
    alone = np.diag(drawn) * prior / (prior @ drawn)
    fitting, right = np.where(fits, shown, 0).sum(axis=1), np.where(fits, true, 0).sum(axis=1)
    with np.errstate(invalid="ignore"):
        surer = np.where(fitting > 0, right / fitting, 0.0)
    told = (
        (surer * (1 - alone) >= LIFT * alone * (1 - surer)) & (fitting * column.n >= 1) & ~column.missing & (alone < 1)
    )
    whole = float(fitting.sum())
    if not whole:
        return None
    all_right, all_alone = float(right.sum()) / whole, float((alone * fitting).sum()) / whole
    if not told.any() and all_right * (1 - all_alone) < OVERALL * all_alone * (1 - all_right):
        return None
    top = int(np.where(told, surer, 0).argmax()) if told.any() else int(surer.argmax())
    return Alike(column.name, other.name, whole, all_right, all_alone, str(column.labels[top]), float(surer[top]))
