"""The search for a plan that keeps the limits and answers the tables.

First the tier search over all unchanged columns; then classes (the columns that the tables count by, crossed) and the
strength: the audience's, or more until the riskiest group keeps its limit, or less where the tables can't be read else
and the limits allow it. Where the tables can't be read so, or few rows lie in cells that can, other forms of what they
count by are tried, each with the mildest forms of the others; what may be useful is seen from counts alone.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.answer.forecast import Forecaster
from splu_desktop.core.generalise import column_after
from splu_desktop.core.mechanism import LEAST, make_classes
from splu_desktop.core.messages import say
from splu_desktop.core.persons.blanking import Blanking, row_classes
from splu_desktop.core.persons.choice import persons
from splu_desktop.core.persons.treatment import one_per_person
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.figures import FEWEST_CELLS, Readable, TableReach, reaches
from splu_desktop.core.policy.ladders import TIERS, ladder_of
from splu_desktop.core.policy.limits import Limits
from splu_desktop.core.policy.tiers import Candidate, Levels, TierSearch
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.risk.certainty import certainties
from splu_desktop.core.roles import Role
from splu_desktop.core.sanitise import Prepared, prepare
from splu_desktop.core.table import Table
from splu_desktop.core.thresholds import NORMAL_95

# The strongest first: what needs more than STOPS[0] counts as protected by no strength.
STOPS = (50.0, 20.0, 10.0, 7.0, 5.0, 4.0, 3.0, 2.0)
_MUCH_MORE = 2  # times the audience's strength, for whose sake a column that nobody asks for may stay
_CLEAR = 0.75  # share of the asked rows in cells of 50 and more that is enough
_FORMS = 60  # of the counted columns that are looked at
_TRIES = 8  # forms of the counted columns that are worked out in full
_COMBINATIONS = 20_000


@dataclass(frozen=True, eq=False)
class Way(Readable):
    """A plan with what it reaches.

    Attributes
    ----------
    plan, prepared : the plan, and the table as it prepares it.
    tables : how far the asked tables can be read.
    safe : whether the limits on persons alike and on certainty hold.
    levels : the forms of the unchanged columns, beside `TierSearch.candidates`.
    covered : share of the asked rows that lie in cells of 50 and more.
    """

    plan: Plan
    prepared: Prepared
    tables: tuple[TableReach, ...]
    safe: bool
    levels: Levels
    covered: float

    def useful(self, share: float) -> bool:
        """Whether it is safe, and the tables can be read."""
        return self.safe and super().useful(share)

    @property
    def who(self) -> str:
        """What is counted."""
        return say("persons") if self.prepared.knows_persons else say("rows")

    @property
    def rank(self) -> tuple[bool, float, int]:
        """By what ways that are not useful are compared."""
        return self.safe and self.cells >= FEWEST_CELLS, self.answered / max(self.cells, FEWEST_CELLS), self.answered


@dataclass(frozen=True, eq=False)
class Setting:
    """What a search is about, whatever plan it tries.

    Attributes
    ----------
    table : the source.
    subjects : unchanged column -> what it tells of a person.
    limits : of whoever gets it.
    kept : secret columns that are not left out: those that somebody marked, and the one that the table is about.
    named : whether somebody named the tables; of others as many are asked for as can be read.
    until : moment after which nothing more is tried.
    progress : may stop it.
    """

    table: Table
    subjects: Mapping[str, str]
    limits: Limits
    kept: Collection[str] = ()
    named: bool = True
    until: float = math.inf
    progress: Progress = SILENT


class Search:
    """Looks for ways to publish a table.

    Parameters
    ----------
    setting : what it is about.
    plan : roles, blocks, questions and all else that the search leaves as it is; generalisations that it may coarsen.
    floors : unchanged column -> the finest level of its ladder that it may have.
    """

    def __init__(self, setting: Setting, plan: Plan, floors: Mapping[str, int] | None = None) -> None:
        self.table, self.plan, self.limits, self._setting = setting.table, plan, setting.limits, setting
        # Once for all ways that are looked at, and not from the whole table for each of them.
        self._source = one_per_person(self.table, plan.persons)
        asked = {name for each in plan.questions for name in each.by}
        candidates = []
        for name in plan.knowable:
            subject = setting.subjects.get(name, "")
            before = plan.generalisations.get(name, ())
            rungs = ladder_of(self._source[name], subject, name in asked, before)
            if name in asked and len(rungs) > 1:
                rungs.pop()  # a table can't be counted by what is left out
            candidates.append(Candidate(self._source[name], subject, tuple(rungs), name in asked))
        who = plan.persons
        owner = persons(self._source[who.column]) if who is not None else np.arange(self._source.n)
        limits, progress = setting.limits, setting.progress
        self.tiers = TierSearch(candidates, owner, limits.alike, limits.share_alike, progress, floors)
        self._ways: dict[Levels, Way] = {}

    def find(self, *, explore: bool = True) -> Way | None:
        """Return the best way; None where too few persons look alike whatever is done. Raises Cancelled.

        explore : whether other forms of the counted columns are tried where it can't be useful else.
        """
        levels = self.tiers.mildest()
        if levels is None:
            return None
        best = self.way(levels)
        useful = best.useful(self.limits.useful)
        wanted = best.plan.questions[:1] == self.plan.questions[:1]  # the first table is the most telling
        tries = _TRIES if explore and not (useful and wanted) else int(useful)
        if useful and best.covered >= _CLEAR and (wanted or not explore):
            return best
        for fixed in self._counted_forms()[:tries] if tries else ():
            # Time that this thread worked, so that a busy machine proposes what an idle one does.
            if time.thread_time() > self._setting.until or (
                best.covered >= _CLEAR and self._as_wished(best, _MUCH_MORE)
            ):
                break
            levels = self.tiers.mildest(fixed)
            if levels is not None:
                best = max(best, self.way(levels), key=self._merit)
        return best

    def coarsest(self) -> Way:
        """Return the way with the coarsest form of everything."""
        return self.way(self.tiers.top(TIERS))

    def way(self, levels: Levels) -> Way:
        """Return what some forms of the columns reach, with the classes and the strength that suit them best."""
        # The search comes back to the same forms, and each look prepares the whole table.
        if levels not in self._ways:
            self._ways[levels] = self._look(levels)
        return self._ways[levels]

    def _look(self, levels: Levels) -> Way:
        plan = self.plan_with(levels)
        prepared = prepare(self._source, plan)
        safe = self.tiers.holds(levels)
        covered = self._covered({e.name: at for e, at in zip(self.tiers.candidates, levels, strict=True) if e.asked})
        ahead = Forecaster(prepared, plan)
        best: Way | None = None
        for own, ready, needed in self._able(plan, prepared):
            strengths = _strengths(needed, self.limits.gamma)
            # Weaker ones are looked at only where the tables can't be read at the first.
            for some in (strengths[:1], strengths[1:]):
                for gamma, tables in zip(some, reaches(ready, own, some, ahead) if some else (), strict=True):
                    made = Way(own.with_gamma(gamma), ready, tables, safe and gamma >= needed, levels, covered)
                    way = self._asking(made)
                    best = way if best is None else max(best, way, key=self._merit)
                if best is not None and best.useful(self.limits.useful):
                    break
            asked = own.classes and own.questions == plan.questions
            if best is not None and (self._as_wished(best, 1) or (asked and needed <= self.limits.gamma)):
                break  # with fewer classes less can be read, and no less strength is needed
        assert best is not None
        return best

    def _able(self, plan: Plan, prepared: Prepared) -> Iterator[tuple[Plan, Prepared, float]]:
        """Give plan and table with classes for which some strength keeps the limits; the first where none does."""
        found = unable = None
        for classes in class_options(plan):
            made = self._with_classes(plan, prepared, classes)
            if made[2] <= STOPS[0]:
                found = made
                yield made
            unable = unable or made
        if found is None and unable is not None:
            yield unable

    def _asking(self, way: Way) -> Way:
        """Return a way that asks only for tables that can be read, where nobody named them and all can't."""
        if self._setting.named or way.useful(self.limits.useful):
            return way
        read = tuple(each for each in way.tables if each.cells and each.answered >= self.limits.useful * each.cells)
        if not read or sum(each.cells for each in read) < FEWEST_CELLS:
            return way
        return replace(way, tables=read, plan=replace(way.plan, questions=tuple(each.asked for each in read)))

    def _as_wished(self, way: Way, more: float) -> bool:
        """Whether all tables can be read at not much more than the audience's strength."""
        every = len(way.tables) == len(self.plan.questions)
        return way.useful(self.limits.useful) and every and way.plan.gamma <= more * self.limits.gamma

    def _with_classes(self, plan: Plan, prepared: Prepared, classes: tuple[str, ...]) -> tuple[Plan, Prepared, float]:
        """Return plan and table with classes, and the strength that they need.

        Columns that nobody asks for and that need much more strength than those asked for are left out; so are asked
        ones that no strength protects, with their tables, where nobody named these.
        """
        self._setting.progress.report("Trying ways", 0.5)
        ready = replace(prepared, classes=make_classes([prepared.table[name] for name in classes], prepared.units))
        plan = replace(plan, classes=classes)
        needs = certainties(ready, plan).needed_of(self.limits.riskiest, self.limits.average)
        asked = set(self._setting.kept) | {each.sa for each in plan.questions}
        if not self._setting.named:
            asked -= {name for name, need in needs.items() if need > STOPS[0] and name not in self._setting.kept}
        first = max([self.limits.gamma, *(need for name, need in needs.items() if name in asked)])
        # One strength holds for all columns, so that one which needs far more would blur all others.
        most = max(first, _MUCH_MORE * self.limits.gamma)
        for name in [name for name, need in needs.items() if name not in asked and need > most]:
            if len(plan.sensitive) > 1:
                plan = plan.with_role(name, Role.DROPPED)
        return plan, ready, max(needs[name] for name in plan.sensitive)

    def _merit(self, way: Way) -> tuple[bool, tuple[int, int], float, float, tuple[bool, float, int]]:
        """Return by what ways are compared: useful ones by their tables, then by how little they blur the rest."""
        if not way.useful(self.limits.useful):
            return False, (0, 0), 0.0, 0.0, way.rank
        places = [self.plan.questions.index(each.asked) for each in way.tables]
        # Rounded, so that a few rows more in large cells do not outweigh a draw that blurs less.
        clear = round(min(way.covered, _CLEAR), 1)
        return True, (len(places), -sum(places)), clear, -max(way.plan.gamma, self.limits.gamma), way.rank

    def plan_with(self, levels: Levels) -> Plan:
        """Return the plan with some forms of the unchanged columns, the few who stand out all the same blanked."""
        roles, steps = dict(self.plan.roles), dict(self.plan.generalisations)
        kept: list[Candidate] = []
        for each, level in zip(self.tiers.candidates, levels, strict=True):
            form = each.rungs[level]
            if form.steps is None:
                roles[each.name] = Role.DROPPED
                steps.pop(each.name, None)
            else:
                steps[each.name] = form.steps
                kept.append(each)
        blanking = None
        if self.tiers.alike(levels) < 1 and self.tiers.holds(levels):
            # Somebody may set the limit to 1 alike by hand, and blanking takes no less than 2.
            blanking = Blanking(max(2, self.limits.alike), _blanked(kept))
        return replace(self.plan, roles=roles, generalisations=steps, blanking=blanking, classes=())

    # --- other forms of the columns that tables count by

    def _counted_forms(self) -> list[dict[str, int]]:
        """Return levels of the counted columns that may be useful and safe: clear ones first, then what loses least."""
        counted = [each for each in self.tiers.candidates if each.asked]
        ranges = [range(len(each.rungs)) for each in counted]
        if math.prod(map(len, ranges)) > _COMBINATIONS:
            return []

        def lost(levels: tuple[int, ...]) -> float:
            return sum(each.entropies[0] - each.entropies[at] for each, at in zip(counted, levels, strict=True))

        coarsest = self.tiers.top(TIERS)
        found: list[dict[str, int]] = []
        for levels in sorted(itertools.product(*ranges), key=lost):
            fixed = {each.name: at for each, at in zip(counted, levels, strict=True)}
            everything = tuple(
                fixed.get(each.name, level) for each, level in zip(self.tiers.candidates, coarsest, strict=True)
            )
            if len(found) < _FORMS and self._may_be_useful(fixed) and self.tiers.holds(everything):
                found.append(fixed)
        return sorted(found, key=lambda fixed: -min(self._covered(fixed), _CLEAR))

    def _covered(self, fixed: Mapping[str, int]) -> float:
        """Return the share of the asked rows that lie in cells of 50 and more."""
        rows = large = 0.0
        for asked, counts in self._counts:
            found = counts.cells({name: fixed[name] for name in asked.by})
            rows, large = rows + found.sum(), large + found[found >= LEAST].sum()
        return large / rows if rows else 1.0

    def _may_be_useful(self, fixed: Mapping[str, int]) -> bool:
        """Whether enough cells could be read in classes of their own, at the least strength there is."""
        cells = told = 0
        # By law 4 a cell of f rows scatters by f (1 - 1/gamma^2): the weakest draw is the kindest case.
        spread = 1 - 1 / min(STOPS) ** 2
        for asked, counts in self._counts:
            found = counts.cells({name: fixed[name] for name in asked.by})
            cells += int((found >= LEAST).sum())
            told += int((found >= max(LEAST, (NORMAL_95 / asked.within) ** 2 * spread)).sum())
        return cells >= FEWEST_CELLS and told >= self.limits.useful * cells

    @cached_property
    def _counts(self) -> list[tuple[AskedTable, _Counts]]:
        by_name = {each.name: each for each in self.tiers.candidates}
        found = []
        for asked in self.plan.questions:
            column = column_after(self._source[asked.sa], self.plan.generalisations.get(asked.sa, ()))
            values, inside = column.codes, ~column.missing[column.codes]
            if asked.value is not None:
                inside = column.labels[column.codes] == asked.value
            counted = [by_name[name] for name in asked.by]
            found.append((asked, _Counts.of(counted, values[inside], column.m, np.flatnonzero(inside))))
        return found


@dataclass(frozen=True, eq=False)
class _Counts:
    """Rows by the values of the counted columns as read and a sensitive value: (K,) combinations that occur."""

    candidates: Sequence[Candidate]
    codes: Sequence[NDArray[np.int32]]
    value: NDArray[np.int32]
    values: int
    rows: NDArray[np.int64]

    @classmethod
    def of(
        cls, candidates: Sequence[Candidate], value: NDArray[np.int32], values: int, places: NDArray[np.intp]
    ) -> _Counts:
        columns = [each.column.codes[places] for each in candidates]
        keys = row_classes([*columns, value], [*(each.column.m for each in candidates), values], len(value))
        _, first = np.unique(keys, return_index=True)
        return cls(candidates, [c[first] for c in columns], value[first], values, np.bincount(keys))

    def cells(self, levels: Mapping[str, int]) -> NDArray[np.float64]:
        """Return the rows of each cell with some forms of the columns."""
        forms = [each.rungs[levels[each.name]] for each in self.candidates]
        codes = [form.to[code] for form, code in zip(forms, self.codes, strict=True)]
        keys = row_classes([*codes, self.value], [*(form.m for form in forms), self.values], len(self.value))
        return np.bincount(keys, self.rows).astype(np.float64)


def class_options(plan: Plan) -> Iterator[tuple[str, ...]]:
    """Give columns that may make the classes: those of all tables, of one, of the only one but for a column, none."""
    nsas = set(plan.nsas)
    by = dict.fromkeys(tuple(name for name in each.by if name in nsas) for each in plan.questions)
    every = tuple(dict.fromkeys(name for each in by for name in each))
    fewer = [tuple(name for name in every if name != left) for left in reversed(every)] if len(by) == 1 else []
    yield from dict.fromkeys([every, *by, *fewer, ()])


def _strengths(needed: float, usual: float) -> list[float]:
    """Return strengths: the audience's, or the least that keeps the limits, then weaker ones that keep them, too."""
    # No strength keeps the limits, so the figures that are told are those of the audience's own.
    if needed > STOPS[0]:
        return [usual]
    first = max(usual, needed)
    return [first, *(stop for stop in STOPS if needed <= stop < first)]


def _blanked(kept: Sequence[Candidate]) -> tuple[tuple[str, ...], ...]:
    """Return which columns are emptied first, which then: dates, places, what else no table counts by."""
    free = [each for each in kept if not each.asked]
    groups = (
        tuple(each.name for each in free if each.subject == "date"),
        tuple(each.name for each in free if each.subject == "place"),
        tuple(each.name for each in free if each.subject not in ("date", "place")),
    )
    return tuple(group for group in groups if group)
