"""How large the cells of asked tables are in each form of the columns that they count by."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import distinct_rows, row_classes
from splu_desktop.core.generalise import Steps, column_after
from splu_desktop.core.mechanism import LEAST
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.risk.tiers import Candidate
from splu_desktop.core.table import Table
from splu_desktop.core.thresholds import NORMAL_95


def cell_counts(table: Table, asked: AskedTable, grouped: Collection[str] = ()) -> NDArray[np.int64]:
    """Return (m, ...) the counts of a table's cells, columns of `grouped` taken in three groups."""
    columns = [table[name] for name in (asked.sa, *asked.by)]
    sides, sizes = [each.codes for each in columns], [each.m for each in columns]
    rows = np.broadcast_to(np.int64(1), table.n)
    if np.prod(sizes, dtype=float) < table.n / 2:  # each combination once in place of each row
        rows = np.bincount(np.ravel_multi_index(sides, sizes), minlength=np.prod(sizes))
        sides = [each.astype(np.int32) for each in np.unravel_index(np.arange(len(rows)), sizes)]
    flags = ~columns[0].missing if asked.value is None else columns[0].labels == asked.value
    inside = flags[sides[0]] & (rows > 0)
    sides, rows = [each[inside] for each in sides], rows[inside]
    for at, name in enumerate(asked.by, 1):
        if name in grouped and len(rows):
            before = np.cumsum(np.bincount(sides[at], rows))
            thirds = np.searchsorted(before, (before[-1] - 1) * np.array([1 / 3, 2 / 3]), side="right")
            sides[at] = np.searchsorted(thirds, sides[at]).astype(np.int32)
    return np.bincount(row_classes(sides, sizes, len(rows)), rows).astype(np.int64)


class AskedCells:
    """Counts the distinct combinations of what each table counts once, for all forms.

    Parameters
    ----------
    table, questions : the rows, and what is asked of them.
    candidates : unchanged columns with their forms, those among them that tables count by.
    steps : what the counted secret columns go through.
    """

    def __init__(
        self, table: Table, questions: Sequence[AskedTable], candidates: Sequence[Candidate], steps: Mapping[str, Steps]
    ) -> None:
        self._questions = questions
        by_name = {each.name: each for each in candidates}
        # Of each table, what it counts by, and of its distinct combinations the codes as read, the counted value's
        # last, and the rows.
        self._found: list[tuple[list[Candidate], list[NDArray[np.int32]], NDArray[np.int64]]] = []
        for asked in questions:
            column = column_after(table[asked.sa], steps.get(asked.sa, ()))
            flags = ~column.missing if asked.value is None else column.labels == asked.value
            rows = np.flatnonzero(flags[column.codes])
            counted = [by_name[name] for name in asked.by]
            columns = [*(each.column for each in counted), column]
            codes = [each.codes[rows] for each in columns]
            keys, first = distinct_rows(codes)
            self._found.append((counted, [each[first] for each in codes], np.bincount(keys)))

    def reach(self, levels: Mapping[str, int], gamma: float) -> tuple[float, list[tuple[int, int]]]:
        """Return the share of the asked rows in cells of 50 and more, and each table's such cells and readable ones.

        In classes of their own, where by law 4 a cell of f rows scatters by f (1 - 1/gamma^2).
        """
        sizes = self._sizes(levels)
        rows = sum(number.sum() for counted, _, number in self._found if counted)  # totals are the same in all forms
        large = sum(each[each >= LEAST].sum() for asked, each in zip(self._questions, sizes, strict=True) if asked.by)
        tables: list[tuple[int, int]] = []
        for asked, cells in zip(self._questions, sizes, strict=True):
            least = (NORMAL_95 / asked.within) ** 2 * (1 - 1 / gamma**2)
            tables.append((int((cells >= LEAST).sum()), int((cells >= max(LEAST, least)).sum())))
        return float(large / rows) if rows else 1.0, tables

    def _sizes(self, levels: Mapping[str, int]) -> list[NDArray[np.integer]]:
        """Return the rows of the cells of each table, its columns in some forms."""
        sums: list[NDArray[np.integer]] = []
        for counted, (*codes, value), number in self._found:
            forms = [each.rungs[levels[each.name]] for each in counted]
            sides = [*(form.to[code] for form, code in zip(forms, codes, strict=True)), value]
            sizes = [*(form.m for form in forms), int(value.max(initial=0)) + 1]
            # A table is not counted by what is left out: none of its rows lies in a large cell.
            kept = not any(form.steps is None for form in forms)
            sums.append(np.bincount(row_classes(sides, sizes, len(value)), number) if kept else np.zeros(0, np.int64))
        return sums
