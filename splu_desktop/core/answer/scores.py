"""Scores: what each published row contributes to a count, a sum or an average, so that sums are right on average.

phi = T^-1 h in the row's class, the one operator of every answer (mechanism.md section 4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.mechanism import Block, Draw
from splu_desktop.core.published import Published, block_codes

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def class_shares(codes: NDArray[np.integer], size: int, classes: NDArray[np.integer], number: int) -> Floats:
    """Return (C, m) the share of each value among the rows of each class."""
    counts = np.bincount(classes.astype(np.int64) * size + codes, minlength=size * number).reshape(number, size)
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))


class BlockValues:
    """The published values of a block, as functions of them are scored.

    Parameters
    ----------
    published : the release.
    block : one of its blocks.
    """

    def __init__(self, published: Published, block: Block) -> None:
        self.draw: Draw = block.draw
        self.a = 1 / block.draw.gamma
        self.codes = block_codes(published.table, block.columns)
        self.size = int(self.codes.max(initial=0)) + 1
        self.row_class = published.record_class
        self.number = len(published.cells)
        # One row that shows each combination, through which functions of columns become functions of combinations.
        self.example = np.zeros(self.size, np.int64)
        self.example[self.codes] = np.arange(len(self.codes))

    def phi(self, h: Floats) -> Floats:
        """Return (N, ...) scores of functions h (N, ...) of each row's published value.

        Lenders: (u - (1 - a) g_h) / a. Groups: T^-1 h by class.
        """
        if self.draw.name == "lenders":
            return np.asarray((h - (1 - self.a) * self.class_means(h)[self.row_class]) / self.a)
        found = np.empty_like(h, dtype=float)
        values = np.asarray(h[self.example], float)
        for each in range(self.number):
            rows = np.flatnonzero(self.row_class == each)
            counts = np.bincount(self.codes[rows], minlength=self.size).astype(float)
            found[rows] = np.moveaxis(self.draw.score(np.moveaxis(values, 0, -1), counts), -1, 0)[self.codes[rows]]
        return found

    def class_means(self, h: Floats) -> Floats:
        """Return (C, ...) means over the rows of each class of functions h (N, ...)."""
        n = np.maximum(np.bincount(self.row_class, minlength=self.number), 1)
        flat = np.asarray(h, float).reshape(len(h), -1)
        sums = np.stack([np.bincount(self.row_class, each, minlength=self.number) for each in flat.T], axis=1)
        return np.asarray((sums / n[:, None]).reshape(self.number, *np.shape(h)[1:]))


class Scores:
    """All blocks of a release."""

    def __init__(self, published: Published) -> None:
        self.published = published
        self._blocks: dict[Block, BlockValues] = {}

    def of_block(self, block: Block) -> BlockValues:
        """Return the values of a block, made once."""
        if block not in self._blocks:
            self._blocks[block] = BlockValues(self.published, block)
        return self._blocks[block]

    def indicators(self, chosen: Mapping[str, Flags]) -> list[tuple[Block, Flags]]:
        """Return, for each block that conditions (column -> (m,) labels) name, (N,) rows that show what they ask."""
        found: dict[Block, Flags] = {}
        for name, flags in chosen.items():
            block = self.published.block_of(name)
            shown = flags[self.published.table[name].codes]
            found[block] = found[block] & shown if block in found else shown
        return list(found.items())

    def phi(self, chosen: Mapping[str, Flags]) -> Floats:
        """Return (N,) scores of the records that meet conditions on sensitive columns; blocks multiply."""
        total = np.ones(self.published.n)
        for block, shown in self.indicators(chosen):
            total = total * self.of_block(block).phi(shown.astype(float))
        return total

    def number_scores(self, name: str) -> tuple[Floats, Floats]:
        """Return (N,) scores of a sensitive column's numbers, and of having one at all."""
        numbers = self.published.numbers(name)
        if numbers is None:
            raise ValueError(name)
        shown = numbers[self.published.table[name].codes]
        known = np.isfinite(shown)
        both = np.stack([np.where(known, shown, 0.0), known], axis=1)
        phi = self.of_block(self.published.block_of(name)).phi(both)
        return phi[:, 0], phi[:, 1]


def value_scores(published: Published, sensitive: str, labels: Sequence[str]) -> Floats:
    """Return (N, K) score columns of some values of a sensitive column, as a release hands them out."""
    column = published.table[sensitive]
    wanted = np.array([column.code_of(label) for label in labels])
    shown = (column.codes[:, None] == wanted).astype(float)
    return Scores(published).of_block(published.block_of(sensitive)).phi(shown)
