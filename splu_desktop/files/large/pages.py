"""What is written of a large table: table.csv and scores.csv as codes over texts, part by part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import IO, Any

import numpy as np

from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.mechanism import CLASS
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT
from splu_desktop.core.published import Published
from splu_desktop.core.sanitise import merge_rare
from splu_desktop.core.table import Column, Table, number_codes
from splu_desktop.files.disk.digests import DigestedFile
from splu_desktop.files.large.drawing import Codes, CountedTable, Ints
from splu_desktop.files.release.columns import column_as_handed_out
from splu_desktop.files.release.csv_table import RowWriter, TableWriter, number_cells
from splu_desktop.files.release.facts import TABLE_NAME, Dialect
from splu_desktop.files.release.score_columns import SCORES_NAME, score_columns


class Pages:
    """What is written of drawn rows: table.csv and scores.csv as codes over texts.

    Parameters
    ----------
    shown : (P,) how many published rows show each pair, block after block.

    Attributes
    ----------
    published : what describes the release; its columns hold each distinct value once, with its weight.
    scores : the columns of scores.csv.
    names : those of each file.
    """

    def __init__(self, counted: CountedTable, plan: Plan, shown: Ints, dialect: Dialect) -> None:
        describe = partial(
            Published, class_columns=plan.classes, cells=counted.cells,
            thresholds=plan.thresholds, rare=plan.rare, means=counted.means,
        )  # fmt: skip
        columns, by_block = {name: counted.columns[name] for name in counted.unchanged_columns}, {}
        places = {name: at for at, name in enumerate(columns)}  # which number of a drawn row each column follows
        ends = np.cumsum([len(block.classes) for block in counted.blocks])
        for at, (block, counts) in enumerate(zip(plan.blocks, np.split(shown, ends[:-1]), strict=True)):
            drawn = [_shown_column(counted.columns[name], counts, plan.rare.get(name)) for name in block.columns]
            if len(counted.cells) > 1:
                drawn.append(replace(number_codes(CLASS, counted.blocks[at].classes), weights=counts))
            by_block[block] = describe(Table(tuple(drawn)), (block,))
            columns = {column.name: column for column in drawn} | columns  # the classes as the first block has them
            places = dict.fromkeys(columns, len(counted.unchanged_columns) + at) | places
        table = [columns[name] for name in (*plan.roles, CLASS) if name in columns]
        self.published = describe(Table(tuple(table)), plan.blocks)
        public = [value for values in plan.public_values.values() for value in values]
        self.scores = score_columns(self.published, public, by_block)
        self.names = {TABLE_NAME: [each.name for each in table], SCORES_NAME: [each.name for each in self.scores]}

        self._columns = [(column, places[column.name]) for column in table]
        self._table = TableWriter(table, dialect)
        cells = number_cells([(each.values, each.which, each.pairs) for each in self.scores], dialect)
        of_block = {id(each.pairs): places[each.column] for each in self.scores}
        self._lines = RowWriter([laid for laid, _, _ in cells])
        self._cells = [(of_pair[pairs], of_block[id(pairs)]) for _, of_pair, pairs in cells]

    def __getstate__(self) -> dict[str, Any]:
        """Return what `write` needs, to be sent to workers."""
        return {**self.__dict__, "published": None, "scores": ()}

    def write(self, files: Sequence[IO[bytes] | DigestedFile], rows: Codes) -> None:
        """Write some drawn rows to both files, and compare each line of the table with its codes. Raises BadRelease."""
        self._table.write(files[0], [column.codes[rows[:, at]] for column, at in self._columns], SILENT, "")
        self._lines.write(files[1], [codes[rows[:, at]] for codes, at in self._cells], SILENT, "")

    def learn_spread(self, rows: Codes) -> dict[str, float]:
        """Return, as a reader learns it from some drawn rows, how far counts spread."""
        some = (column.with_codes(column.codes[rows[:, at]]) for column, at in self._columns)
        reader = Reader(replace(self.published, table=Table(tuple(some))))
        return {name: reader.spread(name) for name in self.published.sensitive}


def _shown_column(column: Column, counts: Ints, least: int | None) -> Column:
    """Return a drawn column as handed out, a row for each pair, with (P,) how many published rows show each."""
    # A pair that no row shows stands for one that some show: its own values may have vanished.
    codes = np.where(counts > 0, column.codes, column.codes[counts.argmax()])
    drawn = replace(column.with_codes(codes), weights=counts).without_unused_labels()
    return column_as_handed_out(drawn if least is None else merge_rare(drawn, least), drawn=True)
