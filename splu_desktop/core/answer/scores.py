"""Scores: what each published row contributes to a count, a sum or an average, so that sums are right on average.

phi = T^-1 h in the row's class, the one operator of every answer (mechanism.md section 4).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import count_pairs, cross_codes, pair_keys
from splu_desktop.core.mechanism import Block
from splu_desktop.core.published import Published, block_codes

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def class_shares(codes: NDArray[np.integer], size: int, classes: NDArray[np.integer], number: int) -> Floats:
    """Return (C, m) the share of each value among the rows of each class."""
    counts = count_pairs(classes, number, codes, size)
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))


class BlockScores:
    """The published values of a block, and the scores of functions of them.

    published : the release.
    block : one of its blocks.
    """

    def __init__(self, published: Published, block: Block) -> None:
        self.published, self.draw = published, block.draw
        self.a = block.draw.retention
        self.codes = block_codes(published.table, block.columns)
        self.size = int(self.codes.max(initial=0)) + 1
        self.row_class = published.record_class
        self.number = len(published.cells)
        # One row that shows each combination, through which functions of columns become functions of combinations.
        self.example = np.zeros(self.size, np.int64)
        self.example[self.codes] = np.arange(len(self.codes))
        self._weights = published.table[block.columns[0]].weights
        self._was_asked = False

    @cached_property
    def _pairs(self) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.number]]:
        """(N,) the pair of each row; (P,) class, combination and rows of each: far fewer, and each has one score."""
        pair, pairs = cross_codes(pair_keys(self.row_class, self.size, self.codes), self.number * self.size)
        return (pair, *np.divmod(pairs, self.size), np.bincount(pair, self._weights, minlength=len(pairs)))

    @property
    def pair(self) -> NDArray[np.int32]:
        """(N,) which pair each row shows."""
        return self._pairs[0]

    @cached_property
    def pair_class(self) -> NDArray[np.int32]:
        """(P,) the class of each pair."""
        return self._pairs[1].astype(np.int32)

    def labels_of(self, name: str) -> NDArray[np.int32]:
        """Return (size,) the code of the label that each combination has in one of the block's columns."""
        return self.published.table[name].codes[self.example]

    def count_by_class(self, parts: NDArray[np.integer], m: int) -> NDArray[np.int64]:
        """Return (C, m) rows of each part in each class, given (size,) the part of each combination."""
        if not self._was_asked and self._weights is None:  # a first count is sooner done without pairs
            self._was_asked = True
            return count_pairs(self.row_class, self.number, parts.take(self.codes), m)
        _, of_class, value, rows = self._pairs
        keys = pair_keys(of_class, m, parts.take(value))
        return np.bincount(keys, rows, minlength=self.number * m).astype(np.int64).reshape(-1, m)

    def set_scores(self, sets: Flags) -> list[tuple[Floats, NDArray[np.int32]]]:
        """Return, for each of K sets of combinations (size, K), (V,) scores and (P,) which of them each pair has.

        By lenders all rows of a class have one of two scores, far fewer than there are pairs.
        """
        if self.draw.name != "lenders":
            scores, places = self.phi(sets.astype(float)), np.arange(len(self.pair_class), dtype=np.int32)
            return [(scores[:, at], places) for at in range(sets.shape[1])]
        _, of_class, value, weights = self._pairs
        rows, by_set = np.maximum(np.bincount(of_class, weights, minlength=self.number), 1), []
        for chosen in sets.T:
            shows = chosen.take(value)
            share = np.bincount(of_class.compress(shows), weights.compress(shows), minlength=self.number) / rows
            both = np.concatenate([-(1 - self.a) * share / self.a, (1 - (1 - self.a) * share) / self.a])
            by_set.append((both, self.pair_class + np.int32(self.number) * shows))
        return by_set

    def phi(self, h: Floats) -> Floats:
        """Return (P, ...) scores of functions h (size, ...) of the combinations, for each pair of `pair`.

        Lenders: (u - (1 - a) g_h) / a. Groups: T^-1 h by class.
        """
        _, of_class, value, weights = self._pairs
        shown = np.asarray(h, float)[value]
        if self.draw.name == "lenders":
            # The draw's own score (mechanism.md section 4), for all classes at once: there may be thousands.
            flat = shown.reshape(len(shown), -1)
            sums = [np.bincount(of_class, weights * each, minlength=self.number) for each in flat.T]
            rows = np.maximum(np.bincount(of_class, weights, minlength=self.number), 1)
            means = (np.stack(sums, axis=1) / rows[:, None])[of_class].reshape(shown.shape)
            return np.asarray((shown - (1 - self.a) * means) / self.a)
        scores = np.empty_like(shown)
        values = np.moveaxis(np.asarray(h, float), 0, -1)
        for each in range(self.number):
            at = np.flatnonzero(of_class == each)
            # Published counts: shares of a class are right on average in them, and nobody has others.
            counts = np.bincount(value[at], weights[at], minlength=self.size).astype(float)
            scores[at] = np.moveaxis(self.draw.score(values, counts), -1, 0)[value[at]]
        return scores
