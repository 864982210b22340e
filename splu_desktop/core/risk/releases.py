"""What several releases of the same persons promise together (mechanism.md, law 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from splu_desktop.core.plan import Plan
from splu_desktop.core.published import block_codes
from splu_desktop.core.risk.certainty import secret_values
from splu_desktop.core.sanitise import DrawInput


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
    having, other = float(np.prod(a + (1 - a) * share)), float(np.prod((1 - a) * share))
    whole = share * having + (1 - share) * other
    # Nothing else can show it where everybody has it at strength 1.
    return share * having / whole if whole > 0 else 1.0


def surest_jointly(prepared: DrawInput, plan: Plan, riskiest: float, gammas: Sequence[float]) -> float:
    """Return how sure a row is at most that shows the same in all releases, whatever it shows.

    riskiest : the largest share of a secret value in its class.

    A rare value is surest, since chance shows it seldom twice, and what a block shows together is rarer than each of
    its values. Proof: the log odds of `joint_certainty` have the derivative (1/(1 - pi) - sum a/(a + (1 - a) pi))/pi,
    which falls below 0 at most once as pi shrinks: the largest value lies at one of the ends.
    """
    classes = prepared.row_class.astype(np.int64)
    sizes, least = np.bincount(classes), riskiest
    for block in plan.blocks:
        values = block_codes(prepared.table, block.columns)
        columns = [prepared.table[name] for name in block.columns]
        secret = np.logical_or.reduce([secret_values(each, plan)[each.codes] for each in columns])
        cells, counts = np.unique((classes * (int(values.max()) + 1) + values)[secret], return_counts=True)
        least = min(least, float((counts / sizes[cells // (int(values.max()) + 1)]).min(initial=1.0)))
    return max(joint_certainty(share, gammas) for share in (least, riskiest))
