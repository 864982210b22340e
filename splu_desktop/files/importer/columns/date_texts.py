"""Dates and times as people and programs write them; day-first and month-first told apart by the whole column."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.files.importer.columns.many_texts import ManyTexts, look_at
from splu_desktop.files.importer.columns.number_texts import LONGEST
from splu_desktop.files.importer.columns.words import MONTHS, pattern

_LONGEST = 70  # characters of a moment: "Fri Jan 05 2024 10:00:00 GMT+0100 (Central European Standard Time)"
_BOTH = 0.05  # share of records that tell the rarer order, from which a column has both
_FEW = 20  # texts that are not worth a look at all at once
# As each moment has them, and few other texts: a year of four digits beside others, three numbers, two and a name.
DIGITS = re.compile(r"\d{8}|\d{4}\D+\d|\d\D+\d{4}|\d\D+\d+\D+\d|\d\D*[^\W\d_]{3}\D*\d")
_FIRST = np.datetime64("0001-01-01", "us")  # there is no year 0
_TIME = (
    r"(?:(?:[T\s,:]|\s(?:-|à|às|a las|at|um|kl\.?|klo|alle(?: ore)?|в|o)\s|-(?=\d\d\.\d\d\.\d\d))+"
    r"(?P<h>\d{1,2})[:.h](?P<mi>\d{2})(?:[:.](?P<s>\d{2})(?:[.,](?P<f>\d{1,9}))?)?"
    r"\s*(?P<ap>[AaPp](?:\.?[Mm])?\.?)?\s*\(?(?P<z>(?:UTC|GMT)[+-]\d{1,2}(?::?\d{2})?|[+-]\d{2}(?::?\d{2})?"
    r"|Z|UTC|GMT|CES?T|MES?Z|WES?T|BST|[ECMP][SD]T|[A-Z][a-z]+/[A-Z][\w/-]{1,30})?\)?"
    r"(?:\[[\w/+-]{1,30}\]|\s*\([^\W\d_][^()\d]{1,40}\)|\s*Uhr|\s*h)?)?\s*"
)
_YMD = re.compile(r"\s*(?P<y>\d{4})(?P<sep>[-/. ]|\. )(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2})\.?" + _TIME)
_COMPACT = re.compile(r"\s*(?P<y>(?:18|19|20|21)\d{2}|9999)(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])" + _TIME)
_STAMP = pattern("stamp")
_PARTED = pattern("parted_moment")
_WEEK = re.compile(r"\s*(?P<y>\d{4})(-?)W(?P<w>\d\d)\2(?P<d>[1-7])(?P<z>(?!))?\s*")
_MONTH = pattern("month")
_DAY_NAME = (
    r"(?:(?:mo|di|mi|do|fr|sa|so|tu|we|th|su|lu|ma|me|je|ve|mon|tue|wed|thu|fri|sat|sun|lun|mar|mer|jeu|ven|sam|dim)"
    r"[^\W\d_]{0,8}\.?,?\s+)?"
)
_XXY = re.compile(
    rf"(?i)\s*{_DAY_NAME}"
    r"(?P<a>\d{1,2})(?P<sep>[-/.]|\. | (?=\d+ \d{4}))(?P<b>\d{1,2})(?P=sep)(?P<y>\d{4}|\d{2})" + _TIME
)
_CHARACTERS = re.compile(r"\s*(?P<y>\d{4})\s*[年년]\s*(?P<m>\d{1,2})\s*[月월]\s*(?P<d>\d{1,2})\s*[日일]" + _TIME)
_WEEKDAY = r"(?:[^\W\d_]{2,10}\.?,?\s+)?"
_DAY_MONTH = re.compile(
    rf"\s*{_WEEKDAY}(?P<d>\d{{1,2}})(?:st|nd|rd|th|º|er)?\.?[\s\-/]*(?:de\s+|of\s+)?(?P<name>[^\W\d_]{{3,14}})\.?"
    r"[\s\-/,]*(?:del?\s+)?(?P<y>\d{4}|\d{2})(?:\s*[rг]\.)?" + _TIME
)
_MONTH_DAY = re.compile(
    rf"\s*{_WEEKDAY}(?P<name>[^\W\d_]{{3,14}})\.?[\s\-/]*(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:[\s,\-/]+)(?P<y>\d{{4}})"
    + _TIME
)
_YEAR_MONTH_DAY = re.compile(r"\s*(?P<y>\d{4})[\s\-/.]+(?P<name>[^\W\d_]{3,14})\.?[\s\-/.]+(?P<d>\d{1,2})\.?" + _TIME)
# "Thu Jan 31 08:30:00 2019", as C and Unix write it.
_TIME_YEAR = re.compile(
    rf"\s*{_WEEKDAY}(?P<name>[^\W\d_]{{3}})\s+(?P<d>\d{{1,2}})\s+(?P<h>\d{{2}}):(?P<mi>\d{{2}}):(?P<s>\d{{2}})"
    r"(?P<f>(?!))?(?P<ap>(?!))?\s+(?P<z>UTC|GMT)?(?:[A-Z]{3,4})?\s*(?P<y>\d{4})\s*"
)


@dataclass(frozen=True, eq=False)
class Dates:
    """The dates behind m texts.

    Attributes
    ----------
    values : (m,) datetime64[us], NaT where the text is no date.
    fits : (m,) bool, whether the text is a date.
    order : "dmy" or "mdy" as used, None where no text depends on it.
    is_ambiguous : whether texts depend on the order but none tells it, or some tell one and some the other.
    offsets : from UTC, as written, each once. A moment is what the clock of the place showed, whatever its offset.
    """

    values: NDArray[np.datetime64]
    fits: NDArray[np.bool_]
    order: str | None
    is_ambiguous: bool
    offsets: tuple[str, ...] = ()


def _moment(match: re.Match[str], month: int, day: int, latest: dt.datetime) -> dt.datetime | None:
    """Return the moment whose parts were found; of a year of two digits not after the latest."""
    hour, minute, second, micro = 0, 0, 0, 0
    more, year, short = dt.timedelta(), int(match["y"]), len(match["y"]) == 2
    if match["h"]:
        hour, minute, second = int(match["h"]), int(match["mi"]), int(match["s"] or 0)
        micro = int((match["f"] or "0").ljust(6, "0")[:6])
        if match["ap"]:
            if not 1 <= hour <= 12:
                return None
            hour = hour % 12 + (12 if match["ap"][0] in "pP" else 0)
    if hour == 24 and not (minute or second or micro):  # midnight at the end of a day
        hour, more = 0, dt.timedelta(days=1)
    try:
        moment = dt.datetime(year + 2000 * short, month, day, hour, minute, second, micro) + more
        return moment.replace(year=moment.year - 100) if short and moment > latest else moment
    except (ValueError, OverflowError):
        return None


def _parse_unambiguous(
    label: str, compact: bool, latest: dt.datetime
) -> tuple[dt.datetime | None, re.Match[str]] | None:
    """Return the moment of a text in which no day can be taken for a month, with its parts; None for other texts."""
    if week := _WEEK.fullmatch(label):
        with suppress(ValueError):
            return dt.datetime.fromisocalendar(int(week["y"]), int(week["w"]), int(week["d"])), week
    for form in (_YMD, _PARTED, _CHARACTERS, _STAMP, _COMPACT, _DAY_MONTH, _MONTH_DAY, _YEAR_MONTH_DAY, _TIME_YEAR):
        match = form.fullmatch(label)
        if match and (compact or form is not _COMPACT) and (compact or form is not _STAMP or match["z"]):
            month = MONTHS.get(match["name"].lower()) if "name" in form.groupindex else int(match["m"])
            return (_moment(match, month, int(match["d"]), latest), match) if month else None
    return None


def _find_plain(many: ManyTexts, *days: str) -> NDArray[np.intp]:
    """Return which texts are written like one of some days, with or without hh:mm or hh:mm:ss; none of a few texts."""
    if len(many.marks) <= _FEW:
        return np.zeros(0, np.intp)
    times = "", " 00:00", "T00:00", " 00:00:00", "T00:00:00"
    return np.flatnonzero(np.any([many.match(day + time) for day in days for time in times], axis=0))


def _fill(values: NDArray[np.datetime64], at: NDArray[np.intp], texts: Sequence[str]) -> NDArray[np.intp]:
    """Fill in moments written YYYY-MM-DD that stand at some places, all at once; return the places that are left."""
    try:
        moments = np.array(texts, "datetime64[us]")
    except ValueError:  # one of them is no day, so each is tried by itself
        return at
    values[at] = np.where(moments >= _FIRST, moments, values[at])
    return at[moments < _FIRST]


def _choose_order(numbers: Sequence[tuple[int, int]], times: NDArray[np.int64], marks: set[str]) -> tuple[str, bool]:
    """Return the order that the first two numbers of texts tell, and whether they tell none, or both."""
    one, two = np.array(numbers, np.int64).reshape(-1, 2).T
    day_first = int(times[(one > 12) & (one <= 31) & (two >= 1) & (two <= 12)].sum())
    month_first = int(times[(two > 12) & (two <= 31) & (one >= 1) & (one <= 12)].sum())
    # A point between the numbers is a German habit, and German dates are day-first: that decides.
    undecided = bool(marks - {"."}) and min(day_first, month_first) >= _BOTH * max(day_first, month_first)
    return "mdy" if month_first > day_first and not undecided else "dmy", undecided


def parse_dates(
    labels: Sequence[str],
    weights: NDArray[np.int64],
    *,
    order: str | None = None,
    compact: bool = False,
    latest: dt.datetime | None = None,
) -> Dates:
    """Parse each text.

    labels, weights : (m,) texts and the records that have each.
    order : "dmy" or "mdy" to overrule detection.
    compact : whether 20140513 is a date.
    latest : which no date with a year of two digits exceeds; None for the end of the next year.
    """
    latest = latest or dt.datetime(dt.date.today().year + 1, 12, 31, 23, 59, 59)
    values = np.full(len(labels), np.datetime64("NaT", "us"))
    offsets: dict[str, None] = {}
    many = look_at(labels)
    iso = _find_plain(many, "0000-00-00")
    _fill(values, iso, [labels[at] for at in iso.tolist()])
    plain = _find_plain(many, "00.00.0000", "00/00/0000", "00-00-0000")
    texts = [labels[at] for at in plain.tolist()]
    either: list[tuple[int, re.Match[str]]] = []  # texts in which a day may be taken for a month
    others = np.isnat(values)
    others[plain] = False
    for at in np.flatnonzero(others).tolist():
        label = labels[at]
        if len(label) > LONGEST or not 6 <= len(label.strip()) <= _LONGEST or not DIGITS.search(label):
            continue
        match = _XXY.fullmatch(label)
        parsed = None if match else _parse_unambiguous(label, compact, latest)
        if match:
            either.append((at, match))
        elif parsed is not None and parsed[0] is not None:
            values[at] = np.datetime64(parsed[0], "us")
            offsets[parsed[1]["z"] or ""] = None
    numbers = [(int(text[:2]), int(text[3:5])) for text in texts]
    numbers += [(int(match["a"]), int(match["b"])) for _, match in either]
    marks = {match["sep"][0] for _, match in either} | {text[2] for text in texts}
    likely, undecided = _choose_order(numbers, weights[[*plain.tolist(), *(at for at, _ in either)]], marks)
    chosen = order or likely
    d, m = (0, 3) if chosen == "dmy" else (3, 0)
    left = _fill(values, plain, [f"{text[6:10]}-{text[m : m + 2]}-{text[d : d + 2]}{text[10:]}" for text in texts])
    either += [(at, match) for at in left.tolist() if (match := _XXY.fullmatch(labels[at]))]
    for at, match in either:
        day, month = (int(match[part]) for part in ("ab" if chosen == "dmy" else "ba"))
        moment = _moment(match, month, day, latest) if 1 <= month <= 12 else None
        if moment is not None:
            values[at] = np.datetime64(moment, "us")
            offsets[match["z"] or ""] = None
    fits = ~np.isnat(values)
    offsets.pop("", None)
    return Dates(values, fits, chosen if marks else None, undecided and order is None, tuple(sorted(offsets)))


def parse_months(labels: Sequence[str]) -> Dates:
    """Parse texts that name a month of a year otherwise than 2024-03, as its first day: Mar 2024, 03/2024, Mar-24."""
    values = np.full(len(labels), np.datetime64("NaT", "us"))
    for at, label in enumerate(labels):
        match = _MONTH.fullmatch(label) if len(label) <= LONGEST else None
        numbers = [int(digits) for digits in re.findall(r"\d+", label)] if match else [0]
        if match and (month := MONTHS.get(match["name"].lower(), 0) if match["name"] else min(numbers)):
            year = max(numbers)
            if year < 100:
                year += 2000 if year + 2000 <= dt.date.today().year + 1 else 1900
            values[at] = np.datetime64(f"{year}-{month:02d}", "us")
    return Dates(values, ~np.isnat(values), None, False)
