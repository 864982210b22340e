"""A table with its plan and the verdict on it: what command line and Python have before anything is published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from splu_desktop.core.audience import Audience
from splu_desktop.core.generalise import Steps, column_after
from splu_desktop.core.messages import say
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.persons.treatment import one_per_person
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy import Proposal, Verdict, propose, verdict
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.roles.suggest import suggest_roles
from splu_desktop.core.sanitise import OTHER
from splu_desktop.files.importer import TableReading
from splu_desktop.files.register.earlier import earlier_releases, likely_earlier
from splu_desktop.files.register.ledger import Register


@dataclass(frozen=True, eq=False)
class PlannedTable:
    """A table with the plan that was chosen for it.

    Attributes
    ----------
    reading : the table as it was read; it has one row per person where that was chosen.
    plan, verdict : the plan and the verdict on it.
    proposal : where the program proposed the plan; None where it was given.
    """

    reading: TableReading
    plan: Plan
    verdict: Verdict
    proposal: Proposal | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on rows that were not read, on rare values that are joined and on ways that change nothing."""
        words = "“{other}” of “{column}” holds the values that fewer than {n} rows show."
        rare = (say(words, other=OTHER, column=name, n=least) for name, least in self.plan.rare.items())
        idle = "The way to make “{column}” coarser changes none of its values; choose another."
        idly = (
            say(idle, column=name) for name, steps in self.plan.generalisations.items() if self._is_idle(name, steps)
        )
        return (*self.reading.notes, *rare, *idly)

    def _is_idle(self, name: str, steps: Steps) -> bool:
        """Whether steps leave each value of a column as it is; numbers and dates none of them leaves so."""
        column = self.reading.table[name]
        return not column.kind.has_order and set(column_after(column, steps).labels) == set(column.labels)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data, as all commands print it."""
        data = self.verdict.as_dict() if self.proposal is None else self.proposal.as_dict()
        known = suggest_roles(self.reading.table)
        for name, each in data.get("columns", {}).items():  # where another role was taken, a step says why
            each |= {"suggested": known[name].role.value, "reason": str(known[name].reason)}
        return {**data, "gamma": self.plan.gamma, "recipe": self.plan.as_dict(), "notes": list(map(str, self.notes))}


def judge(imported: TableReading, plan: Plan, progress: Progress = SILENT) -> PlannedTable:
    """Return a table with a plan that was given, and the verdict on it by the register. Raises SpluError; Cancelled."""
    table = one_per_person(imported.table, plan.persons)
    earlier = earlier_releases(Register(), table, plan)
    return PlannedTable(replace(imported, table=table), plan, verdict(table, plan, earlier=earlier, progress=progress))


def propose_plan(
    imported: TableReading,
    audience: Audience,
    *,
    persons: ByPerson | None = None,
    person: str | None = "",
    questions: Sequence[AskedTable] = (),
    progress: Progress = SILENT,
    **settings: Any,
) -> PlannedTable:
    """Return a table with the plan proposed for it and what the register knows of its persons.

    person : the column that names the person, "" to look for one, None for none; `persons` says more.
    settings : roles, row_word and within, as `core/policy` takes them.

    Raises SpluError; Cancelled.
    """
    persons = ByPerson(person) if persons is None and person else persons
    table = one_per_person(imported.table, persons)
    known = suggest_roles(table)
    proposal = propose(
        table,
        audience,
        person=person if persons is None else persons.column,
        questions=questions,
        earlier=likely_earlier(Register(), table, persons, known),
        suggestions=known,
        progress=progress,
        **settings,
    )
    imported, plan = replace(imported, table=table), proposal.plan.with_persons(persons)
    unchanged = plan is proposal.plan
    return PlannedTable(imported, plan, proposal.verdict, proposal) if unchanged else judge(imported, plan, progress)
