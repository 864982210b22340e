"""Columns as the readers hand them on: codes over exact texts, not yet typed."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from splu_desktop.files.disk.codes import CodeCollector

if TYPE_CHECKING:
    from splu_desktop.files.importer.choices import SheetFacts
    from splu_desktop.files.importer.problems import Problem

FIRST_DAY = np.datetime64("1899-12-30", "us")  # day 0 of a spreadsheet's day counts, unless it counts from 1904


def float_text(number: float) -> str:
    """Return the shortest text of a number, whole ones without ".0"."""
    return repr(number + 0.0).removesuffix(".0")  # 0.0 more, and there is no -0


@dataclass(frozen=True, eq=False)
class RawColumn:
    """(N,) int32 codes over m distinct texts, in any order.

    Attributes
    ----------
    codes, labels : the codes and the texts.
    weights : (N,) how many records of a large table each stands for, None where each for itself.
    """

    codes: NDArray[np.int32]
    labels: list[str]
    weights: NDArray[np.int64] | None = None

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """(m,) records per text."""
        return np.bincount(self.codes, self.weights, minlength=len(self.labels)).astype(np.int64)

    def keep_rows(self, keep: NDArray[np.bool_]) -> RawColumn:
        """Return the records where (N,) says so, over the labels that these have."""
        codes = self.codes[keep]
        used = np.bincount(codes, minlength=len(self.labels)) > 0
        if used.all():
            return RawColumn(codes, self.labels)
        new = np.cumsum(used, dtype=np.int32) - 1
        return RawColumn(new[codes], list(itertools.compress(self.labels, used.tolist())))

    @classmethod
    def join(cls, parts: Sequence[RawColumn]) -> RawColumn:
        """Return columns one below the other as one, equal texts as one."""
        index: dict[str, int] = {}
        codes = []
        for part in parts:
            places = [index.setdefault(label, len(index)) for label in part.labels]
            codes.append(np.array(places, np.int32)[part.codes] if places else part.codes)
        return cls(np.concatenate(codes), list(index))


class Gatherer:
    """Joins the chunks of one column."""

    def __init__(self) -> None:
        self._codes = CodeCollector()
        self._labels: list[str] = []
        self._index: defaultdict[str, int] = defaultdict()  # of a second chunk on: most tables come in one
        self._index.default_factory = self._index.__len__

    def add(self, part: RawColumn) -> None:
        """Append a chunk, whose labels are all different."""
        if not self._labels:
            self._labels = part.labels
            self._codes.add(part.codes)
            return
        if not self._index:
            self._index.update(zip(self._labels, range(len(self._labels)), strict=True))
        places = np.fromiter(map(self._index.__getitem__, part.labels), np.int32, len(part.labels))
        self._codes.add(places[part.codes] if len(places) else part.codes)

    def column(self) -> RawColumn:
        """Return all chunks as one column."""
        return RawColumn(self._codes.all_codes(), list(self._index) or self._labels)


@dataclass(frozen=True, eq=False)
class RawTable:
    """What a reader found: columns, where each record stands in the file, and what didn't fit.

    Attributes
    ----------
    names : the columns' names, unique.
    columns : one RawColumn per name.
    rows : (N,) row number of each record in the file or sheet, from 1.
    problems : what the reader met.
    declared_missing : column name -> texts that the file itself declares as "no value".
    first_day : day 0 of a spreadsheet's day counts.
    sheets : the workbook's sheets.
    head : the first rows as they stand, titles and header among them.
    parts : name and number of records of each sheet that was joined, in order; empty for a table from one place.
    identifiers : columns that the file or its dictionary says name a person.
    number_cells : columns in which numbers stand that aren't texts, so that their texts have a decimal point.
    """

    names: tuple[str, ...]
    columns: tuple[RawColumn, ...]
    rows: NDArray[np.int64]
    problems: tuple[Problem, ...] = ()
    declared_missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    identifiers: tuple[str, ...] = ()
    number_cells: frozenset[str] = frozenset()
    first_day: np.datetime64 = FIRST_DAY
    sheets: tuple[SheetFacts, ...] = ()
    head: Sequence[Sequence[str]] = ()
    parts: tuple[tuple[str, int], ...] = ()
