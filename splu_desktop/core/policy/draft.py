"""The draft of a plan: what every column is, which values are secret, which columns are drawn together, what is asked.

All that needs no search. Each decision is a step with its reason and its undo.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from splu_desktop.core.audience import Audience
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.generalise import Steps, column_after, suggest, words_for
from splu_desktop.core.generalise.measured import still_measured
from splu_desktop.core.mechanism import Block, Lenders
from splu_desktop.core.messages import counted, listed, quoted, say
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.persons.identify import person_columns
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.blocks import associations, grouped
from splu_desktop.core.policy.defaults import default_questions, rank_sensitive
from splu_desktop.core.policy.edits import Edit, draw_apart, make_secret, set_roles, set_steps
from splu_desktop.core.policy.limits import Limits
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.roles import Role
from splu_desktop.core.roles.suggest import Suggestion, absence_values
from splu_desktop.core.table import Table

_MOST_HAVE = 0.5  # share of the rows from which a value is no secret: no strength hides what most have


@dataclass(frozen=True)
class Step:
    """One thing that was done.

    Attributes
    ----------
    name : its kind: "left-out", "secret", "names-persons", "coarser", "public-value", "together", "blanked",
        "classes", "strength", "tables", "person".
    column : what it concerns, "" for several.
    words, why : what was done, and what for or at which price.
    undo : gives the plan without this step alone; None where nothing would be left.
    """

    name: str
    column: str
    words: str
    why: str = ""
    undo: Edit | None = field(default=None, compare=False)


@dataclass(frozen=True, eq=False)
class Draft:
    """A plan before the search.

    Attributes
    ----------
    plan : with all unchanged columns as they are.
    subjects : unchanged column -> what it tells of a person.
    steps : what was decided.
    """

    plan: Plan
    subjects: Mapping[str, str]
    steps: tuple[Step, ...]


def draft(
    table: Table,
    audience: Audience,
    limits: Limits,
    suggestions: Mapping[str, Suggestion],
    *,
    person: str | None = "",
    questions: Sequence[AskedTable] = (),
    roles: Mapping[str, Role] | None = None,
    row_word: str = "",
    within: float = 0.3,
    progress: Progress = SILENT,
) -> Draft:
    """Return a draft; see `propose`. Raises UnknownColumn, BadSetting; Cancelled."""
    given = dict(roles or {})
    found = {name: given.get(name, suggestions[name].role) for name in table.names}
    steps: list[Step] = []
    who = _person(table, person, found, steps)
    for asked in questions:
        found[asked.sa] = Role.SA
        found.update(dict.fromkeys(asked.by, Role.NSA))
    bands = _bands(table, found, given, {each.sa for each in questions}, steps)
    drawn = [name for name, role in found.items() if role is Role.SA]
    if not drawn:
        raise BadSetting("No column is secret; mark at least one column as secret (SA).")
    view = Table(
        tuple(column_after(table[name], bands.get(name, ())) if name in bands else table[name] for name in table.names)
    )
    public = _public_values(view, drawn, {each.sa: each.value for each in questions}, steps)
    subjects = {name: suggestions[name].subject for name, role in found.items() if role is Role.NSA}
    if not questions:
        questions = default_questions(view, drawn, subjects, public, within)
        if questions:
            words = listed([each.words() for each in questions], "{head}; {tail}", "{head}; {tail}")
            steps.append(Step("tables", "", say("Asked for: {tables}.", tables=words), say("no table was named")))
    blocks = _blocks(view, drawn, found, given, questions, public, steps, progress)
    steps += _role_steps(table, suggestions, found)
    plan = Plan(
        roles=found,
        blocks=tuple(Block(each, Lenders(limits.gamma)) for each in blocks),
        generalisations={name: each for name, each in bands.items() if found[name] is Role.SA},
        persons=None if who is None else ByPerson(who, "draw"),
        public_values={name: each for name, each in public.items() if found[name] is Role.SA},
        questions=tuple(questions),
        audience=audience,
        row_word=row_word,
    )
    return Draft(plan, subjects, tuple(steps))


def _person(table: Table, person: str | None, roles: dict[str, Role], steps: list[Step]) -> str | None:
    """Return the column that names the person, whose role becomes identifier."""
    column = person
    if person == "":
        names = person_columns(table)
        column = names[0] if names else None
    if column is None:
        return None
    roles[table[column].name] = Role.IDENTIFIER
    if person == "":
        steps.append(
            Step(
                "person",
                column,
                say("“{column}” names the person.", column=column),
                say("all rows of a person are drawn at once"),
                lambda plan: replace(plan, persons=None),
            )
        )
    return column


def _bands(
    table: Table, roles: dict[str, Role], given: Mapping[str, Role], asked: set[str], steps: list[Step]
) -> dict[str, Steps]:
    """Return what measured numbers and dates are put into that are to be drawn; those that fit nothing are left out."""
    found: dict[str, Steps] = {}
    for name in [name for name, role in roles.items() if role is Role.SA]:
        column = table[name]
        ways = suggest(column)
        after = column_after(column, ways)
        one_value = int(np.count_nonzero(after.counts())) < 2
        if (still_measured(column, after) or one_value) and name not in asked and name not in given:
            roles[name] = Role.DROPPED
            why = say("every row says the same") if one_value else say("its numbers fit no bands")
            steps.append(
                Step("left-out", name, say("“{column}” is left out.", column=name), why, set_roles([name], Role.SA))
            )
        elif ways:
            found[name] = ways
            steps.append(
                Step(
                    "coarser",
                    name,
                    words_for(name, ways),
                    say("numbers that are drawn need bands"),
                    set_steps([name], ()),
                )
            )
    return found


def _public_values(
    table: Table, drawn: Sequence[str], asked: Mapping[str, str | None], steps: list[Step]
) -> dict[str, tuple[str, ...]]:
    """Return values that are not secret: absence, and what most have, which no strength hides in any one."""
    found: dict[str, tuple[str, ...]] = {}
    for name in drawn:
        column = table[name]
        values = [str(label) for label in absence_values(column) if label != asked.get(name)]
        shares = column.counts() / max(column.n, 1)
        for at in np.flatnonzero(shares > _MOST_HAVE).tolist():
            label = str(column.labels[at])
            if label in values or column.missing[at] or shares[at] == 1:
                continue
            values.append(label)
            steps.append(
                Step(
                    "public-value",
                    name,
                    say("“{value}” of “{column}” counts as not secret.", value=label, column=name),
                    say("{share} in 100 have it, which no strength can hide", share=round(100 * shares[at])),
                    make_secret(name, label),
                )
            )
        if values:
            found[name] = tuple(values)
    return found


def _blocks(
    table: Table,
    drawn: Sequence[str],
    roles: dict[str, Role],
    given: Mapping[str, Role],
    questions: Sequence[AskedTable],
    public: Mapping[str, Sequence[str]],
    steps: list[Step],
    progress: Progress,
) -> tuple[tuple[str, ...], ...]:
    ranked = rank_sensitive(table, drawn, public)
    worth = {name: 1 - at / (len(ranked) + 1) for at, name in enumerate(ranked)}
    for at, asked in enumerate(questions):
        worth[asked.sa] = max(worth.get(asked.sa, 0), 10.0 - at)
    worth.update({name: 5.0 for name, role in given.items() if role is Role.SA and worth.get(name, 0) < 5})
    names = sorted(drawn, key=lambda name: -worth.get(name, 0))
    found = grouped(associations(table, names, progress), names)
    for block in found.blocks:
        if len(block) > 1:
            steps.append(
                Step(
                    "together",
                    "",
                    say("{columns} are drawn together.", columns=quoted(block, 3)),
                    say("they tell each other’s values"),
                    draw_apart(block),
                )
            )
    for name in found.left_out:
        roles[name] = Role.DROPPED
    if found.left_out:
        steps.append(
            Step(
                "left-out",
                "",
                counted(
                    len(found.left_out),
                    "{columns} is left out.",
                    "{columns} are left out.",
                    columns=quoted(found.left_out, 3),
                ),
                say("no table needs it, and three blocks are the most"),
                set_roles(found.left_out, Role.SA),
            )
        )
    return found.blocks


def _role_steps(table: Table, suggestions: Mapping[str, Suggestion], roles: Mapping[str, Role]) -> list[Step]:
    naming = [name for name in table.names if roles[name] is Role.IDENTIFIER]
    secret = [name for name in table.names if roles[name] is Role.SA]
    out = [n for n in table.names if roles[n] is Role.DROPPED and suggestions[n].role is Role.DROPPED]
    found = []
    if naming:
        words = counted(
            len(naming),
            "{n} column that names persons is never published.",
            "{n} columns that name persons are never published.",
        )
        found.append(Step("names-persons", "", words, quoted(naming, 3)))
    words = counted(len(secret), "{n} column is secret and drawn anew.", "{n} columns are secret and drawn anew.")
    found.append(Step("secret", "", words, quoted(secret, 3)))
    if out:
        words = counted(len(out), "{n} column is left out.", "{n} columns are left out.")
        found.append(Step("left-out", "", words, str(suggestions[out[0]].reason), set_roles(out, Role.NSA)))
    return found
