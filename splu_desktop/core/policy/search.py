"""The search for a plan that keeps the limits and answers the tables.

First the tier search over all unchanged columns; then classes (the columns that the tables count by, crossed) and the
strength: the audience's, or more until the riskiest group keeps its limit, or less where the tables can't be read else
and the limits allow it. Where the tables can't be read so, or few rows lie in cells that can, other forms of what they
count by are tried, each with the mildest forms of the others; what may be useful is seen from counts alone. Then the
same with diagnoses by chapters, and with fewer rows of each person. What gives a secret value away is left out, and
the search begins again. Of tables that nobody named all but the first give way to other columns' detail and to rows.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from splu_desktop.core.answer.forecast import Forecaster
from splu_desktop.core.audience import Audience
from splu_desktop.core.errors import BadSetting, EmptyTable
from splu_desktop.core.generalise import Chapter, system_of
from splu_desktop.core.mechanism import LEAST
from splu_desktop.core.persons.blanking import Blanking
from splu_desktop.core.persons.choice import persons
from splu_desktop.core.persons.treatment import even_rows
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.figures import FEWEST_CELLS, Readable, TableReach, reaches
from splu_desktop.core.policy.limits import Limits
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.risk.cells import AskedCells
from splu_desktop.core.risk.certainty import certainties
from splu_desktop.core.risk.giveaway import Giveaway, giveaways
from splu_desktop.core.risk.ladders import LEAVES_IN, ladder_of
from splu_desktop.core.risk.tiers import TIERS, Candidate, Levels, TierSearch
from splu_desktop.core.roles import Role
from splu_desktop.core.sanitise import DrawInput, prepare
from splu_desktop.core.table import Table, remember

# The strongest first: what needs more than STOPS[0] counts as protected by no strength.
STOPS = (50.0, 20.0, 10.0, 7.0, 5.0, 4.0, 3.0, 2.0)
_MUCH_MORE = 2  # times the audience's strength: as much as a way may need that is taken without looking further
_CLEAR = 0.75  # share of the asked rows in cells of 50 and more that is enough
_COMBINATIONS = 20_000
_LOOKS = 100_000  # rows that are looked at, all forms together, beyond those that lie on the way
_NUMBERS = (5, 2)  # of rows that persons have, at most, where all rows of theirs tell too little
_EFFORT = 6_000_000  # rows that one proposal looks at, each way counting for 5,000 more
_ROUNDS = 8  # in which columns that give a secret value away are left out


@dataclass(frozen=True, eq=False)
class Way(Readable):
    """A plan with what it reaches.

    Attributes
    ----------
    search : that found it.
    plan, draw_input : the plan, and the table as it prepares it.
    tables : how far the asked tables can be read.
    safe : whether the limits on persons alike and on certainty hold, and no column gives a secret value away.
    levels : the forms of the unchanged columns, beside `TierSearch.candidates`.
    reach : share of the asked rows that lie in cells of 50 and more.
    left_out : columns that gave a secret value away -> which.
    giveaways : what is given away all the same.
    """

    search: Search
    plan: Plan
    draw_input: DrawInput
    tables: tuple[TableReach, ...]
    safe: bool
    levels: Levels
    reach: float
    left_out: Mapping[str, str] = field(default_factory=dict)
    giveaways: tuple[Giveaway, ...] = ()

    @property
    def works(self) -> bool:
        """Whether it is safe, and the tables can be read."""
        return self.safe and self.useful(self.search.limits.useful)

    @property
    def answers(self) -> bool:
        """Whether it works, tells the first table, which is the most telling, and keeps what all are about."""
        return self.works and self.plan.questions[:1] == self.search.plan.questions[:1] and not self.lacks

    @property
    def lacks(self) -> set[str]:
        """What tables are about and is left out all the same."""
        return {each.sa for each in self.search.plan.questions} - {*self.plan.sensitive}

    @property
    def reads(self) -> tuple[float, ...]:
        """Whether it tells the first table, how strongly (as for the audience, not much more), and how many tables."""
        if not self.works:
            return (0,)
        read = self.asking_for(self.search.limits.useful).plan.questions
        places = [self.search.plan.questions.index(asked) for asked in read]
        gamma, usual = self.plan.gamma, self.search.limits.gamma
        return 1, 0 in places, min(gamma, usual) - (gamma > _MUCH_MORE * usual), len(places), -sum(places)

    @property
    def merit(self) -> tuple[float, ...]:
        """By what ways are compared: useful ones by their tables, then by how little they blur the rest."""
        share = self.readable / max(self.cells, FEWEST_CELLS)
        if not self.works:
            # Of ways that are not safe the mildest is the first, and what could be read of the others tells nothing.
            return (0, self.cells >= FEWEST_CELLS, share, self.readable) if self.safe else (0,)
        # Rounded, so that a few rows more in large cells do not outweigh a draw that blurs less.
        clear = round(min(self.reach, _CLEAR), 1)
        blur = max(self.plan.gamma, self.search.limits.gamma)
        return *self.reads, -len(self.lacks), clear, -blur, share, self.readable

    def asking_for(self, share: float) -> Way:
        """Return the way that asks only for tables of which this share of the cells, and one, can be read."""
        read = tuple(each for each in self.tables if each.readable and each.readable >= share * each.cells)
        return replace(self, tables=read, plan=replace(self.plan, questions=tuple(each.table for each in read)))

    def as_wished(self, more: float) -> bool:
        """Whether all tables can be read at not much more than the audience's strength."""
        every = len(self.tables) == len(self.search.plan.questions)
        return self.works and every and self.plan.gamma <= more * self.search.limits.gamma


@dataclass(frozen=True, eq=False)
class Setting:
    """What a search is about, whatever plan it tries.

    Attributes
    ----------
    table : the source.
    subjects : unchanged column -> what it tells of a person.
    limits : of whoever gets it.
    fixed_secrets : secret columns that are not left out: those that somebody marked, and the one the table is about.
    own_tables : whether somebody named the tables; of others as many are asked for as can be read.
    plainer : tables of which one may be asked for where nothing can be read of the others.
    anew : setting and draft for another audience; None where somebody gave the plan.
    spent : "rows" that were looked at, not seconds, as a busy computer must propose what an idle one does.
    progress : may stop it.
    """

    table: Table
    subjects: Mapping[str, str]
    limits: Limits
    fixed_secrets: Collection[str] = ()
    own_tables: bool = True
    plainer: tuple[AskedTable, ...] = ()
    anew: Callable[[Audience], tuple[Setting, Plan]] | None = None
    progress: Progress = SILENT
    spent: Counter[str] = field(default_factory=Counter)

    @property
    def late(self) -> bool:
        """Whether nothing more is to be tried."""
        return self.spent["rows"] > _EFFORT


def find_way(setting: Setting, plan: Plan) -> Way:
    """Return the best way; one that is not safe where none is. Raises BadSetting; Cancelled.

    What gives a secret value away is left out, but for columns that somebody's tables count by.
    """
    left_out: dict[str, str] = {}
    for turn in range(_ROUNDS):
        way = _best_of(setting, plan)
        leaks = giveaways(way.draw_input, way.plan)
        if not leaks:
            # Of tables that nobody named, one that tells nothing is not asked for where the others are enough.
            way = way if setting.own_tables or not way.works else way.asking_for(0)
            return replace(way, left_out=left_out)
        # Which rows of the persons go out stays as it was found.
        plan = replace(way.search.plan, questions=plan.questions)
        asked = {name for each in plan.questions for name in each.by} if setting.own_tables else set[str]()
        # An age becomes as coarse as it goes first: who is a child is less than how old.
        ages = [each for each in way.search.tiers.candidates if each.subject == "age"]
        coarsest = {each.name: rung.steps for each in ages for rung in each.rungs if rung.steps}
        finer = {name: steps for name, steps in coarsest.items() if plan.generalisations.get(name) != steps}
        chosen: dict[str, str] = {}
        for each in leaks:  # the least needed of its columns, where none chosen before is among them
            free = [name for name in each.columns if name in finer or name not in asked]
            if free and not chosen.keys() & set(each.columns):
                chosen[min(free, key=lambda name: LEAVES_IN[setting.subjects.get(name, "")])] = each.sentence
        if not chosen:  # however late it is: each round is short then, and what is told would stop the release
            break
        # Without the one that tells most the others may tell nothing; all at once where time or turns run out.
        if turn < _ROUNDS // 2 and not setting.late:
            most = max(chosen, key=lambda name: sum(name in each.columns for each in leaks))
            chosen = {most: chosen[most]}
        left_out |= chosen
        totals = tuple(replace(each, by=()) for each in plan.questions[:1])
        for name in chosen:
            plan = plan.with_steps([name], finer[name]) if name in finer else plan.with_role(name, Role.DROPPED)
        plan = plan if plan.questions else replace(plan, questions=totals)
    return replace(way, safe=False, left_out=left_out, giveaways=leaks)


def _best_of(setting: Setting, plan: Plan) -> Way:
    """Return the best way of a plan, else of a coarser one; what can't be read at best was worked out no further."""
    ways: list[Way] = []
    for each in (plan, *_coarser_plans(setting.table, plan)):
        # One way is looked at however late it is, so that there is always something to propose.
        if ways and setting.late:
            break
        try:
            ways.append(Search(setting, each, ways[-1].search if ways else None).find())
        except BadSetting:
            if not ways:
                raise
            continue  # what is drawn does not fit one row of each person
        if ways[-1].answers:  # a lesser table alone does not end the search
            return ways[-1]
    # Rather than that nothing can be read of tables that somebody named, columns go that no table needs.
    barest = (Search(setting, each.search.plan, each.search, 0).find() for each in ways if setting.own_tables)
    works = next((each for each in itertools.chain(ways, barest) if each.works), None)
    return works or replace(ways[0], tables=reaches(ways[0].draw_input, ways[0].plan, least=LEAST)[0])


def _coarser_plans(table: Table, plan: Plan) -> Iterator[Plan]:
    """Give plans of which tables may be read that can't be of this one, by chapters and with fewer rows a person."""
    asked = {each.sa for each in plan.questions if each.value is None}
    systems = {name: system_of(table[name]) for name in plan.sensitive if name not in plan.generalisations}
    chapters = {name: (Chapter(system),) for name, system in systems.items() if system}
    plans = [plan]
    if asked & chapters.keys():
        plans.append(replace(plan, generalisations={**plan.generalisations, **chapters}))
    yield from plans[1:]
    if plan.persons is not None and plan.draws_persons:
        # Who stands out by a number of rows that few have gives some up, before all give up all but one.
        who, most = plan.persons, int(persons(table[plan.persons.column]).max(initial=0))
        fewer = [replace(who, least=most // number) for number in _NUMBERS if most // number > who.least]
        # A number tells which rows are one person's, and is refused where only one of them goes out.
        single = replace(who, way="first", number=False)
        yield from (replace(each, persons=rows) for rows in (*fewer, single) for each in plans)


class Search:
    """Looks for ways to publish a table.

    Parameters
    ----------
    setting : what it is about.
    plan : roles, blocks, questions and all else that the search leaves as it is; generalisations that it may coarsen.
    like : a search of the same table for a plan that differs in persons and secret columns alone.
    more : times the audience's strength, for whose sake a column that nobody asks for may stay.
    """

    def __init__(self, setting: Setting, plan: Plan, like: Search | None = None, more: float = _MUCH_MORE) -> None:
        self.plan, self.limits, self._setting, self._more = plan, setting.limits, setting, more
        like = like if like is not None and like.plan.persons == plan.persons else None
        # Once for all ways that are looked at, and not from the whole table for each of them.
        self._source: Table = like._source if like else even_rows(_take_needed(setting.table, plan)[0], plan.persons)
        self.tiers: TierSearch = like.tiers if like else self._tiers()
        self._too_few: set[tuple[Levels, tuple[str, ...]]] = like._too_few if like else set()
        self.most_out = (1 - self.limits.share_alike) * self.tiers.persons  # who may stand out by their classes, too
        self._cells = AskedCells(self._source, plan.questions, self.tiers.candidates, plan.generalisations)

    def _tiers(self) -> TierSearch:
        plan, limits, setting, who = self.plan, self.limits, self._setting, self.plan.persons
        asked = {name for each in plan.questions for name in each.by}
        # A table that nobody named must not cost rows, but for the first one.
        named = {name for each in plan.questions[: None if setting.own_tables else 1] for name in each.by}
        candidates = []
        for name in plan.knowable:
            subject, before = setting.subjects.get(name, ""), plan.generalisations.get(name, ())
            rungs = ladder_of(self._source[name], subject, name in asked, before)
            if name in named and len(rungs) > 1:
                rungs.pop()  # a table can't be counted by what is left out
            candidates.append(Candidate(self._source[name], subject, tuple(rungs), name in asked))
        owner = persons(self._source[who.column]) if who is not None else np.arange(self._source.n)
        return TierSearch(candidates, owner, limits.alike, limits.share_alike, setting.progress, plan.draws_persons)

    def find(self) -> Way:
        """Return the best way; one that is not safe where too few persons look alike whatever is done."""
        best = self._mildest({})
        if best is None:
            return self._look(self.tiers.top(TIERS))
        wished = best.answers and best.as_wished(_MUCH_MORE)
        if wished and best.reach >= _CLEAR and best.plan.gamma >= self.limits.gamma:
            return best
        forms, clear = self._counted_forms()
        # A useful way is held against the mildest clear form; else the mildest is looked for, if the coarsest will do.
        at, low, high = 0, 0, 0 if wished else clear - 1
        while low <= high < clear and not self._setting.late:
            way = self._mildest(forms[at][0])
            if way is not None and way.reach >= _CLEAR and way.as_wished(_MUCH_MORE):
                high = at - 1
            else:
                low = at + 1
            best = best if way is None else max(best, way, key=lambda each: each.merit)
            at = high if at == 0 else (low + high) // 2
        # Forms of several columns have no one order: one that was passed over may let more tables be read.
        bare = {each.name: len(each.rungs) - 1 for each in self.tiers.candidates if not each.in_question}
        passed = forms[: _LOOKS // max(self._source.n, 1)]
        for out, (fixed, most) in itertools.product(({},) if self._more else ({}, bare), passed):
            if most > best.reads and not self._setting.late:
                way = self._mildest({**out, **fixed})
                best = best if way is None else max(best, way, key=lambda each: each.reads)
        return best

    def _mildest(self, fixed: Mapping[str, int]) -> Way | None:
        """Return the way with these forms and the mildest of other columns, None where too few persons look alike."""
        levels = self.tiers.mildest(fixed)
        return None if levels is None else self._look(levels)

    @remember
    def _look(self, levels: Levels) -> Way:
        """Return what some forms of the columns reach, with the classes and the strength that suit them best."""
        plan, safe = self.plan_with(levels), self.tiers.holds(levels)
        best: Way | None = None
        covered = self._measure_cover({e.name: at for e, at in zip(self.tiers.candidates, levels, strict=True)})[0]
        options = [*class_options(plan)]
        for classes in (each for each in options if safe and (levels, each) not in self._too_few):
            try:
                tried, ready, needed = self._with_classes(plan, classes, self.most_out)
            except EmptyTable:  # by where most rows of a person lie too many stand out
                self._too_few.add((levels, classes))  # whichever form the secret columns have
                continue
            if needed > STOPS[0]:
                continue
            usual = max(self.limits.gamma, needed)
            exact, hopeful = (Forecaster(ready, tried, hopeful=each) for each in (False, True))
            weaker = {*(stop for stop in STOPS if needed <= stop), max(needed, STOPS[-1])}  # also between stops
            strengths = [usual, *sorted((each for each in weaker if each < usual), reverse=True)]
            # Weaker ones are looked at only where the first table can't be read at the first.
            for some in filter(None, (strengths[:1], strengths[1:])):
                # What can't be better than what is there, or can't be read at best, is not worked out.
                for ahead in (hopeful, exact) if ready.units.person else (exact,):
                    reached = zip(some, reaches(ready, tried, some, ahead, LEAST), strict=True)
                    ways = [Way(self, tried.with_gamma(g), ready, what, True, levels, covered) for g, what in reached]
                    if not self._setting.own_tables:
                        fewer = [(way.asking_for(self.limits.useful), way) for way in ways]
                        ways = [one if one.cells >= FEWEST_CELLS else way for one, way in fewer]
                    likely = max(([best] if best else []) + ways, key=lambda way: way.merit)
                    if likely is best or not likely.works:
                        break
                best = likely
                if best.answers:
                    break
            # With fewer classes less can be read, and no less strength is needed.
            if best and not best.lacks and (best.as_wished(1) or (tried.classes and needed <= self.limits.gamma)):
                break
        if best is None:  # without classes fewest persons lose anything
            tried, ready, needed = self._with_classes(plan, options[-1 if safe else 0])
            tried = tried.with_gamma(max(self.limits.gamma, needed if needed <= STOPS[0] else 0))
        return best or Way(self, tried, ready, reaches(ready, tried, least=LEAST)[0], False, levels, covered)

    def _with_classes(self, plan: Plan, classes: tuple[str, ...], out: float = np.inf) -> tuple[Plan, DrawInput, float]:
        """Return plan and table with classes, and the strength that they need; EmptyTable where more persons go `out`.

        Columns that nobody asks for and that need much more strength than those asked for are left out; so are asked
        ones that no strength protects, with their tables, where nobody named these.
        """
        self._setting.progress.report("Trying ways", 0.5)
        self._setting.spent["rows"] += self._source.n + 5_000
        plan = replace(plan, classes=classes)
        ready = replace(prepare(*_take_needed(self._source, plan), out), whole=self._setting.table)
        if not ready.blanked_persons + ready.left_out:
            plan = replace(plan, blanking=None)
        needs = certainties(ready, plan).least_gammas(self.limits.riskiest, self.limits.average)
        # One strength holds for all columns, so that one which needs far more would blur all others.
        most = self._more * self.limits.gamma
        asked = {each.sa for each in plan.questions if self._setting.own_tables or needs[each.sa] <= most}
        asked |= set(self._setting.fixed_secrets)
        most = max([most, *(need for name, need in needs.items() if name in asked)])
        needless = [name for name, need in needs.items() if name not in asked and need > most]
        plan = plan.with_roles(needless[: len(plan.sensitive) - 1], Role.DROPPED)  # no plan is without a secret
        return plan, ready, max(needs[name] for name in plan.sensitive)

    def plan_with(self, levels: Levels) -> Plan:
        """Return the plan with some forms of the unchanged columns, the few who stand out all the same blanked."""
        roles, steps = dict(self.plan.roles), dict(self.plan.generalisations)
        free: list[Candidate] = []
        for each, level in zip(self.tiers.candidates, levels, strict=True):
            form = each.rungs[level]
            if form.steps is None:
                roles[each.name] = Role.DROPPED
                steps.pop(each.name, None)
            else:
                steps[each.name] = form.steps
                free += [] if each.in_question else [each]
        blanking = None
        if self.tiers.holds(levels):
            # Emptied first are dates, then places, then what else no table counts by.
            first = [[each.name for each in free if each.subject == subject] for subject in ("date", "place")]
            rest = [each.name for each in free if each.subject not in ("date", "place")]
            # Somebody may set the limit to 1 alike by hand, and blanking takes no less than 2.
            blanking = Blanking(max(2, self.limits.alike), tuple(tuple(group) for group in (*first, rest) if group))
        asked = tuple(each for each in self.plan.questions if all(roles[name].is_unchanged for name in each.by))
        return replace(self.plan, roles=roles, generalisations=steps, blanking=blanking, classes=(), questions=asked)

    def _counted_forms(self) -> tuple[list[tuple[dict[str, int], tuple[float, ...]]], int]:
        """Return levels of the counted columns that may be useful, with the tables that may be read, and how many are
        clear; these come first, what loses least before the others. Where none is clear, all are to be tried."""
        counted = [each for each in self.tiers.candidates if each.in_question]
        ranges = [range(len(each.rungs)) for each in counted]
        forms = []
        for levels in itertools.product(*ranges) if math.prod(map(len, ranges)) <= _COMBINATIONS else ():
            fixed = {each.name: at for each, at in zip(counted, levels, strict=True)}
            covered, able = self._measure_cover(fixed)
            if able[0]:
                lost = sum(each.entropies[0] - each.entropies[at] for each, at in zip(counted, levels, strict=True))
                forms.append((-min(covered, _CLEAR), lost, fixed, able))
        forms.sort(key=lambda each: each[:2])
        clear = sum(each[0] <= -_CLEAR for each in forms)
        return [each[2:] for each in forms], clear or len(forms)

    def _measure_cover(self, fixed: Mapping[str, int]) -> tuple[float, tuple[float, ...]]:
        """Return the share of the asked rows in cells of 50 and more, and the most that `Way.reads` may be."""
        covered, reached = self._cells.reach(fixed, min(STOPS))
        places = list(range(len(reached)))
        if not self._setting.own_tables:
            each_read = [at for at in places if 0 < reached[at][1] >= self.limits.useful * reached[at][0]]
            places = each_read if sum(reached[at][0] for at in each_read) >= FEWEST_CELLS else places
        cells, readable = (sum(reached[at][side] for at in places) for side in (0, 1))
        able = cells >= FEWEST_CELLS and readable >= self.limits.useful * cells
        return covered, (1, 0 in places, self.limits.gamma, len(places), -sum(places)) if able else (0,)


def _take_needed(table: Table, plan: Plan) -> tuple[Table, Plan]:
    """Return table and plan without the columns that are neither published nor named by anything else."""
    roles = {name: role for name, role in plan.roles.items() if role.is_published or name in plan.named_columns}
    return table.select(name for name in table.names if name in roles), replace(plan, roles=roles)


def class_options(plan: Plan) -> Iterator[tuple[str, ...]]:
    """Give columns that may make the classes: those of all tables, of one, of the only one but for a column, none."""
    nsas = set(plan.nsas)
    by = dict.fromkeys(tuple(name for name in each.by if name in nsas) for each in plan.questions)
    every = tuple(dict.fromkeys(name for each in by for name in each))
    fewer = [tuple(name for name in every if name != left) for left in reversed(every)] if len(by) == 1 else []
    yield from dict.fromkeys([every, *by, *fewer, ()])
