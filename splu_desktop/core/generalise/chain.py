"""Generalisations one after another, for a column and for a table, and their plain form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import UnknownColumn
from splu_desktop.core.generalise.step import CannotGeneralise, Generalisation, regroup
from splu_desktop.core.messages import listed, say
from splu_desktop.core.table import Column, Table

Steps = tuple[Generalisation, ...]


def column_after(column: Column, steps: Iterable[Generalisation]) -> Column:
    """Return a column after the steps, one after another. Raises CannotGeneralise."""
    for step in steps:
        column = step.apply(column)
    return column


def label_map(column: Column, steps: Iterable[Generalisation]) -> tuple[Column, NDArray[np.int32]]:
    """Return the generalised column and (m,) its code for each label of the original: a partition of the labels."""
    to = np.arange(column.m, dtype=np.int32)
    for step in steps:
        column, new = regroup(column, step.group_labels(column))
        to = new[to]
    return column, to


def table_after(table: Table, generalisations: Mapping[str, Sequence[Generalisation]]) -> Table:
    """Return a table with each column named after its steps. Raises UnknownColumn, CannotGeneralise."""
    for name in generalisations:
        if name not in table:
            raise UnknownColumn(name, table.names)
    if not any(generalisations.values()):
        return table
    columns = tuple(column_after(column, generalisations.get(column.name, ())) for column in table.columns)
    return replace(table, columns=columns)


def from_dict(data: Mapping[str, Any]) -> Generalisation:
    """Return the generalisation that `as_dict` gave. Raises CannotGeneralise where the data are none."""
    try:
        settings = {key: value for key, value in data.items() if key != "how"}
        return Generalisation.registry[data["how"]].from_settings(settings)
    except CannotGeneralise:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        words = "The stored generalisation “{how}” can't be understood; its kind or a setting is missing or wrong."
        raise CannotGeneralise(words, how=str(data.get("how"))[:40] if isinstance(data, Mapping) else "") from None


def steps_from(data: Any) -> Steps:
    """Return the steps stored as a list of plain data. Raises CannotGeneralise."""
    return tuple(from_dict(entry) for entry in (data if isinstance(data, list | tuple) else [data]))


def words_for(name: str, steps: Sequence[Generalisation]) -> str:
    """Return one sentence on what is done to a column."""
    then = "{head}, then {tail}"
    return say("Column “{name}”: {steps}.", name=name, steps=listed((step.words for step in steps), then, then))
