"""k-anonymity (Samarati 2001; Sweeney 2002) and l-diversity (Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2007).

Every class has k records at least; l values occur in each class (distinct); with counts r_1 >= r_2 >= ...,
r_1 <= c (r_l + r_{l+1} + ...) (recursive (c, l); Kifer, Gehrke 2006, Definition 2.5 writes it so).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splu_desktop.compare.base.source import Floats
from splu_desktop.compare.generalise.mondrian import Mondrian
from splu_desktop.core.messages import say
from splu_desktop.core.table import Flags


def recursive(counts: Floats, c: float, l: int) -> Flags:  # noqa: E741 - the paper's name
    """Return (K,) whether (K, m) counts are (c, l)-diverse."""
    if counts.shape[1] < l:
        return np.zeros(len(counts), bool)
    falling = -np.sort(-counts, axis=1)
    return np.asarray(falling[:, 0] <= c * falling[:, l - 1 :].sum(axis=1))


@dataclass(frozen=True)
class KAnonymity(Mondrian):
    """Classes of `k` records and more."""

    k: int

    name = "k-anonymity"
    title = say("k-anonymity")
    first = True
    points = (2, 5, 20)
    span, whole = (2, 5_000), True
    setting_said = say("k = {k}")

    @property
    def least(self) -> int:
        return self.k

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        return np.ones(len(counts), bool)


@dataclass(frozen=True)
class DistinctDiversity(Mondrian):
    """Classes with `l` different values and more."""

    l: int  # noqa: E741 - the paper's name

    name = "l-diversity"
    title = say("l-diversity")
    first = True
    points = (2, 3, 5)
    span, whole = (2, 30), True
    setting_said = say("l = {l}")

    @property
    def least(self) -> int:
        return self.l

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        return np.asarray(np.count_nonzero(counts, axis=1) >= self.l)


@dataclass(frozen=True)
class RecursiveDiversity(DistinctDiversity):
    """Recursive (c, l)-diversity, with c = 3."""

    c: float = 3.0

    name = "c-l-diversity"
    title = say("(c, l)-diversity")
    first = False
    setting_said = say("c = {c}, l = {l}")

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        return recursive(counts, self.c, self.l)
