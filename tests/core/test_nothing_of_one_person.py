"""The law: what is published beside the rows of a draw by person is the same whatever one person has, or next to it.

Two tables that differ in the sensitive values of one person alone, who is known to come to a small ward again and
again: a rare value each time, never, or by turns. Every number of release.json, and every one written in words, but
those that follow from the published rows, is compared over tables in which everybody else is another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from splu_desktop.core import sanitise
from splu_desktop.core.draw import Draw, PlainGroups
from splu_desktop.core.draw.by_person import ByPerson, weights_of_many
from splu_desktop.core.draw.together import planned
from splu_desktop.core.draw.ways import JOINED, by_gamma
from splu_desktop.core.generalise.typical import told_means
from splu_desktop.core.plan import Plan
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.release.facts import make_facts
from tests.seeded import Seeded

_GAMMA, _TABLES = 3, 16
_FLAGS = {"flag": 0.13, "rare": 0.02, "other": 0.25}
_SENSITIVE = (*_FLAGS, "illness")
_HAS = ("always", "never", "by turns")


def table(seed: int, often: int, has: str) -> Table:
    """Return 2,500 records of others, who come to a ward of 150 hardly twice, and one person's, who often comes."""
    chance = np.random.default_rng(seed)
    who = np.repeat(np.arange(2_500), np.minimum(chance.geometric(0.7, 2_500), 3))[:2_500]
    ward = np.full(2_500, "large", object)
    ward[chance.choice(2_500, 150 - often, replace=False)] = "small"

    def flag(share: float) -> np.ndarray[Any, np.dtype[np.bool_]]:
        lasts = (chance.random(2_500) < share)[who]
        found = np.where(chance.random(2_500) < 0.8, lasts, chance.random(2_500) < share)
        return np.r_[found, mine]

    turn = np.arange(often)
    mine = {"always": turn >= 0, "never": turn < 0, "by turns": turn % 2 == 0}[has]
    kinds = {"always": turn * 0, "never": turn * 0 + 5, "by turns": turn % 12}[has]
    columns = {
        "patient": [f"P{x}" for x in np.r_[who, np.full(often, 2_500)]],
        "sex": np.where(chance.random(2_500 + often) < 0.5, "f", "m").tolist(),
        "ward": np.r_[ward, np.full(often, "small", object)].tolist(),
        **{name: np.where(flag(share), "yes", "no") for name, share in _FLAGS.items()},
        "illness": [f"I{x}" for x in np.r_[chance.integers(0, 12, 2_500), kinds]],
    }
    return Table(tuple(Column.from_labels(name, list(labels)) for name, labels in columns.items()))


def plan(source: Table, way: str) -> Plan:
    draws: dict[str, Draw] = {
        "together": lambda: dict(planned(source, ("flag", "rare", "other"), _GAMMA)),
        "joined": lambda: {name: by_gamma(source[name], _GAMMA, JOINED) for name in ("flag", "rare", "illness")},
        "groups": lambda: {"illness": PlainGroups(_GAMMA)},
    }[way]()
    roles = {name: Role.SA if name in draws else Role.DROPPED for name in _SENSITIVE}
    roles |= {"patient": Role.IDENTIFIER, "sex": Role.NSA, "ward": Role.NSA}
    return Plan(roles, draws, persons=ByPerson("patient", "draw"))


def numbers(entry: Any, path: str = "") -> Iterator[tuple[str, float]]:
    """Give all numbers in plain data, those that keys and texts are among them, by where they stand."""
    if isinstance(entry, dict):
        # A promise is found by its place in the order of tolerances, which are numbers themselves.
        stands = path.endswith("by_tolerance")
        for at, (key, each) in enumerate(entry.items()):
            if stands:
                yield f"{path}/{at}", float(Fraction(key))
            yield from numbers(each, f"{path}/{at if stands else key}")
    elif isinstance(entry, list):
        for at, each in enumerate(entry):
            yield from numbers(each, f"{path}/{each.get('name', at) if isinstance(each, dict) else at}")
    elif isinstance(entry, str) and re.fullmatch(r"\d+(\.\d+|/\d+)?", entry):
        yield path, float(Fraction(entry))
    elif isinstance(entry, int | float) and not isinstance(entry, bool):
        yield path, float(entry)


def stated(source: Table, way: str, seed: int) -> dict[str, float]:
    published = sanitise.run(source, plan(source, way), randomness=Seeded(seed))
    facts = make_facts(Reader(published), [])
    for own in ("created", "id", "sha256", "transitions"):  # the last is computed from the published rows
        del facts[own]
    return dict(numbers(facts))


@pytest.mark.parametrize("often", [5, 20])
@pytest.mark.parametrize("way", ["groups", "joined", "together"])
def test_no_number_of_a_release_tells_what_one_person_has(way: str, often: int) -> None:
    """Each number moves by less than the table's others move it, or by less than 1 %.

    Drawing has seeds of its own, so that it can't fail by chance. Of a number that one person does not move, the mean
    of so many differences is beyond one standard deviation of single ones once in 10,000 (4 standard errors).
    Before: the ward's effect by 6 standard deviations (by turns), the share of the flag by 1.3.
    """
    found = {has: [stated(table(seed, often, has), way, seed) for seed in range(_TABLES)] for has in _HAS}
    paths = set.intersection(*(set(each) for one in found.values() for each in one))
    assert any("design_effects/" in path and path.endswith("small") for path in paths)
    told = {}
    for path in paths:
        each = {has: np.array([one[path] for one in all_of]) for has, all_of in found.items()}
        usual = float(each["never"].std())
        for has in ("always", "by turns"):
            moved = float(np.abs(np.mean(each[has] - each["never"])))
            if moved > max(usual, 0.01 * float(np.abs(each["never"]).mean())):
                told[path, has] = moved, usual
    assert not told


def test_no_mean_of_an_interval_is_made_by_one_person() -> None:
    """Of 260 numbers of 200 to 300 one person has 60 in the interval, at its top or at its foot."""
    chance = np.random.default_rng(4)
    who = np.r_[np.arange(200), np.full(60, 200)]
    means = []
    for mine in (201.0, 299.0):
        numbers = np.r_[chance.uniform(200, 300, 200).round(), np.full(60, mine)]
        values, codes = np.unique(numbers, return_inverse=True)
        labels = np.array([f"{x:g}" for x in values], object)
        before = Column.from_codes("dose", codes, labels, np.zeros(len(values), bool), values, kind=Kind.INTEGER)
        after = Column.from_labels("dose", ["200 to 299"] * len(numbers))
        means.append(
            (
                told_means(before, after, lambda at: weights_of_many(who[at]))["200 to 299"],
                told_means(before, after)["200 to 299"],
            )
        )
    assert abs(means[0][0] - means[1][0]) <= 5, "one step"
    assert abs(means[0][1] - means[1][1]) >= 15, "each record by itself"
