"""Questions to a published table: counts with honest error bars, from the release alone (mechanism.md section 4)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.estimate import DEFAULT, Method
from splu_desktop.core.guarantees import public_figures
from splu_desktop.core.progress import SILENT, Progress, ProgressPart
from splu_desktop.core.published import Published
from splu_desktop.core.query import straight as by_one_rule
from splu_desktop.core.query.answer import Answer, Badge, sentence
from splu_desktop.core.query.bootstrap import bootstrapped
from splu_desktop.core.query.condition import Condition, UnknownValue, parse_choice, parse_condition, unknown_column
from splu_desktop.core.query.engine import Engine, Found, Question
from splu_desktop.core.query.several_sas import Several
from splu_desktop.core.rationals import as_fraction
from splu_desktop.core.table import Flags, Picked
from splu_desktop.core.transition.two_numbers import Floats

__all__ = [
    "DEFAULT",
    "Answer",
    "Badge",
    "Condition",
    "Method",
    "Reader",
    "UnknownValue",
    "parse_choice",
    "parse_condition",
    "sentence",
    "unknown_column",
]

_TAIL = 0.025  # of a 95 % interval, on either side
_REPORT_EVERY = 50
_CELLS = 250_000  # of one batch of (selections, values)


class Reader:
    """Answers questions from a release. Keeps what questions have in common, so one reader should live long.

    Not for use by two threads at once. `engine` counts where not the release's own records are to be counted.
    """

    def __init__(self, published: Published, engine: Engine | None = None) -> None:
        self.published = published
        self._engine = engine or Engine(published)
        self._several = Several(self._engine)
        self._totals: dict[tuple[str, bytes, bool], tuple[float, float]] = {}
        self._ranges: dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}
        self._shares: dict[str, Floats] = {}

    def signal(self, sa: str) -> Floats:
        """Return (m,) the signal left on each value relative to a: 1 all, 0 none (mechanism.md section 4)."""
        through = self._engine.two_numbers(sa) or self._engine.matrix(sa)
        return np.asarray(through.signal / through.a, np.float64)

    @property
    def engine(self) -> Engine:
        """What single counts are computed by; analyses ask it for transitions."""
        return self._engine

    def answer(
        self,
        conditions: Iterable[Condition],
        method: Method = DEFAULT,
        progress: Progress = SILENT,
        *,
        bootstrap: bool | None = False,
    ) -> Answer:
        """Answer one question (see `answers`). Raises BadQuestion; Cancelled."""
        return self.answers([conditions], method, progress, bootstrap=bootstrap)[0]

    def answers(
        self,
        questions: Iterable[Iterable[Condition]],
        method: Method = DEFAULT,
        progress: Progress = SILENT,
        *,
        vanished: bool = False,
        bootstrap: bool | None = False,
    ) -> list[Answer]:
        """Answer many questions, in order.

        Intervals are those of theory; with `bootstrap` the draw is repeated on paper for them, a tenth of a second
        each: for all where True, where None for those on which theory gives out (`Answer.doubtful`).

        With `vanished`, a sensitive value that no published record shows is no fault: nobody publishing it is what is
        known about it, and the answer says how many records may have had it. Raises BadQuestion; Cancelled.
        """
        listed = [tuple(question) for question in questions]
        asked = [self._resolve(question, vanished=vanished) for question in listed]
        found: list[Found | None] = [None] * len(asked)
        batches: dict[str, dict[tuple[Picked, ...], list[int]]] = {}  # by SA, by selection
        together: dict[tuple[tuple[str, bytes], ...], list[int]] = {}  # by conditions on SAs
        done = 0
        for place, (question, _) in enumerate(asked):
            if any(not chosen.any() for _, chosen in question.chosen):
                found[place] = self._barren(question)
            elif not question.chosen:
                found[place] = self._whole((each.column for each in listed[place]), self._selected(question))
            elif any(len(block) > 1 for block in self._engine.blocks(question)):
                key = tuple((sa, chosen.tobytes()) for sa, chosen in question.chosen)
                together.setdefault(key, []).append(place)
                continue
            elif len(question.chosen) > 1:
                found[place] = self._settled(question, self._several.answer(question, method), method)
            else:
                batches.setdefault(question.chosen[0][0], {}).setdefault(question.picked, []).append(place)
                continue
            done += 1
            if done % _REPORT_EVERY == 0:
                progress.report("Counting", done / len(asked))
        for same in together.values():
            progress.report("Counting", done / len(asked))
            answers = self._drawn_together([asked[place][0] for place in same], method)
            for place, numbers in zip(same, answers, strict=True):  # at once, while the block's states are known
                found[place] = self._settled(asked[place][0], numbers, method)
            done += len(same)
        for base, selections in batches.items():
            keys = list(selections)
            room = max(1, _CELLS // self.published.table[base].m)
            for start in range(0, len(keys), room):
                progress.report("Counting", done / len(asked))
                part = keys[start : start + room]
                places = [(row, place) for row, key in enumerate(part) for place in selections[key]]
                wanted = [(row, asked[place][0].chosen[0][1]) for row, place in places]
                for (_, place), numbers in zip(places, self._engine.one_sa(base, part, wanted, method), strict=True):
                    found[place] = self._settled(asked[place][0], numbers, method)
                done += len(places)
        progress.report("Counting", 1.0)
        if bootstrap is not False:
            self._bootstrap(asked, found, progress, every=bootstrap is True)
        self._learn_totals(
            [
                (sa, chosen)
                for (question, lost), numbers in zip(asked, found, strict=True)
                if numbers is not None and not lost
                for sa, chosen in question.chosen
                if self._reaches_beyond(sa, chosen, numbers)
            ],
            straight=method.straight,
        )
        return [
            self._answer(
                conditions,
                numbers,
                method,
                lost,
                self._ends_of_all(question, numbers, lost, straight=method.straight),
                self._told(question, numbers),
                self._expected(question, numbers),
            )
            for (question, lost), conditions, numbers in zip(asked, listed, found, strict=True)
            if numbers is not None
        ]

    def _drawn_together(self, questions: Sequence[Question], method: Method) -> list[Found]:
        """Answer questions with the same conditions on SAs, some of which are drawn together."""
        told = [self._engine.told_together(question) for question in questions]
        chosen = told[0].chosen
        if any(not flags.any() for _, flags in chosen):
            return [self._barren(question) for question in questions]
        if len(chosen) > 1:
            return [self._several.answer(question, method) for question in told]
        ((base, flags),) = chosen
        if flags.all():  # every record is published with all of them
            columns = [sa for sa, _ in questions[0].chosen]
            return [self._whole(columns, self._selected(question)) for question in questions]
        picked = list(dict.fromkeys(question.picked for question in told))
        asked = [(picked.index(question.picked), flags) for question in told]
        return self._engine.one_sa(base, picked, asked, method)

    def _bootstrap(
        self, asked: Sequence[tuple[Question, bool]], found: list[Found | None], progress: Progress, *, every: bool
    ) -> None:
        """Put intervals from repetitions of the draw in the place of those by theory."""
        places = [
            place
            for place, numbers in enumerate(found)
            if numbers is not None
            and (every or numbers.doubtful)
            and asked[place][0].chosen
            and all(chosen.any() for _, chosen in asked[place][0].chosen)
        ]
        for done, place in enumerate(places):
            numbers = found[place]
            assert numbers is not None
            part = ProgressPart(progress, done / len(places), 1 / len(places))
            question = self._engine.told_together(asked[place][0])
            found[place] = bootstrapped(self._engine, self._several, question, numbers, part)

    def cells(
        self,
        selections: Sequence[Sequence[Condition]],
        sa: str,
        progress: Progress = SILENT,
        method: Method = DEFAULT,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats, Floats, Floats, Floats]:
        """Answer for every value of one SA in many selections (see `crosstab.table`).

        Returns (Q, m) published counts, (Q,) records selected, (Q, m) estimates, lower and upper ends of the 95 %
        intervals, and variances, inf where the release tells nothing. Raises BadQuestion; Cancelled.
        """
        if not self.published.is_sensitive(sa):
            raise BadQuestion("“{sa}” is not a sensitive column of this release.", sa=sa)
        picked, told = [], False
        for conditions in selections:
            question, _ = self._resolve(tuple(conditions), vanished=False)
            if not {name for name, _ in question.chosen} <= set(self.published.draws[sa].block(sa)) - {sa}:
                raise BadQuestion("The lines of a cross-table may only name columns that are not sensitive.")
            told |= bool(question.chosen)
            picked.append(question.picked)
        if told or method is not DEFAULT:
            return self._cells_asked(selections, sa, progress, method)
        room = self._room([sa])
        if self.published.table[sa].m == 1:  # all others have vanished
            count = np.array([[self._selected(Question(key, ()))] for key in picked], np.int64).reshape(-1, 1)
            most = count.astype(np.float64)
            return count, count[:, 0], most, np.maximum(most - room, 0.0), most, np.full(most.shape, np.inf)
        step = max(1, _CELLS // self.published.table[sa].m)
        parts = []
        for start in range(0, len(picked), step):
            progress.report("Counting", start / len(picked))
            parts.append(self._engine.cells(sa, picked[start : start + step]))
        published, selected, estimate, low, high, variance = (
            np.concatenate([part[at] for part in parts]) for at in range(6)
        )
        of_all, total = (ends[0] for ends in self._engine.cells(sa, [()])[3:5])
        high = np.minimum(high, np.maximum(np.maximum(total, self.unseen(sa)), self.published.counts(sa)))
        least = np.minimum(np.maximum(selected[:, None] - room, 0.0), of_all)  # see `_ends_of_all`
        low, estimate = np.minimum(np.minimum(low, high), least), np.minimum(estimate, high)
        return published.astype(np.int64), selected.astype(np.int64), estimate, low, high, variance

    def _cells_asked(
        self, selections: Sequence[Sequence[Condition]], sa: str, progress: Progress, method: Method
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats, Floats, Floats, Floats]:
        """Return the same by a question for each cell, by any estimator.

        Records selected by columns drawn together with the SA are estimates.
        """
        labels = [str(label) for label in self.published.table[sa].labels]
        lines = self.answers(selections)
        cells = self.answers(
            [(*conditions, Condition(sa, (label,))) for conditions in selections for label in labels], method, progress
        )
        shape = len(lines), len(labels)
        found = np.array(
            [(c.published, c.estimate, c.low, c.high, np.inf if c.variance is None else c.variance) for c in cells]
        )
        published, estimate, low, high, variance = (found[:, at].reshape(shape) for at in range(5))
        selected = np.array([round(line.estimate) for line in lines], np.int64)
        return published.astype(np.int64), selected, estimate, low, high, variance

    def _resolve(self, conditions: tuple[Condition, ...], *, vanished: bool) -> tuple[Question, bool]:
        """Turn conditions into sets of labels, those on one column intersected. Raises BadQuestion."""
        table = self.published.table
        chosen: dict[str, Flags] = {}
        lost: list[str] = []
        for condition in conditions:
            if condition.column not in table:
                raise BadQuestion(unknown_column(condition.column, self.published))
            sensitive = self.published.is_sensitive(condition.column)
            try:
                labels = condition.select(table[condition.column], sensitive=sensitive)
            except UnknownValue:
                if not (vanished and sensitive):
                    raise
                labels = condition.select_known(table[condition.column])
                lost.append(condition.column)
            if condition.column in chosen:
                labels = labels & chosen[condition.column]
                if not labels.any() and condition.column not in lost:
                    raise BadQuestion(
                        "The conditions on “{column}” contradict each other: no value meets them all; write a|b "
                        "for either of two.",
                        column=condition.column,
                    )
            chosen[condition.column] = labels
        # A condition that every label meets selects everything.
        chosen = {name: labels for name, labels in chosen.items() if not labels.all()}
        nsas = sorted(name for name in chosen if not self.published.is_sensitive(name))
        sas = [name for name in self.published.sensitive if name in chosen]
        question = Question(
            tuple((name, chosen[name].tobytes()) for name in nsas), tuple((name, chosen[name]) for name in sas)
        )
        return question, bool(lost)

    def _whole(self, columns: Iterable[str], count: int) -> Found:
        """Answer for a selection that no sensitive column narrows: exact, unless one is named, which may lack values.

        All values that the release shows are not all that there were.
        """
        room = self._room(columns)
        return Found(count, float(count), max(count - room, 0.0), float(count), count, np.inf if room else 0.0)

    def _selected(self, question: Question) -> int:
        return self._engine.selector.number(question.picked)

    def _barren(self, question: Question) -> Found:
        """Answer for a value that nobody publishes: 0, and at most as many as stay unseen in 1 of 40 releases.

        Each record of the value has gamma members in its group, none of which drew it:
        (1 - 1/gamma)^(gamma f) >= 0.025.
        """
        sa = next((name for name, chosen in question.chosen if not chosen.any()), question.chosen[0][0])
        n_p = self._selected(question)
        top = self.unseen(sa)
        return Found(0, 0.0, 0.0, min(top, n_p), n_p, np.inf if top else 0.0)

    def unseen(self, sa: str) -> float:
        """Return how many records of one value may exist though nobody publishes it, as 1 of 40 releases show it."""
        return self.published.draws[sa].unseen(_TAIL)

    def _room(self, columns: Iterable[str]) -> float:
        """Return how many records may have values, of any of these columns, that the release does not show.

        Records of several values vanish all at once no more often than as many of one value.
        """
        return sum(self.unseen(name) for name in set(columns) if self.published.is_sensitive(name))

    def most(self, sa: str) -> float:
        """Return the most records that one value of an SA can have, as its draw allows."""
        return self.published.draws[sa].most(self.published.n)

    def _settled(self, question: Question, numbers: Found, method: Method) -> Found:
        """Return the numbers with the interval that their method has."""
        return self._straight(question, numbers) if method.straight and numbers.variance != 0 else numbers

    def _straight(self, question: Question, found: Found) -> Found:
        """Return an answer with the interval that the recipient's kit gives."""
        if not question.chosen or not all(flags.any() for _, flags in question.chosen):
            return found
        chosen = {name: np.frombuffer(flags, bool) for name, flags in question.picked} | dict(question.chosen)
        low, high, variance = by_one_rule.ends(self._engine, chosen)
        return replace(found, low=low, high=high, variance=variance, doubtful=False)

    def _ends_of_all(self, question: Question, found: Found, lost: bool, *, straight: bool) -> tuple[float, float]:
        """Return what neither end of a question's interval exceeds: the ends of how many have its values at all.

        Of all bearers of a value, the upper end falls short wherever either of the two upper ends does. With the lower
        end cut alike, it is too high only where both are, and both together miss as often as one of the intervals.
        That is asked only where the answer reaches beyond the published count of the whole table; N where some values
        are not known.
        """
        least = most = float(self.published.n)
        if lost:
            return least, most
        for sa, chosen in question.chosen:
            most = min(most, float(chosen.sum()) * self.most(sa))
            if self._reaches_beyond(sa, chosen, found):
                low, high = self._totals[sa, chosen.tobytes(), straight]
                least, most = min(least, low), min(most, high)
        return least, most

    def _reaches_beyond(self, sa: str, chosen: Flags, found: Found) -> bool:
        return bool(chosen.any()) and max(found.high, found.estimate) > self.published.counts(sa)[chosen].sum()

    def _told(self, question: Question, found: Found) -> bool:
        """Return whether public figures alone tell the count of one SA's values to within epsilon."""
        if len(question.chosen) != 1:
            return False
        ((sa, chosen),) = question.chosen
        ends = public_figures.of_cell(*self._range(sa), chosen, self.published.n, found.n_p)
        return bool(public_figures.tell(*ends, as_fraction(self.published.thresholds.epsilon)))

    def _expected(self, question: Question, found: Found) -> float:
        """Return the count that the margins let expect (`Answer.expected`)."""
        return math.prod((float(self.shares(sa)[flags].sum()) for sa, flags in question.chosen), start=found.n_p)

    def shares(self, sa: str) -> Floats:
        """Return (m,) the share of all records that each value of an SA is estimated to have."""
        if sa not in self._shares:
            self._shares[sa] = self.published.likely(sa) / self.published.n
        return self._shares[sa]

    def _range(self, sa: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if sa not in self._ranges:
            self._ranges[sa] = self.published.ranges(sa)
        return self._ranges[sa]

    def told(self, sa: str, selected: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return (Q, m) whether public figures alone tell the count of each value among so many selected records."""
        least, most = self._range(sa)
        low = np.maximum(least - (self.published.n - selected[:, None]), 0)
        high = np.minimum(most, selected[:, None])
        return np.asarray(public_figures.tell(low, high, as_fraction(self.published.thresholds.epsilon)), bool)

    def _learn_totals(self, asked: Iterable[tuple[str, Flags]], *, straight: bool) -> None:
        """Keep the ends of how many records of the whole table have values of an SA."""
        new: dict[str, dict[bytes, Flags]] = {}
        for sa, chosen in asked:
            if (sa, key := chosen.tobytes(), straight) not in self._totals:
                new.setdefault(sa, {})[key] = chosen
        for sa, sets in new.items():
            found = self._engine.one_sa(sa, [()], [(0, chosen) for chosen in sets.values()], Method.UNBIASED)
            for (key, chosen), numbers in zip(sets.items(), found, strict=True):
                known = self._straight(Question((), ((sa, chosen),)), numbers) if straight else numbers
                self._totals[sa, key, straight] = known.low, max(known.high, self.unseen(sa), float(known.published))

    def _answer(
        self,
        conditions: tuple[Condition, ...],
        found: Found,
        method: Method,
        lost: bool,
        of_all: tuple[float, float],
        told: bool,
        expected: float,
    ) -> Answer:
        # A biased estimator may miss the interval, which is that of the draw alone; an estimate outside its own
        # interval helps nobody, and a wider interval covers no less.
        fewest, most = of_all
        estimate = found.estimate if method is Method.UNBIASED else min(found.estimate, max(most, 0.0))
        # Nor is any count of a sensitive value known to be 0: a few records never stand out.
        asked = {condition.column for condition in conditions}
        unseen = max((self.unseen(name) for name in self.published.sensitive if name in asked), default=0.0)
        room = 0.0 if found.variance == 0 else min(unseen, float(found.n_p))
        # Nor that all selected have it: others may have values that vanished.
        least = max(found.n_p - self._room(asked), 0.0)
        return Answer(
            conditions=conditions,
            published=found.published,
            estimate=estimate,
            low=min(found.low, estimate, least, fewest),
            high=max(min(found.high, most), estimate, room),
            method=method,
            n_p=found.n_p,
            variance=found.variance if np.isfinite(found.variance) else None,
            small=self.published.thresholds.alpha,
            expected=expected,
            vanished=lost,
            doubtful=found.doubtful,
            bootstrapped=found.bootstrapped,
            told=told,
        )
