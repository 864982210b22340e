"""The figures of a plan that limits are held against, counted on its table in closed form, before any draw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from splu_desktop.core.answer.forecast import Forecast, Forecaster
from splu_desktop.core.messages import say
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.risk.alike import Alike, alike, find_by_others
from splu_desktop.core.risk.certainty import Certainty, certainties, certainty_of_persons
from splu_desktop.core.risk.releases import EarlierRelease, surest_in_rows, surest_jointly
from splu_desktop.core.sanitise import DrawInput

FEWEST_CELLS = 3  # cells of 50 and more without which a table is too small for records


@dataclass(frozen=True)
class TableReach:
    """How far one table can be read: of its cells of 50 and more, how many are told within its error."""

    table: AskedTable
    readable: int
    cells: int
    forecast: Forecast


def who_of(plan: Plan) -> str:
    """Return what is counted."""
    return say("rows") if plan.persons is None else say("persons")


def say_losses(who: str, emptied: int, left_out: int, rows_left_out: int, rows: int) -> tuple[str, ...]:
    """Return sentences on what is missing from a release, beside its rows; none where nothing is."""
    sentences = []
    if emptied or left_out:
        words = "Number of {who} with cells left empty: {n}; left out: {left}."
        sentences.append(say(words, who=who, n=emptied, left=left_out))
    if rows_left_out > left_out:  # else it says the same
        sentences.append(say("Rows left out: {n} of {of}.", n=rows_left_out, of=rows_left_out + rows))
    return tuple(sentences)


class Readable:
    """What has asked tables, and how far they can be read."""

    tables: tuple[TableReach, ...]

    @property
    def cells(self) -> int:
        """Asked cells of 50 and more."""
        return sum(each.cells for each in self.tables)

    @property
    def readable(self) -> int:
        """Those of them that can be read."""
        return sum(each.readable for each in self.tables)

    def count_unread(self, plan: Plan) -> int:
        """Return how many tables that are asked have no cell that can be read, though of all enough may be."""
        return len(plan.questions) - sum(each.readable > 0 for each in self.tables)

    def useful(self, share: float) -> bool:
        """Whether there are enough cells, and enough of them can be read."""
        return self.cells >= FEWEST_CELLS and self.readable >= share * self.cells


@dataclass(frozen=True, eq=False)
class Figures(Readable):
    """What is known of a plan.

    Attributes
    ----------
    rows, persons : that go out; persons are rows where no column names them.
    alike, certainty : who looks alike, and how sure a shown secret value is.
    found_by_others : share of the rows that who knows a person's other rows finds; 0 where each has one.
    person : how sure it is, in the riskiest class, that the person has it in some row.
    tables : how far each asked table can be read.
    other : share of 200 ordinary other questions that can be read; None where there are none.
    joint : how sure a row is at most that shows the same in each of the releases.
    blanked_persons, left_out : persons of whom cells were left empty, and who do not go out.
    rows_left_out : rows that do not go out.
    """

    rows: int
    persons: int
    alike: Alike
    certainty: Certainty
    found_by_others: float
    person: float
    tables: tuple[TableReach, ...]
    other: float | None
    joint: float
    blanked_persons: int
    left_out: int
    rows_left_out: int

    def losses(self, plan: Plan) -> tuple[str, ...]:
        """Return sentences on whose cells are left empty and which rows do not go out; none where all is there."""
        return say_losses(who_of(plan), self.blanked_persons, self.left_out, self.rows_left_out, self.rows)


def reaches(
    prepared: DrawInput, plan: Plan, gammas: Sequence[float] = (), ahead: Forecaster | None = None, least: int = 0
) -> list[tuple[TableReach, ...]]:
    """Return for each strength, the plan's own where none is given, how far each asked table can be read.

    ahead : their forecaster, which may know some of it.
    least : rows of the values that are looked at; rarer ones have no cell of 50.
    """
    strengths = list(gammas) or [plan.gamma]
    forecaster = Forecaster(prepared, plan) if ahead is None else ahead
    there = [each for each in plan.questions if each.value is None or each.value in prepared.table[each.sa].labels]
    tables = [forecaster.forecast(asked, strengths, least) for asked in there]
    return [
        tuple(TableReach(each.table, *each.count_readable(at), each) for each in tables) for at in range(len(strengths))
    ]


def figures_of(
    prepared: DrawInput, plan: Plan, earlier: Sequence[EarlierRelease] = (), progress: Progress = SILENT
) -> Figures:
    """Return all figures of a plan on its table. Raises Cancelled."""
    stage, ahead = "Working out the verdict", Forecaster(prepared, plan)
    progress.report(stage, 0.0)
    with ThreadPoolExecutor(1, "splu") as pool:  # other questions take as long as all else
        others = pool.submit(ahead.other_questions, [plan.gamma])
        groups = alike(prepared, plan)
        certainty = certainties(prepared, plan)
        progress.report(stage, 0.4)
        tables = reaches(prepared, plan, ahead=ahead)[0]
    other = float(others.result()[0])
    # Protected tables show no row, so what a row tells does not grow by them (docs/decisions/register.md).
    gammas = [plan.gamma, *(each.gamma for each in earlier if math.isfinite(each.gamma))]
    return Figures(
        rows=prepared.table.n,
        persons=prepared.person_count,
        alike=groups,
        certainty=certainty,
        found_by_others=find_by_others(prepared, plan),
        person=certainty_of_persons(prepared, plan) if prepared.units.person else surest_in_rows(prepared, certainty),
        tables=tables,
        other=None if math.isnan(other) else other,
        joint=surest_jointly(prepared, plan, certainty.riskiest_share, gammas) if earlier else certainty.riskiest,
        blanked_persons=prepared.blanked_persons,
        left_out=prepared.left_out,
        rows_left_out=prepared.rows_left_out,
    )
