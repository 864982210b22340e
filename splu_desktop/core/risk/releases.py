"""What several releases of the same persons promise together (mechanism.md, law 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from splu_desktop.core.mechanism import Draw
from splu_desktop.core.mechanism.law import row_certainty

__all__ = ["EarlierRelease", "joint_certainty", "joint_t_p", "row_certainty"]
_TIE = 1e-9


@dataclass(frozen=True)
class EarlierRelease:
    """A release of the same persons that was handed out before.

    Attributes
    ----------
    recipient, date : to whom and when, as the register has it.
    gamma : its strength; infinite of protected tables, which show no row and print no small count.
    persons : how many persons it shares with this one.
    name : of the entry.
    """

    recipient: str
    date: str = ""
    gamma: float = 5.0
    persons: int = 0
    name: str = ""


def joint_certainty(share: float, gammas: Sequence[float]) -> float:
    """Return how sure a row is that shows a value of this share in each of several releases, of a strength each.

    Proof: releases are drawn by themselves; a bearer shows the value with a + (1 - a) pi, another with (1 - a) pi.
    """
    a = 1 / np.asarray(gammas, float)
    own, other = float(np.prod(a + (1 - a) * share)), float(np.prod((1 - a) * share))
    whole = share * own + (1 - share) * other
    # Nothing else can show it where everybody has it at strength 1.
    return share * own / whole if whole > 0 else 1.0


def joint_t_p(draws: Sequence[Draw], epsilon: float, alpha: int) -> float:
    """Return T_P of the mean of published counts of several releases: min over f of P(|mean - f| > epsilon f).

    Proof: counts of releases drawn by themselves add as independent numbers.
    """
    worst = 1.0
    for f in range(1, alpha + 1):
        law = np.ones(1)
        for draw in draws:
            law = np.convolve(law, draw.count_law(f, None))
        whole = len(draws) * f
        # Sums instead of means, so that all stays whole numbers and an error on the edge is no rounding.
        off = np.abs(np.arange(len(law)) - whole)
        worst = min(worst, 1 - float(law[off <= epsilon * whole + _TIE * whole].sum()))
    return max(worst, 0.0)
