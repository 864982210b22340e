"""Earlier releases of the same persons, as the register knows them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from splu_desktop.core.messages import say
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.plan import Plan
from splu_desktop.core.risk.releases import EarlierRelease
from splu_desktop.core.roles.lexicon import read_name
from splu_desktop.core.roles.suggest import Role, Suggestion, suggest_roles
from splu_desktop.core.table import Table
from splu_desktop.files.register.ledger import TABLES, Entry, Reading, Register
from splu_desktop.files.register.marks import Marks, marks_of, may_share_rows, overlap

_LEAST = 0.01  # share of persons in common from which it is told


def source_marks(register: Register, table: Table, plan: Plan, among: Iterable[Entry] | None = None) -> Marks:
    """Return the marks of a source as it was read, all or as far as entries need them. Raises RegisterFault."""
    persons = () if plan.persons is None else (plan.persons.column,)
    return _marks(register, table, plan.roles, {*plan.kept_identifiers, *persons}, among)


def earlier_releases(register: Register, table: Table, plan: Plan) -> tuple[EarlierRelease, ...]:
    """Return what was handed out of the same persons, tables among it, for `policy.verdict`. Raises RegisterFault."""
    reading = register.read()
    entries = reading.handed_out
    return _with_doubt(_find_shared(entries, source_marks(register, table, plan, entries)) if entries else (), reading)


def _with_doubt(releases: tuple[EarlierRelease, ...], reading: Reading) -> tuple[EarlierRelease, ...]:
    """Return releases that were found, and what a damaged register can't say: that these are all."""
    words = "{fault} What went out before may not be recognised; “splu releases” says more."
    doubts = (say(words, fault=fault) for fault in reading.faults[:1])
    return (*releases, *(EarlierRelease("", gamma=math.inf, doubt=doubt) for doubt in doubts))


def releases_before(register: Register, entry: Entry) -> tuple[EarlierRelease, ...]:
    """Return releases of the same persons that had been handed out before that of an entry. Raises RegisterFault.

    By the same marks as then: entries that named all before them would grow with each release.
    """
    return _find_shared((each for each in register.releases() if each.number < entry.number), entry.body["marks"])


def likely_earlier(
    register: Register, table: Table, persons: ByPerson | None, known: Mapping[str, Suggestion]
) -> tuple[EarlierRelease, ...]:
    """Return earlier releases of the same persons, as far as columns that name persons tell before there is a plan."""
    reading = register.read()
    entries = reading.handed_out
    roles = {name: each.role for name, each in known.items()}
    naming = set() if persons is None else {persons.column}
    releases = _find_shared(entries, _marks(register, table, roles, naming, entries)) if entries else ()
    return _with_doubt(releases, reading)


def _marks(
    register: Register, table: Table, roles: Mapping[str, Role], naming: set[str], among: Iterable[Entry] | None
) -> Marks:
    """Return the marks of a table, worked out once; `naming`: columns that say who is who, whatever their role."""
    # Two wards use one phrase, and two tables of one hospital the same doctors.
    known = suggest_roles(table)
    others = {n for n, each in known.items() if each.subject == "text" or read_name(n).says("staff")}
    # Who drops a patient's number has not made it a stranger's.
    names = {n for n, each in known.items() if each.role is Role.IDENTIFIER and not each.doubt}
    left_out = {name for name, role in roles.items() if role is Role.DROPPED and name in names}
    naming = ({name for name, role in roles.items() if role is Role.IDENTIFIER} | left_out) - others | naming
    rows = among is None or any(may_share_rows(table, entry.body.get("marks", {})) for entry in among)
    traits = {each.subject: name for name, each in known.items() if each.subject in ("sex", "age")}
    identifiers = tuple(name for name in table.names if name in naming)
    return marks_of(table, identifiers, register.key(), rows, tuple(traits.items()))


def _find_shared(entries: Iterable[Entry], wanted: Marks) -> tuple[EarlierRelease, ...]:
    releases, shares = [], dict[int, float]()
    for entry in entries:
        marks = entry.body.get("marks", {})
        # Entries of one table hold one and the same object.
        if id(marks) not in shares:
            shares[id(marks)] = overlap(wanted, marks)
        if (share := shares[id(marks)]) >= _LEAST:
            releases.append(
                EarlierRelease(
                    recipient=str(entry.body.get("recipient") or entry.body.get("audience", {}).get("recipient", "")),
                    date=entry.time[:10],
                    gamma=math.inf if entry.kind == TABLES else float(entry.body.get("gamma", 1.0)),
                    persons=round(share * int(entry.body.get("persons", 0))),
                    name=entry.release,
                )
            )
    return tuple(releases)
