"""Which role to suggest for each column, with the reason in words, from its name and its values alone.

The rule: what names a person is never published; what a short list knows as age, sex, place, unit, date, demographic or
administrative is published unchanged, if the values may be that; everything else is secret.
"""

from __future__ import annotations

from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.roles.absence import absence_values
from splu_desktop.core.roles.content import (
    FEWEST,
    all_of,
    counts_records,
    distinct_share,
    filled,
    fits,
    holds_answers,
    holds_days,
    holds_icd,
    holds_sexes,
    holds_times,
    identifier_by_content,
    is_dated,
    may_be_births,
    may_be_names,
    names_persons,
    numbered,
    numbered_alike,
    refers_to,
    sample_labels,
    says_the_same,
    share_missing,
    sizes,
    speaks_in_sentences,
)
from splu_desktop.core.roles.lexicon import HARMLESS, Reading, read_name
from splu_desktop.core.roles.role import Role, Suggestion
from splu_desktop.core.table import IDENTIFIERS, Column, Kind, Table, remembered

__all__ = ["Role", "Suggestion", "absence_values", "suggest_roles"]

_STAGE = "Recognising the source"
_NEAR_UNIQUE, _MOSTLY_UNIQUE = 0.9, 0.5  # different values per record
_GAPS = 0.1  # share of records without a date from which having one tells what happened
_FEWEST_ALIKE, _ONE_BY_ONE = 3, 10  # values of two columns from which being alike is no chance
_MANY = 20  # values from which a number by itself names somebody
_FEW = 3  # values up to which a number names nobody

_UNCHANGED = {
    "age": "The name says age, by which others recognise a person.",
    "sex": "The column tells the sex, by which others recognise a person.",
    "date": "The column tells a date or time, by which others recognise a person.",
    "unit": "The name says a ward, hospital or other unit.",
    "place": "The name says a place, by which others recognise a person.",
    "demographic": "The name says something that others know of a person.",
    "administrative": "The name says how the stay or record was administered.",
}

_TOLD = "The data dictionary beside the file says that it names a person."


def suggest_roles(table: Table, *, progress: Progress = SILENT) -> dict[str, Suggestion]:
    """Suggest a role for every column.

    Parameters
    ----------
    table : the table.
    progress : told before each column is looked at; may raise Cancelled.

    Returns
    -------
    dict
        Column name -> Suggestion, in the table's order.
    """
    found: dict[str, Suggestion] = {}
    for done, column in enumerate(table.columns):
        progress.report(_STAGE, done / max(len(table.columns), 1))
        told = column.name in table.origin.get(IDENTIFIERS, ())
        found[column.name] = _names_person(say(_TOLD)) if told else _suggestion(column)
    _take_second_ages(table, found)
    _take_references(table, found)
    _take_likeness(table, found)
    return found


@remembered
def _suggestion(column: Column) -> Suggestion:
    if filled(column) == 0:
        return Suggestion(Role.DROPPED, say("The column holds no values."), "administrative")
    reading = read_name(column.name)
    return (
        _named_identifier(column, reading)
        or _held_identifier(column, reading)
        or _unchanged(column, reading)
        or _record_of_its_own(column, reading)
        or _secret(column, reading)
    )


def _names_person(reason: str, subject: str = "person", doubt: bool = False) -> Suggestion:
    return Suggestion(Role.IDENTIFIER, reason, subject, doubt)


def _named_identifier(column: Column, reading: Reading) -> Suggestion | None:
    """Return the suggestion for a column whose name says a person, an address or free text, if its values may be it."""
    if holds_answers(column) and not (column.n < FEWEST and reading.says("key")):
        return None  # "telephone": yes, no
    worded = column.kind in (Kind.CATEGORY, Kind.TEXT)
    if reading.says("birth") and (is_dated(column) or holds_days(column) or _is_day(column, reading)):
        return _names_person(say("A date of birth singles out most people."), "age")
    if is_dated(column):
        return None
    harmless = bool(reading.subjects)
    if reading.says("key") and not (column.kind is Kind.DECIMAL and reading.secret) and not _grades(column):
        return _names_person(say("The name says a number of a person, a stay or a record."))
    if reading.says("reach") and not reading.secret and _reaches(column, reading):
        return _names_person(say("The name says an address, or how to reach a person."))
    if reading.says("called") and worded:
        return _names_person(say("The name says names of persons."))
    named = worded and reading.says("name") and not reading.says(*HARMLESS)
    if named and reading.only("name", "fill", "person", "staff", "amount", "birth", "somebody"):
        return _names_person(say("The name says names of persons."))
    agent = bool(reading.lists) and "agent" in reading.lists[-1]  # "verified by"
    told = (reading.says("name", "staff", "somebody") and not reading.says("health")) or agent
    if told and (names_persons(column, whole=True) if harmless else may_be_names(column)):
        return _names_person(say("The values look like names of persons."), doubt=True)
    if reading.says("number") and column.kind is not Kind.DECIMAL and _is_key(column):
        return _names_person(say("The name says a number of a person, a stay or a record."))  # a laboratory's, too
    treats = reading.says("staff") and (reading.says("number") or not reading.says("kind"))
    if treats and not harmless and not reading.secret and column.kind is not Kind.DECIMAL:
        return _names_person(say("The name says who treats or records."))
    if harmless or reading.unknown or reading.secret:
        return _numbered(column, reading) if harmless else None
    if worded and reading.says("text") and (speaks_in_sentences(column) or distinct_share(column) >= 0.2):
        return _names_person(say("Free text may name persons."), "text")
    return _numbered(column, reading)


def _grades(column: Column) -> bool:
    """Whether many rows share a few values without a digit: resistant and sensitive under "CIP", an antibiotic."""
    few = column.m <= _FEW + 2 and column.n >= _MANY * FEWEST
    return few and not any(c.isdecimal() for text in sample_labels(column) for c in text)


def _is_day(column: Column, reading: Reading) -> bool:
    """Whether a column may be the day of a birth, which makes its date beside month and year."""
    if column.kind is not Kind.INTEGER or column.values is None or not reading.says("date"):
        return False
    return 12 < float(column.values[~column.missing].max()) <= 31


def _reaches(column: Column, reading: Reading) -> bool:
    if column.kind is Kind.DECIMAL:
        return True  # a coordinate
    if column.kind is Kind.INTEGER and column.values is not None:
        return float(column.values[~column.missing].max()) >= 10_000
    if not reading.unknown and not reading.says("kind"):
        return True
    # Behind a word that no list has the values must be addresses: "voie d’accouchement" has four.
    written = sum(any(c.isdecimal() or c == "@" for c in text) for text in sample_labels(column))
    return 2 * written >= len(sample_labels(column)) or column.m >= _MANY or distinct_share(column) >= _MOSTLY_UNIQUE


def _numbered(column: Column, reading: Reading) -> Suggestion | None:
    """Return the suggestion for numbers of persons, stays or records; wards and kinds of something have theirs, too."""
    if reading.only("person", "fill") and reading.says("person") and not reading.says("case", "countable"):
        persons = column.m >= _MANY and (column.kind is Kind.INTEGER or numbered(column))  # "participant": P-001
        return _names_person(say("The name says a number of a person or record.")) if persons else None
    if column.kind is Kind.DECIMAL or not reading.says("number") or reading.says("kind"):
        return None
    own = _is_own(column)
    alone = reading.only("number", "fill") and (own or column.m >= _MANY)
    if not (reading.says("person", "case") or alone) or (reading.says("unit", "place", "demographic") and not own):
        return None
    counted = reading.says("counting") and not own
    return None if column.m <= _FEW or counted else _names_person(say("The name says a number of a person or record."))


def _is_key(column: Column) -> bool:
    """Whether nearly every row has a number of its own, which no measure has."""
    alike = filled(column) >= FEWEST and numbered_alike(column) and distinct_share(column) >= _NEAR_UNIQUE
    return alike or counts_records(column)


def _is_own(column: Column) -> bool:
    """Whether values are so many that they number persons or records."""
    return column.m > _FEW and (distinct_share(column) >= _MOSTLY_UNIQUE or numbered_alike(column))


def _held_identifier(column: Column, reading: Reading) -> Suggestion | None:
    """Return the suggestion for a column whose values are numbers or names of persons, or texts, whatever its name."""
    what = identifier_by_content(column)
    weak = what in ("telephone number", "street address", "network address")
    if what and not (weak and (reading.subjects or reading.secret)):
        return _names_person(say("Each value looks like this: {what}.", what=say(what)))
    if not reading.says("place", "unit") and names_persons(column, whole=reading.secret or bool(reading.subjects)):
        return _names_person(say("The values look like names of persons."))
    if speaks_in_sentences(column) and not holds_days(column):
        return _names_person(say("Free text may name persons."), "text")
    return None


def _unchanged(column: Column, reading: Reading) -> Suggestion | None:
    """Return the suggestion for what a list knows as harmless by its name, or by values that leave no doubt."""
    some = share_missing(column) > _GAPS
    for subject in (*reading.subjects, *reading.headed):
        if some and (reading.says("act") or (subject == "date" and reading.says("event"))):
            break  # who has no date of leaving has not left
        if fits(column, subject, reading):
            if _singles_out(column, subject):
                return _names_person(say("Nearly every record has a value of its own."), doubt=True)
            return Suggestion(Role.NSA, say(_UNCHANGED[subject]), subject, bool(reading.headed))
    if holds_sexes(column, named=reading.says("sex")) and not reading.says("somebody", "health"):
        return Suggestion(Role.NSA, say(_UNCHANGED["sex"]), "sex", bool(reading.unknown))
    if len(sample_labels(column)) > 2 and all_of(column, "days"):
        return Suggestion(Role.NSA, say(_UNCHANGED["date"]), "date")
    if len(sample_labels(column)) > 1 and all_of(column, "ways") and not reading.secret:
        return Suggestion(Role.NSA, say(_UNCHANGED["administrative"]), "administrative", True)
    if is_dated(column) and may_be_births(column):
        return _names_person(say("A date of birth singles out most people."), "age", doubt=True)
    if (is_dated(column) or holds_times(column)) and not (some or reading.says("death")):
        return Suggestion(Role.NSA, say(_UNCHANGED["date"]), "date", True)
    return None


def _singles_out(column: Column, subject: str) -> bool:
    """Whether nearly every record has a value of its own, which no ward, trade or way to pay has."""
    return (
        subject in ("unit", "demographic", "administrative")
        and filled(column) >= FEWEST
        and distinct_share(column) >= _NEAR_UNIQUE
    )


def _record_of_its_own(column: Column, reading: Reading) -> Suggestion | None:
    """Return the suggestion for values that name a record because hardly another has them; none of measurements."""
    measured = reading.secret or column.kind is Kind.DECIMAL or is_dated(column)
    many = filled(column) >= FEWEST
    if column.kind is Kind.INTEGER:
        if not measured and (counts_records(column) or (many and numbered_alike(column))):
            return _names_person(say("Nearly every record has a value of its own."), doubt=True)
        return None
    if measured and not (column.kind is Kind.CATEGORY and many and distinct_share(column) >= _NEAR_UNIQUE):
        return None
    if many and (numbered_alike(column) or distinct_share(column) >= _MOSTLY_UNIQUE) and not holds_icd(column):
        return _names_person(say("Nearly every record has a value of its own."), doubt=True)
    return None


def _secret(column: Column, reading: Reading) -> Suggestion:
    if reading.says("health", "amount") and reading.secret:
        return Suggestion(Role.SA, say("The name says a finding, a measure or another private matter."), "health")
    if holds_icd(column):
        return Suggestion(Role.SA, say("The values are codes of illnesses."), "health")
    if reading.subjects:
        reason = say("The values are not what the name says; they may be findings.")
    elif reading.unknown:
        reason = say("No list knows “{word}” as harmless; it may be a finding.", word=reading.unknown[0])
    else:
        reason = say("The name does not say what it is; it may be a finding.")
    return Suggestion(Role.SA, reason, "health", True)


def _take_second_ages(table: Table, found: dict[str, Suggestion]) -> None:
    """Take the age at a diagnosis for secret where another column tells the age."""
    ages = [name for name, each in found.items() if each.role is Role.NSA and each.subject == "age"]
    then = [name for name in ages if read_name(name).says("act", "event")]
    for name in then if len(then) < len(ages) else ():
        found[name] = _secret(table[name], read_name(name))


def _take_references(table: Table, found: dict[str, Suggestion]) -> None:
    """Take a column for a person's number whose values are those of one: the case that infected this one."""
    keys = [table[name] for name, each in found.items() if each.role is Role.IDENTIFIER and each.subject == "person"]
    for column in table.columns:
        if found[column.name].role is not Role.SA or read_name(column.name).says("health"):
            continue
        for key in keys:
            if key.m >= FEWEST and refers_to(column, key):
                reason = say("Its values are values of “{column}”, which names a record.", column=key.name)
                found[column.name] = _names_person(reason)
                break


def _take_likeness(table: Table, found: dict[str, Suggestion]) -> None:
    """Take a column for what another is that says the same, value for value.

    Codes of wards are published beside their names, a harmless name beside a diagnosis is not.
    """
    alike: dict[bytes, list[Column]] = {}
    for column in table.columns:
        if column.m >= _FEWEST_ALIKE and distinct_share(column) < _MOSTLY_UNIQUE:
            alike.setdefault(sizes(column), []).append(column)
    was = dict(found)
    for column, other in ((one, two) for each in alike.values() for one in each for two in each if one is not two):
        own, its = was[column.name], was[other.name]
        released = own.role is Role.SA and own.doubt and its.role is Role.NSA and column.m >= _ONE_BY_ONE
        secret = own.role is Role.NSA and its.role is Role.SA and not its.doubt
        if (released or secret) and says_the_same(column, other):
            reason = say("It says the same as “{column}”, value for value.", column=other.name)
            found[column.name] = Suggestion(its.role, reason, its.subject, True)
