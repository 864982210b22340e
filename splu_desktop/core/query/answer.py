"""One count from a release: its figures, how far they may be trusted, and how people are shown them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from functools import cache

import numpy as np

from splu_desktop.core.estimate import Method
from splu_desktop.core.messages import Figure, listed, say
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.thresholds import NORMAL_95
from splu_desktop.frozen import dataclass

_RELIABLE = 0.5  # noise over the count to either side, up to which a count is called reliable
_BY_ITSELF = 0.25  # the same of an estimate that by far exceeds what the margins let expect


class Badge(Enum):
    """How far a figure may be trusted."""

    EXACT = "exact"
    PROTECTED = "protected"
    UNCERTAIN = "uncertain"
    RELIABLE = "reliable"


@dataclass(frozen=True)
class Answer:
    """One count from a release.

    Attributes
    ----------
    conditions : the question.
    published : records of the published table that meet it.
    estimate, low, high : of the true count, with the ends of the 95 % interval, records, not rounded.
    method : the estimator.
    n_p : records that meet the conditions on NSAs, exact in both tables.
    variance : of the unbiased estimate; 0 where the count is exact, None where the release tells nothing about it.
    small : the largest count that the custodian calls small (alpha).
    expected : the count that the margins let expect: N_P, times the share that the values asked have in the release.
    vanished : whether the question names a sensitive value that no published record shows.
    doubtful : whether the interval rests on an expansion that does not hold well here: better have it bootstrapped.
    told : whether public figures alone leave so few counts that no draw protects this one (`public_figures`).
    bootstrapped : whether the interval comes from repetitions of the draw (`reconstruct_bootstrap`).
    """

    conditions: tuple[Condition, ...]
    published: int
    estimate: float
    low: float
    high: float
    method: Method
    n_p: int
    variance: float | None
    small: int
    expected: float
    vanished: bool = False
    doubtful: bool = False
    bootstrapped: bool = False
    told: bool = False

    @property
    def exact(self) -> bool:
        """Whether the published count is the true one: no SA is named, or no record meets what else is."""
        return self.variance == 0.0 or self.n_p == 0

    @property
    def possible(self) -> bool:
        """Whether the ends are no 95 % interval, but what the release leaves possible: nearly always the truth."""
        return not self.exact and self.variance is None

    @property
    def interval_by(self) -> str:
        """Where the ends come from, as data state it: "theory", "repetition" of the draw, or all that is "possible"."""
        return "possible" if self.possible else "repetition" if self.bootstrapped else "theory"

    @property
    def stated(self) -> tuple[float | None, float, float]:
        """Estimate and ends as files and data state them: of a protected count no estimate, and the ends shown.

        Whoever reads a file takes a figure in it for an answer, and a small count has none.
        """
        if self.badge is Badge.PROTECTED:
            return None, *self.ends
        return self.estimate, self.low, self.high

    @property
    def share(self) -> tuple[float | None, float, float] | None:
        """What is stated as shares of N_P, None where no record is selected."""
        if self.n_p == 0:
            return None
        estimate, low, high = self.stated
        return None if estimate is None else estimate / self.n_p, low / self.n_p, high / self.n_p

    @property
    def relative(self) -> float | None:
        """The longer arm of the interval over the estimate, None where the estimate is 0."""
        if self.estimate <= 0:
            return None
        return max(self.high - self.estimate, self.estimate - self.low, 0.0) / self.estimate

    @property
    def reliable(self) -> bool:
        """Whether the noise is small beside the count, as far as that could be said before the noise was drawn.

        Judged by the estimate alone, answers are called reliable that noise has made high or whose ends it has pushed
        to where no count can be: where hardly any count stands out of the noise, those are nearly all. So the noise is
        no less than the variance says, and is compared with the count expected too, but by estimates so high that half
        of them would do.
        """
        noise = max(self.high - self.estimate, self.estimate - self.low, self._noise)
        count = min(self.estimate, self.expected)
        return self.estimate > 0 and noise <= max(_RELIABLE * count, _BY_ITSELF * self.estimate)

    @property
    def _noise(self) -> float:
        """An arm of the interval if it ended nowhere, 0 where the release tells nothing."""
        return NORMAL_95 * math.sqrt(self.variance or 0.0)

    @property
    def vague(self) -> bool:
        """Whether the count may be a small one, so that only its range is shown and no figure of its own."""
        return not self.exact and self.low <= self.small

    @property
    def ends(self) -> tuple[int, int]:
        """The ends of the interval as people are shown them; no range is narrower than what counts as small."""
        high = min(int(np.ceil(self.high)), self.n_p)
        return max(0, int(np.floor(self.low))), max(high, min(self.small, self.n_p)) if self.vague else high

    @property
    def badge(self) -> Badge:
        """How far to trust the figure: protected where the interval says that the count is small."""
        if self.exact:
            return Badge.EXACT
        if self.vague:
            # A wide interval from 0 on says only that little is known; the count may well be a large one.
            # So may one of many records, pushed below 0 by noise that is larger than a small count's interval.
            small = max(self.high, min(self._noise, self.n_p)) <= _small_end(self.small) and not self.told
            return Badge.PROTECTED if small else Badge.UNCERTAIN
        return Badge.RELIABLE if self.reliable else Badge.UNCERTAIN

    @property
    def within(self) -> int:
        """Within how many per cent of a reliable figure the count is, rounded up."""
        return max(1, math.ceil(100 * (self.relative or 0.0)))

    @property
    def badge_text(self) -> str:
        """The badge in words."""
        badge = self.badge
        if badge is Badge.EXACT:
            if self.variance != 0.0:
                return say("exact: no record meets the conditions on columns published unchanged")
            return say("exact: counted from what is published unchanged")
        if badge is Badge.PROTECTED:
            return "protected: this count is small, the figure is deliberately unreliable"
        if self.told and badge is Badge.UNCERTAIN:
            return "uncertain: but not protected, since the numbers of records and values and gamma tell it"
        if self.possible and badge is Badge.UNCERTAIN:
            return "uncertain: the release does not tell this count, only which are possible"
        if badge is Badge.UNCERTAIN or self.relative is None:
            return "uncertain: the count may be small or large, only its range is known" if self.vague else "uncertain"
        return say("reliable to ±{percent} %", percent=self.within)

    @property
    def shown(self) -> str:
        """The figure for people: no more digits than the interval supports, none but the range for a small count."""
        if self.exact:
            return Figure(f"{self.published:,}")
        low, high = self.ends
        if self.vague:
            return say("{low} to {high}", low=low, high=high)
        return say("about {count}", count=self.rounded)

    @property
    def rounded(self) -> int:
        """The estimate for people: its last digit stands for no less than a tenth of the interval."""
        step = 10 ** max(0, int(np.floor(np.log10(max(self.high - self.low, 1.0)))) - 1)
        return int(round(self.estimate / step) * step)


@cache
def _small_end(small: int) -> float:
    """Return how far the interval of the largest small count may reach when only its own records are uncertain.

    Published counts of f scatter less than Poisson's (mechanism.md section 3), so at most f + z sqrt(f) is published in
    97.5 % of releases, and Poisson's interval for that ends at about o + z^2/2 + z sqrt(o + z^2/4).
    """
    seen = small + NORMAL_95 * np.sqrt(small)
    return float(seen + NORMAL_95**2 / 2 + NORMAL_95 * np.sqrt(seen + NORMAL_95**2 / 4))


def sentence(conditions: Sequence[Condition]) -> str:
    """Return the question in words."""
    if not conditions:
        return say("How many records are there?")
    next_one = "{head}; {tail}"
    asked = listed((condition.words() for condition in conditions), next_one, next_one)
    return say("How many records: {asked}?", asked=asked)
