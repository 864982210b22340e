"""Original and published values of an SA side by side, and a trial of a plan on a sample. For the custodian's eyes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core import sanitise
from splu_desktop.core.draw.by_person import one_per_person
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.generalise import table_after
from splu_desktop.core.groups.tolerances import Infeasible
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.core.randomness import SystemRandomness, permutation
from splu_desktop.core.table import Table
from splu_desktop.frozen import dataclass

LEAST_RECORDS = 100
_TRIES = 10  # of samples, where a value with little room under its tolerance fills too much of one by chance


@dataclass(frozen=True, eq=False)
class TrialMarginal:
    """The counts of one SA before and after. They hold true counts: never to be handed out.

    Attributes
    ----------
    column : the SA.
    labels : (m,) its values, in the column's order.
    before, after : (m,) records with each value in the original and in the published table.
    """

    column: str
    labels: tuple[str, ...]
    before: NDArray[np.int64]
    after: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Trial:
    """What a plan did to a sample.

    Attributes
    ----------
    published : the sample as it would be published; held in memory alone.
    marginals : its SAs before and after.
    """

    published: Published
    marginals: tuple[TrialMarginal, ...]


def marginals(source: Table, published: Published) -> tuple[TrialMarginal, ...]:
    """Return each SA's counts before and after.

    Parameters
    ----------
    source : the table that was sanitised (after generalisation, as `sanitise.prepare` gives it).
    published : what `sanitise.run` made of it.
    """
    found = []
    for name in published.sensitive:
        before, after = source[name], published.table[name]
        counts = np.zeros(before.m, np.int64)
        at = [before.code_of(str(text)) for text in after.labels]
        np.add.at(counts, np.array(at, np.intp), after.counts())
        found.append(TrialMarginal(name, tuple(map(str, before.labels)), before.counts(), counts))
    return tuple(found)


def trial(table: Table, plan: Plan, records: int = 10_000, *, progress: Progress = SILENT) -> Trial:
    """Sanitise a random sample of a table in memory.

    Parameters
    ----------
    table : the source, before generalisation.
    plan : what is to be tried.
    records : the sample's size; the whole table where it has fewer.

    Raises BadSetting (fewer than 100 records), and what `sanitise.run` raises: a sample may be ineligible by chance
    where the table is only just eligible; Cancelled.
    """
    if records < LEAST_RECORDS:
        raise BadSetting(
            "A trial needs {least_records} records or more, not {records}.",
            least_records=LEAST_RECORDS,
            records=records,
        )
    table = one_per_person(table, plan.persons)
    source = SystemRandomness()
    for left in range(_TRIES if records < table.n else 1, 0, -1):
        sample = table.take(permutation(source, table.n)[:records]) if records < table.n else table
        try:
            tried = _fitted(sample, plan, progress)
            prepared = sanitise.prepare(sample, tried)
        except Infeasible:
            if left == 1:
                raise
        else:
            break
    published = sanitise.run(sample, tried, progress=progress)
    return Trial(published, marginals(prepared, published))


def _fitted(sample: Table, plan: Plan, progress: Progress) -> Plan:
    """Return the plan with group sizes that keep its tolerances in the sample, whose counts differ a little.

    Raises UnknownColumn, BadSetting, Infeasible.
    """
    generalised = table_after(sample, plan.generalisations)
    return replace(plan, draws={name: draw.fitted(generalised[name], progress) for name, draw in plan.draws.items()})
