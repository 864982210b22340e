"""Shares and means of a flag that few records bear, of those with a sensitive value: intervals hold all the same."""

from __future__ import annotations

import numpy as np
import pytest

from splu_desktop.core import sanitise
from splu_desktop.core.analyse import analyses
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.draw.draw import Draw
from splu_desktop.core.draw.ways import by_gamma
from splu_desktop.core.plan import Plan
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from tests.seeded import Seeded

_BEARERS = (7, 12, 21)


def _table(frequent: float) -> Table:
    chance = np.random.default_rng(8)
    n, rest = 3_000, (1 - frequent) / 5
    codes = chance.choice(6, n, p=[frequent, *[rest] * 5])
    place = np.repeat(np.arange(len(_BEARERS)), n // len(_BEARERS))
    flag = np.zeros(n, int)
    for at, number in enumerate(_BEARERS):
        flag[chance.choice(np.flatnonzero(place == at), number, replace=False)] = 1
    return Table(
        (
            Column.from_labels("flag", flag.astype(str).tolist(), kind=Kind.INTEGER),
            Column.from_labels("place", [f"p{at}" for at in place]),
            Column.from_labels("illness", [f"i{code}" for code in codes]),
        )
    )


@pytest.mark.parametrize("way", ["joined", "plain"])
def test_a_flag_of_few_bearers_is_never_told_too_surely(way: str) -> None:
    """120 releases, six questions each: fewer than 91 % of 720 hold once in 100,000 times at 95 %, if all are apart.

    By what the bearers' own records show alone .87 and .88 held, .63 of one: of seven all may be shown with one value.
    """
    table = _table(0.6 if way == "joined" else 0.2)
    illness = table["illness"]
    draw: Draw = by_gamma(illness, 3) if way == "joined" else PlainGroups(3)
    plan = Plan({"flag": Role.NSA, "place": Role.NSA, "illness": Role.SA}, {"illness": draw})
    flag, place, of = (table[name].labels[table[name].codes] for name in table.names)
    asked = [(f"i{i}", f"p{p}") for i in (0, 1) for p in range(len(_BEARERS))]
    held = dict.fromkeys(asked, 0)
    for seed in range(120):
        reader = Reader(sanitise.run(table, plan, randomness=Seeded(seed)))
        for value, where in asked:
            inside = (of == value) & (place == where)
            true = float((flag[inside] == "1").mean())
            conditions = (Condition("illness", (value,)), Condition("place", (where,)))
            found = analyses.mean(reader, "flag", conditions)
            share = analyses.share(reader, (Condition("flag", ("1",)),), conditions)
            assert (share.low, share.high) == pytest.approx((found.low, found.high))
            held[value, where] += found.low - 1e-9 <= true <= found.high + 1e-9
    assert sum(held.values()) >= 0.91 * 120 * len(asked), held
    assert min(held.values()) >= 0.85 * 120, held  # of one question once in 10,000 times
