"""The distribution of largest entropy with given marginals, by iterative proportional fitting (Deming, Stephan 1940).

Over the cells of a small domain: starting from the uniform one, the cells of each marginal's entry are scaled by what
the entry should hold over what they hold, marginal after marginal, until all hold (Csiszar 1975: the limit is the
information projection, that of largest entropy).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.source import Floats
from splu_desktop.frozen import dataclass

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
