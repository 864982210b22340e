"""Cross-tables: every value of an SA in many selections at once, made to agree with their margins.

Each cell is estimated like a question of its own and keeps its own interval, which covers the truth as often. The
estimates are then fitted to what is known better than any cell: the records of a line (exact), and each value's count
over all lines (estimated from all of them together). Iterative proportional fitting keeps them from being negative; it
runs between the intervals' ends, so no estimate leaves its interval by more than the margins demand, and an interval
that a margin pushes an estimate out of is widened to hold it. Any fit would bias unbiased estimates: they are left
alone, and add up only on average.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import DEFAULT, Answer, Method, Reader
from splu_desktop.core.transition.two_numbers import Floats
from splu_desktop.frozen import dataclass

_ROUNDS = 200
_SETTLED = 1e-6  # records by which a margin may still be off, relative to the table's records
_SEED = 1e-9  # share of independence that keeps a cell from being stuck at 0 where a margin needs it


@dataclass(frozen=True, eq=False)
class Crosstab:
    """A lines by values of one SA.

    Attributes
    ----------
    lines : A selections as conditions.
    sa : the SA.
    labels : (B,) its values.
    selected : (A,) records of each line, exact.
    published, estimate, low, high : (A, B), records; `variance` of the unbiased estimate, inf where nothing is told.
    margin : (B,) each value's count over all lines, to which the columns add up; estimates of a line add up to
        `selected`.
    told : (A, B) whether public figures alone tell the count (`Answer.told`).
    expected : (A, B) the count that the margins let expect (`Answer.expected`).
    partition : whether every record counted is in exactly one line, so that the columns were fitted too.
    """

    lines: tuple[tuple[Condition, ...], ...]
    sa: str
    labels: tuple[str, ...]
    selected: NDArray[np.int64]
    published: NDArray[np.int64]
    estimate: Floats
    low: Floats
    high: Floats
    variance: Floats
    margin: Floats
    partition: bool
    small: int
    told: NDArray[np.bool_]
    expected: Floats
    method: Method = DEFAULT

    def answers(self, line: int) -> list[Answer]:
        """Return the cells of a line as answers."""
        conditions, n_p = self.lines[line], int(self.selected[line])
        of_line = (self.published, self.estimate, self.low, self.high, self.variance, self.told, self.expected)
        cells = zip(self.labels, *(numbers[line].tolist() for numbers in of_line), strict=True)
        return [
            Answer(
                conditions=(*conditions, Condition(self.sa, (label,))),
                published=published,
                estimate=estimate,
                low=low,
                high=high,
                method=self.method,
                n_p=n_p,
                variance=variance if math.isfinite(variance) else None,
                small=self.small,
                told=told,
                expected=expected,
            )
            for label, published, estimate, low, high, variance, told, expected in cells
        ]


def table(
    reader: Reader,
    lines: Sequence[Sequence[Condition]],
    sa: str,
    *,
    within: Sequence[Condition] = (),
    progress: Progress = SILENT,
    method: Method = DEFAULT,
) -> Crosstab:
    """Compute a cross-table.

    Parameters
    ----------
    lines : conditions on NSAs, one sequence per line; lines that part the records between them get fitted columns.
    sa : the SA whose values are the columns.
    within : conditions on NSAs that every record counted meets.

    Raises BadQuestion; Cancelled.
    """
    asked = tuple((*within, *line) for line in lines)
    cells = reader.cells(asked, sa, progress, method)
    margins = reader.cells([tuple(within)], sa, method=method)
    progress.report("Fitting the margins", 0.0)
    published, selected, estimate, low, high, variance = cells
    everything = float(margins[1][0])
    margin = margins[2][0] * (everything / max(float(margins[2][0].sum()), 1e-300))
    partition = bool(selected.sum() == everything)
    fitted = estimate
    if method.bounded:
        fitted = _fitted(estimate, low, high, selected.astype(np.float64), margin if partition else None)
    possible = np.maximum(fitted, 0.0)
    progress.report("Fitting the margins", 1.0)
    return Crosstab(
        lines=asked,
        sa=sa,
        labels=tuple(str(label) for label in reader.published.table[sa].labels),
        selected=selected,
        published=published,
        estimate=fitted,
        low=np.minimum(low, possible),
        high=np.maximum(np.minimum(high, reader.most(sa)), fitted),
        variance=variance,
        margin=margin if partition and method.bounded else fitted.sum(axis=0),
        partition=partition,
        small=reader.published.thresholds.alpha,
        told=reader.told(sa, selected),
        expected=np.outer(selected, reader.shares(sa)),
        method=method,
    )


def _fitted(estimate: Floats, low: Floats, high: Floats, rows: Floats, columns: Floats | None) -> Floats:
    """Return (A, B) estimates >= 0 whose rows, and columns where given, add up to the margins."""
    whole = max(float(rows.sum()), 1e-300)
    shape = estimate.sum(axis=0) if columns is None else columns
    x = np.maximum(estimate, 0.0) + _SEED * np.outer(rows, shape + _SEED) / whole
    for turn in range(_ROUNDS):
        if columns is not None:
            x *= columns / np.maximum(x.sum(axis=0), 1e-300)
        x *= (rows / np.maximum(x.sum(axis=1), 1e-300))[:, None]
        off = 0.0 if columns is None else float(np.abs(x.sum(axis=0) - columns).max())
        inside = np.clip(x, low, high)
        if turn >= _ROUNDS // 2 or (off <= _SETTLED * whole and np.abs(inside - x).max() <= _SETTLED * whole):
            # Where intervals and margins can't both be met, the margins have the last word.
            if off <= _SETTLED * whole:
                break
            continue
        x = np.maximum(inside, _SEED * x)
    return x
