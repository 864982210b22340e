"""How the draw carries true values to published ones: the one place that knows a and b_s (mechanism.md section 4).

Estimators ask a `Transition` for its numbers and never recompute them, so that groups of other sizes (section 5) can
put a whole matrix in their place.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.published import Published

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Transition:
    """Plain decoy groups of one SA, as the reader of a release knows them.

    Attributes
    ----------
    n : records, N.
    a : probability that a record keeps its value, r / N.
    counts : (m,) published counts f'_s, which stand for the true f_s.
    gamma : the size of a group.
    """

    n: int
    a: float
    counts: Floats
    gamma: int

    @classmethod
    def of(cls, published: Published, sa: str) -> Transition:
        """Return the transition of one SA of a release."""
        counts = published.table[sa].counts().astype(np.float64)
        return cls(n=published.n, a=published.retention(sa), counts=counts, gamma=published.gammas[sa])

    @cached_property
    def others(self) -> Floats:
        """(m,) records with another value, N - f_s; at least 1, since no value of an eligible SA fills the table."""
        return np.maximum(self.n - self.counts, 1.0)

    @cached_property
    def b(self) -> Floats:
        """(m,) probability that a record of another value is published as s, (1 - a) f_s / (N - f_s)."""
        return (1.0 - self.a) * self.counts / self.others

    @cached_property
    def slope(self) -> Floats:
        """(m,) derivative of b_s by f_s, (1 - a) N / (N - f_s)^2."""
        return (1.0 - self.a) * self.n / self.others**2

    @cached_property
    def signal(self) -> Floats:
        """(m,) a - b_s, what is left of s to see; 0 for a value at the eligibility limit."""
        return self.a - self.b

    @cached_property
    def sharing(self) -> Floats:
        """(m,) pi, probability that a record of another value shares its group with s, b_s / a."""
        return self.b / self.a

    @cached_property
    def readable(self) -> NDArray[np.bool_]:
        """(m,) whether a - b_s stands clear of its own sampling error (3 standard deviations)."""
        error = self.slope * np.sqrt(np.maximum(self.counts, 1.0) * (1.0 - self.a))
        return self.signal > 3.0 * error
