"""Cross-tables of two sensitive columns that were drawn apart, in the shape of those of one (`query.crosstab_grid`)."""

from __future__ import annotations

import numpy as np

from splu_desktop.core.analyse import analyses
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.published import Published
from splu_desktop.core.query.crosstab_grid import TRUST, CrosstabGrid, Wanted
from splu_desktop.core.query.reader import Method, Reader


def are_two_sensitive(published: Published, wanted: Wanted) -> bool:
    """Return whether the lines are values of another SA, not drawn together with that of the columns."""
    if wanted.sa not in published.sensitive or any(side.column == wanted.sa for side in wanted.sides):
        return False
    apart = set(published.sensitive) - set(published.draws[wanted.sa].block(wanted.sa))
    return any(side.column in apart for side in wanted.sides)


def compute(reader: Reader, wanted: Wanted) -> CrosstabGrid:
    """Count all cells as `analyses.crosstab` does: they add up to their margins exactly. Raises BadQuestion."""
    if len(wanted.sides) > 1 or wanted.sides[0].intervals or wanted.method is not Method.UNBIASED:
        raise BadQuestion(
            "“{column}” is sensitive as well; it is counted against “{sa}” alone, by each of its values and the "
            "unbiased estimate.",
            column=next(side.column for side in wanted.sides if side.column in reader.published.sensitive),
            sa=wanted.sa,
        )
    line = wanted.sides[0].column
    rows, columns = reader.published.table[line], reader.published.table[wanted.sa]
    found = np.empty((rows.m + 1, columns.m + 1), object)
    found.ravel()[:] = list(analyses.cross_cells(reader, line, wanted.sa, wanted.within).values())
    trust = np.array([TRUST.index(cell.badge) for cell in found[:-1, :-1].ravel()], np.int8)
    return CrosstabGrid(
        wanted=wanted,
        parts=tuple((str(label),) for label in rows.labels),
        values=tuple(str(label) for label in columns.labels),
        answers=found[:-1, :-1],
        lines=tuple(found[:-1, -1]),
        totals=tuple(found[-1, :-1]),
        all=found[-1, -1],
        trust=trust.reshape(rows.m, columns.m),
        left_out=0,
    )
