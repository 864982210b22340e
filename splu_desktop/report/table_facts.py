"""The tables of a report: what was asked for, true and forecast for the own files, or as the recipient reads it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from splu_desktop.core.answer.answer import READABLE
from splu_desktop.core.answer.crosstab import crosstab
from splu_desktop.core.answer.forecast import LEAST, Forecast
from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.errors import SpluError
from splu_desktop.core.policy.figures import TableReach
from splu_desktop.core.questions import AskedTable, parse_question
from splu_desktop.files.release.reading import OpenRelease
from splu_desktop.files.release.readme import list_means

_MOST_CELLS = 2_000


@dataclass(frozen=True)
class Cell:
    """A number that was asked for: true (internal edition alone), and the range that the recipient reads."""

    line: tuple[str, ...]
    value: str
    true: float | None
    estimate: float | None
    low: float
    high: float
    readable: bool


@dataclass(frozen=True)
class TableFact:
    """A table that must come out: how many of its cells of 50 and more can be read, and all its cells."""

    asked: str
    words: str
    readable: int
    of: int
    cells: tuple[Cell, ...]
    within: float

    @property
    def ends(self) -> tuple[Cell, ...]:
        """The narrowest and the widest cell of 50 and more; of all cells where none is as large."""
        large = [each for each in self.cells if (each.true if each.true is not None else each.estimate or 0) >= LEAST]
        large = large or list(self.cells)
        if len(large) < 2:
            return tuple(large)
        width = [(each.high - each.low) / max(each.true or each.estimate or 1, 1e-9) for each in large]
        return large[int(np.argmin(width))], large[int(np.argmax(width))]


def forecast_table(reach: TableReach) -> TableFact:
    """Return a table as it was forecast, with its true numbers."""
    forecast: Forecast = reach.forecast
    places = list(np.ndindex(*forecast.truth.shape))
    cells = tuple(
        Cell(
            forecast.lines[line],
            forecast.labels[at],
            float(forecast.truth[line, at]),
            None,
            float(forecast.low[0, line, at]),
            float(forecast.high[0, line, at]),
            bool(forecast.readable[0, line, at]),
        )
        for line, at in places[:_MOST_CELLS]
    )
    asked = reach.table
    return TableFact(str(asked), str(asked.words()), reach.readable, reach.cells, cells, asked.within)


def read_tables(opened: OpenRelease) -> Iterator[TableFact]:
    """Give the tables that must come out as a recipient reads them."""
    reader = Reader(opened.published)
    for text in opened.facts["questions"]:
        with contextlib.suppress(SpluError):  # a value that no row shows any more can't be asked for
            asked = parse_question(str(text), reader.published.table)
            yield _read_means(reader, asked) if asked.kind == "mean" else _read_table(reader, asked)


def _read_means(reader: Reader, asked: AskedTable) -> TableFact:
    cells = [Cell(head, "mean", None, e.estimate, e.low, e.high, good) for head, e, good in list_means(reader, asked)]
    readable = sum(each.readable for each in cells)
    return TableFact(str(asked), str(asked.words()), readable, len(cells), tuple(cells[:_MOST_CELLS]), asked.within)


def _read_table(reader: Reader, asked: AskedTable) -> TableFact:
    table = crosstab(reader, asked.by, asked.sa)
    column = reader.published.table[asked.sa]
    labels = [at for at in range(column.m) if not column.missing[at] and asked.value in (None, str(column.labels[at]))]
    # The same as the forecast takes for a comparison, which need only be known to a factor.
    within = 0.5 if asked.kind == "compare" else asked.within
    cells = [
        Cell(
            head,
            table.labels[at],
            None,
            float(table.estimate[line, at]),
            float(table.low[line, at]),
            float(table.high[line, at]),
            table.trust(line, at, within) == READABLE,
        )
        for line, head in enumerate(table.lines)
        for at in labels
    ]
    # A recipient knows no true counts, so estimates say which cells are large.
    large = [each for each in cells if (each.estimate or 0) >= LEAST]
    readable = sum(each.readable for each in large)
    return TableFact(str(asked), str(asked.words()), readable, len(large), tuple(cells[:_MOST_CELLS]), within)
