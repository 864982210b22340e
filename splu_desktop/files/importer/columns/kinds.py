"""What a column's texts stand for: numbers, dates, yes/no, categories or free text, with the reason."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.messages import say
from splu_desktop.core.table import Kind, unique
from splu_desktop.files.importer.columns.date_texts import Dates, parse_dates, parse_months
from splu_desktop.files.importer.columns.many_texts import ManyTexts, look_at
from splu_desktop.files.importer.columns.missing import neutral_places
from splu_desktop.files.importer.columns.number_texts import (
    LONGEST,
    NumberFormat,
    Numbers,
    parse_numbers,
    plain_numbers,
)
from splu_desktop.files.importer.columns.words import ANSWERS, DRAWN, UNSEEN, are_answers, pattern
from splu_desktop.files.importer.raw import FIRST_DAY

FITTING_SHARE = 0.75  # of the records with a value, for a column with some texts that don't fit
_CODE_NAME, _POINTED_NAME = pattern("name_of_code"), pattern("name_of_code_with_point")
_BIRTH_NAME, _DATE_NAME = pattern("name_of_birth"), pattern("name_of_date")
_LOOK = 300  # texts tried first of a column with many
_SCALE = 12  # different numbers below which letters beside them make them grades or codes, however frequent a 9 is
_LEADING_ZERO = re.compile(r"\s*\+?0\d+\s*")  # written as a number it would lose its zeros
_BY_DIGITS = "codes of digits, kept as text"
_SERIALS = "days, counted as a spreadsheet does"
_LETTERS = re.compile(r"\s*[^\W\d_]{1,2}\s*")
_LONG = re.compile(r"\s*[+-]?\d{16,}\s*")
_LETTER_E = re.compile(r"\s*\d+[eE]\d{1,2}\s*")  # a stage or a code: programs write numbers so with a sign
_TELEPHONE = re.compile(r"\s*\+\d{9,15}\s*")
# 2020, 2020-05, 05.2020, 00.05.2020, UN-MAY-2020, 2020-05-UK
_PARTIAL = pattern("partial_date")
_WORDS = 3  # different ones that may stand for dates
_LEAST_DATED = 0.2  # of a column's records that must be dates, so that numbers among them can be day counts
_DECADE = np.timedelta64(3_653, "D")
_FIRST_BIRTH, _FIRST_SERIAL, _LAST_SERIAL = 366, 2_200, 80_000  # day counts of 1901, 1906 and 2119
_LIVING = np.datetime64("1940-01-01", "us"), np.datetime64("2069-12-31", "us")  # where nothing but the name says date
_QUARTERS = 4  # of a year
_MONTHS = 6  # different ones from which on numbers of eight digits are days
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_CODE_TEXT = re.compile(r"\s*(?:[A-Za-z]{1,3}[-. ]?\d[\w.\-]*|\d+[\w.]*[A-Za-z]{1,2}|\d+[-/ ]\d+)\s*")


@dataclass(frozen=True, eq=False)
class ColumnType:
    """A column's type.

    Attributes
    ----------
    kind : what the texts stand for.
    values : (m,) the number or date behind each text (NaN, NaT where none), None where the kind has no order.
    misfits : (m,) bool, texts that do not fit the kind and aren't a usual mark for no value.
    reason : why this kind.
    date_order : "dmy" or "mdy" where the dates needed one.
    date_undecided : whether the dates could be read either way.
    offsets : the offsets from UTC that its times have, each once.
    """

    kind: Kind
    values: NDArray[Any] | None
    misfits: NDArray[np.bool_]
    reason: str
    date_order: str | None = None
    date_undecided: bool = False
    offsets: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Texts:
    """A column's m distinct texts and what is known of them before its type is.

    Attributes
    ----------
    name, labels, counts : the column's name, its texts and the records of each.
    form : how its numbers are written.
    other : how those are written that don't fit `form`.
    order : order of day and month chosen by the user.
    first_day : day 0 of a spreadsheet's day counts.
    absent : texts the user chose as "no value".
    beside : (m,) texts that may stand among numbers as they are: results in words.
    latest : when the last birth may have been, by the table's other dates.
    """

    name: str
    labels: Sequence[str]
    counts: NDArray[np.int64]
    form: NumberFormat
    other: NumberFormat | None = None
    order: str | None = None
    first_day: np.datetime64 = FIRST_DAY
    absent: frozenset[str] = frozenset()
    beside: NDArray[np.bool_] | None = None
    latest: dt.datetime | None = None

    @cached_property
    def many(self) -> ManyTexts:
        """The texts as bytes."""
        return look_at(self.labels)

    @cached_property
    def plain(self) -> NDArray[np.float64]:
        """(m,) the numbers behind the texts that are plainly one, else NaN."""
        return plain_numbers(self.many)

    @cached_property
    def empty(self) -> NDArray[np.bool_]:
        """(m,) whether a text says nothing."""
        empty = np.zeros(len(self.labels), bool)
        empty[neutral_places(self.labels, self.many, np.isnan(self.plain))] = True
        if self.absent:
            empty |= np.fromiter((label in self.absent for label in self.labels), bool, len(self.labels))
        return empty

    @cached_property
    def tells_type(self) -> NDArray[np.bool_]:
        """(m,) whether a text tells the type."""
        return ~self.empty if self.beside is None else ~self.empty & ~self.beside

    @cached_property
    def visible_texts(self) -> Sequence[str]:
        """The texts without what nobody sees, their digits as in ASCII: what numbers and dates are read from."""
        if not np.isnan(self.plain).any() or "".join(self.labels).isascii():
            return self.labels
        return [label if label.isascii() else UNSEEN.sub("", label).translate(DRAWN) for label in self.labels]

    def records(self, which: NDArray[np.bool_]) -> int:
        """How many records have one of these texts."""
        return int(self.counts[which].sum())

    def numbers(self) -> Numbers:
        """The numbers under `form`, and under `other` what doesn't fit it."""
        numbers = parse_numbers(self.visible_texts, self.form, self.plain)
        left = np.flatnonzero(~numbers.fits)
        if self.other is not None and len(left):
            second = parse_numbers([self.visible_texts[i] for i in left.tolist()], self.other)
            numbers.values[left], numbers.fits[left], numbers.whole[left] = second.values, second.fits, second.whole
        return numbers

    def dates(self, *, compact: bool | None = None) -> Dates:
        """The dates; those without marks between the parts where the name says date, unless told."""
        compact = bool(_DATE_NAME.search(self.name)) if compact is None else compact
        latest = (self.latest or dt.datetime.now()) if says_birth(self.name) else None
        return parse_dates(self.visible_texts, self.counts, order=self.order, compact=compact, latest=latest)

    def of_words(self, kind: Kind, reason: str) -> ColumnType:
        """The type of texts without order, all of which fit."""
        return ColumnType(kind, None, np.zeros(len(self.labels), bool), reason)


def says_birth(name: str) -> bool:
    """Whether a column's name says that its days are births, none of which is still to come."""
    return _BIRTH_NAME.search(name) is not None


def decide(texts: Texts, wanted: Kind | None) -> ColumnType:
    """Find the type of a column; `wanted` : one chosen by the user."""
    plain, speaking, counts = texts.plain, texts.tells_type, texts.counts
    if wanted is not None:
        return _force(wanted, texts)
    if not (total := texts.records(speaking)):
        return texts.of_words(Kind.CATEGORY, say("{n} different texts", n=0))
    few = np.flatnonzero(speaking)[:20].tolist()
    answers = {texts.visible_texts[i].strip().lower() for i in few}
    if len(few) < 20 and are_answers(answers):
        return texts.of_words(Kind.BOOLEAN, say("{n} different texts", n=len(few)))
    odd_ones = np.isnan(plain)
    look = _sample(counts, speaking) if odd_ones.any() else []
    if odd_ones[speaking].mean() > 0.75 and _rare(
        lambda few: parse_numbers(few, texts.form).fits, texts.visible_texts, look
    ):
        none = np.zeros(len(plain), bool)
        numbers = Numbers(np.full(len(plain), np.nan), none, none)
    else:
        numbers = texts.numbers()
    number_share = texts.records(numbers.fits & speaking) / total
    # "- 50000." on most lines and "50000+." on the others are two words, not a number and a misfit.
    fitting = int(np.count_nonzero(numbers.fits & speaking))
    odd = [texts.visible_texts[at] for at in np.flatnonzero(speaking & ~numbers.fits).tolist()] if fitting else []
    several = fitting > len(odd) or number_share > 0.95
    several &= not odd or fitting >= _SCALE or not all(map(_LETTERS.fullmatch, odd))
    if number_share == 1.0 or (number_share >= FITTING_SHARE and several and not _codes(odd)):
        return _of_numbers(texts, numbers, few)
    if not _rare(
        lambda few: parse_dates(few, np.ones(len(few), np.int64), compact=True).fits, texts.visible_texts, look
    ):
        dates = texts.dates()
        if (dated := _read_dates(texts, dates) or _counted_days(texts, numbers, dates)) is not None:
            return dated
    if (dated := _months(texts)) is not None:
        return dated
    if number_share > 0.5 and _codes(odd):
        return texts.of_words(Kind.CATEGORY, _BY_DIGITS)
    return _words(texts, total)


def _of_numbers(texts: Texts, numbers: Numbers, few: list[int]) -> ColumnType:
    """Return the type of texts that are nearly all numbers: these, days written as numbers, or codes."""
    if (dated := _compact(texts, numbers) or _months(texts, least=_MONTHS)) is not None:
        return dated
    if why := _codes_of_digits(texts, few, numbers):
        return texts.of_words(Kind.CATEGORY, why)
    if _DATE_NAME.search(texts.name):
        dates = texts.dates()
        if dated := _read_dates(texts, dates) or _counted_days(texts, numbers, dates):
            return dated
    kind = Kind.INTEGER if numbers.whole[numbers.fits & texts.tells_type].all() else Kind.DECIMAL
    return _fit(texts, kind, numbers.values, texts.tells_type & ~numbers.fits)


def _codes_of_digits(texts: Texts, few: list[int], numbers: Numbers) -> str | None:
    """Return why numbers are codes, whose text is to stay as it is; None if they are not."""
    labels = texts.visible_texts
    odd = np.isnan(texts.plain)
    from_zero = (texts.many.first == ord("0")) & numbers.whole
    if (
        any(_LEADING_ZERO.fullmatch(labels[at]) for at in np.flatnonzero(odd | from_zero).tolist())
        or any(_LONG.fullmatch(labels[at][:LONGEST]) for at in np.flatnonzero(odd & numbers.fits).tolist())
        or all(_LETTER_E.fullmatch(labels[at][:LONGEST]) for at in few)
        or all(len(labels[at]) <= LONGEST and _TELEPHONE.fullmatch(labels[at]) for at in few)
    ):
        return _BY_DIGITS
    named = _CAMEL.sub(" ", texts.name)
    whole = bool(numbers.whole[numbers.fits].all())
    if _CODE_NAME.search(named) and (whole or _POINTED_NAME.search(named)):
        return "the name says that these numbers are codes, kept as text"
    return None


def _sample(counts: NDArray[np.int64], speaking: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Return places of the most frequent texts and of texts spread over all, where there are too many to try each."""
    places = np.flatnonzero(speaking)
    if len(places) <= 30 * _LOOK:
        return []
    # Count and place in one number, 32 bits each: NumPy parts those in a fifth of an argpartition's time.
    ranked = counts[places] << 32 | places
    frequent = np.partition(ranked, -_LOOK)[-_LOOK:] & 0xFFFFFFFF
    return [frequent, places[:: len(places) // _LOOK]]


def _rare(fits: Callable[[list[str]], NDArray[np.bool_]], labels: Sequence[str], look: list[NDArray[np.intp]]) -> bool:
    """Whether so few of the texts looked at fit that trying all of them is in vain."""
    return bool(look) and all(fits([labels[i] for i in places.tolist()]).mean() < 0.25 for places in look)


def _counted_days(texts: Texts, numbers: Numbers, dates: Dates) -> ColumnType | None:
    """Read a spreadsheet's day counts: all of a column whose name says date, or beside dates of the same decades."""
    speaking, values = texts.tells_type, numbers.values
    born = says_birth(texts.name)
    count = speaking & ~dates.fits & (values >= (_FIRST_BIRTH if born else _FIRST_SERIAL)) & (values <= _LAST_SERIAL)
    total, dated, counted_days = map(texts.records, (speaking, dates.fits & speaking, count))
    days = _moments(np.where(count, values, np.nan), texts.first_day)
    known = dates.values[dates.fits & speaking]
    if dated >= max(2, _LEAST_DATED * total):
        first, last = known.min() - _DECADE, known.max() + _DECADE
    elif counted_days == total and np.count_nonzero(count) > 1 and _DATE_NAME.search(texts.name):
        first, last = days[count].min() if born else _LIVING[0], _LIVING[1]
        if days[count].max() < _LIVING[0]:
            return None
    else:
        return None
    near = (days >= first) & (days <= last)
    if not counted_days or dated + counted_days < FITTING_SHARE * total or not near[count].all():
        return None
    moments = np.where(count, days, dates.values)
    kind = _kind_of(moments[~np.isnat(moments)])
    return ColumnType(kind, moments, speaking & np.isnat(moments), _SERIALS, dates.order, dates.is_ambiguous)


def _moments(days: NDArray[np.float64], first_day: np.datetime64) -> NDArray[np.datetime64]:
    """Return the moments that day counts stand for, NaT for NaN."""
    seconds = np.round(np.nan_to_num(days) * 86_400.0).astype("timedelta64[s]").astype("timedelta64[us]")
    return np.where(np.isnan(days), np.datetime64("NaT", "us"), first_day + seconds)


def _codes(odd: Sequence[str]) -> bool:
    """Whether most of the texts that are no number look like codes (V57, E909, 12A)."""
    return bool(odd) and 2 * sum(len(t) <= LONGEST and _CODE_TEXT.fullmatch(t) is not None for t in odd) > len(odd)


def _fit(
    texts: Texts, kind: Kind, values: NDArray[Any], misfits: NDArray[np.bool_], dates: Dates | None = None
) -> ColumnType:
    """Return a type that all or nearly all values fit, and say so."""
    out = texts.records(misfits)
    what = say("dates") if kind.is_date else say("numbers")
    reason = say("the values are {what}, but for {out}", what=what, out=out)
    details = () if dates is None else (dates.order, dates.is_ambiguous, dates.offsets)
    return ColumnType(kind, values, misfits, reason, *details)


def _compact(texts: Texts, numbers: Numbers) -> ColumnType | None:
    """Read 20190131 as a date: under a name that says date, or where many different numbers are all one."""
    named = _DATE_NAME.search(texts.name) is not None
    first = np.flatnonzero(texts.tells_type)[:_LOOK]
    likely, ordinary = _like_days(numbers.values[first])
    if not named and not likely[ordinary].all():
        return None  # every number has to be a day, and one of the first is not
    likely, ordinary = _like_days(numbers.values)
    ordinary &= texts.tells_type
    least = (FITTING_SHARE if named else 1.0) * max(texts.records(ordinary), 1)
    if texts.records(likely & ordinary) < least:
        return None
    dates = parse_dates(texts.visible_texts, texts.counts, compact=True)
    if texts.records(dates.fits & ordinary) < least:
        return None
    if not named and len(unique(dates.values[dates.fits].astype("datetime64[M]"))) < _MONTHS:
        return None
    return _fit(texts, _kind_of(dates.values[dates.fits]), dates.values, ordinary & ~dates.fits)


def _months(texts: Texts, least: int = 1) -> ColumnType | None:
    """Read months of years, which all texts must be, at `least` so many different ones."""
    some = np.flatnonzero(texts.tells_type)[:_LOOK].tolist()
    if not parse_months([texts.visible_texts[at] for at in some]).fits.all():
        return None
    dates = parse_months(texts.visible_texts)
    months = unique(dates.values[dates.fits].astype("datetime64[M]").astype(np.int64))
    if len(months) < least or not dates.fits[texts.tells_type].all():
        return None
    if (months % 12).max() < _QUARTERS and not any(map(str.isalpha, texts.visible_texts[some[0]])):
        return None  # 1/2024 to 4/2024
    return _fit(texts, Kind.DATE, dates.values, np.zeros(len(dates.fits), bool))


def _like_days(values: NDArray[np.float64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return whether numbers may be days written as 20190131, and whether they are anything but zero."""
    whole = np.clip(np.nan_to_num(values), 0, 1e14).astype(np.int64)
    whole //= np.where(whole < 1e11, 1, np.where(whole < 1e13, 10_000, 1_000_000))  # without hours, minutes and seconds
    year, month, day = whole // 10_000, whole // 100 % 100, whole % 100
    of_time = ((year >= 1800) & (year < 2200)) | (year == 9999)
    return of_time & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31), whole != 0


def _kind_of(moments: NDArray[np.datetime64]) -> Kind:
    """Return the kind of moments: days where all are midnight, as databases write days."""
    return Kind.DATE if (moments == moments.astype("datetime64[D]")).all() else Kind.DATETIME


def _read_dates(texts: Texts, dates: Dates) -> ColumnType | None:
    """Read dates, among which some may be known to their month or year alone, or be one of a few words ("ongoing")."""
    speaking, fits = texts.tells_type, texts.records(dates.fits & texts.tells_type)
    if not fits or fits < _LEAST_DATED * texts.records(speaking):
        return None
    odd = [at for at in np.flatnonzero(speaking & ~dates.fits).tolist() if len(texts.visible_texts[at]) <= LONGEST]
    beside = [at for at in odd if _PARTIAL.fullmatch(texts.visible_texts[at])]
    words = [at for at in odd if not any(map(str.isdigit, texts.visible_texts[at]))]
    if len(words) <= _WORDS < np.count_nonzero(dates.fits):
        beside += words
    if fits + int(texts.counts[beside].sum()) < FITTING_SHARE * texts.records(speaking):
        return None
    kind = _kind_of(dates.values[dates.fits])
    return _fit(texts, kind, dates.values, texts.tells_type & ~dates.fits, dates)


def _words(texts: Texts, total: int) -> ColumnType:
    telling = np.flatnonzero(texts.tells_type)
    sample = [texts.visible_texts[i] for i in telling[:2000].tolist()]
    words = sum(label.count(" ") + 1 for label in sample) / len(sample)
    length = sum(map(len, sample)) / len(sample)
    kind = Kind.TEXT if words >= 4 and length >= 25 and len(telling) > max(5, 0.3 * total) else Kind.CATEGORY
    return texts.of_words(kind, say("{n} different texts", n=len(telling)))


def _force(kind: Kind, texts: Texts) -> ColumnType:
    reason, empty = "chosen", texts.empty
    if kind.is_number:
        numbers = texts.numbers()
        fits = numbers.fits & (numbers.whole | (kind is Kind.DECIMAL))
        return ColumnType(kind, np.where(fits, numbers.values, np.nan), ~fits & ~empty, reason)
    if kind.is_date:
        dates, plain = texts.dates(compact=True), texts.plain
        dates = dates if dates.fits.any() else parse_months(texts.visible_texts)
        days = ~empty & ~dates.fits & (plain >= _FIRST_SERIAL) & (plain <= _LAST_SERIAL)  # a spreadsheet's day counts
        values = np.where(days, _moments(np.where(days, plain, np.nan), texts.first_day), dates.values)
        return ColumnType(
            kind, values, np.isnat(values) & ~empty, reason, dates.order, dates.is_ambiguous, dates.offsets
        )
    if kind is Kind.BOOLEAN:
        known = ANSWERS | {"0", "1"}
        odd = np.array([text.strip().lower() not in known for text in texts.visible_texts], bool)
        return ColumnType(kind, None, ~empty & odd, reason)
    return texts.of_words(kind, reason)
