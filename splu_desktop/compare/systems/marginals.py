"""Anonymised marginals with a maximum-entropy fit (Kifer, Gehrke, Injecting utility into anonymized datasets, 2006).

Published: the counts of each column, and those of some pairs of columns, whose labels stand together in ranges of about
equally many records, k at least and as many as the domain allows. Read: the distribution F2 of largest entropy that
agrees with them. No pair tells of labels within ranges, so F2 is the fit over ranges times each column's own shares
within them, those of fewer than k records together, and x the sum over its cells of what meets the question.

- k-link anonymity (Definition 4.1): every combination of unchanged columns' ranges in a marginal has no record or k and
  more. Whether that is k-combinatorial anonymity (Definition 4.2) as well is looked up on the graph of the marginals.
- MaxEnt l-diversity (Definition 4.3): the values of every combination of ranges are (c, l)-diverse under F2, c = 3.
- Choice: the marginal is added next by which F2 comes nearest, at least KL of its true counts over the fitted ones,
  unless it breaks one of the two. KL divergence of the true table from F2,
  (1 / N) sum over records of ln(f(t) / (N F2(t))), is what remains.
- Fit: iterative proportional fitting (Deming, Stephan 1940). Over the cells of a small domain, an axis per column, the
  sensitive one last: from the uniform one, the cells of each entry are scaled by what it should hold over what they
  hold, until all hold (Csiszar 1975: the information projection).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base import (
    CountingQuestions,
    Floats,
    Impossible,
    Ints,
    System,
    in_parts,
    stand_together,
    system,
)
from splu_desktop.compare.systems.generalise import ASKS_TOO_MUCH, RecursiveDiversity
from splu_desktop.core.messages import say

Axes = tuple[int, ...]  # the columns of a marginal, rising
_ROUNDS = 500
_CLOSE = 1e-6  # of all records, by which entries may be off
_PAIRS = 12  # that are added to the columns' own marginals
_LITTLE = 1e-4  # nats; what brings less is not published
_CELLS = 1 << 18  # of the domain that is fitted
_MOST_RANGES = 16  # of a column


def marginal(cells: Floats, axes: Sequence[int]) -> Floats:
    """Return the sums of cells by some columns, of length 1 along the others."""
    return np.asarray(cells.sum(axis=tuple(at for at in range(cells.ndim) if at not in axes), keepdims=True))


def is_linked(true: Floats, axes: Axes, k: int) -> bool:
    """Return whether each combination of a marginal's unchanged labels has no record or k and more (Definition 4.1)."""
    counts = marginal(true, [at for at in axes if at < true.ndim - 1])
    return bool(((counts == 0) | (counts >= k)).all())


def fit_marginals(true: Floats, marginals: Sequence[Axes], start: Floats) -> Floats | None:
    """Return expected records with marginals of the true ones, of largest entropy if `start` is uniform or such a fit.

    None where it does not settle, as where the limit has none in cells that no entry rules out.
    """
    cells = start
    for _ in range(_ROUNDS):
        off = 0.0
        for axes in marginals:
            held, wanted = marginal(cells, axes), marginal(true, axes)
            off = max(off, float(np.abs(held - wanted).max()))
            cells = cells * np.divide(wanted, held, out=np.zeros_like(held), where=held > 0)
        if off <= _CLOSE * float(true.sum()):
            return cells
    return None


def shares_within(counts: Ints, of: Ints, k: int) -> Floats:
    """Return (m,) the share of each label in its range; those of fewer than k records count as one, with k at least."""
    levels = counts.astype(np.float64)
    for number in range(int(of.max()) + 1):
        rising = np.flatnonzero(of == number)[np.argsort(counts[of == number], kind="stable")]
        few = max(int((counts[rising] < k).sum()), int(np.searchsorted(np.cumsum(counts[rising]), k)) + 1)
        levels[rising[:few]] = counts[rising[:few]].mean()
    return np.asarray(levels / np.bincount(of, counts)[of])


def is_combinatorial(true: Floats, marginals: Sequence[Axes], k: int) -> bool | None:
    """Return whether the marginals are k-combinatorially anonymous (Definition 4.2); None where that is not decided.

    Every cell of the other columns must be empty in all tables with these marginals, or hold k and more in some. The
    most it can hold is the least of its entries, summed over the sensitive values of a pair, where columns and pairs
    make a forest (Dobra, Fienberg 2000). With a circle it may be less, so that the true table decides, or nothing.
    """
    tree, last, forest = list(range(true.ndim)), true.ndim - 1, True
    by_value = by_others = np.full(true.shape, np.inf)
    for axes in marginals:
        ends = {tree[column] for column in axes}
        forest &= len(ends) == len(axes)
        tree = [min(ends) if each in ends else each for each in tree]
        if last in axes:
            by_value = np.minimum(by_value, marginal(true, axes))
        else:
            by_others = np.minimum(by_others, marginal(true, axes))
    most, held = np.minimum(by_value.sum(axis=last), by_others[..., 0]), true.sum(axis=last)
    few = (most < k) & ((most if forest else held) > 0)
    if few.any():
        return False
    return True if forest or ((most == 0) | (held >= k)).all() else None


@system("marginals", say("Anonymised marginals"), random=False, points=(5, 50), span=(2, 2_000))
class Marginals(System):
    """Marginals that are k-link anonymous, and (c, l)-diverse by the fit.

    ranges, shares : for each unchanged column (m_j,) the range of each label, and its published share there.
    true, cells : records by range of each column and value, as they are and as expected.
    chosen : the marginals published.
    """

    k: int
    l: int = 2  # noqa: E741 - the paper's name
    c: float = 3.0

    def make(self, chance: np.random.Generator) -> None:
        source, k = self.source, self.k
        sizes = [column.m for column in source.columns]
        cells = {m: math.prod(min(size, m) for size in sizes) * source.m for m in range(_MOST_RANGES, 1, -1)}
        most = next((m for m, number in cells.items() if number <= _CELLS), None)
        if most is None:
            raise Impossible("The columns have more combinations of values than this method can go through.")
        self.ranges = [stand_together(column.counts(), most, k) for column in source.columns]
        both = list(zip(self.ranges, source.columns, strict=True))
        self.shares = [shares_within(column.counts(), of, k) for of, column in both]
        codes = [of[column.codes] for of, column in both]
        self._of_record: tuple[NDArray[np.integer], ...] = (*codes, source.sensitive.codes)
        self.true = np.zeros((*(int(each.max()) + 1 for each in self.ranges), source.m))
        np.add.at(self.true, self._of_record, 1.0)
        self.chosen, self.cells = self.choose()

    def choose(self) -> tuple[list[Axes], Floats]:
        """Return all single marginals, the pairs that bring most and are safe, and the fit. Raises Impossible."""
        true, n, k, diversity = self.true, self.source.n, self.k, RecursiveDiversity(self.l, self.c)

        def fit(chosen: list[Axes], start: Floats) -> Floats | None:
            joint = fit_marginals(true, chosen, start)
            if joint is None:
                return None
            by_value = joint.reshape(-1, self.source.m)
            return joint if diversity.meets(by_value[by_value.sum(axis=1) > 0], self.source.shares).all() else None

        def gain(axes: Axes) -> float:
            """KL(true || fitted) of a marginal, nats: by at least so much the fit comes nearer if it is added."""
            held, known = marginal(cells, axes), marginal(true, axes)
            return float((known * np.log(np.where(known > 0, known, 1) / np.where(known > 0, held, 1))).sum()) / n

        chosen: list[Axes] = [(column,) for column in range(true.ndim)]
        start = fit(chosen, np.full(true.shape, n / true.size))
        if n < k or start is None:
            raise Impossible(ASKS_TOO_MUCH)
        cells = start
        left = [pair for pair in itertools.combinations(range(true.ndim), 2) if is_linked(true, pair, k)]
        while left and len(chosen) < true.ndim + _PAIRS:
            self.progress.report(self.title, 0.0)
            left.sort(key=gain)
            if gain(left[-1]) < _LITTLE:
                break
            tried = [*chosen, left.pop()]
            if (more := fit(tried, cells)) is not None:
                chosen, cells = tried, more
        return chosen, cells

    def answer(self, questions: CountingQuestions) -> Floats:
        by_value = np.empty((questions.selections, self.source.m))
        for part in in_parts(questions.selections, self.cells.size):
            left = np.ones((len(by_value[part]), 1)) * self.cells.ravel()
            for flags, of, share in zip(questions.flags, self.ranges, self.shares, strict=True):
                meets = (flags[part] * share) @ np.eye(int(of.max()) + 1)[of]
                left = np.einsum("pg,pgr->pr", meets, left.reshape(*meets.shape, -1))
            by_value[part] = left
        return questions.pick(by_value)

    def metrics(self) -> dict[str, float]:
        combined = is_combinatorial(self.true, self.chosen, self.k)
        decided = math.nan if combined is None else float(combined)  # where pairs make a circle
        codes = np.column_stack([column.codes for column in self.source.all_columns])
        _, which, number = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
        thought = self.cells[self._of_record]
        for column, share in zip(self.source.columns, self.shares, strict=True):
            thought = thought * share[column.codes]
        divergence = float(np.log(number[which.ravel()] / thought).mean())
        pairs = float(len(self.chosen) - self.true.ndim)
        return {"pairs": pairs, "KL divergence": divergence, "k-combinatorial": decided}
