"""Which role to suggest for each column, with the reason in words, from its name and its values alone.

The rule: what names a person is never published; what a short list knows as age, sex, place, unit, date, demographic or
administrative is published unchanged, if the values may be that; everything else is secret.
"""

from __future__ import annotations

from splu_desktop.core.interval_texts import interval_ends
from splu_desktop.core.messages import say
from splu_desktop.core.roles import content
from splu_desktop.core.roles.absence import absence_values, says_absence
from splu_desktop.core.roles.lexicon import HARMLESS, Reading, lexicon, read_name
from splu_desktop.core.roles.numbers import holds_products
from splu_desktop.core.roles.role import Role, Suggestion
from splu_desktop.core.table import IDENTIFIERS, LABELS, Column, Kind, Table, remember, sample_labels
from splu_desktop.core.words import fold, words_of

__all__ = ["Role", "Suggestion", "absence_values", "suggest_roles"]

_NEAR_UNIQUE, _MOSTLY_UNIQUE = 0.9, 0.5  # different values per record
_GAPS = 0.1  # share of records without a date from which having one tells what happened
_MANY_TEXTS = 0.2  # different texts per record
_MANY = 20  # values from which a number by itself names somebody
_FEW = 3  # values up to which a number names nobody
_COUNTS = 100  # the least of them below which they may be counts
_SCALE = 4  # answers from which several columns that have the same are questions of one kind
_SIGNS = 2  # small signs that make a column of words harmless
_MOST_VALUES = 200  # of a column whose values are kinds of something
_TRAITS = ("sex", "age", "demographic", "place")  # what tells persons apart, and stays as it is
_BARRED = ("health", "act", "death", "exit", "birth", "somebody", "case", "called", "text", "reach")

_NUMBER = say("The name says a number of a person, a stay or a record.")
_UNCHANGED = {
    "age": "The name says age, by which others recognise a person.",
    "sex": "The column tells the sex, by which others recognise a person.",
    "date": "The column tells a date or time, by which others recognise a person.",
    "unit": "The name says a ward, hospital or other unit.",
    "place": "The name says a place, by which others recognise a person.",
    "demographic": "The name says something that others know of a person.",
    "administrative": "Name or values say how the stay or record was administered.",
}


@remember  # plan, verdict and register ask anew
def suggest_roles(table: Table) -> dict[str, Suggestion]:
    """Return for every column, in the table's order, what it is taken for."""
    person = _names_person(say("The data dictionary beside the file says that it names a person."))
    named, labels = table.origin.get(IDENTIFIERS, ()), table.origin.get(LABELS, {})
    died = any(read_name(c.name).says("death") and c.kind.is_date and content.rows_of(c) == c.n for c in table.columns)
    roles = {c.name: person if c.name in named else _suggestion(c, labels.get(c.name, ""), died) for c in table.columns}
    _take_second_ages(table, roles)
    _compare(table, roles)
    _take_answers(table, roles)
    return roles


@remember
def _suggestion(column: Column, label: str, died: bool) -> Suggestion:
    """Return what a column is by its name, or by the file's label where that says more or a finding."""
    if content.rows_of(column) == 0:
        return Suggestion(Role.DROPPED, say("The column holds no values."), "administrative")
    reading, meaning = read_name(column.name), read_name(label)
    more = meaning.subjects or meaning.head_subjects or not meaning.unknown
    if label and "?" not in label and more and (reading.unknown or reading.only("fill")):  # "RIDRETH3", "v024"
        reading = meaning
    if died and not column.kind.is_date:  # where all have died, at what age and where tells nothing of one of them
        lists = tuple(each - {"death", "health"} or frozenset({"fill"}) for each in reading.lists)
        reading = Reading(reading.words, lists)
    suggestion = (
        _named_identifier(column, reading)
        or _held_identifier(column, reading)
        or _suggest_unchanged(column, reading)
        or _record_of_its_own(column, reading)
        or _suggest_by_signs(column, reading)
        or _secret(column, reading)
    )
    return _secret(column, meaning) if suggestion.role is Role.NSA and meaning.says("health") else suggestion


def _names_person(reason: str, subject: str = "person", doubt: bool = False) -> Suggestion:
    return Suggestion(Role.IDENTIFIER, reason, subject, doubt)


def _named_identifier(column: Column, reading: Reading) -> Suggestion | None:
    """Return the suggestion for a column whose name says a person, an address or free text, if its values may be it."""
    if content.holds_answers(column) and not (column.n < content.FEWEST and reading.says("key")):
        return None  # "telephone": yes, no
    worded = column.kind in (Kind.CATEGORY, Kind.TEXT)
    if reading.says("birth") and not reading.says("place") and (column.kind.is_date or content.holds_days(column)):
        return _names_person(say("A date of birth singles out most people."), "age")
    if column.kind.is_date or content.holds_icd(column) or holds_products(column):
        return None
    if reading.says("key") and not (column.kind is Kind.DECIMAL and reading.secret):
        return _names_person(_NUMBER)
    agent = len(reading.lists) > 1 and "agent" in reading.lists[-1]  # "verified by", "adressé par"
    housed = reading.says("place") and content.distinct_share(column) < _MOSTLY_UNIQUE  # "address.city"
    few = column.m < _MANY and (reading.unknown or column.kind is Kind.INTEGER)  # "phone os", "vía de transmisión"
    if reading.says("reach") and not (reading.secret or housed or agent or few):
        return _names_person(say("The name says an address, or how to reach a person."))
    if reading.says("employer") and reading.only("employer", "fill", "name", "number"):
        strange = sum(bool(read_name(text).unknown) for text in sample_labels(column))
        if (worded and 2 * strange >= column.m) or reading.says("number"):  # "public" and "private" name none
            return _names_person(say("The name says an employer, by whom others find a person."), doubt=True)
    named = reading.says("name") and not reading.says("unit", "place")  # "Kreisname"
    named = named and reading.only("name", "fill", "person", "staff", "amount", "birth", "somebody")
    if worded and (reading.says("called") or named or reading.words == ("last",)):
        return _names_person(say("The name says names of persons."))
    somebody = (reading.says("name", "staff", "somebody") and not reading.says("health")) or agent
    if somebody and (content.names_persons(column, whole=True) if reading.subjects else content.may_be_names(column)):
        return _names_person(say("The values look like names of persons."), doubt=True)
    alike = content.holds_numbering(column) and content.distinct_share(column) >= _NEAR_UNIQUE
    if reading.says("number") and column.kind is not Kind.DECIMAL and (alike or content.counts_records(column)):
        return _names_person(_NUMBER)  # a laboratory's, too
    plain = worded and {"administrative", "date"}.issuperset(reading.subjects) and not reading.says("clear")
    treats = reading.says("staff") and (reading.says("number") or not reading.says("kind"))
    treats = treats and (not reading.subjects or (plain and not content.fits(column, "date", reading)))  # "entry user"
    somebody = (treats or (agent and worded)) and not (reading.secret or column.kind is Kind.DECIMAL)
    if somebody and not content.tells_ways(column, "unit", "place"):
        return _names_person(say("The name says who treats or records."))  # but "consultant" and "registrar" are kinds
    if reading.unknown or reading.secret:
        coded = reading.says("number") and column.m >= _MANY and content.is_numbered(column) and not reading.secret
        return _names_person(_NUMBER, doubt=True) if coded else None
    many = content.speaks_in_sentences(column) or content.distinct_share(column) >= _MANY_TEXTS
    if worded and many and reading.says("text") and not reading.subjects:
        return _names_person(say("Free text may name persons."), "text")
    return _suggest_numbers(column, reading)


def _suggest_numbers(column: Column, reading: Reading) -> Suggestion | None:
    """Return the suggestion for numbers of persons, stays or records; wards and kinds of something have theirs, too."""
    alone = reading.only("person", "fill") and reading.says("person")
    if alone and not reading.says("case", "countable", "number", *HARMLESS):
        coded = column.m >= _MANY and (column.kind is Kind.INTEGER or content.is_numbered(column))  # P-001
        return _names_person(_NUMBER) if coded else None
    if column.kind is Kind.DECIMAL or not reading.says("number") or reading.says("kind"):
        return None
    lone = column.m > _FEW and (content.distinct_share(column) >= _MOSTLY_UNIQUE or content.holds_numbering(column))
    bare = reading.says("birth") or (reading.only("number", "fill") and (lone or column.m >= _MANY))  # "Geburtennr"
    if not (reading.says("person", "case") or bare) or (reading.says("unit", "place", "demographic") and not lone):
        return None
    counted = reading.says("counting") and not lone and (column.values is None or column.values.min() < _COUNTS)
    return None if column.m <= _FEW or counted else _names_person(_NUMBER)


def _held_identifier(column: Column, reading: Reading) -> Suggestion | None:
    """Return the suggestion for a column whose values are numbers or names of persons, or texts, whatever its name."""
    what = content.identifier_by_content(column)
    weak = what in ("telephone number", "street address") and column.m < _MANY  # a clinic's
    if what and not (weak and (reading.subjects or reading.secret)):
        return _names_person(say("Each value looks like this: {what}.", what=say(what)))
    ways = {"share": content.MOST} if reading.says("place", "unit") else {}  # hospitals are called after saints
    if content.names_persons(column, whole=reading.secret or bool(reading.subjects), **ways):
        return _names_person(say("The values look like names of persons."))
    if content.speaks_in_sentences(column) and not content.holds_days(column):
        return _names_person(say("Free text may name persons."), "text")
    return None


def _suggest_unchanged(column: Column, reading: Reading) -> Suggestion | None:
    """Return the suggestion for what a list knows as harmless by its name, or by values that leave no doubt."""
    for subject in (*reading.subjects, *reading.head_subjects):
        happened = reading.says("event", "exit") or 2 * content.rows_of(column) < column.n
        if _has_gaps(column) and (reading.unknown or reading.says("act") or (happened and subject not in _TRAITS[:3])):
            break  # who has no date of leaving has not left, who has no "suicide age" did not try, nor seen a hospice
        if content.fits(column, subject, reading):
            several = subject in ("unit", "demographic", "administrative") and content.rows_of(column) >= content.FEWEST
            most = _MANY if reading.unknown else column.n / 5
            coded = column.m >= most and content.is_numbered(column, running=True)
            if several and (coded or content.distinct_share(column) >= _NEAR_UNIQUE):  # no ward is one record's own
                return _names_person(say("Nearly every record has a value of its own."), doubt=True)
            return _harmless(subject, bool(reading.head_subjects))
    if content.holds_sexes(column, named=reading.says("sex")) and not reading.says("somebody", "health"):
        return _harmless("sex", bool(reading.unknown))
    if column.kind.is_date and content.may_be_births(column):
        return _names_person(say("A date of birth singles out most people."), "age", doubt=True)
    if content.tells_when(column) and not (_has_gaps(column) or reading.says("death")):
        return _harmless("date", True)
    if reading.secret:
        return None
    if content.holds_years(column):
        return _harmless("age" if content.may_be_births(column) else "date", True)
    ways = content.holds_ways(column) if column.m > 1 else not content.holds_answers(column)  # an illness of all: "yes"
    return _harmless("administrative", True) if ways else None


def _has_gaps(column: Column) -> bool:
    return 1 - content.rows_of(column) / column.n > _GAPS


def _harmless(subject: str, doubt: bool) -> Suggestion:
    return Suggestion(Role.NSA, say(_UNCHANGED[subject]), subject, doubt)


def _record_of_its_own(column: Column, reading: Reading) -> Suggestion | None:
    """Return the suggestion for values that name a record because hardly another has them; none of measurements."""
    measured = reading.secret or column.kind is Kind.DECIMAL or column.kind.is_date
    share, many = content.distinct_share(column), content.rows_of(column) >= content.FEWEST
    named = reading.says("number") and not reading.unknown and "counting" not in reading.lists[0]  # "plan number"
    alike = content.holds_numbering(column, running=named) or (reading.only("fill") and many and share >= _NEAR_UNIQUE)
    if column.kind is Kind.INTEGER:
        lone = not measured and (alike or content.counts_records(column))
    else:
        plain = not measured or (column.kind is Kind.CATEGORY and share >= _NEAR_UNIQUE)
        lone = plain and (alike or (many and share >= _MOSTLY_UNIQUE))
        lone = lone and not (content.holds_icd(column) or content.holds_pairs(column))
    return _names_person(say("Nearly every record has a value of its own."), doubt=True) if lone else None


def _suggest_by_signs(column: Column, reading: Reading) -> Suggestion | None:
    """Return the suggestion for a column of words that no list knows, where two small signs say that it is harmless."""
    lacked = _has_gaps(column) and not reading.says("clear")  # a "detox ward"
    if lacked or reading.secret or reading.says(*_BARRED) or not _may_be_harmless(column):
        return None
    named = reading.lists[: reading.link]  # ages, sexes and dates are told by their values
    hits = [each for each in HARMLESS[3:] if any(each in lists and "unsure" not in lists for lists in named)]
    labels = sample_labels(column)
    signs = any(map(content.says_harmless, labels)) - any(says_absence(text, column) for text in labels)
    senders = ("unit", "place") if reading.says("staff") else ()  # where others go to is a finding
    bears = reading.says("clear") or {"unit", "place"}.intersection(hits)  # an "ECG at admission" has names, too
    if signs + content.tells_ways(column, *senders) + bool(hits) + bool(bears and content.are_names(column)) < _SIGNS:
        return None
    reason = say("Its name and values together say that it is harmless.")
    hits.append("unit" if any(map(content.names_department, labels)) else "administrative")
    return Suggestion(Role.NSA, reason, hits[0], True)


def _may_be_harmless(column: Column) -> bool:
    labels = sample_labels(column)
    findings = content.holds_answers(column) or content.holds_icd(column) or content.tells_findings(column)
    coded = interval_ends(column) is not None or any(map(str.isdecimal, labels))
    if column.kind is not Kind.CATEGORY or findings or coded or len(labels) > _MOST_VALUES:
        return False
    words = {fold(word) for text in labels if not content.names_department(text) for word in words_of(text)}
    return not any(lexicon().lists_of(word) & {"health", "death"} for word in words)


def _secret(column: Column, reading: Reading) -> Suggestion:
    if reading.says("health", "amount") and reading.secret:
        return Suggestion(Role.SA, say("The name says a finding, a measure or another private matter."), "health")
    if content.holds_icd(column):
        return Suggestion(Role.SA, say("The values are codes of illnesses."), "health")
    if column.kind.is_date or (reading.subjects and _has_gaps(column)):
        reason = say("Not all rows have a value, so that having one tells what happened.")
    elif reading.subjects:
        reason = say("The values are not what the name says; they may be findings.")
    elif reading.unknown:
        reason = say("No list knows “{word}” as harmless; it may be a finding.", word=column.name)
    else:
        reason = say("The name does not say what it is; it may be a finding.")
    return Suggestion(Role.SA, reason, "health", True)


def _take_second_ages(table: Table, roles: dict[str, Suggestion]) -> None:
    """Take the age at a diagnosis, or at what nobody knows, and donors' for secret where another column tells it."""
    for subject in ("age", "sex"):
        same = [name for name, each in roles.items() if each.role is Role.NSA and each.subject == subject]
        reading = {name: read_name(name) for name in same if not content.holds_years(table[name])}
        then = [name for name, each in reading.items() if each.unknown or each.says("act", "event", "exit", "somebody")]
        twins = {name for name in same if name[-1:] in "dD" and {f"{name[:-1]}r", f"{name[:-1]}R"}.intersection(same)}
        donors = [name for name in reading if reading[name].says("somebody") or name in twins]  # "Âge D", "Âge R"
        taken = next((each for each in (then, donors) if each and len(each) < len(same)), ())
        roles.update({name: _secret(table[name], reading[name]) for name in taken})


def _compare(table: Table, roles: dict[str, Suggestion]) -> None:
    """Take values of a person's number, and codes of one sex and age, for one; for harmless what a column settles."""
    shown = {name: each.subject for name, each in roles.items() if each.role is Role.NSA and table[name].m > 1}
    keys = [table[name] for name, each in roles.items() if each.role is Role.IDENTIFIER and each.subject == "person"]
    staff = [key for key in keys if content.may_be_names(key)]  # surgeons, and who helped them
    traits = [table[name] for trait in ("sex", "age") for name, subject in shown.items() if subject == trait]
    for column in table.columns:
        if roles[column.name].role is Role.IDENTIFIER or read_name(column.name).says("health"):
            continue
        if any(content.refers_to(column, each) for each in staff):
            roles[column.name] = _names_person(say("The values look like names of persons."), doubt=True)
        secret = roles[column.name].role is Role.SA
        if column.m < 2 or not (secret or shown.get(column.name) == "administrative"):
            continue
        same = traits if secret else traits[:1]  # of a contract the sex alone: who comes again and again grows older
        codes = same and _MANY <= column.m < content.rows_of(column) and (column.kind is Kind.CATEGORY or not secret)
        codes = codes and content.is_numbered(column, running=not secret)
        if key := next((each for each in keys if each.m >= content.FEWEST and content.refers_to(column, each)), None):
            reason = say("Its values are values of “{column}”, which names a record.", column=key.name)
            roles[column.name] = _names_person(reason)
        elif codes and all(content.follows(each, column) for each in same):
            roles[column.name] = _names_person(say("All rows of one value may be one person’s."), doubt=True)
        elif secret and (name := _settling(table, column, shown)) is not None:
            reason = say("It says nothing that “{column}” does not say.", column=name)
            roles[column.name] = Suggestion(Role.NSA, reason, shown[name], True)


def _settling(table: Table, column: Column, shown: dict[str, str]) -> str | None:
    """Return which published column tells a column's values: wards tell theirs, ages their band, codes their text."""
    led = content.holds_answers(column) or content.may_be_names(column)  # by whom a ward is
    for name, subject in {} if led or column.missing.any() else shown.items():
        key, traits = table[name], [table[each] for each in shown if shown[each] in _TRAITS and shown[each] != subject]
        alike = key.m == column.m and (subject != "sex" or read_name(column.name).says("sex"))
        settles = subject in ("unit", "place", "age") or (subject in _TRAITS and alike)
        if settles and traits and key.m >= column.m and content.follows(column, key, traits):
            return name
    return None


def _take_answers(table: Table, roles: dict[str, Suggestion]) -> None:
    """Take for secret what is answered in the words of several secret columns: one scale for many questions."""
    scales = {c.name: frozenset(c.labels[~c.missing]) for c in table.columns if c.kind is Kind.CATEGORY and c.m < _MANY}
    secret = [each for name, each in scales.items() if roles[name].role is Role.SA and len(each) >= _SCALE]
    hits = [name for name, each in scales.items() if secret.count(each) > 1 and roles[name].role is not Role.SA]
    hits = [name for name in hits if not content.may_be_names(table[name])]  # one staff in many columns
    roles.update({name: _secret(table[name], read_name(name)) for name in hits})
