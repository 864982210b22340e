"""What is left of the protection when the same records are released more than once, by the exact law.

Source: mechanism.md section 3, "Releasing twice". Counts: whoever holds k releases averages their counts, and the
sum of k independent laws is their convolution, whatever groups each release had. (No choice of fewer releases has a
smaller variance: that of one count is between f / 2 and f in plain groups.) Rows: someone who finds a person's row in
all of them sees k independent draws of it.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from fractions import Fraction

import numpy as np

from splu_desktop.core.guarantees.exact import Floats, Number, checked_epsilon, t_p
from splu_desktop.core.guarantees.tolerant import MOST_ALPHA, laws_of, t_p_of
from splu_desktop.frozen import dataclass

_MOST_MIXED = 1_000  # alpha up to which different plain groups are computed
_MOST_WAYS = 5_000  # ways in which a value can stand in different groups that are looked at


@dataclass(frozen=True)
class ValueDraw:
    """How one release draws a value.

    Attributes
    ----------
    sizes : of its groups; one for plain groups, which is gamma.
    limit : how surely the value may be linked to a record in them; 1 / gamma for plain groups.
    fakes : fake values in each group.
    law : count -> law of the published count, for a draw that is not from groups; then `sizes` are (). None there:
        counts are not what is published, and nothing is promised of several releases.
    sure : number of releases, and gammas of further ones in plain groups -> how surely a row is right that shows the
        same value in each, where bearers of a value always show it; None where each release shows true values by a
        chance of `limit` alone.
    """

    sizes: tuple[int, ...]
    limit: Fraction
    fakes: int = 0
    law: Callable[[int], Floats] | None = None
    sure: Callable[[int, Collection[int]], float] | None = None

    @classmethod
    def plain(cls, gamma: int) -> ValueDraw:
        """Return the draw of plain groups."""
        return cls((gamma,), Fraction(1, gamma))

    @property
    def is_plain(self) -> bool:
        """Whether these are plain groups."""
        return len(self.sizes) == 1 and not self.fakes and self.limit == Fraction(1, self.sizes[0])


def t_p_of_all(draws: Sequence[ValueDraw], epsilon: Number, alpha: int) -> float:
    """Return T_P of a value that was released by each of these draws: the least over counts 1..alpha of
    Pr[|mean of the published counts - f| > epsilon f].

    0 where it can't be computed in moderate time (alpha above 10 with tolerances, above 1,000 with different plain
    groups): nothing is promised that was not computed. Raises BadSetting.
    """
    different = Counter(draws)
    if any(not draw.sizes and draw.law is None for draw in different):
        return 0.0
    if len(different) == 1:
        one = draws[0]
        if one.is_plain:
            return t_p(one.sizes[0], epsilon, alpha, len(draws))
        if one.law is None:
            return t_p_of(one.limit, one.sizes, epsilon, alpha, len(draws), one.fakes)
    exact, plain = checked_epsilon(epsilon), all(draw.is_plain for draw in different)
    if alpha > (_MOST_MIXED if plain else MOST_ALPHA) or any(draw.limit == 1 for draw in different):
        return 0.0
    k, least = len(draws), 1.0
    for f in range(1, alpha + 1):
        low, high = math.ceil((1 - exact) * f * k), math.floor((1 + exact) * f * k)
        ways = [_laws(draw, f, times, alpha, high) for draw, times in different.items()]
        if math.prod(len(laws) for laws in ways) > _MOST_WAYS:
            return 0.0
        for laws in itertools.product(*ways):
            law = np.ones(1)
            for one_law in laws:
                law = np.convolve(law, one_law)[: high + 1]
            least = min(least, 1.0 - float(law[low : high + 1].sum()))
    return max(least, 0.0)


def _laws(draw: ValueDraw, f: int, times: int, alpha: int, high: int) -> list[Floats]:
    """Return Pr[sum of `times` counts = 0..high], for each way in which f records can stand in the groups."""
    if draw.is_plain:
        from scipy.special import gammaln  # longer to load than a release takes without it

        trials, gamma = draw.sizes[0] * f * times, draw.sizes[0]
        k = np.arange(min(high, trials) + 1, dtype=np.float64)
        ways = gammaln(trials + 1) - gammaln(k + 1) - gammaln(trials - k + 1)
        return [np.exp(ways - k * math.log(gamma) + (trials - k) * math.log1p(-1 / gamma))]
    found = []
    laws = [draw.law(f)] if draw.law is not None else laws_of(draw.limit, draw.sizes, f, alpha, draw.fakes)
    for one in laws:
        law = np.ones(1)
        for _ in range(times):
            law = np.convolve(law, one)[: high + 1]
        found.append(law)
    return found


@dataclass(frozen=True)
class RowGain:
    """What someone learns who finds one person's row in all releases.

    Attributes
    ----------
    twice : share of the rows that show their true value in two releases or more. A value that comes twice by chance is
        rare unless it is common, so these rows are known.
    right : share of the rows that the best guess hits, of values so rare that no decoy comes twice; the best tolerance
        where one release is all there is.
    shown : whether both are of the rows that show the same protected value each time (`ValueDraw.sure`), at most.
    """

    twice: float
    right: float
    shown: bool = False


def row_gain(draws: Sequence[ValueDraw]) -> RowGain:
    """Return what the rows of all these releases together tell of a value.

    Each release shows the true value with probability at most `limit`, independently. Where it comes twice it is
    recognised; where it comes once at most, the best guess is what the release with the greatest limit shows.
    """
    keeps = [float(draw.limit) for draw in draws]
    if len(draws) > 1 and (sure := [draw.sure for draw in draws if draw.sure is not None]):
        gammas = [draw.sizes[0] for draw in draws if draw.is_plain]
        # Which values other groups keep apart is not known; of different draws of this kind the surest bounds all.
        computed = len(sure) + len(gammas) == len(draws)
        most = max(*keeps, *(each(len(sure), gammas) for each in dict.fromkeys(sure))) if computed else 1.0
        return RowGain(most, most, shown=True)
    never = math.prod(1 - keep for keep in keeps)
    if never == 0:
        return RowGain(1.0 if len(draws) > 1 else 0.0, 1.0)
    alone = [never * keep / (1 - keep) for keep in keeps]
    twice = max(0.0, 1 - never - sum(alone))
    return RowGain(twice, twice + max(alone))
