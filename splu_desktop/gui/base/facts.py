"""What the classify page shows of each column, computed once when a table is read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from splu_desktop.core.generalise import is_measurement, still_measured
from splu_desktop.core.groups.forming import largest_gamma
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.frozen import dataclass

_SAMPLES = 4
_BARS = 24


@dataclass(frozen=True)
class ColumnFacts:
    """One column in figures.

    Attributes
    ----------
    distinct : number of values, missing ones not counted.
    missing : records without a value.
    top, top_share : the most frequent label and its share of all records.
    largest_gamma : the largest group size for which the column is eligible (at most its number of labels).
    measurement : whether its numbers or dates must be put into groups before it can be sensitive.
    samples : a few labels.
    bars : shares of the records, for a small picture: by value where the kind has an order (in up to 24 intervals of
        values), else the most frequent labels first.
    """

    name: str
    kind: Kind
    records: int
    distinct: int
    missing: int
    top: str
    top_share: float
    largest_gamma: int
    measurement: bool
    samples: tuple[str, ...]
    bars: tuple[float, ...]


def column_facts(column: Column) -> ColumnFacts:
    """Return the facts of one column."""
    counts = column.counts()
    n = max(1, column.n)
    present = np.flatnonzero(~column.missing & (counts > 0))
    top = int(counts.argmax()) if column.m else 0
    order = present[np.argsort(-counts[present], kind="stable")]
    if column.kind.ordered and column.values is not None and len(present):
        # A text kept among the numbers or dates has no value (NaN, NaT) and no place on their line.
        known = present[~np.isnan(column.values[present])]
        values = column.values[known].astype(np.float64)
        bars, _ = np.histogram(values, bins=max(1, min(_BARS, len(known))), weights=counts[known])
    else:
        bars = counts[order[:_BARS]]
    return ColumnFacts(
        name=column.name,
        kind=column.kind,
        records=column.n,
        distinct=len(present),
        missing=int(counts[column.missing].sum()),
        top=str(column.labels[top]) if column.m else "",
        top_share=float(counts[top]) / n if column.m else 0.0,
        # A group holds no value twice, so gamma can't exceed the number of labels either.
        largest_gamma=min(largest_gamma(column), int(np.count_nonzero(counts))),
        measurement=is_measurement(column),
        samples=tuple(str(column.labels[code]) for code in order[:_SAMPLES]),
        bars=tuple(float(bar) / n for bar in bars),
    )


def table_facts(table: Table, progress: Progress, stage: str) -> tuple[ColumnFacts, ...]:
    """Return the facts of every column."""
    found = []
    for done, column in enumerate(table.columns):
        progress.report(stage, done / len(table.columns))
        found.append(column_facts(column))
    return tuple(found)


def facts_after(column: Column, made: Column) -> ColumnFacts:
    """Return the facts of a generalised column; whoever put a measurement into groups has decided on them."""
    return replace(column_facts(made), measurement=still_measured(column, made))
