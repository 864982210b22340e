"""A real attack on one re-drawn column: learn from the release how it goes with the others, then read the row.

The second of the three readers (mechanism.md section 3). What the learners (`core.risk.learners`) are taught is the
release alone; they know the draw, T[v, u] = Pr(shown u | true v), as everybody does who holds release.json.

Without the source the share of right guesses is that which the best learner believes of them (`attack`). With it
(`judged`), records are found by their NSAs; of records that agree in all of those nobody knows which is which, and
the chances of each are those of the draw given the class's true values, which leaves the expectation exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from splu_desktop.core.draw.by_person import NUMBER
from splu_desktop.core.guarantees.attackers import Attack, Figures
from splu_desktop.core.progress import SILENT, Progress, Silent
from splu_desktop.core.published import Published
from splu_desktop.core.risk.channel import LEAST, Channel
from splu_desktop.core.risk.classes import classes_of
from splu_desktop.core.risk.learners import ANY, FOLDS, Learned, learn, likelihood, raked, softmax
from splu_desktop.core.table import Column, Table, unique
from splu_desktop.frozen import dataclass

BETRAYED = 0.05  # a row is known to be re-drawn where its value is the person's own with no more than this
_COLUMNS = 8  # attacked with all the work there is; more share it, so shares of 28 are known to 0.4 points
_MADE, _TIMES = 5_000, 4  # records of made tables, and how many of them
_UNTAUGHT = ("margins", "row")  # attackers that know shares and the draw, and learn nothing
_CHANCE = 0.01  # least margin told of a figure that but for the draw's chance is exact
_KNOWN = (0.0, 0.8, 0.95)  # certainties from which on rows are counted
_POWERS, _DROP = (0.15, 0.25, 0.4, 0.6, 0.8, 0.9, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 8.0), 2.0  # of odds; of log-likelihood
_UNFOUND = (0.02, 0.05, 0.05)  # standard deviation of what made tables don't show, by measurement
_FAINT = 0.5  # of shares, and of what is believed beyond them, at most

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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
    learned = learn(table, published.knowable, table[sa].codes, channel, part, progress)
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


def _tried(learned: Learned, channel: Channel, u: Ints) -> tuple[list[Guesses], list[Floats], Floats]:
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
        known, usual = max(_mean(here), LEAST), _mean(here & (said.guess == top))
        found.append((max(usual - rest, 0.0) / known, min(usual + min(known - usual, rest), known) / known))
    return found


def _ranged(
    nsas: Table,
    learned: Learned,
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
    the eligibility limit, whose structure can't be found (`faint`), so that guesses of others are right more often by
    up to the share that such a value takes of what is believed, and guesses of it less often by half of what is
    believed beyond its share.
    """
    alike = channel.alike
    figures = tuple(_chanced(_figures(*each), channel) for each in zip(guesses, believed, strict=True))
    some = unique(np.linspace(0, len(u) - 1, max(min(len(u), _MADE) // alike, 1)).astype(np.int64))
    if not learned.columns or len(channel.shown) < 2 or len(some) < 2 * FOLDS:
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
        own = np.maximum(best[rows, group], LEAST)
        hidden = np.minimum(best @ faint - own * faint[group], _FAINT)
        doubted = _FAINT * faint[group] * np.maximum(1 - channel.prior[group] / own, 0.0)
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
                rows_known = int(np.count_nonzero(here))
                few = (right * rows_known + 1) / (rows_known + 2)  # of one row all or nothing is right
                few = (few * (1 - few) * alike / rows_known) ** 0.5
                arm = 2 * float(np.linalg.norm((np.std(errors, ddof=1) * share**0.5, unfound, few)))
                low, high = sorted((right, right - share * float(np.mean(errors))))
                low *= _mean(sure[here] * (1 - doubted[here])) / max(right, LEAST)
                high *= _mean(sure[here] / (1 - hidden[here])) / max(right, LEAST)
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
    prior, shown = np.maximum(channel.prior, LEAST), channel.matrix[:, channel.classes[u]].T
    prior = prior / prior.sum()
    odds = np.log(np.maximum(best, 1e-12) / prior)
    tried = []
    for power in _POWERS:
        beliefs = raked(softmax(np.log(prior) + power * odds), prior)
        explained = likelihood(beliefs, shown) * channel.records / len(u) / channel.alike
        tried.append((explained, _sure(beliefs, channel, u, guesses)))
    least = max(explained for explained, _ in tried) - _DROP
    return [sure for explained, sure in tried if explained >= least]


def _strays(nsas: Table, learned: Learned, channel: Channel, u: Ints, some: Ints, part: float) -> dict[str, Floats]:
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
    table, chance = nsas.take(np.repeat(learned.tested[some], alike)), np.random.default_rng(ANY)
    off: dict[str, list[list[float]]] = {}
    for _ in range(_TIMES):
        true = (likely[:, :-1] < chance.random((len(some), 1))).sum(axis=1)
        shown = (chances[true, :-1] < chance.random((len(some), 1))).sum(axis=1)
        true, shown = np.repeat(true, alike), np.repeat(shown, alike)
        share = np.bincount(shown if channel.plain else true, minlength=m) / table.n
        drawn = replace(
            channel, classes=np.arange(m), share=share, kept=np.diag(matrix).copy(), shown=matrix, records=table.n
        )
        again = learn(
            table, [name for name in nsas.names if name != NUMBER], shown.astype(np.int32), drawn, part, Silent()
        )
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
    learned = learn(source, nsas, column.codes, channel, _part(columns), progress)
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
    kept = channel.within[shown] * channel.kept[shown] / np.maximum(channel.shown[group, shown], LEAST)
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
        weight = sparse.csr_matrix((mine.data * np.maximum(chance, LEAST), (mine.row, mine.col)), shape=mine.shape)
        sums = np.asarray(weight.sum(axis=1)).ravel()
        return cls(sparse.diags_array(1.0 / np.where(sums > 0, sums, 1.0)) @ weight)

    def chance(self, guess: Ints) -> Floats:
        """Return (K,) the chance that each record's true value is `guess`."""
        picked = sparse.csr_matrix((np.ones(len(guess)), (np.arange(len(guess)), guess)), shape=self.share.shape)
        return np.asarray(self.share.multiply(picked).sum(axis=1), np.float64).ravel()


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
