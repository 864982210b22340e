"""Rows that look alike are told apart by a person's other rows; the verdict says how often."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import numpy as np
import pytest

from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy import verdict
from splu_desktop.core.risk import alike
from splu_desktop.core.risk.alike import find_by_others
from splu_desktop.core.roles import Role
from splu_desktop.core.sanitise import prepare, show_rows
from splu_desktop.core.table import Table
from tests.columns import blocks_of
from tests.core.releases import table
from tests.seeded import Seeded

DRAWS = 2


def _visits(persons: int, visits: int, types: int, *, stays: float = 1.0, drugs: bool = False) -> Table:
    """Return visits of persons with a type that mostly stays, and a drug by which it is mostly treated."""
    chance = np.random.default_rng(persons)
    owner = np.repeat(np.arange(persons), visits)
    own, n = chance.integers(0, types, persons), persons * visits
    of_type = np.where(chance.random(persons) < 0.5, own, chance.integers(0, types, persons))
    now = np.where(chance.random(n) < stays, own[owner], chance.integers(0, types, n))
    columns = {
        "who": np.char.add("P", owner.astype(str)),
        "quarter": np.char.add("q", chance.integers(0, 8, n).astype(str)),
        "site": np.array(["a", "b", "c"])[chance.integers(0, 3, n)],
        "type": np.char.add("t", now.astype(str)),
    }
    if drugs:
        columns["drug"] = np.char.add("d", of_type[owner].astype(str))
    return table(columns)


def _plan(source: Table, gamma: float, persons: ByPerson) -> Plan:
    secret = [name for name in ("type", "drug") if name in source]
    roles = {"who": Role.IDENTIFIER, "quarter": Role.NSA, "site": Role.NSA, **dict.fromkeys(secret, Role.SA)}
    blocks = tuple(block for name in secret for block in blocks_of((name,), gamma))
    return Plan(roles=roles, blocks=blocks, classes=(), persons=persons)


def _found_in_a_draw(source: Table, plan: Plan, seed: int) -> float:
    """Return how often a reader is right who counts what the quarter and site of each other visit show, by hand."""
    prepared, chance = prepare(source, plan), Seeded(seed)
    drawn = {block: show_rows(prepared, block, chance) for block in plan.blocks}
    columns = [prepared.table[name].codes[drawn[block]].tolist() for block in plan.blocks for name in block.columns]
    shown = list(zip(*columns, strict=True))
    cells = list(zip(*(prepared.table[name].codes.tolist() for name in plan.nsas), prepared.row_class, strict=True))
    rows_of, beside, often = defaultdict(list), defaultdict(Counter), Counter(shown)
    for row, owner in enumerate(prepared.owner.tolist()):
        rows_of[owner].append(row)
        beside[cells[row]][shown[row]] += 1
    pairs = [(one, two) for rows in rows_of.values() for one in rows for two in rows if one != two]
    agree = np.mean([shown[one] == shown[two] for one, two in pairs])
    chance_alone = sum((count / len(shown)) ** 2 for count in often.values())
    sticks = (agree - chance_alone) / (1 - chance_alone)
    right = []
    for rows in rows_of.values():
        for row in rows:
            weights = {}
            for value in beside[cells[row]]:
                expected = often[value] / len(shown)
                parts = (
                    sticks * beside[cells[other]][value] / beside[cells[other]].total() / expected + 1 - sticks
                    for other in rows
                    if other != row
                )
                weights[value] = math.prod(parts)
            guess = max(weights, key=weights.__getitem__)
            right.append((guess == shown[row]) / beside[cells[row]][guess])
    return float(np.mean(right))


@pytest.mark.parametrize("gamma", [2.0, 10.0])
@pytest.mark.parametrize(
    ("shape", "way"),
    [
        ({"persons": 700, "visits": 3, "types": 40}, "draw"),
        ({"persons": 400, "visits": 4, "types": 12, "drugs": True}, "draw"),
        ({"persons": 300, "visits": 6, "types": 8, "stays": 0.8}, "draw"),
        ({"persons": 700, "visits": 3, "types": 40}, "record"),
    ],
)
def test_who_counts_by_hand_finds_as_many_rows_as_is_told(shape: dict, way: str, gamma: float) -> None:
    source = _visits(**shape)
    plan = _plan(source, gamma, ByPerson("who", way, "The contract allows it" if way == "record" else ""))
    told = find_by_others(prepare(source, plan), plan)
    draws = [_found_in_a_draw(source, plan, seed) for seed in range(DRAWS)]
    assert told == pytest.approx(np.mean(draws), abs=0.03, rel=0.1)
    assert told == find_by_others(prepare(source, plan), plan), "each call says the same"


def test_of_thousands_of_values_enough_rows_are_sought(monkeypatch: pytest.MonkeyPatch) -> None:
    source = _visits(6_000, 3, 3_000)
    plan = _plan(source, 5.0, ByPerson("who"))
    prepared = prepare(source, plan)
    told = find_by_others(prepared, plan)
    monkeypatch.setattr(alike, "_LOOKS", 100_000_000)
    assert told == pytest.approx(find_by_others(prepared, plan), abs=0.02)


def test_the_verdict_says_to_whom_fewer_look_alike() -> None:
    source = _visits(700, 3, 40)
    for persons, told in (
        (ByPerson("who"), True),
        (ByPerson("who", "first"), False),
        (ByPerson("who", number=True), False),
    ):
        plan = _plan(source, 3.0, persons)
        judged = verdict(source, plan)
        (line,) = (each for each in judged.lines if each.name == "persons-alike")
        assert ("By their other rows" in line.sentence) == told
        assert (judged.figures.found_by_others * judged.figures.alike.smallest > 1) == told
