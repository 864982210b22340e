"""What groups of several sizes promise: T_P and T_f per tolerance, and what the published figures give away.

The published count of a value is a sum over the groups that hold it of Binomial(size, copies / size), computed as the
convolution (mechanism.md section 5).

Small counts: T_P is the least probability of an error above epsilon over all counts f up to alpha and over *every* way
in which f records can stand in groups that the tolerance allows, so it holds whatever groups were formed. A value with
tolerance 1 may stand alone and is then published as it is: its T_P is 0.

Large counts: of all sums of independent yes-no draws with mean f, a binomial with equal chances strays most (Hoeffding
1956), and the more draws the more; so the exact T_f of plain groups of the largest size holds for every value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.guarantees import checked_epsilon, t_f
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.tolerant_groups import Grouping

Floats = NDArray[np.float64]

MOST_ALPHA = 10  # counts up to which every way of standing in groups is looked at


def count_law(groups: Sequence[tuple[int, int]]) -> Floats:
    """Return Pr[f' = k] for k = 0, 1, ... of a value that stands `copies` times in groups of `size`, each a pair."""
    law = np.ones(1)
    for size, copies in groups:
        law = np.convolve(law, _binomial(size, copies))
    return law


@lru_cache(maxsize=4096)
def _binomial(size: int, copies: int) -> Floats:
    # On whole numbers, each probability rounded once; scipy.stats would cost every command half a second to import.
    ways = (math.comb(size, k) * copies**k * (size - copies) ** (size - k) for k in range(size + 1))
    return np.array([way / size**size for way in ways], np.float64)


def t_p_of(
    limit: Fraction, sizes: Sequence[int], epsilon: float | str | Fraction, alpha: int, releases: int = 1
) -> float:
    """Return T_P of a value with this tolerance: the least over counts 1..alpha and ways to stand in the groups.

    With k = `releases`, the mean of k counts with fresh draws in such groups. 0 where alpha is beyond MOST_ALPHA, since
    nothing is promised that was not computed.
    """
    exact = checked_epsilon(epsilon)
    if alpha > MOST_ALPHA:
        return 0.0
    pieces = [
        (size, c) for size in sizes for c in range(1, min(limit.numerator * size // limit.denominator, alpha) + 1)
    ]
    least = 1.0
    for f in range(1, alpha + 1):
        low, high = math.ceil((1 - exact) * f * releases), math.floor((1 + exact) * f * releases)
        for standing in _standings(f, tuple(pieces)):
            law = count_law(standing * releases)
            least = min(least, float(law[:low].sum()) + float(law[high + 1 :].sum()))
    return max(least, 0.0)


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
    values : labels with this tolerance.
    """

    confidence: Fraction
    t_p: float
    t_f: int
    values: tuple[str, ...]


def promises(grouping: Grouping, thresholds: Thresholds) -> tuple[Promise, ...]:
    """Return what is promised for each tolerance, the strictest first."""
    largest = grouping.sizes[-1]
    reliable = t_f(largest, thresholds.epsilon, thresholds.t_e) if largest > 1 else 1
    return tuple(
        Promise(limit, t_p_of(limit, grouping.sizes, thresholds.epsilon, thresholds.alpha), reliable, labels)
        for limit, labels in grouping.tolerances.classes().items()
    )


def promises_as_dict(grouping: Grouping, thresholds: Thresholds) -> dict[str, Any]:
    """Return the promises as plain data, per tolerance."""
    return {
        "by_tolerance": {
            str(promise.confidence): {"confidence": float(promise.confidence), "t_p": promise.t_p, "t_f": promise.t_f}
            for promise in promises(grouping, thresholds)
        }
    }


def t_p_least(grouping: Grouping, thresholds: Thresholds) -> float:
    """Return the least T_P over the tolerances below 1; 0 where no value is sensitive at all."""
    found = [promise.t_p for promise in promises(grouping, thresholds) if promise.confidence < 1]
    return min(found, default=0.0)


def sentences_of(column: str, grouping: Grouping, thresholds: Thresholds) -> list[str]:
    """Return what is promised, one sentence per tolerance, for people."""
    found = []
    for promise in promises(grouping, thresholds):
        who = named(promise.values)
        if promise.confidence == 1:
            found.append(f"{who} of “{column}” is treated as not sensitive: its records may be published as they are.")
            continue
        chance = math.floor(100 * promise.t_p * (1 + 1e-12))
        small = f"a count of such a value of {thresholds.alpha} or fewer is shown wrong by more than "
        small += f"{100 * thresholds.epsilon:g} % with a probability of at least {chance} %"
        if chance < 1:
            small = "small counts are not promised to be wrong"
        found.append(
            f"No record can be linked to {who} of “{column}” with more than {_up(promise.confidence)} confidence, "
            f"and {small}."
        )
    return found


def _up(share: Fraction) -> str:
    return f"{math.ceil(1000 * share) / 10:g} %"


def named(values: Sequence[str]) -> str:
    """Return values in words, the first few of many."""
    shown = ", ".join(f"“{value}”" for value in values[:3])
    return shown if len(values) <= 3 else f"{shown} and {len(values) - 3} more values"


def given_away(grouping: Grouping, records: int) -> Mapping[str, int]:
    """Return the width in records of what the published sizes and shares tell of counts.

    Shares are whole steps of 1 / d. A reader who knows the whole table but for the records of one value learns of its
    count only what keeps the chosen shares: they stay the same while the count moves by less than a step of room, which
    is `step` records of capacity, `groups` groups of the largest size.
    """
    step = Fraction(1, math.lcm(*(share.denominator for share in grouping.shares)))
    width = int(step * records)
    return {"step": width, "groups": width // grouping.sizes[-1]}
