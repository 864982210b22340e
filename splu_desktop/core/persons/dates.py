"""Dates moved by a random number of days per person, and what of these numbers a release gives back.

Everything that tells a day of a person moves with it or leaves. Marks for an open end or an unknown day ("9999-12-31",
"1900-01-01") become one text, since a moved mark tells its own shift; dates known to a month or year are moved as its
middle and cut to the month or year again, or leave where the shift is too small to hide that. Times of day stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.mechanism import Randomness, below
from splu_desktop.core.messages import say
from splu_desktop.core.table import NO_END, Column, Kind, Table, quantiles, unique

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

OPEN, UNKNOWN = "open", "not known"  # what marks are called in moved columns
WEEK = 7
FEWEST_SHIFTS = 10  # whole weeks are moved where so many are possible; fewer shifts left are told

_FAR = 3_650  # days that part a mark from the dates of a column
_SHARED = 5  # rows that share a mark
_MOST_MARKS = 3  # different ones at either end of a column
_FEWEST_DAYS, _OFTEN, _BEYOND = 10, 5, 0.02  # days of a column; times as often as the next one; rows behind the day
_PERIODS = {  # form, NumPy's unit, days to its middle, least days of a shift that hides it
    "month": (re.compile(r"(\d{4})-(\d{2})"), "M", 14, 62),
    "year": (re.compile(r"(\d{4})"), "Y", 182, 730),
}
_PERSONS, _WORK, _ROUNDS = 2_000, 400_000, 30  # looked at when a shift is recovered
_SURE = 20.0  # nats by which a pattern of weekdays must explain a release better than none


def possible_shifts(days: int) -> Ints:
    """Return (K,) the days by which a person may be moved: never 0, whole weeks where enough are possible."""
    step = WEEK if 2 * (days // WEEK) >= FEWEST_SHIFTS else 1
    every = np.arange(-(days // step), days // step + 1, dtype=np.int64) * step
    return np.asarray(every[every != 0])


def draw_shifts(days: int, number: int, source: Randomness) -> Ints:
    """Return (number,) independent shifts, uniform over `possible_shifts`."""
    every = possible_shifts(days)
    return np.asarray(every[below(source, len(every), number)])


def check_dates(column: Column) -> None:
    """Raise BadSetting unless a column holds dates."""
    if not _holds_dates(column):
        raise BadSetting("“{column}” holds no dates, so it can't be moved; name columns of dates.", column=column.name)


def _holds_dates(column: Column) -> bool:
    return column.kind.is_date and column.values is not None


def find_marks(column: Column) -> tuple[Flags, Flags]:
    """Return (m,) labels of a column of dates that mark an open end, and those that mark an unknown day.

    Known dummies, days that rows share years away from all others, and the one on which a study began or closed.
    """
    assert column.values is not None
    days = column.values.astype("datetime64[D]")
    dated = ~np.isnat(days) & ~column.missing
    mark = dated & column.marks
    opened = mark & (days >= NO_END)
    unknown = mark & ~opened
    plain, counts = np.flatnonzero(dated & ~mark), column.counts()
    for marks, places in ((unknown, plain), (opened, plain[::-1])):  # labels stand in the order of their days
        for end in range(1, min(_MOST_MARKS, len(places) - 1) + 1):
            far = abs(int((days[places[end]] - days[places[end - 1]]).astype(np.int64))) > _FAR
            if far and int(counts[places[:end]].min()) >= _SHARED:
                marks[places[:end]] = True
    if len(left := np.flatnonzero(dated & ~opened & ~unknown)) >= _FEWEST_DAYS:
        rows = counts[left]
        top = int(rows.argmax())
        before, behind = int(rows[:top].sum()), int(rows[top + 1 :].sum())
        often = rows[top] >= max(_SHARED, _OFTEN * int(np.partition(rows, -2)[-2]))
        if often and min(before, behind) <= _BEYOND * rows.sum():
            (opened if behind < before else unknown)[left[top]] = True
    return opened, unknown


def move_dates(column: Column, shift: Ints, days: int) -> Column:
    """Return a column of dates with each row moved by (N,) shifts of at most so many days. Raises BadSetting."""
    check_dates(column)
    assert column.values is not None
    opened, unknown = find_marks(column)
    dated = ~np.isnat(column.values) & ~column.missing & ~opened & ~unknown
    dates = _Moved(column)
    rows = np.flatnonzero(dated[column.codes])
    unit = "datetime64[D]" if column.kind is Kind.DATE else "datetime64[us]"
    moved = column.values.astype(unit)[column.codes[rows]] + shift[rows].astype("timedelta64[D]")
    distinct, to = np.unique(moved, return_inverse=True)
    dates.put(rows, _write(distinct), to, list(distinct))
    texts = np.flatnonzero(np.isnat(column.values) & ~column.missing)
    partial = _partial_dates(column, texts, days)
    for period, starts in partial.items():
        _, code, middle, _ = _PERIODS[period]
        rows = np.flatnonzero(np.isin(column.codes, list(starts)))
        first = np.full(column.m, np.datetime64("NaT"), "datetime64[D]")
        first[list(starts)] = list(starts.values())
        moved = first[column.codes[rows]] + (middle + shift[rows]).astype("timedelta64[D]")
        distinct, to = np.unique(moved.astype(f"datetime64[{code}]"), return_inverse=True)
        dates.put(rows, np.datetime_as_string(distinct).tolist(), to)
    known = {at for starts in partial.values() for at in starts}
    # A text with digits may tell a day in words of its own; one without tells none.
    telling = [at for at in texts.tolist() if at not in known and re.search(r"\d", column.labels[at])]
    for marks, text in ((opened, OPEN), (unknown | np.isin(np.arange(column.m), telling), UNKNOWN)):
        rows = np.flatnonzero(marks[column.codes])
        dates.put(rows, [text], np.zeros(len(rows), np.int64))
    rest = np.flatnonzero(dates.codes < 0)
    stay, to = np.unique(column.codes[rest], return_inverse=True)
    dates.put(rest, column.labels[stay].tolist(), to)
    return dates.column()


class _Moved:
    """A column in the making: labels come in parts, those of one text are one."""

    def __init__(self, column: Column) -> None:
        self.codes, self._from = np.full(column.n, -1, np.int64), column
        self._texts: list[str] = []
        self._values: list[np.datetime64] = []

    def put(self, rows: NDArray[np.intp], texts: Sequence[str], to: Ints, values: Sequence[Any] = ()) -> None:
        """Give rows the texts at (K,) places `to`, which stand for some values, or for none."""
        self.codes[rows] = len(self._texts) + to
        self._texts += texts
        self._values += values or [np.datetime64("NaT", "us")] * len(texts)

    def column(self) -> Column:
        """Return the column."""
        missing = {str(text) for text in self._from.labels[self._from.missing]} | {UNKNOWN}
        labels, first, to = np.unique(np.array(self._texts, object), return_index=True, return_inverse=True)
        gone = np.array([text in missing for text in labels.tolist()], bool)
        values = np.array(self._values, "datetime64[us]")[first]
        column = Column.from_codes(self._from.name, to[self.codes], labels, gone, values, kind=self._from.kind)
        return column.without_unused_labels()


def _write(moments: NDArray[np.datetime64]) -> list[str]:
    """Return moments as texts, with fractions of seconds only where there are some."""
    if moments.dtype == "datetime64[D]":
        return [str(text) for text in np.datetime_as_string(moments)]
    whole = bool((moments == moments.astype("datetime64[s]")).all())
    return [str(text).replace("T", " ") for text in np.datetime_as_string(moments, unit="s" if whole else "us")]


def _partial_dates(column: Column, texts: NDArray[np.intp], days: int) -> dict[str, dict[int, np.datetime64]]:
    """Return period -> label that names one -> its first day, of those periods that so large a shift hides."""
    by_form: dict[str, dict[int, np.datetime64]] = {}
    for name, (form, code, _, least) in _PERIODS.items():
        named = [at for at in texts.tolist() if form.fullmatch(str(column.labels[at]))]
        if days >= least:
            sound = [at for at in named if code == "Y" or 1 <= int(column.labels[at][5:]) <= 12]
            by_form[name] = {at: np.datetime64(column.labels[at], "D") for at in sound}
    return by_form


@dataclass(frozen=True)
class RecoveredShift:
    """How many shifts remain possible for whoever reads the release.

    Attributes
    ----------
    possible : shifts a person may have been moved by.
    perplexity : how many of them remain, on average over persons (the perplexity of a reader who weighs all hints).
    recovered_share : share of the persons of whom hardly more than one remains.
    hint : which alone tells most: "range", "weekdays" or "unmoved"; "" where nothing is told.
    column : the moved column by which; for "unmoved" the column that was not moved.
    """

    possible: int
    perplexity: float
    recovered_share: float
    hint: str
    column: str

    @property
    def enough(self) -> bool:
        """Whether enough shifts remain, and as good as nobody's is found."""
        return self.perplexity >= FEWEST_SHIFTS and self.recovered_share <= 0.01 + 4 / max(self.possible, 1)

    @property
    def sentence(self) -> str:
        """What remains, and what to do where it is too little."""
        words = "Of {possible} shifts of a person’s dates, {left} remain possible for a reader."
        if self.hint == "weekdays":
            words = "The weekdays of “{column}” leave {left} of {possible} shifts. Move dates by 35 days or more."
        elif self.hint == "unmoved":
            words = "“{column}” is not moved and leaves {left} of {possible} shifts. Move it too."
        return say(words, column=self.column, left=max(1, int(self.perplexity)), possible=self.possible)


def try_recover_shift(
    table: Table, names: Sequence[str], days: int, owner: NDArray[np.integer] | None, source: Table | None = None
) -> RecoveredShift:
    """Try to find by how many days persons were moved, from the published table alone.

    The reader knows `days`; that all true dates lie within one range; that persons come on some weekdays rather than
    others; and how far moved dates mostly lie from dates that were not moved. The last two are learned from the release
    (expectation maximisation over the hidden shifts).

    Parameters
    ----------
    names : columns that were moved.
    owner : (N,) the person of each row; None where the release does not tell.
    source : the table before it was moved: whoever reads "2024Q3" knows where these days lie.
    """
    shifts = possible_shifts(days)
    who = np.arange(table.n) if owner is None else np.unique(owner, return_inverse=True)[1]
    number = int(who.max(initial=-1)) + 1
    most = max(min(_PERSONS, _WORK // max(len(shifts), 1)), 50)
    chosen = unique(np.linspace(0, number - 1, min(number, most)).astype(np.int64)) if number else np.zeros(0, int)
    place = np.full(number, -1)
    place[chosen] = np.arange(len(chosen))
    hints: list[tuple[str, str, Floats]] = []
    for name in names:
        if name not in table or not _holds_dates(table[name]):
            continue
        day, known = _days(table[name])
        if not known.any():
            continue
        rows = np.flatnonzero(known & (place[who] >= 0))
        seen, hinted = day[rows], (place[who[rows]], len(chosen), shifts)
        low, high = int(day[known].min()) + days - WEEK, int(day[known].max()) - days + WEEK
        hints.append(("range", name, _range_hint(seen, *hinted, (low, max(low, high)))))
        if (shifts % WEEK).any():
            hints.append(("weekdays", name, _weekday_hint(seen, *hinted)))
        for other in (each for each in table.columns if each.name not in names):
            if _holds_dates(other):
                beside, there = _days(other)
                both = rows[there[rows]]
                apart = day[both] - beside[both]
                if len(both) and np.diff(quantiles(apart, (0.1, 0.9))) <= 2 * days:
                    hints.append(("unmoved", other.name, _distance_hint(apart, place[who[both]], len(chosen), shifts)))
            elif source is not None and (ends := _find_ends(source[name], other, rows)):
                hints.append(("unmoved", other.name, _range_hint(seen, *hinted, ends)))
    if not hints or not len(chosen):
        return RecoveredShift(len(shifts), float(len(shifts)), 0.0, "", "")
    total = _count_remaining(sum((each for _, _, each in hints), np.zeros((len(chosen), len(shifts)))))
    hint, column, _ = min(hints, key=lambda each: float(_count_remaining(each[2]).mean()))
    return RecoveredShift(len(shifts), float(total.mean()), float((total < 1.5).mean()), hint, column)


def _days(column: Column) -> tuple[Ints, Flags]:
    """Return (N,) day numbers of a column of dates, and which rows have one that is no mark."""
    assert column.values is not None
    known = ~(np.isnat(column.values) | column.marks)[column.codes]
    day = np.where(np.isnat(column.values), np.datetime64(0, "D"), column.values).astype("datetime64[D]")
    return day.astype(np.int64)[column.codes], known


def _count_remaining(logs: Floats) -> Floats:
    """Return (U,) perplexities of shifts with these (U, S) log-likelihoods."""
    chance = np.exp(logs - logs.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    return np.asarray(np.exp(-(chance * np.log(np.maximum(chance, 1e-300))).sum(axis=1)))


def _find_ends(column: Column, beside: Column, rows: NDArray[np.intp]) -> tuple[Ints, Ints] | None:
    """Return (K,) first and last day in rows that have the same beside; None where these lie as far apart as all do."""
    (day, known), code = _days(column), beside.codes
    first, last = np.full((2, beside.m), [[day[known].max()], [day[known].min()]])
    few = np.bincount(code[known], minlength=beside.m) < _SHARED  # of so few nobody knows that they lie together
    whole = last.min(), first.max()
    np.minimum.at(first, code[known], day[known])
    np.maximum.at(last, code[known], day[known])
    first[few], last[few] = whole
    near = 2 * float((last - first)[code].mean()) <= whole[1] - whole[0]
    return (first[code[rows]], last[code[rows]]) if near else None


def _range_hint(day: Ints, persons: Ints, number: int, shifts: Ints, ends: tuple[Any, Any]) -> Floats:
    """Return (U, S) log-likelihoods: moved back, all of a person's dates lie within the ends, of each row or of all."""
    least, most = np.full(number, shifts[0]), np.full(number, shifts[-1])
    np.maximum.at(least, persons, day - ends[1])
    np.minimum.at(most, persons, day - ends[0])
    out = (shifts < least[:, None]) | (shifts > most[:, None])
    out &= ~out.all(axis=1, keepdims=True)
    return np.where(out, -50.0, 0.0)


def _weekday_hint(day: Ints, persons: Ints, number: int, shifts: Ints) -> Floats:
    """Return (U, S) log-likelihoods by a profile of weekdays that all persons share before they are moved."""
    counts = np.bincount(persons * WEEK + day % WEEK, minlength=number * WEEK).reshape(number, WEEK).astype(float)
    turn = (np.arange(WEEK)[None, :] - np.arange(WEEK)[:, None]) % WEEK  # [r, w]: the true day of w, moved by r
    prior = np.bincount(shifts % WEEK, minlength=WEEK) / len(shifts)
    # Begin where each person's commonest weekday is the same one.
    back = (np.arange(WEEK)[None, :] + counts.argmax(axis=1)[:, None]) % WEEK
    profile = np.take_along_axis(counts, back, axis=1).sum(axis=0) + 0.5
    flat, logs = float(counts.sum() * np.log(1 / WEEK)), np.zeros((number, WEEK))
    gain = 0.0
    for _ in range(_ROUNDS):
        profile /= profile.sum()
        logs = counts @ np.log(profile)[turn].T
        weights = prior * np.exp(logs - logs.max(axis=1, keepdims=True))
        gain = float((np.log(weights.sum(axis=1)) + logs.max(axis=1)).sum()) - flat
        weights /= weights.sum(axis=1, keepdims=True)
        profile = np.bincount(turn.ravel(), (weights.T @ counts).ravel(), WEEK) + 0.5
    return logs[:, shifts % WEEK] if gain > _SURE else np.zeros((number, len(shifts)))


def _distance_hint(apart: Ints, persons: Ints, number: int, shifts: Ints) -> Floats:
    """Return (U, S) log-likelihoods by how far moved dates mostly lie from unmoved ones, one row of each person."""
    _, first = np.unique(persons, return_index=True)
    true = apart[first][:, None] - shifts
    begin = int(true.min())
    share = np.full(int(true.max()) - begin + 1, 1.0)
    for _ in range(_ROUNDS):
        weights = share[true - begin]
        weights /= weights.sum(axis=1, keepdims=True)
        share = np.bincount((true - begin).ravel(), weights.ravel(), len(share)) + 1e-6
    logs = np.zeros((number, len(shifts)))
    logs[persons[first]] = np.log(share[true - begin])
    return logs
