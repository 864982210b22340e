"""Works out the proposal from the answers, in a worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from splu_desktop.core.audience import OwnLimit
from splu_desktop.core.errors import SpluError
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy import Proposal, propose
from splu_desktop.core.policy.draft import draft
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.roles import Role
from splu_desktop.files.register import Register
from splu_desktop.files.register.earlier import earlier_releases
from splu_desktop.gui.base.judge import judge
from splu_desktop.gui.base.session import Answers, Choices, Judgement
from splu_desktop.gui.base.source import Source


def roles_decided(choices: Choices) -> dict[str, Role]:
    """Return the roles that the custodian gave columns since the last proposal: they hold for the next one, too."""
    if choices.proposal is None or choices.plan is None:
        return {}
    before = choices.proposal.plan.roles
    return {name: role for name, role in choices.plan.roles.items() if role is not before.get(name, role)}


def propose_for(
    source: Source,
    answers: Answers,
    roles: Mapping[str, Role],
    limits: tuple[OwnLimit, ...],
    progress: Progress = SILENT,
) -> tuple[Proposal, Answers, Judgement]:
    """Return a proposal for the answers, with its verdict. Raises what `propose` raises; Cancelled."""
    proposal = propose(
        source.table,
        replace(answers.audience, limits=limits),
        person=answers.person,
        questions=own_questions(source, answers),
        roles=roles,
        row_word=answers.row_word,
        suggestions=source.suggestions,
        progress=progress,
    )
    plan = with_public_values(proposal.plan, answers)
    earlier = earlier_releases(Register(), source.table, plan)
    # The verdict that came with the proposal knows of no earlier release and no value declared public.
    if plan == proposal.plan and not earlier:
        judged = Judgement(plan, source.prepare(plan, progress), proposal.verdict)
    else:
        judged = judge(source, plan, earlier, progress=progress)
        proposal = replace(proposal, plan=plan, verdict=judged.verdict)
    # The program may count by other columns, and the page is to show the tables that are counted.
    return proposal, replace(answers, questions=plan.questions), judged


def own_questions(source: Source, answers: Answers) -> tuple[AskedTable, ...]:
    """Return the tables that the custodian asked for; none where those stand that the file suggested.

    Nobody insists on these: the program may count by other columns where one would give a secret away.
    """
    try:
        usual = draft(
            source.table, answers.audience, person=answers.person, suggestions=source.suggestions
        ).plan.questions
    except SpluError:
        return answers.questions
    return () if answers.questions == usual else answers.questions


def with_public_values(plan: Plan, answers: Answers) -> Plan:
    """Return the plan with asked values that were declared to be no secret."""
    public = dict(plan.public_values)
    for asked in answers.questions:
        if asked.sa in answers.not_secret and asked.value is not None and asked.value not in public.get(asked.sa, ()):
            public[asked.sa] = (*public.get(asked.sa, ()), asked.value)
    return replace(plan, public_values=public)
