"""What is written of a large table: table.csv and scores.csv as codes over texts, part by part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.mechanism import CLASS, Block
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress
from splu_desktop.core.published import Published
from splu_desktop.core.sanitise import merge_rare, number_codes
from splu_desktop.core.table import Column, Table
from splu_desktop.files.large.counted import Counted
from splu_desktop.files.large.drawing import say_changed
from splu_desktop.files.release.columns import column_handed_out
from splu_desktop.files.release.csv_table import RowWriter, TableWriter, checked_file, number_cells
from splu_desktop.files.release.facts import TABLE_NAME, Dialect
from splu_desktop.files.release.score_columns import SCORES_NAME, ScoreColumn, score_columns

LEARNED = 200_000  # published rows from which it is learned how far counts spread

Codes = NDArray[np.int32]
Written = tuple[dict[str, float], dict[str, str]]


@dataclass(frozen=True, eq=False)
class Pages:
    """What is written of drawn rows: table.csv and scores.csv as codes over texts.

    Attributes
    ----------
    published : what describes the release; its columns hold each distinct value once, with its weight.
    table : name, column as handed out, and from which number of a drawn row its code follows: directly (None), or by
        (P,) codes of the pairs of a block.
    scores, score_from : the score columns, and from which number of a drawn row the code of each follows.
    """

    published: Published
    table: tuple[tuple[Column, int, Codes | None], ...]
    scores: tuple[ScoreColumn, ...]
    score_from: tuple[int, ...]

    def table_codes(self, drawn: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Return codes of each column of the table for drawn rows."""
        return [drawn[at] if of is None else of[drawn[at]] for _, at, of in self.table]

    def score_cells(self, dialect: Dialect) -> tuple[list[NDArray[Any]], list[tuple[int, Codes]]]:
        """Return laid texts of scores, and for each which number of a drawn row, and codes of its pairs."""
        cells = number_cells([(each.values, each.which, each.pairs) for each in self.scores], dialect)
        place = {id(each.pairs): at for each, at in zip(self.scores, self.score_from, strict=True)}
        return [laid for laid, _, _ in cells], [(place[id(own)], of_pair[own]) for _, of_pair, own in cells]


def pages_of(counted: Counted, plan: Plan, shown: Sequence[NDArray[np.int64]]) -> Pages:
    """Return what is written of a drawn table.

    shown : for each block, (P,) how many published rows show each pair.
    """
    first = len(counted.drawing.unchanged)
    columns: dict[str, Column] = dict(counted.unchanged)
    own: dict[str, tuple[int, Codes | None]] = {n: (at, None) for at, (n, _) in enumerate(counted.drawing.unchanged)}
    by_block: dict[Block, Published] = {}
    several = len(counted.cells) > 1
    for at, (block, weights) in enumerate(zip(plan.blocks, shown, strict=True)):
        there = int(weights.argmax())
        parts = []
        for name, column in counted.shown[at].items():
            # A pair that no row shows stands for one that some show: its own values may have vanished.
            codes = np.where(weights > 0, column.codes, column.codes[there]).astype(np.int32)
            drawn = replace(column.with_codes(codes), weights=weights).without_unused_labels()
            drawn = merge_rare(drawn, plan.rare[name]) if name in plan.rare else drawn
            columns[name] = column_handed_out(drawn, drawn=True)
            own[name] = first + at, columns[name].codes
            parts.append(columns[name])
        if several:
            number = replace(number_codes(CLASS, counted.drawing.blocks[at].classes), weights=weights)
            parts.append(number)
            if at == 0:
                columns[CLASS], own[CLASS] = number, (first, number.codes)
        by_block[block] = _release(Table(tuple(parts)), (block,), counted, plan)
    order = [name for name in (*plan.roles, CLASS) if name in columns]
    published = _release(_side_by_side([columns[name] for name in order]), plan.blocks, counted, plan)
    public = [value for values in plan.public_values.values() for value in values]
    scores = score_columns(published, public, by_block)
    number_of = {name: first + at for at, block in enumerate(plan.blocks) for name in block.columns}
    table = tuple((columns[name], *own[name]) for name in order)
    return Pages(published, table, scores, tuple(number_of.get(each.column, first) for each in scores))


def _release(table: Table, blocks: tuple[Block, ...], counted: Counted, plan: Plan) -> Published:
    rare = {name: least for name, least in plan.rare.items() if name in table}
    means = {name: each for name, each in counted.means.items() if name in table}
    return Published(table, blocks, plan.classes, counted.cells, thresholds=plan.thresholds, rare=rare, means=means)


def _side_by_side(columns: Sequence[Column]) -> Table:
    """Return columns of different lengths as a table, filled up with rows of no weight."""
    longest = max(column.n for column in columns)
    filled = []
    for column in columns:
        more = longest - column.n
        assert column.weights is not None
        codes, weights = np.pad(column.codes, (0, more)), np.pad(column.weights, (0, more))
        filled.append(replace(column, codes=codes, weights=weights, written=None))
    return Table(tuple(filled))


def write_pages(
    pages: Pages,
    parts: Iterable[Sequence[NDArray[Any]]],
    rows: int,
    folder: Path,
    dialect: Dialect,
    progress: Progress,
) -> Written:
    """Write table.csv and scores.csv, given drawn rows in random order.

    Returns how far counts spread, and the SHA-256 of each file. Raises BadSetting where there are other rows than
    counted, BadRelease where the table does not read as it was written; Cancelled.
    """
    cells, codes = pages.score_cells(dialect)
    columns = [column for column, _, _ in pages.table]
    table, scores = TableWriter(columns, dialect), RowWriter(cells)
    first: list[NDArray[Any]] = []
    done = 0
    names = [column.name for column in columns], [each.name for each in pages.scores]
    with (
        checked_file(folder / TABLE_NAME, names[0], dialect, progress) as table_file,
        checked_file(folder / SCORES_NAME, names[1], dialect, progress) as score_file,
    ):
        for part in parts:
            progress.report("Writing CSV", done / rows)
            own = pages.table_codes(part)
            first = first or own
            table.write(table_file, own, progress, "Writing CSV")
            scores.write(score_file, [each[part[at]] for at, each in codes], progress, "Writing CSV")
            done += len(part[0])
    if done != rows:
        raise say_changed()
    digests = {TABLE_NAME: table_file.digest.hexdigest(), SCORES_NAME: score_file.digest.hexdigest()}
    return spread_of(pages, first), digests


def spread_of(pages: Pages, codes: Sequence[NDArray[Any]]) -> dict[str, float]:
    """Return, as a reader learns it from some published rows, how far counts spread."""
    some = [
        replace(column, codes=own[:LEARNED].astype(np.int32), weights=None, written=None)
        for (column, _, _), own in zip(pages.table, codes, strict=True)
    ]
    reader = Reader(replace(pages.published, table=Table(tuple(some))))
    return {name: reader.spread(name) for name in pages.published.sensitive}
