"""What a column's texts stand for: numbers, dates, yes/no, categories or free text, with the reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.messages import listed, say
from splu_desktop.core.table import Kind, unique
from splu_desktop.files.importer.columns.date_texts import parse_dates
from splu_desktop.files.importer.columns.missing import marks_among, neutral
from splu_desktop.files.importer.columns.number_texts import (
    LEADING_ZERO,
    LONGEST,
    NumberFormat,
    Numbers,
    parse_numbers,
    parse_plain,
)
from splu_desktop.files.importer.columns.words import ANSWERS, are_answers
from splu_desktop.files.importer.raw import FIRST_DAY

FITTING_SHARE = 0.75  # of the records with a value, for a column with some texts that don't fit
# Numbers under such names are labels: nobody adds up diagnosis codes or postcodes. But of those that are written
# without a point a fraction is an amount: what a DRG costs or weighs.
_CODE_NAME = re.compile(
    r"(?:^|[^a-z])(?:icd(?:[-_ ]?\d+)?|diag(?:nosis|nose)?[-_ ]?(?:code|\d+)|zip|zip[-_ ]?code|post(?:al)?[-_ ]?code"
    r"|plz|postleitzahl|code[-_ ]?postal|c[oó]digo[-_ ]?postal|phone|telephone|telefon|tel[ée]fono|tel|fax|mobile|handy"
    r"|ssn|nhs(?:[-_ ]?(?:number|no|nr|num))?|chi[-_ ]?(?:number|no)|ihi|medicare[-_ ]?(?:number|no)|mrn|drg|hcpcs|cpt"
    r"|ndc|npi|loinc|snomed(?:[-_ ]?ct)?|pzn|ops|iban|blz|bsn|nir|dni|cpf|cnpj|pesel|svnr|kvnr|ahv(?:[-_ ]?nr)?)"
    r"(?:$|[^a-z])",
    re.IGNORECASE,
)
_POINTED_NAME = re.compile(
    r"(?:^|[^a-z])(?:icd|diag|phone|telephone|telefon|tel[ée]fono|tel|fax|mobile|handy)", re.IGNORECASE
)
_LOOK = 1000  # texts tried first of a column with many
_SCALE = 12  # different numbers below which letters beside them make them grades or codes, however frequent a 9 is
_LETTERS = re.compile(r"\s*[^\W\d_]{1,2}\s*")
_LONG = re.compile(r"\s*[+-]?\d{16,}\s*")
_UNSEEN = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u200e\u200f]")
_LETTER_E = re.compile(r"\s*\d+[eE]\d{1,2}\s*")  # a stage or a code: programs write numbers so with a sign
_TELEPHONE = re.compile(r"\s*\+\d{9,15}\s*")
_LEAST_DATED = 0.2  # of a column's records that must be dates, so that numbers among them can be day counts
_DECADE = np.timedelta64(3_653, "D")
_FIRST_SERIAL, _LAST_SERIAL = 2_200, 80_000  # day counts of 1906 to 2119; lower numbers may be years
_MONTHS = 6  # different ones from which on numbers of eight digits are days
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_CODE_TEXT = re.compile(r"\s*(?:[A-Za-z]{1,3}[-. ]?\d[\w.\-]*|\d+[\w.]*[A-Za-z]{1,2}|\d+[-/ ]\d+)\s*")
_BIRTH_NAME = re.compile(r"birth|dob|geb|naiss|nacim", re.IGNORECASE)
_DATE_NAME = re.compile(
    r"date|datum|fecha|dob|birth|geburt|naissance|nacimiento|(?:^|[_ ])(?:dt|day|tag)(?:$|[_ ])"
    r"|admitted|discharged|aufnahme$|entlassung$|entlassen|aufgenommen|zeitpunkt|zeitstempel|timestamp|horodat",
    re.IGNORECASE,
)


@dataclass(frozen=True, eq=False)
class Typed:
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


def decide(
    name: str,
    labels: Sequence[str],
    counts: NDArray[np.int64],
    form: NumberFormat,
    *,
    other: NumberFormat | None = None,
    known: tuple[NDArray[np.float64], NDArray[np.bool_]] | None = None,
    wanted: Kind | None = None,
    date_order: str | None = None,
    first_day: np.datetime64 = FIRST_DAY,
    absent: frozenset[str] | None = None,
    beside: NDArray[np.bool_] | None = None,
) -> Typed:
    """Find the type of a column with m distinct texts.

    Parameters
    ----------
    name, labels, counts : the column's name, its texts and the records of each.
    form : how its numbers are written.
    other : how those are written that don't fit `form`.
    known : what `parse_plain` makes of the labels, where that is known.
    wanted : a type chosen by the user.
    date_order : order of day and month chosen by the user.
    first_day : day 0 of a spreadsheet's day counts.
    absent : texts the user chose as "no value".
    beside : (m,) texts that may stand among numbers as they are: results in words.
    """
    chosen = absent or frozenset()
    if known is None:
        known = parse_plain(labels)
    plain, _ = known
    empty = np.zeros(len(labels), bool)
    odd_places = np.flatnonzero(np.isnan(plain))
    odd_texts = [labels[at] for at in odd_places.tolist()]
    for at in marks_among(odd_texts):
        empty[odd_places[at]] = neutral(odd_texts[at])
    if chosen:
        empty |= np.fromiter((label in chosen for label in labels), bool, len(labels))
    none = np.zeros(len(labels), bool)
    speaking = ~empty if beside is None else ~empty & ~beside
    total = int(counts[speaking].sum())
    # What nobody sees is no part of a number or a date; the texts themselves are kept as they are.
    odd_ones = np.isnan(plain)
    if odd_ones.any() and not all(map(str.isascii, labels)):
        labels = [label if label.isascii() else _UNSEEN.sub("", label) for label in labels]
    if wanted is not None:
        return _forced(wanted, labels, counts, form, other, plain, empty, date_order, first_day)
    if not total:
        return Typed(Kind.CATEGORY, None, none, "no values")
    few = np.flatnonzero(speaking)[:20].tolist()
    texts = {labels[i].strip().lower() for i in few}
    if len(few) < 20 and are_answers(texts):
        return Typed(Kind.BOOLEAN, None, none, say("two values, {texts}", texts=listed(sorted(texts))))
    look = _sample(counts, speaking) if odd_ones.any() else []
    if odd_ones[speaking].mean() > 0.75 and _rare(lambda few: parse_numbers(few, form).fits, labels, look):
        numbers = Numbers(np.full(len(labels), np.nan), none.copy(), none.copy())
    else:
        numbers = _numbers(labels, form, other, plain)
    number_share = counts[numbers.fits & speaking].sum() / total
    # "- 50000." on most lines and "50000+." on the others are two words, not a number and a misfit.
    fitting = int(np.count_nonzero(numbers.fits & speaking))
    odd = [labels[at] for at in np.flatnonzero(speaking & ~numbers.fits).tolist()] if fitting else []
    several = fitting > len(odd) or number_share > 0.95
    several &= not odd or fitting >= _SCALE or not all(map(_LETTERS.fullmatch, odd))
    if number_share == 1.0 or (number_share >= FITTING_SHARE and several and not _codes(odd)):
        if (dated := _compact(name, labels, counts, speaking, numbers)) is not None:
            return dated
        if why := _codes_of_digits(name, labels, few, known, numbers):
            return Typed(Kind.CATEGORY, None, none, why)
        if _DATE_NAME.search(name):
            dated = _dates(name, labels, counts, speaking, total, date_order) or _serials(
                name, numbers, counts, speaking, first_day
            )
            if dated is not None:
                return dated
        kind = Kind.INTEGER if numbers.whole[numbers.fits & speaking].all() else Kind.DECIMAL
        misfits = speaking & ~numbers.fits
        return Typed(kind, numbers.values, misfits, _reason(kind, misfits, counts))
    dated = None
    if not _rare(lambda few: parse_dates(few, np.ones(len(few), np.int64), compact=True).fits, labels, look):
        dated = _dates(name, labels, counts, speaking, total, date_order)
        dated = dated or _mixed(name, labels, counts, speaking, plain, date_order, first_day)
    if dated is not None:
        return dated
    if number_share > 0.5 and _codes(odd):
        return Typed(Kind.CATEGORY, None, none, "numbers and codes with letters: codes, kept as text")
    return _words(labels, counts, speaking, total)


def _codes_of_digits(
    name: str,
    labels: Sequence[str],
    few: list[int],
    known: tuple[NDArray[np.float64], NDArray[np.bool_]],
    numbers: Numbers,
) -> str | None:
    """Return why numbers are codes, whose text is to stay as it is; None if they are not."""
    plain, zeros = known
    odd = np.flatnonzero(np.isnan(plain)).tolist()
    if zeros.any() or any(LEADING_ZERO.fullmatch(labels[at].strip()) for at in odd):
        return "digits with leading zeros: codes, kept as text"
    if any(len(label) <= LONGEST and _LONG.fullmatch(label) for label in _unusual(labels, plain, numbers)):
        return "more digits than numbers keep exactly: codes, kept as text"
    if all(_LETTER_E.fullmatch(labels[at][:LONGEST]) for at in few):
        return "digits, an E and digits: codes, kept as text"
    if all(len(labels[at]) <= LONGEST and _TELEPHONE.fullmatch(labels[at]) for at in few):
        return "a plus sign and many digits: telephone numbers, kept as text"
    named = _CAMEL.sub(" ", name)
    whole = bool(numbers.whole[numbers.fits].all())
    if _CODE_NAME.search(named) and (whole or _POINTED_NAME.search(named)):
        return "the name says these numbers are codes, kept as text"
    return None


def _sample(counts: NDArray[np.int64], speaking: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Return places of the most frequent texts and of texts spread over all, where there are too many to try each."""
    places = np.flatnonzero(speaking)
    if len(places) <= 10 * _LOOK:
        return []
    # Count and place in one number, 32 bits each: NumPy parts those in a fifth of an argpartition's time.
    ranked = counts[places] << 32 | places
    frequent = np.partition(ranked, -_LOOK)[-_LOOK:] & 0xFFFFFFFF
    return [frequent, places[:: len(places) // _LOOK]]


def _rare(fits: Callable[[list[str]], NDArray[np.bool_]], labels: Sequence[str], look: list[NDArray[np.intp]]) -> bool:
    """Whether so few of the texts looked at fit that trying all of them is in vain."""
    return bool(look) and all(fits([labels[i] for i in places.tolist()]).mean() < 0.25 for places in look)


def _numbers(
    labels: Sequence[str], form: NumberFormat, other: NumberFormat | None, plain: NDArray[np.float64]
) -> Numbers:
    """Parse under `form`, and what doesn't fit it under `other`."""
    found = parse_numbers(labels, form, plain)
    left = np.flatnonzero(~found.fits)
    if other is None or not len(left):
        return found
    second = parse_numbers([labels[i] for i in left.tolist()], other)
    for mine, theirs in zip(
        (found.values, found.fits, found.whole), (second.values, second.fits, second.whole), strict=True
    ):
        mine[left] = theirs
    return found


def _unusual(labels: Sequence[str], plain: NDArray[np.float64], numbers: Numbers) -> list[str]:
    """Return the numbers that are not written plainly: with many digits, marks or exponents."""
    return [labels[i] for i in np.flatnonzero(np.isnan(plain) & numbers.fits).tolist()]


def _serials(
    name: str,
    numbers: Numbers,
    counts: NDArray[np.int64],
    speaking: NDArray[np.bool_],
    first_day: np.datetime64,
) -> Typed | None:
    """Read numbers as a spreadsheet's day counts, where the name says date and all are of living memory."""
    values = numbers.values[speaking & numbers.fits]
    low = 366.0 if _BIRTH_NAME.search(name) else 14_611.0  # 1901 and 1940
    if (
        len(values) < 2
        or not numbers.fits[speaking].all()
        or values.min() < low
        or values.max() > 62_093.0
        or values.max() < 14_611.0
    ):
        return None
    moments = _moments(np.where(numbers.fits, numbers.values, np.nan), first_day)
    whole = bool(numbers.whole[speaking].all())
    kind = Kind.DATE if whole else Kind.DATETIME
    reason = "the name says date, and the numbers are a spreadsheet's day counts of 1940 or later"
    return Typed(kind, moments, np.zeros(len(counts), bool), reason)


def _moments(days: NDArray[np.float64], first_day: np.datetime64) -> NDArray[np.datetime64]:
    """Return the moments that day counts stand for, NaT for NaN."""
    seconds = np.round(np.nan_to_num(days) * 86_400.0).astype("timedelta64[s]").astype("timedelta64[us]")
    return np.where(np.isnan(days), np.datetime64("NaT", "us"), first_day + seconds)


def _codes(odd: Sequence[str]) -> bool:
    """Whether most of the texts that are no number look like codes (V57, E909, 12A)."""
    return (
        bool(odd)
        and sum(len(text) <= LONGEST and _CODE_TEXT.fullmatch(text) is not None for text in odd) > len(odd) / 2
    )


def _reason(kind: Kind, misfits: NDArray[np.bool_], counts: NDArray[np.int64]) -> str:
    out = int(counts[misfits].sum())
    what = say("dates") if kind in (Kind.DATE, Kind.DATETIME) else say("numbers")
    return (
        say("all values are {what}", what=what)
        if not out
        else say("nearly all values are {what}, {out} are not", what=what, out=out)
    )


def _compact(
    name: str, labels: Sequence[str], counts: NDArray[np.int64], speaking: NDArray[np.bool_], numbers: Numbers
) -> Typed | None:
    """Read 20190131 as a date: under a name that says date, or where many different numbers are all one."""
    named = _DATE_NAME.search(name) is not None
    first = np.flatnonzero(speaking)[:_LOOK]
    likely, ordinary = _like_days(numbers.values[first])
    if not named and not likely[ordinary].all():
        return None  # every number has to be a day, and one of the first is not
    likely, ordinary = _like_days(numbers.values)
    ordinary &= speaking
    share = counts[likely & ordinary].sum() / max(counts[ordinary].sum(), 1)
    if share < (FITTING_SHARE if named else 1.0):
        return None
    dates = parse_dates(labels, counts, compact=True)
    if counts[dates.fits & ordinary].sum() < (FITTING_SHARE if named else 1.0) * counts[ordinary].sum():
        return None
    if not named and len(unique(dates.values[dates.fits].astype("datetime64[M]"))) < _MONTHS:
        return None
    misfits = ordinary & ~dates.fits
    return Typed(Kind.DATE, dates.values, misfits, _reason(Kind.DATE, misfits, counts))


def _like_days(values: NDArray[np.float64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return whether numbers may be days written as 20190131, and whether they are anything but zero."""
    whole = np.clip(np.nan_to_num(values), 0, 1e9).astype(np.int64)
    year, month, day = whole // 10_000, whole // 100 % 100, whole % 100
    of_time = ((year >= 1800) & (year < 2200)) | (year == 9999)
    return of_time & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31), whole != 0


def _dates(
    name: str,
    labels: Sequence[str],
    counts: NDArray[np.int64],
    speaking: NDArray[np.bool_],
    total: int,
    order: str | None,
) -> Typed | None:
    dates = parse_dates(labels, counts, order=order, compact=bool(_DATE_NAME.search(name)))
    if counts[dates.fits & speaking].sum() / total < FITTING_SHARE:
        return None
    kind = Kind.DATETIME if dates.timed[dates.fits].any() else Kind.DATE
    misfits = speaking & ~dates.fits
    reason = _reason(kind, misfits, counts)
    return Typed(kind, dates.values, misfits, reason, dates.order, dates.undecided, dates.offsets)


def _mixed(
    name: str,
    labels: Sequence[str],
    counts: NDArray[np.int64],
    speaking: NDArray[np.bool_],
    plain: NDArray[np.float64],
    order: str | None,
    first_day: np.datetime64,
) -> Typed | None:
    """Read dates among which a spreadsheet's day counts stand, where most of these are days of the same decades."""
    count = speaking & (plain >= _FIRST_SERIAL) & (plain <= _LAST_SERIAL) & (plain == np.floor(plain))
    dates = parse_dates(labels, counts, order=order, compact=bool(_DATE_NAME.search(name)))
    fits = dates.fits & speaking & ~count
    total, dated, counted_days = (int(counts[which].sum()) for which in (speaking, fits, count))
    if dated < max(2, _LEAST_DATED * total) or not counted_days or dated + counted_days < FITTING_SHARE * total:
        return None
    days = _moments(np.where(count, plain, np.nan), first_day)
    known = dates.values[fits]
    near = (days >= known.min() - _DECADE) & (days <= known.max() + _DECADE)
    if not near[count].all():
        return None
    values = np.where(count, days, dates.values)
    misfits = speaking & np.isnat(values)
    kind = Kind.DATETIME if dates.timed[fits].any() else Kind.DATE
    reason = "dates, and a spreadsheet's day counts among them"
    return Typed(kind, values, misfits, reason, dates.order, dates.undecided)


def _words(labels: Sequence[str], counts: NDArray[np.int64], speaking: NDArray[np.bool_], total: int) -> Typed:
    none = np.zeros(len(labels), bool)
    said = np.flatnonzero(speaking)
    share = len(said) / total
    sample = [labels[i] for i in said[:2000].tolist()]
    words = sum(label.count(" ") + 1 for label in sample) / len(sample)
    length = sum(map(len, sample)) / len(sample)
    if words >= 4 and length >= 25 and share > 0.3 and len(said) > 5:
        return Typed(
            Kind.TEXT,
            None,
            none,
            say("long texts, {n} different ones in {total} records", n=len(said), total=total),
        )
    return Typed(Kind.CATEGORY, None, none, say("{n} different texts", n=len(said)))


def _forced(
    kind: Kind,
    labels: Sequence[str],
    counts: NDArray[np.int64],
    form: NumberFormat,
    other: NumberFormat | None,
    plain: NDArray[np.float64],
    empty: NDArray[np.bool_],
    order: str | None,
    first_day: np.datetime64,
) -> Typed:
    reason = "chosen"
    if kind in (Kind.INTEGER, Kind.DECIMAL):
        numbers = _numbers(labels, form, other, plain)
        fits = numbers.fits & (numbers.whole | (kind is Kind.DECIMAL))
        return Typed(kind, np.where(fits, numbers.values, np.nan), ~fits & ~empty, reason)
    if kind in (Kind.DATE, Kind.DATETIME):
        dates = parse_dates(labels, counts, order=order, compact=True)
        values = dates.values
        left = ~empty & ~dates.fits
        days = left & (plain >= _FIRST_SERIAL) & (plain <= _LAST_SERIAL)  # a spreadsheet's day counts
        if days.any():
            values = np.where(days, _moments(np.where(days, plain, np.nan), first_day), values)
        misfits = np.isnat(values) & ~empty
        return Typed(kind, values, misfits, reason, dates.order, dates.undecided, dates.offsets)
    if kind is Kind.BOOLEAN:
        known = ANSWERS | {"0", "1"}
        return Typed(kind, None, ~empty & np.array([t.strip().lower() not in known for t in labels], bool), reason)
    return Typed(kind, None, np.zeros(len(labels), bool), reason)
