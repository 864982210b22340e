"""The published table and all that its reader knows: the only input of answers and external reports."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.band_means import typical
from splu_desktop.core.distinct import row_classes
from splu_desktop.core.mechanism import CLASS, NUMBER, Block, ClassCell
from splu_desktop.core.mechanism.classes import LEAST
from splu_desktop.core.table import Table
from splu_desktop.core.thresholds import Thresholds


@dataclass(frozen=True, eq=False)
class Published:
    """A release as its recipient holds it.

    Attributes
    ----------
    table : published columns (unchanged ones as they were, sensitive ones re-drawn), rows in random order; the classes
        of lenders stand in the column `CLASS` where there are several, persons in `NUMBER` where that was chosen.
    blocks : sensitive columns drawn as one, with their draws.
    class_columns, cells : what makes the classes, and what each is.
    person : whether persons were drawn, each with all its rows.
    correlations : of each block, how alike a person's rows are in it (0 to 1); 0 where rows are drawn.
    thresholds : what the bounds are stated for.
    rare : sensitive column -> K; values that fewer than K published rows show were joined after the draw.
    means : unchanged column of numbers in bands -> band -> mean of the numbers in it.
    words : column -> what one of its values is called in other languages -> the value.
    spread : sensitive column -> how far counts spread, where that was learned before (`Reader.spread`).
    """

    table: Table
    blocks: tuple[Block, ...]
    class_columns: tuple[str, ...] = ()
    cells: tuple[ClassCell, ...] = (ClassCell(),)
    person: bool = False
    correlations: tuple[float, ...] = ()
    thresholds: Thresholds = field(default_factory=Thresholds)
    rare: Mapping[str, int] = field(default_factory=dict)
    means: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    spread: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rare", MappingProxyType(dict(self.rare)))
        object.__setattr__(self, "means", MappingProxyType(dict(self.means)))

    def correlation_of(self, block: Block, asked: Collection[str], rows: NDArray[Any]) -> NDArray[Any]:
        """Return (...) how alike a person's rows are in events of a block; 0 where rows are drawn.

        asked : columns; of three of a block and more it is not known, as pairs tell nothing of it, and is at most 1.
        rows : (...) that show each event; of those that fewer than 50 show, or lack, it is not known either.
        """
        if not self.correlations:
            return np.zeros(rows.shape)
        unknown = (np.minimum(rows, self.n - rows) < LEAST) | (len(set(block.columns).intersection(asked)) > 2)
        return np.where(unknown, 1.0, self.correlations[self.blocks.index(block)])

    @property
    def n(self) -> int:
        """Number of rows, N."""
        weights = self.table.columns[0].weights
        return self.table.n if weights is None else int(weights.sum())

    @cached_property
    def sensitive(self) -> tuple[str, ...]:
        """Names of the sensitive columns, in the table's order."""
        drawn = {name for block in self.blocks for name in block.columns}
        return tuple(name for name in self.table.names if name in drawn)

    def is_sensitive(self, name: str) -> bool:
        """Return whether a column was re-drawn."""
        return name in self.sensitive

    @cached_property
    def nsas(self) -> tuple[str, ...]:
        """Names of the unchanged columns, without those that the program added."""
        return tuple(name for name in self.table.names if name not in {*self.sensitive, CLASS, NUMBER})

    @property
    def gamma(self) -> float:
        """The strength; of blocks of several strengths the smallest."""
        return min(block.draw.gamma for block in self.blocks)

    def block_of(self, sensitive: str) -> Block:
        """Return the block of a sensitive column."""
        return next(block for block in self.blocks if sensitive in block.columns)

    @cached_property
    def record_class(self) -> NDArray[np.int64]:
        """(N,) the class of each row, from 0."""
        if CLASS not in self.table:
            return np.zeros(self.n, np.int64)
        column = self.table[CLASS]
        return np.array([int(label) - 1 for label in column.labels])[column.codes]

    @cached_property
    def owner(self) -> NDArray[np.int64] | None:
        """(N,) the person of each row, from 0; None where the release does not tell them."""
        if not self.person:
            return np.arange(self.n)
        return self.table[NUMBER].codes.astype(np.int64) if NUMBER in self.table else None

    @property
    def one_row_each(self) -> bool:
        """Whether persons are drawn and the classes say that none has a second row."""
        return self.person and all(cell.rows == 1 for cell in self.cells)

    def numbers(self, name: str) -> NDArray[np.float64] | None:
        """Return (m,) the number that each label of a column stands for, NaN for none; None for a column of words.

        A band stands for its mean where that is published, else for its middle.
        """
        column = self.table[name]
        if column.values is not None and column.values.dtype.kind == "f":
            return np.where(column.missing, np.nan, column.values)
        return typical(column, self.means.get(name, {}))


def block_codes(table: Table, columns: Sequence[str]) -> NDArray[np.int32]:
    """Return (N,) codes of the combinations of some columns, from 0 without a gap where there are several columns."""
    if len(columns) == 1:
        return table[columns[0]].codes
    some = [table[name] for name in columns]
    return row_classes([column.codes for column in some], [column.m for column in some], table.n).astype(np.int32)
