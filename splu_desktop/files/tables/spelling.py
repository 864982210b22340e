"""Numbers and dates spelled so that they read back without knowledge of the source's spelling."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.table import Column, Kind

_OFFSET = re.compile(r":.*[+-]\d\d(?::?\d\d)?$")


def value_mask(column: Column) -> NDArray[np.bool_]:
    """Return (m,) which labels of a column of numbers or dates stand for one: "forty", kept as text, does not."""
    if column.values is None:
        return np.zeros(column.m, bool)
    none = np.isnat(column.values) if column.values.dtype.kind == "M" else np.isnan(column.values)
    known: NDArray[np.bool_] = ~column.missing & ~none
    return known


def plain(column: Column) -> Column:
    """Return a numeric or date column whose labels read back without knowledge of the source's spelling.

    Labels that ``float()`` or ISO 8601 understand stay to the letter; a column with other spellings (``108,429.42``,
    ``31.12.2020``) is respelled as a whole, but for texts among the numbers.
    """
    if column.values is None:
        return column
    known = value_mask(column)
    written = parse_values([str(label) for label in column.labels[known]], column.kind)
    if np.array_equal(written, column.values[known]):
        return column
    labels = column.labels.copy()
    labels[known] = spell_values(column.values[known], column.kind)
    place: dict[str, int] = {}
    codes = np.array([place.setdefault(str(text), len(place)) for text in labels], np.int32)
    first = np.unique(codes, return_index=True)[1]
    result = Column.from_codes(
        column.name, codes[column.codes], labels[first], column.missing[first], column.values[first], kind=column.kind
    )
    return replace(result, weights=column.weights)


def parse_values(texts: list[str], kind: Kind) -> NDArray[Any]:
    """Return what texts stand for, float64 or datetime64[us]; NaN or NaT for one that is no number or date.

    Times are those of the clock of their place: one with an offset has to be respelled without, and is none.
    """
    dates = kind.is_date
    joined = "".join(texts) if kind is Kind.DATETIME else ""
    if "Z" in joined or "+" in joined or joined.count("-") > 2 * len(texts):  # NumPy would turn them to UTC, and warn
        texts = ["" if _OFFSET.search(text) else text.removesuffix("Z") for text in texts]
    with suppress(ValueError):  # nearly always all are, and one call for all takes a tenth of the time
        return np.array(texts, "datetime64[us]") if dates else np.array(list(map(float, texts)))
    values = np.full(len(texts), np.datetime64("NaT") if dates else np.nan, "datetime64[us]" if dates else np.float64)
    for at, text in enumerate(texts):
        try:
            values[at] = np.datetime64(text, "us") if dates else float(text)
        except ValueError:
            continue
    return values


def spell_values(values: NDArray[Any], kind: Kind) -> list[str]:
    """Return a plain label for each value."""
    if kind.is_date:
        moment = "s" if (values == values.astype("datetime64[s]")).all() else "us"
        unit = "D" if kind is Kind.DATE else moment
        return [str(text) for text in values.astype(f"datetime64[{unit}]").astype(str)]
    return [str(int(v)) if v == int(v) and abs(v) < 2**53 else repr(v) for v in values.tolist()]
