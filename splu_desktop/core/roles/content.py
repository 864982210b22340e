"""What a column's values say about it: official numbers, names of persons, dates, and whether they fit a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from splu_desktop.core.interval_texts import interval_ends
from splu_desktop.core.resources import read_toml, resource_path
from splu_desktop.core.roles.lexicon import HARMLESS, Reading, first_names, lexicon, read_name
from splu_desktop.core.roles.numbers import is_official, national_number
from splu_desktop.core.table import Column, Kind, quantiles, remember, sample_labels
from splu_desktop.core.words import fold, join_words, words_of

MOST = 0.8  # of the labels looked at
FEWEST = 50  # records below which being near-unique says nothing
_FEWEST_NAMES = 8  # different names below which a likeness to names says nothing
_SOME = 2  # names with a title that leave no doubt
_KNOWN_NAMES = 0.4  # of them that a list of first names has
_TELLING = 0.25  # share of values that are findings, from which a column of places or units is none
_OLDEST = 125
_SPREAD = 25  # years between the ages of persons, at least, where an unknown word stands beside
_MONTHS = (1, 12)
_SEXES = 8  # different values, at most
_WORDS = 3  # of "une femme", at most
_LETTERS = 4  # letters or figures that may stand for a sex under its name: XX, 8507 (OMOP)
_LIFE = 25 * 365  # days
_NAMED_DAYS = 5  # weekdays or months from which their names are no other words
_YEARS = (1880, 2100)
_FEWEST_YEARS = 3  # different ones that tell years from other numbers
_CODES = 60  # numbers of wards or of kinds of something, at most, where they count up from 1
_TWO_DIGITS = 10  # the least number of places whose codes have two digits
_VERSIONS = 12
_GRADES = 10  # numbers up to which an unknown word beside a ward, a school or a trade may be asked about: stress, work
_LONG = 7  # letters of a word that stands at the end of others
_PROPER = 3  # capitalised names that may be places
_LATIN = ("al", "ale", "aire", "ar", "ic", "ique", "oid", "um", "us", "ior")  # parts of the body: sigmoid, lumbar
_SERIAL = 4  # digits from which numbers of one length may number persons
_NUMBERING = 0.2  # different values per record from which alike codes number persons and not wards
_CHANCE, _EIGHTH, _PEOPLE = 25, 8, 4  # one column of e^25 is told by chance; eighths of ages; persons that share a ward
_AGREE = 0.95  # of a person's rows, who grows older

_FORMS, _SHAPES = (
    {name: re.compile(form) for name, form in read_toml(resource_path("roles/forms.toml"))[table].items()}
    for table in ("forms", "shapes")
)


def _mostly(labels: Sequence[str], check: Callable[[str], object]) -> bool:
    """Whether a check holds of most labels; most columns fail within the first."""
    first = labels[:10]
    if not labels or sum(map(bool, map(check, first))) < 0.5 * MOST * len(first):
        return False
    return sum(map(bool, map(check, labels))) >= MOST * len(labels)


@remember
def distinct_share(column: Column) -> float:
    """Return the distinct values per record that has one, 0 where none has."""
    return float(np.count_nonzero(column.counts()[~column.missing]) / max(rows_of(column), 1))


def rows_of(column: Column) -> int:
    """Return how many records have a value."""
    return int(column.counts()[~column.missing].sum())


def identifier_by_content(column: Column) -> str | None:
    """Return what kind of direct identifier most of a column's values are, None where they are none."""
    labels = sample_labels(column)
    if column.kind in (Kind.DATE, Kind.DATETIME, Kind.BOOLEAN, Kind.DECIMAL) or len(labels) < 3:
        return None
    if national_number(column) is not None or _mostly(labels, is_official):
        return "official number"
    return next((what for what, form in _FORMS.items() if _mostly(labels, form.fullmatch)), None)


def names_persons(column: Column, *, whole: bool = False, share: float = _KNOWN_NAMES) -> bool:
    """Whether a column's values look like names of persons: by title, or by enough known first names among them.

    whole : names of two words and more are asked for; illnesses and places are called after people, too.
    share : of the values that must have a first name that a list knows.
    """
    labels = sample_labels(column)
    if column.kind not in (Kind.CATEGORY, Kind.TEXT) or not _mostly(labels, _SHAPES["name"].fullmatch):
        return False
    titles, known = lexicon().values["titles"], first_names()
    split = [words_of(text) for text in labels]
    last = _mostly(labels, _SHAPES["initial_last"].fullmatch)
    if len(labels) < _FEWEST_NAMES:  # two doctors, or three first names and nothing else
        first = len(labels) > _SOME and all(words and known.issuperset(words) for words in split)
        titled = sum(len(words) > 1 and words[0] in titles for words in split)
        alike = titled > 0 and all(map(_SHAPES["titled"].fullmatch, labels))
        return first or last or alike or titled >= max(_SOME, len(labels) / 2)
    named = [len(words) > 1 and (words[0] in titles or not known.isdisjoint(words)) for words in split]
    alone = not whole and sum(not known.isdisjoint(words) for words in split) >= MOST * len(split)
    return alone or last or _mostly(labels, _SHAPES["initialled"].fullmatch) or sum(named) >= share * len(split)


def may_be_names(column: Column) -> bool:
    """Whether a column's values are many words with a capital, as names of persons are and much else."""
    labels = sample_labels(column) if column.kind in (Kind.CATEGORY, Kind.TEXT) else []
    if len(labels) > 1 and all(map(_SHAPES["initials"].fullmatch, labels)):
        return True
    return len(labels) >= _FEWEST_NAMES and _mostly(
        labels, lambda text: _SHAPES["name"].fullmatch(text) and text[0].isupper() and len(text.split()) <= 4
    )


def speaks_in_sentences(column: Column) -> bool:
    """Whether a column's values are texts of several words, most of them a record's own."""
    many = column.kind is Kind.CATEGORY and rows_of(column) >= FEWEST and distinct_share(column) >= 0.3
    return column.kind is Kind.TEXT or (many and sum(len(t.split()) - 4 for t in sample_labels(column)) >= 0)


def holds_numbering(column: Column, *, running: bool = False) -> bool:
    """Whether a column holds many codes of one form, different ones for many records: numbers of something."""
    return rows_of(column) >= FEWEST and distinct_share(column) >= _NUMBERING and is_numbered(column, running=running)


def is_numbered(column: Column, *, running: bool = False) -> bool:
    """Whether a column holds codes of one prefix and equally many digits, opaque keys, or, `running`, many numbers."""
    labels = sample_labels(column)
    if len({len(text) for text in labels}) == 1 and _mostly(labels, _SHAPES["key"].fullmatch):
        return True
    if running and column.m >= FEWEST:
        return all(any(map(str.isdigit, text)) for text in labels)  # 9, P-10, 2021/117
    matches = [_SHAPES["code"].fullmatch(text) for text in labels]
    # Before many digits letters may be anybody's: A123456789, K123456789.
    shapes = {(len(each[1]) if len(each[2]) > _SERIAL else each[1], len(each[2])) for each in matches if each}
    return all(matches) and len(shapes) == 1 and (next(iter(shapes))[0] != "" or next(iter(shapes))[1] > _SERIAL)


def counts_records(column: Column) -> bool:
    """Whether whole numbers are each in one record only where chance would repeat some, or are long keys.

    N numbers drawn from R have N (N - 1) / 2R pairs alike on average; where that is 10, one column in 20,000 has none.
    """
    if column.kind is not Kind.INTEGER or column.values is None or column.missing.any() or column.m < column.n:
        return False
    low, span = float(column.values.min()), float(np.ptp(column.values)) + 1
    return column.n >= 20 and (column.n * (column.n - 1) >= 20 * span or (low >= 10_000 and span > 20.0 * column.n))


def refers_to(column: Column, key: Column) -> bool:
    """Whether many of a column's values are values of a key: the case that infected this one, a surgeon who helps."""
    if column.kind.has_order or np.count_nonzero(~column.missing) < min(FEWEST, key.m // 2):
        return False
    labels = sample_labels(column)
    known = set(map(str.strip, key.labels.tolist()))
    return sum(label in known for label in labels) >= 0.3 * len(labels)


def follows(column: Column, key: Column, traits: Sequence[Column] = ()) -> bool:
    """Whether a key's value tells a column's in so many rows, by no chance: a person's sex, a ward's department.

    traits : what tells persons apart, by which not rows are counted but kinds of them; in eighths, as ages grow.
    """
    share = 1 if traits else _AGREE
    for end in sorted({min(1 << 11, column.n), min(1 << 16, column.n), column.n}):  # what differs early differs
        known = ~key.missing[key.codes[:end]] & ~column.missing[column.codes[:end]]
        keys, values = key.codes[:end][known].astype(np.int64), column.codes[:end][known]
        one = np.zeros(key.m, values.dtype)
        one[keys] = values
        often = np.bincount(keys) if end == column.n else key.counts()
        if np.count_nonzero(np.bincount(keys[one[keys] != values])) > (1 - share) * np.count_nonzero(often > 1):
            return False
    each = keys if traits else np.arange(len(keys))
    for other in traits:
        each = np.unique(each * _EIGHTH + other.codes[known] * _EIGHTH // other.m, return_inverse=True)[1]
    people, shares = each.max(initial=-1) + 1, np.bincount(values) / max(len(values), 1)
    lone = bool(traits) and people < _PEOPLE * key.m  # a postcode of one person's visits
    return bool(not lone and (people - key.m) * -np.log(shares @ shares) > _CHANCE)


def holds_days(column: Column) -> bool:
    """Whether a column holds days that could not be read as dates, or times of day: as texts, or as 31121965."""
    labels = sample_labels(column)
    if column.kind not in (Kind.CATEGORY, Kind.TEXT, Kind.INTEGER) or len(labels) < 3 or holds_periods(column):
        return False
    return _mostly(labels, _SHAPES["day"].match)


def holds_periods(column: Column) -> bool:
    """Whether all values of a column are years, or months, quarters or weeks of one: 2024, 2024-03, 2024Q1."""
    labels = sample_labels(column)
    named = (join_words(text).rpartition("_") for text in labels)  # "Apr 2021"
    named_all = all(month and month in _read_calendar() and year.isdecimal() for month, _, year in named)
    return len(labels) > 1 and (named_all or all(map(_SHAPES["period"].fullmatch, labels)))


def tells_when(column: Column) -> bool:
    """Whether values are dates, times, months, weekdays or periods by their look alone, as plain numbers are not."""
    labels = sample_labels(column)
    named = len(labels) >= _NAMED_DAYS and _read_calendar().issuperset(map(join_words, labels))
    written = holds_periods(column) and not any(map(str.isdecimal, labels))
    timed = column.kind is Kind.CATEGORY and _mostly(labels, _SHAPES["time"].fullmatch)
    days = len(labels) >= _NAMED_DAYS and all(map(_SHAPES["eight"].fullmatch, labels))
    return column.kind.is_date or timed or named or written or days


@cache
def _read_calendar() -> frozenset[str]:
    """Return names of months and weekdays, whole and shortened, but no Roman numbers."""
    months = " ".join(read_toml(resource_path("importer/words.toml"))["months"].values()).split()
    days = [day[:end] for day in lexicon().values["weekday"] for end in (2, 3, None)]
    return frozenset(days).union(join_words(month) for month in months if not set(month) <= set("ivx"))


def holds_pairs(column: Column) -> bool:
    """Whether a column holds two measures each, as those of a blood pressure: 120/80."""
    labels = sample_labels(column) if column.kind is Kind.CATEGORY else []
    ends = {text.rpartition("/")[2] for text in labels}  # "17/24": a number of a year
    return len(ends) > _WORDS and _mostly(labels, _SHAPES["pair"].fullmatch)


def holds_years(column: Column) -> bool:
    """Whether whole numbers are all years of living persons' times, which no measure's are."""
    if column.kind is not Kind.INTEGER or column.values is None or column.m < _FEWEST_YEARS or rows_of(column) < FEWEST:
        return False
    numbers = column.values[~column.missing]
    return bool(numbers.min() >= _YEARS[0] and numbers.max() <= _YEARS[1])


def may_be_births(column: Column) -> bool:
    """Whether dates or years lie so far apart and so far back as those of births do."""
    years = holds_years(column)
    if not (years or column.kind.is_date) or column.values is None or rows_of(column) < 2:
        return False
    values = np.repeat(column.values, column.counts() * ~column.marks)  # who is still there was not born in 9999
    days = values * 365.25 if years else values.astype("datetime64[D]").astype(float)
    first, middle, last = quantiles(days, (0.05, 0.5, 1)) if len(days) else (0, 0, 0)  # all may be texts
    return bool(last - first > _LIFE and last - middle > _LIFE / 2)


def holds_ways(column: Column) -> bool:
    """Whether all values of a column are ways to come, answer or pay."""
    labels = sample_labels(column)
    return bool(labels) and all(map(_is_way, labels))


def _is_way(text: str) -> bool:
    """Whether a text is a way to come, answer or pay, or one word that ends with a long one for it: vollstationär."""
    ways, text = lexicon().values["ways"], join_words(text)
    return text in ways or ("_" not in text and any(text.endswith(way) for way in ways if len(way) >= _LONG))


def holds_answers(column: Column) -> bool:
    """Whether a column's values are yes and no, 0 and 1, a mark, or grades such as + and ++."""
    labels = sample_labels(column)
    if column.kind is Kind.BOOLEAN or len(labels) > 5:
        return column.kind is Kind.BOOLEAN
    plain = {join_words(text) for text in labels} - lexicon().values["other"]
    yes, no = lexicon().values["yes"], lexicon().values["no"]
    return plain <= yes | no or all(set(text) <= set("+-") for text in labels)


def holds_sexes(column: Column, *, named: bool = False) -> bool:
    """Whether values are sexes, m and f, h and f, male and female; where `named` so, others may stand beside two."""
    values = lexicon().values
    labels = sample_labels(column)
    known = values["female"] | values["male"] | ({"g"} if named else set())  # garçon
    readings = [join_words(text).split("_") for text in labels] if len(labels) <= _SEXES else []
    held = {next((word for word in words if word in known), words[0]) for words in readings if len(words) <= _WORDS}
    sexes = held & known
    return len(sexes) > 1 and (named or held <= sexes | values["other"]) and not sexes <= values["male"] - {"h", "m"}


def holds_icd(column: Column) -> bool:
    """Whether a column's values are codes of illnesses with their dot."""
    return _mostly(sample_labels(column), _SHAPES["icd"].fullmatch)


def tells_findings(column: Column, *, graded: bool = True) -> bool:
    """Whether values are findings, parts of the body or ends of a stay, or, where `graded`, grades as of schooling."""
    if holds_ways(column):
        return False
    values = lexicon().values
    telling = values["telling"] | values["grades"] if graded else values["telling"]
    count, long = 0, tuple(word for word in values["enough"] if len(word) > _LETTERS)
    labels = [text for text in sample_labels(column) if any(map(str.isalpha, text))]
    for text in labels:
        words = set(map(fold, words_of(text)))
        if words & values["enough"] or any(word.startswith(long) for word in words):
            return True
        short = len(words) <= 3 and not any(map(str.isdigit, text))  # "baseline arm 1" is of a trial
        count += join_words(text) in telling or bool(short and words & telling)
    return count > _TELLING * len(labels)


def names_department(text: str) -> bool:
    """Whether a value is a department by how its name ends: cardiology, pediatrics."""
    return any(_SHAPES["department"].fullmatch(fold(word)) for word in words_of(text))


def says_harmless(text: str) -> bool:
    """Whether a value is a way to come, answer or pay, a kind of staff or of work, or a department."""
    reading = read_name(text)
    plain = reading.says("staff", "administrative", "demographic") and not reading.secret
    return _is_way(text) or names_department(text) or (plain and not reading.says("somebody", "exit"))


def fits(column: Column, subject: str, reading: Reading) -> bool:
    """Whether a column's values may be what its name says."""
    if subject == "age":
        return _fits_age(column, reading)
    if subject == "sex":
        # “Sex work” and “unprotected sex” are what somebody does, and 1 or 2 says of them yes or no.
        pairs = zip(reading.words, reading.words[1:], reading.lists[1:], strict=False)
        acts = any(a == "sex" and "person" in lists and not b.startswith("pat") for a, b, lists in pairs)  # SEX_PAT
        named = not (acts or reading.unknown or reading.says("somebody", "staff", *HARMLESS[2:]))
        coded = named and not reading.says("age") and column.m <= _SEXES
        labels = sample_labels(column)
        short = coded and all(len(text) <= _LETTERS and text.isalnum() for text in labels)
        numbered = named and {"1", "2"} <= set(labels) <= {"0", "1", "2", "3", "9"}
        return short or numbered or holds_sexes(column, named=True)
    if reading.says("sex") and subject in ("date", "demographic", "administrative"):
        return False
    if subject == "date":
        return _fits_date(column, reading)
    personal = subject in ("demographic", "administrative")
    if reading.says("exit") and (personal or reading.says("place")):
        return False  # how somebody left, or to what place, is a finding
    answered = holds_answers(column)
    if not (answered or reading.says("kind", *HARMLESS)):
        return False  # "new patient" is answered by yes, "patient care" is not
    if reading.unknown and not _bears_out(column, subject, reading):
        return False
    # A weekend or an insurance may be yes or no; an admission that is, has happened.
    if answered and subject == "administrative" and not reading.says("countable", "unsure", "event", "demographic"):
        return True
    if answered and (subject != "demographic" or reading.says("event", "administrative")):
        return False  # who asks for a pension
    numbered = column.m <= _VERSIONS and reading.says("kind")  # form version 1.1
    if tells_when(column) or (column.kind is Kind.DECIMAL and not numbered):
        return False
    # A route, a plan or a form may be one of coming or paying, or of treatment: "protocol code".
    vague = (reading.unsure and personal) or not reading.says(*HARMLESS)  # "patient class"
    if column.kind is Kind.INTEGER and column.values is not None:
        return not vague and _fits_codes(column, subject, reading)
    if tells_findings(column, graded=subject != "demographic"):
        return False
    return tells_ways(column, "unit", "place") if vague else _fits_words(column, subject, reading)


def _bears_out(column: Column, subject: str, reading: Reading) -> bool:
    """Whether the values bear a name out that has an unknown word: no trust in a team, or worry about payment."""
    if holds_answers(column):
        return False
    named = all(reading.lists[: reading.link])  # "langue à la maison"
    if subject != "demographic":
        named = are_names(column) or are_names(column, proper=False)
    return column.kind is Kind.INTEGER or named or tells_ways(column, "unit", "place")


def _fits_words(column: Column, subject: str, reading: Reading) -> bool:
    if subject == "administrative" and reading.says("countable") and reading.says("kind"):
        words = [text for text in sample_labels(column) if len(text) > _LETTERS]
        if words and not any(map(says_harmless, words)):
            return False  # admitted freely, by court order
    if reading.says("act") and (reading.unsure or subject == "place"):
        return are_names(column, proper=not reading.unsure) or tells_ways(column, "unit", "place")  # "injection site"
    return (
        not reading.unsure
        or are_names(column)
        or (reading.says("kind") and tells_ways(column, "unit", "place"))  # "lieu_type": at home, hospital
        or (reading.says("number") and not _mostly(sample_labels(column), _SHAPES["site"].fullmatch))
    )


def tells_ways(column: Column, *others: str) -> bool:
    """Whether half of a column's values are ways to come, answer or pay, kinds of staff or work, or of these lists."""
    texts = {text: read_name(text) for text in sample_labels(column)}
    kinds = [says_harmless(text) or (each.says(*others) and each.only("fill", *others)) for text, each in texts.items()]
    return 2 * sum(kinds) >= len(kinds)


def _fits_age(column: Column, reading: Reading) -> bool:
    ranges = lexicon().ranges
    months = any(ranges.get(word[:end]) == _MONTHS for word in reading.words for end in (None, -1, -2))  # "Monaten"
    if column.kind.is_number and column.values is not None:
        values = column.values[~column.missing]
        years = values.min() >= _YEARS[0] and values.max() <= _YEARS[1]
        # Unlike those at first sex, birth or menarche, of a pregnancy or a bone, ages of persons lie far apart.
        wide = not reading.says("birth", "sex") and (not reading.unknown or np.ptp(values) >= _SPREAD)
        return bool(years or (wide and values.min() >= 0 and 1 < values.max() <= _OLDEST * (12 if months else 1)))
    labels = sample_labels(column)
    worded = all(r.only("age", "date", "fill", "amount") and r.says("age", "date") for r in map(read_name, labels))
    # "40 to 69", "below 18"
    banded = interval_ends(column) is not None or worded or _mostly(labels, _SHAPES["band"].fullmatch)
    return column.kind is Kind.CATEGORY and banded and not tells_findings(column, graded=False)  # "500 mg"


def _fits_date(column: Column, reading: Reading) -> bool:
    labels = sample_labels(column)
    if tells_when(column) or holds_periods(column):
        return True
    if column.kind in (Kind.CATEGORY, Kind.TEXT):
        key = (reading.unknown or reading.says("number") or len(labels[0]) == 5) and _mostly(labels, str.isdecimal)
        written = holds_days(column) and not key
        plan = not (reading.unknown or reading.unsure or reading.secret or tells_findings(column))  # "surgery time"
        plan = plan and any(text[0].isdigit() or read_name(text).says("date") for text in labels)  # "3x8", "night"
        plan = plan and not holds_answers(column) and len(labels) <= _VERSIONS and interval_ends(column) is None
        return written or plan
    if column.kind is not Kind.INTEGER or column.values is None or reading.says("unit", "person"):
        return False
    numbers, ranges = column.values[~column.missing], lexicon().ranges
    # Beside acts, kinds and unknown words nearly all months must be there: days after an operation begin with 1, too.
    all_there, phrase = bool(reading.unknown) or reading.says("act", "kind"), f" {' '.join(reading.words)} "
    spans = (span for end, span in ranges.items() if (end if len(end) >= _LETTERS else f" {end} ") in phrase)
    near = np.ptp(quantiles(numbers.astype(float), (0.05, 0.95))) < 0.75 * 365 * _OLDEST  # as nine in ten births are
    return (holds_days(column) and near and not reading.says("number")) or any(
        low <= numbers.min() and numbers.max() <= high and column.m >= (0.9 * (high - low) if all_there else 3)
        for low, high in spans  # "Aufnahmestunde"
    )


def _fits_codes(column: Column, subject: str, reading: Reading) -> bool:
    """Whether whole numbers may be codes: of wards from 1 on, of places from three digits on; none of a count."""
    if column.values is None or (reading.says("date") and subject in ("unit", "place")):
        return False  # a time on a ward
    if reading.unknown and not reading.says("kind", "number"):  # grades of "trust in team", measures of "office BP"
        lengths = {*map(len, sample_labels(column))}
        measured = lengths != {_SERIAL} if subject in ("unit", "administrative") else len(lengths) > 1
        if measured or column.values.max() <= _GRADES:
            return False
    numbers = column.values[~column.missing & np.isfinite(column.values)]  # floors: 1, 2, "ground"
    counted = bool(reading.lists) and "counting" in reading.lists[0]  # num_visits, but site number
    coded = reading.says("kind") or (reading.says("number") and not counted)
    if subject == "demographic":
        return numbers.min() >= 0 and (column.m <= _CODES or coded or distinct_share(column) < 0.01)
    step = np.gcd.reduce(numbers.astype(np.int64))  # "UF", a ward in French, is measured in full decilitres
    if not coded and step > 1 and column.m >= _TWO_DIGITS and 2 * column.m * step > np.ptp(numbers):
        return False
    if coded or (numbers.min() >= 100 and subject != "administrative" and len({*map(len, sample_labels(column))}) <= 2):
        return len(numbers) > 2 or coded or numbers.min() >= 1000  # no sodium: "Na Aufnahme"
    countable = counted or all(each & {"countable", "unsure"} for each in reading.lists if each & {*HARMLESS})
    if subject != "age" and not countable and numbers.min() >= _TWO_DIGITS:
        return len({len(text) for text in sample_labels(column)}) == 1
    return not countable and len(numbers) > 2 and numbers.min() >= 1 and numbers.max() <= 3 * len(numbers) <= 3 * _CODES


def are_names(column: Column, *, proper: bool = True) -> bool:
    """Whether values are codes such as "Site 3" and "NY", or words of wards; or, where `proper`, names of their own."""
    labels = sample_labels(column)

    def is_borne(text: str) -> bool:
        coded = _SHAPES["short_name"].fullmatch(text) and not _SHAPES["roman"].fullmatch(text)
        return bool(coded) or read_name(text).says("unit", "place") or _is_way(text)

    if len(labels) > 1 + proper and _mostly(labels, is_borne):
        return True
    named = [text for text in labels if len(text) > 2 and text[0].isupper() and not any(map(str.isdigit, text))]
    proper = proper and 2 * sum(text.endswith(_LATIN) for text in named) < len(named)
    return proper and len(named) >= _PROPER and len(named) >= MOST * len(labels)
