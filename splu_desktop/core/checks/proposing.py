"""The strongest protection that still answers what must be answered.

Strongest first: what is asked as it stands, then with coarser columns, then also with the most frequent value treated
as not sensitive; within each the largest group size, and from groups rather than joined where both will do, since
groups leave published shares true. The first that answers is proposed. Where a setting fails with the smallest groups,
larger ones are not tried: they blur more.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import groupby
from typing import Any

import numpy as np

from splu_desktop.core.checks.asked import AskedTable, cells, suggested
from splu_desktop.core.checks.expected import Ahead, Foretold
from splu_desktop.core.draw import Draw
from splu_desktop.core.draw.by_person import one_per_person
from splu_desktop.core.draw.draw import up
from splu_desktop.core.draw.together import planned
from splu_desktop.core.draw.ways import GROUPS, JOINED, by_gamma, by_tolerances, gamma_tolerances
from splu_desktop.core.errors import BadSetting, SpluError
from splu_desktop.core.generalise import Steps, coarser, column_after, table_after, words_for
from splu_desktop.core.groups.forming import largest_gamma
from splu_desktop.core.guarantees.audience import Audience
from splu_desktop.core.messages import Figure, counted, say
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress, ProgressPart
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Table
from splu_desktop.frozen import dataclass

GAMMAS = (50, 30, 20, 15, 12, 10, 8, 7, 6, 5, 4, 3, 2)
_RUNGS = 4  # of coarser columns


@dataclass(frozen=True)
class Reached:
    """How far one table is answered: of its cells of `least` records or more, and within which error all would be."""

    asked: AskedTable
    cells: int
    answered: int
    error: float
    least: int

    @property
    def met(self) -> bool:
        """Whether there are cells to be answered, and every one is as asked."""
        return self.answered == self.cells > 0

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        error = self.error if math.isfinite(self.error) else None
        return {"asked": self.cells, "answered": self.answered, "within_all": error, "words": self.sentence()}

    def sentence(self, named: bool = True) -> str:
        """Return it in words; `named` False does without the table's columns, where these are in sight."""
        table = self.asked.title() if named else say("This table")
        if not self.cells:
            return say("{table}: no count of it is large enough to be asked for.", table=table)
        error = Figure(f"{100 * self.asked.error:g} %")
        if self.met:
            return counted(
                self.cells,
                "{table}: its one cell is answered within {error}.",
                "{table}: all {n} cells are answered within {error}.",
                table=table,
                error=error,
            )
        large = say("of {least} or more records", least=self.least) if self.least > 1 else say("with records")
        return counted(
            self.cells,
            "{table}: its one cell {large} cannot be answered within {error}.",
            "{table}: {answered} of the {n} cells {large} can be answered within {error}.",
            table=table,
            answered=self.answered,
            large=large,
            error=error,
        )


@dataclass(frozen=True)
class Proposal:
    """What to change so that tables are answered; where none answers them all, what comes closest.

    Attributes
    ----------
    draws : SA name -> its draw, of the SAs that the tables ask about and of their blocks.
    generalisations : column -> its steps, for columns that become coarser.
    unprotected : SA name -> the value that is treated as not sensitive.
    answered : of each table.
    made : its draws with what they learn of the table: these promise what plan and release say.
    over : in sentences, which limits for who gets the release it exceeds.
    """

    draws: Mapping[str, Draw]
    generalisations: Mapping[str, Steps]
    unprotected: Mapping[str, str]
    answered: tuple[Reached, ...]
    made: Mapping[str, Draw] = field(default_factory=dict)
    over: tuple[str, ...] = ()

    @property
    def met(self) -> bool:
        """Whether every table is answered."""
        return all(each.met for each in self.answered)

    @property
    def closeness(self) -> tuple[float, float]:
        """How near it comes: the share of cells answered, then the error of the worst one."""
        asked, done = (sum(getattr(each, name) for each in self.answered) for name in ("cells", "answered"))
        return done / max(asked, 1), -max((each.error for each in self.answered), default=0.0)

    def changes(self) -> list[str]:
        """Return in sentences what it sets."""
        said: list[str] = [
            say("“{column}” is re-drawn: {words}.", column=n, words=draw.words()) for n, draw in self.made.items()
        ]
        said += [
            say(
                "“{value}” of “{column}” is treated as not sensitive: its records may be published as they are.",
                value=value,
                column=name,
            )
            for name, value in self.unprotected.items()
        ]
        said += [words_for(name, steps[-1:]) for name, steps in self.generalisations.items()]
        return said

    def sentences(self) -> list[str]:
        """Return what is proposed, and what it answers; nothing is where no count is large enough to be asked for."""
        if not any(each.cells for each in self.answered):
            ask = say("Ask for smaller counts, by fewer columns, or make the columns coarser.")
            return [*(each.sentence() for each in self.answered), ask]
        head = (
            say("The strongest protection that answers this:")
            if self.met
            else say("No setting answers all of this; closest comes:")
            if any(each.answered for each in self.answered)
            else say("No setting answers this. The closest does not, either:")
        )
        return [head, *self.changes(), *(each.sentence() for each in self.answered), *self.over]


def reached(told: Sequence[Foretold], asked: AskedTable, least: int) -> Reached:
    """Return how far a table is answered in cells of `least` records or more, from what recipients will be told."""
    there = [one for one in told if one.true >= least]
    within = sum(one.within(asked.error) for one in there)
    return Reached(asked, len(there), within, max((one.error for one in there), default=0.0), least)


def hardly_answered(table: Table, plan: Plan, progress: Progress = SILENT) -> str:
    """Return of which SA a release answers fewest cells, of the tables by which people would first look at them.

    "" where each has half of its cells answered. `table` is generalised as planned; its SAs must be such as can be
    drawn. Raises SpluError; Cancelled.
    """
    table = one_per_person(table, plan.persons)
    ahead = Ahead.of(table, plan)
    few = []
    for done, name in enumerate(plan.draws):
        part = ProgressPart(progress, done / len(plan.draws), 1 / len(plan.draws))
        asked = suggested(table, plan.named(Role.NSA), name)
        draws = {other: plan.draws[other] for other in plan.draws[name].block(name)}
        told = ahead.told(draws, plan.thresholds, [cell.conditions for cell in cells(table, asked)], part)
        found = reached(told, asked, least=1)
        if 2 * found.answered < found.cells:
            few.append(found)
    if len(few) < 2:
        return few[0].sentence() if few else ""
    worst = min(few, key=lambda found: found.answered / found.cells)
    return counted(
        len(few) - 1,
        "{words} Of 1 other sensitive column fewer than half of the cells can be answered, too.",
        "{words} Of {n} other sensitive columns fewer than half of the cells can be answered, too.",
        words=worst.sentence(),
    )


def propose(
    table: Table,
    plan: Plan,
    musts: Sequence[AskedTable],
    gammas: Sequence[int] = GAMMAS,
    progress: Progress = SILENT,
) -> Proposal:
    """Return the strongest protection that answers every table, or what comes closest.

    Parameters
    ----------
    table : the source, before generalisation; one record per person taken where the plan asks for it.
    plan : roles, generalisations, thresholds and persons as they are now; its draws say which columns are drawn
        together, and nothing else.
    gammas : the group sizes to be tried, largest first.

    Raises UnknownColumn, BadSetting, BadQuestion where a table can't be asked; Cancelled.
    """
    closest: Proposal | None = None
    blocks = {plan.draws[name].block(name) for must in musts for name in must.sensitive(plan.draws)[:1]}
    ladder = [(free, coarse) for free in (False, True) for coarse in _coarser(table, plan, musts)]
    fault: SpluError = BadSetting("Name a table that must be answered.")
    for done, (free, coarse) in enumerate(ladder):
        part = ProgressPart(progress, done / len(ladder), 1 / len(ladder))
        then = replace(plan, generalisations={**plan.generalisations, **coarse})
        trial = _Trial(table_after(table, then.generalisations), then, free)
        try:
            found = [trial.strongest(names, musts, gammas, part) for names in sorted(blocks)]
        except SpluError as why:  # nothing can be drawn so
            fault = why
            continue
        each = {result.asked: result for one in found for result in one.answered}
        draws = {name: draw for one in found for name, draw in one.draws.items()}
        made = {name: draw.learned(trial.table, name, then.thresholds) for name, draw in draws.items()}
        proposal = Proposal(
            draws,
            coarse,
            {name: value for one in found for name, value in one.unprotected.items()},
            tuple(each[must] for must in musts),
            made,
            _over(then, made, trial.table),
        )
        if proposal.met:
            return proposal
        if closest is None or proposal.closeness > closest.closeness:
            closest = proposal
    if closest is None:
        raise fault
    return closest


def exceeded(audience: Audience, column: Column, draw: Draw) -> str:
    """Return that a draw of a column leaves rows right more surely than is right for who gets the release, or ""."""
    before = _commonest(column)
    return audience.exceeded(column.name, float(draw.confidence), up(draw.confidence), before)


def kept_by(
    table: Table, plan: Plan, names: Sequence[str], now: int, gammas: Sequence[int], progress: Progress = SILENT
) -> int:
    """Return a group size with which no row is right more surely than is right for who gets the release.

    Parameters
    ----------
    table : as it is after the plan's generalisations, with one record of each person where that is chosen.
    names : the sensitive columns whose draws follow from a group size, to be looked at.
    now : the group size that they have; the next larger one that will do comes first, else the next smaller.
    gammas : to be tried, rising.

    0 where none will do, or nobody was asked who gets it. Raises Cancelled.
    """
    audience, person = plan.audience, "" if plan.persons is None else plan.persons.drawn
    # Whoever names a value that common is right more often than the limit, whatever is drawn.
    if audience is None or any(_commonest(table[name]) > audience.limits.certainty for name in names):
        return 0
    in_turn = list(names)

    def kept(gamma: int) -> bool:
        for at, name in enumerate(in_turn):
            progress.report("Trying settings", 0.0)
            try:
                draw = by_gamma(table[name], gamma).by_person(person).learned(table, name, plan.thresholds)
                fails = bool(exceeded(audience, table[name], draw))
            except SpluError:  # nothing can be drawn so
                fails = True
            if fails:
                in_turn.insert(0, in_turn.pop(at))  # the next gamma fails for the same column, or for none
                return False
        return True

    # A larger group tells less, and so does a joined column of a larger gamma; but the first gamma that a column has
    # no groups for tells more than the last one that it has: between two such gammas alone a larger one is better.
    most = [largest_gamma(table[name]) for name in names]
    runs = [tuple(run) for _, run in groupby(gammas, lambda gamma: sum(gamma > each for each in most))]
    for run in (tuple(gamma for gamma in run if gamma > now) for run in runs):
        if run and kept(run[-1]):
            return run[bisect_left(run, True, hi=len(run) - 1, key=kept)]
    smaller = (max((gamma for gamma in run if gamma < now), default=0) for run in reversed(runs))
    return next((gamma for gamma in smaller if gamma and kept(gamma)), 0)


def _commonest(column: Column) -> float:
    return float(column.counts().max()) / column.n


def _over(plan: Plan, draws: Mapping[str, Draw], table: Table) -> tuple[str, ...]:
    """Return in the gate's words which draws are right more surely than is right for who gets the release."""
    if plan.audience is None:
        return ()
    said = (exceeded(plan.audience, table[name], draw) for name, draw in draws.items())
    return tuple(filter(None, said))


def _coarser(table: Table, plan: Plan, musts: Sequence[AskedTable]) -> Iterator[dict[str, Steps]]:
    """Give no change, then ever coarser columns of the tables: each time of the one with the most values."""
    found: dict[str, Steps] = {}
    yield dict(found)
    free = {name for must in musts for name in must.columns if plan.roles[name] is Role.NSA}
    free -= {condition.column for must in musts for condition in must.conditions}
    columns = {name: column_after(table[name], plan.generalisations.get(name, ())) for name in sorted(free)}
    for _ in range(_RUNGS):
        ways = {name: coarser(column) for name, column in columns.items()}
        name = max((name for name, way in ways.items() if way), key=lambda each: columns[each].m, default="")
        if not name:
            return
        columns[name] = column_after(columns[name], ways[name])
        found[name] = (*found.get(name, plan.generalisations.get(name, ())), *ways[name])
        yield dict(found)


class _Trial:
    """Looks for the largest group size that will do, with columns as they are given."""

    def __init__(self, table: Table, plan: Plan, free: bool) -> None:
        self.table, self._plan, self._free = table, plan, free
        self._ahead = Ahead.of(table, plan)

    def strongest(
        self, names: tuple[str, ...], musts: Sequence[AskedTable], gammas: Sequence[int], progress: Progress
    ) -> Proposal:
        """Return the strongest draw of a block that answers its tables, or the closest. Raises where none is."""
        here = [must for must in musts if set(must.sensitive(self._plan.draws)) <= set(names)]
        best: Proposal | None = None
        fault: SpluError | None = None
        found: list[tuple[int, int, Proposal]] = []
        for order, way in enumerate((GROUPS, JOINED)):
            for done, gamma in enumerate((min(gammas), *gammas)):
                progress.report("Trying settings", (order + done / (len(gammas) + 1)) / 2)
                try:
                    tried = self._tried(names, here, gamma, way)
                except SpluError as why:
                    fault = why
                    continue
                if best is None or tried.closeness > best.closeness:
                    best = tried
                if tried.met and done:
                    found.append((gamma, -order, tried))
                if tried.met == bool(done):  # the smallest groups fail, or the largest that do are found
                    break
        if found:
            return max(found, key=lambda each: each[:2])[2]
        if best is None:
            raise fault or BadSetting("Nothing can be drawn so.")
        return best

    def _tried(self, names: tuple[str, ...], musts: Sequence[AskedTable], gamma: int, way: str) -> Proposal:
        plan, free = self._plan, {}
        if len(names) > 1:
            if way == JOINED or self._free:
                raise BadSetting("Columns drawn together are drawn from groups.")
            draws: dict[str, Draw] = dict(planned(self.table, names, gamma))
        else:
            column, person = self.table[names[0]], "" if plan.persons is None else plan.persons.drawn
            if person and way == GROUPS and (self._free or largest_gamma(column) < gamma):
                # By person that is the joined draw: it takes the tolerances alone, and is tried next.
                raise BadSetting("Columns drawn by person are not drawn from groups of several sizes.")
            draw = by_gamma(column, gamma, way)
            if self._free:
                free = {column.name: str(column.labels[int(np.argmax(column.counts()))])}
                draw = by_tolerances(column, gamma_tolerances(column, gamma, free.values()), way)
            draws = {column.name: draw.by_person(person)}
        for name, draw in draws.items():
            draw.check(self.table[name])
        results = []
        for must in musts:
            every = cells(self.table, must)
            told = self._ahead.told(draws, plan.thresholds, [cell.conditions for cell in every])
            results.append(reached(told, must, must.least or plan.thresholds.alpha + 1))
        return Proposal(draws, {}, free, tuple(results))
