"""Releases of every draw, and the recipient's kit as a module."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np

from splu_desktop.core.draw import DecoyGroups, Draw, PlainGroups
from splu_desktop.core.draw.by_person import ByPerson
from splu_desktop.core.draw.joined import design
from splu_desktop.core.draw.together import planned
from splu_desktop.core.draw.ways import by_gamma, gamma_tolerances
from splu_desktop.core.generalise.dates import DatePart, Part
from splu_desktop.core.generalise.intervals import Intervals
from splu_desktop.core.groups.rules import by_hand
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table

KIT = Path(__file__).resolve().parents[2] / "resources/kit"


def kit() -> ModuleType:
    """Return the kit, loaded from its one file."""
    if "splu_release" not in sys.modules:
        spec = importlib.util.spec_from_file_location("splu_release", KIT / "splu_release.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules["splu_release"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["splu_release"])
    return sys.modules["splu_release"]


def table_of(n: int = 6_000, seed: int = 5) -> Table:
    """Return wards, dates, ages, numbers with gaps, intervals, codes as 01, a skewed test and flags."""
    chance = np.random.default_rng(seed)
    ward = chance.choice(["A", "B", "C"], n, p=[0.5, 0.3, 0.2])
    age = chance.integers(20, 80, n)
    day = np.datetime64("2023-11-15") + chance.integers(0, 200, n)
    sick = 1 / (1 + np.exp(-(age - 60) / 12 - (ward == "B")))
    code = np.where(chance.random(n) < 0.5, chance.integers(0, 9, n), (age // 12 + 2 * (ward == "C")) % 9)
    test = np.where(chance.random(n) < 0.3 * sick, "positive", np.where(chance.random(n) < 0.1, "unclear", "negative"))
    flags = [chance.random(n) < 0.3 * sick + 0.05]
    flags.append(np.where(chance.random(n) < 0.7, flags[0], chance.random(n) < 0.2))
    stay = np.minimum(chance.geometric(0.2, n) + (test == "positive") * 4, 15)
    who = np.minimum(np.cumsum(chance.random(n) < 0.8), n - 1)
    band = np.select([age < 35, age < 50, age < 65], ["20 to 34", "35 to 49", "50 to 64"], "65 to 79")
    blood = np.where(chance.random(n) < 0.1, "", np.round(5 + chance.normal(size=n) + age / 40, 1).astype(str))
    dose = np.where(chance.random(n) < 0.08, "", (chance.gamma(2, 6, n) + (ward == "B") * 4).astype(int).astype(str))
    columns = {
        "ward": (ward, Kind.CATEGORY),
        "age": (age, Kind.INTEGER),
        "day": (day, Kind.DATE),
        "code": (np.char.zfill(code.astype(str), 2), Kind.CATEGORY),
        "test": (test, Kind.CATEGORY),
        "flag": (np.where(flags[0], "yes", "no"), Kind.CATEGORY),
        "other": (np.where(flags[1], "yes", "no"), Kind.CATEGORY),
        "stay": (stay, Kind.INTEGER),
        "band": (band, Kind.CATEGORY),
        "blood": (blood, Kind.DECIMAL),
        "dose": (dose, Kind.INTEGER),
        "person": (np.char.add("p", who.astype(str)), Kind.CATEGORY),
    }
    return Table(
        tuple(
            Column.from_labels(name, cells.astype(str).tolist(), kind=kind) for name, (cells, kind) in columns.items()
        )
    )


def _odd(table: Table, fakes: int = 0) -> DecoyGroups:
    """Return a draw of the test by groups of several sizes."""
    return DecoyGroups.designed(
        table["test"], by_hand(table["test"], {"positive": "0.4", "unclear": "0.4"}), fakes=fakes
    )


def _joined(table: Table, name: str, gamma: int) -> Draw:
    return design(table[name], gamma_tolerances(table[name], gamma), follows=gamma)


DRAWS: dict[str, Callable[[Table], dict[str, Draw]]] = {
    "plain": lambda table: {"code": PlainGroups(4), "stay": PlainGroups(3)},
    "tight": lambda table: {"stay": PlainGroups(4), "code": PlainGroups(2)},
    "several sizes": lambda table: {"test": _odd(table), "code": PlainGroups(3)},
    "fakes": lambda table: {"test": _odd(table, fakes=1)},
    "joined": lambda table: {"test": _joined(table, "test", 4), "flag": _joined(table, "flag", 3)},
    "together": lambda table: {**planned(table, ["test", "flag", "other"], 4), "code": PlainGroups(3)},
    "many together": lambda table: dict(planned(table, ["test", "flag", "other", "code"], 4)),
    "persons": lambda table: {"code": PlainGroups(3)},
    "skewed persons": lambda table: {"test": by_gamma(table["test"], 4), "code": PlainGroups(3)},
    "several sizes persons": lambda table: {"test": _odd(table)},
    "joined persons": lambda table: {"test": _joined(table, "test", 4), "flag": _joined(table, "flag", 3)},
    "together persons": lambda table: dict(planned(table, ["test", "flag", "other"], 3)),
    "numbers": lambda table: {"dose": PlainGroups(3), "test": _joined(table, "test", 3)},
}
_COARSER: dict[str, dict[str, tuple[Intervals | DatePart, ...]]] = {
    "numbers": {"dose": (Intervals((4.0, 8.0, 12.0, 20.0)),), "day": (DatePart(Part.MONTH),)},
    "persons": {"day": (DatePart(Part.QUARTER),)},
}


def kit_plan(table: Table, name: str) -> Plan:
    """Return the plan with a kind of draw, one of `DRAWS`."""
    draws = DRAWS[name](table)
    persons = ByPerson("person", "draw") if name.endswith("persons") else None
    roles = {each: Role.SA if each in draws else Role.NSA for each in table.names} | {"person": Role.IDENTIFIER}
    return Plan(roles, draws, persons=persons, generalisations=_COARSER.get(name, {}))


def sharing_a_rest() -> tuple[Table, Plan]:
    """Return 1,500 persons, of whom so few have two of six values that a release tells their share together alone."""
    chance, number = np.random.default_rng(4), 1_500
    who = np.repeat(np.arange(number), np.minimum(chance.geometric(0.6, number), 6))
    ill = chance.choice(["a", "b", "c", "d", "r1", "r2"], number, p=[0.4, 0.3, 0.2, 0.072, 0.018, 0.01])[who]
    ill = np.where(chance.random(len(who)) < 0.15, chance.choice(["a", "b", "c"], len(who)), ill)
    columns = {
        "person": np.char.add("p", who.astype(str)),
        "ward": chance.choice(["A", "B"], len(who), p=[0.3, 0.7]),
        "ill": ill,
    }
    table = Table(tuple(Column.from_labels(name, each.tolist()) for name, each in columns.items()))
    roles = {"person": Role.IDENTIFIER, "ward": Role.NSA, "ill": Role.SA}
    return table, Plan(roles, {"ill": PlainGroups(3)}, persons=ByPerson("person", "draw"))
