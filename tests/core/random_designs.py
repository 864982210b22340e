"""Random tolerances, and what makes a law of groups one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from splu_desktop.core.table import Column
from splu_desktop.core.tolerance import Tolerances
from splu_desktop.core.tolerant_transition import MatrixTransition
from tests.core.tables import column


def of_seed(seed: int) -> tuple[Column, Tolerances, int]:
    """Return a column of 2 to 8 values and 100 to 30,000 records, tolerances and a number of fake values."""
    chance = np.random.default_rng(seed)
    values, n = int(chance.integers(2, 9)), int(10 ** chance.uniform(2, 4.5))
    shares = chance.dirichlet(np.full(values, chance.choice([0.3, 1, 3])))
    counts = np.maximum((shares * n).astype(int), 1)
    sa = column("s", np.repeat(np.arange(values), counts))
    limits = {}
    for label, count in zip(sa.labels, counts.tolist(), strict=True):
        share = count / sa.n
        wanted = 1.0 if chance.random() < 0.3 else float(chance.choice([0.5, 0.4, 0.3, 0.25, 0.2, 0.125, 0.1, 0.05]))
        if wanted < 1.05 * share:
            wanted = min(1.0, share * chance.uniform(1.05, 3))
        limits[str(label)] = Fraction(wanted).limit_denominator(1000) if wanted < 1 else Fraction(1)
    return sa, Tolerances(limits), int(chance.choice([0, 0, 1, 1, 2, 3]))


def faults(through: MatrixTransition) -> list[str]:
    """Return what keeps a transition from being that of true counts: [] where nothing does."""
    matrix, counts = through.matrix, through.counts
    found = []
    if not np.isfinite(matrix).all():
        return ["not finite"]
    if matrix.min() < -1e-9 or matrix.max() > 1 + 1e-9:
        found.append("no probabilities")
    if np.abs(matrix.sum(axis=1) - 1).max() > 1e-9:
        found.append("rows do not add up")
    if (np.abs(counts @ matrix - counts) > 1e-3 * np.maximum(counts, 1)).any():
        found.append("published counts are not true on average")
    if not through.groups.fits or not through.groups.laws:
        found.append("does not fit the counts it was designed for")
    for number, law in through.groups.laws:
        means = law.means()
        if not np.isfinite(means).all() or abs(means.sum() - law.size) > 1e-3 * law.size or number <= 0:
            found.append("a conditional law is none")
    return found
