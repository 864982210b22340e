"""Counts: estimate and interval from what was published, on whole arrays of cells at once.

A cell is a line (records that meet conditions on unchanged columns) and an event (a set of values of one block, or of
several). Figures come by class and are added. mechanism.md section 4; tests/core/test_counts.py holds the coverage.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import count_pairs
from splu_desktop.core.mechanism import Draw
from splu_desktop.core.thresholds import NORMAL_95

Codes = NDArray[np.integer]
Floats = NDArray[np.float64]

_NEXT_TO_NONE = 1e-12  # the share of an event that nothing lets expect: x is as likely in one row as in another
_AT_ONCE = 1 << 15  # figures that are worked out at once: as many as stay in the processor's own memory
_MORE = 2.0  # rows of the rest of a class that an interval adds to those that show an event (Agresti and Coull 1998)


@dataclass(frozen=True, eq=False)
class CountFigures:
    """Figures of cells, each (...) of one shape.

    Attributes
    ----------
    estimate : right on average over releases; may be negative.
    level, slope : the variance of the estimate where x records have the event is level + slope x.
    step : by how much one more published record moves the estimate, 0 where that is little beside its spread.
    """

    estimate: Floats
    level: Floats
    slope: Floats
    step: Floats | float = 0.0

    def variance(self) -> Floats:
        """Return (...) the variance at the estimate, neither taken for negative."""
        return np.asarray(np.maximum(self.level + self.slope * np.maximum(self.estimate, 0.0), 0.0))

    def draw_towards(self, target: Floats, spread: float) -> Floats:
        """Return estimates drawn towards a target by one deviation at most: mu + k (x - mu), k = t mu^2/(t mu^2 + V).

        Limited translation (Efron and Morris 1972): a cell unlike all others is not drawn to the end of its interval.
        """
        x, variance, signal = self.estimate, self.variance(), spread * target**2
        k = np.divide(signal, signal + variance, out=np.ones_like(x), where=signal + variance > 0)
        return np.asarray(np.clip(target + k * (x - target), x - variance**0.5, x + variance**0.5))

    def lifts(self, target: Floats, spread: float) -> Floats:
        """Return (...) how many times a target each is, drawn towards 1: where nothing is expected nothing follows."""
        drawn = np.maximum(self.draw_towards(target, spread), 0.0)
        return np.asarray(np.divide(drawn, target, out=np.ones_like(drawn), where=target > 0))

    def among_alike(self, records: int, top: Floats, more: float, rho: Floats) -> CountFigures:
        """Return the figures about persons like these, of whom the table is a sample of so many records.

        A person comes with all its records: `more` besides an average one, which meet what is asked of unchanged
        columns if that one does, and have the event with correlation rho; top : (...) records that meet it.
        """
        share, within = (np.clip(self.estimate / np.maximum(n, 1), 0.0, 1.0) for n in (records, top))
        together = more * np.maximum(rho + (1 - rho) * within - share, 0.0)
        return CountFigures(self.estimate, self.level, self.slope + 1 - share + together, self.step)

    def interval(self, top: Floats) -> tuple[Floats, Floats]:
        """Return the ends of 95 % intervals: the roots of (estimate - x)^2 = 1.96^2 (level + slope x), in [0, top].

        Of an estimate outside they are those of the nearest count that may be: else chance alone would say "0 to 0"
        where least is known. They are further apart by half a published record, below where few have the event, above
        where most do: else a lone record by chance, where a fraction of one is expected, would deny that nobody has the
        value (.86 held, not .95), or that all have it.
        """
        near, half, ends = np.clip(self.estimate, 0.0, top), NORMAL_95**2 * self.slope / 2, []
        share = near / np.maximum(top, 1.0)
        for sign, part in ((-1, 1 - share), (1, share)):
            end = near + sign * part * self.step / 2
            inner = half**2 + NORMAL_95**2 * np.maximum(self.slope * end + self.level, 0.0)
            ends.append(np.clip(end + half + sign * np.sqrt(inner), 0.0, top))
        # Within half a record of none, or of all, nothing speaks against it.
        return np.where(near <= self.step / 2, 0.0, ends[0]), np.where(near >= top - self.step / 2, top, ends[1])


def count_one_block(
    draw_a: float,
    selected: Floats,
    size: Floats,
    shown: Floats,
    share: Floats,
    line: Codes,
    lines: int,
    effect: Floats | float = 1.0,
) -> CountFigures:
    """Return (L, Q) figures of events of one block that was drawn by lenders, given their K parts in classes.

    draw_a : a, the draw's retention.
    selected, size : (K, 1) records of the line in the class, and of the class.
    shown : (K, Q) records of the line that show the event.
    share : (K, Q) share of the class that shows it.
    line, lines : (K,) the line that each part is of, ascending, and how many lines there are.
    effect : (K, 1) or (K, Q) a design effect: so many times the variance.

    The estimate is (shown - (1-a) selected g)/a. A record of the line moves it by (1 - (1-a) q)/a where it shows the
    event, others by (1-a) q/a through g, which is read off the table; q = selected/size. Whether a record shows it has
    the variance v0 = (1-a) g (1 - (1-a) g), and a (1-a)(1 - 2 g) more where it has it. Of a line, x is split over
    classes by what these let expect.
    """
    a, b = draw_a, 1 - draw_a
    step, pull = (1 - b * selected / size) / a, b * selected / size / a
    inside, beside = effect * step**2, effect * pull**2
    each = inside * selected + beside * (size - selected)
    sums = np.zeros((5, lines, share.shape[1]))
    at_once = max(_AT_ONCE // max(share.shape[1], 1), 1)
    for some in (slice(begin, begin + at_once) for begin in range(0, len(line), at_once)):
        # By column in memory, so that products and sums along the parts run over neighbours.
        published, likely = np.asfortranarray(shown[some]), np.asfortranarray(share[some]) + _NEXT_TO_NONE
        rows, of = selected[some], size[some]
        expected = rows * likely
        # Two rows more: of so few as are read off the table their number is not well known.
        seen = likely * (of / (of + 2 * _MORE)) + _MORE / (of + 2 * _MORE)
        shows, more = b * seen, a * b - 2 * a * b * seen
        level = (shows - shows**2) * each[some]
        if (of > rows).any():  # of a whole class there are no others
            x = np.minimum(np.maximum((published - b * expected) / a, 0), rows)
            level += np.minimum(np.maximum(of * seen - x, 0), of - rows) * more * beside[some]
        parts = published, level, expected, more * inside[some] * expected, step[some] * expected
        first = np.flatnonzero(np.append(True, line[some][1:] != line[some][:-1]))
        sums[:, line[some][first]] += [np.add.reduceat(part, first, axis=0) for part in parts]
    published, level, whole, slope, steps = sums
    estimate = (published - b * (whole - _NEXT_TO_NONE * sum_by_line(selected, line, lines))) / a
    whole = np.where(whole > 0, whole, 1)
    return CountFigures(estimate, level, slope / whole, steps / whole)


def count_groups(draw: Draw, classes: Iterable[tuple[Floats, Floats, Floats]]) -> CountFigures:
    """Return (L, Q) figures of events of a block that was drawn in decoy groups.

    classes : of each (L, m) records of each line that show each value; (m,) records of the class that show each value;
        (Q, m) which values make each event.

    The score of a record varies by its own value, on average over those of the class without the event, and with it: of
    the few that a line shows this is not known. Two rows more, and x by expectation, as by lenders.
    """
    a, parts = draw.retention, []
    for shown, counts, events in classes:
        phi, size, n = draw.score(events, counts), shown.sum(axis=1, keepdims=True), max(counts.sum(), 1)
        x, q, having = shown @ phi.T, size / n, events @ counts
        spread = counts * (phi**2 @ draw.transition(counts).T - events**2)
        without = ((1 - events) * spread).sum(axis=1) / np.maximum(n - having, 1)
        more = (events * spread).sum(axis=1) / np.maximum(having, 1) - without
        level = (1 - q) * (size * without + _MORE * q * (1 - a) / a**2) + q**2 * (having + _MORE) * (1 - a)
        expected = size * (having / n + _NEXT_TO_NONE)
        parts.append([x, level, (1 - q) * more * expected, ((1 - q) / a + q) * expected, expected])
    x, level, slope, step, whole = np.sum(parts, axis=0)
    whole = np.where(whole > 0, whole, 1)
    return CountFigures(x, np.maximum(level, 0.0), slope / whole, step / whole)


def count_groups_by_class(
    draw: Draw, values: Codes, classes: Codes, line: Codes, lines: int, codes: Codes, m: int, *, drawn: bool
) -> CountFigures:
    """Return (L, m) figures of the events (N,) `codes`, functions of the (N,) `values` of a block, in each line.

    drawn : whether the values are published ones; else they are true, and what will be shown on average is put in.
    """
    size = int(values.max(initial=0)) + 1
    events = np.zeros((m, size))
    events[codes, values] = 1

    def show(each: int) -> tuple[Floats, Floats, Floats]:
        rows = classes == each
        counts = np.bincount(values[rows], minlength=size).astype(float)
        shown = count_pairs(line[rows], lines, values[rows], size).astype(float)
        return shown if drawn else shown @ draw.transition(counts), counts, events

    return count_groups(draw, map(show, range(int(classes.max(initial=-1)) + 1)))


def count_several_blocks(
    a: Sequence[float], selected: Floats, size: Floats, states: Floats, shares: Sequence[Floats]
) -> CountFigures:
    """Return figures by class of events that several blocks make together, all drawn by lenders.

    a : retention of each of the B blocks.
    selected, size : (K, 1) records of the line in the class, and of the class.
    states : (2, ..., 2, K, Q) records of the line by whether they show each block's part (index 1) or not.
    shares : of each block, (K, Q) share of the class that shows its part.

    F of a record is the product of scores less what it moves each block's g: F = prod(phi) - sum_b (1-a)/a M_b u_b.
    The variance of a true state is T F^2 - (T F)^2; the states' counts follow from x and from each part's own count,
    as if parts were independent where nothing is known. Of one block it is `count_one_block`, which takes less time.
    """
    number, cells = len(a), states.shape[len(a) :]
    axes = tuple(range(number))

    def along(at: int, without: Floats, having: Floats) -> Floats:
        """Return what holds of a row without a block's part and of one that has it, along the axis of that block."""
        return np.stack(np.broadcast_arrays(without, having)).reshape(
            *(2 if each == at else 1 for each in axes), *cells
        )

    phi = [along(at, -(1 - p) * g / p, (1 - (1 - p) * g) / p) for at, (p, g) in enumerate(zip(a, shares, strict=True))]

    def product(but: int = -1) -> Floats:
        """prod of phi over blocks, (2, ..., 2, K, Q); without block `but`."""
        factors = [each for at, each in enumerate(phi) if at != but]
        return np.broadcast_to(reduce(np.multiply, factors, np.ones(1)), states.shape)

    x = (states * product()).sum(axis=axes)
    effect, level = product(), np.zeros(cells)
    known = [np.clip((states * each).sum(axis=axes), 0.0, selected) for each in phi]
    # Two rows more here as well: a part that no row shows would have no variance, and no bearers but those of x.
    seen = [(size * g + _MORE) / (size + 2 * _MORE) for g in shares]
    for at, (p, g, part) in enumerate(zip(a, seen, known, strict=True)):
        # By how much one more record that shows a part moves the answer through that part's share of the class.
        pull = (1 - p) / p * (states * product(at)).sum(axis=axes) / size
        effect = effect - along(at, np.zeros(cells), pull)
        # Rows of the class outside the line have no score of their own, but they make the share.
        none, more = (1 - p) * g * (1 - (1 - p) * g), p * (1 - p) * (1 - 2 * g)
        level += pull**2 * ((size - selected) * none + np.clip(size * g - part, 0.0, size - selected) * more)

    def transition(values: Floats) -> Floats:
        """T: the mean of a function of the shown state, given the true one."""
        for at, (p, g) in enumerate(zip(a, seen, strict=True)):
            lent = (1 - p) * ((1 - g) * np.take(values, [0], axis=at) + g * np.take(values, [1], axis=at))
            values = p * values + lent
        return values

    variance = np.maximum(transition(effect**2) - transition(effect) ** 2, 0.0)
    # Counts of true states from the parts' own counts, as if independent; whatever x takes from the state where all
    # meet, its neighbours have: inclusion and exclusion.
    apart = sign = np.ones((1,) * number + cells)
    together = np.ones(cells)
    for at, part in enumerate(known):
        q = part / np.maximum(selected, 1)
        together = together * q
        apart, sign = apart * along(at, 1 - q, q), sign * along(at, -np.ones(cells), np.ones(cells))
    level += selected * ((apart - together * sign) * variance).sum(axis=axes)
    return CountFigures(x, level, (sign * variance).sum(axis=axes), 1 / float(np.prod(a)))


def add_classes(by_class: CountFigures, line: Codes, lines: int, selected: Floats, share: Floats) -> CountFigures:
    """Return figures of lines from those of their parts in classes.

    Parameters
    ----------
    by_class : (K, Q) figures of parts.
    line : (K,) the line that each part is of, ascending.
    selected, share : (K, 1) records of each part and (K, Q) the share that shows the event, by which x is split.
    """
    expected = selected * (share + _NEXT_TO_NONE)
    whole = sum_by_line(expected, line, lines)

    def split(figure: Floats | float) -> Floats:
        return sum_by_line(figure * expected, line, lines) / np.where(whole > 0, whole, 1)

    estimate, level = (sum_by_line(each, line, lines) for each in (by_class.estimate, by_class.level))
    return CountFigures(estimate, level, split(by_class.slope), split(by_class.step))


def count_rows_beside(key: Codes, owner: Codes | None, person_rows: Floats) -> Floats:
    """Return (K,) n - 1, n rows of the same person in each part on average: sums scatter 1 + (n - 1) rho times as wide.

    Parameters
    ----------
    key : (N,) the part of each row, from 0.
    owner : (N,) its person; None where that is not known, and `person_rows` (K,) are taken, too many for most parts.
    """
    if owner is not None:
        people = int(owner.max(initial=0)) + 1
        who, n = np.unique(key.astype(np.int64) * people + owner, return_counts=True)
        squares = np.bincount(who // people, n.astype(float) ** 2, minlength=len(person_rows))
        person_rows = squares / np.maximum(np.bincount(key, minlength=len(person_rows)), 1)
    return np.maximum(person_rows - 1, 0)


def sum_by_line(parts: Floats, line: Codes, lines: int) -> Floats:
    """Return (lines, Q) sums of (K, Q) figures of parts, each of which belongs to a line (K,), ascending."""
    first = np.flatnonzero(np.append(True, line[1:] != line[:-1])[: len(line)])
    sums = np.zeros((lines, parts.shape[1]))
    if len(first):
        sums[line[first]] = np.add.reduceat(parts, first, axis=0)
    return sums


def learn_spread(estimate: Floats, variance: Floats, target: Floats) -> float:
    """Return t, the relative spread of (K,) counts about their targets, by ten rounds of weighted least squares."""
    good = (target > 0) & np.isfinite(variance) & (variance > 0)
    x, v, mu = estimate[good], variance[good], target[good]
    t = 0.0
    if not len(x):
        return t
    for _ in range(10):
        m = mu**2 / (v + t * mu**2) ** 2
        # Counts nearer to their targets than noise alone puts them show no spread of their own.
        t = max(float((m * ((x - mu) ** 2 - v)).sum() / (m * mu**2).sum()), 0.0)
    return t
