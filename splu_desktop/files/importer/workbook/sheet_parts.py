"""What a sheet holds besides plain records: merged cells among them, a table or a note beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.messages import quoted, say
from splu_desktop.files.importer.columns.cells import Cells, Chunks, listed
from splu_desktop.files.importer.problems import Problem, ProblemKind
from splu_desktop.files.importer.workbook.plain_sheet import Span

_NEARLY = 0.9  # of the rows of the other columns, up to which a block of columns may end sooner


def fill_down(chunks: Chunks, merged: Sequence[Span], first: int) -> dict[int, int]:
    """Give every record that a merged cell spans the cell's value, which stands in its first row only.

    Parameters
    ----------
    chunks : the records, changed in place.
    merged : ranges of merged cells; those of one column that begin below row `first` are filled.
    first : number of the header's last row.

    Returns
    -------
    dict
        Column, from 0 -> merged cells filled.
    """
    found: dict[int, int] = {}
    starts = np.array([numbers[0] for _, numbers in chunks] or [1])
    filled: dict[int, NDArray[np.bool_]] = {}
    for (top, left), (bottom, right) in merged:
        if left != right or bottom <= top or top < first or not chunks or left >= len(chunks[0][0]):
            continue
        k = max(int(np.searchsorted(starts, top + 1, side="right")) - 1, 0)
        columns, numbers = chunks[k]
        at = int(np.searchsorted(numbers, top + 1))
        if at >= len(numbers) or numbers[at] != top + 1:
            continue
        value = _listed(columns, left)[int(columns[left][0][at])]
        if value == "":
            continue
        for here, (columns, numbers) in enumerate(chunks[k:], k):
            if numbers[0] > bottom + 1:
                break
            if here not in filled:
                filled[here] = _filled(columns)
            part = slice(*np.searchsorted(numbers, (top + 1, bottom + 2)).tolist())
            cells = _listed(columns, left)
            if value not in cells:
                cells.append(value)
            codes = columns[left][0]
            codes[part] = np.where(filled[here][part], cells.index(value), codes[part])
        found[left] = found.get(left, 0) + 1
    return found


def _listed(columns: list[tuple[NDArray[np.int64], Cells]], i: int) -> list[object]:
    """Return a column's distinct cells as a list that can grow, kept in its place."""
    codes, cells = columns[i]
    if isinstance(cells, np.ndarray) or not codes.flags.writeable:
        columns[i] = codes.copy(), listed(cells)
    return columns[i][1]  # type: ignore[return-value]


def _filled(columns: list[tuple[NDArray[np.int64], Cells]]) -> NDArray[np.bool_]:
    """(r,) whether a row has any cell of its own, so that it is a record."""
    rows = np.zeros(len(columns[0][0]) if columns else 0, bool)
    for codes, cells in columns:
        if isinstance(cells, np.ndarray):
            rows |= ~np.isnan(cells)[codes]
        else:
            rows |= np.array([cell != "" for cell in cells], bool)[codes]
    return rows


def beside(chunks: Chunks, used: Sequence[int], names: Sequence[str], sheet: str) -> Iterator[Problem]:
    """Yield a problem where columns behind an empty one end at another row: another table, or a note."""
    blocks: list[list[int]] = []
    for place, column in enumerate(used):
        if not place or column > used[place - 1] + 1:
            blocks.append([])
        blocks[-1].append(place)
    if len(blocks) < 2:
        return
    ends = [max(_last(chunks, used[place]) for place in block) for block in blocks]
    begin = int(chunks[0][1][0]) if chunks else 0
    main = int(np.argmax(list(map(len, blocks))))
    for block, end in zip(blocks, ends, strict=True):
        if end and (end > ends[main] + 1 or end - begin < _NEARLY * (ends[main] - begin)):
            sentence = say(
                "Beyond an empty column stand {columns}; they end at row {row}, the others at row {last}: this may be "
                "another table or a note. Leave these columns out if so.",
                columns=quoted([names[place] for place in block], 6),
                row=end,
                last=ends[main],
            )
            yield Problem(ProblemKind.NOTE, sentence, sheet, column=names[block[0]])


def _last(chunks: Chunks, column: int) -> int:
    """Return the number of the last row with a cell in a column, 0 where there is none."""
    for columns, numbers in reversed(chunks):
        rows = np.flatnonzero(_filled([columns[column]]))
        if len(rows):
            return int(numbers[rows[-1]])
    return 0
