"""The figures behind the plan page, from core alone: what the plots draw at once, and the table made in a worker."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.guarantees import attackers, sentences
from splu_desktop.core.guarantees import exact as guarantees
from splu_desktop.core.guarantees.planning import ValueState, plan_values
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.plots import LargeCounts, SmallCounts
from splu_desktop.gui.base.words import told

SLIDER = range(2, 51)
_GRID = np.array([float(f"{t:.4g}") for t in np.geomspace(0.001, 0.5, 80)])
_LEAST_SHOWN = 20
_MOST_SHOWN = 120
_OVER = 30  # times the largest T_f: what the axis shows of the values' own counts, at most


@lru_cache(maxsize=256)
def _top(epsilon: float) -> float:
    # T_f rises with gamma towards the Poisson limit; the largest gamma of the slider comes within 2 % of it.
    return float(guarantees.t_f_exact(SLIDER[-1], epsilon, [0.001])[0]) * 2


def curves(gamma: int, thresholds: Thresholds, counts: NDArray[np.int64]) -> tuple[LargeCounts, SmallCounts]:
    """Return what both plots draw. About a millisecond, so the window may call it. Raises BadSetting."""
    epsilon, alpha = thresholds.epsilon, thresholds.alpha
    exact, chebyshev, published = guarantees.t_f_curve(gamma, epsilon, _GRID)
    large = LargeCounts(
        t_e=_GRID,
        exact=exact,
        chebyshev=chebyshev,
        as_published=published,
        chosen=(thresholds.t_e, guarantees.t_f(gamma, epsilon, thresholds.t_e)),
        top=max(_top(epsilon), float(min(counts.max(initial=1), _OVER * _top(epsilon)))),
        counts=counts,
        alpha=alpha,
        epsilon=epsilon,
    )
    shown = min(max(_LEAST_SHOWN, 3 * alpha), max(_MOST_SHOWN, alpha))
    return large, SmallCounts(guarantees.small_count_curve(gamma, epsilon, shown), alpha, epsilon)


def promises(
    gamma: int, thresholds: Thresholds, column: str, n: int, values: int, progress: Progress
) -> tuple[str, str, str]:
    """Return the sentences on small counts, on large ones and on readers. Runs in a worker. Raises BadSetting."""
    progress.report("Promises", 0.0)
    epsilon = thresholds.epsilon
    known = sentences.unprotected(n, gamma, values, epsilon, thresholds.alpha, column=column)
    return (
        told(
            sentences.relieved(known) or sentences.small_count_promise(gamma, epsilon, thresholds.alpha, column=column)
        ),
        told(sentences.large_count_promise(gamma, epsilon, thresholds.t_e, column=column)),
        "\n\n".join(told(each) for each in attackers.of_gamma(column, gamma)),
    )


@dataclass(frozen=True)
class ValueRow:
    """One value of an SA under a plan.

    Attributes
    ----------
    count : its true count, records.
    group : "protected" (small, and not promised to be answered), "answerable" (at least T_f), "between".
    wrong : probability that its published count is wrong by more than epsilon.
    error : expected relative error of its published count.
    signal : what is left of its link to the other columns, 1 all, 0 none.
    """

    value: str
    count: int
    group: str
    wrong: float
    error: float
    signal: float


@dataclass(frozen=True)
class Values:
    """All values of an SA under a plan.

    Attributes
    ----------
    rows : the most frequent value first.
    totals : group -> (values, records).
    warnings : what the thresholds fail to give, in sentences.
    """

    rows: tuple[ValueRow, ...]
    totals: dict[str, tuple[int, int]]
    warnings: tuple[str, ...]


_GROUPS = {ValueState.PROTECTED: "protected", ValueState.BETWEEN: "between", ValueState.ANSWERABLE: "answerable"}


def value_rows(column: Column, gamma: int, thresholds: Thresholds, progress: Progress) -> Values:
    """Return all values with their figures. Runs in a worker. Raises SpluError, Cancelled."""
    progress.report("Values", 0.0)
    counts = column.counts()
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] > 0]
    found = plan_values(counts[order], column.n, gamma, thresholds)
    progress.report("Values", 0.5)
    names = [_GROUPS[state] for state in ValueState]
    rows = tuple(
        ValueRow(str(value), count, names[state], wrong, error, signal)
        for value, count, state, wrong, error, signal in zip(
            column.labels[order],
            found.counts.tolist(),
            found.states.tolist(),
            found.error_probability.tolist(),
            found.expected_error.tolist(),
            found.signal.tolist(),
            strict=True,
        )
    )
    totals = {_GROUPS[state]: (total.values, total.records) for state, total in found.totals.items()}
    progress.report("Values", 1.0)
    return Values(rows, totals, tuple(told(each) for each in sentences.value_warnings(found, column=column.name)))
