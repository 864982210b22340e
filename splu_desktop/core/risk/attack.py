"""The measured attack: naive Bayes of row and release, judged on the truth (mechanism.md section 6).

The attacker knows a person's unchanged columns, finds its rows in the release, and reads beside each drawn column all
columns of the *other* blocks that the rows show; those of the own block were kept or lent with it and tell nothing. Of
a person he also sees which of its rows is the first and the last by each day or number: lent rows come in any order.
What hints tell he learns from the release alone, by scores. A person's rows count as one: all kept or all lent.

    P(v | hints of a row) = pi_c(v) prod over hints x of lift(x, v), made to sum to 1;
    P(kept | all rows) = L/(L + gamma - 1), L the product over rows of P(s | hints)/pi_c(s) of what each shows (law 3);
    certainty of v = P(kept) where it is shown, and P(not kept) P(v | hints).

A guess counts as known where it lies in one of 20 bins of certainty of which 80 % are right, of what the classes alone
do not tell so well. tests/core/test_attack.py holds the figures of the design.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.answer.counts import CountFigures, learn_spread
from splu_desktop.core.distinct import count_pairs
from splu_desktop.core.mechanism import Draw, Randomness, SystemRandomness
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.risk.association import few_labels
from splu_desktop.core.risk.certainty import secret_values
from splu_desktop.core.sanitise import DrawInput, show_rows
from splu_desktop.core.table import Column, unique

Floats = NDArray[np.floating]
Ints = NDArray[np.integer]
Flags = NDArray[np.bool_]

BINS, SURE = 20, 0.8
FEWEST = 10  # guesses of a bin, and bearers of a value, of which anything is said
_BESIDE = 100  # guesses of the same bins that count beside a value's own
_ROWS = 50_000  # judged; all are learned from
_REHEARSALS, _WORK = 16, 20_000_000  # at most, and rows x columns x hints that are learned from
_VALUES, _HINTS = 100, 48  # different values of a target and of a hint; rarer ones are one
_LEAST_LIFT = 0.02
_WEIGHTS = (1.0, 0.75, 0.5, 0.35, 0.25, 0.15, 0.0)  # of all hints together, tried on some rows
_TRIED = 5_000


@dataclass(frozen=True)
class ValueAttack:
    """What the attack finds out of one secret value.

    Attributes
    ----------
    value : the value.
    bearers : persons (rows, where no column names persons) who have it.
    right : share of the right ones among as many persons as have it, those of whom the attacker is surest; by bins of
        all secret values, too, as the guesses of a rare one are too few: the largest of many figures would be chance.
    baseline : the same for who knows the shares of each class alone; `right` is no less, since he may guess so, too.
    known_share : share of the bearers of whom it is known at 80 %, and would not be by the class alone.
    """

    value: str
    bearers: int
    right: float
    baseline: float
    known_share: float


@dataclass(frozen=True)
class ColumnAttack:
    """What the attack finds out of one sensitive column.

    Attributes
    ----------
    column : its name.
    right : share of the rows of which the best guess is right, absence among them; no less than `baseline`.
    baseline : the same for who guesses the commonest value of each class.
    known_share : rows of which the best guess is a secret value known at 80 %, over the rows that have a secret value.
    values : its secret values that enough persons have, the one with the largest gain first.
    """

    column: str
    right: float
    baseline: float
    known_share: float
    values: tuple[ValueAttack, ...]


def attack(
    prepared: DrawInput, plan: Plan, *, randomness: Randomness | None = None, progress: Progress = SILENT
) -> tuple[ColumnAttack, ...]:
    """Return what the attack finds out of each sensitive column, on rehearsed draws. Raises Cancelled."""
    source = randomness or SystemRandomness()
    work = len(prepared.row_class) * len(plan.sensitive) * (len(plan.nsas) + len(plan.sensitive))
    number = int(np.clip(_WORK // max(work, 1), 1, _REHEARSALS))
    setting = _Setting(prepared, number)
    rehearsals = [{block: show_rows(prepared, block, source) for block in plan.blocks} for _ in range(number)]
    # As published: the attacker knows of others what he knows of himself, in the coarser values.
    unchanged = [few_labels(prepared.table[name], _HINTS) for name in plan.nsas]
    if prepared.units.person:  # a kept course is in the order of its days, a lent one in any
        ordered = [name for name in plan.nsas if prepared.source[name].kind.has_order]
        unchanged += [_find_ends(prepared.table[name].codes, prepared.owner) for name in ordered]
    few = {name: few_labels(prepared.table[name], _HINTS) for name in plan.sensitive}
    columns = []
    for done, name in enumerate(plan.sensitive):
        progress.report("Attacking a rehearsed release", done / len(plan.sensitive))
        block = plan.block_of(name)
        column = prepared.table[name]
        target = _Target(setting, column, block.draw)
        for part, shown in enumerate(rehearsals):
            # What was drawn with the target was kept or lent with it, so it would count the same evidence twice.
            drawn = [few[other][shown[each]] for each in plan.blocks if each != block for other in each.columns]
            target.learn(shown[block], [*unchanged, *drawn], np.flatnonzero(setting.part == part))
        columns.append(target.judge(secret_values(column, plan)))
    return tuple(columns)


def _find_ends(codes: Ints, owner: Ints) -> NDArray[np.int64]:
    """Return (N,) 2 for the rows of each person with the least code, 1 with the largest, 3 with both, else 0."""
    least, most = np.full(len(owner), codes.max(initial=0)), np.full(len(owner), -1)
    np.minimum.at(least, owner, codes)
    np.maximum.at(most, owner, codes)
    return np.asarray(2 * (codes == least[owner]) + (codes == most[owner]), np.int64)


class _Setting:
    """Rows, classes and units of a table, and the units that are judged, in so many parts."""

    def __init__(self, prepared: DrawInput, parts: int) -> None:
        self.row_class = prepared.row_class.astype(np.int64)
        self.classes = prepared.classes.number
        self.class_rows = np.maximum(np.bincount(self.row_class, minlength=self.classes), 1)
        # What is kept at once is a unit of the draw; whom it is said of is a person.
        self.drawn, self.persons, self.together = prepared.units.owner, prepared.owner, prepared.units.person
        number = prepared.person_count
        # Whole persons, evenly chosen: a person's rows are judged together or not at all.
        step = max(len(self.row_class) / _ROWS, 1.0)
        chosen = np.zeros(number, bool)
        chosen[(np.arange(int(number / step)) * step).astype(np.int64)] = True
        rows = np.flatnonzero(chosen[self.persons])
        # Rows of a person side by side, so that sums over them are one `reduceat`.
        self.rows = rows[np.argsort(self.persons[rows], kind="stable")]
        _, self.person = np.unique(self.persons[self.rows], return_inverse=True)
        _, self.unit = np.unique(self.drawn[self.rows], return_inverse=True)
        self.number, self.part = int(self.person.max(initial=-1)) + 1, self.person % parts

    def by_class(self, codes: Ints, size: int) -> Floats:
        """Return (C, size) rows of each class with each code."""
        return count_pairs(self.row_class, self.classes, codes, size).astype(float)


class _Target:
    """A sensitive column as it is attacked.

    Attributes
    ----------
    by_hints, by_class : (R, m) certainty of each value for each row judged, by its hints and by its class alone.
    shows : (R,) what it shows.
    """

    def __init__(self, setting: _Setting, column: Column, draw: Draw) -> None:
        self.setting, self.column, self.draw = setting, column, draw
        self.true = few_labels(column, _VALUES, runs=False)
        self.size = int(self.true.max(initial=0)) + 1
        self.by_hints, self.by_class = np.empty((2, len(setting.rows), self.size), np.float32)
        self.shows = np.empty(len(setting.rows), np.int64)

    def learn(self, shown: Ints, hints: Sequence[Ints], part: Ints) -> None:
        """Learn from a rehearsal where each row shows the value of the row `shown` (N,), for some of the rows judged.

        Hints that say the same are counted several times, so that all together get a weight: the one under which the
        shown values are likeliest, which the attacker sees.
        """
        rows = self.setting.rows[part]
        self.shown = self.true[shown]
        # By shown values: the attacker has the release, and shares of classes are right on average in it.
        self.share = self.setting.by_class(self.shown, self.size) / self.setting.class_rows[:, None]
        self.shows[part], self.by_class[part] = self.shown[rows], self.share[self.setting.row_class[rows]]
        prior = np.log(np.maximum(self.by_class[part], 1e-12))
        evidence = np.zeros_like(prior)
        for codes in hints:
            evidence += self.log_lifts(codes)[codes[rows]]
        # Seven weights on all rows would take most of the time; a few thousand tell them apart.
        some = np.arange(0, len(rows), max(len(rows) // _TRIED, 1))
        shows, a = self.shows[part][some], self.draw.retention
        alone = self.by_class[part][some, shows]

        def likelihood(weight: float) -> float:
            believed = _softmax(prior[some] + weight * evidence[some])[np.arange(len(some)), shows]
            # Of what is shown, not of what is true: the attacker has no truth to tune his weight with.
            return float(np.log(np.maximum(a * believed + (1 - a) * alone, 1e-300)).sum())

        self.by_hints[part] = _softmax(prior + np.float32(max(_WEIGHTS, key=likelihood)) * evidence)

    def log_lifts(self, codes: Ints) -> Floats:
        """Return (x, m) log of how much likelier each value is with each hint than in its class, as the release tells.

        The scores' sum over rows with a hint estimates how many have a value; it is drawn towards what the classes let
        expect by how much it scatters, as every count is.
        """
        a, size = self.draw.retention, int(codes.max(initial=0)) + 1
        seen = np.bincount(codes.astype(np.int64) * self.size + self.shown, minlength=size * self.size)
        expected = self.setting.by_class(codes, size).T @ self.share
        estimate = (seen.reshape(size, self.size) - (1 - a) * expected) / a
        # Poisson of what is shown, undone by 1/a: an upper bound that needs no count by class.
        figures = CountFigures(estimate, expected / a**2, np.zeros(1))
        lift = figures.lifts(expected, learn_spread(estimate, figures.level, expected))
        return np.log(np.maximum(lift, _LEAST_LIFT)).astype(np.float32)

    def judge(self, secret: Flags) -> ColumnAttack:
        """Return what the attacker finds out of (m,) values, who knows what was learned and sees what the rows show."""
        setting, rows, by_hints, by_class = self.setting, self.setting.rows, self.by_hints, self.by_class
        shown, true, place = self.shows, self.true[rows], np.arange(len(rows))
        lift = np.log(np.maximum(by_hints[place, shown], 1e-12)) - np.log(np.maximum(by_class[place, shown], 1e-12))
        # One toss decides for all rows of a unit, so what each of them hints at multiplies.
        odds = np.clip(np.bincount(setting.unit, lift), -40, 40)
        kept = (1 / (1 + (self.draw.gamma - 1) * np.exp(-odds)))[setting.unit].astype(np.float32)
        sure = by_hints * (1 - kept)[:, None]
        sure[place, shown] += kept
        best = sure.argmax(axis=1)
        right = best == true
        # Who knows the shares of the classes alone is judged by the same bins: what he knows is not the release's.
        guess = by_class.argmax(axis=1)
        _, alone = _judge_bins(by_class[place, guess], guess == true, np.full(len(rows), True))
        asked = (self._names(secret)[best] >= 0) & ~(alone & (guess == best))
        _, known = _judge_bins(sure[place, best], right, asked)
        bearers = int(secret[self.column.codes[rows]].sum())
        has = np.zeros((setting.number, self.size), bool)
        has[setting.person, true] = True
        # Where each person has one row, a row is the person.
        by_person = sure if setting.number == len(rows) else self._in_any_row(by_hints, sure, kept, shown)
        expected = float((by_class.argmax(axis=1) == true).sum() / max(len(rows), 1))
        return ColumnAttack(
            column=self.column.name,
            right=max(float(right.sum() / max(len(rows), 1)), expected),
            baseline=expected,
            known_share=float(known.sum() / max(bearers, 1)),
            values=tuple(
                sorted(self._judge_values(by_person, has, secret), key=lambda each: each.baseline - each.right)
            ),
        )

    def _names(self, secret: Flags) -> NDArray[np.int64]:
        """Return (m,) the label of each value, -1 where it is not secret or several rare ones are one."""
        pairs = unique(self.true.astype(np.int64) * self.column.m + self.column.codes)
        value, label = np.divmod(pairs, max(self.column.m, 1))
        single = np.full(self.size, -1)
        single[value] = np.where(secret[label] & (np.bincount(value)[value] == 1), label, -1)
        return single

    def _judge_values(self, by_person: Floats, has: Flags, secret: Flags) -> Iterator[ValueAttack]:
        """Give what is found out of each secret value that enough persons have, from (U, m) certainty and truth."""
        names, counts = self._names(secret), has.sum(axis=0)
        asked = np.flatnonzero((names >= 0) & (counts >= FEWEST))
        if not len(asked):
            return
        first = np.flatnonzero(np.r_[True, np.diff(self.setting.person) > 0])
        of = self.setting.row_class[self.setting.rows[first]]
        persons = np.bincount(of, minlength=self.setting.classes)
        by_class = [np.bincount(of, has[:, at], len(persons)) / np.maximum(persons, 1) for at in asked]
        # As many guesses as there are bearers: naming everybody would find all of them and be wrong most of the time.
        who = [np.argpartition(by_person[:, at], -counts[at])[-counts[at] :] for at in asked]
        value, guessed = np.repeat(asked, counts[asked]), np.concatenate(who)
        sure, true = by_person[guessed, value], has[guessed, value]
        new = np.concatenate([share[of[those]] < SURE for share, those in zip(by_class, who, strict=True)])
        judged = true, _judge_bins(sure, true, np.full(len(true), True))[0], _judge_bins(sure, true, new)[1] & true
        ends = np.cumsum(counts[asked])[:-1]
        for at, share, right, shares, known in zip(asked, by_class, *(np.split(e, ends) for e in judged), strict=True):
            number, expected = len(right), _guess_by_class(share, persons, len(right))
            yield ValueAttack(
                value=str(self.column.labels[names[at]]),
                bearers=number,
                right=max(float((right.sum() + _BESIDE * shares.mean()) / (number + _BESIDE)), expected),
                baseline=expected,
                known_share=float(known.sum() / number),
            )

    def _in_any_row(self, by_hints: Floats, sure: Floats, kept: Floats, shown: Ints) -> Floats:
        """Return (U, m) certainty that a person has each value in any row."""
        setting = self.setting
        begins = np.flatnonzero(np.r_[True, np.diff(setting.person) > 0])

        def ever(each: Floats) -> Floats:
            # 1 - prod(1 - p) over a person's rows, in logarithms: hundreds of rows would underflow.
            return np.asarray(1 - np.exp(np.add.reduceat(np.log1p(-np.minimum(each, 1 - 1e-6)), begins, axis=0)))

        if not setting.together:
            return ever(sure)
        shows = np.zeros((setting.number, self.size), bool)
        shows[setting.person, shown] = True
        stays = kept[begins][:, None]
        return np.asarray(stays * shows + (1 - stays) * ever(by_hints))


def _guess_by_class(share: Floats, persons: Ints, number: int) -> float:
    """Return the share of right ones among so many guesses of who knows the share of each class alone."""
    order = np.argsort(-share)
    before = np.cumsum(persons[order]) - persons[order]
    guesses = np.clip(number - before, 0, persons[order])
    return float(guesses @ share[order] / number)


def _judge_bins(sure: Floats, true: Flags, asked: Flags) -> tuple[Floats, Flags]:
    """Return (G,) the share of right guesses in the bin of each, and which are known; of those asked alone."""
    at = np.minimum((sure * BINS).astype(np.int64), BINS - 1)
    everybody, right = np.bincount(at, asked, BINS), np.bincount(at, true & asked, BINS)
    # A bin is believed by how often it was right, not by what naive Bayes says of itself, which is overconfident.
    share = right / np.maximum(everybody, 1)
    return share[at], ((share >= SURE) & (everybody >= FEWEST))[at] & asked


def _softmax(logs: Floats) -> Floats:
    # The largest taken off first: sums of many logarithms would overflow.
    chances = np.exp(logs - logs.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    return np.asarray(chances)
