"""Small tables for tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw.plain_groups import PlainGroups
from splu_desktop.core.groups.forming import Values, assign_tolerant
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from tests.draws import plain


def column(name: str, codes: object, labels: list[str] | None = None) -> Column:
    array = np.asarray(codes, np.int32)
    m = int(array.max()) + 1 if len(array) else 0
    texts = labels or [f"v{i:04d}" for i in range(m)]
    return Column(name, Kind.CATEGORY, array, np.array(texts, dtype=object), np.zeros(len(texts), bool))


def assign(sa: Column, ids: NDArray[np.int32], gamma: int, **more: Progress) -> tuple[NDArray[np.int32], Values]:
    """Records and values of mixed groups of one size."""
    return assign_tolerant(sa, ids, PlainGroups(gamma).layout(sa), **more)[0]


def skewed(n: int, m: int, top: float, seed: int) -> Column:
    """A column of n records and at most m values: the most frequent fills `top` of them at most, the others less."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, m + 1) ** 0.8
    for _ in range(50):  # cap and rescale until both hold
        share = np.minimum(share / share.sum(), top)
    counts = np.floor(share / share.sum() * n).astype(int)
    counts[-1 : -1 - (n - counts.sum()) : -1] += 1  # the records that rounding left over go to rare values
    return column("s", np.unique(rng.permutation(np.repeat(np.arange(m), counts)), return_inverse=True)[1])


def with_nsas(sa: Column, seed: int) -> Table:
    """A table of two NSAs, one dependent on the SA, one identifier with a value per record, and the SA."""
    rng = np.random.default_rng(seed)
    dependent = column("dependent", (sa.codes + rng.integers(0, 2, sa.n)) % 7)
    free = column("free", rng.integers(0, 30, sa.n))
    return Table((column("id", np.arange(sa.n)), dependent, free, sa))


def plan_for(table: Table, **gammas: int) -> Plan:
    roles = {name: Role.SA if name in gammas else Role.NSA for name in table.names}
    if "id" in roles:
        roles["id"] = Role.IDENTIFIER
    return Plan(roles=roles, draws=plain(gammas))
