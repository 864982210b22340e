"""Small sources for tests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import TrueTable
from splu_desktop.core.table import Kind
from tests.core.tables import column


def small_source(n: int = 600, seed: int = 5, m: int = 5, *, ordered: bool = False) -> TrueTable:
    """Three unchanged columns, the first dependent on the sensitive one, which has m values of uneven shares."""
    rng = np.random.default_rng(seed)
    share = np.arange(m, 0, -1.0) + m
    s = np.sort(rng.choice(m, n, p=share / share.sum()))
    s[:m] = np.arange(m)
    a = (s + rng.integers(0, 3, n)) % 4
    c = rng.integers(0, 40, n)
    sensitive = column("s", s)
    if ordered:
        sensitive = replace(sensitive, kind=Kind.INTEGER, values=np.arange(m, dtype=np.float64))
    return TrueTable((column("a", a), column("b", rng.integers(0, 3, n)), column("c", c)), sensitive)


def small_questions(source: TrueTable) -> CountingQuestions:
    """Every cell of one label of each of the first two columns and one value, and some sets of values."""
    cells = [(a, b, v) for a in range(4) for b in range(3) for v in range(source.m)]
    first, second, value = np.array(cells).T
    rows = first * 3 + second
    one, other = np.eye(4, dtype=bool)[np.repeat(np.arange(4), 3)], np.eye(3, dtype=bool)[np.tile(np.arange(3), 4)]
    flags = one, other, np.ones((12, source.columns[2].m), bool)
    chosen = np.eye(source.m, dtype=bool)[value]
    sets = np.zeros((12, source.m), bool)
    sets[:, :2] = True
    return CountingQuestions(
        source, flags, np.concatenate([rows, np.arange(12)]), np.concatenate([chosen, sets]), len(cells) + 12
    )
