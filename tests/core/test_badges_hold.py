"""Of the answers called reliable, or protected, by whatever draw, as many hold as of all: the noise chooses none."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from splu_desktop.core import sanitise
from splu_desktop.core.draw import DecoyGroups, Draw, PlainGroups
from splu_desktop.core.draw.by_person import ByPerson
from splu_desktop.core.draw.together import planned
from splu_desktop.core.draw.ways import GROUPS, JOINED, by_gamma, by_tolerances
from splu_desktop.core.groups.rules import by_hand
from splu_desktop.core.plan import Plan
from splu_desktop.core.query.reader import Badge, Condition, Reader
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Table
from tests.core.published_tables import table_of
from tests.seeded import Seeded

PARTS = {"area": 6, "ward": 5, "age": 8}
RELEASES, FEWEST = 12, 20
SMALL = 14  # records, that counts called protected are said not to exceed
SHARP = {"several sizes", "joined", "by person"}  # draws that tell many of these counts
FREQUENT = {
    "five": [0.44, 0.14, 0.14, 0.14, 0.14],
    "six": [0.44, 0.2, 0.14, 0.1, 0.08, 0.04],
    "three": [0.44, 0.3, 0.26],
}


def made(shares: list[float], n: int, link: float) -> Table:
    """Return n records of 2 a person, whose values "s" of these shares go with three columns, and a flag "u"."""
    chance = np.random.default_rng(1)
    level = chance.normal(size=n)
    columns: dict[str, np.ndarray] = {}
    for name, parts in PARTS.items():
        leaning = link * level + chance.normal(size=n)
        columns[name] = np.digitize(leaning, np.quantile(leaning, np.linspace(0, 1, parts + 1)[1:-1]))
    order = np.argsort(np.argsort(link * level + chance.normal(size=n)))
    value = np.searchsorted(np.round(np.cumsum(shares) * n), order, side="right").clip(max=len(shares) - 1)
    columns |= {"s": np.char.add("v", value.astype(str)), "u": np.where(chance.random(n) < 0.1 + 0.1 * value, "y", "n")}
    return table_of(columns | {"person": chance.permutation(n) // 2})


def of_parts(table: Table) -> tuple[list[tuple[Condition, ...]], list[int]]:
    """Return each value of s in each cell of one or two columns, and how many records have it."""
    asked, truth = [], []
    for names in [*itertools.combinations(PARTS, 1), *itertools.combinations(PARTS, 2)]:
        columns = [table[name] for name in (*names, "s")]
        counts = np.zeros([column.m for column in columns], int)
        np.add.at(counts, tuple(column.codes for column in columns), 1)
        for at, true in np.ndenumerate(counts):
            cell = zip(columns, at, strict=True)
            asked.append(tuple(Condition(column.name, (str(column.labels[k]),)) for column, k in cell))
            truth.append(int(true))
    return asked, truth


def others(table: Table, limit: str, *, every: bool = False) -> Draw:
    """Return groups in which all values but the most frequent, or every one, have this tolerance."""
    labels = table["s"].labels[0 if every else 1 :]
    return by_tolerances(table["s"], by_hand(table["s"], {str(label): limit for label in labels}, "1"), GROUPS)


DRAWS: dict[str, Callable[[Table], dict[str, Draw]]] = {
    "plain": lambda table: {"s": PlainGroups(2)},
    "tolerances in groups": lambda table: {"s": others(table, "0.5", every=True)},
    "several sizes": lambda table: {"s": others(table, "0.5")},
    "gamma 3 by groups": lambda table: {"s": by_gamma(table["s"], 3, GROUPS)},
    "fakes": lambda table: {
        "s": DecoyGroups.designed(table["s"], by_hand(table["s"], {str(table["s"].labels[-1]): "0.4"}, "1"), fakes=1)
    },
    "joined": lambda table: {"s": by_gamma(table["s"], 2, JOINED)},
    "together": lambda table: planned(table, ["s", "u"], 2),
    "by person": lambda table: {"s": by_gamma(table["s"], 2, JOINED)},
}


@pytest.mark.parametrize("way", DRAWS)
def test_answers_called_reliable_hold(way: str) -> None:
    """Wherever one value has 44 %, of parts: plain 5 to 17 % of them held, tolerances in groups 24 to 31 %.

    Of settings with enough of them 93 % hold, to within three standard errors, between releases or of as many answers:
    a program of 95 % fails in less than 1 of 700 settings, and these are 24. Nor are protected counts large:
    25 and 90 % of them were, of five and three values, plain and in groups.
    """
    for name, shares in FREQUENT.items():
        table = made(shares, 4_000, 0.35)
        draws = DRAWS[way](table)
        person = "person" if way == "by person" else ""
        roles = {n: Role.SA if n in draws else Role.NSA if n in PARTS else Role.DROPPED for n in table.names}
        if person:
            roles[person] = Role.IDENTIFIER
        plan = Plan(roles, draws, persons=ByPerson(person, "draw") if person else None)
        asked, truth = of_parts(table)
        marked, held, small, large = np.zeros(RELEASES), np.zeros(RELEASES), 0, 0
        for seed in range(RELEASES):
            answers = Reader(sanitise.run(table, plan, randomness=Seeded(seed))).answers(asked, vanished=True)
            for answer, true in zip(answers, truth, strict=True):
                small += int(answer.badge is Badge.PROTECTED)
                large += int(answer.badge is Badge.PROTECTED and true > SMALL)
                if answer.badge is Badge.RELIABLE:
                    marked[seed] += 1
                    held[seed] += answer.low <= true <= answer.high
        assert small < FEWEST or large <= 0.07 * small + 3 * (0.05 * 0.95 * small) ** 0.5, (name, large, small)
        assert marked.sum() >= FEWEST or way not in SHARP, name
        if marked.sum() >= FEWEST:
            share = held.sum() / marked.sum()
            between = np.sqrt(((held - share * marked) ** 2).sum()) / marked.sum()
            error = max(float(between), np.sqrt(0.05 * 0.95 / marked.sum()))
            assert share >= 0.93 - 3 * error, (name, share, marked.sum())
