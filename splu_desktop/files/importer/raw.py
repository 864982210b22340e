"""Columns as the readers hand them on: codes over exact texts, not yet typed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.files.importer.problems import Problem

_WORTH_THREADS = 50_000  # records from which columns are worked on side by side


def workers(records: int) -> int:
    """Return how many threads to spread the columns of a table over; NumPy leaves the interpreter free meanwhile."""
    return min(4, os.cpu_count() or 1) if records >= _WORTH_THREADS else 1


@dataclass(frozen=True, eq=False)
class RawColumn:
    """(N,) int32 codes over m distinct texts, in any order.

    Attributes
    ----------
    codes, labels : the codes and the texts.
    plain, zeros : what `number_texts.parse_plain` would make of the texts, where the reader knows it already.
    ordered : whether the texts are known to stand in the order of their numbers, an empty one last.
    """

    codes: NDArray[np.int32]
    labels: list[str]
    plain: NDArray[np.float64] | None = None
    zeros: NDArray[np.bool_] | None = None
    ordered: bool = False

    def counts(self) -> NDArray[np.int64]:
        """(m,) records per text."""
        return np.bincount(self.codes, minlength=len(self.labels)).astype(np.int64, copy=False)

    @classmethod
    def from_texts(cls, texts: Sequence[str]) -> RawColumn:
        """Factorise (N,) texts."""
        import pandas as pd  # only where a table is read: it takes half a second to import

        array = np.empty(len(texts), object)
        array[:] = texts
        codes, labels = pd.factorize(array)
        return cls(codes.astype(np.int32), list(labels))


class Gatherer:
    """Joins the chunks of one column: texts keep the code they first got."""

    def __init__(self) -> None:
        self._index: dict[str, int] = {}
        self._codes: list[NDArray[np.int32]] = []

    def add(self, codes: NDArray[Any], labels: Sequence[str]) -> None:
        """Append a chunk's (n,) codes over its own labels."""
        index = self._index
        fresh = {} if index else dict(zip(labels, range(len(labels)), strict=True))
        if not index and len(fresh) == len(labels):
            index.update(fresh)
            mapped = np.arange(len(labels), dtype=np.int32)
        else:  # texts met in an earlier chunk, or twice in this one
            mapped = np.array([index.setdefault(label, len(index)) for label in labels], np.int32)
        self._codes.append(mapped[codes] if len(labels) else np.zeros(len(codes), np.int32))

    def column(self) -> RawColumn:
        """Return all chunks as one column."""
        codes = np.concatenate(self._codes) if self._codes else np.zeros(0, np.int32)
        return RawColumn(codes, list(self._index))


@dataclass(frozen=True, eq=False)
class RawTable:
    """What a reader found: columns, where each record stands in the file, and what didn't fit.

    Attributes
    ----------
    names : the columns' names, unique.
    columns : one RawColumn per name.
    rows : (N,) row number of each record in the file or sheet, from 1.
    problems : what the reader met.
    declared : column name -> texts that the file itself declares as "no value".
    own_names : what the file calls the columns, where the choices' `names` overrule it.
    number_cells : columns in which numbers stand that aren't texts, so that their texts have a decimal point.
    """

    names: tuple[str, ...]
    columns: tuple[RawColumn, ...]
    rows: NDArray[np.int64]
    problems: tuple[Problem, ...] = ()
    declared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    number_cells: frozenset[str] = frozenset()
    own_names: tuple[str, ...] | None = None
