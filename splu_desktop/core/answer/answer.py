"""One count from a release: its figures, and how far they may be trusted."""

from __future__ import annotations

from dataclasses import dataclass

from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.messages import say

EXACT, READABLE, ROUGH, HIDDEN = "exact", "readable", "rough", "hidden"
WITHIN = 0.3


@dataclass(frozen=True)
class Answer:
    """One count.

    Attributes
    ----------
    conditions : the question.
    published_count : rows of the published table that meet it.
    estimate : of the true count; inside its interval.
    low, high : ends of the 95 % interval about this table, rows, not rounded.
    low_alike, high_alike : the same about persons like these, of whom the table is a sample.
    n_p : rows that meet the conditions on unchanged columns, exact in both tables.
    variance : of the unbiased estimate, 0 where the count is exact.
    small : the largest count that is called small (alpha).
    unbiased : the estimate that is right on average over releases.
    """

    conditions: tuple[Condition, ...]
    published_count: int
    estimate: float
    low: float
    high: float
    low_alike: float
    high_alike: float
    n_p: int
    variance: float
    small: int
    unbiased: float

    @property
    def exact(self) -> bool:
        """Whether the published count is the true one: no sensitive column is asked, or no row meets what else is."""
        return self.variance == 0.0 and self.low == self.high

    @property
    def share(self) -> tuple[float, float, float] | None:
        """Estimate and ends as shares of the rows selected; None where none is."""
        return None if self.n_p == 0 else (self.estimate / self.n_p, self.low / self.n_p, self.high / self.n_p)

    @property
    def relative(self) -> float:
        """Half the interval over the estimate; infinite where the estimate is 0."""
        return (self.high - self.low) / 2 / self.estimate if self.estimate > 0 else float("inf")

    def trust(self, within: float = WITHIN) -> str:
        """Return how far the figure may be trusted: exact, readable within so much, hidden on purpose, or rough."""
        if self.exact:
            return EXACT
        return trust_of(self.estimate, self.low, self.high, self.small, within)


def trust_of(estimate: float, low: float, high: float, small: int, within: float = WITHIN) -> str:
    """Return readable, rough or hidden for an estimate with its interval."""
    if estimate > 0 and (high - low) / 2 <= within * estimate:
        return READABLE
    return HIDDEN if low <= small else ROUGH


def say_trust(trust: str) -> str:
    """Return trust in words."""
    words = {EXACT: say("exact"), READABLE: say("readable"), ROUGH: say("too rough"), HIDDEN: say("hidden on purpose")}
    return words[trust]
