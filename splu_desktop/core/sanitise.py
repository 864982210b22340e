"""SPLU-Gen (journal section 3, corrected in mechanism.md section 2): table and plan in, published table out."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw import Draw, by_person
from splu_desktop.core.errors import EmptyTable, SpluError
from splu_desktop.core.generalise import check_sensitive, table_after
from splu_desktop.core.generalise.typical import told_means
from splu_desktop.core.persons import Repeats, persons_of, rounded
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.core.randomness import Randomness, SystemRandomness, permutation
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import IN_MEMORY, Column, Storage, Table, keep_freed
from splu_desktop.core.thresholds import Thresholds


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
    generalised = replace(
        generalised,
        columns=tuple(plan.draws[c.name].domain(c) if c.name in plan.draws else c for c in generalised.columns),
    )
    for name, draw in plan.draws.items():
        check_sensitive(table[name], generalised[name])
        draw.check(generalised[name])
        draw.learned(generalised, name, plan.thresholds)
    return generalised


def redrawable(table: Table, draws: Mapping[str, Draw], thresholds: Thresholds) -> dict[str, Draw]:
    """Return the draws that can be carried out on their columns of a table, with what they learn of it.

    Only these say what a release will promise: the table's persons may leave less than the plan asked for.
    """
    found: dict[str, Draw] = {}
    for name, draw in draws.items():
        with contextlib.suppress(SpluError):
            draw.check(table[name])
            found[name] = draw.learned(table, name, thresholds)
    return found


def run(
    table: Table,
    plan: Plan,
    *,
    randomness: Randomness | None = None,
    progress: Progress = SILENT,
    storage: Storage = IN_MEMORY,
) -> Published:
    """Sanitise a table.

    Parameters
    ----------
    table : the source, N records.
    plan : roles and draws.
    randomness : None, as in every release, for the operating system's source. Tests and benchmarks pass a seeded one.
    progress : told of each stage; may stop the run at any.
    storage : where the published table's codes are to lie.

    Returns
    -------
    Published : NSAs as multisets of rows unchanged, but for what the plan generalises and dates it shifts; every SA
        re-drawn from decoy groups of its own; N records in uniformly random order. Ids, groups and draws are gone when
        this returns.

    Raises
    ------
    UnknownColumn, BadSetting, EmptyTable, Ineligible; Cancelled.
    """
    source = randomness or SystemRandomness()
    persons = persons_of(table, told=plan.named(Role.IDENTIFIER))
    table = by_person.shifted(table, plan.persons, source)
    read, table = table, prepare(table, plan)
    learned = {name: draw.learned(table, name, plan.thresholds) for name, draw in plan.draws.items()}
    keep_freed()
    kept = [name for name in table.names if plan.roles[name].published]
    progress.report("Drawing random ids", 0.0)
    order = permutation(source, table.n, storage)
    published: list[Column] = []
    # NumPy gathers without the interpreter, so that what is only put in another order is so beside the drawing.
    pool = ThreadPoolExecutor(2, thread_name_prefix="splu")
    try:
        moved = {name: pool.submit(_moved, table[name], order, storage) for name in kept if name not in plan.draws}
        for names, draw in plan.blocks.items():
            for column in draw.redraw_block(table, names, source, progress, storage):
                moved[column.name] = pool.submit(_moved, column, order, storage)
        for done, name in enumerate(kept):
            progress.report("Shuffling records", done / len(kept))
            published.append(moved.pop(name).result())
    finally:
        pool.shutdown(cancel_futures=True)
    progress.report("Shuffling records", 1.0)
    if plan.persons is not None and plan.persons.number:
        who = by_person.persons(table[plan.persons.column])
        published.append(_moved(by_person.numbered(who, source), order, storage))
    final = Table(tuple(published))
    # What the draw says of vanished values stays at home with them.
    draws = {name: draw.within(final[name].labels) for name, draw in learned.items()}
    repeats = known_of_persons(table, plan, None if persons is None else persons.public)
    means = {name: told_means(read[name], table[name]) for name in plan.generalisations if name in plan.draws}
    told = {
        name: {x: y for x, y in each.items() if x in set(final[name].labels)} for name, each in means.items() if each
    }
    return Published(table=final, draws=draws, thresholds=plan.thresholds, repeats=repeats, means=told)


def known_of_persons(table: Table, plan: Plan, repeats: Repeats | None) -> Repeats | None:
    """Return what is published of persons with several records, design effects where the draws go by person."""
    chosen = plan.persons
    if chosen is None:
        return repeats
    who = by_person.persons(table[chosen.column])
    repeats = replace(rounded(who), way=chosen.way, shift=chosen.shift, days=chosen.days)
    if chosen.drawn:
        nsas = plan.named(Role.NSA)
        effects = {name: draw.effects(table, who, name, nsas) for name, draw in plan.draws.items()}
        return replace(repeats, effects=effects, whole=by_person.Effects.of_persons(table, who, nsas))
    return replace(repeats, left_out=int(table.origin.get(by_person.LEFT_OUT, 0)))


def _moved(column: Column, order: NDArray[np.int32], storage: Storage) -> Column:
    """Return the column in the published order, without labels that no published record has.

    Compacted: the domain handed out is that of the published records, so a vanished value is named nowhere.
    """
    return column.shuffled(order, storage).compacted(storage)
