"""Numbers and dates spelled so that they read back without knowledge of the source's spelling."""

from __future__ import annotations

from typing import Any

import numpy as np

from splu_desktop.core.table import Column, Kind


def plain(column: Column) -> Column:
    """Return a numeric or date column whose labels read back without knowledge of the source's spelling.

    Labels that ``float()`` or ISO 8601 understand stay to the letter; a column with other spellings (``108,429.42``,
    ``31.12.2020``) is respelled as a whole.
    """
    if column.values is None:
        return column
    known = ~column.missing
    labels = column.labels.copy()
    try:
        if np.array_equal(parsed(labels[known], column.kind), column.values[known]):
            return column
    except ValueError:
        pass
    labels[known] = spelled(column.values[known], column.kind)
    distinct, first, codes = np.unique(labels.astype(str), return_index=True, return_inverse=True)
    return Column.from_codes(
        column.name,
        codes[column.codes],
        distinct.astype(object),
        column.missing[first],
        column.values[first],
        kind=column.kind,
    )


def parsed(labels: np.ndarray[Any, np.dtype[np.object_]], kind: Kind) -> np.ndarray[Any, Any]:
    """Return what labels stand for, float64 or datetime64[us]. Raises ValueError where one is not plain."""
    if kind in (Kind.DATE, Kind.DATETIME):
        return np.array(labels.tolist(), "datetime64[us]")
    return np.array([float(text) for text in labels])


def spelled(values: np.ndarray[Any, Any], kind: Kind) -> list[str]:
    """Return a plain label for each value."""
    if kind is Kind.DATE:
        return [str(day) for day in values.astype("datetime64[D]")]
    if kind is Kind.DATETIME:
        whole = bool((values == values.astype("datetime64[s]")).all())
        return [str(moment) for moment in values.astype("datetime64[s]" if whole else "datetime64[us]")]
    return [str(int(v)) if v == int(v) and abs(v) < 2**53 else repr(v) for v in values.tolist()]
