"""l-diversity: every class has enough different values (Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, 2007).

Distinct: l values occur in each class. Entropy: the entropy of each class's shares is ln l at least. Recursive (c, l):
with counts r_1 >= r_2 >= ..., r_1 <= c (r_l + r_{l+1} + ...) (Kifer, Gehrke 2006, Definition 2.5 writes it so).
"""

from __future__ import annotations

import math

import numpy as np

from splu_desktop.compare.base.source import Floats
from splu_desktop.compare.generalise.mondrian import Mondrian
from splu_desktop.core.messages import say
from splu_desktop.core.table import Flags
from splu_desktop.frozen import dataclass

_CLOSE = 1e-12  # rounding of an entropy that is met with equality


def entropy(counts: Floats) -> Floats:
    """Return (K,) entropies, in nats, of the shares of (K, m) counts."""
    share = counts / counts.sum(axis=1, keepdims=True)
    return np.asarray(-(share * np.log(share, out=np.zeros_like(share), where=share > 0)).sum(axis=1))


def recursive(counts: Floats, c: float, l: int) -> Flags:  # noqa: E741 - the paper's name
    """Return (K,) whether (K, m) counts are (c, l)-diverse."""
    if counts.shape[1] < l:
        return np.zeros(len(counts), bool)
    falling = -np.sort(-counts, axis=1)
    return np.asarray(falling[:, 0] <= c * falling[:, l - 1 :].sum(axis=1))


@dataclass(frozen=True)
class DistinctDiversity(Mondrian):
    """Classes with `l` different values and more."""

    l: int  # noqa: E741 - the paper's name

    name = "l-diversity"
    title = say("l-diversity")
    words = say(
        "As k-anonymity, and those who look alike must have several different values. One of them may still be far "
        "likelier than the others."
    )
    first = True
    points = (2, 3, 5)
    setting_said = say("l = {l}")
    promise_said = say("Those who look alike have at least {l} different values.")

    @property
    def least(self) -> int:
        return self.l

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        return np.asarray(np.count_nonzero(counts, axis=1) >= self.l)


@dataclass(frozen=True)
class EntropyDiversity(DistinctDiversity):
    """Classes whose values are as uncertain as `l` equally likely ones."""

    name = "entropy-l-diversity"
    title = say("Entropy l-diversity")
    words = say(
        "As l-diversity, and the values of those who look alike must be about equally frequent. A column in which one "
        "value is frequent can't meet it."
    )
    first = False
    promise_said = say("The values of those who look alike are as uncertain as {l} equally likely ones.")

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        return np.asarray(entropy(counts) >= math.log(self.l) - _CLOSE)


@dataclass(frozen=True)
class RecursiveDiversity(DistinctDiversity):
    """Recursive (c, l)-diversity, with c = 3."""

    c: float = 3.0

    name = "c-l-diversity"
    title = say("(c, l)-diversity")
    words = say(
        "As l-diversity, and the most frequent value of those who look alike must not be too frequent beside the rare "
        "ones."
    )
    first = False
    setting_said = say("c = {c}, l = {l}")
    promise_said = say(
        "Among those who look alike, the most frequent value is at most {c} times as frequent as all from the "
        "{l}th on together."
    )

    def meets(self, counts: Floats, shares: Floats) -> Flags:
        return recursive(counts, self.c, self.l)
