"""The proposal: a finished plan with its verdict, what was done for it, and two other ways.

The one function behind *Make it safe*, *What must be answered?*, ways out and trade-off: from a table, who gets it,
which column names the person and which tables must come out, to the strongest protection that answers them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from splu_desktop.core.audience import Audience
from splu_desktop.core.errors import EmptyTable, SpluError
from splu_desktop.core.messages import counted, listed, quoted, say
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.draft import Draft, Step, draft
from splu_desktop.core.policy.edits import set_roles, set_steps
from splu_desktop.core.policy.figures import FEWEST_CELLS, EarlierRelease, TableReach, reaches
from splu_desktop.core.policy.limits import LEVELS, Limits, limits_for, limits_named
from splu_desktop.core.policy.search import STOPS, Search, Way, strength_needed
from splu_desktop.core.policy.verdict import USEFUL, Verdict, verdict
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.questions import WITHIN, AskedTable
from splu_desktop.core.risk.certainty import certainties
from splu_desktop.core.risk.giveaway import giveaways
from splu_desktop.core.roles import Role
from splu_desktop.core.roles.suggest import Suggestion, suggest_roles
from splu_desktop.core.table import Table

_SECONDS = 4.0  # after which no further way is tried
_ROUNDS = 3  # in which columns that give a secret value away are left out


@dataclass(frozen=True, eq=False)
class Alternative:
    """Another way, with its figures, also where it fails.

    Attributes
    ----------
    kind : "safer", "sharper", "works" or "possible" (what would make rows possible).
    words : what it changes.
    plan : to be taken as it stands; None where the program can't carry it out.
    answered, cells, gamma : its figures; None where nothing was worked out.
    works : whether it is useful and keeps the limits.
    """

    kind: str
    words: str
    plan: Plan | None
    answered: int | None = None
    cells: int | None = None
    gamma: float | None = None
    works: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "kind": self.kind,
            "words": str(self.words),
            "answered": None if self.cells is None else {"cells": self.answered, "of": self.cells},
            "gamma": self.gamma,
            "works": self.works,
        }


@dataclass(frozen=True, eq=False)
class Proposal:
    """A finished plan.

    Attributes
    ----------
    plan, verdict : the plan and what is said of it.
    steps : what was done, each with its undo.
    alternatives : two other ways, three where the table is too small.
    """

    plan: Plan
    verdict: Verdict
    steps: tuple[Step, ...]
    alternatives: tuple[Alternative, ...]

    @property
    def tables(self) -> tuple[TableReach, ...]:
        """The asked tables with what recipients will read."""
        return self.verdict.figures.tables

    @property
    def persons(self) -> int:
        """Persons that go out; rows where no column names them."""
        return self.verdict.figures.persons

    @property
    def rows(self) -> int:
        """Rows that go out."""
        return self.verdict.figures.rows

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data: the JSON of the command line."""
        plan = self.plan
        return {
            **self.verdict.as_dict(),
            "gamma": plan.gamma,
            "columns": {
                name: {
                    "role": role.value,
                    "steps": [str(step.words) for step in plan.generalisations.get(name, ())],
                    **({"not_secret": list(plan.public_values[name])} if name in plan.public_values else {}),
                }
                for name, role in plan.roles.items()
            },
            "blocks": [list(block.columns) for block in plan.blocks],
            "classes": list(plan.classes),
            "tables": [
                {"table": str(each.asked), "within": each.asked.within, "cells": each.answered, "of": each.cells}
                for each in self.tables
            ],
            "steps": [
                {"name": s.name, "column": s.column, "words": str(s.words), "why": str(s.why)} for s in self.steps
            ],
            "alternatives": [each.as_dict() for each in self.alternatives],
        }


def propose(
    table: Table,
    audience: Audience | None = None,
    *,
    person: str | None = "",
    questions: Sequence[AskedTable] = (),
    roles: Mapping[str, Role] | None = None,
    row_word: str = "",
    within: float = WITHIN,
    earlier: Sequence[EarlierRelease] = (),
    suggestions: Mapping[str, Suggestion] | None = None,
    changed: Mapping[str, tuple[float, str]] | None = None,
    progress: Progress = SILENT,
) -> Proposal:
    """Return the strongest protection of a table that answers what must come out, within the limits.

    Parameters
    ----------
    table : the source.
    audience : who gets it; a partner who has signed where nobody was asked.
    person : the column that names the person, None for no column, "" to look for one.
    questions : tables that must come out; none for the most telling ones.
    roles : of columns that the custodian has decided on.
    row_word : what one row is.
    within : relative error of the tables that are found where none is named.
    earlier : releases of the same persons.
    suggestions : what each column is taken for; None to look.
    changed : limits changed by hand, with reasons.

    Raises
    ------
    UnknownColumn, BadSetting, EmptyTable; Cancelled.
    """
    if table.n == 0:
        raise EmptyTable("The table has no records, so there is nothing to publish.")
    begun = time.monotonic()
    who = audience or Audience()
    limits = limits_for(who, changed)
    known = suggest_roles(table) if suggestions is None else suggestions
    found = draft(
        table,
        who,
        limits,
        known,
        person=person,
        questions=questions,
        roles=roles,
        row_word=row_word,
        within=within,
        progress=progress,
    )
    made = _Proposing(table, found, limits, progress, begun + _SECONDS)
    way = made.way()
    judged = verdict(way.prepared, way.plan, earlier=earlier, suggestions=known, changed=changed, progress=progress)
    steps = (*found.steps, *made.steps, *made.form_steps(way))
    return Proposal(way.plan, judged, steps, tuple(made.alternatives(way, judged)))


class _Proposing:
    """Finds a plan from a draft, and what else could be done."""

    def __init__(self, table: Table, found: Draft, limits: Limits, progress: Progress, until: float) -> None:
        self.table, self.found, self.limits, self.progress, self.until = table, found, limits, progress, until
        self.plan = found.plan
        self.steps: list[Step] = []
        self.search = self._search(self.plan)

    def _search(self, plan: Plan, limits: Limits | None = None) -> Search:
        return Search(self.table, plan, self.found.subjects, limits or self.limits, self.progress)

    def way(self) -> Way:
        """Return the best way, columns that give a secret value away left out."""
        way = self._found(self.search)
        for _ in range(_ROUNDS):
            asked = {name for each in self.plan.questions for name in each.by}
            telling = [each for each in giveaways(way.prepared, way.plan) if each.column not in asked]
            if not telling:
                break
            for each in telling:
                self.plan = self.plan.with_role(each.column, Role.DROPPED)
                again = set_roles([each.column], Role.NSA)
                words = say("“{column}” is left out.", column=each.column)
                self.steps.append(Step("left-out", each.column, words, each.sentence, again))
            self.search = self._search(self.plan)
            way = self._found(self.search)
        return way

    def _found(self, search: Search) -> Way:
        """Return the best way, or the coarsest form of everything where too few look alike in any."""
        found = search.find()
        if found is not None:
            return found
        return search.way(
            search.tiers.top(
                max(r.tier for c in search.tiers.candidates for r in c.rungs) if search.tiers.candidates else 0
            )
        )

    # --- what was done

    def form_steps(self, way: Way) -> Iterator[Step]:
        """Give the steps that made columns coarser, with what they are for."""
        tiers, plan = self.search.tiers, way.plan
        folded: list[str] = []
        persons = way.prepared.person_count + way.prepared.left_out
        for at, (each, level) in enumerate(zip(tiers.candidates, way.levels, strict=True)):
            if not level:
                continue
            finer = (*way.levels[:at], 0, *way.levels[at + 1 :])
            alone = round((1 - tiers.alike(finer)) * persons)
            form = each.rungs[level]
            why = say("without it {n} {persons} stand out", n=alone, persons=_who(way))
            if form.steps is None:
                if not each.asked:
                    folded.append(each.name)
                continue
            words = counted(
                each.rungs[0].m,
                "“{column}”: {now} groups instead of {n} value.",
                "“{column}”: {now} groups instead of {n} values.",
                column=each.name,
                now=form.m,
            )
            yield Step("coarser", each.name, words, why, set_steps([each.name], each.rungs[0].steps or ()))
        if folded:
            words = counted(len(folded), "{columns} is left out.", "{columns} are left out.", columns=quoted(folded, 3))
            yield Step(
                "left-out",
                folded[0] if len(folded) == 1 else "",
                words,
                say("no table needs it, and {persons} would stand out by it", persons=_who(way)),
                set_roles(tuple(folded), Role.NSA),
            )
        if plan.blanking is not None:
            words = say(
                "Cells of {emptied} {persons} are left empty, {out} are left out.",
                emptied=way.prepared.emptied,
                out=way.prepared.left_out,
                persons=_who(way),
            )
            yield Step(
                "blanked", "", words, say("they would stand out all the same"), lambda p: replace(p, blanking=None)
            )
        if plan.classes:
            columns = listed([say("“{name}”", name=name) for name in plan.classes], "{head} and {tail}")
            yield Step(
                "classes",
                "",
                say("Values are lent within the cells of {columns}.", columns=columns),
                say("so that your tables can be read at any strength"),
                lambda p: replace(p, classes=()),
            )
        yield Step(
            "strength",
            "",
            say("One row in {gamma} keeps its own value.", gamma=_plain(plan.gamma)),
            say("the limits for the {audience} ask for it", audience=say(self.limits.name)),
        )

    # --- other ways

    def alternatives(self, way: Way, judged: Verdict) -> Iterator[Alternative]:
        """Give a safer and a sharper way, two that work, or what would make rows possible."""
        if judged.state == USEFUL or way.useful(self.limits.useful):
            yield from (each for each in (self._safer(way), self._sharper(way)) if each is not None)
            return
        works = list(self._working(way))
        if len(works) >= 2 or way.cells >= FEWEST_CELLS:
            yield from works[:2]
            return
        yield from self._possible(way, works)

    def _safer(self, way: Way) -> Alternative | None:
        for stop in sorted(stop for stop in STOPS if stop > way.plan.gamma):
            (tables,) = reaches(way.prepared, way.plan, [stop])
            other = replace_way(way, way.plan.with_gamma(stop), tables)
            if other.useful(self.limits.useful):
                return _of(
                    "safer", say("Safer: one row in {gamma} keeps its own value.", gamma=_plain(stop)), other, True
                )
        return self._for_level("safer", +1)

    def _sharper(self, way: Way) -> Alternative | None:
        needed = strength_needed(certainties(way.prepared, way.plan), self.limits)
        for stop in (stop for stop in STOPS if needed <= stop < way.plan.gamma):
            (tables,) = reaches(way.prepared, way.plan, [stop])
            other = replace_way(way, way.plan.with_gamma(stop), tables)
            words = say("More exact: one row in {gamma} keeps its own value.", gamma=_plain(stop))
            return _of("sharper", words, other, other.useful(self.limits.useful))
        return self._for_level("sharper", -1)

    def _for_level(self, kind: str, by: int) -> Alternative | None:
        """Return the way for the next wider or narrower audience."""
        at = LEVELS.index(self.limits.name) + by
        if not 0 <= at < len(LEVELS) or time.monotonic() > self.until:
            return None
        limits = limits_named(LEVELS[at])
        audience = replace(self.plan.audience, who=limits.name, signed=limits.name != "public")
        other = self._search(replace(self.plan, audience=audience), limits).find()
        if other is None:
            return None
        words = {
            "colleague": say("Give it to a colleague in this hospital who has signed."),
            "partner": say("Give it to a partner under contract who has signed."),
            "public": say("Make it safe enough for anyone."),
        }[limits.name]
        return _of(kind, words, other, other.useful(limits.useful))

    def _working(self, way: Way) -> Iterator[Alternative]:
        """Give ways that work: fewer tables, fewer columns in them, a wider error, a narrower audience."""
        tried: set[tuple[AskedTable, ...]] = {self.plan.questions}
        for words, asked in _fewer(self.plan.questions, way.tables):
            if asked in tried or time.monotonic() > self.until:
                continue
            tried.add(asked)
            try:
                other = self._search(replace(self.plan, questions=asked)).find()
            except SpluError:
                continue
            if other is not None and other.useful(self.limits.useful):
                yield _of("works", words, other, True)
        if (other_audience := self._for_level("works", -1)) is not None and other_audience.works:
            yield other_audience

    def _possible(self, way: Way, works: Sequence[Alternative]) -> Iterator[Alternative]:
        """Give three things that would make rows possible, each with its figure, also where it fails."""
        yield from works[:1]
        colleague = self._for_level("possible", -1)
        if colleague is not None and not any(each.plan is colleague.plan for each in works[:1]):
            yield colleague
        counts = np.sort(np.concatenate([each.forecast.truth.ravel() for each in way.tables] or [np.zeros(0)]))
        third = counts[-FEWEST_CELLS] if len(counts) >= FEWEST_CELLS else 0.0
        if third >= 1:
            enough = _round_up(way.prepared.person_count * 50 / third)
            words = say(
                "Wait for more {persons}: from about {n} on, the tables can be read.", persons=_who(way), n=enough
            )
            yield Alternative("possible", words, None)
        if len(works) < 2:
            words = say("Hand out protected tables of counts instead of rows.")
            yield Alternative("possible", words, None, 0, way.cells)


def replace_way(way: Way, plan: Plan, tables: tuple[TableReach, ...]) -> Way:
    """Return a way with another strength."""
    return replace(way, plan=plan, tables=tables)


def _fewer(
    questions: Sequence[AskedTable], tables: Sequence[TableReach]
) -> Iterator[tuple[str, tuple[AskedTable, ...]]]:
    """Give fewer tables, then such that count by fewer columns, then a wider error, each with its words."""
    if len(questions) > 1:
        for each in sorted(tables, key=lambda each: -each.answered):
            yield say("Only {table}.", table=each.asked.words()), (each.asked,)
    columns = dict.fromkeys(name for each in questions for name in each.by)
    for left in reversed(columns):
        asked = tuple(dict.fromkeys(replace(e, by=tuple(n for n in e.by if n != left)) for e in questions))
        yield say("Tables without “{column}”.", column=left), asked
    wider = tuple(replace(each, within=WITHIN) for each in questions)
    if any(each.within < WITHIN for each in questions):
        yield say("A number is good within 30 %."), wider
    if any(each.value is not None for each in questions) or len(columns) > 1:
        yield say("Totals only."), tuple(dict.fromkeys(replace(each, by=(), within=WITHIN) for each in questions))


def _of(kind: str, words: str, way: Way, works: bool) -> Alternative:
    return Alternative(kind, words, way.plan, way.answered, way.cells, way.plan.gamma, works)


def _who(way: Way) -> str:
    return say("persons") if way.prepared.knows_persons else say("rows")


def _plain(gamma: float) -> str:
    return f"{gamma:g}"


def _round_up(number: float) -> int:
    """Return a number rounded up to two digits."""
    size = 10 ** max(0, len(str(int(number))) - 2)
    return int(-(-number // size) * size)
