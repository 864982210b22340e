"""A cross-table, computed in the worker (`core.query.crosstab_grid`)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.analyse import two_sensitive
from splu_desktop.core.progress import Progress
from splu_desktop.core.published import Published
from splu_desktop.core.query import crosstab_grid
from splu_desktop.core.query.crosstab_grid import CrosstabGrid, Wanted
from splu_desktop.core.query.reader import DEFAULT, Method
from splu_desktop.gui.query.work import Asker


def sizes(asker: Asker, wanted: Wanted) -> int:
    """Return how many cells the table may have; touches no record."""
    return crosstab_grid.size_of(asker.published, wanted)


def settled(published: Published, wanted: Wanted) -> Wanted:
    """Return what is asked, of two columns drawn apart by the unbiased estimate where no other was chosen."""
    both = wanted.method is DEFAULT and two_sensitive.are_two_sensitive(published, wanted)
    return replace(wanted, method=Method.UNBIASED) if both else wanted


def compute(asker: Asker, wanted: Wanted, progress: Progress) -> CrosstabGrid:
    """Compute every cell with its interval, and the margins. Raises BadQuestion; Cancelled."""
    with asker.lock:
        if two_sensitive.are_two_sensitive(asker.published, wanted):
            return two_sensitive.compute(asker.reader, wanted)
        return crosstab_grid.compute(asker.reader, wanted, progress)


def true_cells(asker: Asker, grid: CrosstabGrid, progress: Progress) -> NDArray[np.int64]:
    """Return (A, B) true counts of a grid's cells, from the source. For the custodian's eyes alone."""
    with asker.lock:
        lines = [line.conditions for line in grid.lines]
        return asker.truth(progress).cells(lines, grid.wanted.sa, progress)
