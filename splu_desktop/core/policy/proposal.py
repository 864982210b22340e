"""The proposal: a finished plan with its verdict, what was done for it, and two other ways.

The one function behind *Make it safe*, *What must be answered?*, ways out and trade-off: from a table, who gets it,
which column names the person and which tables must come out, to the strongest protection that answers them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Unpack

import numpy as np

from splu_desktop.core.audience import Audience
from splu_desktop.core.errors import EmptyTable
from splu_desktop.core.generalise import table_after, words_for
from splu_desktop.core.mechanism import LEAST
from splu_desktop.core.messages import Phrase, listed, quoted, say
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.alternatives import Alternative, best_way, other_ways
from splu_desktop.core.policy.draft import Draft, Step, Wishes, blanked_step, draft, draw_again, left_out_words
from splu_desktop.core.policy.figures import FEWEST_CELLS, Figures, who_of
from splu_desktop.core.policy.search import Way, class_options
from splu_desktop.core.policy.verdict import Verdict, verdict
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.risk.cells import cell_counts
from splu_desktop.core.risk.releases import EarlierRelease
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Table

_FORMS = ("coarser", "public-value")  # steps about how one column is published


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
                {"table": str(each.table), "within": each.table.within, "cells": each.readable, "of": each.cells}
                for each in self.verdict.figures.tables
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
    earlier: Sequence[EarlierRelease] = (),
    progress: Progress = SILENT,
    **wishes: Unpack[Wishes],
) -> Proposal:
    """Return the strongest protection of a table that answers what must come out, within the limits.

    Parameters
    ----------
    table : the source.
    audience : who gets it; a partner who has signed where nobody was asked.
    earlier : releases of the same persons.
    wishes : what somebody said of it; see `Wishes`.

    Raises
    ------
    UnknownColumn, BadSetting, EmptyTable; Cancelled.
    """
    if table.n == 0:
        raise EmptyTable("The table has no records, so there is nothing to publish.")
    start = draft(table, audience or Audience(), progress, **wishes)
    setting, way = start.setting, best_way(start.setting, start.plan)
    judged = verdict(
        way.draw_input, way.plan, earlier=earlier, suggestions=start.suggestions, leaks=way.giveaways, progress=progress
    )
    if setting.late:
        words = say("The search ended at its limit, so that there may be a better way.")
        judged = replace(judged, sentence=Phrase("{head} {tail}", {"head": judged.sentence, "tail": words}))
    # How a column would have been published is no news of one that is not.
    steps = [e for e in start.steps if e.name not in _FORMS or way.plan.roles[e.column].is_published]
    steps += _form_steps(way, start, judged.figures)
    if way.plan.questions and not setting.own_tables:
        tables = listed([each.words() for each in way.plan.questions], "{head}; {tail}", "{head}; {tail}")
        why = say("chosen by the program, as nobody named one")
        steps.insert(0, Step("tables", "", say("Asked for: {tables}.", tables=tables), why))
    return Proposal(way.plan, judged, tuple(steps), tuple(other_ways(setting, way)))


def _form_steps(way: Way, start: Draft, figures: Figures) -> Iterator[Step]:
    """Give the steps of the search, with what they are for."""
    tiers, plan, who, losses = way.search.tiers, way.plan, who_of(way.plan), figures.losses(way.plan)
    yield Step("secret", "", say("{columns}: drawn anew.", columns=quoted(plan.sensitive, 3)))
    for_tables = say("else your tables can’t be read")
    for name, sentence in way.left_out.items():
        undo, words = partial(Plan.with_role, column=name, role=Role.NSA), left_out_words([name])
        if published := plan.roles[name].is_published:
            undo = partial(Plan.with_steps, columns=[name], steps=start.plan.generalisations.get(name, ()))
            words = words_for(name, plan.generalisations[name])
        yield Step("coarser" if published else "left-out", name, words, sentence, undo)
    for name, steps in plan.generalisations.items():
        before = start.plan.generalisations.get(name, ())
        if name in plan.sensitive and steps != before:
            undo = partial(Plan.with_steps, columns=[name], steps=before)
            yield Step("coarser", name, words_for(name, steps), for_tables, undo)
    if plan.persons is not None and plan.persons != start.plan.persons:
        words, rows, least = say("Only the first row of each person goes out."), start.plan.persons, plan.persons.least
        if plan.draws_persons:
            words = say("Each number of rows is that of {n} persons at least; who has more gives some up.", n=least)
        words = Phrase("{head} {tail}", {"head": words, "tail": losses[-1]})
        yield Step("person", plan.persons.column, words, for_tables, lambda p: replace(p, persons=rows))
    common = [n for n in way.search.plan.sensitive if n not in plan.sensitive]
    if common:
        why = say("in some group nearly all have the same secret value")
        yield Step("left-out", "", left_out_words(common), why, draw_again(common, way.search.plan.generalisations))
    # The search's shares are of all persons, also of those who are left out afterwards.
    persons = way.draw_input.person_count + way.draw_input.left_out
    out = [each.name for each, at in zip(tiers.candidates, way.levels, strict=True) if each.rungs[at].steps is None]
    for at, (each, level) in enumerate(zip(tiers.candidates, way.levels, strict=True)):
        form, first = each.rungs[level], each.rungs[0]
        if level and form.steps is not None:
            alone = round((1 - tiers.alike((*way.levels[:at], 0, *way.levels[at + 1 :]))) * persons)
            n, of = (rung.m - each.column.missing.any() for rung in (form, first))  # no value makes no group
            words = say("“{column}”: {n} {n:group|groups} instead of {of}.", column=each.name, n=n, of=of)
            # A form that hides nobody was taken for the cells that it makes large enough.
            why = say("else {n:one of the {who} stands|{n} {who} stand} out", n=alone, who=who) if alone else for_tables
            undo = partial(Plan.with_steps, columns=[each.name], steps=first.steps or ())
            yield Step("coarser", each.name, words, why, undo)
    if out:
        why = say("no table needs it, and {who} would stand out by it", who=who)
        yield Step("left-out", "", left_out_words(out), why, lambda p: p.with_roles(out, Role.NSA))
    if plan.blanking is not None:
        yield blanked_step(losses[0])
    if plan.classes:
        columns = listed([say("“{name}”", name=name) for name in plan.classes], "{head} and {tail}")
        words = say("Values are lent within the cells of {columns}.", columns=columns)
        why = say("so that your tables can be read at some strength")
        yield Step("classes", "", words, why, lambda p: replace(p, classes=()))
    yield Step("strength", "", say("One row in {gamma} keeps its own value.", gamma=f"{plan.gamma:g}"))


def plan_as_given(table: Table, audience: Audience, *, progress: Progress = SILENT, **wishes: Unpack[Wishes]) -> Plan:
    """Return the plan that wishes give; nothing is made coarser, blanked or left out beyond them.

    Columns without a role take the one suggested. Where no table is asked, usual ones make the classes and are asked,
    each by so many columns that it has the cells that a verdict needs. Raises UnknownColumn, BadSetting; Cancelled.
    """
    start = draft(table, audience, progress, ages=False, **wishes)
    plan, view = start.plan, table_after(table, start.plan.generalisations)
    if not start.setting.own_tables:
        some: list[AskedTable] = []
        for asked in plan.questions:
            fewer = [replace(asked, by=asked.by[:length]) for length in range(len(asked.by), -1, -1)]
            some += [each for each in fewer if np.count_nonzero(cell_counts(view, each) >= LEAST) >= FEWEST_CELLS][:1]
        plan = replace(plan, questions=tuple(dict.fromkeys(some)))
    return replace(plan, classes=next(iter(class_options(plan)), ()))
