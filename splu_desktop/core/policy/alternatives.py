"""Other ways: a safer and a sharper one, two that work, or what would make rows possible at all."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from splu_desktop.core.errors import SpluError
from splu_desktop.core.messages import say
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.figures import FEWEST_CELLS, reaches, who_of
from splu_desktop.core.policy.limits import LEVELS, limits_named
from splu_desktop.core.policy.search import STOPS, Setting, Way, find_way
from splu_desktop.core.questions import WITHIN
from splu_desktop.core.risk.certainty import certainties


@dataclass(frozen=True, eq=False)
class Alternative:
    """Another way, with its figures, also where it fails.

    Attributes
    ----------
    kind : "safer", "sharper", "works" or "possible" (what would make rows possible).
    words : what it changes.
    plan : to be taken as it stands; None where the program can't carry it out.
    readable, cells, gamma : its figures; None where nothing was worked out.
    works : whether it is useful and keeps the limits.
    """

    kind: str
    words: str
    plan: Plan | None
    readable: int | None = None
    cells: int | None = None
    gamma: float | None = None
    works: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        answered = None if self.cells is None else {"cells": self.readable, "of": self.cells}
        data = {"kind": self.kind, "words": str(self.words), "answered": answered}
        return {**data, "gamma": self.gamma, "works": self.works}


def other_ways(setting: Setting, way: Way) -> Iterator[Alternative]:
    """Give the other ways beside one: a safer and a sharper one where it is useful, else two that work."""
    if way.works:
        yield from _beside(setting, way, "safer", "Safer: one row in {gamma} keeps its own value.", +1)
        yield from _beside(setting, way, "sharper", "More exact: one row in {gamma} keeps its own value.", -1)
        return
    fewer = (_of("works", words, other) for words, other in fewer_tables(setting, way))
    narrower = (each for each in _for_level(setting, "works", way.search.plan, -1) if each.works)
    works = list(itertools.islice(itertools.chain(fewer, narrower), 2))
    yield from works
    if way.cells < FEWEST_CELLS:
        yield from _possible(setting, way) if len(works) < 2 else ()
        yield Alternative("possible", say("Hand out protected tables of counts instead of rows."), None, 0, way.cells)


def fewer_tables(setting: Setting, way: Way, base: Plan | None = None) -> Iterator[tuple[str, Way]]:
    """Give useful ways, each with its words, from a plan if given: fewer tables, tables by fewer columns, or others."""
    start, asked = base or way.search.plan, (base or way.plan).questions
    columns = list(dict.fromkeys(name for each in asked for name in each.by))
    best = [each.table for each in sorted(way.tables, key=lambda each: -each.readable)] if len(asked) > 1 else []
    ways = [(say("Only {table}.", table=each.words()), [each]) for each in best]
    for left in reversed(columns):
        fewer = [each.keep_columns({*columns} - {left}) for each in asked]
        ways.append((say("Tables without “{column}”.", column=left), fewer))
    if any(each.within < WITHIN for each in asked):
        ways.append((say("A number is good within 30 %."), [replace(each, within=WITHIN) for each in asked]))
    if len(columns) > 1:
        ways.append((say("Totals only."), [each.keep_columns(()) for each in asked]))
    about = {each.sa for each in asked if setting.own_tables}
    plainer = (each for each in setting.plainer if {*each.by} <= {*start.nsas})
    ways += [(say("Only {table}.", table=each.words()), [each]) for each in plainer]
    tried = {asked}
    # Totals come last: another column by sex or by age tells more, but not to who named what tables are about.
    for words, tables in sorted(ways, key=lambda way: (way[1][0].sa not in about, not any(e.by for e in way[1]))):
        questions = tuple(dict.fromkeys(tables))
        if questions not in tried and not setting.late:
            tried.add(questions)
            try:
                other = find_way(replace(setting, fixed_secrets=()), replace(start, questions=questions))
            except SpluError:  # such a plan can't be made
                continue
            if other.works:  # what gave a value away has been left out of its plan
                yield words, replace(other, left_out={**way.left_out, **other.left_out})


def best_way(setting: Setting, plan: Plan, keep_rows: bool = True) -> Way:
    """Return the best way, with fewer tables where nobody named them and they can't be read. Raises as `find_way`.

    keep_rows : whether tables give way for most of the rows, too.
    """
    best = find_way(setting, plan)

    def merit(way: Way) -> tuple[bool, bool, bool]:
        most = 2 * way.draw_input.table.n >= setting.table.n
        return way.works, most, way.plan.questions[0].sa == plan.questions[0].sa

    if setting.own_tables or all(merit(best)[: 1 + keep_rows]):
        return best
    # Tables that nobody asked for must not stand in the way of a useful release, nor of most of the rows, best by those
    # of what the first is about; nor do others get a wider error than was said.
    wished, enough = {each.within for each in plan.questions}, 3 if best.works else 2
    for _, other in fewer_tables(setting, best, replace(best.search.plan, persons=plan.persons)):
        if {asked.within for asked in other.plan.questions} <= wished:
            best = max(best, other, key=merit)
            if all(merit(best)[:enough]):
                break
    return best


def _beside(setting: Setting, way: Way, kind: str, words: str, by: int) -> Iterator[Alternative]:
    """Give the way at the next strength that keeps the limits, else that for the next audience."""
    limits, gamma = setting.limits, way.plan.gamma
    needed = certainties(way.draw_input, way.plan).least_gamma(limits.riskiest, limits.average)
    stops = (stop for stop in STOPS if stop >= needed and by * (stop - gamma) > 0)
    # Only the next stop: of stronger draws those behind it tell less, and each costs a forecast of all tables.
    for stop in sorted(stops, key=lambda stop: abs(stop - gamma))[:1]:
        (tables,) = reaches(way.draw_input, way.plan, [stop])
        other = replace(way, plan=way.plan.with_gamma(stop), tables=tables)
        if other.works:
            yield _of(kind, say(words, gamma=f"{stop:g}"), other)
            return
    yield from (each for each in _for_level(setting, kind, way.search.plan, by) if each.works)


def _for_level(setting: Setting, kind: str, plan: Plan, by: int) -> Iterator[Alternative]:
    """Give the way for the next wider or narrower audience."""
    at = LEVELS.index(setting.limits.name) + by
    if setting.late or not 0 <= at < len(LEVELS):
        return
    limits, signed = limits_named(LEVELS[at]), LEVELS[at] != "public"
    # What was said of this recipient, records held or limits by hand, must not bend the limits of another one.
    audience = replace(plan.audience, who=limits.name, signed=signed, holds_records=False, limits=())
    words = {
        "colleague": say("Give it to a colleague in this hospital who has signed."),
        "partner": say("Give it to a partner under contract who has signed."),
        "public": say("Make it safe enough for anyone."),
    }[limits.name]
    # As for whoever asks for that audience: what counts as secret, what is asked and which columns go depend on it.
    anew = None if kind in ("safer", "sharper") else setting.anew
    tried, drafted = anew(audience) if anew else (setting, replace(plan, audience=audience))
    # To look for most of the rows would take as long as all before it (100,000 rows by person: 2 of 8 s).
    yield _of(kind, words, best_way(replace(tried, limits=limits, spent=setting.spent), drafted, anew is not None))


def _possible(setting: Setting, way: Way) -> Iterator[Alternative]:
    """Give what would make rows possible, each with its figure, also where it fails."""
    yield from _for_level(setting, "possible", way.search.plan, -1)
    tables = reaches(way.draw_input, way.plan)[0]  # with the rare values that the search left out
    counts = np.concatenate([np.zeros(FEWEST_CELLS), *(each.forecast.counts.ravel() for each in tables)])
    # A table is too small while fewer than three of its cells have 50, so the third largest says how much is missing.
    third = np.sort(counts)[-FEWEST_CELLS]
    if third >= 1:
        n = way.draw_input.person_count * 50 / third
        size = 10 ** max(0, len(str(int(n))) - 2)  # two digits are as much as it can say
        n, who = int(-(-n // size) * size), who_of(way.plan)
        words = say("Wait for more {who}: from about {n} on, the tables can be read.", who=who, n=n)
        yield Alternative("possible", words, None)


def _of(kind: str, words: str, way: Way) -> Alternative:
    return Alternative(kind, words, way.plan, way.readable, way.cells, way.plan.gamma, way.works)
