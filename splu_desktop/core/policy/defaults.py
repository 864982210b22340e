"""What is asked where the custodian names no table: the most telling secret columns by sex and age, and by the unit."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from splu_desktop.core.mechanism import LEAST
from splu_desktop.core.policy.figures import FEWEST_CELLS
from splu_desktop.core.questions import MOST_TABLES, WITHIN, AskedTable
from splu_desktop.core.risk.association import tells_whole
from splu_desktop.core.risk.cells import cell_counts
from splu_desktop.core.roles.absence import says_absence
from splu_desktop.core.table import Column, Table

_MOST_LINES = 60  # values of a column that a table counts by as it stands
_FEWEST_ROWS = 2 * LEAST
_PLAINER = 8  # columns that are tried one by one where nothing can be read of the usual tables


def default_questions(
    table: Table,
    ranked: Sequence[str],
    unchanged: Mapping[str, str],
    public_values: Mapping[str, Sequence[str]],
    within: float = WITHIN,
) -> tuple[tuple[AskedTable, ...], tuple[AskedTable, ...]]:
    """Return at most three tables, and those that a small one may tell alone: a column by sex, by age, and its totals.

    Parameters
    ----------
    table : with its sensitive columns in the form in which they are drawn.
    ranked : columns that may be counted, the most telling first.
    unchanged : column that may be counted by -> what it tells of a person (its subject).
    public_values : sensitive column -> values that are not secret.
    """
    if not ranked:
        return (), ()
    persons = _by_persons(table, unchanged)
    units = [
        name
        for wanted in ("unit", "place", "administrative", "demographic")
        for name, subject in unchanged.items()
        if subject == wanted and name not in persons and 1 < table[name].m <= table.n // _FEWEST_ROWS
    ]
    by_persons = [by for by in dict.fromkeys((persons, *((name,) for name in persons))) if by]

    def ask(name: str, *options: tuple[str, ...]) -> list[AskedTable]:
        every = (AskedTable(name, _one_value(table[name], public_values), by, within=within) for by in options)
        return list(itertools.islice((each for each in every if _has_large_cells(table, each, unchanged)), 1))

    questions: list[AskedTable] = []
    for name in ranked:
        same = (tells_whole(table[each.sa], table[name]) for each in questions if table[each.sa].m == table[name].m)
        if len(questions) < MOST_TABLES and not any(same):  # a code beside its description is one question
            questions += ask(name, *by_persons)
            questions += ask(name, *((unit,) for unit in units[:1])) if len(questions) < 2 else []
    if ranked[0] not in [each.sa for each in questions]:  # a small table tells totals, as does what it is about
        totals = [each for name in (ranked[:1] if questions else ranked) for each in ask(name, ())]
        questions = [*questions[: MOST_TABLES - 1], *totals] if totals else questions
    # Asked for though nothing can answer it: where no table is asked for, no verdict says “too few persons”.
    last = AskedTable(ranked[0], _one_value(table[ranked[0]], public_values), persons, within=within)
    plainer = []
    for name in ranked[:_PLAINER]:
        column = table[name]
        secret = ~column.missing & ~np.isin(column.labels, list(public_values.get(name, ())))
        # Where no secret value has a large cell, the others tell nothing that was not known.
        if column.counts()[secret].max(initial=0) >= LEAST:
            asked = [AskedTable(name, None, by, within=within) for by in (*((each,) for each in persons), ())]
            plainer += [each for each in asked if _has_large_cells(table, each, unchanged)]
    return tuple(questions[:MOST_TABLES] or [last]), tuple(plainer)


def _by_persons(table: Table, unchanged: Mapping[str, str]) -> tuple[str, ...]:
    """Return sex and age, the first of each; where there is neither, the column with the fewest values."""
    names = []
    for wanted in ("sex", "age"):
        names += [name for name, subject in unchanged.items() if subject == wanted and table[name].m > 1][:1]
    if names:
        return tuple(names)
    few = [(table[n].m, n) for n, subject in unchanged.items() if subject != "date" and 1 < table[n].m <= _MOST_LINES]
    return (min(few)[1],) if few else ()


def _has_large_cells(table: Table, asked: AskedTable, unchanged: Mapping[str, str]) -> bool:
    """Whether half of what is counted can lie in cells of 50 and more, with ages and dates in coarser forms."""
    coarser = [name for name in asked.by if unchanged[name] in ("age", "date")]
    cells = cell_counts(table, asked, coarser)
    large = cells[cells >= LEAST]
    return len(large) >= FEWEST_CELLS and 2 * large.sum() >= cells.sum()


def _one_value(column: Column, public_values: Mapping[str, Sequence[str]]) -> str | None:
    """Return the value that is counted where a column has just one secret value that tells something, else None."""
    public = set(public_values.get(column.name, ()))
    secret = [str(label) for label in column.labels[~column.missing].tolist() if label not in public]
    # “fever = no” is nobody's question: a value that says absence is counted beside the other one.
    return secret[0] if public and len(secret) == 1 and not says_absence(secret[0], column) else None
