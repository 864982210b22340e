"""What groups of several sizes promise: T_P and T_f per tolerance, and what the published figures give away.

The published count of a value is a sum over the groups that hold it of Binomial(size, copies / size), computed as the
convolution (mechanism.md section 5).

Small counts: T_P is the least probability of an error above epsilon over all counts f up to alpha and over *every* way
in which f records can stand in groups that the tolerance allows, so it holds whatever groups were formed. A value with
tolerance 1 may stand alone and is then published as it is: its T_P is 0.

Large counts: of all sums of independent yes-no draws with mean f, a binomial with equal chances strays most (Hoeffding
1956), and the more draws the more; so the exact T_f of plain groups of the largest size holds for every value.

With sigma fake values a group of S records holds S + sigma values. A sensitive value stands at most once in a group,
and a record of it comes with sigma / S fake copies elsewhere, rounded up or down at random (`fake_values`); f' is a sum
over all groups that hold it, really or not, of Binomial(S, 1 / (S + sigma)). Its mean given the fakes is within 1 of f
for each size, so T_f allows for that.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.groups.sized import SizedGroups
from splu_desktop.core.groups.tolerances import NOT_SENSITIVE
from splu_desktop.core.guarantees.exact import MOST_TEETH, TIE, checked_epsilon, checked_probability, floor_times, t_f

Floats = NDArray[np.float64]

MOST_ALPHA = 10  # counts up to which every way of standing in groups is looked at


def count_law(groups: Sequence[tuple[int, int]]) -> Floats:
    """Return Pr[f' = k] for k = 0, 1, ... of a value that stands `copies` times in groups of `size`, each a pair."""
    law = np.ones(1)
    for size, copies in groups:
        law = np.convolve(law, binomial(size, copies, size))
    return law


def law_with_fakes(groups: Sequence[tuple[int, int]], fakes: int) -> Floats:
    """Return Pr[f' = k] of a sensitive value that really stands in `copies` groups of `size` records, each a pair.

    Every such group holds `fakes` fake values too; the value's own fake copies are copies fakes / size for each size,
    rounded up or down at random so that the mean is exact.
    """
    law = np.ones(1)
    for size, copies in groups:
        sure, part = divmod(copies * fakes, size)
        one = binomial(size, 1, size + fakes)
        of_size = np.ones(1)
        for _ in range(copies + sure):
            of_size = np.convolve(of_size, one)
        mixed = np.append(of_size, np.zeros(size)) * (1 - part / size)
        law = np.convolve(law, mixed + np.convolve(of_size, one) * (part / size))
    return law


@lru_cache(maxsize=4096)
def binomial(trials: int, copies: int, values: int) -> Floats:
    """Return Pr[k of `trials` draws with a chance of copies / values]."""
    # On whole numbers, each probability rounded once; scipy.stats would cost every command half a second to import.
    ways = (math.comb(trials, k) * copies**k * (values - copies) ** (trials - k) for k in range(trials + 1))
    return np.array([way / values**trials for way in ways], np.float64)


def t_p_of(
    limit: Fraction,
    sizes: Sequence[int],
    epsilon: float | str | Fraction,
    alpha: int,
    releases: int = 1,
    fakes: int = 0,
) -> float:
    """Return T_P of a value with this tolerance: the least over counts 1..alpha and ways to stand in the groups.

    With k = `releases`, the mean of k counts with fresh draws in such groups. 0 where alpha is beyond MOST_ALPHA, since
    nothing is promised that was not computed.
    """
    exact = checked_epsilon(epsilon)
    if alpha > MOST_ALPHA or (fakes and limit == 1):
        return 0.0
    least = 1.0
    for f in range(1, alpha + 1):
        low, high = math.ceil((1 - exact) * f * releases), math.floor((1 + exact) * f * releases)
        for of_one in laws_of(limit, sizes, f, alpha, fakes):
            law = np.ones(1)
            for _ in range(releases):
                law = np.convolve(law, of_one)
            least = min(least, float(law[:low].sum()) + float(law[high + 1 :].sum()))
    return max(least, 0.0)


def laws_of(limit: Fraction, sizes: Sequence[int], f: int, alpha: int, fakes: int = 0) -> Iterator[Floats]:
    """Give Pr[f' = 0, 1, ...] for each way in which f records of a value can stand in groups that a tolerance allows.

    alpha : the largest count that is looked at, at least f.
    """
    whole = [limit.numerator * (size + fakes) // limit.denominator for size in sizes]
    pieces = [
        (size, c)
        for size, most in zip(sizes, whole, strict=True)
        for c in range(1, min(most, 1 if fakes else alpha) + 1)
    ]
    for standing in _standings(f, tuple(pieces)):
        if fakes:
            yield law_with_fakes(tuple(Counter(size for size, _ in standing).items()), fakes)
        else:
            yield count_law(standing)


def t_f_of(grouping: SizedGroups, epsilon: float | str | Fraction, t_e: float | str | Fraction) -> int:
    """Return T_f of every value of a grouping; see the head of this file."""
    if not grouping.fakes:
        return t_f(grouping.sizes[-1], epsilon, t_e) if grouping.sizes[-1] > 1 else 1
    exact, allowed = checked_epsilon(epsilon), checked_probability(t_e)
    size, off = grouping.largest, len(grouping.sizes)
    # Chebyshev: beyond, the variance of any such sum over (epsilon f - off)^2 is below T_E.
    end = math.ceil(1 / (exact**2 * allowed) + 2 * off / exact) + off
    if end > MOST_TEETH:
        return end
    f = np.arange(1, end + 1, dtype=np.int64)
    arm = _ceil_times(f, exact)
    up, down = f + arm, np.maximum(f - arm, -1)
    from scipy.special import betainc  # longer to load than a release takes without it

    above = betainc(up, size * (f + off) - up + 1, 1 / size)
    trials = np.maximum(size * (f - off), 0)
    below = betainc(np.maximum(trials - down, 1), np.maximum(down, 0) + 1, 1 - 1 / size)
    # The binomial is the worst case a whole record beyond the mean only (Hoeffding 1956).
    bad = (arm <= off) | (above + np.where(down < 0, 0.0, below) > float(allowed) * (1 - TIE))
    return int(f[np.flatnonzero(bad)[-1]]) + 1


def _ceil_times(whole: NDArray[np.int64], factor: Fraction) -> NDArray[np.int64]:
    """Return ceil(whole * factor), exactly."""
    down = floor_times(whole, factor)
    return np.where(whole % factor.denominator == 0, down, down + 1)


def _standings(f: int, pieces: tuple[tuple[int, int], ...]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield every multiset of pieces (size, copies) whose copies add up to f."""
    if f == 0:
        yield ()
        return
    for at, piece in enumerate(pieces):
        if piece[1] <= f:
            for rest in _standings(f - piece[1], pieces[at:]):
                yield (piece, *rest)


def sole_bearer_named(grouping: SizedGroups) -> Fraction:
    """Return the most likely case in which the only bearer of a sensitive value is named to who knows all others.

    A published value always has a true bearer, fakes being copies of the column's own values. So it is named just
    where the value is published: by some of the S records of its group or, with a chance of sigma / S, of a second
    one's in which its fake copy stands; each of them draws among S + sigma values.
    """
    limits = {limit for limit in grouping.tolerances.limits.values() if limit < NOT_SENSITIVE}
    chances = [Fraction(0)]
    for size in {*grouping.sizes, grouping.sizes[0] + 1}:  # some of the smallest hold one record more
        whole = size + grouping.fakes
        if not any(limit * whole >= 1 for limit in limits):
            continue
        missed = Fraction(whole - 1, whole) ** size
        copies, part = divmod(grouping.fakes, size)
        chances.append(1 - missed ** (1 + copies) * (1 - Fraction(part, size) * (1 - missed)))
    return max(chances)


def given_away(grouping: SizedGroups, records: int) -> Mapping[str, int]:
    """Return the width in records of what the published sizes and shares tell of counts.

    Shares are whole steps of 1 / d. A reader who knows the whole table but for the records of one value learns of its
    count only what keeps the chosen shares: they stay the same while the count moves by less than a step of room, which
    is `step` records of capacity, `groups` groups of the largest size.
    """
    step = Fraction(1, math.lcm(*(share.denominator for share in grouping.shares)))
    width = int(step * records)
    return {"step": width, "groups": width // grouping.sizes[-1]}
