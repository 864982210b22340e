"""The draft of a plan: what every column is, which values are secret, which columns are drawn together, what is asked.

All that needs no search. Each decision is a step with its reason and its undo.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.audience import Audience
from splu_desktop.core.distinct import count_pairs
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.generalise import Age, CannotGeneralise, Steps, column_after, suggest, table_after, words_for
from splu_desktop.core.generalise.dates import DatePart, Part, days_of
from splu_desktop.core.generalise.measurements import still_measured
from splu_desktop.core.mechanism import Block, Lenders, Units, keep_even_rows
from splu_desktop.core.messages import quoted, say
from splu_desktop.core.persons.choice import ByPerson, persons
from splu_desktop.core.persons.identify import person_columns
from splu_desktop.core.plan import Edit, Plan
from splu_desktop.core.policy.defaults import default_questions
from splu_desktop.core.policy.limits import Limits, limits_for
from splu_desktop.core.policy.search import STOPS, Setting
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.risk.association import Blocks, group_columns
from splu_desktop.core.risk.certainty import gamma_for
from splu_desktop.core.risk.ranking import is_mostly_rare, rank_sensitive
from splu_desktop.core.roles import Role
from splu_desktop.core.roles.suggest import Suggestion, absence_values, suggest_roles
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
    setting : what the search is about.
    suggestions : what each column is taken for.
    steps : what was decided.
    """

    plan: Plan
    setting: Setting
    suggestions: Mapping[str, Suggestion]
    steps: tuple[Step, ...]


class Wishes(TypedDict, total=False):
    """What somebody may say of a plan before it is drafted.

    Attributes
    ----------
    person : the column that names the person, None for no column, "" to look for one.
    questions : tables that must come out; none for the most telling ones.
    roles : of columns that the custodian has decided on.
    row_word : what one row is.
    within : relative error of the tables that are found where none is named; that of the limits where it is not said.
    suggestions : what each column is taken for; looked for where it is not said.
    """

    person: str | None
    questions: Sequence[AskedTable]
    roles: Mapping[str, Role]
    row_word: str
    within: float | None
    suggestions: Mapping[str, Suggestion]


def draft(
    table: Table, audience: Audience, progress: Progress = SILENT, *, ages: bool = True, **wishes: Unpack[Wishes]
) -> Draft:
    """Return a draft. Raises UnknownColumn, BadSetting; Cancelled.

    ages : whether an age may be made of a date of birth, which never goes out itself.
    """
    limits, person = limits_for(audience), wishes.get("person", "")
    questions, given = wishes.get("questions", ()), wishes.get("roles", {})
    suggestions = wishes.get("suggestions") or suggest_roles(table)
    roles = {name: given.get(name, suggestions[name].role) for name in table.names}
    work = _Drafting(table, suggestions, given, roles, progress)
    who = work.find_person(person)
    for asked in questions:
        if who in (asked.sa, *asked.by):
            raise BadSetting("“{column}” names the person, so no table can count it or by it.", column=str(who))
        work.roles[asked.sa] = Role.SA
        work.roles.update(dict.fromkeys(asked.by, Role.NSA))
    grown = work.find_age() if ages else {}
    bands = work.find_bands({each.sa for each in questions}) | grown
    if not work.secrets:
        raise BadSetting("No column is secret; mark at least one column as secret (SA).")
    view = table_after(table, bands)
    units = Units.of_records(table.n) if who is None else Units.of_persons(persons(table[who]))
    # Who have as many rows lend to each other at most.
    rows_each = np.bincount(units.owner[keep_even_rows(units.owner)])[units.owner]
    public, unsafe = work.find_public_values(view, {each.sa: each.value for each in questions}, limits, rows_each)
    subjects = {name: suggestions[name].subject for name, role in work.roles.items() if role is Role.NSA}
    named, within = bool(questions), wishes.get("within") or limits.within
    ranked = rank_sensitive(view, work.secrets, public, unsafe | {n for n, each in suggestions.items() if each.doubt})
    # A table that nobody named must not stand in the way by a column that no strength protects.
    askable = [name for name in ranked if name not in unsafe] or ranked
    usual, plainer = default_questions(view, askable, subjects, public, within)
    questions = questions or usual
    blocks = work.find_blocks(view, questions, ranked, units)
    # Only now, since columns that found no block are no longer secret.
    work.note_roles()
    secret, about = work.secrets, next((each.sa for each in questions), "")
    plan = Plan(
        roles=work.roles,
        blocks=tuple(Block(each, Lenders(limits.gamma)) for each in blocks),
        # Bands were found for all secret columns, some of which have been left out since.
        generalisations={name: each for name, each in bands.items() if name in secret or name in grown},
        persons=None if who is None else ByPerson(who, "draw"),
        public_values={name: each for name, each in public.items() if name in secret},
        questions=tuple(questions),
        audience=audience,
        row_word=wishes.get("row_word", ""),
    )
    # Tables that nobody named give way before the column that they are about does.
    kept = tuple(name for name in secret if name in given or name == about)

    def draft_anew(other: Audience) -> tuple[Setting, Plan]:
        again = draft(table, other, progress, ages=ages, **Wishes(**{**wishes, "suggestions": suggestions}))
        return again.setting, again.plan

    setting = Setting(table, subjects, limits, kept, named, plainer, draft_anew, progress=progress)
    return Draft(plan, setting, suggestions, tuple(work.steps))


@dataclass(eq=False)
class _Drafting:
    """Decides on roles, and notes each decision as a step."""

    table: Table
    suggestions: Mapping[str, Suggestion]
    own_roles: Mapping[str, Role]
    roles: dict[str, Role]
    progress: Progress
    steps: list[Step] = field(default_factory=list)
    bands: dict[str, Steps] = field(default_factory=dict)

    @property
    def secrets(self) -> list[str]:
        """The secret columns."""
        return [name for name, role in self.roles.items() if role.sensitive]

    def note(self, name: str, column: str, words: str, why: str = "", undo: Edit | None = None) -> None:
        """Keep a step."""
        self.steps.append(Step(name, column, words, why, undo))

    def find_person(self, person: str | None) -> str | None:
        """Return the column that names the person, whose role becomes identifier."""
        # What somebody says is secret is drawn; it names nobody, whatever it is called.
        free = (name for name in person_columns(self.table) if self.own_roles.get(name) is not Role.SA)
        column = next(free, None) if person == "" else person
        if column is None:
            return None
        self.roles[self.table[column].name] = Role.IDENTIFIER
        if person == "":
            words = say("“{column}” names the person.", column=column)
            why = say("all rows of a person are drawn at once")
            self.note("person", column, words, why, lambda plan: replace(plan, persons=None))
        return column

    def find_age(self) -> dict[str, Steps]:
        """Return what makes an age of a date of birth, where no unchanged column tells it."""
        of_age = [name for name in self.table.names if self.suggestions[name].subject == "age"]
        # A table may be asked by it, which makes it no less a date of birth.
        births = [n for n in of_age if self.suggestions[n].role is Role.IDENTIFIER and n not in self.own_roles]
        if any(self.roles[name] is Role.NSA for name in of_age if name not in births):
            return {}
        for name in births:
            steps: Steps = (Age(self._last_day()),)
            if not self.roles[name].sensitive:
                with suppress(CannotGeneralise):  # texts among the dates
                    if column_after(self.table[name], steps).m < 2:  # newborns, told apart by their month alone
                        steps = (DatePart(Part.MONTH),)
                    self.roles[name] = Role.NSA
                    undo = partial(Plan.with_role, column=name, role=Role.IDENTIFIER)
                    self.note("coarser", name, words_for(name, steps), say("no other column tells the age"), undo)
                    return {name: steps}
        return {}

    def _last_day(self) -> date:
        """Return the end of the last year of which the table has an event, this year where it has none."""
        now = date.today().year
        dates = (
            days_of(column)
            for column in self.table.columns
            if column.kind.is_date and self.suggestions[column.name].subject != "age"
        )
        years = [int(str(days[known].max())[:4]) for days, known in dates if known.any()]  # some hold texts, too
        return date(min(max(years, default=now), now), 12, 31)  # a mark for "not yet" may lie in the year 9999

    def find_bands(self, asked: set[str]) -> dict[str, Steps]:
        """Return what measured numbers and dates are put into that are drawn; those that fit nothing are left out."""
        for name in self.secrets:
            column, ways = self.table[name], suggest(self.table[name])
            after = column_after(column, ways)
            one_value = int(np.count_nonzero(after.counts())) < 2
            # Names are drawn where they are the only secret column, since a plan without one is refused.
            rare = len(self.secrets) > 1 and is_mostly_rare(after)
            unfit = still_measured(column, after) or one_value or rare
            if unfit and name not in asked and name not in self.own_roles:
                self.roles[name] = Role.DROPPED
                why = say("every row says the same") if one_value else say("most of its values are nearly nobody’s")
                why = why if one_value or rare else say("its numbers fit no groups")
                self.note("left-out", name, left_out_words([name]), why)
            elif ways:
                self.bands[name] = ways
                why = say("drawn values need groups")
                self.note("coarser", name, words_for(name, ways), why)
        return self.bands

    def find_public_values(
        self, view: Table, asked: Mapping[str, str | None], limits: Limits, rows_each: NDArray[np.integer]
    ) -> tuple[dict[str, tuple[str, ...]], set[str]]:
        """Return values that are not secret, absence and what most have, and columns that no strength protects."""
        public: dict[str, tuple[str, ...]] = {}
        unsafe = set[str]()
        for name in self.secrets:
            column = view[name]
            values = [str(label) for label in absence_values(column) if label != asked.get(name)]
            shares = column.counts() / max(column.n, 1)
            most = int(np.argmax(shares))
            label = str(column.labels[most])
            if _MOST_HAVE < shares[most] < 1 and not column.missing[most] and label not in values:
                values.append(label)
                words = say("“{value}” of “{column}” counts as not secret.", value=label, column=name)
                # Some do not have it, so it must not be rounded to 100 in 100.
                share = min(99, round(100 * shares[most]))
                why = say("{share} in 100 have it, which no strength can hide", share=share)
                self.note("public-value", name, words, why, partial(Plan.with_secret, column=name, value=label))
            if values:
                public[name] = tuple(values)
            # Each dose or visit has its number, so that one of a person with one row can only be the first.
            counts = count_pairs(rows_each, int(rows_each.max()) + 1, column.codes, column.m)
            rows = counts[:, ~column.missing & ~np.isin(column.labels, values)]
            secret = rows / np.maximum(counts.sum(axis=1, keepdims=True), 1)
            average = float((secret * rows).sum() / max(rows.sum(), 1))
            if gamma_for((secret.max(initial=0), limits.riskiest), (average, limits.average)) > STOPS[0]:
                unsafe.add(name)
        return public, unsafe

    def find_blocks(self, view: Table, questions: Sequence[AskedTable], ranked: Sequence[str], units: Units) -> Blocks:
        """Return what is drawn together; columns without room are left out, but for those that somebody marked."""
        # Blocks are filled in this order: what tables ask for, what somebody marked, then what tells most.
        kept = [each.sa for each in questions] + [name for name in self.secrets if self.own_roles.get(name) is Role.SA]
        order = list(dict.fromkeys([*kept, *ranked, *self.secrets]))
        blocks, out = group_columns(view, order, units, kept, self.progress)
        for block in blocks:
            if len(block) > 1:
                self.steps.append(together_step(block))
        self.roles.update(dict.fromkeys(out, Role.DROPPED))
        if out:
            why = say("no table needs it, and no more secret columns can be drawn")
            self.note("left-out", "", left_out_words(out), why, draw_again(out, self.bands))
        return blocks

    def note_roles(self) -> None:
        """Note what the columns are taken for, one step for each kind."""
        naming = [name for name, role in self.roles.items() if role is Role.IDENTIFIER]
        # What bands or blocks left out has a step of its own already.
        out = [n for n, role in self.roles.items() if role is Role.DROPPED and self.suggestions[n].role is role]
        if naming:
            self.note("names-persons", "", say("{columns}: never published.", columns=quoted(naming, 3)))
        if out:
            why, undo = self.suggestions[out[0]].reason, partial(Plan.with_roles, columns=out, role=Role.NSA)
            self.note("left-out", "", left_out_words(out), why, undo)


def draw_again(names: Sequence[str], forms: Mapping[str, Steps]) -> Edit:
    """Return what makes columns secret again that were left out, each in the form in which it can be drawn."""
    steps = {name: forms[name] for name in names if forms.get(name)}
    return lambda plan: replace(plan.with_roles(names, Role.SA), generalisations={**plan.generalisations, **steps})


def together_step(columns: Sequence[str]) -> Step:
    """Return the step that columns are drawn together."""
    words = say("{columns} are drawn together.", columns=quoted(columns, 3))
    return Step("together", "", words, say("they tell each other’s values"), partial(Plan.part_blocks, columns=columns))


def blanked_step(words: str) -> Step:
    """Return the step that cells, or whole rows, don't go out, in the words of `Figures.losses`."""
    return Step("blanked", "", words, say("they would stand out all the same"), partial(replace, blanking=None))


def left_out_words(names: Sequence[str]) -> str:
    """Return that columns are left out."""
    return say("{columns}: left out.", columns=quoted(names, 3))
