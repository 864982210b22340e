"""The plan that somebody says column by column, completed by what nobody said: questions, blocks, classes, strength."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from splu_desktop.core.audience import Audience
from splu_desktop.core.generalise import table_after
from splu_desktop.core.generalise.blanking import row_classes
from splu_desktop.core.mechanism import LEAST
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.draft import draft
from splu_desktop.core.policy.figures import FEWEST_CELLS
from splu_desktop.core.policy.limits import limits_for
from splu_desktop.core.policy.search import class_options
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.questions import WITHIN, AskedTable
from splu_desktop.core.roles import Role
from splu_desktop.core.roles.suggest import Suggestion, suggest_roles
from splu_desktop.core.table import Table


def plan_as_given(
    table: Table,
    audience: Audience,
    *,
    person: str | None = "",
    questions: Sequence[AskedTable] = (),
    roles: Mapping[str, Role] | None = None,
    row_word: str = "",
    within: float = WITHIN,
    suggestions: Mapping[str, Suggestion] | None = None,
    progress: Progress = SILENT,
) -> Plan:
    """Return the plan with these roles; nothing is made coarser, blanked or left out beyond them. See `propose`.

    Columns without a role take the one suggested. Where no table is asked, usual ones make the classes and are asked,
    if they have the cells that a verdict needs. Raises UnknownColumn, BadSetting; Cancelled.
    """
    known = suggest_roles(table) if suggestions is None else suggestions
    found = draft(
        table,
        audience,
        limits_for(audience),
        known,
        person=person,
        questions=questions,
        roles=roles,
        row_word=row_word,
        within=within,
        progress=progress,
    )
    plan = found.plan
    if found.named:
        return replace(plan, classes=next(iter(class_options(plan)), ()))
    view = table_after(table, plan.generalisations)
    plan = replace(plan, questions=_large_enough(view, plan.questions))
    plan = replace(plan, classes=next(iter(class_options(plan)), ()))
    large = sum(_large_cells(view, each) for each in plan.questions)
    return plan if large >= FEWEST_CELLS else replace(plan, questions=())


def _large_cells(table: Table, asked: AskedTable) -> int:
    """Return how many cells of 50 and more a table of counts has."""
    sides = [table[asked.sa], *(table[name] for name in asked.by)]
    cells = np.bincount(row_classes([each.codes for each in sides], [each.m for each in sides], table.n))
    return int((cells >= LEAST).sum())


def _large_enough(table: Table, questions: Sequence[AskedTable]) -> tuple[AskedTable, ...]:
    """Return tables by so many of their columns, as they stand, that half of the rows lie in cells of 50 and more."""
    found = []
    for asked in questions:
        sides = [table[asked.sa], *(table[name] for name in asked.by)]
        for length in range(len(asked.by), -1, -1):
            some = sides[: length + 1]
            cells = np.bincount(row_classes([each.codes for each in some], [each.m for each in some], table.n))
            if not length or 2 * cells[cells >= LEAST].sum() >= table.n:
                found.append(replace(asked, by=asked.by[:length]))
                break
    return tuple(dict.fromkeys(found))
