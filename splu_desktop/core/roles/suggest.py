"""What a column is to a release, and which role to suggest for it, with the reason in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from splu_desktop.core.groups.forming import largest_gamma
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress, Silent
from splu_desktop.core.roles.content import (
    FEWEST,
    WEAK,
    counts_records,
    distinct_share,
    holds_answers,
    holds_codes,
    holds_diagnosis_codes,
    holds_small_numbers,
    identifier_by_content,
    looks_like_days,
    names_persons,
    near_unique,
    refers_to,
)
from splu_desktop.core.roles.names import (
    birth_by_name,
    coordinate_by_name,
    identifier_by_name,
    measures,
    medical,
    names_a_case,
    names_a_file,
    names_one_person,
    number_by_name,
    numbering,
    person_by_name,
    sensitivity,
)
from splu_desktop.core.table import Column, Kind, Table


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
    """A role and the reason for it, one short sentence for the custodian."""

    role: Role
    reason: str


_STAGE = "Recognising the source"
_MANY = 50  # different values from which a number may be a person's
WANTED_GAMMA = 5  # a sensitive column that allows less is suggested only where none allows it


def suggest_roles(
    table: Table, sensitive: Iterable[str] = (), *, progress: Progress | None = None
) -> dict[str, Suggestion]:
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
    progress = progress or Silent()
    chosen = set(sensitive)
    found: dict[str, Suggestion] = {}
    for done, column in enumerate(table.columns):
        progress.report(_STAGE, done / len(table.columns))
        if column.name in chosen:
            found[column.name] = Suggestion(Role.SA, "chosen as sensitive")
        else:
            reason = _identifies(column)
            if reason:
                found[column.name] = Suggestion(Role.IDENTIFIER, reason)
    for column in table.columns:  # references to a key, such as the case that infected this one
        if column.name not in found and not medical(column.name):
            progress.report(_STAGE, 1.0)
            for key, suggestion in list(found.items()):
                if suggestion.role is Role.IDENTIFIER and key != column.name and refers_to(column, table[key]):
                    found[column.name] = Suggestion(
                        Role.IDENTIFIER, say("holds values of “{key}”, which names a record", key=key)
                    )
                    break
    looks = {c.name: said for c in table.columns if c.name not in found and (said := _sensitive(c))}
    best = None if chosen else _most_sensitive(table, looks)
    for column in table.columns:
        if column.name in found:
            continue
        if column.name == best:
            reason = say(
                "looks like {what}; groups up to gamma {gamma} are possible",
                what=say(looks[column.name][1]),
                gamma=largest_gamma(column),
            )
            found[column.name] = Suggestion(Role.SA, reason)
        elif column.name in looks:
            what = say(looks[column.name][1])
            reason = say(
                "looks sensitive too ({what}): mark it as sensitive or leave it out if it must be protected", what=what
            )
            found[column.name] = Suggestion(Role.NSA, reason)
        else:
            found[column.name] = Suggestion(Role.NSA, _plain(column))
    return {column.name: found[column.name] for column in table.columns}


def _identifies(column: Column) -> str | None:
    """Return why a column names persons, None where it doesn't."""
    name = column.name
    if column.m == 0 or bool(column.missing.all()):
        return None
    dated = column.kind in (Kind.DATE, Kind.DATETIME)
    worded = column.kind in (Kind.CATEGORY, Kind.TEXT)
    answers = holds_answers(column)  # a telephone consultation: yes, no
    said = identifier_by_name(name)
    if said == "telephone number" and holds_small_numbers(column):
        said = None  # how often, or how strongly by telephone
    if said and not dated and not answers and column.kind is not Kind.BOOLEAN:
        return say("the name says {what}", what=say(said))
    if worded and not answers and (person := person_by_name(name)):
        return say("the name says {what}", what=say(person))
    if birth_by_name(name) and (dated or looks_like_days(column)):
        return "exact dates of birth, which together with sex and postcode single out most people"
    if birth_by_name(name):
        return None
    if coordinate_by_name(name) and column.kind is Kind.DECIMAL:
        return "exact coordinates, which point to a home"
    coded = medical(name) or holds_diagnosis_codes(column)
    held = identifier_by_content(column)
    if held and not (coded and held in WEAK):
        return say("each value looks like this: {what}", what=say(held))
    if not medical(name) and names_persons(column):
        return "the values look like names of persons"
    if column.kind is Kind.TEXT:
        return "free text, which may name persons"
    if coded or measures(name):
        return None
    share = distinct_share(column)
    many = int((~column.missing).sum()) >= _MANY and column.kind is not Kind.DECIMAL and not dated
    keyed = (names_a_case(name) and holds_codes(column)) or (
        names_one_person(name) and column.kind is Kind.INTEGER and column.m >= FEWEST
    )
    if many and (keyed or number_by_name(name) or (names_a_file(name) and near_unique(column))):
        return say("the name says {what}", what=say("number of a person or stay"))
    if numbering(name) and not dated and column.kind is not Kind.DECIMAL and column.n >= 20 and share >= 0.5:
        values, filled = int(np.count_nonzero(~column.missing)), int(column.counts()[~column.missing].sum())
        return say("numbers the records: {values} different values in {filled} records", values=values, filled=filled)
    if (worded and near_unique(column)) or (column.n >= FEWEST and counts_records(column)):
        return "nearly every record has a value of its own, so the value names the record"
    return None


def _sensitive(column: Column) -> tuple[float, str] | None:
    """Return (weight, what it is) where a column looks sensitive: by its name, or by codes of diagnoses in it."""
    said = sensitivity(column.name)
    if said is None and holds_diagnosis_codes(column):
        return 0.9, "a diagnosis or illness"
    return said


def _most_sensitive(table: Table, looks: dict[str, tuple[float, str]]) -> str | None:
    ranked = []
    for place, (name, (weight, _)) in enumerate(looks.items()):
        column = table[name]
        gamma = largest_gamma(column)
        # A measured number or a date must be grouped into intervals before it can be re-drawn.
        if gamma < 2 or column.kind in (Kind.DECIMAL, Kind.DATE, Kind.DATETIME) or int((~column.missing).sum()) < 2:
            continue
        ranked.append((gamma < WANTED_GAMMA, -weight, place, name))
    return min(ranked)[3] if ranked else None


def _plain(column: Column) -> str:
    if column.m == 0 or bool(column.missing.all()):
        return "holds no values"
    if column.n >= 20 and distinct_share(column) > 0.3 and column.m > 50:
        return "nothing personal in the name, but many values are rare: consider intervals or groups"
    return "neither names a person nor looks sensitive"
