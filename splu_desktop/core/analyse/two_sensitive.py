"""Cross-tables of two sensitive columns that were drawn apart, in the shape of those of one (`query.crosstab_grid`)."""

from __future__ import annotations

import numpy as np

from splu_desktop.core.analyse import analyses
from splu_desktop.core.analyse.figures import within
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.published import Published
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.crosstab_grid import TRUST, CrosstabGrid, Wanted
from splu_desktop.core.query.reader import Answer, Method, Reader

_TAIL = 0.025  # of a 95 % interval, on either side


def are_two_sensitive(published: Published, wanted: Wanted) -> bool:
    """Return whether the lines are values of another SA, not drawn together with that of the columns."""
    if wanted.sa not in published.sensitive or any(side.column == wanted.sa for side in wanted.sides):
        return False
    apart = set(published.sensitive) - set(published.draws[wanted.sa].block(wanted.sa))
    return any(side.column in apart for side in wanted.sides)


def compute(reader: Reader, wanted: Wanted) -> CrosstabGrid:
    """Count all cells by the unbiased estimate, as `analyses.crosstab` does: they add up to their margins exactly.

    No count of a sensitive value is ever known to be 0, so no interval ends below what may stay unseen (`Draw.unseen`).
    Raises BadQuestion.
    """
    if len(wanted.sides) > 1 or wanted.sides[0].intervals or wanted.method is not Method.UNBIASED:
        raise BadQuestion(
            "“{column}” is sensitive as well; it is counted against “{sa}” alone, by each of its values and the "
            "unbiased estimate.",
            column=next(side.column for side in wanted.sides if side.column in reader.published.sensitive),
            sa=wanted.sa,
        )
    published, line = reader.published, wanted.sides[0].column
    rows, columns = published.table[line], published.table[wanted.sa]
    asked, sums = analyses.cross_sums(reader, line, wanted.sa, wanted.within)
    met = np.ones(published.n, bool)
    for condition in wanted.within:
        column = published.table[condition.column]
        met &= condition.select(column, sensitive=published.is_sensitive(condition.column))[column.codes]
    seen = np.zeros((rows.m + 1, columns.m + 1), np.int64)
    np.add.at(seen, (rows.codes[met], columns.codes[met]), 1)
    seen[-1], seen[:, -1] = seen.sum(axis=0), seen.sum(axis=1)
    seen[-1, -1] = met.sum()
    plain = [one for one in wanted.within if not published.is_sensitive(one.column)]
    (selection, every) = reader.answers([plain, wanted.within], Method.UNBIASED)

    def answer(at: int) -> Answer:
        one, other = asked[at]
        named = [(rows, one), (columns, other)]
        conditions = [Condition(of.name, (str(of.labels[code]),)) for of, code in named if code is not None]
        value, arm = float(sums.values[at]), sums.arm(np.eye(len(asked))[at])
        low, high = within(value - arm, value + arm, 0.0, float(selection.n_p))
        unseen = max(published.draws[of.name].unseen(_TAIL) for of, code in named if code is not None)
        return Answer(
            conditions=(*wanted.within, *conditions),
            published=int(seen[-1 if one is None else one, -1 if other is None else other]),
            estimate=value,
            low=low,
            high=max(high, min(unseen, selection.n_p)),
            method=Method.UNBIASED,
            n_p=selection.n_p,
            variance=sums.variance(at) or None,
            small=published.thresholds.alpha,
        )

    found = np.array([answer(at) for at in range(len(asked) - 1)] + [every], object).reshape(seen.shape)
    trust = np.array([TRUST.index(cell.badge) for cell in found[:-1, :-1].ravel()], np.int8)
    return CrosstabGrid(
        wanted=wanted,
        parts=tuple((str(label),) for label in rows.labels),
        values=tuple(str(label) for label in columns.labels),
        answers=found[:-1, :-1],
        lines=tuple(found[:-1, -1]),
        totals=tuple(found[-1, :-1]),
        all=every,
        trust=trust.reshape(rows.m, columns.m),
        left_out=0,
    )
