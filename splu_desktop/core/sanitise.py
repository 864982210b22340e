"""SPLU-Gen (journal section 3, corrected in mechanism.md section 2): table and plan in, published table out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core import groups
from splu_desktop.core.errors import EmptyTable
from splu_desktop.core.generalise import check_sensitive, table_after
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress, Silent
from splu_desktop.core.published import Published
from splu_desktop.core.randomness import Randomness, SystemRandomness, below, permutation
from splu_desktop.core.table import Column, Table


def check(table: Table, plan: Plan) -> None:
    """Raise the first fault that keeps `plan` from being carried out on `table`, before anything is done.

    Raises UnknownColumn, BadSetting, EmptyTable or Ineligible, each with a sentence for the user.
    """
    prepare(table, plan)


def prepare(table: Table, plan: Plan) -> Table:
    """Return the table as the mechanism sees it: generalised as planned, and checked.

    Raises UnknownColumn, BadSetting (CannotGeneralise, NeedsGroups among them), EmptyTable or Ineligible.
    """
    if table.n == 0:
        raise EmptyTable("The table has no records, so there is nothing to publish.")
    plan.check(table)
    generalised = table_after(table, plan.generalisations)
    for name, gamma in plan.gammas.items():
        if name not in plan.generalisations:
            check_sensitive(table[name])
        groups.check_eligible(generalised[name], gamma)
    return generalised


def run(
    table: Table,
    plan: Plan,
    *,
    randomness: Randomness | None = None,
    progress: Progress | None = None,
) -> Published:
    """Sanitise a table.

    Parameters
    ----------
    table : the source, N records.
    plan : roles and gammas.
    randomness : None, as in every release, for the operating system's source. Tests and benchmarks pass a seeded one.
    progress : told of each stage; may stop the run at any.

    Returns
    -------
    Published : NSAs as multisets of rows unchanged, but for what the plan generalises; every SA re-drawn from decoy
        groups of its own; N records in uniformly random order. Ids, groups and draws are gone when this returns.

    Raises
    ------
    UnknownColumn, BadSetting, EmptyTable, Ineligible; Cancelled.
    """
    source = randomness or SystemRandomness()
    progress = progress or Silent()
    table = prepare(table, plan)
    redrawn: dict[str, Column] = {}
    for name, gamma in plan.gammas.items():
        redrawn[name] = _redraw(table[name], gamma, source, progress)
    progress.report("Shuffling records", 0.0)
    order = permutation(source, table.n)
    published: list[Column] = []
    kept = [name for name in table.names if plan.roles[name].published]
    for done, name in enumerate(kept):
        progress.report("Shuffling records", done / len(kept))
        column = redrawn.pop(name, None) or table[name]
        # Compacted: the domain handed out is that of the published records, so a vanished value is named nowhere.
        published.append(column.take(order).compacted())
    progress.report("Shuffling records", 1.0)
    return Published(table=Table(tuple(published)), gammas=dict(plan.gammas), thresholds=plan.thresholds)


def _redraw(column: Column, gamma: int, source: Randomness, progress: Progress) -> Column:
    """Return the SA with each record's value drawn uniformly from its own decoy group, itself included."""
    progress.report("Drawing random ids", 0.0)
    ids = permutation(source, column.n)
    records, values = groups.assign(column, ids, gamma, progress=progress)
    progress.report("Drawing values", 0.0)
    return column.with_codes(_draw(records, values, column.n, source, progress))


def _draw(
    records: NDArray[np.int32], values: groups.Values, n: int, source: Randomness, progress: Progress
) -> NDArray[np.int32]:
    """Return (N,) codes: the value of a uniformly drawn member of each record's group (p = q = 1/|group|).

    `records` and `values` are (rows, r) as `groups.assign` gives them. An exchange may have left a group's empty place
    in any row, so a draw counts through the group's filled places only.
    """
    rows, count = values.shape
    filled = records >= 0
    sizes = filled.sum(axis=0, dtype=np.uint32)
    if not filled.all():
        # Move each group's empty place to the last row, where a draw below the group's size can't reach it.
        empty_row, empty_group = np.nonzero(~filled)
        records[empty_row, empty_group], values[empty_row, empty_group] = (
            records[-1, empty_group],
            values[-1, empty_group],
        )
        records[-1, empty_group] = values[-1, empty_group] = -1
    column = np.arange(count)
    codes = np.empty(n, np.int32)
    even = bool((sizes == rows).all())
    for row in range(rows):
        present = slice(None) if even else records[row] >= 0
        at = column[present]
        member = below(source, rows if even else sizes[present], len(at))
        codes[records[row][present]] = values[member, at]
        progress.report("Drawing values", (row + 1) / rows)
    return codes
