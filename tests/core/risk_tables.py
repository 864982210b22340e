"""Tables and plans for the tests of risk."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from splu_desktop.core.mechanism import Block, Lenders
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Column, Kind, Table


def coded(name: str, codes: ArrayLike) -> Column:
    """Return a column of words v000, v001, ..."""
    array = np.asarray(codes)
    labels = np.array([f"v{at:03d}" for at in range(int(array.max()) + 1)], object)
    return Column.from_codes(
        name, array, labels, np.zeros(len(labels), bool), None, kind=Kind.CATEGORY
    ).without_unused_labels()


def plan_for(
    table: Table,
    blocks: Sequence[Sequence[str]],
    gamma: float = 5,
    *,
    person: str = "",
    classes: Sequence[str] = (),
    shift: Sequence[str] = (),
) -> Plan:
    """Return a plan that draws blocks, draws persons where a column names them, and publishes all else."""
    sensitive = {name for block in blocks for name in block}
    roles = {name: Role.SA if name in sensitive else Role.NSA for name in table.names}
    if person:
        roles[person] = Role.IDENTIFIER
    return Plan(
        roles,
        tuple(Block(tuple(block), Lenders(gamma)) for block in blocks),
        classes=tuple(classes),
        persons=ByPerson(person, shift=tuple(shift), days=90 if shift else 0) if person else None,
    )


def visits(persons: int = 600, seed: int = 1, most: int = 40) -> Table:
    """Return a table of persons with 1 to `most` rows each: sex and age of the person, a ward and a finding a row."""
    rng = np.random.default_rng(seed)
    rows = np.minimum(rng.geometric(0.25, persons), most)
    rows[:3] = 1, most, most
    who = np.repeat(np.arange(persons), rows)
    sex, age = rng.integers(0, 2, persons)[who], rng.integers(0, 12, persons)[who]
    finding = np.where(rng.random(len(who)) < 0.3, rng.integers(0, 3, persons)[who], rng.integers(0, 6, len(who)))
    order = rng.permutation(len(who))
    columns = {"id": who, "sex": sex, "age": age, "ward": rng.integers(0, 3, len(who)), "finding": finding}
    return Table(tuple(coded(name, codes[order]) for name, codes in columns.items()))
