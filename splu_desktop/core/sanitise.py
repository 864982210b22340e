"""SPLU-Gen (journal section 3, corrected in mechanism.md section 2): table and plan in, published table out."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core import groups
from splu_desktop.core.errors import EmptyTable, SpluError
from splu_desktop.core.generalise import check_sensitive, table_after
from splu_desktop.core.persons import persons_of
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress, Silent
from splu_desktop.core.published import Published
from splu_desktop.core.randomness import Randomness, SystemRandomness, below, permutation
from splu_desktop.core.said import say
from splu_desktop.core.table import Column, Table
from splu_desktop.core.tolerance import Infeasible, check_feasible
from splu_desktop.core.tolerant_groups import Grouping, Layout, layout


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
        check_sensitive(table[name], generalised[name])
        groups.check_eligible(generalised[name], gamma)
    for name, grouping in plan.groupings.items():
        check_sensitive(table[name], generalised[name])
        planned(generalised[name], grouping)
    return generalised


def redrawable(table: Table, ways: Mapping[str, int | Grouping]) -> dict[str, int | Grouping]:
    """Return which SAs of a generalised table can be re-drawn as wanted, SA -> gamma or grouping."""
    found: dict[str, int | Grouping] = {}
    for name, way in ways.items():
        with contextlib.suppress(SpluError):
            if isinstance(way, Grouping):
                planned(table[name], way)
            else:
                groups.check_eligible(table[name], way)
            found[name] = way
    return found


# Linux's allocator hands every freed block of this size class back to the system, and taking the same pages anew costs
# more than the work on them: a third of the time at 500,000 records. Freeing one untouched block of just under 32 MB
# (its largest threshold) tells it to keep up to 64 MB for the next array. Elsewhere this does nothing.
_KEPT = (32 << 20) - 8192


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
    persons = persons_of(table)
    table = prepare(table, plan)
    np.empty(_KEPT, np.uint8)
    ways = plan.ways
    kept = [name for name in table.names if plan.roles[name].published]
    progress.report("Drawing random ids", 0.0)
    order = permutation(source, table.n)
    published: list[Column] = []
    # NumPy gathers without the interpreter, so that what is only put in another order is so beside the drawing.
    pool = ThreadPoolExecutor(2, thread_name_prefix="splu")
    try:
        moved = {name: pool.submit(_moved, table[name], order) for name in kept if name not in ways}
        for name, how in ways.items():
            moved[name] = pool.submit(_moved, _redraw(table[name], how, source, progress), order)
        for done, name in enumerate(kept):
            progress.report("Shuffling records", done / len(kept))
            published.append(moved.pop(name).result())
    finally:
        pool.shutdown(cancel_futures=True)
    progress.report("Shuffling records", 1.0)
    final = Table(tuple(published))
    # Tolerances of vanished values stay at home with them.
    groupings = {name: grouping.within(final[name].labels) for name, grouping in plan.groupings.items()}
    return Published(
        table=final,
        gammas=dict(plan.gammas),
        thresholds=plan.thresholds,
        groupings=groupings,
        repeats=None if persons is None else persons.public,
    )


def _moved(column: Column, order: NDArray[np.int32]) -> Column:
    """Return the column in the published order, without labels that no published record has.

    Compacted: the domain handed out is that of the published records, so a vanished value is named nowhere.
    """
    return column.shuffled(order).compacted()


def _redraw(column: Column, how: int | Grouping, source: Randomness, progress: Progress) -> Column:
    """Return the SA with each record's value drawn uniformly from its own decoy group, itself included."""
    progress.report("Drawing random ids", 0.0)
    ids = permutation(source, column.n)
    if isinstance(how, Grouping):
        plan = planned(column, how)
        parts = groups.assign_tolerant(column, ids, plan, progress=progress)
        _verify(column, how, parts)
    else:
        parts = [groups.assign(column, ids, how, progress=progress)]
    progress.report("Drawing values", 0.0)
    codes = np.empty(column.n, np.int32)
    for records, values in parts:
        _draw(records, values, codes, source, progress)
    return column.with_codes(codes)


def planned(column: Column, grouping: Grouping) -> Layout:
    """Return how many records of each value go to groups of each size. Raises BadSetting, Infeasible."""
    limits = grouping.tolerances.of(column)
    check_feasible(column, grouping.tolerances, grouping.fakes)
    plan = layout(column.counts(), limits, grouping)
    if plan is None:
        raise Infeasible(
            say(
                "The group sizes planned for column “{column}” don't meet its tolerances for this table; "
                "plan them again.",
                column=column.name,
            )
        )
    return plan


def _verify(column: Column, grouping: Grouping, parts: Sequence[tuple[NDArray[np.int32], groups.Values]]) -> None:
    """Stop the release unless every tolerance is met on the groups actually formed."""
    reached, copies = groups.confidence(parts, column.m)
    limits = np.array([float(limit) for limit in grouping.tolerances.of(column)])
    # Fake values keep someone who knows all other records unsure only where the values left over all differ.
    twice = (copies > 1) & (limits < 1) if grouping.fakes else np.zeros(column.m, bool)
    if (reached > limits * (1 + 1e-12)).any() or twice.any():
        raise RuntimeError(
            say("groups of column {column} break a tolerance", column=column.name)
        )  # a fault of this program, never of data


def _draw(
    records: NDArray[np.int32],
    values: groups.Values,
    codes: NDArray[np.int32],
    source: Randomness,
    progress: Progress,
) -> None:
    """Set the codes of these groups' records: the value of a uniformly drawn member of each record's group.

    `records` and `values` are (rows, r) as `groups.assign` gives them. An exchange may have left a group's empty place
    in any row, so a draw counts through the group's filled places only. Fake values are drawn like those of records.
    """
    rows, count = values.shape
    filled = values >= 0
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
    even = bool((sizes == rows).all())
    whole = even and bool((records >= 0).all())
    for row in range(rows):
        present = slice(None) if whole else records[row] >= 0
        at = column[present]
        member = below(source, rows if even else sizes[present], len(at))
        codes[records[row][present]] = values[member, at]
        progress.report("Drawing values", (row + 1) / rows)
