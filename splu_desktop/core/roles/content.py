"""What a column's values say about it: e-mail addresses, telephone numbers, official numbers with check digits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np

from splu_desktop.core.roles.names import listed
from splu_desktop.core.roles.numbers import (
    british_national_insurance,
    french_nir,
    german_insurance_number,
    german_tax_number,
    iban,
    nhs_number,
    spanish_dni,
    spanish_social_security,
    swiss_social_security,
    us_medicare,
    us_provider,
)
from splu_desktop.core.roles.vocabulary import (
    BODY,
    RECORDED,
    TIMED,
    Matter,
    RoleCard,
    first_names,
    harmless,
    identifying,
    matters,
    said_in,
    states,
)
from splu_desktop.core.table import Column, Kind, remembered
from splu_desktop.core.words import unaccented, words_of

LOOKED_AT = 2000  # labels looked at per column
MOST = 0.8  # of the labels looked at
REFERENCES = 0.3  # of a column's labels that are labels of a key
NEAR_UNIQUE = 0.9  # distinct values per record
_RARE = 0.3  # distinct values per record from which many stand alone
_VALUES, _LONG = 300, 80  # values looked at for what they name, and their characters
_REPEATED = 20  # records that repeat a value, from which two columns agree in all by no chance
FEWEST = 50  # records below which being near-unique says nothing

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")
_PHONE = re.compile(
    r"(?:\+|00)\d{1,3}[\s./()-]*(?:\d[\s./()-]*){6,12}|\(?0?\d{2,4}\)?[\s./-]\d{3,4}[\s./-]\d{2,4}(?:[\s.-]?\d{2,4})?"
)
_SSN = re.compile(r"\d{3}-\d{2}-\d{4}")
_UUID = re.compile(r"\{?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\}?")
_IP = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}")
_URL = re.compile(r"(?:https?://|www\.)\S+")
_STREET = re.compile(
    r"\d{1,5}[a-z]?,?\s+(?:[\w.'-]+\s+){1,4}(?:st|street|ave|avenue|rd|road|ln|lane|dr|drive|blvd|way|court|ct|close)\b\.?.*"
    r"|.*(?:stra(?:ß|ss)e|str\.|gasse|platz|weg|allee)\s*\d+\s?[a-z]?\b.*|(?:\d+\s?(?:bis|ter)?,?\s+)?(?:rue|avenue|boulevard|place|chemin|calle|avenida|plaza|paseo)\s.*\d*.*",
    re.IGNORECASE,
)


# Checks whose chance agreement is small enough that most labels passing is proof.
_CHECKS = (
    ("NHS number", nhs_number),
    ("Spanish identity number", spanish_dni),
    ("French social-security number", french_nir),
    ("German health-insurance number", german_insurance_number),
    ("German tax number", german_tax_number),
    ("Swiss social-security number", swiss_social_security),
    ("Spanish social-security number", spanish_social_security),
    ("US Medicare number", us_medicare),
    ("US provider number", us_provider),
    ("British National Insurance number", british_national_insurance),
    ("bank account number (IBAN)", iban),
    ("e-mail address", lambda text: _EMAIL.fullmatch(text.strip()) is not None),
    ("social-security number", lambda text: _SSN.fullmatch(text.strip()) is not None),
    ("telephone number", lambda text: _PHONE.fullmatch(text.strip()) is not None),
    ("unique key", lambda text: _UUID.fullmatch(text.strip()) is not None),
    ("network address", lambda text: _IP.fullmatch(text.strip()) is not None),
    ("web address", lambda text: _URL.fullmatch(text.strip()) is not None),
    ("street address", lambda text: _STREET.fullmatch(text.strip()) is not None),
)


# What a medical column may hold too: codes of digits and dashes, and words such as "place".
_DAY = re.compile(r"-?\d{5,}$|\d{1,4}[./\- ]\s?(?:\d{1,2}|[^\W\d_]{3,10})\.?[./\- ]\s?\d{2,4}\b")
_PERIOD = re.compile(r"(?:19|20)\d\d(?:[-/. ]?(?:0[1-9]|1[0-2]|[QTKWS]\d{1,2}))?|(?:0?[1-9]|1[0-2])[-/.]?(?:19|20)\d\d")
_ANSWERS = listed(identifying()[1]["answers"])
_MOST_ANSWERS = 5
_NO = listed("0 n no non nein nee nao none f false falso faux -")
_YES_NO = _NO | _ANSWERS | listed("s o t v x + vero vrai wahr verdadero verdadeiro")
_GRADE = re.compile(r"(?:i{1,3}|iv|v|vi{0,3})[a-c]?", re.IGNORECASE)
WEAK = ("telephone number", "social-security number", "network address", "street address")
_DECIMAL_CODE = re.compile(r"[A-Z]?\d{1,3}\.\d{1,3}")
_SERIAL = re.compile(r"([^\W\d_]{1,6}[-_./ ]?)(\d{3,})")
_BARE = re.compile(r"()(\d{5,})")
_KEY, _TURNS, _MIXED = re.compile(r"[^\W_]{8,64}"), re.compile(r"[^\W\d_]\d"), 2  # letters and digits take turns
_LAST = re.compile(r"(.*[^\W_])[-/_. ](\d{1,3})")  # 000012/1
_MOST_OF_LIST, _FIRST = 0.6, 10  # of labels that stand in a special list; labels looked at first
_SIDES = listed(
    "left right both links rechts beide gauche droite izquierda izquierdo derecha derecho destra sinistra esquerda "
    "direita"
)
_NUMBERED = re.compile(r"[^\W\d_]+\d")
_CODE = 20  # characters of a code with its blanks, such as "DC 1234 X"
_SPELLINGS = 4  # of one value of a list (Mon, Monday), on average, beyond which the words are parts of codes
_LEAST_WORD = 3  # letters of a value that says something; fewer are a code
_FEW = 20  # values below which many records share each, as those of kinds and answers
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*\.?")
_PERSON_SHAPE = re.compile(r"[^\W\d_][^\d_@/;:()\[\]+*=<>#%&\"!?]*")
_TITLES = listed(identifying()[1]["titles"])
_PARTICLES = listed(identifying()[1]["particles"])
_SENTENCE, _FEWEST_SPOKEN, _SPOKEN_SHARE = 4, 3, 0.02  # words of one; values that name somebody, at least, and of all
_NO_PERSON = listed(identifying()[1]["no_person"])
_NUMBERING = 0.2  # distinct values per record from which alike codes number persons and not wards or kinds
_FEWEST_NAMES = 10  # distinct labels below which a likeness to names says nothing


@remembered
def sample_labels(column: Column) -> Sequence[str]:
    """Return up to LOOKED_AT labels spread over the column's, missing ones left out."""
    present = np.flatnonzero(~column.missing)
    step = max(1, len(present) // LOOKED_AT)
    return [str(label) for label in column.labels[present[::step]]]


def identifier_by_content(column: Column) -> str | None:
    """Return what kind of direct identifier most of a column's values are, None where they are none."""
    if column.kind in (Kind.DATE, Kind.DATETIME, Kind.BOOLEAN):
        return None
    labels = sample_labels(column)
    if len(labels) < 3:
        return None
    for what, check in _CHECKS:
        # A quick look first: most columns fail every check within a few labels.
        if sum(map(check, labels[:10])) >= 0.5 * len(labels[:10]) and sum(map(check, labels)) >= MOST * len(labels):
            return what
    return None


def names_persons(column: Column, *, whole: bool = False) -> bool:
    """Whether a column's values look like names of persons: by title, or by enough known first names among them.

    `whole` asks for names of two words and more: illnesses are called after people, too.
    """
    if column.kind not in (Kind.CATEGORY, Kind.TEXT):
        return False
    labels = sample_labels(column)
    if len(labels) < _FEWEST_NAMES or sum(_named(text) is not None for text in labels[:10]) < 5:
        return False
    found = [_named(text) for text in labels]
    shaped = [each for each in found if each is not None]
    if len(shaped) < MOST * len(labels):
        return False
    titled, known, words = (sum(each[at] for each in shaped) for at in range(3))
    alone = words < 1.5 * len(shaped)  # first names by themselves, of which a list knows more
    if whole and alone:
        return False
    return titled >= 0.6 * len(labels) or known >= (0.6 if alone else 0.4) * len(labels)


def _named(text: str) -> tuple[bool, bool, int] | None:
    """Return whether a text has a title, whether it has a known first name, and its words; None where it is no name."""
    if len(text) > 60 or not _PERSON_SHAPE.fullmatch(text.strip()):
        return None
    words = _WORD.findall(text)
    plain = [unaccented(word.rstrip(".")).lower() for word in words]
    if not 1 <= len(words) <= 6 or _NO_PERSON.intersection(plain):
        return None
    if any(word[0].islower() and low not in _PARTICLES for word, low in zip(words, plain, strict=True)):
        return None
    titled = len(words) > 1 and plain[0] in _TITLES
    known_names = first_names()
    known = any(low in known_names or low.split("-")[0] in known_names for low in plain)
    return titled, known, len(words)


def speaks_of_persons(column: Column) -> bool:
    """Whether sentences among a column's values speak of somebody by title and name: “seen by Dr Rahman today”."""
    labels = [words for text in sample_labels(column) if len(words := text.split()) >= _SENTENCE]
    spoken = sum(any(_named_after(*pair) for pair in pairwise(words)) for words in labels)
    return spoken >= max(_FEWEST_SPOKEN, _SPOKEN_SHARE * column.m)


def _named_after(title: str, name: str) -> bool:
    if not (name[:1].isupper() and name[1:2].islower()):
        return False
    return unaccented(title.strip("(,;:").rstrip(".")).lower() in _TITLES


def matter_in(column: Column, *, known: bool = False) -> Matter | None:
    """Return the special matter that a column's values name: one does by a word that is enough, or a third of them do.

    known : whether the name says what the column is, and nothing special: wards, trades and places bear names of
    illnesses (Oncology, Leiden). Then only a word that is enough counts, or parts of the body.
    """
    if column.kind not in (Kind.CATEGORY, Kind.BOOLEAN):
        return None
    labels = [label for label in sample_labels(column)[:_VALUES] if any(map(str.isalpha, label))]
    words = {word for label in labels if len(label) <= _LONG for word in words_of(label)}
    if told := next((matter for matter in matters() if matter.enough & words), None):
        return told
    several, short = _several_parts(words), [label for label in labels if len(label) <= _LONG]
    if known:
        found = [_body() for label in short if several and any(map(_body().long.said, words_of(label)))]
    else:
        found = [matter for label in short if (matter := said_in(label)) and (several or matter.what != BODY)]
    if len(found) < max(1, len(labels) / 3):
        return None
    return max(dict.fromkeys(found), key=found.count)


def _several_parts(words: set[str]) -> bool:
    """Whether words name parts of the body, or sides of one: no arm of a trial, and not face to face."""
    return sum(map(_body().long.said, words)) > 1 or bool(words & _SIDES)


@cache
def _body() -> Matter:
    return next(matter for matter in matters() if matter.what == BODY)


def unheard_of(column: Column) -> bool:
    """Whether a column holds words, most of which no list knows to be harmless: “new” and “chronic” of an episode."""
    labels = [text for text in sample_labels(column)[:_VALUES] if words_of(text)]
    if column.kind is not Kind.CATEGORY or any(map(str.isdigit, "".join(labels))):
        return False
    if any(len(text.strip()) < _LEAST_WORD for text in labels):
        return False
    return 2 * sum(map(harmless, labels)) < len(labels)


def rare_values(column: Column) -> bool:
    """Whether a column of numbers, dates or codes has so many values that many records have one of their own."""
    filled = filled_by(column)[1]
    return filled >= FEWEST and int((~column.missing).sum()) > FEWEST and distinct_share(column) >= _RARE


def holds_small_numbers(column: Column) -> bool:
    """Whether a column holds numbers of a few digits, which reach nobody."""
    if column.kind not in (Kind.INTEGER, Kind.DECIMAL) or column.values is None:
        return False
    return bool((np.abs(column.values[~column.missing]) < 10_000).all())


def holds_codes(column: Column) -> bool:
    """Whether a column holds many different codes of four digits or more."""
    labels = sample_labels(column)
    return column.m >= FEWEST and sum(sum(map(str.isdecimal, text)) >= 4 for text in labels) >= MOST * len(labels)


def holds_digits(column: Column) -> bool:
    """Whether most of a column's values are short and have a digit in them, as numbers and codes of persons do."""
    labels = sample_labels(column)
    coded = sum(len(text.strip()) <= _CODE and any(map(str.isdecimal, text)) for text in labels)
    return coded >= MOST * len(labels) > 0


def numbered_alike(column: Column, *, bare: bool = False) -> bool:
    """Whether a column holds many codes of one prefix and equally many digits, such as M00237: numbers of something.

    Or keys of letters and digits, all equally long, as programs make them: 9f86d081884c.

    bare : digits alone, five at least.
    """
    labels, pattern = sample_labels(column), _BARE if bare else _SERIAL
    if len({len(text) for text in labels}) == 1 and sum(map(_opaque, labels)) >= MOST * len(labels):
        return len(labels) >= FEWEST and distinct_share(column) >= _NUMBERING
    shapes: set[tuple[str, int]] = set()
    for text in labels:
        match = pattern.fullmatch(text.strip())
        if match is None or len(shapes) > 1:
            return False
        shapes.add((match[1], len(match[2])))
    return len(shapes) == 1 and len(labels) >= FEWEST and distinct_share(column) >= _NUMBERING


def _opaque(text: str) -> bool:
    """Whether a text is a key in which letters and digits take turns."""
    return _KEY.fullmatch(text) is not None and len(_TURNS.findall(text)) >= _MIXED


def counts_up(column: Column) -> bool:
    """Whether values differ in a number at their end alone, which counts up from 0 or 1: 000012/1, 000012/2.

    Looked at are those that come first, of which all with one beginning stand together.
    """
    ends: dict[str, list[int]] = {}
    for text in column.labels[np.flatnonzero(~column.missing)[:LOOKED_AT]]:
        match = _LAST.fullmatch(str(text).strip())
        if match is None:
            return False
        ends.setdefault(match[1], []).append(int(match[2]))
    several = [sorted(each) for each in ends.values() if len(each) > 1]
    counted = sum(each[0] in (0, 1) and each == list(range(each[0], each[0] + len(each))) for each in several)
    return len(ends) >= _FEWEST_NAMES and counted >= max(_FEWEST_NAMES, MOST * len(several))


def holds_long_numbers(column: Column) -> bool:
    """Whether all of a column's values are numbers of three digits and more, as those of long lists of codes are."""
    labels = sample_labels(column)
    return bool(labels) and all(len(text.strip()) >= _LEAST_WORD and text.strip().isdecimal() for text in labels)


def holds_decimal_codes(column: Column) -> bool:
    """Whether a column's values are codes with a decimal point, no numbers: at least one begins with a letter."""
    found = [_DECIMAL_CODE.fullmatch(text.strip()) for text in sample_labels(column)]
    return column.kind is Kind.CATEGORY and 3 * len(list(filter(None, found))) >= len(found) > 0


def beyond_a_month(column: Column) -> bool:
    """Whether a column's whole numbers go further than the days of a month."""
    return column.kind is Kind.INTEGER and column.values is not None and bool((column.values > 31).any())


def holds_answers(column: Column) -> bool:
    """Whether a column's values are answers such as yes and no, or marks, whatever its name."""
    labels = sample_labels(column)
    return len(labels) <= _MOST_ANSWERS and all(
        len(text.strip()) <= 1 or unaccented(text.strip()).lower() in _ANSWERS for text in labels
    )


def says_yes_or_no(column: Column) -> bool:
    """Whether a column's values are yes and no, or a mark and its absence, and no codes of something else."""
    labels = {unaccented(text.strip()).lower() for text in sample_labels(column)}
    return len(labels) <= _MOST_ANSWERS and labels <= _YES_NO and bool(labels & _NO)


def unlike(column: Column, matter: Matter) -> bool:
    """Whether a column's values are of a kind that no column of a matter has, whatever its name: a ward of 3.5."""
    return ("decimals" in matter.unlike and column.kind is Kind.DECIMAL) or (
        "yes_no" in matter.unlike and says_yes_or_no(column)
    )


def below_a_thousand(column: Column) -> bool:
    """Whether a column holds numbers of which some are below 1,000: counts, ratings and measures; codes may be none."""
    if column.kind not in (Kind.INTEGER, Kind.DECIMAL) or column.values is None:
        return False
    return bool((column.values[~column.missing] < 1000).any())


def holds_grades(column: Column) -> bool:
    """Whether a column's values are Roman numerals, as classes and stages have."""
    labels = sample_labels(column)
    return len(labels) > 1 and all(_GRADE.fullmatch(text.strip()) for text in labels)


def few(column: Column) -> bool:
    """Whether a column holds a few single words, which are kinds of something, and no texts."""
    return column.m < _FEW and column.n >= FEWEST and all(len(words_of(text)) < 2 for text in sample_labels(column))


def in_one_list(column: Column) -> Matter | None:
    """Return the matter in whose list of values a column's stand: days of the week, sexes, ways to pay; all of them do.

    Of a special matter most are enough: who has no result, or one that a list does not know, has theirs beside others.
    """
    labels = sample_labels(column)
    for matter in matters():
        share = _MOST_OF_LIST if matter.card is RoleCard.SPECIAL else 1.0
        if not matter.all or sum(_stands_in(matter, text) for text in labels[:_FIRST]) < share * len(labels[:_FIRST]):
            continue
        held = [_first(text) or text for text in labels if _stands_in(matter, text)]
        values = len(set(held))  # M01, M02, F01: numbers of something, of which a letter says the sex
        fewest = 3 if matter.what in (RECORDED, TIMED) else 2
        if len(held) >= share * len(labels) and values >= fewest and len(held) <= _SPELLINGS * values:
            return matter
    return None


def _stands_in(matter: Matter, text: str) -> bool:
    """Whether a value is one of a matter's list: by its first word, or by all of them where it is to be harmless."""
    words = words_of(text)
    if matter.card is not RoleCard.HARMLESS or matter.what == RECORDED:
        return _first(text) in matter.all or text.strip() in matter.all  # of results: -, +, ++, 2+
    return "_".join(words) in matter.all or (bool(words) and matter.all.issuperset(words))


def worded_otherwise(column: Column, matter: Matter) -> bool:
    """Whether a column holds words, no codes or answers, and none of those that a matter's columns hold."""
    labels = sample_labels(column)
    worded = column.kind is Kind.CATEGORY and all(
        len(text) >= _LEAST_WORD and not any(map(str.isdigit, text)) for text in labels
    )
    return worded and not holds_answers(column) and not any(_first(text) in matter.all for text in labels)


def _first(text: str) -> str:
    """Return the first word of a text, "" where digits follow it at once: F01 is a number, and no sex."""
    return "" if _NUMBERED.match(text.strip()) else next(iter(words_of(text)), "")


def holds_states(column: Column) -> bool:
    """Whether all values of a column are states of a federation."""
    return all("_".join(words_of(text)) in states() for text in sample_labels(column))


def looks_like_days(column: Column) -> bool:
    """Whether a column holds days that could not be read as dates: as texts, or as numbers such as 31121965."""
    labels = sample_labels(column)
    if column.kind not in (Kind.CATEGORY, Kind.TEXT, Kind.INTEGER) or len(labels) < 3 or holds_periods(column):
        return False
    return sum(_DAY.match(label.strip()) is not None for label in labels) >= MOST * len(labels)


def holds_periods(column: Column) -> bool:
    """Whether all values of a column are years, or months, quarters or weeks of one: 2024, 2024-03, 2024Q1."""
    labels = sample_labels(column)
    return len(labels) > 1 and all(_PERIOD.fullmatch(label.strip()) for label in labels)


@remembered
def filled_by(column: Column) -> tuple[int, int]:
    """Return how many values the records of a column have, and how many records have one."""
    counts = column.counts()[~column.missing]
    return int(np.count_nonzero(counts)), int(counts.sum())


def distinct_share(column: Column) -> float:
    """Return the distinct values per record that has one, 0 where none has."""
    filled = filled_by(column)[1]
    return float(np.count_nonzero(~column.missing)) / filled if filled else 0.0


def near_unique(column: Column) -> bool:
    """Whether nearly every record has a value of its own, in a table large enough for that to mean something."""
    filled = filled_by(column)[1]
    return filled >= FEWEST and distinct_share(column) >= NEAR_UNIQUE


def counts_records(column: Column) -> bool:
    """Whether a column's whole numbers are each in one record only where chance would repeat some, or are long keys.

    N numbers drawn from R have N (N - 1) / 2R pairs alike on average; where that is 10, none is alike by chance in one
    column of 20,000.
    """
    if column.kind is not Kind.INTEGER or column.values is None or column.missing.any() or column.m < column.n:
        return False
    low, span = float(column.values.min()), float(np.ptp(column.values)) + 1
    return column.n * (column.n - 1) >= 20 * span or (low >= 10_000 and span > 20.0 * column.n)


@remembered
def sizes(column: Column) -> bytes:
    """Return how many records each value has, the smallest first: columns that say the same have the same."""
    counts = column.counts()
    return np.sort(counts[counts > 0]).astype(np.int64).tobytes()


def says_the_same(column: Column, other: Column) -> bool:
    """Whether records have one value in common in a column just where they have one in the other, over many of each."""
    if sizes(column) != sizes(other) or len(column.codes) < column.n or len(other.codes) < other.n:
        return False
    beside = np.empty(column.m, dtype=other.codes.dtype)
    beside[column.codes] = other.codes  # as many values with as many records: what is told by one side is by both
    repeated = column.n - int(np.count_nonzero(column.counts()))
    return repeated >= _REPEATED and bool((beside[column.codes] == other.codes).all())


def empty_by(column: Column, other: Column) -> bool:
    """Whether a column is empty in all records of some values of another and in none of the rest: who had waited."""
    if other.m > _FEW or len(column.codes) < column.n or len(other.codes) < other.n:
        return False
    if not column.missing.any() or column.missing.all():
        return False
    for end in (LOOKED_AT, column.n):  # most differ soon
        empty = column.missing[column.codes[:end]]
        held = np.bincount(other.codes[:end], minlength=len(other.missing))
        gaps = np.bincount(other.codes[:end], weights=empty, minlength=len(other.missing))
        told = ~other.missing & (held > 0)
        if not ((gaps == held) | (gaps == 0))[told].all():
            return False
    return bool(min(held[told & (gaps > 0)].sum(), held[told & (gaps == 0)].sum()) >= _REPEATED)


def refers_to(column: Column, key: Column) -> bool:
    """Whether many of a column's values are values of a key column: a reference to another record.

    Many is enough: a table rarely holds all the persons it refers to (the case that infected this one, a mother).
    """
    if column.kind.ordered or np.count_nonzero(~column.missing) < FEWEST:
        return False
    own = sample_labels(column)  # a column of free text may have a label per record
    wanted = set(own)
    known = wanted.intersection(key.labels[~key.missing].tolist())
    return sum(label in known for label in own) >= REFERENCES * len(own)
