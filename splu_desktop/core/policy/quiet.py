"""The search for a plan of which no unchanged column gives a secret value away."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.draft import coarser_plans
from splu_desktop.core.policy.ladders import leaves_in
from splu_desktop.core.policy.limits import Limits
from splu_desktop.core.policy.search import Search, Way
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.risk.giveaway import Giveaway, giveaways
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Table

_ROUNDS = 4  # in which columns that give a secret value away are left out


@dataclass(frozen=True, eq=False)
class Found:
    """A way with what led to it.

    Attributes
    ----------
    search, way : the search that found it, and the way.
    left_out : columns that gave a secret value away -> which.
    """

    search: Search
    way: Way
    left_out: Mapping[str, str]


def find_quiet(
    table: Table,
    plan: Plan,
    subjects: Mapping[str, str],
    limits: Limits,
    *,
    kept: Collection[str] = (),
    named: bool = True,
    until: float = math.inf,
    progress: Progress = SILENT,
) -> Found:
    """Return the best way, columns that give a secret value away left out; one that is not safe where none can be.

    kept, named : as for `Search`; columns that somebody's tables count by are not left out.
    until : moment after which nothing more is tried.
    """
    left_out: dict[str, str] = {}
    while True:
        search, way = _find(table, plan, subjects, limits, kept, named, until, progress)
        told = giveaways(way.prepared, way.plan)
        asked = {name for each in plan.questions for name in each.by} if named else set[str]()
        chosen = _least_needed(told, subjects, asked)
        if not told:
            return Found(search, way, left_out)
        if not chosen or len(left_out) >= _ROUNDS or time.monotonic() > until:
            return Found(search, replace(way, safe=False), left_out)
        plan = search.plan
        for name, sentence in chosen.items():
            left_out[name] = sentence
            single = plan.questions[:1]
            plan = plan.with_role(name, Role.DROPPED)
            if not plan.questions:  # of a table by it the total is left
                plan = replace(plan, questions=tuple(replace(each, by=()) for each in single))


def _find(
    table: Table,
    plan: Plan,
    subjects: Mapping[str, str],
    limits: Limits,
    kept: Collection[str],
    named: bool,
    until: float,
    progress: Progress,
) -> tuple[Search, Way]:
    """Return the best way: of the plan, else of a coarser one, else with other forms of what the tables count by."""
    first: tuple[Search, Way] | None = None
    for explore, each in ((explore, each) for explore in (False, True) for each in (plan, *coarser_plans(table, plan))):
        if first is not None and time.monotonic() > until:
            break
        search = Search(table, each, subjects, limits, progress, kept, named)
        way = search.find(until, explore=explore) or search.coarsest()
        first = first or (search, way)
        if way.useful(limits.useful):
            return search, way
    assert first is not None
    return first


def _least_needed(told: Sequence[Giveaway], subjects: Mapping[str, str], asked: Collection[str]) -> dict[str, str]:
    """Return for each of what is told the column that recipients need least, unless one chosen before is in it."""
    found: dict[str, str] = {}
    for each in told:
        able = [name for name in each.columns if name not in asked]
        if able and not found.keys() & set(each.columns):
            found[min(able, key=lambda name: leaves_in(subjects.get(name, "")))] = each.sentence
    return found
