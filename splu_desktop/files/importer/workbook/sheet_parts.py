"""What a sheet holds besides plain records: merged cells among them, a table or a note beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.messages import quoted, say
from splu_desktop.files.importer.columns.cells import CellColumn
from splu_desktop.files.importer.problems import Problem, ProblemKind
from splu_desktop.files.importer.workbook.sheet_scan import Span

_NEARLY = 0.9  # of the rows of the other columns, up to which a block of columns may end sooner


def fill_down(
    columns: list[CellColumn], numbers: NDArray[np.int64], merged: Sequence[Span], first: int
) -> dict[int, int]:
    """Give every record that a merged cell spans the cell's value, which stands in its first row only.

    Returns column, from 0 -> merged cells filled.

    columns, numbers : the records, changed in place, and the numbers of their rows.
    merged : ranges of merged cells; those of one column that begin below row `first` are filled.
    first : number of the header's last row.
    """
    fills: dict[int, int] = {}
    records = None
    for (top, left), (bottom, right) in merged:
        if left != right or bottom <= top or top < first or left >= len(columns):
            continue
        at = int(np.searchsorted(numbers, top + 1))
        if at >= len(numbers) or numbers[at] != top + 1:
            continue
        column = columns[left]
        if column.cells[column.codes[at]] == "":
            continue
        if records is None:  # rows with any cell of their own
            records = np.any([each.has_cell for each in columns], axis=0)
        part = slice(*np.searchsorted(numbers, (top + 1, bottom + 2)).tolist())
        column.codes[part] = np.where(records[part], column.codes[at], column.codes[part])
        fills[left] = fills.get(left, 0) + 1
    return fills


def find_beside(
    columns: list[CellColumn], numbers: NDArray[np.int64], used: Sequence[int], names: Sequence[str], sheet: str
) -> Iterator[Problem]:
    """Yield a problem where columns behind an empty one end at another row: another table, or a note."""
    blocks: list[list[int]] = []
    for place, column in enumerate(used):
        if not place or column > used[place - 1] + 1:
            blocks.append([])
        blocks[-1].append(place)
    if len(blocks) < 2:
        return
    ends = []  # number of the last row with a cell, 0 where there is none
    for block in blocks:
        filled = np.any([columns[used[place]].has_cell for place in block], axis=0)
        ends.append(int(numbers[filled].max(initial=0)))
    begin = int(numbers[0]) if len(numbers) else 0
    main = int(np.argmax(list(map(len, blocks))))
    for block, end in zip(blocks, ends, strict=True):
        if end and (end > ends[main] + 1 or end - begin < _NEARLY * (ends[main] - begin)):
            words = (
                "Beyond an empty column stand {columns}; they end at row {row}, the others at row {last}: this may be "
                "another table or a note. Leave these columns out if so."
            )
            sentence = say(words, columns=quoted([names[place] for place in block], 6), row=end, last=ends[main])
            yield Problem(ProblemKind.NOTE, sentence, sheet, column=names[block[0]])
