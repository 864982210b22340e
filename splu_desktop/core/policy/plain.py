"""The plan that somebody says column by column, completed by what nobody said: questions, blocks, classes, strength."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from splu_desktop.core.audience import Audience
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.draft import draft
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

    Columns without a role take the one suggested; classes are the columns that the tables count by. Raises
    UnknownColumn, BadSetting; Cancelled.
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
    ).plan
    return replace(found, classes=next(iter(class_options(found)), ()))
