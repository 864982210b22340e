"""Columns as a release hands them out, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.published import Published
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.disk.codes import store_codes
from splu_desktop.files.release.facts import MISSING
from splu_desktop.files.tables.spelling import parse_values, plain

_WHOLE = re.compile(r"0|-?[1-9]\d{0,14}")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?")
_THOUSANDS = re.compile(r"-?[1-9]\d{0,2}\.\d{3}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?")


def as_handed_out(published: Published) -> Published:
    """Return what is handed out: numbers and dates spelled plainly, one token for no value, re-drawn columns typed by
    what is published.
    """
    columns = (column_as_handed_out(each, drawn=published.is_sensitive(each.name)) for each in published.table.columns)
    return replace(published, table=Table(tuple(map(store_codes, columns))))


def column_as_handed_out(column: Column, *, drawn: bool) -> Column:
    """Return one column as it is handed out."""
    return _one_token(plain(as_published(column) if drawn else column.written_column()))


def _one_token(column: Column) -> Column:
    """Return a column whose rows without a value all show the same, the empty text."""
    missing = column.missing | (column.labels == MISSING)
    if not missing.any() or (missing.sum() == 1 and (column.labels[missing] == MISSING).all() and column.missing.any()):
        return column
    first = int(np.flatnonzero(missing)[0])
    kept = ~missing
    kept[first] = True
    to = np.cumsum(kept) - 1
    to[missing] = to[first]
    labels = column.labels.copy()
    labels[first] = MISSING
    values = None
    if column.values is not None:
        values = column.values.copy()
        values[first] = np.datetime64("NaT") if values.dtype.kind == "M" else np.nan
        values = values[kept]
    codes = to.astype(np.int32)[column.codes]
    order = np.concatenate([np.flatnonzero(~missing[kept]), np.flatnonzero(missing[kept])])
    result = _in_order(column.name, codes, labels[kept], missing[kept], values, column.kind, order)
    return replace(result, weights=column.weights)


def _in_order(
    name: str,
    codes: NDArray[np.int32],
    labels: NDArray[np.object_],
    missing: NDArray[np.bool_],
    values: NDArray[Any] | None,
    kind: Kind,
    order: NDArray[np.intp],
) -> Column:
    """Return a column whose labels stand in an order of their own."""
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return Column(name, kind, place[codes], labels[order], missing[order], None if values is None else values[order])


def as_published(column: Column) -> Column:
    """Return a re-drawn column with the type that its published labels have, whatever the source's other labels were.

    A column that counted as text because of one value that then vanished would tell, by being text, that there was one.
    So numbers and dates are those that are plainly so (1.5, 2020-12-31, and 1,5 of numbers); all else is a category.
    """
    labels = [str(label) for label in column.labels[~column.missing]]
    if column.values is not None and "." not in "".join(labels):  # else 1,5 may be two codes
        labels = [label.replace(",", ".") for label in labels]
    plain = _plain_values(labels)
    if plain is None:
        return _give_kind(column, Kind.CATEGORY, None)
    kind, known = plain
    values = np.full(column.m, np.datetime64("NaT") if known.dtype.kind == "M" else np.nan, known.dtype)
    values[~column.missing] = known
    if column.values is not None and not np.array_equal(column.values[~column.missing], known):
        return _give_kind(column, Kind.CATEGORY, None)  # a date read as a number, or the like: better text than another
    return _give_kind(column, kind, values)


def _plain_values(labels: list[str]) -> tuple[Kind, NDArray[Any]] | None:
    """Return what labels plainly stand for, all of them and each for another; None where they don't."""
    if labels and all(map(_DECIMAL.fullmatch, labels)):
        whole = all(map(_WHOLE.fullmatch, labels))
        # 1.234 is a thousand and more in half of Europe; unless another label shows what the mark means, nobody knows.
        if not whole and all(_THOUSANDS.fullmatch(text) or _WHOLE.fullmatch(text) for text in labels):
            return None
        numbers = np.array([float(text) for text in labels])
        kind = Kind.INTEGER if whole else Kind.DECIMAL
        return (kind, numbers) if len(set(numbers.tolist())) == len(labels) else None
    if labels and all(map(_MOMENT.fullmatch, labels)):
        moments = parse_values(labels, Kind.DATETIME)
        days = bool(np.all(moments == moments.astype("datetime64[D]")))
        if not np.isnat(moments).any() and len(set(moments.tolist())) == len(labels):
            return Kind.DATE if days else Kind.DATETIME, moments
    return None


def _give_kind(column: Column, kind: Kind, values: NDArray[Any] | None) -> Column:
    if kind is column.kind:
        return column
    result = Column.from_codes(column.name, column.codes, column.labels, column.missing, values, kind=kind)
    return replace(result, weights=column.weights)


def read_column(entry: Mapping[str, Any], codes: NDArray[np.int32], texts: list[str], decimal: str) -> Column:
    """Return a column of a release as its facts describe it, from codes over the texts in its file."""
    kind = Kind[entry["kind"].upper()]
    if decimal != "." and kind is Kind.DECIMAL:
        texts = [text.replace(decimal, ".") for text in texts]
    labels = np.array(texts, object)
    missing = labels == MISSING
    values = parse_values(texts, kind) if kind.has_order else None
    if kind is Kind.CATEGORY and "values" in entry:  # bands and the like stand in their own order
        place = {label: at for at, label in enumerate(entry["values"])}
        order = np.argsort([place.get(text, len(place)) for text in texts], kind="stable")
        return store_codes(_in_order(entry["name"], codes, labels, missing, values, kind, order))
    return store_codes(Column.from_codes(entry["name"], codes, labels, missing, values, kind=kind))
