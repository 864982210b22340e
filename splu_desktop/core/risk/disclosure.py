"""What an attacker gains from a table who knows a person's non-sensitive attributes (NSAs).

Brickell and Shmatikov's measures (paper_summaries.txt, "The Cost of Privacy"), with T the table, <t> the records that
agree with t on all NSAs, p(U, s) the share of value s among the records U:

- A_diff(<t>) = 1/2 sum_s |p(T, s) - p(<t>, s)|, A_quot(<t>, s) = |log(p(<t>, s) / p(T, s))|;
- A_know = 1/|T| sum over records of A_diff(<t>), the attacker's mean gain in knowledge;
- A_acc = 1/|T| sum over records of max_s p(<t>, s) - max_s p(T, s), the gain in right guesses;
- delta-disclosure: A_quot < delta for every class and value; infinite where a class lacks a value;

k-anonymity classes (`core.risk`), distinct and entropy l-diversity, and (c,l)-diversity: r_(1) <= c sum_{i>=l} r_(i)
for a class's counts in descending order.

All take published values at face value, which whoever knows the mechanism does not do: of a record published as u the
value is u with probability a = r/N and any other s with (1 - a) p_s / (1 - p_u) (mechanism.md section 4: b_u (N - f_u)
= (1 - a) f_u). With q the class's published shares and R = sum_u q_u / (1 - p_u), such a reader believes of a record of
the class

    a q_s + (1 - a) p_s (R - q_s / (1 - p_s)),

and `Disclosure.informed` states the same measures for that belief. In groups of several sizes (section 5) the whole
matrix T takes the place of a: a record published as u is believed to be s with p_s T[s, u] / sum_v p_v T[v, u]. Group
ids are not published, so nobody can know more from the row alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.risk.classes import Classes, classes_of
from splu_desktop.core.table import Column, Table, unique
from splu_desktop.frozen import dataclass

CL = ((1.0, 2), (3.0, 2), (3.0, 3))  # the (c, l) stated; (3, l) is the one of Machanavajjhala et al.
LS = (2, 3, 5)
_STAGE = "Measuring what an attacker gains"
_BLOCK = 2_000  # classes looked at together

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """How often each value stands in each class: one row per pair that occurs, classes in order.

    Attributes
    ----------
    classes, values, counts : (K,) class id, code of the value, records.
    starts : (C,) first row of each class.
    sizes : (C,) records of each class.
    prior : (m,) share of each value among all records.
    """

    classes: Ints
    values: Ints
    counts: Ints
    starts: Ints
    sizes: Ints
    prior: Floats


def pairs_of(classes: Classes, column: Column) -> Pairs:
    """Return the pairs of classes and values of `column`."""
    keys = np.sort(classes.ids.astype(np.int64) * max(column.m, 1) + column.codes)
    edges = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1], [True]))) if len(keys) else np.zeros(1, int)
    at = keys[edges[:-1]]
    of_class, value = np.divmod(at, max(column.m, 1))
    starts = np.searchsorted(of_class, np.arange(classes.count))
    return Pairs(of_class, value, np.diff(edges), starts, classes.sizes, column.counts() / max(column.n, 1))


@dataclass(frozen=True)
class Gain:
    """The measures for one way of reading a class.

    Attributes
    ----------
    a_know, a_acc : means over records, in 0..1.
    largest_a_diff : the worst class, in 0..1.
    half_a_diff : median of A_diff over records, in 0..1.
    right_guesses : mean over records of the largest belief: how often the best guess is right, as the reader believes.
    delta : least delta of delta-disclosure over values present in their class; infinite by definition where
        `lacking` > 0 and values are taken at face value.
    """

    a_know: float
    a_acc: float
    largest_a_diff: float
    half_a_diff: float
    right_guesses: float
    delta: float


@dataclass(frozen=True)
class Disclosure:
    """What one sensitive column discloses to someone who knows all NSAs of a person.

    Attributes
    ----------
    column : its name.
    records, classes, values : of the table; values with at least one record.
    base : share of the most frequent value, the right guesses without NSAs.
    face : with values taken as they stand.
    informed : for a reader who knows the mechanism; None for a table that is no release.
    confidence : a = r/N, the probability that the value in a person's own row is the person's; None as above, and where
        it differs from value to value.
    lacking : classes that lack some value of the column, for which delta is infinite by definition.
    distinct_l : least number of different values in a class.
    entropy_l : least exp(entropy) of a class.
    below_l : l -> records in classes with fewer than l different values.
    fails_cl : "(c,l)" -> records in classes that are not (c,l)-diverse.
    """

    column: str
    records: int
    classes: int
    values: int
    base: float
    face: Gain
    informed: Gain | None
    confidence: float | None
    lacking: int
    distinct_l: int
    entropy_l: float
    below_l: Mapping[str, int]
    fails_cl: Mapping[str, int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "below_l", MappingProxyType(dict(self.below_l)))
        object.__setattr__(self, "fails_cl", MappingProxyType(dict(self.fails_cl)))


def disclosure(
    table: Table,
    nsas: Sequence[str],
    sensitive: Mapping[str, float | Floats | None],
    progress: Progress = SILENT,
    *,
    likely: Mapping[str, Floats] | None = None,
) -> tuple[Disclosure, ...]:
    """Return what each sensitive column discloses.

    Parameters
    ----------
    table : published table, or a source for comparison.
    nsas : the columns the attacker knows of a person, all of them.
    sensitive : SA -> a = r/N of its draw, or the (m, m) matrix T of groups of several sizes; None for a column that
        was not drawn.
    likely : SA -> (m,) what its published counts say of the true ones, for a reader who knows the mechanism.

    Raises UnknownColumn; Cancelled.
    """
    classes = classes_of([table[name] for name in nsas], table.n, progress)
    found = []
    for done, (name, retention) in enumerate(sensitive.items()):
        progress.report(_STAGE, done / len(sensitive))
        pairs = pairs_of(classes, table[name])
        prior = pairs.prior if likely is None else likely[name] / max(table.n, 1)
        found.append(_measure(table[name], pairs, retention, prior, progress))
    progress.report(_STAGE, 1.0)
    return tuple(found)


def _measure(
    column: Column, pairs: Pairs, drawn: float | Floats | None, prior: Floats, progress: Progress
) -> Disclosure:
    sizes, values = pairs.sizes, int(np.count_nonzero(pairs.prior))
    different = np.diff(np.append(pairs.starts, len(pairs.counts)))
    share = pairs.counts / sizes[pairs.classes]
    entropy = _sums(-share * np.log(share), pairs)
    order = np.lexsort((-pairs.counts, pairs.classes))
    ranked = pairs.counts[order]
    first = ranked[pairs.starts]
    second = np.where(different >= 2, ranked[np.minimum(pairs.starts + 1, len(ranked) - 1)], 0)
    rest = {1: sizes, 2: sizes - first, 3: sizes - first - second}
    if drawn is None:
        gain = None
    else:
        known = replace(pairs, prior=prior)
        gain = informed(known, drawn) if isinstance(drawn, float) else informed_by_matrix(known, drawn, progress)
    return Disclosure(
        column=column.name,
        records=column.n,
        classes=len(sizes),
        values=values,
        base=float(pairs.prior.max()),
        face=face_value(pairs),
        informed=gain,
        confidence=drawn if isinstance(drawn, float) else None,
        lacking=int(np.count_nonzero(different < values)),
        distinct_l=int(different.min()),
        entropy_l=float(np.exp(entropy.min())),
        below_l={str(least): int(sizes[different < least].sum()) for least in LS},
        fails_cl={f"({c:g},{least})": int(sizes[first > c * rest[least]].sum()) for c, least in CL},
    )


def face_value(pairs: Pairs) -> Gain:
    """Return the measures with the values of a class taken as they stand."""
    prior, share = pairs.prior[pairs.values], pairs.counts / pairs.sizes[pairs.classes]
    # Values that the class lacks add their whole prior: 1 less the priors of those it has.
    apart = _sums(np.abs(prior - share) - prior, pairs) + 1.0
    best = np.maximum.reduceat(share, pairs.starts)
    return _gain(apart / 2, best, float(np.abs(np.log(share / prior)).max()), pairs)


def informed(pairs: Pairs, a: float) -> Gain:
    """Return the measures for a reader who knows that a record kept its value with probability `a`."""
    prior, share = pairs.prior[pairs.values], pairs.counts / pairs.sizes[pairs.classes]
    away = np.maximum(1.0 - prior, 1.0 / max(1, int(pairs.sizes.sum())))
    lifted = _sums(share / away, pairs)  # R of each class
    belief = a * share + (1.0 - a) * prior * (lifted[pairs.classes] - share / away)
    factor = (1.0 - a) * lifted  # belief over prior, for every value that the class lacks
    lacked = 1.0 - _sums(prior, pairs)
    apart = _sums(np.abs(prior - belief), pairs) + np.abs(1.0 - factor) * np.maximum(lacked, 0.0)
    best = np.maximum(np.maximum.reduceat(belief, pairs.starts), factor * _largest_lacked(pairs))
    quotient = float(np.abs(np.log(belief / prior)).max())
    some = lacked > 1e-12
    if some.any():
        quotient = max(quotient, float(np.abs(np.log(factor[some])).max()))
    return _gain(apart / 2, best, quotient, pairs)


def informed_by_matrix(pairs: Pairs, matrix: Floats, progress: Progress = SILENT) -> Gain:
    """Return the measures for a reader who knows the matrix T of groups of several sizes.

    matrix : (m, m) T[v, u], the chance that a record of value v is published as u.

    `Gain.delta` is over the values that the belief leaves possible: groups may keep values apart for good.
    """
    prior, m = pairs.prior, len(pairs.prior)
    joint = prior[:, None] * matrix
    belief = np.divide(joint, joint.sum(axis=0), out=np.zeros_like(joint), where=joint.sum(axis=0) > 0).T
    width = np.diff(np.append(pairs.starts, len(pairs.counts)))
    a_diff, best, quotient = np.empty(len(width)), np.empty(len(width)), 0.0

    def look(rows: Floats) -> tuple[Floats, Floats]:
        nonlocal quotient
        ratio = np.divide(rows, prior, out=np.ones_like(rows), where=(rows > 0) & (prior > 0))
        quotient = max(quotient, float(np.abs(np.log(ratio)).max(initial=0.0)))
        return np.abs(prior - rows).sum(axis=1) / 2, rows.max(axis=1)

    # Classes in which one value stands alone are most of a wide table, and there are only m kinds of them.
    alone = width == 1
    used = unique(pairs.values[pairs.starts[alone]])
    apart, largest = np.zeros(m), np.zeros(m)
    if len(used):
        apart[used], largest[used] = look(belief[used])
    a_diff[alone], best[alone] = apart[pairs.values[pairs.starts[alone]]], largest[pairs.values[pairs.starts[alone]]]
    several = np.flatnonzero(~alone)
    for start in range(0, len(several), _BLOCK):
        progress.report(_STAGE, start / len(several))
        chosen = several[start : start + _BLOCK]
        wide = width[chosen]
        rows = np.repeat(pairs.starts[chosen] - np.cumsum(wide) + wide, wide) + np.arange(wide.sum())
        shares = np.zeros((len(chosen), m))
        shares[np.repeat(np.arange(len(chosen)), wide), pairs.values[rows]] = pairs.counts[rows]
        a_diff[chosen], best[chosen] = look(shares / pairs.sizes[chosen, None] @ belief)
    return _gain(a_diff, best, quotient, pairs)


def _gain(a_diff: Floats, best: Floats, delta: float, pairs: Pairs) -> Gain:
    weight, records = pairs.sizes, int(pairs.sizes.sum())
    know, right = float(np.dot(weight, a_diff) / records), float(np.dot(weight, best) / records)
    order = np.argsort(a_diff)
    half = order[np.searchsorted(np.cumsum(weight[order]), records / 2)]
    return Gain(
        a_know=know,
        a_acc=round(right - float(pairs.prior.max()), 12),  # beyond that, rounding tells a gain that is none
        largest_a_diff=float(a_diff.max()),
        half_a_diff=float(a_diff[half]),
        right_guesses=right,
        delta=delta,
    )


def _sums(of_pairs: Floats, pairs: Pairs) -> Floats:
    return np.add.reduceat(of_pairs, pairs.starts)


def _largest_lacked(pairs: Pairs) -> Floats:
    """Return (C,) the prior of the most frequent value that each class lacks, 0 where it has all."""
    by_rank = np.argsort(-pairs.prior, kind="stable")
    rank = np.empty(len(by_rank), np.int64)
    rank[by_rank] = np.arange(len(by_rank))
    order = np.lexsort((rank[pairs.values], pairs.classes))
    ranks, place = rank[pairs.values][order], np.arange(len(order)) - pairs.starts[pairs.classes[order]]
    # A class has the j most frequent values just where its j-th lowest rank is j; where that breaks, it is lacked.
    width = np.diff(np.append(pairs.starts, len(order)))
    first_gap = np.minimum.reduceat(np.where(ranks != place, place, len(by_rank)), pairs.starts)
    first_gap = np.minimum(first_gap, width)
    padded = np.append(pairs.prior[by_rank], 0.0)
    return padded[np.minimum(first_gap, len(by_rank))]


def finite(number: float) -> float | None:
    """Return the number, None where it is infinite or not a number: JSON has no word for those."""
    return number if math.isfinite(number) else None
