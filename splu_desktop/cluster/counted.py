"""Columns known by how many records have which value: what a cluster tells of a table that no one machine holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import Silent
from splu_desktop.core.table import Column
from splu_desktop.files.importer import ImportChoices
from splu_desktop.files.importer.columns.build import build
from splu_desktop.files.importer.raw import RawColumn, RawTable
from splu_desktop.frozen import dataclass

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _CountedTexts(RawColumn):
    weights: Ints = field(kw_only=True)

    @cached_property
    def counts(self) -> Ints:
        return self.weights


@dataclass(frozen=True, eq=False)
class CountedColumn(Column):
    """A column of N records of which only the count of each text is here.

    Attributes
    ----------
    codes : (t,) the label of each distinct text of the source, not of each record.
    weights : (t,) records that have the text.
    records : N, also where the texts were too many to be counted (`counted` says so).

    All that asks for labels and counts takes it for a column; what asks which records have a value can't be answered.
    """

    weights: Ints = field(kw_only=True)
    records: int = field(kw_only=True)

    @property
    def n(self) -> int:
        """Number of records."""
        return self.records

    @property
    def counted(self) -> bool:
        """Whether its values were counted."""
        return len(self.weights) > 0

    def counts(self) -> Ints:
        """(m,) records per label."""
        # Sums of whole numbers below 2^53, so that floating point has them exactly.
        return np.bincount(self.codes, self.weights.astype(np.float64), self.m).astype(np.int64)

    @classmethod
    def of(cls, column: Column, weights: Ints, records: int) -> CountedColumn:
        """Return a column, whose codes are those of distinct texts, with how many records have each."""
        own = {each.name: getattr(column, each.name) for each in fields(Column)}
        return cls(**own, weights=weights, records=records)

    def through(self, change: Callable[[Column], Column]) -> CountedColumn:
        """Return what a change of labels makes of the column."""
        return self.of(change(self), self.weights, self.records)


def column_of_texts(
    name: str, found: Mapping[str, int] | None, records: int, choices: ImportChoices
) -> tuple[CountedColumn, list[str], ImportChoices]:
    """Return a column typed as the importer types it, the texts that its `codes` stand for, and the resolved choices.

    Parameters
    ----------
    found : text -> records that have it; None where there are too many different ones.
    choices : how numbers and dates are written, and what was said of the column.
    """
    texts = sorted(found or ())
    weights = np.array([(found or {})[text] for text in texts], np.int64)
    raw = _CountedTexts(np.arange(len(texts), dtype=np.int32), texts, weights=weights)
    own = replace(
        choices,
        names=(name,),
        types={name: choices.types[name]} if name in choices.types else {},
        missing={name: choices.missing[name]} if name in choices.missing else {},
    )
    built = build(RawTable((name,), (raw,), np.arange(len(texts), dtype=np.int64)), own, Silent())
    return CountedColumn.of(built.table[name], weights, records), texts, built.choices
