"""The distribution of largest entropy with given marginals, by iterative proportional fitting (Deming, Stephan 1940).

Over the cells of a small domain: starting from the uniform one, the cells of each marginal's entry are scaled by what
the entry should hold over what they hold, marginal after marginal, until all hold (Csiszar 1975: the limit is the
information projection, that of largest entropy).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.source import Floats

_ROUNDS = 500
_CLOSE = 1e-6  # of all records, by which entries may be off


@dataclass(frozen=True, eq=False)
class KnownMarginal:
    """Counts of a table by some columns, whose labels may stand together.

    Attributes
    ----------
    columns : places of the columns, the sensitive one last of all.
    entry : (cells,) the entry that each cell of the domain belongs to.
    counts : (entries,) records.
    of_others : (entries,) the entry's number when the sensitive value is left out; the entries themselves where the
        marginal has none.
    """

    columns: tuple[int, ...]
    entry: NDArray[np.intp]
    counts: Floats
    of_others: NDArray[np.intp]

    def linked(self, k: int) -> bool:
        """Return whether each combination of the other columns' labels has no record or k and more (Definition 4.1)."""
        found = np.bincount(self.of_others, self.counts)
        return bool(((found == 0) | (found >= k)).all())


def combinatorial(marginals: Sequence[KnownMarginal], last: int, values: int, k: int) -> bool | None:
    """Return whether the marginals are k-combinatorially anonymous (Definition 4.2); None where that is not decided.

    Every cell of the other columns must be empty in all tables with these marginals, or hold k and more in some. The
    graph has a node per column and an edge per pair. Where it is a forest, the most that a cell can hold is known: the
    least of its entries (Dobra, Fienberg 2000), summed over the values where the pair has the sensitive column, since
    the tables of two values don't bind each other. With a cycle it may be less, and the graph does not decide. `last`
    is the sensitive column's place, `values` its number of values; cells stand by it last.
    """
    root: dict[int, int] = {}

    def tree(node: int) -> int:
        while root.get(node, node) != node:
            node = root[node]
        return node

    most_of_value = np.full(len(marginals[0].entry), np.inf)
    most_of_others = most_of_value.copy()
    for marginal in marginals:
        if len(marginal.columns) == 2:
            one, other = (tree(column) for column in marginal.columns)
            if one == other:
                return None
            root[one] = other
        most = most_of_value if last in marginal.columns else most_of_others
        np.minimum(most, marginal.counts[marginal.entry], out=most)
    by_cell = most_of_value.reshape(-1, values).sum(axis=1)
    bound = np.minimum(by_cell, most_of_others.reshape(-1, values)[:, 0])
    return bool(((bound == 0) | (bound >= k)).all())


def fitted(start: Floats, marginals: Sequence[KnownMarginal]) -> Floats | None:
    """Return (cells,) expected records with these marginals, of largest entropy if `start` is uniform or such a fit.

    None where it does not settle within 500 rounds, as where the limit has none in cells that no entry rules out.
    """
    cells = start.copy()
    total = float(marginals[0].counts.sum())
    for _ in range(_ROUNDS):
        off = 0.0
        for marginal in marginals:
            held = np.bincount(marginal.entry, cells, len(marginal.counts))
            off = max(off, float(np.abs(held - marginal.counts).max()))
            cells *= np.divide(marginal.counts, held, out=np.zeros_like(held), where=held > 0)[marginal.entry]
        if off <= _CLOSE * total:
            return cells
    return None


def gain(cells: Floats, marginal: KnownMarginal) -> float:
    """Return KL(true || fitted) of a marginal, nats: by at least so much the fit comes nearer if it is added."""
    held = np.bincount(marginal.entry, cells, len(marginal.counts))
    there = marginal.counts > 0
    total = float(marginal.counts.sum())
    return float((marginal.counts[there] * np.log(marginal.counts[there] / held[there])).sum()) / total
