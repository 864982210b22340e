"""Small tables and their releases for the tests of queries."""

from __future__ import annotations

import numpy as np

from splu_desktop.core import sanitise
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import Published
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Column, Kind, Table
from tests.draws import plain
from tests.seeded import Seeded


def table_of(columns: dict[str, np.ndarray], kinds: dict[str, Kind] | None = None) -> Table:
    """Return a table from arrays of texts or numbers."""
    kinds = kinds or {}
    return Table(
        tuple(
            Column.from_labels(name, np.asarray(values).astype(str).astype(object), kind=kinds.get(name, Kind.CATEGORY))
            for name, values in columns.items()
        )
    )


def dependent_table(n: int = 20_000, seed: int = 1) -> Table:
    """Return a table with numbers, categories and two SAs that depend on them: "disease" (12 values), "ward" (6)."""
    chance = np.random.default_rng(seed)
    age = chance.integers(18, 90, n)
    sex = np.where(chance.random(n) < 0.5, "f", "m")
    city = chance.choice(["Aa", "Bb=c", "C|d", "E..f"], n, p=[0.4, 0.3, 0.2, 0.1])
    level = (age - 18) / 72
    disease = (level * 6 + chance.exponential(1.6, n) + (sex == "m") * 1.5).astype(int) % 12
    ward = (disease + chance.integers(0, 4, n)) % 6
    return table_of(
        {"age": age, "sex": sex, "city": city, "disease": np.char.add("d", disease.astype(str)), "ward": ward},
        {"age": Kind.INTEGER},
    )


def release(table: Table, gammas: dict[str, int], seed: int = 1) -> Published:
    """Return a release with seeded randomness; every other column is an NSA."""
    roles = {name: Role.SA if name in gammas else Role.NSA for name in table.names}
    return sanitise.run(table, Plan(roles, plain(gammas)), randomness=Seeded(seed))


def true_count(table: Table, **labels: str) -> int:
    """Return the number of records with these labels."""
    meets = np.ones(table.n, bool)
    for name, label in labels.items():
        meets &= table[name].codes == table[name].code_of(label)
    return int(meets.sum())
