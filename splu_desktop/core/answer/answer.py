"""One count from a release: its figures, how far they may be trusted, and question and answer in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.messages import listed, say

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
    variance : of the estimate that is right on average, 0 where the count is exact.
    small : the largest count that is called small (alpha).
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


def question_words(conditions: Sequence[Condition]) -> str:
    """Return a question as a sentence."""
    if not conditions:
        return say("How many rows are there?")
    what = listed((condition.words() for condition in conditions), "{head} and {tail}", "{head}, {tail}")
    return say("How many rows are there where {what}?", what=what)


def ends_of(answer: Answer) -> tuple[int, int]:
    """Return the ends of an answer's range as people are shown them, rounded against us."""
    return math.floor(answer.low + 1e-9), math.ceil(answer.high - 1e-9)


def range_words(answer: Answer) -> str:
    """Return an answer in words: the range first where the number is too rough, no number where it is hidden."""
    low, high = ends_of(answer)
    if answer.exact:
        return say("{n} (exact in the published table)", n=answer.n_p)
    trust = answer.trust()
    if trust == HIDDEN:
        return say("between {low} and {high}", low=low, high=high)
    about = min(max(round(answer.estimate), low), high)
    if trust == ROUGH:
        return say("between {low} and {high}, about {about}", low=low, high=high, about=about)
    return say("about {about}, between {low} and {high}", about=about, low=low, high=high)
