"""Questions to a published table: counts with honest error bars, from the release alone (mechanism.md section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core import reconstruct
from splu_desktop.core.condition import Condition, UnknownValue, parse_choice, parse_condition, unknown_column
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.progress import Progress, Silent
from splu_desktop.core.published import Published
from splu_desktop.core.reconstruct import DEFAULT, NORMAL_95, Method, Rows
from splu_desktop.core.reconstruct_several import Further, set_variance
from splu_desktop.core.selection import Picked, Selector
from splu_desktop.core.table import Flags
from splu_desktop.core.transition import Floats, Transition

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
_CELLS = 1_000_000  # of one batch of (selections, values)
_RELIABLE = 0.5  # half width of the interval, relative to the estimate, up to which a count is called reliable


class Badge(Enum):
    """How far a figure may be trusted."""

    EXACT = "exact"
    PROTECTED = "protected"
    UNCERTAIN = "uncertain"
    RELIABLE = "reliable"


@dataclass(frozen=True)
class Answer:
    """One count from a release.

    Attributes
    ----------
    conditions : the question.
    published : records of the published table that meet it.
    estimate, low, high : of the true count, with the ends of the 95 % interval, records, not rounded.
    method : the estimator.
    n_p : records that meet the conditions on NSAs, exact in both tables.
    variance : of the unbiased estimate; 0 where the count is exact, None where the release tells nothing about it.
    small : the largest count that the custodian calls small (alpha).
    vanished : whether the question names a sensitive value that no published record shows.
    """

    conditions: tuple[Condition, ...]
    published: int
    estimate: float
    low: float
    high: float
    method: Method
    n_p: int
    variance: float | None
    small: int
    vanished: bool = False

    @property
    def exact(self) -> bool:
        """Whether the question names no SA, so that the published count is the true one."""
        return self.variance == 0.0

    @property
    def share(self) -> tuple[float, float, float] | None:
        """Estimate and interval as shares of N_P, None where no record is selected."""
        if self.n_p == 0:
            return None
        return self.estimate / self.n_p, self.low / self.n_p, self.high / self.n_p

    @property
    def relative(self) -> float | None:
        """The longer arm of the interval over the estimate, None where the estimate is 0."""
        if self.estimate <= 0:
            return None
        return max(self.high - self.estimate, self.estimate - self.low, 0.0) / self.estimate

    @property
    def badge(self) -> Badge:
        """How far to trust the figure: protected where a small count can't be told from it."""
        if self.exact:
            return Badge.EXACT
        if self.low <= self.small:
            return Badge.PROTECTED
        return Badge.RELIABLE if self.relative is not None and self.relative <= _RELIABLE else Badge.UNCERTAIN

    @property
    def badge_text(self) -> str:
        """The badge in words."""
        badge = self.badge
        if badge is Badge.EXACT:
            return "exact: these columns are published unchanged"
        if badge is Badge.PROTECTED:
            return "protected: this count is small, the figure is deliberately unreliable"
        if badge is Badge.UNCERTAIN or self.relative is None:
            return "uncertain"
        return f"reliable to ±{max(1, int(np.ceil(100 * self.relative)))} %"

    @property
    def shown(self) -> str:
        """The figure for people: no more digits than the interval supports, none but the range for a small count."""
        if self.exact:
            return f"{self.published:,}"
        low, high = max(0, int(np.floor(self.low))), int(np.ceil(self.high))
        if self.badge is Badge.PROTECTED:
            return f"{low:,} to {high:,}"
        # The last digit shown stands for no less than a tenth of the interval.
        step = 10 ** max(0, int(np.floor(np.log10(max(self.high - self.low, 1.0)))) - 1)
        return f"about {round(self.estimate / step) * step:,}"


def sentence(conditions: Sequence[Condition]) -> str:
    """Return the question in words."""
    return "How many records" + (
        f": {'; '.join(condition.words() for condition in conditions)}?" if conditions else " are there?"
    )


_Key = tuple[tuple[Picked, ...], tuple[tuple[str, bytes], ...]]  # NSA part, conditions on SAs after the first


@dataclass(frozen=True)
class _Question:
    conditions: tuple[Condition, ...]
    picked: tuple[Picked, ...]  # NSA part
    chosen: tuple[tuple[str, Flags], ...]  # SA part, sets of values
    vanished: tuple[str, ...] = ()  # SAs with a value named that no published record shows
    barren: str = ""  # the SA of which no value named is left


class Reader:
    """Answers questions from a release. Keeps what questions have in common, so one reader should live long.

    Not for use by two threads at once.
    """

    def __init__(self, published: Published) -> None:
        self.published = published
        self._selector = Selector(published.table)
        self._transitions: dict[str, Transition] = {}
        self._codes: dict[str, NDArray[np.intp]] = {}

    def transition(self, sa: str) -> Transition:
        """Return how the draw carried the true values of an SA to the published ones."""
        if sa not in self._transitions:
            self._transitions[sa] = Transition.of(self.published, sa)
        return self._transitions[sa]

    def signal(self, sa: str) -> Floats:
        """Return (m,) the signal left on each value relative to a: 1 all, 0 none (mechanism.md section 4)."""
        through = self.transition(sa)
        return through.signal / through.a

    def answer(self, conditions: Iterable[Condition], method: Method = DEFAULT) -> Answer:
        """Answer one question. Raises BadQuestion."""
        return self.answers([conditions], method)[0]

    def answers(
        self,
        questions: Iterable[Iterable[Condition]],
        method: Method = DEFAULT,
        progress: Progress | None = None,
        *,
        vanished: bool = False,
    ) -> list[Answer]:
        """Answer many questions, in order.

        With `vanished`, a sensitive value that no published record shows is no fault: nobody publishing it is what is
        known about it, and the answer says how many records may have had it. Raises BadQuestion; Cancelled.
        """
        progress = progress or Silent()
        asked = [self._resolve(tuple(question), vanished=vanished) for question in questions]
        result: list[Answer | None] = [None] * len(asked)
        # Questions with the same NSA part and the same first SA share their counts; those with further SAs need weights.
        batches: dict[tuple[str, bool], dict[_Key, list[int]]] = {}
        for place, question in enumerate(asked):
            if question.barren:
                result[place] = self._barren(question, method)
                continue
            base = question.chosen[0][0] if question.chosen else ""
            key = question.picked, tuple((sa, chosen.tobytes()) for sa, chosen in question.chosen[1:])
            batches.setdefault((base, len(question.chosen) > 1), {}).setdefault(key, []).append(place)
        done = 0
        for (base, _), selections in batches.items():
            room = max(1, _CELLS // (self.published.table[base].m if base else 1))
            keys = list(selections)
            for start in range(0, len(keys), room):
                progress.report("Counting", done / max(1, len(asked)))
                part = keys[start : start + room]
                places = [selections[key] for key in part]
                for place, answer in self._batch(base, asked, places, method):
                    result[place] = answer
                done += sum(map(len, places))
        progress.report("Counting", 1.0)
        return [answer for answer in result if answer is not None]

    def _resolve(self, conditions: tuple[Condition, ...], *, vanished: bool) -> _Question:
        """Turn conditions into sets of labels, those on one column intersected. Raises BadQuestion."""
        table = self.published.table
        chosen: dict[str, Flags] = {}
        lost: list[str] = []
        for condition in conditions:
            if condition.column not in table:
                raise BadQuestion(unknown_column(condition.column, self.published))
            sensitive = condition.column in self.published.gammas
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
                        f"The conditions on “{condition.column}” contradict each other: no value meets them all."
                    )
            chosen[condition.column] = labels
        # A condition that every label meets selects everything.
        chosen = {name: labels for name, labels in chosen.items() if not labels.all()}
        nsas = sorted(name for name in chosen if name not in self.published.gammas)
        sas = [name for name in self.published.sensitive if name in chosen]
        return _Question(
            conditions,
            tuple((name, chosen[name].tobytes()) for name in nsas),
            tuple((name, chosen[name]) for name in sas),
            tuple(lost),
            next((name for name in sas if not chosen[name].any()), ""),
        )

    def _barren(self, question: _Question, method: Method) -> Answer:
        """Answer for a value that nobody publishes: 0, and at most as many as stay unseen in 1 of 40 releases.

        Each record of the value has gamma members in its group, none of which drew it:
        (1 - 1/gamma)^(gamma f) >= 0.025.
        """
        records = self._selector.records(question.picked)
        n_p = self.published.n if records is None else len(records)
        gamma = self.published.gammas[question.barren]
        top = float(np.log(_TAIL) / (gamma * np.log1p(-1 / gamma)))
        return self._made(question, 0, 0.0, (0.0, min(top, n_p)), n_p, np.inf, method)

    def _batch(
        self, base: str, asked: Sequence[_Question], places: Sequence[Sequence[int]], method: Method
    ) -> Iterable[tuple[int, Answer]]:
        """Answer the questions at `places`, one list per selection, all with the same first SA."""
        if not base:
            for group in places:
                records = self._selector.records(asked[group[0]].picked)
                count = self.published.n if records is None else len(records)
                for place in group:
                    yield place, self._made(asked[place], count, count, (count, count), count, 0.0, method)
            return
        through = self.transition(base)
        rows, n_p, further = self._count(base, [asked[group[0]] for group in places])
        x = reconstruct.unbiased(rows, through)
        var = reconstruct.variance(rows, x, through)
        by_value: Floats | None = x
        if method is Method.SHRUNK:
            by_value = reconstruct.shrink(rows, x, var, through)
        elif method is not Method.UNBIASED:
            made = reconstruct.bayes_by_value if method is Method.BAYES else reconstruct.as_published_by_value
            by_value = None if rows.weighted else made(rows, through)
        for row, group in enumerate(places):
            more, top = further[row], int(n_p[row])
            published = rows.y[row] if more is None else more.published
            for place in group:
                chosen = dict(asked[place].chosen)[base]
                codes = np.flatnonzero(chosen)
                if by_value is not None:
                    estimate = float(by_value[row, codes].sum())
                else:
                    assert more is not None
                    estimate = more.by_states(chosen, through, method)
                if method is not Method.UNBIASED:
                    estimate = min(max(estimate, 0.0), top)
                centre = float(x[row, codes].sum())
                if not through.readable[codes].all() or (more is not None and not more.readable):
                    spread = np.inf
                elif len(codes) == 1:
                    spread = float(var[row, codes[0]])
                else:
                    spread = set_variance(rows.y[row], float(rows.total[row]), x[row], codes, through)
                if more is not None:
                    spread += more.coupling(centre, codes, through)
                ends = _interval(centre, spread, top)
                yield place, self._made(asked[place], int(published[codes].sum()), estimate, ends, top, spread, method)

    def _count(
        self, base: str, selections: Sequence[_Question]
    ) -> tuple[Rows, NDArray[np.int64], list[Further | None]]:
        """Count the values of the first SA in each selection; with weights where it has conditions on further SAs."""
        m = self.published.table[base].m
        y, squares = np.zeros((len(selections), m)), np.zeros((len(selections), m))
        n_p = np.zeros(len(selections), np.int64)
        further: list[Further | None] = []
        for row, question in enumerate(selections):
            records = self._selector.records(question.picked)
            codes = self._at(base, records)
            n_p[row] = len(codes)
            others = question.chosen[1:]
            if not others:
                y[row] = np.bincount(codes, minlength=m)
                further.append(None)
                continue
            more = Further(
                [chosen for _, chosen in others],
                [self.transition(sa) for sa, _ in others],
                [self._at(sa, records) for sa, _ in others],
                codes,
                m,
            )
            y[row] = np.bincount(codes, more.weights, m)
            squares[row] = np.bincount(codes, more.weights**2, m)
            further.append(more)
        return Rows(y, squares, y.sum(axis=1), any(more is not None for more in further)), n_p, further

    def _at(self, sa: str, records: NDArray[np.intp] | None) -> NDArray[np.intp]:
        """Return the codes of an SA at some records, ready for counting."""
        if sa not in self._codes:
            self._codes[sa] = self.published.table[sa].codes.astype(np.intp)
        return self._codes[sa] if records is None else self._codes[sa][records]

    def _made(
        self,
        question: _Question,
        published: int,
        estimate: float,
        ends: tuple[float, float],
        n_p: int,
        spread: float,
        method: Method,
    ) -> Answer:
        return Answer(
            conditions=question.conditions,
            published=published,
            estimate=float(estimate),
            low=float(ends[0]),
            high=float(ends[1]),
            method=method,
            n_p=n_p,
            variance=float(spread) if np.isfinite(spread) else None,
            small=self.published.thresholds.alpha,
            vanished=bool(question.vanished),
        )


def _interval(centre: float, spread: float, top: float) -> tuple[float, float]:
    """Return the 95 % interval of a count between 0 and N_P."""
    if not np.isfinite(spread):
        return 0.0, top
    arm = NORMAL_95 * float(np.sqrt(spread))
    return min(max(centre - arm, 0.0), top), min(max(centre + arm, 0.0), top)
