"""Small sources for tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import TrueTable
from splu_desktop.core.table import Column
from tests.columns import column_of


def column(name: str, codes: NDArray[np.integer]) -> Column:
    """Return a column of texts in the order of the codes."""
    return column_of(name, [f"{code:03}" for code in codes])


def small_source(n: int = 600, seed: int = 5, m: int = 5) -> TrueTable:
    """Three unchanged columns, the first dependent on the sensitive one, which has m values of uneven shares."""
    rng = np.random.default_rng(seed)
    share = np.arange(m, 0, -1.0) + m
    s = np.sort(rng.choice(m, n, p=share / share.sum()))
    s[:m] = np.arange(m)
    a = (s + rng.integers(0, 3, n)) % 4
    columns = column("a", a), column("b", rng.integers(0, 3, n)), column("c", rng.integers(0, 40, n))
    return TrueTable(columns, column("s", s), ("b",))


def small_questions(source: TrueTable) -> CountingQuestions:
    """Every cell of one label of each of the first two columns and one value."""
    one = {at: np.eye(source.columns[at].m, dtype=bool) for at in (0, 1)}
    picked = [{0: one[0][a], 1: one[1][b]} for a in range(4) for b in range(3) for _ in range(source.m)]
    return CountingQuestions.from_flags(source, picked, np.tile(np.arange(source.m), 12))


def random_questions(source: TrueTable, number: int, seed: int) -> CountingQuestions:
    """Conditions on up to two columns, of several labels each, and one value."""
    rng = np.random.default_rng(seed)
    picked = []
    for _ in range(number):
        places = rng.choice(len(source.columns), int(rng.integers(0, 3)), replace=False)
        picked.append({int(at): rng.random(source.columns[at].m) < 0.4 for at in places})
    return CountingQuestions.from_flags(source, picked, rng.integers(0, source.m, number))
