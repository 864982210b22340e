"""Which columns name persons: by what they are called, by official numbers, and by whom their rows are of."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from splu_desktop.core.resources import read_toml, resource_path
from splu_desktop.core.roles.content import distinct_share, follows, holds_periods, rows_of
from splu_desktop.core.roles.lexicon import HARMLESS
from splu_desktop.core.roles.numbers import holds_products, national_number
from splu_desktop.core.roles.suggest import Role, suggest_roles
from splu_desktop.core.table import Column, Kind, Table, remember, sample_labels, unique
from splu_desktop.core.words import fold, words_of

_LISTS = read_toml(resource_path("roles/persons.toml"))["persons"]
_PERSONS, _NUMBER_WORDS, _JOINED, _NAMES, _OTHERS, _BARE = (
    frozenset(_LISTS[name].split()) for name in ("persons", "numbers", "joined", "names", "others", "bare")
)
_ROWS = tuple(tuple(_LISTS[name].split()) for name in ("stay", "test", "visit", "case"))
_WHO = "|".join(sorted(word for word in _PERSONS if len(word) > 2))
_WHICH = "|".join(sorted(_JOINED))
_TOGETHER = re.compile(rf"(?:{_WHO})(?:e?n|s)?(?:{_WHICH})|(?:{_WHICH})(?:{_WHO})")
_BORN = re.compile(r"birth|geburt|geboor|naiss|nacim|nascit|\bdob\b", re.IGNORECASE)
_DAY = re.compile(r"\d{1,4}[./\- ]\s?(?:\d{1,2}|[^\W\d_]{3,10})\.?[./\- ]\s?\d{2,4}\b")
_MANY = 20  # different words from which on a column called after persons names them
_AGREE = 0.95  # of the persons
_REPEATING = 20  # values with several rows that must be of one sex each: by chance in one of 2^20 tables
_OWN = 0.99  # different numbers per row that number the rows
_ROWS_EACH = 1.2  # rows of a person, on average, where persons repeat


@dataclass(frozen=True)
class PersonColumn:
    """A column that names persons.

    Attributes
    ----------
    name : of the column.
    persons : how many it names.
    rows : how many rows it names one for.
    sure : 3 where name or check digits leave no doubt, 2 where all rows of each value are of one sex or age, 1 where it
        is a bare "id" that repeats.
    """

    name: str
    persons: int
    rows: int
    sure: int

    @property
    def repeats(self) -> bool:
        """Whether some person has several rows."""
        return self.rows > self.persons


def person_columns(table: Table) -> tuple[str, ...]:
    """Return the columns that name persons, the likeliest first; () where none does."""
    return tuple(each.name for each in find_persons(table))


@remember
def find_persons(table: Table) -> tuple[PersonColumn, ...]:
    """Return what names persons, likeliest first: what repeats before what does not, then by how sure it is."""
    candidates = [each for each in map(_as_persons, table.columns) if each is not None]
    if not any(each.sure > 1 for each in candidates):
        candidates += _of_one_person(table)
    mixed = {each.name: len(candidates) > 1 and _mixes_sexes(table, table[each.name]) for each in candidates}
    return tuple(sorted(candidates, key=lambda each: (-each.sure, mixed[each.name], not each.repeats, -each.rows)))


def _mixes_sexes(table: Table, column: Column) -> bool:
    """Whether rows of most values that repeat are of both sexes, as those of a drug's code ("code_cip") are."""
    subjects = suggest_roles(table)
    sexes = [each for each in table.columns if subjects[each.name].subject == "sex" and _is_mixed(each)]
    pairs = [unique(column.codes.astype(np.int64) * each.m + each.codes).size for each in sexes]
    repeated = np.count_nonzero(column.counts() > 1)
    return any(2 * (each - column.m) > repeated for each in pairs)


@remember
def _as_persons(column: Column) -> PersonColumn | None:
    if not column.n or column.kind in (Kind.DATE, Kind.DATETIME, Kind.BOOLEAN):
        return None
    persons, rows = _persons(column), rows_of(column)
    sure = _how_sure(column, persons, rows)
    return PersonColumn(column.name, persons, rows, sure) if sure else None


def _how_sure(column: Column, persons: int, rows: int) -> int:
    words = set(words_of(column.name))
    if not persons or _BORN.search(column.name) or not _looks_like_numbers(column, persons):
        return 0
    if is_name_of_persons(column.name) or national_number(column) is not None:
        return 3
    # "id": what repeats has several rows, whatever it is; what does not may be the rows' number.
    return int(bool(words) and words <= _BARE and persons < rows and persons >= 0.02 * rows)


def what_rows_are(table: Table, *, several: bool) -> int | None:
    """Return what one row is: 0 a patient, 1 a stay, 2 a test, 3 a visit; None where the columns do not tell.

    A number of stays, tests or visits tells it where no two rows share it; else no row of theirs is a patient.

    several : whether a person has several rows.
    """
    for name, each in suggest_roles(table).items():
        words = [fold(word) for word in words_of(name)]
        if each.role is not Role.IDENTIFIER or each.subject != "person" or is_name_of_persons(name):
            continue
        places = [at for at, begins in enumerate(_ROWS, 1) if any(word.startswith(begins) for word in words)]
        if places:
            return places[0] if places[0] < len(_ROWS) and distinct_share(table[name]) > _OWN else None
    return None if several else 0


def _of_one_person(table: Table) -> list[PersonColumn]:
    """Return numbers, whatever they are called, whose rows are always of one sex, or of one age where no sex is told.

    A code or a measure mixes the sexes as soon as it repeats; what mixes them in none of dozens of values follows
    persons or their stays. Rooms may be of one sex as well, so units and places are none.
    """
    subjects = {name: each.subject for name, each in suggest_roles(table).items()}
    by = next((trait for trait in ("sex", "age") if trait in subjects.values()), "")
    same = [column for column in table.columns if by and subjects[column.name] == by and _is_mixed(column)]
    may_be = [column for column in table.columns if same and subjects[column.name] not in HARMLESS]
    return [
        PersonColumn(column.name, _persons(column), rows_of(column), 2)
        for column in may_be
        if column.kind not in (Kind.DATE, Kind.DATETIME, Kind.DECIMAL)
        and _REPEATING <= _persons(column) <= rows_of(column) / _ROWS_EACH
        and _looks_like_numbers(column, _persons(column))
        and _is_numbered(column)
        and all(follows(each, column) for each in same)
    ]


def _persons(column: Column) -> int:
    return int(np.count_nonzero(column.counts()[~column.missing]))


def _is_mixed(column: Column) -> bool:
    counts = column.counts()[~column.missing]
    return bool(counts.max(initial=0) < _AGREE * counts.sum())


def is_name_of_persons(name: str) -> bool:
    """Whether a column's name says that it names persons or holds their numbers, and nothing else."""
    words = words_of(name)
    if "".join(words) in _NAMES | _PERSONS:
        return True
    telling = {word for word in words if not word.isdigit()} - _NUMBER_WORDS
    persons = {word for word in telling if word in _PERSONS or _TOGETHER.fullmatch(word)}
    return bool(telling) and telling == persons and not _OTHERS.intersection(words)


def _looks_like_numbers(column: Column, persons: int) -> bool:
    """Whether values are numbers or codes of persons, however few, and no kinds, answers, days, years or measures."""
    if column.values is not None:
        numbers = column.values[~column.marks]
        return bool((numbers % 1 == 0).all() and (np.abs(numbers) >= 2).any()) and not holds_periods(column)
    if holds_periods(column) or all(map(_DAY.fullmatch, sample_labels(column))) or holds_products(column):
        return False
    return persons >= _MANY or _is_numbered(column)


def _is_numbered(column: Column) -> bool:
    """Whether values hold digits; names hold none, and are of one sex though two persons share them."""
    texts = sample_labels(column)
    return sum(any(map(str.isdecimal, text)) for text in texts) >= 0.8 * len(texts)
