"""The draft of a plan: what every column is, which values are secret, which columns are drawn together, what is asked.

All that needs no search. Each decision is a step with its reason and its undo.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from splu_desktop.core.audience import Audience
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.generalise import Chapter, Steps, column_after, suggest, system_of, table_after, words_for
from splu_desktop.core.generalise.measured import still_measured
from splu_desktop.core.mechanism import Block, Lenders, Units, make_classes
from splu_desktop.core.messages import counted, quoted, say
from splu_desktop.core.persons.choice import ByPerson, persons
from splu_desktop.core.persons.identify import person_columns
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.blocks import associations, grouped
from splu_desktop.core.policy.defaults import default_questions, rank_sensitive
from splu_desktop.core.policy.edits import Edit, draw_again, draw_apart, make_secret, set_roles
from splu_desktop.core.policy.limits import Limits
from splu_desktop.core.policy.search import STOPS
from splu_desktop.core.policy.shares import ValueShares
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
    named : whether somebody named the tables that must come out.
    kept : secret columns that somebody marked as such, and the one that the table is about.
    """

    plan: Plan
    subjects: Mapping[str, str]
    steps: tuple[Step, ...]
    named: bool
    kept: tuple[str, ...]


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
    within: float | None = None,
    progress: Progress = SILENT,
) -> Draft:
    """Return a draft; see `propose`. Raises UnknownColumn, BadSetting; Cancelled."""
    given = dict(roles or {})
    made = _Drafting(table, suggestions, given, {name: given.get(name, suggestions[name].role) for name in table.names})
    who = made.find_person(person)
    for asked in questions:
        if who in (asked.sa, *asked.by):
            raise BadSetting("“{column}” names the person, so no table can count it or by it.", column=str(who))
        made.roles[asked.sa] = Role.SA
        made.roles.update(dict.fromkeys(asked.by, Role.NSA))
    bands = made.find_bands({each.sa for each in questions})
    if not made.drawn:
        raise BadSetting("No column is secret; mark at least one column as secret (SA).")
    view = table_after(table, bands)
    public = made.find_public_values(view, {each.sa: each.value for each in questions})
    subjects = {name: suggestions[name].subject for name, role in made.roles.items() if role is Role.NSA}
    named = bool(questions)
    unsure = made.unsure(view, who, public, limits)
    if not named:
        questions = default_questions(view, made.drawn, subjects, public, within or limits.within, unsure)
    blocks = made.find_blocks(view, questions, rank_sensitive(view, made.drawn, public, unsure), bands, progress)
    made.note_roles()
    secret, about = made.drawn, next((each.sa for each in questions), "")
    plan = Plan(
        roles=made.roles,
        blocks=tuple(Block(each, Lenders(limits.gamma)) for each in blocks),
        generalisations={name: each for name, each in bands.items() if name in secret},
        persons=None if who is None else ByPerson(who, "draw"),
        public_values={name: each for name, each in public.items() if name in secret},
        questions=tuple(questions),
        audience=audience,
        row_word=row_word,
    )
    return Draft(plan, subjects, tuple(made.steps), named, tuple(n for n in secret if n in given or n == about))


@dataclass(eq=False)
class _Drafting:
    """Decides on roles, and notes each decision as a step."""

    table: Table
    suggestions: Mapping[str, Suggestion]
    given: Mapping[str, Role]
    roles: dict[str, Role]
    steps: list[Step] = field(default_factory=list)

    @property
    def drawn(self) -> list[str]:
        """The secret columns."""
        return [name for name, role in self.roles.items() if role is Role.SA]

    def note(self, name: str, column: str, words: str, why: str, undo: Edit | None = None) -> None:
        """Keep a step."""
        self.steps.append(Step(name, column, words, why, undo))

    def find_person(self, person: str | None) -> str | None:
        """Return the column that names the person, whose role becomes identifier."""
        column = next(iter(person_columns(self.table)), None) if person == "" else person
        if column is None:
            return None
        self.roles[self.table[column].name] = Role.IDENTIFIER
        if person == "":
            words, why = (
                say("“{column}” names the person.", column=column),
                say("all rows of a person are drawn at once"),
            )
            self.note("person", column, words, why, lambda plan: replace(plan, persons=None))
        return column

    def find_bands(self, asked: set[str]) -> dict[str, Steps]:
        """Return what measured numbers and dates are put into that are drawn; those that fit nothing are left out."""
        found: dict[str, Steps] = {}
        for name in self.drawn:
            column, ways = self.table[name], suggest(self.table[name])
            after = column_after(column, ways)
            one_value = int(np.count_nonzero(after.counts())) < 2
            if (still_measured(column, after) or one_value) and name not in asked and name not in self.given:
                self.roles[name] = Role.DROPPED
                why = say("every row says the same") if one_value else say("its numbers fit no bands")
                self.note("left-out", name, left_out_words([name]), why)
            elif ways:
                found[name] = ways
                why = say("numbers that are drawn need bands")
                self.note("coarser", name, words_for(name, ways), why)
        return found

    def find_public_values(self, view: Table, asked: Mapping[str, str | None]) -> dict[str, tuple[str, ...]]:
        """Return values that are not secret: absence, and what most have, which no strength hides in any one."""
        found: dict[str, tuple[str, ...]] = {}
        for name in self.drawn:
            column = view[name]
            values = [str(label) for label in absence_values(column) if label != asked.get(name)]
            shares = column.counts() / max(column.n, 1)
            most = int(np.argmax(shares))
            label = str(column.labels[most])
            if _MOST_HAVE < shares[most] < 1 and not column.missing[most] and label not in values:
                values.append(label)
                words = say("“{value}” of “{column}” counts as not secret.", value=label, column=name)
                why = say(
                    "{share} in 100 have it, which no strength can hide", share=min(99, round(100 * shares[most]))
                )
                self.note("public-value", name, words, why, make_secret(name, label))
            if values:
                found[name] = tuple(values)
        return found

    def unsure(self, view: Table, who: str | None, public: Mapping[str, Sequence[str]], limits: Limits) -> set[str]:
        """Return columns that are asked for last: nothing says what they are, or some persons nearly all agree."""
        units = Units.of_records(view.n) if who is None else Units.of_persons(persons(view[who]))
        classes = make_classes([], units)
        needs = ValueShares(view, self.drawn, public, units).strengths(classes.code, classes.number, limits)
        doubtful = {name for name, each in self.suggestions.items() if each.doubt}
        return doubtful | {name for name, need in needs.items() if need > STOPS[0]}

    def find_blocks(
        self,
        view: Table,
        questions: Sequence[AskedTable],
        ranked: Sequence[str],
        bands: Mapping[str, Steps],
        progress: Progress,
    ) -> tuple[tuple[str, ...], ...]:
        """Return what is drawn together; columns without room are left out, but for those that somebody marked."""
        worth = {name: -at for at, name in enumerate(ranked)}
        asked = list(dict.fromkeys(each.sa for each in questions))
        kept = {*asked, *(name for name, role in self.given.items() if role is Role.SA)}
        worth.update(dict.fromkeys(kept, 1))
        worth.update({name: len(asked) - at + 1 for at, name in enumerate(asked)})
        names = sorted(self.drawn, key=lambda name: -worth.get(name, -len(ranked)))
        found = grouped(associations(view, names, progress), names, kept)
        for block in found.blocks:
            if len(block) > 1:
                words = say("{columns} are drawn together.", columns=quoted(block, 3))
                self.note("together", "", words, say("they tell each other’s values"), draw_apart(block))
        self.roles.update(dict.fromkeys(found.left_out, Role.DROPPED))
        if found.left_out:
            why = say("no table needs it, and three blocks are the most")
            self.note("left-out", "", left_out_words(found.left_out), why, draw_again(found.left_out, bands))
        return found.blocks

    def note_roles(self) -> None:
        """Note what the columns are taken for, one step for each kind."""
        naming = [name for name, role in self.roles.items() if role is Role.IDENTIFIER]
        out = [n for n, role in self.roles.items() if role is Role.DROPPED and self.suggestions[n].role is role]
        if naming:
            many = "{n} columns that name persons are never published."
            words = counted(len(naming), "{n} column that names persons is never published.", many)
            self.note("names-persons", "", words, quoted(naming, 3))
        words = counted(
            len(self.drawn), "{n} column is secret and drawn anew.", "{n} columns are secret and drawn anew."
        )
        self.note("secret", "", words, quoted(self.drawn, 3))
        if out:
            self.note("left-out", "", left_out_words(out), self.suggestions[out[0]].reason, set_roles(out, Role.NSA))


def left_out_words(names: Sequence[str]) -> str:
    """Return that columns are left out."""
    return counted(len(names), "{columns} is left out.", "{columns} are left out.", columns=quoted(names, 3))


def coarser_plans(table: Table, plan: Plan) -> Iterator[Plan]:
    """Give plans of which tables may be read that can't be of this one: diagnoses by chapters, one row a person."""
    asked = {each.sa: each.value for each in plan.questions}
    systems = {name: system_of(table[name]) for name in plan.sensitive if asked.get(name) is None}
    chapters = {n: (Chapter(each),) for n, each in systems.items() if each and n not in plan.generalisations}
    coded = replace(plan, generalisations={**plan.generalisations, **chapters})
    if any(name in asked for name in chapters):
        yield coded
    if plan.persons is not None and plan.persons.way == "draw":
        single = replace(plan.persons, way="first", number=False)
        yield replace(plan, persons=single)
        if any(name in asked for name in chapters):
            yield replace(coded, persons=single)
