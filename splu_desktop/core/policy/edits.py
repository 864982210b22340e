"""Small changes of a plan, by name: what repairs do and what undoes a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from splu_desktop.core.generalise import Steps
from splu_desktop.core.mechanism import Block
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles import Role

Edit = Callable[[Plan], Plan]


def set_roles(names: Sequence[str], role: Role) -> Edit:
    """Give columns a role, all that hung on the old one gone with it."""

    def edit(plan: Plan) -> Plan:
        for name in names:
            plan = plan.with_role(name, role)
        return plan

    return edit


def set_steps(names: Sequence[str], steps: Steps) -> Edit:
    """Put columns into another form; no steps for the form as read."""

    def edit(plan: Plan) -> Plan:
        left = {name: each for name, each in plan.generalisations.items() if name not in names}
        return replace(plan, generalisations={**left, **dict.fromkeys(names, steps)} if steps else left)

    return edit


def draw_again(names: Sequence[str], forms: Mapping[str, Steps]) -> Edit:
    """Make columns secret that were left out, each in the form in which it can be drawn."""

    def edit(plan: Plan) -> Plan:
        plan = set_roles(names, Role.SA)(plan)
        own = {name: forms[name] for name in names if name in forms}
        return replace(plan, generalisations={**plan.generalisations, **own})

    return edit


def set_person(column: str) -> Edit:
    """Draw persons, whom a column names, with all their rows."""
    return lambda plan: replace(plan.with_role(column, Role.IDENTIFIER), persons=ByPerson(column, "draw"))


def make_secret(column: str, value: str) -> Edit:
    """Count a value as secret."""

    def edit(plan: Plan) -> Plan:
        left = tuple(each for each in plan.public_values.get(column, ()) if each != value)
        return replace(plan, public_values={**plan.public_values, column: left})

    return edit


def draw_together(first: str, second: str) -> Edit:
    """Make one block of those of two columns."""

    def edit(plan: Plan) -> Plan:
        own, other = plan.block_of(first), plan.block_of(second)
        rest = [block for block in plan.blocks if block not in (own, other)]
        return replace(plan, blocks=(replace(own, columns=(*own.columns, *other.columns)), *rest))

    return edit


def draw_apart(names: Sequence[str]) -> Edit:
    """Make a block of each column of one."""

    def edit(plan: Plan) -> Plan:
        # A step is undone in whatever the plan is by then, which may have left some of the columns out.
        apart = [name for name in names if name in plan.sensitive]
        left = [
            replace(each, columns=rest)
            for each in plan.blocks
            if (rest := tuple(name for name in each.columns if name not in apart))
        ]
        return replace(plan, blocks=(*left, *(Block((name,), plan.block_of(name).draw) for name in apart)))

    return edit


def raise_gamma(gamma: float) -> Edit:
    """Take at least this strength."""
    return lambda plan: plan.with_gamma(max(gamma, plan.gamma))
