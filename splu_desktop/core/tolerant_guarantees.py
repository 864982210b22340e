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
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.guarantees import (
    MOST_TEETH,
    TIE,
    checked_epsilon,
    checked_probability,
    floor_times,
    t_f,
)
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.said import Figure, counted, listed, say
from splu_desktop.core.tolerance import NOT_SENSITIVE
from splu_desktop.core.tolerant_groups import Grouping

Floats = NDArray[np.float64]

MOST_ALPHA = 10  # counts up to which every way of standing in groups is looked at


def count_law(groups: Sequence[tuple[int, int]]) -> Floats:
    """Return Pr[f' = k] for k = 0, 1, ... of a value that stands `copies` times in groups of `size`, each a pair."""
    law = np.ones(1)
    for size, copies in groups:
        law = np.convolve(law, _binomial(size, copies, size))
    return law


def law_with_fakes(groups: Sequence[tuple[int, int]], fakes: int) -> Floats:
    """Return Pr[f' = k] of a sensitive value that really stands in `copies` groups of `size` records, each a pair.

    Every such group holds `fakes` fake values too; the value's own fake copies are copies fakes / size for each size,
    rounded up or down at random so that the mean is exact.
    """
    law = np.ones(1)
    for size, copies in groups:
        sure, part = divmod(copies * fakes, size)
        one = _binomial(size, 1, size + fakes)
        of_size = np.ones(1)
        for _ in range(copies + sure):
            of_size = np.convolve(of_size, one)
        mixed = np.append(of_size, np.zeros(size)) * (1 - part / size)
        law = np.convolve(law, mixed + np.convolve(of_size, one) * (part / size))
    return law


@lru_cache(maxsize=4096)
def _binomial(trials: int, copies: int, values: int) -> Floats:
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

    Parameters
    ----------
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


def t_f_of(grouping: Grouping, epsilon: float | str | Fraction, t_e: float | str | Fraction) -> int:
    """Return T_f of every value of a grouping; see the head of this file."""
    if not grouping.fakes:
        return t_f(grouping.sizes[-1], epsilon, t_e) if grouping.sizes[-1] > 1 else 1
    exact, allowed = checked_epsilon(epsilon), checked_probability(t_e)
    size, off = grouping.largest, len(grouping.sizes)
    # Chebyshev: beyond, the variance of any such sum over (epsilon f - off)^2 is below T_E.
    end = math.ceil(1 / (exact**2 * allowed) + 2 * off / exact) + off
    if end > MOST_TEETH:
        return end
    from scipy.special import betainc  # here and not above: most releases have no fake values

    f = np.arange(1, end + 1, dtype=np.int64)
    arm = _ceil_times(f, exact)
    up, down = f + arm, np.maximum(f - arm, -1)
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


@dataclass(frozen=True)
class Promise:
    """What holds for the values of one tolerance.

    Attributes
    ----------
    confidence : f', the most that who finds a record's row and group can be sure of the value.
    t_p : see `t_p_of`.
    t_f : count from which the published count is within epsilon, with probability 1 - T_E.
    certainty : how sure someone can be at most who knows all other records of the group; 1 without fake values.
    values : labels with this tolerance.
    """

    confidence: Fraction
    t_p: float
    t_f: int
    values: tuple[str, ...]
    certainty: Fraction = Fraction(1)


def promises(grouping: Grouping, thresholds: Thresholds) -> tuple[Promise, ...]:
    """Return what is promised for each tolerance, the strictest first."""
    reliable = t_f_of(grouping, thresholds.epsilon, thresholds.t_e)
    found = []
    for limit, labels in grouping.tolerances.classes().items():
        protected = t_p_of(limit, grouping.sizes, thresholds.epsilon, thresholds.alpha, fakes=grouping.fakes)
        certainty = grouping.certainty if limit < 1 else Fraction(1)
        found.append(Promise(limit, protected, reliable, labels, certainty))
    return tuple(found)


def promises_as_dict(grouping: Grouping, thresholds: Thresholds) -> dict[str, Any]:
    """Return the promises as plain data, per tolerance."""
    found = {}
    for promise in promises(grouping, thresholds):
        entry = {"confidence": float(promise.confidence), "t_p": promise.t_p, "t_f": promise.t_f}
        if grouping.fakes:
            entry["certainty"] = float(promise.certainty)
        found[str(promise.confidence)] = entry
    return {"by_tolerance": found}


def t_p_least(grouping: Grouping, thresholds: Thresholds) -> float:
    """Return the least T_P over the tolerances below 1; 0 where no value is sensitive at all."""
    found = [promise.t_p for promise in promises(grouping, thresholds) if promise.confidence < 1]
    return min(found, default=0.0)


def sentences_of(column: str, grouping: Grouping, thresholds: Thresholds) -> list[str]:
    """Return what is promised, one sentence per tolerance, for people."""
    found: list[str] = []
    for promise in promises(grouping, thresholds):
        who = named(promise.values)
        if promise.confidence == 1:
            found.append(
                say(
                    "{who} of “{column}” is treated as not sensitive: its records may be published as they are.",
                    who=who,
                    column=column,
                )
            )
            continue
        chance = math.floor(100 * promise.t_p * (1 + 1e-12))
        small = say("small counts are not promised to be wrong")
        if chance >= 1:
            small = say(
                "a count of such a value of {alpha} or fewer is shown wrong by more than {error} with a probability of "
                "at least {chance} %",
                alpha=thresholds.alpha,
                error=Figure(f"{100 * thresholds.epsilon:g} %"),
                chance=chance,
            )
        found.append(
            say(
                "Of the rows that show {who} under “{column}”, at most {most} on average are right, and {small}.",
                who=who,
                column=column,
                most=_up(promise.confidence),
                small=small,
            )
        )
    if grouping.fakes and any(limit < 1 for limit in grouping.tolerances.limits.values()):
        found.append(
            counted(
                grouping.fakes,
                "Whoever knows the values of all other records of a decoy group, and nothing else of the table, is at "
                "most {certainty} sure of a sensitive value of “{column}”, since every group also holds a fake value.",
                "Whoever knows the values of all other records of a decoy group, and nothing else of the table, is at "
                "most {certainty} sure of a sensitive value of “{column}”, since every group also holds {n} fake "
                "values.",
                certainty=_up(grouping.certainty),
                column=column,
            )
        )
        found.append(
            say(
                "Whoever knows all other records of the table is not held back by fake values, which copy values of "
                "the column: the only bearer of a value of “{column}” is named whenever the value is published, in up "
                "to {chance} of releases.",
                column=column,
                chance=_up(sole_bearer_named(grouping)),
            )
        )
    return found


def _up(share: Fraction) -> str:
    return Figure(f"{math.ceil(1000 * share) / 10:g} %")


def named(values: Sequence[str]) -> str:
    """Return values in words, the first few of many."""
    shown = listed((say("“{value}”", value=value) for value in values[:3]), "{head}, {tail}")
    return shown if len(values) <= 3 else say("{shown} and {n} more values", shown=shown, n=len(values) - 3)


def sole_bearer_named(grouping: Grouping) -> Fraction:
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


def mean_squared_error(grouping: Grouping, records: int) -> float:
    """Return the papers' loss over N - 1, sum of (size - 1)^2 over the groups; fake values count as records do."""
    numbers = grouping.numbers(records).tolist()
    loss = sum(n * (size + grouping.fakes - 1) ** 2 for n, size in zip(numbers, grouping.sizes, strict=True))
    return float(loss / max(records - 1, 1))


def given_away(grouping: Grouping, records: int) -> Mapping[str, int]:
    """Return the width in records of what the published sizes and shares tell of counts.

    Shares are whole steps of 1 / d. A reader who knows the whole table but for the records of one value learns of its
    count only what keeps the chosen shares: they stay the same while the count moves by less than a step of room, which
    is `step` records of capacity, `groups` groups of the largest size.
    """
    step = Fraction(1, math.lcm(*(share.denominator for share in grouping.shares)))
    width = int(step * records)
    return {"step": width, "groups": width // grouping.sizes[-1]}
