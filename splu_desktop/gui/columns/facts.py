"""What the page says of each column, and what may be done to one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.generalise import Steps, is_measurement, label_map, suggest
from splu_desktop.core.generalise.step import CannotGeneralise
from splu_desktop.core.messages import isolated, say
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.plan import Plan
from splu_desktop.core.risk.ladders import ladder_of
from splu_desktop.core.roles.suggest import Role, absence_values
from splu_desktop.core.table import Column
from splu_desktop.gui.base.messages import value_words
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.source import Source, count_values
from splu_desktop.gui.base.words import number, t, translate
from splu_desktop.gui.proposal.steps import columns_of, part_of

_MANY = 40  # columns from which those in doubt stand first


def look_of(role: Role) -> tuple[str, str, str, str]:
    """Return how a role is shown: its picture, colour, name, and the papers' tag."""
    return {
        Role.IDENTIFIER: ("eye-off", "fault", t("Names a person"), ""),
        Role.NSA: ("file-text", "text", t("As it is"), "NSA"),
        Role.SA: ("shield", "protected", t("Secret"), "SA"),
        Role.DROPPED: ("ban", "quiet", t("Left out"), ""),
    }[role]


KINDS = (Role.IDENTIFIER, Role.NSA, Role.SA, Role.DROPPED)  # keys 1 to 4


@dataclass(frozen=True)
class ColumnRow:
    """One column.

    Attributes
    ----------
    form : in what form it goes out.
    why : why it is what it is.
    differs : whether it is other than proposed, so that Undo brings that back.
    """

    name: str
    role: Role
    form: str
    why: str
    differs: bool


def column_rows(session: Session) -> list[ColumnRow]:
    """Return one row for each column; of many columns those in doubt first."""
    source, plan = session.source, session.plan
    if source is None or plan is None:
        return []
    names = list(source.table.names)
    if len(names) > _MANY:
        names.sort(key=lambda name: not source.suggestions[name].doubt)
    reasons = _reasons(session, plan)
    return [
        ColumnRow(
            name,
            plan.roles[name],
            say_form(source, plan, name),
            _as_cell(reasons.get(name) or translate(str(source.suggestions[name].reason))),
            is_changed(session, name),
        )
        for name in names
    ]


def _as_cell(words: str) -> str:
    """Return a sentence, or a part of one, as all cells of a column begin and end."""
    return words[:1].upper() + words[1:].rstrip(".")


def _reasons(session: Session, plan: Plan) -> dict[str, str]:
    reasons = {name: t("your tables ask for it") for asked in plan.questions for name in asked.by}
    if plan.persons is not None:
        who = plan.persons.column
        reasons[who] = translate(say("“{column}” names the person.", column=who))
    proposal, source = session.proposal, session.source
    if proposal is not None and source is not None:
        for step in proposal.steps:
            if step.why and step.name == "left-out":
                out = [n for n in columns_of(step, proposal.plan) if source.suggestions[n].role is not Role.DROPPED]
                reasons.update(dict.fromkeys(out, translate(str(step.why))))
        # Last, so that it takes the place of what the proposal said of the column.
        reasons.update({name: t("changed by you") for name in plan.roles if is_changed(session, name)})
    return reasons


def is_changed(session: Session, name: str) -> bool:
    """Return whether a column is other than proposed."""
    plan, proposal = session.plan, session.proposal
    return plan is not None and proposal is not None and part_of(plan, name) != part_of(proposal.plan, name)


def as_proposed(plan: Plan, before: Plan, name: str) -> Plan:
    """Return a plan with one column as the proposal had it."""
    # The role before the rest: it takes along what hung on the old one.
    changed = plan.with_role(name, before.roles[name]) if plan.roles[name] is not before.roles[name] else plan
    changed = changed.with_steps([name], before.generalisations.get(name, ()))
    return with_public(changed, name, before.public_values.get(name, ()))


def say_form(source: Source, plan: Plan, name: str) -> str:
    """Return in what form a column goes out."""
    role, steps = plan.roles[name], plan.generalisations.get(name, ())
    if not role.is_published:
        return "–"
    if role.is_unchanged and not steps:
        return t("{n} {n:value|values}", n=number(count_values(source.table[name])[0]))
    labels = values_after(source.table[name], steps).labels
    if role.is_unchanged:
        return t("{n} {n:group|groups}", n=number(len(labels)))
    public = set(plan.public_values.get(name, ()))
    secret = len(labels) - len(public.intersection(labels))
    if secret == 1:
        return t("“{value}” is secret", value=value_words(next(label for label in labels if label not in public)))
    return t("{n} of {all} values {n:is|are} secret", n=number(secret), all=number(len(labels)))


@dataclass(frozen=True, eq=False)
class Values:
    """The values of a column as it goes out, the most frequent first.

    Attributes
    ----------
    labels, counts : of the values, the empty ones left out.
    empty : rows without a value.
    """

    labels: list[str]
    counts: NDArray[np.int64]
    empty: int


def values_after(column: Column, steps: Steps) -> Values:
    """Return the values of a column after its steps; no pass over the rows."""
    after, to = label_map(column, steps)
    counts = np.bincount(to, weights=column.counts(), minlength=after.m).astype(np.int64)
    there = np.flatnonzero((counts > 0) & ~after.missing)
    order = there[np.argsort(-counts[there], kind="stable")]
    return Values(after.labels[order].tolist(), counts[order], int(counts[after.missing].sum()))


def with_kinds(source: Source, plan: Plan, names: Sequence[str], role: Role) -> Plan:
    """Return the plan with another kind of some columns. Raises BadSetting.

    Numbers and dates that become secret are put into groups first, since nothing could be drawn of each day or decimal.
    """
    for name in names:
        if plan.roles[name] is role:
            continue
        plan = plan.with_role(name, role)
        column = source.table[name]
        if role.sensitive and name not in plan.generalisations:
            asked = [each.value for each in plan.questions if each.sa == name]
            plan = with_public(plan, name, [each for each in absence_values(column) if each not in asked])
            plan = plan.with_steps([name], suggest(column)) if is_measurement(column) else plan
        if role is Role.IDENTIFIER and plan.persons is None and name in source.person_columns:
            plan = replace(plan, persons=ByPerson(name))
    return plan


def with_public(plan: Plan, name: str, values: Sequence[str]) -> Plan:
    """Return the plan with other values of a secret column that are not secret."""
    if not plan.roles[name].sensitive:
        return plan
    left = {other: each for other, each in plan.public_values.items() if other != name}
    return replace(plan, public_values={**left, name: tuple(values)} if values else left)


def forms_of(source: Source, name: str) -> list[tuple[str, Steps]]:
    """Return the forms of a column from the finest: what each is called, and its steps."""
    column = source.table[name]
    forms: list[tuple[str, Steps]] = [(t("as in the file"), ())]
    try:
        rungs = ladder_of(column, source.suggestions[name].subject, True)
    except CannotGeneralise:
        rungs = []
    return forms + [(form_words(column, rung.steps), rung.steps) for rung in rungs if rung.steps]


def form_words(column: Column, steps: Steps) -> str:
    """Return what a form is called: how many groups, and the first ones of them."""
    try:
        after, _ = label_map(column, steps)
    except CannotGeneralise:
        return t("own groups")
    labels = [isolated(value_words(str(label))) for label in after.labels[~after.missing]]
    shown = ", ".join(labels[:3])
    more = "…" if len(labels) > 3 else ""
    return t("{n} {n:group|groups}: {labels}", n=number(len(labels)), labels=f"{shown}{more}")
