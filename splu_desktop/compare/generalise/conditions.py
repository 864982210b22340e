"""The conditions of classes, with their sources.

- k-anonymity (Samarati 2001; Sweeney 2002): k records and more.
- l-diversity (Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2007): l different values and more.
- recursive (c, l)-diversity (the same; as Kifer, Gehrke 2006, Definition 2.5 write it): r_1 <= c (r_l + r_{l+1} + ...)
  of the counts r_1 >= r_2 >= ...
- t-closeness (Li, Li, Venkatasubramanian 2007): the earth mover's distance of the class's shares from the table's is t
  at most, any two values being equally far apart: 1/2 sum |p_i - q_i|.
- delta-disclosure privacy (Brickell, Shmatikov 2008): |ln(p(g, s) / p(s))| < delta for every value of the table. Their
  Lemma 1: the information gain H(S) - H(S | class) of any learner is below delta then.
"""

from __future__ import annotations

import numpy as np

from splu_desktop.compare.base import Flags, Floats, system
from splu_desktop.compare.generalise.mondrian import Mondrian
from splu_desktop.core.messages import say

_CLOSE = 1e-12


@system("k-anonymity", say("k-anonymity"), first=True, points=(2, 5, 20), span=(2, 5_000))
class KAnonymity(Mondrian):
    """Classes of `k` records and more."""

    k: int

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        return np.asarray(counts.sum(axis=1) >= self.k)


@system("l-diversity", say("l-diversity"), first=True, points=(2, 3, 5), span=(2, 30))
class DistinctDiversity(Mondrian):
    """Classes with `l` different values and more."""

    l: int  # noqa: E741 - the paper's name

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        return np.asarray(np.count_nonzero(counts, axis=1) >= self.l)


@system("c-l-diversity", say("(c, l)-diversity"), first=False)
class RecursiveDiversity(DistinctDiversity):
    """Recursive (c, l)-diversity, with c = 3."""

    c: float = 3.0

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        falling = -np.sort(-counts, axis=1)
        return np.asarray(falling[:, 0] <= self.c * falling[:, self.l - 1 :].sum(axis=1))


@system("t-closeness", say("t-closeness"), first=True, points=(0.5, 0.3, 0.15), span=(0.95, 0.01))
class Closeness(Mondrian):
    """Classes at most `t` from the whole table, by the equal distance."""

    t: float

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        apart = np.abs(counts / counts.sum(axis=1, keepdims=True) - shares).sum(axis=1) / 2
        return np.asarray(apart <= self.t + _CLOSE)


@system("delta-disclosure", say("delta-disclosure"), points=(2.0, 1.0, 0.5), span=(5.0, 0.02))
class DeltaDisclosure(Mondrian):
    """Classes in which no value's share is e^`delta` times that of the table, or more, or less than 1/e^`delta`."""

    delta: float

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        with np.errstate(divide="ignore"):  # a value that a class lacks is infinitely far
            apart = np.abs(np.log(counts / counts.sum(axis=1, keepdims=True) / shares))
        return np.asarray((apart < self.delta).all(axis=1))
