"""What a column is to a release, and which role to suggest for it, with the reason in words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum

from splu_desktop.core.generalise import is_measurement
from splu_desktop.core.groups.forming import largest_gamma
from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.roles.codes import codes_of
from splu_desktop.core.roles.content import (
    FEWEST,
    WEAK,
    below_a_thousand,
    beyond_a_month,
    counts_records,
    distinct_share,
    few,
    holds_answers,
    holds_codes,
    holds_decimal_codes,
    holds_grades,
    holds_long_numbers,
    holds_periods,
    holds_small_numbers,
    holds_states,
    identifier_by_content,
    in_one_list,
    looks_like_days,
    matter_in,
    names_persons,
    near_unique,
    numbered_alike,
    rare_values,
    refers_to,
    says_the_same,
    says_yes_or_no,
    sizes,
    speaks_of_persons,
    unheard_of,
    unlike,
    worded_otherwise,
)
from splu_desktop.core.roles.names import (
    birth_by_name,
    coordinate_by_name,
    counts_off,
    day_by_name,
    identifier_by_name,
    measures,
    medical,
    names_a_case,
    names_a_file,
    names_a_way,
    names_one_person,
    number_by_name,
    numbering,
    person_by_name,
)
from splu_desktop.core.roles.vocabulary import (
    AGED,
    FOUND,
    RECORDED,
    TIMED,
    Matter,
    RoleCard,
    doubtful,
    said_by,
    says_only,
    special,
)
from splu_desktop.core.table import Column, Kind, Table, remembered
from splu_desktop.core.words import words_of
from splu_desktop.frozen import dataclass


class Role(Enum):
    """The four roles (mechanism.md section 1)."""

    IDENTIFIER = "identifier"  # names a person; never published
    NSA = "nsa"  # non-sensitive attribute, published unchanged
    SA = "sa"  # sensitive attribute, re-drawn
    DROPPED = "dropped"  # left out by choice

    @property
    def published(self) -> bool:
        """Whether the column stands in the published table."""
        return self in (Role.NSA, Role.SA)


@dataclass(frozen=True)
class Suggestion:
    """A role and the reason for it.

    Attributes
    ----------
    role : the role.
    reason : one short sentence for the custodian.
    card : which of the four cards the column belongs to.
    matter : what the sensitive thing is, such as "a diagnosis or illness"; "" where nothing says that there is one.
    """

    role: Role
    reason: str
    card: RoleCard = RoleCard.HARMLESS
    matter: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", say(self.reason))  # it stands in other sentences and is translated there

    @property
    def why(self) -> str:
        """The reason without what is done for it, or what its card says."""
        return str(say(self.reason).values.get("why", self.reason))


_STAGE = "Recognising the source"
_NO_WORD = re.compile(r"[a-z]|([a-z]|nsa|col(umn)?|var(iable)?|attr(ibute)?|feature|field)[ _.]?\d+", re.IGNORECASE)
_KEY = say("the name says {what}", what=say("number of a person or stay"))
_MANY = 50  # different values from which a number may be a person's
_FEWEST_ALIKE, _ONE_BY_ONE = 3, 10  # values from which columns that agree in all are of one matter; and say the same
WANTED_GAMMA = 5  # a sensitive column that allows less is suggested only where none allows it


def suggest_roles(table: Table, sensitive: Iterable[str] = (), *, progress: Progress = SILENT) -> dict[str, Suggestion]:
    """Suggest a role for every column, locally and from names and values alone.

    Parameters
    ----------
    table : the table.
    sensitive : columns the user already chose as sensitive; if any, no other is suggested as SA.
    progress : told before each column is looked at; may raise Cancelled.

    Returns
    -------
    dict
        Column name -> Suggestion, in the table's order. At most one column is suggested as SA: the one most clearly
        medical or financial among those that allow gamma 2, those that allow gamma 5 first.
    """
    chosen = set(sensitive)
    found: dict[str, Suggestion] = {}
    for done, column in enumerate(table.columns):
        progress.report(_STAGE, done / len(table.columns))
        if column.name in chosen:
            matter = special(column.name)
            found[column.name] = Suggestion(
                Role.SA, "chosen as sensitive", RoleCard.SPECIAL, matter.what if matter is not None else ""
            )
        else:
            reason = _identifies(column)
            if reason:
                found[column.name] = Suggestion(Role.IDENTIFIER, reason, RoleCard.IDENTIFIES)
    for column in table.columns:  # references to a key, such as the case that infected this one
        if column.name not in found and not medical(column.name):
            progress.report(_STAGE, 1.0)
            for key, suggestion in list(found.items()):
                if suggestion.role is not Role.IDENTIFIER or key == column.name:
                    continue
                if refers_to(column, table[key]):
                    names = say("holds values of “{key}”, which names a record", key=key)
                elif (
                    column.m >= _ONE_BY_ONE
                    and (numbering(column.name) or names_one_person(column.name))
                    and says_the_same(column, table[key])
                ):
                    names = say("says the same as “{column}”, value for value", column=key)
                else:
                    continue
                found[column.name] = Suggestion(Role.IDENTIFIER, names, RoleCard.IDENTIFIES)
                break
    rest = [column for column in table.columns if column.name not in found]
    looks = {column.name: said for column in rest if (said := _special(column))}
    silent = bool(chosen) and not looks and not any(map(special, chosen))
    best = None if chosen else _most_sensitive(table, {name: matter for name, (matter, _) in looks.items()})
    for column in rest:
        if column.name == best:
            matter, why = looks[column.name]
            gamma = largest_gamma(column)
            reason = say("{why}; groups up to gamma {gamma} are possible", why=why, gamma=gamma)
            found[column.name] = Suggestion(Role.SA, reason, RoleCard.SPECIAL, matter.what)
        elif column.name in looks:
            matter, why = looks[column.name]
            reason = say("{why}: left out unless you mark it as sensitive", why=why)
            found[column.name] = Suggestion(Role.DROPPED, reason, RoleCard.SPECIAL, matter.what)
        else:
            found[column.name] = _other(column, silent)
    _as_the_other(rest, found, {name: matter for name, (matter, _) in looks.items()})
    return {column.name: found[column.name] for column in table.columns}


def _as_the_other(columns: list[Column], found: dict[str, Suggestion], matters: dict[str, Matter]) -> None:
    """Take a column for what another is that says the same, value for value.

    So a column whose name is harmless is left out beside a diagnosis, and one that no list reads is published beside
    the wards that it gives the codes of.
    """
    alike: dict[bytes, list[Column]] = {}
    for column in columns:
        if int((~column.missing).sum()) >= _FEWEST_ALIKE:
            alike.setdefault(sizes(column), []).append(column)
    was = dict(found)
    for column in (each for group in alike.values() if len(group) > 1 for each in group):
        own = was[column.name]
        published = own.role is Role.NSA
        if not published and (own.card is not RoleCard.SPECIAL or own.matter or column.m < _ONE_BY_ONE):
            continue
        for other in alike[sizes(column)]:
            matter = matters.get(other.name)
            if (matter is not None if published else was[other.name].role is Role.NSA) and says_the_same(column, other):
                why = say("says the same as “{column}”, value for value", column=other.name)
                if matter is not None:
                    reason = say("{why}: left out unless you mark it as sensitive", why=why)
                    found[column.name] = Suggestion(Role.DROPPED, reason, RoleCard.SPECIAL, matter.what)
                else:
                    found[column.name] = Suggestion(Role.NSA, why, was[other.name].card)
                break


@remembered
def _identifies(column: Column) -> str | None:
    """Return why a column names persons, None where it doesn't."""
    name, dated = column.name, column.kind in (Kind.DATE, Kind.DATETIME)
    if column.m == 0 or bool(column.missing.all()):
        return None
    said = _named_as(column)
    if said:
        return say("the name says {what}", what=say(said))
    if birth_by_name(name):
        if dated or looks_like_days(column) or day_by_name(name):
            return "exact dates of birth, which single out most people"
        return None
    if coordinate_by_name(name) and column.kind is Kind.DECIMAL:
        return "exact coordinates, which point to a home"
    if _may_be_keys(column) and numbered_alike(column) and numbering(name):
        return _KEY  # a tumour's number, whatever else the name says
    coded = medical(name) or codes_of(column) is not None
    held = identifier_by_content(column)
    if held and not (coded and held in WEAK):
        return say("each value looks like this: {what}", what=say(held))
    if names_persons(column, whole=medical(name)):
        return "the values look like names of persons"
    if column.kind is Kind.TEXT or (column.kind is Kind.CATEGORY and speaks_of_persons(column)):
        return "free text, which may name persons"
    return None if coded or measures(name) else _numbers(column)


def _named_as(column: Column) -> str | None:
    """Return what identifier a column's name says that it is, where its values may be one."""
    name, dated = column.name, column.kind in (Kind.DATE, Kind.DATETIME)
    answers = holds_answers(column)  # a telephone consultation: yes, no
    said = identifier_by_name(name)
    if said in ("telephone number", "e-mail address") and holds_small_numbers(column):
        said = None  # how often, or how strongly by telephone
    if said and not dated and not answers and column.kind is not Kind.BOOLEAN:
        return said
    person = person_by_name(name) if column.kind in (Kind.CATEGORY, Kind.TEXT) and not answers else None
    return None if (person == "free text" or names_a_way(name)) and few(column) else person


def _may_be_keys(column: Column) -> bool:
    return column.kind not in (Kind.DECIMAL, Kind.DATE, Kind.DATETIME) and near_unique(column)


def _numbers(column: Column) -> str | None:
    """Return why a column that holds no words on persons numbers them, or the records; None where it doesn't."""
    name, whole = column.name, column.kind not in (Kind.DECIMAL, Kind.DATE, Kind.DATETIME)
    values = int((~column.missing).sum())
    many = whole and values >= _MANY
    keyed = (names_a_case(name) and holds_codes(column)) or (
        names_one_person(name) and column.kind is Kind.INTEGER and column.m >= FEWEST
    )
    if many and (keyed or number_by_name(name) or (names_a_file(name) and near_unique(column))):
        return _KEY
    if numbering(name) and whole and column.n >= 20 and distinct_share(column) >= 0.5:
        filled = int(column.counts()[~column.missing].sum())
        return say("numbers the records: {values} values in {filled} records", values=values, filled=filled)
    counted = _may_be_keys(column) and counts_off(name) and numbered_alike(column, bare=True)
    if many and (numbered_alike(column) or counted):
        return say("each value looks like this: {what}", what=say("number of a person or stay"))
    worded = column.kind in (Kind.CATEGORY, Kind.TEXT)
    if (worded and near_unique(column)) or (column.n >= FEWEST and counts_records(column)):
        return "nearly every record has a value of its own, so the value names the record"
    return None


@remembered
def _special(column: Column) -> tuple[Matter, str] | None:
    """Return what sensitive matter a column holds, and why one thinks so: by name, by its codes, or by words in it."""
    if column.m == 0 or bool(column.missing.all()):
        return None
    listed = in_one_list(column)
    if listed is not None and listed.what == TIMED:  # of an examination, it is no finding
        return None
    found, known = said_by(column.name)
    matter = next((each for each in found if each.card is RoleCard.SPECIAL), None)
    if matter is not None:
        return matter, say("the name says {what}", what=say(matter.what))
    coded = codes_of(column)
    if coded is not None:
        matter, system = coded
        return matter, say("the values are codes of {system}", system=system)
    graded = found and not doubtful(column.name) and not any("results" in each.unlike for each in found)  # an education
    if graded and listed is not None and listed.what == FOUND:
        listed = None
    if listed is not None and listed.card is RoleCard.SPECIAL:  # “estado” may be a state: critical, stable
        return listed, say("the values name {what}", what=say(listed.what))
    matter = matter_in(column, known=known and found[0].what != RECORDED and not says_only(column.name, "events"))
    return None if matter is None else (matter, say("the values name {what}", what=say(matter.what)))


def _most_sensitive(table: Table, looks: dict[str, Matter]) -> str | None:
    ranked = []
    for place, (name, matter) in enumerate(looks.items()):
        column = table[name]
        gamma = largest_gamma(column)
        # A measured number or a date must be grouped into intervals before it can be re-drawn, and what nearly every
        # record has of its own names the record, wherever it is shown.
        measured = column.kind is Kind.DECIMAL or is_measurement(column) or near_unique(column)
        if gamma < 2 or measured or int((~column.missing).sum()) < 2:
            continue
        # The year of a diagnosis, the age at it and the place of it tell less than it.
        aside = any(each.card is RoleCard.RECOGNISES for each in said_by(name)[0])
        later = any(word.isdigit() and int(word) > 1 for word in words_of(name))  # of diag_1 and diag_2 the first
        coded = 0.02 if "code" in words_of(name) else 0.0
        ranked.append((aside, gamma < WANTED_GAMMA, -(matter.weight - 0.05 * later - coded), place, name))
    return min(ranked)[-1] if ranked else None


def _other(column: Column, silent: bool) -> Suggestion:
    """Return what becomes of a column that names nobody and says nothing sensitive.

    What no list reads is left out, whatever the table: of 239 names of health columns that nobody had seen before, 76
    were read by none, and a table need not say elsewhere that it is on health. A name that is no word, such as "c3", is
    kept where it is said what is sensitive, and that and the rest are `silent` on special matters.
    """
    if column.m == 0 or bool(column.missing.all()):
        return Suggestion(Role.NSA, "holds no values")
    dated = column.kind in (Kind.DATE, Kind.DATETIME) or holds_periods(column)
    recognised, known = _recognised(column, dated)
    aged = recognised is not None and recognised.what == AGED and column.kind is Kind.INTEGER
    if rare_values(column) and not aged:
        why = say("many records have a value of their own, which singles them out")
        reason = say("{why}: left out unless you put it into intervals or groups", why=why)
        return Suggestion(Role.DROPPED, reason, RoleCard.RECOGNISES)
    if dated and not known and column.counts()[column.missing].any():
        return _unknown(say("some records have no date there, and that others have one may tell what happened to them"))
    if dated or (recognised is not None and known):  # else a time, place or kind of what nobody knows
        what = recognised.what if recognised is not None else TIMED
        return Suggestion(
            Role.NSA, say("{why}, by which others recognise a person", why=say(what)), RoleCard.RECOGNISES
        )
    if not known and not (silent and _NO_WORD.fullmatch(column.name)):
        return _unknown(say("unknown, perhaps a finding on somebody's health"))
    if column.n >= 20 and distinct_share(column) > 0.3 and column.m > _MANY:
        return Suggestion(
            Role.NSA,
            "nothing personal in the name, but many values are rare: consider intervals or groups",
            RoleCard.RECOGNISES,
        )
    return Suggestion(Role.NSA, "neither names a person nor looks sensitive")


def _unknown(why: str) -> Suggestion:
    return Suggestion(Role.DROPPED, say("{why}: left out until you say what it is", why=why), RoleCard.SPECIAL)


def _recognised(column: Column, dated: bool) -> tuple[Matter | None, bool]:
    """Return by what of a column others recognise a person, None where by nothing; and whether a list reads its name.

    A name with two meanings counts as read where the values bear out that it is this one.
    """
    found, known = said_by(column.name)
    matter = next((each for each in found if each.card is RoleCard.RECOGNISES), None)
    if not known and (listed := in_one_list(column)) is not None:
        matter, known = listed if listed.card is RoleCard.RECOGNISES else None, True
    if (below_a_thousand(column) or holds_answers(column) or holds_grades(column)) and doubtful(column.name):
        return None, False
    if says_yes_or_no(column) and doubtful(column.name, asked=True):
        return None, False
    if found and all(unlike(column, each) for each in found):
        return None, False
    if says_only(column.name, "courses") and (unheard_of(column) or holds_long_numbers(column)):
        return None, False  # of a consultation by its number in a list of treatments, too
    if says_only(column.name, "states") and not dated and not holds_states(column):
        return None, False  # “estado” may be a state: critical, stable; “alta” how a stay ended
    if matter is not None and matter.what == TIMED:
        pressure = "dia" in words_of(column.name) and beyond_a_month(column)
        if pressure or holds_decimal_codes(column):
            return None, False  # "dia" is a day, but V30.00 and 428.0 are none, nor 50 to 99 beside "sys"
        if found == (matter,) and worded_otherwise(column, matter):
            return None, False  # a period that is regular is no time
    return matter, known
