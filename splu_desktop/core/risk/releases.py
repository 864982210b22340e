"""What several releases of the same persons promise together (mechanism.md, law 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


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
