"""95 % intervals of counts about their unbiased estimate: one rule for every draw, the recipient's kit's as well.

The ends are the counts x that the estimate does not speak against, (x_hat - x)^2 <= 1.96^2 V(x) (a score interval;
Wilson 1927). `query.cells` tells the variance at the estimate; how it changes with x is that of records that show
whether they meet the conditions or not. With conditions on one part: of x and w = N_P - x selected records, f of all,
kept with the chance k and come with c,

    V2(x) = d^2 (x k (1 - k) + w c (1 - c)) + e^2 ((f - x) k (1 - k) + (N - f - w) c (1 - c)),
    e = (1 / (k - c) - 1) w / (N - f),  d = 1 / (k - c) - e,

with f the likeliest for that x, and c moving with it but in k - c. Of several, each met by a share p of the records,
with e = E[phi^2] for records that do (1) and don't (0) meet it,

    V2(x) = N_P prod(p e_1 + (1 - p) e_0) + (x - N_P prod(p)) prod(e_1 - e_0) - x.

V(x) = V2(x) + what the estimate's own variance has beyond V2(x_hat), since values that meet a condition differ. Of one
part it may have less, and V bends by (B - B2) (x - x_hat), since an estimate that is too high by chance comes with one
too low of those values that are shown as the condition's most often:

    B = cov(V_hat, x_hat) / V_hat,  V_hat = sum phi^2 - x_hat,  cov = sum (phi^3 - phi^2) - x_hat (e_1 - 1)

over the selected records, and B2 = (k (1 - k) - c (1 - c)) / (k - c)^2, the same of two values (the nuisance is taken
where it is likeliest for that x). Of several parts the variance seen rests on few pairs, and is never less.

On the side to which the noise of one part is skewed, an estimate may be further off by (1.96^2 - 1) / 6 M(x) / V2(x),
M = d^3 (x k (1 - k) (1 - 2 k) + w c (1 - c) (1 - 2 c)) its third moment (Cornish and Fisher, to the first order): of
few records, of whom hardly one shows a rare value by chance, one that does held 87 % for 95.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.query.cells import CellTable, Chosen, SensitiveClasses
from splu_desktop.core.query.engine import Engine
from splu_desktop.core.thresholds import NORMAL_95

_HALVINGS = 40  # of an end: a thousandth of a record of 10^9
_BEYOND = 4.0  # standard deviations beyond every possible count at which an estimate has strayed: it says nothing
_LEAST = 1e-9  # records, a signal, a variance are not less
_SKEWED = (NORMAL_95**2 - 1) / 6
_NARROWEST = 0.25  # times V2, that a variance is at least
_FULL = 0.999  # of the records, that a value has at most

_AtCount = Callable[[float], tuple[float, float]]  # what varies an estimate of so many, and how far it leans


class Ends(NamedTuple):
    """Ends of an interval, and the variance of the estimate, infinite where the release does not tell the values."""

    low: float
    high: float
    variance: float


def ends(engine: Engine, chosen: Chosen) -> Ends:
    """Return the interval of a count of records that meet conditions, at least one of them on a sensitive column."""
    cells = CellTable(engine, [chosen])
    wide = max(cells.effects)
    n, top, parts = float(engine.published.n), cells.shown(chosen), cells.parts
    untold = Ends(0.0, top, math.inf)
    if any(len(part.counts) != 2 for part in parts):
        return untold  # all are published with these values
    met = [part.met(chosen) for part in parts]
    if len(parts) == 1:
        part, at = parts[0], met[0]
        shown = cells.shown({}, at)
        model = _of_one(part, at, (cells.shown(chosen, at), shown), top, n)
        if top == n and part.moving[at] == 1:
            return _inverted(shown, top, lambda x: (wide * model(x)[0], 0.0))  # f' by itself tells
    else:
        model, scatter = _of_several(cells, chosen, met, top)
        wide = cells.widened_at_once(scatter)
    if not all(part.told[at] for part, at in zip(parts, met, strict=True)):
        return untold
    try:
        sums = cells.sums([cells.meets(chosen)])
    except BadQuestion:
        return untold
    seen = float(sums.values[0])
    usual = wide * model(seen if len(parts) == 1 else min(max(seen, 0.0), top))[0]
    more = sums.variance(0) - usual
    if len(parts) > 1:
        return _inverted(seen, top, lambda x: (wide * model(x)[0] + max(more, 0.0), 0.0))
    bend = wide * _bend(cells.powers(chosen, met[0]), parts[0], met[0], _NARROWEST * model(seen)[0])

    def at_count(x: float) -> tuple[float, float]:
        variance, lean = model(x)
        return max(wide * variance + more + bend * (x - seen), wide * _NARROWEST * variance), wide * lean

    return _inverted(seen, top, at_count)


def _bend(powers: tuple[float, float, float], part: SensitiveClasses, at: int, least: float) -> float:
    """Return B - B2 of one part, from the sums of phi, phi^2 and phi^3; V_hat is taken as not below `least`."""
    one, two, three = powers
    keep, come = float(part.chances[at, at]), float(part.chances[1 - at, at])
    of_two = (keep * (1 - keep) - come * (1 - come)) / max(keep - come, _LEAST) ** 2
    return (three - two - one * (part.squares(at)[0] - 1)) / max(two - one, least) - of_two


def _of_one(part: SensitiveClasses, at: int, seen: tuple[float, float], top: float, n: float) -> _AtCount:
    """Return V2 and M / V2 for one part; `seen` are the records shown as meeting its condition, selected and of all."""
    keep, come, moving = float(part.chances[at, at]), float(part.chances[1 - at, at]), float(part.moving[at])
    known = min(max(float(part.counts[at]), _LEAST), _FULL * n)
    signal = max(keep - come, _LEAST)

    def figures(x: float) -> tuple[float, float]:
        w = top - x
        f = known + moving * (_likeliest(x, w, seen, keep, n) - known)
        f = min(max(f, x), x + n - top)  # no more have it than these and all that are not selected
        c = min(come * (1 + moving * (f / max(n - f, 1.0) * (n - known) / known - 1)), keep)
        e = (1 / signal - 1) * moving * w / max(n - f, 1.0)
        own, other = keep * (1 - keep), c * (1 - c)
        rest = max(f - x, 0.0) * own + max(n - f - w, 0.0) * other
        d, third = 1 / signal - e, x * own * (1 - 2 * keep) + w * other * (1 - 2 * c)
        variance = max(d**2 * (x * own + w * other) + e * e * rest, _LEAST)
        return variance, d**3 * third / variance

    return figures


def _of_several(
    cells: CellTable, chosen: Chosen, met: list[int], top: float
) -> tuple[_AtCount, list[tuple[float, float]]]:
    """Return V2 for several parts: the selected records meet their conditions as often as each is estimated to be.

    And of each part that share of the records, and the variance of a record's weight on average.
    """
    mixed, every, slope, scatter = 1.0, 1.0, 1.0, []
    for number, (part, at) in enumerate(zip(cells.parts, met, strict=True)):
        share = min(max(cells.margin(chosen, number, at) / max(top, 1.0), 0.0), 1.0)
        within, without = part.squares(at)
        square = share * within + (1 - share) * without
        scatter.append((share, square - share))
        mixed *= square
        every *= share
        slope *= within - without
    return lambda x: (max(top * mixed + (x - top * every) * slope - x, _LEAST), 0.0), scatter


def _likeliest(x: float, w: float, seen: tuple[float, float], keep: float, n: float) -> float:
    """Return the likeliest number of all records with x selected (`reconstruct.interval.likeliest`)."""
    y, shown = seen
    c, kept = (1 - keep) * w / n, keep * x
    two, f = c * (1 - c), shown
    if two > 1e-12:
        one = kept * (1 - 2 * c) - two * shown
        none = kept * (c * y - (1 - c) * (shown - y)) - kept * kept
        f = (math.sqrt(max(one * one - 4 * two * none, 0.0)) - one) / (2 * two)
    return min(max(f, x, _LEAST), max(_FULL * n, x))


def _inverted(seen: float, top: float, figures: _AtCount) -> Ends:
    """Return the ends of all counts that an estimate does not speak against."""

    def far(x: float) -> float:
        variance, lean = figures(x)
        further = _SKEWED * (lean if seen > x else -lean)
        return max(abs(seen - x) - max(further, 0.0), 0.0) / math.sqrt(max(variance, _LEAST))

    start = min(max(seen, 0.0), top)
    variance = max(figures(start)[0], _LEAST)
    if far(start) > _BEYOND:
        return Ends(0.0, top, math.inf)
    found = []
    for end in (0.0, top):
        inside, outside = (start, end) if far(end) > NORMAL_95 else (end, end)
        for _ in range(_HALVINGS if inside != outside else 0):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if far(middle) <= NORMAL_95 else (inside, middle)
        found.append(inside)
    return Ends(found[0], found[1], variance)
