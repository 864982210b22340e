"""The draw: a unit keeps its value with probability 1/gamma, else it shows the value of a lender of its class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.mechanism.draw import Floats, check_gamma, register
from splu_desktop.core.mechanism.probabilities import binomial, poisson
from splu_desktop.core.mechanism.randomness import Randomness, below, happens

_FAR = 9.0  # standard deviations beyond which a count's law is cut


@register
@dataclass(frozen=True)
class Lenders:
    """Invariant PRAM by retention and replacement within classes (mechanism.md section 2).

    In the papers' words: decoy groups of gamma formed at random within a class, one member's value shown for each.

    Attributes
    ----------
    gamma : strength, at least 1.
    """

    gamma: float
    name: ClassVar[str] = "lenders"

    def __post_init__(self) -> None:
        check_gamma(self.gamma)

    def with_gamma(self, gamma: float) -> Lenders:
        """Return the draw with another strength. Raises BadSetting."""
        return Lenders(gamma)

    def check(self, counts: NDArray[np.int64], column: str) -> None:
        """Every column can be drawn so, frequent values and lone ones alike."""

    def choose_lenders(
        self, values: NDArray[np.int32], classes: NDArray[np.int32], weights: NDArray[np.int64], source: Randomness
    ) -> NDArray[np.int32]:
        """Return (U,) the unit whose value each unit shows, -1 where it keeps its own.

        Law 1: the lender is the owner of a uniformly random row of the class, whatever the unit's own value: any unit
        at random where all have as many rows. So T = a I + (1 - a) 1 g', g the share of each value among the rows of
        the class, and shares are right on average whatever sizes stand together. Proof: E[rows of v shown] =
        sum_u n_u (a h_u + (1 - a) g_v) = rows of v. Law 2: what stands there was kept with probability 1/gamma,
        whatever it says, since the shown value has the same law kept or lent. Test: test_mechanism.py.
        """
        units = len(classes)
        order = np.argsort(classes, kind="stable").astype(np.int32)
        number = int(classes.max(initial=-1)) + 1
        rows_before = np.concatenate([[0], np.cumsum(weights[order])])
        ends = rows_before[np.cumsum(np.bincount(classes, minlength=number))]
        begins = np.concatenate([[0], ends[:-1]])
        # A row at random, not a unit: who has more rows lends more often, else shares of rows would move.
        picked = begins[classes] + below(source, (ends - begins)[classes], units)
        if int(rows_before[-1]) == units:
            lender = order[picked]
        else:
            # From the row back to the unit among whose rows it lies.
            lender = order[np.searchsorted(rows_before, picked, side="right") - 1]
        # Whether it keeps its value is drawn apart from whose it would show instead.
        return np.where(happens(source, 1 / self.gamma, units), np.int32(-1), lender)

    def transition(self, counts: Floats) -> Floats:
        """Return (m, m) T = a I + (1 - a) 1 g' (law 1)."""
        a, g = 1 / self.gamma, counts / counts.sum()
        return np.asarray(a * np.eye(len(counts)) + (1 - a) * g)

    def score(self, h: Floats, counts: Floats) -> Floats:
        """Return (..., m) T^-1 h = (h - (1 - a) g_h) / a, g_h the mean of h over the class (mechanism.md section 4).

        Proof: T phi = a phi + (1 - a) g_phi, and g_phi = (g_h - (1 - a) g_h) / a = g_h.
        """
        a = 1 / self.gamma
        mean = np.asarray(h @ (counts / max(counts.sum(), 1)))
        return np.asarray((h - (1 - a) * mean[..., None]) / a)

    def count_law(self, count: int, units: int | None) -> Floats:
        """Return (K,) P(published count = k) of a value with `count` of `units` in its class (law 4).

        f' = Bin(f, a + (1-a) f/n) + Bin(n - f, (1-a) f/n); for many units Bin(f, a) + Poisson((1-a) f). Proof: bearers
        show it by keeping or by lending, others by lending alone, each unit by itself.
        """
        a = 1 / self.gamma
        width = int(2 * count + _FAR * np.sqrt(count + 1) + 20)
        if units is None:
            own = binomial(np.arange(count + 1), count, a)
            others = poisson(np.arange(width), (1 - a) * count)
        else:
            lent = (1 - a) * count / units
            own = binomial(np.arange(count + 1), count, a + lent)
            others = binomial(np.arange(min(units - count, width) + 1), units - count, lent)
        return np.asarray(np.convolve(own, others))

    def certainty(self, share: float) -> float:
        """Return pi + (1 - pi)/gamma: how often a row that shows a value, or a set, of this share is right (law 2)."""
        return share + (1 - share) / self.gamma
