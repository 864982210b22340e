"""What is written of a large table: table.csv and scores.csv as codes over texts, part by part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.mechanism import CLASS, Block
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT
from splu_desktop.core.published import Published
from splu_desktop.core.sanitise import merge_rare, number_codes
from splu_desktop.core.table import Column, Table
from splu_desktop.files.disk.digests import DigestedFile
from splu_desktop.files.large.counted_table import CountedTable
from splu_desktop.files.release.columns import column_handed_out
from splu_desktop.files.release.csv_table import RowWriter, TableWriter, number_cells
from splu_desktop.files.release.facts import TABLE_NAME, Dialect
from splu_desktop.files.release.score_columns import SCORES_NAME, ScoreColumn, score_columns

Codes = NDArray[np.int32]


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

    @property
    def names(self) -> dict[str, list[str]]:
        """The columns of each file."""
        return {TABLE_NAME: [column.name for column, _, _ in self.table], SCORES_NAME: [s.name for s in self.scores]}


def pages_of(counted: CountedTable, plan: Plan, shown: Sequence[NDArray[np.int64]]) -> Pages:
    """Return what is written of a drawn table.

    shown : for each block, (P,) how many published rows show each pair.
    """
    first = len(counted.drawing.unchanged_columns)
    columns: dict[str, Column] = dict(counted.unchanged_columns)
    own: dict[str, tuple[int, Codes | None]] = {
        n: (at, None) for at, (n, _) in enumerate(counted.drawing.unchanged_columns)
    }
    by_block: dict[Block, Published] = {}
    several = len(counted.cells) > 1
    for at, (block, weights) in enumerate(zip(plan.blocks, shown, strict=True)):
        there = int(weights.argmax())
        parts = []
        for name, column in counted.block_columns[at].items():
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


def _release(table: Table, blocks: tuple[Block, ...], counted: CountedTable, plan: Plan) -> Published:
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
        filled.append(replace(column, codes=codes, weights=weights, spellings=None))
    return Table(tuple(filled))


class PageWriter:
    """Writes drawn rows as lines of table.csv and scores.csv, and compares each line of the table with its codes.

    It can be sent to workers.
    """

    def __init__(self, pages: Pages, dialect: Dialect) -> None:
        self._table = TableWriter([column for column, _, _ in pages.table], dialect)
        self._table_codes = [(at, of) for _, at, of in pages.table]
        cells = number_cells([(each.values, each.which, each.pairs) for each in pages.scores], dialect)
        place = {id(each.pairs): at for each, at in zip(pages.scores, pages.score_from, strict=True)}
        self._scores = RowWriter([laid for laid, _, _ in cells])
        self._score_codes = [(place[id(own)], of_pair[own]) for _, of_pair, own in cells]

    def write(self, files: Sequence[IO[bytes] | DigestedFile], drawn: Sequence[NDArray[Any]]) -> None:
        """Write some drawn rows to both files. Raises BadRelease where the table does not read as it was written."""
        shown = [drawn[at] if of is None else of[drawn[at]] for at, of in self._table_codes]
        self._table.write(files[0], shown, SILENT, "")
        self._scores.write(files[1], [of[drawn[at]] for at, of in self._score_codes], SILENT, "")


def spread_of(pages: Pages, drawn: Sequence[NDArray[Any]]) -> dict[str, float]:
    """Return, as a reader learns it from some drawn rows, how far counts spread."""
    some = []
    for column, at, of in pages.table:
        codes = (drawn[at] if of is None else of[drawn[at]]).astype(np.int32)
        some.append(replace(column, codes=codes, weights=None, spellings=None))
    reader = Reader(replace(pages.published, table=Table(tuple(some))))
    return {name: reader.spread(name) for name in pages.published.sensitive}
