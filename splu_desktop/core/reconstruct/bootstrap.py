"""A parametric bootstrap for the 95 % interval of a count, where the expansions of `reconstruct_interval` give out.

An estimate over several re-drawn columns is a sum of products of weights phi. Where few records carry most of it, the
sum is far from normal: skewed, with a few values it can take. So the draw is repeated on paper. If x of the N_P records
met all conditions, every record's product would have a known law, that of its state (which conditions it meets); a
repetition draws how many records of each state come out with each product (multinomial), however many records there
are. The interval holds every x for which neither tail of the repetitions beyond the estimate seen has less than its
share of 5 %.

The repetitions use a fixed stream: they describe the release and are no part of its randomness, and the same question
must get the same answer every time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import Progress
from splu_desktop.core.reconstruct.interval import composed, leaning, tails
from splu_desktop.core.table import Flags
from splu_desktop.core.transition.two_numbers import Floats
from splu_desktop.frozen import dataclass

REPETITIONS = 2_000
REPEATING = "Repeating the draw"  # the stage that progress is told
_STREAM = 19790101  # of the repetitions
_HALVINGS = 12  # of an interval's end, from as far as theory is doubtful to
_MOST_OUTCOMES = 50_000  # different products of weights; beyond, near ones count as one
_NEAR = 60
_LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class Law:
    """What one condition on an SA makes of a record's weight.

    Attributes
    ----------
    values : (K,) the weights phi that occur.
    within, without : (K,) their chances for a record that meets the condition and for one that does not.
    """

    values: Floats
    within: Floats
    without: Floats

    @classmethod
    def of(cls, phi: Floats, matrix: Floats, chosen: Flags, counts: Floats) -> Law:
        """Return the law from weights and transition.

        Parameters
        ----------
        phi : (m,) the weight of each published value.
        matrix : (m, m) the chance that a record of one value (down) is published as another (across).
        chosen : (m,) the values of the condition.
        counts : (m,) the values' counts, by which a record's own value is weighted on either side.
        """
        sides = []
        for flags in (chosen, ~chosen):
            share = np.where(flags, counts, 0.0)
            if share.sum() <= 0:
                share = flags.astype(np.float64)
            law = share @ matrix / max(float(share.sum()), _LEAST)
            sides.append(np.maximum(law, 0.0) / max(float(np.maximum(law, 0.0).sum()), _LEAST))
        return cls(*_merged(phi, *sides))

    @classmethod
    def plain(cls, a: float, b: Floats, signal: Floats, chosen: Flags, counts: Floats) -> Law:
        """Return the law under the two numbers a, b_s of plain groups; chosen values must have a signal."""
        codes = np.flatnonzero(chosen)
        gain = 1.0 / signal[codes]
        offset = float(gain @ b[codes])
        values = np.append(gain - offset, -offset)
        weight = counts[codes] / counts[codes].sum() if counts[codes].sum() > 0 else np.full(len(codes), 1 / len(codes))
        # A record of value s keeps it with a, and is published as another value u with b_u.
        own = weight * a + (1 - weight) * b[codes]
        within = np.maximum(np.append(own, 1 - own.sum()), 0.0)
        without = np.maximum(np.append(b[codes], 1 - b[codes].sum()), 0.0)
        return cls(*_merged(values, within / within.sum(), without / without.sum()))


def ends(
    centre: float,
    selected: float,
    margins: Sequence[float],
    laws: Sequence[Law],
    common: Callable[[float], float],
    aim: float | None,
    reach: tuple[float, float],
    progress: Progress,
) -> tuple[float, float]:
    """Return the ends of the interval, cut to [0, N_P].

    Parameters
    ----------
    centre : the unbiased estimate.
    selected : N_P.
    margins : (w,) estimated records of P that meet each of the w conditions by itself.
    laws : (w,) what each condition makes of a record's weight.
    common : x -> the part of the variance that records share and the repetitions do not draw (`Chosen.common`).
    aim : the count expected beforehand, None for tails of 2.5 % on either side (`reconstruct_interval.tails`).
    reach : the ends by theory; the search begins beyond them.

    Raises Cancelled.
    """
    values: Floats = np.ones(1)
    chances: list[Floats] = [np.ones(1)]
    for law in laws:  # bit i of a state is condition i, the first the lowest
        values = np.kron(law.values, values).astype(np.float64)
        chances = [np.asarray(np.kron(side, one), np.float64) for side in (law.without, law.within) for one in chances]
    if len(values) > _MOST_OUTCOMES:
        values, chances = _coarser(values, chances)
    steps = {"done": 0}

    def surprised(x: float) -> tuple[bool, bool]:
        """Return whether too few repetitions are at or below, or at or above, the estimate seen if the truth is x."""
        progress.report(REPEATING, min(steps["done"] / (2.0 * _HALVINGS + 4), 1.0))
        steps["done"] += 1
        chance = np.random.default_rng(_STREAM)
        present = composed(x, selected, margins if len(laws) > 1 else [x])
        drawn = np.zeros(REPETITIONS)
        mean = variance = 0.0
        for count, law in zip(present, chances, strict=True):
            whole = int(count) + (chance.random(REPETITIONS) < count - int(count))
            drawn += chance.multinomial(whole, law) @ values
            average = float(law @ values)
            mean += count * average
            variance += count * (float(law @ values**2) - average**2)
        shared = np.sqrt(max(1 + common(x) / max(variance, _LEAST), 0.0))
        drawn = x + (drawn - mean) * shared
        edge = 1e-9 * max(1.0, abs(centre))
        away = np.inf if aim is None else (x - aim) / max(float(drawn.std()), _LEAST)
        weight = 0.0 if aim is None else leaning(float(drawn.var()), aim)
        below, above = tails(np.array([away]), weight)
        return bool((drawn <= centre + edge).mean() < below[0]), bool((drawn >= centre - edge).mean() < above[0])

    inside = min(max(centre, 0.0), selected)
    width = max(reach[1] - reach[0], 1.0)
    low = _edge(lambda x: surprised(x)[1], inside, max(0.0, reach[0] - width))
    high = _edge(lambda x: surprised(x)[0], inside, min(selected, reach[1] + width))
    return min(low, high), max(low, high)


def _edge(rejected: Callable[[float], bool], inner: float, outer: float) -> float:
    """Return where between `inner` and `outer` the test begins to reject, `outer` where it never does."""
    if not rejected(outer):
        return outer
    for _ in range(_HALVINGS):
        middle = (inner + outer) / 2
        if rejected(middle):
            outer = middle
        else:
            inner = middle
    return outer


def _merged(values: Floats, within: Floats, without: Floats) -> tuple[Floats, Floats, Floats]:
    """Return equal weights as one outcome."""
    seen, place = np.unique(values, return_inverse=True)
    return seen, _added(place, within), _added(place, without)


def _coarser(values: Floats, chances: list[Floats]) -> tuple[Floats, list[Floats]]:
    """Return near products as one, so that few enough are left; their mean under all states together is kept."""
    edges = np.quantile(values, np.linspace(0, 1, _NEAR**2))
    place = np.unique(np.searchsorted(edges, values), return_inverse=True)[1]
    weight = np.sum(chances, axis=0) + _LEAST
    mean = np.bincount(place, weight * values) / np.bincount(place, weight)
    return mean, [_added(place, chance) for chance in chances]


def _added(place: NDArray[np.intp], weights: Floats) -> Floats:
    return np.bincount(place, weights).astype(np.float64)
