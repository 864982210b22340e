"""A small table of everything that can go wrong in a file, and its release."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from splu_desktop.core import sanitise
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import Published
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.register import Register
from tests.draws import plain
from tests.seeded import Seeded

N = 400
AWKWARD = [
    '=HYPERLINK("http://x","y")',
    "+1 234",
    "@here",
    "a,b",
    'say "no"',
    "two\nlines",
    "",
    "'=x",
    "007",
    "Ä ß 漢",
    " x ",
]


def awkward_table(n: int = N) -> Table:
    """Texts that spreadsheets run, leading zeros, missing values, numbers, dates; the SA `illness` has 20 values."""
    rng = np.random.default_rng(1)
    days = np.datetime64("2019-12-30") + rng.integers(0, 400, n)
    moments = np.datetime64("2020-01-01T00:00:00") + rng.integers(0, 10**7, n)
    cells = {
        "code": ([f"{i:05d}" for i in rng.integers(0, 500, n)], Kind.CATEGORY),
        "note, with comma": ([AWKWARD[i] for i in rng.integers(0, len(AWKWARD), n)], Kind.CATEGORY),
        "age": ([str(i) if i else "" for i in rng.integers(0, 99, n)], Kind.INTEGER),
        "weight": ([f"{x:.1f}" for x in rng.normal(75, 9, n)], Kind.DECIMAL),
        "admitted": ([str(day) for day in days], Kind.DATE),
        "seen": ([str(moment) for moment in moments], Kind.DATETIME),
        "illness": ([f"illness {i}" if i else "=none" for i in rng.integers(0, 20, n)], Kind.CATEGORY),
    }
    return Table(tuple(Column.from_labels(name, texts, kind=kind) for name, (texts, kind) in cells.items()))


def plan_of(table: Table, gamma: int = 4) -> Plan:
    roles = {name: Role.SA if name == "illness" else Role.NSA for name in table.names}
    return Plan(roles, plain({"illness": gamma}))


def awkward_release(seed: int = 1) -> Published:
    table = awkward_table()
    return sanitise.run(table, plan_of(table), randomness=Seeded(seed))


def register_in(folder: Path) -> Register:
    return Register(folder / "register")


def cells_of(table: Table) -> list[tuple[str, ...]]:
    """All rows as texts, in order."""
    return list(zip(*(column.labels[column.codes].tolist() for column in table.columns), strict=True))
