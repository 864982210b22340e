"""A real attack on one re-drawn column: learn from the release how it goes with the others, then read the row.

The second of the three readers (mechanism.md section 3). What the learners are taught is the release alone; they know
the draw, T[v, u] = Pr(shown u | true v), as everybody does who holds release.json.

- **Naive Bayes** (`_plain`), as anybody would program it: for each NSA the published counts of (label, value) are
  undone by the inverse of T, x = C G, no count below half a record, numbers in ten or five intervals of about equally
  many records, columns of many labels taken or left; logarithms added up, and taken at their word.
- **Smoothed naive Bayes** (`_tables`): x pulled towards independence as far as the noise asks for it (the shrinkage of
  mechanism.md section 4), made positive by the mean of a normal cut off at 0, and fitted to both margins: sums over the
  labels and over the values are known.
- **Weighted naive Bayes** (`_weights`): columns that say the same would be counted twice, so each gets a weight of its
  own, by the likelihood of what is *shown*, sum over records of log sum_v q(v | x) T[v, u] (Patrini et al. 2017's
  forward correction), which is largest, on average, at the truth.
- **Regression** (`_regression`): every cell of every table, and of the pairs of columns that explain what is left, may
  move away from there (ridge penalty), by the same likelihood.

But for the plain one, a record's own shown value never teaches what is believed of it (folds), so it may be used once
more for reading the row: P(v | x, u) is proportional to q(v | x) T[v, u]. Last, factors on the log-odds make each
learner but the plain one as sure as the release justifies, again by that likelihood, and of these the one that explains
the shown values best is taken.

Without the source the share of right guesses is that which this learner believes of them (`attack`). With it
(`judged`), records are found by their NSAs; of records that agree in all of those nobody knows which is which, and
the chances of each are those of the draw given the class's true values, which leaves the expectation exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import combinations, count
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_ndtr

from splu_desktop.core.guarantees.attackers import Attack, Figures
from splu_desktop.core.progress import SILENT, Progress, ProgressPart, Silent
from splu_desktop.core.published import Published
from splu_desktop.core.risk.classes import classes_of
from splu_desktop.core.table import Codes, Column, Table
from splu_desktop.core.transition.matrix import MatrixTransition
from splu_desktop.frozen import dataclass

BETRAYED = 0.05  # a row is known to be re-drawn where its value is the person's own with no more than this
_STAGE = "Attacking the release"

_TESTED = 50_000  # records judged at most: shares are known to 0.2 percentage points
_COLUMNS = 8  # attacked with all that; more share it, so shares of 28 columns are known to 0.4 points
_MOST_BELIEFS = 2_000_000  # numbers: records judged times values
_CLASSES = 64  # values that are learned of by themselves; rarer ones together
_RARE = 20  # records below which nothing is learned of a value by itself
_LABELS, _BINS, _FEW = (
    200,
    (32, 10, 5),
    10,
)  # of an NSA: labels kept, intervals tried, records below which labels are one
_FOLDS = 4
_SAME = 0.9  # of a person's records agree in a column that persons keep
_PAIRS, _COARSE = 20, 12  # pairs of columns taken up, and labels of each
_TOLD = 6.0  # of a pair taken up
_RIDGE = 20.0
_WORK = 6_000_000  # numbers that one round of learning may touch: some tenths of a second
_ROUNDS = 30
_STIFF = 4.0  # how little the factors of single values differ from the common one
_LEAST = 1e-9
_HALF, _INTERVALS, _WIDEST = 0.5, (10, 5), (10, 50)  # of plain naive Bayes: records of a cell at least, see `_plain`
_STEEP = 20.0  # largest log-odds that one label gives
_MADE, _TIMES, _ANY = 5_000, 4, 20_130_906  # records of made tables, how many of them, and any fixed seed
_UNTAUGHT = ("margins", "row")  # attackers that know shares and the draw, and learn nothing
_CHANCE = 0.01  # least margin told of a figure that but for the draw's chance is exact
_KNOWN = (0.0, 0.8, 0.95)  # certainties from which on rows are counted
_POWERS, _DROP = (0.15, 0.25, 0.4, 0.6, 0.8, 0.9, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 8.0), 2.0  # of odds; of log-likelihood
_UNFOUND, _FAINT = (
    (0.02, 0.05, 0.05),
    0.5,
)  # standard deviation of what made tables don't show, by measurement; of shares at most

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]
_Weights = Sequence[tuple[Singles, Singles]]


@dataclass(frozen=True, eq=False)
class Channel:
    """How a column was drawn, with its rare values in one class.

    Attributes
    ----------
    classes : (m,) the class of each of the m published values.
    share : (m,) true share of each value, as far as the published counts tell it.
    kept : (m,) probability that a record keeps its value.
    shown : (M, m) probability that a record of a class is published as each value.
    records : published.
    plain : whether its two numbers a, b_s are enough to undo it (mechanism.md section 4).
    transition : the kind of its matrix, which knows how that is inverted.
    alike : records that say together what one by itself would: more than 1 where persons were drawn.
    constancy : NSA -> the share of those others that agree with a record in it, or how their ranks correlate; nothing
        where alike is 1.
    kept_by : NSAs that persons keep in all their records.
    """

    classes: Ints
    share: Floats
    kept: Floats
    shown: Floats
    records: int
    plain: bool
    transition: type[MatrixTransition] = MatrixTransition
    alike: int = 1
    constancy: Mapping[str, float] = field(default_factory=dict)
    kept_by: Sequence[str] = ()

    @classmethod
    def of(cls, published: Published, sa: str) -> Channel:
        """Return the draw of one SA as the reader of a release knows it."""
        draw, found = published.draws[sa], cls._of(published, sa)
        known = None if published.repeats is None else published.repeats.effects.get(draw.block(sa)[0])
        alike = max(1, round(draw.widened(known, ())))
        if known is None or alike == 1:
            return found
        assert published.repeats is not None
        near = {} if published.repeats.whole is None else published.repeats.whole.correlations
        agreeing = {n: known.agreeing(published.table[n]) for n in published.nsas}
        constancy = {n: max(share, near.get(n, 0.0)) for n, share in agreeing.items()}
        return replace(found, alike=alike, constancy=constancy, kept_by=[n for n, x in agreeing.items() if x >= _SAME])

    @classmethod
    def _of(cls, published: Published, sa: str) -> Channel:
        column = published.table[sa]
        counts = published.likely(sa)  # those published are far from the true ones where records joined a value
        share = counts / max(column.n, 1)
        classes = _classes(counts, _RARE)
        plain = published.draws[sa].two_numbers(counts)
        if plain is None:
            tolerant = published.transition(sa)
            shown = _together(classes, share) @ tolerant.matrix
            return cls(classes, share, tolerant.a, shown, column.n, plain=False, transition=type(tolerant))
        if plain.matrix is not None:
            shown = _together(classes, share) @ plain.matrix
        else:  # thousands of values: quasi-independence, f_v T[v, u] = theta_v theta_u
            theta, part = plain.affinity, _together(classes, share)
            towards = part * (theta / np.maximum(counts, _LEAST))
            shown = towards.sum(axis=1, keepdims=True) * theta + towards * -theta + part * plain.a
        return cls(
            classes, share, np.full(column.m, plain.a), shown / shown.sum(axis=1, keepdims=True), column.n, plain=True
        )

    @classmethod
    def none(cls, column: Column) -> Channel:
        """Return the draw that leaves every value as it is: how the original itself is learned from."""
        counts = column.counts().astype(np.float64)
        share = counts / max(column.n, 1)
        classes = _classes(counts, _FEW)
        return cls(classes, share, np.ones(column.m), _together(classes, share), column.n, plain=True)

    def together(self, *names: str) -> float:
        """Return how many of a label's records, or a pair of labels', say what one by itself would."""
        return 1 + (self.alike - 1) * float(np.prod([self.constancy.get(name, 1.0) for name in names]))

    @cached_property
    def prior(self) -> Floats:
        """(M,) share of each class."""
        return np.bincount(self.classes, self.share).astype(np.float64)

    @cached_property
    def matrix(self) -> Floats:
        """(M, M) probability that a record of one class is published as a value of another."""
        return np.asarray(self.shown @ np.eye(len(self.shown))[self.classes])

    @cached_property
    def inverse(self) -> Floats:
        """(M, M) the inverse of the whole matrix."""
        return self.transition.inverted(self.matrix, np.maximum(self.prior, _LEAST) * self.records)[0]

    @property
    def undone(self) -> Floats:
        """(M, M) G: published counts y of the classes give the true ones y G, as mechanism.md sections 4 and 5 say."""
        if not self.plain:
            return self.inverse
        prior, matrix = np.maximum(self.prior, _LEAST), self.matrix
        a = np.diag(matrix)
        b = (prior @ matrix - prior * a) / np.maximum(1 - prior, _LEAST)
        signal = a - b
        told = signal > 0.01
        undone = (np.eye(len(a)) - b) / np.where(told, signal, 1.0)
        return np.where(told, undone, prior)  # of a value at the eligibility limit nothing but its share is known

    @property
    def faint(self) -> Floats:
        """(M,) 1 for a class of whose link to other columns an eighth is left at most, 0 from five eighths on."""
        prior, kept = np.maximum(self.prior, _LEAST), np.diag(self.matrix)
        led = (prior @ self.matrix - prior * kept) / np.maximum(1 - prior, _LEAST)
        return np.asarray(np.clip(1.25 - 2 * (kept - led) / np.maximum(kept, _LEAST), 0.0, 1.0))

    @property
    def within(self) -> Floats:
        """(m,) share of each value in its class."""
        return np.asarray(self.share / np.maximum(self.prior[self.classes], _LEAST))

    @property
    def foremost(self) -> tuple[Ints, Floats]:
        """(M,) the most frequent value of each class, and its share there."""
        order = np.lexsort((-self.share, self.classes))
        first = order[np.searchsorted(self.classes[order], np.arange(len(self.shown)))]
        return first, self.within[first]


def _classes(counts: Floats, least: int) -> Ints:
    order = np.argsort(-counts, kind="stable")
    alone = int(np.count_nonzero(counts >= least))
    alone = min(max(alone, 1), _CLASSES)
    rank = np.empty(len(counts), np.int64)
    rank[order] = np.arange(len(counts))
    return np.minimum(rank, alone)


def _together(classes: Ints, share: Floats) -> Floats:
    """Return (M, m) the share of each value in its class, 0 elsewhere; alike where the class seems to be nobody's."""
    whole, size = np.bincount(classes, share), np.bincount(classes)
    result = np.zeros((len(whole), len(share)))
    told = whole[classes] > _LEAST
    result[classes, np.arange(len(share))] = np.where(
        told, share / np.where(told, whole[classes], 1.0), 1 / size[classes]
    )
    return result


@dataclass(frozen=True, eq=False)
class Guesses:
    """What one attacker says of each tested record.

    Attributes
    ----------
    name : "margins", "row", "naive-bayes", "naive-bayes-and-row", "release", "release-and-row".
    guess : (K,) code of the value named.
    certainty : (K,) how sure the attacker is of it.
    """

    name: str
    guess: Ints
    certainty: Floats


@dataclass(frozen=True, eq=False)
class Carried:
    """An attack as it was carried out, before anybody judges it.

    Attributes
    ----------
    attack : its figures as the strongest learner believes them.
    channel : from the column's true values to the shown ones.
    tested : (K,) places of the tested records.
    shown : (K,) their published values.
    guesses : of each attacker.
    own : (K,) the strongest attacker's belief that the value shown is the person's own.
    """

    attack: Attack
    channel: Channel
    tested: Ints
    shown: Ints
    guesses: tuple[Guesses, ...]
    own: Floats


def attack(published: Published, sa: str, progress: Progress = SILENT) -> Carried:
    """Attack one SA of a release, from the release alone.

    Raises UnknownColumn; Cancelled.
    """
    table, channel = published.table, Channel.of(published, sa)
    part = _part(len(published.sensitive))
    learned = _learned(table, published.nsas, table[sa].codes, channel, part, progress)
    tested, u = learned.tested, table[sa].codes[learned.tested].astype(np.int64)
    guesses, believed, own = _tried(learned, channel, u)
    sampled = float(published.draws[sa].scatter(published.likely(sa), table[sa].labels)[channel.share.argmax()])
    figures = _ranged(table.select(published.nsas), learned, channel, u, guesses, believed, part, sampled)
    betrayed = own <= BETRAYED
    found = Attack(
        column=sa,
        learner=learned.best,
        tested=len(tested),
        trained_on=table.n,
        columns=learned.columns,
        intervals=learned.intervals,
        labels=learned.labels,
        figures=figures,
        betrayed=_mean(betrayed),
        betrayed_own=_mean(own[betrayed]) if betrayed.any() else None,
    )
    return Carried(found, channel, tested, u, tuple(guesses), own)


def _part(columns: int) -> float:
    """Return the part of the most work on a column that each of so many gets."""
    return min(1.0, _COLUMNS / max(columns, 1))


def _tried(learned: _Learned, channel: Channel, u: Ints) -> tuple[list[Guesses], list[Floats], Floats]:
    """Return what each attacker says of records shown as u (K,), how sure the best learner is of it, and of u."""
    prior, best = np.tile(channel.prior, (len(u), 1)), learned.beliefs[learned.best]
    guesses, own = [], np.zeros(0)
    for name, beliefs in (("margins", prior), ("row", prior), ("naive-bayes", learned.plain), ("release", best)):
        for row in (False, True):
            if name == ("row", "margins")[row]:
                continue
            if row:
                guess, certainty, own = _with_row(beliefs, channel, u)
            else:
                guess, certainty = _from_release(beliefs, channel)
            guesses.append(Guesses(f"{name}-and-row" if row and name != "row" else name, guess, certainty))
    return guesses, _sure(best, channel, u, guesses), own


def _sure(beliefs: Floats, channel: Channel, u: Ints, guesses: Sequence[Guesses]) -> list[Floats]:
    """Return (K,) how sure beliefs (K, M) are of each attacker's guesses; plain naive Bayes has read all rows.

    Who has nothing but shares and the row is right as often as those say, whatever anybody learned.
    """
    return [
        each.certainty
        if each.name in _UNTAUGHT
        else _believed(beliefs, channel, u, each.guess, row=each.name != "release")
        for each in guesses
    ]


def _by_shares(channel: Channel, said: Guesses, sampled: float) -> list[tuple[float, float]]:
    """Return the ends between which right shares lie whatever the attacker knows, of rows known so surely (`_KNOWN`).

    Of the rows guessed to have the most frequent value, no more are wrong than records have another; of the other
    guesses no more are right.

    sampled : standard deviation of how many records have that value, as far as the release tells it.
    """
    top = int(channel.share.argmax())
    rest = max(1 - float(channel.share[top]), 0.0)
    rest += 2 * float(np.hypot(sampled / channel.records, (rest * (1 - rest) / len(said.guess)) ** 0.5))
    found = []
    for least in _KNOWN:
        here = said.certainty >= least
        known, usual = max(_mean(here), _LEAST), _mean(here & (said.guess == top))
        found.append((max(usual - rest, 0.0) / known, min(usual + min(known - usual, rest), known) / known))
    return found


def _ranged(
    nsas: Table,
    learned: _Learned,
    channel: Channel,
    u: Ints,
    guesses: Sequence[Guesses],
    believed: Sequence[Floats],
    part: float,
    sampled: float,
) -> tuple[Figures, ...]:
    """Return the figures of guesses about records shown as u (K,), with the ends between which right shares lie.

    Where nearly all records have one value its share alone says that within what made tables don't show.

    Three things move them away from what is believed: how much too surely guesses about made tables were believed
    (`_strays`); beliefs all surer or less sure, as far as they explain what is shown hardly less well; and a value near
    the eligibility limit, whose structure can't be found, so that guesses of others are right more often by up to
    the share that such a value takes of what is believed (`faint`).
    """
    alike = channel.alike
    figures = tuple(_chanced(_figures(*each), channel) for each in zip(guesses, believed, strict=True))
    some = np.unique(np.linspace(0, len(u) - 1, max(min(len(u), _MADE) // alike, 1)).astype(np.int64))
    if not learned.columns or len(channel.shown) < 2 or len(some) < 2 * _FOLDS:
        return figures
    bounds = {each.name: _by_shares(channel, each, sampled) for each in guesses}
    if 1 - channel.share.max() <= _UNFOUND[0]:
        return tuple(
            each if each.name in _UNTAUGHT else replace(each, ends=ends[0], ends_80=ends[1], ends_95=ends[2])
            for each, ends in zip(figures, bounds.values(), strict=True)
        )
    strays = _strays(nsas, learned, channel, u, some, part)
    share = len(some) * alike / channel.records
    best, rows, faint = learned.beliefs[learned.best], np.arange(len(u)), channel.faint
    others = [believed, *_otherwise(best, channel, u, guesses)]
    found = []
    for j, (each, said, sure) in enumerate(zip(figures, guesses, believed, strict=True)):
        if each.name in _UNTAUGHT:
            found.append(each)
            continue
        group = channel.classes[said.guess]
        hidden = np.minimum(best @ faint - best[rows, group] * faint[group], _FAINT)
        ends: list[tuple[float, float] | None] = []
        told = zip(_KNOWN, _UNFOUND, bounds[each.name], strays[each.name].T, strict=True)
        for least, unfound, (bottom, top), errors in told:
            here, errors = said.certainty >= least, errors[np.isfinite(errors)]
            if not here.any():
                ends.append(None)
            elif len(errors) < 2:
                ends.append((bottom, top))
            else:
                right, moved = _mean(sure[here]), [_mean(other[j][here]) for other in others]
                # Errors of a larger table are smaller by the root, but for their mean.
                few = (right * (1 - right) * (alike - 1) / np.count_nonzero(here)) ** 0.5  # persons who are known
                arm = 2 * float(np.linalg.norm((np.std(errors, ddof=1) * share**0.5, unfound, few)))
                low, high = sorted((right, right - share * float(np.mean(errors))))
                high *= _mean(sure[here] / (1 - hidden[here])) / max(right, _LEAST)
                low, high = low - np.hypot(arm, right - min(moved)), high + np.hypot(arm, max(moved) - right)
                ends.append((min(max(float(low), bottom), right), max(min(float(high), top), right)))
        found.append(replace(each, ends=ends[0], ends_80=ends[1], ends_95=ends[2]))
    return tuple(found)


def _chanced(figures: Figures, channel: Channel) -> Figures:
    """Return the figures of who reads the row alone with the ends that the draw's chance leaves, where that is told.

    How many of so many rows are their persons' own is drawn: two standard deviations, records of a person as one.
    """

    def ends(right: float | None, known: float) -> tuple[float, float] | None:
        if figures.name != "row" or right is None or not known:
            return None
        arm = 2 * (right * (1 - right) * channel.alike / (known * channel.records)) ** 0.5
        return (max(right - arm, 0.0), min(right + arm, 1.0)) if arm >= _CHANCE else None

    return replace(
        figures,
        ends=ends(figures.right, 1.0),
        ends_80=ends(figures.right_80, figures.known_80),
        ends_95=ends(figures.right_95, figures.known_95),
    )


def _otherwise(best: Floats, channel: Channel, u: Ints, guesses: Sequence[Guesses]) -> list[list[Floats]]:
    """Return how sure of the guesses other beliefs are, surer or less sure ones, that explain the release as well."""
    prior, shown = np.maximum(channel.prior, _LEAST), channel.matrix[:, channel.classes[u]].T
    prior = prior / prior.sum()
    odds = np.log(np.maximum(best, 1e-12) / prior)
    tried = []
    for power in _POWERS:
        beliefs = _raked(_softmax(np.log(prior) + power * odds), prior)
        explained = _likelihood(beliefs, shown) * channel.records / len(u) / channel.alike
        tried.append((explained, _sure(beliefs, channel, u, guesses)))
    least = max(explained for explained, _ in tried) - _DROP
    return [sure for explained, sure in tried if explained >= least]


def _strays(nsas: Table, learned: _Learned, channel: Channel, u: Ints, some: Ints, part: float) -> dict[str, Floats]:
    """Return by how much right shares were believed too high in made tables: attacker -> (tables, `_KNOWN`), maybe NaN.

    Tables are made that the release could come from: values by what is believed of some of the records, drawn anew, and
    attacked anew; there each guess is known to be right or not. They have no structure that the learner did not find.
    Each of the records stands there `alike` times, as those of a person do: who takes them for independent finds
    structure in their noise, and is as sure of it as in the release.
    """
    best, matrix, m, alike = learned.beliefs[learned.best], channel.matrix, len(channel.shown), channel.alike
    joint = best[some] * channel.shown[:, u[some]].T
    likely = np.cumsum(joint / joint.sum(axis=1, keepdims=True), axis=1)
    chances = np.cumsum(matrix / matrix.sum(axis=1, keepdims=True), axis=1)
    table, chance = nsas.take(np.repeat(learned.tested[some], alike)), np.random.default_rng(_ANY)
    off: dict[str, list[list[float]]] = {}
    for _ in range(_TIMES):
        true = (likely[:, :-1] < chance.random((len(some), 1))).sum(axis=1)
        shown = (chances[true, :-1] < chance.random((len(some), 1))).sum(axis=1)
        true, shown = np.repeat(true, alike), np.repeat(shown, alike)
        share = np.bincount(shown if channel.plain else true, minlength=m) / table.n
        drawn = replace(
            channel, classes=np.arange(m), share=share, kept=np.diag(matrix).copy(), shown=matrix, records=table.n
        )
        again = _learned(table, nsas.names, shown.astype(np.int32), drawn, part, Silent())
        guesses, believed, _ = _tried(again, drawn, shown[again.tested])
        for each, sure in zip(guesses, believed, strict=True):
            high, known = sure - (each.guess == true[again.tested]), [each.certainty >= least for least in _KNOWN]
            off.setdefault(each.name, []).append([_mean(high[here]) if here.any() else np.nan for here in known])
    return {name: np.array(errors) for name, errors in off.items()}


def judged(carried: Carried, published: Table, source: Table, nsas: Sequence[str]) -> Attack:
    """Return the figures of an attack on true values.

    published, source : with common labels in every column (`align`); records need not be in the same order.

    A record that no source record agrees with in the NSAs has no true value, and no guess about it is right.
    """
    sa = carried.attack.column
    true = _Truth.of(carried, published, source, nsas)
    # Who has no table takes the value that is truly most frequent; of few records a release may name another.
    most = np.full(len(carried.shown), source[sa].counts().max(initial=0) / source.n)
    figures = tuple(
        _figures(replace(each, certainty=most), most)
        if each.name == "margins"
        else _figures(each, true.chance(each.guess))
        for each in carried.guesses
    )
    betrayed = carried.own <= BETRAYED
    kept = true.chance(carried.shown)
    return replace(
        carried.attack,
        column=sa,
        figures=figures,
        betrayed_own=_mean(kept[betrayed]) if betrayed.any() else None,
    )


def from_original(
    source: Table, nsas: Sequence[str], sa: str, progress: Progress = SILENT, *, columns: int = 1
) -> Figures:
    """Return what the original's statistics alone teach: the same learners, taught from the original.

    columns : attacked in all, which share the work.

    Every record tested is kept out of the table that teaches about it, as Anonymeter's controls are, so nothing here
    comes from the person's own row. Raises UnknownColumn; Cancelled.
    """
    column = source[sa]
    channel = Channel.none(column)
    learned = _learned(source, nsas, column.codes, channel, _part(columns), progress)
    guess, certainty = _from_release(learned.beliefs[learned.best], channel)
    right = (guess == column.codes[learned.tested]).astype(np.float64)
    return _figures(Guesses("original", guess, certainty), right)


def _figures(said: Guesses, rightly: Floats) -> Figures:
    sure = [said.certainty >= least for least in (0.8, 0.95)]
    known = [_mean(rows) for rows in sure]
    right = [_mean(rightly[rows]) if rows.any() else None for rows in sure]
    return Figures(said.name, _mean(rightly), known[0], known[1], right[0], right[1])


def _mean(values: NDArray[np.float64] | NDArray[np.bool_]) -> float:
    return float(values.mean()) if len(values) else 0.0


def _from_release(beliefs: Floats, channel: Channel) -> tuple[Ints, Floats]:
    """Return guess and certainty from what the release teaches, without the row."""
    first, part = channel.foremost
    scores = beliefs * part
    best = scores.argmax(axis=1)
    return first[best], scores[np.arange(len(best)), best]


def _with_row(beliefs: Floats, channel: Channel, shown: Ints) -> tuple[Ints, Floats, Floats]:
    """Return guess, certainty, and the belief that the shown value is the person's own."""
    rows = np.arange(len(shown))
    joint = beliefs * channel.shown[:, shown].T
    joint /= joint.sum(axis=1, keepdims=True)
    group = channel.classes[shown]
    own = _own(beliefs, channel, shown, joint)
    first, part = channel.foremost
    scores = joint * part
    scores[rows, group] = np.maximum(joint[rows, group] - own, 0.0) * part[group]
    best = scores.argmax(axis=1)
    other = scores[rows, best]
    return np.where(own >= other, shown, first[best]), np.maximum(own, other), own


def _own(beliefs: Floats, channel: Channel, shown: Ints, joint: Floats) -> Floats:
    group = channel.classes[shown]
    kept = channel.within[shown] * channel.kept[shown] / np.maximum(channel.shown[group, shown], _LEAST)
    return np.asarray(joint[np.arange(len(shown)), group] * np.minimum(kept, 1.0))


def _believed(beliefs: Floats, channel: Channel, shown: Ints, guess: Ints, *, row: bool) -> Floats:
    """Return (K,) how sure the beliefs are of any guess, with the row read or without."""
    rows, group = np.arange(len(shown)), channel.classes[guess]
    if not row:
        return np.asarray(beliefs[rows, group] * channel.within[guess])
    joint = beliefs * channel.shown[:, shown].T
    joint /= joint.sum(axis=1, keepdims=True)
    own = _own(beliefs, channel, shown, joint)
    rest = joint[rows, group] - np.where(group == channel.classes[shown], own, 0.0)
    return np.where(guess == shown, own, np.maximum(rest, 0.0) * channel.within[guess])


@dataclass(frozen=True, eq=False)
class _Truth:
    """The true values of the class of records that each tested record stands in."""

    share: Any  # SciPy's csr: (K, m + true values that nobody shows): chance of each, given class and shown value

    @classmethod
    def of(cls, carried: Carried, published: Table, source: Table, nsas: Sequence[str]) -> _Truth:
        channel, n = carried.channel, published.n
        columns = [
            replace(published[name], codes=np.concatenate([published[name].codes, source[name].codes])) for name in nsas
        ]
        ids = classes_of(columns, n + source.n).ids
        m = source[carried.attack.column].m
        whole = sparse.csr_matrix(
            (np.ones(source.n), (ids[n:], source[carried.attack.column].codes)), shape=(int(ids.max()) + 1, m)
        )
        whole.sum_duplicates()
        mine = whole[ids[carried.tested]].tocoo()
        known = len(channel.classes)
        chance = np.zeros(len(mine.data))
        there = mine.col < known  # a value that vanished in the channel: its records show what records of its kind do
        value, shown = np.where(there, mine.col, 0), carried.shown[mine.row]
        chance[:] = np.where(there, channel.shown[channel.classes[value], shown], channel.share[shown])
        kept = there & (mine.col == shown)
        chance[kept] = channel.kept[mine.col[kept]]
        weight = sparse.csr_matrix((mine.data * np.maximum(chance, _LEAST), (mine.row, mine.col)), shape=mine.shape)
        sums = np.asarray(weight.sum(axis=1)).ravel()
        return cls(sparse.diags_array(1.0 / np.where(sums > 0, sums, 1.0)) @ weight)

    def chance(self, guess: Ints) -> Floats:
        """Return (K,) the chance that each record's true value is `guess`."""
        picked = sparse.csr_matrix((np.ones(len(guess)), (np.arange(len(guess)), guess)), shape=self.share.shape)
        return np.asarray(self.share.multiply(picked).sum(axis=1), np.float64).ravel()


@dataclass(frozen=True, eq=False)
class _Feature:
    names: tuple[str, ...]  # of one column, or of two
    codes: Codes
    width: int

    @property
    def name(self) -> str:
        return " ".join(self.names)


@dataclass(frozen=True, eq=False)
class _Pair:
    one: _Feature
    other: _Feature

    @property
    def both(self) -> _Feature:
        codes = self.one.codes * np.int32(self.other.width) + self.other.codes
        return _Feature(self.one.names + self.other.names, codes, self.one.width * self.other.width)


@dataclass(frozen=True, eq=False)
class _Learned:
    """What was learned of the tested records.

    Attributes
    ----------
    best : the learner that explains what is shown best.
    beliefs : of each learner, (K, M), each record's from the folds without it.
    plain, intervals, labels : (K, M) beliefs of plain naive Bayes, taught by all records, and what it took: see Attack.
    """

    best: str
    beliefs: dict[str, Floats]
    plain: Floats
    intervals: int
    labels: int | None
    tested: Ints
    columns: tuple[str, ...]


def _learned(
    table: Table, nsas: Sequence[str], codes: Codes, channel: Channel, part: float, progress: Progress
) -> _Learned:
    """Return what the learners learn, doing a part of the most work."""
    n, prior, work = table.n, np.maximum(channel.prior, _LEAST), int(_WORK * part)
    # A column may be left with few intervals and not with many, each of which few records are in.
    tries = {
        tuple((each.name, each.width) for each in tried): tried
        for bins in _BINS
        if (tried := _features(table, nsas, bins))
    }
    target, matrix = channel.classes[codes], channel.matrix
    names = tuple(name for name in nsas if any(name == each.name for tried in tries.values() for each in tried))
    tested = np.linspace(0, n - 1, min(n, int(_TESTED * part), _MOST_BELIEFS // len(prior))).astype(np.int64)
    if not tries or n < 2 * _FOLDS or len(prior) < 2:
        beliefs = np.tile(prior, (len(tested), 1))
        return _Learned(
            "smoothed-naive-bayes", {"smoothed-naive-bayes": beliefs}, beliefs, _INTERVALS[0], None, tested, names
        )
    likely = np.asarray(matrix[:, target].T)  # (N, M) chance of what is shown
    folds = _folded(table, target, channel)
    base, shown = np.log(prior).astype(np.float32), likely[tested]

    def tempered(features: Sequence[_Feature], tables: list[list[Singles]], weights: _Weights) -> Floats:
        score = _scored(features, tables, weights, base, tested, folds)
        return _tempered(score, shown, prior / prior.sum(), channel.alike)

    smoothed: list[tuple[float, Floats, Sequence[_Feature], list[list[Singles]]]] = []
    features: Sequence[_Feature]
    for at, features in enumerate(tries.values()):
        tables = []
        for fold in range(_FOLDS):
            progress.report(_STAGE, (at + fold / _FOLDS) / len(tries) / 3)
            tables.append([_tables(feature, target, folds != fold, channel, prior) for feature in features])
        plain = [(np.ones(len(features), np.float32), np.zeros_like(base))] * _FOLDS
        beliefs = tempered(features, tables, plain)
        smoothed.append((_likelihood(beliefs, shown), beliefs, features, tables))
    _, beliefs, features, tables = max(smoothed, key=lambda each: each[0])
    some = _some(n, (len(features) + _PAIRS) * len(prior), work)
    weights = _weighted(features, tables, base, likely, some, folds, channel.alike)
    found = {"smoothed-naive-bayes": beliefs, "weighted-naive-bayes": tempered(features, tables, weights)}
    progress.report(_STAGE, 0.5)
    score = _scored(features, tables, weights, base, some, folds)
    pairs = _pairs(features, score, likely[some], some, work, channel.alike)
    if pairs:
        more = [*features, *(pair.both for pair in pairs)]
        beside = []
        for fold, known in enumerate(tables):
            beside.append(known + _interactions(pairs, target, folds != fold, channel, prior))
        other = _weighted(more, beside, base, likely, some, folds, channel.alike)
        beliefs = tempered(more, beside, other)
        if _likelihood(beliefs, shown) > _likelihood(found["weighted-naive-bayes"], shown):
            found["weighted-naive-bayes"], features, tables, weights = beliefs, more, beside, other
    last = ProgressPart(progress, 2 / 3, 1 / 3)
    score = _regression(features, tables, weights, base, likely, tested, folds, work, channel, last)
    found["regression"] = _tempered(score, shown, prior / prior.sum(), channel.alike)
    best = max(found, key=lambda name: _likelihood(found[name], shown))
    progress.report(_STAGE, 1.0)
    return _Learned(best, found, *_plain(table, nsas, target, tested, channel), tested, names)


def _folded(table: Table, target: Ints, channel: Channel) -> Ints:
    """Return (N,) the fold of each record, which others teach about; all of a person's are in one.

    Who is whose is not published. Of records that show one value and agree in the columns that persons keep, nothing
    but their other columns says which are one person's, so as many of them as come and go together are taken for one.
    Cut at random, seven of eight of a person's records taught what the eighth shows: of 500 persons whom six columns
    name a learner believed 99 % of its guesses, and 41 % were right.
    """
    if channel.alike == 1:
        return np.arange(table.n) % _FOLDS
    names = sorted(channel.constancy, key=lambda name: (name in channel.kept_by, channel.constancy[name]))
    keys: list[Ints | Codes] = [*(table[name].codes for name in names), target]
    order = np.lexsort(keys)
    kept: list[Ints | Codes] = [target, *(table[name].codes for name in channel.kept_by)]
    new = np.r_[True, np.any([codes[order][1:] != codes[order][:-1] for codes in kept], axis=0)]
    start = np.maximum.accumulate(np.where(new, np.arange(table.n), 0))
    person = start
    # Cut into as many as have that design effect: nothing where columns name persons, who have more records or fewer.
    for most in range(channel.alike, 8 * channel.alike):
        tried = np.cumsum((np.arange(table.n) - start) % most == 0) - 1
        sizes = np.bincount(tried)
        if most > channel.alike and sizes @ sizes > channel.alike * table.n:
            break
        person = tried
    folds = np.empty(table.n, np.int64)
    folds[order] = np.random.default_rng(_ANY).permutation(int(person[-1]) + 1)[person] % _FOLDS
    return folds


def _weighted(
    features: Sequence[_Feature],
    tables: Sequence[Sequence[Singles]],
    base: Singles,
    likely: Floats,
    some: Ints,
    folds: Ints,
    alike: int,
) -> _Weights:
    """Return for each fold the weights of the columns, and what is added for each value, by some of the other folds."""
    evidence = np.empty((len(features), len(some), len(base)), np.float32)
    for fold in range(_FOLDS):
        here = np.flatnonzero(folds[some] == fold)
        for j, feature in enumerate(features):
            evidence[j, here] = tables[fold][j][feature.codes[some[here]]]
    return [_weights(evidence, likely[some], base, folds[some] != fold, alike) for fold in range(_FOLDS)]


def _features(table: Table, nsas: Sequence[str], bins: int) -> list[_Feature]:
    return [feature for name in nsas if (feature := _feature(table[name], bins)) is not None]


def _some(n: int, each: int, work: int) -> Ints:
    """Return evenly spread places, so many that `each` numbers for every one of them are `work` numbers."""
    return np.unique(np.linspace(0, n - 1, max(min(n, work // max(each, 1)), min(n, 2_000))).astype(np.int64))


def _feature(column: Column, bins: int) -> _Feature | None:
    """Return a column as a learner takes it: numbers in intervals, rare labels together; None if nothing is left."""
    counts = column.counts()
    if column.values is not None and column.m > bins:
        # Labels stand in the order of their values: intervals of about equally many records, no value last.
        place = np.where(np.asarray(column.missing), 0, counts)
        part = (np.cumsum(place) - place / 2) / max(int(place.sum()), 1)
        label = np.minimum((part * bins).astype(np.int64), bins - 1)
        label[column.missing] = bins
    else:
        rank = np.empty(column.m, np.int64)
        rank[np.argsort(-counts, kind="stable")] = np.arange(column.m)
        label = np.where((counts >= _FEW) & (rank < _LABELS), rank, column.m)
    used, label = np.unique(label, return_inverse=True)
    codes = label.astype(np.int32)[column.codes]
    return _Feature((column.name,), codes, len(used)) if len(used) > 1 else None


def _plain(
    table: Table, nsas: Sequence[str], target: Ints, tested: Ints, channel: Channel
) -> tuple[Floats, int, int | None]:
    """Return (K, M) beliefs of naive Bayes as anybody would program it, its intervals, and labels at most.

    Of those by wider or narrower intervals, and without columns of many labels or with them, the one that explains best
    what the records show, each by what the others teach: whoever programs it tries some. What a record shows itself
    made ten intervals look better than five that are right 3 to 9 points more often, in six of ten releases.
    """
    undone, likely = channel.undone, channel.matrix[:, target[tested]].T
    own = undone[target[tested]]
    prior = np.tile(channel.prior, (len(tested), 1))  # where nothing is left to learn from
    found: list[tuple[float, Floats, int, int | None]] = [(-np.inf, prior, _INTERVALS[0], None)]
    for intervals in _INTERVALS:
        every = _features(table, nsas, intervals)
        every.sort(key=lambda feature: feature.width)
        score = np.tile(np.log(np.maximum(channel.prior, _LEAST)), (len(tested), 1))
        apart = score.copy()
        for at, feature in enumerate(every):
            label, counts = feature.codes[tested], _counted(feature, target, len(undone)) @ undone
            real = np.maximum(counts, _HALF)
            whole = real.sum(axis=0)
            score += np.log(real / whole)[label]
            others = np.maximum(counts[label] - channel.together(feature.name) * own, _HALF)
            apart += np.log(others / (whole - real[label] + others))
            wider = every[at + 1].width if at + 1 < len(every) else np.inf
            if any(feature.width <= most < wider for most in _WIDEST) or wider == np.inf:
                labels = None if wider == np.inf else min(most for most in _WIDEST if most >= feature.width)
                found.append((_likelihood(_softmax(apart), likely), _softmax(score), intervals, labels))
    return max(found, key=lambda each: each[0])[1:]


def _counted(feature: _Feature, target: Ints, m: int, taught: NDArray[np.bool_] | slice = slice(None)) -> Floats:
    """Return (labels, m) how many of the records that teach have a label and show a value."""
    keys = feature.codes[taught].astype(np.int64) * m + target[taught]
    return np.bincount(keys, minlength=feature.width * m).reshape(-1, m).astype(np.float64)


def _interactions(
    pairs: Sequence[_Pair], target: Ints, taught: NDArray[np.bool_], channel: Channel, prior: Floats
) -> list[Singles]:
    """Return for each pair of columns (labels, M) what it tells beyond the two of them."""
    single = {each.name: each for pair in pairs for each in (pair.one, pair.other)}
    alone = {name: _tables(each, target, taught, channel, prior) for name, each in single.items()}

    def beyond(pair: _Pair) -> Singles:
        one, other = alone[pair.one.name], alone[pair.other.name]
        apart = _softmax((one[:, None] + other[None] + np.log(prior)).reshape(pair.both.width, -1))
        return _tables(pair.both, target, taught, channel, prior, apart)

    return [beyond(pair) for pair in pairs]


def _tables(
    feature: _Feature,
    target: Ints,
    taught: NDArray[np.bool_],
    channel: Channel,
    prior: Floats,
    expected: Floats | None = None,
) -> Singles:
    """Return (labels, M) log of the de-noised P(value | label) / expected (labels, M): by default the prior."""
    m, undone = len(prior), channel.inverse
    counts = _counted(feature, target, m, taught)
    whole = counts.sum(axis=1, keepdims=True)
    mu, x = whole * (prior if expected is None else expected), counts @ undone
    var = channel.together(*feature.names) * np.maximum(counts @ undone**2 - np.maximum(x, 0.0), 1e-3 * mu + 1e-6)
    off, spread = (x - mu) ** 2, np.zeros(m)
    for _ in range(10):  # generalised least squares for E[(x - mu)^2] = Var + t mu^2
        weight = mu**2 / (var + spread * mu**2) ** 2
        spread = np.maximum((weight * (off - var)).sum(axis=0) / np.maximum((weight * mu**2).sum(axis=0), _LEAST), 0.0)
    true = spread * mu**2
    keep = true / (true + var)
    mean, error = mu + keep * (x - mu), np.sqrt(keep * var) + _LEAST * (1.0 + mu)
    z = mean / error  # the mean of a normal above 0
    found = mean + error * np.exp(-(z**2) / 2 - log_ndtr(z)) / np.sqrt(2 * np.pi)
    found = np.maximum(found, 1e-9 * mu + 1e-12)
    for _ in range(20):  # both margins are known
        found *= prior * whole.sum() / found.sum(axis=0)
        found *= whole / np.maximum(found.sum(axis=1, keepdims=True), 1e-300)
    odds = np.log(found / np.maximum(mu, 1e-300), out=np.zeros_like(found), where=(found > 0) & (mu > 0))
    return np.asarray(np.clip(odds, -_STEEP, _STEEP), np.float32)


def _weights(
    evidence: Singles, likely: Floats, base: Singles, taught: NDArray[np.bool_], alike: int
) -> tuple[Singles, Singles]:
    """Return (d,) the weight of each column and (M,) what is added for each value."""
    d, shown = len(evidence), likely[taught]
    # One row a column: both products with it are one pass over memory as it lies.
    tables = np.ascontiguousarray(evidence[:, taught]).reshape(d, -1)

    def loss(at: Floats) -> tuple[float, Floats]:
        score = (at[:d].astype(np.float32) @ tables).reshape(shown.shape) + (base + at[d:])
        lost, gradient = _corrected(score, shown)
        by_column = tables @ gradient.ravel()
        slope = np.concatenate([-by_column, 2 * alike * at[d:] - gradient.sum(axis=0)])
        return lost + alike * float((at[d:] ** 2).sum()), slope

    start = np.concatenate([np.full(d, d**-0.5), np.zeros(len(base))])
    bounds = [(0.0, 5.0)] * d + [(-5.0, 5.0)] * len(base)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": _ROUNDS}).x
    return found[:d].astype(np.float32), found[d:].astype(np.float32)


def _corrected(score: Floats | Singles, likely: Floats) -> tuple[float, Singles]:
    """Return -sum log sum_v q(v) T[v, u] and (n, M) the slope of the logarithm by the scores, P(v | u) - q(v)."""
    beliefs = _softmax(score)
    joint = beliefs * likely
    seen = np.maximum(joint @ np.ones(joint.shape[1]), 1e-30)[:, None]
    return -float(np.log(seen).sum()), (joint / seen - beliefs).astype(np.float32)


def _softmax(score: NDArray[np.floating]) -> Floats:
    # Value by value: NumPy goes over rows of a few numbers each four times as slowly.
    top = score[:, 0].copy()
    for value in score.T[1:]:
        np.maximum(top, value, out=top)
    power = np.exp(score - top[:, None], dtype=np.float64)
    power /= (power @ np.ones(power.shape[1]))[:, None]
    return np.asarray(power)


def _scored(
    features: Sequence[_Feature],
    tables: Sequence[Sequence[Singles]],
    weights: _Weights,
    base: Singles,
    records: Ints,
    folds: Ints,
) -> Singles:
    """Return (K, M) scores of records, each by the tables of its fold."""
    score = np.empty((len(records), len(base)), np.float32)
    for fold, (weight, added) in enumerate(weights):
        at = np.flatnonzero(folds[records] == fold)
        part = np.tile(base + added, (len(at), 1))
        for j, feature in enumerate(features):
            part += weight[j] * tables[fold][j][feature.codes[records[at]]]
        score[at] = part
    return score


def _regression(
    features: Sequence[_Feature],
    tables: Sequence[Sequence[Singles]],
    weights: _Weights,
    base: Singles,
    likely: Floats,
    tested: Ints,
    folds: Ints,
    work: int,
    channel: Channel,
    progress: Progress,
) -> Singles:
    """Return (K, M) scores by tables that the corrected likelihood has moved."""
    score = np.empty((len(tested), len(base)), np.float32)
    some = _some(len(likely), len(features) * len(base), work)
    ridge = _RIDGE * np.repeat([channel.together(*each.names) for each in features], [each.width for each in features])
    for fold in range(_FOLDS):
        rows, test, (weight, more) = some[folds[some] != fold], folds[tested] == fold, weights[fold]
        start = np.concatenate([weight[j] * table for j, table in enumerate(tables[fold])])
        part = ProgressPart(progress, fold / _FOLDS, 1 / _FOLDS)
        moved = _moved(_hot(features, rows), start, base + more, likely[rows], ridge, part)
        score[test] = _hot(features, tested[test]) @ moved + base + more
    return score


def _hot(cells: Sequence[_Feature], rows: Ints) -> sparse.csr_matrix:
    """Return (K, sum of widths) 1 where a record has a label, 0 elsewhere."""
    ends = np.cumsum([cell.width for cell in cells])
    at = np.stack([cell.codes[rows] + (end - cell.width) for cell, end in zip(cells, ends, strict=True)], axis=1)
    starts = np.arange(0, at.size + 1, len(cells))
    return sparse.csr_matrix((np.ones(at.size, np.float32), at.ravel(), starts), shape=(len(rows), int(ends[-1])))


def _moved(
    hot: sparse.csr_matrix, start: Singles, added: Singles, likely: Floats, ridge: Floats, progress: Progress
) -> Singles:
    """Return the tables `start` where the corrected likelihood, less a ridge penalty on the way there, is largest."""
    across, first = hot.T.tocsr(), hot @ start + added
    rounds = count()  # a search along a line may look twenty times

    def loss(flat: Floats) -> tuple[float, Floats]:
        progress.report(_STAGE, min(next(rounds) / _ROUNDS, 1.0))
        lost, gradient = _corrected(first + hot @ flat.reshape(start.shape).astype(np.float32), likely)
        pull = (ridge[:, None] * flat.reshape(start.shape)).ravel()
        slope = pull - np.asarray(across @ gradient, np.float64).ravel()
        return lost + float(flat @ pull) / 2, slope

    found = minimize(loss, np.zeros(start.size), jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS}).x
    return np.asarray(start + found.reshape(start.shape), np.float32)


def _pairs(
    features: Sequence[_Feature], score: Singles, likely: Floats, records: Ints, work: int, alike: int
) -> list[_Pair]:
    """Return the pairs of columns that explain most of what the scores leave unexplained, by a score test."""
    _, slope = _corrected(score, likely)
    few = _some(len(records), len(features) ** 2 * slope.shape[1] // 8 + 1, work)
    slope, coarse = slope[few], [_coarse(feature) for feature in features]
    gains = []
    for one, other in combinations(range(len(features)), 2):
        both = _Pair(coarse[one], coarse[other]).both
        cell = both.codes[records[few]]
        shape = both.width, len(cell)
        rows = sparse.csr_matrix((np.ones(len(cell), np.float32), (cell, np.arange(len(cell)))), shape=shape)
        moved, weight = rows @ slope, rows @ slope**2
        held = np.asarray(rows.sum(axis=1)).ravel() >= _FEW
        score_test = moved[held] ** 2 / np.maximum(alike * weight[held], _LEAST)
        free = max(score_test.size, 1)
        gains.append(((float(score_test.sum()) - free) / free**0.5, one, other))
    chosen = sorted((each for each in gains if each[0] > _TOLD), reverse=True)[:_PAIRS]
    return [_Pair(coarse[one], coarse[other]) for _, one, other in chosen]


def _coarse(feature: _Feature) -> _Feature:
    if feature.width <= _COARSE:
        return feature
    counts = np.bincount(feature.codes, minlength=feature.width)
    part = (np.cumsum(counts) - counts / 2) / counts.sum()
    used, label = np.unique(np.minimum((part * _COARSE).astype(np.int64), _COARSE - 1), return_inverse=True)
    return _Feature(feature.names, label.astype(np.int32)[feature.codes], len(used))


def _tempered(score: Singles, likely: Floats, prior: Floats, alike: int) -> Floats:
    """Return (K, M) beliefs as sure as what is shown justifies, which on average are the known shares.

    The log-odds are multiplied by one factor for all values and, as far as the release asks for it, one for each: a
    value near the eligibility limit has little signal left, and its odds come out too small.
    """
    base, stiff = np.log(prior).astype(np.float32), _STIFF * alike
    odds = score - base
    odds -= odds.mean(axis=1, keepdims=True)

    def loss(at: Floats) -> tuple[float, Floats]:
        power = np.exp(at[0] + at[1:])
        lost, gradient = _corrected(base + odds * power.astype(np.float32), likely)
        slope = -np.einsum("nm,nm->m", gradient, odds) * power
        whole = np.concatenate([[slope.sum()], slope + 2 * stiff * at[1:]])
        return lost + stiff * float(at[1:] @ at[1:]), whole

    starts = [np.concatenate([[log], np.zeros(len(prior))]) for log in (-1.5, -0.7, 0.0)]
    first = min(starts, key=lambda at: loss(at)[0])
    bounds = [(-4.0, 2.0)] + [(-2.0, 2.0)] * len(prior)
    found = minimize(loss, first, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 20}).x
    return _raked(_softmax(base + odds * np.exp(found[0] + found[1:])), prior)


def _raked(beliefs: Floats, prior: Floats) -> Floats:
    for _ in range(4):
        beliefs = beliefs * (prior / np.maximum(beliefs.mean(axis=0), _LEAST))
        beliefs /= beliefs.sum(axis=1, keepdims=True)
    return beliefs


def _likelihood(beliefs: Floats, likely: Floats) -> float:
    return float(np.log(np.maximum((beliefs * likely).sum(axis=1), 1e-30)).sum())


def align(source: Table, published: Table) -> tuple[Table, Table]:
    """Return both tables with common labels in every column of `published`, equal labels with equal codes.

    Labels are matched by text; the source must be spelled as the release is. Raises UnknownColumn.
    """
    pairs = [_aligned(source[column.name], column) for column in published.columns]
    return Table(tuple(ours for ours, _ in pairs)), Table(tuple(theirs for _, theirs in pairs))


def _aligned(ours: Column, theirs: Column) -> tuple[Column, Column]:
    known = {label: code for code, label in enumerate(theirs.labels.tolist())}
    new = np.array([known.setdefault(label, len(known)) for label in ours.labels.tolist()], np.int32)
    labels = np.array(list(known), dtype=object)
    missing = np.zeros(len(labels), bool)
    missing[: theirs.m] = theirs.missing
    missing[new] |= ours.missing
    one = Column(theirs.name, ours.kind, new[ours.codes].astype(np.int32, copy=False), labels, missing)
    return one, Column(theirs.name, theirs.kind, theirs.codes, labels.copy(), missing.copy())
