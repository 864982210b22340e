"""The draw: a unit keeps its value with probability 1/gamma, else it shows the value of a lender of its class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.mechanism.draw import Draw, Floats, register
from splu_desktop.core.mechanism.law import binomial, poisson
from splu_desktop.core.mechanism.randomness import Randomness, below, happens

_FAR = 9.0  # standard deviations beyond which a count's law is cut


class LenderPool:
    """Who lends in each class: units with their rows, or values with the rows that have them.

    Law: picked is the owner of a uniformly random row of the class, independently for each who asks. So a value comes
    with its share of the rows of the class, whether the owners are all units in memory or the counts of values alone:
    the two draws are one (law 1). Test: tests/core/test_mechanism.py, tests/files/test_large.py.

    Parameters
    ----------
    classes : (L,) the class of each lender.
    rows : (L,) how many rows each has.
    """

    def __init__(self, classes: NDArray[np.int32], rows: NDArray[np.int64]) -> None:
        few = classes.astype(np.min_scalar_type(classes.max(initial=0)))  # short numbers are sorted eight times as fast
        self._order = np.argsort(few, kind="stable").astype(np.int32)
        self._before = np.concatenate([[0], np.cumsum(rows[self._order])])
        ends = self._before[np.cumsum(np.bincount(classes, minlength=int(classes.max(initial=-1)) + 1))]
        self._begins = np.concatenate([[0], ends[:-1]])
        self._rows = ends - self._begins

    def pick(self, classes: NDArray[np.int32], source: Randomness) -> NDArray[np.int32]:
        """Return (B,) a lender for each borrower of some class.

        Law 1: the owner of a uniformly random row of the class. Proof: `below` is uniform, and rows of an owner
        lie side by side. Test: test_mechanism.py.
        """
        # A row at random, not a unit: who has more rows lends more often, else shares of rows would move.
        picked = self._begins[classes] + below(source, self._rows[classes], len(classes)).astype(np.int64)
        if int(self._before[-1]) == len(self._order):
            return np.asarray(self._order[picked], np.int32)
        # From the row back to the lender among whose rows it lies.
        return np.asarray(self._order[np.searchsorted(self._before, picked, side="right") - 1], np.int32)


@register
@dataclass(frozen=True)
class Lenders(Draw):
    """Invariant PRAM by retention and replacement within classes (mechanism.md section 2).

    In the papers' words: decoy groups of gamma formed at random within a class, one member's value shown for each.
    """

    name: ClassVar[str] = "lenders"

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
        whatever it says, since the shown value has the same law kept or lent. Test: test_mechanism.py
        (test_records_show_values_by_the_transition_of_their_class,
        test_what_stands_there_was_kept_with_one_probability_whatever_it_says).
        """
        lender = LenderPool(classes, weights).pick(classes, source)
        # Whether it keeps its value is drawn apart from whose it would show instead.
        return np.where(self.draw_kept(len(classes), source), np.int32(-1), lender)

    def draw_kept(self, count: int, source: Randomness) -> NDArray[np.bool_]:
        """Return (count,) whether each unit keeps its value, with probability 1/gamma.

        Law 2: whatever the value. Proof: no value is asked. Test: test_mechanism.py.
        """
        return happens(source, self.retention, count)

    def transition(self, counts: Floats) -> Floats:
        """Return (m, m) T = a I + (1 - a) 1 g' (law 1).

        Proof: a unit keeps its value with chance a, else shows that of a random row. Test: test_mechanism.py.
        """
        a, g = self.retention, counts / counts.sum()
        return np.asarray(a * np.eye(len(counts)) + (1 - a) * g)

    def score(self, h: Floats, counts: Floats) -> Floats:
        """Return (..., m) T^-1 h = (h - (1 - a) g_h) / a, g_h the mean of h over the class (mechanism.md section 4).

        Law: E[score of the shown value] = h(true value). Proof: T phi = a phi + (1 - a) g_phi, and
        g_phi = (g_h - (1 - a) g_h) / a = g_h. Test: test_mechanism.py (test_scores_undo_the_transition).
        """
        a = self.retention
        mean = np.asarray(h @ (counts / max(counts.sum(), 1)))
        return np.asarray((h - (1 - a) * mean[..., None]) / a)

    def count_law(self, count: int, units: int | None) -> Floats:
        """Return (K,) P(published count = k) of a value with `count` of `units` in its class (law 4).

        f' = Bin(f, a + (1-a) f/n) + Bin(n - f, (1-a) f/n); for many units Bin(f, a) + Poisson((1-a) f). Proof: bearers
        show it by keeping or by lending, others by lending alone, each unit by itself. Test: test_law.py
        (test_a_published_count_has_the_law_of_its_class).
        """
        a = self.retention
        width = int(2 * count + _FAR * np.sqrt(count + 1) + 20)
        if units is None:
            bearers = binomial(np.arange(count + 1), count, a)
            others = poisson(np.arange(width), (1 - a) * count)
        else:
            lent = (1 - a) * count / units
            bearers = binomial(np.arange(count + 1), count, a + lent)
            others = binomial(np.arange(min(units - count, width) + 1), units - count, lent)
        return np.asarray(np.convolve(bearers, others))

    def certainty(self, share: float) -> float:
        """Return pi + (1 - pi)/gamma: how often a row that shows a value, or a set, of this share is right (law 2).

        Proof: kept (1/gamma) it is right for sure; lent, the own value is a random one of the class, right with pi.
        Test: test_mechanism.py (test_what_stands_there_was_kept_with_one_probability_whatever_it_says).
        """
        return share + (1 - share) * self.retention
