"""The search for a plan of which no unchanged column gives a secret value away."""

from __future__ import annotations

import itertools
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.draft import coarser_plans
from splu_desktop.core.policy.ladders import leaves_in
from splu_desktop.core.policy.search import Search, Setting, Way
from splu_desktop.core.risk.giveaway import Giveaway, giveaways
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Table

_FINE = ("age", "date", "place")  # of which a coarser form may be quiet
_ROUNDS = 8  # in which columns that give a secret value away become coarser or are left out


@dataclass(frozen=True, eq=False)
class Found:
    """A way with what led to it.

    Attributes
    ----------
    search, way : the search that found it, and the way.
    left_out : columns that gave a secret value away -> which.
    told : what is given away all the same.
    """

    search: Search
    way: Way
    left_out: Mapping[str, str]
    told: tuple[Giveaway, ...]


def find_quiet(setting: Setting, plan: Plan) -> Found:
    """Return the best way, columns that give a secret value away left out; one that is not safe where none can be.

    Columns that somebody's tables count by are not left out.
    """
    left_out: dict[str, str] = {}
    floors: dict[str, int] = {}
    for _ in range(_ROUNDS):
        search, way = _find(setting, plan, floors)
        told = giveaways(way.prepared, way.plan)
        if not told:
            return Found(search, way, left_out, told)
        plan = replace(search.plan, questions=plan.questions)
        counted = {name for each in plan.questions for name in each.by}
        asked = counted if setting.named else set[str]()
        levels = {each.name: at for each, at in zip(search.tiers.candidates, way.levels, strict=True)}
        last = {each.name: sum(not rung.out for rung in each.rungs) - 1 for each in search.tiers.candidates}
        worth = counted | {name for name in levels if setting.subjects.get(name) in _FINE and name not in floors}
        able = {name for name in worth if levels.get(name, 0) < last.get(name, 0)}
        chosen = _least_needed(told, setting.subjects, able, asked)
        if not chosen or time.thread_time() > setting.until:
            break
        for name, sentence in chosen.items():
            if name in able:  # one form coarser, then the coarsest
                floors[name] = last[name] if name in floors else levels[name] + 1
                continue
            left_out[name] = sentence
            single = plan.questions[:1]
            plan = plan.with_role(name, Role.DROPPED)
            if not plan.questions:  # of a table by it the total is left
                plan = replace(plan, questions=tuple(replace(each, by=()) for each in single))
    return Found(search, replace(way, safe=False), left_out, told)


def _find(setting: Setting, plan: Plan, floors: Mapping[str, int]) -> tuple[Search, Way]:
    """Return the best way: of the plan, else of a coarser one, else with other forms of what the tables count by."""
    first: tuple[Search, Way] | None = None
    best: tuple[Search, Way] | None = None  # useful, though not for the first table
    plans = (plan, *coarser_plans(setting.table, plan))
    searches: dict[int, Search] = {}
    tries = list(itertools.product((False, True), range(len(plans))))
    if _loses_most(setting.table, plan):
        # Other forms of what is counted by, before most rows of each person are left out.
        tries.sort(key=lambda each: (plans[each[1]].persons != plan.persons, each))
    for explore, at in tries:
        # One way is looked at however late it is, so that there is always something to propose.
        if first is not None and time.thread_time() > setting.until:
            break
        try:
            search = searches[at] = searches.get(at) or Search(setting, plans[at], floors)
            way = search.find(explore=explore) or search.coarsest()
        except BadSetting:
            if first is None:
                raise
            continue  # what is drawn does not fit one row of each person
        found = search, way
        if way.useful(setting.limits.useful):
            # Stopping at a lesser table cut a registry of 10,065 visits down to the first visit of each patient.
            if way.plan.questions[:1] == plan.questions[:1]:
                return found
            best = best or found
        first = first or found
    assert first is not None
    return best or first


def _loses_most(table: Table, plan: Plan) -> bool:
    """Whether one row of each person is less than half of all."""
    who = plan.persons
    if who is None or who.way != "draw":
        return False
    return bool(2 * np.count_nonzero(table[who.column].counts()) < table.n)


def _least_needed(
    told: Sequence[Giveaway], subjects: Mapping[str, str], able: Collection[str], asked: Collection[str]
) -> dict[str, str]:
    """Return for each of what is told the column to change: one that can be coarser, else the least needed.

    Each only where none chosen before is in it; columns that somebody's tables count by are never left out.
    """
    found: dict[str, str] = {}
    for each in told:
        names = [name for name in each.columns if name in able or name not in asked]
        if names and not found.keys() & set(each.columns):
            chosen = min(names, key=lambda name: (name not in able, leaves_in(subjects.get(name, ""))))
            found[chosen] = each.sentence
    return found
