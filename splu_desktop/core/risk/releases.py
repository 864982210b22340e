"""What several releases of the same persons promise together (mechanism.md, law 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from splu_desktop.core.distinct import pair_keys, stir
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import block_codes
from splu_desktop.core.risk.alike import add_courses
from splu_desktop.core.risk.certainty import Certainty, secret_values
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
    doubt : of a register that can't say what went out, why; this stands for no release then.
    """

    recipient: str
    date: str = ""
    gamma: float = 5.0
    persons: int = 0
    name: str = ""
    doubt: str = ""


def joint_certainty(share: float, gammas: Sequence[float], *, alone: bool = False) -> float:
    """Return how sure a row is that shows a value of this share in each of several releases, of a strength each.

    alone : nobody else of its class shows it; of those who do not, one bearer less then stands beside a bearer.

    Proof: releases are drawn by themselves; a bearer shows the value with a + (1 - a) pi, another with (1 - a) pi.
    """
    a = 1 / np.asarray(gammas, float)
    shows, lent = a + (1 - a) * share, (1 - a) * share
    having, other = (float(np.prod(p * (1 - q) if alone else p)) for p, q in ((shows, lent), (lent, shows)))
    whole = share * having + (1 - share) * other
    # Nothing else can show it where everybody has it at strength 1.
    return share * having / whole if whole > 0 else 1.0


def surest_jointly(prepared: DrawInput, plan: Plan, riskiest: float, gammas: Sequence[float]) -> float:
    """Return how sure a row is at most that shows the same in all releases, whatever it shows.

    riskiest : the largest share of a secret value in its class.

    What is rare is surest, since chance shows it seldom twice: what a block shows together is rarer than each of its
    values, and all rows of a person in their order are rarer still, since they were kept or lent as one. Proof: the log
    odds of `joint_certainty` have the derivative (1/(1 - pi) - sum a/(a + (1 - a) pi))/pi, which falls below 0 at most
    once as pi shrinks: the largest value lies at one of the ends. Lent rows come in any order alike.
    """
    units, code, least = prepared.units, prepared.classes.code, riskiest
    sizes, factorials = np.bincount(code), np.cumsum(np.log(np.maximum(np.arange(units.sizes.max(initial=0) + 1), 1)))
    whole = replace(prepared, owner=units.owner.astype(np.int64))
    for block in plan.blocks:
        values, columns = block_codes(prepared.table, block.columns), [prepared.table[name] for name in block.columns]
        secret = np.logical_or.reduce([secret_values(each, plan)[each.codes] for each in columns])
        some = np.flatnonzero(np.bincount(units.owner, secret))
        who, times = np.unique(pair_keys(units.owner, int(values.max()) + 1, values), return_counts=True)
        orders = factorials[units.sizes] - np.bincount(who // (int(values.max()) + 1), factorials[times])
        shown = add_courses(values, whole) ^ stir(code.astype(np.uint64))
        _, first, counts = np.unique(shown[some], return_index=True, return_counts=True)
        first = some[first]
        least = min(least, float((counts / sizes[code[first]] * np.exp(-orders[first])).min(initial=1.0)))
    few = least * sizes.max(initial=1) <= plan.thresholds.alpha  # of so few it happens that one alone shows it
    return max(joint_certainty(least, gammas, alone=few), joint_certainty(riskiest, gammas))


def surest_in_rows(prepared: DrawInput, certainty: Certainty) -> float:
    """Return how sure it is at most that a person has what its rows show, each of which was drawn by itself.

    A value that a person has in s rows is drawn s times, as by so many releases.
    """
    surest = certainty.riskiest
    if prepared.person_count == prepared.table.n:  # a row each
        return surest
    for each in certainty.shares.values():
        pairs, times = np.unique(pair_keys(prepared.owner, each.column.m, each.column.codes), return_counts=True)
        most = np.zeros(each.column.m, np.int64)
        np.maximum.at(most, pairs % each.column.m, times)
        for value in np.flatnonzero(each.average):
            surest = max(surest, joint_certainty(float(each.average[value]), [each.draw.gamma] * int(most[value])))
    return surest
